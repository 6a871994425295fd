//! Reports that are lists of tests, nested or not: what differs between runners is where the fields stand, so that a
//! runner is a row of data.

mod rows;
mod services;
mod tools;

use std::collections::BTreeSet;

use serde_json::Value;

use super::field::{self, at, items, number, prose, text};
use crate::artifact::{Case, Diagnostic, FaultKind, Location, Report, Status, TestCounts, TestId, gist};

/// Every row; a document has the shape of the first whose signs it shows.
pub(super) fn shapes() -> impl Iterator<Item = &'static Shape> {
    rows::SHAPES.iter().chain(services::SHAPES).chain(tools::SHAPES)
}

/// Suites are nested at most so deep.
const DEPTH: usize = 100;

/// Where a runner puts what there is to know about its tests. Paths are keys with dots between; the first that is there
/// counts.
pub(super) struct Shape {
    pub(super) kind: &'static str,
    pub(super) producer: &'static str,
    /// Paths that all stand in the document.
    signs: &'static [&'static str],
    /// The lists under which suites and tests stand; `*` is every list of the object. A document that is a list is one.
    lists: &'static [&'static str],
    /// What all tests have and no suite has.
    test: &'static [&'static str],
    /// How a suite is called.
    titles: &'static [&'static str],
    name: &'static [&'static str],
    /// The test's suite or class, where it tells it itself.
    suite: &'static [&'static str],
    status: fn(&Value) -> Option<Status>,
    message: &'static [&'static str],
    class: &'static [&'static str],
    trace: &'static [&'static str],
    file: &'static [&'static str],
    line: &'static [&'static str],
    /// The path of the duration, and how many of its units are a second.
    time: (&'static str, f64),
    flaky: fn(&Value) -> bool,
    /// What the runner counted itself, where it did.
    counts: fn(&Value) -> Option<TestCounts>,
    /// What a suite says that could not run, and under which word.
    broken: Option<(&'static str, &'static str)>,
    /// Whether one of its `failures` is a hook, which stands in no list of tests.
    is_hook: fn(&Value) -> bool,
    /// How the runner writes the whole name of a test, where that is more than `name`.
    id: Option<fn(&str) -> TestId>,
}

/// The shape of a document.
pub(super) fn of(document: &Value) -> Option<&'static Shape> {
    shapes().find(|shape| shape.signs.iter().all(|sign| has(document, sign)))
}

/// Whether something stands at a path; `[]` goes on in the first items of a list, a `?` at its end lets it be null.
fn has(value: &Value, sign: &str) -> bool {
    match sign.split_once("[].") {
        Some((list, rest)) => {
            let list = if list.is_empty() { value.as_array().map(Vec::as_slice) } else { Some(items(value, list)) };
            list.unwrap_or_default().iter().take(3).any(|item| has(item, rest))
        }
        None => match sign.strip_suffix('?') {
            Some(key) => value.get(key).is_some(),
            None => at(value, sign).is_some(),
        },
    }
}

/// Reads every test.
pub(super) fn read(shape: &Shape, document: &Value, report: &mut Report) {
    report.producer = Some(shape.producer.to_owned());
    let mut walk = Walk { shape, titles: Vec::new(), file: String::new() };
    if shape.test.iter().all(|key| has(document, key)) {
        walk.item(document, report);
    } else {
        walk.suite(document, report);
    }
    let hooks = items(document, "failures").iter().filter(|item| (shape.is_hook)(item));
    report.cases.extend(hooks.filter_map(|hook| walk.case(hook)));
    // The runner's own sum holds, also where its list repeats tests; but none that denies failures of this list.
    let failing: BTreeSet<&TestId> =
        report.cases.iter().filter(|case| case.is_failing()).map(|case| &case.id).collect();
    let failing = u64::try_from(failing.len()).unwrap_or(u64::MAX);
    let stated = (shape.counts)(document).filter(|stated| stated.failed.saturating_add(stated.errored) >= failing);
    report.tests = stated.unwrap_or_default();
}

struct Walk<'a> {
    shape: &'a Shape,
    titles: Vec<String>,
    file: String,
}

impl Walk<'_> {
    fn suite(&mut self, value: &Value, report: &mut Report) {
        if self.titles.len() > DEPTH {
            return;
        }
        if let Some(list) = value.as_array() {
            return list.iter().for_each(|item| self.item(item, report));
        }
        for path in self.shape.lists {
            if *path == "*" {
                let lists = value.as_object().into_iter().flat_map(serde_json::Map::values);
                lists.for_each(|list| list.as_array().into_iter().flatten().for_each(|item| self.item(item, report)));
            } else if let Some(single) = at(value, path) {
                match single {
                    Value::Array(list) => list.iter().for_each(|item| self.item(item, report)),
                    Value::Object(_) if path.ends_with('*') => {}
                    one => self.item(one, report),
                }
            }
        }
    }

    fn item(&mut self, item: &Value, report: &mut Report) {
        if self.shape.test.iter().all(|key| has(item, key)) {
            report.cases.extend(self.case(item));
            return;
        }
        if !item.is_object() {
            return;
        }
        let file = first(item, self.shape.file);
        let before = (!file.is_empty()).then(|| std::mem::replace(&mut self.file, file));
        self.broken(item, report);
        self.titles.push(first(item, self.shape.titles));
        self.suite(item, report);
        self.titles.pop();
        if let Some(before) = before {
            self.file = before;
        }
    }

    /// A suite that failed before any of its tests ran.
    fn broken(&self, item: &Value, report: &mut Report) {
        let Some((word, message)) = self.shape.broken else { return };
        let empty = self.shape.lists.iter().all(|list| items(item, list).is_empty());
        let said = text(item, message);
        if !empty || text(item, "status") != word || said.is_empty() {
            return;
        }
        let fault = gist::fault("", None, said, None);
        let file = (!self.file.is_empty()).then(|| Location { path: self.file.clone(), line: None, column: None });
        report.diagnostics.push(Diagnostic {
            kind: FaultKind::Test,
            tool: self.shape.producer.to_owned(),
            message: fault.message,
            location: fault.location.or(file),
            frames: fault.frames,
            excerpt: fault.excerpt,
            details: fault.details,
            ..Diagnostic::default()
        });
    }

    fn case(&self, item: &Value) -> Option<Case> {
        let shape = self.shape;
        let status = (shape.status)(item)?;
        let own = first_joined(item, shape.suite);
        let titles = self.titles.iter().filter(|title| !title.is_empty()).map(String::as_str);
        let suite = if own.is_empty() { titles.collect::<Vec<_>>().join(" > ") } else { own };
        let name = first_joined(item, shape.name);
        let id = match shape.id {
            Some(id) => id(&name),
            None => TestId { suite, class: String::new(), name },
        };
        let mut case = field::case(id, status, field::seconds(item, shape.time.0, shape.time.1));
        case.flaky = status == Status::Passed && (shape.flaky)(item);
        if matches!(status, Status::Failed | Status::Errored) {
            let message = first(item, shape.message);
            let mut fault = field::fault(&message, &first(item, shape.class), &first(item, shape.trace));
            let file = first(item, shape.file);
            let file = if file.is_empty() { &self.file } else { &file };
            let line = shape.line.iter().find_map(|path| field::line(item, path));
            gist::or_place(&mut fault, file, line);
            case.faults.push(fault);
        }
        Some(case)
    }
}

/// What the first path that holds something says; of a list with `[]` the first item that has it.
fn first(item: &Value, paths: &[&str]) -> String {
    let told = |path: &&str| match path.split_once("[].") {
        Some((list, rest)) => items(item, list).iter().find_map(|one| at(one, rest)),
        None => at(item, path),
    };
    paths.iter().filter_map(told).map(prose).find(|said| !said.trim().is_empty()).unwrap_or_default()
}

/// The same with the items of a list on one line, as titles of nested suites stand.
fn first_joined(item: &Value, paths: &[&str]) -> String {
    first(item, paths).trim().replace('\n', " > ")
}

/// Counts that stand at paths: all, failed, skipped.
fn stated(document: &Value, paths: [&str; 3]) -> Option<TestCounts> {
    let total = number(document, paths[0])?;
    let failed = number(document, paths[1]).unwrap_or(0);
    let skipped = number(document, paths[2]).unwrap_or(0);
    let passed = total.checked_sub(failed)?.checked_sub(skipped)?;
    Some(TestCounts { total, passed, failed, errored: 0, skipped })
}

#[cfg(test)]
mod tests;
