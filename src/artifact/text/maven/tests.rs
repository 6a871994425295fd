//! Tests of the module around.

use super::*;
use crate::artifact::Lines as Span;

const NEW: &str = "[INFO] Running org.a.CartTest
[ERROR] Tests run: 3, Failures: 1, Errors: 1, Skipped: 0, Time elapsed: 0.068 s <<< FAILURE! - in org.a.CartTest
[ERROR] adds  Time elapsed: 0.068 s  <<< FAILURE!
org.opentest4j.AssertionFailedError: expected: <1> but was: <2>
\tat org.assertj.core.X.y(X.java:9)
\tat org.a.CartTest.adds(CartTest.java:14)

[ERROR] org.a.CartTest.dies -- Time elapsed: 0.003 s <<< ERROR!
java.lang.NullPointerException
\tat org.a.Cart.total(Cart.java:7)
\tat org.a.CartTest.dies(CartTest.java:21)

[INFO] Results:
[INFO] 
[ERROR] Failures: 
[ERROR]   CartTest.adds:14 expected: <1> but was: <2>
[ERROR] Errors: 
[ERROR]   CartTest.dies:21 » NullPointer
[INFO] 
[ERROR] Tests run: 30, Failures: 1, Errors: 1, Skipped: 2
[INFO] 
";

#[test]
fn sections_name_tests_and_the_summary_repeats_none() {
    let part = read(&Lines::of(NEW));
    assert_eq!((part.counts.total, part.counts.failed, part.counts.errored, part.counts.skipped), (30, 1, 1, 2));
    let names: Vec<_> = part.cases.iter().map(|case| (case.id.class.as_str(), case.id.name.as_str())).collect();
    assert_eq!(names, [("org.a.CartTest", "adds"), ("org.a.CartTest", "dies")]);
    let fault = &part.cases[0].faults[0];
    assert_eq!(fault.message, "org.opentest4j.AssertionFailedError: expected: <1> but was: <2>");
    assert_eq!(fault.location.as_ref().unwrap().path, "org/a/CartTest.java");
    assert_eq!(fault.lines, Some(Span { start: 3, end: 6 }));
}

#[test]
fn old_versions_and_summaries_alone_are_read() {
    let log = "Running org.a.BTest\nTests run: 2, Failures: 0, Errors: 1, Skipped: 0, Time elapsed: 0.5 sec <<< FAILURE!\ntestX(org.a.BTest)  Time elapsed: 0.3 sec  <<< ERROR!\njava.lang.IllegalStateException: no\n\tat org.a.BTest.testX(BTest.java:3)\n\nResults :\n\nTests in error: \n  testX(org.a.BTest): no\n\nTests run: 2, Failures: 0, Errors: 1, Skipped: 0\n\n19547 [ERROR] Failures: \n19547 [ERROR]   CTest.far:9->Base.check:48 wrong\n19547 [ERROR] Tests run: 4, Failures: 1, Errors: 0, Skipped: 0\n";
    let part = read(&Lines::of(log));
    assert_eq!((part.counts.total, part.counts.failed, part.counts.errored), (6, 1, 1));
    assert_eq!(part.cases.len(), 2);
    assert_eq!((part.cases[1].id.name.as_str(), part.cases[1].faults[0].message.as_str()), ("far", "wrong"));
    assert_eq!(part.cases[1].faults[0].location.as_ref().unwrap().line, Some(9));
}

#[test]
fn other_lists_are_none() {
    assert!(!read(&Lines::of("Errors: 3\n  Foo.bar: x\nRunning late\n")).recognised);
}

#[test]
fn what_was_compiled_before_and_after_the_tests_is_left_to_others() {
    let warning = "[WARNING] /p/A.java:[3,5] [deprecation] is old\n";
    let tests = "[INFO]  T E S T S\n[INFO] Running p.ATest\n[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0\n";
    let part = read(&Lines::of(&format!("{warning}{tests}{warning}{tests}{warning}")));
    assert_eq!(part.claims, [(1, 4), (5, 8)]);
}

#[test]
fn a_cut_at_any_byte_is_read() {
    for end in (0..NEW.len()).filter(|end| NEW.is_char_boundary(*end)) {
        read(&Lines::of(&NEW[..end]));
    }
}

const ANT: &str = "    [junit] Running org.a.CartTest
    [junit] Testsuite: org.a.CartTest
    [junit] Tests run: 3, Failures: 1, Errors: 1, Time elapsed: 0.6 sec
    [junit] Tests run: 3, Failures: 1, Errors: 1, Time elapsed: 0.6 sec
    [junit] 
    [junit] Testcase: lists took 0.1 sec
    [junit] Testcase: adds took 0.5 sec
    [junit] \tFAILED
    [junit] expected:<1> but was:<2>
    [junit] junit.framework.AssertionFailedError: expected:<1> but was:<2>
    [junit] \tat org.a.CartTest.adds(CartTest.java:14)
    [junit] 
    [junit] Testcase: dies took 0 sec
    [junit] \tCaused an ERROR
    [junit] null
    [junit] java.lang.NullPointerException
    [junit] \tat org.a.Cart.total(Cart.java:7)
    [junit] 

BUILD FAILED
";

#[test]
fn what_ant_prints_twice_counts_once_and_names_its_tests() {
    let part = read(&Lines::of(ANT));
    assert_eq!((part.counts.total, part.counts.failed, part.counts.errored), (3, 1, 1));
    let told: Vec<_> = part
        .cases
        .iter()
        .map(|case| {
            (case.id.class.as_str(), case.id.name.as_str(), case.faults[0].message.as_str(), case.faults[0].lines)
        })
        .collect();
    let span = |start, end| Some(Span { start, end });
    assert_eq!(
        told,
        [
            ("org.a.CartTest", "adds", "junit.framework.AssertionFailedError: expected:<1> but was:<2>", span(7, 11)),
            ("org.a.CartTest", "dies", "java.lang.NullPointerException", span(13, 17)),
        ]
    );
    assert_eq!(part.cases[0].faults[0].location.as_ref().unwrap().path, "org/a/CartTest.java");
}
