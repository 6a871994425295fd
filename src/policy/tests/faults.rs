//! Every fault has its place, all are reported, and none shows a secret.

use super::*;

#[test]
fn every_fault_of_a_file_is_reported_at_its_place() {
    let text = "\
version: 1
netwrok: deny
budget: {usd: -1, tokens: lots, rounds: 1.5}
commands:
  unit-test: {cwd: .}
  build: {run: cargo build, timeout: 10}
auto_merge: yes
stage: pullrequest
allowed_write_paths: [src/, /etc, ../x, 'a\\b', '!c', C:/x]
version: 1
";
    insta::assert_snapshot!(faults(text), @r"
    .github/unbreak.yml:2:1: unknown key `netwrok`; did you mean `network`?
      2 | netwrok: deny
        | ^^^^^^^
    .github/unbreak.yml:3:15: `-1` is negative
      3 | budget: {usd: -1, tokens: lots, rounds: 1.5}
        |               ^^
    .github/unbreak.yml:3:27: expects a whole number such as 300000, 300k or 1m, found text
      3 | budget: {usd: -1, tokens: lots, rounds: 1.5}
        |                           ^^^^
    .github/unbreak.yml:3:41: `1.5` is no whole number from 0 to 1000
      3 | budget: {usd: -1, tokens: lots, rounds: 1.5}
        |                                         ^^^
    .github/unbreak.yml:5:3: the key `run` is missing here
      5 |   unit-test: {cwd: .}
        |   ^^^^^^^^^
    .github/unbreak.yml:6:38: `10` has no unit; write 30s, 10m or 2h
      6 |   build: {run: cargo build, timeout: 10}
        |                                      ^^
    .github/unbreak.yml:7:13: expects false, found text
      7 | auto_merge: yes
        |             ^^^
    .github/unbreak.yml:8:8: expects one of `read-only`, `patch`, `pull-request`, `batch`, found `pullrequest`; did you mean `pull-request`?
      8 | stage: pullrequest
        |        ^^^^^^^^^^^
    .github/unbreak.yml:9:29: `/etc` is absolute; patterns are relative to the repository
      9 | allowed_write_paths: [src/, /etc, ../x, 'a\b', '!c', C:/x]
        |                             ^^^^
    .github/unbreak.yml:9:35: `../x` leaves its directory with `..`
      9 | allowed_write_paths: [src/, /etc, ../x, 'a\b', '!c', C:/x]
        |                                   ^^^^
    .github/unbreak.yml:9:41: `a\b` holds a backslash; parts are separated by `/`
      9 | allowed_write_paths: [src/, /etc, ../x, 'a\b', '!c', C:/x]
        |                                         ^^^^^
    .github/unbreak.yml:9:48: `!` excludes only in `models.may_see`; use `denied_paths`
      9 | allowed_write_paths: [src/, /etc, ../x, 'a\b', '!c', C:/x]
        |                                                ^^^^
    .github/unbreak.yml:9:54: `C:/x` is absolute; patterns are relative to the repository
      9 | allowed_write_paths: [src/, /etc, ../x, 'a\b', '!c', C:/x]
        |                                                      ^^^^
    .github/unbreak.yml:10:1: duplicate key `version`; it first stands on line 1
      10 | version: 1
         | ^^^^^^^
    ");
}

#[test]
fn auto_merge_cannot_be_true_and_says_why() {
    insta::assert_snapshot!(faults("auto_merge: true\n"), @r"
    .github/unbreak.yml:1:13: `auto_merge` cannot be true: a person merges, always; the bot has no way to
      1 | auto_merge: true
        |             ^^^^
    ");
}

#[test]
fn what_yaml_has_beyond_a_plain_tree_is_refused_where_it_stands() {
    insta::assert_snapshot!(faults("network: &n deny\nstage: *n\n"), @r"
    .github/unbreak.yml:1:13: anchors are not read here; write the value out where it is used
      1 | network: &n deny
        |             ^^^^
    .github/unbreak.yml:2:8: aliases are not read here; write the value out
      2 | stage: *n
        |        ^^
    ");
    insta::assert_snapshot!(faults("budget: {<<: {usd: 1}}\nstage: !x patch\n"), @r"
    .github/unbreak.yml:1:10: merge keys are not read here; write the keys out
      1 | budget: {<<: {usd: 1}}
        |          ^^
    .github/unbreak.yml:2:11: tags (`!name`) are not read here
      2 | stage: !x patch
        |           ^^^^^
    ");
    insta::assert_snapshot!(faults("network: deny\n---\nnetwork: deny\n"), @r"
    .github/unbreak.yml:2:1: a second document starts here; a policy is one document
      2 | ---
        | ^^^
    ");
    insta::assert_snapshot!(faults("? [a]\n: b\n"), @r"
    .github/unbreak.yml:1:3: a key must be a word
      1 | ? [a]
        |   ^
    ");
    insta::assert_snapshot!(faults("%YAML 1.1\n---\nnetwork: deny\n"), @r"
    .github/unbreak.yml:2:1: a YAML version directive is not read here; the file is YAML 1.2
      2 | ---
        | ^^^
    ");
    insta::assert_snapshot!(faults("commands: {a: {run: x, run: y}}\n"), @r"
    .github/unbreak.yml:1:24: duplicate key `run`; it first stands on line 1
      1 | commands: {a: {run: x, run: y}}
        |                        ^^^
    ");
}

#[test]
fn what_is_not_yaml_is_told_with_its_place() {
    insta::assert_snapshot!(faults("network: [deny\nstage: patch\n"), @r"
    .github/unbreak.yml:2:6: this is not valid YAML: illegal placement of ':' indicator
      2 | stage: patch
        |      ^
    ");
    insta::assert_snapshot!(faults("- a\n"), @r"
    .github/unbreak.yml:1:1: a policy is a mapping, found a list
      1 | - a
        | ^
    ");
    let bytes = b"network: deny\nstage: \xff\n";
    insta::assert_snapshot!(shown(&Policy::read(bytes, origin()).unwrap_err()), @r"
    .github/unbreak.yml:2:8: the file is not UTF-8
      2 | stage: �
        |        ^
    ");
}

#[test]
fn a_file_too_large_or_too_deep_is_refused() {
    let deep = format!("{}x{}", "[".repeat(40), "]".repeat(40));
    assert!(faults(&deep).contains("more than 32 levels"), "{}", faults(&deep));
    let deep = (0..200).map(|level| " ".repeat(level) + "a:\n").collect::<String>();
    assert!(faults(&deep).contains("levels"), "{}", faults(&deep));
    let large = format!("# {}\n", "x".repeat(256 * 1024));
    assert!(faults(&large).contains("at most 262144 are read"), "{}", faults(&large));
    let many: String = (0..20_000).flat_map(|i| ["k".to_owned(), i.to_string(), ": 1\n".to_owned()]).collect();
    assert_eq!(Policy::read(many.as_bytes(), origin()).unwrap_err().len(), 20_000);
}

#[test]
fn words_are_not_booleans() {
    for word in ["yes", "no", "on", "off", "y", "False1"] {
        assert!(faults(&format!("pull_request: {{draft: {word}}}")).contains("no other booleans"), "{word}");
    }
    assert!(read("pull_request: {draft: true, labels: [yes, on]}").pull_request.draft);
    assert!(faults("pull_request: {draft: 'true'}").contains("found text"));
}

#[test]
fn a_pasted_secret_is_an_error_that_does_not_repeat_it() {
    let token = format!("ghp_{}", "aB3".repeat(12));
    let other = "correct-horse-battery-9";
    for text in [
        format!("secrets: {{NPM: {other}}}\n"),
        format!("secrets: {other}\n"),
        format!("secrets: {{NPM: {{host: example.org, header: {token}}}}}\n"),
        format!("commands: {{a: {{run: x, env: {{X: {token}}}}}}}\n"),
        format!("commands: {{a: {{run: x, env: {{MY_TOKEN: k3{other}}}}}}}\n"),
        format!("commands: {{a: {{run: 'curl -H {token}'}}}}\n"),
        format!("nonsense: {{deep: [{token}]}}\n"),
        format!("{token}: 1\n"),
        format!("stage: {token}\n"),
        format!("allowed_write_paths: [{token}]\n"),
        format!("models: {{light: {{provider: a, name: b, base_url: 'https://u:{other}@example.org'}}}}\n"),
        format!("netwrok: deny # {token}\n"),
        format!("secrets:\n  NPM: >\n    {other}\n    {token}\n"),
    ] {
        let errors = Policy::read(text.as_bytes(), origin()).unwrap_err();
        for shown in [shown(&errors), format!("{errors:?}")] {
            assert!(!shown.contains(&token[8..]) && !shown.contains(&other[4..]), "{text}\n{shown}");
        }
    }
    insta::assert_snapshot!(faults(&format!("secrets: {{NPM: {other}}}\n")), @r"
    .github/unbreak.yml:1:1: `secrets` is not enforced by this version: no proxy adds secrets to requests yet, so the command would run without them
      1 | secrets: {NPM: ***********************}
        | ^^^^^^^
    .github/unbreak.yml:1:16: expects `proxy_inject`, or for each name a mapping with `host`; the value of a secret never stands in this file: take it out and replace it where it is used
      1 | secrets: {NPM: ***********************}
        |                ^^^^^^^^^^^^^^^^^^^^^^^
    ");
}

#[test]
fn examples_of_rules_are_tried_when_the_file_is_read() {
    let text = "\
allowed_write_paths:
  - {path: src/*.rs, match: [src/a.rs, src/b.py], not_match: [src/c.rs, src/d/e.rs]}
  - {match: [a]}
allowed_commands:
  - {pattern: test, match: [cargo test, cargo test -v], not_match: [test]}
commands: {test: {run: cargo test}}
models: {may_see: ['!x']}
";
    insta::assert_snapshot!(faults(text), @r#"
    .github/unbreak.yml:2:40: `src/*.rs` does not match `src/b.py`
      2 |   - {path: src/*.rs, match: [src/a.rs, src/b.py], not_match: [src/c.rs, src/d/e.rs]}
        |                                        ^^^^^^^^
    .github/unbreak.yml:2:63: `src/*.rs` matches `src/c.rs`
      2 |   - {path: src/*.rs, match: [src/a.rs, src/b.py], not_match: [src/c.rs, src/d/e.rs]}
        |                                                               ^^^^^^^^
    .github/unbreak.yml:3:5: a rule has either `path` or `pattern`
      3 |   - {match: [a]}
        |     ^
    .github/unbreak.yml:5:41: `test` does not match `cargo test -v`
      5 |   - {pattern: test, match: [cargo test, cargo test -v], not_match: [test]}
        |                                         ^^^^^^^^^^^^^
    .github/unbreak.yml:5:69: `test` matches `test`
      5 |   - {pattern: test, match: [cargo test, cargo test -v], not_match: [test]}
        |                                                                     ^^^^
    .github/unbreak.yml:7:10: `may_see` only excludes, so nothing could be seen; begin with `"**"`
      7 | models: {may_see: ['!x']}
        |          ^^^^^^^
    "#);
}

#[test]
fn values_out_of_range_say_what_is_in_range() {
    insta::assert_snapshot!(faults("\
budget: {usd: .inf, tokens: 9999999999999999999k, minutes: 0}
limits: {files: 1e3}
commands: {a: {run: '', timeout: 25h}, b: {run: a && b}, c: {run: \"a 'b\"}, d: {run: []}, e f: {run: x}}
setup: {run: x, env: {A-B: 1}, cache: [/x, ~, ../y]}
network: {allow: ['*', 'a.*.b', 10.0.0.1, 'h:0', 'h:99999', 'https://h', 'é.org']}
"), @r#"
    .github/unbreak.yml:1:15: `.inf` is no plain amount from 0 to 10000
      1 | budget: {usd: .inf, tokens: 9999999999999999999k, minutes: 0}
        |               ^^^^
    .github/unbreak.yml:1:29: expects a whole number such as 300000, 300k or 1m, found text
      1 | budget: {usd: .inf, tokens: 9999999999999999999k, minutes: 0}
        |                             ^^^^^^^^^^^^^^^^^^^^
    .github/unbreak.yml:1:60: `0` is no whole number from 1 to 1440
      1 | budget: {usd: .inf, tokens: 9999999999999999999k, minutes: 0}
        |                                                            ^
    .github/unbreak.yml:2:17: `1e3` is no whole number from 1 to 100000
      2 | limits: {files: 1e3}
        |                 ^^^
    .github/unbreak.yml:3:21: the command is empty
      3 | commands: {a: {run: '', timeout: 25h}, b: {run: a && b}, c: {run: "a 'b"}, d: {run: []}, e f: {run:
        |                     ^^
    .github/unbreak.yml:3:34: `25h` is not from 1s to 24h
      3 | commands: {a: {run: '', timeout: 25h}, b: {run: a && b}, c: {run: "a 'b"}, d: {run: []}, e f: {run:
        |                                  ^^^
    .github/unbreak.yml:3:49: no shell reads a command, so `&&` would be a word of it; write `sh -c '…'`
      3 | commands: {a: {run: '', timeout: 25h}, b: {run: a && b}, c: {run: "a 'b"}, d: {run: []}, e f: {run:
        |                                                 ^^^^^^
    .github/unbreak.yml:3:67: a quote or a backslash at the end is left open
      3 | un: '', timeout: 25h}, b: {run: a && b}, c: {run: "a 'b"}, d: {run: []}, e f: {run: x}}
        |                                                   ^^^^^^
    .github/unbreak.yml:3:85: the command is empty
      3 | 5h}, b: {run: a && b}, c: {run: "a 'b"}, d: {run: []}, e f: {run: x}}
        |                                                   ^
    .github/unbreak.yml:3:90: `e f` is no name; letters, digits and `-_.:/` make one
      3 | b: {run: a && b}, c: {run: "a 'b"}, d: {run: []}, e f: {run: x}}
        |                                                   ^^^
    .github/unbreak.yml:4:23: `A-B` is no name of a variable
      4 | setup: {run: x, env: {A-B: 1}, cache: [/x, ~, ../y]}
        |                       ^^^
    .github/unbreak.yml:4:40: `/x` is absolute; paths are relative to the repository
      4 | setup: {run: x, env: {A-B: 1}, cache: [/x, ~, ../y]}
        |                                        ^^
    .github/unbreak.yml:4:44: expects a directory, relative or below `~/`, found nothing
      4 | setup: {run: x, env: {A-B: 1}, cache: [/x, ~, ../y]}
        |                                            ^
    .github/unbreak.yml:4:47: `../y` leaves its directory with `..`
      4 | setup: {run: x, env: {A-B: 1}, cache: [/x, ~, ../y]}
        |                                               ^^^^
    .github/unbreak.yml:5:19: `*`: `*` stands only for whole leading parts, as in `*.example.org`
      5 | network: {allow: ['*', 'a.*.b', 10.0.0.1, 'h:0', 'h:99999', 'https://h', 'é.org']}
        |                   ^^^
    .github/unbreak.yml:5:24: `a.*.b`: `*` stands only for whole leading parts, as in `*.example.org`
      5 | network: {allow: ['*', 'a.*.b', 10.0.0.1, 'h:0', 'h:99999', 'https://h', 'é.org']}
        |                        ^^^^^^^
    .github/unbreak.yml:5:33: `10.0.0.1` is a number, not a name; hosts are names
      5 | network: {allow: ['*', 'a.*.b', 10.0.0.1, 'h:0', 'h:99999', 'https://h', 'é.org']}
        |                                 ^^^^^^^^
    .github/unbreak.yml:5:43: `h:0` has no port from 1 to 65535
      5 | network: {allow: ['*', 'a.*.b', 10.0.0.1, 'h:0', 'h:99999', 'https://h', 'é.org']}
        |                                           ^^^^^
    .github/unbreak.yml:5:50: `h:99999` has no port from 1 to 65535
      5 | network: {allow: ['*', 'a.*.b', 10.0.0.1, 'h:0', 'h:99999', 'https://h', 'é.org']}
        |                                                  ^^^^^^^^^
    .github/unbreak.yml:5:61: `https://h` is an address; a host is `name:port`
      5 | network: {allow: ['*', 'a.*.b', 10.0.0.1, 'h:0', 'h:99999', 'https://h', 'é.org']}
        |                                                             ^^^^^^^^^^^
    .github/unbreak.yml:5:74: `é.org`: write the host in its ASCII form (`xn--…`)
      5 | network: {allow: ['*', 'a.*.b', 10.0.0.1, 'h:0', 'h:99999', 'https://h', 'é.org']}
        |                                                                          ^^^^^^^
    "#);
}

#[test]
fn long_lines_are_cut_around_the_caret() {
    let text = format!("{{denied_paths: [{}], netwrok: deny}}", "abc, ".repeat(100));
    let shown = faults(&text);
    assert!(shown.lines().all(|line| line.chars().count() < 130), "{shown}");
    let lines: Vec<&str> = shown.lines().collect();
    let caret = lines[2].find('^').unwrap();
    assert_eq!(&lines[1][caret..caret + 7], "netwrok");
}
