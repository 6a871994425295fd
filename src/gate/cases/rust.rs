//! Rust: a function under an attribute that ends in `test`, or one of the known test macros.

use super::{Function, block_end, line_start};
use crate::gate::pattern::patterns;

patterns! {
    FUNCTION = r"(?m)^[ \t]*(?:#\[[^\n]*\][ \t]*)?(?:pub(?:\([^)]*\))?\s+)?(?:(?:async|const|unsafe|extern(?:\s+\S+)?)\s+)*fn\s+([A-Za-z_]\w*)";
    TEST = r"#\[\s*(?:[\w:]+::)?(?:test|rstest|test_case|quickcheck|test_log|wasm_bindgen_test|proptest|bench|sqlx_test|test_matrix)\b";
}

pub(super) fn functions(code: &str) -> Vec<Function> {
    FUNCTION
        .captures_iter(code)
        .filter_map(|found| {
            let name = found.get(1)?;
            let start = attributes_start(code, line_start(code, name.start()));
            let test = TEST.is_match(&code[start..name.start()]) || in_proptest(code, start);
            let end = body_end(code, name.end());
            Some(Function { name: name.as_str().into(), symbol: name.as_str().into(), span: start..end, test })
        })
        .collect()
}

/// A declaration without a body ends at its semicolon.
fn body_end(code: &str, from: usize) -> usize {
    let stop = code[from..].find(['{', ';']).map_or(code.len(), |offset| from + offset);
    if code[stop..].starts_with(';') { stop + 1 } else { block_end(code, from, b'{', b'}') }
}

/// Climbs over attribute lines (several lines each at times), blanked comments among them.
fn attributes_start(code: &str, start: usize) -> usize {
    let mut first = start;
    let mut cursor = start;
    let mut depth = 0usize;
    while cursor > 0 {
        let line_at = line_start(code, cursor - 1);
        let line = code[line_at..cursor].trim();
        let closes = line.matches(']').count();
        let opens = line.matches('[').count();
        if depth > 0 || (line.ends_with(']') && (line.starts_with("#[") || closes > opens)) {
            depth = (depth + closes).saturating_sub(opens);
            first = line_at;
        } else if !line.is_empty() {
            break;
        }
        cursor = line_at;
    }
    first
}

/// `proptest! { #[test] fn … }` may leave the attribute out.
fn in_proptest(code: &str, at: usize) -> bool {
    let Some(start) = code[..at].rfind("proptest!") else { return false };
    block_end(code, start, b'{', b'}') > at && code[start..at].contains('{')
}
