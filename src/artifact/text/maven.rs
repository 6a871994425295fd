//! What Maven's surefire and failsafe print: a line for each class, a section for each failed test, a summary.

use crate::artifact::text::cases::Cases;
use std::collections::BTreeSet;
use std::ops::Range;

use super::Part;
use super::jvm;
use super::lines::Lines;
use super::section::{self, Head, number_of, out_of};
use crate::artifact::{Case, Fault, Location, Status, TestCounts, TestId, gist};

/// The text of one failure beyond this many lines is not read.
const SECTION_LIMIT: usize = 200;

/// Reads modules one after the other, each up to its count.
pub(super) fn read(lines: &Lines) -> Part {
    let mut reader = Reader::default();
    let mut index = 0;
    while index < lines.len() {
        index = reader.line(lines, index);
    }
    let classes = std::mem::take(&mut reader.classes);
    if reader.seen {
        reader.close(lines.len(), classes);
    }
    reader.part
}

#[derive(Default)]
struct Reader {
    part: Part,
    seen: bool,
    /// The class whose tests follow.
    class: String,
    cases: Cases,
    /// Simple class and method of each test that was told.
    told: BTreeSet<(String, String)>,
    /// What the classes of the module counted so far.
    classes: TestCounts,
    /// The list that is being read.
    list: Option<Status>,
    /// Where the tests of the module begin.
    start: Option<usize>,
}

impl Reader {
    fn line(&mut self, lines: &Lines, index: usize) -> usize {
        let line = unlabelled(lines.get(index));
        if line.trim() == "T E S T S" {
            self.start = Some(index);
        }
        if let Some(rest) = line.strip_prefix("Tests run: ") {
            // Ant prints the line for its console and once more for its report.
            if index == 0 || lines.get(index - 1) != lines.get(index) || !is_of_ant(lines.get(index)) {
                self.count(index, rest);
            }
            return index + 1;
        }
        if let Some(class) = line.strip_prefix("Running ") {
            self.start.get_or_insert(index);
            class.trim().clone_into(&mut self.class);
            return index + 1;
        }
        if let Some((head, status)) = ended(line).filter(|_| !line.starts_with("Tests ")) {
            return self.section(lines, index..index + 1, head, status);
        }
        if let Some((head, status)) = ended_below(line, lines.get(index + 1)) {
            return self.section(lines, index..index + 2, head, status);
        }
        if let Some(status) = list(line) {
            self.list = Some(status);
            // The first test of old lists stands on the title's line.
            let first = line.split_once(": ").map_or("", |(_, first)| first.trim());
            if !first.is_empty() {
                self.listed(lines, index, first, status);
            }
            return index + 1;
        }
        if let Some(status) = self.list {
            let indented = line.starts_with("  ") || lines.get(index).starts_with("  ");
            if indented && !line.trim().is_empty() {
                self.listed(lines, index, line.trim(), status);
            } else if !line.trim().is_empty() {
                self.list = None;
            }
        }
        index + 1
    }

    /// `6, Failures: 0, Errors: 3, Skipped: 0`, of a class with its time, of a module without.
    fn count(&mut self, index: usize, rest: &str) {
        // NUnit counts in the same words in another order.
        if !rest.split(',').nth(1).is_some_and(|second| second.trim_start().starts_with("Failures: ")) {
            return;
        }
        self.seen = true;
        self.start.get_or_insert(index);
        self.list = None;
        let front = rest.split(", Time elapsed").next().unwrap_or(rest);
        let total = rest.split(',').next().and_then(|number| number.trim().parse().ok()).unwrap_or(0);
        let number = |word: &str| number_of(front, &[word]).unwrap_or(0);
        let counts = out_of(total, number("Failures"), number("Errors"), number("Skipped"));
        if front.len() < rest.len() {
            self.classes = self.classes.plus(counts);
            if let Some((_, class)) = rest.rsplit_once(" in ") {
                class.trim().clone_into(&mut self.class);
            }
            return;
        }
        self.close(index + 1, counts);
    }

    fn close(&mut self, end: usize, counts: TestCounts) {
        let mut own = Part { cases: std::mem::take(&mut self.cases), ..Part::default() };
        own.state(counts);
        self.part.counts = self.part.counts.plus(own.counts);
        self.part.cases.append(&mut own.cases);
        self.part.claims.extend(self.start.take().map(|start| (start, end)));
        self.part.recognised = true;
        self.classes = TestCounts::default();
        self.told.clear();
    }

    /// A test with its exception below.
    fn section(&mut self, lines: &Lines, heading: Range<usize>, head: &str, status: Status) -> usize {
        let (class, name) = test(head, &self.class);
        self.start.get_or_insert(heading.start);
        let limit = lines.len().min(heading.start + SECTION_LIMIT);
        let is_end = |at: usize, line: &str| {
            let bare = unlabelled(line);
            ended(bare).is_some()
                || bare.starts_with("Tests run: ")
                || bare.starts_with("Running ")
                || bare.starts_with("Testcase: ")
                || (bare.trim().is_empty() && at > heading.end && !continues(lines, at + 1))
                || (bare.len() < line.len() && list(bare).is_some())
        };
        let end = lines.range(heading.end..limit).find(|(at, line)| is_end(*at, line)).map_or(limit, |(at, _)| at);
        self.told.insert((simple(&class).to_owned(), method(&name).to_owned()));
        let id = TestId { suite: String::new(), class, name };
        // A test that is run again is told again: one entry for each of its ends.
        if !self.cases.iter().rev().take(64).any(|case| case.id == id && case.status == status) {
            let mut case = section::failed(lines, Head { id, status, ..Head::default() }, heading.clone(), end);
            if is_of_ant(lines.get(heading.start)) {
                without_labels(&mut case, lines, heading.end..end);
            }
            jvm::place_own(&mut case);
            self.cases.push(case);
        }
        self.seen = true;
        end
    }

    /// A line of the summary, for what was not told before.
    fn listed(&mut self, lines: &Lines, index: usize, line: &str, status: Status) {
        let Some((class, name, number, message)) = summary(line) else { return };
        if !self.told.insert((simple(class).to_owned(), method(name).to_owned())) {
            return;
        }
        let location = number.map(|number| Location {
            path: format!("{}.java", class.split('$').next().unwrap_or(class).replace('.', "/")),
            line: Some(number),
            column: None,
        });
        self.start.get_or_insert(index);
        let id = TestId { suite: String::new(), class: class.to_owned(), name: name.to_owned() };
        let fault = Fault { location, ..section::named(lines, index, message) };
        self.cases.push(Case { id, status, faults: vec![fault], ..Case::default() });
        self.seen = true;
    }
}

/// A line without `[ERROR] ` and what stands before it.
fn unlabelled(line: &str) -> &str {
    let head = &line[..line.floor_char_boundary(40)];
    let Some(at) = head.find('[') else { return line };
    ["[ERROR] ", "[INFO] ", "[WARNING] ", "[WARN] ", "[junit] ", "[junitlauncher] "]
        .iter()
        .find_map(|label| line[at..].strip_prefix(label))
        .unwrap_or(line)
}

/// `testX(org.ATest)  Time elapsed: 0.3 sec  <<< ERROR!`
fn ended(line: &str) -> Option<(&str, Status)> {
    // Ant: `Testcase: testX(org.ATest):<tab>FAILED`.
    if let Some(rest) = line.strip_prefix("Testcase: ") {
        let (head, word) = rest.rsplit_once(":\t")?;
        let status = if word.trim_end() == "FAILED" { Status::Failed } else { Status::Errored };
        return matches!(word.trim_end(), "FAILED" | "Caused an ERROR").then_some((head, status));
    }
    let (front, word) = line.split_once("<<< ")?;
    let status = match word.trim_end().trim_end_matches('!') {
        "FAILURE" => Status::Failed,
        "ERROR" => Status::Errored,
        _ => return None,
    };
    let head = front.split("Time elapsed:").next()?.trim().trim_end_matches("--").trim_end();
    (!head.is_empty()).then_some((head, status))
}

/// Ant's plain report: `Testcase: testX took 0.1 sec`, and on the next line how it ended.
fn ended_below<'a>(line: &'a str, next: &str) -> Option<(&'a str, Status)> {
    let (head, _) = line.strip_prefix("Testcase: ")?.rsplit_once(" took ")?;
    let status = match unlabelled(next).trim() {
        "FAILED" => Status::Failed,
        "Caused an ERROR" => Status::Errored,
        _ => return None,
    };
    Some((head, status))
}

/// Says of a failed test what stands behind Ant's labels.
fn without_labels(case: &mut Case, lines: &Lines, body: Range<usize>) {
    let text: Vec<&str> = lines.range(body).map(|(_, line)| unlabelled(line)).collect();
    // The message stands alone before the exception that repeats it.
    let text = match text.as_slice() {
        [message, exception, ..] if *message == "null" || exception.ends_with(message) => &text[1..],
        text => text,
    };
    for fault in &mut case.faults {
        let (span, excerpt) = (fault.lines, std::mem::take(&mut fault.excerpt));
        *fault = Fault { lines: span, excerpt, ..gist::fault("", None, &text.join("\n"), None) };
    }
}

/// Whether Ant's task printed a line.
fn is_of_ant(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("[junit] ") || line.starts_with("[junitlauncher] ")
}

/// Class and name of a head; new versions write the class before the name or not at all.
fn test(head: &str, current: &str) -> (String, String) {
    if let Some((name, class)) = head.strip_suffix(')').and_then(|head| head.rsplit_once('('))
        && !class.is_empty()
        && class.contains('.') | name.contains(|c: char| c.is_ascii_alphanumeric())
        && class.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '$' | '_'))
    {
        return (class.to_owned(), name.to_owned());
    }
    if let Some(name) = head.strip_prefix(current).and_then(|rest| rest.strip_prefix('.')) {
        return (current.to_owned(), name.to_owned());
    }
    // A whole class that could not be set up is named alone.
    if head == current {
        return (current.to_owned(), String::new());
    }
    match head.split_once(['(', '{', '[']).map_or(head, |(front, _)| front).rsplit_once('.') {
        Some((class, _)) if !class.contains(' ') => (class.to_owned(), head[class.len() + 1..].to_owned()),
        _ => (current.to_owned(), head.to_owned()),
    }
}

/// Another paragraph of the same exception.
fn continues(lines: &Lines, at: usize) -> bool {
    let line = lines.get(at).trim_start();
    ["at ", "Caused by: ", "Expected", "     but:", "but:", "... "].iter().any(|start| line.starts_with(start))
}

fn list(line: &str) -> Option<Status> {
    let (title, rest) = line.split_once(':')?;
    match title {
        "Failed tests" => Some(Status::Failed),
        "Tests in error" => Some(Status::Errored),
        "Failures" if rest.trim().is_empty() => Some(Status::Failed),
        "Errors" if rest.trim().is_empty() => Some(Status::Errored),
        _ => None,
    }
}

/// `ATest.testX:14->Support.check:48 message`, `ATest.testX:53 » NullPointer`, `testX(org.ATest): message`
fn summary(line: &str) -> Option<(&str, &str, Option<u32>, &str)> {
    let line = line.strip_prefix("Run 1: ").unwrap_or(line);
    let first = line.split([' ', ':']).next().unwrap_or_default();
    if let Some((name, class)) =
        first.strip_suffix(')').and_then(|test| test.split_once('(')).filter(|(_, class)| class.contains('.'))
    {
        return Some((class, name, None, line[first.len()..].trim_start_matches([':', ' '])));
    }
    let first = first.split("->").next().unwrap_or(first);
    let (class, name) = first.split('(').next().unwrap_or(first).rsplit_once('.')?;
    let identifier =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '.'));
    if !identifier(class) || !identifier(name) || !simple(class).starts_with(|c: char| c.is_uppercase()) {
        return None;
    }
    let rest = &line[first.len()..];
    let number = rest.strip_prefix(':').map(|rest| rest.bytes().take_while(u8::is_ascii_digit).count());
    let number = number.and_then(|digits| rest.get(1..=digits)?.parse().ok());
    let message = rest.split_once(' ').map_or("", |(_, message)| message.trim_start_matches("» ").trim());
    Some((class, name, number, message))
}

fn simple(class: &str) -> &str {
    class.rsplit('.').next().unwrap_or(class)
}

/// A method without its parameters.
fn method(name: &str) -> &str {
    name.split(['(', '[', '{', ' ']).next().unwrap_or(name)
}

#[cfg(test)]
mod tests;
