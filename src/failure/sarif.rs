//! Failures as SARIF 2.1.0, for code scanning and editors.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::Failure;
use crate::artifact::Severity;

/// A SARIF log with one run and one result for each failure.
#[must_use]
pub fn to_sarif(failures: &[Failure]) -> Value {
    let rules: BTreeSet<String> = failures.iter().map(rule).collect();
    let rules: Vec<Value> = rules.iter().map(|id| json!({ "id": id })).collect();
    let results: Vec<Value> = failures.iter().map(result).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "unbreak", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "results": results,
        }],
    })
}

fn rule(failure: &Failure) -> String {
    let tool = failure.tool.as_deref().unwrap_or("unknown");
    format!("{tool}/{}", failure.rule.as_deref().unwrap_or("failure"))
}

fn result(failure: &Failure) -> Value {
    let level = match failure.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let mut result = json!({
        "ruleId": rule(failure),
        "level": level,
        "message": { "text": failure.message },
        "partialFingerprints": { "unbreak/v1": failure.id },
        "occurrenceCount": failure.occurrences,
    });
    // A place outside of the repository means nothing to whoever reads the log.
    if let Some(at) = failure.location.as_ref().filter(|at| crate::ids::RepoPath::new(&at.path).is_ok()) {
        let mut physical = json!({ "artifactLocation": { "uri": uri(&at.path) } });
        if let Some(line) = at.line.filter(|line| *line > 0) {
            physical["region"] = match at.column.filter(|column| *column > 0) {
                Some(column) => json!({ "startLine": line, "startColumn": column }),
                None => json!({ "startLine": line }),
            };
        }
        result["locations"] = json!([{ "physicalLocation": physical }]);
    }
    result
}

/// A relative URI: everything but unreserved characters and slashes is percent-encoded.
fn uri(path: &str) -> String {
    use std::fmt::Write as _;
    path.bytes().fold(String::new(), |mut uri, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
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
    fn a_result_has_its_place_and_its_fingerprint() {
        let report = crate::artifact::read("o.txt", b"error[E0308]: mismatched types\n --> src/a b.rs:1:2\n  |\n");
        let log = to_sarif(&super::super::collect(&[report], None));
        let result = &log["runs"][0]["results"][0];
        assert_eq!(result["ruleId"], "rustc/E0308");
        assert_eq!(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "src/a%20b.rs");
        assert_eq!(result["partialFingerprints"]["unbreak/v1"].as_str().unwrap().len(), 32);
    }

    #[test]
    fn a_place_outside_of_the_repository_is_left_out() {
        let report = crate::artifact::read("o.txt", b"error[E0308]: mismatched types\n --> /etc/passwd.rs:1:2\n  |\n");
        let log = to_sarif(&super::super::collect(&[report], None));
        assert!(log["runs"][0]["results"][0].get("locations").is_none());
    }
}
