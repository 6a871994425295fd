//! The bundled project, laid down as a git repository.

use std::fs;
use std::path::Path;

use anyhow::Context as _;

use crate::git::Git;
use crate::journal::Journal;

macro_rules! bundled {
    ($($path:literal),+ $(,)?) => {
        &[$(($path, include_str!(concat!("../../fixtures/demo/project/", $path)))),+]
    };
}

/// The files of the project.
pub const BUNDLED: &[(&str, &str)] = bundled![
    ".gitignore",
    "Cargo.toml",
    "Cargo.lock",
    "src/lib.rs",
    "src/discount.rs",
    "src/receipt.rs",
    "tests/receipt.rs",
];

/// Writes the files into a new directory and commits them.
///
/// # Errors
/// When the directory cannot be written, or git fails.
pub async fn lay(git: &Git, directory: &Path, files: &[(&str, &str)], journal: &Journal) -> anyhow::Result<()> {
    for (path, text) in files {
        let file = directory.join(path);
        let parent = file.parent().unwrap_or(directory);
        fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
        fs::write(&file, text).with_context(|| file.display().to_string())?;
    }
    git.start_repository(directory, journal).await?;
    git.commit_all(directory, "A till that fails in three ways", journal).await?;
    Ok(())
}
