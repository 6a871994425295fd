//! A GitHub of one's own: a stateful fake behind the real client, over HTTP on 127.0.0.1.
//!
//! ```ignore
//! let github = Scene::of(&[("calc.py", BROKEN), ("test_calc.py", TEST)]).log(PYTEST_LOG).start().await;
//! github.world().faults.next(Route::CreatePull, Fault::Lose);
//! let ran = Runner::new(&github).input("github-token", TOKEN).run(&["action"]);
//! assert_eq!(github.world().open_pulls("unbreak/test-9f2c0a1b").len(), 1);
//! github.finish();
//! ```
//!
//! - The [`World`] is plain values and one bare repository on disk, which alone knows branches and commits. A test
//!   looks at it and changes it through [`FakeGitHub::world`]; do not hold that across an `.await` of a request.
//! - Nothing is scripted: a request reads or changes the world. What goes wrong is part of it: [`faults`], [`schedule`].
//! - Requests and answers are held against GitHub's own description: [`openapi`]. An unknown route, a request that
//!   GitHub would not understand, a token that leaks, a branch that the program must not touch: all of these fail the
//!   test, in [`FakeGitHub::finish`] or, when that is forgotten, at the end of the fake.
//!
//! How honest it is: a cut connection is closed without a byte of an answer, before or after the deed; an answer that
//! breaks off in its middle is not offered. Requests are served one at a time. Another host is another port.

mod actions;
mod answer;
mod bare;
mod branches;
mod elsewhere;
mod faults;
mod graphql;
mod held;
mod model;
mod openapi;
mod pulls;
mod routes;
mod scene;
mod schedule;
mod server;
mod world;

use unbreak::ids::RepositoryName;
use unbreak::secret::Secret;
use wiremock::MockServer;

pub(crate) use faults::Fault;
pub(crate) use held::Held;
pub(crate) use model::{By, Job, State};
pub(crate) use openapi::operations;
pub(crate) use routes::{ROUTES, Route, Row};
pub(crate) use scene::{GREEN_RUN, RED_JOB, RED_RUN, Scene, WORKFLOW, job_log, zipped};
pub(crate) use schedule::Schedule;
pub(crate) use world::{BOT, READ_TOKEN, TOKEN, World};

/// The fake, as long as it runs.
pub(crate) struct FakeGitHub {
    world: server::Shared,
    holder: held::Holder,
    servers: [MockServer; 2],
    finished: bool,
}

impl FakeGitHub {
    async fn serve(world: World) -> Self {
        let (world, servers) = server::start(world).await;
        Self { world, holder: held::Holder::default(), servers, finished: false }
    }

    /// The world, to look at and to change. Asked for twice in one statement it panics: both would wait for ever.
    pub(crate) fn world(&self) -> Held<'_> {
        self.holder.hold(&self.world)
    }

    /// `GITHUB_SERVER_URL`.
    pub(crate) fn url(&self) -> String {
        self.servers[0].uri()
    }

    /// `GITHUB_API_URL`.
    pub(crate) fn api(&self) -> String {
        format!("{}/api/v3", self.url())
    }

    /// `GITHUB_GRAPHQL_URL`.
    pub(crate) fn graphql(&self) -> String {
        format!("{}/api/graphql", self.url())
    }

    /// Where git fetches and pushes.
    pub(crate) fn clone_url(&self) -> String {
        format!("{}/{}.git", self.url(), self.world().repository)
    }

    /// What the program's own client needs to talk to it.
    pub(crate) fn connection(&self, token: &str) -> unbreak::github::Connection {
        unbreak::github::Connection {
            api: self.api(),
            repository: RepositoryName::new(&self.world().repository).unwrap(),
            token: Some(Secret::new(token.to_owned())),
        }
    }

    /// The event file of a completed run.
    pub(crate) fn workflow_run_event(&self, run: u64) -> serde_json::Value {
        self.world().workflow_run_event(run)
    }

    /// What was wrong so far, and is forgotten with this.
    pub(crate) fn take_complaints(&self) -> Vec<String> {
        std::mem::take(&mut self.world().complaints)
    }

    /// Ends the test: nothing may have been wrong, and every fault that it planned must have been met.
    pub(crate) fn finish(mut self) {
        self.judge();
    }

    fn judge(&mut self) {
        self.finished = true;
        let (mut complaints, unmet) = (self.take_complaints(), self.world().faults.unmet());
        complaints.extend(unmet);
        assert!(complaints.is_empty(), "GitHub complains:\n{}", complaints.join("\n"));
    }
}

impl Drop for FakeGitHub {
    fn drop(&mut self) {
        if !self.finished && !std::thread::panicking() {
            self.judge();
        }
    }
}
