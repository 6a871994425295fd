//! The archives that a run uploaded.

use crate::github::Artifact as Answer;
use crate::incident::Artifact;
use crate::text::in_line;

use super::jobs::listed;
use super::shelf::discard;
use super::{Work, refusal};

/// Words in the names of archives that hold reports; where there are too many archives, these come first.
const REPORTS: &[&str] = &["junit", "test", "report", "result", "sarif", "lint", "log", "failure", "coverage"];

impl Work<'_> {
    /// Fetches the archives of a run, as far as the caps go.
    pub(super) async fn uploads(&mut self, run: u64) -> anyhow::Result<Vec<Artifact>> {
        let all = match self.desk.github.artifacts(run, self.desk.journal).await {
            Ok(all) => all,
            Err(error) => {
                let hint = refusal::hint(&error, refusal::ARTIFACTS);
                self.left_out.push(format!("Artifacts were not collected: {}{hint}", in_line(&error.to_string())));
                return Ok(Vec::new());
            }
        };
        let (chosen, passed_over) = choose(all, self.request.caps.artifacts, self.request.caps.artifact_bytes);
        self.left_out.extend(passed_over);
        let mut left = self.request.caps.artifacts_bytes;
        let mut artifacts = Vec::new();
        for answer in chosen {
            if let Some(artifact) = self.upload(answer, left).await? {
                left = left.saturating_sub(artifact.bytes);
                artifacts.push(artifact);
            }
        }
        artifacts.sort_by_key(|artifact| artifact.id);
        Ok(artifacts)
    }

    async fn upload(&mut self, answer: Answer, left: u64) -> anyhow::Result<Option<Artifact>> {
        let shown = in_line(&answer.name);
        if answer.size_in_bytes > left {
            self.left_out.push(format!("The artifact `{shown}` was not collected: all together would be too large."));
            return Ok(None);
        }
        (self.desk.progress)(&format!("reading the artifact {shown}"));
        let (path, file) = self.shelf.place(&format!("artifacts/{}.zip", answer.id))?;
        let cap = self.request.caps.artifact_bytes.min(left);
        let why = match self.desk.github.artifact(answer.id, &file, cap, self.desk.journal).await {
            Ok(Some(downloaded)) if !downloaded.cut => {
                return Ok(Some(Artifact { id: answer.id, name: answer.name, file: path, bytes: downloaded.bytes }));
            }
            Ok(Some(_)) => format!("it has more than {cap} bytes."),
            Ok(None) => "it is gone.".to_owned(),
            Err(error) => format!("{}{}", in_line(&error.to_string()), refusal::hint(&error, refusal::ARTIFACTS)),
        };
        discard(&file);
        self.left_out.push(format!("The artifact `{shown}` was not collected: {why}"));
        Ok(None)
    }
}

/// The archives to fetch, the likeliest reports first, and a sentence for each reason to pass others over.
fn choose(all: Vec<Answer>, most: usize, bytes: u64) -> (Vec<Answer>, Vec<String>) {
    let (expired, fresh): (Vec<Answer>, Vec<Answer>) = all.into_iter().partition(|artifact| artifact.expired);
    let (huge, mut chosen): (Vec<Answer>, Vec<Answer>) =
        fresh.into_iter().partition(|artifact| artifact.size_in_bytes > bytes);
    chosen.sort_by_key(|artifact| (rank(&artifact.name), artifact.id));
    let many = chosen.split_off(most.min(chosen.len()));
    let reasons = [
        (expired, "expired".to_owned()),
        (huge, format!("larger than {bytes} bytes")),
        (many, format!("over the {most} that are collected")),
    ];
    let sentence = |(artifacts, reason): &(Vec<Answer>, String)| {
        let names = listed(artifacts.iter().map(|artifact| artifact.name.as_str()));
        format!("Artifacts that were not collected, because they are {reason}: {names}.")
    };
    let sentences = reasons.iter().filter(|(artifacts, _)| !artifacts.is_empty()).map(sentence).collect();
    (chosen, sentences)
}

fn rank(name: &str) -> usize {
    let name = name.to_ascii_lowercase();
    REPORTS.iter().position(|word| name.contains(word)).unwrap_or(REPORTS.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn artifact(id: u64, name: &str, size_in_bytes: u64, expired: bool) -> Answer {
        let value = serde_json::json!({"id": id, "name": name, "size_in_bytes": size_in_bytes, "expired": expired});
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn reports_come_first_and_the_rest_is_named_with_the_reason() {
        let all = vec![
            artifact(1, "dist", 10, false),
            artifact(2, "JUnit-3.12", 10, false),
            artifact(3, "image", 1_000, false),
            artifact(4, "old-report", 10, true),
            artifact(5, "test-logs", 10, false),
        ];
        let (chosen, sentences) = choose(all, 2, 100);
        assert_eq!(chosen.iter().map(|artifact| artifact.id).collect::<Vec<_>>(), [2, 5]);
        assert_eq!(
            sentences,
            [
                "Artifacts that were not collected, because they are expired: `old-report`.",
                "Artifacts that were not collected, because they are larger than 100 bytes: `image`.",
                "Artifacts that were not collected, because they are over the 2 that are collected: `dist`.",
            ]
        );
    }
}
