//! Which hosts a package manager downloads from.
//!
//! Nothing that a repository says counts here: it would be a way to reach any host. The hosts are what the package
//! manager itself has built in, or what the environment of the machine sets instead (a company's mirror).

use super::{Kind, command};
use crate::policy::CommandSpec;

/// Where Rust's registry keeps its index and its archives, below its domain.
const CRATES: (&str, [&str; 2]) = ("crates.io", ["index", "static"]);

/// Where yarn fetches from by itself, below its domain: its lockfiles name this place, whatever npm is set to.
const YARN: (&str, [&str; 1]) = ("yarnpkg.com", ["registry"]);

/// Prints the two hosts that pip has built in.
const PIP: &str =
    "from pip._internal.models.index import PyPI; print(PyPI.url); print('https://' + PyPI.file_storage_domain + '/')";

impl Kind {
    /// Hosts that are known without asking.
    #[must_use]
    pub fn known_registries(self) -> Vec<(String, u16)> {
        let (domain, parts): (&str, &[&str]) = match self {
            Self::Cargo => (CRATES.0, &CRATES.1),
            Self::Npm => (YARN.0, &YARN.1),
            Self::Python => return Vec::new(),
        };
        parts.iter().map(|part| (format!("{part}.{domain}"), 443)).collect()
    }

    /// The command that makes the package manager name its registry; it needs no network.
    #[must_use]
    pub fn registry_question(self) -> Option<CommandSpec> {
        match self {
            Self::Cargo => None,
            Self::Python => Some(command(&["python3", "-c", PIP], None)),
            Self::Npm => Some(command(&["npm", "config", "get", "registry"], None)),
        }
    }

    /// Variables of the machine that name another registry.
    #[must_use]
    pub fn registry_variables(self) -> &'static [&'static str] {
        match self {
            Self::Cargo => &["CARGO_REGISTRIES_CRATES_IO_INDEX", "CARGO_SOURCE_CRATES_IO_REGISTRY"],
            Self::Python => &["PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "UV_INDEX_URL", "UV_DEFAULT_INDEX"],
            Self::Npm => &["NPM_CONFIG_REGISTRY", "npm_config_registry", "YARN_REGISTRY"],
        }
    }

    /// The hosts and ports of the addresses in a text, one a word.
    #[must_use]
    pub fn registries_named(text: &str) -> Vec<(String, u16)> {
        text.split_whitespace().filter_map(host_of).collect()
    }

    /// Whether a program belongs to this kind.
    #[must_use]
    pub fn runs(self, program: &str) -> bool {
        let programs: &[&str] = match self {
            Self::Cargo => &["cargo", "rustc", "rustfmt"],
            Self::Python => &[
                "python", "python3", "pytest", "py.test", "tox", "nox", "uv", "poetry", "ruff", "mypy", "hatch", "pdm",
            ],
            Self::Npm => &["node", "npm", "npx", "yarn", "pnpm", "jest", "mocha", "vitest", "eslint", "tsc"],
        };
        programs.contains(&program)
    }
}

/// `https://user:pass@host:port/path` → host and port.
fn host_of(address: &str) -> Option<(String, u16)> {
    let address = address.strip_prefix("sparse+").unwrap_or(address);
    let (rest, port) = match address.split_once("://")? {
        ("https", rest) => (rest, 443),
        ("http", rest) => (rest, 80),
        _ => return None,
    };
    let authority = rest.split(['/', '?', '#']).next()?;
    let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, digits)) => (host, digits.parse().ok()?),
        None => (authority, port),
    };
    let fits = !host.is_empty() && host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'));
    fits.then(|| (host.to_ascii_lowercase(), port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_become_hosts_without_their_credentials() {
        let text =
            "https://mirror.example/simple http://u:p@proxy.example:8081/npm/ sparse+https://idx.example/ ftp://x y";
        let hosts = Kind::registries_named(text);
        let hosts: Vec<String> = hosts.iter().map(|(host, port)| format!("{host}:{port}")).collect();
        assert_eq!(hosts, ["mirror.example:443", "proxy.example:8081", "idx.example:443"]);
    }

    #[test]
    fn what_is_no_host_is_left_out() {
        assert!(Kind::registries_named("https:// https://[::1]/ https://a_b/ undefined").is_empty());
    }
}
