//! `unbreak collect`.

use super::arguments::{Collect, Format};
use super::forge::{self, Connected};
use super::machine::Machine;
use crate::action::Collected;
use crate::collect::{self, Caps, Desk, Request};
use crate::output::{self, Progress};
use crate::{exit, report};

pub(super) async fn run(arguments: Collect, machine: &Machine) -> anyhow::Result<u8> {
    let directory = machine.directory.join(&arguments.out);
    let forge = Connected::open(&arguments.forge, machine, &directory)?;
    let journal = forge::journal(&directory, "collect")?;
    let progress = Progress::new(output::is_terminal());
    let request = Request {
        run: arguments.run_id,
        attempt: arguments.attempt,
        directory: directory.clone(),
        caps: Caps::default(),
    };
    let desk = Desk {
        github: &forge.github,
        git: &forge.git,
        remote: &forge.remote,
        scratch: &forge.scratch,
        journal: &journal,
        progress: &|what| progress.step(what),
    };
    let incident = collect::collect(&request, &desk).await;
    progress.end();
    let collected = Collected::of(&incident?);
    forge::close(&journal);
    match arguments.format {
        Format::Json => output::json(&collected)?,
        Format::Text => {
            let run = format!("run {}, attempt {}", collected.run_id, collected.attempt);
            output::result(&report::collected(&run, &collected.failed_jobs, &collected.left_out))?;
            output::remark(&format!("what was found is in {}", directory.display()));
        }
    }
    Ok(exit::OK)
}
