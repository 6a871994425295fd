//! Tests of `localise`, by behaviour.

use super::*;
use crate::artifact::{FaultKind, Frame, Location, Severity, TestId};
use crate::ids::Fingerprint;
use crate::source::Memory;

const CART: &str = "\
from .price import price_of

class Cart:
    def __init__(self, items):
        self.items = items

    def total(self):
        return sum(price_of(item) for item in self.items)

    def clear(self):
        self.items = []
";

fn shop() -> Index {
    let file = |path: &str, text: &str| (RepoPath::new(path).unwrap(), text.to_owned());
    Index::build(
        &Memory::new([
            file("shop/__init__.py", "from .cart import Cart\n"),
            file("shop/cart.py", CART),
            file("shop/price.py", "RATES = {'tax': 2}\ndef price_of(item):\n    return item * RATES['tax']\n"),
            file("shop/report.py", "def render(rows):\n    return 'invoice'.join(rows)\n"),
            file(
                "tests/test_cart.py",
                "from shop import Cart\n\ndef check(cart):\n    assert cart.total() == 3\n\ndef test_total():\n    check(Cart([1, 2]))\n\ndef test_clear():\n    Cart([]).clear()\n",
            ),
            file("setup.cfg", "[x]\n"),
        ]),
        &|_, _| None,
    )
}

fn failure(kind: FaultKind) -> Failure {
    Failure {
        id: Fingerprint::of(&["x"]),
        kind,
        tool: None,
        rule: None,
        severity: Severity::Error,
        message: String::new(),
        test: None,
        location: None,
        frames: Vec::new(),
        artifact: 0,
        lines: None,
        excerpt: String::new(),
        occurrences: 1,
        tests: Vec::new(),
        weight: 0,
    }
}

fn test_failure(class: &str, name: &str) -> Failure {
    let test = TestId { suite: String::new(), class: class.to_owned(), name: name.to_owned() };
    Failure { test: Some(test), ..failure(FaultKind::Test) }
}

fn frame(path: &str, line: u32) -> Frame {
    Frame { path: path.to_owned(), line: Some(line), function: None, in_project: None }
}

fn at(path: &str, line: u32) -> Location {
    Location { path: path.to_owned(), line: Some(line), column: None }
}

fn names(found: &Localisation) -> Vec<String> {
    found.ranked.iter().map(|it| it.symbol.clone().unwrap_or_else(|| it.path.to_string())).collect()
}

fn locate_all(failures: &[Failure], changed: &[Changed]) -> Localisation {
    locate(&shop(), &Query { failures, changed })
}

#[test]
fn what_a_failing_test_calls_through_a_helper_comes_first() {
    let found = locate_all(&[test_failure("tests.test_cart", "test_total[a-1]")], &[]);
    assert_eq!(names(&found)[0], "Cart.total");
    assert!(found.ranked[0].reasons.iter().any(|it| it.contains("called by")), "{:?}", found.ranked[0].reasons);
}

#[test]
fn tests_are_never_ranked_for_a_failing_test() {
    let mut failing = test_failure("tests.test_cart", "test_total");
    failing.location = Some(at("tests/test_cart.py", 4));
    failing.frames = vec![frame("tests/test_cart.py", 7), frame("tests/test_cart.py", 4)];
    let found = locate_all(&[failing], &[]);
    assert!(found.ranked.iter().all(|it| !it.path.as_str().starts_with("tests/")), "{:?}", names(&found));
}

#[test]
fn a_test_file_is_ranked_where_a_compiler_points_into_it() {
    let failing = Failure { location: Some(at("tests/test_cart.py", 7)), ..failure(FaultKind::Type) };
    let found = locate_all(&[failing], &[]);
    assert_eq!(names(&found)[0], "test_total");
    assert!(found.confidence > 0.8, "{}", found.confidence);
}

#[test]
fn the_stack_leads_to_its_innermost_call_and_to_what_the_test_called() {
    let mut failing = test_failure("tests.test_cart", "test_total");
    failing.frames = vec![
        frame("/home/ci/tests/test_cart.py", 7),
        frame("/home/ci/shop/cart.py", 8),
        frame("/home/ci/shop/price.py", 3),
        frame("/usr/lib/python3/json.py", 3),
    ];
    let found = locate_all(&[failing], &[]);
    let mut first = names(&found)[..2].to_vec();
    first.sort();
    assert_eq!(first, ["Cart.total", "price_of"]);
    let inner = found.ranked.iter().find(|it| it.symbol.as_deref() == Some("price_of")).unwrap();
    assert_eq!(inner.reasons[0], "the innermost call of the stack");
}

#[test]
fn what_changed_since_the_last_success_outweighs_names_and_words() {
    let changed = Changed { path: RepoPath::new("shop/price.py").unwrap(), hunks: vec![(3, 1)] };
    let found = locate_all(&[test_failure("tests.test_cart", "test_total")], &[changed]);
    assert!(names(&found)[..2].contains(&"price_of".to_owned()), "{:?}", names(&found));
}

#[test]
fn words_of_the_message_find_code_without_any_test() {
    let failing = Failure { message: "the invoice has no rows to render".to_owned(), ..failure(FaultKind::Unknown) };
    assert_eq!(names(&locate_all(&[failing], &[]))[0], "render");
}

#[test]
fn a_diagnostic_in_a_file_without_grammar_names_the_file() {
    let failing = Failure { location: Some(at("setup.cfg", 1)), ..failure(FaultKind::Lint) };
    let found = locate_all(&[failing], &[]);
    assert_eq!((found.ranked[0].path.as_str(), &found.ranked[0].symbol), ("setup.cfg", &None));
}

#[test]
fn the_list_reaches_what_no_signal_knows_and_never_changes() {
    let failing = [test_failure("", "no such test")];
    let found = locate_all(&failing, &[]);
    assert!(names(&found).contains(&"render".to_owned()) && found.ranked.len() >= 8, "{:?}", names(&found));
    assert_eq!(found.ranked, locate_all(&failing, &[]).ranked);
}
