//! How a model is named on the command line: `PROVIDER:NAME[@BASE_URL]` or `replay:DIR`, with `light=` or `strong=`
//! before it for the two rungs of the ladder.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::llm::providers::{Opening, PROVIDERS, Provider};
use crate::llm::{Model, Replay, Settings};
use crate::secret::Secret;
use crate::text::nearest;

/// A model, named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spec {
    /// The rung; both when none was named.
    pub rung: Option<Rung>,
    /// What answers.
    pub target: Target,
}

/// Which rung of the ladder a model stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rung {
    /// Asked first.
    Light,
    /// Asked when the light one did not do.
    Strong,
}

/// What answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A model of a service.
    Service {
        /// The service, one of [`PROVIDERS`].
        provider: String,
        /// The model.
        name: String,
        /// Where, instead of the service's own address.
        base_url: Option<String>,
    },
    /// Recorded answers.
    Replay(PathBuf),
}

/// A text that names no model, with the way out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` names no model: {reason}")]
pub struct SpecError {
    /// What was written.
    pub text: String,
    /// What is wrong with it, and an example.
    pub reason: String,
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let (rung, rest) = match text.split_once('=') {
            Some(("light", rest)) => (Some(Rung::Light), rest),
            Some(("strong", rest)) => (Some(Rung::Strong), rest),
            _ => (None, text),
        };
        let target = target(rest).map_err(|reason| SpecError { text: text.to_owned(), reason })?;
        Ok(Self { rung, target })
    }
}

fn target(text: &str) -> Result<Target, String> {
    let example = "write PROVIDER:NAME[@BASE_URL], such as openai:gpt-5-mini, or replay:DIR";
    let (provider, rest) = text.split_once(':').ok_or(example)?;
    if provider == "replay" {
        let directory = if rest.is_empty() { Err("replay needs a directory: replay:DIR") } else { Ok(rest) };
        return Ok(Target::Replay(PathBuf::from(directory?)));
    }
    find(provider).ok_or_else(|| unknown(provider))?;
    let (name, base_url) = match rest.split_once("@http") {
        Some((name, rest)) => (name, Some(format!("http{rest}"))),
        None if rest.contains('@') => return Err("a base URL begins with https:// or http://".to_owned()),
        None => (rest, None),
    };
    if name.is_empty() || name.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err(format!("it lacks the model's name; {example}"));
    }
    if let Some(url) = &base_url {
        let parsed = reqwest::Url::parse(url).map_err(|error| format!("`{url}` is no URL: {error}"))?;
        if !parsed.username().is_empty() || parsed.password().is_some() {
            return Err("a base URL must not hold a key; set it in the environment".to_owned());
        }
    }
    Ok(Target::Service { provider: provider.to_owned(), name: name.to_owned(), base_url })
}

fn find(name: &str) -> Option<&'static Provider> {
    PROVIDERS.iter().find(|provider| provider.name == name)
}

fn unknown(name: &str) -> String {
    let known: Vec<&str> = PROVIDERS.iter().map(|provider| provider.name).chain(["replay"]).collect();
    let meant = nearest(name, known.iter().copied()).map(|near| format!("; did you mean `{near}`?"));
    format!("there is no provider `{name}`, only {}{}", known.join(", "), meant.unwrap_or_default())
}

impl Spec {
    /// The environment variable that holds the key which this model needs.
    #[must_use]
    pub fn key_variable(&self) -> Option<&'static str> {
        match &self.target {
            Target::Service { provider, .. } => find(provider).map(|provider| provider.key_variable),
            Target::Replay(_) => None,
        }
    }

    /// Opens the model; nothing is sent yet. `key` is the value of [`Spec::key_variable`]; relative recordings are
    /// looked for below `directory`.
    ///
    /// # Errors
    /// [`SpecError`] for a missing key, an unusable address, a recording that cannot be read.
    pub fn open(
        &self,
        key: Option<Secret>,
        directory: &Path,
        settings: &Settings,
    ) -> Result<Box<dyn Model>, SpecError> {
        let failed = |reason| SpecError { text: self.to_string(), reason };
        match &self.target {
            Target::Replay(recording) => {
                let replay = Replay::open(&directory.join(recording)).map_err(|error| failed(error.to_string()))?;
                Ok(Box::new(replay))
            }
            Target::Service { provider, name, base_url } => {
                let provider = find(provider).ok_or_else(|| failed(unknown(provider)))?;
                let opening = Opening { provider, model: name, base_url: base_url.as_deref(), key, settings };
                opening.open().map_err(failed)
            }
        }
    }
}

impl std::fmt::Display for Spec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.rung {
            Some(Rung::Light) => f.write_str("light=")?,
            Some(Rung::Strong) => f.write_str("strong=")?,
            None => {}
        }
        match &self.target {
            Target::Replay(directory) => write!(f, "replay:{}", directory.display()),
            Target::Service { provider, name, base_url } => {
                write!(f, "{provider}:{name}")?;
                base_url.as_ref().map_or(Ok(()), |url| write!(f, "@{url}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifications_read_back() {
        for text in [
            "openai:gpt-5-mini",
            "light=openai:qwen/qwen3:8b@http://127.0.0.1:11434/v1",
            "strong=replay:some/dir",
            "replay:/a=b",
        ] {
            assert_eq!(text.parse::<Spec>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn errors_say_the_way_out() {
        let reason = |text: &str| text.parse::<Spec>().unwrap_err().reason;
        insta::assert_snapshot!(
            ["gpt-5", "opnai:x", "openai:", "openai:x@example.org", "openai:x@https://me:k@example.org", "replay:"]
                .map(reason).join("\n"),
            @r"
        write PROVIDER:NAME[@BASE_URL], such as openai:gpt-5-mini, or replay:DIR
        there is no provider `opnai`, only openai, replay; did you mean `openai`?
        it lacks the model's name; write PROVIDER:NAME[@BASE_URL], such as openai:gpt-5-mini, or replay:DIR
        a base URL begins with https:// or http://
        a base URL must not hold a key; set it in the environment
        replay needs a directory: replay:DIR
        ");
    }

    #[test]
    fn a_key_is_needed_by_the_service_and_never_sent_in_clear_text() {
        let open = |text: &str, key: Option<&str>| {
            let spec: Spec = text.parse().unwrap();
            let key = key.map(|key| Secret::new(key.to_owned()));
            spec.open(key, Path::new("."), &Settings::default()).map(|model| model.name().to_owned())
        };
        assert!(open("openai:m", None).unwrap_err().reason.contains("OPENAI_API_KEY"));
        assert!(open("openai:m@http://example.org/v1", Some("k")).unwrap_err().reason.contains("clear text"));
        assert_eq!(open("openai:m@http://127.0.0.1:1/v1", Some("k")).unwrap(), "openai:m");
        assert_eq!(open("openai:m@http://127.0.0.1:1/v1", None).unwrap(), "openai:m");
    }
}
