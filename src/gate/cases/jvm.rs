//! Java, Kotlin, Scala and C#: methods under a test annotation.

use super::{Function, block_end, line_start};
use crate::gate::pattern::patterns;

patterns! {
    METHOD = r"(?m)^[ \t]*((?:@\w+(?:\([^)\n]*\))?[ \t]+|\[[^\]\n]*\][ \t]*)*)(?:(?:public|private|protected|internal|static|final|async|override|suspend|open)\s+)*(?:fun\s+|[\w<>\[\],.?]+\s+)([A-Za-z_]\w*)\s*\([^;{]*\)[^;{}=]*\{";
    TEST = r"@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property)\b|\[(?:Fact|Theory|Test|TestMethod|TestCase)\b";
    KEYWORD = r"^(?:if|for|while|switch|catch|return|new|else|synchronized|using|lock|foreach|when)$";
}

pub(super) fn functions(code: &str) -> Vec<Function> {
    METHOD
        .captures_iter(code)
        .filter_map(|found| {
            let name = found.get(2)?;
            if KEYWORD.is_match(name.as_str()) {
                return None;
            }
            let start = annotations_start(code, line_start(code, name.start()));
            let test = TEST.is_match(&code[start..name.start()]);
            let span = start..block_end(code, name.end(), b'{', b'}');
            Some(Function { name: name.as_str().into(), symbol: name.as_str().into(), span, test })
        })
        .collect()
}

fn annotations_start(code: &str, start: usize) -> usize {
    let mut first = start;
    while first > 0 {
        let line_at = line_start(code, first - 1);
        let line = code[line_at..first].trim();
        let annotation = line.starts_with('@') || (line.starts_with('[') && line.ends_with(']'));
        if !annotation || line.contains(['{', ';']) {
            break;
        }
        first = line_at;
    }
    first
}
