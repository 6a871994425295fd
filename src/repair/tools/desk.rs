//! What the tools of one round work on.

use crate::git::CommitId;
use crate::ids::RepoPath;
use crate::journal::Entry;
use crate::policy::{Decision, Rule, RuleSource, Ruling};
use crate::repair::staged::Staged;
use crate::repair::{Job, Refusal, Sent};
use crate::usage::Tier;

/// What the tools of one round work on.
pub(in crate::repair) struct Desk<'a> {
    pub(in crate::repair) job: &'a Job<'a>,
    /// The snapshot that the edits go on top of.
    pub(in crate::repair) tree: CommitId,
    /// That snapshot with the edits of this round over it.
    pub(in crate::repair) staged: Staged,
    /// Whether an edit failed and none was taken since.
    pub(in crate::repair) failed: bool,
    pub(in crate::repair) refusals: Vec<Refusal>,
    pub(in crate::repair) sent: Vec<Sent>,
    pub(super) offered: Vec<&'static str>,
    pub(super) actor: String,
}

impl<'a> Desk<'a> {
    pub(in crate::repair) fn new(job: &'a Job<'a>, tree: CommitId, staged: Staged, tier: Tier) -> Self {
        let specs = super::offered(job);
        let offered = super::TOOLS
            .iter()
            .map(|tool| tool.name)
            .filter(|name| specs.iter().any(|spec| spec.name == *name))
            .collect();
        let actor = format!("{tier:?}").to_lowercase();
        Self { job, tree, staged, failed: false, refusals: Vec::new(), sent: Vec::new(), offered, actor }
    }

    /// Records and counts a refusal, or a permission that a person must confirm.
    pub(in crate::repair) fn refuse(&mut self, refusal: Refusal) {
        self.decided(&refusal.tool, &refusal.subject, refusal.ruling.clone());
        self.refusals.push(refusal);
    }

    /// Records a ruling.
    pub(super) fn decided(&self, tool: &str, subject: &str, ruling: Ruling) {
        record(self.job, &self.actor, &Refusal::new(tool, subject, ruling));
    }

    /// A path that the model wrote; one that leaves the repository is refused.
    pub(super) fn path(&mut self, tool: &str, text: &str) -> Result<RepoPath, String> {
        RepoPath::new(text).map_err(|error| {
            let rules = vec![Rule {
                source: RuleSource::BuiltIn,
                text: format!("paths stay inside the repository: {error}"),
                line: None,
            }];
            let shown = crate::text::cut_middle(text, 200);
            let refusal = Refusal::new(tool, &shown, Ruling { decision: Decision::Deny, rules });
            let told = refusal.told();
            self.refuse(refusal);
            told
        })
    }

    /// A path that may be shown; for reading, a person who could agree is not waited for.
    pub(super) fn readable(&mut self, tool: &str, text: &str) -> Result<RepoPath, String> {
        let path = self.path(tool, text)?;
        let ruling = self.job.ground.may_read(&path);
        if ruling.decision == Decision::Allow {
            return Ok(path);
        }
        let refusal = Refusal::new(tool, path.as_str(), Ruling { decision: Decision::Deny, ..ruling });
        let told = refusal.told();
        self.refuse(refusal);
        Err(told)
    }

    /// A path that may be written, at once or once a person agrees.
    pub(super) fn writable(&mut self, tool: &str, text: &str, new: bool) -> Result<RepoPath, String> {
        let path = self.path(tool, text)?;
        let ruling = self.job.ground.may_write(&path, new);
        if ruling.decision == Decision::Deny {
            let refusal = Refusal::new(tool, path.as_str(), ruling);
            let told = refusal.told();
            self.refuse(refusal);
            return Err(told);
        }
        self.decided(tool, path.as_str(), ruling);
        Ok(path)
    }

    /// Notes that a model saw these lines.
    pub(super) fn showed(&mut self, path: &RepoPath, lines: (usize, usize)) {
        let line = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
        self.sent.push(Sent { path: path.clone(), lines: (line(lines.0), line(lines.1)) });
    }
}

/// Records a ruling on what somebody wants.
pub(in crate::repair) fn record(job: &Job<'_>, actor: &str, wanted: &Refusal) {
    let outcome = match wanted.ruling.decision {
        Decision::Allow => "allowed",
        Decision::Ask => "allowed once a person agrees",
        Decision::Deny => "refused",
    };
    job.journal.record(Entry {
        action: "decision".to_owned(),
        subject: (job.scrub)(&format!("{} {}", wanted.tool, wanted.subject.escape_debug())),
        actor: Some(actor.to_owned()),
        outcome: outcome.to_owned(),
        ruling: Some(wanted.ruling.clone()),
        ..Entry::default()
    });
}
