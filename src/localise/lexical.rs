//! BM25 over the words of each function: the words of the message, of the test's name and of its body.

use std::collections::{BTreeMap, HashMap};

use super::{Hit, Place, Scene};
use crate::index::FileId;
use crate::syntax::{Document, words};

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// Words of the message that are read; more of them are output, not message.
const MESSAGE_WORDS: usize = 120;

/// One function's, or one file's other, words that the query has: the term's number and its count.
struct Match {
    place: Place,
    file: FileId,
    counts: Vec<(usize, u32)>,
    length: f64,
}

/// Functions and files that share rare words with the failure.
pub(super) fn find(scene: &Scene<'_>) -> Vec<Hit> {
    let query = query(scene);
    let terms: HashMap<&str, usize> = query.keys().enumerate().map(|(number, term)| (term.as_str(), number)).collect();
    let weights: Vec<f64> = query.values().copied().collect();
    let matches = matches(scene, &terms);
    let files = whole_files(&matches);
    let idf = idf(&matches, terms.len());
    let telling: Vec<f64> = weights.iter().zip(&idf).map(|(weight, idf)| weight * idf).collect();
    let mut hits = Vec::new();
    for (matches, reason) in
        [(&matches, "shares words with the failure"), (&files, "its file shares words with the failure")]
    {
        for (found, score) in matches.iter().zip(bm25(matches, &telling)).filter(|(_, score)| *score > 0.0) {
            hits.push(Hit { place: found.place.clone(), score, reason: reason.to_owned() });
        }
    }
    // What stands outside of functions counts with its file alone.
    hits.retain(|hit| matches!(hit.place, Place::Symbol(_)) || hit.reason.starts_with("its file"));
    hits
}

/// The words of all functions of each file, and of the rest of it.
fn whole_files(matches: &[Match]) -> Vec<Match> {
    let mut files: BTreeMap<FileId, (BTreeMap<usize, u32>, f64)> = BTreeMap::new();
    for found in matches {
        let (counts, length) = files.entry(found.file).or_default();
        *length += found.length;
        for (term, count) in &found.counts {
            *counts.entry(*term).or_insert(0) += count;
        }
    }
    let whole = files.into_iter().map(|(file, (counts, length))| Match {
        place: Place::File(file),
        file,
        counts: counts.into_iter().collect(),
        length,
    });
    whole.collect()
}

/// The score of each text: words that it has often for its length, by how telling they are.
fn bm25(matches: &[Match], telling: &[f64]) -> Vec<f64> {
    #[expect(clippy::cast_precision_loss, reason = "fewer functions than 2^52")]
    let average = matches.iter().map(|it| it.length).sum::<f64>() / matches.len().max(1) as f64;
    let score = |found: &Match| -> f64 {
        let norm = K1 * (1.0 - B + B * found.length / average.max(1.0));
        let parts = found.counts.iter().map(|(term, count)| {
            let count = f64::from(*count);
            telling[*term] * count * (K1 + 1.0) / (count + norm)
        });
        parts.sum()
    };
    matches.iter().map(score).collect()
}

/// The words to look for, with weights.
fn query(scene: &Scene<'_>) -> BTreeMap<String, f64> {
    let mut query: BTreeMap<String, f64> = BTreeMap::new();
    let mut add = |text: &str, weight: f64, limit: usize| {
        let mut left = limit;
        words(text, |word| {
            if left > 0 {
                left -= 1;
                let known = query.entry(word.to_owned()).or_insert(0.0);
                *known = (*known + weight).min(weight * 2.0).max(*known);
            }
        });
    };
    for failure in scene.query.failures {
        add(&failure.message, 2.0, MESSAGE_WORDS);
        add(&failure.excerpt, 0.5, MESSAGE_WORDS);
        if let Some(test) = &failure.test {
            add(&test.name, 2.0, MESSAGE_WORDS);
        }
    }
    for test in &scene.tests {
        for (term, count) in body(scene, *test) {
            add(term, if count > 1 { 1.0 } else { 0.7 }, 1);
        }
    }
    query
}

/// The words of a test's own body.
fn body<'a>(scene: &'a Scene<'_>, test: crate::index::SymbolId) -> Vec<(&'a str, u32)> {
    let Some(document) = scene.index.document(test) else { return Vec::new() };
    let facts = &scene.index.file(scene.index.file_of(test)).facts;
    document.counts.iter().map(|(term, count)| (facts.terms[*term as usize].as_str(), *count)).collect()
}

fn matches(scene: &Scene<'_>, terms: &HashMap<&str, usize>) -> Vec<Match> {
    let mut found = Vec::new();
    for (id, file) in scene.index.files().filter(|(_, file)| !file.is_test) {
        let known: Vec<Option<usize>> = file.facts.terms.iter().map(|term| terms.get(term.as_str()).copied()).collect();
        let symbols: Vec<_> = scene.index.symbols_of(id).collect();
        for document in &file.facts.documents {
            let symbol = document.definition.and_then(|at| symbols.get(at as usize)).copied();
            if symbol.is_some_and(|symbol| scene.index.in_tests(symbol)) {
                continue;
            }
            let function = symbol.filter(|symbol| scene.is_candidate(*symbol));
            let place = function.map_or(Place::File(id), Place::Symbol);
            found.push(of_document(document, &known, place, id));
        }
    }
    found
}

fn of_document(document: &Document, known: &[Option<usize>], place: Place, file: FileId) -> Match {
    let counts = document.counts.iter().filter_map(|(term, count)| Some(((*known.get(*term as usize)?)?, *count)));
    let length = document.counts.iter().map(|(_, count)| f64::from(*count)).sum();
    Match { place, file, counts: counts.collect(), length }
}

/// How telling each term is: the fewer functions have it, the more.
#[expect(clippy::cast_precision_loss, reason = "fewer functions than 2^52")]
fn idf(matches: &[Match], terms: usize) -> Vec<f64> {
    let mut frequency = vec![0_usize; terms];
    for (term, _) in matches.iter().flat_map(|it| &it.counts) {
        frequency[*term] += 1;
    }
    let all = matches.len() as f64;
    frequency.into_iter().map(|n| (1.0 + (all - n as f64 + 0.5) / (n as f64 + 0.5)).ln()).collect()
}
