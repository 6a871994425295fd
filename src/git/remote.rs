//! A repository on the forge that is fetched from and pushed to, and the credential for it.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::GitError;
use crate::secret::{Redactor, Secret};
use crate::text::one_line;

/// A repository on the forge.
#[derive(Debug, Clone)]
pub struct Remote {
    url: String,
    /// `https` or `http`.
    scheme: &'static str,
    token: Option<Secret>,
    patience: Patience,
}

/// How long a forge may keep us waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// Without a single byte, in whole seconds.
    pub silence: Duration,
    /// For a whole call.
    pub whole: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { silence: Duration::from_mins(1), whole: Duration::from_mins(30) }
    }
}

impl Remote {
    /// The repository at `url` (`https`, or `http` in a network of one's own); the token goes along in the environment
    /// of git, never among its arguments, and in clear text to this machine alone.
    ///
    /// # Errors
    /// [`GitError::Unusable`] for an address that is none of these, or that holds a credential.
    pub fn new(url: &str, token: Option<Secret>) -> Result<Self, GitError> {
        // An address that holds a credential is not repeated, nor one whose parts cannot be told.
        let wrong = |reason: &str| {
            GitError::unusable(
                format!("the address of the repository {reason}"),
                &["give one like https://github.com/OWNER/NAME; a token goes into its own setting"],
            )
        };
        let (scheme, rest) = match url.split_once("://") {
            Some(("https", rest)) => ("https", rest),
            Some(("http", rest)) => ("http", rest),
            _ => return Err(wrong("begins neither with https:// nor with http://")),
        };
        let (authority, path) = rest.split_once('/').ok_or_else(|| wrong("names no repository"))?;
        if authority.contains('@') {
            return Err(wrong("holds a credential"));
        }
        let host = host(authority).ok_or_else(|| wrong("names no host"))?;
        let letters = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | '~' | '+' | '%' | '/');
        let climbs = path.split('/').any(|part| matches!(part, "." | ".."));
        if path.trim_matches('/').is_empty() || climbs || !path.chars().all(letters) {
            return Err(wrong("holds no plain path after its host"));
        }
        if scheme == "http" && token.is_some() && !is_this_machine(host) {
            let message = format!("a token would go to `{}` in clear text", one_line(host, 80));
            return Err(GitError::unusable(message, &["use an address that begins with https://"]));
        }
        Ok(Self { url: url.to_owned(), scheme, token, patience: Patience::default() })
    }

    /// The same with other limits of time.
    #[must_use]
    pub fn with_patience(self, patience: Patience) -> Self {
        Self { patience, ..self }
    }

    /// Its address, which holds no credential.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    pub(super) fn patience(&self) -> Patience {
        self.patience
    }

    /// What git is told for a call: this scheme alone, no helper that could supply another credential, no proxy.
    ///
    /// Redirects are not followed: once git has followed one, it sends the header for the first address to the new
    /// one too.
    pub(super) fn options(&self) -> Vec<String> {
        let seconds = self.patience.silence.as_secs().max(1);
        vec![
            format!("protocol.{}.allow=always", self.scheme),
            "credential.helper=".to_owned(),
            "core.askPass=".to_owned(),
            "http.proxy=".to_owned(),
            "http.followRedirects=false".to_owned(),
            "http.lowSpeedLimit=1".to_owned(),
            format!("http.lowSpeedTime={seconds}"),
        ]
    }

    /// The token as configuration in the environment, for this address alone.
    pub(super) fn variables(&self) -> Vec<(String, String)> {
        let Some(token) = &self.token else { return Vec::new() };
        [
            ("GIT_CONFIG_COUNT", "1".to_owned()),
            ("GIT_CONFIG_KEY_0", format!("http.{}.extraHeader", self.url)),
            ("GIT_CONFIG_VALUE_0", format!("Authorization: Basic {}", credential(token).reveal())),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
    }

    /// `text` without the token in any form.
    pub(super) fn scrub(&self, text: &str) -> String {
        let credential = self.token.as_ref().map(credential);
        let known = self.token.iter().chain(&credential).map(|secret| ("token", secret));
        Redactor::new(known).scrub(text)
    }
}

/// What the header of a request says, as forges want it from git.
fn credential(token: &Secret) -> Secret {
    Secret::new(STANDARD.encode(format!("x-access-token:{}", token.reveal())))
}

/// The host of `HOST`, `HOST:PORT` or `[ADDRESS]:PORT`.
fn host(authority: &str) -> Option<&str> {
    let bracketed = authority.strip_prefix('[');
    let (host, port) = match bracketed {
        Some(rest) => rest.split_once(']')?,
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    let letters = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    let named = !host.is_empty() && !host.starts_with(['-', '.']) && host.chars().all(letters);
    if bracketed.map_or(!named, |_| host.parse::<Ipv6Addr>().is_err()) {
        return None;
    }
    let digits = port.strip_prefix(':').is_some_and(|port| {
        port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok_and(|port| port != 0)
    });
    (port.is_empty() || digits).then_some(host)
}

fn is_this_machine(host: &str) -> bool {
    host == "localhost"
        || host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
        || host.parse::<Ipv6Addr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token() -> Secret {
        Secret::new("s3cret-value".to_owned())
    }

    #[test]
    fn addresses_of_repositories_are_taken() {
        for url in ["https://github.com/octo/hello", "https://forge.example:8443/a/b.git", "https://[2001:db8::1]/a"] {
            assert_eq!(Remote::new(url, Some(token())).unwrap().url(), url);
        }
        for url in ["http://127.0.0.1:80/a", "http://localhost/a/b", "http://[::1]:99/a"] {
            assert!(Remote::new(url, Some(token())).is_ok(), "{url}");
        }
        assert!(Remote::new("http://forge.internal/a/b", None).is_ok());
    }

    #[test]
    fn other_addresses_are_refused_and_a_credential_in_one_is_not_repeated() {
        for url in [
            "",
            "github.com/a/b",
            "ssh://github.com/a",
            "git@github.com:a/b",
            "file:///etc",
            "ext::sh -c id",
            "-oProxy",
            "https://",
            "https:///a",
            "https://host",
            "https://host/",
            "https://host/a?b",
            "https://host/a#b",
            "https://host/a b",
            "https://host/a\nb",
            "https://host:x/a",
            "https://host:0/a",
            "https://host:99999/a",
            "https://-host/a",
            "https://ho\\st/a",
            "https://host/../a",
            "https://hé/a",
            "HTTPS://host/a",
            "https://x:s3cret-value@host/a",
            "https://s3cret-value@host/a",
            "http://[::1/a",
        ] {
            let error = Remote::new(url, None).unwrap_err();
            assert!(matches!(error, GitError::Unusable { .. }), "{url}: {error}");
            assert!(!format!("{error} {error:?}").contains("s3cret"), "{error}");
        }
    }

    #[test]
    fn a_token_goes_in_clear_text_to_this_machine_alone() {
        for url in ["http://forge.internal/a", "http://127.0.0.1.example/a", "http://10.0.0.1/a", "http://[::2]/a"] {
            assert!(Remote::new(url, Some(token())).unwrap_err().to_string().contains("clear text"), "{url}");
        }
    }

    #[test]
    fn a_remote_shows_its_token_nowhere() {
        let remote = Remote::new("https://github.com/a/b", Some(token())).unwrap();
        assert!(!format!("{remote:?}").contains("s3cret"));
        assert!(!remote.options().join(" ").contains("s3cret"));
        let header = &remote.variables()[2].1;
        let (_, encoded) = header.rsplit_once(' ').unwrap();
        assert_eq!(remote.scrub(&format!("a {encoded} b s3cret-value c")), "a *** b *** c");
    }
}
