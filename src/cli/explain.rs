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
    let git = machine.git(&request.repo)?;
    let cache = machine.open_cache();
    let journal = Journal::unkept(machine::wall_clock);
    let explanation = explain::explain(&request, arguments.about.as_deref(), (&git, cache.as_ref(), &journal)).await?;
    if let Some(about) = explanation.about.as_ref().filter(|about| !about.known) {
        return Err(exit::Usage::error(
            format!("`{}` is neither a file nor a function at HEAD", about.subject),
            "name a path as `git ls-files` shows it, or a function as `Type.method`",
        ));
    }
    match arguments.format {
        Format::Json => output::json(&explanation)?,
        Format::Text => {
            let suspects = explanation.suspects.iter().map(|it| {
                let symbol = it.symbol.as_deref().unwrap_or("whole file");
                (format!("{}:{} {symbol}", it.path, it.start_line), it.reasons.join("; "))
            });
            let suspects: Vec<_> = suspects.collect();
            output::result(&report::explanation(&explanation.failures, &suspects, explanation.confidence))?;
            for problem in &explanation.problems {
                output::remark(&format!("not read: {problem}"));
            }
            if let Some(about) = &explanation.about {
                output::result(&report::users(&about.subject, &about.users))?;
            }
        }
    }
    Ok(exit::OK)
}
