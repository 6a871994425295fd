//! `unbreak fix`.

use super::arguments::{Fix, Format, Tiers};
use super::machine::{self, Machine};
use super::{inputs, models, policy};
use crate::exit;
use crate::fix::{self, Bundle, Desk, Done, Governing};
use crate::git::{Checkout, GitError};
use crate::journal::Journal;
use crate::output::{self, Progress};
use crate::proposal::Conclusion;
use crate::report;
use crate::secret::Redactor;

pub(super) async fn run(arguments: Fix, machine: &Machine) -> anyhow::Result<u8> {
    let mut request = inputs::request(&arguments.inputs)?;
    request.repo = machine.directory.join(&request.repo);
    request.zero = arguments.tier != Tiers::Model;
    request.show_prompt = arguments.show_prompt;
    let way = "--model openai:NAME, or --model openai:NAME@BASE_URL";
    request.way_to_a_model = Some(way.to_owned()).filter(|_| arguments.tier != Tiers::Zero);
    let git = machine.git(&request.repo)?;
    let out = inputs::output(arguments.out.as_deref(), machine, "runs")?;
    let checkout = Checkout::open(&git, &request.repo, &Journal::unkept(machine::wall_clock)).await?;
    refuse_inside(&checkout, &out).await?;
    if matches!(request.policy, Governing::Head) {
        policy::remark_uncommitted(&checkout, &Journal::unkept(machine::wall_clock)).await?;
    }
    let mut secrets = Vec::new();
    if arguments.tier != Tiers::Zero {
        let unkept = Journal::unkept(machine::wall_clock);
        let in_force = fix::read_policy(&checkout, &request.policy, &unkept).await?;
        (request.ladder, secrets) =
            models::ladder(&arguments.model, &in_force.models, arguments.record.as_deref(), machine)?;
    }
    if arguments.show_prompt && request.ladder.is_empty() {
        return Err(exit::Usage::error(
            "--show-prompt shows what a model would be asked, and none is named",
            "add --model openai:NAME",
        ));
    }
    let redactor = Redactor::new(secrets.iter().map(|(name, secret)| (name.as_str(), secret)));
    let bundle = Bundle::create(&out)
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
    let done = fix::fix(&request, &desk).await;
    progress.end();
    let mut done = done?;
    if arguments.apply {
        apply(&mut done, &checkout)?;
        done.proposal = bundle.tell(&done.proposal, &redactor)?;
    }
    print(&done, &bundle, &arguments)?;
    Ok(if done.prompt.is_some() { exit::OK } else { done.proposal.exit_code })
}

fn print(done: &Done, bundle: &Bundle, arguments: &Fix) -> anyhow::Result<()> {
    if let Some(prompt) = &done.prompt {
        match arguments.format {
            Format::Json => output::json(&serde_json::json!({"version": 1, "prompt": prompt}))?,
            Format::Text => output::result(prompt)?,
        }
        return Ok(());
    }
    match arguments.format {
        Format::Json => output::json(&done.proposal)?,
        Format::Text => output::result(&report::summary(&done.proposal))?,
    }
    output::remark(&format!("the bundle is in {}", bundle.directory().display()));
    Ok(())
}

/// Takes a verified fix into the checkout. One whose files changed meanwhile is stale, and the proposal says so.
fn apply(done: &mut Done, checkout: &Checkout) -> anyhow::Result<()> {
    if done.proposal.result != Conclusion::Fixed {
        output::remark("nothing was applied: only a verified fix is");
        return Ok(());
    }
    match checkout.apply(&done.changes) {
        Ok(()) => output::remark(&format!("applied to {}", checkout.root.display())),
        Err(GitError::Unusable { message, hints }) => {
            done.proposal.result = Conclusion::Stale;
            done.proposal.exit_code = Conclusion::Stale.exit_code();
            done.proposal.reason = message;
            done.proposal.hints.extend(hints);
        }
        Err(error) => return Err(error.into()),
    }
    Ok(())
}

/// Results do not go into the checkout, unless git ignores the place.
async fn refuse_inside(checkout: &Checkout, out: &std::path::Path) -> anyhow::Result<()> {
    let inside = out
        .ancestors()
        .find_map(|above| above.canonicalize().ok())
        .is_some_and(|real| real.starts_with(&checkout.root));
    if inside && !checkout.ignores(out, &Journal::unkept(machine::wall_clock)).await? {
        let message = format!("{} lies in the checkout, which is not written to", out.display());
        return Err(exit::Usage::error(message, "name a directory outside with --out, or one that git ignores"));
    }
    Ok(())
}
