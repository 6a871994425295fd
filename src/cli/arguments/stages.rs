//! The stages from a failed run to a pull request, and the action that runs them.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Format;
use crate::policy;

/// Where the forge is; the token is `GITHUB_TOKEN` of the environment, never an argument.
#[derive(Debug, Args)]
pub(in crate::cli) struct Forge {
    /// The repository on GitHub [default: `GITHUB_REPOSITORY`].
    #[arg(long, value_name = "OWNER/NAME")]
    pub(in crate::cli) repository: Option<String>,
    /// Where GitHub's interface is [default: `GITHUB_API_URL`, or <https://api.github.com>].
    #[arg(long, value_name = "URL")]
    pub(in crate::cli) api_url: Option<String>,
    /// Where GitHub's pages are [default: `GITHUB_SERVER_URL`, or <https://github.com>].
    #[arg(long, value_name = "URL")]
    pub(in crate::cli) server_url: Option<String>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Collect {
    /// The failed run.
    #[arg(long, value_name = "ID")]
    pub(in crate::cli) run_id: u64,
    /// Which attempt of it [default: the last].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(in crate::cli) attempt: Option<u32>,
    /// A new or empty directory for what is found.
    #[arg(long, value_name = "BUNDLE")]
    pub(in crate::cli) out: PathBuf,
    #[command(flatten)]
    pub(in crate::cli) forge: Forge,
    /// How to print what was found.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(in crate::cli) format: Format,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Repair {
    /// What `collect` left.
    #[arg(long, value_name = "BUNDLE")]
    pub(in crate::cli) bundle: PathBuf,
    /// A new or empty directory for the proposal and its evidence.
    #[arg(long, value_name = "PROPOSAL")]
    pub(in crate::cli) out: PathBuf,
    /// What the failing job left besides: a report, a log, or a directory of them. Can be repeated.
    #[arg(long, value_name = "PATH")]
    pub(in crate::cli) artifact: Vec<PathBuf>,
    /// A model: `PROVIDER:NAME[@BASE_URL]` or `replay:DIR`, also as `light=…` and `strong=…`. Without one, here or in
    /// the policy, none is asked.
    #[arg(long, value_name = "SPEC")]
    pub(in crate::cli) model: Vec<String>,
    /// How far to go at most; it can only lower what the policy says.
    #[arg(long, value_enum)]
    pub(in crate::cli) stage: Option<Stage>,
    /// How much models may cost at most; it can only lower what the policy says.
    #[arg(long, value_name = "USD")]
    pub(in crate::cli) budget_usd: Option<f64>,
    /// How to print the result.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(in crate::cli) format: Format,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Publish {
    /// What `repair` left.
    #[arg(long, value_name = "PROPOSAL")]
    pub(in crate::cli) bundle: PathBuf,
    /// Find out everything and write nothing.
    #[arg(long)]
    pub(in crate::cli) dry_run: bool,
    /// Open the pull request as a draft even where the policy does not.
    #[arg(long)]
    pub(in crate::cli) draft: bool,
    /// A label for the pull request besides the policy's. Can be repeated.
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) label: Vec<String>,
    /// How far to go at most; it can only lower what the policy says.
    #[arg(long, value_enum)]
    pub(in crate::cli) stage: Option<Stage>,
    #[command(flatten)]
    pub(in crate::cli) forge: Forge,
    /// How to print the result.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(in crate::cli) format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Stage {
    /// Run no repository code, explain only.
    ReadOnly,
    /// Run it, and write a proposal.
    Patch,
    /// Open a pull request.
    PullRequest,
}

impl From<Stage> for policy::Stage {
    fn from(stage: Stage) -> Self {
        match stage {
            Stage::ReadOnly => Self::ReadOnly,
            Stage::Patch => Self::Patch,
            Stage::PullRequest => Self::PullRequest,
        }
    }
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Action {
    /// An input of the action, over what the runner's `INPUT_…` variables say. Can be repeated; credentials are taken
    /// from the environment alone.
    #[arg(long, value_name = "NAME=VALUE")]
    pub(in crate::cli) with: Vec<String>,
}
