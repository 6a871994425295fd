//! Which files are worth reading: source that people write.

use crate::source::Entry;

/// Larger files are data or generated.
const MAX_BYTES: u64 = 1_000_000;

/// Directories of other people's code and of build output.
const FOREIGN: &[&str] = &[
    "node_modules",
    "vendor",
    "vendored",
    "_vendor",
    "third_party",
    "site-packages",
    ".venv",
    "venv",
    "target",
    "dist",
];

/// Decided without reading the file.
pub(super) fn is_wanted(entry: &Entry) -> bool {
    let mut folders: Vec<&str> = entry.path.as_str().split('/').collect();
    let name = folders.pop().unwrap_or("");
    entry.size <= MAX_BYTES && !name.contains(".min.") && !folders.iter().any(|folder| FOREIGN.contains(folder))
}

/// Decided by the text: no minified lines, no mark of a generator in the first lines.
pub(super) fn is_written_by_hand(text: &str) -> bool {
    let lines = text.lines().count().max(1);
    let minified = text.len() > 20_000 && text.len() / lines > 400;
    let generated = text.lines().take(5).any(|line| line.contains("@generated") || line.contains("DO NOT EDIT"));
    !minified && !generated
}
