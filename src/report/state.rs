//! What a pull request remembers of the bot: the hidden, machine-readable tail of its body.
//!
//! Anybody who may edit the body may edit it. It says which pull request belongs to which failure, and nothing more is
//! believed of it.

use serde::{Deserialize, Serialize};

use crate::ids::{BranchName, CommitSha, Fingerprint, OwnBranch};

const VERSION: u32 = 1;
const START: &str = "<!-- unbreak:state ";
const END: &str = " -->";
/// Longer tails are none of ours.
const LONGEST: usize = 4_096;

/// What is remembered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// The version of this format: 1.
    pub version: u32,
    /// The failure.
    pub fingerprint: Fingerprint,
    /// The branch that the failure is on.
    pub base: BranchName,
    /// The branch that holds the repair.
    pub head: OwnBranch,
    /// The commit that the body describes.
    pub commit: CommitSha,
    /// The run that it was made for.
    pub run: u64,
    /// Which attempt of that run.
    pub attempt: u32,
    /// How often a repair was published here: 1 for the first.
    pub attempts: u32,
}

impl State {
    /// The version that this program writes.
    pub const VERSION: u32 = VERSION;

    /// The state that a body ends with; `None` for a body that is none of ours.
    #[must_use]
    pub fn read(body: &str) -> Option<Self> {
        let tail = &body[body.rfind(START)? + START.len()..];
        let tail = &tail[..tail.floor_char_boundary(LONGEST)];
        let state: Self = serde_json::from_str(&tail[..tail.find(END)?]).ok()?;
        let digits = state.fingerprint.as_str();
        let whole = digits.len() == 32 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        (whole && state.version == VERSION).then_some(state)
    }

    /// The state as the last line of a body.
    #[must_use]
    pub fn tail(&self) -> String {
        // A value of strings and numbers always has a form in JSON.
        let json = serde_json::to_string(self).unwrap_or_default();
        // Inside JSON these stand in strings alone, where an escape means the same and cannot end the comment.
        let json = json.replace("--", "-\\u002d").replace('<', "\\u003c").replace('>', "\\u003e");
        format!("{START}{json}{END}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(base: &str) -> State {
        State {
            version: VERSION,
            fingerprint: Fingerprint::of(&["a"]),
            base: BranchName::new(base).unwrap(),
            head: OwnBranch::new("unbreak/test-0123abcd").unwrap(),
            commit: CommitSha::new(&"a".repeat(40)).unwrap(),
            run: 7,
            attempt: 2,
            attempts: 1,
        }
    }

    #[test]
    fn a_state_reads_back_whatever_a_branch_is_called() {
        for base in ["main", "a-->b", "x--->", "<!--", "a---b"] {
            let tail = state(base).tail();
            assert_eq!(tail.matches("-->").count(), 1, "{tail}");
            assert_eq!(State::read(&format!("text\n\n{tail}")), Some(state(base)));
        }
    }

    #[test]
    fn the_last_tail_counts_and_what_is_none_reads_as_none() {
        let quoted = format!("```\n{}```\n{}", state("other").tail(), state("main").tail());
        assert_eq!(State::read(&quoted).unwrap().base.as_str(), "main");
        for body in ["", "<!-- unbreak:state ", "<!-- unbreak:state {} -->", "<!-- unbreak:state [1] -->"] {
            assert_eq!(State::read(body), None, "{body}");
        }
        let newer = state("main").tail().replace("\"version\":1", "\"version\":2");
        assert_eq!(State::read(&newer), None);
        let forged = state("main").tail().replace(Fingerprint::of(&["a"]).as_str(), "../../x");
        assert_eq!(State::read(&forged), None);
    }
}
