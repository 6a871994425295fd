//! The command line: reads arguments and the machine, folds them into one request, calls one program, prints.

mod action;
mod arguments;
mod collect;
mod context;
mod demo;
mod doctor;
mod explain;
mod fix;
mod forge;
mod gate;
mod inputs;
mod journal;
mod machine;
mod models;
mod parse;
mod policy;
mod publish;
mod repair;

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Parser as _;
use tokio::signal::unix::{SignalKind, signal};

use crate::{exit, output, sandbox, text};
use arguments::{Arguments, Command};
use machine::Machine;

/// Runs the program: parses, calls, prints, and says how it ended.
#[must_use]
pub fn run() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are no errors, and go to standard output.
            let code = if error.use_stderr() { exit::USAGE } else { exit::OK };
            if code == exit::USAGE && asks_for_json(std::env::args_os()) {
                output::error(&unusable(&error), true);
            } else {
                drop(error.print());
            }
            return ExitCode::from(code);
        }
    };
    let as_json = arguments.command.is_json();
    match start(arguments.command) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            output::error(&error, as_json);
            ExitCode::from(exit::of_error(&error))
        }
    }
}

/// Whether JSON is asked for by words that make no command line otherwise.
fn asks_for_json(words: impl Iterator<Item = OsString>) -> bool {
    let words: Vec<OsString> = words.take_while(|word| word != "--").collect();
    words.iter().any(|word| word == "--format=json")
        || words.windows(2).any(|pair| pair[0] == "--format" && pair[1] == "json")
}

/// What clap says of a command line: its first paragraph, and the others as ways out.
fn unusable(error: &clap::Error) -> anyhow::Error {
    let said = error.render().to_string();
    let (message, others) = said.split_once("\n\n").unwrap_or((&said, ""));
    let message = text::one_line(message.trim_start_matches("error: "), 1_000);
    let hints = others.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
    exit::Usage { message, hints }.into()
}

fn start(command: Command) -> anyhow::Result<u8> {
    // Before any credential is read.
    sandbox::harden_parent().context("the memory of this process cannot be protected")?;
    let machine = Machine::read()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let ended = runtime.block_on(async {
        let (terminate, hang_up, quit) =
            (told(SignalKind::terminate())?, told(SignalKind::hangup())?, told(SignalKind::quit())?);
        // A signal drops the program's future: that ends its children and removes its scratch repository.
        tokio::select! {
            ended = dispatch(command, &machine) => ended,
            _ = tokio::signal::ctrl_c() => Ok(interrupted(exit::INTERRUPTED)),
            () = terminate => Ok(interrupted(exit::TERMINATED)),
            () = hang_up => Ok(interrupted(exit::HUNG_UP)),
            () = quit => Ok(interrupted(exit::QUIT)),
        }
    });
    runtime.shutdown_background();
    ended
}

/// Waits for a signal; for ever when the caller has it ignored, as `nohup` does with the terminal's end.
fn told(kind: SignalKind) -> std::io::Result<impl Future<Output = ()>> {
    let mut signals = if is_ignored(kind) { None } else { Some(signal(kind)?) };
    Ok(async move {
        match &mut signals {
            Some(signals) => drop(signals.recv().await),
            None => std::future::pending().await,
        }
    })
}

/// Whether this process was started with the signal ignored, as the kernel's mask says.
fn is_ignored(kind: SignalKind) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    let bit = u32::try_from(kind.as_raw_value() - 1).ok().and_then(|bit| 1_u64.checked_shl(bit));
    bit.is_some_and(|bit| mask & bit != 0)
}

async fn dispatch(command: Command, machine: &Machine) -> anyhow::Result<u8> {
    match command {
        Command::Fix(arguments) => fix::run(*arguments, machine).await,
        Command::Explain(arguments) => explain::run(arguments, machine).await,
        Command::Parse(arguments) => parse::run(&arguments, machine).await,
        Command::Context(arguments) => context::run(arguments, machine).await,
        Command::Gate(arguments) => gate::run(&arguments, machine).await,
        Command::Policy(arguments) => policy::run(arguments, machine).await,
        Command::Journal(arguments) => journal::run(&arguments),
        Command::Collect(arguments) => collect::run(*arguments, machine).await,
        Command::Repair(arguments) => repair::run(*arguments, machine).await,
        Command::Publish(arguments) => publish::run(*arguments, machine).await,
        Command::Action(arguments) => action::run(&arguments, machine).await,
        Command::Doctor(arguments) => doctor::run(&arguments, machine).await,
        Command::Demo(arguments) => demo::run(arguments, machine).await,
    }
}

fn interrupted(code: u8) -> u8 {
    output::remark("interrupted: children ended, scratch repository removed, checkout untouched");
    code
}
