//! Blocks of rustc, clippy, cargo and rustfmt.

use crate::artifact::{Diagnostic, FaultKind, Severity, read};

fn diagnostics(text: &str) -> Vec<Diagnostic> {
    read("log", text.as_bytes()).diagnostics
}

#[test]
fn an_error_has_code_place_other_places_and_its_lines() {
    let found = diagnostics(
        "   Compiling demo v0.1.0 (/x)\nerror[E0308]: mismatched types\n  --> src/a.rs:22:16\n   |\n22 | fn f() -> u8 { \"x\" }\n   |           --   ^^^ expected `u8`\n   |\nnote: defined here\n  --> src/b.rs:1:4\n\nFor more information about this error, try `rustc --explain E0308`.\nerror: could not compile `demo` (lib) due to 1 previous error\n",
    );
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].kind, found[0].tool.as_str(), found[0].rule.as_deref()),
        (FaultKind::Compile, "rustc", Some("E0308"))
    );
    let at = found[0].location.as_ref().unwrap();
    assert_eq!((at.path.as_str(), at.line, at.column), ("src/a.rs", Some(22), Some(16)));
    assert_eq!(found[0].frames[0].path, "src/b.rs");
    assert_eq!(found[0].lines.map(|lines| (lines.start, lines.end)), Some((2, 9)));
}

#[test]
fn lints_are_told_apart_and_remembered() {
    let found = diagnostics(
        "error: unneeded `return` statement\n --> src/a.rs:1:2\n  |\n  = note: `-D clippy::needless-return` implied by `-D warnings`\n\nerror: unneeded `return` statement\n --> src/a.rs:9:2\n  |\n\nwarning: unused variable: `x`\n --> src/a.rs:3:2\n  |\n  = note: `#[warn(unused_variables)]` on by default\n\nwarning: `demo` (lib) generated 1 warning\n",
    );
    let shown: Vec<_> = found
        .iter()
        .map(|found| (found.tool.as_str(), found.rule.as_deref().unwrap(), found.severity, found.kind))
        .collect();
    assert_eq!(
        shown,
        [
            ("clippy", "clippy::needless_return", Severity::Error, FaultKind::Lint),
            ("clippy", "clippy::needless_return", Severity::Error, FaultKind::Lint),
            ("rustc", "unused_variables", Severity::Warning, FaultKind::Lint),
        ]
    );
}

#[test]
fn what_cargo_could_not_get_is_a_dependency() {
    let found = diagnostics(
        "    Updating the index\nerror: no matching package named `nope` found\nlocation searched: the index\nrequired by package `demo v0.1.0 (/x)`\n",
    );
    assert_eq!((found[0].kind, found[0].tool.as_str()), (FaultKind::Dependency, "cargo"));
}

#[test]
fn errors_of_other_programs_are_not_claimed() {
    assert!(
        diagnostics(
            "error: pathspec 'x' did not match any file(s) known to git\nwarning: LF will be replaced by CRLF\n"
        )
        .is_empty()
    );
}

#[test]
fn each_hunk_of_rustfmt_is_a_diagnostic() {
    let found = diagnostics(
        "Diff in /x/src/a.rs:6:\n fn a() {}\n-fn b(){}\n+fn b() {}\nDiff in /x/src/b.rs at line 12:\n-x\n+y\n",
    );
    let places: Vec<_> =
        found.iter().map(|found| (found.kind, found.location.as_ref().unwrap().line.unwrap())).collect();
    assert_eq!(places, [(FaultKind::Format, 6), (FaultKind::Format, 12)]);
}

#[test]
fn the_short_form_is_read() {
    let found = diagnostics(
        "src/main.rs:3:5: warning: unused import: `std::process`\nsrc/main.rs:6:5: error[E0425]: cannot find value\n",
    );
    assert_eq!(found.iter().map(|found| found.severity).collect::<Vec<_>>(), [Severity::Warning, Severity::Error]);
    assert_eq!(found[1].rule.as_deref(), Some("E0425"));
}

#[test]
fn an_indented_block_is_read_and_a_file_that_configures_clippy_is_rustcs() {
    let block = " error: no such thing\n   --> src/a.rs:11:31\n    |\n\n";
    assert_eq!(diagnostics(block)[0].location.as_ref().unwrap().line, Some(11));
    assert!(diagnostics("  error: no such thing\n  in a sentence\n").is_empty());
    assert_eq!(diagnostics("warning: using config file `/p/.clippy.toml`, `clippy.toml` will be ignored\n").len(), 1);
}
