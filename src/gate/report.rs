//! What `gate` prints: the verdict and the findings, as JSON, SARIF or lines of text.

use serde::{Deserialize, Serialize};

use crate::evidence::{Finding, Weight};
use crate::text;

/// What follows from the findings, mildest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Nothing was found.
    Pass,
    /// Something must be shown at the top of the pull request.
    Show,
    /// Something forbids the change.
    Block,
}

impl Verdict {
    /// The strictest of the findings.
    #[must_use]
    pub fn of(findings: &[Finding]) -> Self {
        findings
            .iter()
            .map(|finding| match finding.severity {
                Weight::Show => Self::Show,
                Weight::Block => Self::Block,
            })
            .max()
            .unwrap_or(Self::Pass)
    }

    /// The word that is printed.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Show => "show",
            Self::Block => "block",
        }
    }
}

/// The whole answer, as `gate --format json` prints it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct GateReport {
    /// The version of this format: 1.
    pub version: u32,
    /// What follows.
    pub verdict: Verdict,
    /// In the order of path, line and rule.
    pub findings: Vec<Finding>,
}

impl GateReport {
    /// The report of findings.
    #[must_use]
    pub fn new(findings: Vec<Finding>) -> Self {
        Self { version: 1, verdict: Verdict::of(&findings), findings }
    }

    /// The same for a reader.
    #[must_use]
    pub fn text(&self) -> String {
        let mut lines = vec![format!("{}: {} findings", self.verdict.word(), self.findings.len())];
        for finding in &self.findings {
            let place = finding.line.map_or_else(|| finding.path.clone(), |line| format!("{}:{line}", finding.path));
            let weight = format!("{:?}", finding.severity).to_lowercase();
            lines.push(text::printable(&format!("{weight:<5} {place}: {}: {}", finding.rule, finding.message)));
        }
        lines.join("\n")
    }

    /// The same as a SARIF 2.1.0 log; `version` is that of the program.
    #[must_use]
    pub fn sarif(&self, version: &str) -> serde_json::Value {
        super::sarif::log(&self.findings, version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_json_is_the_published_contract() {
        let finding = Finding {
            rule: "deleted-test".into(),
            path: "tests/a.rs".into(),
            line: Some(3),
            message: "gone".into(),
            severity: Weight::Block,
        };
        insta::assert_snapshot!(
            serde_json::to_string(&GateReport::new(vec![finding])).unwrap(),
            @r#"{"version":1,"verdict":"block","findings":[{"rule":"deleted-test","path":"tests/a.rs","line":3,"message":"gone","severity":"block"}]}"#
        );
        assert_eq!(GateReport::new(Vec::new()).verdict, Verdict::Pass);
    }
}
