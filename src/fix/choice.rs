//! The commands of a run: which one has to show the failure and turn green, and what else speaks for or against a
//! change.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::draft::{Draft, End};
use super::{Request, Step, Stop};
use crate::artifact::FaultKind;
use crate::failure::Failure;
use crate::plan::{self, Check, Role};
use crate::policy::{CommandSpec, Decision, Policy, Setup};
use crate::project::{self, Kind, Project};
use crate::proposal::Conclusion;

/// How long a command may run that the policy does not name.
pub(super) const TIMEOUT: Duration = Duration::from_mins(10);

/// The command that proves, with what goes with it.
pub(super) struct Choice {
    /// What has to show the failure, and to turn green.
    pub(super) proof: Check,
    /// What may show it where that one does not.
    pub(super) otherwise: Vec<Check>,
    /// What else can speak for or against a change.
    pub(super) checks: Vec<Check>,
    /// How dependencies come in.
    pub(super) setups: Vec<Setup>,
    /// The kinds of project that the set-up belongs to.
    pub(super) kinds: Vec<Kind>,
}

/// Chooses the failing command: the one that a person named, else what the policy names for it, else what the failed
/// step of the workflow ran, else the detected one. A log or a report never supplies a command; it only selects.
pub(super) fn choose(
    (request, policy): (&Request, &Policy),
    projects: &[Project],
    failures: &[Failure],
    draft: &mut Draft,
) -> Result<Choice, Stop> {
    let by_failure = project::command_for(projects, failures);
    let steps = steps(&request.steps, policy, failures, draft);
    let first = request.run.as_ref().or_else(|| steps.first().map(|step| &step.command.argv));
    let owner = by_failure.map(|(project, _)| project);
    let project = owner.or_else(|| project_of_command(projects, first?));
    let mut proofs = match &request.run {
        Some(words) => vec![named(words, policy, project)],
        None => selected(policy, by_failure, failures, steps),
    };
    if proofs.is_empty() {
        return Err(unknown(request, by_failure, failures));
    }
    let proof = proofs.remove(0);
    let scope: Vec<&Project> = match project {
        Some(project) => vec![project],
        None => projects.iter().filter(|project| project.root.is_none()).collect(),
    };
    let program = proof.command.argv.first().map_or("", String::as_str);
    let setups = match &policy.setup {
        Some(setup) => vec![setup.clone()],
        None => scope.iter().map(|project| project.setup_for(program)).collect(),
    };
    let kinds = scope.iter().map(|project| project.kind).collect();
    Ok(Choice { checks: checks(policy, project), proof, otherwise: proofs, setups, kinds })
}

/// The commands of failed steps by name, for the policy to take in as it does detected ones.
pub(super) fn named_steps(steps: &[Step]) -> BTreeMap<String, CommandSpec> {
    steps.iter().map(|step| (step.name.clone(), step.command.clone())).collect()
}

/// Package managers, and what they are told when they bring something in. A line that does so cannot run without a
/// network, and its failing there is no failure of the code.
const MANAGERS: [&str; 15] = [
    "pip", "pip3", "pipx", "uv", "poetry", "npm", "yarn", "pnpm", "cargo", "rustup", "apt", "apt-get", "brew", "gem",
    "bundle",
];
const BRINGS_IN: [&str; 8] = ["install", "ci", "sync", "fetch", "add", "update", "upgrade", "toolchain"];

fn sets_up(argv: &[String]) -> bool {
    let managed = argv.iter().position(|word| MANAGERS.contains(&word.rsplit('/').next().unwrap_or(word)));
    managed
        .and_then(|at| argv[at + 1..].iter().find(|word| !word.starts_with('-')))
        .is_some_and(|word| BRINGS_IN.contains(&word.as_str()))
}

/// What the failed steps ran, as far as it may run and is no set-up: the one that names the failure's tool first, else
/// the last.
fn steps(steps: &[Step], policy: &Policy, failures: &[Failure], draft: &mut Draft) -> Vec<Check> {
    let mut allowed = Vec::new();
    for step in steps.iter().rev().filter(|step| !sets_up(&step.command.argv)) {
        let ruling = policy.decide_run(&step.command.argv, None);
        if ruling.decision == Decision::Allow {
            allowed.push(Check { name: step.name.clone(), command: step.command.clone(), role: Role::Suite });
        } else {
            let rules: Vec<&str> = ruling.rules.iter().map(|rule| rule.text.as_str()).collect();
            draft.hints.push(format!("the failed step `{}` was not run: {}", step.name, rules.join("; ")));
        }
    }
    let tools: BTreeSet<&str> = failures.iter().filter_map(|failure| failure.tool.as_deref()).collect();
    let names_tool = |check: &Check| check.command.argv.iter().any(|word| tools.contains(word.as_str()));
    allowed.sort_by_key(|check| !names_tool(check));
    allowed
}

/// The project whose tools a command names.
fn project_of_command<'a>(projects: &'a [Project], words: &[String]) -> Option<&'a Project> {
    let program = words.first()?.rsplit('/').next()?;
    projects.iter().find(|project| project.kind.runs(program)).or_else(|| projects.first())
}

fn named(words: &[String], policy: &Policy, project: Option<&Project>) -> Check {
    let same = policy.commands.values().find(|command| command.argv == *words);
    let command = same.cloned().unwrap_or_else(|| CommandSpec {
        argv: words.to_vec(),
        cwd: None,
        env: project.and_then(|it| it.commands.get("unit-test")).map(|it| it.env.clone()).unwrap_or_default(),
        timeout: TIMEOUT,
        network: policy.network.clone(),
    });
    Check { name: "run".to_owned(), command, role: Role::Suite }
}

/// Every known command that could show the failure, best first.
fn selected(
    policy: &Policy,
    found: Option<(&Project, &'static str)>,
    failures: &[Failure],
    steps: Vec<Check>,
) -> Vec<Check> {
    let wanted = found.map_or_else(|| names_for(failures), |(_, name)| vec![name]);
    let owner = found.map(|(project, _)| project);
    let by_name = wanted.iter().find_map(|name| {
        let command = policy_command(policy, owner, name)?;
        Some(Check { name: (*name).to_owned(), command, role: role(name) })
    });
    let mut proofs = steps;
    if let Some(by_name) = by_name {
        // Who writes commands into the policy means these; what is only detected knows less than the workflow.
        let at = if policy.writes_own_commands() { 0 } else { proofs.len() };
        proofs.insert(at, by_name);
    }
    // Where nothing may run, the first says by which rule.
    let may_run = |proof: &Check| plan::allow(proof, false, policy).is_ok();
    if proofs.iter().any(may_run) {
        proofs.retain(may_run);
    }
    proofs
}

/// The end when no command is known.
fn unknown(request: &Request, found: Option<(&Project, &'static str)>, failures: &[Failure]) -> Stop {
    let name = found.map_or_else(|| names_for(failures)[0], |(_, name)| name);
    let step = request.steps.first().map(|step| format!(" (the failed step is `{}`)", step.name)).unwrap_or_default();
    Stop::Ended(End {
        conclusion: Conclusion::Environment,
        reason: format!(
            "no command is known that would show this failure{step}: name one with --run, or as `{name}` under \
             `commands` in the policy"
        ),
    })
}

/// A command by name: the policy's own, else the detected one of the project that owns the failure.
fn policy_command(policy: &Policy, project: Option<&Project>, name: &str) -> Option<CommandSpec> {
    let detected = project.and_then(|project| project.commands.get(name));
    let of_policy = policy.commands.get(name);
    match (of_policy, detected) {
        // A detected command of a member is adopted under the root's name only when the root has none of its own.
        (Some(own), Some(detected)) if project.is_some_and(|it| it.root.is_some()) && !policy.writes_own_commands() => {
            let mut command = detected.clone();
            command.network = own.network.clone();
            Some(command)
        }
        (own, _) => own.cloned(),
    }
}

fn names_for(failures: &[Failure]) -> Vec<&'static str> {
    match failures.first().map(|failure| failure.kind) {
        Some(FaultKind::Lint) => vec!["lint", "static-check"],
        Some(FaultKind::Format) => vec!["format", "lint"],
        Some(FaultKind::Compile | FaultKind::Type) => vec!["static-check", "build", "unit-test"],
        _ => vec!["unit-test"],
    }
}

/// The named commands that can speak for or against a change, each with the part that it plays.
fn checks(policy: &Policy, project: Option<&Project>) -> Vec<Check> {
    let named = ["build", "static-check", "lint", "format", "unit-test"];
    named
        .iter()
        .filter_map(|name| {
            let command = policy_command(policy, project, name)?;
            Some(Check { name: (*name).to_owned(), command, role: role(name) })
        })
        .collect()
}

fn role(name: &str) -> Role {
    match name {
        "build" => Role::Build,
        "static-check" | "lint" | "format" => Role::Static,
        _ => Role::Suite,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::artifact;
    use crate::ids::RepoPath;
    use crate::policy::Origin;
    use crate::source::Memory;

    fn step(name: &str, words: &str) -> Step {
        let argv = words.split(' ').map(str::to_owned).collect();
        let network = crate::policy::Network::Deny;
        Step {
            name: name.to_owned(),
            command: CommandSpec { argv, cwd: None, env: BTreeMap::new(), timeout: TIMEOUT, network },
        }
    }

    /// The commands that are tried, in order, for a failing pytest test and these steps; and the hints.
    fn tried(policy: &str, steps: &[Step]) -> (Result<Vec<String>, String>, Vec<String>) {
        let file = |path: &str, text: &str| (RepoPath::new(path).unwrap(), text.to_owned());
        let tree = Memory::new([
            file("pyproject.toml", "[project]\nname='a'\n"),
            file("tests/test_a.py", "def test_a(): ...\n"),
        ]);
        let log = "FAILED tests/test_a.py::test_a - assert 1 == 2\n=== 1 failed in 0.1s ===\n";
        let failures = crate::failure::collect(&[artifact::read("log", log.as_bytes())], Some(&tree));
        assert_eq!(failures[0].kind, FaultKind::Test);
        let mut policy = Policy::read(policy.as_bytes(), Origin::default()).unwrap();
        let projects = project::detect(&tree);
        policy.adopt(project::named_commands(&projects));
        policy.adopt(named_steps(steps));
        let request = Request { steps: steps.to_vec(), ..Request::default() };
        let mut draft = Draft::default();
        let tried = match choose((&request, &policy), &projects, &failures, &mut draft) {
            Ok(choice) => {
                Ok(std::iter::once(choice.proof).chain(choice.otherwise).map(|it| it.command.argv.join(" ")).collect())
            }
            Err(Stop::Ended(end)) => Err(end.reason),
            Err(_) => unreachable!("nothing else stops it"),
        };
        (tried, draft.hints)
    }

    #[test]
    fn the_failed_step_comes_before_what_is_detected() {
        let steps = [step("test / Install (1)", "python -m pip install ."), step("test / Run (2)", "pytest -q tests")];
        let (tried, hints) = tried("version: 1\n", &steps);
        let tried = tried.unwrap();
        assert_eq!(tried[0], "pytest -q tests", "{tried:?}");
        assert!(tried.len() == 2 && tried[1].contains("pytest"), "the detected one is the last resort: {tried:?}");
        assert!(hints.is_empty(), "{hints:?}");
    }

    #[test]
    fn who_writes_commands_into_the_policy_means_these() {
        let policy = "version: 1\ncommands: {unit-test: {run: python -m pytest -x}}\n";
        let (tried, hints) = tried(policy, &[step("test / Run", "pytest -q")]);
        assert_eq!(tried.unwrap(), ["python -m pytest -x"]);
        insta::assert_snapshot!(hints.join("\n"), @"the failed step `test / Run` was not run: a command that has no name does not run");
    }

    #[test]
    fn a_dangerous_step_is_never_run_and_a_refusal_is_told() {
        let (tried, hints) = tried("version: 1\n", &[step("release / Publish", "npm publish")]);
        assert!(tried.unwrap().iter().all(|command| !command.contains("publish")));
        assert!(hints[0].starts_with("the failed step `release / Publish` was not run: "), "{hints:?}");
    }
}
