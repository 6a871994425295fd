//! What the failing test's file imports, directly and one step on.

use std::collections::BTreeMap;

use super::{Hit, Place, Scene};
use crate::index::FileId;

/// The imported files.
pub(super) fn find(scene: &Scene<'_>) -> Vec<Hit> {
    let mut found: BTreeMap<FileId, (f64, String)> = BTreeMap::new();
    for test in &scene.tests {
        let home = scene.index.file_of(*test);
        // Tests inside of the code that they test need no import.
        if !scene.index.file(home).is_test {
            note(&mut found, home, 1.0, "holds the failing test");
        }
        for near in scene.index.imported(home) {
            note(&mut found, *near, 0.8, "imported by the failing test's file");
            for far in scene.index.imported(*near) {
                note(&mut found, *far, 0.3, "imported by what the failing test's file imports");
            }
        }
    }
    let code = found.into_iter().filter(|(file, _)| !scene.index.file(*file).is_test);
    code.map(|(file, (score, reason))| Hit { place: Place::File(file), score, reason }).collect()
}

fn note(found: &mut BTreeMap<FileId, (f64, String)>, file: FileId, score: f64, reason: &str) {
    let known = found.entry(file).or_insert((0.0, String::new()));
    if score > known.0 {
        *known = (score, reason.to_owned());
    }
}
