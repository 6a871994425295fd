//! The one way out: a commit onto a branch of ours, forward only.

use std::collections::BTreeMap;

use super::super::program::{Call, Printed};
use super::super::transport::{clean, fault, remarks};
use super::super::{GitError, Remote};
use super::Depot;
use crate::ids::{CommitSha, OwnBranch};
use crate::journal::Journal;

/// Why a push did not happen.
#[derive(Debug, thiserror::Error)]
pub enum PushError {
    /// The branch is not where it was, or not an ancestor: somebody was faster.
    #[error("the branch moved meanwhile")]
    Moved,
    /// The forge does not take it: a rule, a missing right.
    #[error("the push was refused: {0}")]
    Refused(String),
    /// Git, or the way to the forge, failed; the push may have happened all the same.
    #[error(transparent)]
    Git(#[from] GitError),
}

/// Words of a server that are its own for a branch that moved between its list of branches and the push; another
/// server may say them for another reason, so the branch is looked at before anything is concluded.
const RACES: &[&str] = &[
    "failed to update ref",
    "cannot lock ref",
    "incorrect old value",
    "reference already exists",
    "non-fast-forward",
    "fetch first",
    "stale info",
];

/// What became of the one ref of a push, by the line that `--porcelain` prints of it.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    /// It is where it should be.
    Done,
    /// Git itself saw that it is no step forward, and sent nothing.
    Behind,
    /// The server said no, in its own words.
    Rejected(String),
    /// It cannot be told.
    Unknown,
}

impl Depot {
    /// Moves a branch of ours forward to a commit, or makes it; done, too, when it is there already. There is no way
    /// to move it otherwise.
    ///
    /// # Errors
    /// [`PushError`].
    pub async fn push(
        &self,
        remote: &Remote,
        commit: &CommitSha,
        branch: &OwnBranch,
        journal: &Journal,
    ) -> Result<(), PushError> {
        self.demand(commit)?;
        let full = branch.name().full();
        let target = format!("{commit}:{full}");
        let args = ["push", "--porcelain", "--no-follow-tags", "--no-signed", "--recurse-submodules=no"];
        let args = [&args[..], &["--", remote.url(), &target]].concat();
        let printed = self.git.reach(remote, Call::new(&args, &self.directory), journal).await?;
        match outcome(&printed, &full) {
            Outcome::Done => Ok(()),
            Outcome::Behind => Err(PushError::Moved),
            Outcome::Unknown => Err(match fault("push", &printed) {
                GitError::Denied { reason, .. } => PushError::Refused(reason),
                other => PushError::Git(other),
            }),
            Outcome::Rejected(reason) => {
                let raced = RACES.iter().any(|words| reason.contains(words));
                let tips = if raced { self.tips(remote, &[branch.name()], journal).await? } else { BTreeMap::new() };
                match tips.get(branch.name()) {
                    Some(tip) if tip == commit => Ok(()),
                    Some(tip) if !self.is_ancestor(tip, commit)? => Err(PushError::Moved),
                    _ => Err(PushError::Refused(refusal(&reason, &printed.stderr))),
                }
            }
        }
    }
}

/// A server decides what stands behind its refusal, line breaks included: a line that says no outweighs all others,
/// and success needs the exit code too.
fn outcome(printed: &Printed, full: &str) -> Outcome {
    let stdout = String::from_utf8_lossy(&printed.stdout);
    let lines: Vec<(&str, &str)> = stdout
        .lines()
        .filter_map(|line| {
            let (flag, rest) = line.split_once('\t')?;
            let (refs, summary) = rest.split_once('\t')?;
            refs.ends_with(&format!(":{full}")).then_some((flag, summary))
        })
        .collect();
    match lines.iter().find(|(flag, _)| *flag == "!") {
        Some((_, summary)) if summary.starts_with("[rejected]") => Outcome::Behind,
        Some((_, summary)) => match summary.strip_prefix("[remote rejected]") {
            Some(reason) => Outcome::Rejected(clean([reason.trim()].into_iter())),
            // `[remote failure]`: the server did not report what became of it.
            None => Outcome::Unknown,
        },
        None if printed.success && lines.iter().any(|(flag, _)| matches!(*flag, " " | "*" | "=")) => Outcome::Done,
        None => Outcome::Unknown,
    }
}

fn refusal(reason: &str, stderr: &str) -> String {
    let reason = reason.trim_start_matches('(').trim_end_matches(')');
    match remarks(stderr) {
        said if said.is_empty() => reason.to_owned(),
        said => clean([format!("{reason}: {said}").as_str()].into_iter()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REF: &str = "refs/heads/unbreak/x";

    fn read(success: bool, lines: &str) -> Outcome {
        let stdout = lines.replace("REF", &format!("abc:{REF}")).into_bytes();
        outcome(&Printed { success, stdout, stderr: String::new(), late: false }, REF)
    }

    #[test]
    fn the_line_of_the_ref_says_what_became_of_it() {
        for done in [" \tREF\tabc..def", "*\tREF\t[new branch]", "=\tREF\t[up to date]"] {
            assert_eq!(read(true, &format!("To u\n{done}\nDone\n")), Outcome::Done);
            assert_eq!(read(false, done), Outcome::Unknown);
        }
        for behind in ["(non-fast-forward)", "(fetch first)", "(stale info)", "(needs force)"] {
            assert_eq!(read(false, &format!("To u\n!\tREF\t[rejected] {behind}\nDone\n")), Outcome::Behind);
        }
        let refused = read(false, "!\tREF\t[remote rejected] (hook declined)\n");
        assert_eq!(refused, Outcome::Rejected("(hook declined)".to_owned()));
        assert_eq!(read(false, "!\tREF\t[remote failure] (remote failed to report status)\n"), Outcome::Unknown);
        assert_eq!(read(true, "*\tabc:refs/heads/other\t[new branch]\nDone\n"), Outcome::Unknown);
    }

    #[test]
    fn a_refusal_that_forges_a_success_stays_a_refusal() {
        let forged = "!\tREF\t[remote rejected] (no)\n*\tREF\t[new branch]\nDone\n";
        assert_eq!(read(true, forged), Outcome::Rejected("(no)".to_owned()));
    }

    #[test]
    fn a_refusal_is_one_clean_line() {
        let said =
            refusal("(declined)", "remote: \u{1b}[31mno\u{202e}\nremote: \nremote: ::error::x  \nerror: failed\n");
        assert_eq!(said, "declined: no ::error::x");
    }
}
