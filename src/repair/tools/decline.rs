//! `decline`: nothing shall be changed, and why.

use serde::Deserialize;

use crate::repair::tools::{Needs, Run, Said, Tool, arguments};
use crate::text::cut_middle;

pub(super) const TOOL: Tool = Tool {
    name: "decline",
    description: "Give up, with the reason",
    arguments: &[("reason", "string")],
    needs: Needs::Nothing,
    run: Run::Now(|_, value| match arguments::<Arguments>(value) {
        Ok(Arguments { reason }) => Said::Decline(cut_middle(&reason, 2_000)),
        Err(error) => Said::Text(error),
    }),
};

#[derive(Deserialize)]
struct Arguments {
    reason: String,
}
