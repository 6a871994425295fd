//! Calls that go over a network: with the credential, with limits, and with failures told apart by whose they are.

use super::program::{Call, Git, Printed};
use super::{GitError, Remote};
use crate::journal::Journal;
use crate::text::{one_line, plain};

/// The most that is repeated of what a remote said, in characters.
const LONGEST: usize = 400;

/// What git says when a forge answered and did not give what was asked for. `LC_ALL=C` holds for each call.
const DENIED: &[&str] = &[
    "could not read Username",
    "could not read Password",
    "Authentication failed",
    "' not found",
    "remote error: ",
    "couldn't find remote ref",
    "does not allow request for unadvertised object",
];

/// What git says when the way broke, and no status was given.
const UNREACHABLE: &[&str] = &[
    "unable to access '",
    "RPC failed; curl",
    "early EOF",
    "the remote end hung up",
    "remote did not send all necessary objects",
    "unexpected disconnect",
    "expected flush after",
];

/// What git says before the status of an answer.
const STATUS: &[&str] = &["The requested URL returned error: ", "RPC failed; HTTP "];

impl Git {
    /// Runs one call with what `remote` needs, whatever its exit code; what it printed on the standard error is
    /// without the token.
    pub(super) async fn reach(&self, remote: &Remote, call: Call<'_>, journal: &Journal) -> Result<Printed, GitError> {
        let options = [remote.options(), call.options.to_vec()].concat();
        let variables = remote.variables();
        let limit = Some(remote.patience().whole);
        let call = Call { options: &options, variables: &variables, limit, ..call };
        let mut printed = self.run(call, journal).await?;
        printed.stderr = remote.scrub(&printed.stderr);
        Ok(printed)
    }
}

/// Whose fault the failure of a call to a remote was.
pub(super) fn fault(command: &str, printed: &Printed) -> GitError {
    let command = command.to_owned();
    if printed.late {
        return GitError::Unreachable { command, reason: printed.stderr.clone() };
    }
    // What the remote said begins with `remote: `: it is repeated, but nothing is concluded from it.
    let own: Vec<&str> = printed.stderr.lines().filter(|line| !is_foreign(line)).collect();
    let reason = clean(own.iter().copied().filter(|line| !line.starts_with("hint: ")));
    let reason = match remarks(&printed.stderr) {
        remarks if remarks.is_empty() => reason,
        remarks => one_line(&format!("{reason} ({remarks})"), LONGEST),
    };
    let says = |needles: &[&str]| own.iter().any(|line| needles.iter().any(|needle| line.contains(needle)));
    match own.iter().find_map(|line| status(line)) {
        Some(408 | 429 | 500..) => GitError::Unreachable { command, reason },
        Some(_) => GitError::Denied { command, reason },
        None if says(DENIED) => GitError::Denied { command, reason },
        None if says(UNREACHABLE) => GitError::Unreachable { command, reason },
        None => GitError::Program { command, stderr: reason },
    }
}

/// What the remote said, on one line.
pub(super) fn remarks(stderr: &str) -> String {
    clean(stderr.lines().filter_map(|line| line.strip_prefix("remote: ")))
}

/// Text of a remote as it may be shown: on one line, short, and nothing in it that hides or moves.
pub(super) fn clean<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    one_line(&plain(&lines.collect::<Vec<_>>().join("\n")), LONGEST)
}

fn is_foreign(line: &str) -> bool {
    line.starts_with("remote:")
}

fn status(line: &str) -> Option<u16> {
    let rest = STATUS.iter().find_map(|before| line.split_once(before))?.1;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..digits].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(stderr: &str) -> GitError {
        fault("fetch", &Printed { success: false, stdout: Vec::new(), stderr: stderr.to_owned(), late: false })
    }

    #[test]
    fn failures_are_told_apart_by_whose_they_are() {
        for refused in [
            "fatal: unable to access 'https://h/a/': The requested URL returned error: 403",
            "fatal: unable to access 'https://h/a/': The requested URL returned error: 301",
            "fatal: could not read Username for 'https://h': terminal prompts disabled",
            "remote: Repository not found.\nfatal: repository 'https://h/a/' not found",
            "fatal: remote error: upload-pack: not our ref 0123",
            "error: RPC failed; HTTP 403 curl 22 The requested URL returned error: 403\nfatal: the remote end hung up",
        ] {
            assert!(matches!(told(refused), GitError::Denied { .. }), "{refused}");
        }
        for broken in [
            "fatal: unable to access 'https://h/a/': Could not resolve host: h",
            "fatal: unable to access 'https://h/a/': The requested URL returned error: 503",
            "fatal: unable to access 'https://h/a/': The requested URL returned error: 429",
            "error: RPC failed; curl 28 Operation too slow\nfatal: early EOF",
        ] {
            assert!(matches!(told(broken), GitError::Unreachable { .. }), "{broken}");
        }
        assert!(matches!(told("fatal: not a git repository"), GitError::Program { .. }));
    }

    #[test]
    fn what_a_remote_says_decides_nothing_and_is_shown_on_one_line() {
        let error =
            told("remote: The requested URL returned error: 503 \u{1b}[1mbold\u{202e}\nremote: ' not found\nfatal: x");
        assert!(matches!(&error, GitError::Program { .. }));
        assert_eq!(
            error.to_string(),
            "git fetch failed: fatal: x (The requested URL returned error: 503 bold ' not found)"
        );
    }
}
