//! One failure for one root cause: a missing import with forty failing tests is one failure that occurred forty times.
//!
//! What merely looks alike stays apart: two faults are one only where they name the same missing thing, the same root
//! of a chain of exceptions, or the same place with the same words.

mod missing;

use std::collections::{BTreeMap, HashSet};

use super::{Failure, fingerprint};
use crate::artifact::{FaultKind, Frame, Location, TestId, is_foreign};
use crate::ids::Fingerprint;

/// What is known of a fault before it has its fingerprint.
pub(super) struct Seen<'a> {
    pub(super) kind: FaultKind,
    /// The exception's type or the rule.
    pub(super) class: &'a str,
    pub(super) message: &'a str,
    /// The exception that was raised first, where others wrap it.
    pub(super) cause: Option<&'a str>,
    pub(super) location: Option<&'a Location>,
    pub(super) frames: &'a [Frame],
}

impl Seen<'_> {
    /// The fingerprint of a failed test: of what the tests that fail for the same reason share, else of the test.
    pub(super) fn of_test(&self, test: &TestId) -> Fingerprint {
        let kind = format!("{:?}", self.kind);
        if let Some(id) = self.shared() {
            return id;
        }
        let culprit = innermost(self.frames).filter(|frame| is_cause(frame, test));
        if let Some(cause) = self.cause.filter(|cause| says_enough(cause) || culprit.is_some()) {
            let at = culprit.filter(|frame| !is_preparation(frame));
            let (path, function) = at.map_or(("", ""), |frame| (&*frame.path, frame.function.as_deref().unwrap_or("")));
            return fingerprint::of(&["chain", &kind, path, function, cause]);
        }
        match culprit {
            Some(frame) => {
                let function = frame.function.as_deref().unwrap_or_default();
                fingerprint::of(&["cause", &kind, &frame.path, function, self.class, self.message])
            }
            None => fingerprint::of(&["test", &kind, &test.class, &test.name, self.class, self.message]),
        }
    }

    /// The fingerprint of what a tool says, whatever the lines above it.
    pub(super) fn of_diagnostic(&self, tool: &str) -> Fingerprint {
        let path = self.location.map_or("", |at| at.path.as_str());
        self.shared().unwrap_or_else(|| fingerprint::of(&["diagnostic", tool, self.class, path, self.message]))
    }

    /// A cause that names itself, in tests and in what tools say alike.
    fn shared(&self) -> Option<Fingerprint> {
        let folder = self.location.map_or("", |at| at.path.rsplit_once('/').map_or("", |(folder, _)| folder));
        let told = [Some(self.message), self.cause];
        if let Some(name) = told.iter().flatten().find_map(|text| missing::named(text, folder)) {
            return Some(fingerprint::of(&["missing", &name]));
        }
        if missing::is_environment(self.message) {
            return Some(fingerprint::of(&["environment", self.message]));
        }
        let class = self.class.rsplit('.').next().unwrap_or_default();
        let syntax = matches!(class, "SyntaxError" | "IndentationError" | "TabError");
        let path = self.location.map(|at| at.path.as_str()).filter(|_| syntax)?;
        Some(fingerprint::of(&["syntax", path, self.message]))
    }
}

/// Whether the words of an exception alone tell one fault from others: no bare type, no assertion.
fn says_enough(cause: &str) -> bool {
    let Some((class, words)) = cause.split_once(": ") else { return false };
    let words = words.trim();
    let vague = ["null", "None", "undefined", "error", "failed"].contains(&words);
    words.len() >= 4
        && !vague
        && !class.contains("Assert")
        && !class.contains("Comparison")
        && !words.starts_with("expected")
}

/// The innermost call in the project's own code; without a tree, in no one else's.
fn innermost(frames: &[Frame]) -> Option<&Frame> {
    frames.iter().rev().find(|frame| frame.in_project.unwrap_or_else(|| !is_foreign(&frame.path)))
}

/// Whether a frame is a place that several tests can share: named, and not the test itself.
fn is_cause(frame: &Frame, test: &TestId) -> bool {
    let Some(function) = frame.function.as_deref() else { return false };
    let last = |name: &str| -> String {
        let name = name.split(['[', '(']).next().unwrap_or(name);
        name.rsplit([':', '.', ' ']).next().unwrap_or(name).to_owned()
    };
    let function_name = last(function.trim_end_matches("::{{closure}}"));
    !function.contains("<anonymous>") && !function_name.is_empty() && function_name != last(&test.name)
}

/// What runs before each test of a class has a copy in each class.
fn is_preparation(frame: &Frame) -> bool {
    let name = frame.function.as_deref().unwrap_or_default().rsplit(['.', ':']).next().unwrap_or_default();
    let names = [
        "setUp",
        "setUpClass",
        "setup",
        "setup_method",
        "setup_class",
        "beforeEach",
        "beforeAll",
        "before",
        "init",
        "<init>",
        "<clinit>",
    ];
    names.contains(&name)
}

/// Every fault once, in the order in which they first occur.
pub(super) fn cluster(failures: impl IntoIterator<Item = Failure>) -> Vec<Failure> {
    let mut clusters = Clusters::default();
    for failure in failures {
        clusters.add(failure);
    }
    without_consequences(clusters.failures)
}

#[derive(Default)]
struct Clusters {
    failures: Vec<Failure>,
    known: BTreeMap<Fingerprint, usize>,
    /// What fails at the same place with the same words fails for one reason.
    places: BTreeMap<Fingerprint, usize>,
    /// The tests that each failure names.
    named: HashSet<(usize, TestId)>,
}

impl Clusters {
    fn add(&mut self, mut failure: Failure) {
        let place = place(&failure);
        let same_place = place.as_ref().and_then(|place| self.places.get(place)).copied();
        if let Some(at) = self.known.get(&failure.id).copied().or(same_place) {
            self.known.insert(failure.id.clone(), at);
            if let Some(place) = place {
                self.places.entry(place).or_insert(at);
            }
            let mut tests = std::mem::take(&mut failure.tests);
            if self.failures[at].tests.len() < NAMED {
                tests.retain(|test| self.named.insert((at, test.clone())));
                self.failures[at].name(tests);
            }
            self.failures[at].absorb(failure);
            return;
        }
        let at = self.failures.len();
        self.known.insert(failure.id.clone(), at);
        if let Some(place) = place {
            self.places.insert(place, at);
        }
        self.named.extend(failure.tests.iter().map(|test| (at, test.clone())));
        self.failures.push(failure);
    }
}

/// So many tests are named; a cause that fails more of them is not told better by more names.
const NAMED: usize = 1000;

impl Failure {
    /// Names more tests that fail for this reason.
    fn name(&mut self, tests: Vec<TestId>) {
        let room = NAMED.saturating_sub(self.tests.len());
        self.tests.extend(tests.into_iter().take(room));
    }

    /// Takes in another occurrence; the order of the two must not matter for the fingerprint.
    fn absorb(&mut self, other: Failure) {
        self.occurrences = self.occurrences.saturating_add(other.occurrences);
        self.id = self.id.clone().min(other.id);
        self.weight = self.weight.max(other.weight);
        // The same fault from a poorer artifact: keep what the richer one knows.
        if self.frames.is_empty() && !other.frames.is_empty() {
            self.frames = other.frames;
            self.location = self.location.take().or(other.location);
        }
    }
}

/// Where something failed and with which words; nothing when the line is unknown.
fn place(failure: &Failure) -> Option<Fingerprint> {
    let at = failure.location.as_ref()?;
    let line = at.line?.to_string();
    let column = at.column.map(|column| column.to_string()).unwrap_or_default();
    let words = fingerprint::normalise(&failure.message);
    // Tools that only repeat what another one says: `cargo` and `rustc`, a log and its annotations.
    let kind = match failure.kind {
        FaultKind::Compile | FaultKind::Type => "build".to_owned(),
        kind => format!("{kind:?}"),
    };
    let column = if failure.test.is_some() { column } else { String::new() };
    Some(Fingerprint::of(&[&kind, &at.path, &line, &column, &words]))
}

/// What follows from another failure of the same artifact is counted there: tests that a broken build kept from
/// running, and the crash that a test's own report quotes.
fn without_consequences(failures: Vec<Failure>) -> Vec<Failure> {
    let mut kept: Vec<Failure> = Vec::with_capacity(failures.len());
    let mut builds: BTreeMap<usize, usize> = BTreeMap::new();
    let mut of_tests: BTreeMap<usize, Vec<(u32, u32)>> = BTreeMap::new();
    for (index, failure) in failures.iter().enumerate() {
        if matches!(failure.kind, FaultKind::Compile) && failure.test.is_none() {
            builds.entry(failure.artifact).or_insert(index);
        }
        if let (Some(_), Some(lines)) = (&failure.test, failure.lines) {
            of_tests.entry(failure.artifact).or_default().push((lines.start, lines.end));
        }
    }
    for spans in of_tests.values_mut() {
        spans.sort_unstable();
        // The furthest end so far, so that one look-up tells whether any test quotes a line.
        let mut furthest = 0;
        for (_, end) in spans {
            furthest = furthest.max(*end);
            *end = furthest;
        }
    }
    let quoted = |failure: &Failure| {
        let (Some(lines), Some(spans)) = (failure.lines, of_tests.get(&failure.artifact)) else { return false };
        let before = spans.partition_point(|(start, _)| *start <= lines.end);
        before.checked_sub(1).is_some_and(|at| spans[at].1 >= lines.start)
    };
    let mut broken: BTreeMap<usize, (u64, Vec<TestId>)> = BTreeMap::new();
    let mut positions = BTreeMap::new();
    for (index, failure) in failures.into_iter().enumerate() {
        if failure.kind == FaultKind::Crash && failure.test.is_none() && quoted(&failure) {
            continue;
        }
        if let Some(build) = builds.get(&failure.artifact).filter(|_| is_unbuilt(&failure)) {
            let (more, tests) = broken.entry(*build).or_default();
            *more = more.saturating_add(failure.occurrences);
            tests.extend(failure.tests);
            continue;
        }
        positions.insert(index, kept.len());
        kept.push(failure);
    }
    for (build, (more, tests)) in broken {
        if let Some(failure) = positions.get(&build).and_then(|at| kept.get_mut(*at)) {
            failure.occurrences = failure.occurrences.saturating_add(more);
            failure.name(tests);
        }
    }
    kept
}

/// A test that says nothing but that it was not built.
fn is_unbuilt(failure: &Failure) -> bool {
    let message = failure.message.trim().trim_matches(['[', ']']).to_ascii_lowercase();
    let words = ["build failed", "setup failed", "compilation failed", "failed to build", "build error", "not built"];
    failure.test.is_some()
        && failure.location.is_none()
        && words.iter().any(|word| {
            message == *word || message.ends_with(&format!("[{word}]")) || message.ends_with(&format!("[{word}"))
        })
}

#[cfg(test)]
mod tests;
