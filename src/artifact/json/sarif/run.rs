//! From a stream of JSON to diagnostics: what is kept while a run is read.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::lenient::{List, Named, Object, skip};
use super::resolve::{self, Names};
use super::wire::{Artifact, ArtifactLocation, Finding, Invocation, Resources, Tool};
use crate::artifact::{Diagnostic, DiagnosticTotals, Fix, Frame, Problem, Report};
use crate::text;

/// More diagnostics are counted and not kept.
pub(super) const KEPT: usize = 50_000;
/// More text than this is not kept either.
pub(super) const KEPT_TEXT: usize = 14 << 20;
/// Files of a run that are known by their number.
const ARTIFACTS: usize = 100_000;
/// What tools say about themselves is repeated up to this number.
const NOTIFICATIONS: usize = 5;

/// What was read so far.
#[derive(Default)]
pub(super) struct Collector {
    pub(super) report: Report,
    /// Whether the current log began.
    pub(super) started: bool,
    /// Whole logs.
    pub(super) logs: usize,
    run: Run,
    kept_text: usize,
    /// Results that are counted and not kept.
    more: DiagnosticTotals,
}

/// The run that is being read.
#[derive(Default)]
struct Run {
    names: Names,
    /// What refers to rules or files that were not read yet, and what follows it.
    waiting: Vec<(Finding, Vec<Frame>, Vec<Fix>)>,
}

impl Collector {
    /// What the results that wait needed may have come by now.
    pub(super) fn finish_run(&mut self) {
        let run = std::mem::take(&mut self.run);
        if self.report.producer.is_none() && !run.names.tool.is_empty() {
            self.report.producer = Some(text::first_line(&text::plain(&run.names.tool), 100));
        }
        for (finding, frames, fixes) in run.waiting {
            let diagnostic = resolve::diagnostic(&finding, &run.names);
            self.report.diagnostics.push(Diagnostic { frames, fixes, ..diagnostic });
        }
    }

    pub(super) fn into_report(mut self) -> Report {
        let more = self.more.total();
        if more > 0 {
            let kept = self.report.diagnostics.len();
            let message =
                format!("the log has {more} more results than the {kept} that are kept; they are only counted");
            self.report.problems.push(Problem { line: None, message });
        }
        self.report.more = self.more;
        self.report
    }

    fn add(&mut self, finding: Finding) {
        let kept = self.report.diagnostics.len() + self.run.waiting.len();
        if kept >= KEPT || self.kept_text >= KEPT_TEXT {
            self.more.add(resolve::severity(&finding, &self.run.names));
            return;
        }
        self.kept_text += resolve::weight(&finding);
        // The order of the results stays: behind one that waits all wait.
        if self.run.waiting.is_empty() && self.run.names.suffice(&finding) {
            let diagnostic = resolve::diagnostic(&finding, &self.run.names);
            self.report.diagnostics.push(diagnostic);
        } else {
            let (frames, fixes) =
                (resolve::frames(&finding, &self.run.names), resolve::fixes(&finding, &self.run.names));
            self.run.waiting.push((finding.without_steps(), frames, fixes));
        }
    }

    fn remark(&mut self, invocation: Invocation) {
        let (run, configured) =
            (invocation.tool_execution_notifications.0, invocation.tool_configuration_notifications.0);
        let said = run.into_iter().chain(configured).filter(|said| said.0.level.0 == "error");
        let left = NOTIFICATIONS.saturating_sub(self.report.problems.len());
        self.report.problems.extend(said.take(left).map(|said| {
            let said = text::first_line(&text::plain(&said.0.message.text), 300);
            Problem { line: None, message: format!("the tool says about itself: {said}") }
        }));
    }
}

/// A log, or a list of them.
pub(super) struct Log<'a>(pub(super) &'a mut Collector);

impl<'de> DeserializeSeed<'de> for Log<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Log<'_> {
    type Value = ();

    skip!(rest);
    skip!(scalars);

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.0.started = true;
        while items.next_element_seed(Log(self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        self.0.started = true;
        while let Some(key) = entries.next_key::<String>()? {
            if key == "runs" {
                entries.next_value_seed(Each(self.0, Item::Run))?;
            } else {
                entries.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// What the items of a list are.
#[derive(Clone, Copy)]
enum Item {
    Run,
    Result,
    Artifact,
}

/// A list; anything else is skipped.
struct Each<'a>(&'a mut Collector, Item);

impl<'de> DeserializeSeed<'de> for Each<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Each<'_> {
    type Value = ();

    skip!(rest);
    skip!(scalars);
    skip!(map);

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        match self.1 {
            Item::Run => {
                while items.next_element_seed(OneRun(self.0))?.is_some() {
                    self.0.finish_run();
                }
            }
            Item::Result => {
                while let Some(finding) = items.next_element::<Object<Finding>>()? {
                    self.0.add(finding.0);
                }
            }
            Item::Artifact => {
                while let Some(artifact) = items.next_element::<Object<Artifact>>()? {
                    let known = &mut self.0.run.names.artifacts;
                    if known.len() < ARTIFACTS {
                        known.push(artifact.0.location.0);
                    }
                }
            }
        }
        Ok(())
    }
}

struct OneRun<'a>(&'a mut Collector);

impl<'de> DeserializeSeed<'de> for OneRun<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for OneRun<'_> {
    type Value = ();

    skip!(rest);
    skip!(scalars);
    skip!(list);

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let collector = self.0;
        while let Some(key) = entries.next_key::<String>()? {
            match key.as_str() {
                "tool" => collector.run.names.add_tool(entries.next_value::<Object<Tool>>()?.0),
                "results" => entries.next_value_seed(Each(collector, Item::Result))?,
                "artifacts" | "files" => entries.next_value_seed(Each(collector, Item::Artifact))?,
                "resources" => collector.run.names.add_resources(entries.next_value::<Object<Resources>>()?.0),
                "rules" => collector.run.names.add_rules(entries.next_value()?),
                "originalUriBaseIds" => {
                    let bases = entries.next_value::<Named<Object<ArtifactLocation>>>()?.0;
                    collector.run.names.bases = bases.into_iter().map(|(name, base)| (name, base.0)).collect();
                }
                "invocations" => {
                    for invocation in entries.next_value::<List<Object<Invocation>>>()?.0 {
                        collector.remark(invocation.0);
                    }
                }
                "invocation" => collector.remark(entries.next_value::<Object<Invocation>>()?.0),
                _ => {
                    entries.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}
