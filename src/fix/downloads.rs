//! Where package managers keep what they downloaded: one place for each repository and set-up with the same lockfiles.
//!
//! Only what was downloaded stays between runs. Configuration and programs that a set-up left there would run in the
//! next one, so they go before it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::Desk;
use crate::ids::Fingerprint;
use crate::policy::Setup;
use crate::source::Source;

const LOCKFILES: [&str; 6] =
    ["Cargo.lock", "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "uv.lock", "poetry.lock"];
/// What cargo downloads, as against what configures it.
const KEPT_OF_CARGO: [&str; 4] = ["registry", "git", ".package-cache", ".package-cache-mutate"];

/// The place for these set-ups of the repository that is known under a name, made when it is missing.
pub(super) fn directory(
    desk: &Desk<'_>,
    known_as: &str,
    source: &dyn Source,
    setups: &[Setup],
) -> anyhow::Result<PathBuf> {
    let mut parts = vec![known_as.to_owned()];
    parts.extend(setups.iter().map(|setup| format!("{setup:?}")));
    let entries = source.files().iter().filter(|entry| LOCKFILES.contains(&entry.path.file_name()));
    parts.extend(entries.map(|entry| format!("{} {}", entry.path, entry.blob)));
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let place = desk.scratch.join("downloads").join(Fingerprint::of(&parts).as_str());
    fs::create_dir_all(&place).with_context(|| format!("making {}", place.display()))?;
    strip(&place.join("cargo")).with_context(|| format!("clearing {}", place.display()))?;
    Ok(place)
}

fn strip(cargo: &Path) -> std::io::Result<()> {
    let Ok(entries) = fs::read_dir(cargo) else { return Ok(()) };
    for entry in entries {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| KEPT_OF_CARGO.iter().any(|kept| name == *kept)) {
            continue;
        }
        // Never through a link: what it leads to is not ours.
        if fs::symlink_metadata(&path)?.is_dir() { fs::remove_dir_all(&path)? } else { fs::remove_file(&path)? }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configuration_and_programs_do_not_outlive_a_run() {
        let home = tempfile::tempdir().unwrap();
        for (path, text) in [("config.toml", "[build]"), ("bin/rustc", "x"), ("registry/index", "kept")] {
            let file = home.path().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        std::os::unix::fs::symlink("/etc", home.path().join("link")).unwrap();
        strip(home.path()).unwrap();
        let left: Vec<_> = fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["registry"]);
        assert!(Path::new("/etc/passwd").exists());
    }
}
