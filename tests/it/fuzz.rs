//! What the fuzz targets found, and what they start from, replayed: see `fuzz/README.md`.

use std::path::{Path, PathBuf};

#[expect(unreachable_pub, reason = "a library of its own when it is fuzzed")]
#[path = "../../fuzz/src/lib.rs"]
mod targets;

use targets::TARGETS;

/// The files of a folder, in order.
fn inputs(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn what_was_found_holds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (name, target) in TARGETS {
        let seeds = inputs(&root.join("fuzz/seeds").join(name));
        assert!(!seeds.is_empty(), "{name} has no seeds");
        for file in seeds.into_iter().chain(inputs(&root.join("fixtures/fuzz").join(name))) {
            // Captured unless it fails: then the last line names the input.
            println!("{}", file.display());
            target(&std::fs::read(&file).unwrap());
        }
    }
}

#[test]
fn every_folder_belongs_to_a_target() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for folder in ["fuzz/seeds", "fixtures/fuzz"] {
        for path in inputs(&root.join(folder)) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            assert!(TARGETS.iter().any(|(target, _)| *target == name), "{}", path.display());
        }
    }
}
