//! Tools that write one finding a line as JSON, also between other output.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use serde_json::Value;

use super::Part;
use super::lines::Lines;
use crate::artifact::json::linter;
use crate::artifact::{Lines as Span, Problem};

/// More findings than this are not kept.
const FINDINGS: usize = 50_000;
/// A longer line may be a whole report; most lines are those of loggers, which are asked little.
const FINDING: usize = 2 << 10;

/// Words without one of which no line is a finding: it has a file or a package.
static SAYS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let words = [
        "path\"",
        "Path\"",
        "\"file\"",
        "ilename\"",
        "ileName\"",
        "\"later_",
        "\"advisory\"",
        "DetectorName\"",
        "\"osv\"",
        "\"labels\"",
        "\"Pos",
        "ulnerabilit",
    ];
    AhoCorasick::new(words).ok()
});

/// Reads every line that is a finding or a report of a known tool.
pub(super) fn read(lines: &Lines) -> Part {
    let mut part = Part::default();
    for (index, line) in lines.all() {
        let line = line.trim();
        if !line.starts_with("{\"") || !line.ends_with('}') || SAYS.as_ref().is_none_or(|says| !says.is_match(line)) {
            continue;
        }
        let Ok(document) = serde_json::from_str::<Value>(line) else { continue };
        let Some(found) = linter::read_line(document, line.len() > FINDING) else { continue };
        part.recognised = true;
        let number = lines.number(index);
        if part.diagnostics.len() + found.len() > FINDINGS {
            let message = format!("more than {FINDINGS} findings; the rest was not read");
            part.problems.push(Problem { line: Some(number), message });
            break;
        }
        part.claims.push((index, index + 1));
        part.diagnostics.extend(found.into_iter().map(|mut diagnostic| {
            diagnostic.lines = Some(Span { start: number, end: number });
            diagnostic
        }));
    }
    part
}

#[cfg(test)]
mod tests {
    use crate::artifact::{FaultKind, Severity, read};

    #[test]
    fn findings_stand_between_other_lines() {
        let log = concat!(
            "go: downloading x\n",
            r#"{"code":"SA4006","severity":"error","location":{"file":"/w/a.go","line":7,"column":2},"end":{"line":7},"message":"never used"}"#,
            "\n",
            r#"{"level":"info","msg":"no finding"}"#,
            "\n",
            r#"{"message":"too long","location":{"path":"b.py","range":{"start":{"line":3,"column":1},"end":{"line":3,"column":4}}},"severity":"WARNING","code":{"value":"E501"},"suggestions":[{"range":{"start":{"line":3,"column":1},"end":{"line":3,"column":4}},"text":"x"}]}"#,
            "\n",
            r#"{"type":"auditAdvisory","data":{"resolution":{},"advisory":{"module_name":"qs","title":"Prototype","severity":"high","findings":[{"version":"6.0.0"}],"cves":["CVE-1"]}}}"#,
        );
        let report = read("o.log", log.as_bytes());
        assert_eq!(report.kind, "linter-json-lines");
        let seen: Vec<_> = report
            .diagnostics
            .iter()
            .map(|found| (found.tool.as_str(), found.severity, found.message.as_str(), found.lines.map(|at| at.start)))
            .collect();
        assert_eq!(
            seen,
            [
                ("staticcheck", Severity::Error, "never used", Some(2)),
                ("reviewdog", Severity::Warning, "too long", Some(4)),
                ("yarn-audit", Severity::Error, "qs 6.0.0: Prototype", Some(5)),
            ]
        );
        assert_eq!(report.diagnostics[1].rule.as_deref(), Some("E501"));
        assert_eq!(report.diagnostics[1].fixes[0].end, (3, 4));
        assert_eq!(report.diagnostics[2].kind, FaultKind::Dependency);
    }
}
