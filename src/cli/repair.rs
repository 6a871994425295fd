//! `unbreak repair`.

use std::path::Path;

use anyhow::Context as _;

use super::arguments::{Format, Repair};
use super::machine::{self, Machine};
use super::{inputs, models};
use crate::artifact::Raw;
use crate::exit;
use crate::fix::{self, Bundle, Desk, Done, Ladder};
use crate::handover::{self, Handover, Kind};
use crate::ids::RepoPath;
use crate::incident::{self, Incident};
use crate::journal::Journal;
use crate::output::{self, Progress};
use crate::policy::{Policy, Stage};
use crate::report;
use crate::secret::Redactor;

pub(super) async fn run(arguments: Repair, machine: &Machine) -> anyhow::Result<u8> {
    let directory = machine.directory.join(&arguments.bundle);
    let handover = Handover::open(&directory, Kind::Collected)?;
    let incident: Incident = handover.json(incident::FILE)?;
    let policy = policy(&handover, &incident, &arguments)?;
    let (ladder, secrets) = models::ladder(&arguments.model, &policy.models, None, machine)?;
    let redactor = Redactor::new(secrets.iter().map(|(name, secret)| (name.as_str(), secret)));
    let artifacts = inputs::artifacts(&arguments.artifact)?;
    let git = machine.git(&directory)?;
    let bundle = Bundle::create(&machine.directory.join(&arguments.out))
        .map_err(|error| exit::Usage::error(format!("{error:#}"), "name a new or an empty directory with --out"))?;
    let journal = Journal::create(&bundle.journal(), machine::wall_clock)?;
    let cache = machine.open_cache();
    let progress = Progress::new(output::is_terminal());
    let say = |what: &str| progress.step(what);
    let desk = Desk {
        git: &git,
        host: &machine.host()?,
        scratch: &machine.scratch()?,
        cache: cache.as_ref(),
        bundle: &bundle,
        journal: &journal,
        redactor: &redactor,
        progress: &say,
    };
    let done = repair(&handover, (incident, policy), (artifacts, ladder), &desk).await;
    progress.end();
    let proposal = done?.proposal;
    hand_on(&handover, bundle.directory())?;
    match arguments.format {
        Format::Json => output::json(&proposal)?,
        Format::Text => {
            output::result(&report::summary(&proposal))?;
            output::remark(&format!("the proposal is in {}", bundle.directory().display()));
        }
    }
    Ok(proposal.exit_code)
}

/// What was collected, repaired with what the failing job left besides and the models that may be asked.
async fn repair(
    handover: &Handover,
    (incident, policy): (Incident, Policy),
    (artifacts, ladder): (Vec<Raw>, Ladder),
    desk: &Desk<'_>,
) -> anyhow::Result<Done> {
    let place = (desk.git, desk.scratch, desk.journal);
    let mut collected = fix::unpack(handover, incident, policy, place).await?;
    let nothing = collected.request.artifacts.is_empty() && collected.request.steps.is_empty() && artifacts.is_empty();
    if nothing {
        let known = [collected.incident.left_out.as_slice(), &collected.request.remarks].concat().join(" ");
        return Err(exit::Usage::error(
            format!("nothing was collected that says what failed: {known}"),
            "name what the job left: --artifact PATH, or the input `artifacts`",
        ));
    }
    // What was named says more than what was found.
    collected.request.artifacts.splice(0..0, artifacts);
    collected.request.ladder = ladder;
    fix::fix(&collected.request, desk).await
}

/// The policy that was collected, and never more than it allows.
fn policy(handover: &Handover, incident: &Incident, arguments: &Repair) -> anyhow::Result<Policy> {
    let mut policy = fix::collected_policy(handover, incident)?;
    if let Some(stage) = arguments.stage {
        policy.lower_stage(stage.into());
    }
    if incident.is_from_fork() {
        // Whatever the caller knows of the run: a fork's code is not run where a key lies, and never published to.
        policy.lower_stage(Stage::ReadOnly);
    }
    if let Some(usd) = arguments.budget_usd {
        policy.lower_budget(usd);
    }
    Ok(policy)
}

/// Whoever publishes needs to know what failed, and that nothing was lost on the way.
fn hand_on(collected: &Handover, out: &Path) -> anyhow::Result<()> {
    let name = RepoPath::new(incident::FILE)?;
    let file = out.join(incident::FILE);
    std::fs::write(&file, collected.read(&name)?).with_context(|| format!("writing {}", file.display()))?;
    Ok(handover::seal(out, Kind::Proposal)?)
}
