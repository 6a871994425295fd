//! What became of each test: kept, moved, renamed, no longer collected, or gone.

use std::collections::BTreeSet;

use super::cases::Function;
use super::view::{Reading, Version};

/// A function of one version of a file: (file, function).
pub(super) type Place = (usize, usize);

/// What became of the tests.
#[derive(Debug, Default)]
pub(super) struct Pairing {
    /// Tests of both versions: before, after.
    pub(super) kept: Vec<(Place, Place)>,
    /// Tests whose code is still there, but which no runner collects any more: before, after.
    pub(super) uncollected: Vec<(Place, Place)>,
    /// Tests that are gone.
    pub(super) gone: Vec<Place>,
    /// Tests that are new.
    pub(super) new: BTreeSet<Place>,
}

struct Candidate<'a> {
    place: Place,
    function: &'a Function,
    body: String,
    /// The body's words, sorted.
    words: Vec<String>,
    test: bool,
}

/// When two functions are one test, surest first: titles may repeat in a file, so an equal body goes first. The
/// last stage finds functions that are no tests any more.
const STAGES: [fn(&Candidate<'_>, &Candidate<'_>) -> bool; 7] = [
    |a, b| b.test && same_symbol(a, b) && a.body == b.body,
    |a, b| b.test && a.body == b.body,
    |a, b| b.test && same_symbol(a, b) && alike(a, b),
    |a, b| b.test && same_symbol(a, b),
    |a, b| b.test && a.function.name == b.function.name && alike(a, b),
    |a, b| b.test && alike(a, b),
    |a, b| !b.test && (a.function.name == b.function.name || alike(a, b)),
];

fn same_symbol(a: &Candidate<'_>, b: &Candidate<'_>) -> bool {
    a.place.0 == b.place.0 && a.function.symbol == b.function.symbol
}

/// Pairs the tests of both versions.
pub(super) fn pair(files: &[Reading<'_>]) -> Pairing {
    let mut before = list(files, |file| &file.before);
    before.retain(|candidate| candidate.test);
    let mut after = list(files, |file| &file.after);
    let mut pairing = Pairing::default();
    let last = STAGES.len() - 1;
    for (stage, same) in STAGES.iter().enumerate() {
        before.retain(|old| {
            let Some(at) = after.iter().position(|new| same(old, new)) else { return true };
            let new = after.remove(at);
            let pairs = if stage == last { &mut pairing.uncollected } else { &mut pairing.kept };
            pairs.push((old.place, new.place));
            false
        });
    }
    pairing.gone = before.iter().map(|candidate| candidate.place).collect();
    pairing.new = after.iter().filter(|candidate| candidate.test).map(|candidate| candidate.place).collect();
    pairing
}

/// The functions of one version. A file that no runner collects has no tests after the change; before it, a test
/// directory is enough, since a project may collect by rules of its own.
fn list<'a>(files: &'a [Reading<'_>], version: fn(&'a Reading<'_>) -> &'a Version<'a>) -> Vec<Candidate<'a>> {
    let any_collected = |file: &Reading<'_>| file.collected() || (file.test_path && file.before.exists());
    let mut candidates = Vec::new();
    for (at, file) in files.iter().enumerate() {
        let version = version(file);
        for (which, function) in version.functions.iter().enumerate() {
            let body = essence(version.body(function), &function.name);
            let mut words: Vec<String> = body.split([' ', '(', '.', ',']).map(str::to_owned).collect();
            words.sort_unstable();
            let test = function.test && any_collected(file);
            candidates.push(Candidate { place: (at, which), function, body, words, test });
        }
    }
    candidates
}

/// A body without its name, its layout and its attributes' order.
fn essence(body: &str, name: &str) -> String {
    let words: Vec<&str> =
        body.split_whitespace().filter(|word| !word.starts_with("#[") && !word.starts_with('@')).collect();
    words.join(" ").replacen(name, "", 1)
}

/// By the words that both have, in whatever order.
fn alike(a: &Candidate<'_>, b: &Candidate<'_>) -> bool {
    let shorter = a.body.len().min(b.body.len());
    let longer = a.body.len().max(b.body.len());
    // Tiny bodies are alike by chance; very different lengths cannot reach the ratio.
    if shorter < 24 || longer > shorter * 2 {
        return a.body == b.body;
    }
    let (mut common, mut i, mut j) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.words.get(i), b.words.get(j)) {
        match x.cmp(y) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                common += 1;
                i += 1;
                j += 1;
            }
        }
    }
    // Twice the common part over the sum of both, at least three quarters.
    common * 8 >= (a.words.len() + b.words.len()) * 3
}
