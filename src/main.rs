//! The `unbreak` program: parses, calls one function, maps the result to an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    // The sandbox helper is this binary, re-executed: it has to confine itself before any thread exists.
    if let Some(code) = unbreak::sandbox::dispatch(std::env::args_os().nth(1).as_deref()) {
        return code;
    }
    unbreak::cli::run()
}
