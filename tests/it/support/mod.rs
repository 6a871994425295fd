//! What the tests share: throw-away repositories, the program in a clean environment, a scripted model server, and a
//! world in memory for the model loop.

pub(crate) mod model;
pub(crate) mod program;
pub(crate) mod repository;
pub(crate) mod world;
