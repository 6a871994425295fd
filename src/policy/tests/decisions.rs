//! Tables of decisions, and names that try to be something else.

use std::fmt::Write as _;

use super::*;

fn tracked() -> Tracked {
    Tracked::new(["Cargo.toml", "src/lib.rs", "src/a/b.rs", "web/x/y.ts"].map(path))
}

fn line(label: &str, ruling: &Ruling) -> String {
    let rules: Vec<String> = ruling
        .rules
        .iter()
        .map(|rule| {
            let source = serde_json::to_value(rule.source).unwrap();
            let line = rule.line.map(|line| format!(":{line}")).unwrap_or_default();
            format!("{}{line} `{}`", source.as_str().unwrap(), rule.text)
        })
        .collect();
    format!("{label:24} {:6} {}\n", format!("{:?}", ruling.decision).to_lowercase(), rules.join(", "))
}

fn writes(policy: &Policy, paths: &[&str]) -> String {
    paths.iter().map(|text| line(text, &policy.decide_write(&path(text), &tracked()))).collect()
}

const POLICY: &str = "\
stage: pull-request
allowed_write_paths:
  - src/
  - '*.md'
denied_paths: [src/generated/, Secret.txt]
approvals: {protected_paths: [src/migrations/]}
allowed_commands:
  - unit-test
  - cargo fmt --check
commands: {unit-test: {run: cargo test --locked}, ship: {run: git push}}
models: {may_see: ['!src/private/', '**']}
network: {allow: [registries, '*.example.org', h:8080]}
limits: {files: 2, lines: 10}
";

#[test]
fn writing_follows_the_strictest_rule() {
    insta::assert_snapshot!(writes(&read(POLICY), &[
        "src/lib.rs", "src/new.rs", "src/deep/new.rs", "SRC/lib.rs", "README.md", "docs/README.md", "tests/a.rs",
        "src/generated/x.rs", "SRC/Generated/x.rs", "src/generated", "secret.txt", "src/migrations/1.sql",
        "Cargo.lock", "src/Cargo.toml", "AGENTS.md", ".github/workflows/ci.yml", "src/.git/hooks/x", ".env",
        "src/.env.local", "src/tls.pem", "src/credentials.rs", ".gitattributes",
    ]), @r"
    src/lib.rs               allow  policy:3 `src/`
    src/new.rs               allow  policy:3 `src/`
    src/deep/new.rs          allow  policy:3 `src/`
    SRC/lib.rs               deny   default `a path outside `allowed_write_paths` is not written`
    README.md                allow  policy:4 `*.md`
    docs/README.md           deny   default `a path outside `allowed_write_paths` is not written`
    tests/a.rs               deny   default `a path outside `allowed_write_paths` is not written`
    src/generated/x.rs       deny   policy:5 `src/generated/`, policy:3 `src/`
    SRC/Generated/x.rs       deny   policy:5 `src/generated/`
    src/generated            deny   policy:5 `src/generated/`, policy:3 `src/`
    secret.txt               deny   policy:5 `Secret.txt`
    src/migrations/1.sql     ask    policy:6 `src/migrations/`, policy:3 `src/`
    Cargo.lock               ask    built-in `**/Cargo.lock`
    src/Cargo.toml           ask    built-in `**/Cargo.toml`, policy:3 `src/`
    AGENTS.md                ask    built-in `**/AGENTS.md`, policy:4 `*.md`
    .github/workflows/ci.yml deny   built-in `.github/workflows/`
    src/.git/hooks/x         deny   built-in `**/.git`, policy:3 `src/`
    .env                     deny   built-in `**/.env*`
    src/.env.local           deny   built-in `**/.env*`, policy:3 `src/`
    src/tls.pem              deny   built-in `**/*.pem`, policy:3 `src/`
    src/credentials.rs       deny   built-in `**/credentials*`, policy:3 `src/`
    .gitattributes           ask    built-in `**/.gitattributes`
    ");
}

#[test]
fn without_a_file_tracked_files_and_their_neighbours_may_be_written() {
    insta::assert_snapshot!(writes(&Policy::default_for(), &[
        "src/lib.rs", "src/new.rs", "web/new.ts", "new.rs", "docs/new.md", "src/new/x.rs", "Cargo.toml",
        ".github/workflows/ci.yml", ".github/unbreak.yml",
    ]), @r"
    src/lib.rs               allow  default `tracked files may be written`
    src/new.rs               allow  default `new files may be created beside tracked ones`
    web/new.ts               allow  default `new files may be created beside tracked ones`
    new.rs                   allow  default `new files may be created beside tracked ones`
    docs/new.md              deny   default `no tracked file is in this directory`
    src/new/x.rs             deny   default `no tracked file is in this directory`
    Cargo.toml               ask    built-in `**/Cargo.toml`
    .github/workflows/ci.yml deny   built-in `.github/workflows/`
    .github/unbreak.yml      deny   built-in `.github/unbreak.*`
    ");
}

#[test]
fn no_spelling_of_a_denied_name_is_written() {
    let all = read("allowed_write_paths: ['**']");
    for text in [
        ".git/config",
        ".GIT/config",
        ".Git/hooks/pre-commit",
        "a/.git",
        ".g\u{200c}it/config",
        ".git\u{200d}/config",
        "\u{feff}.git/config",
        ".git./config",
        ".git /config",
        ".git. ./x",
        ".git::$INDEX_ALLOCATION/config",
        "git~1/config",
        "GIT~1",
        "a/GI7EBA~1/x",
        "．git/config",
        ".ｇｉｔ/config",
        ".g\u{131}t/config",
        ".github/WORKFLOWS/ci.yml",
        ".GitHub/workflows/ci.yml",
        ".github/workflows./ci.yml",
        ".github/actions/x/action.yml",
        "GITHUB~1/workflows/x",
        ".github／workflows／x.yml",
        ".github/unbreak.yml",
        ".github/UNBREAK.YAML",
        ".github/unbreak.json",
        ".github/unbreak.yml ",
        ".github/unbreak.yml::$DATA",
        ".env",
        ".ENV.local",
        "a/.envrc",
        "x.PEM",
        "id_rsa.pub",
        "\u{17f}.key",
        "a/.npmrc",
        ".netrc.",
        "Credentials.json",
        "a/...",
        "a/\u{200b}",
        "a/.. /b",
    ] {
        let ruling = all.decide_write(&path(text), &tracked());
        assert_eq!(ruling.decision, Decision::Deny, "{text:?} {ruling:?}");
        assert_eq!(ruling.rules[0].source, RuleSource::BuiltIn, "{text:?}");
    }
    for text in ["src/git.rs", "git/config", ".gitignore", "environment.rs", "a.keys", "notes~1.backup-file"] {
        assert_eq!(all.decide_write(&path(text), &tracked()).decision, Decision::Allow, "{text:?}");
    }
}

#[test]
fn no_spelling_of_a_protected_name_is_written_unasked() {
    let all = read("allowed_write_paths: ['**']\napprovals: {protected_paths: ['Straße/']}");
    for text in
        ["cargo.LOCK", "a/Package.json", ".GITMODULES", "codeowners", ".github/CODEOWNERS", "strasse/x", "STRASSE/x"]
    {
        assert_eq!(all.decide_write(&path(text), &tracked()).decision, Decision::Ask, "{text}");
    }
}

#[test]
fn the_policy_itself_is_not_written_wherever_it_stands() {
    let own = Origin { path: Some(path("ci/bot.yml")), ..Origin::default() };
    let policy = Policy::read(b"allowed_write_paths: ['**']", own).unwrap();
    insta::assert_snapshot!(writes(&policy, &["ci/bot.yml", "CI/Bot.yml", "ci/bot.yaml"]), @r"
    ci/bot.yml               deny   built-in `ci/bot.yml is this policy`, policy:1 `**`
    CI/Bot.yml               deny   built-in `ci/bot.yml is this policy`, policy:1 `**`
    ci/bot.yaml              allow  policy:1 `**`
    ");
}

#[test]
fn reading_leaves_out_secrets_and_what_no_model_may_see() {
    let table = |policy: &Policy| -> String {
        [
            "src/lib.rs",
            "src/private/a.rs",
            "SRC/PRIVATE/a.rs",
            ".env",
            "a.pem",
            ".github/workflows/ci.yml",
            ".git/config",
            "secret.txt",
        ]
        .iter()
        .map(|text| line(text, &policy.decide_read(&path(text))))
        .collect()
    };
    insta::assert_snapshot!(table(&read(POLICY)), @r"
    src/lib.rs               allow  policy:11 `**`
    src/private/a.rs         deny   policy:11 `!src/private/`, policy:11 `**`
    SRC/PRIVATE/a.rs         deny   policy:11 `!src/private/`, policy:11 `**`
    .env                     deny   built-in `**/.env*`, policy:11 `**`
    a.pem                    deny   built-in `**/*.pem`, policy:11 `**`
    .github/workflows/ci.yml allow  policy:11 `**`
    .git/config              deny   built-in `**/.git`, policy:11 `**`
    secret.txt               deny   policy:5 `Secret.txt`, policy:11 `**`
    ");
    insta::assert_snapshot!(table(&Policy::default_for()), @r"
    src/lib.rs               allow  default `files of the repository may be read`
    src/private/a.rs         allow  default `files of the repository may be read`
    SRC/PRIVATE/a.rs         allow  default `files of the repository may be read`
    .env                     deny   built-in `**/.env*`
    a.pem                    deny   built-in `**/*.pem`
    .github/workflows/ci.yml allow  default `files of the repository may be read`
    .git/config              deny   built-in `**/.git`
    secret.txt               allow  default `files of the repository may be read`
    ");
    for text in ["git~1/config", ".g\u{200c}it/config", "a/.ENV.", "a/.. /b", "Id_RSA"] {
        assert_eq!(Policy::default_for().decide_read(&path(text)).decision, Decision::Deny, "{text:?}");
    }
    let some = read("models: {may_see: [src/]}");
    assert_eq!(some.decide_read(&path("docs/a.md")).decision, Decision::Deny);
}

#[test]
fn a_command_runs_by_its_name_or_by_exactly_its_words() {
    let policy = read(POLICY);
    let table: String = [
        "unit-test",
        "cargo test --locked",
        "cargo test --locked -q",
        "cargo test",
        "unit-test -q",
        "cargo fmt --check",
        "cargo fmt",
        "ship",
        "git push",
        "sh -c 'cargo test --locked'",
        "Unit-Test",
    ]
    .iter()
    .map(|text| line(text, &policy.decide_run(&words(text), None)))
    .collect();
    insta::assert_snapshot!(table, @r"
    unit-test                allow  policy:8 `unit-test`
    cargo test --locked      allow  policy:8 `unit-test`
    cargo test --locked -q   deny   default `a command outside `allowed_commands` does not run`
    cargo test               deny   default `a command outside `allowed_commands` does not run`
    unit-test -q             deny   default `a command outside `allowed_commands` does not run`
    cargo fmt --check        allow  policy:9 `cargo fmt --check`
    cargo fmt                deny   default `a command outside `allowed_commands` does not run`
    ship                     deny   built-in `push: git push`
    git push                 deny   built-in `push: git push`
    sh -c 'cargo test --locked' deny   default `a command outside `allowed_commands` does not run`
    Unit-Test                deny   default `a command outside `allowed_commands` does not run`
    ");
    let hidden = policy.decide_run(&words("unit-test"), Some("jest && npm publish"));
    assert_eq!(hidden.decision, Decision::Deny, "{hidden:?}");
    assert_eq!(policy.decide_run(&[], None).decision, Decision::Deny);
}

#[test]
fn without_a_list_every_named_command_runs_and_no_other() {
    let mut policy = Policy::default_for();
    assert_eq!(policy.decide_run(&words("cargo test"), None).decision, Decision::Deny);
    let spec = read("commands: {x: {run: cargo test, network: loopback}}").commands["x"].clone();
    policy.adopt(BTreeMap::from([("test".to_owned(), spec.clone())]));
    assert_eq!(policy.decide_run(&words("test"), None).decision, Decision::Allow);
    assert_eq!(policy.decide_run(&words("cargo test"), None).decision, Decision::Allow);
    assert_eq!(policy.decide_run(&words("cargo test -v"), None).decision, Decision::Deny);
    assert_eq!(policy.commands["test"].network, Network::Deny, "what is detected opens nothing");
    // With own commands, a detected one comes in only where the list names it.
    let mut own = read("allowed_commands: [build]\ncommands: {test: {run: x}}");
    own.adopt(BTreeMap::from([("build".to_owned(), spec.clone()), ("lint".to_owned(), spec)]));
    assert_eq!(own.commands.keys().collect::<Vec<_>>(), ["build", "test"]);
}

#[test]
fn only_named_hosts_are_reached() {
    let registries = [HostRule::new("index.example.net").unwrap()];
    let mut table = String::new();
    for (policy, name) in
        [(read(POLICY), "list"), (Policy::default_for(), "none"), (read("network: loopback"), "loopback")]
    {
        for (host, port) in [
            ("a.example.org", 443),
            ("A.B.Example.Org.", 443),
            ("example.org", 443),
            ("badexample.org", 443),
            ("a.example.org", 80),
            ("h", 8080),
            ("index.example.net", 443),
            ("localhost", 80),
            ("127.0.0.1", 80),
            ("::1", 80),
        ] {
            let ruling = policy.decide_net(host, port, &registries);
            if name == "list" || ruling.decision == Decision::Allow || host == "h" {
                let _ = write!(table, "{name} {}", line(&format!("{host}:{port}"), &ruling));
            }
        }
    }
    insta::assert_snapshot!(table, @r"
    list a.example.org:443        allow  policy:12 `*.example.org:443`
    list A.B.Example.Org.:443     allow  policy:12 `*.example.org:443`
    list example.org:443          deny   default `a host that no rule names cannot be reached`
    list badexample.org:443       deny   default `a host that no rule names cannot be reached`
    list a.example.org:80         deny   default `a host that no rule names cannot be reached`
    list h:8080                   allow  policy:12 `h:8080`
    list index.example.net:443    allow  policy:12 `registries`
    list localhost:80             deny   default `a host that no rule names cannot be reached`
    list 127.0.0.1:80             deny   default `a host that no rule names cannot be reached`
    list ::1:80                   deny   default `a host that no rule names cannot be reached`
    none h:8080                   deny   default `network: deny`
    loopback h:8080                   deny   policy:1 `network: loopback`
    loopback localhost:80             allow  policy:1 `network: loopback`
    loopback 127.0.0.1:80             allow  policy:1 `network: loopback`
    loopback ::1:80                   allow  policy:1 `network: loopback`
    ");
}

#[test]
fn a_patch_has_limits() {
    let policy = read(POLICY);
    assert_eq!(policy.decide_patch(2, 10).decision, Decision::Allow);
    insta::assert_snapshot!(line("3 files, 11 lines", &policy.decide_patch(3, 11)), @r"3 files, 11 lines        deny   policy:13 `limits.files: 2`, policy:13 `limits.lines: 10`");
}

#[test]
fn the_first_stage_neither_writes_nor_runs() {
    let policy = read("stage: read-only\nallowed_write_paths: [src/]\ncommands: {a: {run: a}}");
    let write = policy.decide_write(&path("src/a.rs"), &tracked());
    insta::assert_snapshot!(line("write", &write) + &line("run", &policy.decide_run(&words("a"), None)), @r"
    write                    deny   policy:1 `stage: read-only`
    run                      deny   policy:1 `stage: read-only`
    ");
}

#[test]
fn input_lowers_and_never_raises() {
    let mut policy = read("stage: patch\nbudget: {usd: 0.5}");
    policy.lower_stage(Stage::Batch);
    policy.lower_budget(5.0);
    policy.lower_budget(f64::NAN);
    policy.lower_budget(-1.0);
    assert_eq!((policy.stage, policy.budget.usd), (Stage::Patch, 0.5));
    policy.lower_stage(Stage::ReadOnly);
    policy.lower_budget(0.1);
    assert_eq!((policy.stage, policy.budget.usd), (Stage::ReadOnly, 0.1));
}

#[test]
fn the_nearest_project_wins() {
    let policy = read("projects: [{path: .}, {path: a}, {path: a/b}]");
    let of = |text: &str| policy.project_of(&path(text)).unwrap().path.as_ref().map(ToString::to_string);
    assert_eq!(of("x.rs"), None);
    assert_eq!(of("a/x.rs").as_deref(), Some("a"));
    assert_eq!(of("a/b/c/x.rs").as_deref(), Some("a/b"));
    assert_eq!(of("ab/x.rs"), None);
}

#[test]
fn an_explanation_is_what_the_command_line_prints() {
    let policy = read(POLICY);
    let ask = |question| serde_json::to_string(&explain(&policy, question, &tracked(), &[])).unwrap();
    insta::assert_snapshot!(ask(Question::Write("src/lib.rs")), @r#"{"version":1,"action":"write","subject":"src/lib.rs","decision":"allow","rules":[{"source":"policy","text":"src/","line":3}]}"#);
    insta::assert_snapshot!(ask(Question::Read("../../etc/passwd")), @r#"{"version":1,"action":"read","subject":"../../etc/passwd","decision":"deny","rules":[{"source":"built-in","text":"`../../etc/passwd` leaves its directory with `..`"}]}"#);
    insta::assert_snapshot!(ask(Question::Run("unit-test")), @r#"{"version":1,"action":"run","subject":"unit-test","decision":"allow","rules":[{"source":"policy","text":"unit-test","line":8}]}"#);
    insta::assert_snapshot!(ask(Question::Net("h:8080")), @r#"{"version":1,"action":"net","subject":"h:8080","decision":"allow","rules":[{"source":"policy","text":"h:8080","line":12}]}"#);
    insta::assert_snapshot!(ask(Question::Net("h")), @r#"{"version":1,"action":"net","subject":"h","decision":"deny","rules":[{"source":"default","text":"a host that no rule names cannot be reached"}]}"#);
}
