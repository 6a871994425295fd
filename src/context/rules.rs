//! Project rules: what a repository tells those who change it. Data with a source label, never instructions to us.

use super::{Section, SectionKind, Spec, markdown, tokens};
use crate::ids::{RepoPath, Sha};
use crate::source::Source;

/// Rule files at the root, the first that exists counts.
pub const RULE_FILES: &[&str] = &["AGENTS.md"];

/// Rules may take this part of the budget.
const SHARE: usize = 4;

/// And no more tokens than this, whatever the budget.
const CAP: usize = 1500;

/// One rule file's text, from a revision that the failing branch does not control.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Where it is.
    pub path: RepoPath,
    /// Its text.
    pub text: String,
}

/// The rules at the root of a tree.
#[must_use]
pub fn root_rules(source: &dyn Source) -> Vec<Rule> {
    let found = RULE_FILES.iter().find_map(|name| {
        let path = RepoPath::new(name).ok()?;
        let text = source.text(&path)?;
        Some(Rule { path, text })
    });
    found.into_iter().filter(|rule| !rule.text.trim().is_empty()).collect()
}

/// The sections of the rules, cut to their share, and what became of each file.
pub(super) fn sections(rules: &[Rule], budget: usize) -> (Vec<Section>, Vec<Spec>) {
    let mut left = (budget / SHARE).min(CAP);
    let mut sections = Vec::new();
    let mut specs = Vec::new();
    // The nearest rules come last and must not starve.
    for rule in rules.iter().rev() {
        let section = section(rule, left);
        let truncated = section.as_ref().is_none_or(|section| section.text != rule.text);
        if let Some(section) = section {
            left = left.saturating_sub(section.tokens);
            sections.push(section);
        }
        specs.push(Spec { path: rule.path.clone(), hash: Sha::of(rule.text.as_bytes()), truncated });
    }
    sections.reverse();
    specs.reverse();
    (sections, specs)
}

/// As many whole lines as fit, and a line that says what was cut.
fn section(rule: &Rule, limit: usize) -> Option<Section> {
    let lines: Vec<&str> = rule.text.lines().collect();
    let mut kept = lines.len();
    loop {
        let mut text = lines[..kept].join("\n");
        if kept < lines.len() {
            text = format!("{text}\n[{} of {} lines cut]", lines.len() - kept, lines.len());
        }
        let section = of_lines(rule, if kept == lines.len() { rule.text.clone() } else { text }, kept);
        if section.tokens <= limit {
            return Some(section);
        }
        if kept == 0 {
            return None;
        }
        kept = kept * 3 / 4;
    }
}

fn of_lines(rule: &Rule, text: String, lines: usize) -> Section {
    let mut section = Section {
        kind: SectionKind::Rules,
        path: rule.path.clone(),
        symbol: None,
        start_line: 1,
        end_line: u32::try_from(lines).unwrap_or(u32::MAX).max(1),
        reason: "the project's own rules".to_owned(),
        tokens: 0,
        text,
    };
    section.tokens = tokens(&markdown::section(&section));
    section
}
