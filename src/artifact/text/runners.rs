//! The test runners that print a head for each failed test: a row each.

use super::lines::Lines;
use super::{
    Format, Part, beam, behave, between, browser, dotnet, events, flutter, functional, go, jvm, maven, native, php,
    ruby, scripts,
};

/// Kind, producer, what is read, the words without one of which it is not this runner's text, and the reader.
type Row = (&'static str, &'static str, &'static str, &'static [&'static str], fn(&Lines) -> Part);

const fn row((kind, producer, reads, needles, read): Row) -> Format {
    Format { kind, producer, reads, needles, read }
}

/// What most of them tell.
const PLACES: &str = "tests, messages, places";
const MESSAGES: &str = "tests, messages";
const STACKS: &str = "tests, messages, stacks";

/// The runners, in the order of which the first with tests names the artifact.
pub(super) const RUNNERS: &[Format] = &[
    row((
        "go-test",
        "go",
        PLACES,
        &[
            "--- FAIL: ",
            "--- PASS: ",
            "FAIL\t",
            "ok  \t",
            " ns/op",
            "=== FAIL: ",
            "PASS ",
            "FAIL ",
            "DONE ",
            "--- SKIP: ",
            "0.00s)",
            "failed]",
        ],
        go::read,
    )),
    row(("go-test-json", "go", PLACES, &["\"Action\":"], events::go::read)),
    row((
        "libtest-json",
        "cargo",
        STACKS,
        &["\"type\": \"suite\"", "\"type\":\"suite\"", "\"type\": \"test\"", "\"type\":\"test\""],
        events::libtest::read,
    )),
    row(("dart-json", "dart", STACKS, &["\"type\":\"testStart\"", "\"type\":\"testDone\""], events::dart::read)),
    row(("pytest-reportlog", "pytest", STACKS, &["\"$report_type\""], events::reportlog::read)),
    row((
        "cucumber-messages",
        "cucumber",
        "scenarios, messages, stacks",
        &["{\"testCaseStarted\":"],
        events::messages::read,
    )),
    row(("terraform-test", "terraform, tofu", PLACES, &["\"type\":\"test_run\""], events::terraform::read)),
    row(("ginkgo", "ginkgo", PLACES, &["! -- "], go::ginkgo)),
    row(("gocheck", "gocheck", PLACES, &["OOPS: ", "FAIL: "], go::gocheck)),
    row(("cake", "cake", PLACES, &[" tests in "], browser::cake)),
    row(("rspec", "rspec", PLACES, &["examples, ", "example, "], ruby::rspec)),
    row(("minitest", "minitest", PLACES, &[" assertions, "], ruby::minitest)),
    row(("cucumber", "cucumber", "scenarios, places", &[" scenarios (", " scenario ("], ruby::cucumber)),
    row(("behave", "behave", "scenarios, places", &[" scenarios passed, ", " scenario passed, "], behave::read)),
    row(("flutter", "dart or flutter", STACKS, &["ll tests passed!", "ome tests failed."], flutter::read)),
    row(("phpunit", "phpunit", PLACES, &[", Assertions: ", " assertion)", " assertions)"], php::phpunit)),
    row(("pest", "pest", PLACES, &[" assertion)", " assertions)"], php::pest)),
    row(("phpspec", "phpspec", "examples, messages", &[" examples (", " example ("], php::phpspec)),
    row(("phpt", "php", "tests", &[".phpt]"], php::phpt)),
    row(("surefire", "maven", STACKS, &["Tests run: ", "<<< ", "[ERROR] Failures:", "[ERROR] Errors:"], maven::read)),
    row(("gradle-test", "gradle", STACKS, &[" FAILED", " tests completed", " test completed"], jvm::gradle)),
    row(("sbt", "sbt", PLACES, &["[info] ", "[error] "], jvm::sbt)),
    row((
        "clojure-test",
        "clojure",
        PLACES,
        &["FAIL in ", "ERROR in ", " tests containing ", "FAIL \"", "FAIL at ("],
        jvm::clojure,
    )),
    row((
        "dotnet-test",
        "dotnet",
        STACKS,
        &["Failed!  - ", "Passed!  - ", "Total tests: ", "  Total: ", "Test Count: ", ", Inconclusive: "],
        dotnet::dotnet,
    )),
    row(("pester", "pester", MESSAGES, &["Tests Passed: ", "Passed: "], dotnet::pester)),
    row(("exunit", "exunit", PLACES, &["Finished in "], beam::exunit)),
    row(("eunit", "eunit", PLACES, &["*failed*", "  Failed: "], beam::eunit)),
    row(("common-test", "common_test", MESSAGES, &["%%% "], beam::common_test)),
    row(("googletest", "googletest", PLACES, &["[ RUN      ] ", "[  FAILED  ] "], between::gtest)),
    row((
        "xctest",
        "xctest",
        PLACES,
        &["Test Case '", "Test case '", " passed after ", " failed after "],
        between::xctest,
    )),
    row(("xcpretty", "xcpretty", PLACES, &["Executed "], between::xcpretty)),
    row(("teamcity", "teamcity", PLACES, &["##teamcity["], between::teamcity)),
    row(("catch2", "catch2", PLACES, &["test cases:", "All tests passed (", ":test-result: "], native::catch2)),
    row(("doctest", "doctest", PLACES, &["[doctest] test cases:"], native::doctest)),
    row(("boost-test", "boost", PLACES, &["rror: in \"", "rror in \"", "errors detected"], native::boost)),
    row(("ctest", "ctest", "tests, output", &["% tests passed, "], native::ctest)),
    row(("qtest", "qt", PLACES, &["Totals: "], native::qt)),
    row(("meson", "meson", MESSAGES, &["Ok: "], native::meson)),
    row(("unity", "unity", PLACES, &[" Failures "], native::unity)),
    row(("automake", "automake", "tests", &["# TOTAL:", "# of expected passes", "Testing Time: "], native::automake)),
    row(("karma", "karma", PLACES, &["Executed ", " FAILED"], browser::karma)),
    row(("jasmine", "jasmine", PLACES, &["specs, ", "spec, ", " assertion"], browser::jasmine)),
    row(("playwright", "playwright", PLACES, &[" passed (", " › "], browser::playwright)),
    row(("bun", "bun", PLACES, &[" tests across "], browser::bun)),
    row(("deno", "deno", PLACES, &["FAILED | ", "ok | "], browser::deno)),
    row(("nextest", "nextest", PLACES, &["Summary ["], browser::nextest)),
    row(("grunt-qunit", "grunt", MESSAGES, &[" assertions failed"], browser::grunt)),
    row(("prove", "perl", PLACES, &["#   Failed test", "(Wstat: ", "Files="], scripts::prove)),
    row(("bats", "bats", PLACES, &[" tests, ", " test, "], scripts::bats)),
    row(("shunit2", "shunit2", MESSAGES, &["ASSERT:"], scripts::shunit)),
    row(("vader", "vader", MESSAGES, &["Success/Total: "], scripts::vader)),
    row(("busted", "busted", PLACES, &[" successes / ", " success / "], scripts::busted)),
    row(("robot", "robot", MESSAGES, &["| FAIL |", "| PASS |"], scripts::robot)),
    row(("tasty", "tasty", PLACES, &[" tests failed (", " tests passed ("], functional::tasty)),
    row(("hunit", "hunit", PLACES, &["Cases: "], functional::hunit)),
    row(("quickcheck", "quickcheck", PLACES, &["*** Failed!", "+++ OK"], functional::quickcheck)),
    row(("alcotest", "alcotest", MESSAGES, &[" tests run.", " test run."], functional::alcotest)),
    row(("testthat", "testthat", PLACES, &["[ FAIL ", "SKIPPED: ", "(@test", "(test-"], functional::testthat)),
    row((
        "julia-test",
        "julia",
        PLACES,
        &["Test Failed at ", "Error During Test at ", "Test Summary:"],
        functional::julia,
    )),
    row(("ert", "ert", MESSAGES, &[" results as expected"], functional::ert)),
    row(("buttercup", "buttercup", MESSAGES, &[" specs, "], functional::buttercup)),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Heads, ends and counts of every runner, for runs that no runner ever printed.
    const LINES: &[&str] = &[
        "=== RUN   TestA",
        "--- FAIL: TestA (0.00s)",
        "FAIL\ta/b\t0.1s",
        "=== FAIL: a/b TestA (0.00s)",
        "panic: x",
        "Failures:",
        "  1) Cart adds",
        "     Failure/Error: x",
        "3 examples, 1 failure",
        "  1) Failure:",
        "ATest#test_x [a.rb:3]:",
        "3 runs, 4 assertions, 1 failures, 1 errors, 0 skips",
        "cucumber a.feature:3 # Scenario: b",
        "There was 1 failure:",
        "1) A::testB",
        "Tests: 3, Assertions: 5, Failures: 1.",
        "FAIL Bug [a.phpt]",
        "Tests run: 3, Failures: 1, Errors: 0, Skipped: 0",
        "adds(org.A)  Time elapsed: 0.1 sec  <<< FAILURE!",
        "[ERROR] Failures: ",
        "[ERROR]   ATest.b:14->C.d:48 no",
        "ATest > b FAILED",
        "3 tests completed, 1 failed",
        "[info] - adds *** FAILED ***",
        "FAIL in (a) (b.clj:3)",
        "Ran 3 tests containing 5 assertions.",
        "  Failed A.B.C(x: 1.5) [5 ms]",
        "    A.B.C [FAIL]",
        "Failed!  - Failed: 1, Passed: 2, Total: 3",
        "  1) test a (B)",
        "Finished in 0.1 seconds",
        "3 tests, 1 failure",
        "a: b...*failed*",
        "%%% a ==> b: FAILED",
        "[ RUN      ] A.B",
        "[  FAILED  ] A.B (0 ms)",
        "Test Case '-[A b]' started.",
        "Test Case '-[A b]' failed (0.1 seconds).",
        "✘ Test a() recorded an issue at A.swift:1:2: é",
        "✗ a, é",
        "##teamcity[testFailed name='é|n' message='|']",
        "-------------------------------------------------------------------------------",
        "a.cpp:12: FAILED:",
        "test cases: 3 | 2 passed | 1 failed",
        "a.cpp(1): error: in \"b/c\": é",
        "  3 - a (Failed)",
        "Chrome 1 (Linux) é FAILED",
        "Chrome 1 (Linux): Executed 2 of 2 (1 FAILED)",
        "1) é",
        "  Message:",
        "  1) [é] › a.spec.ts:3:5 › b",
        "  2 passed (5s)",
        "(fail) a > é [0.1ms]",
        "a => ./b.ts:3:6",
        "error: é",
        "#   Failed test 'é'",
        "#   at a.t line 7.",
        "Files=2, Tests=3, 1",
        " ✗ é",
        "(1/2) [EXECUTE] (X) é",
        "Failure → a.lua @ 12",
        "é | FAIL |",
        "  é: FAIL",
        "── Failure (test-é.R:3:5): é ──",
        "[ FAIL 1 | WARN 0 | SKIP 0 | PASS 3 ]",
        "é: Test Failed at é:12",
        "Test é condition:",
        "",
        "    at a.b(C.java:3)",
        "99999999999999999999 tests, 1 failure",
    ];

    #[test]
    fn nothing_that_a_text_holds_makes_a_reader_panic() {
        let mut state = 7_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap() % below
        };
        for _ in 0..150 {
            let mut text = String::new();
            for _ in 0..60 {
                let line = LINES[random(LINES.len())];
                let cut = line.floor_char_boundary(random(2 * line.len() + 1).min(line.len()));
                text.push_str(if random(3) == 0 { &line[cut..] } else { &line[..cut] });
                text.push_str(if random(8) == 0 { "" } else { "\n" });
            }
            let lines = Lines::of(&text);
            for format in RUNNERS {
                let part = (format.read)(&lines);
                assert!(part.recognised || part.cases.is_empty(), "{} names tests of no run", format.kind);
            }
        }
    }

    #[test]
    fn every_runner_has_words_without_which_it_does_not_run() {
        assert!(RUNNERS.iter().all(|format| !format.needles.is_empty()));
    }
}
