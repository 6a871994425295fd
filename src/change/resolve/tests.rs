//! Edits that must resolve, and edits that must not.

use proptest::prelude::*;

use super::*;
use crate::source::Memory;

fn path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

fn replace(old: &str, new: &str) -> Edit {
    Edit::Replace { path: path("a.py"), old: old.into(), new: new.into() }
}

fn tree(text: &str) -> Memory {
    Memory::new([(path("a.py"), text), (path("lib/b.py"), "b\n")])
}

fn edited(text: &str, edits: &[Edit]) -> String {
    let changes = resolve(edits, &tree(text)).unwrap();
    assert_eq!(changes.len(), 1);
    String::from_utf8(changes[0].after.clone().unwrap().bytes).unwrap()
}

fn refused(text: &str, edits: &[Edit]) -> Reason {
    resolve(edits, &tree(text)).unwrap_err().reason
}

#[test]
fn an_exact_quotation_is_replaced_even_within_a_line() {
    assert_eq!(edited("x = 1\ny = 2\n", &[replace("= 2", "= 3")]), "x = 1\ny = 3\n");
}

#[test]
fn a_quotation_that_occurs_twice_is_refused_with_its_lines() {
    assert_eq!(refused("x\ny\nx\n", &[replace("x\n", "z\n")]), Reason::Ambiguous { lines: vec![1, 3] });
    assert_eq!(refused("aaa", &[replace("aa", "b")]), Reason::Ambiguous { lines: vec![1, 1] });
    assert_eq!(refused("x  \ny\nx \n", &[replace("x\t\n", "z\n")]), Reason::Ambiguous { lines: vec![1, 3] });
}

#[test]
fn blanks_at_line_ends_do_not_count_and_untouched_lines_keep_theirs() {
    let text = "def f():  \n    return 1\t\n\nz\n";
    assert_eq!(
        edited(text, &[replace("def f():\n    return 1\n", "def f():\n    return 2\n")]),
        "def f():  \n    return 2\n\nz\n"
    );
}

#[test]
fn a_uniform_indentation_is_carried_over() {
    let text = "class A:\n    def f(self):\n        return 1\n";
    assert_eq!(
        edited(text, &[replace("def f(self):\n    return 1\n", "def f(self):\n    # one more\n    return 2\n")]),
        "class A:\n    def f(self):\n        # one more\n        return 2\n"
    );
    assert_eq!(edited("if x:\n  y\n", &[replace("    if x:\n      y", "    if x:\n      z")]), "if x:\n  z\n");
}

#[test]
fn typographic_punctuation_folds_and_stays_where_nothing_changed() {
    let text = "say(“hi” – x)\ngo(1)\n";
    assert_eq!(
        edited(text, &[replace("say(\"hi\" - x)\ngo(1)\n", "say(\"hi\" - x)\ngo(2)\n")]),
        "say(“hi” – x)\ngo(2)\n"
    );
}

#[test]
fn a_file_keeps_its_line_ends_its_mark_and_its_missing_last_one() {
    assert_eq!(edited("\u{feff}a\r\nb\r\nc", &[replace("a\nb\n", "a\nx\ny\n")]), "\u{feff}a\r\nx\r\ny\r\nc");
    assert_eq!(edited("a\r\nb\nc\n", &[replace("a\nb\n", "a\nx\n")]), "a\r\nx\r\nc\n");
    assert_eq!(edited("a\nb", &[replace("b\n", "c\n")]), "a\nc");
}

#[test]
fn a_miss_names_the_first_line_that_differs() {
    let text = "def f(x):\n    y = x\n    return y\n";
    let reason = refused(text, &[replace("def f(x):\n    y = x + 1\n    return y\n", "pass\n")]);
    insta::assert_snapshot!(reason, @"`old` parts from the file at line 2: expected `    y = x + 1`, found `    y = x`");
    let reason = refused(text, &[replace("return z", "return y")]);
    insta::assert_snapshot!(reason, @"`old` does not occur, not even its first line `return z`; `new` stands in the file already");
    let reason = refused(text, &[replace("    return y\n    more()\n", "zzz\n")]);
    insta::assert_snapshot!(reason, @"`old` goes on with `    more()` where the file ends (line 4)");
}

#[test]
fn a_later_edit_works_on_what_the_earlier_one_left() {
    assert_eq!(edited("a\nb\n", &[replace("a\n", "c\n"), replace("c\nb\n", "d\n")]), "d\n");
    assert_eq!(refused("a\nb\n", &[replace("a\nb\n", "c\n"), replace("b\n", "x\n")]), Reason::Overlaps);
}

#[test]
fn all_edits_are_made_or_none() {
    let edits = [replace("a\n", "c\n"), Edit::Replace { path: path("nope.py"), old: "x".into(), new: "y".into() }];
    let error = resolve(&edits, &tree("a\n")).unwrap_err();
    assert_eq!((error.number, error.path.as_str()), (2, "nope.py"));
}

#[test]
fn edits_that_mean_nothing_are_refused() {
    assert_eq!(refused("a", &[replace("", "x")]), Reason::EmptyOld);
    assert_eq!(refused("a", &[replace("a", "a")]), Reason::NoChange);
    assert_eq!(refused("a", &[replace("a", "\0")]), Reason::NotText);
    assert_eq!(resolve(&[replace("a", "b"), replace("b", "a")], &tree("a")).unwrap(), []);
    let blank = refused("a\n\n\nb\n", &[replace("   ", "x")]);
    assert!(matches!(blank, Reason::Missing { .. }), "{blank}");
}

#[test]
fn files_are_created_only_where_nothing_stands() {
    let create = |text: &str| Edit::Create { path: path(text), content: "x\n".into() };
    for taken in ["a.py", "lib", "a.py/b"] {
        assert_eq!(refused("a", &[create(taken)]), Reason::Exists, "{taken}");
    }
    assert_eq!(refused("a", &[create("new"), create("new")]), Reason::Exists);
    let changes = resolve(&[create("lib/new.py")], &tree("a")).unwrap();
    assert_eq!((changes[0].path.as_str(), &changes[0].before), ("lib/new.py", &None));
}

#[test]
fn a_missing_file_brings_the_nearest_path_and_a_binary_one_is_left_alone() {
    let edit = |text: &str| Edit::Replace { path: path(text), old: "x".into(), new: "y".into() };
    assert_eq!(refused("a", &[edit("lib/c.py")]), Reason::NoFile { near: Some("lib/b.py".into()) });
    let source = Memory::new([(path("bin"), &b"\xff\xfe"[..]), (path("nul"), &b"x\0"[..])]);
    for name in ["bin", "nul"] {
        assert_eq!(resolve(&[edit(name)], &source).unwrap_err().reason, Reason::NotText);
    }
}

proptest! {
    /// Whatever is quoted, the answer is an edit or a reason, never a panic, and an accepted edit changes one place.
    #[test]
    fn any_edit_ends_in_one_place_or_in_a_reason(
        text in "[ab \t\r\n“\"]{0,40}",
        old in "[ab \t\r\n“\"]{0,10}",
        new in "[ab \t\r\n]{0,10}",
    ) {
        if let Ok(changes) = resolve(&[replace(&old, &new)], &tree(&text))
            && let [change] = changes.as_slice()
        {
            let after = String::from_utf8(change.after.clone().unwrap().bytes).unwrap();
            // What stands before and after the one place is byte for byte what stood there.
            let head = text.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
            let tail = text.bytes().rev().zip(after.bytes().rev()).take_while(|(a, b)| a == b).count();
            prop_assert!(text.len().saturating_sub(head + tail) <= 4 * old.len() + 40);
        }
    }

    /// A quotation of lines that occur once is always found, with the other lines untouched.
    #[test]
    fn lines_that_occur_once_are_replaced_and_the_others_stay(
        count in 2usize..12, from in 0usize..12, length in 1usize..4, crlf: bool, deeper in 0usize..3,
    ) {
        let from = from % count;
        let until = (from + length).min(count);
        let end = if crlf { "\r\n" } else { "\n" };
        let line = |n: usize| format!("{}line {n}", "  ".repeat(deeper));
        let text: String = (0..count).map(|n| line(n) + end).collect();
        let old = (from..until).map(|n| format!("line {n} ")).chain([String::new()]).collect::<Vec<_>>().join("\n");
        let expected: String = (0..from).map(line).chain([format!("{}new", "  ".repeat(deeper))])
            .chain((until..count).map(line)).map(|line| line + end).collect();
        prop_assert_eq!(edited(&text, &[replace(&old, "new\n")]), expected);
    }

    /// Edits one by one give what they give together.
    #[test]
    fn a_round_is_the_same_as_its_edits_one_after_another(
        text in "([a-d]\n){1,8}", edits in prop::collection::vec(("([a-d]\n){1,2}", "([a-d]\n){0,2}"), 1..4),
    ) {
        let edits: Vec<Edit> = edits.iter().map(|(old, new)| replace(old, new)).collect();
        let mut state = Some(text.clone());
        for edit in &edits {
            state = state.and_then(|text| match resolve(std::slice::from_ref(edit), &tree(&text)) {
                Ok(changes) if changes.is_empty() => Some(text),
                Ok(changes) => Some(String::from_utf8(changes[0].after.clone().unwrap().bytes).unwrap()),
                Err(_) => None,
            });
        }
        let together = resolve(&edits, &tree(&text)).ok().map(|changes| changes.first().map_or_else(
            || text.clone(), |change| String::from_utf8(change.after.clone().unwrap().bytes).unwrap()));
        prop_assert_eq!(together, state);
    }
}
