//! Lines that the failure itself names: diagnostics, and the calls of a stack from the innermost outwards.

use super::{Hit, Place, Scene};
use crate::artifact::FaultKind;
use crate::failure::Failure;

/// What each call further out is worth of the one inside it.
const OUTWARDS: f64 = 0.6;

/// What the first call of code by a test is worth at least: the test asks it, whatever it asks in turn.
const BOUNDARY: f64 = 0.7;

/// The functions around anchored lines; test code only where a tool diagnoses it.
pub(super) fn find(scene: &Scene<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    for failure in scene.query.failures {
        let diagnosed = is_diagnosis(failure);
        location(scene, failure, diagnosed, &mut hits);
        if diagnosed {
            for frame in &failure.frames {
                push(scene, &mut hits, (&frame.path, frame.line), 0.5, "named by the diagnostic");
            }
        } else {
            stack(scene, failure, &mut hits);
        }
    }
    hits
}

/// Whether a tool read the code and complained, rather than ran it.
fn is_diagnosis(failure: &Failure) -> bool {
    failure.test.is_none()
        && matches!(failure.kind, FaultKind::Compile | FaultKind::Lint | FaultKind::Format | FaultKind::Type)
}

fn location(scene: &Scene<'_>, failure: &Failure, diagnosed: bool, hits: &mut Vec<Hit>) {
    let Some(location) = &failure.location else { return };
    let what = failure.rule.as_deref().or(failure.tool.as_deref()).unwrap_or("a diagnostic");
    let (reason, score) =
        if diagnosed { (format!("{what} points here"), 1.0) } else { ("the failure points here".to_owned(), 0.9) };
    let before = hits.len();
    push(scene, hits, (&location.path, location.line), score, &reason);
    if !diagnosed && hits.len() > before && hits.last().is_some_and(|hit| scene.is_test(&hit.place)) {
        hits.pop();
    }
}

fn stack(scene: &Scene<'_>, failure: &Failure, hits: &mut Vec<Hit>) {
    let known = failure.frames.iter().filter(|frame| frame.in_project != Some(false)).filter_map(|frame| {
        let path = scene.index.resolve(&frame.path)?;
        Some(scene.place(&path, frame.line))
    });
    let places: Vec<Place> = known.collect();
    let boundary = places.iter().rposition(|place| scene.is_test(place)).map(|at| at + 1);
    let mut score = 1.0;
    for (at, place) in places.into_iter().enumerate().rev() {
        if scene.is_test(&place) {
            continue;
        }
        let crossing = boundary == Some(at);
        let reason = match (score >= 1.0, crossing) {
            (true, _) => "the innermost call of the stack",
            (false, true) => "what the test called, by the stack",
            (false, false) => "on the stack",
        };
        let worth = if crossing { f64::max(score, BOUNDARY) } else { score };
        hits.push(Hit { place, score: worth, reason: reason.to_owned() });
        score *= OUTWARDS;
    }
}

fn push(scene: &Scene<'_>, hits: &mut Vec<Hit>, at: (&str, Option<u32>), score: f64, reason: &str) {
    if let Some(path) = scene.index.resolve(at.0) {
        hits.push(Hit { place: scene.place(&path, at.1), score, reason: reason.to_owned() });
    }
}
