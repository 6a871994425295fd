//! The JSON of linters, compilers and scanners: one table says where each tool's findings stand.
//!
//! What no row of the table knows is read when it looks like findings anyway.

mod fixes;
mod found;
mod generic;
mod keys;
mod paths;
mod severity;
mod shape;

use std::sync::LazyLock;

use found::Found;
use keys::{Keys, Scope};
use serde_json::Value;
use shape::{Says, Shape};

use crate::artifact::{Diagnostic, Location, Report, Severity, place};
use crate::text;

pub(super) use paths::{decoded, local};

/// The tools of the table, for people.
pub(super) const PRODUCERS: &str = "\
    actionlint, anchore, ansible-later, aqua, bandit, biome, brakeman, buf, bundler-audit, cargo-audit, \
    cargo-deny, cfn-lint, cfn-nag, checkov, clair, codeclimate, codeguru, coffeelint, composer-audit, \
    conftest, coverity, credo, deno, dependency-check, dependency-track, detect-secrets, detectify, \
    docfx, dockerlint, dscanner, eslint, flake8, flow, fortify, fossa, gitguardian, gitlab-security, \
    gitleaks, go-vet, golangci-lint, gosec, govulncheck, gradle-lint, grype, hadolint, htmlhint, infer, \
    intelephense, jenkins, kics, ktlint, kube-hunter, kube-linter, kube-score, kubeconform, kubesec, \
    kyverno, markdownlint, mypy, npm-audit, openapi-validator, openscap, osv-scanner, ot-docker-lint, \
    oxlint, phan, phpcs, phpmd, phpstan, pip-audit, pmd, prisma-cloud, protolint, psalm, pylint, \
    pyright, reek, revapi, reviewdog, revive, rubocop, ruff, safety, salt-lint, scss-lint, semgrep, \
    shellcheck, slither, snyk, sonarqube, spectral, sqlfluff, staticcheck, stylelint, swagger-lint, \
    swiftlint, talisman, terraform, terrascan, tflint, tfsec, trivy, trufflehog, tslint, typos, vale, \
    veracode, yarn-audit, yocto, zizmor";

/// Where scanners repeat the secret that they found: it goes nowhere from here.
const SECRETS: [&str; 5] = ["secret", "match", "raw", "rawv2", "redacted"];
/// What a person reads of one finding.
const DETAILS_LIMIT: usize = 4 << 10;

static SHAPES: LazyLock<Vec<Shape>> = LazyLock::new(|| shape::parse(include_str!("shapes.txt")).unwrap_or_default());

/// Whether it is the output of a linter.
pub(super) fn sniff(document: &Value) -> bool {
    tool(document, false).is_some() || generic::sniff(document)
}

/// Reads every finding.
pub(super) fn read(document: &Value, report: &mut Report) {
    match tool(document, false) {
        Some(tool) => {
            report.producer = Some(tool.to_owned());
            of_tool(tool, document).report(report);
        }
        None => generic::read(document).report(report),
    }
}

/// The findings of one line of text that is a document: one of a tool that writes them so, or a whole report.
pub(in crate::artifact) fn read_line(line: Value, whole: bool) -> Option<Vec<Diagnostic>> {
    if let Some(tool) = tool(&line, !whole) {
        return Some(of_tool(tool, &line).into_diagnostics());
    }
    let list = Value::Array(vec![line]);
    tool(&list, true).map(|tool| of_tool(tool, &list).into_diagnostics())
}

fn tool(document: &Value, by_line: bool) -> Option<&'static str> {
    let possible = |shape: &&Shape| !by_line || shape.by_line;
    SHAPES.iter().filter(possible).find(|shape| shape.fits(document)).map(|shape| shape.tool)
}

fn of_tool(tool: &str, document: &Value) -> Found {
    let mut found = Found::default();
    for shape in SHAPES.iter().filter(|shape| shape.tool == tool && shape.fits(document)) {
        shape.items.each(document, shape.message.is_whole(), &mut |scopes| {
            if shape.counts(scopes) {
                found.push(shape.diagnostic(scopes));
            }
        });
    }
    found
}

impl Shape {
    fn fits(&self, document: &Value) -> bool {
        self.marks.iter().any(|set| set.iter().all(|keys| keys.stand_in(document)))
    }

    /// Whether the tool means it as a finding.
    fn counts(&self, scopes: &[Scope<'_>]) -> bool {
        let says = |says: &Says| {
            let text = says.keys.text(scopes).map(|text| text.to_ascii_lowercase());
            text.is_some_and(|text| says.words.contains(&text.as_str()))
        };
        self.only.iter().all(says)
            && !self.not.iter().any(says)
            && (self.needs.is_empty() || self.needs.text(scopes).is_some())
            && !self.none.lead_anywhere(scopes)
    }

    fn diagnostic(&self, scopes: &[Scope<'_>]) -> Diagnostic {
        let rule = self.rule.text(scopes).map(|rule| text::first_line(&text::plain(&rule), 200));
        let rule = rule.map(|rule| if rule.parse::<u32>().is_ok() { format!("{}{rule}", self.prefix) } else { rule });
        let location = self.location(scopes);
        let said = text::plain(&self.message.text(scopes).unwrap_or_default());
        let subject = self.subject(scopes);
        let message = match text::first_line(&said, 400) {
            empty if empty.is_empty() => rule.clone().unwrap_or_else(|| "a finding without a message".to_owned()),
            line => line,
        };
        let message = if subject.is_empty() { message } else { format!("{subject}: {message}") };
        let item = scopes.last().map_or(&Value::Null, |last| last.value);
        let path = location.as_ref().map_or("", |at| at.path.as_str());
        Diagnostic {
            kind: self.kind,
            tool: self.tool.to_owned(),
            severity: self.severity(scopes),
            excerpt: excerpt(location.as_ref(), rule.as_deref(), &message),
            details: details(&said, item),
            fixes: fixes::read(self.fixes, item, path),
            rule,
            message,
            location,
            ..Diagnostic::default()
        }
    }

    fn location(&self, scopes: &[Scope<'_>]) -> Option<Location> {
        if let Some(at) = self.place.text(scopes).and_then(|text| place::whole(&text)) {
            return Some(at);
        }
        if let Some(at) = paths::hooked(self.hook, scopes) {
            return Some(at);
        }
        let path = self.path.text(scopes).map(|path| match self.base.text(scopes) {
            Some(base) => format!("{}/{path}", base.trim_end_matches('/')),
            None => local(&path),
        });
        let path = path.filter(|path| !path.is_empty() && path != "-" && path.len() <= 1024)?;
        let number = |keys: &Keys, from_zero: bool| {
            keys.number(scopes).map(|number| number.saturating_add(u32::from(from_zero))).filter(|number| *number > 0)
        };
        let line = number(&self.line, self.zero_lines);
        let column = line.and_then(|_| number(&self.column, self.zero_columns));
        Some(Location { path: text::plain(&path), line, column })
    }

    /// The worst that the tool says.
    fn severity(&self, scopes: &[Scope<'_>]) -> Severity {
        let mut worst: Option<Severity> = None;
        self.severity.values(scopes, &mut |value| {
            if let Some(read) = self.scale.read(value) {
                worst = Some(worst.map_or(read, |known| known.min(read)));
            }
        });
        worst.unwrap_or(self.default)
    }

    /// The package that a message is about.
    fn subject(&self, scopes: &[Scope<'_>]) -> String {
        let Some(package) = self.package.text(scopes) else { return String::new() };
        let version = self.version.text(scopes);
        let subject = version.map_or_else(|| package.to_string(), |version| format!("{package} {version}"));
        text::first_line(&text::plain(&subject), 200)
    }
}

/// What a person would quote.
pub(in crate::artifact::json) fn excerpt(location: Option<&Location>, rule: Option<&str>, message: &str) -> String {
    let mut line = String::new();
    if let Some(at) = location {
        line.push_str(&at.path);
        for number in [at.line, at.column].into_iter().flatten() {
            line.push(':');
            line.push_str(&number.to_string());
        }
        line.push_str(": ");
    }
    line.push_str(message);
    if let Some(rule) = rule.filter(|rule| *rule != message) {
        line.push_str(" [");
        line.push_str(rule);
        line.push(']');
    }
    line
}

/// The whole message and what else the tool says about it, one key a line.
pub(super) fn details(message: &str, item: &Value) -> String {
    let mut out = message.trim_end().to_owned();
    flatten(item, "", 0, &mut out);
    text::cut_middle(&text::plain(&out), DETAILS_LIMIT)
}

fn flatten(value: &Value, name: &str, depth: usize, out: &mut String) {
    let mut enter = |key: &str, value: &Value| {
        if SECRETS.iter().any(|secret| key.eq_ignore_ascii_case(secret)) {
            return;
        }
        let name = if name.is_empty() { key.to_owned() } else { format!("{name}.{key}") };
        flatten(value, &name, depth + 1, out);
    };
    match value {
        Value::Null => {}
        // Deep trees and long lists are for programs.
        Value::Object(_) | Value::Array(_) if depth > 3 => {}
        Value::Object(map) => map.iter().take(40).for_each(|(key, value)| enter(key, value)),
        Value::Array(list) => list.iter().take(20).enumerate().for_each(|(at, value)| enter(&at.to_string(), value)),
        Value::String(text) => line(out, name, text),
        scalar => line(out, name, &scalar.to_string()),
    }
}

fn line(out: &mut String, name: &str, text: &str) {
    if out.len() > 4 * DETAILS_LIMIT || name.is_empty() {
        return;
    }
    out.push('\n');
    out.push_str(name);
    out.push_str(": ");
    out.push_str(&text[..text.floor_char_boundary(DETAILS_LIMIT)]);
}

#[cfg(test)]
mod tests;
