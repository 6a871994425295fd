//! What the loop stands on: the tree, the rulings and the proof. The loop itself starts no process, opens no
//! repository and reads no policy, so its rules can be tested without any of them.

use std::pin::Pin;

use crate::change::FileChange;
use crate::evidence::{Finding, Verification};
use crate::failure::Failure;
use crate::git::CommitId;
use crate::ids::RepoPath;
use crate::plan::{Check, Plan};
use crate::policy::{Ruling, Tracked};
use crate::sandbox::End;
use crate::source::Source;
use crate::verify::{Bench, Outcome, VerifyError};

/// Work that is waited for.
pub type Working<'a, T> = Pin<Box<dyn Future<Output = Result<T, VerifyError>> + Send + 'a>>;

/// What the loop stands on. In production this is [`Proving`].
pub trait Ground: Send + Sync {
    /// The snapshot before any change: what candidates are compared with.
    fn base(&self) -> CommitId;
    /// The snapshot that the repair starts from: the base, or what a lower tier left.
    fn start(&self) -> CommitId;
    /// The tree of a snapshot.
    ///
    /// # Errors
    /// When the scratch repository fails, here and below.
    fn tree(&self, commit: &CommitId) -> Result<Box<dyn Source>, VerifyError>;
    /// A snapshot of changes over another.
    ///
    /// # Errors
    /// When it cannot be written.
    fn snapshot(&self, parent: &CommitId, changes: &[FileChange], message: &str) -> Result<CommitId, VerifyError>;
    /// What a candidate changes, compared with the base.
    ///
    /// # Errors
    /// When it cannot be read.
    fn changes(&self, candidate: &CommitId) -> Result<Vec<FileChange>, VerifyError>;
    /// The same as a patch.
    ///
    /// # Errors
    /// When it cannot be read.
    fn patch(&self, candidate: &CommitId) -> Result<String, VerifyError>;
    /// May this file be written?
    fn may_write(&self, path: &RepoPath, new: bool) -> Ruling;
    /// May this file be shown to a model?
    fn may_read(&self, path: &RepoPath) -> Ruling;
    /// May the command of this name be run?
    fn may_run(&self, name: &str) -> Ruling;
    /// Proves a candidate, or says at which step it fails.
    fn prove<'a>(&'a self, candidate: &'a CommitId) -> Working<'a, Proof>;
    /// Runs one check on a candidate.
    fn check<'a>(&'a self, check: &'a Check, candidate: &'a CommitId) -> Working<'a, Checked>;
}

/// What proving a candidate showed.
#[derive(Debug, Clone, Default)]
pub struct Proof {
    /// The steps.
    pub verification: Verification,
    /// What the gate found.
    pub findings: Vec<Finding>,
    /// What still fails, parsed; empty when the candidate holds or only the gate objects.
    pub failures: Vec<Failure>,
}

/// What one check on a candidate showed.
#[derive(Debug, Clone)]
pub struct Checked {
    /// Whether it exited with 0.
    pub passed: bool,
    /// How it ended: `exit code 1`, `timeout`.
    pub end: String,
    /// The failures in its output.
    pub failures: Vec<Failure>,
    /// What it printed.
    pub output: String,
}

/// The ground in production: a bench, a plan, and what the failing command showed before any change.
#[derive(Debug, Clone)]
pub struct Proving<'a> {
    /// Where commands run.
    pub bench: &'a Bench<'a>,
    /// What proves a candidate.
    pub plan: &'a Plan,
    /// What the failing command showed.
    pub before: &'a Outcome,
    /// The snapshot that the repair starts from.
    pub start: CommitId,
    /// The files of the base, for rulings on new ones.
    pub tracked: &'a Tracked,
}

impl Ground for Proving<'_> {
    fn base(&self) -> CommitId {
        self.bench.scratch.base()
    }

    fn start(&self) -> CommitId {
        self.start.clone()
    }

    fn tree(&self, commit: &CommitId) -> Result<Box<dyn Source>, VerifyError> {
        Ok(Box::new(self.bench.scratch.source(commit)?))
    }

    fn snapshot(&self, parent: &CommitId, changes: &[FileChange], message: &str) -> Result<CommitId, VerifyError> {
        Ok(self.bench.scratch.snapshot(parent, changes, message)?)
    }

    fn changes(&self, candidate: &CommitId) -> Result<Vec<FileChange>, VerifyError> {
        Ok(self.bench.scratch.changes(&self.base(), candidate)?)
    }

    fn patch(&self, candidate: &CommitId) -> Result<String, VerifyError> {
        Ok(self.bench.scratch.patch(&self.base(), candidate)?)
    }

    fn may_write(&self, path: &RepoPath, new: bool) -> Ruling {
        let _ = new;
        self.bench.policy.decide_write(path, self.tracked)
    }

    fn may_read(&self, path: &RepoPath) -> Ruling {
        self.bench.policy.decide_read(path)
    }

    fn may_run(&self, name: &str) -> Ruling {
        // The plan stands: whoever may run its proof was asked when it was made.
        let proof = self.plan.steps.first().filter(|_| name == self.plan.proof.name);
        proof.map_or_else(|| self.bench.policy.decide_run(&[name.to_owned()], None), |step| step.ruling.clone())
    }

    /// Where a command failed, the proof is run once more for what it says: a model that only hears which step
    /// failed would guess.
    fn prove<'a>(&'a self, candidate: &'a CommitId) -> Working<'a, Proof> {
        Box::pin(async move {
            let (verification, findings) = self.bench.verify(self.plan, self.before, candidate).await?;
            let failed = verification.steps.iter().find(|step| !step.passed);
            let failures = match failed {
                Some(step) if step.name != "gate" => self.check(&self.plan.proof, candidate).await?.failures,
                _ => Vec::new(),
            };
            Ok(Proof { verification, findings, failures })
        })
    }

    fn check<'a>(&'a self, check: &'a Check, candidate: &'a CommitId) -> Working<'a, Checked> {
        Box::pin(async move {
            self.bench.scratch.reset(candidate, self.bench.journal).await?;
            let outcome = self.bench.run(&check.command, &format!("check {} for the model", check.name)).await?;
            Ok(Checked::from(outcome))
        })
    }
}

impl From<Outcome> for Checked {
    fn from(outcome: Outcome) -> Self {
        let end = match outcome.finished.end {
            End::Code(code) => format!("exit code {code}"),
            End::Signal(signal) => format!("signal {signal}"),
            End::Timeout => "timeout".to_owned(),
            End::Memory => "too much memory".to_owned(),
            End::Processes => "too many processes".to_owned(),
            End::Disk => "too much disk".to_owned(),
        };
        let text = |bytes: &[u8]| crate::text::strip_ansi(&String::from_utf8_lossy(bytes));
        let output = [text(&outcome.finished.stdout), text(&outcome.finished.stderr)].join("\n");
        Self { passed: outcome.finished.end == End::Code(0), end, failures: outcome.failures, output }
    }
}
