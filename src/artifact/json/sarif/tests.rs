//! Logs of every version, damaged ones, and what results take from their run.

use crate::artifact::{FaultKind, Fix, Report, Severity, read};

const LOG: &str = r#"{
  "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
  "version": "2.1.0",
  "runs": [{
    "results": [
      {"ruleIndex": 1, "message": {"id": "default", "arguments": ["x{1}"]},
       "locations": [{"physicalLocation": {"artifactLocation": {"index": 0}, "region": {"startLine": 7, "startColumn": 3}}}],
       "codeFlows": [{"threadFlows": [{"locations": [
         {"location": {"physicalLocation": {"artifactLocation": {"uri": "src/in.c"}, "region": {"startLine": 1}},
          "logicalLocations": [{"fullyQualifiedName": "input"}]}},
         {"location": {"physicalLocation": {"artifactLocation": {"uri": "src/out.c"}, "region": {"startLine": 2}}}}]}]}],
       "fixes": [{"artifactChanges": [{"artifactLocation": {"uri": "src/a.c"}, "replacements": [
         {"deletedRegion": {"startLine": 7, "startColumn": 3, "endColumn": 5}, "insertedContent": {"text": "y"}}]}]}]},
      {"ruleId": "A1", "level": "error", "message": {"text": "bad [thing](1)"},
       "locations": [{"physicalLocation": {"artifactLocation": {"uri": "x%20y.c", "uriBaseId": "SRC"}}}]},
      {"ruleId": "A1/sub", "message": {"text": "quiet"}, "suppressions": [{"kind": "inSource"}]},
      {"ruleId": "A1", "kind": "pass", "level": "none", "message": {"text": "fine"}},
      {"ruleId": "A1", "ruleIndex": "what", "locations": 7, "message": {"text": "odd"}}
    ],
    "artifacts": [{"location": {"uri": "file:///C:/w/a.c"}}],
    "originalUriBaseIds": {"ROOT": {"uri": "file:///w/"}, "SRC": {"uri": "src/", "uriBaseId": "ROOT"}},
    "tool": {"driver": {"name": "Demo", "rules": [
      {"id": "A1", "defaultConfiguration": {"level": "note"}},
      {"id": "B2", "defaultConfiguration": {"level": "error"}, "messageStrings": {"default": {"text": "{0} is wrong"}}}]}}
  }]
}"#;

fn seen(report: &Report) -> Vec<String> {
    let line = |found: &crate::artifact::Diagnostic| {
        let at = found.location.as_ref().map(|at| format!("{}:{:?}", at.path, at.line));
        let rule = found.rule.as_deref().unwrap_or("-");
        format!("{:?} {rule} {} {}", found.severity, found.message, at.unwrap_or_default())
    };
    report.diagnostics.iter().map(line).collect()
}

#[test]
fn results_take_from_their_run_what_stands_behind_them() {
    let report = read("a.sarif", LOG.as_bytes());
    assert_eq!((report.kind, report.producer.as_deref()), ("sarif", Some("Demo")));
    assert_eq!(
        seen(&report),
        [
            "Error B2 x{1} is wrong C:/w/a.c:Some(7)",
            "Error A1 bad thing src/x y.c:None",
            "Note A1/sub quiet ",
            "Note A1 fine ",
            "Note A1 odd ",
        ]
    );
    let first = &report.diagnostics[0];
    assert_eq!(first.kind, FaultKind::Lint);
    assert_eq!(first.frames[0].function.as_deref(), Some("input"));
    assert_eq!((first.frames[1].path.as_str(), first.frames[1].line), ("src/out.c", Some(2)));
    let fix = Fix { path: "src/a.c".to_owned(), start: (7, 3), end: (7, 5), replacement: "y".to_owned() };
    assert_eq!(first.fixes, [fix]);
    assert!(report.problems.is_empty());
}

#[test]
fn the_drafts_and_the_first_version_are_read() {
    let draft = r#"{"version": "2.0.0-csd.2.beta.2018-10-10", "runs": [{"tool": {"name": "T"},
      "results": [{"ruleId": "r", "message": {"messageId": "m", "arguments": ["1"]},
        "locations": [{"physicalLocation": {"fileLocation": {"uri": "a.c"}, "region": {"startLine": 4}}}]}],
      "resources": {"rules": {"r": {"id": "r", "configuration": {"defaultLevel": "error"}, "messageStrings": {"m": "no {0}"}}}}}]}"#;
    assert_eq!(seen(&read("a", draft.as_bytes())), ["Error r no 1 a.c:Some(4)"]);
    let first = r#"{"version": "1.0.0", "runs": [{"tool": {"name": "T"}, "results": [
      {"ruleId": "q", "level": "error", "formattedRuleMessage": {"formatId": "d", "arguments": ["2"]},
       "locations": [{"analysisTarget": {"uri": "b.dll"}, "resultFile": {"uri": "b.cs", "region": {"startLine": 9}}}]},
      {"ruleId": "q", "message": "plain"}],
      "rules": {"q": {"id": "q", "messageFormats": {"d": "old {0}"}}}}]}"#;
    assert_eq!(seen(&read("a", first.as_bytes())), ["Error q old 2 b.cs:Some(9)", "Warning q plain "]);
}

#[test]
fn comments_before_and_several_logs_are_read() {
    let text = format!("// written by hand\n/* twice */ {LOG}\n{LOG}\n");
    let report = read("a", text.as_bytes());
    assert_eq!((report.diagnostics.len(), report.problems.len()), (10, 0));
}

#[test]
fn a_log_that_is_not_held_reads_the_same() {
    let text = format!("// from a tool\n{LOG}");
    let streamed = super::read_stream(&text[..200], text.as_bytes());
    assert_eq!(seen(&streamed), seen(&read("a", text.as_bytes())));
    assert_eq!(streamed.diagnostics.len(), 5);
    assert!(streamed.problems.is_empty());
}

#[test]
fn a_log_that_breaks_off_gives_what_stands_before() {
    let report = read("a", &LOG.as_bytes()[..LOG.find("A1/sub").unwrap()]);
    // The tool stands behind: its words are lost, the results are not.
    let found: Vec<_> = report.diagnostics.iter().map(|found| (found.severity, found.message.as_str())).collect();
    assert_eq!(found, [(Severity::Warning, "a result without a message"), (Severity::Error, "bad thing")]);
    assert_eq!(report.problems.len(), 1);
    for end in 0..LOG.len() {
        drop(read("a", &LOG.as_bytes()[..end]));
    }
}

#[test]
fn more_results_than_are_kept_are_counted() {
    let result = r#"{"ruleId":"r","level":"error","message":{"text":"m"}}"#;
    let many = vec![result; super::run::KEPT + 7].join(",");
    let log = format!(
        r#"{{"version":"2.1.0","runs":[{{"tool":{{"driver":{{"name":"T","rules":[{{"id":"r"}}]}}}},"results":[{many}]}}]}}"#
    );
    let report = read("a", log.as_bytes());
    let kept = report.diagnostics.len();
    assert!((10_000..=super::run::KEPT).contains(&kept), "{kept}");
    assert_eq!(report.more.errors, (super::run::KEPT + 7 - kept) as u64);
    assert!(report.problems[0].message.contains("only counted"));
}

#[test]
fn other_json_is_no_log() {
    assert_ne!(read("a", br#"{"runs": 3, "version": "1"}"#).kind, "sarif");
    assert_eq!(read("a", br#"{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"T"}}}]}"#).kind, "sarif");
}
