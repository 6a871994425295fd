//! The proposal as it was handed over: whole, of a version that is known, and of a size that can be looked at.

use std::collections::BTreeSet;

use super::end::{End, Step};
use super::published::Outcome;
use crate::handover::Handover;
use crate::ids::{RepoPath, Sha};
use crate::incident::{self, Incident};
use crate::proposal::{self, Conclusion, Proposal};

const PROPOSAL: &str = "proposal.json";
const PATCH: &str = "change.patch";
const JOURNAL: &str = "journal.jsonl";
const EVIDENCE: &str = "evidence/";

/// The most that a file may hold, by what its name begins with; files of other names are only checked to be whole.
const CAPS: &[(&str, u64)] = &[(PATCH, 1 << 20), (EVIDENCE, 64 << 20), (JOURNAL, 64 << 20), ("", 16 << 20)];
/// The most that all of them may hold.
const MOST_BYTES: u64 = 512 << 20;
const MOST_FILES: usize = 2_000;

/// A proposal that was read whole.
#[derive(Debug)]
pub(super) struct Sealed {
    pub(super) proposal: Proposal,
    pub(super) incident: Incident,
    pub(super) patch: String,
    pub(super) journal: String,
    /// The hashes of all outputs in the evidence.
    pub(super) outputs: BTreeSet<Sha>,
}

impl Sealed {
    /// Reads every file of the bundle, and with that checks each against the list.
    pub(super) fn open(bundle: &Handover) -> Step<Self> {
        check_sizes(bundle)?;
        let proposal: Proposal = bundle.json(PROPOSAL)?;
        if proposal.version != proposal::VERSION {
            return Err(unknown(PROPOSAL, proposal.version));
        }
        if proposal.result != Conclusion::Fixed {
            let reason = format!("the repair ended as `{}`, so there is nothing to publish", proposal.result.word());
            return Err(End::new(Outcome::Nothing, reason));
        }
        let incident: Incident = bundle.json(incident::FILE)?;
        if incident.version != incident::VERSION {
            return Err(unknown(incident::FILE, incident.version));
        }
        let (patch, journal) = (text(bundle, PATCH)?, text(bundle, JOURNAL)?);
        let mut outputs = BTreeSet::new();
        for name in bundle.names() {
            let bytes = bundle.read(name)?;
            if name.as_str().starts_with(EVIDENCE) {
                outputs.insert(Sha::of(&bytes));
            }
        }
        Ok(Self { proposal, incident, patch, journal, outputs })
    }
}

fn check_sizes(bundle: &Handover) -> Step<()> {
    let names: Vec<&RepoPath> = bundle.names().collect();
    if names.len() > MOST_FILES {
        return Err(End::refused(format!("the proposal holds {} files; at most {MOST_FILES} are read", names.len())));
    }
    let mut all = 0;
    for name in names {
        let cap = CAPS.iter().find(|(begin, _)| name.as_str().starts_with(begin)).map_or(0, |(_, cap)| *cap);
        // A file that is gone is told of by whoever reads it.
        let size = std::fs::symlink_metadata(bundle.directory().join(name.as_str())).map_or(0, |found| found.len());
        if size > cap {
            return Err(End::refused(format!("{name} holds {size} bytes; at most {cap} are read")));
        }
        all += size;
    }
    if all > MOST_BYTES {
        return Err(End::refused(format!("the proposal holds {all} bytes; at most {MOST_BYTES} are read")));
    }
    Ok(())
}

fn text(bundle: &Handover, name: &str) -> Step<String> {
    let path = RepoPath::new(name).map_err(|error| End::refused(error.to_string()))?;
    String::from_utf8(bundle.read(&path)?).map_err(|_| End::refused(format!("{name} is not UTF-8")))
}

fn unknown(name: &str, version: u32) -> End {
    End::refused(format!("{name} is of version {version}, and this program reads 1"))
        .hint("use the same release of unbreak for every stage")
}
