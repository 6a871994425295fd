//! Why a policy decides as it does: the value behind `policy explain`.

use serde::Serialize;

use super::value::words;
use super::{Decision, HostRule, Policy, Rule, RuleSource, Ruling, Tracked};
use crate::ids::RepoPath;

/// What is asked, as the caller wrote it.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "the names are those of the options")]
pub enum Question<'a> {
    Write(&'a str),
    Read(&'a str),
    /// A name, or a command line.
    Run(&'a str),
    /// `host:port`, or a host alone for port 443.
    Net(&'a str),
}

/// The answer: `policy explain --format json` prints it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// The version of this form: 1.
    pub version: u32,
    /// `write`, `read`, `run` or `net`.
    pub action: &'static str,
    /// What was asked about, as it was written.
    pub subject: String,
    /// The decision.
    pub decision: Decision,
    /// The rules that made it, the strictest first.
    pub rules: Vec<Rule>,
}

impl Explanation {
    /// The answer for a reader.
    #[must_use]
    pub fn text(&self) -> String {
        let decision = format!("{:?}", self.decision).to_lowercase();
        let mut lines = vec![format!("{} {}: {decision}", self.action, crate::text::printable(&self.subject))];
        for rule in &self.rules {
            let source = match rule.source {
                RuleSource::BuiltIn => "built-in".to_owned(),
                RuleSource::Default => "default".to_owned(),
                RuleSource::Policy => {
                    rule.line.map_or_else(|| "policy".to_owned(), |line| format!("policy, line {line}"))
                }
            };
            lines.push(format!("  {source}: {}", crate::text::printable(&rule.text)));
        }
        lines.join("\n")
    }
}

/// The answer to `question`. What names no path, command or host at all is denied, with the reason as its rule.
#[must_use]
pub fn explain(policy: &Policy, question: Question<'_>, tracked: &Tracked, registries: &[HostRule]) -> Explanation {
    let (action, subject, ruling) = match question {
        Question::Write(path) => ("write", path, with_path(path, |path| policy.decide_write(path, tracked))),
        Question::Read(path) => ("read", path, with_path(path, |path| policy.decide_read(path))),
        Question::Run(line) => {
            let ruling = match words(line) {
                Ok(words) => policy.decide_run(&words, None),
                Err(message) => refused(message),
            };
            ("run", line, ruling)
        }
        Question::Net(host) => ("net", host, reach(policy, host, registries)),
    };
    Explanation { version: 1, action, subject: subject.to_owned(), decision: ruling.decision, rules: ruling.rules }
}

fn with_path(text: &str, decide: impl FnOnce(&RepoPath) -> Ruling) -> Ruling {
    match RepoPath::new(text) {
        Ok(path) => decide(&path),
        Err(error) => refused(error.to_string()),
    }
}

fn reach(policy: &Policy, text: &str, registries: &[HostRule]) -> Ruling {
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !host.ends_with(':') && port.bytes().all(|b| b.is_ascii_digit()) => (host, port),
        _ => (text, "443"),
    };
    match port.parse() {
        Ok(port) if !host.is_empty() => policy.decide_net(host, port, registries),
        _ => refused(format!("`{text}` is no host and port")),
    }
}

fn refused(text: String) -> Ruling {
    Ruling { decision: Decision::Deny, rules: vec![Rule { source: RuleSource::BuiltIn, text, line: None }] }
}
