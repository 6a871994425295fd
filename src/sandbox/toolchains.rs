//! What a command may read besides its workspace: the system, and the toolchains that `PATH` leads to.
//!
//! A toolchain in a private home is shown by itself; the home around it, with its keys and configuration, is not.

use std::path::{Path, PathBuf};

use super::Host;

/// Of the system: programs, libraries, configuration, and what the kernel tells of the machine.
const SYSTEM: [&str; 14] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix/store",
    "/sys",
    "/var/lib/gems",
    "/var/cache/fontconfig",
    "/snap",
];
/// Toolchains below a home: none of these holds a credential.
const IN_HOME: [&str; 16] = [
    ".cargo/bin",
    ".rustup",
    ".pyenv",
    ".nvm/versions",
    ".volta",
    ".fnm",
    ".local/bin",
    ".local/lib",
    ".local/share/uv",
    ".local/share/pipx",
    ".local/share/fnm",
    ".local/share/mise",
    ".asdf",
    ".goenv",
    ".rbenv",
    ".sdkman/candidates",
];
/// Variables that name a toolchain's directory, with what of it is shown.
const NAMED: [(&str, &str); 11] = [
    ("CARGO_HOME", "bin"),
    ("RUSTUP_HOME", ""),
    ("PYENV_ROOT", ""),
    ("NVM_DIR", "versions"),
    ("VOLTA_HOME", ""),
    ("GOROOT", ""),
    ("JAVA_HOME", ""),
    ("ASDF_DATA_DIR", ""),
    ("MISE_DATA_DIR", ""),
    ("UV_PYTHON_INSTALL_DIR", ""),
    ("VIRTUAL_ENV", ""),
];
/// Never shown, whatever leads there.
const PRIVATE: [&str; 7] = [".ssh", ".config", ".aws", ".docker", ".gnupg", ".kube", ".netrc"];

/// Every existing path that is readable to all jobs on this machine, sorted.
pub(super) fn readable(host: &Host) -> Vec<PathBuf> {
    let home = |path: &str| host.home.join(path);
    let named = NAMED.iter().filter_map(|(name, part)| Some(Path::new(host.env.get(*name)?).join(part)));
    let mut all: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
    let found =
        IN_HOME.map(home).into_iter().chain(named).chain(path_directories(host).flat_map(|path| around(&path, host)));
    all.extend(found.filter(|path| !private(path, host)));
    all.retain(|path| path.is_absolute() && path.symlink_metadata().is_ok());
    // A trailing slash would make two of one.
    all = all.iter().map(|path| path.components().collect()).collect();
    all.sort();
    all.dedup();
    let shown = all.clone();
    all.retain(|path| !shown.iter().any(|other| other != path && path.starts_with(other) && !other.is_symlink()));
    all
}

/// The directories of `PATH`, in order, without those that are relative.
pub(super) fn path_directories(host: &Host) -> impl Iterator<Item = PathBuf> {
    host.env.get("PATH").map_or("", String::as_str).split(':').map(PathBuf::from).filter(|path| path.is_absolute())
}

/// A directory of programs, and the installation that it is the `bin` of: its libraries lie beside.
fn around(directory: &Path, host: &Host) -> Vec<PathBuf> {
    let beside = |directory: &Path| {
        let installation =
            directory.parent().filter(|_| directory.ends_with("bin") || directory.ends_with("Scripts"))?;
        let whole = installation.parent().is_some()
            && !host.home.starts_with(installation)
            // Somebody else's home.
            && installation.parent() != Some(Path::new("/home"))
            && installation != Path::new("/root")
            && installation != host.home.join(".cargo")
            && installation != host.home.join(".local")
            && Some(installation.as_os_str()) != host.env.get("CARGO_HOME").map(AsRef::as_ref)
            && !installation.join(".git").exists();
        whole.then(|| installation.to_path_buf())
    };
    let mut found = vec![directory.to_path_buf()];
    found.extend(beside(directory));
    if let Ok(real) = directory.canonicalize()
        && real != directory
    {
        found.extend(beside(&real));
        found.push(real);
    }
    found
}

/// Whether showing `path` would show a home, or a part of one that keeps secrets.
fn private(path: &Path, host: &Host) -> bool {
    let within = path.strip_prefix(&host.home);
    host.home.starts_with(path)
        || within.is_ok_and(|rest| PRIVATE.iter().any(|private| rest.starts_with(private)))
        || ["/run", "/var/run", "/tmp", "/var", "/home"].iter().any(|place| path == Path::new(place))
        || ["/proc", "/dev"].iter().any(|place| path.starts_with(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(home: &Path, path: &str) -> Host {
        let env = [("PATH".to_owned(), path.to_owned())].into();
        Host { helper: "/x".into(), env, home: home.into(), scratch: "/x".into(), tier: None }
    }

    #[test]
    fn a_toolchain_in_a_home_is_shown_without_the_home() {
        let home = tempfile::tempdir().unwrap();
        for directory in [".cargo/bin", ".rustup/toolchains", ".config/tool/bin", "bin", "conda/bin", ".ssh"] {
            std::fs::create_dir_all(home.path().join(directory)).unwrap();
        }
        let path = [".cargo/bin", ".config/tool/bin", "bin", "conda/bin"]
            .map(|part| home.path().join(part).display().to_string());
        let shown = readable(&host(home.path(), &path.join(":")));
        let shown: Vec<_> = shown.iter().filter_map(|path| path.strip_prefix(home.path()).ok()?.to_str()).collect();
        assert_eq!(shown, [".cargo/bin", ".rustup", "bin", "conda"]);
    }
}
