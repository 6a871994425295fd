//! Findings as SARIF 2.1.0, for code scanning.

use serde_json::{Value, json};

use super::rules::RULES;
use crate::evidence::{Finding, Weight};

pub(super) fn log(findings: &[Finding], version: &str) -> Value {
    let rules: Vec<Value> = RULES
        .iter()
        .map(|rule| json!({"id": rule.name, "shortDescription": {"text": rule.about}, "help": {"text": rule.why}}))
        .collect();
    let results: Vec<Value> = findings.iter().map(result).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "unbreak gate", "version": version, "rules": rules}},
            "results": results,
        }],
    })
}

fn result(finding: &Finding) -> Value {
    let level = match finding.severity {
        Weight::Block => "error",
        Weight::Show => "warning",
    };
    let mut place = json!({"artifactLocation": {"uri": uri(&finding.path)}});
    if let Some(line) = finding.line {
        place["region"] = json!({"startLine": line});
    }
    json!({
        "ruleId": finding.rule,
        "level": level,
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": place}],
    })
}

/// A relative path as a URI reference.
fn uri(path: &str) -> String {
    path.bytes().fold(String::new(), |mut uri, byte| {
        use std::fmt::Write as _;
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(byte as char);
        } else {
            // Writing to a String cannot fail.
            let _ = write!(uri, "%{byte:02X}");
        }
        uri
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_becomes_a_result_with_an_encoded_path() {
        let finding = Finding {
            rule: "limits".into(),
            path: "a b/é.rs".into(),
            line: Some(2),
            message: "too much".into(),
            severity: Weight::Block,
        };
        let log = log(&[finding], "1.0.0");
        let result = &log["runs"][0]["results"][0];
        assert_eq!(result["level"], "error");
        assert_eq!(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "a%20b/%C3%A9.rs");
        assert_eq!(log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap().len(), RULES.len());
    }
}
