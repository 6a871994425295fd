//! Failed tests in a job's log of GitHub are called what their runner calls them, stamps, colours and groups or not.

use std::fmt::Write as _;

use crate::artifact::open;

/// What a runner prints, and the class and the name of a test that it says failed.
const RUNS: &[(&str, &str, &str)] = &[
    (
        r#"============================= test session starts ==============================
platform linux -- Python 3.11.4, pytest-7.4.0, pluggy-1.2.0
collected 3 items

tests/test_cart.py F.                                                    [ 66%]
tests/unit/test_api.py F                                                 [100%]

=================================== FAILURES ===================================
___________________________ TestCart.test_add[2-3] _____________________________

self = <tests.test_cart.TestCart object at 0x7f>

    def test_add(self, a, b):
>       assert add(a, b) == 6
E       assert 5 == 6

tests/test_cart.py:9: AssertionError
__________________________________ test_get ____________________________________

    def test_get():
>       raise ValueError("no")
E       ValueError: no

tests/unit/test_api.py:4: ValueError
=========================== short test summary info ============================
FAILED tests/test_cart.py::TestCart::test_add[2-3] - assert 5 == 6
FAILED tests/unit/test_api.py::test_get - ValueError: no
========================= 2 failed, 1 passed in 0.12s ==========================
"#,
        "tests.test_cart.TestCart",
        "test_add[2-3]",
    ),
    (
        r#"F.
======================================================================
FAIL: test_add (tests.test_cart.TestCart.test_add)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/home/runner/work/app/tests/test_cart.py", line 7, in test_add
    self.assertEqual(1, 2)
AssertionError: 1 != 2

----------------------------------------------------------------------
Ran 2 tests in 0.001s

FAILED (failures=1)
"#,
        "tests.test_cart.TestCart",
        "test_add",
    ),
    (
        r"ok  	example.com/m/other	0.003s
--- FAIL: TestX (0.00s)
    --- FAIL: TestX/sub_one (0.00s)
        x_test.go:7: got 1, want 2
FAIL
FAIL	example.com/m/pkg	0.005s
FAIL
",
        "example.com/m/pkg",
        "TestX/sub_one",
    ),
    (
        r"     Running unittests src/lib.rs (target/debug/deps/demo-1234567890abcdef)

running 2 tests
test math::tests::adds ... ok
test math::tests::subtracts ... FAILED

failures:

---- math::tests::subtracts stdout ----
thread 'math::tests::subtracts' panicked at src/math.rs:12:9:
assertion `left == right` failed
  left: 1
 right: 2
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace


failures:
    math::tests::subtracts

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

error: test failed, to rerun pass `--lib`
",
        "demo",
        "math::tests::subtracts",
    ),
    (
        r"    Starting 2 tests across 1 binary
        PASS [   0.003s] demo math::tests::adds
        FAIL [   0.004s] demo math::tests::subtracts

--- STDOUT:              demo math::tests::subtracts ---

running 1 test
test math::tests::subtracts ... FAILED

failures:

failures:
    math::tests::subtracts

test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 1 filtered out; finished in 0.00s


--- STDERR:              demo math::tests::subtracts ---
thread 'math::tests::subtracts' panicked at src/math.rs:12:9:
assertion `left == right` failed
  left: 1
 right: 2
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace

------------
     Summary [   0.005s] 2 tests run: 1 passed, 1 failed, 0 skipped
        FAIL [   0.004s] demo math::tests::subtracts
error: test run failed
",
        "demo",
        "math::tests::subtracts",
    ),
    (
        r"␛[0m␛[7m␛[1m␛[31m FAIL ␛[39m␛[22m␛[27m␛[0m ␛[2msrc/␛[22m␛[1mcart.test.js␛[22m
  Cart
    ␛[31m✕␛[39m adds items (5 ms)
    ␛[32m✓␛[39m removes items

␛[1m␛[31m  ␛[1m● ␛[22m␛[1mCart › adds items␛[39m␛[22m

    ␛[2mexpect(␛[22m␛[31mreceived␛[39m␛[2m).␛[22mtoBe␛[2m(␛[22m␛[32mexpected␛[39m␛[2m) // Object.is equality␛[22m

    Expected: ␛[32m2␛[39m
    Received: ␛[31m1␛[39m

    ␛[0m ␛[90m 3 |␛[39m it('adds items', () => {
    > 4 |   expect(1).toBe(2)
        |             ^

      at Object.<anonymous> (src/cart.test.js:4:13)

Test Suites: 1 failed, 1 total
Tests:       1 failed, 1 passed, 2 total
Snapshots:   0 total
Time:        0.5 s
",
        "Cart",
        "adds items",
    ),
    (
        r"
  Cart
    ✔ removes items
    1) adds items
    when empty
      2) throws


  1 passing (5ms)
  2 failing

  1) Cart
       adds items:

      AssertionError [ERR_ASSERTION]: 1 == 2
      + expected - actual

      -1
      +2

      at Context.<anonymous> (test/cart.js:5:14)
      at processImmediate (node:internal/timers:476:21)

  2) Cart
       when empty
         throws:
     Error: no
      at Context.<anonymous> (test/cart.js:9:14)
",
        "Cart > when empty",
        "throws",
    ),
    (
        r"[INFO] -------------------------------------------------------
[INFO]  T E S T S
[INFO] -------------------------------------------------------
[INFO] Running com.example.CartTest
[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.05 s <<< FAILURE! -- in com.example.CartTest
[ERROR] com.example.CartTest.addsItems -- Time elapsed: 0.01 s <<< FAILURE!
org.opentest4j.AssertionFailedError: expected: <1> but was: <2>
	at org.junit.jupiter.api.AssertionFailureBuilder.build(AssertionFailureBuilder.java:151)
	at com.example.CartTest.addsItems(CartTest.java:14)

[INFO]
[INFO] Results:
[INFO]
[ERROR] Failures:
[ERROR]   CartTest.addsItems:14 expected: <1> but was: <2>
[INFO]
[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0
[INFO]
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:3.1.2:test (default-test) on project demo: There are test failures.
",
        "com.example.CartTest",
        "addsItems",
    ),
    (
        r"> Task :test FAILED

com.example.CartTest > addsItems() FAILED
    org.opentest4j.AssertionFailedError at CartTest.java:14

2 tests completed, 1 failed

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':test'.
> There were failing tests. See the report at: file:///home/runner/work/app/build/reports/tests/test/index.html
",
        "com.example.CartTest",
        "addsItems()",
    ),
    (
        r"Failures:

  1) Cart#add adds items
     ␛[31mFailure/Error: ␛[0mexpect(cart.size).to eq(2)

       expected: 2
            got: 1

       (compared using ==)
     # ./spec/cart_spec.rb:7:in `block (3 levels) in <top (required)>'

Finished in 0.01 seconds (files took 0.1 seconds to load)
2 examples, 1 failure

Failed examples:

rspec ./spec/cart_spec.rb:5 # Cart#add adds items
",
        "",
        "Cart#add adds items",
    ),
    (
        r#"PHPUnit 10.5.0 by Sebastian Bergmann and contributors.

F.                                                                  2 / 2 (100%)

Time: 00:00.010, Memory: 6.00 MB

There was 1 failure:

1) App\Tests\CartTest::testAdds with data set "two" (2)
Failed asserting that 1 matches expected 2.

/home/runner/work/app/app/tests/CartTest.php:14

FAILURES!
Tests: 2, Assertions: 2, Failures: 1.
"#,
        r"App\Tests\CartTest",
        r#"testAdds with data set "two" (2)"#,
    ),
    (
        r"Starting test execution, please wait...
A total of 1 test files matched the specified pattern.
[xUnit.net 00:00:00.60]     Demo.Tests.CartTests.Adds(x: 1) [FAIL]
  Failed Demo.Tests.CartTests.Adds(x: 1) [5 ms]
  Error Message:
   Assert.Equal() Failure
Expected: 2
Actual:   1
  Stack Trace:
     at Demo.Tests.CartTests.Adds(Int32 x) in /home/runner/work/demo/demo/CartTests.cs:line 12

Failed!  - Failed:     1, Passed:     1, Skipped:     0, Total:     2, Duration: 10 ms - Demo.Tests.dll (net8.0)
",
        "Demo.Tests.CartTests",
        "Adds(x: 1)",
    ),
    (
        r"Test project /home/runner/work/demo/build
    Start 1: math.adds
1/2 Test #1: math.adds ........................   Passed    0.00 sec
    Start 2: math.subtracts
2/2 Test #2: math.subtracts ...................***Failed    0.00 sec
expected 1 got 2

50% tests passed, 1 tests failed out of 2

Total Test time (real) =   0.01 sec

The following tests FAILED:
	  2 - math.subtracts (Failed)
Errors while running CTest
",
        "",
        "math.subtracts",
    ),
    (
        r"[==========] Running 2 tests from 1 test suite.
[----------] Global test environment set-up.
[----------] 2 tests from MathTest
[ RUN      ] MathTest.Adds
[       OK ] MathTest.Adds (0 ms)
[ RUN      ] MathTest.Subtracts
/home/runner/work/demo/math_test.cc:12: Failure
Expected equality of these values:
  1
  2
[  FAILED  ] MathTest.Subtracts (0 ms)
[----------] 2 tests from MathTest (0 ms total)

[==========] 2 tests from 1 test suite ran. (0 ms total)
[  PASSED  ] 1 test.
[  FAILED  ] 1 test, listed below:
[  FAILED  ] MathTest.Subtracts

 1 FAILED TEST
",
        "MathTest",
        "Subtracts",
    ),
    (
        r"00:01 +0: loading /home/runner/work/app/test/cart_test.dart
00:02 +0: Cart adds items
00:02 +0 -1: Cart adds items [E]
  Expected: <2>
    Actual: <1>

  package:matcher             expect
  test/cart_test.dart 7:5     main.<fn>.<fn>

00:02 +1 -1: Some tests failed.
",
        "",
        "Cart adds items",
    ),
    (
        r#"1..2
not ok 1 adds items
# (in test file test/cart.bats, line 5)
#   `[ "$result" -eq 2 ]' failed
ok 2 removes items
"#,
        "",
        "adds items",
    ),
];

#[test]
fn failed_tests_have_the_names_that_their_runners_give_them() {
    for (printed, class, name) in RUNS {
        let mut log = String::from("\u{feff}2024-05-01T10:00:00.0000000Z ##[group]Run make test\n");
        log +=
            "2024-05-01T10:00:00.0000000Z \u{1b}[36;1mmake test\u{1b}[0m\n2024-05-01T10:00:00.0000000Z ##[endgroup]\n";
        for line in printed.replace('␛', "\u{1b}").lines() {
            writeln!(log, "2024-05-01T10:00:01.1234567Z {line}").unwrap();
        }
        log += "2024-05-01T10:00:02.0000000Z ##[error]Process completed with exit code 1.\n";
        let report = open("log", log.as_bytes()).remove(0);
        let failed: Vec<_> = report.cases.iter().filter(|case| case.is_failing()).map(|case| &case.id).collect();
        let called = |id: &&&crate::artifact::TestId| (id.class.as_str(), id.name.as_str()) == (*class, *name);
        assert_eq!(report.kind, "github-log");
        assert!(failed.iter().any(|id| called(&id)), "{name}: {failed:?}");
        let twice = failed.iter().filter(|id| called(id)).count() > 1;
        assert!(!twice, "{name} fails once: {failed:?}");
    }
}
