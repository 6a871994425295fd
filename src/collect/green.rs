//! The last run that passed: what it built and what the jobs printed that fail now.

use std::collections::BTreeMap;

use crate::github::{GitHubError, Job as Answer, WorkflowRun};
use crate::ids::CommitSha;
use crate::incident::{Green, Head, Job};
use crate::text::in_line;

use super::{Work, refusal};

impl Work<'_> {
    /// The last green run of the same workflow on the same branch, with the logs of the jobs that fail now.
    pub(super) async fn green(
        &mut self,
        run: &WorkflowRun,
        head: &Head,
        jobs: &[Job],
    ) -> anyhow::Result<Option<Green>> {
        let Some(branch) = &head.branch else { return Ok(None) };
        let runs = match self.desk.github.green_runs(run.workflow_id, branch, self.desk.journal).await {
            Ok(runs) => runs,
            Err(error) => {
                self.without_green(&error);
                return Ok(None);
            }
        };
        let Some((green, commit)) = last_before(run, &runs) else {
            let branch = in_line(branch.as_str());
            self.left_out
                .push(format!("No earlier run of the workflow passed on `{branch}`, as far as the forge lists them."));
            return Ok(None);
        };
        let mut logs = Vec::new();
        for (name, id) in self.green_jobs(green.id, jobs).await {
            (self.desk.progress)(&format!("reading the last green log of {}", in_line(&name)));
            if let Some(log) = self.log(id, &name, ("green", false)).await? {
                logs.push((name, log));
            }
        }
        Ok(Some(Green { run_id: green.id, commit, logs }))
    }

    /// Names and ids of the green jobs whose logs are fetched: those of jobs that fail now and have a log.
    async fn green_jobs(&mut self, run: u64, failed: &[Job]) -> Vec<(String, u64)> {
        let wanted: Vec<&str> = failed.iter().filter(|job| job.log.is_some()).map(|job| job.name.as_str()).collect();
        if wanted.is_empty() || self.request.caps.green_logs == 0 {
            return Vec::new();
        }
        match self.desk.github.jobs(run, self.desk.journal).await {
            Ok(all) => {
                let passed = passed(&all);
                let known = wanted.into_iter().filter_map(|name| Some((name.to_owned(), *passed.get(name)?)));
                known.take(self.request.caps.green_logs).collect()
            }
            Err(error) => {
                self.without_green(&error);
                Vec::new()
            }
        }
    }

    fn without_green(&mut self, error: &GitHubError) {
        let hint = refusal::hint(error, refusal::RUNS);
        self.left_out.push(format!("The last green run was not looked at: {}{hint}", in_line(&error.to_string())));
    }
}

/// The newest run before this one that built another commit of the same repository: a fork may have a branch of the
/// same name.
fn last_before<'a>(run: &WorkflowRun, green: &'a [WorkflowRun]) -> Option<(&'a WorkflowRun, CommitSha)> {
    let home = |run: &WorkflowRun| run.head_repository.as_ref().map(|named| named.full_name.to_ascii_lowercase());
    green
        .iter()
        .filter(|other| other.id < run.id && other.head_sha != run.head_sha && home(other) == home(run))
        .filter(|other| other.conclusion.as_deref().is_none_or(|conclusion| conclusion == "success"))
        .filter_map(|other| Some((other, CommitSha::new(&other.head_sha).ok()?)))
        .max_by_key(|(other, _)| other.id)
}

/// The jobs that passed, by name, of the last attempt that had them.
fn passed(jobs: &[Answer]) -> BTreeMap<&str, u64> {
    let mut passed: Vec<&Answer> = jobs.iter().filter(|job| job.conclusion.as_deref() == Some("success")).collect();
    passed.sort_by_key(|job| (job.run_attempt, job.id));
    passed.into_iter().map(|job| (job.name.as_str(), job.id)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(id: u64, sha: char, home: &str) -> WorkflowRun {
        let run = serde_json::json!({
            "id": id, "workflow_id": 7, "head_sha": sha.to_string().repeat(40), "conclusion": "success",
            "head_repository": {"full_name": home}, "html_url": "", "event": "push",
        });
        serde_json::from_value(run).unwrap()
    }

    #[test]
    fn the_last_green_run_is_older_of_another_commit_and_of_the_same_repository() {
        let red = run(50, 'a', "octo/lab");
        let green = [
            run(60, 'b', "octo/lab"),
            run(49, 'a', "octo/lab"),
            run(48, 'c', "fork/lab"),
            run(30, 'd', "Octo/Lab"),
            run(40, 'e', "octo/lab"),
        ];
        assert_eq!(last_before(&red, &green).map(|(run, _)| run.id), Some(40));
        assert!(last_before(&red, &green[..3]).is_none());
    }
}
