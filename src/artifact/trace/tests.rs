//! One realistic trace of each language.

use super::*;

/// Frames as `path:line function`, then where the fault was raised.
fn show(text: &str) -> String {
    let trace = read(text);
    let frames: Vec<String> = trace
        .frames
        .iter()
        .map(|frame| format!("{}:{} {}", frame.path, frame.line.unwrap_or(0), frame.function.as_deref().unwrap_or("-")))
        .collect();
    format!("{} | {}", frames.join(", "), trace.location.map_or("-".to_owned(), |at| at.path))
}

#[test]
fn a_python_traceback_is_outermost_first() {
    let text = "Traceback (most recent call last):\n  File \"t.py\", line 3, in test_a\n    f()\n  File \"/usr/lib/python3.11/json/x.py\", line 9, in loads\nValueError: x";
    assert_eq!(show(text), "t.py:3 test_a, /usr/lib/python3.11/json/x.py:9 loads | t.py");
}

#[test]
fn a_pytest_traceback_takes_names_from_the_source_it_shows() {
    let text = "    def test_a():\n>       f(1)\n\nt.py:3: \n_ _ _\n\n    def f(x):\n>       assert x\nE       assert 0\n\nlib.py:9: AssertionError";
    assert_eq!(show(text), "t.py:3 test_a, lib.py:9 f | lib.py");
}

#[test]
fn what_a_test_logged_is_not_where_it_failed() {
    let text = "t.py:3: in test_a\n    f()\nE   ValueError\n----------- Captured log call ------------\nTraceback (most recent call last):\n  File \"other.py\", line 9, in g\nKeyError: 1";
    assert_eq!(show(text), "t.py:3 test_a | t.py");
}

#[test]
fn the_first_exception_of_a_group_stands_for_it() {
    let text = "  + Exception Group Traceback (most recent call last):\n  |   File \"/r/a.py\", line 3, in <module>\n  |     main()\n  | ExceptionGroup: many (2 sub-exceptions)\n  +-+---------------- 1 ----------------\n    | Traceback (most recent call last):\n    |   File \"/r/b.py\", line 9, in first\n    | ValueError: one\n    +---------------- 2 ----------------\n    | Traceback (most recent call last):\n    |   File \"/r/c.py\", line 7, in second\n    | TypeError: two\n    +------------------------------------\n";
    assert_eq!(show(text), "/r/b.py:9 first | /r/b.py");
}

#[test]
fn javascript_and_jvm_traces_are_turned_round() {
    let text = "Error: x\n    at f (/r/a.js:1:2)\n    at Object.<anonymous> (/r/t.js:3:4)\n    at node:internal/x:5:6";
    assert_eq!(show(text), "node:internal/x:5 -, /r/t.js:3 Object.<anonymous>, /r/a.js:1 f | /r/a.js");
    assert_eq!(show("\tat org.x.Foo.bar(Foo.java:7)"), "org/x/Foo.java:7 org.x.Foo.bar | org/x/Foo.java");
}

#[test]
fn javascript_is_read_from_every_engine() {
    let node = "TypeError: x\n    at async Foo.bar [as baz] (file:///r/a.mjs:1:2)\n    at new Thing (C:\\r\\b.ts:3:4)\n    at Array.map (<anonymous>)\n    at async Promise.all (index 0)\n    at eval (eval at run (/r/c.js:5:6), <anonymous>:1:1)\n    at webpack:///./src/d.tsx?5e1c:7:8\n    at http://localhost:9876/base/src/e.js?v=1:9:1";
    assert_eq!(
        show(node),
        "http://localhost:9876/base/src/e.js:9 -, webpack:///./src/d.tsx:7 -, /r/c.js:5 -, C:\\r\\b.ts:3 Thing, file:///r/a.mjs:1 Foo.bar | file:///r/a.mjs"
    );
    let firefox = "render@http://localhost:8080/src/a.js:1:2\n@http://localhost:8080/src/b.js:3:4\nglobal code@file:///r/c.js:5:6\nmail me@example.org:1:2";
    assert_eq!(
        show(firefox),
        "file:///r/c.js:5 -, http://localhost:8080/src/b.js:3 -, http://localhost:8080/src/a.js:1 render | http://localhost:8080/src/a.js"
    );
}

#[test]
fn the_cause_of_a_javascript_error_is_where_it_was_raised() {
    let text = "Error: outer\n    at f (/r/a.js:1:2) {\n  [cause]: TypeError: inner\n      at g (/r/b.js:3:4)\n}";
    assert_eq!(show(text), "/r/b.js:3 g | /r/b.js");
    assert_eq!(read(text).cause.as_deref(), Some("TypeError: inner"));
    let vitest = "Error: outer\n ❯ src/a.test.ts:3:5\n\nCaused by: Error: inner\n ❯ load src/b.ts:7:9\n";
    assert_eq!(show(vitest), "src/b.ts:7 load | src/b.ts");
}

#[test]
fn files_without_lines_are_the_jvms() {
    let text = "x.E: y\n\tat org.x.A.a(A.java)\n\tat org.x.B.b(B.java:3)";
    assert_eq!(show(text), "org/x/B.java:3 org.x.B.b, org/x/A.java:0 org.x.A.a | org/x/A.java");
}

#[test]
fn the_root_cause_of_a_jvm_chain_gets_the_calls_it_shares() {
    let text = "java.lang.IllegalStateException: Failed to load context\n\tat org.springframework.A.load(A.java:10)\n\tat org.x.AppTest.starts(AppTest.java:20)\n\tat java.base/java.lang.Thread.run(Thread.java:829)\n\tSuppressed: java.io.IOException: close\n\t\tat org.x.Res.close(Res.java:5)\n\tCaused by: x.Hidden: y\n\t\tat org.x.H.h(H.java:1)\nCaused by: java.lang.RuntimeException: wrapped\n\tat org.springframework.B.make(B.java:11)\n\t... 3 more\nCaused by: java.lang.IllegalArgumentException: no bean 'x'\n\tat org.x.Config.lambda$bean$0(Config.java:7)\n\tat java.base/jdk.internal.reflect.M.invoke(Native Method)\n\t... 2 more\n";
    assert_eq!(
        show(text),
        "java/lang/Thread.java:829 java.lang.Thread.run, org/x/AppTest.java:20 org.x.AppTest.starts, org/x/Config.java:7 org.x.Config.bean | org/x/Config.java"
    );
    assert_eq!(read(text).cause.as_deref(), Some("java.lang.IllegalArgumentException: no bean 'x'"));
}

#[test]
fn a_cause_inside_a_library_leaves_the_place_to_the_projects_own_code() {
    let text = "java.lang.RuntimeException: a\n\tat org.x.Foo.bar(Foo.java:7)\nCaused by: java.io.IOException: b\n\tat java.base/sun.nio.ch.X.y(X.java:1)\n\t... 1 more";
    assert_eq!(show(text), "org/x/Foo.java:7 org.x.Foo.bar, sun/nio/ch/X.java:1 sun.nio.ch.X.y | org/x/Foo.java");
}

#[test]
fn languages_of_the_jvm_have_their_names_cleaned() {
    let text = "[error] at a.b.Main$.$anonfun$run$1(Main.scala:3)\n[error] at scala.collection.X.map(X.scala:9)";
    assert_eq!(
        show(text),
        "scala/collection/X.scala:9 scala.collection.X.map, a/b/Main.scala:3 a.b.Main.run | a/b/Main.scala"
    );
    assert_eq!(
        show("\tat a.b.Repo$load$1.invokeSuspend(Repo.kt:12) ~[classes/:?]"),
        "a/b/Repo.kt:12 a.b.Repo.load | a/b/Repo.kt"
    );
    assert_eq!(
        show("\tat my_app.core$do_it.invokeStatic(core.clj:12)\n\tat clojure.core$eval.invoke(core.clj:1)"),
        "clojure/core.clj:1 clojure.core.eval, my_app/core.clj:12 my_app.core.do_it | my_app/core.clj"
    );
}

#[test]
fn a_rust_backtrace_names_its_functions() {
    let text = "   0: core::panicking::panic\n             at /rustc/x/library/core/src/panicking.rs:1:5\n   1: 0x55d0 - demo::f::h0123456789abcdef\n             at ./src/lib.rs:4:9";
    assert_eq!(
        show(text),
        "./src/lib.rs:4 demo::f, /rustc/x/library/core/src/panicking.rs:1 core::panicking::panic | ./src/lib.rs"
    );
}

#[test]
fn the_goroutine_that_panicked_is_the_stack() {
    let text = "panic: runtime error: index out of range [5] with length 3 [recovered]\n\ngoroutine 7 [running]:\ntesting.tRunner.func1.2({0x50e1c0, 0xc0000b4000})\n\t/usr/local/go/src/testing/testing.go:1526 +0x24e\nexample.com/demo/pkg.(*List).At(0xc000012345, 0x5)\n\t/home/runner/work/demo/demo/pkg/list.go:12 +0x1d\nexample.com/demo/pkg.TestAt(0xc0000a0000)\n\t/home/runner/work/demo/demo/pkg/list_test.go:9 +0x2b\ncreated by testing.(*T).Run in goroutine 1\n\t/usr/local/go/src/testing/testing.go:1629 +0x3ea\n\ngoroutine 1 [chan receive]:\nmain.wait()\n\t/home/runner/work/demo/demo/main.go:3 +0x1\n";
    assert_eq!(
        show(text),
        "/usr/local/go/src/testing/testing.go:1629 testing.(*T).Run, /home/runner/work/demo/demo/pkg/list_test.go:9 example.com/demo/pkg.TestAt, /home/runner/work/demo/demo/pkg/list.go:12 example.com/demo/pkg.(*List).At, /usr/local/go/src/testing/testing.go:1526 testing.tRunner.func1.2 | /home/runner/work/demo/demo/pkg/list.go"
    );
}

#[test]
fn places_of_go_tests_and_of_testify_are_frames() {
    assert_eq!(show("    list_test.go:12: got 1, want 2"), "list_test.go:12 - | list_test.go");
    assert_eq!(
        show(
            "        Error Trace:\t/r/a_test.go:12\n        \t            \t/r/helper.go:3\n        Error:      \tNot equal"
        ),
        "/r/helper.go:3 -, /r/a_test.go:12 - | /r/a_test.go"
    );
}

#[test]
fn ruby_is_read_with_both_quotes_and_from_rspec() {
    let text = "a.rb:3:in `div': divided by 0 (ZeroDivisionError)\n\tfrom a.rb:7:in 'block (2 levels) in Foo#run'\n\tfrom /usr/lib/ruby/gems/3.2.0/gems/rake-13.0.6/lib/rake.rb:9:in 'Array#each'\n\tfrom a.rb:11:in '<main>'";
    assert_eq!(
        show(text),
        "a.rb:11 -, /usr/lib/ruby/gems/3.2.0/gems/rake-13.0.6/lib/rake.rb:9 Array#each, a.rb:7 Foo#run, a.rb:3 div | a.rb"
    );
    let rspec = "     Failure/Error: expect(x).to eq 1\n     # ./lib/x.rb:4:in `call'\n     # ./spec/x_spec.rb:3:in `block (3 levels) in <top (required)>'";
    assert_eq!(show(rspec), "./spec/x_spec.rb:3 -, ./lib/x.rb:4 call | ./lib/x.rb");
}

#[test]
fn php_frames_are_named_by_the_function_they_are_in() {
    let text = "PHP Fatal error:  Uncaught RuntimeException: no in /app/src/a.php:12\nStack trace:\n#0 /app/src/b.php(7): App\\A->run()\n#1 [internal function]: {closure}()\n#2 /app/vendor/x/y.php(3): array_map()\n#3 {main}\n  thrown in /app/src/a.php on line 12";
    assert_eq!(
        show(text.split("\n  thrown").next().unwrap()),
        "/app/vendor/x/y.php:3 -, /app/src/b.php:7 -, /app/src/a.php:12 App\\A->run | /app/src/a.php"
    );
    assert_eq!(
        show("Failed asserting that 1 is 2.\n\n/app/tests/ATest.php:12\n/app/vendor/bin/phpunit.php:3"),
        "/app/vendor/bin/phpunit.php:3 -, /app/tests/ATest.php:12 - | /app/tests/ATest.php"
    );
}

#[test]
fn the_innermost_exception_of_dotnet_is_where_it_was_raised() {
    let text = "System.AggregateException: One or more errors occurred. (bad)\n ---> System.InvalidOperationException: bad\n   at App.Core.Store.<LoadAsync>d__5.MoveNext() in D:\\a\\r\\r\\src\\Store.cs:line 12\n--- End of stack trace from previous location ---\n   at App.Core.Program.<>c__DisplayClass1_0.<Main>b__0(String x) in D:\\a\\r\\r\\src\\Program.cs:line 7\n   --- End of inner exception stack trace ---\n   at System.Threading.Tasks.Task.Wait(Int32 ms)\n   at App.Core.Program.Main(String[] args) in D:\\a\\r\\r\\src\\Program.cs:line 3";
    assert_eq!(
        show(text),
        "D:\\a\\r\\r\\src\\Program.cs:7 App.Core.Program.Main, D:\\a\\r\\r\\src\\Store.cs:12 App.Core.Store.LoadAsync | D:\\a\\r\\r\\src\\Store.cs"
    );
    assert_eq!(read(text).cause.as_deref(), Some("System.InvalidOperationException: bad"));
}

#[test]
fn mono_unity_and_methods_with_blanks_in_their_names() {
    assert_eq!(show("  at A.B.Fails () [0x00000] in /r/src/B.cs:121 "), "/r/src/B.cs:121 A.B.Fails | /r/src/B.cs");
    assert_eq!(
        show("A.Client:LogError(String) (at Assets/Client.cs:20)"),
        "Assets/Client.cs:20 A.Client.LogError | Assets/Client.cs"
    );
    assert_eq!(
        show("\tat a.CalcTest.test scale(CalcTest.kt:15)"),
        "a/CalcTest.kt:15 a.CalcTest.test scale | a/CalcTest.kt"
    );
}

#[test]
fn debuggers_sanitizers_and_valgrind_name_functions_without_arguments() {
    let gdb = "#0  0x00007ffff in raise () from /lib/x86_64-linux-gnu/libc.so.6\n#1  0x000055 in list_at (l=0x0, i=5) at src/list.c:12\n#2  main (argc=1, argv=0x7ff) at src/main.c:7";
    assert_eq!(show(gdb), "src/main.c:7 main, src/list.c:12 list_at | src/list.c");
    let lldb =
        "  * frame #0: 0x0000000100003f64 demo`list_at(l=0x0) at list.c:12:5\n    frame #1: 0x01 demo`main at main.c:7";
    assert_eq!(show(lldb), "main.c:7 main, list.c:12 list_at | list.c");
    let asan = "==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x602 at pc 0x4c\nREAD of size 4 at 0x602 thread T0\n    #0 0x4c in ns::List<int>::at(unsigned long) const /src/list.cc:12:5\n    #1 0x4d in main /src/main.cc:7:3\n    #2 0x7f in __libc_start_main (/lib/libc.so.6+0x2)\n\n0x602 is located 0 bytes inside of 4-byte region\nfreed by thread T0 here:\n    #0 0x49 in free /llvm/compiler-rt/lib/asan/asan_malloc_linux.cpp:52:3\n    #1 0x4c in drop(int*) /src/drop.cc:3:1\n";
    assert_eq!(show(asan), "/src/main.cc:7 main, /src/list.cc:12 ns::List<int>::at | /src/list.cc");
    let tsan = "  Write of size 4 at 0x1 by thread T1:\n    #0 inc /src/a.c:3:2 (prog+0x1)\n\n  Previous write of size 4 at 0x1 by main thread:\n    #0 main /src/a.c:9:2 (prog+0x2)\n";
    assert_eq!(show(tsan), "/src/a.c:3 inc | /src/a.c");
    let valgrind = "==12== Invalid read of size 4\n==12==    at 0x4005: list_at (list.c:12)\n==12==    by 0x4006: main (main.c:7)\n==12==  Address 0x0 is not stack'd\n==12==    at 0x4C: malloc (vg_replace_malloc.c:299)\n";
    assert_eq!(show(valgrind), "main.c:7 main, list.c:12 list_at | list.c");
    assert_eq!(show("demo: src/list.c:12: list_at: Assertion `i < n' failed."), "src/list.c:12 list_at | src/list.c");
    assert_eq!(show("src/a.cc:3:7: runtime error: signed integer overflow"), "src/a.cc:3 - | src/a.cc");
}

#[test]
fn swift_elixir_erlang_and_dart() {
    assert_eq!(show("App/Main.swift:12: Fatal error: Index out of range"), "App/Main.swift:12 - | App/Main.swift");
    assert_eq!(show("Fatal error: no: file App/Main.swift, line 12"), "App/Main.swift:12 - | App/Main.swift");
    let elixir = "** (RuntimeError) boom\n    (elixir 1.15.7) lib/enum.ex:987: Enum.\"-map/2-lists^map/1-0-\"/2\n    (demo 0.1.0) lib/demo.ex:3: anonymous fn/1 in Demo.run/1\n    test/demo_test.exs:9: (test)";
    assert_eq!(
        show(elixir),
        "test/demo_test.exs:9 (test), lib/demo.ex:3 Demo.run/1, (elixir 1.15.7) lib/enum.ex:987 Enum.\"-map/2-lists^map/1-0-\"/2 | lib/demo.ex"
    );
    assert_eq!(show("  in function  demo:run/1 (src/demo.erl, line 12)"), "src/demo.erl:12 demo:run/1 | src/demo.erl");
    let dart = "#0      fail (package:test_api/src/expect.dart:9:5)\n#1      main.<anonymous closure> (file:///r/test/a_test.dart:3:5)\n#2      _run (dart:isolate-patch/isolate_patch.dart:1:2)";
    assert_eq!(
        show(dart),
        "dart:isolate-patch/isolate_patch.dart:1 _run, file:///r/test/a_test.dart:3 main, package:test_api/src/expect.dart:9 fail | file:///r/test/a_test.dart"
    );
    assert_eq!(
        show("package:matcher          expect\ntest/a_test.dart 3:5     main.<fn>"),
        "test/a_test.dart:3 main | test/a_test.dart"
    );
}

#[test]
fn scripts_and_functional_languages() {
    assert_eq!(
        show("Can't locate X.pm in @INC at lib/A.pm line 3.\n\tmain::go(1) called at bin/a.pl line 9"),
        "bin/a.pl:9 -, lib/A.pm:3 main::go | lib/A.pm"
    );
    assert_eq!(
        show(
            "lua: a.lua:3: boom\nstack traceback:\n\t[C]: in function 'error'\n\ta.lua:3: in function 'f'\n\ta.lua:9: in main chunk\n\t[C]: in ?"
        ),
        "a.lua:9 -, a.lua:3 f, a.lua:3 - | a.lua"
    );
    assert_eq!(
        show(
            "demo: boom\nCallStack (from HasCallStack):\n  error, called at src/A.hs:3:5 in main:A\n  f, called at app/Main.hs:9:1 in main:Main"
        ),
        "app/Main.hs:9 -, src/A.hs:3 f | src/A.hs"
    );
    assert_eq!(
        show(
            "Raised at Stdlib.failwith in file \"stdlib.ml\", line 29, characters 17-33\nCalled from Dune__exe__Main.f in file \"bin/main.ml\", line 3, characters 2-4"
        ),
        "bin/main.ml:3 Main.f, stdlib.ml:29 Stdlib.failwith | bin/main.ml"
    );
    assert_eq!(
        show(
            "ERROR: LoadError: boom\nStacktrace:\n [1] error(s::String)\n   @ Base ./error.jl:35\n [2] f(x::Int64)\n   @ Main ~/r/a.jl:3"
        ),
        "~/r/a.jl:3 f, <Base>/error.jl:35 error | ~/r/a.jl"
    );
    assert_eq!(
        show(" 1. └─pkg::f(1) at tests/testthat/test-a.R:3:5\n 2.   └─pkg:::g(x) at R/a.R:9:1"),
        "tests/testthat/test-a.R:3 pkg::f, R/a.R:9 pkg:::g | R/a.R"
    );
    assert_eq!(show("At C:\\r\\a.ps1:3 char:5\n+     throw 'x'"), "C:\\r\\a.ps1:3 - | C:\\r\\a.ps1");
    assert_eq!(show("./build.sh: line 3: foo: command not found"), "./build.sh:3 - | ./build.sh");
}

#[test]
fn a_trace_of_any_depth_is_bounded_and_keeps_both_ends() {
    let calls: Vec<String> = (0..50_000).map(|line| format!("    at f{line} (/r/a.js:{line}:1)")).collect();
    let trace = read(&calls.join("\n"));
    assert_eq!(trace.frames.len(), 100);
    assert_eq!(trace.frames[99].function.as_deref(), Some("f0"));
}

mod hostile {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn nothing_that_looks_like_a_trace_panics(
            lines in prop::collection::vec(
                prop_oneof![
                    "(    at |❯ |#[0-9]+ |==1== +at 0x1: |\\[1\\] |@ |  File \"|Caused by: |--- |goroutine |created by )?[ -~é→]{0,40}",
                    "[a-z./]{0,12}\\.(js|py|rs|go|java|clj|rb|php|cs|c|hs|jl|lua|ex|R|dart|swift):[0-9]{0,12}(:[0-9]{1,3})?:?.{0,12}",
                    "at [a-z$.<>/]{0,20}\\([A-Za-z]{0,6}\\.?(java|kt|clj)?:?[0-9]{0,3}\\)?",
                    "\\.\\.\\. [0-9]{0,25} more",
                ],
                0..24,
            )
        ) {
            let trace = super::read(&lines.join("\n"));
            prop_assert!(trace.frames.len() <= 100);
        }
    }
}
