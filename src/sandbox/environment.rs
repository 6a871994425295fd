//! The environment of a command: built from an allow-list; nothing else of the caller's gets in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::order::Reach;
use super::{Host, Job, PROXY_PORT, toolchains};

/// Passed on when set: where toolchains lie, and which certificates the machine trusts. None can hold a secret.
const PASSED: [&str; 24] = [
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "PYENV_ROOT",
    "PYENV_VERSION",
    "NVM_DIR",
    "VOLTA_HOME",
    "GOROOT",
    "JAVA_HOME",
    "ASDF_DATA_DIR",
    "MISE_DATA_DIR",
    "UV_PYTHON_INSTALL_DIR",
    "VIRTUAL_ENV",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    "PIP_CERT",
    "CURL_CA_BUNDLE",
    "GIT_SSL_CAINFO",
    "CARGO_HTTP_CAINFO",
    "TZ",
    "CC",
    "CXX",
    "RUSTUP_AUTO_INSTALL",
];
/// The same for every command: plain, quiet, repeatable output, and no prompts.
const FIXED: [(&str, &str); 19] = [
    ("LANG", "C.UTF-8"),
    ("LC_ALL", "C.UTF-8"),
    ("TERM", "dumb"),
    ("CI", "true"),
    ("NO_COLOR", "1"),
    ("CARGO_TERM_COLOR", "never"),
    ("CARGO_TERM_PROGRESS_WHEN", "never"),
    ("PY_COLORS", "0"),
    // Bytecode is keyed by whole seconds: an edit within the second of the last run would not be seen.
    ("PYTHONDONTWRITEBYTECODE", "1"),
    ("PYTHONUNBUFFERED", "1"),
    ("RUST_BACKTRACE", "1"),
    ("PIP_DISABLE_PIP_VERSION_CHECK", "1"),
    ("PIP_NO_INPUT", "1"),
    ("NPM_CONFIG_UPDATE_NOTIFIER", "false"),
    ("NPM_CONFIG_FUND", "false"),
    ("NPM_CONFIG_AUDIT", "false"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("USER", "unbreak"),
    ("LOGNAME", "unbreak"),
];
/// Clients that honour a proxy read one of these.
const PROXY: [&str; 10] = [
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "https_proxy",
    "http_proxy",
    "ALL_PROXY",
    "all_proxy",
    "NPM_CONFIG_PROXY",
    "NPM_CONFIG_HTTPS_PROXY",
    "CARGO_HTTP_PROXY",
    "PIP_PROXY",
];

/// The private directories of one job.
#[derive(Debug)]
pub(super) struct Private {
    pub(super) home: PathBuf,
    pub(super) temporary: PathBuf,
}

/// What a job adds: variables that win over all, and directories of programs at both ends of the search path.
#[derive(Debug, Default)]
pub(super) struct Own<'a> {
    pub(super) env: BTreeMap<String, String>,
    pub(super) path_first: &'a [PathBuf],
    pub(super) path_last: &'a [PathBuf],
}

impl<'a> Own<'a> {
    pub(super) fn of(job: &'a Job) -> Self {
        Self { env: job.env.clone(), path_first: &job.path_first, path_last: &job.path_last }
    }
}

/// The environment for a job.
///
/// `hidden` says which directories the job cannot get to: a search path with these in it ends in "permission
/// denied" where "not found" would lead on.
pub(super) fn build(
    host: &Host,
    private: &Private,
    (reach, hidden): (&Reach, &dyn Fn(&Path) -> bool),
    job: Own<'_>,
) -> BTreeMap<String, String> {
    let mut env: BTreeMap<String, String> = FIXED.iter().map(|(name, value)| own(name, value)).collect();
    env.extend(PASSED.iter().filter_map(|name| Some(own(name, host.env.get(*name)?))));
    let shown = |path: &Path| own("", &path.to_string_lossy()).1;
    let home = |part: &str| shown(&private.home.join(part));
    env.extend([
        own("PATH", &path(host, hidden, &job)),
        ("HOME".to_owned(), shown(&private.home)),
        ("TMPDIR".to_owned(), shown(&private.temporary)),
        ("XDG_CONFIG_HOME".to_owned(), home(".config")),
        ("XDG_CACHE_HOME".to_owned(), home(".cache")),
        ("XDG_DATA_HOME".to_owned(), home(".local/share")),
        ("XDG_STATE_HOME".to_owned(), home(".local/state")),
        ("CARGO_HOME".to_owned(), home(".cargo")),
        ("GIT_CONFIG_GLOBAL".to_owned(), home(".gitconfig")),
        own("GIT_CONFIG_NOSYSTEM", "1"),
    ]);
    // The toolchains' defaults lie below the real home, which the private one hides.
    for (name, directory) in [("RUSTUP_HOME", ".rustup"), ("PYENV_ROOT", ".pyenv")] {
        let directory = host.home.join(directory);
        if directory.is_dir() {
            env.entry(name.to_owned()).or_insert_with(|| shown(&directory));
        }
    }
    // What the caller installed for Python below the real home is a toolchain too.
    let user_base = host.home.join(".local");
    if user_base.join("lib").is_dir() {
        env.insert("PYTHONUSERBASE".to_owned(), shown(&user_base));
    }
    if let Reach::Proxy(_) = reach {
        let address = format!("http://127.0.0.1:{PROXY_PORT}");
        env.extend(PROXY.iter().map(|name| own(name, &address)));
        env.extend(["NO_PROXY", "no_proxy"].map(|name| own(name, "localhost,127.0.0.1,::1")));
    } else {
        env.extend([own("CARGO_NET_OFFLINE", "true"), own("PIP_NO_INDEX", "1"), own("NPM_CONFIG_OFFLINE", "true")]);
        env.extend([own("UV_OFFLINE", "1"), own("GOPROXY", "off")]);
    }
    env.extend(job.env);
    env
}

/// The caller's search path, without relative parts, and the system's behind it, between the job's own.
fn path(host: &Host, hidden: &dyn Fn(&Path) -> bool, job: &Own<'_>) -> String {
    let mut parts: Vec<String> = Vec::new();
    let system = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];
    let callers = toolchains::path_directories(host).filter(|path| !hidden(path)).chain(system.map(PathBuf::from));
    let all = job.path_first.iter().cloned().chain(callers).chain(job.path_last.iter().cloned());
    for part in all.map(|path| path.to_string_lossy().into_owned()) {
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    parts.join(":")
}

fn own(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(caller: &[(&str, &str)], reach: &Reach) -> BTreeMap<String, String> {
        let env = caller.iter().map(|(name, value)| own(name, value)).collect();
        let host = Host { helper: "/x".into(), env, home: "/nowhere".into(), scratch: "/x".into(), tier: None };
        let private = Private { home: "/s/home".into(), temporary: "/s/tmp".into() };
        let (first, last) = (["/env/bin".into()], ["/tree/bin".into()]);
        let job = Own { env: [own("CI", "false")].into(), path_first: &first, path_last: &last };
        build(&host, &private, (reach, &|_| false), job)
    }

    #[test]
    fn no_variable_of_the_caller_gets_in_but_the_listed() {
        let caller =
            [("GITHUB_TOKEN", "x"), ("AWS_SECRET_ACCESS_KEY", "x"), ("HTTPS_PROXY", "http://u:p@h"), ("TZ", "UTC")];
        let env = built(&caller, &Reach::Nothing);
        assert!(!env.values().any(|value| value == "x" || value.contains("u:p@")));
        assert_eq!((env["TZ"].as_str(), env["HOME"].as_str()), ("UTC", "/s/home"));
    }

    #[test]
    fn a_job_overrides_and_a_proxy_is_announced_only_where_one_is() {
        assert_eq!(built(&[], &Reach::Nothing)["CI"], "false");
        assert!(!built(&[], &Reach::Loopback).contains_key("HTTPS_PROXY"));
        assert_eq!(built(&[], &Reach::Proxy("/p".into()))["HTTPS_PROXY"], "http://127.0.0.1:3128");
    }

    #[test]
    fn the_search_path_begins_and_ends_with_the_jobs_own_and_has_no_relative_parts() {
        let env = built(&[("PATH", "bin:/a:.:/a:/usr/bin")], &Reach::Nothing);
        assert_eq!(env["PATH"], "/env/bin:/a:/usr/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/sbin:/bin:/tree/bin");
    }
}
