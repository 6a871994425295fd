//! How fast artifacts are read on one core, and how much memory `unbreak parse` takes for files of many megabytes.
//! `cargo bench --bench artifacts [-- MEGABYTES]` (100 by default).
//!
//! Ratios against other tools in the same run: ripgrep with sixty patterns for logs (where it is installed), quick-junit
//! for `JUnit`, `serde_json` into a tree for SARIF.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark prints, and may panic")]
#![expect(clippy::disallowed_methods, reason = "a benchmark starts programs and reads the environment")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use unbreak::artifact;

fn main() {
    let megabytes = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(100);
    let directory = tempfile::tempdir().unwrap();
    println!("| artifact | size MB | MB/s in process | other tool MB/s | `parse` MB/s | its peak MB |");
    println!("|---|---|---|---|---|---|");
    for (name, make, rival) in [
        ("log.txt", log as fn(usize) -> String, ripgrep as fn(&Path, &str) -> Option<Duration>),
        ("junit.xml", junit, quick_junit),
        ("results.sarif", sarif, json_tree),
    ] {
        let text = make(megabytes << 20);
        let file = directory.path().join(name);
        std::fs::write(&file, &text).unwrap();
        row(&file, &text, rival(&file, &text));
    }
}

fn row(file: &Path, text: &str, rival: Option<Duration>) {
    let size = text.len();
    let in_process = best(|| {
        assert_ne!(artifact::read("a", text.as_bytes()).kind, "unknown");
    });
    let (whole, peak) = parse(file);
    let rate = |time: Duration| format!("{:.0}", megabytes(size) / time.as_secs_f64());
    println!(
        "| {} | {:.0} | {} | {} | {} | {peak:.0} |",
        file.file_name().unwrap().to_string_lossy(),
        megabytes(size),
        rate(in_process),
        rival.map_or("-".to_owned(), rate),
        rate(whole),
    );
}

#[expect(clippy::cast_precision_loss, reason = "sizes of files are far below the limit")]
fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

/// The best of three: the others were disturbed.
fn best(mut work: impl FnMut()) -> Duration {
    (0..3)
        .map(|_| {
            let begin = Instant::now();
            work();
            begin.elapsed()
        })
        .min()
        .unwrap()
}

/// Time and peak memory in MB of the program itself.
fn parse(file: &Path) -> (Duration, f64) {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_unbreak"));
    let begin = Instant::now();
    let mut child =
        Command::new(program).args(["parse", "--format", "json"]).arg(file).stdout(Stdio::null()).spawn().unwrap();
    let mut peak = 0.0_f64;
    while child.try_wait().unwrap().is_none() {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
        peak = peak.max(kib.unwrap_or(0.0) * 1024.0 / 1e6);
        std::thread::sleep(Duration::from_millis(2));
    }
    (begin.elapsed(), peak)
}

/// Sixty words that logs are searched for.
fn ripgrep(file: &Path, _text: &str) -> Option<Duration> {
    let patterns = (0..60).fold(String::new(), |mut patterns, number| {
        let _ = writeln!(patterns, "(error|failed|fatal){number}: .*line \\d+");
        patterns
    });
    let list = file.with_extension("patterns");
    std::fs::write(&list, patterns).unwrap();
    let search = || Command::new("rg").args(["-j1", "-c", "-f"]).arg(&list).arg(file).output();
    search().ok()?;
    Some(best(|| drop(search())))
}

#[expect(clippy::unnecessary_wraps, reason = "another tool may be missing")]
fn quick_junit(_file: &Path, text: &str) -> Option<Duration> {
    Some(best(|| drop(quick_junit::Report::deserialize_from_str(text).unwrap())))
}

#[expect(clippy::unnecessary_wraps, reason = "another tool may be missing")]
fn json_tree(_file: &Path, text: &str) -> Option<Duration> {
    Some(best(|| drop(serde_json::from_str::<serde_json::Value>(text).unwrap())))
}

/// A job's log as GitHub keeps it: steps of ordinary lines, and a failing test run at its end.
fn log(size: usize) -> String {
    const STAMP: &str = "2026-01-02T03:04:05.6789012Z";
    let mut text = String::with_capacity(size + 4096);
    let mut number = 0_u32;
    while text.len() < size {
        number += 1;
        let _ = match number % 9 {
            0 => writeln!(text, "{STAMP} ##[group]Run step {number}\n{STAMP} ##[endgroup]"),
            1 => writeln!(text, "{STAMP}    Compiling crate-{number} v0.{number}.1"),
            2 => writeln!(text, "{STAMP} \u{1b}[36;1mnpm install --prefix packages/p{number}\u{1b}[0m"),
            3 => writeln!(
                text,
                "{STAMP} Get:{number} http://deb.example.org/debian bookworm/main amd64 lib{number} [1,234 kB]"
            ),
            4 => writeln!(text, "{STAMP} test module_{number}::handles_errors ... ok"),
            5 => writeln!(text, "{STAMP} src/module_{number}.c:{number}: note: declared here"),
            _ => {
                writeln!(text, "{STAMP} [{number}/99999] Building object CMakeFiles/target.dir/src/file_{number}.cpp.o")
            }
        };
    }
    let tail = [
        "##[group]Run pytest",
        "##[endgroup]",
        "=================================== FAILURES ===================================",
        "__________________________________ test_total __________________________________",
        "",
        "    def test_total():",
        ">       assert total([1, 2]) == 4",
        "E       assert 3 == 4",
        "",
        "tests/test_shop.py:5: AssertionError",
        "=========================== short test summary info ============================",
        "FAILED tests/test_shop.py::test_total - assert 3 == 4",
        "============================== 1 failed in 0.12s ===============================",
        "##[error]Process completed with exit code 1.",
    ];
    for line in tail {
        let _ = writeln!(text, "{STAMP} {line}");
    }
    text
}

/// Suites of a hundred cases, one of which fails with a stack.
fn junit(size: usize) -> String {
    let mut text = String::with_capacity(size + 4096);
    text.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"all\">\n");
    let mut suite = 0_u32;
    while text.len() < size {
        suite += 1;
        let _ =
            writeln!(text, "<testsuite name=\"suite{suite}\" tests=\"100\" failures=\"1\" errors=\"0\" time=\"12.5\">");
        for case in 0..100 {
            let _ = write!(text, "<testcase classname=\"org.example.Suite{suite}\" name=\"case{case}\" time=\"0.125\"");
            match case {
                7 => {
                    text.push_str("><failure message=\"expected:&lt;1&gt; but was:&lt;2&gt;\" type=\"java.lang.AssertionError\">java.lang.AssertionError: expected:&lt;1&gt; but was:&lt;2&gt;\n");
                    for frame in 0..20 {
                        let _ = writeln!(
                            text,
                            "\tat org.example.Suite{suite}.call{frame}(Suite{suite}.java:{})",
                            frame + 10
                        );
                    }
                    text.push_str("</failure></testcase>\n");
                }
                8 => {
                    let _ = writeln!(
                        text,
                        "><system-out><![CDATA[{}]]></system-out></testcase>",
                        "a line of output\n".repeat(40)
                    );
                }
                _ => text.push_str("/>\n"),
            }
        }
        text.push_str("</testsuite>\n");
    }
    text.push_str("</testsuites>\n");
    text
}

/// Results with a place, a fingerprint and a code flow each.
fn sarif(size: usize) -> String {
    let mut text = String::with_capacity(size + 4096);
    text.push_str(r#"{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"scan","rules":[{"id":"R1","defaultConfiguration":{"level":"error"}}]}},"results":["#);
    let mut number = 0_u32;
    while text.len() < size {
        number += 1;
        let place = format!(
            r#"{{"physicalLocation":{{"artifactLocation":{{"uri":"src/module{number}/file.c","uriBaseId":"SRCROOT"}},"region":{{"startLine":{number},"startColumn":5,"endColumn":20}}}}}}"#
        );
        let _ = write!(
            text,
            r#"{}{{"ruleId":"R1","ruleIndex":0,"message":{{"text":"value {number} may be null here"}},"locations":[{place}],"partialFingerprints":{{"primary":"{number:032x}"}},"codeFlows":[{{"threadFlows":[{{"locations":[{{"location":{place}}},{{"location":{place}}}]}}]}}]}}"#,
            if number == 1 { "" } else { ",\n" }
        );
    }
    text.push_str("]}]}");
    text
}
