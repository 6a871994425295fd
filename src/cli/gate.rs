//! `unbreak gate`.

use std::path::Path;

use super::arguments::{Gate, GateFormat};
use super::machine::{self, Machine};
use crate::change::FileChange;
use crate::fix::{self, Governing};
use crate::gate::{self, GateReport, Verdict};
use crate::git::{self, Checkout};
use crate::journal::Journal;
use crate::policy::PatchLimits;
use crate::{exit, output};

pub(super) async fn run(arguments: &Gate, machine: &Machine) -> anyhow::Result<u8> {
    let (changes, limits) = changes(arguments, machine).await?;
    let report = GateReport::new(gate::judge(&changes, limits, None));
    match arguments.format {
        GateFormat::Json => output::json(&report)?,
        GateFormat::Sarif => output::json(&report.sarif(env!("CARGO_PKG_VERSION")))?,
        GateFormat::Text => output::result(&report.text())?,
    }
    Ok(if report.verdict == Verdict::Block { exit::BLOCKED } else { exit::OK })
}

/// Between two plain folders, else between two revisions.
async fn changes(arguments: &Gate, machine: &Machine) -> anyhow::Result<(Vec<FileChange>, PatchLimits)> {
    let folder = |name: &str| Some(machine.directory.join(name)).filter(|path| path.is_dir());
    if let (Some(base), Some(head)) = (folder(&arguments.base), folder(&arguments.head)) {
        return Ok((between_folders(&base, &head)?, PatchLimits::default()));
    }
    let journal = Journal::unkept(machine::wall_clock);
    let repo = machine.directory.join(&arguments.repo);
    let checkout = Checkout::open(&machine.git(&repo)?, &repo, &journal).await?;
    let policy = fix::read_policy(&checkout, &Governing::Head, &journal).await?;
    let changes = checkout.changes(&arguments.base, &arguments.head, &journal).await?;
    Ok((changes, policy.limits))
}

fn between_folders(base: &Path, head: &Path) -> anyhow::Result<Vec<FileChange>> {
    Ok(git::between_folders(base, head)?)
}
