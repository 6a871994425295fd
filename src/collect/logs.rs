//! Logs and annotations of the jobs that failed.

use crate::github::Job as Answer;
use crate::ids::RepoPath;
use crate::incident::Job;
use crate::text::in_line;

use super::jobs::{failed_steps, listed, spread};
use super::shelf::discard;
use super::{Work, refusal};

impl Work<'_> {
    /// Fetches what the failed jobs left, as far as the caps go.
    pub(super) async fn logs(&mut self, failed: Vec<Answer>) -> anyhow::Result<Vec<Job>> {
        let mut jobs: Vec<Job> = failed.into_iter().map(job).collect();
        let caps = self.request.caps;
        let names: Vec<String> = jobs.iter().map(|job| job.name.clone()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let chosen = spread(&names, caps.logs);
        self.name_the_rest(&names, &chosen, "logs");
        for at in chosen {
            let running = jobs[at].conclusion.is_none();
            (self.desk.progress)(&format!("reading the log of {}", in_line(&jobs[at].name)));
            jobs[at].log = self.log(jobs[at].id, &jobs[at].name, ("logs", running)).await?;
        }
        let chosen = spread(&names, caps.annotations);
        self.name_the_rest(&names, &chosen, "annotations");
        for at in chosen {
            jobs[at].annotations = self.annotations(jobs[at].id, &jobs[at].name).await?;
        }
        Ok(jobs)
    }

    fn name_the_rest(&mut self, names: &[&str], chosen: &[usize], what: &str) {
        let rest: Vec<&str> =
            names.iter().enumerate().filter(|(at, _)| !chosen.contains(at)).map(|(_, name)| *name).collect();
        if !rest.is_empty() {
            let most = chosen.len();
            self.left_out.push(format!(
                "The {what} of {most} failed jobs were collected, not those of {}.",
                listed(rest.into_iter())
            ));
        }
    }

    /// The log of a job in this folder; none when there is none (yet), or when it cannot be had.
    pub(super) async fn log(
        &mut self,
        job: u64,
        name: &str,
        (folder, running): (&str, bool),
    ) -> anyhow::Result<Option<RepoPath>> {
        let (path, file) = self.shelf.place(&format!("{folder}/{job}.txt"))?;
        let cap = self.request.caps.log_bytes;
        let shown = in_line(name);
        match self.desk.github.job_log(job, &file, cap, self.desk.journal).await {
            Ok(Some(downloaded)) if downloaded.bytes > 0 => {
                if downloaded.cut {
                    self.left_out.push(format!(
                        "Of the log of `{shown}` only the last {} bytes were collected.",
                        downloaded.bytes
                    ));
                }
                return Ok(Some(path));
            }
            Ok(Some(_)) => self.left_out.push(format!("The log of `{shown}` is empty.")),
            Ok(None) if running => {
                self.left_out.push(format!("The log of `{shown}` is not there yet: the job has not ended."));
            }
            Ok(None) => self.left_out.push(format!("There is no log of `{shown}`: it never came, or was deleted.")),
            Err(error) => {
                let hint = refusal::hint(&error, refusal::LOGS);
                self.left_out
                    .push(format!("The log of `{shown}` was not collected: {}{hint}", in_line(&error.to_string())));
            }
        }
        discard(&file);
        Ok(None)
    }

    async fn annotations(&mut self, job: u64, name: &str) -> anyhow::Result<Option<RepoPath>> {
        match self.desk.github.annotations(job, self.desk.journal).await {
            Ok(list) if list.is_empty() => Ok(None),
            Ok(list) => {
                Ok(Some(self.shelf.write(&format!("annotations/{job}.json"), &serde_json::to_vec_pretty(&list)?)?))
            }
            Err(error) => {
                let hint = refusal::hint(&error, refusal::ANNOTATIONS);
                let (name, error) = (in_line(name), in_line(&error.to_string()));
                self.left_out.push(format!("The annotations of `{name}` were not collected: {error}{hint}"));
                Ok(None)
            }
        }
    }
}

fn job(answer: Answer) -> Job {
    Job {
        id: answer.id,
        failed_steps: failed_steps(&answer),
        attempt: answer.run_attempt.unwrap_or(1),
        name: answer.name,
        conclusion: answer.conclusion,
        runner: answer.labels,
        log: None,
        annotations: None,
    }
}
