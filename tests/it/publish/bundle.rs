//! A sealed proposal, made by hand: real patches, real hashes, a real record.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;
use unbreak::evidence::{CommandRun, Reproduction, Step, Verdict, Verification};
use unbreak::failure::Failure;
use unbreak::handover::{Kind, seal};
use unbreak::ids::{BranchName, CommitSha, RepoPath, RepositoryName, Sha};
use unbreak::incident::{GitBundle, Head, Incident, Job, Run};
use unbreak::journal::{Entry, Journal};
use unbreak::policy::Origin;
use unbreak::proposal::{Attempt, Conclusion, LineCounts, Proposal};
use unbreak::usage::{Tier, Usage};

use crate::support::github::{FakeGitHub, RED_RUN};
use crate::support::world::failure;

/// A directory with a proposal.
pub(super) struct Bundle(TempDir);

impl Bundle {
    /// A proposal for the failed run of a world.
    pub(super) fn of(github: &FakeGitHub) -> Draft {
        let world = github.world();
        let base = world.git.tip("main").unwrap();
        let repository = world.git.path();
        Draft {
            checkout: clone(&repository, &base),
            proposal: proposal(&base),
            incident: incident(&world.repository, &base),
            tampered: Vec::new(),
        }
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }
}

/// A proposal in the making.
pub(super) struct Draft {
    checkout: TempDir,
    pub(super) proposal: Proposal,
    pub(super) incident: Incident,
    /// Files that are written over before all is sealed.
    tampered: Vec<(String, Vec<u8>)>,
}

impl Draft {
    /// Another text for a file.
    pub(super) fn change(self, path: &str, text: &str) -> Self {
        let file = self.checkout.path().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
        self
    }

    /// The patch carries this file as git carries what is no text.
    pub(super) fn opaque(self, path: &str) -> Self {
        std::fs::write(self.checkout.path().join(".git/info/attributes"), format!("{path} -diff\n")).unwrap();
        self
    }

    pub(super) fn delete(self, path: &str) -> Self {
        std::fs::remove_file(self.checkout.path().join(path)).unwrap();
        self
    }

    /// The repair is for this commit.
    pub(super) fn base(mut self, commit: &str) -> Self {
        git(self.checkout.path(), &["checkout", "-q", commit]);
        commit.clone_into(&mut self.proposal.base_commit);
        self.incident.head.commit = CommitSha::new(commit).unwrap();
        self
    }

    pub(super) fn attempt(mut self, attempt: u32) -> Self {
        self.incident.run.attempt = attempt;
        self
    }

    /// The proposal says something else.
    pub(super) fn proposing(mut self, change: impl FnOnce(&mut Proposal)) -> Self {
        change(&mut self.proposal);
        self
    }

    /// The incident says something else.
    pub(super) fn happening(mut self, change: impl FnOnce(&mut Incident)) -> Self {
        change(&mut self.incident);
        self
    }

    /// A file that is written over, and sealed so.
    pub(super) fn with(mut self, name: &str, content: impl Into<Vec<u8>>) -> Self {
        self.tampered.push((name.to_owned(), content.into()));
        self
    }

    /// The directory. What the proposal was made to say stays, the rest is as the change is.
    pub(super) fn sealed(mut self) -> Bundle {
        let place = tempfile::Builder::new().prefix("unbreak-bundle-").tempdir_in("/var/tmp").unwrap();
        let put = |name: &str, bytes: &[u8]| std::fs::write(place.path().join(name), bytes).unwrap();
        git(self.checkout.path(), &["add", "-A", "-f"]);
        let patch = git(self.checkout.path(), &["diff", "--cached", "--binary", "--no-color", "--no-ext-diff"]);
        if self.proposal.files.is_empty() {
            let names = git(self.checkout.path(), &["diff", "--cached", "--name-only"]);
            self.proposal.files = names.lines().map(str::to_owned).collect();
        }
        if self.proposal.lines == LineCounts::default() {
            self.proposal.lines = LineCounts::of_patch(&patch);
        }
        std::fs::create_dir(place.path().join("evidence")).unwrap();
        put("evidence/c1-reproduce.txt", OUTPUTS[0]);
        put("evidence/c2-suite.txt", OUTPUTS[1]);
        let journal = Journal::create(&place.path().join("journal.jsonl"), || 7).unwrap();
        journal.record(Entry { action: "start".into(), ..Entry::default() });
        self.proposal.journal_head = journal.head();
        journal.record(Entry { action: "result".into(), ..Entry::default() });
        journal.close().unwrap();
        put("proposal.json", &serde_json::to_vec_pretty(&self.proposal).unwrap());
        put("incident.json", &serde_json::to_vec_pretty(&self.incident).unwrap());
        put("change.patch", patch.as_bytes());
        put("body.md", b"whatever stands here is not used\n");
        for (name, content) in &self.tampered {
            put(name, content);
        }
        seal(place.path(), Kind::Proposal).unwrap();
        Bundle(place)
    }
}

const OUTPUTS: [&[u8]; 2] = [b"1 failed in 0.01s\n", b"1 passed in 0.01s\n"];

fn clone(repository: &Path, commit: &str) -> TempDir {
    let place = tempfile::Builder::new().prefix("unbreak-clone-").tempdir_in("/var/tmp").unwrap();
    git(place.path(), &["clone", "-q", repository.to_str().unwrap(), "."]);
    git(place.path(), &["checkout", "-q", commit]);
    place
}

fn git(directory: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "safe.directory=*", "-c", "advice.detachedHead=false", "-c", "core.quotePath=false"])
        .args(arguments)
        .current_dir(directory)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn run(id: &str, purpose: &str, code: i32, output: &[u8]) -> CommandRun {
    CommandRun {
        id: id.to_owned(),
        purpose: purpose.to_owned(),
        argv: vec!["python".into(), "-m".into(), "pytest".into(), "-q".into()],
        cwd: ".".to_owned(),
        exit_code: Some(code),
        ended_by: None,
        seconds: 0.5,
        output_hash: Sha::of(output),
    }
}

fn proposal(base: &str) -> Proposal {
    let failure: Failure = failure();
    let step = |name: &str| Step {
        name: name.to_owned(),
        passed: true,
        summary: "1 passed".to_owned(),
        commands: vec![run("c2", name, 0, OUTPUTS[1])],
    };
    Proposal {
        version: 1,
        result: Conclusion::Fixed,
        reason: "the failing test passes, and the whole suite with it".to_owned(),
        exit_code: 0,
        fingerprint: Some(failure.id.clone()),
        base_commit: base.to_owned(),
        uncommitted: false,
        left_out: Vec::new(),
        policy: Origin::default(),
        failure: Some(failure),
        tier: Some(Tier::Light),
        files: Vec::new(),
        lines: LineCounts::default(),
        reproduction: Some(Reproduction {
            verdict: Verdict::Reproduced,
            reason: "the same failure".to_owned(),
            hints: Vec::new(),
            runs: vec![run("c1", "reproduce", 1, OUTPUTS[0])],
            failing: vec!["tests.test_calc::test_add".to_owned()],
        }),
        verification: Some(Verification {
            steps: vec![step("failing-tests"), step("suite")],
            repeats: 3,
            ..Verification::default()
        }),
        findings: Vec::new(),
        walls: None,
        usage: Usage::default(),
        sent: Vec::new(),
        journal_head: Sha::of(b""),
        attempts: vec![Attempt {
            tier: Tier::Light,
            means: "openai:small".to_owned(),
            outcome: "proved in round 1".to_owned(),
        }],
        hints: Vec::new(),
        cause: Some("the operator is the wrong one, see #12 and @octo".to_owned()),
    }
}

fn incident(repository: &str, base: &str) -> Incident {
    let repository = RepositoryName::new(repository).unwrap();
    let job = |id, name: &str| Job {
        id,
        name: name.to_owned(),
        attempt: 1,
        conclusion: Some("failure".to_owned()),
        runner: vec!["ubuntu-latest".to_owned()],
        failed_steps: Vec::new(),
        log: None,
        annotations: None,
    };
    Incident {
        version: 1,
        repository: repository.clone(),
        default_branch: BranchName::new("main").unwrap(),
        run: Run {
            id: RED_RUN,
            attempt: 1,
            workflow: "CI".to_owned(),
            url: "https://evil.example/".to_owned(),
            event: "push".to_owned(),
            actor: Some("octo".to_owned()),
            triggering_actor: None,
            conclusion: Some("failure".to_owned()),
            started_at: Some("2026-01-05T09:00:00Z".to_owned()),
        },
        head: Head {
            commit: CommitSha::new(base).unwrap(),
            branch: Some(BranchName::new("main").unwrap()),
            repository: Some(repository),
        },
        pull_request: None,
        jobs: vec![job(1, "test (3.11)"), job(2, "test (3.12)")],
        history: Vec::new(),
        artifacts: Vec::new(),
        green: None,
        workflow: None,
        policy: None,
        policy_commit: CommitSha::new(base).unwrap(),
        history_bundle: GitBundle { file: RepoPath::new("history.bundle").unwrap(), shallow: None },
        left_out: vec!["the log of `lint` was cut".to_owned()],
    }
}
