//! What goes wrong is part of the world: each kind of request has its faults, by which request of the kind they hit.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::time::Duration;

use super::routes::Route;
use super::world::World;

/// What happens to a request instead of what should.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Nothing is done, and this is answered.
    Refuse { status: u16, message: &'static str, retry_after: Option<u64> },
    /// Nothing is done: the hour's requests are used up for this many seconds more, by the answer's own date.
    Exhausted { seconds: u64 },
    /// Nothing is done, and the connection is cut.
    Cut,
    /// It is done, and the connection is cut before an answer.
    Lose,
    /// It is done, and a gateway answers 502.
    LoseAtGateway,
    /// It is done, and answered after this time.
    Slow(Duration),
    /// A hook of the repository refuses a push with these words.
    Hook(&'static str),
}

/// The words that GitHub has for a status.
const WORDS: &[(u16, &str)] = &[
    (403, "Resource not accessible by integration"),
    (404, "Not Found"),
    (409, "Conflict"),
    (422, "Validation Failed"),
    (429, "You have exceeded a secondary rate limit."),
    (500, "Server Error"),
    (502, "Server Error"),
    (503, "Service unavailable"),
];

impl Fault {
    /// Answers a status with GitHub's usual words.
    pub(crate) fn status(status: u16) -> Self {
        let message = WORDS.iter().find(|(known, _)| *known == status).unwrap().1;
        Self::Refuse { status, message, retry_after: None }
    }

    /// A secondary rate limit: 403 or 429, with the seconds to wait.
    pub(crate) fn rate_limit(status: u16, retry_after: u64) -> Self {
        let message = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";
        Self::Refuse { status, message, retry_after: Some(retry_after) }
    }

    /// Whether what was asked for is done all the same.
    pub(super) fn acts(&self) -> bool {
        matches!(self, Self::Lose | Self::LoseAtGateway | Self::Slow(_))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refuse { status, retry_after: Some(seconds), .. } => {
                write!(formatter, "{status} with Retry-After {seconds}")
            }
            Self::Refuse { status, .. } => write!(formatter, "{status}"),
            Self::Exhausted { seconds } => write!(formatter, "used up for {seconds} s"),
            Self::Cut => formatter.write_str("cut before it is done"),
            Self::Lose => formatter.write_str("done, answer lost"),
            Self::LoseAtGateway => formatter.write_str("done, 502"),
            Self::Slow(time) => write!(formatter, "slow by {} ms", time.as_millis()),
            Self::Hook(words) => write!(formatter, "refused by a hook: {words}"),
        }
    }
}

type Happening = Box<dyn FnOnce(&mut World) + Send>;

/// What is going to go wrong.
#[derive(Default)]
pub(crate) struct Faults {
    planned: Vec<Planned>,
    happenings: Vec<(Route, usize, Happening)>,
    /// Happenings that need not come.
    chances: Vec<(Route, usize, Happening)>,
    arrived: BTreeMap<Route, usize>,
}

struct Planned {
    route: Route,
    hits: Range<usize>,
    fault: Fault,
    /// A test that names a fault wants it to be met; a schedule does not know.
    demanded: bool,
}

impl Planned {
    /// The last request that it has to hit; of one without an end, the first.
    fn last(&self) -> usize {
        if self.hits.end == usize::MAX { self.hits.start } else { self.hits.end - 1 }
    }
}

impl Faults {
    /// The next request of a kind that has no fault yet.
    pub(crate) fn next(&mut self, route: Route, fault: Fault) {
        self.next_times(route, 1, fault);
    }

    /// The next requests of a kind; `usize::MAX` for all that come.
    pub(crate) fn next_times(&mut self, route: Route, times: usize, fault: Fault) {
        let taken = self.planned.iter().filter(|planned| planned.route == route).map(|planned| planned.hits.end);
        let first = taken.max().unwrap_or(0).max(self.arrived(route) + 1);
        self.planned.push(Planned { route, hits: first..first.saturating_add(times), fault, demanded: true });
    }

    /// The request of a kind with this number, from 1 on since the world began; what was planned for it before wins.
    pub(crate) fn at(&mut self, route: Route, number: usize, fault: Fault) {
        self.planned.push(Planned { route, hits: number..number + 1, fault, demanded: true });
    }

    /// The same, but for a fault that need not be met.
    pub(super) fn maybe(&mut self, route: Route, number: usize, fault: Fault) {
        self.planned.push(Planned { route, hits: number..number + 1, fault, demanded: false });
    }

    /// Something happens before the request of a kind with this number is looked at.
    pub(crate) fn before(&mut self, route: Route, number: usize, happening: impl FnOnce(&mut World) + Send + 'static) {
        self.happenings.push((route, number, Box::new(happening)));
    }

    /// The same, but it need not come to that.
    pub(super) fn perhaps_before(
        &mut self,
        route: Route,
        number: usize,
        happening: impl FnOnce(&mut World) + Send + 'static,
    ) {
        self.chances.push((route, number, Box::new(happening)));
    }

    /// The faults and happenings that a test planned and nothing met.
    pub(super) fn unmet(&self) -> Vec<String> {
        let faults = self.planned.iter().filter(|planned| planned.demanded);
        let faults = faults.filter(|planned| self.arrived(planned.route) < planned.last());
        let faults =
            faults.map(|planned| format!("{:?} {:?}: `{}` was not met", planned.route, planned.hits, planned.fault));
        let happenings =
            self.happenings.iter().map(|(route, number, _)| format!("nothing happened before {route:?} {number}"));
        faults.chain(happenings).collect()
    }

    fn arrived(&self, route: Route) -> usize {
        self.arrived.get(&route).copied().unwrap_or(0)
    }
}

impl World {
    /// A request arrives: what was to happen before it happens; the fault that hits it.
    pub(super) fn arrive(&mut self, route: Route) -> Option<Fault> {
        let number = self.faults.arrived(route) + 1;
        self.faults.arrived.insert(route, number);
        let due = |entry: &(Route, usize, Happening)| entry.0 == route && entry.1 == number;
        let mut now: Vec<_> = self.faults.happenings.extract_if(.., |entry| due(entry)).collect();
        now.extend(self.faults.chances.extract_if(.., |entry| due(entry)));
        for (_, _, happening) in now {
            happening(self);
        }
        let hit = |planned: &&Planned| planned.route == route && planned.hits.contains(&number);
        self.faults.planned.iter().find(hit).map(|planned| planned.fault.clone())
    }
}
