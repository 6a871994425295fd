//! Which words a change brings in: those that neither the file had nor another file of the change gave up.

use super::view::{Reading, View};

/// Whether a file did not hold this text before, nor did lines that the change takes away elsewhere.
pub(super) fn is_new(view: &View<'_>, file: &Reading<'_>, text: &str) -> bool {
    !file.before.text.contains(text) && !moved(view, text)
}

/// Whether lines that the change takes away held this text: it moved.
fn moved(view: &View<'_>, text: &str) -> bool {
    view.files
        .iter()
        .any(|file| file.removed().any(|line| file.before.lines.get(line).is_some_and(|line| line.contains(text))))
}

/// Added lines of code that is no test, with their text less its comment.
pub(super) fn source_lines<'f>(file: &'f Reading<'_>) -> impl Iterator<Item = (usize, &'f str)> {
    let code = file.language.is_code(file.path) && !file.test_path;
    file.added()
        .filter(move |line| code && !file.is_test_line(*line))
        .map(|line| (line, file.after.without_comment(line)))
        .filter(|(_, text)| !text.trim().is_empty())
}
