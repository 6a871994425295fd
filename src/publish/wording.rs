//! What the pull request and the commit will say, made before anything is written and searched for credentials.

use super::Order;
use super::bundle::Sealed;
use super::end::{End, Step};
use super::ground::Ground;
use crate::evidence::Finding;
use crate::ids::{CommitSha, Fingerprint};
use crate::incident::Incident;
use crate::policy::Policy;
use crate::proposal::Proposal;
use crate::report::{self, Provenance, State};
use crate::secret::Redactor;

/// The words.
#[derive(Debug)]
pub(super) struct Wording {
    pub(super) title: String,
    /// The commit's first line, and the rest of its message.
    pub(super) headline: String,
    pub(super) message: String,
    /// The failure.
    fingerprint: Fingerprint,
    /// The page of the run.
    run: String,
    /// The proposal with the findings of this stage.
    proposal: Proposal,
    incident: Incident,
}

impl Wording {
    /// The findings are those that the gate came to here, with what the proposal brought along.
    pub(super) fn of(sealed: &Sealed, order: &Order<'_>, policy: &Policy, findings: Vec<Finding>) -> Step<Self> {
        let (mut proposal, incident) = (sealed.proposal.clone(), sealed.incident.clone());
        let Some(failure) = &proposal.failure else { return Err(End::refused("proposal.json names no failure")) };
        let fingerprint = failure.id.clone();
        let title = report::pull_request_title(policy.pull_request.title.as_deref(), failure);
        let run = page(order.server, &incident)?;
        let from = Provenance { run: &run, attempt: incident.run.attempt, version: order.version };
        let (headline, message) = report::commit_message(&proposal, &from);
        proposal.findings.extend(findings);
        proposal.findings.sort();
        proposal.findings.dedup();
        Ok(Self { title, headline, message, fingerprint, run, proposal, incident })
    }

    /// The body with its tail.
    pub(super) fn body(&self, state: &State) -> String {
        report::pull_request_body(&self.proposal, &self.incident, &self.run, state)
    }

    /// The whole message of the commit.
    pub(super) fn whole_message(&self) -> String {
        format!("{}\n\n{}", self.headline, self.message)
    }

    /// What the pull request will remember of this repair.
    pub(super) fn state(&self, ground: &Ground<'_>, commit: &CommitSha, before: Option<&State>) -> State {
        let run = &self.incident.run;
        let again = |old: &State| (old.run, old.attempt, &old.commit) == (run.id, run.attempt, commit);
        let attempts = match before {
            Some(old) if again(old) => old.attempts,
            Some(old) => old.attempts.saturating_add(1),
            None => 1,
        };
        State {
            version: State::VERSION,
            fingerprint: self.fingerprint.clone(),
            base: ground.failing.clone(),
            head: ground.own.clone(),
            commit: commit.clone(),
            run: run.id,
            attempt: run.attempt,
            attempts,
        }
    }
}

/// Nothing that is about to be written carries a credential.
pub(super) fn check(wording: &Wording, ground: &Ground<'_>, redactor: &Redactor) -> Step<()> {
    let body = wording.body(&wording.state(ground, &ground.base, None));
    let parts = [
        ("the title", wording.title.as_str()),
        ("the body", &body),
        ("the commit message", &wording.whole_message()),
        ("the branch name", ground.own.name().as_str()),
    ];
    for (part, text) in parts {
        if let Some(leak) = redactor.find(text).first() {
            return Err(End::blocked(format!("{part} would carry a credential ({})", leak.kind)));
        }
    }
    Ok(())
}

/// The page of the run: from the forge's address, the repository's checked name and numbers alone.
fn page(server: &str, incident: &Incident) -> Step<String> {
    let host = server.strip_prefix("https://").or_else(|| server.strip_prefix("http://"));
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '/' | '_');
    if !host.is_some_and(|host| host.starts_with(|c: char| c.is_ascii_alphanumeric()) && host.chars().all(allowed)) {
        return Err(End::refused(format!("`{server}` is no address of a forge")));
    }
    let (repository, run) = (&incident.repository, &incident.run);
    Ok(format!("{}/{repository}/actions/runs/{}/attempts/{}", server.trim_end_matches('/'), run.id, run.attempt))
}
