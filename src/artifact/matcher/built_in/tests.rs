//! What each tool prints, in lines of our own.

/// `tool path:line:column rule message` of each diagnostic of a text.
fn found(text: &str) -> Vec<String> {
    let report = crate::artifact::read("o.txt", text.as_bytes());
    let shown = report.diagnostics.iter().map(|found| {
        let at = found
            .location
            .as_ref()
            .map_or("-".to_owned(), |at| format!("{}:{}:{}", at.path, at.line.unwrap_or(0), at.column.unwrap_or(0)));
        format!("{} {at} {} {}", found.tool, found.rule.as_deref().unwrap_or("-"), found.message)
    });
    shown.collect()
}

/// Each line is one report.
#[track_caller]
fn each(lines: &[(&str, &str)]) {
    for (line, want) in lines {
        assert_eq!(found(line), [*want], "{line}");
    }
}

#[test]
fn compilers_of_c_are_read_behind_what_others_put_before_them() {
    each(&[
        ("   a/b.h:26:5: warning: 'q' is old [-Wx]", "ansi-c a/b.h:26:5 -Wx 'q' is old"),
        ("C/C++: /p/b.cpp:3:1: error: no", "ansi-c /p/b.cpp:3:1 - no"),
        ("[Unit] 2019-01-08 14:02:07 /p/b.java:54: warning: old", "compiler /p/b.java:54:0 - old"),
        ("Generating graph for aD:/p/s.md:9: warning: no name", "compiler D:/p/s.md:9:0 - no name"),
        (
            "error: macro names are words [clang-diagnostic-error]",
            "clang-tidy - clang-diagnostic-error macro names are words",
        ),
        ("/opt/bin/ld: cannot find -lmine", "ld ld:0:0 - cannot find -lmine"),
        ("mine.so: undefined reference to `f'", "ld mine.so:0:0 - undefined reference to `f'"),
        (
            "src/a.c:7:  [4] (buffer) strcpy:No check (CWE-120).",
            "flawfinder src/a.c:7:0 buffer strcpy:No check (CWE-120).",
        ),
        (r"D:\s\a.cpp(35): message #593: variable is set", r"intel D:\s\a.cpp:35:0 593 variable is set"),
        ("CMake Warning at a.cmake:57 policy:", "cmake a.cmake:57:0 policy policy"),
    ]);
}

#[test]
fn what_has_no_line_shows_no_source() {
    let twice = "error: no such flag [clang-diagnostic-error]\n";
    let report = crate::artifact::read("o.txt", format!("{twice}{twice}a.c:1:2: error: no\n  x\n  ^\n").as_bytes());
    let quoted: Vec<_> = report.diagnostics.iter().map(|found| found.excerpt.lines().count()).collect();
    assert_eq!(quoted, [1, 1, 3]);
}

#[test]
fn fortran_compilers_are_read() {
    let included = "/s/a.f:18:\n    Included at b.inc:4:\n    Included at c.f90:5:\n\n      IF (A) THEN\n          1\nWarning: Odd test at (1)\n";
    assert_eq!(found(included), ["gfortran /s/a.f:18:0 - Odd test at (1)"]);
    each(&[("Non-standard(Obsolete): m.f90, line 2: Byte count", "nagfor m.f90:2:0 - Byte count")]);
}

#[test]
fn compilers_and_checkers_of_vendors_are_read() {
    each(&[
        ("\"a.c\", line 9.17: 1506-098 (E) Missing argument.", "xlc a.c:9:17 1506-098 Missing argument."),
        ("1506-507 (W) No licences.", "xlc - 1506-507 No licences."),
        ("ld: 0711-987 Error while reading", "xlc - 0711-987 Error while reading"),
        ("\"/s/a.c\",3  Error[Be031]: not inline", "iar /s/a.c:3:0 Be031 not inline"),
        ("Fatal error[Pe1696]: cannot open", "iar - Pe1696 cannot open"),
        ("\"a.c\",12 Severity-High[PTR-null]: may be null", "iar a.c:12:0 PTR-null may be null"),
        ("ERROR L1822: Symbol f is undefined", "codewarrior - L1822 Symbol f is undefined"),
        ("a.cpp, line 89: error #120: wrong type", "ghs a.cpp:89:0 #120 wrong type"),
        (
            "35\tDefect\tmemory\tRed\tyes\tNull pointer\tImpact: High\tf()\tD:\\s\\a.c\tUnreviewed\tHigh\t\tCWE-476\t12\t222\t49",
            "polyspace D:\\s\\a.c:222:49 Defect Null pointer",
        ),
        (
            "[2023-03-10 12:04:25.0577] Warn - Nothing made of 'M'; {98CF1FE6-EC9C}",
            "embedded-engineer - - Nothing made of 'M'; {98CF1FE6-EC9C}",
        ),
        (r"   [ccbl] COPY\z.CPY, line 39: Warning: Say more", r"cobol COPY\z.CPY:39:0 - Say more"),
        (r"C:\l\A.pas(205) hint: H2219 never used", r"delphi C:\l\A.pas:205:0 H2219 never used"),
        (r"C:\b\G.Targets : warning : C:\l\A.pas(46) Warning: W1000 is old", r"delphi C:\l\A.pas:46:0 W1000 is old"),
        ("16:55:11 rs: error 002: Cannot rename", "msbuild - 002 Cannot rename"),
    ]);
}

#[test]
fn checkers_of_hardware_are_read() {
    each(&[
        ("# ** Warning: (vsim-8315) /p/a.sv(26): No case", "modelsim /p/a.sv:26:0 vsim-8315 No case"),
        ("** Error: The run took too long", "modelsim - - The run took too long"),
        ("W-VERI-1330: a.v(51): bits differ", "bluepearl a.v:51:0 VERI-1330 bits differ"),
        ("F-BPS-0646: Could not find 't'", "bluepearl - BPS-0646 Could not find 't'"),
    ]);
    let placed = "# ** Error: Too long\n#    Time: 0 us  Scope: t.u File: /n/t.sv Line: 312\n";
    assert_eq!(found(placed), ["modelsim /n/t.sv:312:0 - Too long"]);
}

#[test]
fn tools_of_the_jvm_are_read() {
    each(&[
        ("[WARNING] X is old\n\t/p/A.java:12\nimport X;", "ajc /p/A.java:12:0 - X is old"),
        ("    [compc] /p/A.as(34): col: 8 Warning: will be scoped", "flex /p/A.as:34:8 - will be scoped"),
        (
            "15:46:06 [WARNING]\n15:46:06 Dependency convergence error for g:a:1.22.0 paths to dependency are:",
            "maven-enforcer - g:a:1.22.0 Dependency convergence error for g:a:1.22.0 paths to dependency are:",
        ),
    ]);
}

#[test]
fn linters_of_scripts_are_read() {
    each(&[
        ("p/a.py:p.a:1: [W0611, ] Unused import os", "pylint p/a.py:1:0 W0611 Unused import os"),
        ("C: 15, 0: Invalid name \"l\" (invalid-name)", "pylint - invalid-name Invalid name \"l\""),
        ("error:/p/a.py:1:3:cannot format: Cannot parse", "black /p/a.py:1:3 - cannot format: Cannot parse"),
        ("  a/b.rb:45:5: Style/Comma: Put one.", "standardrb a/b.rb:45:5 Style/Comma Put one."),
        ("a/b.rb:57 select.first is slower than detect.", "fasterer a/b.rb:57:0 - select.first is slower than detect."),
        ("/p/a.rb\t13\tInjection\tPossible injection\tHigh", "brakeman /p/a.rb:13:0 Injection Possible injection"),
        ("FC019: Access nodes alike: ./f/a.rb:30", "foodcritic ./f/a.rb:30:0 FC019 Access nodes alike"),
        ("a.go:64:2: exported var A should have comment", "golint a.go:64:2 - exported var A should have comment"),
        ("a.go:182::warning: err shadows (vet shadow)", "gometalinter a.go:182:0 vet shadow err shadows"),
        ("a.md:1:20: \"teh\" is a misspelling of \"the\"", "misspell a.md:1:20 - \"teh\" is a misspelling of \"the\""),
        ("PHP Fatal error:  SOAP-ERROR: Parsing WSDL", "php - - SOAP-ERROR: Parsing WSDL"),
        ("INFO|HINT|OLD_API|/p/a.dart|1|8|32|The API is old.", "dart /p/a.dart:1:8 OLD_API The API is old."),
        ("[WARNING] Using 'eval' is not recommended.", "yuicompressor - - Using 'eval' is not recommended."),
        ("p/t.yml:8: package-latest Name a version", "ansible-lint p/t.yml:8:0 package-latest Name a version"),
        ("warning: Git tree '/p' is dirty", "nix - - Git tree '/p' is dirty"),
        ("E,A_UTIL,PACKAGE BODY,INVALID,45,1,PLW-05004: Found \"END\"", "oracle A_UTIL:45:1 PLW-05004 Found \"END\""),
        ("  100%        New File             \t0\ta.log", "robocopy a.log:0:0 - New File"),
        ("<unknown>:1: Warning: Found `\\X'", "doxygen <unknown>:1:0 - Found `\\X'"),
        ("error: tag INPUT: no `../x' exists", "doxygen - - tag INPUT: no `../x' exists"),
    ]);
}

#[test]
fn reports_of_one_place_differ_by_what_the_linter_would_rather_see() {
    let one = "a.hs:1:8: Suggestion: Redundant bracket\nFound:\n  (f a) + (f b)\nPerhaps:\n";
    let text = format!("{one}  f a + (f b)\n\n{one}  (f a) + f b\n\n");
    let counts = crate::artifact::read("o.txt", text.as_bytes());
    let details: Vec<_> = counts.diagnostics.iter().map(|found| found.details.lines().last()).collect();
    assert_eq!(details, [Some("  f a + (f b)"), Some("  (f a) + f b")]);
}

#[test]
fn what_the_compilers_of_c_would_take_too_belongs_to_the_tool_of_the_language() {
    each(&[
        ("a.py:3: error: Name \"x\" is not defined", "mypy a.py:3:0 - Name \"x\" is not defined"),
        ("a.hs:1:8: Warning: Use map", "hlint a.hs:1:8 - Use map"),
        ("a.rb:3: warning: shadowed", "ruby a.rb:3:0 - shadowed"),
        ("a.erl:3: Warning: unused", "erlang a.erl:3:0 - unused"),
        ("a.c:3: warning: unused", "ansi-c a.c:3:0 - unused"),
    ]);
}

#[test]
fn what_a_linter_has_corrected_is_no_finding() {
    let text = "a.rb:1:2: C: [Corrected] A/B: no space\na.rb:3:4: C: [Correctable] A/B: no space\n";
    assert_eq!(found(text), ["rubocop a.rb:3:4 A/B no space"]);
}

#[test]
fn ends_of_lines_that_only_look_alike_report_nothing() {
    let lines = [
        "The same 3 files as before",
        "[2023-03-10 12:04:25.0577] Warn - retrying in 3 s",
        "a.yml:3: uses the cache",
        "in a.py, line 3: done",
        "[WARNING] Tests run: 2, Failures: 0",
        "[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:3.0.0:test (t) on project p: There are test failures.",
    ];
    assert_eq!(found(&lines.join("\n")), [""; 0]);
}

#[test]
fn reports_of_several_readers_stand_in_the_order_of_the_text() {
    let text = "a.c:1:2: error: no\nerror[E0308]: mismatched types\n  --> src/a.rs:22:16\n\nb.c:3:4: error: no\n";
    let report = crate::artifact::read("o.txt", text.as_bytes());
    let tools: Vec<_> = report.diagnostics.iter().map(|found| found.tool.as_str()).collect();
    assert_eq!(tools, ["ansi-c", "rustc", "ansi-c"]);
}
