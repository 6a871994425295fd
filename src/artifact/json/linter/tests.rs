//! The table itself, and the traits of its shapes on small documents.

use super::*;
use crate::artifact::{FaultKind, read};

fn seen(json: &str) -> Vec<String> {
    let report = read("a.json", json.as_bytes());
    let line = |found: &Diagnostic| {
        let at = found.location.as_ref().map(|at| {
            let number = |number: Option<u32>| number.map(|number| format!(":{number}")).unwrap_or_default();
            format!("{}{}{}", at.path, number(at.line), number(at.column))
        });
        let rule = found.rule.as_deref().unwrap_or("-");
        format!("{} {:?} {rule} {} | {}", found.tool, found.severity, at.unwrap_or_default(), found.message)
    };
    report.diagnostics.iter().map(line).collect()
}

#[test]
fn every_row_of_the_table_is_read() {
    let shapes = shape::parse(include_str!("shapes.txt")).unwrap();
    assert!(shapes.len() > 100);
    for shape in &shapes {
        assert!(!shape.marks.is_empty() && !shape.items.is_empty(), "{}", shape.tool);
    }
}

#[test]
fn every_tool_of_the_table_is_named_for_people() {
    let mut tools: Vec<&str> = SHAPES.iter().map(|shape| shape.tool).collect();
    tools.sort_unstable();
    tools.dedup();
    assert_eq!(PRODUCERS, tools.join(", "));
}

#[test]
fn findings_stand_in_lists_and_under_their_files() {
    assert_eq!(
        seen(
            r#"[{"code":"F401","location":{"row":1,"column":8},"end_location":{"row":1,"column":10},"filename":"/w/a.py","message":"unused","fix":{"edits":[{"content":"","location":{"row":1,"column":1},"end_location":{"row":2,"column":1}}]}}]"#
        ),
        ["ruff Error F401 /w/a.py:1:8 | unused"]
    );
    assert_eq!(
        seen(
            r#"[{"filePath":"/w/a.js","messages":[{"ruleId":"semi","severity":1,"message":"Missing","line":3,"column":4},{"ruleId":null,"fatal":true,"severity":2,"message":"Parsing error","line":9}]}]"#
        ),
        ["eslint Warning semi /w/a.js:3:4 | Missing", "eslint Error - /w/a.js:9 | Parsing error"]
    );
    assert_eq!(
        seen(r#"{"doc/a.md":[{"Check":"Style.A","Line":2,"Span":[5,9],"Message":"no","Severity":"suggestion"}]}"#),
        ["vale Note Style.A doc/a.md:2:5 | no"]
    );
    assert_eq!(
        seen(r#"{"example/x":{"printf":[{"posn":"/w/a.go:4:2","message":"bad verb"}]}}"#),
        ["go-vet Error printf /w/a.go:4:2 | bad verb"]
    );
}

#[test]
fn lines_are_numbers_texts_or_ranges() {
    assert_eq!(
        seen(
            r#"{"Golang errors":{},"Issues":[{"severity":"HIGH","rule_id":"G1","details":"d","file":"a.go","line":"3-5","column":"1"}]}"#
        ),
        ["gosec Error G1 a.go:3:1 | d"]
    );
}

#[test]
fn secrets_go_into_no_detail() {
    let json = r#"[{"RuleID":"aws","Description":"AWS key","StartLine":3,"File":"a.py","Secret":"hunter2","Match":"key=hunter2"}]"#;
    let report = read("a.json", json.as_bytes());
    let found = &report.diagnostics[0];
    assert_eq!((found.tool.as_str(), found.message.as_str()), ("gitleaks", "AWS key"));
    assert!(!format!("{found:?}").contains("hunter2"));
}

#[test]
fn numbers_that_count_from_zero_are_raised() {
    assert_eq!(
        seen(
            r#"{"generalDiagnostics":[{"file":"/w/a.py","severity":"error","message":"m","range":{"start":{"line":0,"character":4}},"rule":"r"}],"summary":{}}"#
        ),
        ["pyright Error r /w/a.py:1:5 | m"]
    );
}

#[test]
fn what_passed_is_suppressed_or_is_no_object_does_not_count() {
    assert_eq!(
        seen(
            r#"{"rules":[{"id":"a","title":"A","result":"fail","severity":"high"},{"id":"b","title":"B","result":"pass"},7]}"#
        ),
        ["openscap Error a  | A"]
    );
    assert_eq!(
        seen(
            r#"{"findings":[{"component":{"name":"x","version":"1"},"vulnerability":{"vulnId":"CVE-1","severity":"LOW"},"analysis":{"isSuppressed":true}},{"component":{"name":"y"},"vulnerability":{"vulnId":"CVE-2","severity":"LOW","title":"t"}}]}"#
        ),
        ["dependency-track Warning CVE-2  | y: t"]
    );
}

#[test]
fn several_lists_of_one_tool_are_read() {
    let trivy = r#"{"Results":[{"Target":"Cargo.lock","Vulnerabilities":[{"VulnerabilityID":"CVE-1","PkgName":"a","InstalledVersion":"1","Severity":"HIGH","Title":"t"}]},
      {"Target":"Dockerfile","Misconfigurations":[{"ID":"DS001","Title":"m","Severity":"LOW","CauseMetadata":{"StartLine":3}},{"ID":"DS2","Status":"PASS"}]}]}"#;
    assert_eq!(seen(trivy), ["trivy Error CVE-1 Cargo.lock | a 1: t", "trivy Warning DS001 Dockerfile:3 | m"]);
    let report = read("a.json", trivy.as_bytes());
    let kinds: Vec<_> = report.diagnostics.iter().map(|found| found.kind).collect();
    assert_eq!(kinds, [FaultKind::Dependency, FaultKind::Lint]);
}

#[test]
fn a_tool_that_is_not_known_is_read_when_it_says_what_and_where() {
    assert_eq!(
        seen(
            r#"{"tool":"x","findings":{"src/a.zz":[{"msg":"odd","pos":{"begin_line":1,"line":4,"col":2},"code":{"id":"Z1"},"level":"error"}]}}"#
        ),
        ["linter Error Z1 src/a.zz:4:2 | odd"]
    );
    for other in [
        r#"{"name":"p","version":"1.0.0","description":"d","main":"a.js","files":["a.js"],"scripts":{"test":"x"}}"#,
        r#"[{"message":"m","line":3}]"#,
        r#"{"message":"m","path":"src/a.rs"}"#,
        r#"{"examples":[{"id":"1","description":"adds","status":"failed","file_path":"./a_spec.rb","line_number":3,"exception":{"message":"m","file":"a.rb","line":4}}]}"#,
        r#"{"suites":[{"title":"adds","file":"a.spec.ts","line":3,"column":1}]}"#,
    ] {
        assert_eq!(read("a.json", other.as_bytes()).kind, "unknown", "{other}");
    }
}

#[test]
fn a_document_that_breaks_off_anywhere_is_read_so_far() {
    let json = r#"{"Issues":[{"FromLinter":"l","Text":"é","Pos":{"Filename":"a.go","Line":1,"Column":2}},{"FromLinter":"m","Text":"u","Pos":{"Filename":"b.go","Line":4294967296,"Column":-2}}]}"#;
    for end in 0..json.len() {
        drop(read("a.json", &json.as_bytes()[..end]));
    }
    assert_eq!(seen(json), ["golangci-lint Error l a.go:1:2 | é", "golangci-lint Error m b.go | u"]);
}
