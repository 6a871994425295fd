//! What changed since it last passed: the strongest prior there is, when it is known.

use super::{Hit, Place, Scene};

/// The functions that overlap a changed hunk, and the changed files.
pub(super) fn find(scene: &Scene<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    for changed in scene.query.changed {
        let whole = scene.place(&changed.path, None);
        if scene.is_test(&whole) {
            continue;
        }
        if let Place::File(file) = whole {
            for id in scene.index.symbols_of(file).filter(|id| scene.is_candidate(*id)) {
                let definition = scene.index.definition(id);
                if changed.touches(definition.start_line, definition.end_line) {
                    let reason = "changed since it last passed".to_owned();
                    hits.push(Hit { place: Place::Symbol(id), score: 1.0, reason });
                }
            }
        }
        hits.push(Hit { place: whole, score: 1.0, reason: "its file changed since it last passed".to_owned() });
    }
    hits
}
