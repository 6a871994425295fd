//! The models that the inputs name, as the command line of `repair` takes them.

use std::path::Path;

use crate::llm::spec::{Rung, Spec, Target};
use crate::secret::Secret;

/// Takes the key where no variable of a provider is known: the policy names the model then.
pub(in crate::action) const ANY_KEY: &str = "UNBREAK_API_KEY";

/// The models of the inputs.
#[derive(Debug, Clone, Default)]
pub(in crate::action) struct Models {
    pub(super) strong: Option<Spec>,
    pub(super) light: Option<Spec>,
    pub(super) base_url: Option<String>,
}

impl Models {
    /// Whether the inputs name none.
    pub(super) fn are_none(&self) -> bool {
        self.strong.is_none() && self.light.is_none()
    }

    /// Brings the inputs together: an address for all, rungs where there are two, recordings by whole paths.
    ///
    /// # Errors
    /// The input that is wrong, and what is wrong with it.
    pub(super) fn settle(&mut self, workspace: &Path) -> Result<(), (&'static str, String)> {
        if self.are_none() && self.base_url.is_some() {
            return Err(("base-url", "it says where a model is asked, and no model is named".to_owned()));
        }
        let both = self.strong.is_some() && self.light.is_some();
        let base_url = self.base_url.clone();
        for (spec, rung) in [(&mut self.strong, Rung::Strong), (&mut self.light, Rung::Light)] {
            let Some(spec) = spec else { continue };
            if both {
                spec.rung = Some(rung);
            }
            if let Some(url) = &base_url {
                *spec = somewhere(spec, url).map_err(|wrong| ("base-url", wrong))?;
            }
            if let Target::Replay(directory) = &mut spec.target {
                *directory = workspace.join(&directory);
            }
        }
        Ok(())
    }

    /// The arguments for `repair`.
    pub(in crate::action) fn arguments(&self) -> Vec<String> {
        let specs = self.light.iter().chain(&self.strong);
        specs.flat_map(|spec| ["--model".to_owned(), spec.to_string()]).collect()
    }

    /// The variables that carry `key`: those of the named models' provider. A second provider gets its key from its
    /// own variable, since one service's key is nothing for another.
    pub(in crate::action) fn key_variable(&self, key: &Secret) -> (String, String) {
        let named = self.strong.as_ref().or(self.light.as_ref()).and_then(Spec::key_variable);
        (named.unwrap_or(ANY_KEY).to_owned(), key.reveal().to_owned())
    }
}

/// The same model at another address; one that its own input names stays.
fn somewhere(spec: &Spec, url: &str) -> Result<Spec, String> {
    match &spec.target {
        Target::Service { base_url: None, .. } => format!("{spec}@{url}").parse::<Spec>().map_err(|error| error.reason),
        Target::Service { .. } | Target::Replay(_) => Ok(spec.clone()),
    }
}
