//! Reproduction, fixers, verification and minimisation over a real sandbox, a real git and real tools.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::support::program::{environment, python_bin};
use unbreak::change::{File, FileChange, Mode};
use unbreak::evidence::{Verdict, Verification, Weight};
use unbreak::fixers::{FIXERS, Request};
use unbreak::git::{Base, Checkout, CommitId, Git, Scratch};
use unbreak::ids::RepoPath;
use unbreak::journal::Journal;
use unbreak::plan::{Check, Plan, Role};
use unbreak::policy::{Budget, CommandSpec, Network, PatchLimits, Policy};
use unbreak::sandbox::{Host, Sandbox};
use unbreak::verify::{Bench, Ledger, Outcome, Settings};

/// A broken project in a repository, with everything that a bench needs.
struct Shop {
    directory: tempfile::TempDir,
    sandbox: Sandbox,
    scratch: Scratch,
    policy: Policy,
    journal: Journal,
    ledger: Ledger,
    settings: Settings,
}

impl Shop {
    async fn open(files: &[(&str, &str)]) -> Self {
        let directory = tempfile::Builder::new().prefix("verify").tempdir_in("/var/tmp").unwrap();
        let root = directory.path().to_path_buf();
        readable(&root);
        let repository = root.join("repository");
        for (path, text) in files {
            let path = repository.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        for words in
            [&["init", "-q"][..], &["add", "-A"], &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"]]
        {
            assert!(git(&repository, words));
        }
        let journal = Journal::unkept(|| 0);
        let handle = Git::new(PathBuf::from("git"), root.join("git")).unwrap();
        let checkout = Checkout::open(&handle, &repository, &journal).await.unwrap();
        let scratch = Scratch::create(&checkout, &root.join("scratch"), Base::Head, &journal).await.unwrap();
        let host = Host {
            helper: PathBuf::from(env!("CARGO_BIN_EXE_unbreak")),
            env: variables(),
            home: PathBuf::from(variables().get("HOME").cloned().unwrap_or_default()),
            scratch: root.join("jobs"),
            tier: None,
        };
        std::fs::create_dir_all(root.join("jobs")).unwrap();
        let sandbox = Sandbox::open(host).await.unwrap();
        let policy = Policy::default_for();
        let settings = Settings { readable: scratch.readable(), ..Settings::default() };
        Self { directory, sandbox, scratch, policy, journal, ledger: Ledger::default(), settings }
    }

    fn bench<'a>(&'a self, evidence: &'a Path) -> Bench<'a> {
        Bench {
            sandbox: &self.sandbox,
            scratch: &self.scratch,
            policy: &self.policy,
            journal: &self.journal,
            evidence,
            ledger: &self.ledger,
            settings: &self.settings,
        }
    }

    fn evidence(&self) -> PathBuf {
        self.directory.path().join("evidence")
    }

    fn candidate(&self, path: &str, before: &str, after: &str) -> CommitId {
        let file = |text: &str| Some(File { bytes: text.as_bytes().to_vec(), mode: Mode::Regular });
        let change = FileChange { path: RepoPath::new(path).unwrap(), before: file(before), after: file(after) };
        self.scratch.snapshot(&self.scratch.base(), &[change], "candidate").unwrap()
    }
}

#[expect(clippy::disallowed_methods, reason = "the test prepares a repository as a person would")]
fn git(repository: &Path, words: &[&str]) -> bool {
    Command::new("git").arg("-C").arg(repository).args(words).status().unwrap().success()
}

fn variables() -> BTreeMap<String, String> {
    let mut variables: BTreeMap<String, String> = environment().into_iter().collect();
    variables.insert("PATH".to_owned(), python_bin());
    variables
}

/// The dropped uid of the second tier has to get through.
fn readable(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn command(line: &str) -> CommandSpec {
    CommandSpec {
        argv: line.split(' ').map(str::to_owned).collect(),
        cwd: None,
        env: BTreeMap::new(),
        timeout: Duration::from_mins(5),
        network: Network::Deny,
    }
}

fn plan(line: &str, role: Role, before: &Outcome, checks: Vec<Check>) -> Plan {
    Plan {
        failures: before.failures.clone(),
        proof: Check { name: "run".into(), command: command(line), role },
        checks,
        steps: Vec::new(),
        limits: PatchLimits::default(),
        budget: Budget::default(),
    }
}

fn steps(verification: &Verification) -> Vec<(&str, bool)> {
    verification.steps.iter().map(|step| (step.name.as_str(), step.passed)).collect()
}

const MANIFEST: &str = "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n";
const WRONG: &str = "/// Adds.\npub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn adds() {\n        assert_eq!(add(1, 2), 3);\n    }\n\n    #[test]\n    fn adds_nothing() {\n        assert_eq!(add(1, 0), 1);\n    }\n}\n";

#[tokio::test(flavor = "multi_thread")]
async fn a_fix_is_proven_and_a_cheat_is_not() {
    let shop = Shop::open(&[("Cargo.toml", MANIFEST), ("src/lib.rs", WRONG)]).await;
    let evidence = shop.evidence();
    let bench = shop.bench(&evidence);
    let line = "cargo test --offline";
    let (reproduction, before) = bench.reproduce(&command(line), &[]).await.unwrap();
    assert_eq!(reproduction.verdict, Verdict::Reproduced, "{reproduction:?}");
    assert_eq!(reproduction.failing, ["tests::adds"]);
    let before = before.unwrap();
    let plan = plan(line, Role::Suite, &before, Vec::new());

    let fixed = shop.candidate("src/lib.rs", WRONG, &WRONG.replace("a - b", "a + b"));
    let (verification, findings) = bench.verify(&plan, &before, &fixed).await.unwrap();
    assert_eq!(
        steps(&verification),
        [("failing-tests", true), ("suite", true), ("repeats", true), ("gate", true)],
        "{verification:#?}"
    );
    assert!(findings.is_empty(), "{findings:?}");
    assert_eq!(verification.repeats, 3);
    assert!(evidence.join("before.xml").is_file() && evidence.join("after.xml").is_file());
    assert_eq!(verification.after.as_ref().unwrap().counts.passed, 2);

    let skipped = shop.candidate(
        "src/lib.rs",
        WRONG,
        &WRONG.replace("#[test]\n    fn adds()", "#[test]\n    #[ignore]\n    fn adds()"),
    );
    let (verification, findings) = bench.verify(&plan, &before, &skipped).await.unwrap();
    assert_eq!(steps(&verification).last(), Some(&("failing-tests", false)), "{verification:#?}");
    assert!(findings.iter().any(|finding| finding.rule == "skipped-test"), "{findings:#?}");

    let loosened =
        shop.candidate("src/lib.rs", WRONG, &WRONG.replace("assert_eq!(add(1, 2), 3)", "assert!(add(1, 2) < 3)"));
    let (verification, findings) = bench.verify(&plan, &before, &loosened).await.unwrap();
    assert_eq!(steps(&verification).last(), Some(&("gate", false)), "{verification:#?}");
    assert!(findings.iter().any(|finding| finding.rule == "weakened-test" && finding.severity == Weight::Block));

    let nothing = shop.candidate("src/lib.rs", WRONG, &WRONG.replace("Adds.", "Adds two."));
    let (verification, _) = bench.verify(&plan, &before, &nothing).await.unwrap();
    assert_eq!(steps(&verification), [("failing-tests", false)]);
    assert!(verification.not_run.iter().any(|line| line.starts_with("suite: ")));
}

#[tokio::test(flavor = "multi_thread")]
async fn hunks_that_the_proof_does_not_need_are_dropped() {
    let padding = "\n// far away\n".repeat(8);
    let before_text = WRONG
        .replace("#[cfg(test)]", &format!("{padding}/// Other.\npub fn other() -> i32 {{\n    7\n}}\n\n#[cfg(test)]"));
    let shop = Shop::open(&[("Cargo.toml", MANIFEST), ("src/lib.rs", &before_text)]).await;
    let evidence = shop.evidence();
    let bench = shop.bench(&evidence);
    let line = "cargo test --offline";
    let before = bench.reproduce(&command(line), &[]).await.unwrap().1.unwrap();
    let plan = plan(line, Role::Suite, &before, Vec::new());
    let both = before_text.replace("a - b", "a + b").replace("    7", "    8");
    let candidate = shop.candidate("src/lib.rs", &before_text, &both);
    let smallest = bench.minimise(&plan, &before, &candidate).await.unwrap();
    let changes = shop.scratch.changes(&shop.scratch.base(), &smallest).unwrap();
    let text = String::from_utf8(changes[0].after.clone().unwrap().bytes).unwrap();
    assert_eq!(text, before_text.replace("a - b", "a + b"));
}

#[tokio::test(flavor = "multi_thread")]
async fn rustc_and_clippy_mend_what_they_call_safe() {
    let broken = "pub fn f(v: &[u8]) -> bool {\n    return v.len() == 0;\n}\n";
    let shop = Shop::open(&[("Cargo.toml", MANIFEST), ("src/lib.rs", broken)]).await;
    let evidence = shop.evidence();
    let bench = shop.bench(&evidence);
    let line = "cargo clippy --offline -- -D warnings";
    let (reproduction, before) = bench.reproduce(&command(line), &[]).await.unwrap();
    assert_eq!(reproduction.verdict, Verdict::Reproduced, "{reproduction:?}");
    let before = before.unwrap();
    let plan = plan(line, Role::Static, &before, Vec::new());
    let base = shop.scratch.base();
    let proof = command(line);
    let request = Request { failures: &before.failures, proof: &proof, start: &base };
    let fixer = FIXERS.iter().find(|fixer| fixer.name == "clippy").unwrap();
    assert!(fixer.applies(&request), "{:?}", before.failures);
    let candidate = fixer.run(&bench, request).await.unwrap().expect("a candidate");
    let (verification, findings) = bench.verify(&plan, &before, &candidate).await.unwrap();
    assert!(verification.steps.iter().all(|step| step.passed), "{verification:#?} {findings:?}");
    let changes = shop.scratch.changes(&base, &candidate).unwrap();
    assert_eq!(
        String::from_utf8_lossy(&changes[0].after.as_ref().unwrap().bytes),
        "pub fn f(v: &[u8]) -> bool {\n    v.is_empty()\n}\n"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn rustc_mends_a_build_and_rustfmt_a_layout() {
    let broken = "pub fn f() -> Vec<u8> {\n    let v = Vec::new();\n        v.push(1);\n    v\n}\n";
    let shop = Shop::open(&[("Cargo.toml", MANIFEST), ("src/lib.rs", broken)]).await;
    let evidence = shop.evidence();
    let bench = shop.bench(&evidence);
    let before = bench.reproduce(&command("cargo test --offline"), &[]).await.unwrap().1.unwrap();
    let base = shop.scratch.base();
    let text = |from: &CommitId, to: &CommitId| {
        let changes = shop.scratch.changes(from, to).unwrap();
        String::from_utf8(changes[0].after.clone().unwrap().bytes).unwrap()
    };
    let fixer = |name: &str| FIXERS.iter().find(|fixer| fixer.name == name).unwrap();

    let proof = command("cargo test --offline");
    let request = Request { failures: &before.failures, proof: &proof, start: &base };
    assert!(fixer("rustc").applies(&request), "{:?}", before.failures);
    let built = fixer("rustc").run(&bench, request).await.unwrap().unwrap();
    assert_eq!(text(&base, &built), broken.replace("let v", "let mut v"));

    let proof = command("cargo fmt --check");
    let request = Request { failures: &[], proof: &proof, start: &built };
    assert!(fixer("rustfmt").applies(&request));
    let formatted = fixer("rustfmt").run(&bench, request).await.unwrap().unwrap();
    assert_eq!(text(&built, &formatted), broken.replace("let v", "let mut v").replace("        v.push", "    v.push"));
    let again = Request { failures: &[], proof: &proof, start: &formatted };
    assert_eq!(fixer("rustfmt").run(&bench, again).await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_is_not_there_is_the_environment() {
    let shop = Shop::open(&[("a.txt", "a\n")]).await;
    let evidence = shop.evidence();
    let (reproduction, outcome) = shop.bench(&evidence).reproduce(&command("no-such-program-here"), &[]).await.unwrap();
    assert_eq!((reproduction.verdict, outcome.is_none()), (Verdict::Environment, true));
    assert!(reproduction.reason.contains("no-such-program-here"), "{}", reproduction.reason);
}

#[tokio::test(flavor = "multi_thread")]
async fn ruff_mends_the_files_that_the_command_looks_at() {
    let broken = "import os\nimport sys\n\n\ndef f( ):\n    return sys.argv\n";
    let shop = Shop::open(&[("a.py", broken), ("b.py", "import os\n")]).await;
    let evidence = shop.evidence();
    let bench = shop.bench(&evidence);
    let base = shop.scratch.base();
    let fixer = |name: &str| FIXERS.iter().find(|fixer| fixer.name == name).unwrap();
    let text = |from: &CommitId, to: &CommitId| {
        let changes = shop.scratch.changes(from, to).unwrap();
        assert_eq!(changes.len(), 1);
        String::from_utf8(changes[0].after.clone().unwrap().bytes).unwrap()
    };
    let lint = command("ruff check --no-cache a.py");
    let request = Request { failures: &[], proof: &lint, start: &base };
    assert!(fixer("ruff").applies(&request));
    let linted = fixer("ruff").run(&bench, request).await.unwrap().unwrap();
    assert_eq!(text(&base, &linted), "import sys\n\n\ndef f( ):\n    return sys.argv\n");
    let layout = command("ruff format --no-cache --check a.py");
    let request = Request { failures: &[], proof: &layout, start: &linted };
    let formatted = fixer("ruff-format").run(&bench, request).await.unwrap().unwrap();
    assert_eq!(text(&linted, &formatted), "import sys\n\n\ndef f():\n    return sys.argv\n");
}
