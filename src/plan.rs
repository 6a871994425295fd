//! What will be tried, what proves it and within which limits: a value, made before anything is changed.

use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::policy::{Budget, CommandSpec, Decision, PatchLimits, Policy, Ruling};
use crate::usage::Tier;

/// The plan of one repair.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The failures to repair, root cause first; all have one cause or one command.
    pub failures: Vec<Failure>,
    /// The command that reproduced them: the proof that must turn green.
    pub proof: Check,
    /// Further checks, cheapest first: build, static checks, the whole suite.
    pub checks: Vec<Check>,
    /// What will be tried, cheapest first.
    pub steps: Vec<PlanStep>,
    /// Caps on the patch.
    pub limits: PatchLimits,
    /// Caps on the run.
    pub budget: Budget,
}

/// A named command with the part that it plays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// Its name in the policy, or `run` for the one given on the command line.
    pub name: String,
    /// What it runs.
    pub command: CommandSpec,
    /// What it proves.
    pub role: Role,
}

/// What a check proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// It parses and builds.
    Build,
    /// Linters, type checkers and formatters are content.
    Static,
    /// The whole suite.
    Suite,
}

/// One means of repair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanStep {
    /// How dear.
    pub tier: Tier,
    /// A fixer's name, or the model's.
    pub means: String,
    /// The checks that prove it.
    pub proved_by: Vec<String>,
    /// What the policy says of it.
    pub ruling: Ruling,
}

/// What a plan is made from.
#[derive(Debug)]
pub struct Brief<'a> {
    /// What failed, root cause first.
    pub failures: &'a [Failure],
    /// The command that showed it.
    pub proof: Check,
    /// Whether a person named that command: then no rule has to allow it, though one can forbid it.
    pub named_by_person: bool,
    /// The other commands that could speak for or against a change.
    pub checks: Vec<Check>,
    /// The means at hand: a tier and a name each.
    pub means: Vec<(Tier, String)>,
    /// What is allowed.
    pub policy: &'a Policy,
}

/// The policy forbids what the plan needs, or a person has to agree to it.
#[derive(Debug, Clone, thiserror::Error)]
#[error("`{subject}` is not allowed")]
pub struct Refusal {
    /// The command, in its words.
    pub subject: String,
    /// The ruling with the rules that matched.
    pub ruling: Ruling,
}

/// Whether the command that shows the failure may run: to be asked before it runs for the first time.
///
/// # Errors
/// [`Refusal`].
pub fn allow(proof: &Check, named_by_person: bool, policy: &Policy) -> Result<Ruling, Refusal> {
    let ruling = if named_by_person {
        policy.decide_run_by_person(&proof.command.argv)
    } else {
        policy.decide_run(std::slice::from_ref(&proof.name), None)
    };
    if ruling.decision == Decision::Allow {
        return Ok(ruling);
    }
    Err(Refusal { subject: proof.command.argv.join(" "), ruling })
}

/// Makes the plan, or says which rule forbids it.
///
/// The proof has to be allowed. Any other check that is not allowed is left out: the caller finds it missing from
/// [`Plan::checks`] and reports it as not run. A proof is not run twice under another name.
///
/// # Errors
/// [`Refusal`] for the proof.
pub fn make(brief: Brief<'_>) -> Result<Plan, Refusal> {
    let ruling = allow(&brief.proof, brief.named_by_person, brief.policy)?;
    let mut checks: Vec<Check> = brief
        .checks
        .into_iter()
        .filter(|check| check.command != brief.proof.command)
        .filter(|check| brief.policy.decide_run(std::slice::from_ref(&check.name), None).decision == Decision::Allow)
        .collect();
    checks.sort_by(|a, b| (a.role, &a.name).cmp(&(b.role, &b.name)));
    let proved_by: Vec<String> =
        checks.iter().map(|check| check.name.clone()).chain([brief.proof.name.clone()]).collect();
    let mut means = brief.means;
    // Fixers keep the order of their table within a tier.
    means.sort_by_key(|(tier, _)| *tier);
    let steps = means
        .into_iter()
        .map(|(tier, means)| PlanStep { tier, means, proved_by: proved_by.clone(), ruling: ruling.clone() })
        .collect();
    Ok(Plan {
        failures: brief.failures.to_vec(),
        proof: brief.proof,
        checks,
        steps,
        limits: brief.policy.limits,
        budget: brief.policy.budget.clone(),
    })
}
