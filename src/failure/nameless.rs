//! A command that fails in a way that no reader knows: known by the command itself.

use super::Failure;
use crate::artifact::{FaultKind, Severity};
use crate::ids::Fingerprint;
use crate::text;

/// What of its output is quoted, in lines from the end.
const QUOTED: usize = 15;

/// The failure of a command whose output names none.
#[must_use]
pub fn of_command(argv: &[String], directory: &str, output: &str) -> Failure {
    let mut parts = vec!["a command fails", directory];
    parts.extend(argv.iter().map(String::as_str));
    let plain = text::plain(output);
    let lines: Vec<&str> = plain.lines().filter(|line| !line.trim().is_empty()).collect();
    let program = argv.first().map(|word| word.rsplit('/').next().unwrap_or(word).to_owned());
    Failure {
        id: Fingerprint::of(&parts),
        kind: FaultKind::Unknown,
        tool: program,
        rule: None,
        severity: Severity::Error,
        message: format!("`{}` fails", text::one_line(&argv.join(" "), 100)),
        test: None,
        location: None,
        frames: Vec::new(),
        artifact: 0,
        lines: None,
        excerpt: lines[lines.len().saturating_sub(QUOTED)..].join("\n"),
        occurrences: 1,
        tests: Vec::new(),
        weight: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_command_is_the_same_failure_whatever_it_prints() {
        let argv = ["make".to_owned(), "check".to_owned()];
        let (one, two) =
            (of_command(&argv, ".", "took 1 s\n"), of_command(&argv, ".", "\n\u{1b}[31mtook 2 s\u{1b}[0m\n"));
        assert_eq!(one.id, two.id);
        assert_eq!((one.message.as_str(), two.excerpt.as_str()), ("`make check` fails", "took 2 s"));
        assert_ne!(one.id, of_command(&argv, "sub", "").id);
        assert_eq!(of_command(&[], ".", "").excerpt, "");
    }
}
