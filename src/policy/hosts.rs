//! Hosts that may be reached, and the decision about one.

use serde::{Deserialize, Serialize};

use super::{Decision, Rule, RuleSource, Ruling};

/// What a command may reach.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Network {
    /// Nothing.
    #[default]
    Deny,
    /// Its own loopback interface, which nobody else sees.
    Loopback,
    /// These hosts, through a proxy of ours.
    Allow(Vec<HostRule>),
}

/// `name:port`, `*.name:port`, or the word `registries`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub enum HostRule {
    /// The package registries of the detected project kinds.
    Registries,
    Host {
        name: String,
        port: u16,
    },
}

/// The port when none is written.
const HTTPS: u16 = 443;

impl HostRule {
    /// A rule from `registries`, `name`, `name:port` or `*.name:port`; names in lower case, port 443 when absent.
    ///
    /// # Errors
    /// What is wrong with it, in a sentence.
    pub fn new(text: &str) -> Result<Self, String> {
        if text == "registries" {
            return Ok(Self::Registries);
        }
        if text.contains("://") || text.contains('/') {
            return Err(format!("`{text}` is an address; a host is `name:port`"));
        }
        let (name, port) = match text.split_once(':') {
            None => (text, HTTPS),
            Some((name, port)) => (name, port_of(port).ok_or_else(|| format!("`{text}` has no port from 1 to 65535"))?),
        };
        let name = name.to_ascii_lowercase();
        let name = name.strip_suffix('.').unwrap_or(&name);
        let bare = name.strip_prefix("*.").unwrap_or(name);
        if bare.contains('*') {
            return Err(format!("`{text}`: `*` stands only for whole leading parts, as in `*.example.org`"));
        }
        if !bare.is_ascii() {
            return Err(format!("`{text}`: write the host in its ASCII form (`xn--…`)"));
        }
        let label = |part: &str| {
            !part.is_empty()
                && part.len() <= 63
                && part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
        };
        if bare.len() > 253 || !bare.split('.').all(label) {
            return Err(format!("`{text}` is no host name"));
        }
        if bare.rsplit('.').next().is_some_and(|last| last.bytes().all(|b| b.is_ascii_digit())) {
            return Err(format!("`{text}` is a number, not a name; hosts are names"));
        }
        Ok(Self::Host { name: name.to_owned(), port })
    }

    /// The rule as it is written.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Registries => "registries".to_owned(),
            Self::Host { name, port } => format!("{name}:{port}"),
        }
    }

    /// Whether it names this host and port. `registries` names none by itself.
    #[must_use]
    pub fn matches(&self, host: &str, port: u16) -> bool {
        let Self::Host { name, port: own } = self else { return false };
        let host = host.to_ascii_lowercase();
        let host = host.strip_suffix('.').unwrap_or(&host);
        *own == port
            && match name.strip_prefix('*') {
                // `suffix` begins with a dot, so the name itself and look-alikes that end like it do not match.
                Some(suffix) => host.len() > suffix.len() && host.ends_with(suffix),
                None => host == name,
            }
    }
}

fn port_of(text: &str) -> Option<u16> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|port| digits && *port != 0)
}

impl Network {
    /// Whether `host` may be reached at `port`. `registries` are the hosts of the detected project kinds.
    #[must_use]
    pub fn decide(&self, host: &str, port: u16, registries: &[HostRule]) -> Ruling {
        let rule = |text: String| Rule { source: RuleSource::Policy, text, line: None };
        match self {
            Self::Deny => Ruling { decision: Decision::Deny, rules: vec![rule("network: deny".to_owned())] },
            Self::Loopback if is_loopback(host) => {
                Ruling { decision: Decision::Allow, rules: vec![rule("network: loopback".to_owned())] }
            }
            Self::Loopback => Ruling { decision: Decision::Deny, rules: vec![rule("network: loopback".to_owned())] },
            Self::Allow(hosts) => {
                let rules: Vec<Rule> = hosts
                    .iter()
                    .filter(|own| match own {
                        HostRule::Registries => registries.iter().any(|registry| registry.matches(host, port)),
                        own @ HostRule::Host { .. } => own.matches(host, port),
                    })
                    .map(|own| rule(own.text()))
                    .collect();
                if rules.is_empty() {
                    return Ruling::default(Decision::Deny, "a host that no rule names cannot be reached");
                }
                Ruling { decision: Decision::Allow, rules }
            }
        }
    }
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare.eq_ignore_ascii_case("localhost")
        || bare.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}
