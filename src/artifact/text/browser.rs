//! The test runners of JavaScript beyond jest, mocha and their kin: karma, jasmine, Playwright, bun, deno, `QUnit`.

use super::Part;
use super::lines::Lines;
use super::mark;
use super::section::{self, Head, SHAPE, Shape, number_of, numbered, out_of, place_of};
use crate::artifact::{Status, TestCounts};

/// Reads `Chrome 1.2 (Linux) Suite name FAILED`, and `Executed 5 of 5 (1 FAILED)`.
pub(super) fn karma(lines: &Lines) -> Part {
    section::read(lines, &KARMA)
}

/// Reads jasmine's numbered failures, and `3 specs, 1 failure`.
pub(super) fn jasmine(lines: &Lines) -> Part {
    section::read(lines, &JASMINE)
}

/// Reads `  1) [chromium] › a.spec.ts:3:5 › suite › name`, and `  2 passed (5s)`.
pub(super) fn playwright(lines: &Lines) -> Part {
    section::read(lines, &PLAYWRIGHT)
}

/// Reads `(fail) suite > name [0.12ms]`, and `Ran 4 tests across 1 files.`
pub(super) fn bun(lines: &Lines) -> Part {
    section::read(lines, &BUN)
}

/// Reads `name ... FAILED (5ms)` with its section, and `FAILED | 1 passed | 2 failed (10ms)`.
pub(super) fn deno(lines: &Lines) -> Part {
    section::read(lines, &DENO)
}

const KARMA: Shape = Shape {
    head: |lines, index| {
        let line = lines.get(index).trim_end();
        let front = line.strip_suffix(" FAILED")?;
        // The browser with its version and its system stands before.
        let (browser, name) = front.split_once(") ")?;
        let known = [
            "Chrome",
            "Firefox",
            "PhantomJS",
            "HeadlessChrome",
            "Safari",
            "Mobile",
            "Edge",
            "IE",
            "jsdom",
            "Electron",
            "Opera",
            "Microsoft",
            "Android",
            "iOS",
        ];
        let is_browser = known.iter().any(|start| browser.starts_with(start)) && browser.contains(" (");
        (is_browser && !name.starts_with("Executed")).then(|| Head::new(Status::Failed, "", name))
    },
    ends: |line| !line.is_empty() && !line.starts_with([' ', '\t']),
    counts: |lines, index| {
        let line = lines.get(index);
        let at = line.find("Executed ")?;
        let (done, rest) = line[at + 9..].split_once(" of ")?;
        let total: u64 = rest.split(' ').next()?.parse().ok()?;
        // Progress repeats the count; the last one of a browser is the result.
        let again = lines.get(index + 1).get(..at).is_some_and(|next| at > 0 && next == &line[..at]);
        if done.parse() != Ok(total) || again {
            return None;
        }
        let number = |word: &str| number_of(rest, &[word]).unwrap_or(0);
        Some(out_of(total, number("FAILED"), 0, number("skipped")))
    },
    counted: false,
    ..SHAPE
};

const JASMINE: Shape = Shape {
    head: |lines, index| {
        let name = numbered(lines.get(index))?;
        let below = lines.get(index + 1).trim();
        (below == "Message:" || below.starts_with("- ")).then(|| Head::new(Status::Failed, "", name))
    },
    ends: |line| line.starts_with("Ran ") || line.starts_with("Finished in ") || line.starts_with("Incomplete:"),
    mode: |line| match line.trim_end() {
        "Failures:" => Some(Status::Failed),
        "Pending:" => Some(Status::Skipped),
        _ => None,
    },
    counts: |lines, index| {
        let line = lines.get(index).trim();
        if !line.starts_with(|c: char| c.is_ascii_digit()) || !line.contains(" failure") {
            return None;
        }
        let old = line.contains(" assertion");
        let total =
            number_of(line, &["spec", "specs"]).or_else(|| number_of(line, &["test", "tests"]).filter(|_| old))?;
        let skipped = number_of(line, &["pending", "skipped"]).unwrap_or(0);
        Some(out_of(total, number_of(line, &["failure", "failures"])?, 0, skipped))
    },
    ..SHAPE
};

const PLAYWRIGHT: Shape = Shape {
    head: |lines, index| {
        let line = lines.get(index);
        let title = line.starts_with("  ").then(|| numbered(line)).flatten()?.trim_end_matches(['─', ' ', '=']);
        if !title.contains(" › ") {
            return None;
        }
        let mut parts: Vec<&str> = title.split(" › ").map(str::trim).collect();
        let name = parts.pop()?;
        let location = parts.iter().find_map(|part| place_of(part))?;
        let names = parts.iter().filter(|part| !part.starts_with('[') && place_of(part).is_none());
        let class = names.copied().collect::<Vec<_>>().join(" > ");
        let mut head = Head { location: Some(location), ..Head::new(Status::Failed, &class, name) };
        head.id.suite = head.location.as_ref().map(|at| at.path.clone()).unwrap_or_default();
        Some(head)
    },
    ends: |line| line.starts_with("  Slow test file") || line.trim_start().starts_with("attachment #"),
    counts: |lines, index| {
        let line = lines.get(index);
        let passed = line.strip_prefix("  ")?.split_once(" passed (")?;
        let passed: u64 = passed.0.parse().ok().filter(|_| passed.1.ends_with(')'))?;
        let above = |word: &str| {
            let range = index.saturating_sub(200)..index;
            let told = lines
                .range(range)
                .filter_map(|(_, line)| line.strip_prefix("  ")?.strip_suffix(word)?.parse::<u64>().ok());
            told.last().unwrap_or(0)
        };
        let (failed, skipped) = (above(" failed"), above(" skipped"));
        Some(out_of(
            passed.saturating_add(failed).saturating_add(skipped).saturating_add(above(" flaky")),
            failed,
            0,
            skipped,
        ))
    },
    counted: false,
    ..SHAPE
};

const BUN: Shape = Shape {
    head: |lines, index| {
        let line = lines.get(index);
        let (status, name) = ["(fail) ", "(pass) ", "(skip) ", "(todo) ", "✗ ", "✓ ", "» "]
            .iter()
            .zip([
                Status::Failed,
                Status::Passed,
                Status::Skipped,
                Status::Skipped,
                Status::Failed,
                Status::Passed,
                Status::Skipped,
            ])
            .find_map(|(mark, status)| Some((status, line.strip_prefix(mark)?)))?;
        let name = name.rsplit_once(" [").filter(|(_, time)| time.ends_with("ms]")).map_or(name, |(name, _)| name);
        let (class, name) = name.rsplit_once(" > ").unwrap_or(("", name));
        let mut head = Head::new(status, class, name);
        if status == Status::Failed {
            // The error stands above the name.
            let above = index.saturating_sub(40)..index;
            let said = lines.range(above).filter(|(_, line)| line.starts_with("error: ")).last();
            said.map_or("", |(_, line)| line.trim_start_matches("error: ")).clone_into(&mut head.message);
            let range = index.saturating_sub(30)..index;
            head.location = lines
                .range(range)
                .filter(|(_, line)| line.trim_start().starts_with("at "))
                .find_map(|(_, line)| place_of(line));
        }
        Some(head)
    },
    ends: |_| true,
    counts: |lines, index| {
        lines.get(index).strip_prefix("Ran ").filter(|rest| rest.contains(" tests across "))?;
        let above = |word: &str| {
            let told = lines
                .range(index.saturating_sub(6)..index)
                .find_map(|(_, line)| line.trim().strip_suffix(word)?.trim().parse::<u64>().ok());
            told.unwrap_or(0)
        };
        let (passed, failed) = (above(" pass"), above(" fail"));
        let skipped = above(" skip").saturating_add(above(" todo"));
        Some(out_of(passed.saturating_add(failed).saturating_add(skipped), failed, 0, skipped))
    },
    ..SHAPE
};

const DENO: Shape = Shape {
    head: |lines, index| {
        let line = lines.get(index).trim_end();
        // The section of a failure: `name => ./a.ts:3:6`, `suite ... name => ./a.ts:3:6`.
        if let Some((name, place)) = line.split_once(" => ") {
            let location = place_of(place).filter(|_| !line.starts_with(' '))?;
            let (class, name) = name.rsplit_once(" ... ").unwrap_or(("", name));
            let failed = lines.get(index + 1).starts_with("error");
            return failed.then(|| Head { location: Some(location), ..Head::new(Status::Failed, class, name) });
        }
        let (name, end) = line.split_once(" ... ")?;
        let status = match end.split(' ').next()? {
            "ok" => Status::Passed,
            "ignored" => Status::Skipped,
            _ => return None,
        };
        end.ends_with(')').then(|| Head::new(status, "", name))
    },
    ends: |line| line.starts_with(" FAILURES") || line.starts_with(" ERRORS"),
    counts: |lines, index| {
        let line = lines.get(index);
        let rest = line.strip_prefix("FAILED | ").or_else(|| line.strip_prefix("ok | "))?;
        let number = |word: &str| number_of(rest, &[word]).unwrap_or(0);
        let (passed, failed) = (number("passed"), number("failed"));
        Some(out_of(passed.saturating_add(failed).saturating_add(number("ignored")), failed, 0, number("ignored")))
    },
    ..SHAPE
};

/// Reads nextest's list and its blocks of output.
pub(super) fn nextest(lines: &Lines) -> Part {
    section::read(lines, &NEXTEST)
}

const NEXTEST: Shape = Shape {
    head: |lines, index| {
        let line = lines.get(index).trim();
        // Of what a test prints the harness writes the one, a panic the other.
        let harness = || lines.range(index + 1..index + 4).any(|(_, line)| line.starts_with("running 1 test"));
        let printed = line.strip_prefix("--- STDOUT:").filter(|_| !harness());
        if let Some(rest) = line.strip_prefix("--- STDERR:").or(printed) {
            let (binary, name) = rest.trim().trim_end_matches(['-', ' ']).split_once(' ')?;
            return Some(Head::new(Status::Failed, binary, name));
        }
        let (word, rest) = line.split_once(" [")?;
        let status = match word {
            "PASS" => Status::Passed,
            "FAIL" | "LEAK-FAIL" | "SIGABRT" | "SIGSEGV" | "SIGKILL" | "SIGBUS" | "ABORT" => Status::Failed,
            "TIMEOUT" => Status::Errored,
            _ => return None,
        };
        let (time, test) = rest.split_once("] ")?;
        let test =
            test.trim_start_matches(|c: char| c == '(' || c == '/' || c == ')' || c == ' ' || c.is_ascii_digit());
        let (binary, name) = test.split_once(' ')?;
        time.trim_end().ends_with('s').then(|| Head::new(status, binary, name))
    },
    ends: |line| {
        line.starts_with("────")
            || line.starts_with("--- STDOUT:")
            || line.starts_with("     Summary [")
            || line.trim_start().starts_with("Canceling")
    },
    counts: |lines, index| {
        let (_, rest) = lines.get(index).trim_start().strip_prefix("Summary [")?.split_once("] ")?;
        let list = rest.replace(": ", ", ");
        let total: u64 = list.split([' ', '/']).next()?.parse().ok()?;
        let number = |words: &[&str]| number_of(&list, words).unwrap_or(0);
        let skipped = number(&["skipped"]);
        let counts: TestCounts =
            out_of(total.saturating_add(skipped), number(&["failed"]), number(&["timed"]), skipped);
        list.contains(" run").then_some(counts)
    },
    ..SHAPE
};

/// Reads the blocks behind `>>` that grunt's `QUnit` plug-in prints.
pub(super) fn grunt(lines: &Lines) -> Part {
    section::read(lines, &GRUNT)
}

const GRUNT: Shape = Shape {
    head: |lines, index| {
        let name = lines.get(index).strip_prefix(">> ")?;
        let below = lines.get(index + 1);
        let told = below.starts_with(">> Message: ") || below.starts_with(">> Actual: ");
        let (class, name) = name.split_once(" - ").unwrap_or(("", name));
        told.then(|| Head::new(Status::Failed, class, mark::without_time(name)))
    },
    ends: |line| !line.starts_with(">> "),
    counts: |lines, index| {
        let line = lines.get(index);
        let failed = line.starts_with("Warning: ") && line.contains(" assertions failed");
        failed.then(TestCounts::default)
    },
    ..SHAPE
};

/// Reads what the harness of a Cakefile prints, and `failed 4 and passed 1197 tests in 6.93 seconds`.
pub(super) fn cake(lines: &Lines) -> Part {
    section::read(lines, &CAKE)
}

const CAKE: Shape = Shape {
    head: |lines, index| {
        let name = lines.get(index).strip_prefix("  ").filter(|name| !name.starts_with([' ', '}']))?;
        // A test file that does not compile.
        if let Some((place, message)) = name.split_once(": error: ") {
            let location = place_of(place)?;
            let file = location.path.clone();
            let head = Head::new(Status::Failed, "", &file);
            return Some(Head { message: message.to_owned(), location: Some(location), ..head });
        }
        let raised = lines.get(index + 1).strip_prefix("  ")?;
        let class = raised.split([':', ' ']).next().unwrap_or(raised);
        let is_error = class.ends_with("Error") && raised.contains(": ");
        is_error.then(|| Head::new(Status::Failed, "", name))
    },
    ends: |line| line.starts_with("  function") || line.starts_with("passed ") || line.starts_with("travis_"),
    counts: |lines, index| {
        let line = lines.get(index);
        let rest = line.strip_prefix("failed ").or_else(|| line.strip_prefix("passed "))?;
        let (numbers, _) = rest.split_once(" tests in ")?;
        let (failed, passed) = match numbers.split_once(" and passed ") {
            Some((failed, passed)) => (failed.parse().ok()?, passed.parse().ok()?),
            None => (0, numbers.parse::<u64>().ok()?),
        };
        Some(out_of(passed.saturating_add(failed), failed, 0, 0))
    },
    counted: false,
    ..SHAPE
};

#[cfg(test)]
mod tests;
