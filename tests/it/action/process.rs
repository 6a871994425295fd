//! The program itself as a step: its stages are processes of its own, and end with it.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::log::obeyed;
use super::step::event;
use crate::support::program::{Program, Ran};

/// The program as a runner starts it for a failed run, with the forge at `port`.
fn step(program: &Program, port: u16, change: impl FnOnce(&mut Value)) -> Command {
    let forge = format!("http://127.0.0.1:{port}");
    fs::write(program.path("event.json"), event(change).to_string()).unwrap();
    fs::create_dir_all(program.path("temp")).unwrap();
    let mut command = program.command(&["action"]);
    command
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_EVENT_NAME", "workflow_run")
        .env("GITHUB_EVENT_PATH", program.path("event.json"))
        .env("GITHUB_REPOSITORY", "octo/hello")
        .env("GITHUB_API_URL", &forge)
        .env("GITHUB_SERVER_URL", &forge)
        .env("GITHUB_OUTPUT", program.path("output"))
        .env("GITHUB_STEP_SUMMARY", program.path("summary"))
        .env("RUNNER_TEMP", program.path("temp"))
        .env("INPUT_GITHUB-TOKEN", "forge-token");
    command
}

/// The head of one request.
fn request(stream: &mut TcpStream) -> String {
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap() == 1 {
        head.push(byte[0]);
    }
    String::from_utf8(head).unwrap()
}

#[test]
fn a_run_that_the_token_may_not_see_is_for_a_person_to_mend() {
    let program = Program::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let forge = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let head = request(&mut stream);
        let body = r#"{"message":"Not Found"}"#;
        let answer =
            "HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: ";
        stream.write_all(format!("{answer}{}\r\n\r\n{body}", body.len()).as_bytes()).unwrap();
        head
    });
    let ran = Ran::from(step(&program, port, |_| {}).output().unwrap()).expect(2);
    let head = forge.join().unwrap();
    assert!(head.starts_with("GET /repos/octo/hello "), "{head}");
    assert!(head.to_lowercase().contains("authorization: bearer forge-token"), "{head}");
    let obeyed = obeyed(&ran.stdout);
    let error = obeyed.iter().find(|command| command.name == "error").unwrap_or_else(|| panic!("{}", ran.stdout));
    assert!(error.data.contains("was not found, or this token may not see it"), "{}", error.line);
    let summary = fs::read_to_string(program.path("summary")).unwrap();
    assert!(summary.contains("permissions:"), "{summary}");
    assert!(fs::read_to_string(program.path("output")).unwrap().contains("\nerror\n"));
}

#[test]
fn a_step_that_is_told_to_end_takes_its_stage_with_it() {
    let program = Program::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut step = step(&program, port, |_| {}).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // The stage waits for an answer that does not come.
    let (mut stage, _) = listener.accept().unwrap();
    let head = request(&mut stage);
    assert!(head.starts_with("GET "), "{head}");
    let id = nix::unistd::Pid::from_raw(i32::try_from(step.id()).unwrap());
    nix::sys::signal::kill(id, nix::sys::signal::Signal::SIGTERM).unwrap();
    assert_eq!(step.wait().unwrap().code(), Some(143));
    // Whoever held the other end of the connection is gone.
    let mut rest = Vec::new();
    let ended = stage.read_to_end(&mut rest);
    assert!(ended.is_ok() || ended.is_err_and(|error| error.kind() == std::io::ErrorKind::ConnectionReset));
}

#[test]
fn the_command_line_says_what_is_wrong_and_what_would_be_right() {
    let program = Program::new();
    let ran = program.run(&["action"]).expect(2);
    assert!(
        ran.stderr.contains("GITHUB_EVENT_NAME is not set") && ran.stderr.contains("unbreak fix"),
        "{}",
        ran.stderr
    );
    let ran = program.run(&["action", "--with", "mod=auto"]).expect(2);
    assert!(ran.stderr.contains("did you mean `mode`?"), "{}", ran.stderr);
    let ran = program.run(&["collect", "--run-id", "7", "--out", "x"]).expect(2);
    assert!(ran.stderr.contains("--repository OWNER/NAME"), "{}", ran.stderr);
    let ran = program.run(&["collect", "--run-id", "7", "--out", "x", "--repository", "a b/c"]).expect(2);
    assert!(ran.stderr.contains("is no repository name"), "{}", ran.stderr);
    for stage in ["repair", "publish"] {
        let more: &[&str] = if stage == "repair" { &["--out", "y"] } else { &["--repository", "octo/hello"] };
        let words = [&[stage, "--bundle", "nowhere", "--format", "json"], more].concat();
        let ran = program.run(&words).expect(2);
        assert!(ran.json()["error"]["message"].as_str().unwrap().contains("nowhere"), "{}", ran.stdout);
    }
    let bundle = program.path("bundle");
    fs::create_dir(&bundle).unwrap();
    unbreak::handover::seal(&bundle, unbreak::handover::Kind::Proposal).unwrap();
    let ran = program.run(&["publish", "--bundle", bundle.to_str().unwrap(), "--repository", "octo/hello"]).expect(2);
    assert!(ran.stderr.contains("no token") && ran.stderr.contains("GITHUB_TOKEN"), "{}", ran.stderr);
}
