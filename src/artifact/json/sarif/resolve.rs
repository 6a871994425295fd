//! A result with what its run says elsewhere: its rule's words and level, its file's name, its base.

use std::collections::HashMap;

use super::lenient::Named;
use super::message::{filled, without_links};
use super::wire::{
    ArtifactLocation, Finding, FlowLocation, Location as WireLocation, Message, PhysicalLocation, Resources, Rule,
    RuleReference, Rules, Tool,
};
use crate::artifact::json::linter::{decoded, excerpt, local};
use crate::artifact::{Diagnostic, FaultKind, Fix, Frame, Location, Severity};
use crate::text;

/// A code flow can have thousands of steps.
const FRAMES_LIMIT: usize = 50;
/// More edits are no fix of one result.
const EDITS_LIMIT: usize = 200;
/// Bases that stand on bases.
const BASES: usize = 8;
/// What is kept of the words of one result.
const DETAILS_LIMIT: usize = 4 << 10;

/// What the results of a run refer to.
#[derive(Default)]
pub(super) struct Names {
    pub(super) tool: String,
    /// The driver's rules, then those of each extension.
    components: Vec<Vec<Rule>>,
    /// By id: which component's, and which of its rules.
    by_id: HashMap<String, (usize, usize)>,
    shared: Vec<(String, Message)>,
    pub(super) artifacts: Vec<ArtifactLocation>,
    pub(super) bases: HashMap<String, ArtifactLocation>,
}

impl Names {
    pub(super) fn add_tool(&mut self, tool: Tool) {
        let driver = tool.driver.0;
        self.tool = if driver.name.0.is_empty() { tool.name.0 } else { driver.name.0 };
        self.shared.extend(driver.global_message_strings.0);
        self.add_rules(driver.rules);
        for extension in tool.extensions.0 {
            self.add_rules(extension.0.rules);
        }
    }

    pub(super) fn add_resources(&mut self, resources: Resources) {
        let Named(shared) = resources.message_strings;
        self.shared.extend(shared);
        // The drafts have no other rules: these take the place of the driver's, which are none.
        self.components.retain(|rules| !rules.is_empty());
        self.add_rules(resources.rules);
    }

    /// The rules of one more component.
    pub(super) fn add_rules(&mut self, rules: Rules) {
        let component = self.components.len();
        for (at, (key, rule)) in rules.0.iter().enumerate() {
            for name in [key, &rule.id.0] {
                self.by_id.entry(name.clone()).or_insert((component, at));
            }
        }
        self.components.push(rules.0.into_iter().map(|(_, rule)| rule).collect());
    }

    /// Whether what the result refers to was read: keys of a run may stand in any order.
    pub(super) fn suffice(&self, finding: &Finding) -> bool {
        let locations = finding.locations.0.iter().chain(&finding.related_locations.0);
        let unnamed = |at: &ArtifactLocation| at.uri.0.is_empty() && at.index.0.is_some();
        let numbered = locations.into_iter().any(|at| unnamed(&at.0.physical_location.0.artifact_location.0));
        self.components.iter().any(|rules| !rules.is_empty()) && (!numbered || !self.artifacts.is_empty())
    }

    fn rule(&self, finding: &Finding) -> Option<&Rule> {
        let RuleReference { id, index, tool_component } = &finding.rule.0;
        let component = tool_component.0.index.0.map_or(0, |index| index as usize + 1);
        let index = index.0.or(finding.rule_index.0);
        let by_index = index.and_then(|index| self.components.get(component)?.get(index as usize));
        by_index.or_else(|| {
            let key = [&finding.rule_key.0, &finding.rule_id.0, &id.0];
            key.into_iter().filter(|key| !key.is_empty()).find_map(|key| self.by_name(key))
        })
    }

    /// `CA1000/minor` is a kind of `CA1000`.
    fn by_name(&self, id: &str) -> Option<&Rule> {
        let (component, at) = self.by_id.get(id).or_else(|| self.by_id.get(id.rsplit_once('/')?.0))?;
        self.components.get(*component)?.get(*at)
    }
}

/// About how much memory the result's words take.
pub(super) fn weight(finding: &Finding) -> usize {
    let message = finding.message.text.len() + finding.message.markdown.len();
    let places = finding.locations.0.len() + finding.related_locations.0.len();
    let steps: usize =
        finding.code_flows.0.iter().flat_map(|flow| &flow.0.thread_flows.0).map(|flow| flow.0.locations.0.len()).sum();
    400 + message.saturating_mul(2) + places.saturating_mul(200) + steps.saturating_mul(200)
}

/// How bad a result is: by its own level, else by its rule's; what is no failure is a note.
pub(super) fn severity(finding: &Finding, names: &Names) -> Severity {
    let settled = !finding.suppressions.0.is_empty()
        && !finding.suppressions.0.iter().any(|by| matches!(by.0.status.0.as_str(), "rejected" | "underReview"));
    let kind = finding.kind.0.to_ascii_lowercase();
    let no_failure = !matches!(kind.as_str(), "" | "fail" | "open" | "review");
    if settled || no_failure || !finding.suppression_states.0.is_empty() || finding.baseline_state.0 == "absent" {
        return Severity::Note;
    }
    let rule = names.rule(finding);
    let level = [
        Some(&finding.level),
        rule.map(|rule| &rule.default_configuration.0.level),
        rule.map(|rule| &rule.default_level),
    ];
    let level = level.into_iter().flatten().map(|level| level.0.to_ascii_lowercase()).find(|level| !level.is_empty());
    match level.as_deref() {
        Some("error") => Severity::Error,
        Some("note" | "none" | "pass" | "notapplicable" | "open" | "informational") => Severity::Note,
        _ => Severity::Warning,
    }
}

/// The result as everything else here is read.
pub(super) fn diagnostic(finding: &Finding, names: &Names) -> Diagnostic {
    let severity = severity(finding, names);
    let rule = names.rule(finding);
    let said = text::plain(&words(finding, rule, names));
    let id = [&finding.rule_id.0, &finding.rule.0.id.0].into_iter().find(|id| !id.is_empty()).cloned();
    let id = id.or_else(|| rule.map(|rule| rule.id.0.clone())).filter(|id| !id.is_empty());
    let id = id.map(|id| text::first_line(&text::plain(&id), 200));
    let first = text::first_line(&said, 400);
    let message =
        if first.is_empty() { id.clone().unwrap_or_else(|| "a result without a message".to_owned()) } else { first };
    let location = finding.locations.0.iter().find_map(|at| place(&at.0, names)).or_else(|| {
        let path = path(&finding.analysis_target.0, names)?;
        Some(Location { path, line: None, column: None })
    });
    Diagnostic {
        kind: kind(&names.tool, id.as_deref()),
        tool: text::first_line(&text::plain(&names.tool), 100),
        severity,
        excerpt: excerpt(location.as_ref(), id.as_deref(), &message),
        details: text::cut_middle(said.trim(), DETAILS_LIMIT),
        frames: frames(finding, names),
        fixes: fixes(finding, names),
        rule: id,
        message,
        location,
        ..Diagnostic::default()
    }
}

/// The message: its own text, its rule's, or what the rule is about.
fn words(finding: &Finding, rule: Option<&Rule>, names: &Names) -> String {
    let Message { text, markdown, id, arguments } = &finding.message;
    if !text.is_empty() {
        return without_links(&filled(text, arguments));
    }
    let formatted = &finding.formatted_message;
    let name = [id, &formatted.id, &finding.rule_message_id.0].into_iter().find(|name| !name.is_empty());
    let arguments = if arguments.is_empty() { &formatted.arguments } else { arguments };
    if let Some(name) = name {
        let own = rule.into_iter().flat_map(|rule| &rule.message_strings.0);
        let known = own.chain(&names.shared).find(|(known, _)| known == name);
        let template =
            known.map(|(_, message)| if message.text.is_empty() { &message.markdown } else { &message.text });
        if let Some(template) = template {
            return without_links(&filled(template, arguments));
        }
    }
    if !markdown.is_empty() {
        return markdown.clone();
    }
    let about = rule.map(|rule| [&rule.short_description.text, &rule.full_description.text, &rule.name.text]);
    about.into_iter().flatten().find(|text| !text.is_empty()).cloned().unwrap_or_default()
}

/// Where a location is; of version 1 the file that was written by hand.
fn place(at: &WireLocation, names: &Names) -> Option<Location> {
    let places = [&at.physical_location.0, &at.result_file.0, &at.analysis_target.0];
    places.into_iter().find_map(|place| physical(place, names))
}

fn physical(place: &PhysicalLocation, names: &Names) -> Option<Location> {
    let artifact = &place.artifact_location.0;
    let path = path(artifact, names).or_else(|| {
        let (uri, uri_base_id) = (place.uri.clone(), place.uri_base_id.clone());
        path(&ArtifactLocation { uri, uri_base_id, ..ArtifactLocation::default() }, names)
    })?;
    let line = place.region.0.start_line.0.filter(|line| *line > 0);
    let column = line.and(place.region.0.start_column.0.filter(|column| *column > 0));
    Some(Location { path, line, column })
}

/// The path: of its own URI or that of the file with its number; relative bases stand before it.
fn path(artifact: &ArtifactLocation, names: &Names) -> Option<String> {
    let numbered = artifact.index.0.and_then(|index| names.artifacts.get(index as usize));
    let artifact = if artifact.uri.0.is_empty() { numbered? } else { artifact };
    let mut uri = artifact.uri.0.trim().to_owned();
    let mut base = artifact.uri_base_id.0.as_str();
    for _ in 0..BASES {
        if uri.contains(':') || uri.starts_with('/') {
            break;
        }
        let Some(below) = names.bases.get(base) else { break };
        // An absolute base is where the machine had its copy: what is relative to it is what the repository knows.
        if below.uri.0.is_empty() || below.uri.0.contains(':') || below.uri.0.starts_with('/') {
            break;
        }
        uri = format!("{}/{uri}", below.uri.0.trim_end_matches('/'));
        base = below.uri_base_id.0.as_str();
    }
    let path = if uri.contains("://") || uri.get(..5).is_some_and(|head| head.eq_ignore_ascii_case("file:")) {
        local(&uri)
    } else {
        decoded(&uri)
    };
    let path = text::plain(&path);
    (!path.is_empty() && path.len() <= 1024).then_some(path)
}

/// The first way through the code, else the first stack, else what the message points at.
pub(super) fn frames(finding: &Finding, names: &Names) -> Vec<Frame> {
    let flow = finding.code_flows.0.first().map(|flow| &flow.0);
    let steps = flow
        .and_then(|flow| flow.thread_flows.0.first().map(|thread| &thread.0.locations.0).or(Some(&flow.locations.0)));
    if let Some(steps) = steps.filter(|steps| !steps.is_empty()) {
        return steps.iter().filter_map(|step| frame(&step.0, names)).take(FRAMES_LIMIT).collect();
    }
    if let Some(stack) = finding.stacks.0.first() {
        let called = stack.0.frames.0.iter().take(FRAMES_LIMIT);
        let mut frames: Vec<Frame> = called.filter_map(|call| frame(&call.0, names)).collect();
        frames.reverse();
        return frames;
    }
    let related = finding.related_locations.0.iter().filter_map(|at| framed(&at.0, names));
    related.take(FRAMES_LIMIT).collect()
}

fn frame(step: &FlowLocation, names: &Names) -> Option<Frame> {
    framed(&step.location.0, names).or_else(|| {
        let at = physical(&step.physical_location.0, names)?;
        Some(Frame { path: at.path, line: at.line, function: None, in_project: None })
    })
}

fn framed(at: &WireLocation, names: &Names) -> Option<Frame> {
    let place = place(at, names)?;
    let logical = at.logical_locations.0.first().map(|logical| &logical.0);
    let qualified = logical.map(|logical| [&logical.fully_qualified_name.0, &logical.name.0]);
    let own = [&at.fully_qualified_logical_name.0];
    let function = qualified.into_iter().flatten().chain(own).find(|name| !name.is_empty());
    let function = function.map(|name| text::first_line(&text::plain(name), 200));
    Some(Frame { path: place.path, line: place.line, function, in_project: None })
}

/// The first fix: the others are alternatives. An edit whose ends are not known makes it none.
pub(super) fn fixes(finding: &Finding, names: &Names) -> Vec<Fix> {
    let Some(fix) = finding.fixes.0.first() else { return Vec::new() };
    let edits = fix.0.artifact_changes.0.iter().flat_map(|change| {
        let path = path(&change.0.artifact_location.0, names);
        change.0.replacements.0.iter().map(move |edit| {
            let region = &edit.0.deleted_region.0;
            let start = (region.start_line.0?, region.start_column.0.unwrap_or(1));
            let end = (region.end_line.0.unwrap_or(start.0), region.end_column.0?);
            let replacement = edit.0.inserted_content.0.text.0.clone();
            Some(Fix { path: path.clone()?, start, end, replacement }).filter(|fix| fix.start <= fix.end)
        })
    });
    let edits: Option<Vec<Fix>> = edits.take(EDITS_LIMIT + 1).collect();
    edits.filter(|edits| edits.len() <= EDITS_LIMIT).unwrap_or_default()
}

/// What kind of tool it is; most are linters.
fn kind(tool: &str, rule: Option<&str>) -> FaultKind {
    let tool = tool.to_ascii_lowercase();
    let is = |names: &[&str]| names.iter().any(|name| tool.contains(name));
    if is(&["trivy", "grype", "osv-scanner", "dependency-check", "snyk open source", "audit", "dependabot", "anchore"])
    {
        // The same scanners look at configurations and secrets as well.
        let vulnerability = rule.is_none_or(|rule| {
            ["CVE-", "GHSA-", "SNYK-", "RUSTSEC-", "PYSEC-", "OSV-"].iter().any(|id| rule.contains(id))
        });
        return if vulnerability { FaultKind::Dependency } else { FaultKind::Lint };
    }
    if is(&["mypy", "pyright", "psalm", "phpstan"]) || tool == "tsc" {
        return FaultKind::Type;
    }
    if tool == "rustc" || is(&["gnu c", "csharp compiler", "c# compiler"]) {
        return FaultKind::Compile;
    }
    FaultKind::Lint
}
