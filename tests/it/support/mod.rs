//! What the tests share: throw-away repositories, a git server, a GitHub of one's own, the program in a clean environment
//! or as a step of a runner, a scripted model server, and a world in memory for the model loop.

pub(crate) mod git_http;
pub(crate) mod github;
pub(crate) mod model;
pub(crate) mod program;
pub(crate) mod repository;
pub(crate) mod runner;
pub(crate) mod world;
