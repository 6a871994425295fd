//! Random faults, the same for the same seed.

use std::fmt;
use std::time::Duration;

use super::faults::Fault;
use super::routes::{ROUTES, Route};
use super::world::World;

/// What will go wrong in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Schedule {
    pub(crate) seed: u64,
    /// After how many reads new things show.
    pub(crate) lag: u32,
    /// Which request of a kind is hit, from 1 on, and by what.
    pub(crate) faults: Vec<(Route, usize, Fault)>,
    /// Before which request somebody else moves the default branch.
    pub(crate) moved: Option<(Route, usize)>,
}

impl Schedule {
    /// The schedule of a seed, as long as the table of routes is the same.
    pub(crate) fn random(seed: u64) -> Self {
        let mut dice = Dice(seed);
        let lag = [0, 0, 1, 2][dice.below(4)];
        let faults = (0..dice.below(6)).map(|_| {
            let route = ALL[dice.below(ALL.len())];
            (route, [1, 1, 1, 2, 2, 3][dice.below(6)], fault(route, &mut dice))
        });
        let faults = faults.collect();
        let moved = (dice.below(8) == 0).then(|| (ALL[dice.below(ALL.len())], 1 + dice.below(2)));
        Self { seed, lag, faults, moved }
    }
}

impl World {
    /// From now on this goes wrong.
    pub(crate) fn follow_schedule(&mut self, schedule: &Schedule) {
        self.lag = schedule.lag;
        for (route, number, fault) in &schedule.faults {
            self.faults.maybe(*route, *number, fault.clone());
        }
        if let Some((route, number)) = schedule.moved {
            self.faults.perhaps_before(route, number, |world| {
                let branch = world.default_branch.clone();
                world.push(&branch, &[("ELSEWHERE.md", "somebody else was here\n")], "Elsewhere");
            });
        }
    }
}

/// Whether a request of a kind changes something: there lost answers hurt.
const WRITES: &[Route] = &[
    Route::CreatePull,
    Route::UpdatePull,
    Route::AddLabels,
    Route::CreateRef,
    Route::DeleteRef,
    Route::CommitOnBranch,
    Route::GitPush,
];

/// What is hit: every kind of request, those that change something twice as often.
static ALL: std::sync::LazyLock<Vec<Route>> = std::sync::LazyLock::new(|| {
    let elsewhere = [Route::CommitOnBranch, Route::Blob, Route::GitRefs, Route::GitFetch, Route::GitPush];
    ROUTES.iter().map(|row| row.route).chain(elsewhere).chain(WRITES.iter().copied()).collect()
});

fn fault(route: Route, dice: &mut Dice) -> Fault {
    let choices: &[Fault] = &[
        Fault::status(500),
        Fault::status(502),
        Fault::status(503),
        Fault::rate_limit(403, 0),
        Fault::rate_limit(429, 1),
        Fault::Cut,
        Fault::Lose,
        Fault::LoseAtGateway,
        Fault::Slow(Duration::from_millis(30)),
        Fault::status(403),
        Fault::status(404),
        Fault::status(409),
    ];
    if route == Route::GitPush && dice.below(3) == 0 {
        return Fault::Hook("the schedule refuses this push");
    }
    // A write whose answer is lost is what breaks programs; it comes up more often than the rest.
    if WRITES.contains(&route) && dice.below(2) == 0 {
        return Fault::Lose;
    }
    choices[dice.below(choices.len())].clone()
}

impl fmt::Display for Schedule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Schedule::random({}): lag {}", self.seed, self.lag)?;
        for (route, number, fault) in &self.faults {
            write!(formatter, "; {route:?} {number}: {fault}")?;
        }
        match self.moved {
            Some((route, number)) => write!(formatter, "; the base moves before {route:?} {number}"),
            None => Ok(()),
        }
    }
}

/// splitmix64.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % u64::try_from(end).unwrap()).unwrap()
    }
}
