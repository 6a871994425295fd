//! The environment of each stage: built from a list, so that no credential gets into a process that does not need it.
//!
//! `collect` gets the token to read with. `repair`, which runs the repository's code, gets no token of the forge at
//! all, only the key of a model. `publish` gets the token and no key. None of them gets the runner's own tokens
//! (`ACTIONS_*`), the inputs (`INPUT_*`) or the runner's command files, through which later steps could be steered.

use std::collections::BTreeMap;

use crate::llm::providers::PROVIDERS;

/// One of the three.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Collect,
    Repair,
    Publish,
}

/// What every stage gets when it is set.
const PASSED: &[&str] = &[
    "PATH",
    "HOME",
    "TMPDIR",
    "TZ",
    "XDG_STATE_HOME",
    "XDG_CACHE_HOME",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "UNBREAK_SCRATCH",
    // With it the runner finds processes that outlive their job, and ends them.
    "RUNNER_TRACKING_ID",
];

/// What `repair` gets besides: where toolchains lie, and a company's mirrors. The sandbox picks from these again.
const TOOLCHAINS: &[&str] = &[
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "RUSTUP_AUTO_INSTALL",
    "CARGO_HOME",
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
    "REQUESTS_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    "PIP_CERT",
    "CURL_CA_BUNDLE",
    "GIT_SSL_CAINFO",
    "CARGO_HTTP_CAINFO",
    "CC",
    "CXX",
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "NPM_CONFIG_REGISTRY",
    "npm_config_registry",
    "UNBREAK_TIER",
];

/// The environment of a stage: what the machine has of it, and the credentials that are `given` to it.
pub(super) fn of(
    stage: Stage,
    caller: &BTreeMap<String, String>,
    given: impl IntoIterator<Item = (String, String)>,
) -> BTreeMap<String, String> {
    let more: &[&str] = if stage == Stage::Repair { TOOLCHAINS } else { &[] };
    let names = PASSED.iter().chain(more);
    let mut env: BTreeMap<String, String> =
        names.filter_map(|name| Some(((*name).to_owned(), caller.get(*name)?.clone()))).collect();
    if stage == Stage::Repair {
        // The policy may name a model; its key is then the one that the caller set for the provider.
        let keys = PROVIDERS.iter().map(|provider| provider.key_variable);
        env.extend(keys.filter_map(|name| Some((name.to_owned(), caller.get(name)?.clone()))));
    }
    env.insert("LC_ALL".to_owned(), "C.UTF-8".to_owned());
    env.extend(given);
    env
}

/// Takes the keys of models out again: what is only diagnosed asks none.
pub(super) fn without_keys(mut env: BTreeMap<String, String>) -> BTreeMap<String, String> {
    env.retain(|name, _| PROVIDERS.iter().all(|provider| provider.key_variable != name));
    env
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hostile() -> BTreeMap<String, String> {
        let names = [
            "PATH",
            "HOME",
            "GITHUB_TOKEN",
            "GH_TOKEN",
            "INPUT_GITHUB-TOKEN",
            "INPUT_API-KEY",
            "ACTIONS_RUNTIME_TOKEN",
            "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
            "ACTIONS_ID_TOKEN_REQUEST_URL",
            "ACTIONS_CACHE_URL",
            "GITHUB_OUTPUT",
            "GITHUB_ENV",
            "GITHUB_PATH",
            "GITHUB_STATE",
            "GITHUB_STEP_SUMMARY",
            "GITHUB_EVENT_PATH",
            "OPENAI_API_KEY",
            "AWS_SECRET_ACCESS_KEY",
            "NODE_OPTIONS",
            "LD_PRELOAD",
            "GIT_SSH_COMMAND",
            "GIT_CONFIG_COUNT",
            "HTTPS_PROXY",
        ];
        names.into_iter().map(|name| (name.to_owned(), format!("value of {name}"))).collect()
    }

    #[test]
    fn a_stage_gets_what_is_listed_and_what_it_is_given() {
        let token = || [("GITHUB_TOKEN".to_owned(), "t".to_owned())];
        for stage in [Stage::Collect, Stage::Publish] {
            let env = of(stage, &hostile(), token());
            assert_eq!(env.keys().collect::<Vec<_>>(), ["GITHUB_TOKEN", "HOME", "LC_ALL", "PATH"]);
            assert_eq!(env["GITHUB_TOKEN"], "t");
        }
        let env = of(Stage::Repair, &hostile(), []);
        assert_eq!(env.keys().collect::<Vec<_>>(), ["HOME", "LC_ALL", "OPENAI_API_KEY", "PATH"]);
    }
}
