//! Content that looks like a credential.

use super::{Rule, finding};
use crate::evidence::{Finding, Weight};
use crate::gate::pattern::patterns;
use crate::gate::view::View;

pub(super) static RULE: Rule = Rule {
    name: "secret",
    about: "Something that looks like a credential is added",
    why: "Blocks: what is pushed once is known for ever.",
    check,
};

patterns! {
    SHAPES = r"\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_\w{40,}|\bglpat-[\w-]{20,}|\bAKIA[0-9A-Z]{16}\b|\bsk-(?:ant-|proj-)?[\w-]{24,}|\bxox[abprs]-[\w-]{10,}|\bAIza[\w-]{35}\b|-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----|\bey[JI][\w-]{15,}\.ey[JI][\w-]{15,}\.[\w-]{10,}|\bnpm_[A-Za-z0-9]{36}\b|\bpypi-[\w-]{40,}|\bhf_[A-Za-z0-9]{30,}";
    NAMED = r#"(?i)\b(?:password|passwd|secret|api_?key|access_?token|auth_?token|private_?key)\w*["']?\s*[:=]\s*["']([A-Za-z0-9+/_=.-]{16,})["']"#;
    FILES = r"(?i)(?:^|/)(?:\.env(?:\.[\w-]+)?|id_(?:rsa|dsa|ecdsa|ed25519)|\.npmrc|\.pypirc|\.netrc|credentials(?:\.\w+)?)$|\.(?:pem|p12|pfx|key|keystore|jks)$";
    EXAMPLE = r"(?i)\.env\.(?:example|sample|template|dist)$";
}

fn check(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &view.files {
        if file.change.after.is_some() && FILES.is_match(file.path.as_str()) && !EXAMPLE.is_match(file.path.as_str()) {
            findings.push(finding(
                &RULE,
                file,
                None,
                "a file of this name holds credentials as a rule".to_owned(),
                Weight::Block,
            ));
        }
        for line in file.added() {
            let text = file.after.lines.get(line).copied().unwrap_or_default();
            let named =
                NAMED.captures(text).and_then(|found| found.get(1)).is_some_and(|value| looks_random(value.as_str()));
            if SHAPES.is_match(text) || named {
                // The value itself is not repeated.
                findings.push(finding(
                    &RULE,
                    file,
                    Some(line),
                    "this line looks like it holds a credential".to_owned(),
                    Weight::Block,
                ));
            }
        }
    }
    findings
}

/// Digits and both cases, as keys have and words have not.
fn looks_random(value: &str) -> bool {
    let has = |test: fn(char) -> bool| value.chars().any(test);
    has(|c| c.is_ascii_digit()) && has(|c| c.is_ascii_lowercase()) && has(|c| c.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use crate::gate::testing::{blocks, judged, passes};

    #[test]
    fn known_shapes_and_named_values_block_without_being_repeated() {
        let token = format!("ghp_{}", "a1B2".repeat(9));
        blocks("secret", &[("a.py", "x = 1\n", &format!("x = 1\nt = '{token}'\n"))]);
        assert!(
            judged(&[("a.py", "x = 1\n", &format!("t = '{token}'\n"))]).iter().all(|f| !f.message.contains(&token))
        );
        blocks("secret", &[("a.py", "x = 1\n", "API_KEY = 'aB3dE5fG7hJ9kL1m'\n")]);
        blocks("secret", &[(".env", "", "A=1\n")]);
    }

    #[test]
    fn words_pass() {
        passes(&[("a.py", "x = 1\n", "password = 'correct-horse-battery'\n"), (".env.example", "", "TOKEN=\n")]);
    }
}
