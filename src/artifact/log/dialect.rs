//! Which CI system wrote a log, and where its commands begin and end.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::artifact::text::lines::Lines;

/// A step or command that failed, by indices of lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    /// Its output; the line that says how it ended is not part of it.
    pub(super) lines: Range<usize>,
    /// Whether it was run again after that: what it said may have passed.
    pub(super) retried: bool,
}

/// A CI system, and what its logs look like.
pub(super) struct Dialect {
    /// The kind of the artifact, as printed.
    pub(super) kind: &'static str,
    /// For people.
    pub(super) name: &'static str,
    /// One of these stands in every log of the system, at the beginning of a line.
    marks: &'static [&'static str],
    /// At the beginning of a line that begins a step.
    begins: &'static [&'static str],
    /// Whether nothing but cleaning up runs after a command that failed.
    pub(super) stops: bool,
}

/// The systems that are known; the first whose mark is found wrote the log.
pub(super) const DIALECTS: &[Dialect] = &[
    Dialect {
        kind: "azure-log",
        name: "Azure Pipelines",
        marks: &["##[section]Starting:", "##[section]Finishing:"],
        begins: &["##[section]Starting:"],
        stops: true,
    },
    Dialect {
        kind: "github-log",
        name: "GitHub Actions",
        marks: &[
            "##[group]Run ",
            "##[group]Runner Image",
            "##[error]",
            "##[group]",
            "##[debug]",
            "##[warning]",
            "[command]/",
        ],
        begins: &["##[group]Run ", "##[group]Set up job", "Post job cleanup."],
        stops: true,
    },
    Dialect {
        kind: "travis-log",
        name: "Travis CI",
        marks: &["travis_fold:", "travis_time:", "Worker information", "Done. Your build exited with"],
        begins: &["$ "],
        stops: false,
    },
    Dialect {
        kind: "gitlab-log",
        name: "GitLab CI",
        marks: &["section_start:", "section_end:", "Running with gitlab-runner ", "ERROR: Job failed"],
        begins: &["section_start:", "$ "],
        stops: true,
    },
    Dialect {
        kind: "buildkite-log",
        name: "Buildkite",
        marks: &["~~~ Running ", "~~~ Preparing working directory", "^^^ +++"],
        begins: &["~~~ ", "--- ", "+++ "],
        stops: true,
    },
    Dialect {
        kind: "jenkins-log",
        name: "Jenkins",
        marks: &["Started by ", "[Pipeline] ", "Finished: FAILURE", "Finished: ABORTED", "Finished: UNSTABLE"],
        begins: &["[Pipeline] ", "+ "],
        stops: false,
    },
    Dialect {
        kind: "circleci-log",
        name: "CircleCI",
        marks: &[
            "Exited with code exit status ",
            "Build-agent version ",
            "CircleCI received exit code",
            "Exited with code ",
        ],
        begins: &["#!/bin/bash -eo pipefail", "#!/bin/sh -eo pipefail"],
        stops: true,
    },
    Dialect {
        kind: "appveyor-log",
        name: "AppVeyor",
        marks: &["Build started", "Command exited with code "],
        begins: &["$ "],
        stops: true,
    },
    Dialect {
        kind: "taskcluster-log",
        name: "Taskcluster",
        marks: &["[taskcluster ", "[taskcluster:error]", "[setup ", "[task "],
        begins: &["========= Started "],
        stops: false,
    },
];

impl Dialect {
    /// The system that wrote a log, when it is known.
    pub(super) fn of(lines: &Lines) -> Option<&'static Self> {
        let head = || lines.range(0..HEAD).chain(lines.range(lines.len().saturating_sub(TAIL).max(HEAD)..lines.len()));
        DIALECTS.iter().find(|dialect| head().any(|(_, line)| dialect.marks.iter().any(|mark| line.starts_with(mark))))
    }
}

/// Lines at the start and at the end that a system is recognised by.
const HEAD: usize = 400;
const TAIL: usize = 300;

/// How a log says that a command failed.
static FAILED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r#"^The command ".*" (?:exited with [1-9]|failed and exited with [1-9]|failed [1-9] times)"#,
        r"|^(?:##\[error\])?Process completed with exit code [1-9]",
        r"|^##\[error\](?:Bash|Cmd\.exe|PowerShell|The process) .*exit",
        r"|^ERROR: Job failed|^ERROR: Build failed",
        r"|^Exited with code (?:exit status )?[1-9]|^Command exited with code [1-9]",
        r"|^ERROR: script returned exit code|^Build step '.*' marked build as failure|^script returned exit code [1-9]",
        r"|^.{0,8}Error: The command exited with status [1-9]",
        r"|^\[taskcluster.*(?:Unsuccessful task run|task failed)|^\[taskcluster:error\] (?:Task exited|exit status)",
    ))
    .ok()
});

/// Whether a line says that a command failed, and nothing else.
pub(super) fn is_failed(line: &str) -> bool {
    // The expression is anchored; most lines do not even begin like it.
    matches!(line.as_bytes().first(), Some(b'T' | b'P' | b'#' | b'E' | b'C' | b'B' | b's' | b'[' | b'N' | 0x80..))
        && FAILED.as_ref().is_some_and(|failed| failed.is_match(line))
}

/// Whether a line says that a command was killed from outside, as a system without memory does.
pub(super) fn is_killed(line: &str) -> bool {
    is_failed(line) && (line.contains("exited with 137") || line.contains("code 137") || line.contains("status 137"))
}

/// Whether a line says that the CI system ended a command, and why.
fn is_stopped(line: &str) -> bool {
    const STARTS: &[&str] = &[
        "No output has been received in the last",
        "The job exceeded the maximum time limit",
        "The build has been terminated",
        "The job has been terminated",
        "##[error]The operation was canceled",
        "##[error]The runner has received a shutdown",
        "##[error]The job running on runner",
        "ERROR: Job failed: execution took longer",
        "Too long with no output",
        "[taskcluster:error] Task aborted",
    ];
    STARTS.iter().any(|start| line.starts_with(start))
}

/// The failed commands that are looked at: the first and the last.
const STEPS: usize = 100;

/// Whether a log says at its end that all went well.
pub(super) fn succeeded(lines: &Lines) -> bool {
    const ENDS: &[&str] = &["Done. Your build exited with 0", "Finished: SUCCESS", "Job succeeded"];
    let mut last = lines.range(lines.len().saturating_sub(20)..lines.len());
    last.any(|(_, line)| ENDS.iter().any(|end| line.starts_with(end)))
}

/// The commands that failed, in the order of the log.
///
/// Where a log does not say which, all of it is one step that failed.
pub(super) fn failed_steps(lines: &Lines, dialect: Option<&Dialect>) -> Vec<Step> {
    let begins = dialect.map_or(&[][..], |dialect| dialect.begins);
    let mut steps: Vec<Step> = Vec::new();
    let (mut start, mut last_end, mut spread_until, mut failed) = (0, 0, 0, 0);
    // A step of GitHub begins with its script.
    let mut script = false;
    // The last annotation of the step: it ends there unless it goes on to say that it failed.
    let mut annotated: Option<usize> = None;
    for (index, line) in lines.all() {
        if begins.iter().any(|begin| line.starts_with(begin)) {
            steps.extend(annotated.take().map(|end| Step { lines: start..end + 1, retried: false }));
            start = index;
            script = line.starts_with("##[group]Run ");
        }
        if script && line.starts_with("##[endgroup]") {
            start = index + 1;
            script = false;
        }
        if line.starts_with("travis_time:end:") || line.starts_with("##[section]Finishing") {
            last_end = index + 1;
        }
        let spread = index >= spread_until && line.starts_with("The command \"") && !is_failed(line);
        let ending = spread.then(|| spread_ending(lines, index)).flatten();
        spread_until = ending.unwrap_or(spread_until);
        if line.starts_with("The command \"") && line.contains("\" failed. Retrying, ") {
            steps.push(Step { lines: start.max(last_end)..index + 1, retried: true });
            start = index + 1;
            continue;
        }
        if is_stopped(line) {
            steps.push(Step { lines: start..index + 1, retried: false });
            (start, annotated) = (index + 1, None);
            continue;
        }
        if line.starts_with("##[error]") && !is_failed(line) {
            annotated = Some(index);
            continue;
        }
        if is_failed(line) || ending.is_some() {
            annotated = None;
            let command = quoted_command(line);
            // No command began before the one that failed before it had ended; one that is tried again is echoed once.
            let begin = command.and_then(|command| begin_of(lines, command, failed, last_end.max(start)..index));
            failed = index;
            steps.push(Step { lines: begin.unwrap_or(start)..index, retried: false });
            start = index + 1;
        }
    }
    steps.extend(annotated.map(|end| Step { lines: start..end + 1, retried: false }));
    if steps.len() > STEPS {
        // So many failed commands tell of one cause; what is said of each costs as much as there are.
        steps.drain(STEPS / 4..steps.len() - STEPS * 3 / 4);
    }
    if steps.iter().all(|step| step.retried) {
        steps.push(Step { lines: 0..lines.len(), retried: false });
    }
    steps
}

/// Where the machine has introduced itself.
pub(super) fn setup(lines: &Lines) -> usize {
    const HEAD: usize = 1000;
    let introduced =
        |line: &str| line.starts_with("travis_fold:end:system_info") || line.starts_with("travis_fold:end:resolvconf");
    lines.range(0..HEAD).filter(|(_, line)| introduced(line)).last().map_or(0, |(index, _)| index + 1)
}

/// The line on which the report of a command of several lines ends, when it failed.
fn spread_ending(lines: &Lines, index: usize) -> Option<usize> {
    const COMMAND_LINES: usize = 30;
    let (end, last) = lines
        .range(index + 1..index + COMMAND_LINES)
        .find(|(_, line)| line.contains("\" exited with ") || line.contains("\" failed and exited with"))?;
    let code = last.rsplit_once(" exited with ")?.1;
    (!code.starts_with('0')).then_some(end)
}

/// The command of `The command "make test" exited with 2.`, or the first line of one that has several.
fn quoted_command(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("The command \"")?;
    Some(&rest[..rest.rfind("\" ").unwrap_or(rest.len())])
}

/// Where a command was echoed before its output: programs echo commands of their own after that.
fn begin_of(lines: &Lines, command: &str, from: usize, within: Range<usize>) -> Option<usize> {
    const LOOK_BACK: usize = 20_000;
    let command = command.strip_prefix("eval ").unwrap_or(command);
    let head: String = command.chars().take(40).collect();
    let head = head.trim();
    let end = within.end;
    let from = end.saturating_sub(LOOK_BACK).max(from);
    let echoed = |line: &str| line.strip_prefix("$ ").is_some_and(|echo| !head.is_empty() && echo.starts_with(head));
    let found = (from..end).rev().find(|index| echoed(lines.get(*index)));
    found.or(Some(within.start))
}
