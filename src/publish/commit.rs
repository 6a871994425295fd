//! The one commit of a repair: the same proposal gives the same commit, whoever makes it and when.

use super::wording::Wording;
use crate::git::{Depot, Described, GitError, NewCommit};
use crate::ids::CommitSha;
use crate::incident::Incident;
use crate::report;

/// The account that the forge shows for its own automation.
const AUTHOR: (&str, &str) = ("unbreak[bot]", "41898282+github-actions[bot]@users.noreply.github.com");

/// Who makes the commits that the forge makes and signs itself.
const FORGE: &str = "noreply@github.com";

/// When a run began that does not say when: 2026-01-01.
const SOME_TIME: i64 = 1_767_225_600;
/// 2100-01-01.
const LATEST: i64 = 4_102_444_800;

/// When the run began, in seconds since 1970.
pub(super) fn seconds(incident: &Incident) -> i64 {
    let started = incident.run.started_at.as_deref();
    let seconds = started.and_then(|text| text.parse::<jiff::Timestamp>().ok()).map(jiff::Timestamp::as_second);
    seconds.filter(|seconds| (0..LATEST).contains(seconds)).unwrap_or(SOME_TIME)
}

/// Makes the commit in the depot; nothing refers to it.
pub(super) fn make(
    depot: &Depot,
    wording: &Wording,
    seconds: i64,
    (tree_of, parents): (&CommitSha, &[CommitSha]),
) -> Result<CommitSha, GitError> {
    let message = wording.whole_message();
    depot.commit(&NewCommit { tree_of, parents, message: &message, author: AUTHOR, seconds })
}

/// Whether a commit is one of a repair of this failure, as it was made: one that a person amended is that person's.
pub(super) fn is_ours(described: &Described, fingerprint: &str) -> bool {
    let pushed = described.author == AUTHOR.1 && described.committer == AUTHOR.1;
    (pushed || described.committer == FORGE) && report::is_message_of_ours(&described.message, fingerprint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(author: &str, committer: &str) -> Described {
        let id = CommitSha::new(&"a".repeat(40)).unwrap();
        let message =
            "Fix it\n\nwhy\n\nUnbreak-Run: https://f.example (attempt 1)\nUnbreak-Fingerprint: 0123\n".to_owned();
        let (author, committer) = (author.to_owned(), committer.to_owned());
        Described { message, parents: vec![id.clone()], tree: id, author, committer }
    }

    #[test]
    fn only_what_the_bot_or_the_forge_committed_is_ours() {
        assert!(is_ours(&described(AUTHOR.1, AUTHOR.1), "0123"));
        assert!(is_ours(&described("app@users.noreply.github.com", FORGE), "0123"));
        assert!(!is_ours(&described(AUTHOR.1, "octo@example.invalid"), "0123"));
        assert!(!is_ours(&described(AUTHOR.1, AUTHOR.1), "012"));
        let quoted = Described {
            message: "Fix\n\nUnbreak-Run: x\nUnbreak-Fingerprint: 0123\n\nMore".into(),
            ..described(AUTHOR.1, AUTHOR.1)
        };
        assert!(!is_ours(&quoted, "0123"));
    }
}
