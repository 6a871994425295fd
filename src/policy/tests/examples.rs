//! Files that must be valid as they stand, what they mean, and that they come back from `show` unchanged.

use proptest::prelude::*;

use super::*;
use crate::policy::keys::POLICY;
use crate::policy::later::LATER;
use crate::policy::shape::{Key, Shape};

/// The example that the project was created from.
const SEED: &str = r#"{
"workspace": "isolated_copy",
"allowed_write_paths": ["src/", "tests/"],
"allowed_commands": ["build", "unit-test", "static-check"],
"network": "deny",
"secrets": "proxy_inject",
"auto_merge": false
}"#;

/// The documented example, with something in place of each ellipsis.
const DOCUMENTED: &str = r#"
version: 1
stage: pull-request            # read-only | patch | pull-request | batch
workspace: isolated_copy
allowed_write_paths: [src/, tests/]
denied_paths: []               # added to the built-in ones
allowed_commands: [build, unit-test, static-check]
commands:
  unit-test: {run: cargo test --locked, cwd: ., env: {}, timeout: 10m, network: deny}
setup: {run: cargo fetch --locked, network: {allow: [registries]}, cache: [~/.cargo/registry]}
projects: []
network: deny
secrets: proxy_inject
auto_merge: false
approvals: {protected_paths: [Cargo.lock, package.json], who: write}
models: {light: {provider: openai, name: small}, strong: {provider: openai, name: large}, may_see: ["**", "!secrets/**"]}
budget: {usd: 1.00, tokens: 300k, rounds: 5, minutes: 20, prs_per_day: 5}
limits: {files: 10, lines: 400}
"#;

/// Everything that is not the default.
const FULL: &str = r#"
$schema: https://example.org/policy.json
version: 1
stage: patch
allowed_write_paths:
  - src/
  - {path: "docs/*.md", match: [docs/a.md], not_match: [docs/a.txt, src/a.md]}
denied_paths: [src/generated/]
allowed_commands:
  - build
  - {pattern: cargo test --locked, match: [cargo test --locked, unit-test], not_match: [cargo test]}
commands:
  build: {run: [cargo, build, "--locked", -j, 2], cwd: sub, env: {RUST_BACKTRACE: 1, CI: true, E: "yes"}, timeout: 90s}
  unit-test:
    run: "cargo test --locked"
    network: loopback
setup:
  - {run: cargo fetch --locked, cache: [~/.cargo/registry]}
  - {run: npm ci, cwd: web, network: {allow: ["example.org", "*.example.org:8443"]}, cache: [web/node_modules]}
projects:
  - {path: web, commands: {lint: {run: npm run lint}}, setup: {run: npm ci}, owners: [ann]}
network: {allow: [registries, internal.example.org:444]}
approvals: {protected_paths: ["migrations/"], who: admin}
models:
  light: {provider: openai, name: "4", base_url: "http://127.0.0.1:1/v1/", max_output: 8k, effort: high}
  may_see: ["**", "!private/"]
budget: {usd: 0.25, tokens: 1m, rounds: 2, minutes: 5, prs_per_day: 0}
limits: {files: 3, lines: 50}
artifacts: {failed_tests: 10, other_tests: 20, diagnostics: 30, details_mib: 1, members: 40, member_mib: 2, archive_mib: 3}
deliver: bundle
verify: {level: affected-tests, repeats: 5}
sandbox: {require: [network, uid]}
pull_request: {draft: true, labels: [bot], reviewers: [bob], title: "Repair of CI: #1"}
"#;

fn without_places(mut policy: Policy) -> Policy {
    policy.origin = Origin::default();
    policy.lines.clear();
    policy
}

fn json_of(text: &str) -> serde_json::Value {
    serde_yaml::from_str(text).unwrap()
}

#[test]
fn the_examples_are_valid_as_they_stand_and_by_the_schema() {
    let schema = jsonschema::validator_for(&schema()).unwrap();
    for text in [SEED, DOCUMENTED, FULL] {
        read(text);
        let errors: Vec<String> = schema.iter_errors(&json_of(text)).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
}

#[test]
fn what_is_shown_reads_back_the_same() {
    let schema = jsonschema::validator_for(&schema()).unwrap();
    for policy in [Policy::default_for(), read(SEED), read(DOCUMENTED), read(FULL)] {
        let text = show(&policy);
        let mut again = without_places(read(&text));
        let mut policy = without_places(policy);
        // To see everything that is not denied is the default, and is shown in words.
        again.models.may_see.get_or_insert_default();
        policy.models.may_see.get_or_insert_with(|| vec![PathRule::new("**", None, true).unwrap()]);
        assert_eq!(again, policy, "{text}");
        assert!(schema.is_valid(&json_of(&text)), "{text}");
    }
}

#[test]
fn every_key_means_something() {
    let default = without_places(Policy::default_for());
    let full = without_places(read(FULL));
    assert_ne!(full.approvals, default.approvals);
    assert_ne!(full.models, default.models);
    assert_ne!(full.network, default.network);
    assert_eq!(full.stage, Stage::Patch);
    assert_eq!(full.budget, Budget { usd: 0.25, tokens: 1_000_000, rounds: 2, minutes: 5, prs_per_day: 0 });
    assert_eq!(full.limits, PatchLimits { files: 3, lines: 50 });
    let artifacts = Limits {
        failed_tests: 10,
        other_tests: 20,
        diagnostics: 30,
        details: 1 << 20,
        members: 40,
        member: 2 << 20,
        archive: 3 << 20,
    };
    assert_eq!(full.artifacts, artifacts);
    assert_eq!(full.verify, Verify { level: Evidence::AffectedTests, repeats: 5 });
    assert_eq!(full.deliver, Deliver::Bundle);
    assert_eq!(full.required_walls, ["network", "uid"]);
    assert_eq!(full.pull_request.labels, ["bot"]);
    let build = &full.commands["build"];
    assert_eq!(build.argv, ["cargo", "build", "--locked", "-j", "2"]);
    assert_eq!(build.timeout, Duration::from_secs(90));
    assert_eq!(build.env["CI"], "true");
    assert_eq!(build.network, full.network, "a command has the network of the policy");
    assert_eq!(full.commands["unit-test"].network, Network::Loopback);
    let setup = full.setup.unwrap();
    assert_eq!(setup.steps[0].command.network, Network::Allow(vec![HostRule::Registries]));
    assert_eq!(setup.cache, ["web/node_modules", "~/.cargo/registry"]);
    let light = full.models.light.unwrap();
    assert_eq!((light.name.as_str(), light.max_output), ("4", Some(8000)));
    assert_eq!(light.base_url.as_deref(), Some("http://127.0.0.1:1/v1"));
    assert_eq!(full.projects[0].path, Some(path("web")));
}

#[test]
fn an_empty_file_means_the_defaults() {
    for text in ["", "\u{feff}", "# nothing\n", "---\n", "null", "{}", "\n\n"] {
        assert_eq!(without_places(read(text)), without_places(Policy::default_for()), "{text:?}");
    }
}

#[test]
fn defaults_in_the_table_are_those_of_the_values() {
    // A file of nothing but the written defaults is the default policy.
    fn written(keys: &[Key]) -> String {
        let entries = keys.iter().filter(|key| key.name != "verify" && key.name != "models").filter_map(|key| {
            let name = key.name;
            match &key.shape {
                _ if !key.default.is_empty() => Some(format!("{name}: {}", key.default)),
                Shape::Record(below) if below.iter().all(|key| !key.required) => {
                    Some(format!("{name}: {{{}}}", written(below)))
                }
                _ => None,
            }
        });
        entries.collect::<Vec<_>>().join(", ")
    }
    let text = format!("{{{}}}", written(POLICY));
    assert!(text.contains("budget: {usd: 1.00, tokens: 300k, rounds: 5"), "{text}");
    let read = without_places(read(&text));
    assert_eq!(read, without_places(Policy::default_for()), "{text}");
    assert_eq!(read.budget, Budget::default());
    assert_eq!(read.limits, PatchLimits::default());
}

#[test]
fn json_with_tabs_and_windows_line_ends_are_read() {
    let text = "{\r\n\t\"network\": \"deny\",\r\n\t\"denied_paths\": [\r\n\t\t\"a\\/b\"\r\n\t]\r\n}\r\n";
    assert_eq!(read(text).denied_paths[0].text(), "a/b");
    assert_eq!(read("stage: patch\r\nlimits:\r\n  files: 3\r\n").limits.files, 3);
}

#[test]
fn what_is_not_done_yet_names_keys_that_exist_and_is_refused_or_taken() {
    let schema = schema().to_string();
    for row in LATER {
        assert!(schema.contains(row.reason), "{} is in the schema with its reason", row.key);
    }
    for text in [
        "models: {routes: []}",
        "secrets: {NPM: {host: example.org}}",
        "sandbox: {container: debian}",
        "verify: ci",
        "verify: {level: ci}",
    ] {
        assert!(faults(text).contains("is not enforced by this version"), "{text}");
        let schema = jsonschema::validator_for(&super::super::schema()).unwrap();
        assert!(!schema.is_valid(&json_of(text)), "{text}");
    }
}

#[test]
fn the_schema_refuses_what_the_reader_refuses() {
    let schema = jsonschema::validator_for(&schema()).unwrap();
    for text in [
        "netwrok: deny",
        "version: 2",
        "stage: full",
        "auto_merge: true",
        "allowed_write_paths: [/etc]",
        "denied_paths: [../x]",
        "denied_paths: ['!x']",
        "commands: {a: {}}",
        "commands: {a: {run: []}}",
        "budget: {usd: -1}",
        "budget: {tokens: many}",
        "limits: {files: 0}",
        "network: open",
        "network: {allow: ['https://example.org']}",
        "models: {light: {name: x}}",
        "verify: {repeats: 0}",
        "sandbox: {require: [moat]}",
    ] {
        assert_ne!(faults(text), "no fault", "{text}");
        assert!(!schema.is_valid(&json_of(text)), "{text}");
    }
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Err(errors) = Policy::read(&bytes, origin()) {
            prop_assert!(shown(&errors).starts_with(".github/unbreak.yml:"));
        }
    }

    #[test]
    fn no_text_of_the_format_makes_it_panic(
        parts in proptest::collection::vec(
            prop_oneof![
                Just("stage"), Just("commands"), Just("run"), Just(": "), Just("{"), Just("}"), Just("["), Just("]"),
                Just(", "), Just("\n"), Just("\n  "), Just("- "), Just("&a "), Just("*a"), Just("<<"), Just("!x "),
                Just("'"), Just("\""), Just("|"), Just("é\u{200c}"), Just("\t"), Just("#"), Just("---\n"), Just("? "),
                Just("src/"), Just("models"), Just("secrets"), Just("300k"), Just("true"), Just("~"), Just("\r\n"),
            ],
            0..40,
        )
    ) {
        let text = parts.concat();
        if let Err(errors) = Policy::read(text.as_bytes(), origin()) {
            prop_assert!(!errors.is_empty());
            for error in errors {
                prop_assert!(error.line >= 1 && error.column >= 1, "{}", error);
                prop_assert!((error.line as usize) <= text.split('\n').count() + 1, "{}", error);
            }
        }
    }
}
