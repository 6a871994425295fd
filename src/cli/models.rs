//! Models by name: the specs of the command line and of the policy become a ladder, with keys from the environment.

use std::path::Path;
use std::sync::Arc;

use super::machine::Machine;
use crate::exit;
use crate::fix::Ladder;
use crate::llm::spec::{Rung, Spec};
use crate::llm::{Model, Recorder, Settings};
use crate::policy::{ModelSpec, Models};
use crate::secret::{Redactor, Secret};
use crate::usage::Tier;

/// A key for whichever provider is named, where that one's own variable is not set.
const ANY_KEY: &str = "UNBREAK_API_KEY";

/// The ladder, and the credentials that it holds, for the redactor. A key in the environment alone opens nothing: a
/// model has to be named.
pub(super) fn ladder(
    specs: &[String],
    policy: &Models,
    record: Option<&Path>,
    machine: &Machine,
) -> anyhow::Result<(Ladder, Vec<(String, Secret)>)> {
    let mut named: Vec<Spec> = Vec::new();
    for text in specs {
        named.push(text.parse().map_err(unusable)?);
    }
    if named.is_empty() {
        for (rung, model) in [(Rung::Light, &policy.light), (Rung::Strong, &policy.strong)] {
            let Some(model) = model else { continue };
            named.push(Spec { rung: Some(rung), ..of_policy(model).parse().map_err(unusable)? });
        }
    }
    let mut secrets = Vec::new();
    let mut rungs: Vec<(Tier, Arc<dyn Model>)> = Vec::new();
    for spec in named {
        let variable = spec.key_variable();
        let set = |name: &str| machine.env.get(name).filter(|key| !key.is_empty());
        let key = variable.and_then(|name| set(name).or_else(|| set(ANY_KEY)));
        let key = key.map(|key| Secret::new(key.clone()));
        if let (Some(name), Some(key)) = (variable, &key) {
            secrets.push((name.to_owned(), key.clone()));
        }
        let mut model = spec.open(key, &machine.directory, &settings()).map_err(unusable)?;
        if let Some(directory) = record {
            let redactor = Redactor::new(secrets.iter().map(|(name, secret)| (name.as_str(), secret)));
            let scrub = Box::new(move |text: &str| redactor.scrub(text));
            model = Box::new(Recorder::new(model, &machine.directory.join(directory), scrub)?);
        }
        let tier = if spec.rung == Some(Rung::Strong) { Tier::Strong } else { Tier::Light };
        rungs.push((tier, Arc::from(model)));
    }
    Ok((Ladder::new(rungs), secrets))
}

fn of_policy(model: &ModelSpec) -> String {
    let base = model.base_url.as_ref().map_or_else(String::new, |url| format!("@{url}"));
    format!("{}:{}{base}", model.provider, model.name)
}

/// Waits are jittered by the process: two runs that fail together do not come back together.
fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.retries.seed = u64::from(std::process::id());
    settings
}

fn unusable(error: impl std::fmt::Display) -> anyhow::Error {
    exit::Usage::error(
        error.to_string(),
        "such as --model openai:NAME, openai:NAME@http://localhost:8000/v1 or replay:DIR",
    )
}
