//! The annotations of a job as the forge lists them: what problem matchers and `::error` lines left at places of files.

use serde::Deserialize as _;
use serde_json::Value;

use crate::artifact::{Diagnostic, FaultKind, Location, Problem, Report, Severity};
use crate::text;

/// The directory that the runner names when a message is about the job, not about a file.
const NO_PLACE: &str = ".github";

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
struct Annotation {
    path: Option<String>,
    start_line: Option<u32>,
    start_column: Option<u32>,
    #[serde(rename = "annotation_level")]
    level: Option<String>,
    message: Option<String>,
    title: Option<String>,
    raw_details: Option<String>,
}

/// A list of objects that have a level.
pub(super) fn sniff(document: &Value) -> bool {
    document.as_array().is_some_and(|list| list.iter().any(|entry| entry.get("annotation_level").is_some()))
}

/// Reads every entry that is one.
pub(super) fn read(document: &Value, report: &mut Report) {
    report.producer = Some("github-actions".to_owned());
    let mut strange = 0;
    for entry in document.as_array().into_iter().flatten() {
        match Annotation::deserialize(entry) {
            Ok(annotation) if annotation.level.is_some() => report.diagnostics.extend(diagnostic(&annotation)),
            _ => strange += 1,
        }
    }
    if strange > 0 {
        report.problems.push(Problem { line: None, message: format!("{strange} entries are no annotations") });
    }
}

fn diagnostic(annotation: &Annotation) -> Option<Diagnostic> {
    let message = text::plain(annotation.message.as_deref().unwrap_or_default());
    let title = text::plain(annotation.title.as_deref().unwrap_or_default());
    let path = annotation.path.as_deref().unwrap_or_default();
    let about_job = path.is_empty() || path == NO_PLACE;
    let says = if message.trim().is_empty() { &title } else { &message };
    let first = text::first_line(says, 400);
    if first.is_empty() || (about_job && is_echo(&first)) {
        return None;
    }
    let severity = match annotation.level.as_deref() {
        Some("failure") => Severity::Error,
        // What the runner remarks about itself (an old action, a full cache) is nobody's fault to repair.
        Some("warning") if !about_job => Severity::Warning,
        _ => Severity::Note,
    };
    let place = Location { path: path.to_owned(), line: annotation.start_line, column: annotation.start_column };
    let details = [title.trim(), message.trim(), annotation.raw_details.as_deref().map(str::trim).unwrap_or_default()];
    let details: Vec<&str> = details.into_iter().filter(|part| !part.is_empty()).collect();
    let details = text::cut_middle(&text::plain(&details.join("\n")), 16 << 10);
    Some(Diagnostic {
        kind: kind(&first, about_job),
        tool: "annotation".to_owned(),
        rule: Some(title.trim().to_owned()).filter(|title| !title.is_empty() && title.len() <= 100),
        severity,
        message: first,
        location: (!about_job).then_some(place),
        frames: Vec::new(),
        excerpt: details.lines().take(12).collect::<Vec<_>>().join("\n"),
        details,
        ..Diagnostic::default()
    })
}

/// The runner repeats how a step or the job ended; what went wrong stands elsewhere.
fn is_echo(message: &str) -> bool {
    message.starts_with("Process completed with exit code ")
        || message.starts_with("The operation was canceled")
        || message.starts_with("The job was canceled because ")
        || (message.starts_with("The process '") && message.contains("failed with exit code"))
}

fn kind(message: &str, about_job: bool) -> FaultKind {
    let lower = message.to_ascii_lowercase();
    if lower.contains("exceeded the maximum execution time") || (about_job && lower.contains("has timed out")) {
        return FaultKind::Timeout;
    }
    let runner = [
        "lost communication with the server",
        "received a shutdown signal",
        "no space left on device",
        "failed to download action",
    ];
    if about_job && runner.iter().any(|words| lower.contains(words)) {
        return FaultKind::Infrastructure;
    }
    FaultKind::Unknown
}

#[cfg(test)]
mod tests {
    use crate::artifact::{FaultKind, Severity, read};

    const LIST: &str = r#"[
      {"path":"src/a.py","start_line":3,"end_line":4,"start_column":5,"end_column":9,"annotation_level":"failure",
       "title":"F821","message":"undefined name `x`\nmore","raw_details":null},
      {"path":"src/b.py","start_line":1,"end_line":1,"start_column":null,"annotation_level":"warning","title":"","message":"unused"},
      {"path":".github","start_line":12,"end_line":12,"annotation_level":"failure","title":null,"message":"Process completed with exit code 1."},
      {"path":".github","start_line":1,"annotation_level":"failure","message":"The job running on runner x has exceeded the maximum execution time of 5 minutes."},
      {"path":".github","start_line":1,"annotation_level":"failure","message":"The runner has received a shutdown signal."},
      {"path":".github","start_line":1,"annotation_level":"warning","message":"Node.js 20 actions are deprecated."},
      {"path":"c","start_line":1,"annotation_level":"notice","message":"fyi"},
      7
    ]"#;

    #[test]
    fn annotations_are_faults_at_places() {
        let report = read("annotations.json", LIST.as_bytes());
        assert_eq!(report.kind, "annotations");
        let seen: Vec<_> = report
            .diagnostics
            .iter()
            .map(|found| {
                let place = found.location.as_ref().map(|at| (at.path.as_str(), at.line, at.column));
                (found.severity, found.kind, found.message.as_str(), place)
            })
            .collect();
        assert_eq!(
            seen,
            [
                (Severity::Error, FaultKind::Unknown, "undefined name `x`", Some(("src/a.py", Some(3), Some(5)))),
                (Severity::Warning, FaultKind::Unknown, "unused", Some(("src/b.py", Some(1), None))),
                (
                    Severity::Error,
                    FaultKind::Timeout,
                    "The job running on runner x has exceeded the maximum execution time of 5 minutes.",
                    None
                ),
                (Severity::Error, FaultKind::Infrastructure, "The runner has received a shutdown signal.", None),
                (Severity::Note, FaultKind::Unknown, "Node.js 20 actions are deprecated.", None),
                (Severity::Note, FaultKind::Unknown, "fyi", Some(("c", Some(1), None))),
            ]
        );
        assert_eq!(report.diagnostics[0].rule.as_deref(), Some("F821"));
        assert_eq!(report.diagnostics[0].excerpt, "F821\nundefined name `x`\nmore");
        assert_eq!(report.problems[0].message, "1 entries are no annotations");
    }

    #[test]
    fn a_list_that_was_cut_off_gives_what_stands_before() {
        let report = read("a.json", &LIST.as_bytes()[..LIST.find("unused").unwrap()]);
        assert_eq!((report.kind, report.diagnostics.len(), report.problems[0].line), ("annotations", 1, Some(4)));
    }

    #[test]
    fn other_json_is_none() {
        assert_eq!(read("a.json", br#"[{"level":"error","message":"x"}]"#).kind, "unknown");
    }
}
