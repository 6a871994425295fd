//! Binary content, which no reviewer can read.

use super::{Rule, finding};
use crate::change::{File, Mode};
use crate::evidence::{Finding, Weight};
use crate::gate::view::View;

pub(super) static RULE: Rule = Rule {
    name: "binary",
    about: "A binary file is added or changed, or text holds characters that hide what it does",
    why: "Blocks: it cannot be reviewed, and a repair has no need of it. A deletion passes.",
    check,
};

fn check(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &view.files {
        if file.change.after.as_ref().is_some_and(is_binary)
            && file.change.before.as_ref().map(|f| &f.bytes) != file.change.after.as_ref().map(|f| &f.bytes)
        {
            findings.push(finding(&RULE, file, None, "a binary file is added or changed".to_owned(), Weight::Block));
        }
        for line in file.added() {
            if file.after.lines.get(line).is_some_and(|text| text.chars().any(reorders)) {
                let message = "this line holds characters that reorder or hide text".to_owned();
                findings.push(finding(&RULE, file, Some(line), message, Weight::Block));
            }
        }
    }
    findings
}

/// What git takes for binary: a NUL among the first bytes; and what is no UTF-8.
fn is_binary(file: &File) -> bool {
    matches!(file.mode, Mode::Regular | Mode::Executable)
        && (file.bytes.iter().take(8000).any(|byte| *byte == 0) || std::str::from_utf8(&file.bytes).is_err())
}

/// Bidirectional controls: what is shown is not what is compiled.
fn reorders(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::FileChange;
    use crate::gate::testing::{blocks, passes};
    use crate::ids::RepoPath;
    use crate::policy::PatchLimits;

    #[test]
    fn binary_content_blocks_and_its_deletion_passes() {
        let file = Some(File { bytes: vec![0, 1, 2], mode: Mode::Regular });
        let path = RepoPath::new("a.bin").unwrap();
        let judge = |before, after| {
            crate::gate::judge(&[FileChange { path: path.clone(), before, after }], PatchLimits::default(), None)
        };
        assert_eq!(judge(None, file.clone())[0].rule, "binary");
        assert!(judge(file, None).is_empty());
    }

    #[test]
    fn reordering_characters_block_and_other_scripts_pass() {
        blocks("binary", &[("a.py", "x = 1\n", "x = 1 \u{202e}\n")]);
        passes(&[("a.py", "x = 'a'\n", "x = 'é漢字'\n")]);
    }
}
