//! The whole loop on the bundled project, as `unbreak demo` plays it.

use unbreak::demo::{ANSWERS, Act, BUNDLED, Stage, play};
use unbreak::git::Git;
use unbreak::proposal::Conclusion;
use unbreak::sandbox::Host;
use unbreak::usage::Tier;

use crate::support::program::{Program, environment};

/// Plays the demo on these files with these answers.
fn played(files: &[(&str, &str)], answers: &str) -> Vec<Act> {
    let program = Program::new();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let git = Git::new("/usr/bin/git".into(), program.path("git")).unwrap();
    let host = Host {
        helper: env!("CARGO_BIN_EXE_unbreak").into(),
        env: environment().into_iter().collect(),
        home: program.path(""),
        scratch: program.path("scratch"),
        tier: None,
    };
    let stage = Stage {
        git: &git,
        host: &host,
        scratch: &program.path("scratch"),
        out: &program.path("out"),
        clock: || 0,
        progress: &|_| {},
    };
    runtime.block_on(play(&stage, files, answers)).unwrap()
}

fn conclusions(acts: &[Act]) -> Vec<Conclusion> {
    acts.iter().map(|act| act.proposal.result).collect()
}

/// The bundled files with one line changed.
fn changed(path: &str, from: &str, to: &str) -> Vec<(String, String)> {
    let files: Vec<_> = BUNDLED
        .iter()
        .map(|(name, text)| {
            let text = if *name == path { text.replacen(from, to, 1) } else { (*text).to_owned() };
            ((*name).to_owned(), text)
        })
        .collect();
    assert!(files.iter().any(|(name, text)| name == path && text.contains(to)), "{from:?} is not in {path}");
    files
}

fn borrowed(files: &[(String, String)]) -> Vec<(&str, &str)> {
    files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect()
}

#[test]
fn three_failures_are_fixed_two_of_them_without_a_token() {
    let acts = played(BUNDLED, ANSWERS);
    assert_eq!(conclusions(&acts), [Conclusion::Fixed; 3]);
    let tiers: Vec<Option<Tier>> = acts.iter().map(|act| act.proposal.tier).collect();
    assert_eq!(tiers, [Some(Tier::Zero), Some(Tier::Zero), Some(Tier::Light)]);
    for act in &acts[..2] {
        assert_eq!((act.proposal.usage.calls, act.proposal.usage.input + act.proposal.usage.output), (0, 0));
    }
    assert_eq!(acts[2].proposal.usage.calls, 1);
}

#[test]
fn with_a_broken_answer_nothing_is_said_to_be_fixed() {
    let wrong = ANSWERS.replace("div_ceil(100)", "div_ceil(1000)");
    assert_ne!(wrong, ANSWERS);
    let acts = played(BUNDLED, &wrong);
    assert_eq!(conclusions(&acts)[..2], [Conclusion::Fixed; 2]);
    assert_ne!(acts[2].proposal.result, Conclusion::Fixed);
    assert!(acts[2].proposal.verification.as_ref().is_some_and(|it| it.steps.iter().any(|step| !step.passed)));
}

#[test]
fn one_changed_line_of_the_project_changes_the_outcome() {
    // Without the compile error the first act has nothing to do.
    let files = changed("src/receipt.rs", "let sum = 0;", "let mut sum = 0;");
    let acts = played(&borrowed(&files), ANSWERS);
    assert_eq!(conclusions(&acts), [Conclusion::NoChangeNeeded, Conclusion::Fixed, Conclusion::Fixed]);
}
