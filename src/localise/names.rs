//! Names that agree: `test_split_begin` and `split`, `TestCart` and `Cart`, `tests/header_map.rs` and `header/map.rs`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{Hit, Place, Scene};
use crate::index::SymbolId;
use crate::syntax::words;

/// Words of a test's name that name no code.
const TEST_WORDS: &[&str] = &["test", "tests", "testing", "it", "should", "spec", "case"];

/// Functions and files whose names share words with the failing tests' names and files.
pub(super) fn find(scene: &Scene<'_>) -> Vec<Hit> {
    let mut best: BTreeMap<Place, (f64, String)> = BTreeMap::new();
    let rarity = Rarity::of(scene);
    for test in &scene.tests {
        let name = scene.index.definition(*test).name.clone();
        let title = words_of(&scene.index.symbol(*test));
        let file = words_of(file_stem(scene, *test));
        functions(scene, (&title, &name), &rarity, &mut best);
        files(scene, &file, &title, &mut best);
    }
    best.into_iter().map(|(place, (score, reason))| Hit { place, score, reason }).collect()
}

fn functions(
    scene: &Scene<'_>,
    (title, name): (&BTreeSet<String>, &str),
    rarity: &Rarity,
    best: &mut BTreeMap<Place, (f64, String)>,
) {
    for id in scene.index.symbols().filter(|id| scene.is_candidate(*id)) {
        let definition = scene.index.definition(id);
        let own = rarity.overlap(&words_of(&definition.name), title);
        let whole = rarity.overlap(&words_of(&definition.symbol), title);
        let score = f64::max(0.8 * own + 0.2 * whole, 0.7 * whole);
        note(best, Place::Symbol(id), score, || format!("named like the failing test `{name}`"));
    }
}

/// How telling each word is: the fewer functions are named with it, the more.
struct Rarity {
    functions: HashMap<String, u32>,
}

impl Rarity {
    fn of(scene: &Scene<'_>) -> Self {
        let mut functions: HashMap<String, u32> = HashMap::new();
        for id in scene.index.symbols().filter(|id| scene.is_candidate(*id)) {
            for word in words_of(&scene.index.definition(id).name) {
                *functions.entry(word).or_insert(0) += 1;
            }
        }
        Self { functions }
    }

    fn weight(&self, word: &str) -> f64 {
        1.0 / (1.0 + f64::from(self.functions.get(word).copied().unwrap_or(0))).ln().max(0.7)
    }

    fn sum<'w>(&self, words: impl Iterator<Item = &'w String>) -> f64 {
        words.map(|word| self.weight(word)).sum()
    }

    /// Shared words over the mean size of both sets, by weight, 0 to 1.
    fn overlap(&self, a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
        let shared = self.sum(a.intersection(b));
        if shared > 0.0 { 2.0 * shared / (self.sum(a.iter()) + self.sum(b.iter())) } else { 0.0 }
    }
}

fn files(
    scene: &Scene<'_>,
    file: &BTreeSet<String>,
    title: &BTreeSet<String>,
    best: &mut BTreeMap<Place, (f64, String)>,
) {
    for (id, content) in scene.index.files().filter(|(_, content)| !content.is_test) {
        let path = content.path.as_str();
        let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
        let last = words_of(stem.rsplit('/').next().unwrap_or(stem));
        let whole = words_of(stem);
        let by_file = if file.is_empty() { 0.0 } else { covered(file, &whole) * (0.5 + 0.5 * overlap(&last, file)) };
        let by_title = 0.6 * covered(&last, title);
        note(best, Place::File(id), by_file.max(by_title), || "its file is named like the failing test's".to_owned());
    }
}

fn note(best: &mut BTreeMap<Place, (f64, String)>, place: Place, score: f64, reason: impl FnOnce() -> String) {
    if score > 0.0 && best.get(&place).is_none_or(|(known, _)| score > *known) {
        best.insert(place, (score, reason()));
    }
}

/// The stem of the file that a test stands in; its folder where the file is only called `tests`.
fn file_stem<'a>(scene: &'a Scene<'_>, test: SymbolId) -> &'a str {
    let path = scene.index.path(test).as_str();
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let (folder, name) = stem.rsplit_once('/').unwrap_or(("", stem));
    if matches!(name, "tests" | "test" | "mod" | "main") { folder.rsplit('/').next().unwrap_or(name) } else { name }
}

fn words_of(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    words(text, |word| {
        if !TEST_WORDS.contains(&word) {
            found.insert(word.to_owned());
        }
    });
    found
}

/// Shared words over the mean size of both sets, 0 to 1.
fn overlap(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    ratio(2 * a.intersection(b).count(), a.len() + b.len())
}

/// The part of `a` that `b` has, 0 to 1.
fn covered(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    ratio(a.intersection(b).count(), a.len())
}

#[expect(clippy::cast_precision_loss, reason = "counts of words in a name")]
fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
