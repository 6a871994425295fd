//! `unbreak context`.

use super::arguments::{Context, ContextFormat};
use super::inputs;
use super::machine::{self, Machine};
use crate::journal::Journal;
use crate::{exit, explain, output};

pub(super) async fn run(arguments: Context, machine: &Machine) -> anyhow::Result<u8> {
    let mut request = inputs::request(&arguments.inputs)?;
    request.repo = machine.directory.join(&request.repo);
    inputs::demand_artifact(&request, "context")?;
    let git = machine.git(&request.repo)?;
    let cache = machine.open_cache();
    let journal = Journal::unkept(machine::wall_clock);
    let budget = arguments.budget as usize;
    let context = explain::excerpts(&request, (&git, cache.as_ref(), &journal), budget).await?;
    match arguments.format {
        ContextFormat::Json => output::json(&context)?,
        ContextFormat::Md => output::result(&context.markdown())?,
    }
    Ok(exit::OK)
}
