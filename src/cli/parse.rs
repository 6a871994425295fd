//! `unbreak parse`.

use super::arguments::{Parse, ParseFormat};
use super::inputs;
use super::machine::{self, Machine};
use crate::failure::{self, Listing};
use crate::git::{Checkout, TreeSource};
use crate::journal::Journal;
use crate::source::Source;
use crate::{artifact, exit, output};

pub(super) async fn run(arguments: &Parse, machine: &Machine) -> anyhow::Result<u8> {
    let inputs = inputs::artifacts(&arguments.paths)?;
    let reports: Vec<_> = inputs.iter().flat_map(|input| artifact::open(&input.name, &input.bytes)).collect();
    let tree: Option<TreeSource> = match &arguments.repo {
        Some(repo) => {
            let journal = Journal::unkept(machine::wall_clock);
            let repo = machine.directory.join(repo);
            let checkout = Checkout::open(&machine.git(&repo)?, &repo, &journal).await?;
            Some(checkout.source("HEAD", &journal).await?)
        }
        None => None,
    };
    let tree = tree.as_ref().map(|tree| tree as &dyn Source);
    let listing = Listing::of(&reports, tree);
    match arguments.format {
        ParseFormat::Json => output::json(&listing)?,
        ParseFormat::Text => output::result(&output::failures(&listing))?,
        ParseFormat::Junit => output::document(&failure::to_junit(&reports, &listing.failures)?)?,
        ParseFormat::Sarif => output::json(&failure::to_sarif(&listing.failures))?,
    }
    Ok(exit::OK)
}
