//! Files that govern the repository: its policy, its owners, what git does with it, what agents are told.

use super::{Rule, finding};
use crate::evidence::{Finding, Weight};
use crate::gate::pattern::patterns;
use crate::gate::view::View;

pub(super) static RULE: Rule = Rule {
    name: "guarded-path",
    about: "A file that governs the repository is changed",
    why: "Blocks for the policy file and for `.git`: no change may widen its own permission. Others are shown.",
    check,
};

patterns! {
    FORBIDDEN = r"(?i)(?:^|/)\.git/|^\.github/unbreak\.(?:ya?ml|json)$|(?:^|/)\.githooks/|^\.husky/";
    GUARDED = r"(?i)(?:^|/)(?:\.gitattributes|\.gitignore|\.gitmodules|CODEOWNERS|AGENTS\.md|CLAUDE\.md|SECURITY\.md|build\.rs|setup\.py|\.cargo/config(?:\.toml)?|rust-toolchain(?:\.toml)?|\.nvmrc|\.python-version)$|^\.github/copilot-instructions\.md$";
}

fn check(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &view.files {
        let (weight, message) = if FORBIDDEN.is_match(file.path.as_str()) {
            (Weight::Block, "a file that decides what may be done here is changed")
        } else if GUARDED.is_match(file.path.as_str()) {
            (Weight::Show, "a file that governs the repository or its build is changed")
        } else {
            continue;
        };
        let line = file.hunks.first().filter(|_| file.after.exists()).map(|hunk| hunk.added.start);
        findings.push(finding(&RULE, file, line, message.to_owned(), weight));
    }
    findings
}

#[cfg(test)]
mod tests {
    use crate::gate::testing::{blocks, passes, shown};

    #[test]
    fn the_policy_blocks_others_are_shown_and_the_rest_passes() {
        blocks("guarded-path", &[(".github/unbreak.yml", "version: 1\n", "version: 1\nlimits: {files: 99}\n")]);
        assert_eq!(shown(&[("CODEOWNERS", "* @a\n", "* @b\n")]), ["guarded-path"]);
        passes(&[("docs/owners.md", "a\n", "b\n")]);
    }
}
