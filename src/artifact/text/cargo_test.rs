//! The output of `cargo test`: several test binaries and documentation tests, named, quiet or aborted.

use crate::artifact::text::cases::Cases;
use std::collections::BTreeMap;

use super::Part;
use super::lines::Lines;
use crate::artifact::{
    Case, Diagnostic, Fault, FaultKind, Location, Severity, Status, TestCounts, TestId, gist, place, trace::panic,
};

/// The suite of documentation tests.
const DOC_TESTS: &str = "doc-tests";
/// The output that one failed test may have in the failures section, in lines.
const OUTPUT_LIMIT: usize = 2000;

/// Reads cases, what failed ones printed, and binaries that died.
pub(super) fn read(lines: &Lines) -> Part {
    let mut reader = Reader::default();
    // nextest shows what each failed test's own harness printed: it is told by nextest.
    let mut quoted = false;
    for (index, line) in lines.all() {
        let opens = line.starts_with("--- STDOUT:") || line.starts_with("--- STDERR:");
        quoted = opens || quoted && target(line).is_none();
        if !quoted {
            reader.line(lines, index, line);
        }
    }
    reader.close(lines, lines.len(), true);
    let mut part = reader.part;
    part.state(reader.stated);
    part.recognised = reader.seen;
    part
}

#[derive(Default)]
struct Reader {
    part: Part,
    stated: TestCounts,
    seen: bool,
    /// Names that cases of this binary get.
    suite: String,
    class: String,
    binary: Option<Binary>,
}

/// One test binary, from `running N tests` to `test result`.
#[derive(Default)]
struct Binary {
    announced: u64,
    cases: Cases,
    /// A test whose end has not been printed yet: its output comes in between.
    begun: Option<String>,
    /// Failed tests' output by name: index of the first line, and of the line after the last.
    outputs: BTreeMap<String, (usize, usize)>,
    open: Option<(String, usize)>,
    /// Names in the closing list of failures.
    failures: Vec<String>,
    listing: bool,
    start: usize,
    /// Where tests panicked whose output was not captured.
    panics: BTreeMap<String, usize>,
}

impl Reader {
    fn line(&mut self, lines: &Lines, index: usize, line: &str) {
        if let Some((suite, class)) = target(line) {
            self.close(lines, index, false);
            self.seen = true;
            (self.suite, self.class) = (suite, class);
            return;
        }
        if let Some(announced) = running(line) {
            self.close(lines, index, false);
            self.seen = true;
            self.binary = Some(Binary { announced, start: index, ..Binary::default() });
            return;
        }
        if let Some((program, how)) = died(line) {
            self.died(lines, index, &program, how);
            return;
        }
        let Some(binary) = &mut self.binary else { return };
        if let Some(counts) = line.strip_prefix("test result: ") {
            self.stated = add(self.stated, result(counts));
            self.close(lines, index, false);
            return;
        }
        binary.line(index, line);
    }

    /// Ends the binary that is open; `cut` tells that the artifact ends here.
    fn close(&mut self, lines: &Lines, end: usize, cut: bool) {
        let Some(mut binary) = self.binary.take() else { return };
        binary.close_output(end);
        if cut && binary.cases.counts().total < binary.announced && binary.failures.is_empty() {
            self.part.problems.push(crate::artifact::Problem {
                line: Some(lines.number(binary.start)),
                message: format!(
                    "{} tests were announced and {} ended: the output is cut off",
                    binary.announced,
                    binary.cases.counts().total
                ),
            });
        }
        self.part.claims.push((binary.start, end));
        self.part.cases.append(&mut binary.cases(lines, &self.suite, &self.class));
    }

    /// A process that a signal ended: the test that ran, when it is known, else the whole binary.
    fn died(&mut self, lines: &Lines, index: usize, program: &str, how: &str) {
        let start = self.binary.as_ref().map_or(index.saturating_sub(8), |binary| binary.start);
        let before = index.saturating_sub(12).max(start);
        let fatal = |line: &str| {
            line.contains("has overflowed its stack")
                || line.contains("fatal runtime error")
                || line.contains(" panicked at ")
        };
        let first = lines.range(before..index).find(|(_, line)| fatal(line)).map_or(index, |(at, _)| at);
        let thread = lines.range(before..index).find_map(|(_, line)| {
            line.split_once("thread '").and_then(|(_, rest)| rest.split_once('\'')).map(|(name, _)| name.to_owned())
        });
        let (quoted, excerpt) = lines.quote(first..index + 1);
        let said = lines.range(first..index).find(|(_, line)| fatal(line)).map(|(_, line)| line.trim().to_owned());
        let message =
            said.map_or_else(|| format!("the test binary `{program}` died ({how})"), |said| format!("{said} ({how})"));
        let begun = self.binary.as_mut().and_then(|binary| binary.begun.take());
        let name = begun.or(thread.filter(|name| name != "main" && !name.starts_with('<')));
        let details = lines.join(first..index + 1);
        match (&mut self.binary, name) {
            (Some(binary), Some(name)) => {
                let mut fault = gist::fault(&message, Some("crash".to_owned()), &details, None);
                (fault.message, fault.lines, fault.excerpt) = (message, quoted, excerpt);
                binary.cases.push(Case {
                    id: TestId { name, ..TestId::default() },
                    status: Status::Errored,
                    faults: vec![fault],
                    ..Case::default()
                });
            }
            _ => self.part.diagnostics.push(Diagnostic {
                kind: FaultKind::Crash,
                tool: "cargo".to_owned(),
                severity: Severity::Error,
                message,
                details,
                lines: quoted,
                excerpt,
                ..Diagnostic::default()
            }),
        }
        self.seen = true;
        self.close(lines, index, false);
    }
}

impl Binary {
    fn line(&mut self, index: usize, line: &str) {
        if let Some(name) = line.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" ----")) {
            self.close_output(index);
            let name = name.strip_suffix(" stdout").or_else(|| name.strip_suffix(" stderr")).unwrap_or(name);
            self.open = Some((name.to_owned(), index + 1));
        } else if line == "failures:" || line == "successes:" {
            self.close_output(index);
            self.listing = line == "failures:";
        } else if let (None, Some(thread)) = (&self.open, panicking(line)) {
            let name = if thread == "main" { self.begun.clone() } else { None };
            self.panics.insert(name.unwrap_or_else(|| thread.to_owned()), index);
        } else if self.open.is_some() {
            // Output of a failed test: nothing in it is a line of the runner.
        } else if let Some(name) = line.strip_prefix("    ").filter(|name| self.listing && !name.starts_with(' ')) {
            self.failures.push(name.trim_end().to_owned());
        } else if let Some((name, end)) = case(line) {
            match end {
                Some(status) => self.end(name, status),
                None => self.begun = Some(name.to_owned()),
            }
        } else if let Some(status) = self.begun.is_some().then(|| ending(line)).flatten()
            && let Some(name) = self.begun.take()
        {
            self.end(&name, status);
        }
    }

    fn end(&mut self, name: &str, status: Status) {
        let id = TestId { name: name.to_owned(), ..TestId::default() };
        self.cases.push(Case { id, status, ..Case::default() });
    }

    fn close_output(&mut self, end: usize) {
        if let Some((name, start)) = self.open.take() {
            self.outputs.entry(name).or_insert((start, end.min(start + OUTPUT_LIMIT)));
        }
    }

    fn cases(mut self, lines: &Lines, suite: &str, class: &str) -> Cases {
        // Quiet runners name only what failed, and only at the end.
        let failed: Vec<String> = self.failures.iter().chain(self.outputs.keys()).cloned().collect();
        let mut known: std::collections::BTreeSet<String> =
            self.cases.iter().map(|case| case.id.name.clone()).collect();
        for name in failed {
            if known.insert(name.clone()) {
                self.end(&name, Status::Failed);
            }
        }
        for case in self.cases.iter_mut() {
            if case.status == Status::Failed {
                let shown = self.panics.get(&case.id.name).map(|at| (*at, (at + 60).min(lines.len())));
                let (start, end) = self.outputs.get(&case.id.name).copied().or(shown).unwrap_or((0, 0));
                case.faults.push(fault(lines, start, end));
            }
            if let Some(at) = documented(&case.id.name) {
                // The panic's place is one in the program that was made of the example.
                case.faults.iter_mut().for_each(|fault| fault.location = Some(at.clone()));
            }
            suite.clone_into(&mut case.id.suite);
            class.clone_into(&mut case.id.class);
        }
        self.cases
    }
}

/// What a failed test printed. Other threads may panic first; the test's own panic is its last one.
fn fault(lines: &Lines, start: usize, end: usize) -> Fault {
    if start == end {
        return gist::fault("", None, "", None);
    }
    let ends = |line: &str| line.starts_with("test ") || line.starts_with("test result: ");
    let end = lines.range(start + 1..end).find(|(_, line)| ends(line)).map_or(end, |(at, _)| at);
    let panics = lines.range(start..end).filter(|(_, line)| panicking(line).is_some()).map(|(index, _)| index);
    let at = panics.last();
    let details = lines.join(start..end);
    let mut fault = gist::fault("", None, &details, Some(lines.number(start)));
    if let Some(at) = at
        && let Some(found) = panic::read(lines.range(at..end).map(|(_, line)| line))
    {
        (fault.message, fault.location) = (found.message, found.location.or(fault.location));
        (fault.lines, fault.excerpt) = lines.quote(at..at + found.lines);
    } else {
        (fault.lines, fault.excerpt) = lines.quote(start..end.min(start + 10));
        if let Some(note) = fault.message.strip_prefix("note: ").filter(|note| note.starts_with("test did not panic")) {
            fault.location = note.rsplit_once(" at ").and_then(|(_, at)| place::whole(at));
            fault.message = note.split(" at ").next().unwrap_or(note).to_owned();
        } else if let Some((_, error)) = lines.range(start..end).find(|(_, line)| line.starts_with("error")) {
            // A documentation test that does not compile.
            error.clone_into(&mut fault.message);
        }
    }
    fault
}

/// `src/lib.rs - add (line 3)` is at line 3.
fn documented(name: &str) -> Option<Location> {
    let (path, rest) = name.split_once(" - ")?;
    let line = rest.rsplit_once("(line ")?.1.split(')').next()?.parse().ok()?;
    Some(Location { path: path.to_owned(), line: Some(line), column: None })
}

/// The thread in `thread 'name' panicked at …`.
fn panicking(line: &str) -> Option<&str> {
    let (before, _) = line.split_once(" panicked at ")?;
    Some(before.split_once("thread '")?.1.rsplit_once('\'')?.0)
}

/// The suite (path of the target's source) and class (name of the binary) of the tests that follow.
fn target(line: &str) -> Option<(String, String)> {
    let trimmed = line.trim_start();
    if let Some(name) = trimmed.strip_prefix("Doc-tests ").filter(|_| line.starts_with("   ")) {
        return Some((DOC_TESTS.to_owned(), name.trim().to_owned()));
    }
    let rest = trimmed.strip_prefix("Running ").filter(|_| line.starts_with("   "))?;
    if let Some(program) = rest.strip_prefix('`') {
        let program = program.split(['`', ' ']).next().filter(|program| program.contains("deps"))?;
        return Some((String::new(), stem(program)));
    }
    let (source, program) = rest.strip_suffix(')')?.rsplit_once(" (")?;
    Some((source.strip_prefix("unittests ").unwrap_or(source).replace('\\', "/"), stem(program)))
}

/// `target/debug/deps/demo-0123456789abcdef` is `demo`.
fn stem(program: &str) -> String {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    match name.rsplit_once('-') {
        Some((stem, hash)) if hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => stem.to_owned(),
        _ => name.to_owned(),
    }
}

/// `running 3 tests`
fn running(line: &str) -> Option<u64> {
    let (number, rest) = line.strip_prefix("running ")?.split_once(' ')?;
    matches!(rest.trim_end(), "test" | "tests").then(|| number.parse().ok()).flatten()
}

/// `test name ... ok`: the name, and how it ended when the line says so.
fn case(line: &str) -> Option<(&str, Option<Status>)> {
    let (name, end) = line
        .strip_prefix("test ")?
        .split_once(" ... ")
        .or_else(|| line.strip_prefix("test ")?.strip_suffix(" ...").map(|name| (name, "")))?;
    let name = name.strip_suffix(" - should panic").unwrap_or(name);
    Some((name, ending(end)))
}

/// How a test ended, at the end of its line: with `--nocapture` its output stands before it.
fn ending(text: &str) -> Option<Status> {
    let text = text.split(" <").next().unwrap_or(text).trim_end();
    if text.starts_with("ignored") {
        return Some(Status::Skipped);
    }
    if text.ends_with("FAILED") || text.ends_with("failed (allowed)") {
        return Some(Status::Failed);
    }
    let ok = text == "ok"
        || text.ends_with(" ok")
        || text.starts_with("bench:")
        || (text.starts_with("ok (") || text.ends_with("s)") && text.contains("ok ("));
    ok.then_some(Status::Passed)
}

/// `FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s`
fn result(text: &str) -> TestCounts {
    let mut counts = TestCounts::default();
    for part in text.split([';', '.']) {
        let Some((number, word)) = part.trim().split_once(' ') else { continue };
        let Ok(number) = number.parse::<u64>() else { continue };
        match word {
            "passed" | "measured" => counts.passed = counts.passed.saturating_add(number),
            "failed" => counts.failed = number,
            "ignored" => counts.skipped = number,
            _ => {}
        }
    }
    counts
}

fn add(a: TestCounts, b: TestCounts) -> TestCounts {
    TestCounts {
        passed: a.passed.saturating_add(b.passed),
        failed: a.failed.saturating_add(b.failed),
        skipped: a.skipped.saturating_add(b.skipped),
        ..a
    }
}

/// `process didn't exit successfully: … (signal: 6, SIGABRT: process abort signal)`
fn died(line: &str) -> Option<(String, &str)> {
    let rest = line.trim_start().strip_prefix("process didn't exit successfully: ")?;
    let (program, how) = rest.rsplit_once('(')?;
    let how = how.trim_end_matches(')');
    let program = program.trim_matches(['`', ' ']).split(' ').next().unwrap_or_default();
    (how.starts_with("signal") || how.contains("0xc0000")).then(|| (stem(program), how))
}

#[cfg(test)]
mod tests;
