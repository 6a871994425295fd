//! What could be shown, in the order in which it helps: the failing tests, anchored lines, the ranked places.

use std::collections::BTreeMap;

use super::Request;
use crate::ids::RepoPath;
use crate::index::SymbolId;
use crate::localise::Localisation;

/// Lines shown around a diagnosed line that is in no function.
const AROUND: u32 = 6;

/// More failing tests than this rarely say more.
const TESTS: usize = 3;

/// One thing that could be shown.
pub(super) struct Candidate {
    pub(super) path: RepoPath,
    /// The function; `None` for a range of lines.
    pub(super) symbol: Option<SymbolId>,
    pub(super) lines: (u32, u32),
    pub(super) reason: String,
    /// Its score in the ranking over the best one's.
    pub(super) worth: f64,
    /// Whether it is seen in any case: a failing test, a line that the failure names.
    pub(super) required: bool,
    /// A whole file that is ranked: shown whole only where small.
    pub(super) whole_file: bool,
}

/// The candidates, the most useful first.
pub(super) fn list(request: &Request<'_>, found: &Localisation) -> Vec<Candidate> {
    let mut candidates = tests(request, found);
    candidates.extend(anchored(request));
    let top = found.ranked.first().map_or(1.0, |ranked| ranked.score).max(f64::MIN_POSITIVE);
    for (ranked, symbol) in found.ranked.iter().zip(&found.places).filter(|(ranked, _)| ranked.score > 0.0) {
        candidates.push(Candidate {
            path: ranked.path.clone(),
            symbol: *symbol,
            lines: (ranked.start_line, ranked.end_line),
            reason: ranked.reasons.first().cloned().unwrap_or_default(),
            worth: ranked.score / top,
            required: false,
            whole_file: symbol.is_none(),
        });
    }
    candidates
}

/// Every line that the failures name, by file.
pub(super) fn anchors(request: &Request<'_>) -> BTreeMap<RepoPath, Vec<u32>> {
    let mut anchors: BTreeMap<RepoPath, Vec<u32>> = BTreeMap::new();
    for failure in request.failures {
        let location = failure.location.iter().map(|it| (&it.path, it.line));
        let frames =
            failure.frames.iter().filter(|frame| frame.in_project != Some(false)).map(|it| (&it.path, it.line));
        for (path, line) in location.chain(frames) {
            if let (Some(path), Some(line)) = (request.index.resolve(path), line) {
                anchors.entry(path).or_default().push(line);
            }
        }
    }
    for lines in anchors.values_mut() {
        lines.sort_unstable();
        lines.dedup();
    }
    anchors
}

fn tests(request: &Request<'_>, found: &Localisation) -> Vec<Candidate> {
    let tests = found.tests.iter().take(TESTS).map(|id| {
        let definition = request.index.definition(*id);
        Candidate {
            path: request.index.path(*id).clone(),
            symbol: Some(*id),
            lines: (definition.start_line, definition.end_line),
            reason: "the failing test".to_owned(),
            worth: 1.0,
            required: true,
            whole_file: false,
        }
    });
    tests.collect()
}

/// Lines that a failure names outside of any function: a manifest, a table, an import.
fn anchored(request: &Request<'_>) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for failure in request.failures {
        let Some(location) = &failure.location else { continue };
        let (Some(path), Some(line)) = (request.index.resolve(&location.path), location.line) else { continue };
        let enclosing = request.index.enclosing(&path, line);
        if enclosing.is_some_and(|id| request.index.definition(id).kind.is_callable()) {
            continue;
        }
        let lines = (line.saturating_sub(AROUND).max(1), line.saturating_add(AROUND));
        let reason = format!("the failure points at line {line}");
        candidates.push(Candidate { path, symbol: None, lines, reason, worth: 1.0, required: true, whole_file: false });
    }
    candidates
}
