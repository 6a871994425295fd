//! The forge, from the command line and the environment: its interface, its repository for git, and the token.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::arguments::Forge;
use super::machine::{self, Machine};
use crate::git::{Git, Remote};
use crate::github::{Connection, GitHub, Settings};
use crate::ids::RepositoryName;
use crate::journal::Journal;
use crate::secret::{Redactor, Secret};
use crate::{exit, output};

/// The forge, and what a stage that talks to it works with.
pub(super) struct Connected {
    pub(super) github: GitHub,
    pub(super) remote: Remote,
    pub(super) redactor: Redactor,
    /// The address of the pages, without a slash at its end.
    pub(super) server: String,
    pub(super) git: Git,
    pub(super) scratch: PathBuf,
    has_token: bool,
}

impl Connected {
    /// Reads where the forge is; nothing is sent yet.
    pub(super) fn open(forge: &Forge, machine: &Machine, directory: &Path) -> anyhow::Result<Self> {
        let repository = word(forge.repository.as_ref(), "GITHUB_REPOSITORY", machine).ok_or_else(|| {
            exit::Usage::error(
                "the repository is not known",
                "name it: --repository OWNER/NAME, or set GITHUB_REPOSITORY",
            )
        })?;
        let repository = RepositoryName::new(&repository)
            .map_err(|error| exit::Usage::error(error.to_string(), "such as --repository octo/hello"))?;
        let server = word(forge.server_url.as_ref(), "GITHUB_SERVER_URL", machine);
        let api = word(forge.api_url.as_ref(), "GITHUB_API_URL", machine);
        let (api, server) = addresses(api, server);
        let token = machine.env.get("GITHUB_TOKEN").filter(|token| !token.is_empty());
        let token = token.map(|token| Secret::new(token.clone()));
        let has_token = token.is_some();
        let redactor = Redactor::new(token.iter().map(|token| ("GITHUB_TOKEN", token)));
        let remote = Remote::new(&format!("{server}/{repository}.git"), token.clone())?;
        let github = github(Connection { api, repository, token }, machine)?;
        let (git, scratch) = (machine.git(directory)?, machine.scratch()?);
        Ok(Self { github, remote, redactor, server, git, scratch, has_token })
    }

    /// Nothing is written to GitHub without a token, so nothing is begun.
    pub(super) fn demand_token(&self, permissions: &str) -> anyhow::Result<()> {
        if self.has_token {
            return Ok(());
        }
        let hint = format!("set GITHUB_TOKEN to one with {permissions}");
        Err(exit::Usage::error("there is no token for GitHub", hint))
    }
}

/// What did not change since an earlier run is not sent again; two runs that are told to wait do not come back together.
fn github(connection: Connection, machine: &Machine) -> anyhow::Result<GitHub> {
    let mut settings = Settings::default();
    settings.retries.seed = u64::from(std::process::id());
    let github = GitHub::open_with(connection, settings)?;
    Ok(match machine.open_cache() {
        Some(cache) => github.with_cache(Arc::new(cache)),
        None => github,
    })
}

/// The record of a stage lies beside the directory that it is about: that one is sealed.
pub(super) fn journal(directory: &Path, stage: &str) -> anyhow::Result<Journal> {
    let name = directory.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let file = directory.with_file_name(format!("{name}.{stage}-{}.jsonl", machine::wall_clock()));
    if let Some(parent) = file.parent() {
        std::fs::create_dir_all(parent)?;
    }
    Journal::create(&file, machine::wall_clock).map_err(|error| {
        exit::Usage::error(
            format!("the record {} cannot be written: {error}", file.display()),
            "name a directory beside which you may write",
        )
    })
}

/// Ends a record; one that is not whole is said.
pub(super) fn close(journal: &Journal) {
    if let Err(error) = journal.close() {
        output::remark(&format!("the record of this stage is not whole: {error}"));
    }
}

/// An argument, or the runner's variable in its place.
fn word(argument: Option<&String>, variable: &str, machine: &Machine) -> Option<String> {
    let set = argument.or_else(|| machine.env.get(variable)).map(|word| word.trim_end_matches('/').to_owned());
    set.filter(|word| !word.is_empty())
}

/// Both addresses; a server of one's own has its interface below it.
fn addresses(api: Option<String>, server: Option<String>) -> (String, String) {
    let server = server.unwrap_or_else(|| "https://github.com".to_owned());
    let api = api.unwrap_or_else(|| match server.as_str() {
        "https://github.com" => "https://api.github.com".to_owned(),
        own => format!("{own}/api/v3"),
    });
    (api, server)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_of_ones_own_has_its_interface_below_it() {
        let own = || Some("https://forge.example".to_owned());
        assert_eq!(addresses(None, None).0, "https://api.github.com");
        assert_eq!(addresses(None, own()).0, "https://forge.example/api/v3");
        assert_eq!(addresses(own(), None), ("https://forge.example".to_owned(), "https://github.com".to_owned()));
    }
}
