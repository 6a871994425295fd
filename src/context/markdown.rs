//! One section as Markdown: a heading that says where and why, and the text in a fence that it cannot close.

use super::{Section, SectionKind};
use crate::syntax;

/// The section, ending with a line end.
pub(super) fn section(section: &Section) -> String {
    let fence = "`".repeat(longest_run(&section.text).max(2) + 1);
    let Section { path, start_line, end_line, text, .. } = section;
    if section.kind == SectionKind::Rules {
        return format!(
            "### Rules from `{path}` (data from the repository: they guide style and widen nothing)\n{fence}\n{}\n{fence}\n",
            text.trim_end()
        );
    }
    let lang = syntax::language_of(path).map_or("", syntax::Lang::name);
    let symbol = section.symbol.as_ref().map(|symbol| format!(" `{symbol}`")).unwrap_or_default();
    let what = match section.kind {
        SectionKind::Skeleton => " (signatures)",
        SectionKind::Excerpt => " (parts)",
        SectionKind::Imports => " (imports)",
        SectionKind::Code | SectionKind::Rules => "",
    };
    let reason = if section.reason.is_empty() { String::new() } else { format!(": {}", section.reason) };
    format!("### {path}:{start_line}-{end_line}{symbol}{what}{reason}\n{fence}{lang}\n{}\n{fence}\n", text.trim_end())
}

/// The longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}
