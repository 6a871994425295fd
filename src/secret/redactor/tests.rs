//! What a credential may look like on its way out, and that it does not get out.

use proptest::prelude::*;

use super::*;
use crate::ids::hex;

const VALUE: &str = "hunter2/secret+Value=9 Z";

fn redactor() -> Redactor {
    Redactor::new([("MODEL_KEY", &Secret::new(VALUE.to_owned()))])
}

/// An encoder that shares nothing with the one under test.
fn base64(bytes: &[u8]) -> String {
    let table: Vec<char> = ('A'..='Z').chain('a'..='z').chain('0'..='9').chain(['+', '/']).collect();
    bytes
        .chunks(3)
        .flat_map(|chunk| {
            let number =
                chunk.iter().fold(0_u32, |number, byte| number << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
            (0..4)
                .map(|i| if i > chunk.len() { '=' } else { table[(number >> (18 - 6 * i) & 63) as usize] })
                .collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn a_value_is_masked_in_every_form() {
    let forms = [
        VALUE.to_owned(),
        base64(VALUE.as_bytes()),
        base64(format!("x:{VALUE}").as_bytes()),
        base64(format!("x{VALUE}yz").as_bytes()),
        hex(VALUE.as_bytes()),
        hex(VALUE.as_bytes()).to_uppercase(),
        VALUE.replace('/', "%2F").replace('+', "%2b").replace('=', "%3D").replace(' ', "+"),
        VALUE.replace('/', "\\/"),
    ];
    for form in forms {
        let scrubbed = redactor().scrub(&format!("before {form} after"));
        assert!(!scrubbed.contains(&form[6..form.len() - 6]), "{form}");
        assert!(scrubbed.starts_with("before ") && scrubbed.ends_with(" after"), "{scrubbed}");
    }
}

#[test]
fn a_value_broken_over_lines_is_masked() {
    let (head, tail) = VALUE.split_at(9);
    for text in [
        format!("{head}\n{tail}"),
        format!("+{head}\r\n+    {tail}"),
        format!("{head}\\\n  {tail}"),
        format!("> {head}\n> {tail}"),
    ] {
        let scrubbed = redactor().scrub(&text);
        assert!(!scrubbed.contains(head) && !scrubbed.contains(tail), "{scrubbed}");
        assert_eq!(scrubbed.matches('\n').count(), 1, "lines keep their numbers");
    }
}

#[test]
fn a_private_key_of_many_lines_is_masked_also_when_joined() {
    let key = format!("line one of {}\nline two of {}", "k".repeat(200), "q".repeat(20));
    let redactor = Redactor::new([("KEY", &Secret::new(format!("{key}\n")))]);
    let scrubbed = redactor.scrub(&format!("a {} b", key.replace('\n', "")));
    assert!(!scrubbed.contains("kkkk") && !scrubbed.contains("qqqq"), "{scrubbed}");
    let escaped = redactor.scrub(&serde_json::json!({ "key": key }).to_string());
    assert!(!escaped.contains("kkkk") && !escaped.contains("qqqq"), "{escaped}");
}

#[test]
fn every_shape_is_a_pattern() {
    assert_eq!(SHAPE_RULES.len(), SHAPES.len());
}

#[test]
fn shapes_are_known_without_a_value() {
    let a = |n| "aB3dE6gH9".repeat(30)[..n].to_owned();
    let samples = [
        ("GitHub token", format!("ghp_{}", a(36))),
        ("GitHub token", format!("ghs_{}", a(36))),
        ("GitHub token", format!("github_pat_{}_{}", a(22), a(59))),
        ("GitLab token", format!("glpat-{}", a(20))),
        ("model service key", format!("sk-{}", a(48))),
        ("model service key", format!("sk-ant-api03-{}", a(90))),
        ("AWS key id", "AKIAIOSFODNN7EXAMPLE".to_owned()),
        ("Slack token", format!("xoxb-1234567890-{}", a(20))),
        ("npm token", format!("npm_{}", a(36))),
        ("package index token", format!("pypi-{}", a(60))),
        ("JSON web token", format!("eyJ{}.eyJ{}.{}", a(20), a(30), a(40))),
        ("private key", format!("-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----", a(60))),
        ("private key", format!("-----BEGIN OPENSSH PRIVATE KEY-----\\n{}", a(60))),
    ];
    for (kind, sample) in samples {
        let text = format!("x\ntoken = \"{sample}\"\n");
        let found = Redactor::default().find(&text);
        assert_eq!(found, [Leak { line: 2, kind: kind.to_owned() }], "{sample}");
        assert!(!Redactor::default().scrub(&text).contains(&sample[sample.len() / 2..]), "{sample}");
    }
}

#[test]
fn only_the_password_of_a_url_is_masked() {
    let scrubbed = Redactor::default().scrub("git clone https://bot:s3cr3t@example.org/a.git");
    assert_eq!(scrubbed, "git clone https://bot:***@example.org/a.git");
    assert!(Redactor::default().find(&scrubbed).is_empty(), "what is masked is no leak");
}

#[test]
fn ordinary_source_code_is_left_alone() {
    let text =
        "let task = \"sk-learn\"; // https://example.org:8080/a@b npm_config_cache=x eyJ pypi-index\nfn ghp_() {}";
    assert_eq!(Redactor::default().scrub(text), text);
    assert!(Redactor::default().find(text).is_empty());
}

#[test]
fn a_leak_and_a_redactor_do_not_show_the_value() {
    let shown = format!("{:?} {:?}", redactor(), redactor().find(&format!("a\n{VALUE}")));
    assert!(!shown.contains("hunter2"), "{shown}");
    assert!(shown.contains("MODEL_KEY") && shown.contains("line: 2"), "{shown}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_form_of_any_value_survives(
        value in "[ -~é]{8,40}", before in "[a-z ]{0,9}", after in "[a-z ]{0,9}", form in 0..5_usize,
    ) {
        let value = value.trim();
        prop_assume!(value.len() >= 8 && !value.contains('*'));
        let secret = Secret::new(value.to_owned());
        let form = match form {
            0 => value.to_owned(),
            1 => base64(format!("{before}{value}{after}").as_bytes()),
            2 => hex(value.as_bytes()),
            3 => value.bytes().flat_map(|byte| ["%".to_owned(), hex(&[byte]).to_uppercase()]).collect(),
            _ => serde_json::Value::from(value).to_string(),
        };
        let redactor = Redactor::new([("KEY", &secret)]);
        let text = format!("one\n{before}{form}{after}\nthree");
        prop_assert!(!redactor.find(&text).is_empty());
        let scrubbed = redactor.scrub(&text);
        prop_assert!(!scrubbed.contains(value));
        prop_assert!(redactor.find(&scrubbed).is_empty(), "{}", scrubbed);
        prop_assert_eq!(redactor.scrub(&scrubbed), scrubbed);
    }

    #[test]
    fn any_bytes_can_be_scrubbed(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let redactor = redactor();
        let once = redactor.scrub_bytes(&bytes).into_owned();
        prop_assert_eq!(redactor.scrub_bytes(&once).into_owned(), once);
    }
}
