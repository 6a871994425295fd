//! The providers: one file and one row each.

use crate::llm::openai::OpenAi;
use crate::llm::{Model, Settings};
use crate::secret::Secret;

/// One service that models can be asked at.
#[derive(Debug)]
pub struct Provider {
    /// As a model specification names it.
    pub name: &'static str,
    /// Where it is, unless a specification says otherwise.
    pub base_url: &'static str,
    /// The environment variable that holds its key; a local server needs none.
    pub key_variable: &'static str,
    /// Opens one of its models.
    open: fn(Opening<'_>) -> Result<Box<dyn Model>, String>,
}

/// What a model is opened with.
#[derive(Debug)]
pub struct Opening<'a> {
    /// Whose model.
    pub provider: &'static Provider,
    /// The model's name.
    pub model: &'a str,
    /// Where, instead of the provider's own address.
    pub base_url: Option<&'a str>,
    /// The key, if there is one.
    pub key: Option<Secret>,
    /// Timeouts, retries, sizes.
    pub settings: &'a Settings,
}

/// Every provider.
pub const PROVIDERS: &[Provider] = &[Provider {
    name: "openai",
    base_url: "https://api.openai.com/v1",
    key_variable: "OPENAI_API_KEY",
    open: |opening| Ok(Box::new(OpenAi::open(opening)?)),
}];

impl Opening<'_> {
    /// Opens the model; nothing is sent yet.
    ///
    /// # Errors
    /// A sentence that says what is wrong with the address or the key.
    pub fn open(self) -> Result<Box<dyn Model>, String> {
        let provider = self.provider;
        if self.key.is_none() && self.base_url.is_none() {
            return Err(format!(
                "`{}` needs a key: set {}, or name a server of your own as {0}:NAME@BASE_URL",
                provider.name, provider.key_variable
            ));
        }
        (provider.open)(self)
    }
}
