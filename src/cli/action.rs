//! `unbreak action`.

use anyhow::Context as _;

use super::arguments::Action;
use super::machine::Machine;
use crate::action::{self, Setting};

pub(super) async fn run(arguments: &Action, machine: &Machine) -> anyhow::Result<u8> {
    let program = std::env::current_exe().context("the path of this program cannot be read")?;
    let state = machine.state()?.join("action");
    let setting = Setting { env: &machine.env, program: &program, state: &state, with: &arguments.with };
    action::run(&setting).await
}
