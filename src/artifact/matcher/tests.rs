//! Matchers of files, on lines.

use super::*;
use crate::artifact::text::lines::Lines;

#[test]
fn every_data_file_can_be_used() {
    let mut problems = Vec::new();
    let matchers = built_in::matchers(&mut problems);
    assert!(problems.is_empty(), "{problems:?}");
    assert!(matchers.len() > 60);
    assert_eq!(BUILT_IN.matchers.len(), matchers.len());
    assert_eq!(BUILT_IN.last.len(), matchers.len());
}

/// `path:line:column severity code message` of each diagnostic that `json` finds in `text`.
fn found(json: &str, text: &str) -> Vec<String> {
    let (matchers, problems) = Matchers::of(&[("m.json".to_owned(), json.to_owned())]);
    assert!(problems.is_empty(), "{problems:?}");
    let part = read(&Lines::of(text), &matchers, &[]);
    let shown = part.diagnostics.iter().map(|found| {
        let at = found
            .location
            .as_ref()
            .map_or("-".to_owned(), |at| format!("{}:{}:{}", at.path, at.line.unwrap_or(0), at.column.unwrap_or(0)));
        format!("{at} {:?} {} {}", found.severity, found.rule.as_deref().unwrap_or("-"), found.message)
    });
    shown.collect()
}

#[test]
fn a_loop_takes_its_file_from_the_line_above() {
    let json = r#"{"problemMatcher": [{"owner": "x", "pattern": [
        {"regexp": "^File (\\S+)$", "file": 1},
        {"regexp": "^ +(\\d+):(\\d+) (error|warn) (.+) \\[(.+)\\]$", "line": 1, "column": 2, "severity": 3,
         "message": 4, "code": 5, "loop": true}]}]}"#;
    let text = "File a.x\n  1:2 error bad [A]\n  3:4 warn odd [B]\nother\n  5:6 error lost [C]\nFile b.x\n  7:8 error end [D]\n";
    assert_eq!(found(json, text), ["a.x:1:2 Error A bad", "a.x:3:4 Warning B odd", "b.x:7:8 Error D end"]);
}

#[test]
fn patterns_match_lines_in_a_row_or_not_at_all() {
    let json = r#"{"problemMatcher": [{"owner": "x", "severity": "warning", "pattern": [
        {"regexp": "^>> (.+)$", "message": 1}, {"regexp": "^at (\\S+) line (\\d+)$", "file": 1, "line": 2}]}]}"#;
    assert_eq!(found(json, ">> bad\nat a.x line 3\n"), ["a.x:3:0 Warning - bad"]);
    assert!(found(json, ">> bad\n\nat a.x line 3\n").is_empty());
}

#[test]
fn common_tools_are_known() {
    let text = "src/a.c:3:12: error: 'x' undeclared [-Wx]\nsrc/a.c:3:12: note: each undeclared identifier\nA.cs(7,9): warning CS0168: The variable 'e' is never used [A.csproj]\n[WARNING] /r/A.java:[23,32] [Format] Prefer this\nlib/x.py:4:1: F401 'os' imported but unused\nmain.go:9:2: undefined: y\n";
    let report = crate::artifact::read("o.txt", text.as_bytes());
    let shown: Vec<_> = report.diagnostics.iter().map(|found| (found.tool.as_str(), found.rule.as_deref())).collect();
    assert_eq!(
        shown,
        [
            ("ansi-c", Some("-Wx")),
            ("msbuild", Some("CS0168")),
            ("maven", Some("Format")),
            ("flake8", Some("F401")),
            ("go", None)
        ]
    );
}

#[test]
fn strange_files_are_named_with_their_reason() {
    let files = [
        ("a.json", "{"),
        ("b.json", r#"{"problemMatcher": [{"owner": "o", "pattern": []}]}"#),
        ("c.json", r#"{"problemMatcher": [{"owner": "o", "pattern": [{"regexp": "(x", "message": 1}]}]}"#),
        ("d.json", r#"{"problemMatcher": {"owner": "o", "pattern": {"regexp": "^(z)$", "message": 99}}}"#),
        (
            "e.json",
            r#"{"problemMatcher": [{"owner": "o", "pattern": [{"regexp": "^(z)$", "message": 1}]},
            {"owner": "O", "pattern": [{"regexp": "^(y)$", "message": 1}]}]}"#,
        ),
        (
            "fine.json",
            r#"{"PROBLEMMATCHER": [{"Owner": "f", "pattern": {"regexp": "^(z)$", "message": "1", "file": null}}]}"#,
        ),
        ("empty.json", "[]"),
    ];
    let files: Vec<_> = files.iter().map(|(name, json)| ((*name).to_owned(), (*json).to_owned())).collect();
    let (matchers, problems) = Matchers::of(&files);
    let named: Vec<_> = problems.iter().map(|problem| problem.message.split(':').next().unwrap()).collect();
    assert_eq!(named, ["a.json", "b.json", "c.json", "d.json", "e.json"], "{problems:?}");
    assert_eq!(matchers.own.matchers.len(), 2);
}

#[test]
fn a_file_is_read_as_leniently_as_by_the_runner() {
    let json = "\u{feff}{\"problemMatcher\": [ // as documented\n {\"owner\": \"x\", \"pattern\": [{\"regexp\": \"^X (.+)$\", \"message\": 1,}],},\n]}";
    assert_eq!(found(json, "X it\n"), ["- Error - it"]);
}

#[test]
fn a_file_is_found_from_the_project_that_a_group_or_the_matcher_names() {
    let json = r#"{"problemMatcher": [{"owner": "x", "fromPath": "lib/b/b.proj", "pattern": [
        {"regexp": "^<(\\S+) (\\d+)> (.+?)(?: \\[(.+)\\])?$", "file": 1, "line": 2, "message": 3, "fromPath": 4}]}]}"#;
    let text = "<X.y 7> bad [/r/src/a.proj]\n</r/X.y 8> bad [/q/a.proj]\n<../X.y 9> bad\n";
    assert_eq!(found(json, text), ["/r/src/X.y:7:0 Error - bad", "/r/X.y:8:0 Error - bad", "lib/X.y:9:0 Error - bad"]);
}

/// The matchers of one file, and its problems.
fn own(entries: &[String]) -> (Matchers, Vec<String>) {
    let json = format!(r#"{{"problemMatcher": [{}]}}"#, entries.join(","));
    let (matchers, problems) = Matchers::of(&[("m.json".to_owned(), json)]);
    (matchers, problems.into_iter().map(|problem| problem.message).collect())
}

fn entry(owner: &str, regexp: &str) -> String {
    serde_json::json!({"owner": owner, "pattern": [{"regexp": regexp, "message": 1}]}).to_string()
}

const COMMON: &str = "src/a.c:3:12: error: 'x' undeclared [-Wx]\n";

#[test]
fn large_expressions_are_named_and_take_nothing_away_from_the_others() {
    let mut entries: Vec<String> =
        (0..60).map(|n| entry(&format!("big{n}"), &format!(r"^q{n}\p{{L}}{{60}}:(\d+)$"))).collect();
    entries.push(entry("small", r"^Zap 1 (.+)$"));
    let (matchers, problems) = own(&entries);
    assert_eq!(problems.len(), 60);
    assert!(problems[7].starts_with("m.json: the matcher `big7` is not used: `^q7\\p{L}{60}:"), "{}", problems[7]);
    assert!(problems[7].ends_with("it is too large"), "{}", problems[7]);
    let part = read(&Lines::of(&format!("{COMMON}Zap 1 now\n")), &matchers, &[]);
    let tools: Vec<_> = part.diagnostics.iter().map(|found| found.tool.as_str()).collect();
    assert_eq!(tools, ["ansi-c", "small"]);
}

#[test]
fn the_matchers_of_a_repository_are_bounded_together() {
    let entries: Vec<String> =
        (0..60).map(|n| entry(&format!("o{n}"), &format!(r"^q{n}\p{{L}}{{4}}:(\d+)$"))).collect();
    let (matchers, problems) = own(&entries);
    assert_eq!(matchers.own.matchers.len() + problems.len(), 60);
    assert!(!problems.is_empty() && problems.iter().all(|why| why.contains("all matchers together are too large")));
    let entries: Vec<String> = (0..230).map(|n| entry(&format!("o{n}"), &format!("^q{n}:(.+)$"))).collect();
    let (matchers, problems) = own(&entries);
    assert_eq!((matchers.own.matchers.len(), problems.len()), (200, 1));
    assert!(problems[0].contains("`o200`, `o201`") && problems[0].ends_with("(30 of this file)"), "{}", problems[0]);
}

#[test]
fn a_matcher_of_a_repository_wins_but_takes_no_line_without_a_report() {
    let (matchers, problems) = own(&[
        r#"{"owner": "silent", "context": true, "pattern": [{"regexp": "^src/.*(nowhere)?$", "message": 1}]}"#
            .to_owned(),
        entry("mine", "^src/a.c:3:12: error: (.+)$"),
    ]);
    assert!(problems.is_empty(), "{problems:?}");
    let part = read(&Lines::of(&format!("{COMMON}src/a.c:4:1: error: y\n")), &matchers, &[]);
    let tools: Vec<_> = part.diagnostics.iter().map(|found| found.tool.as_str()).collect();
    assert_eq!(tools, ["mine", "ansi-c"]);
}

#[test]
fn what_is_too_long_to_be_shown_is_not_kept() {
    let (matchers, problems) =
        own(&[entry(&"o".repeat(5000), "^(x)$"), entry("e", &format!("(x{}", "y".repeat(5000)))]);
    assert!(matchers.own.matchers.is_empty());
    assert!(problems.len() == 2 && problems.iter().all(|problem| problem.len() < 400), "{problems:?}");
}

#[test]
fn the_matchers_of_a_repository_see_every_line() {
    let (matchers, problems) = own(&[entry("zz", "^ZZ (bad thing .+)$"), entry("short", "^(!!)$")]);
    assert!(problems.is_empty(), "{problems:?}");
    let text = format!("ZZ bad thing in a.x: broken\n!!\nZZ bad thing {}\n", "x".repeat(5000));
    let part = read(&Lines::of(&text), &matchers, &[]);
    let said: Vec<_> = part.diagnostics.iter().map(|found| found.message.as_str()).collect();
    assert_eq!(said, ["bad thing in a.x: broken", "!!"], "a line without end is not looked at");
}

#[test]
fn a_loop_begins_below_its_head_even_where_it_would_match_the_head_too() {
    let json = r#"{"problemMatcher": [{"owner": "x", "pattern": [
        {"regexp": "^In (\\S+):$", "file": 1}, {"regexp": "^(\\S.*)$", "message": 1, "loop": true}]}]}"#;
    let text = "something\nIn a.x:\nbad\nIn b.x:\n\nelsewhere\n";
    assert_eq!(found(json, text), ["a.x:0:0 Error - bad", "a.x:0:0 Error - In b.x:"], "as the runner reads it");
}

#[test]
fn a_loop_without_its_head_is_looked_at_once() {
    let text = "  1:2  error  it is bad\n".repeat(200_000);
    let part = read(&Lines::of(&text), Matchers::built_in(), &[]);
    assert!(part.diagnostics.is_empty());
}

#[test]
fn a_matcher_may_look_around_as_far_as_a_limit() {
    let (matchers, problems) = own(&[
        entry("csc", r"^.*\(\d+\): error [A-Z]+(?<!MSB)\d*: (.*)$"),
        entry("slow", r"^((?:a|aa)(?!b))+.(?<!!)$"),
        entry("plain", "^P (.+)$"),
    ]);
    assert!(problems.is_empty(), "{problems:?}");
    let slow = format!("{}!", "a".repeat(300));
    let text = format!(
        "A.cs(1): error CS1: one\nA.cs(1): error MSB1: two\n{slow}\n{slow}\nA.cs(2): error CS2: three\nP four\n"
    );
    let part = read(&Lines::of(&text), &matchers, &[]);
    let said: Vec<_> =
        part.diagnostics.iter().filter(|found| found.tool != "msbuild").map(|found| found.message.as_str()).collect();
    assert_eq!(said, ["one", "three", "four"]);
    let problems: Vec<_> = part.problems.iter().map(|problem| (problem.line, problem.message.as_str())).collect();
    assert_eq!(
        problems,
        [(Some(3), "the matcher `slow` of m.json takes too long here; it is not used from this line on")]
    );
}
