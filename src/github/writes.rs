//! What is written: branches of ours, pull requests, labels. Nothing here is done twice.

use serde_json::json;

use crate::github::answers::{Pull, PullState};
use crate::github::error::GitHubError;
use crate::github::exchange::{Call, Sent};
use crate::github::retry::Patience;
use crate::github::routes::{ADD_LABELS, CREATE_BRANCH, CREATE_PULL, DELETE_BRANCH, REOPEN_PULL, UPDATE_PULL};
use crate::github::transport::Reply;
use crate::github::{Created, GitHub, NewPull, words};
use crate::ids::{CommitSha, OwnBranch};
use crate::journal::Journal;

impl GitHub {
    /// Creates a branch of ours at a commit that the forge has. After a lost answer one that the forge says is there
    /// may be ours: it is [`Created::Existing`] all the same.
    ///
    /// # Errors
    /// [`GitHubError`].
    pub async fn create_branch(
        &self,
        branch: &OwnBranch,
        at: &CommitSha,
        journal: &Journal,
    ) -> Result<Created<()>, GitHubError> {
        let body = json!({ "ref": branch.name().full(), "sha": at.as_str() });
        let call = self.call(&CREATE_BRANCH, &[])?.with(&body);
        let reply = self.ask(&call, journal).await?;
        if says(&reply, "already exists") {
            return Ok(Created::Existing);
        }
        self.good(&call, &reply)?;
        Ok(Created::New(()))
    }

    /// Deletes a branch of ours; one that is gone is no error.
    ///
    /// # Errors
    /// [`GitHubError`].
    pub async fn delete_branch(&self, branch: &OwnBranch, journal: &Journal) -> Result<(), GitHubError> {
        let call = self.call(&DELETE_BRANCH, &[("branch", branch.name().as_str())])?;
        let reply = self.ask(&call, journal).await?;
        if reply.status == 404 || says(&reply, "does not exist") {
            return Ok(());
        }
        self.good(&call, &reply)
    }

    /// Opens a pull request. It is sent again only after a look whether it is there.
    ///
    /// [`Created::Existing`] says that an open pull request from this branch to this base is there that is not known to
    /// be this one: [`GitHub::pulls_of_branch`] finds it.
    ///
    /// # Errors
    /// [`GitHubError`].
    pub async fn create_pull(&self, new: &NewPull, journal: &Journal) -> Result<Created<Pull>, GitHubError> {
        let body = json!({
            "title": new.title,
            "body": new.body,
            "head": new.head.name().as_str(),
            "base": new.base.as_str(),
            "draft": new.draft,
        });
        let call = self.call(&CREATE_PULL, &[])?.with(&body);
        let mut patience = Patience::new(&self.settings, call.route);
        loop {
            let failure = match self.attempt(&call, journal).await? {
                Sent::Answered(reply) => return self.opened(&call, &reply, new, journal).await,
                Sent::Failed(failure) => failure,
            };
            if failure.unknown
                && let Some(created) = self.look_for_pull(&failure.reason, new, journal).await?
            {
                return Ok(created);
            }
            self.pause(&mut patience, &failure, journal).await?;
        }
    }

    async fn opened(
        &self,
        call: &Call,
        reply: &Reply,
        new: &NewPull,
        journal: &Journal,
    ) -> Result<Created<Pull>, GitHubError> {
        if says(reply, "pull request already exists") {
            return Ok(Created::Existing);
        }
        match self.accept(call, reply) {
            Ok(pull) => Ok(Created::New(pull)),
            // It was opened, and the answer does not say as what.
            Err(GitHubError::Garbled { route, reason }) => {
                let found = self.look_for_pull(&reason, new, journal).await?;
                found.ok_or(GitHubError::Garbled { route, reason })
            }
            Err(error) => Err(error),
        }
    }

    /// Looks, a few times, whether a pull request is there whose creation got no answer.
    async fn look_for_pull(
        &self,
        reason: &str,
        new: &NewPull,
        journal: &Journal,
    ) -> Result<Option<Created<Pull>>, GitHubError> {
        for look in 1..=self.settings.looks {
            self.sleep(self.settings.retries.wait(look), format!("before look {look} for the pull request"), journal)
                .await;
            let pulls = self.pulls_of_branch(&new.head, journal).await.map_err(|error| GitHubError::Unreachable {
                route: CREATE_PULL.name,
                reason: format!("{reason}; whether it was opened cannot be seen ({error})"),
            })?;
            let open = |pull: &Pull| pull.state == PullState::Open && pull.base.branch == new.base.as_str();
            if let Some(pull) = pulls.into_iter().find(open) {
                let ours = pull.title.trim() == new.title.trim();
                return Ok(Some(if ours { Created::New(pull) } else { Created::Existing }));
            }
        }
        Ok(None)
    }

    /// Gives a pull request another title and body.
    ///
    /// # Errors
    /// [`GitHubError`].
    pub async fn update_pull(
        &self,
        number: u64,
        title: &str,
        body: &str,
        journal: &Journal,
    ) -> Result<Pull, GitHubError> {
        let call = self.call(&UPDATE_PULL, &[("pull", &number.to_string())])?;
        let call = call.with(&json!({ "title": title, "body": body }));
        let reply = self.ask(&call, journal).await?;
        self.accept(&call, &reply)
    }

    /// Opens a pull request again.
    ///
    /// # Errors
    /// [`GitHubError`].
    pub async fn reopen_pull(&self, number: u64, journal: &Journal) -> Result<Pull, GitHubError> {
        let call = self.call(&REOPEN_PULL, &[("pull", &number.to_string())])?.with(&json!({ "state": "open" }));
        let reply = self.ask(&call, journal).await?;
        self.accept(&call, &reply)
    }

    /// Adds labels to a pull request.
    ///
    /// # Errors
    /// [`GitHubError`].
    pub async fn add_labels(&self, number: u64, labels: &[String], journal: &Journal) -> Result<(), GitHubError> {
        if labels.is_empty() {
            return Ok(());
        }
        let call = self.call(&ADD_LABELS, &[("pull", &number.to_string())])?.with(&json!({ "labels": labels }));
        let reply = self.ask(&call, journal).await?;
        self.good(&call, &reply)
    }
}

/// Whether the forge refuses because of a state of things: the status alone does not say which.
fn says(reply: &Reply, what: &str) -> bool {
    reply.status == 422 && words::said(&reply.body).to_ascii_lowercase().contains(what)
}
