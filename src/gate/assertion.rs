//! The assertions of a test: how many, how strong, and which values they expect.

use std::collections::BTreeMap;

use super::language::Language;
use super::mask::mask;
use super::pattern::{Pattern, patterns};

patterns! {
    RUST = r"\b\w*assert\w*!\s*[(\[{]|\bpanic!\s*[(\[{]|#\[(?:case|test_case|should_panic)\b";
    PYTHON = r"(?m)^[ \t]*assert\b|\b(?:[\w\]]+\.)*assert\w*\s*\(|\b(?:pytest\.)?(?:raises|warns)\s*\(|\bself\.fail\w*\s*\(|@pytest\.mark\.parametrize\s*\(";
    JAVASCRIPT = r"\bexpect\w*\s*[(.]|\bassert(?:\.\w+)*\s*\(|\bt\.(?:is|not|deepEqual|equal|true|false|truthy|falsy|throws|regex|ok|same)\w*\s*\(|\b(?:it|test)\.each\b|\b(?:deepStrictEqual|strictEqual|deepEqual|notStrictEqual|notDeepEqual|equal|ok|throws|rejects)\s*\(";
    GO = r"\bif\b[^{\n]*(?:!=|==|<|>|!)[^{\n]*\{|\b[tb]\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\s*\(|\b(?:assert|require)\.\w+\s*\(";
    JVM = r"\b(?:[\w]+\.)?(?:assert\w*|fail|verify|Assert\.\w+|should\w*)\s*\(";
    EXPECTED = r"(?m)^[ \t]*(?:let\s+|const\s+|var\s+|final\s+)?(?:mut\s+)?\w*(?i:expected|want|golden)\w*\s*(?::[^=\n]+)?:?=[^=]";
    EQUAL = r"==|_eq!|(?i)equals?\w*\s*\(|isEqualTo\w*\(|\.toBe\(|\.is\(|snapshot|\b(?:deep|strict)\w*equal|\.same\(|each\b|parametrize|#\[(?:case|test_case)";
    MIDDLE = r"<|>|!=|\bin\b|_ne!|matches|(?i)contains|raises|throws?\w*|toThrow|toMatch|almost|approx|isclose|close|should_panic|instance|called";
    LOOSE = r"\bANY\b|(?i)approx|isclose|close_?to|almost|allclose|any\(|anything\(";
    BROAD = r"(?:raises|warns|assertRaises)\s*\(\s*(?:Base)?Exception\s*[,)]|toThrow\(\s*\)|assertThrows\(\s*(?:Exception|Throwable)\b";
    PRESENCE = r"(?:==|is|_eq!\(.*,|equals?\w*\(.*,|toBe\(|toEqual\()\s*(?i:true|false|none|null|undefined|0)\b\s*[,)]?|(?:_eq!\(|assertEqual\w*\()\s*(?i:true|false|none|null)\s*,|\.len\(\)\s*==\s*0|len\([^)]*\)\s*==\s*0";
    CONSTANT = r"(?i)^(?:debug_)?(?:self\.)?(?:assert(?:true|!)?\s*[(\s]\s*(?:true|1|1\s*==\s*1)\s*[,)]*.*|assertions\.asserttrue\(\s*true\s*\)|expect\(\s*(?:true|1)\s*\)\.(?:tobe\(\s*(?:true|1)\s*\)|tobetruthy\(\)|toequal\(\s*(?:true|1)\s*\)).*|expect\(.*\)\.(?:tobedefined|tobe_anything)\(\)|assert(?:\.ok|\.true)?\(\s*true\s*\))$";
    ALWAYS = r"(?i)\bor\s+true\b|\|\|\s*true\b|\btrue\s*\|\||\bor\s+1\b";
    LITERAL = r"\b\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?|\b(?i:true|false|none|null|undefined)\b";
    MESSAGE_CALL = r"^[tb]\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)|^panic!";
}

/// One statement that checks something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Assertion {
    /// 0-based line within the body.
    pub(super) line: usize,
    /// Its text on one line.
    pub(super) text: String,
    /// 0: cannot fail. 1: truth or presence. 2: order, membership, kind of error. 3: equality.
    pub(super) strength: u8,
    /// The values that it names, the message apart.
    pub(super) literals: Vec<String>,
    /// Whether it states an expected value without checking it.
    pub(super) expected_only: bool,
}

/// The assertions of a test's body, in its order.
pub(super) fn assertions(body: &str, language: Language) -> Vec<Assertion> {
    let Some(start) = start_of(language) else { return Vec::new() };
    let masked = mask(body, language);
    let code = masked.code.as_str();
    let mut found: Vec<Assertion> = Vec::new();
    let mut covered = 0;
    for begin in start.find_iter(code) {
        if begin.start() < covered {
            continue;
        }
        let end = statement_end(code, begin.start());
        covered = end;
        found.push(read(body, code, begin.start(), end, false));
    }
    for begin in EXPECTED.find_iter(code) {
        let end = statement_end(code, begin.start() + begin.as_str().len() - begin.as_str().trim_start().len());
        found.push(read(body, code, begin.start(), end, true));
    }
    found.sort_by_key(|assertion| assertion.line);
    found
}

fn start_of(language: Language) -> Option<&'static Pattern> {
    Some(match language {
        Language::Rust => &RUST,
        Language::Python => &PYTHON,
        Language::JavaScript => &JAVASCRIPT,
        Language::Go => &GO,
        Language::Jvm => &JVM,
        _ => return None,
    })
}

/// A statement ends at `;` or a line's end outside brackets, unless the next line goes on with a dot.
fn statement_end(code: &str, from: usize) -> usize {
    // A Go condition may hold a statement of its own, and ends where its block begins.
    if code[from..].starts_with("if ") {
        return code[from..].find('{').map_or(code.len(), |offset| from + offset);
    }
    let mut depth = 0i32;
    let skip = code[from..].len() - code[from..].trim_start().len();
    for (offset, c) in code[from..].char_indices().skip_while(|(offset, _)| *offset < skip) {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth -= 1;
                if depth < 0 {
                    return from + offset;
                }
            }
            ';' if depth == 0 => return from + offset,
            '\n' if depth == 0 && !code[from + offset..].trim_start().starts_with('.') => return from + offset,
            _ => {}
        }
    }
    code.len()
}

fn read(body: &str, code: &str, from: usize, to: usize, expected_only: bool) -> Assertion {
    let from = from + code[from..to].len() - code[from..to].trim_start().len();
    let line = body[..from].matches('\n').count();
    let text = body.get(from..to).unwrap_or_default();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let bare = code[from..to].split_whitespace().collect::<Vec<_>>().join(" ");
    let keep = from..message_start(code, from, to);
    let literals = literals(&body[keep.clone()], &code[keep]);
    Assertion { line, strength: strength(&text, &bare), text, literals, expected_only }
}

fn strength(text: &str, bare: &str) -> u8 {
    if CONSTANT.is_match(bare) || ALWAYS.is_match(bare) || compares_itself(text) || is_tuple(bare) {
        0
    } else if bare.starts_with("debug_assert") {
        // An optimised build leaves it out.
        1
    } else if BROAD.is_match(bare) || PRESENCE.is_match(bare) {
        1
    } else if LOOSE.is_match(bare) {
        2
    } else if EQUAL.is_match(bare) {
        3
    } else {
        u8::from(MIDDLE.is_match(bare)) + 1
    }
}

/// `assert_eq!(x, x)`, `assert x == x`, `expect(x).toBe(x)`.
fn compares_itself(text: &str) -> bool {
    if let Some((left, right)) = text.split_once("==") {
        let left =
            left.trim_start_matches("assert!(").trim_start_matches("assert ").trim_start_matches("self.assertTrue(");
        return !left.trim().is_empty() && left.trim() == right.trim().trim_end_matches(')').trim();
    }
    if let Some((left, right)) = text.strip_prefix("expect(").and_then(|rest| rest.split_once(").to")) {
        return right.split_once('(').is_some_and(|(_, right)| right.trim_end_matches([')', ';']) == left);
    }
    let Some((head, rest)) = text.split_once('(') else { return false };
    let arguments = arguments(rest);
    (head.contains("_eq") || head.to_ascii_lowercase().contains("equal"))
        && arguments.len() >= 2
        && arguments[0].trim() == arguments[1].trim()
}

/// `assert (x == 3, "why")`: Python takes a tuple that is not empty for true.
fn is_tuple(bare: &str) -> bool {
    let Some(inside) = bare.strip_prefix("assert").and_then(|rest| rest.trim_start().strip_prefix('(')) else {
        return false;
    };
    let parts = arguments(inside);
    let length: usize = parts.iter().map(|part| part.len() + 1).sum();
    bare.starts_with("assert ") && parts.len() > 1 && inside.get(length..).is_none_or(|rest| rest.trim().is_empty())
}

fn arguments(inside: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut from) = (0i32, 0);
    for (at, c) in inside.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => {
                parts.push(&inside[from..at]);
                return parts;
            }
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&inside[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inside[from..]);
    parts
}

/// Where the words for a person begin: they are no expectation.
fn message_start(code: &str, from: usize, to: usize) -> usize {
    let bare = &code[from..to];
    if MESSAGE_CALL.is_match(bare) {
        return from;
    }
    if let Some(rest) = bare.strip_prefix("assert ") {
        return arguments(rest).first().map_or(to, |first| from + "assert ".len() + first.len());
    }
    let Some(open) = bare.find('(') else { return to };
    let head = &bare[..open];
    let values = match head.trim_end_matches('!').rsplit(['.', ':']).next().unwrap_or_default() {
        "assert" | "debug_assert" | "assertTrue" | "assertFalse" | "assertIsNone" | "ok" => 1,
        "assert_eq" | "assert_ne" | "debug_assert_eq" | "assert_matches" | "assertEqual" | "assertEquals"
        | "assertIn" => 2,
        _ => return to,
    };
    let parts = arguments(&bare[open + 1..]);
    let length: usize = parts.iter().take(values).map(|part| part.len() + 1).sum();
    if parts.len() > values { from + open + length } else { to }
}

/// Strings, numbers and constants of a piece of text, in its order.
pub(super) fn literals(text: &str, code: &str) -> Vec<String> {
    let mut found: Vec<(usize, String)> =
        LITERAL.find_iter(code).map(|literal| (literal.start(), literal.as_str().replace('_', ""))).collect();
    let mut inside: Option<(usize, u8)> = None;
    for (at, byte) in code.bytes().enumerate() {
        match inside {
            None if matches!(byte, b'"' | b'\'' | b'`') => inside = Some((at, byte)),
            Some((start, quote)) if byte == quote => {
                if let Some(content) = text.get(start + 1..at).filter(|content| !content.is_empty()) {
                    found.push((start, format!("\"{content}\"")));
                }
                inside = None;
            }
            _ => {}
        }
    }
    found.sort();
    found.into_iter().map(|(_, literal)| literal).collect()
}

/// How often each literal occurs.
pub(super) fn counted<'a>(literals: impl IntoIterator<Item = &'a String>) -> BTreeMap<&'a str, usize> {
    let mut counts = BTreeMap::new();
    for literal in literals {
        *counts.entry(literal.as_str()).or_default() += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strengths(body: &str, language: Language) -> Vec<u8> {
        assertions(body, language).iter().map(|assertion| assertion.strength).collect()
    }

    #[test]
    fn rust_assertions_are_weighed() {
        let body = "fn t() {\n assert_eq!(f(1), 3);\n assert!(true);\n assert!(x.is_ok());\n assert_eq!(x, x);\n assert!(a < b);\n assert_eq!(v.len(), 0);\n}";
        assert_eq!(strengths(body, Language::Rust), [3, 0, 1, 0, 2, 1]);
    }

    #[test]
    fn python_assertions_are_weighed() {
        let body = "def t():\n    assert f(1) == 3\n    assert f(1)\n    assert True\n    self.assertEqual(a, 2)\n    with pytest.raises(ValueError):\n        g()\n    with pytest.raises(Exception):\n        g()\n    assert x == pytest.approx(3)\n    assert f() or True\n    assert x is None\n";
        assert_eq!(strengths(body, Language::Python), [3, 1, 0, 3, 2, 1, 2, 0, 1]);
    }

    #[test]
    fn tuples_and_debug_assertions_are_weak() {
        let body =
            "def t():\n    assert (f(1) == 3, 'three')\n    assert (f(1) == 3), 'three'\n    assert (a, b) == (1, 2)\n";
        assert_eq!(strengths(body, Language::Python), [0, 3, 3]);
        assert_eq!(strengths("fn t() { debug_assert_eq!(f(1), 3); }", Language::Rust), [1]);
    }

    #[test]
    fn javascript_assertions_are_weighed() {
        let body = "it('a', () => {\n expect(f(1)).toBe(3);\n expect(f(1))\n   .toBeTruthy();\n expect(true).toBe(true);\n expect(() => g()).toThrow(/x/);\n})";
        assert_eq!(strengths(body, Language::JavaScript), [3, 1, 0, 2]);
    }

    #[test]
    fn a_message_is_no_expectation() {
        let body = "fn t() { assert_eq!(f(\"a\"), 3, \"shold be {}\", 7); assert!(g(), \"five\"); }";
        let found: Vec<_> = assertions(body, Language::Rust).into_iter().flat_map(|a| a.literals).collect();
        assert_eq!(found, ["\"a\"", "3"]);
        let found: Vec<_> = assertions("    assert f() == 'x', 'shold'\n", Language::Python)
            .into_iter()
            .flat_map(|a| a.literals)
            .collect();
        assert_eq!(found, ["\"x\""]);
    }

    #[test]
    fn expected_values_in_variables_count() {
        let found = assertions("def t():\n    expected = [1, 2]\n    assert f() == expected\n", Language::Python);
        assert_eq!(found.iter().map(|a| a.expected_only).collect::<Vec<_>>(), [true, false]);
        assert_eq!(found[0].literals, ["1", "2"]);
    }
}
