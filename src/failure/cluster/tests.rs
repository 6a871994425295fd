//! What is one failure and what is not.

use crate::artifact::read;
use crate::failure::{Failure, collect};

fn junit(cases: &[String]) -> Vec<Failure> {
    let text = format!("<testsuite name='s'>{}</testsuite>", cases.concat());
    collect(&[read("r.xml", text.as_bytes())], None)
}

fn case(class: &str, name: &str, message: &str, body: &str) -> String {
    format!("<testcase classname='{class}' name='{name}'><failure message=\"{message}\">{body}</failure></testcase>")
}

fn occurrences(failures: &[Failure]) -> Vec<u64> {
    failures.iter().map(|failure| failure.occurrences).collect()
}

#[test]
fn one_missing_module_is_one_failure_however_many_need_it() {
    let cases: Vec<String> = (0..40)
        .map(|at| {
            let body = format!("tests/test_{at}.py:{}: in &lt;module&gt;\n    import yaml\nE   ModuleNotFoundError: No module named 'yaml'", at + 1);
            case(&format!("tests.test_{at}"), "t", "ModuleNotFoundError: No module named 'yaml'", &body)
        })
        .collect();
    let all = junit(&cases);
    assert_eq!(occurrences(&all), [40]);
    let names: Vec<&str> = all[0].tests.iter().map(|test| test.class.as_str()).collect();
    assert_eq!((names.len(), names[0], names[39]), (40, "tests.test_0", "tests.test_39"));
    assert_eq!(junit(&cases[7..8])[0].id, all[0].id, "the fingerprint does not depend on who needs it");
    let other = case("t", "t", "ModuleNotFoundError: No module named 'toml'", "");
    assert_eq!(junit(&[cases[0].clone(), other]).len(), 2);
}

#[test]
fn one_root_of_a_chain_is_one_failure() {
    let chain = |test: &str, cause: &str| {
        let body = format!(
            "java.lang.IllegalStateException: Failed to load ApplicationContext for {test}\n\tat org.springframework.A.load(A.java:10)\n\tat org.x.{test}.starts({test}.java:20)\nCaused by: {cause}\n\tat org.springframework.B.make(B.java:7)\n\t... 2 more"
        );
        case(&format!("org.x.{test}"), "starts", &format!("Failed to load ApplicationContext for {test}"), &body)
    };
    let no_bean = "x.NoSuchBeanException: no bean named &apos;store&apos;";
    assert_eq!(
        occurrences(&junit(&[chain("ATest", no_bean), chain("BTest", no_bean), chain("CTest", "x.E: other cause")])),
        [2, 1]
    );
    let bare = "java.lang.NullPointerException";
    assert_eq!(junit(&[chain("ATest", bare), chain("BTest", bare)]).len(), 2, "a type alone says too little");
    let assertion = "java.lang.AssertionError: expected:&lt;1&gt; but was:&lt;2&gt;";
    assert_eq!(junit(&[chain("ATest", assertion), chain("BTest", assertion)]).len(), 2);
}

#[test]
fn an_assertion_in_a_shared_function_is_one_failure_only_with_the_same_values() {
    let check = |test: &str, value: u32| {
        let body = format!(
            "Traceback (most recent call last):\n  File \"t.py\", line 3, in {test}\n    check({value})\n  File \"checks.py\", line 9, in check\n    assert x == 0\nAssertionError: {value} is not 0"
        );
        case("t", test, &format!("AssertionError: {value} is not 0"), &body)
    };
    assert_eq!(occurrences(&junit(&[check("test_a", 1), check("test_b", 2), check("test_c", 1)])), [2, 1]);
}

#[test]
fn a_syntax_error_that_many_tests_import_is_one_failure() {
    let broken = |test: &str| {
        let body = format!(
            "tests/{test}.py:1: in &lt;module&gt;\n    import lib\nE     File \"/r/lib.py\", line 3\nE       def f(\nE            ^\nE   SyntaxError: '(' was never closed"
        );
        case("", &format!("tests.{test}"), "collection failure", &body)
    };
    let found = junit(&[broken("a"), broken("b"), broken("c")]);
    assert_eq!(occurrences(&found), [3]);
    assert_eq!(found[0].location.as_ref().unwrap().path, "/r/lib.py");
}

#[test]
fn a_service_that_is_down_is_one_failure_whatever_the_port() {
    let down = |test: &str, port: u32| case("t", test, &format!("Error: connect ECONNREFUSED 127.0.0.1:{port}"), "");
    assert_eq!(occurrences(&junit(&[down("a", 40123), down("b", 40999)])), [2]);
    let alike = |test: &str| case("t", test, "expected true to be false", "");
    assert_eq!(junit(&[alike("a"), alike("b")]).len(), 2, "words alone are no cause");
}

#[test]
fn a_compile_error_that_each_target_repeats_is_one_failure() {
    let error = "error[E0425]: cannot find value `x` in this scope\n --> src/lib.rs:3:5\n  |\n";
    let log = format!(
        "{error}\nerror: could not compile `demo` (lib) due to 1 previous error\n{error}\nerror: could not compile `demo` (lib test)\n"
    );
    let found = collect(&[read("log", log.as_bytes()), read("log2", error.as_bytes())], None);
    let named: Vec<_> = found.iter().filter(|failure| failure.message.contains("cannot find value")).collect();
    assert_eq!(named.len(), 1);
    assert!(named[0].occurrences >= 2);
}

#[test]
fn tests_that_were_not_built_follow_from_the_compile_error() {
    let mut failures =
        collect(&[read("log", b"error[E0425]: cannot find value `x` in this scope\n --> src/lib.rs:3:5\n  |\n")], None);
    let unbuilt = junit(&[case("pkg", "TestA", "[build failed]", ""), case("pkg", "TestB", "[build failed]", "")]);
    failures.extend(unbuilt);
    let found = super::cluster(failures);
    assert_eq!(occurrences(&found), [3]);
    let names: Vec<&str> = found[0].tests.iter().map(|test| test.name.as_str()).collect();
    assert_eq!((found[0].test.is_none(), names), (true, vec!["TestA", "TestB"]));
}

#[test]
fn a_test_is_named_once_and_names_are_bounded() {
    let down = |at: usize| case("t", &format!("t{}", at / 2), "connect ECONNREFUSED 127.0.0.1:80", "");
    let found = junit(&(0..3000).map(down).collect::<Vec<_>>());
    assert_eq!((found[0].occurrences, found[0].tests.len()), (3000, super::NAMED));
    assert_eq!((found[0].tests[0].name.as_str(), found[0].tests[999].name.as_str()), ("t0", "t999"));
}

#[test]
fn the_order_of_the_tests_does_not_matter() {
    let one = case("t", "a", "Cannot find module './x' from 'test/a.js'", "");
    let two = case("t", "b", "Cannot find module '../test/x' from 'src/b.js'", "");
    assert_eq!(junit(&[one.clone(), two.clone()])[0].id, junit(&[two, one])[0].id);
}
