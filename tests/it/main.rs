//! The integration tests, one binary:
//!
//! - `llm`: providers against a scripted server that validates every request, and its faults
//! - `repair`: the model loop against a world in memory
//! - `verify`: reproduction, proof, minimisation and fixers in the real sandbox
//! - `walls`: attempts to climb the sandbox's walls, in each tier
//! - `demo`: the whole loop on the bundled project
//! - `fix`: the whole loop on real projects
//! - `command_line`: what scripts depend on: exit codes, JSON, refusals
//! - `documents`: generated documents are current
//! - `support`: what they share
#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::disallowed_methods, reason = "tests start programs and read the environment")]

mod command_line;
mod demo;
mod documents;
mod fix;
mod llm;
mod repair;
mod support;
mod verify;
mod walls;
