//! What `go test` prints, with or without `-v`, and the sections and lists that gotestsum adds.

use std::collections::{BTreeMap, BTreeSet};

use super::Part;
use super::lines::Lines;
use super::section::{self, Head};
use crate::artifact::{Case, Problem, Status, TestId};
use crate::text;

mod frameworks;
mod gotestsum;

pub(super) use frameworks::{ginkgo, gocheck};

/// Lines of output that are kept of one test.
const OUTPUT_LIMIT: usize = 400;
/// A person quotes a few lines.
const QUOTED: usize = 12;

/// Reads packages one after the other.
pub(super) fn read(lines: &Lines) -> Part {
    let mut reader = Reader::default();
    for (index, line) in lines.all() {
        reader.line(lines, index, line);
    }
    let cut = reader.tests.iter().any(|test| test.status.is_none());
    reader.package(lines, lines.len(), "", cut);
    let mut part = reader.part;
    let told = gotestsum::read(lines, &mut part.cases);
    part.counts = part.cases.counts();
    if let Some(counts) = told {
        part.state(counts);
        part.recognised = true;
    }
    part.recognised |= reader.seen || !part.cases.is_empty();
    part
}

/// One test of the package that runs.
struct Test {
    name: String,
    status: Option<Status>,
    /// The line with its result.
    at: usize,
    /// What it printed: while it ran, and below its result.
    before: Vec<usize>,
    after: Vec<usize>,
}

#[derive(Default)]
struct Reader {
    part: Part,
    seen: bool,
    tests: Vec<Test>,
    known: BTreeMap<String, usize>,
    benchmarks: BTreeSet<String>,
    /// Whose output follows, and whether it stands below its result.
    current: Option<(usize, bool)>,
    /// First line of a panic, or of a package that was not built.
    panicked: Option<usize>,
    broken: BTreeMap<String, (usize, usize)>,
    building: Option<String>,
    start: usize,
}

impl Reader {
    fn line(&mut self, lines: &Lines, index: usize, line: &str) {
        match line.as_bytes().first() {
            Some(b'=') if line.starts_with("=== ") => return self.event(index, line),
            Some(b'F' | b'o' | b'?') => {
                if let Some((word, package, note)) = verdict(line) {
                    return self.verdict(lines, index, (word, package, note));
                }
            }
            Some(b'#') => {
                if let Some(package) = line.strip_prefix("# ").filter(|rest| is_package(rest)) {
                    let package = package.split(' ').next().unwrap_or(package).to_owned();
                    self.broken.entry(package.clone()).or_insert((index, index + 1));
                    self.building = Some(package);
                    return;
                }
            }
            Some(b'B') => {
                if let Some(name) = benchmark(line) {
                    self.seen = true;
                    if self.benchmarks.insert(name.to_owned()) && !self.known.contains_key(name) {
                        self.begin(index, name);
                        self.end(index, name, Status::Passed);
                    }
                    return;
                }
            }
            Some(b'p' | b'f' | b'S' | b'W' | b'u') if self.panicked.is_none() && is_panic(line) => {
                self.panicked = Some(index);
            }
            _ => {}
        }
        if let Some((status, name)) = result(line) {
            self.seen = true;
            self.building = None;
            self.end(index, name, status);
            return;
        }
        self.output(index, line);
    }

    /// `=== RUN   TestX`, `=== CONT  TestX`, `=== NAME  TestX`
    fn event(&mut self, index: usize, line: &str) {
        let Some((word, name)) = line[4..].split_once(' ') else { return };
        let name = name.trim();
        match word {
            "RUN" if !name.is_empty() => {
                self.seen = true;
                self.begin(index, name);
            }
            "CONT" | "NAME" => self.current = self.known.get(name).map(|at| (*at, false)),
            "PAUSE" => self.current = None,
            _ => {}
        }
    }

    fn begin(&mut self, index: usize, name: &str) {
        self.known.insert(name.to_owned(), self.tests.len());
        self.current = Some((self.tests.len(), false));
        let name = name.to_owned();
        self.tests.push(Test { name, status: None, at: index, before: Vec::new(), after: Vec::new() });
    }

    fn end(&mut self, index: usize, name: &str, status: Status) {
        let open = self.known.get(name).copied().filter(|at| self.tests[*at].status.is_none());
        if open.is_none() {
            self.begin(index, name);
        }
        let at = open.unwrap_or(self.tests.len() - 1);
        self.tests[at].status = Some(status);
        self.tests[at].at = index;
        self.current = Some((at, true));
    }

    fn output(&mut self, index: usize, line: &str) {
        if let Some(package) = &self.building {
            if let Some((_, end)) = self.broken.get_mut(package).filter(|(start, _)| index < start + QUOTED) {
                *end = index + 1;
            }
            return;
        }
        let Some((at, after)) = self.current else { return };
        // What is not indented below a result is no longer the test's.
        if after && !line.starts_with([' ', '\t']) && !line.is_empty() {
            self.current = None;
            return;
        }
        let test = &mut self.tests[at];
        let output = if after { &mut test.after } else { &mut test.before };
        if output.len() < OUTPUT_LIMIT {
            output.push(index);
        }
    }

    fn verdict(&mut self, lines: &Lines, index: usize, (word, package, note): (&str, &str, &str)) {
        self.seen = true;
        self.building = None;
        self.current = None;
        let named = self.tests.iter().any(|test| matches!(test.status, Some(Status::Failed) | None));
        self.package(lines, index, package, word == "FAIL");
        if word != "FAIL" || named {
            return;
        }
        let id = TestId { class: package.to_owned(), ..TestId::default() };
        let spellings =
            [package.to_owned(), format!("{package}.test"), format!("{package}_test"), format!("{package}_test.test")];
        let broken = spellings.iter().find_map(|name| self.broken.get(name));
        let (title, end, message) = match (broken, self.panicked) {
            (Some((start, end)), _) if note.contains("failed]") => (*start..start + 1, *end, String::new()),
            (_, Some(panic)) => (panic..panic + 1, index.min(panic + QUOTED), lines.get(panic).to_owned()),
            _ if note.contains("failed]") => (index..index + 1, index + 1, format!("{package} {note}")),
            _ => (index.saturating_sub(3)..index, index + 1, format!("the tests of {package} failed")),
        };
        let head = Head { id, status: Status::Errored, message, ..Head::default() };
        self.part.cases.push(section::failed(lines, head, title, end));
        self.panicked = None;
    }

    /// Ends a package: its tests get its name.
    fn package(&mut self, lines: &Lines, end: usize, package: &str, failed: bool) {
        let panicked = self.panicked.filter(|_| failed);
        for test in std::mem::take(&mut self.tests) {
            let id = TestId { suite: String::new(), class: package.to_owned(), name: test.name.clone() };
            let case = match test.status {
                Some(status @ (Status::Passed | Status::Skipped)) => Case { id, status, ..Case::default() },
                Some(status) => failure(lines, &test, id, status, panicked),
                // A run that was cut off tells nothing about the test that ran.
                None if !failed => continue,
                None => failure(lines, &test, id, Status::Errored, panicked),
            };
            self.part.cases.push(case);
        }
        if failed && package.is_empty() && self.seen {
            let line = Some(lines.number(end.saturating_sub(1)));
            let message = "the output of go test ends before the package's verdict".to_owned();
            self.part.problems.push(Problem { line, message });
        }
        if self.seen && end > self.start {
            self.part.claims.push((self.start, end));
        }
        self.start = end;
        self.known.clear();
        self.benchmarks.clear();
        if !failed {
            self.panicked = None;
        }
    }
}

fn failure(lines: &Lines, test: &Test, id: TestId, status: Status, panicked: Option<usize>) -> Case {
    let own = if test.after.is_empty() { &test.before } else { &test.after };
    let (title, end) = match (own.first(), own.last(), panicked) {
        (_, _, Some(panic)) if panic >= test.at || own.contains(&panic) => (panic..panic + 1, panic + QUOTED),
        (_, Some(last), _) if !test.after.is_empty() => (test.at..test.at + 1, last + 1),
        (Some(first), Some(last), _) => {
            let start = (*first).max((last + 1).saturating_sub(QUOTED));
            (start..start, if test.at == last + 1 { test.at + 1 } else { last + 1 })
        }
        _ => (test.at..test.at + 1, test.at + 1),
    };
    let said = match panicked.filter(|panic| title.start == *panic) {
        Some(panic) => lines.get(panic).trim().to_owned(),
        None => message(lines, own),
    };
    let head = Head { id, status, message: said, lines: 1, location: None };
    let mut case = section::failed(lines, head, title, end);
    let place = own.iter().find_map(|at| section::place_of(lines.get(*at)));
    for fault in &mut case.faults {
        let all: Vec<&str> = own.iter().map(|at| lines.get(*at)).collect();
        fault.details = text::cut_middle(&all.join("\n"), 64 << 10);
        fault.location = place.clone().or_else(|| fault.location.take());
    }
    case
}

/// What a test said was wrong: testify's words, else its last line that has a place.
fn message(lines: &Lines, own: &[usize]) -> String {
    let line = |at: &usize| lines.get(*at).trim();
    if let Some(at) = own.iter().position(|at| line(at).starts_with("Error:")) {
        let said = own[at..].iter().map(line).take(4).take_while(|line| !line.starts_with("Test:"));
        let said: Vec<&str> = said.map(|line| line.strip_prefix("Error:").unwrap_or(line).trim()).collect();
        return text::one_line(&said.join(" "), 400);
    }
    let placed = own.iter().map(line).filter_map(|line| {
        let (path, rest) = line.split_once(".go:")?;
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(':')?;
        (!path.contains(' ')).then_some(rest.trim())
    });
    let said = placed.rev().find(|said| !said.is_empty());
    let first = || own.iter().map(line).find(|line| !line.is_empty() && !line.starts_with("==="));
    said.or_else(first).unwrap_or_default().to_owned()
}

/// `--- FAIL: TestX/sub (0.00s)`, at any depth; output without a line feed may stand before it.
fn result(line: &str) -> Option<(Status, &str)> {
    let at = line.find("--- ")?;
    let rest = &line[at + 4..];
    let (status, name) = ["PASS: ", "FAIL: ", "SKIP: ", "BENCH: "]
        .iter()
        .zip([Status::Passed, Status::Failed, Status::Skipped, Status::Passed])
        .find_map(|(word, status)| Some((status, rest.strip_prefix(word)?)))?;
    let name = match name.rsplit_once(" (") {
        Some((name, time)) if time.trim_end().ends_with(['s', ')']) => name,
        _ => name,
    };
    let name = name.trim();
    // An event of `go test -json` quotes the same line.
    (!name.is_empty() && !name.contains(' ') && !name.ends_with("\"}") && line[..at].trim().len() < 1024)
        .then_some((status, name))
}

/// `FAIL<tab>package<tab>0.1s`, `ok  <tab>package<tab>(cached)`, `?   <tab>package<tab>[no test files]`
fn verdict(line: &str) -> Option<(&'static str, &str, &str)> {
    let (word, rest) = ["FAIL", "ok", "?"].iter().find_map(|word| Some((*word, line.strip_prefix(word)?)))?;
    let package = rest.trim_start();
    if rest.len() == package.len() || !(rest.starts_with('\t') || rest.starts_with("  ")) {
        return None;
    }
    let (package, note) = package.split_once(['\t', ' '])?;
    let note = note.trim();
    let timed = note.starts_with(|c: char| c.is_ascii_digit()) && note.contains('s');
    (is_package(package) && (timed || note.starts_with(['(', '[']) || note.starts_with("coverage:")))
        .then_some((word, package, note))
}

fn is_package(text: &str) -> bool {
    let name = text.split(' ').next().unwrap_or_default();
    let rest = text[name.len()..].trim();
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '.' | '/' | '_' | '-' | '~' | '+');
    let dotted = name.contains(['/', '.']) || !rest.is_empty();
    !name.is_empty() && dotted && name.chars().all(fits) && (rest.is_empty() || rest.starts_with('['))
}

/// `BenchmarkX-8   <tab>100<tab> 12 ns/op`, or the name alone.
fn benchmark(line: &str) -> Option<&str> {
    let name = line.split([' ', '\t']).next()?;
    let measured = line.contains(" ns/op");
    if !measured || !name.starts_with("Benchmark") {
        return None;
    }
    match name.rsplit_once('-') {
        Some((stem, cores)) if !cores.is_empty() && cores.bytes().all(|byte| byte.is_ascii_digit()) => Some(stem),
        _ => Some(name),
    }
}

fn is_panic(line: &str) -> bool {
    ["panic: ", "fatal error: ", "SIGSEGV", "WARNING: DATA RACE", "unexpected fault address"]
        .iter()
        .any(|start| line.starts_with(start))
}

#[cfg(test)]
mod tests;
