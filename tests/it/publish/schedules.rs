//! Random schedules of faults, through collecting and publishing: nothing is lost, and nothing is doubled.
//!
//! `FAULT_SCHEDULES` says how many (50 unless it is said), `FAULT_SEED` with which seed they begin; a failure names the
//! seed that it came from, and the same seed brings it back.

use unbreak::collect::{self, Caps, collect};
use unbreak::incident::Incident;

use super::{
    BROKEN, Bundle, Connection, FakeGitHub, Git, GitHub, Journal, MENDED, OTHERWISE, Outcome, Published, Remote,
    RepositoryName, Secret, TOKEN, TempDir, assert_delivered, impatient, lab, own_branch, published,
};
use crate::support::github::{By, RED_RUN, Schedule, State};

/// How many schedules run at a time.
const AT_ONCE: u64 = 4;
/// How often a workflow that fails is run again before its faults are used up.
const AGAIN: usize = 6;

#[test]
fn no_schedule_of_faults_loses_or_doubles_anything() {
    let number = |name: &str, otherwise: u64| {
        std::env::var(name).ok().map_or(otherwise, |value| value.parse().unwrap_or_else(|_| panic!("{name}={value}")))
    };
    let (first, count) = (number("FAULT_SEED", 0), number("FAULT_SCHEDULES", 50));
    std::thread::scope(|scope| {
        for lane in 0..AT_ONCE {
            scope.spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                for seed in (first..first + count).filter(|seed| seed % AT_ONCE == lane) {
                    runtime.block_on(follow(seed));
                }
            });
        }
    });
    println!("{count} schedules from seed {first}");
}

/// One world, one schedule: runs follow each other, some two at a time, until one has nothing left to do.
async fn follow(seed: u64) {
    let schedule = Schedule::random(seed);
    let named = || format!("FAULT_SEED={seed} FAULT_SCHEDULES=1: {schedule}");
    let github = lab().await;
    github.world().signatures = seed % 5 == 4;
    let mended = Bundle::of(&github);
    // Another run, whose repair is another one every third time.
    let rival = Bundle::of(&github)
        .attempt(2)
        .change("calc.py", if seed.is_multiple_of(3) { OTHERWISE } else { MENDED })
        .sealed();
    github.world().follow_schedule(&schedule);
    let incident = collected(&github).await;
    let mended = match incident {
        // What is published is what was collected, as far as the collecting came.
        Some(incident) => mended.happening(|given| given.run = incident.run),
        None => mended,
    };
    let mended = mended.change("calc.py", MENDED).sealed();
    let mut ends: Vec<Published> = Vec::new();
    for round in 0..AGAIN {
        if seed % 2 == 1 && round < 2 {
            let (one, two) = tokio::join!(published(&github, &mended), published(&github, &rival));
            ends.extend([two, one]);
        } else {
            ends.push(published(&github, &mended).await);
        }
        assert_one_at_most(&github, &named());
    }
    let last = ends.last().unwrap();
    if last.outcome == Outcome::Stale {
        assert!(schedule.moved.is_some() || seed % 2 == 1, "{}: {ends:#?}", named());
        if github.world().pulls.iter().all(|pull| pull.state != State::Open) {
            assert_eq!(own_branch(&github), None, "an orphan; {}: {ends:#?}", named());
        }
    } else {
        assert!(last.outcome.is_delivered(), "{}: {ends:#?}", named());
        assert_delivered(&github);
    }
    github.finish();
}

/// Never more than one open pull request and one branch; nobody but a person moves what is not ours.
fn assert_one_at_most(github: &FakeGitHub, named: &str) {
    own_branch(github);
    let world = github.world();
    let open = world.pulls.iter().filter(|pull| pull.state == State::Open).count();
    assert!(open <= 1 && world.pulls.len() <= 1, "{named}: {:#?}", world.pulls);
    let foreign = world.moves.iter().find(|step| !step.branch.starts_with("unbreak/") && step.by != By::Person);
    assert!(foreign.is_none(), "{named}: {foreign:?}");
    assert!(world.git.read("main", "calc.py").unwrap() == BROKEN, "{named}: the base was written to");
}

/// Collects, again when it fails; `None` when all of it failed.
async fn collected(github: &FakeGitHub) -> Option<Incident> {
    for _ in 0..3 {
        let place = TempDir::new_in("/var/tmp").unwrap();
        let token = Secret::new(TOKEN.to_owned());
        let repository = RepositoryName::new(&github.world().repository).unwrap();
        let connection = Connection { api: github.api(), repository, token: Some(token.clone()) };
        let client = GitHub::open_with(connection, impatient()).unwrap();
        let desk = collect::Desk {
            github: &client,
            git: &Git::new("git".into(), place.path().join("home")).unwrap(),
            remote: &Remote::new(&github.clone_url(), Some(token)).unwrap(),
            scratch: &place.path().join("scratch"),
            journal: &Journal::unkept(|| 0),
            progress: &|_| {},
        };
        let directory = place.path().join("bundle");
        let request = collect::Request { run: RED_RUN, attempt: None, directory, caps: Caps::default() };
        if let Ok(incident) = collect(&request, &desk).await {
            return Some(incident);
        }
    }
    None
}
