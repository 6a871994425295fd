//! JavaScript and TypeScript: calls of `it` and `test` with their titles, and plain functions.

use super::{Function, block_end, line_start};
use crate::gate::pattern::patterns;

patterns! {
    TEST = r"\b(?:it|test|specify|xit|xtest|xspecify|fit|ftest)(?:\.(?:skip|only|todo|concurrent|failing|fails|sequential|skipIf|runIf))*\s*\(\s*[\x22\x27\x60]";
    EACH = r"\b(?:it|test)(?:\.(?:skip|only|concurrent))*\.each\b";
    FUNCTION = r"(?m)^[ \t]*(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:function\s*\*?\s*([A-Za-z_$][\w$]*)|(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*=\s*(?:async\s*)?\([^)\n]*\)\s*=>)";
    AFTER_TABLE = r"^\s*\(\s*[\x22\x27\x60]";
}

pub(super) fn functions(text: &str, code: &str) -> Vec<Function> {
    let mut found = Vec::new();
    for call in TEST.find_iter(code) {
        if code[..call.start()].ends_with('.') {
            continue;
        }
        let end = block_end(code, call.start(), b'(', b')');
        found.push(titled(text, code, call.start()..end, call.end()));
    }
    for call in EACH.find_iter(code) {
        let table_end = match code.as_bytes().get(call.end()) {
            Some(b'`') => code[call.end() + 1..].find('`').map_or(code.len(), |length| call.end() + length + 2),
            _ => block_end(code, call.end(), b'(', b')'),
        };
        if let Some(title) = AFTER_TABLE.find(&code[table_end..]) {
            let end = block_end(code, table_end, b'(', b')');
            found.push(titled(text, code, call.start()..end, table_end + title.end()));
        }
    }
    for function in FUNCTION.captures_iter(code) {
        let Some(name) = function.get(1).or_else(|| function.get(2)) else { continue };
        let start = line_start(code, name.start());
        found.push(Function {
            name: name.as_str().into(),
            symbol: name.as_str().into(),
            span: start..block_end(code, name.end(), b'{', b'}'),
            test: false,
        });
    }
    found.sort_by_key(|function| function.span.start);
    found
}

/// The title is blank in the masked text, so its length is known there and its words are in the file.
fn titled(text: &str, code: &str, span: std::ops::Range<usize>, title_at: usize) -> Function {
    let quote = code.as_bytes()[title_at - 1];
    let length = code.as_bytes()[title_at..].iter().position(|byte| *byte == quote).unwrap_or(0);
    let title = text.get(title_at..title_at + length).unwrap_or_default().to_owned();
    Function { symbol: title.clone(), name: title, span, test: true }
}
