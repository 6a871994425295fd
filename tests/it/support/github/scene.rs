//! How a world begins: a small project, green one commit ago and red now.

use std::io::{Cursor, Write as _};

use zip::write::SimpleFileOptions;

use super::FakeGitHub;
use super::model::{Annotation, Artifact, By, Job, Run};
use super::world::World;

/// The workflow file of both runs.
pub(crate) const WORKFLOW: &str = ".github/workflows/ci.yml";
/// The last run that passed.
pub(crate) const GREEN_RUN: u64 = 101;
/// The run that failed.
pub(crate) const RED_RUN: u64 = 102;
/// The job of it that failed.
pub(crate) const RED_JOB: u64 = 202;
const GREEN_JOB: u64 = 201;
const WORKFLOW_ID: u64 = 7;

/// A world to be. All that is not said is as in most worlds.
pub(crate) struct Scene {
    repository: String,
    files: Vec<(String, String)>,
    before: Vec<(String, String)>,
    command: String,
    log: String,
    artifacts: Vec<(String, Vec<u8>)>,
    annotations: Vec<Annotation>,
}

fn owned(files: &[(&str, &str)]) -> Vec<(String, String)> {
    files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

impl Scene {
    /// A project of these files, as they stand at the failed commit. A workflow file is added where there is none.
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        Self {
            repository: "octo/lab".to_owned(),
            files: owned(files),
            before: vec![("NOTES.md".to_owned(), "before\n".to_owned())],
            command: "python -m pytest -q".to_owned(),
            log: "1 failed\n".to_owned(),
            artifacts: Vec::new(),
            annotations: Vec::new(),
        }
    }

    /// What these files were like at the last green commit; the others were the same.
    pub(crate) fn before(mut self, files: &[(&str, &str)]) -> Self {
        self.before = owned(files);
        self
    }

    /// The command of the step that failed.
    pub(crate) fn command(mut self, command: &str) -> Self {
        command.clone_into(&mut self.command);
        self
    }

    /// What it printed.
    pub(crate) fn log(mut self, log: &str) -> Self {
        log.clone_into(&mut self.log);
        self
    }

    /// An archive of these files that the failed run uploaded.
    pub(crate) fn artifact(mut self, name: &str, files: &[(&str, &str)]) -> Self {
        self.artifacts.push((name.to_owned(), zipped(files)));
        self
    }

    /// What the failed job's check says of a line.
    pub(crate) fn annotation(mut self, path: &str, line: u64, message: &str) -> Self {
        let (path, message) = (path.to_owned(), message.to_owned());
        self.annotations.push(Annotation { path, line, level: "failure".to_owned(), message });
        self
    }

    /// The world, served.
    pub(crate) async fn start(self) -> FakeGitHub {
        FakeGitHub::serve(self.world()).await
    }

    fn world(self) -> World {
        let mut world = World::new(&self.repository);
        let mut files = self.files.clone();
        if !files.iter().any(|(path, _)| path == WORKFLOW) {
            files.push((WORKFLOW.to_owned(), workflow(&self.command)));
        }
        let mut earlier = files.clone();
        earlier.retain(|(path, _)| !self.before.iter().any(|(changed, _)| changed == path));
        earlier.extend(self.before.clone());
        let content = |(path, text): &(String, String)| (path.clone(), Some(text.clone().into_bytes()));
        let mut later: Vec<_> = files.iter().map(content).collect();
        let gone = self.before.iter().filter(|(path, _)| !files.iter().any(|(kept, _)| kept == path));
        later.extend(gone.map(|(path, _)| (path.clone(), None)));
        let earlier: Vec<_> = earlier.iter().map(content).collect();
        let green = world.git.commit("main", &earlier, "Works");
        let red = world.git.commit("main", &later, "Breaks");
        world.notice_moves(By::Person);
        let runs = [(GREEN_RUN, GREEN_JOB, green, "success"), (RED_RUN, RED_JOB, red, "failure")];
        for (number, (run, job, commit, conclusion)) in (1..).zip(runs) {
            let at = world.tick() * 60;
            world.runs.push(self.run(run, number, (&commit, conclusion), at));
            world.jobs.push(self.job(job, run, conclusion));
        }
        world.artifacts = (301..)
            .zip(self.artifacts)
            .map(|(id, (name, zip))| Artifact { id, run: RED_RUN, name, zip, expired: false })
            .collect();
        world.annotations = self.annotations.into_iter().map(|annotation| (RED_JOB, annotation)).collect();
        world
    }

    fn run(&self, id: u64, number: u64, (commit, conclusion): (&str, &str), at: u64) -> Run {
        Run {
            id,
            number,
            name: "CI".to_owned(),
            path: WORKFLOW.to_owned(),
            workflow: WORKFLOW_ID,
            attempt: 1,
            event: "push".to_owned(),
            status: "completed".to_owned(),
            conclusion: Some(conclusion.to_owned()),
            head_branch: "main".to_owned(),
            head_sha: commit.to_owned(),
            head_repository: self.repository.clone(),
            actor: "octo".to_owned(),
            at,
        }
    }

    fn job(&self, id: u64, run: u64, conclusion: &str) -> Job {
        let command_step = format!("Run {}", self.command);
        let steps = [
            ("Set up job", "success"),
            ("Run actions/checkout@v4", "success"),
            (command_step.as_str(), conclusion),
            ("Post Run actions/checkout@v4", "success"),
            ("Complete job", "success"),
        ];
        let passed = conclusion == "success";
        Job {
            id,
            run,
            attempt: 1,
            name: "test".to_owned(),
            conclusion: Some(conclusion.to_owned()),
            labels: vec!["ubuntu-latest".to_owned()],
            steps: steps.map(|(name, end)| (name.to_owned(), Some(end.to_owned()))).to_vec(),
            log: Some(job_log(&self.command, if passed { "all passed\n" } else { &self.log }, passed)),
        }
    }
}

fn workflow(command: &str) -> String {
    format!(
        "name: CI\non: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - run: {command}\n"
    )
}

/// The log of a job as it is downloaded: a byte order mark, a time before every line, groups, the end.
pub(crate) fn job_log(command: &str, printed: &str, passed: bool) -> Vec<u8> {
    let opening = [
        "Current runner version: '2.329.0'".to_owned(),
        "##[group]Run actions/checkout@v4".to_owned(),
        "##[endgroup]".to_owned(),
        format!("##[group]Run {command}"),
        format!("\u{1b}[36;1m{command}\u{1b}[0m"),
        "shell: /usr/bin/bash -e {0}".to_owned(),
        "##[endgroup]".to_owned(),
    ];
    let end = (!passed).then(|| "##[error]Process completed with exit code 1.".to_owned());
    let lines = opening.into_iter().chain(printed.lines().map(str::to_owned)).chain(end);
    let dated = (0..).zip(lines).map(|(at, line)| format!("2026-01-05T09:01:{:02}.{at:07}Z {line}\n", at % 60));
    format!("\u{feff}{}", dated.collect::<String>()).into_bytes()
}

/// An archive of files.
pub(crate) fn zipped(files: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        archive.start_file(*name, SimpleFileOptions::default()).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}
