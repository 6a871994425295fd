//! What is never published, whatever the bundle says of itself.

use unbreak::evidence::Verdict;
use unbreak::handover::{Handover, Kind};
use unbreak::ids::{BranchName, Fingerprint, RepositoryName, Sha};
use unbreak::incident::Incident;
use unbreak::policy::Stage as PolicyStage;
use unbreak::proposal::{Conclusion, Proposal};
use unbreak::publish::Outcome;

use super::bundle::Draft;
use super::{BROKEN, Bundle, MENDED, Stage, TEST, assert_untouched, lab, lab_with, published};
use crate::support::github::FakeGitHub;

/// What somebody changed in a value before it was sealed.
type Tampering<T> = Box<dyn FnOnce(&mut T)>;

fn draft(github: &FakeGitHub) -> Draft {
    Bundle::of(github).change("calc.py", MENDED)
}

/// Holds that nothing is published of it, and that the reason names what was seen.
async fn refuses(github: &FakeGitHub, draft: Draft, expected: Outcome, named: &str) {
    let published = published(github, &draft.sealed()).await;
    assert_eq!(published.outcome, expected, "{named}: {published:?}");
    assert!(published.reason.contains(named), "{named}: {published:?}");
    assert_untouched(github);
}

#[tokio::test]
async fn a_bundle_that_was_altered_is_refused_whichever_file_it_was() {
    let github = lab().await;
    for file in ["proposal.json", "incident.json", "change.patch", "body.md", "journal.jsonl", "evidence/c2-suite.txt"]
    {
        let bundle = draft(&github).sealed();
        let handover = Handover::open(bundle.path(), Kind::Proposal).unwrap();
        let path = bundle.path().join(file);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes.push(b'\n');
        std::fs::write(&path, bytes).unwrap();
        let published = Stage::new().publish_opened(&github, &handover).await;
        assert_eq!(published.outcome, Outcome::Refused, "{file}: {published:?}");
        assert!(published.reason.contains(file), "{file}: {published:?}");
        assert_eq!(published.bundle.as_deref(), Some(bundle.path()));
    }
    assert_untouched(&github);
    assert!(github.world().requests.is_empty(), "the forge was asked about a bundle that is not whole");
    github.finish();
}

#[tokio::test]
async fn a_bundle_that_was_sealed_anew_is_held_against_itself() {
    let github = lab().await;
    let cases: Vec<(Tampering<Proposal>, &str)> = vec![
        (Box::new(|it| it.version = 2), "version 2"),
        (Box::new(|it| it.fingerprint = Some(Fingerprint::of(&["other"]))), "fingerprint"),
        (Box::new(|it| it.failure = None), "names no failure"),
        (Box::new(|it| it.base_commit = "b".repeat(40)), "the run built"),
        (Box::new(|it| it.uncommitted = true), "never committed"),
        (Box::new(|it| it.files = vec!["other.py".into()]), "proposal.json names other.py"),
        (Box::new(|it| it.lines.added = 7), "adds 1 and removes 1 lines"),
        (Box::new(|it| it.reproduction.as_mut().unwrap().verdict = Verdict::Flaky), "not reproduced"),
        (Box::new(|it| it.verification = None), "no command proves"),
        (Box::new(|it| it.verification.as_mut().unwrap().steps[1].passed = false), "step `suite` failed"),
        (
            Box::new(|it| it.verification.as_mut().unwrap().steps[0].commands[0].output_hash = Sha::of(b"forged")),
            "output of the command `c2`",
        ),
    ];
    for (change, named) in cases {
        refuses(&github, draft(&github).proposing(change), Outcome::Refused, named).await;
    }
    let forged: unbreak::ids::Fingerprint = serde_json::from_str("\"../../../x\"").unwrap();
    let change = |it: &mut Proposal| {
        it.failure.as_mut().unwrap().id = forged.clone();
        it.fingerprint = Some(forged);
    };
    refuses(&github, draft(&github).proposing(change), Outcome::Refused, "fingerprint").await;
    github.finish();
}

#[tokio::test]
async fn files_that_do_not_fit_together_are_refused() {
    let github = lab().await;
    for (name, content, named) in [
        ("journal.jsonl", "{}\n", "journal.jsonl was altered"),
        ("journal.jsonl", "", "does not hold the record"),
        ("change.patch", "nonsense\n", "does not apply"),
        ("change.patch", "", "changes nothing"),
        ("incident.json", "{}", "incident.json is not of the form"),
        ("proposal.json", "[]", "proposal.json is not of the form"),
        ("evidence/c2-suite.txt", "2 passed\n", "output of the command `c2`"),
    ] {
        let bundle = draft(&github).with(name, content).sealed();
        let published = published(&github, &bundle).await;
        assert_eq!(published.outcome, Outcome::Refused, "{name}: {published:?}");
        assert!(published.reason.contains(named), "{name}: {published:?}");
    }
    let broken = Bundle::of(&github).change("a\nb.py", "x\n");
    refuses(&github, broken, Outcome::Refused, "cannot be named").await;
    let huge = "+x\n".repeat(600_000);
    refuses(&github, draft(&github).with("change.patch", huge), Outcome::Refused, "at most").await;
    github.finish();
}

#[tokio::test]
async fn runs_that_are_nobodys_to_repair_are_refused() {
    let github = lab().await;
    let branch = |name: &str| Some(BranchName::new(name).unwrap());
    let cases: Vec<(Tampering<Incident>, &str)> = vec![
        (Box::new(|it| it.head.repository = Some(RepositoryName::new("fork/lab").unwrap())), "fork"),
        (Box::new(|it| it.head.repository = None), "fork"),
        (Box::new(|it| it.head.branch = None), "no branch"),
        (Box::new(move |it| it.head.branch = branch("unbreak/test-01234567")), "its own repairs"),
        (Box::new(move |it| it.head.branch = branch("gh-readonly-queue/main/pr-1-abc")), "merge queue"),
        (Box::new(|it| it.version = 9), "version 9"),
    ];
    for (change, named) in cases {
        refuses(&github, draft(&github).happening(change), Outcome::Refused, named).await;
    }
    let elsewhere = |it: &mut Incident| {
        it.repository = RepositoryName::new("octo/other").unwrap();
        it.head.repository = Some(it.repository.clone());
    };
    refuses(&github, draft(&github).happening(elsewhere), Outcome::Refused, "octo/other").await;
    github.world().archived = true;
    refuses(&github, draft(&github), Outcome::Refused, "archived").await;
    github.finish();
}

#[tokio::test]
async fn the_forge_says_what_the_run_built_whatever_the_bundle_says() {
    let github = lab().await;
    let (release, other) = {
        let mut world = github.world();
        let main = world.git.tip("main").unwrap();
        world.git.create("release", &main);
        (main, world.push("other", &[("calc.py", BROKEN)], "Another line"))
    };
    // A stage before that chooses its own base: another branch at the same commit, or another one altogether.
    let on = |name: &str| {
        let name = BranchName::new(name).unwrap();
        move |it: &mut Incident| it.head.branch = Some(name)
    };
    let elsewhere = Bundle::of(&github).base(&release).change("calc.py", MENDED).happening(on("release"));
    refuses(&github, elsewhere, Outcome::Refused, "the branch is another").await;
    let elsewhere = Bundle::of(&github).base(&other).change("calc.py", MENDED).happening(on("other"));
    refuses(&github, elsewhere, Outcome::Refused, "the commit is another").await;
    let unknown = draft(&github).happening(|it| it.run.id = 9);
    refuses(&github, unknown, Outcome::Refused, "run 9 cannot be looked up").await;
    // A fork's run that is passed off as one of the repository itself.
    github.world().runs.last_mut().unwrap().head_repository = "fork/lab".to_owned();
    refuses(&github, draft(&github), Outcome::Refused, "the repository is another").await;
    github.finish();
}

#[tokio::test]
async fn a_run_that_fixed_nothing_publishes_nothing() {
    let github = lab().await;
    let declined = draft(&github).proposing(|it| it.result = Conclusion::Declined);
    refuses(&github, declined, Outcome::Nothing, "declined").await;
    assert!(github.world().requests.is_empty());
    github.finish();
}

#[tokio::test]
async fn the_policy_of_the_default_branch_decides_whatever_the_bundle_says() {
    let policy = "version: 1\ndenied_paths: [calc.py]\n";
    let github = lab_with(&[(".github/unbreak.yml", policy)]).await;
    refuses(&github, draft(&github), Outcome::Blocked, "forbids to change calc.py").await;
    github.finish();
    for (path, named) in [
        (".github/workflows/ci.yml", "forbids to change .github/workflows/ci.yml"),
        (".github/unbreak.yml", "forbids to change .github/unbreak.yml"),
        ("requirements.txt", "a person has to agree before requirements.txt"),
        ("nowhere/new.py", "forbids to change nowhere/new.py"),
        ("calc\u{200b}.py", "reads otherwise than it is"),
        ("yp.clac\u{202e}", "reads otherwise than it is"),
    ] {
        let github = lab().await;
        refuses(&github, Bundle::of(&github).change(path, "x\n"), Outcome::Blocked, named).await;
        github.finish();
    }
}

#[tokio::test]
async fn a_policy_on_the_failing_branch_allows_nothing() {
    let github = lab().await;
    let generous = "version: 1\nallowed_write_paths: [calc.py, requirements.txt]\n";
    let tip = {
        let mut world = github.world();
        let main = world.git.tip("main").unwrap();
        world.git.create("topic", &main);
        let tip =
            world.push("topic", &[(".github/unbreak.yml", generous), ("vendor/deep/x.py", "x = 1\n")], "Generous");
        world.rerun("topic", &tip);
        tip
    };
    // At the default branch nothing is denied but what the defaults deny.
    github.world().push("main", &[(".github/unbreak.yml", "version: 1\nallowed_write_paths: [src/]\n")], "Strict");
    let topic = |it: &mut Incident| it.head.branch = Some(BranchName::new("topic").unwrap());
    let draft = Bundle::of(&github).base(&tip).change("calc.py", MENDED).happening(topic);
    refuses(&github, draft, Outcome::Blocked, "outside `allowed_write_paths`").await;
    github.finish();
}

#[tokio::test]
async fn a_policy_behind_a_symlink_is_not_taken_for_none() {
    let github = lab_with(&[("policy.yml", "version: 1\nstage: read-only\n")]).await;
    let tip = github.world().push_link("main", (".github/unbreak.yml", "../policy.yml"));
    github.world().rerun("main", &tip);
    let linked = Bundle::of(&github).base(&tip).change("calc.py", MENDED);
    refuses(&github, linked, Outcome::Blocked, "`.github/unbreak.yml` is there, and is no file").await;
    github.finish();
}

#[tokio::test]
async fn stages_and_broken_policies_publish_nothing() {
    for (policy, named) in [
        ("version: 1\nstage: patch\n", "lower than `pull-request`"),
        ("version: 1\nstage: read-only\n", "lower than `pull-request`"),
        ("version: 1\ndeliver: bundle\n", "`deliver`"),
        ("version: 1\nunknown: 1\n", "cannot be read"),
        ("version: 1\nlimits: {files: 10, lines: 1}\n", "too large"),
    ] {
        let github = lab_with(&[(".github/unbreak.yml", policy)]).await;
        refuses(&github, draft(&github), Outcome::Blocked, named).await;
        github.finish();
    }
    let github = lab().await;
    let stage = Stage { ceiling: Some(PolicyStage::Patch), ..Stage::new() };
    let published = stage.publish(&github, &draft(&github).sealed()).await;
    assert_eq!(published.outcome, Outcome::Blocked, "{published:?}");
    github.finish();
}

#[tokio::test]
async fn the_gate_judges_anew() {
    let github = lab().await;
    let skipped = TEST.replace("def test_add", "import pytest\n\n\n@pytest.mark.skip\ndef test_add");
    let cheat = Bundle::of(&github).change("test_calc.py", &skipped);
    refuses(&github, cheat, Outcome::Blocked, "the gate's rule").await;
    refuses(&github, Bundle::of(&github).delete("test_calc.py"), Outcome::Blocked, "the gate's rule").await;
    github.finish();
}

#[tokio::test]
async fn credentials_leave_neither_in_the_patch_nor_in_words() {
    let github = lab().await;
    // The stage's own token has a known shape, so another value shows that values are looked for too.
    let token = crate::support::github::TOKEN;
    let leaking = format!("{MENDED}KEY = '{token}'\n");
    refuses(&github, Bundle::of(&github).change("calc.py", &leaking), Outcome::Blocked, "credential").await;
    let in_words = draft(&github).proposing(|it| it.cause = Some(format!("the token {token} was wrong")));
    refuses(&github, in_words, Outcome::Blocked, "credential").await;
    let titled = draft(&github).proposing(|it| it.failure.as_mut().unwrap().message = token.to_owned());
    let published = published(&github, &titled.sealed()).await;
    assert_eq!(published.outcome, Outcome::Blocked, "{published:?}");
    assert!(!format!("{published:?}").contains(token));
    assert_untouched(&github);
    github.finish();
}

#[tokio::test]
async fn no_more_pull_requests_are_opened_in_a_day_than_the_policy_says() {
    let github = lab_with(&[(".github/unbreak.yml", "version: 1\nbudget: {prs_per_day: 2}\n")]).await;
    {
        let mut world = github.world();
        for (branch, text) in [("unbreak/lint-00000001", "1\n"), ("unbreak/lint-00000002", "2\n"), ("feature/x", "3\n")]
        {
            world.push(branch, &[("NOTES.md", text)], "a change");
            world.open_pull(branch, "main", "a change");
        }
    }
    let bundle = draft(&github).sealed();
    let published = published(&github, &bundle).await;
    assert_eq!(published.outcome, Outcome::Blocked, "{published:?}");
    assert!(published.reason.contains("2 pull requests a day, and 2 were opened"), "{published:?}");
    assert_eq!(github.world().pulls.len(), 3);
    assert!(github.world().git.tip(published.branch.unwrap().name().as_str()).is_none(), "no branch is left for it");
    // A day later there is room again.
    for pull in &mut github.world().pulls {
        pull.created = 0;
    }
    let stage = Stage { now: super::NOON + 24 * 60 * 60, ..Stage::new() };
    assert_eq!(stage.publish(&github, &bundle).await.outcome, Outcome::Opened);
    github.finish();
}

#[tokio::test]
async fn a_patch_that_hides_its_lines_is_judged_by_the_files_that_it_makes() {
    let token = crate::support::github::TOKEN;
    let old = format!("{BROKEN}KEY = 'ghp_{}'\n", "a1B2".repeat(9));
    let github = lab_with(&[("keys.py", &old)]).await;
    let long = format!("{MENDED}{}", "x = 1\n".repeat(600));
    refuses(&github, Bundle::of(&github).change("calc.py", &long).opaque("calc.py"), Outcome::Blocked, "lines").await;
    for fresh in [format!("ghp_{}", "Z9y8".repeat(9)), token.to_owned()] {
        let other = format!("{BROKEN}KEY = '{fresh}'\n");
        refuses(
            &github,
            Bundle::of(&github).change("keys.py", &other).opaque("keys.py"),
            Outcome::Blocked,
            "credential",
        )
        .await;
    }
    let skipped = TEST.replace("def test_add", "import pytest\n\n\n@pytest.mark.skip\ndef test_add");
    let cheat = Bundle::of(&github).change("test_calc.py", &skipped).opaque("test_calc.py");
    refuses(&github, cheat, Outcome::Blocked, "the gate's rule").await;
    github.finish();
}
