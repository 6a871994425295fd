//! A failed run of the fake GitHub becomes a bundle: over real HTTP, with real git.

use std::path::PathBuf;

use serde_json::Value;
use tempfile::TempDir;
use unbreak::artifact::{Limits, Matchers};
use unbreak::collect::{Caps, Desk, Request, collect, hints_of};
use unbreak::git::{Depot, Git, Remote};
use unbreak::github::{Connection, GitHub};
use unbreak::handover::{Handover, Kind, MANIFEST};
use unbreak::ids::{CommitSha, RepoPath, RepositoryName};
use unbreak::incident::Incident;
use unbreak::journal::Journal;
use unbreak::secret::Secret;
use unbreak::source::Source as _;
use unbreak::workflow::{self, Workflow};
use unbreak::{failure, fix};

use crate::support::github::{
    FakeGitHub, Fault, GREEN_RUN, Job, READ_TOKEN, RED_JOB, RED_RUN, Route, Scene, WORKFLOW, job_log,
};

const WORKS: &[(&str, &str)] = &[("calc.py", "def add(a, b):\n    return a + b\n")];
const BROKEN: &[(&str, &str)] = &[
    ("calc.py", "def add(a, b):\n    return a - b\n"),
    ("test_calc.py", "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"),
    (".github/unbreak.yml", "stage: pull-request\n"),
];
const LOG: &str = "=================================== FAILURES ===================================\n\
___________________________________ test_add ___________________________________\n\n\
    def test_add():\n>       assert add(1, 2) == 3\nE       assert -1 == 3\n\ntest_calc.py:5: AssertionError\n\
=========================== short test summary info ============================\n\
FAILED test_calc.py::test_add - assert -1 == 3\n\
============================== 1 failed in 0.01s ===============================\n";
const REPORT: &str = "<testsuite name='pytest' tests='1' failures='1'><testcase classname='test_calc' name='test_add'>\
<failure message='assert -1 == 3'>test_calc.py:5: AssertionError</failure></testcase></testsuite>";

/// Somebody who collects.
struct Collector {
    room: TempDir,
    token: &'static str,
    caps: Caps,
    attempt: Option<u32>,
    run: u64,
}

impl Collector {
    fn new() -> Self {
        let room = tempfile::Builder::new().prefix("unbreak-collect-").tempdir_in("/var/tmp").unwrap();
        Self { room, token: READ_TOKEN, caps: Caps::default(), attempt: None, run: RED_RUN }
    }

    fn out(&self) -> PathBuf {
        self.room.path().join("out/bundle")
    }

    fn git(&self) -> Git {
        Git::new(PathBuf::from("git"), self.room.path().join("config")).unwrap()
    }

    async fn try_collect(&self, forge: &FakeGitHub) -> anyhow::Result<(Incident, u32)> {
        let token = || Some(Secret::new(self.token.to_owned()));
        let repository = RepositoryName::new(&forge.world().repository).unwrap();
        let github = GitHub::open(Connection { api: forge.api(), repository, token: token() }).unwrap();
        let (git, journal) = (self.git(), Journal::unkept(|| 0));
        let remote = Remote::new(&forge.clone_url(), token()).unwrap();
        let scratch = self.room.path().join("scratch");
        let desk = Desk {
            github: &github,
            git: &git,
            remote: &remote,
            scratch: &scratch,
            journal: &journal,
            progress: &|_| (),
        };
        let request = Request { run: self.run, attempt: self.attempt, directory: self.out(), caps: self.caps };
        let incident = collect(&request, &desk).await?;
        let left: Vec<_> = std::fs::read_dir(&scratch).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["lock"], "the repository of its own is taken away");
        Ok((incident, github.calls()))
    }

    async fn collect(&self, forge: &FakeGitHub) -> Incident {
        self.try_collect(forge).await.unwrap().0
    }

    fn handover(&self) -> Handover {
        Handover::open(&self.out(), Kind::Collected).unwrap()
    }

    fn read(&self, path: &RepoPath) -> String {
        String::from_utf8(self.handover().read(path).unwrap()).unwrap()
    }

    /// What the bundle brings into another repository.
    async fn unbundled(&self, incident: &Incident) -> Depot {
        let journal = Journal::unkept(|| 0);
        let depot = Depot::create(&self.git(), &self.room.path().join("depot"), &journal).await.unwrap();
        let shallow = incident.history_bundle.shallow.as_ref().map(|path| self.read(path));
        let file = self.out().join(incident.history_bundle.file.as_str());
        depot.unbundle(&file, shallow.as_deref(), &journal).await.unwrap();
        depot
    }
}

async fn lab() -> FakeGitHub {
    let scene = Scene::of(BROKEN).before(WORKS).log(LOG).artifact("junit", &[("out/report.xml", REPORT)]);
    scene.annotation("test_calc.py", 5, "assert -1 == 3").start().await
}

/// The red run gets further failed jobs like its first one.
fn add_jobs(forge: &FakeGitHub, jobs: impl Iterator<Item = (u64, String)>) {
    let mut world = forge.world();
    let like = world.jobs.iter().find(|job| job.id == RED_JOB).unwrap().clone();
    world.jobs.extend(jobs.map(|(id, name)| Job { id, name, ..like.clone() }));
}

fn sha(text: &str) -> CommitSha {
    CommitSha::new(text).unwrap()
}

fn tip(forge: &FakeGitHub) -> CommitSha {
    sha(&forge.world().git.tip("main").unwrap())
}

#[tokio::test]
async fn everything_that_a_repair_needs_is_in_the_bundle() {
    let forge = lab().await;
    let collector = Collector::new();
    let (incident, calls) = collector.try_collect(&forge).await.unwrap();
    assert_eq!(incident.left_out, [""; 0]);
    assert_eq!(serde_json::to_value(&incident).unwrap(), collector.handover().json::<Value>("incident.json").unwrap());

    assert_eq!(incident.head.commit, tip(&forge));
    assert_eq!(incident.head.branch.as_ref().unwrap().as_str(), "main");
    assert!(!incident.is_from_fork());
    let job = &incident.jobs[0];
    assert_eq!((job.id, job.name.as_str(), job.failed_steps[0].number), (RED_JOB, "test", 3));
    let green = incident.green.as_ref().unwrap();
    assert_eq!((green.run_id, green.logs[0].0.as_str()), (GREEN_RUN, "test"));

    let file = incident.workflow.as_ref().unwrap();
    assert_eq!(file.path.as_str(), WORKFLOW);
    let workflow = Workflow::read(collector.read(&file.file).as_bytes()).unwrap();
    let found = workflow::find(&workflow, &job.name, &job.failed_steps[0]).unwrap();
    assert_eq!(found.command().unwrap()[0].argv, ["python", "-m", "pytest", "-q"]);
    assert_eq!(collector.read(&incident.policy.as_ref().unwrap().file), "stage: pull-request\n");

    assert!(collector.read(&green.logs[0].1).contains("all passed"));
    let (git, journal) = (collector.git(), Journal::unkept(|| 0));
    let scratch = collector.room.path().join("scratch");
    let place = (&git, scratch.as_path(), &journal);
    let policy = fix::collected_policy(&collector.handover(), &incident).unwrap();
    let request = fix::unpack(&collector.handover(), incident.clone(), policy, place).await.unwrap().request;
    let names: Vec<&str> = request.artifacts.iter().map(|raw| raw.name.as_str()).collect();
    assert_eq!(names, ["junit.zip", "test.log", "test.annotations"]);
    assert_eq!(request.steps[0].command.argv, ["python", "-m", "pytest", "-q"]);
    assert_eq!(request.since, Some(format!("{}..{}", green.commit, incident.head.commit)));
    let reports: Vec<_> =
        request.artifacts.iter().flat_map(|raw| raw.open(Matchers::built_in(), Limits::default())).collect();
    assert_eq!(reports[0].path, "junit.zip!out/report.xml");
    let failures = failure::collect(&reports, None);
    assert_eq!(failures.len(), 1, "three tell of one failure: {failures:?}");
    assert_eq!(failures[0].test.as_ref().unwrap().name, "test_add");

    let depot = collector.unbundled(&incident).await;
    let tree = depot.source(&incident.head.commit).unwrap();
    assert!(tree.text(&RepoPath::new("calc.py").unwrap()).unwrap().contains("a - b"));
    assert!(depot.is_ancestor(&green.commit, &incident.head.commit).unwrap());
    // The repository, the run, its jobs, a log, annotations, artifacts, one of them, green runs, jobs and a log of the
    // last one, pull requests.
    assert_eq!((calls as usize, forge.world().calls()), (11, 11));
    forge.finish();
}

#[tokio::test]
async fn attempts_of_a_run_are_told_apart() {
    let forge = lab().await;
    {
        let mut world = forge.world();
        let first = world.jobs.iter().find(|job| job.id == RED_JOB).unwrap().clone();
        let passed = Some("success".to_owned());
        world.jobs.push(Job { id: 203, attempt: 2, conclusion: passed, name: "lint".to_owned(), ..first.clone() });
        world.jobs.push(Job { id: 204, attempt: 2, ..first });
        world.runs[1].attempt = 2;
    }
    let incident = Collector::new().collect(&forge).await;
    let jobs: Vec<_> = incident.jobs.iter().map(|job| (job.id, job.attempt)).collect();
    assert_eq!((jobs, incident.run.attempt), (vec![(204, 2)], 2));
    assert_eq!((incident.history.len(), incident.history[0].attempt), (1, 1));
    let earlier = Collector { attempt: Some(1), ..Collector::new() }.collect(&forge).await;
    assert_eq!((earlier.jobs[0].id, earlier.run.attempt, earlier.history[0].attempt), (RED_JOB, 1, 2));
    forge.finish();
}

#[tokio::test]
async fn what_cannot_be_had_is_said_and_ends_nothing() {
    let forge = lab().await;
    {
        let mut world = forge.world();
        world.jobs.iter_mut().find(|job| job.id == RED_JOB).unwrap().log = None;
        world.artifacts[0].expired = true;
        world.faults.next(Route::Annotations, Fault::status(403));
        world.faults.next(Route::CommitPulls, Fault::status(403));
        world.runs[0].head_branch = "other".to_owned();
        world.runs[1].path = "dynamic/pages".to_owned();
    }
    let collector = Collector::new();
    let incident = collector.collect(&forge).await;
    let said = incident.left_out.join("\n");
    for words in [
        "There is no log of `test`",
        "The annotations of `test` were not collected",
        "annotations may need `checks: read`",
        "because they are expired: `junit`",
        "No earlier run of the workflow passed on `main`",
        "Pull requests were not looked for",
        "pull requests may need `pull-requests: read`",
        "The run has no workflow file of the repository: `dynamic/pages`",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert_eq!(incident.left_out.len(), 6);
    assert!(incident.jobs[0].log.is_none() && incident.artifacts.is_empty() && incident.green.is_none());
    let names: Vec<String> = collector.handover().names().map(ToString::to_string).collect();
    assert_eq!(names, ["history.bundle", "incident.json", "policy.yml"]);
    forge.finish();
}

#[tokio::test]
async fn without_a_run_or_a_right_there_is_nothing_and_the_way_out_is_named() {
    let forge = lab().await;
    let refused = async |collector: Collector| {
        let error = collector.try_collect(&forge).await.unwrap_err();
        assert!(!collector.out().join(MANIFEST).exists());
        (format!("{error:#}"), hints_of(&error).join("; "))
    };
    let (error, hints) = refused(Collector { run: 999, ..Collector::new() }).await;
    assert!(error.starts_with("the run was not found") && hints.contains("actions: read"), "{error} / {hints}");
    let (error, hints) = refused(Collector { token: "ghs_none", ..Collector::new() }).await;
    assert!(
        error.starts_with("GitHub does not accept the token") && hints.contains("github.token"),
        "{error} / {hints}"
    );
    forge.world().faults.next(Route::Jobs, Fault::status(403));
    let (error, hints) = refused(Collector::new()).await;
    assert!(
        error.starts_with("this token may not read the jobs") && hints.contains("actions: read"),
        "{error} / {hints}"
    );
    let full = Collector::new();
    std::fs::create_dir_all(full.out().join("old")).unwrap();
    assert!(refused(full).await.0.contains("is not empty"));
    drop(forge.take_complaints());
    forge.finish();
}

#[tokio::test]
async fn of_many_cells_that_fail_some_are_read_and_the_rest_is_named() {
    let forge = lab().await;
    add_jobs(&forge, (300..320).map(|id| (id, format!("matrix ({id})"))));
    {
        let mut world = forge.world();
        let like = world.artifacts[0].clone();
        for id in 302..320 {
            let mut more = like.clone();
            (more.id, more.name) = (id, format!("dist-{id}"));
            world.artifacts.push(more);
        }
    }
    let (incident, calls) = Collector::new().try_collect(&forge).await.unwrap();
    let logs: Vec<u64> = incident.jobs.iter().filter(|job| job.log.is_some()).map(|job| job.id).collect();
    assert_eq!((incident.jobs.len(), logs), (21, vec![RED_JOB, 300, 301, 302, 303, 304, 305, 306]));
    assert_eq!(incident.artifacts.len(), 6);
    assert_eq!(incident.artifacts[0].name, "junit");
    let said = incident.left_out.join("\n");
    assert!(said.contains("not those of `matrix (307)`") && said.contains("`matrix (319)`."), "{said}");
    assert!(said.contains("over the 6 that are collected: `dist-307`"), "{said}");
    assert!(calls <= 32, "{calls}");
    forge.finish();
}

#[tokio::test]
async fn policy_is_that_of_the_default_branch_and_the_pull_request_that_of_the_commit() {
    let forge = lab().await;
    let (number, head) = {
        let mut world = forge.world();
        let main = world.git.tip("main").unwrap();
        assert!(world.git.create("feature", &main));
        let files = [(".github/unbreak.yml", "stage: off\n"), ("x.py", "1\n")];
        world.push("feature", &files, "another");
        let number = world.open_pull("feature", "main", "Feature");
        let head = world.git.tip("feature").unwrap();
        world.runs[1].head_branch = "feature".to_owned();
        world.runs[1].head_sha.clone_from(&head);
        world.runs[1].event = "pull_request".to_owned();
        world.runs[1].path = format!("{WORKFLOW}@refs/pull/1/merge");
        (number, head)
    };
    let collector = Collector::new();
    let incident = collector.collect(&forge).await;
    assert_eq!((incident.pull_request, incident.head.commit.as_str()), (Some(number), head.as_str()));
    assert_eq!(collector.read(&incident.policy.unwrap().file), "stage: pull-request\n");
    assert_eq!(incident.policy_commit, tip(&forge));
    assert_eq!(incident.workflow.unwrap().path.as_str(), WORKFLOW);
    assert!(incident.left_out[0].contains("built the merge of the commit"), "{:?}", incident.left_out);
    // The branch moves on: the commit is no head of a pull request any more.
    forge.world().push("feature", &[("x.py", "2\n")], "more");
    assert_eq!(Collector::new().collect(&forge).await.pull_request, None);
    forge.finish();
}

#[tokio::test]
async fn a_tag_is_no_branch_and_a_fork_is_told() {
    let forge = lab().await;
    forge.world().runs[1].head_branch = "v1.0".to_owned();
    let incident = Collector::new().collect(&forge).await;
    assert_eq!((incident.head.branch, incident.green), (None, None));
    assert!(incident.left_out[0].contains("`v1.0` is no branch"), "{:?}", incident.left_out);
    {
        let mut world = forge.world();
        world.runs[1].head_branch = "main".to_owned();
        world.runs[1].head_repository = "someone/lab".to_owned();
    }
    let incident = Collector::new().collect(&forge).await;
    assert!(incident.is_from_fork() && incident.green.is_none(), "a green run of the base is not the fork's");
    forge.world().runs[1].head_branch = "a..b".to_owned();
    let incident = Collector::new().collect(&forge).await;
    assert!(incident.head.branch.is_none() && incident.left_out[0].contains("`a..b` is no branch name"));
    forge.finish();
}

#[tokio::test]
async fn a_run_that_has_not_ended_is_collected_by_its_failed_step() {
    let forge = lab().await;
    {
        let mut world = forge.world();
        world.runs[1].conclusion = None;
        world.runs[1].status = "in_progress".to_owned();
        let job = world.jobs.iter_mut().find(|job| job.id == RED_JOB).unwrap();
        (job.conclusion, job.log) = (None, None);
        job.steps.truncate(3);
        job.steps.push(("Run unbreak".to_owned(), None));
    }
    let incident = Collector::new().collect(&forge).await;
    assert_eq!((incident.run.conclusion, incident.jobs[0].conclusion.clone()), (None, None));
    assert_eq!(incident.jobs[0].failed_steps[0].name, "Run python -m pytest -q");
    assert!(incident.left_out[0].contains("is not there yet: the job has not ended"), "{:?}", incident.left_out);
    forge.finish();
}

#[tokio::test]
async fn a_green_commit_far_back_comes_alone() {
    let forge = lab().await;
    {
        let mut world = forge.world();
        for count in 0..5 {
            world.push("main", &[("x.py", &format!("{count}\n"))], "more");
        }
        let head = world.git.tip("main").unwrap();
        world.runs[1].head_sha = head;
    }
    let collector = Collector { caps: Caps { depth: 2, ..Caps::default() }, ..Collector::new() };
    let incident = collector.collect(&forge).await;
    assert!(incident.history_bundle.shallow.is_some());
    let depot = collector.unbundled(&incident).await;
    let green = &incident.green.unwrap().commit;
    assert!(depot.has(green) && !depot.is_ancestor(green, &incident.head.commit).unwrap());
    assert_eq!(incident.left_out, [""; 0]);
    forge.finish();
}

#[tokio::test]
async fn large_logs_keep_their_end_and_large_archives_are_left_out() {
    let forge = lab().await;
    {
        let mut world = forge.world();
        let long = format!("{}{LOG}", "noise\n".repeat(2_000));
        world.jobs.iter_mut().find(|job| job.id == RED_JOB).unwrap().log = Some(job_log("pytest", &long, false));
        world.runs[1].conclusion = Some("timed_out".to_owned());
    }
    let caps = Caps { log_bytes: 4_000, artifact_bytes: 10, ..Caps::default() };
    let collector = Collector { caps, ..Collector::new() };
    let incident = collector.collect(&forge).await;
    let log = collector.read(incident.jobs[0].log.as_ref().unwrap());
    assert!(log.len() == 4_000 && log.contains("FAILED test_calc.py::test_add"));
    let said = incident.left_out.join("\n");
    assert!(said.contains("only the last 4000 bytes") && said.contains("larger than 10 bytes: `junit`"), "{said}");
    forge.finish();
}
