//! The test functions of a file, as runners find them: one reader a language family.

mod golang;
mod javascript;
mod jvm;
mod python;
mod rust;

use super::language::Language;
use super::mask::Masked;

/// One function of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Function {
    /// Its own name; for JavaScript the title of the test.
    pub(super) name: String,
    /// With its class in front, where it has one.
    pub(super) symbol: String,
    /// Byte offsets of the whole of it, attributes and decorators included.
    pub(super) span: std::ops::Range<usize>,
    /// Whether a runner takes it for a test.
    pub(super) test: bool,
}

/// Every function of the file, tests among them, in the order of the file.
pub(super) fn functions(text: &str, masked: &Masked, language: Language) -> Vec<Function> {
    match language {
        Language::Rust => rust::functions(&masked.code),
        Language::Python => python::functions(&masked.code),
        Language::JavaScript => javascript::functions(text, &masked.code),
        Language::Go => golang::functions(&masked.code),
        Language::Jvm => jvm::functions(&masked.code),
        _ => Vec::new(),
    }
}

/// The end of the bracketed block that opens at or after `from`: behind its closing bracket.
///
/// `code` is masked, so brackets in strings do not count. Without a closing bracket, the end of the text.
pub(super) fn block_end(code: &str, from: usize, open: u8, close: u8) -> usize {
    let bytes = code.as_bytes();
    let Some(start) = bytes[from..].iter().position(|byte| *byte == open).map(|offset| from + offset) else {
        return code.len();
    };
    let mut depth = 0usize;
    for (offset, byte) in bytes[start..].iter().enumerate() {
        if *byte == open {
            depth += 1;
        } else if *byte == close {
            depth -= 1;
            if depth == 0 {
                return start + offset + 1;
            }
        }
    }
    code.len()
}

/// The start of the line that holds an offset.
pub(super) fn line_start(code: &str, at: usize) -> usize {
    code[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::mask::mask;

    fn names(text: &str, language: Language) -> Vec<(String, bool)> {
        functions(text, &mask(text, language), language).into_iter().map(|f| (f.symbol, f.test)).collect()
    }

    fn pairs(expected: &[(&str, bool)]) -> Vec<(String, bool)> {
        expected.iter().map(|(name, test)| ((*name).to_owned(), *test)).collect()
    }

    #[test]
    fn rust_tests_are_known_by_their_attribute() {
        let text = "#[test]\nfn a() {}\n\n#[tokio::test(flavor = \"x\")]\n#[ignore]\nasync fn b() { if x { } }\nfn c() {}\n// #[test]\nfn d() {}\n";
        assert_eq!(names(text, Language::Rust), pairs(&[("a", true), ("b", true), ("c", false), ("d", false)]));
    }

    #[test]
    fn python_tests_are_known_by_name_and_class() {
        let text = "@pytest.mark.x\ndef test_a():\n    def inner():\n        pass\n    assert 1\n\ndef helper(): pass\n\nclass TestB(Base):\n    async def test_c(self):\n        pass\n\nclass Odd:\n    def test_d(self):\n        pass\n\nclass Mixin:\n    def test_e(self):\n        pass\n\nclass TestF(Mixin):\n    pass\n";
        assert_eq!(
            names(text, Language::Python),
            pairs(&[
                ("test_a", true),
                ("inner", false),
                ("helper", false),
                ("TestB.test_c", true),
                ("Odd.test_d", false),
                ("Mixin.test_e", true)
            ])
        );
    }

    #[test]
    fn javascript_tests_are_known_by_title() {
        let text = "describe('x', () => { it('adds', () => { f({}) }); test.skip(\"b\", g); xit(`c`, h) });\nfunction plain() {}\n";
        assert_eq!(
            names(text, Language::JavaScript),
            pairs(&[("adds", true), ("b", true), ("c", true), ("plain", false)])
        );
    }

    #[test]
    fn go_and_java_tests_are_found() {
        assert_eq!(
            names("func TestA(t *testing.T) {\n}\nfunc helper() {}\n", Language::Go),
            pairs(&[("TestA", true), ("helper", false)])
        );
        assert_eq!(
            names(
                "class A {\n @Test\n void adds() { }\n @Disabled @Test public void b() {}\n void c() {}\n}",
                Language::Jvm
            ),
            pairs(&[("adds", true), ("b", true), ("c", false)])
        );
    }

    #[test]
    fn a_test_spans_its_attributes_and_its_body() {
        let text = "x();\n#[test]\nfn a() { if y { z(); } }\nw();\n";
        let found = functions(text, &mask(text, Language::Rust), Language::Rust);
        assert_eq!(&text[found[0].span.clone()], "#[test]\nfn a() { if y { z(); } }");
    }
}
