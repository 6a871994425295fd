//! `submit`: the edits of the round shall be proved.

use serde::Deserialize;

use crate::repair::tools::{Needs, Run, Said, Tool, arguments};
use crate::text::cut_middle;

pub(super) const TOOL: Tool = Tool {
    name: "submit",
    description: "Prove the staged edits: what you changed, and the cause",
    arguments: &[("summary", "string"), ("cause", "string")],
    needs: Needs::Nothing,
    run: Run::Now(|_, value| match arguments::<Arguments>(value) {
        Ok(Arguments { summary, cause }) => {
            Said::Submit { summary: cut_middle(&summary, 2_000), cause: cut_middle(&cause, 2_000) }
        }
        Err(error) => Said::Text(error),
    }),
};

#[derive(Deserialize)]
struct Arguments {
    #[serde(default)]
    summary: String,
    #[serde(default)]
    cause: String,
}
