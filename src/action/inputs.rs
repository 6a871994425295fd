//! The inputs of the action: one table of names, defaults and meanings, which `action.yml` repeats word by word.
//!
//! A runner hands an input over as `INPUT_NAME`, in upper case with its hyphens kept; underscores are read as well,
//! because few shells can set a name with a hyphen.

mod fail_on;
mod model;
mod value;

use std::collections::BTreeMap;
use std::path::Path;

use crate::exit;
use crate::ids::RepoPath;
use crate::policy::Stage;
use crate::secret::Secret;
use crate::text::nearest;
pub(super) use fail_on::FailOn;
pub(super) use model::Models;

/// One input.
pub(super) struct Input {
    pub(super) name: &'static str,
    /// As `action.yml` has it; where it is an expression, the program itself takes an empty value.
    pub(super) default: &'static str,
    pub(super) description: &'static str,
    take: fn(&mut Inputs, &str) -> Result<(), String>,
}

/// What one step does of the three that lead from a failed run to a pull request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Mode {
    /// All three.
    #[default]
    Auto,
    /// Only the first.
    Collect,
    /// Only the second, on what an earlier job collected.
    Repair,
    /// Only the third, on what an earlier job proposed.
    Publish,
    /// All three, and the last one only says what it would write.
    DryRun,
}

/// The inputs, checked.
#[derive(Debug, Clone, Default)]
pub(super) struct Inputs {
    pub(super) mode: Mode,
    pub(super) token: Option<Secret>,
    pub(super) key: Option<Secret>,
    pub(super) models: Models,
    pub(super) policy: Option<RepoPath>,
    pub(super) stage: Option<Stage>,
    pub(super) budget: Option<f64>,
    pub(super) artifacts: Vec<String>,
    pub(super) branches: Vec<String>,
    pub(super) draft: bool,
    pub(super) labels: Vec<String>,
    pub(super) fail_on: FailOn,
    /// What is set and means nothing: a sentence each.
    pub(super) remarks: Vec<String>,
}

/// Every input, in the order of `action.yml`.
pub(super) const INPUTS: [Input; 14] = [
    Input {
        name: "mode",
        default: "auto",
        description: "What this step does: auto (collect, repair, publish), dry-run (the same, and nothing is written to GitHub), or one of collect, repair, publish alone, so that each can have a job and a token of its own.",
        take: |to, text| value::mode(text).map(|mode| to.mode = mode),
    },
    Input {
        name: "github-token",
        default: "${{ github.token }}",
        description: "The token for GitHub. Reading needs actions, contents, checks and pull-requests: read; publishing needs actions: read, contents and pull-requests: write. Repair never gets it.",
        take: |to, text| {
            to.token = Some(Secret::new(text.to_owned()));
            Ok(())
        },
    },
    Input {
        name: "model",
        default: "",
        description: "The model that may be asked: PROVIDER:NAME or PROVIDER:NAME@BASE_URL. Without a model here or in the policy none is asked, whatever keys there are.",
        take: |to, text| value::spec(text).map(|spec| to.models.strong = Some(spec)),
    },
    Input {
        name: "light-model",
        default: "",
        description: "A cheaper model that is asked first; the other one then only where this one did not do.",
        take: |to, text| value::spec(text).map(|spec| to.models.light = Some(spec)),
    },
    Input {
        name: "base-url",
        default: "",
        description: "Where the models named here are asked, instead of their provider's own address.",
        take: |to, text| {
            to.models.base_url = Some(text.to_owned());
            Ok(())
        },
    },
    Input {
        name: "api-key",
        default: "",
        description: "The key for the model. A key alone never spends money: a model has to be named, here or in the policy.",
        take: |to, text| {
            to.key = Some(Secret::new(text.to_owned()));
            Ok(())
        },
    },
    Input {
        name: "policy",
        default: "",
        description: "The policy file that has to be in force, such as .github/unbreak.yml: the step refuses to run where the tip of the default branch has another or none. Policy is never read from the branch under repair.",
        take: |to, text| value::policy(text).map(|path| to.policy = Some(path)),
    },
    Input {
        name: "stage",
        default: "",
        description: "How far this step may go at most: read-only, patch or pull-request. It can only lower what the policy says.",
        take: |to, text| value::stage(text).map(|stage| to.stage = Some(stage)),
    },
    Input {
        name: "budget-usd",
        default: "",
        description: "How many US dollars models may cost in this run at most. It can only lower what the policy says.",
        take: |to, text| value::dollars(text).map(|dollars| to.budget = Some(dollars)),
    },
    Input {
        name: "artifacts",
        default: "",
        description: "Further reports and logs of the failure: paths or patterns (*, **, ?) in the workspace, one a line. For a step in the failing job, whose reports are not uploaded yet.",
        take: |to, text| value::patterns(text).map(|patterns| to.artifacts = patterns),
    },
    Input {
        name: "branch",
        default: "",
        description: "Act only on runs of these branches: names or patterns (*, **, ?), by comma or line. Empty means all.",
        take: |to, text| {
            to.branches = value::list(text);
            Ok(())
        },
    },
    Input {
        name: "draft",
        default: "false",
        description: "true opens the pull request as a draft even where the policy does not.",
        take: |to, text| value::boolean(text).map(|draft| to.draft = draft),
    },
    Input {
        name: "labels",
        default: "",
        description: "Labels for the pull request besides the policy's, by comma or line.",
        take: |to, text| value::labels(text).map(|labels| to.labels = labels),
    },
    Input {
        name: "fail-on",
        default: "never",
        description: "With which results the step fails: never, unfixed (whatever leaves a failure unrepaired), or results by comma, such as error, service_failed.",
        take: |to, text| text.parse().map(|fail_on| to.fail_on = fail_on),
    },
];

impl Inputs {
    /// Reads the inputs from the runner's variables; `with` are those of the command line, which win.
    ///
    /// # Errors
    /// [`exit::Usage`] that names the input, what is wrong with its value, and the nearest that would do.
    pub(super) fn read(env: &BTreeMap<String, String>, with: &[String], workspace: &Path) -> anyhow::Result<Self> {
        let given = given(with)?;
        let mut inputs = Self::default();
        for input in &INPUTS {
            let text = given.get(input.name).copied().or_else(|| variable(env, input.name)).unwrap_or_default().trim();
            let text = if text.is_empty() && !input.default.contains("${{") { input.default } else { text };
            if !text.is_empty() {
                (input.take)(&mut inputs, text).map_err(|wrong| unusable(input.name, &wrong))?;
            }
        }
        if inputs.token.is_none() {
            // Where the binary is called in a step, the usual variable does.
            let token = env.get("GITHUB_TOKEN").filter(|token| !token.is_empty());
            inputs.token = token.map(|token| Secret::new(token.clone()));
        }
        inputs.models.settle(workspace).map_err(|(name, wrong)| unusable(name, &wrong))?;
        inputs.remarks.extend(unknown(env));
        if inputs.key.is_some() && inputs.models.are_none() {
            inputs
                .remarks
                .push("a key is set and `model` is not: no model is asked unless the policy names one".to_owned());
        }
        Ok(inputs)
    }
}

/// `NAME=VALUE` of the command line. Credentials are no arguments: every process of the machine can read these.
fn given(with: &[String]) -> anyhow::Result<BTreeMap<&str, &str>> {
    let mut given = BTreeMap::new();
    for pair in with {
        let Some((name, value)) = pair.split_once('=') else {
            return Err(exit::Usage::error(format!("--with {pair} names no value"), "such as --with mode=dry-run"));
        };
        if matches!(name, "github-token" | "api-key") {
            let hint = "set GITHUB_TOKEN, or the variable of the model's provider, in the environment of the step";
            return Err(exit::Usage::error(format!("`{name}` is not taken from the command line"), hint));
        }
        if !INPUTS.iter().any(|input| input.name == name) {
            return Err(exit::Usage::error(format!("there is no input `{name}`"), suggestion(name)));
        }
        given.insert(name, value);
    }
    Ok(given)
}

/// The value that the runner set, hyphens kept or not.
fn variable<'a>(env: &'a BTreeMap<String, String>, name: &str) -> Option<&'a str> {
    let upper = format!("INPUT_{}", name.to_ascii_uppercase());
    let set = |name: &str| env.get(name).map(String::as_str).filter(|value| !value.trim().is_empty());
    set(&upper).or_else(|| set(&upper.replace('-', "_")))
}

/// Inputs that nobody reads: most are misspelt.
fn unknown(env: &BTreeMap<String, String>) -> Vec<String> {
    let names =
        env.keys().filter_map(|name| name.strip_prefix("INPUT_")).map(|name| name.to_lowercase().replace('_', "-"));
    let known = |name: &String| INPUTS.iter().any(|input| input.name == *name);
    let others = names.filter(|name| !known(name) && !matches!(name.as_str(), "args" | "entrypoint"));
    others.map(|name| format!("there is no input `{}`: {}", crate::text::in_line(&name), suggestion(&name))).collect()
}

fn suggestion(name: &str) -> String {
    let names = INPUTS.iter().map(|input| input.name);
    match nearest(name, names.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are {}", names.collect::<Vec<_>>().join(", ")),
    }
}

fn unusable(name: &str, wrong: &str) -> anyhow::Error {
    let about = INPUTS.iter().find(|input| input.name == name).map_or("", |input| input.description);
    exit::Usage::error(format!("input `{name}`: {wrong}"), about)
}

#[cfg(test)]
mod tests;
