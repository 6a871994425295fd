//! A commit that the forge makes itself, and signs: GraphQL, with the expected head as the lease.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::github::answers::BranchAnswer;
use crate::github::error::GitHubError;
use crate::github::exchange::{Call, Sent};
use crate::github::retry::{Patience, Setback, Wish, limit};
use crate::github::routes::{BRANCH, COMMIT_ON_BRANCH};
use crate::github::transport::Reply;
use crate::github::{GitHub, RemoteCommit};
use crate::ids::CommitSha;
use crate::journal::Journal;

/// The status that says that the branch is not where it was expected.
const MOVED: u16 = 409;

/// How GraphQL says no, with status 200: the type of the error, or how its message begins, and what it means. The last
/// row is for everything else.
const REFUSALS: &[(&str, &str, Meaning)] = &[
    ("STALE_DATA", "Expected branch to point to", Meaning::Status(MOVED)),
    ("RATE_LIMITED", "API rate limit", Meaning::Limit),
    ("", "You have exceeded a secondary rate limit", Meaning::Limit),
    ("", "Something went wrong", Meaning::Unknown),
    ("", "Timeout on", Meaning::Unknown),
    ("NOT_FOUND", "Could not resolve to", Meaning::Status(404)),
    ("FORBIDDEN", "Resource not accessible", Meaning::Status(403)),
    ("INSUFFICIENT_SCOPES", "Your token has not been granted", Meaning::Status(403)),
];

#[derive(Debug, Clone, Copy)]
enum Meaning {
    Status(u16),
    Limit,
    Unknown,
}

#[derive(Debug, Deserialize)]
struct GraphQl {
    #[serde(default)]
    data: Option<Value>,
    #[serde(default)]
    errors: Option<Vec<Value>>,
}

/// What a look at the branch tells about a commit whose answer was lost.
enum Look {
    Made(CommitSha),
    Unmoved,
    Moved(String),
}

impl GitHub {
    /// Makes a commit on a branch of ours, signed by the forge. It is sent again only while the branch is where it was
    /// expected.
    ///
    /// # Errors
    /// [`GitHubError`]; one that says that the branch is not at the expected head is [`GitHubError::Refused`] with 409.
    pub async fn commit_on_branch(&self, commit: &RemoteCommit, journal: &Journal) -> Result<CommitSha, GitHubError> {
        let call = self.call(&COMMIT_ON_BRANCH, &[])?;
        let variables = json!({ "input": self.input(commit) });
        let call = call.with(&json!({ "query": COMMIT_ON_BRANCH.document(), "variables": variables }));
        let mut patience = Patience::new(&self.settings, call.route);
        let mut in_doubt = false;
        loop {
            let failure = match self.attempt(&call, journal).await? {
                Sent::Failed(failure) => failure,
                Sent::Answered(reply) => match self.committed(&call, &reply) {
                    Ok(Ok(made)) => return Ok(made),
                    Ok(Err(failure)) => failure,
                    // An earlier one may be what moved it.
                    Err(GitHubError::Refused { status: MOVED, message, .. }) if in_doubt => {
                        return self.made_earlier(commit, &message, journal).await;
                    }
                    Err(error) => return Err(error),
                },
            };
            if failure.unknown {
                in_doubt = true;
                match self.look_for_commit(&failure.reason, commit, journal).await? {
                    Look::Made(made) => return Ok(made),
                    Look::Moved(head) => return Err(moved(&format!("it is at {head}"))),
                    Look::Unmoved => {}
                }
            }
            self.pause(&mut patience, &failure, journal).await?;
        }
    }

    fn input(&self, commit: &RemoteCommit) -> Value {
        let additions: Vec<Value> = commit
            .additions
            .iter()
            .map(|(path, content)| json!({ "path": path.as_str(), "contents": BASE64_STANDARD.encode(content) }))
            .collect();
        let deletions: Vec<Value> = commit.deletions.iter().map(|path| json!({ "path": path.as_str() })).collect();
        json!({
            "branch": {
                "repositoryNameWithOwner": self.connection.repository.to_string(),
                "branchName": commit.branch.name().as_str(),
            },
            "expectedHeadOid": commit.expected_head.as_str(),
            "message": { "headline": commit.headline, "body": commit.body },
            "fileChanges": { "additions": additions, "deletions": deletions },
        })
    }

    /// The commit that was made, a failure that may pass, or an error that will not.
    fn committed(&self, call: &Call, reply: &Reply) -> Result<Result<CommitSha, Setback>, GitHubError> {
        let answer: GraphQl = self.accept(call, reply)?;
        if let Some(error) = answer.errors.iter().flatten().next() {
            return self.refused(call, reply, error).map(Err);
        }
        let oid = answer.data.as_ref().and_then(|data| data.pointer("/createCommitOnBranch/commit/oid"));
        let made = oid.and_then(Value::as_str).and_then(|oid| CommitSha::new(oid).ok());
        // A commit was made, or not: only the branch tells.
        let reason = "it names no commit".to_owned();
        Ok(made.ok_or(Setback { reason, unknown: true, wish: Wish::None }))
    }

    fn refused(&self, call: &Call, reply: &Reply, error: &Value) -> Result<Setback, GitHubError> {
        let kind = error["type"].as_str().unwrap_or_default();
        let text = error["message"].as_str().unwrap_or_default();
        let known = REFUSALS.iter().find(|(of, begin, _)| (!of.is_empty() && *of == kind) || text.starts_with(begin));
        let reason = self.foreign(text);
        match known.map_or(Meaning::Status(422), |(_, _, meaning)| *meaning) {
            Meaning::Limit => Ok(limit(reply, reason)),
            Meaning::Unknown => Ok(Setback { reason, unknown: true, wish: Wish::None }),
            Meaning::Status(status) => Err(GitHubError::Refused { route: call.route.name, status, message: reason }),
        }
    }

    async fn made_earlier(
        &self,
        commit: &RemoteCommit,
        message: &str,
        journal: &Journal,
    ) -> Result<CommitSha, GitHubError> {
        match self.look_for_commit(message, commit, journal).await? {
            Look::Made(made) => Ok(made),
            Look::Moved(_) | Look::Unmoved => Err(moved(message)),
        }
    }

    /// Looks, a few times, where the branch is.
    async fn look_for_commit(
        &self,
        reason: &str,
        commit: &RemoteCommit,
        journal: &Journal,
    ) -> Result<Look, GitHubError> {
        for look in 1..=self.settings.looks {
            self.sleep(self.settings.retries.wait(look), format!("before look {look} at the branch"), journal).await;
            let seen = match self.branch(commit, journal).await {
                Ok(seen) => seen,
                // A branch that was made a moment ago need not show yet.
                Err(error) if error.is_not_found() && look < self.settings.looks => continue,
                Err(error) => {
                    let reason = format!("{reason}; whether it was made cannot be seen ({error})");
                    return Err(GitHubError::Unreachable { route: COMMIT_ON_BRANCH.name, reason });
                }
            };
            if seen.commit.sha == commit.expected_head {
                continue;
            }
            let message = format!("{}\n\n{}", commit.headline, commit.body);
            let parent = &commit.expected_head;
            let follows = seen.commit.parents.is_empty() || seen.commit.parents.iter().any(|seen| seen.sha == *parent);
            let ours = follows && seen.commit.commit.message.trim() == message.trim();
            return Ok(if ours { Look::Made(seen.commit.sha) } else { Look::Moved(seen.commit.sha.to_string()) });
        }
        Ok(Look::Unmoved)
    }

    async fn branch(&self, commit: &RemoteCommit, journal: &Journal) -> Result<BranchAnswer, GitHubError> {
        let call = self.call(&BRANCH, &[("branch", commit.branch.name().as_str())])?;
        let reply = self.ask(&call, journal).await?;
        self.accept(&call, &reply)
    }
}

fn moved(message: &str) -> GitHubError {
    let message = format!("the branch is not at the expected head: {message}");
    GitHubError::Refused { route: COMMIT_ON_BRANCH.name, status: MOVED, message }
}
