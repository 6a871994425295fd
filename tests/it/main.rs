//! The integration tests, one binary:
//!
//! - `llm`: providers against a scripted server that validates every request, and its faults
//! - `repair`: the model loop against a world in memory
//! - `verify`: reproduction, proof, minimisation and fixers in the real sandbox
//! - `walls`: attempts to climb the sandbox's walls, in each tier
//! - `container`: the program in a container as GitHub runs it, under attack
//! - `action`: events, inputs and outputs of the action, and what each of its stages gets to know
//! - `demo`: the whole loop on the bundled project
//! - `collect`: a failed run of the fake GitHub becomes a bundle
//! - `depot`: commits to and from a forge, over real smart HTTP, as bundles and as patches
//! - `fix`: the whole loop on real projects
//! - `publish`: proposals to pull requests, over the fake GitHub: refusals, races, faults
//! - `whole_path`: from a failed run to an open pull request, as a runner starts the program
//! - `command_line`: what scripts depend on: exit codes, JSON, refusals
//! - `documents`: generated documents are current
//! - `fuzz`: what fuzzing found, through the same checks
//! - `producers`: what real test runners, compilers and linters print, read
//! - `forge`: the fake GitHub that other tests rest on: its rules, its faults, what it complains of
//! - `support`: what they share
#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::disallowed_methods, reason = "tests start programs and read the environment")]

mod action;
mod collect;
mod command_line;
mod container;
mod demo;
mod depot;
mod documents;
mod fix;
mod forge;
mod fuzz;
mod llm;
mod producers;
mod publish;
mod repair;
mod support;
mod verify;
mod walls;
mod whole_path;
