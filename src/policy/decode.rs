//! From the checked file to a [`Policy`]: the second of the two types, which the program may rely on.

use std::collections::BTreeMap;
use std::time::Duration;

use super::check::check;
use super::error::{Fault, Place, located};
use super::keys::POLICY;
use super::node::{MAX_BYTES, parse};
use super::value::Value;
use super::{
    Approvals, Budget, CommandRule, CommandSpec, Deliver, Evidence, HostRule, ModelSpec, Models, Network, Origin,
    PatchLimits, PathRule, Permission, Policy, PolicyError, Project, PullRequest, Setup, Stage, Verify,
};
use crate::artifact::Limits;
use crate::ids::{RepoPath, Sha};

/// How long a command may run when nothing is said.
const TIMEOUT: Duration = Duration::from_mins(10);

impl Policy {
    /// What is in force without a policy file.
    #[must_use]
    pub fn default_for() -> Self {
        Self::from_entries(&Entries::default(), Origin::default())
    }

    /// Reads a policy file, YAML or JSON. An empty one means the defaults. The hash of `origin` is set here.
    ///
    /// # Errors
    /// Every fault of the file, in its order, each with its place.
    pub fn read(bytes: &[u8], origin: Origin) -> Result<Self, Vec<PolicyError>> {
        let file = origin.path.as_ref().map_or("policy", RepoPath::as_str).to_owned();
        let text = match text(bytes) {
            Ok(text) => text,
            Err((fault, readable)) => return Err(located(vec![fault], &readable, &file)),
        };
        let origin = Origin { hash: Some(Sha::of(bytes)), ..origin };
        let tree = parse(text);
        let (entries, mut faults) = match &tree.root {
            Some(root) if root.described() != "nothing" => check(root, POLICY),
            _ => Default::default(),
        };
        let entries = Entries(entries);
        let policy = Self::from_entries(&entries, origin);
        faults.extend(policy.inconsistencies(&entries));
        faults.extend(tree.faults);
        if faults.is_empty() { Ok(policy) } else { Err(located(faults, text, &file)) }
    }

    fn from_entries(entries: &Entries, origin: Origin) -> Self {
        let network = entries.network("network").unwrap_or_default();
        let approvals = entries.record("approvals");
        Self {
            origin,
            stage: match entries.text("stage") {
                Some("read-only") => Stage::ReadOnly,
                Some("patch") => Stage::Patch,
                Some("batch") => Stage::Batch,
                _ => Stage::PullRequest,
            },
            allowed_write_paths: entries.paths("allowed_write_paths"),
            denied_paths: entries.paths("denied_paths").unwrap_or_default(),
            allowed_commands: entries.command_rules("allowed_commands"),
            commands: entries.commands("commands", &network),
            setup: entries.setup("setup"),
            projects: entries.records("projects").iter().map(|project| project.project(&network)).collect(),
            approvals: Approvals {
                protected_paths: approvals.paths("protected_paths").unwrap_or_default(),
                who: match approvals.text("who") {
                    Some("maintain") => Permission::Maintain,
                    Some("admin") => Permission::Admin,
                    _ => Permission::Write,
                },
            },
            models: entries.record("models").models(),
            budget: entries.record("budget").budget(),
            limits: entries.record("limits").limits(),
            artifacts: entries.record("artifacts").artifacts(),
            deliver: match entries.text("deliver") {
                Some("suggestions") => Deliver::Suggestions,
                Some("bundle") => Deliver::Bundle,
                _ => Deliver::PullRequest,
            },
            verify: entries.verify(),
            required_walls: entries.record("sandbox").texts("require"),
            pull_request: entries.record("pull_request").pull_request(),
            lines: entries.0.iter().map(|(name, (place, _))| (name.clone(), place.line)).collect(),
            own_commands: entries.0.contains_key("commands"),
            network,
        }
    }

    /// What only shows once the whole file was read.
    fn inconsistencies(&self, entries: &Entries) -> Vec<Fault> {
        let mut faults: Vec<Fault> =
            self.allowed_commands.iter().flatten().flat_map(|rule| rule.try_examples(&self.commands)).collect();
        if let Some(rules) = &self.models.may_see
            && !rules.is_empty()
            && rules.iter().all(PathRule::excludes)
            && let Some((place, _)) = entries.record("models").0.get("may_see")
        {
            faults.push(Fault::new(*place, "`may_see` only excludes, so nothing could be seen; begin with `\"**\"`"));
        }
        faults
    }
}

/// The text without its byte order mark.
fn text(bytes: &[u8]) -> Result<&str, (Fault, String)> {
    let start = Place { line: 1, column: 1, width: 1, more: 0 };
    if bytes.len() > MAX_BYTES {
        let message = format!("the file has {} bytes; at most {MAX_BYTES} are read", bytes.len());
        return Err((Fault::new(start, message), String::new()));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(text)),
        Err(error) => {
            let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            let last = before.rsplit('\n').next().unwrap_or_default();
            let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
            let place = Place {
                line: number(before.matches('\n').count() + 1),
                column: number(last.chars().count() + 1),
                width: 1,
                more: 0,
            };
            Err((Fault::new(place, "the file is not UTF-8"), String::from_utf8_lossy(bytes).into_owned()))
        }
    }
}

/// The entries of a record; what is absent or had a fault reads as absent.
#[derive(Default)]
struct Entries(BTreeMap<String, (Place, Value)>);

impl Entries {
    fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(key).map(|(_, value)| value)
    }

    fn text(&self, key: &str) -> Option<&str> {
        match self.get(key) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    fn owned(&self, key: &str) -> Option<String> {
        self.text(key).map(str::to_owned)
    }

    fn whole(&self, key: &str) -> Option<u64> {
        match self.get(key) {
            Some(Value::Whole(number)) => Some(*number),
            _ => None,
        }
    }

    fn small(&self, key: &str) -> Option<u32> {
        self.whole(key).and_then(|number| u32::try_from(number).ok())
    }

    fn list(&self, key: &str) -> Option<&[Value]> {
        match self.get(key) {
            Some(Value::List(values)) => Some(values),
            _ => None,
        }
    }

    fn record(&self, key: &str) -> Self {
        match self.get(key) {
            Some(Value::Map(entries)) => Self(entries.clone()),
            _ => Self::default(),
        }
    }

    fn records(&self, key: &str) -> Vec<Self> {
        let values = self.list(key).unwrap_or_default().iter();
        values
            .filter_map(|value| match value {
                Value::Map(entries) => Some(Self(entries.clone())),
                _ => None,
            })
            .collect()
    }

    fn texts(&self, key: &str) -> Vec<String> {
        let values = self.list(key).unwrap_or_default().iter();
        values
            .filter_map(|value| match value {
                Value::Text(text) => Some(text.clone()),
                _ => None,
            })
            .collect()
    }

    fn paths(&self, key: &str) -> Option<Vec<PathRule>> {
        let values = self.list(key)?.iter();
        Some(
            values
                .filter_map(|value| match value {
                    Value::Path(rule) => Some(rule.clone()),
                    _ => None,
                })
                .collect(),
        )
    }

    fn command_rules(&self, key: &str) -> Option<Vec<CommandRule>> {
        let values = self.list(key)?.iter();
        Some(
            values
                .filter_map(|value| match value {
                    Value::Command(rule) => Some(rule.clone()),
                    _ => None,
                })
                .collect(),
        )
    }

    fn network(&self, key: &str) -> Option<Network> {
        match self.get(key)? {
            Value::Text(word) if word == "loopback" => Some(Network::Loopback),
            Value::Map(_) => {
                let record = self.record(key);
                let hosts = record.list("allow").unwrap_or_default().iter();
                Some(Network::Allow(
                    hosts
                        .filter_map(|value| match value {
                            Value::Host(rule) => Some(rule.clone()),
                            _ => None,
                        })
                        .collect(),
                ))
            }
            _ => Some(Network::Deny),
        }
    }

    fn command(&self, network: &Network) -> CommandSpec {
        CommandSpec {
            argv: match self.get("run") {
                Some(Value::Words(words)) => words.clone(),
                _ => Vec::new(),
            },
            cwd: match self.get("cwd") {
                Some(Value::Directory(path)) => path.clone(),
                _ => None,
            },
            env: match self.get("env") {
                Some(Value::Map(_)) => {
                    let env = self.record("env");
                    env.0.keys().filter_map(|name| Some((name.clone(), env.owned(name)?))).collect()
                }
                _ => BTreeMap::new(),
            },
            timeout: match self.get("timeout") {
                Some(Value::Duration(timeout)) => *timeout,
                _ => TIMEOUT,
            },
            network: self.network("network").unwrap_or_else(|| network.clone()),
        }
    }

    fn commands(&self, key: &str, network: &Network) -> BTreeMap<String, CommandSpec> {
        let commands = self.record(key);
        commands.0.keys().map(|name| (name.clone(), commands.record(name).command(network))).collect()
    }

    fn setup(&self, key: &str) -> Option<Setup> {
        self.list(key)?;
        let steps = self.records(key);
        let mut cache: Vec<String> = steps.iter().flat_map(|step| step.texts("cache")).collect();
        cache.sort();
        cache.dedup();
        let network = Network::Allow(vec![HostRule::Registries]);
        let step = |entries: &Entries| super::SetupStep {
            command: entries.command(&network),
            otherwise: Vec::new(),
            optional: false,
        };
        Some(Setup { steps: steps.iter().map(step).collect(), cache })
    }

    fn project(&self, network: &Network) -> Project {
        Project {
            path: match self.get("path") {
                Some(Value::Directory(path)) => path.clone(),
                _ => None,
            },
            setup: self.setup("setup"),
            commands: self.commands("commands", network),
            owners: self.texts("owners"),
        }
    }

    fn models(&self) -> Models {
        Models { light: self.model("light"), strong: self.model("strong"), may_see: self.paths("may_see") }
    }

    fn model(&self, key: &str) -> Option<ModelSpec> {
        let model = self.record(key);
        Some(ModelSpec {
            provider: model.owned("provider")?,
            name: model.owned("name")?,
            base_url: model.owned("base_url"),
            max_output: model.whole("max_output"),
            effort: model.owned("effort"),
        })
    }

    fn budget(&self) -> Budget {
        let default = Budget::default();
        Budget {
            usd: match self.get("usd") {
                Some(Value::Money(usd)) => *usd,
                _ => default.usd,
            },
            tokens: self.whole("tokens").unwrap_or(default.tokens),
            rounds: self.small("rounds").unwrap_or(default.rounds),
            minutes: self.whole("minutes").unwrap_or(default.minutes),
            prs_per_day: self.small("prs_per_day").unwrap_or(default.prs_per_day),
        }
    }

    fn limits(&self) -> PatchLimits {
        let default = PatchLimits::default();
        PatchLimits {
            files: self.small("files").unwrap_or(default.files),
            lines: self.small("lines").unwrap_or(default.lines),
        }
    }

    fn artifacts(&self) -> Limits {
        let default = Limits::default();
        let count = |key: &str| self.whole(key).and_then(|number| usize::try_from(number).ok());
        let bytes = |key: &str| self.whole(key).map(|mib| mib << 20);
        Limits {
            failed_tests: count("failed_tests").unwrap_or(default.failed_tests),
            other_tests: count("other_tests").unwrap_or(default.other_tests),
            diagnostics: count("diagnostics").unwrap_or(default.diagnostics),
            details: count("details_mib").map_or(default.details, |mib| mib << 20),
            members: count("members").unwrap_or(default.members),
            member: bytes("member_mib").unwrap_or(default.member),
            archive: bytes("archive_mib").unwrap_or(default.archive),
        }
    }

    fn verify(&self) -> Verify {
        let record = self.record("verify");
        Verify {
            level: match self.text("verify").or(record.text("level")) {
                Some("failing-tests") => Evidence::FailingTests,
                Some("affected-tests") => Evidence::AffectedTests,
                Some("ci") => Evidence::Ci,
                _ => Evidence::WholeSuite,
            },
            repeats: record.small("repeats").unwrap_or(Verify::default().repeats),
        }
    }

    fn pull_request(&self) -> PullRequest {
        PullRequest {
            draft: matches!(self.get("draft"), Some(Value::Flag(true))),
            labels: self.texts("labels"),
            reviewers: self.texts("reviewers"),
            title: self.owned("title"),
        }
    }
}
