//! `unbreak explain`.

use super::arguments::{Explain, Format};
use super::inputs;
use super::machine::{self, Machine};
use crate::journal::Journal;
use crate::{exit, explain, output, report};

pub(super) async fn run(arguments: Explain, machine: &Machine) -> anyhow::Result<u8> {
    let mut request = inputs::request(&arguments.inputs)?;
    request.repo = machine.directory.join(&request.repo);
    inputs::demand_artifact(&request, "explain")?;
    let cache = machine.open_cache();
    let journal = Journal::unkept(machine::wall_clock);
    let explanation = explain::explain(&request, &machine.git()?, cache.as_ref(), &journal).await?;
    match arguments.format {
        Format::Json => output::json(&explanation)?,
        Format::Text => {
            let suspects = explanation.suspects.iter().map(|it| {
                let symbol = it.symbol.as_deref().unwrap_or("whole file");
                (format!("{}:{} {symbol}", it.path, it.start_line), it.reasons.join("; "))
            });
            let suspects: Vec<_> = suspects.collect();
            output::result(&report::explanation(&explanation.failures, &suspects, explanation.confidence))?;
        }
    }
    Ok(exit::OK)
}
