//! `unbreak doctor`.

use super::arguments::{Doctor, Format};
use super::machine::Machine;
use crate::{doctor, exit, output};

pub(super) async fn run(arguments: &Doctor, machine: &Machine) -> anyhow::Result<u8> {
    let report = doctor::examine(machine.host()?).await;
    match arguments.format {
        Format::Json => output::json(&report)?,
        Format::Text => output::result(&report.text())?,
    }
    Ok(if report.stands { exit::OK } else { exit::WALLS })
}
