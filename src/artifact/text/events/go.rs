//! `go test -json`, as test2json writes it.

use crate::artifact::text::cases::Cases;
use std::collections::HashMap;

use serde::Deserialize;

use super::{append, each, fault, part};
use crate::artifact::text::Part;
use crate::artifact::text::lines::Lines;
use crate::artifact::{Case, Diagnostic, FaultKind, Severity, Status, TestId, gist};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event {
    action: String,
    #[serde(default)]
    package: String,
    #[serde(default)]
    import_path: String,
    #[serde(default)]
    test: String,
    #[serde(default)]
    output: String,
    elapsed: Option<f64>,
}

/// What is known of a test that runs, or of a package.
#[derive(Default)]
struct Open {
    output: String,
    /// The line that says most: the first of its own words.
    at: Option<usize>,
    started: bool,
}

#[derive(Default)]
struct Reader {
    cases: Cases,
    open: HashMap<(String, String), Open>,
    /// Tests that failed, by package.
    failed: HashMap<String, u64>,
    diagnostics: Vec<Diagnostic>,
}

/// Reads every test of every package. A test that never ends is no test that ended: it is reported, not counted.
pub(in crate::artifact::text) fn read(lines: &Lines) -> Part {
    let mut reader = Reader::default();
    let claims = each(lines, |index, event: Event| reader.event(lines, index, event));
    let mut part = part(reader.cases, claims);
    part.recognised |= !reader.diagnostics.is_empty();
    part.diagnostics = reader.diagnostics;
    part
}

impl Reader {
    fn event(&mut self, lines: &Lines, index: usize, event: Event) {
        let package = if event.package.is_empty() { event.import_path } else { event.package };
        let key = (package, event.test);
        let status = match event.action.as_str() {
            "run" => {
                self.open.insert(key, Open { started: true, ..Open::default() });
                return;
            }
            "output" | "build-output" => return self.output(index, key, &event.output),
            "pass" | "bench" => Status::Passed,
            "skip" => Status::Skipped,
            "fail" | "build-fail" => Status::Failed,
            _ => return,
        };
        if key.1.is_empty() {
            if status == Status::Failed {
                self.package_failed(lines, index, &key.0);
            }
            return;
        }
        let open = self.open.remove(&key).unwrap_or_default();
        let (package, name) = key;
        let mut case = Case {
            id: TestId { suite: String::new(), class: package.clone(), name },
            status,
            seconds: event.elapsed,
            ..Case::default()
        };
        if status == Status::Failed {
            *self.failed.entry(package).or_default() += 1;
            case.faults.push(fault(lines, open.at.unwrap_or(index), "", &open.output));
        }
        self.cases.push(case);
    }

    fn output(&mut self, index: usize, key: (String, String), output: &str) {
        let open = self.open.entry(key).or_default();
        let frame = output.trim_start();
        if frame.starts_with("=== ") || frame.starts_with("--- ") {
            return;
        }
        open.at = open.at.or(Some(index));
        append(&mut open.output, output);
    }

    /// A package that fails by itself was not built, or died while a test ran.
    fn package_failed(&mut self, lines: &Lines, index: usize, package: &str) {
        let running: Vec<(String, String)> = self
            .open
            .iter()
            .filter(|(key, open)| key.0 == package && open.started && !key.1.is_empty())
            .map(|(key, _)| key.clone())
            .collect();
        let own = self.open.remove(&(package.to_owned(), String::new())).unwrap_or_default();
        let mut told = false;
        let mut running = running;
        running.sort();
        for key in running {
            let Some(open) = self.open.remove(&key) else { continue };
            told |= self.report(lines, index, &key.1, &open);
        }
        let says = own
            .output
            .lines()
            .any(|line| !line.trim().is_empty() && !line.starts_with("FAIL") && !line.starts_with("exit status"));
        if !told && says && !self.failed.contains_key(package) {
            self.report(lines, index, package, &own);
        }
    }

    fn report(&mut self, lines: &Lines, index: usize, what: &str, open: &Open) -> bool {
        if open.output.trim().is_empty() {
            return false;
        }
        let found = gist::fault("", None, &open.output, None);
        let (quoted, _) = lines.quote(open.at.unwrap_or(index)..open.at.unwrap_or(index) + 1);
        let timeout = open.output.contains("test timed out after");
        let built = !open.output.contains("panic: ") && !timeout;
        self.diagnostics.push(Diagnostic {
            kind: if timeout {
                FaultKind::Timeout
            } else if built {
                FaultKind::Compile
            } else {
                FaultKind::Crash
            },
            tool: "go".to_owned(),
            severity: Severity::Error,
            message: format!("{what}: {}", found.message),
            location: found.location,
            frames: found.frames,
            details: found.details,
            lines: quoted,
            excerpt: found.excerpt,
            ..Diagnostic::default()
        });
        true
    }
}
