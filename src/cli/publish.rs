//! `unbreak publish`.

use super::arguments::{Format, Publish};
use super::forge::{self, Connected};
use super::machine::{self, Machine};
use crate::exit;
use crate::handover::{Handover, Kind};
use crate::output::{self, Progress};
use crate::publish::{self, Desk, Order, Published};
use crate::report::{self, Delivery};

pub(super) async fn run(arguments: Publish, machine: &Machine) -> anyhow::Result<u8> {
    let directory = machine.directory.join(&arguments.bundle);
    let forge = Connected::open(&arguments.forge, machine, &directory)?;
    let bundle = Handover::open(&directory, Kind::Proposal)?;
    forge.demand_token("contents: write, pull-requests: write, actions: read")?;
    let journal = forge::journal(&directory, "publish")?;
    let progress = Progress::new(output::is_terminal());
    let order = Order {
        bundle: &bundle,
        server: &forge.server,
        // What the policy says is only ever made stricter here.
        draft: arguments.draft.then_some(true),
        labels: &arguments.label,
        stage: arguments.stage.map(Into::into),
        dry_run: arguments.dry_run,
        version: env!("CARGO_PKG_VERSION"),
    };
    let desk = Desk {
        github: &forge.github,
        git: &forge.git,
        remote: &forge.remote,
        journal: &journal,
        redactor: &forge.redactor,
        scratch: &forge.scratch,
        now: i64::try_from(machine::wall_clock() / 1_000).unwrap_or(i64::MAX),
        progress: &|what| progress.step(what),
    };
    let published = publish::publish(&order, &desk).await;
    progress.end();
    let published = published?;
    forge::close(&journal);
    match arguments.format {
        Format::Json => output::json(&published)?,
        Format::Text => output::result(&told(&published))?,
    }
    Ok(exit::of_delivery(published.outcome))
}

fn told(published: &Published) -> String {
    let delivery = Delivery {
        what: published.reason.clone(),
        url: published.pull_request.as_ref().map(|pull| pull.url.clone()),
        branch: published.branch.as_ref().map(ToString::to_string),
    };
    report::delivered(published.outcome.word(), &delivery, &published.notes, &published.hints)
}
