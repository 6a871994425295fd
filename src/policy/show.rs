//! What is in force, as a policy file: it can be read back, and then says the same.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::built_in::{PROTECTED, UNWRITABLE};
use super::{CommandSpec, HostRule, ModelSpec, Network, PathRule, Policy, Project, Setup};
use crate::artifact::Limits;
use crate::ids::RepoPath;

/// The whole policy with its defaults, as YAML; what cannot be changed by a file stands above it in comments.
#[must_use]
pub fn show(policy: &Policy) -> String {
    let mut text = String::new();
    let origin = policy.origin.path.as_ref().map_or("built-in defaults".to_owned(), ToString::to_string);
    let commit = policy.origin.commit.as_ref().map(|commit| format!(" at {commit}")).unwrap_or_default();
    // Writing to a String cannot fail.
    let _ = writeln!(text, "# from: {origin}{commit}");
    let _ = writeln!(text, "# always denied: {}", UNWRITABLE.patterns().collect::<Vec<_>>().join(" "));
    let _ = writeln!(text, "# always asked for: {}", PROTECTED.patterns().collect::<Vec<_>>().join(" "));
    let _ = writeln!(text, "# never run: what pushes, publishes, releases, deploys, or deletes outside the workspace");
    if policy.allowed_write_paths.is_none() {
        let _ = writeln!(text, "# allowed_write_paths: tracked files, and new ones beside them");
    }
    if policy.allowed_commands.is_none() {
        let _ = writeln!(text, "# allowed_commands: every one of `commands`");
    }
    if policy.setup.is_none() {
        let _ = writeln!(text, "# setup: that of the detected project kinds");
    }
    let value = effective(policy);
    // JSON is YAML too, should the writer ever fail.
    text.push_str(&serde_yaml::to_string(&value).unwrap_or_else(|_| value.to_string()));
    text
}

fn effective(policy: &Policy) -> Value {
    let mut top = Map::new();
    let mut put = |name: &str, value: Value| {
        top.insert(name.to_owned(), value);
    };
    put("version", json!(1));
    put("stage", json!(policy.stage));
    put("workspace", json!("isolated_copy"));
    if let Some(rules) = &policy.allowed_write_paths {
        put("allowed_write_paths", paths(rules));
    }
    put("denied_paths", paths(&policy.denied_paths));
    if let Some(rules) = &policy.allowed_commands {
        put("allowed_commands", rules.iter().map(super::CommandRule::text).collect());
    }
    if policy.own_commands || !policy.commands.is_empty() {
        put("commands", commands(&policy.commands));
    }
    if let Some(value) = &policy.setup {
        put("setup", setup(value));
    }
    put("projects", policy.projects.iter().map(project).collect());
    put("network", network(&policy.network));
    put("secrets", json!("proxy_inject"));
    put("auto_merge", json!(false));
    let protected = paths(&policy.approvals.protected_paths);
    put("approvals", json!({ "protected_paths": protected, "who": policy.approvals.who }));
    put("models", models(policy));
    put("budget", json!(policy.budget));
    put("limits", json!(policy.limits));
    put("artifacts", artifacts(policy.artifacts));
    put("deliver", json!(policy.deliver));
    put("verify", json!(policy.verify));
    put("sandbox", json!({ "require": policy.required_walls }));
    put("pull_request", without_nulls(json!(policy.pull_request)));
    Value::Object(top)
}

fn artifacts(limits: Limits) -> Value {
    json!({
        "failed_tests": limits.failed_tests,
        "other_tests": limits.other_tests,
        "diagnostics": limits.diagnostics,
        "details_mib": limits.details >> 20,
        "members": limits.members,
        "member_mib": limits.member >> 20,
        "archive_mib": limits.archive >> 20,
    })
}

fn paths(rules: &[PathRule]) -> Value {
    rules.iter().map(PathRule::text).collect()
}

fn commands(specs: &BTreeMap<String, CommandSpec>) -> Value {
    Value::Object(specs.iter().map(|(name, spec)| (name.clone(), command(spec))).collect())
}

fn command(spec: &CommandSpec) -> Value {
    json!({
        "run": spec.argv,
        "cwd": directory(spec.cwd.as_ref()),
        "env": spec.env,
        "timeout": duration(spec.timeout),
        "network": network(&spec.network),
    })
}

fn setup(setup: &Setup) -> Value {
    let mut steps: Vec<Value> = setup.steps.iter().map(|step| command(&step.command)).collect();
    // The caches belong to the whole set-up; the first step carries them.
    if let Some(Value::Object(first)) = steps.first_mut() {
        first.insert("cache".to_owned(), json!(setup.cache));
    }
    Value::Array(steps)
}

fn project(project: &Project) -> Value {
    let mut value = json!({
        "path": directory(project.path.as_ref()),
        "commands": commands(&project.commands),
        "owners": project.owners,
    });
    if let Some(own) = &project.setup {
        value["setup"] = setup(own);
    }
    value
}

fn directory(path: Option<&RepoPath>) -> &str {
    path.map_or(".", RepoPath::as_str)
}

fn duration(duration: Duration) -> String {
    match duration.as_secs() {
        seconds if seconds % 3600 == 0 => format!("{}h", seconds / 3600),
        seconds if seconds % 60 == 0 => format!("{}m", seconds / 60),
        seconds => format!("{seconds}s"),
    }
}

fn network(network: &Network) -> Value {
    match network {
        Network::Deny => json!("deny"),
        Network::Loopback => json!("loopback"),
        Network::Allow(hosts) => json!({ "allow": hosts.iter().map(HostRule::text).collect::<Vec<_>>() }),
    }
}

fn models(policy: &Policy) -> Value {
    let mut models = Map::new();
    let model = |spec: &ModelSpec| without_nulls(json!(spec));
    models.extend(policy.models.light.as_ref().map(|spec| ("light".to_owned(), model(spec))));
    models.extend(policy.models.strong.as_ref().map(|spec| ("strong".to_owned(), model(spec))));
    let seen = policy.models.may_see.as_ref().map_or_else(|| json!(["**"]), |rules| paths(rules));
    models.insert("may_see".to_owned(), seen);
    Value::Object(models)
}

fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(entries) => Value::Object(entries.into_iter().filter(|(_, value)| !value.is_null()).collect()),
        value => value,
    }
}
