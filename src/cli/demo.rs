//! `unbreak demo`.

use super::arguments::Demo;
use super::inputs;
use super::machine::{self, Machine};
use crate::demo::{self, Act, Stage};
use crate::exit;
use crate::output::{self, Progress};
use crate::proposal::Conclusion;
use crate::report;

pub(super) async fn run(arguments: Demo, machine: &Machine) -> anyhow::Result<u8> {
    let out = inputs::output(arguments.out.as_deref(), machine, "demo")?;
    if std::fs::read_dir(&out).is_ok_and(|mut entries| entries.next().is_some()) {
        let message = format!("the output directory {} is not empty", out.display());
        return Err(exit::Usage::error(message, "name a new or an empty directory with --out"));
    }
    let progress = Progress::new(output::is_terminal());
    let say = |what: &str| progress.step(what);
    let stage = Stage {
        git: &machine.git(&out)?,
        host: &machine.host()?,
        scratch: &machine.scratch()?,
        out: &out,
        clock: machine::wall_clock,
        progress: &say,
    };
    let acts = demo::play(&stage, demo::BUNDLED, demo::ANSWERS).await;
    progress.end();
    let acts = acts?;
    output::result(&report::demo(&acts.iter().map(told).collect::<Vec<_>>()))?;
    output::remark(&format!("everything is in {}", out.display()));
    let unfixed = acts.iter().find(|act| act.proposal.result != Conclusion::Fixed);
    Ok(unfixed.map_or(exit::OK, |act| act.proposal.exit_code))
}

fn told(act: &Act) -> report::DemoAct<'_> {
    report::DemoAct {
        title: act.title,
        command: act.command,
        proposal: &act.proposal,
        bundle: act.bundle.display().to_string(),
    }
}
