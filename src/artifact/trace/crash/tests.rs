//! One realistic crash of each runtime, between lines of a log.

use super::*;

/// Tool, kind, message, place and quoted lines of each crash.
fn show(text: &str) -> Vec<String> {
    let lines = Lines::of(&format!("$ run\nstarting\n{text}\nmake: *** [run] Error 1\n"));
    let shown = read(&lines).diagnostics.into_iter().map(|found| {
        let at = found.location.map_or("-".to_owned(), |at| format!("{}:{}", at.path, at.line.unwrap_or(0)));
        let quoted = found.lines.map_or(0, |lines| lines.end - lines.start + 1);
        assert!(quoted <= 15);
        format!("{} {:?} {} @ {at} ({quoted})", found.tool, found.kind, found.message)
    });
    shown.collect()
}

#[test]
fn uncaught_exceptions_of_javascript() {
    let node = "/r/src/a.js:3\n    throw new TypeError(\"bad\");\n    ^\n\nTypeError: bad\n    at f (/r/src/a.js:3:11)\n    at Object.<anonymous> (/r/src/a.js:7:1)\n    at node:internal/main/run_main_module:17:47\n\nNode.js v18.0.0";
    assert_eq!(show(node), ["node Crash TypeError: bad @ /r/src/a.js:3 (8)"]);
    let missing = "node:internal/modules/cjs/loader:1080\n  throw err;\n  ^\n\nError: Cannot find module 'lodash'\nRequire stack:\n- /r/src/a.js\n    at Module._resolveFilename (node:internal/modules/cjs/loader:1077:15)\n    at Object.<anonymous> (/r/src/a.js:1:11) {\n  code: 'MODULE_NOT_FOUND'\n}\n\nNode.js v18.0.0";
    assert_eq!(show(missing), ["node Dependency Error: Cannot find module 'lodash' @ /r/src/a.js:1 (11)"]);
    let deno = "error: Uncaught (in promise) Error: no\n    at file:///r/a.ts:3:9";
    assert_eq!(show(deno), ["deno Crash Error: no @ file:///r/a.ts:3 (2)"]);
}

#[test]
fn uncaught_exceptions_of_virtual_machines() {
    let jvm = "Exception in thread \"main\" java.lang.IllegalStateException: outer\n\tat org.x.Main.main(Main.java:9)\nCaused by: java.lang.NullPointerException: inner\n\tat org.x.Foo.bar(Foo.java:3)\n\t... 1 more";
    assert_eq!(show(jvm), ["java Crash java.lang.IllegalStateException: outer @ org/x/Foo.java:3 (5)"]);
    let dotnet = "Unhandled exception. System.InvalidOperationException: bad\n   at App.Program.Main(String[] args) in /r/Program.cs:line 3";
    assert_eq!(show(dotnet), ["dotnet Crash System.InvalidOperationException: bad @ /r/Program.cs:3 (2)"]);
    let dart = "Unhandled exception:\nBad state: no\n#0      main (file:///r/bin/a.dart:3:5)\n#1      _start (dart:isolate-patch/x.dart:1:2)";
    assert_eq!(show(dart), ["dart Crash Bad state: no @ file:///r/bin/a.dart:3 (4)"]);
    let died = "#\n# A fatal error has been detected by the Java Runtime Environment:\n#\n#  SIGSEGV (0xb) at pc=0x00007f, pid=1, tid=2\n#";
    assert_eq!(show(died).len(), 1);
}

#[test]
fn panics() {
    let go = "panic: runtime error: index out of range [5] with length 3\n\ngoroutine 1 [running]:\nmain.at(...)\n\t/r/main.go:12\nmain.main()\n\t/r/main.go:9 +0x1d\nexit status 2";
    assert_eq!(show(go), ["go Crash runtime error: index out of range [5] with length 3 @ /r/main.go:12 (7)"]);
    let rust = "thread 'main' panicked at build.rs:3:5:\nno compiler\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace";
    assert_eq!(show(rust), ["rust Crash no compiler @ build.rs:3 (2)"]);
    let race = "==================\nWARNING: DATA RACE\nWrite at 0x00c0 by goroutine 7:\n  main.inc()\n      /r/main.go:12 +0x1d\n\nPrevious read at 0x00c0 by main goroutine:\n  main.main()\n      /r/main.go:20 +0x2\n==================";
    assert_eq!(show(race), ["go Crash data race @ /r/main.go:12 (8)"]);
}

#[test]
fn reports_of_sanitizers_and_signals() {
    let asan = "=================================================================\n==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x602\nREAD of size 4 at 0x602 thread T0\n    #0 0x4c in at(int) /r/list.cc:12:5\n    #1 0x4d in main /r/main.cc:7:3\n\nSUMMARY: AddressSanitizer: heap-use-after-free /r/list.cc:12:5 in at(int)";
    assert_eq!(show(asan), ["sanitizer Crash AddressSanitizer: heap-use-after-free @ /r/list.cc:12 (6)"]);
    assert_eq!(
        show("src/a.c:3:7: runtime error: signed integer overflow: 2 + 2"),
        ["sanitizer Crash signed integer overflow: 2 + 2 @ src/a.c:3 (1)"]
    );
    assert_eq!(
        show("==12== Invalid read of size 4\n==12==    at 0x4005: f (list.c:12)\n==12== "),
        ["valgrind Crash Invalid read of size 4 @ list.c:12 (2)"]
    );
    assert_eq!(show("./run.sh: line 3:  123 Segmentation fault      (core dumped) ./prog").len(), 1);
    assert_eq!(show("Segmentation fault (core dumped)").len(), 1);
    assert_eq!(
        show("terminate called after throwing an instance of 'std::runtime_error'\n  what():  bad"),
        ["process Crash terminate called after throwing an instance of 'std::runtime_error': bad @ - (2)"]
    );
    assert_eq!(
        show("demo: src/a.c:12: f: Assertion `x > 0' failed."),
        ["assert Crash Assertion `x > 0' failed. @ src/a.c:12 (1)"]
    );
    assert_eq!(
        show("App/A.swift:12: Fatal error: Index out of range"),
        ["swift Crash Index out of range @ App/A.swift:12 (1)"]
    );
    assert_eq!(
        show(
            "Fatal Python error: Segmentation fault\n\nCurrent thread 0x00007f (most recent call first):\n  File \"/r/a.py\", line 3 in f\n  File \"/r/b.py\", line 9 in <module>\n"
        ),
        ["python Crash fatal Python error: Segmentation fault @ /r/a.py:3 (5)"]
    );
}

#[test]
fn scripts() {
    assert_eq!(
        show("a.rb:3:in 'Foo#bar': undefined method 'x' for nil (NoMethodError)\n\tfrom a.rb:9:in '<main>'"),
        ["ruby Crash NoMethodError: undefined method 'x' for nil @ a.rb:3 (2)"]
    );
    assert_eq!(
        show(
            "rake aborted!\nNameError: uninitialized constant X\n/r/Rakefile:3:in `block in <top (required)>'\nTasks: TOP => x"
        ),
        ["rake Crash NameError: uninitialized constant X @ /r/Rakefile:3 (3)"]
    );
    assert_eq!(
        show(
            "PHP Fatal error:  Uncaught TypeError: no in /r/a.php:12\nStack trace:\n#0 {main}\n  thrown in /r/a.php on line 12"
        ),
        ["php Crash TypeError: no @ /r/a.php:12 (4)"]
    );
    assert_eq!(
        show("** (RuntimeError) boom\n    lib/a.ex:3: A.b/1"),
        ["elixir Crash (RuntimeError) boom @ lib/a.ex:3 (2)"]
    );
    assert_eq!(
        show(
            "Can't locate Foo.pm in @INC (you may need to install the Foo module) (@INC contains: /x) at a.pl line 3.\nBEGIN failed--compilation aborted at a.pl line 3."
        ),
        ["perl Dependency Can't locate Foo.pm in @INC @ a.pl:3 (2)"]
    );
    assert_eq!(
        show("lua: a.lua:3: boom\nstack traceback:\n\ta.lua:3: in main chunk"),
        ["lua Crash boom @ a.lua:3 (3)"]
    );
    assert_eq!(
        show("ERROR: LoadError: boom\nStacktrace:\n [1] f(x::Int64)\n   @ Main ~/r/a.jl:3"),
        ["julia Crash LoadError: boom @ ~/r/a.jl:3 (4)"]
    );
    assert_eq!(show("Error in f(1) : boom\nCalls: f\nExecution halted"), ["R Crash boom @ - (3)"]);
    assert_eq!(
        show(
            "Fatal error: exception Failure(\"x\")\nCalled from Main.f in file \"bin/main.ml\", line 3, characters 2-4"
        ),
        ["ocaml Crash Failure(\"x\") @ bin/main.ml:3 (2)"]
    );
    assert_eq!(
        show("demo: boom\nCallStack (from HasCallStack):\n  error, called at src/A.hs:3:5 in main:A"),
        ["haskell Crash demo: boom @ src/A.hs:3 (3)"]
    );
    assert_eq!(
        show("\nThe term 'x' is not recognized\nAt C:\\r\\a.ps1:3 char:5\n+ x\n+ ~"),
        ["powershell Crash The term 'x' is not recognized @ C:\\r\\a.ps1:3 (4)"]
    );
}

#[test]
fn what_only_looks_like_a_crash_is_none() {
    for text in [
        "error: expected `;`\n  let x\n       ^",
        "we must not panic: all is well",
        "fatal error: foo.h: No such file or directory\ncompilation terminated.",
        "#   at t/a.t line 3.",
        "Use of uninitialized value $x at a.pl line 3.",
        "Handling Segmentation faults in user space",
        "an Assertion was made",
        "2 tests (1 Error)",
    ] {
        assert_eq!(show(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn a_panic_that_a_test_runner_reports_is_no_crash_of_its_own() {
    let text = "running 1 test\ntest a ... FAILED\n\nfailures:\n\n---- a stdout ----\n\nthread 'main' panicked at src/lib.rs:3:5:\nboom\n\nfailures:\n    a\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
    let report = crate::artifact::read("log", text.as_bytes());
    assert_eq!((report.cases.len(), report.diagnostics.len()), (1, 0));
    let alone = crate::artifact::read("log", b"thread 'main' panicked at src/main.rs:3:5:\nboom\n");
    assert_eq!((alone.kind, alone.producer.as_deref(), alone.diagnostics.len()), ("crash", Some("rust"), 1));
}

mod hostile {
    use proptest::prelude::*;

    use super::super::{HEADS, read};
    use crate::artifact::text::lines::Lines;

    proptest! {
        #[test]
        fn heads_in_any_place_never_panic(parts in prop::collection::vec((0..HEADS.len(), "[ -~é\n]{0,30}"), 0..12)) {
            let parts: Vec<String> = parts.iter().map(|(head, rest)| format!("{}{rest}", HEADS[*head].0)).collect();
            let text = parts.join("\n");
            for text in [text.replace('\n', " "), text] {
                prop_assert!(read(&Lines::of(&text)).diagnostics.len() <= 200);
            }
        }
    }
}
