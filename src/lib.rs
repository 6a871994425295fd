//! `unbreak` reads why CI failed, fixes it on a branch, proves the fix and opens a pull request.
//!
//! Data flows down the list below and nothing flows back: a module uses only modules of a strictly lower
//! layer, plus those in brackets behind its name. `tests/architecture.rs` proves it.

// layer 0: words (no I/O, no async)
pub mod backoff; // [ids]
pub mod ids; // [text]
pub mod secret; // [ids]
pub mod text;

// layer 1: domain (pure values; no wall clock, no environment)
pub mod artifact;
pub mod change; // [source]
pub mod evidence; // [artifact]
pub mod failure; // [artifact, source]
pub mod history;
pub mod incident;
pub mod policy; // [artifact]
pub mod proposal; // [evidence, failure, policy, usage]
pub mod source;
pub mod usage;

// layer 2: derivation (pure, given a `Source` and values)
pub mod context; // [index, localise, syntax]
pub mod gate; // [syntax]
pub mod index; // [syntax]
pub mod localise; // [index, syntax]
pub mod plan; // [context, project]
pub mod project;
pub mod prompt; // [context, plan]
pub mod report;
pub mod syntax;
pub mod workflow;

// layer 3: stores
pub mod cache;
pub mod handover;
pub mod journal;
pub mod lease;

// layer 4: effects
pub mod git;
pub mod github;
pub mod llm;
pub mod proxy;
pub mod sandbox;

// layer 5: work
pub mod fixers; // [verify]
pub mod publish;
pub mod repair; // [survey, verify, fixers]
pub mod survey;
pub mod verify;

// layer 6: programs
pub mod collect;
pub mod demo; // [fix]
pub mod doctor;
pub mod explain; // [fix]
pub mod fix;

// layer 7: shell
pub mod action; // [exit, output]
pub mod cli; // [action, exit, output]
pub mod exit;
pub mod output; // [exit]
