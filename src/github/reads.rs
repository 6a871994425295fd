//! What is read: runs, jobs, artifacts, annotations, pull requests, rules.

use serde_json::Value;

use crate::github::GitHub;
use crate::github::answers::{Artifact, Job, Pull, PullState, Repository, WorkflowRun};
use crate::github::error::GitHubError;
use crate::github::pages::Extent;
use crate::github::routes::{
    ANNOTATIONS, ARTIFACTS, BRANCH_RULES, GREEN_RUNS, JOBS, PULLS_OF_BRANCH, PULLS_OF_COMMIT, RECENT_PULLS, REPOSITORY,
    RUN, RUN_ATTEMPT,
};
use crate::ids::{BranchName, CommitSha, OwnBranch, RepositoryName};
use crate::journal::Journal;

impl GitHub {
    /// The repository.
    ///
    /// # Errors
    /// [`GitHubError`].
    pub async fn repository(&self, journal: &Journal) -> Result<Repository, GitHubError> {
        let (call, reply) = self.ask_fresh(self.call(&REPOSITORY, &[])?, journal).await?;
        self.accept(&call, &reply)
    }

    /// A run of a workflow; a certain attempt of it when one is named.
    ///
    /// # Errors
    /// [`GitHubError`].
    pub async fn run(&self, id: u64, attempt: Option<u32>, journal: &Journal) -> Result<WorkflowRun, GitHubError> {
        let run = id.to_string();
        let call = match attempt {
            Some(attempt) => self.call(&RUN_ATTEMPT, &[("run", &run), ("attempt", &attempt.to_string())])?,
            None => self.call(&RUN, &[("run", &run)])?,
        };
        let (call, reply) = self.ask_fresh(call, journal).await?;
        self.accept(&call, &reply)
    }

    /// The jobs of all attempts of a run.
    ///
    /// # Errors
    /// [`GitHubError`].
    pub async fn jobs(&self, run: u64, journal: &Journal) -> Result<Vec<Job>, GitHubError> {
        self.list(&JOBS, &[("run", &run.to_string())], (Some("jobs"), Extent::All), journal).await
    }

    /// What a run uploaded.
    ///
    /// # Errors
    /// [`GitHubError`].
    pub async fn artifacts(&self, run: u64, journal: &Journal) -> Result<Vec<Artifact>, GitHubError> {
        self.list(&ARTIFACTS, &[("run", &run.to_string())], (Some("artifacts"), Extent::All), journal).await
    }

    /// The annotations of a job, as the forge lists them.
    ///
    /// # Errors
    /// [`GitHubError`].
    pub async fn annotations(&self, job: u64, journal: &Journal) -> Result<Vec<Value>, GitHubError> {
        self.list(&ANNOTATIONS, &[("job", &job.to_string())], (None, Extent::All), journal).await
    }

    /// The last runs of a workflow on a branch that passed, the newest first (one page).
    ///
    /// # Errors
    /// [`GitHubError`].
    pub async fn green_runs(
        &self,
        workflow: u64,
        branch: &BranchName,
        journal: &Journal,
    ) -> Result<Vec<WorkflowRun>, GitHubError> {
        let workflow = workflow.to_string();
        let parameters = [("workflow", workflow.as_str()), ("branch", branch.as_str())];
        self.list(&GREEN_RUNS, &parameters, (Some("workflow_runs"), Extent::One), journal).await
    }

    /// The pull requests that a commit belongs to.
    ///
    /// # Errors
    /// [`GitHubError`].
    pub async fn pulls_of_commit(&self, commit: &CommitSha, journal: &Journal) -> Result<Vec<Pull>, GitHubError> {
        self.list(&PULLS_OF_COMMIT, &[("commit", commit.as_str())], (None, Extent::All), journal).await
    }

    /// The pull requests from a branch of ours, open and closed, the newest first.
    ///
    /// # Errors
    /// [`GitHubError`].
    pub async fn pulls_of_branch(&self, branch: &OwnBranch, journal: &Journal) -> Result<Vec<Pull>, GitHubError> {
        let head = format!("{}:{branch}", self.connection.repository.owner());
        let mut pulls: Vec<Pull> =
            self.list(&PULLS_OF_BRANCH, &[("head", &head)], (None, Extent::All), journal).await?;
        // A filter that the forge does not understand is one that it leaves out.
        pulls.retain(|pull| self.is_ours(pull, branch));
        Ok(pulls)
    }

    /// The pull requests from branches of ours among the hundred that were opened last.
    ///
    /// # Errors
    /// [`GitHubError`].
    pub async fn recent_pulls(&self, journal: &Journal) -> Result<Vec<Pull>, GitHubError> {
        let mut pulls: Vec<Pull> = self.list(&RECENT_PULLS, &[], (None, Extent::One), journal).await?;
        pulls.retain(|pull| OwnBranch::new(&pull.head.branch).is_ok_and(|branch| self.is_ours(pull, &branch)));
        Ok(pulls)
    }

    /// Those of [`Self::pulls_of_branch`], read again a few times until an open one is among them: reads lag behind
    /// writes.
    ///
    /// # Errors
    /// [`GitHubError`].
    pub async fn pulls_once_open(&self, branch: &OwnBranch, journal: &Journal) -> Result<Vec<Pull>, GitHubError> {
        self.pulls_until(branch, |pull| pull.state == PullState::Open, journal).await
    }

    /// The same until there is one that `fits`, or no more looks are left.
    ///
    /// # Errors
    /// [`GitHubError`].
    pub async fn pulls_until(
        &self,
        branch: &OwnBranch,
        fits: impl Fn(&Pull) -> bool,
        journal: &Journal,
    ) -> Result<Vec<Pull>, GitHubError> {
        let mut look = 0;
        loop {
            let pulls = self.pulls_of_branch(branch, journal).await?;
            look += 1;
            if look > self.settings.looks || pulls.iter().any(&fits) {
                return Ok(pulls);
            }
            self.sleep(self.settings.retries.wait(look), format!("before look {look} for the pull request"), journal)
                .await;
        }
    }

    fn is_ours(&self, pull: &Pull, branch: &OwnBranch) -> bool {
        let here = |name: &str| RepositoryName::new(name).is_ok_and(|name| name == self.connection.repository);
        pull.head.branch == branch.name().as_str() && pull.head.repo.as_ref().is_none_or(|repo| here(&repo.full_name))
    }

    /// Whether rules of the repository demand signed commits on a branch. Rules that cannot be seen demand nothing
    /// that could be told.
    ///
    /// # Errors
    /// [`GitHubError`].
    pub async fn demands_signatures(&self, branch: &OwnBranch, journal: &Journal) -> Result<bool, GitHubError> {
        let parameters = [("branch", branch.name().as_str())];
        let rules: Result<Vec<Value>, _> = self.list(&BRANCH_RULES, &parameters, (None, Extent::One), journal).await;
        match rules {
            Ok(rules) => Ok(rules.iter().any(|rule| rule["type"] == "required_signatures")),
            Err(GitHubError::Refused { status: 403 | 404, .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }
}
