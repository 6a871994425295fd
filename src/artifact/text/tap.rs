//! The Test Anything Protocol, and node's test runner where it speaks it.

use super::Part;
use super::lines::Lines;
use super::scripts;
use crate::artifact::{Case, Fault, Location, Problem, Status, TestCounts, TestId, gist, place};
use crate::text;

/// Subtests nested deeper than this keep no names.
const DEPTH_LIMIT: usize = 32;

/// Reads test points: of node's runner every test, of others those at the top.
pub(super) fn read(lines: &Lines) -> Part {
    let declared = lines.all().any(|(_, line)| is_version(line));
    let planned = lines.all().any(|(_, line)| is_plan(line));
    // prove reads the protocol itself and says more of each failure.
    let proved = lines.all().any(|(_, line)| scripts::is_summary(line));
    let node = trailer(lines);
    if proved || !declared && !planned && !lines.all().any(|(index, _)| is_series(lines, index)) {
        return Part::default();
    }
    let mut reader = Reader { nested: node.is_some(), ..Reader::default() };
    let mut index = 0;
    while index < lines.len() {
        index = reader.line(lines, index);
    }
    let mut part = reader.part;
    part.recognised = declared || !part.cases.is_empty();
    if part.recognised {
        part.claims.push(reader.span);
        part.counts = part.cases.counts();
        if let Some(stated) = node {
            part.state(stated);
        }
    }
    part
}

/// Points numbered from one on need neither plan nor version.
fn is_series(lines: &Lines, index: usize) -> bool {
    let is_point = |at: usize, number: &str| {
        let line = lines.get(at);
        let rest = line.strip_prefix("not ok ").or_else(|| line.strip_prefix("ok "));
        rest.and_then(|rest| rest.strip_prefix(number)).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    is_point(index, "1") && is_point(index + 1, "2")
}

fn is_version(line: &str) -> bool {
    let Some((word, rest)) = line.strip_prefix("TAP ").and_then(|rest| rest.split_once(' ')) else { return false };
    word.eq_ignore_ascii_case("version") && rest.starts_with(|c: char| c.is_ascii_digit())
}

/// `1..4`
fn is_plan(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("1..") else { return false };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && matches!(rest.as_bytes().get(digits), None | Some(b' '))
}

/// What node's runner counts at its end: `# tests 7`, `# pass 2`, …
fn trailer(lines: &Lines) -> Option<TestCounts> {
    let tail = lines.len().saturating_sub(40);
    let value = |word: &str| {
        lines
            .range(tail..lines.len())
            .filter_map(|(_, line)| line.strip_prefix("# ")?.strip_prefix(word)?.strip_prefix(' ')?.parse::<u64>().ok())
            .last()
    };
    value("suites")?;
    Some(TestCounts {
        total: value("tests")?,
        passed: value("pass")?,
        failed: value("fail")?,
        errored: value("cancelled").unwrap_or(0),
        skipped: value("skipped").unwrap_or(0).saturating_add(value("todo").unwrap_or(0)),
    })
}

#[derive(Default)]
struct Reader {
    part: Part,
    nested: bool,
    parents: Vec<String>,
    /// The comment right above the points that follow.
    title: String,
    /// The lines from the first test point to the last.
    span: (usize, usize),
    /// First line of what was printed since the last test point.
    comments: Option<usize>,
}

impl Reader {
    /// Reads the line at `index`; returns the next one to read.
    fn line(&mut self, lines: &Lines, index: usize) -> usize {
        let line = lines.get(index);
        let body = line.trim_start_matches(' ');
        let indent = line.len() - body.len();
        if let Some(name) = body.strip_prefix("# Subtest: ") {
            self.parents.truncate(indent / 4);
            if self.parents.len() < DEPTH_LIMIT {
                self.parents.push(name.to_owned());
            }
            return index + 1;
        }
        if let Some(reason) = line.strip_prefix("Bail out!") {
            self.part
                .problems
                .push(Problem { line: Some(lines.number(index)), message: format!("the run bailed out:{reason}") });
        }
        let Some(point) = point(body).filter(|_| indent == 0 || self.nested) else {
            if body.starts_with("# ") && self.comments.is_none() {
                self.comments = Some(index);
            }
            return index + 1;
        };
        self.span = (if self.part.cases.is_empty() { index } else { self.span.0 }, index + 1);
        let block = block(lines, index + 1, indent);
        let comments = self.comments.take().unwrap_or(index);
        let next = block.map_or(index + 1, |(_, end)| end + 1);
        let yaml = block.map(|(start, end)| Yaml::read(lines, start, end, indent + 2)).unwrap_or_default();
        if self.nested && yaml.kind == "suite" {
            return next;
        }
        // tape says which test the assertions that follow belong to.
        if self.parents.is_empty()
            && let Some(title) = index.checked_sub(1).and_then(|above| lines.get(above).strip_prefix("# "))
        {
            let own = !title.starts_with([' ', '#']) && !title.starts_with("Failed") && !title.starts_with("Looks");
            self.title = if own { title.trim().to_owned() } else { String::new() };
        }
        let depth = (indent / 4).min(self.parents.len());
        let class = if self.parents.is_empty() { self.title.clone() } else { self.parents[..depth].join(" > ") };
        let id = TestId { suite: String::new(), class, name: point.name };
        let faults = match point.status {
            Status::Failed => vec![fault(lines, comments, index, next, yaml)],
            _ => Vec::new(),
        };
        self.part.cases.push(Case { id, status: point.status, faults, ..Case::default() });
        next
    }
}

struct Point {
    status: Status,
    name: String,
}

/// `not ok 2 - name # SKIP reason`
fn point(body: &str) -> Option<Point> {
    let (passed, rest) = match body.strip_prefix("not ok") {
        Some(rest) => (false, rest),
        None => (true, body.strip_prefix("ok")?),
    };
    // `ok  <tab>package` is Go's.
    if (!rest.is_empty() && !rest.starts_with(' ')) || rest.trim_start_matches(' ').starts_with('\t') {
        return None;
    }
    let rest = rest.trim_start();
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    let rest = rest.strip_prefix("- ").unwrap_or(rest);
    let (name, directive) = split_directive(without_time(rest));
    let skipped = !directive.is_empty();
    let status = if skipped {
        Status::Skipped
    } else if passed {
        Status::Passed
    } else {
        Status::Failed
    };
    Some(Point { status, name: name.trim().trim_end_matches('{').trim_end().replace("\\#", "#").replace("\\\\", "\\") })
}

/// Some runners put how long a test took behind its name: `# time=1460.9ms`.
fn without_time(text: &str) -> &str {
    match text.rsplit_once(" # time=") {
        Some((rest, time)) if !time.trim_end().trim_end_matches(" {").contains(' ') => rest,
        _ => text,
    }
}

/// The description ends at the first `#` behind a blank, or behind an escaped backslash, that a directive follows.
fn split_directive(text: &str) -> (&str, &str) {
    let directs = |at: usize| {
        let rest = text[at + 1..].trim_start();
        let word = rest.get(..4).unwrap_or_default();
        word.eq_ignore_ascii_case("skip") || word.eq_ignore_ascii_case("todo")
    };
    let stands_apart = |at: usize| {
        let before = &text[..at];
        let backslashes = before.len() - before.trim_end_matches('\\').len();
        at == 0 || before.ends_with([' ', '\t']) || backslashes > 0 && backslashes.is_multiple_of(2)
    };
    match text.match_indices('#').map(|(at, _)| at).find(|at| directs(*at) && stands_apart(*at)) {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, ""),
    }
}

/// The YAML block behind a test point: its first and its last line.
fn block(lines: &Lines, start: usize, indent: usize) -> Option<(usize, usize)> {
    let first = lines.get(start);
    if first.trim() != "---" || first.len() - first.trim_start().len() <= indent {
        return None;
    }
    let depth = first.len() - first.trim_start().len();
    // What is less indented is no longer the block's: it was never closed.
    let inside = |line: &&str| line.trim().is_empty() || line.len() - line.trim_start().len() >= depth;
    let block = lines.range(start + 1..start + 2000).take_while(|(_, line)| inside(line));
    let end = block.into_iter().find(|(_, line)| matches!(line.trim(), "..." | "---")).map(|(at, _)| at)?;
    Some((start, end))
}

/// The few keys that matter of what a runner tells about a failure.
#[derive(Default)]
struct Yaml {
    kind: String,
    name: String,
    error: String,
    location: String,
    stack: String,
    expected: String,
    actual: String,
}

impl Yaml {
    /// Not a YAML parser: keys at one depth, with plain, quoted or block values.
    fn read(lines: &Lines, start: usize, end: usize, indent: usize) -> Self {
        let mut yaml = Self::default();
        let mut key = String::new();
        let depth_of = |line: &str| line.len() - line.trim_start().len();
        // tape indents its keys below the line that opens the block.
        let first = lines.range(start + 1..end).map(|(_, line)| line).find(|line| !line.trim().is_empty());
        let indent = first.map_or(indent, |line| indent.max(depth_of(line)));
        for (_, line) in lines.range(start + 1..end) {
            let depth = depth_of(line);
            if depth <= indent && !line.trim().is_empty() {
                let Some((name, value)) = line.trim().split_once(':') else { continue };
                name.clone_into(&mut key);
                let value = value.trim();
                if !matches!(value, "|-" | "|" | ">" | ">-") {
                    yaml.put(&key, value.trim_matches(['\'', '"']));
                }
            } else {
                yaml.put(&key, line.get(indent + 2..).unwrap_or_default());
            }
        }
        yaml
    }

    fn put(&mut self, key: &str, value: &str) {
        let slot = match key {
            "type" => &mut self.kind,
            "name" => &mut self.name,
            "error" | "message" => &mut self.error,
            "location" | "file" => &mut self.location,
            "stack" => &mut self.stack,
            "expected" | "wanted" => &mut self.expected,
            "actual" | "found" | "got" => &mut self.actual,
            _ => return,
        };
        if !slot.is_empty() {
            slot.push('\n');
        }
        slot.push_str(value);
    }
}

/// What bats and Perl say about a failure in comments below its line: the words, and the line behind them.
fn remarks(lines: &Lines, start: usize) -> (String, usize) {
    let first = lines.get(start);
    if !first.starts_with("#   ") && !first.starts_with("# (") {
        return (String::new(), start);
    }
    let block: Vec<&str> = lines.range(start..start + 12).map_while(|(_, line)| line.strip_prefix('#')).collect();
    let names = |line: &&str| line.is_empty() || line.starts_with(['(', '│']) || line.starts_with("Failed test");
    let place = |line: &&str| line.starts_with("at ") && line.ends_with('.');
    let said = block.iter().map(|line| line.trim()).filter(|line| !names(line) && !place(line));
    (said.take(2).collect::<Vec<_>>().join(", "), start + block.len())
}

/// `# (in test file test/cart.bats, line 5)`
fn of_bats(line: &str) -> Option<Location> {
    let (_, place) = line.split_once("in test file ")?;
    let (path, line) = place.split_once(", line ")?;
    let line = line.trim_end_matches([')', ',']).parse().ok()?;
    Some(Location { path: path.to_owned(), line: Some(line), column: None })
}

fn fault(lines: &Lines, comments: usize, index: usize, next: usize, yaml: Yaml) -> Fault {
    let calls = yaml.stack.lines().map(str::trim);
    // node leaves out the word, and the message above the calls.
    let whole = calls.clone().any(|line| line.starts_with("at "));
    let calls: Vec<String> = calls.map(|line| if whole { line.to_owned() } else { format!("at {line}") }).collect();
    let mut error = yaml.error.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    // A file that could not be loaded fails without a reason; the reason was printed before.
    let mut first = index;
    if matches!(error.as_str(), "test failed" | "") {
        let printed = |line: &str| line.trim_start_matches("# ").to_owned();
        if let Some((at, line)) = lines.range(comments..index).find(|(_, line)| line.contains("Error: ")) {
            (first, error) = (at, printed(line));
        }
    }
    if error.is_empty() && !yaml.expected.is_empty() && !yaml.actual.is_empty() {
        error = text::one_line(&format!("expected {}, got {}", yaml.expected, yaml.actual), 400);
    }
    let mut next = next;
    if error.is_empty() {
        (error, next) = remarks(lines, next);
    }
    if !yaml.name.is_empty() && !error.starts_with(&yaml.name) {
        error = format!("{}: {error}", yaml.name);
    }
    let details = format!("{}\n{}", lines.join(first..next), calls.join("\n"));
    let mut fault = gist::fault(&error, Some(yaml.name).filter(|name| !name.is_empty()), &details, None);
    let at = place::whole(&yaml.location).or_else(|| lines.range(index..next).find_map(|(_, line)| of_bats(line)));
    if let Some(Location { path, line, .. }) = at {
        gist::or_place(&mut fault, &path, line);
    }
    let inside = lines
        .range(first..next)
        .position(|(_, line)| line.trim_start().starts_with("stack:"))
        .map_or(next, |at| first + at);
    (fault.lines, fault.excerpt) = lines.quote(first..inside.min(first + 12));
    fault.message = text::first_line(&fault.message, 400);
    fault
}

#[cfg(test)]
mod tests;
