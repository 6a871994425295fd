//! `unbreak parse`.

use super::arguments::{Parse, ParseFormat};
use super::inputs;
use super::machine::{self, Machine};
use crate::artifact::{Limits, Matchers};
use crate::failure::{self, Listing};
use crate::fix::{self, Governing};
use crate::git::{Checkout, TreeSource};
use crate::journal::Journal;
use crate::source::Source;
use crate::{exit, output};

pub(super) async fn run(arguments: &Parse, machine: &Machine) -> anyhow::Result<u8> {
    let mut inputs = inputs::artifacts(&arguments.paths)?;
    if let Some(baseline) = &arguments.baseline {
        let green = String::from_utf8_lossy(&inputs::read(baseline)?).into_owned();
        for input in &mut inputs {
            input.baseline = Some(green.clone());
        }
    }
    let mut limits = Limits::default();
    let tree: Option<TreeSource> = match &arguments.repo {
        Some(repo) => {
            let journal = Journal::unkept(machine::wall_clock);
            let repo = machine.directory.join(repo);
            let checkout = Checkout::open(&machine.git(&repo)?, &repo, &journal).await?;
            limits = fix::read_policy(&checkout, &Governing::Head, &journal).await?.artifacts;
            Some(checkout.source("HEAD", &journal).await?)
        }
        None => None,
    };
    let tree = tree.as_ref().map(|tree| tree as &dyn Source);
    let own = tree.map(failure::matchers_of);
    let matchers = own.as_ref().map_or(Matchers::built_in(), |(matchers, _)| matchers);
    let mut reports: Vec<_> = inputs.iter().flat_map(|input| input.open(matchers, limits)).collect();
    if let (Some((_, problems)), Some(first)) = (own.as_ref(), reports.first_mut()) {
        first.problems.extend(problems.iter().cloned());
    }
    match arguments.format {
        ParseFormat::Json => output::json(&Listing::of(reports, tree))?,
        ParseFormat::Text => output::result(&output::failures(&Listing::of(reports, tree)))?,
        ParseFormat::Junit => {
            let failures = failure::collect(&reports, tree);
            output::document(&failure::to_junit(&reports, &failures)?)?;
        }
        ParseFormat::Sarif => output::json(&failure::to_sarif(&failure::collect(&reports, tree)))?,
    }
    Ok(exit::OK)
}
