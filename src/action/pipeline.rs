//! The stages in their order, each with what it needs of the one before, until one of them is the last.

use std::fs;
use std::path::PathBuf;

use anyhow::Context as _;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::environment::{self, Stage};
use super::event::Target;
use super::handed::Collected;
use super::inputs::{Inputs, Mode};
use super::outcome::{Outcome, Word};
use super::place::Place;
use super::stage::{self, Call, Ended};
use super::{Setting, artifacts, outputs};
use crate::exit;
use crate::handover::{Handover, HandoverError, Kind};
use crate::ids::RepositoryName;
use crate::policy;
use crate::proposal::{Conclusion, Proposal};
use crate::publish::Published;
use crate::report::Delivery;

/// Runs the stages that the mode asks for.
///
/// # Errors
/// What a person set and is not usable, and failures of this process itself; a stage that fails is an outcome.
pub(super) async fn run(setting: &Setting<'_>, inputs: &Inputs, target: &Target) -> anyhow::Result<Outcome> {
    let name = format!("{}-{}", target.run, target.attempt);
    let place = Place::make(setting.env, setting.state, &name).context("no directory can be made for what is found")?;
    let line = Pipeline { setting, inputs, target, place, forge: Forge::read(setting)? };
    let ended = line.stages().await?;
    Ok(ended.unwrap_or_else(|outcome| *outcome))
}

/// An outcome before the last stage.
type Early<T> = Result<T, Box<Outcome>>;

/// Where the forge is.
struct Forge {
    repository: RepositoryName,
    api: String,
    server: String,
}

impl Forge {
    fn read(setting: &Setting<'_>) -> anyhow::Result<Self> {
        let value = |name: &str| setting.env.get(name).map(String::as_str).unwrap_or_default();
        let or = |name: &str, otherwise: &str| match value(name) {
            "" => otherwise.to_owned(),
            value => value.trim_end_matches('/').to_owned(),
        };
        let repository = RepositoryName::new(value("GITHUB_REPOSITORY"));
        let hint = "a runner sets GITHUB_REPOSITORY to OWNER/NAME";
        Ok(Self {
            repository: repository.map_err(|error| exit::Usage::error(error.to_string(), hint))?,
            api: or("GITHUB_API_URL", "https://api.github.com"),
            server: or("GITHUB_SERVER_URL", "https://github.com"),
        })
    }

    fn arguments(&self) -> Vec<String> {
        let repository = self.repository.to_string();
        words(&["--repository", &repository, "--api-url", &self.api, "--server-url", &self.server])
    }

    /// A page of this forge, as it may be shown and linked.
    fn page(&self, url: String) -> Option<String> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-._~/%?=&#:".contains(c);
        (url.starts_with(&format!("{}/", self.server)) && url.chars().all(plain)).then_some(url)
    }
}

struct Pipeline<'a> {
    setting: &'a Setting<'a>,
    inputs: &'a Inputs,
    target: &'a Target,
    place: Place,
    forge: Forge,
}

impl Pipeline<'_> {
    /// Each stage in its turn.
    async fn stages(&self) -> anyhow::Result<Early<Outcome>> {
        let mode = self.inputs.mode;
        let mut notes = Vec::new();
        if matches!(mode, Mode::Auto | Mode::DryRun | Mode::Collect) {
            match self.collect().await? {
                Ok(collected) => notes.extend(collected.left_out),
                Err(outcome) => return Ok(Err(outcome)),
            }
        }
        if mode == Mode::Collect {
            let mut outcome = Outcome::new(Word::Collected, "a later job repairs it");
            (outcome.notes, outcome.place) = (notes, Some(self.place.shown("collected")));
            return Ok(Ok(outcome));
        }
        let proposal = if mode == Mode::Publish { self.proposed()? } else { self.repair(&mut notes).await? };
        let mut outcome = match proposal {
            Ok(proposal) => Outcome::of(proposal),
            Err(outcome) => return Ok(Err(outcome)),
        };
        outcome.place = Some(self.place.shown("proposal"));
        outcome.notes = notes;
        self.deliver(&mut outcome).await?;
        Ok(Ok(outcome))
    }

    async fn collect(&self) -> anyhow::Result<Early<Collected>> {
        self.place.clear("collected")?;
        let (run, attempt) = (self.target.run.to_string(), self.target.attempt.to_string());
        let mut arguments = words(&["collect", "--run-id", &run, "--attempt", &attempt]);
        arguments.extend(["--out".to_owned(), text(self.place.path("collected"))]);
        arguments.extend(self.forge.arguments());
        let ended = self.start(Stage::Collect, arguments).await?;
        let collected: Collected = match read(&ended, "collect") {
            Ok(collected) => collected,
            Err(outcome) => return Ok(Err(outcome)),
        };
        if let Some(policy) = self.inputs.policy.as_ref().filter(|policy| collected.policy.as_ref() != Some(policy)) {
            let message = format!("input `policy`: the default branch does not have {policy} in force");
            return Err(exit::Usage::error(message, "leave the input out, or bring that file onto the default branch"));
        }
        if collected.failed_jobs.is_empty() {
            return Ok(Err(Box::new(self.nothing_failed(collected.left_out))));
        }
        Ok(Ok(collected))
    }

    /// A run whose jobs all stand: nothing to do, or nothing that a change of the code could mend.
    fn nothing_failed(&self, notes: Vec<String>) -> Outcome {
        let ended = self.setting.env.get("GITHUB_EVENT_NAME").is_some_and(|event| event == "workflow_run");
        let (word, reason) = if ended {
            (
                Word::Concluded(Conclusion::Declined),
                "no job of the run failed, so there is nothing to repair in the code",
            )
        } else {
            (Word::Skipped, "no job of the run has failed so far; a step in the failing job needs `if: failure()`")
        };
        let mut outcome = Outcome::new(word, reason);
        outcome.notes = notes;
        outcome
    }

    async fn repair(&self, notes: &mut Vec<String>) -> anyhow::Result<Early<Proposal>> {
        self.place.clear("proposal")?;
        let bundle = text(self.place.path("collected"));
        let mut arguments = words(&["repair", "--bundle", &bundle, "--out", &text(self.place.path("proposal"))]);
        arguments.extend(self.more_artifacts(notes)?);
        if let Some(stage) = self.stage() {
            arguments.extend(words(&["--stage", stage]));
        }
        if let Some(budget) = self.inputs.budget {
            arguments.extend(words(&["--budget-usd", &budget.to_string()]));
        }
        if self.target.diagnose_only.is_none() {
            arguments.extend(self.inputs.models.arguments());
        }
        let ended = self.start(Stage::Repair, arguments).await?;
        let proposal = read(&ended, "repair");
        if proposal.is_ok()
            && let Some(file) = self.setting.path("GITHUB_OUTPUT")
        {
            // Whatever becomes of the next stage, a later step finds what was made.
            outputs::write_one(&file, "proposal", &self.place.shown("proposal"))?;
        }
        Ok(proposal)
    }

    /// What an earlier job proposed.
    fn proposed(&self) -> anyhow::Result<Early<Proposal>> {
        let directory = self.place.path("proposal");
        let hint = "mode `publish` takes what mode `repair` left: download it to `unbreak` below the runner's temporary \
                    directory first";
        let unusable = |error: HandoverError| exit::Usage::error(error.to_string(), hint);
        let handed = Handover::open(&directory, Kind::Proposal).map_err(unusable)?;
        Ok(Ok(handed.json("proposal.json").map_err(unusable)?))
    }

    /// Publishes a proposal that is one, where nothing forbids it.
    async fn deliver(&self, outcome: &mut Outcome) -> anyhow::Result<()> {
        if let Some(why) = &self.target.diagnose_only {
            outcome.word = Word::Refused;
            outcome.reason.clone_from(why);
            return Ok(());
        }
        if self.inputs.mode == Mode::Repair || outcome.word != Word::Concluded(Conclusion::Fixed) {
            return Ok(());
        }
        if self.inputs.stage.is_some_and(|stage| stage < policy::Stage::PullRequest) {
            outcome.notes.push("nothing is published: the input `stage` stops before that".to_owned());
            return Ok(());
        }
        let mut arguments = words(&["publish", "--bundle", &text(self.place.path("proposal"))]);
        arguments.extend(self.forge.arguments());
        arguments.extend((self.inputs.mode == Mode::DryRun).then(|| "--dry-run".to_owned()));
        arguments.extend(self.inputs.draft.then(|| "--draft".to_owned()));
        arguments.extend(self.inputs.labels.iter().map(|label| format!("--label={label}")));
        let ended = self.start(Stage::Publish, arguments).await?;
        match read::<Published>(&ended, "publish") {
            Ok(published) => self.delivered(outcome, published),
            Err(failed) => {
                let failed = *failed;
                outcome.word = failed.word;
                outcome.reason = failed.reason;
                outcome.hints = failed.hints;
                outcome.unusable = failed.unusable;
                outcome.notes.push("the proposal is kept: nothing of it is lost".to_owned());
            }
        }
        Ok(())
    }

    fn delivered(&self, outcome: &mut Outcome, published: Published) {
        outcome.notes.extend(published.notes);
        if published.outcome.is_delivered() {
            let url = published.pull_request.and_then(|pull| self.forge.page(pull.url));
            let branch = published.branch.map(|branch| branch.to_string());
            outcome.delivery = Some(Delivery { what: published.reason, url, branch });
            return;
        }
        match exit::conclusion_of_delivery(published.outcome) {
            Some(conclusion) => {
                outcome.word = Word::Concluded(conclusion);
                outcome.reason = published.reason;
                outcome.hints = published.hints;
            }
            None => outcome.notes.push(published.reason),
        }
    }

    /// Further artifacts of the workspace, as arguments for `repair`.
    fn more_artifacts(&self, notes: &mut Vec<String>) -> anyhow::Result<Vec<String>> {
        self.place.clear("artifacts")?;
        if self.inputs.artifacts.is_empty() {
            return Ok(Vec::new());
        }
        let into = self.place.path("artifacts");
        fs::create_dir(&into)?;
        let taken = artifacts::take(&self.setting.workspace(), &self.inputs.artifacts, &into)
            .context("the workspace cannot be read")?;
        notes.extend(taken.left_out);
        Ok(if taken.files == 0 { Vec::new() } else { words(&["--artifact", &text(into)]) })
    }

    /// The limit for `repair`: what is only diagnosed runs no code.
    fn stage(&self) -> Option<&'static str> {
        if self.target.diagnose_only.is_some() {
            return Some("read-only");
        }
        Some(match self.inputs.stage? {
            policy::Stage::ReadOnly => "read-only",
            policy::Stage::Patch => "patch",
            policy::Stage::PullRequest | policy::Stage::Batch => "pull-request",
        })
    }

    /// One stage, with the credentials that it needs.
    async fn start(&self, stage: Stage, mut arguments: Vec<String>) -> anyhow::Result<Ended> {
        arguments.extend(words(&["--format", "json"]));
        let given = match stage {
            Stage::Collect | Stage::Publish => vec![("GITHUB_TOKEN".to_owned(), self.token()?)],
            Stage::Repair if self.target.diagnose_only.is_some() => Vec::new(),
            Stage::Repair => self.inputs.key.iter().map(|key| self.inputs.models.key_variable(key)).collect(),
        };
        let title = match stage {
            Stage::Collect => "collect: what GitHub knows of the run",
            Stage::Repair => "repair: no token of GitHub from here on",
            Stage::Publish => "publish: no model and no repository code from here on",
        };
        let env = environment::of(stage, self.setting.env, given);
        let env = if self.target.diagnose_only.is_some() { environment::without_keys(env) } else { env };
        let call =
            Call { program: self.setting.program, title, arguments, env, directory: self.place.root().to_owned() };
        stage::run(&call).await.with_context(|| format!("the stage `{title}` cannot be run"))
    }

    fn token(&self) -> anyhow::Result<String> {
        let token = self.inputs.token.as_ref().map(|token| token.reveal().to_owned());
        token.ok_or_else(|| {
            exit::Usage::error("there is no token for GitHub", "set `github-token`, or GITHUB_TOKEN in the environment")
        })
    }
}

/// What a stage printed: its value, or the outcome of one that failed.
fn read<T: DeserializeOwned>(ended: &Ended, name: &str) -> Early<T> {
    let document: Option<Value> = serde_json::from_slice(&ended.document).ok();
    let said = document.as_ref().and_then(|document| document.get("error"));
    if let Some(error) = said.filter(|error| error.is_object()) {
        let message = error.get("message").and_then(Value::as_str).unwrap_or("it does not say why");
        let hints = error.get("hints").and_then(Value::as_array).into_iter().flatten();
        let mut outcome = Outcome::new(Word::of_exit(ended.code), format!("{name}: {message}"));
        outcome.hints = hints.filter_map(Value::as_str).map(str::to_owned).collect();
        outcome.unusable = ended.code == Some(i32::from(exit::USAGE));
        return Err(Box::new(outcome));
    }
    let value = document.map(serde_json::from_value).and_then(Result::ok);
    value.ok_or_else(|| {
        let how = ended.code.map_or_else(|| "was killed".to_owned(), |code| format!("ended with code {code}"));
        let reason = format!("{name} {how} and left nothing that can be read; the log says more");
        Box::new(Outcome::new(Word::of_exit(ended.code), reason))
    })
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Paths of ours are made of text.
fn text(path: PathBuf) -> String {
    path.into_os_string().to_string_lossy().into_owned()
}
