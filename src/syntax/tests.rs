//! Tests of `syntax`, by behaviour.

use super::*;

fn path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

fn summary(file: &str, text: &str) -> Vec<String> {
    let parsed = parse(language_of(&path(file)).unwrap(), text);
    let show = |it: &Definition| format!("{} {}-{}", symbol_in(&path(file), it), it.start_line, it.end_line);
    parsed.definitions.iter().map(show).collect()
}

const RUST: &str = "\
use std::{fmt, collections::{BTreeMap as Map, HashSet}};
/// A cart.
#[derive(Debug)]
pub struct Cart<T> { items: Vec<T> }
impl<T> fmt::Display for Cart<T> {
    fn fmt(&self) -> u8 { helper(1) }
}
impl<T> Cart<T> {
    /// The price.
    ///
    /// More.
    #[must_use]
    pub fn total(&self) -> u32 {
        fn inner() {}
        self.items.iter().map(price::<T>).sum()
    }
}
fn helper(x: u8) -> u8 { str![\"a\"]; x }
#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn adds() { assert_eq!(Cart::new().total(), 3); assert!(true) }
    #[tokio::test]
    #[ignore = \"slow\"]
    async fn waits() { panic!() }
    #[cfg(any())]
    mod off { #[test] fn gone() {} }
    proptest! {
        #[test]
        fn holds(a in 0..9) { prop_assert!(check(a)); }
    }
    fn not_a_test() {}
}
";

#[test]
fn rust_symbols_are_named_by_type_or_module() {
    insta::assert_debug_snapshot!(summary("src/shop/cart.rs", RUST), @r#"
    [
        "Cart 3-4",
        "Cart.fmt 6-6",
        "Cart.total 12-16",
        "cart::helper 18-18",
        "cart::tests 19-34",
        "tests::adds 22-23",
        "tests::waits 24-26",
        "tests::off 27-28",
        "off::gone 28-28",
        "tests::holds 31-31",
        "tests::not_a_test 33-33",
    ]
    "#);
}

#[test]
fn rust_tests_carry_ranges_skips_and_assertions() {
    let found = tests(&path("src/cart.rs"), RUST);
    let show =
        |it: &TestFn| format!("{} {}-{} {:?} {}", it.symbol, it.start_line, it.end_line, it.skipped, it.assertions);
    insta::assert_debug_snapshot!(found.iter().map(show).collect::<Vec<_>>(), @r#"
    [
        "tests::adds 22-23 None 2",
        "tests::waits 24-26 Some(25) 1",
        "off::gone 28-28 Some(27) 0",
        "tests::holds 31-31 None 1",
    ]
    "#);
}

#[test]
fn calls_inside_of_macros_are_seen() {
    let parsed = parse(Lang::Rust, RUST);
    let calls: Vec<_> = parsed
        .references
        .iter()
        .filter(|it| it.relation == Relation::Call)
        .map(|it| format!("{}:{} {}", it.line, it.receiver.as_deref().unwrap_or("-"), it.name))
        .collect();
    insta::assert_debug_snapshot!(calls, @r#"
    [
        "6:- helper",
        "15:- sum",
        "15:- map",
        "15:- iter",
        "18:- xtr",
        "23:- assert_eq",
        "23:Cart new",
        "23:- total",
        "23:- assert",
        "26:- panic",
        "29:- proptest",
        "31:- prop_assert",
        "31:- check",
    ]
    "#);
}

#[test]
fn a_use_tree_is_flattened() {
    let imports: Vec<_> =
        parse(Lang::Rust, RUST).imports.into_iter().map(|it| format!("{} {:?}", it.module, it.names)).collect();
    insta::assert_debug_snapshot!(imports, @r#"
    [
        "std [\"fmt\"]",
        "std::collections [\"BTreeMap\"]",
        "std::collections [\"HashSet\"]",
        "super [\"*\"]",
    ]
    "#);
}

#[test]
fn a_macro_named_like_a_primitive_type_is_no_error() {
    assert!(!parse(Lang::Rust, "fn f() { g(str![[\"a\"]]) }").errors);
}

const PYTHON: &str = "\
import os.path, sys as system
from .engine import grouping as g, split
from x import *
LIMIT = 3
class Cart(Base):
    '''A cart.

    More.'''
    @property
    def total(self):
        def inner(): pass
        return sum(self.price(i) for i in self.items)
def helper(x): return Cart(x)
@pytest.mark.parametrize('a', [1])
@pytest.mark.skipif(True, reason='x')
def test_skipped(a):
    assert a
class TestCart(unittest.TestCase):
    def test_total(self):
        self.assertEqual(helper(1).total, 1)
        with pytest.raises(ValueError):
            split()
    def test_later(self):
        self.skipTest('later')
    def helper(self): pass
@unittest.skip('all')
class TestOff(unittest.TestCase):
    def test_off(self): pass
";

#[test]
fn python_symbols_are_named_by_class() {
    insta::assert_debug_snapshot!(summary("shop/cart.py", PYTHON), @r#"
    [
        "LIMIT 4-4",
        "Cart 5-12",
        "Cart.total 9-12",
        "helper 13-13",
        "test_skipped 14-17",
        "TestCart 18-25",
        "TestCart.test_total 19-22",
        "TestCart.test_later 23-24",
        "TestCart.helper 25-25",
        "TestOff 26-28",
        "TestOff.test_off 28-28",
    ]
    "#);
}

#[test]
fn python_tests_carry_ranges_skips_and_assertions() {
    let show =
        |it: TestFn| format!("{} {}-{} {:?} {}", it.symbol, it.start_line, it.end_line, it.skipped, it.assertions);
    let found: Vec<_> = tests(&path("tests/test_cart.py"), PYTHON).into_iter().map(show).collect();
    insta::assert_debug_snapshot!(found, @r#"
    [
        "test_skipped 14-17 Some(15) 1",
        "TestCart.test_total 19-22 None 2",
        "TestCart.test_later 23-24 Some(24) 0",
        "TestOff.test_off 28-28 Some(26) 0",
    ]
    "#);
    let outside: Vec<_> = tests(&path("shop/cart.py"), PYTHON).into_iter().map(|it| it.name).collect();
    assert_eq!(outside, ["test_total", "test_later", "test_off"], "only TestCase counts outside of test files");
}

#[test]
fn a_module_wide_skip_reaches_every_test() {
    let text = "import pytest\npytestmark = pytest.mark.skip\ndef test_a():\n    assert 1\n";
    assert_eq!(tests(&path("test_a.py"), text)[0].skipped, Some(2));
}

#[test]
fn the_innermost_definition_encloses_a_line() {
    let parsed = parse(Lang::Python, PYTHON);
    assert_eq!(enclosing(&parsed, 11).unwrap().symbol, "Cart.total");
    assert_eq!(enclosing(&parsed, 5).unwrap().symbol, "Cart");
    assert!(enclosing(&parsed, 1).is_none());
}

#[test]
fn broken_text_still_gives_what_is_whole() {
    let parsed = parse(Lang::Rust, "fn a( { let x = ; }\nfn b() { c() }\n");
    assert!(parsed.errors);
    assert!(parsed.definitions.iter().any(|it| it.name == "b"), "{:?}", parsed.definitions);
}

#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    let deep = format!("x = {}1{}", "(".repeat(20_000), ")".repeat(20_000));
    assert_eq!(parse(Lang::Python, &deep).definitions.len(), 1);
}

proptest::proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text in "[\\PC\n]{0,200}", cut in 0_usize..600) {
        let cut_off = |whole: &str| whole[..whole.floor_char_boundary(cut.min(whole.len()))].to_owned();
        for (lang, whole) in [(Lang::Rust, RUST), (Lang::Python, PYTHON)] {
            for text in [text.clone(), cut_off(whole) + &text] {
                let parsed = parse(lang, &text);
                let last = parsed.definitions.iter().map(|it| it.end_line).max().unwrap_or(0);
                proptest::prop_assert!(last <= parsed.lines.max(1), "{last} of {}", parsed.lines);
            }
        }
    }
}
