//! How large a patch may be.

use super::{Rule, finding};
use crate::evidence::{Finding, Weight};
use crate::gate::view::{Reading, View};

pub(super) static RULE: Rule = Rule {
    name: "limits",
    about: "The patch touches more files or lines than the policy allows",
    why: "Blocks: what is too large to review is not reviewed.",
    check,
};

fn check(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let Some(first) = view.files.first() else { return findings };
    let files = view.files.len();
    if files > view.limits.files as usize {
        let message = format!("{files} files are changed, {} are allowed", view.limits.files);
        findings.push(finding(&RULE, first, None, message, Weight::Block));
    }
    let lines: usize = view.files.iter().map(Reading::size).map(|(added, removed)| added + removed).sum();
    if lines > view.limits.lines as usize {
        let most = view.files.iter().max_by_key(|file| file.size()).unwrap_or(first);
        let message = format!("{lines} lines are added or removed, {} are allowed", view.limits.lines);
        findings.push(finding(&RULE, most, None, message, Weight::Block));
    }
    findings
}

#[cfg(test)]
mod tests {
    use crate::gate::testing::change;
    use crate::policy::PatchLimits;

    #[test]
    fn more_files_or_lines_than_allowed_block() {
        let changes = [change("a.md", "a\n", "b\n"), change("b.md", "a\n", "b\nc\n")];
        let judge = |files, lines| crate::gate::judge(&changes, PatchLimits { files, lines }, None).len();
        assert_eq!((judge(2, 5), judge(1, 5), judge(2, 4), judge(1, 1)), (0, 1, 1, 2));
    }
}
