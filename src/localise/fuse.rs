//! Many rankings into one: each signal adds by rank and by score; functions inherit from their files.

use std::collections::BTreeMap;

use super::{Hit, Localisation, Place, Ranked, Scene, Signal};
use crate::index::{FileId, SymbolId};

/// How fast a rank loses worth: rank r is worth (K+1)/(K+r).
const K: f64 = 4.0;

/// What a function gets of what is known of its file.
const INHERITED: f64 = 0.5;

/// What a whole file is worth beside its functions.
const WHOLE_FILE: f64 = 0.45;

/// What a place is worth for each better one in its file.
const YIELD: f64 = 0.94;

/// No reader goes further down.
const LONGEST: usize = 60;

/// The list is filled up to this length with what no signal knows.
const SHORTEST: usize = 20;

/// Folders and files beside the code proper.
const ASIDE: &[&str] = &[
    "examples",
    "example",
    "docs",
    "doc",
    "scripts",
    "tools",
    "benchmarks",
    "demos",
    "setup.py",
    "conf.py",
    "build.rs",
];

/// What is known of one place so far.
#[derive(Default)]
struct Sum {
    score: f64,
    reasons: Vec<(f64, String)>,
    /// What is known of its file rather than of itself.
    inherited: Option<String>,
}

pub(super) fn fuse(scene: &Scene<'_>, found: Vec<(&Signal, Vec<Hit>)>) -> Localisation {
    let mut sums: BTreeMap<Place, Sum> = BTreeMap::new();
    let mut leaders: Vec<(&'static str, Vec<Place>)> = Vec::new();
    for (signal, hits) in found {
        let (symbols, files): (Vec<Hit>, Vec<Hit>) =
            best_each(hits).into_iter().partition(|hit| matches!(hit.place, Place::Symbol(_)));
        let mut led = Vec::new();
        for hits in [symbols, files] {
            led.extend(hits.iter().take(3).map(|hit| file_of(scene, &hit.place)));
            add(&mut sums, signal.weight, hits);
        }
        if !led.is_empty() {
            leaders.push((signal.name, led));
        }
    }
    let mut total = totals(scene, sums);
    total.sort_by(|a, b| b.1.score.total_cmp(&a.1.score).then_with(|| a.0.cmp(&b.0)));
    spread(scene, &mut total);
    total.truncate(LONGEST);
    fill(scene, &mut total);
    let confidence = confidence(scene, &total, &leaders);
    let places = total.iter().map(|(place, _)| if let Place::Symbol(id) = place { Some(*id) } else { None }).collect();
    let ranked = total.into_iter().map(|(place, sum)| ranked(scene, &place, sum)).collect();
    Localisation { ranked, places, tests: scene.tests.clone(), confidence }
}

/// Lets each further place of one file yield a little, so that one large file does not hide the others.
fn spread(scene: &Scene<'_>, total: &mut [(Place, Sum)]) {
    let mut seen: BTreeMap<Place, i32> = BTreeMap::new();
    for (place, sum) in total.iter_mut() {
        let before = seen.entry(file_of(scene, place)).or_insert(0);
        sum.score *= YIELD.powi(*before);
        *before += 1;
    }
    total.sort_by(|a, b| b.1.score.total_cmp(&a.1.score).then_with(|| a.0.cmp(&b.0)));
}

/// The best hit of each place, best first.
fn best_each(hits: Vec<Hit>) -> Vec<Hit> {
    let mut best: BTreeMap<Place, Hit> = BTreeMap::new();
    for hit in hits {
        if best.get(&hit.place).is_none_or(|known| hit.score > known.score) {
            best.insert(hit.place.clone(), hit);
        }
    }
    let mut hits: Vec<Hit> = best.into_values().collect();
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.place.cmp(&b.place)));
    hits
}

/// Adds one signal's hits, best first: half by rank, half by score; equal scores share a rank.
fn add(sums: &mut BTreeMap<Place, Sum>, weight: f64, hits: Vec<Hit>) {
    let top = hits.first().map_or(1.0, |hit| hit.score).max(f64::MIN_POSITIVE);
    let mut rank = 1.0;
    let mut seen = 0.0;
    let mut previous = f64::INFINITY;
    for hit in hits {
        seen += 1.0;
        if hit.score < previous {
            rank = seen;
            previous = hit.score;
        }
        let worth = weight * 0.5 * ((K + 1.0) / (K + rank) + hit.score / top);
        let sum = sums.entry(hit.place).or_default();
        sum.score += worth;
        sum.reasons.push((worth, hit.reason));
    }
}

/// Functions with what they inherit; files beside them.
fn totals(scene: &Scene<'_>, mut sums: BTreeMap<Place, Sum>) -> Vec<(Place, Sum)> {
    let files: BTreeMap<FileId, (f64, Option<String>)> = sums
        .iter()
        .filter_map(|(place, sum)| if let Place::File(file) = place { Some((*file, sum)) } else { None })
        .map(|(file, sum)| {
            let strongest = sum.reasons.iter().max_by(|a, b| a.0.total_cmp(&b.0));
            (file, (sum.score, strongest.map(|(_, reason)| reason.clone())))
        })
        .collect();
    for file in files.keys() {
        for id in scene.index.symbols_of(*file).filter(|id| scene.is_candidate(*id)) {
            sums.entry(Place::Symbol(id)).or_default();
        }
    }
    for (place, sum) in &mut sums {
        match place {
            Place::Symbol(id) => {
                if let Some((score, reason)) = files.get(&scene.index.file_of(*id)) {
                    sum.score += INHERITED * score;
                    sum.inherited.clone_from(reason);
                }
            }
            Place::File(file) => sum.score *= WHOLE_FILE + (1.0 - WHOLE_FILE) * data_share(scene, *file),
            Place::Other(_) => {}
        }
        sum.score *= prior(scene, place);
    }
    sums.into_iter().collect()
}

/// The part of a file's words that stands outside of functions: near 1 for a file of tables.
fn data_share(scene: &Scene<'_>, file: FileId) -> f64 {
    let functions: Vec<u32> = scene
        .index
        .symbols_of(file)
        .zip(0..)
        .filter_map(|(id, at)| scene.index.definition(id).kind.is_callable().then_some(at))
        .collect();
    let (mut inside, mut all) = (0.0, 0.0);
    for document in &scene.index.file(file).facts.documents {
        let words: f64 = document.counts.iter().map(|(_, count)| f64::from(*count)).sum();
        let is_function = document.definition.is_some_and(|at| functions.binary_search(&at).is_ok());
        inside += if is_function { words } else { 0.0 };
        all += words;
    }
    if all > 0.0 { 1.0 - inside / all } else { 0.0 }
}

/// Examples and scripts break less often than the code that they show.
fn prior(scene: &Scene<'_>, place: &Place) -> f64 {
    let Place::File(file) = file_of(scene, place) else { return 1.0 };
    let path = scene.index.file(file).path.as_str();
    let aside = path.split('/').any(|part| ASIDE.contains(&part));
    if aside { 0.4 } else { 1.0 }
}

/// Fills a short list with functions and files that no signal knows, in the order of the tree.
fn fill(scene: &Scene<'_>, total: &mut Vec<(Place, Sum)>) {
    let symbols = scene.index.symbols().filter(|id| scene.is_candidate(*id)).map(Place::Symbol);
    let files = scene.index.files().filter(|(_, file)| !file.is_test).map(|(id, _)| Place::File(id));
    for place in symbols.chain(files) {
        if total.len() >= SHORTEST {
            return;
        }
        if !total.iter().any(|(known, _)| *known == place) {
            let reasons = vec![(0.0, "part of the tree; nothing points here".to_owned())];
            total.push((place, Sum { reasons, ..Sum::default() }));
        }
    }
}

/// How many signals have the first place's file among their best, and how far it leads.
#[expect(clippy::cast_precision_loss, reason = "there are six signals")]
fn confidence(scene: &Scene<'_>, total: &[(Place, Sum)], leaders: &[(&'static str, Vec<Place>)]) -> f64 {
    let Some((place, sum)) = total.first().filter(|(_, sum)| sum.score > 0.0) else { return 0.0 };
    let file = file_of(scene, place);
    let agreeing = leaders.iter().filter(|(_, led)| led.contains(&file)).count() as f64;
    let agreement = agreeing / leaders.len().max(1) as f64;
    let evidence = f64::min(agreeing, 4.0) / 4.0;
    let second = total.get(1).map_or(0.0, |(_, sum)| sum.score);
    let lead = 1.0 - second / sum.score;
    let anchored = leaders.iter().any(|(name, led)| *name == "anchors" && led.first() == Some(&file));
    let sure = 0.1 + 0.3 * agreement + 0.25 * evidence + 0.25 * lead + if anchored { 0.3 } else { 0.0 };
    (sure.clamp(0.0, 0.97) * 100.0).round() / 100.0
}

/// The file that a place lies in, as a place.
fn file_of(scene: &Scene<'_>, place: &Place) -> Place {
    match place {
        Place::Symbol(id) => Place::File(scene.index.file_of(*id)),
        place => place.clone(),
    }
}

fn ranked(scene: &Scene<'_>, place: &Place, mut sum: Sum) -> Ranked {
    sum.reasons.sort_by(|a, b| b.0.total_cmp(&a.0));
    let reasons = sum.reasons.into_iter().map(|(_, reason)| reason).chain(sum.inherited).collect();
    let score = (sum.score * 1000.0).round() / 1000.0;
    match place {
        Place::Symbol(id) => of_symbol(scene, *id, score, reasons),
        Place::File(file) => {
            let file = scene.index.file(*file);
            let end_line = file.facts.lines.max(1);
            Ranked { path: file.path.clone(), symbol: None, start_line: 1, end_line, score, reasons }
        }
        Place::Other(path) => Ranked { path: path.clone(), symbol: None, start_line: 1, end_line: 1, score, reasons },
    }
}

fn of_symbol(scene: &Scene<'_>, id: SymbolId, score: f64, reasons: Vec<String>) -> Ranked {
    let definition = scene.index.definition(id);
    Ranked {
        path: scene.index.path(id).clone(),
        symbol: Some(scene.index.symbol(id)),
        start_line: definition.start_line,
        end_line: definition.end_line,
        score,
        reasons,
    }
}
