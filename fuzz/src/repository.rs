//! Files of a repository that say what may be done in it and how.

use unbreak::ids::RepoPath;
use unbreak::incident::FailedStep;
use unbreak::policy::{self, Origin, Policy, Question, Tracked};
use unbreak::source::Memory;
use unbreak::workflow::{Workflow, find};
use unbreak::{project, syntax};

/// Files by name and content in turn, with NUL bytes between them. Each content is read as a policy, as a workflow and
/// as code, and all of them together as a project.
pub fn repository(bytes: &[u8]) {
    let parts: Vec<&[u8]> = bytes.split(|byte| *byte == 0).take(32).collect();
    for content in parts.iter().filter(|part| part.len() > 1) {
        read_policy(content);
        read_workflow(content);
        read_code(&String::from_utf8_lossy(content));
    }
    let files = parts.chunks(2).filter_map(|file| {
        let path = RepoPath::new(&String::from_utf8_lossy(file[0])).ok()?;
        Some((path, file.get(1).copied().unwrap_or_default()))
    });
    let tree = Memory::new(files);
    let projects = project::detect(&tree);
    assert_eq!(format!("{projects:?}"), format!("{:?}", project::detect(&tree)));
    for (name, command) in project::named_commands(&projects) {
        assert!(!name.is_empty() && !command.argv.is_empty(), "{name}: {command:?}");
    }
}

/// A policy that is shown is read back as the same one; a fault has a place.
fn read_policy(bytes: &[u8]) {
    match Policy::read(bytes, Origin::default()) {
        Ok(read) => {
            let again = Policy::read(policy::show(&read).as_bytes(), Origin::default()).unwrap();
            assert_eq!(policy::show(&again), policy::show(&read));
            let tracked = Tracked::new([]);
            for subject in ["a", "../a", ".github/workflows/a.yml", "", "sh -c 'git push'", "a.example:443"] {
                for question in
                    [Question::Write(subject), Question::Read(subject), Question::Run(subject), Question::Net(subject)]
                {
                    let answer = policy::explain(&read, question, &tracked, &[]);
                    assert!(!answer.rules.is_empty(), "{answer:?}");
                }
            }
        }
        Err(faults) => {
            assert!(!faults.is_empty());
            for fault in &faults {
                assert!(fault.line > 0 && fault.column > 0 && fault.snippet.len() < 4 << 10, "{fault:?}");
            }
        }
    }
}

/// A command of a workflow is whole: words, and a directory inside of the repository.
fn read_workflow(bytes: &[u8]) {
    let Ok(workflow) = Workflow::read(bytes) else { return };
    for job in workflow.jobs.iter().take(8) {
        for step in job.steps.iter().take(8) {
            let run = step.run.as_deref().unwrap_or_default().lines().next().unwrap_or_default();
            let name = step.name.clone().unwrap_or_else(|| format!("Run {run}"));
            for job_name in [job.name.as_deref().unwrap_or(&job.id), &format!("{} (1, 2)", job.id)] {
                if let Ok(found) = find(&workflow, job_name, &FailedStep { number: 1, name: name.clone() }) {
                    assert!(found.lacks().len() < 1_000);
                    if let Ok(commands) = found.command() {
                        assert!(commands.iter().all(|command| !command.argv.is_empty()), "{commands:?}");
                    }
                }
            }
        }
    }
}

/// What is found in code lies in it.
fn read_code(text: &str) {
    let last = u32::try_from(text.split('\n').count()).unwrap();
    for path in ["a.py", "src/a.rs"] {
        let path = RepoPath::new(path).unwrap();
        let Some(language) = syntax::language_of(&path) else { continue };
        let parsed = syntax::parse(language, text);
        for definition in &parsed.definitions {
            let (start, end) = (definition.start_line, definition.end_line);
            assert!(1 <= start && start <= end && end <= last, "{definition:?} of {last} lines");
            let _symbol = syntax::symbol_in(&path, definition);
            let _is_test = syntax::is_test(&path, definition);
        }
        for line in [1, last / 2, last] {
            let _enclosing = syntax::enclosing(&parsed, line);
        }
    }
}
