//! Ruby, PHP, Perl, Elixir, Lua, Julia, R, PowerShell, Haskell, OCaml, and Python itself.

use super::{Found, end};
use crate::artifact::place;
use crate::artifact::text::lines::Lines;

fn found(tool: &'static str, lines: (usize, usize), says: usize, message: &str) -> Found {
    Found { tool, lines, says, message: message.trim().to_owned() }
}

/// `Fatal Python error: Segmentation fault`
pub(super) fn python_died(lines: &Lines, index: usize) -> Option<Found> {
    let message = lines.get(index).trim().strip_prefix("Fatal Python error: ")?;
    let inside = |line: &str| line.is_empty() || line.starts_with("  File ") || line.contains("most recent call first");
    Some(found("python", (index, end(lines, index + 1, inside)), index, &format!("fatal Python error: {message}")))
}

/// `a.rb:3:in 'm': message (RuntimeError)`
pub(super) fn ruby(lines: &Lines, index: usize) -> Option<Found> {
    let line = lines.get(index).trim_end();
    let (at, rest) = place::leading(line)?;
    if at.path.contains(' ') || !line.ends_with(')') {
        return None;
    }
    let message = match rest.strip_prefix(":in ") {
        Some(rest) => rest.split_once("': ")?.1,
        None => rest.strip_prefix(": ").filter(|_| place::has_extension(&at.path, "rb"))?,
    };
    let (words, class) = message.strip_suffix(')')?.rsplit_once(" (")?;
    class.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, ':' | '_')).then_some(())?;
    let stop = end(lines, index + 1, |line| line.trim_start().starts_with("from "));
    Some(found("ruby", (index, stop), index, &format!("{class}: {words}")))
}

/// `rake aborted!`, then the message, then bare places.
pub(super) fn rake(lines: &Lines, index: usize) -> Option<Found> {
    (lines.get(index).trim() == "rake aborted!").then_some(())?;
    let stop = end(lines, index + 1, |line| !line.trim().is_empty() && !line.starts_with("Tasks: TOP"));
    (stop > index + 1).then(|| found("rake", (index, stop), index + 1, lines.get(index + 1)))
}

/// `PHP Fatal error:  Uncaught X: y in /a.php:3`; the program shows the same without `PHP`.
pub(super) fn php(lines: &Lines, index: usize) -> Option<Found> {
    let line = lines.get(index).trim();
    let line = line.strip_prefix("PHP ").unwrap_or(line);
    let parse = line.starts_with("Parse error: ");
    let message = line.strip_prefix("Fatal error: ").or_else(|| line.strip_prefix("Parse error: "))?.trim();
    let stop = end(lines, index + 1, |line| {
        line.starts_with('#') || line.starts_with("Stack trace:") || line.trim_start().starts_with("thrown in ")
    });
    let placed = message.contains(".php on line ") || message.contains(".php:") || stop > index + 1;
    placed.then_some(())?;
    let words = message.strip_prefix("Uncaught ").unwrap_or(message);
    let words = words.rsplit_once(" in ").map_or(words, |(words, _)| words);
    let words = if parse { format!("Parse error: {words}") } else { words.to_owned() };
    Some(found("php", (index, stop), index, &words))
}

/// `** (RuntimeError) boom`
pub(super) fn elixir(lines: &Lines, index: usize) -> Option<Found> {
    let line = lines.get(index);
    let (class, _) = line.strip_prefix("** (")?.split_once(") ")?;
    let plain = class.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | ' ' | '<' | '>'));
    (plain && (class.starts_with(|c: char| c.is_ascii_uppercase()) || class == "exit")).then_some(())?;
    let stop = end(lines, index + 1, |line| line.starts_with("    "));
    Some(found("elixir", (index, stop), index, &line[3..]))
}

/// `Can't locate X.pm in @INC … at a.pl line 3.`
pub(super) fn perl(lines: &Lines, index: usize) -> Option<Found> {
    let line = lines.get(index);
    (line.starts_with("Can't locate ") && line.contains(" line ")).then_some(())?;
    let words = line.split(" (you may need").next().and_then(|line| line.split(" (@INC").next()).unwrap_or(line);
    Some(found("perl", (index, perl_end(lines, index)), index, words))
}

/// `boom at a.pl line 3.`
pub(super) fn perl_died(lines: &Lines, index: usize) -> Option<Found> {
    let line = lines.get(index).trim_end();
    let line_end = line.rfind(" line ").filter(|_| line.len() < 600)?;
    let number = line[line_end + 6..].trim_end_matches('.');
    if number.is_empty() || number.len() > 7 || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (words, path) = line[..line_end].rsplit_once(" at ")?;
    let script = ["pl", "pm", "PL"].iter().any(|end| place::has_extension(path, end)) && !path.contains(' ');
    let comment = words.starts_with(['#', ' ', '\t']) || words.starts_with("Use of uninitialized");
    (script && !comment).then_some(())?;
    // A warning reads the same: only what ended the program counts.
    let stop = perl_end(lines, index);
    let ended = stop > index + 1 || words.starts_with("syntax error") || words.starts_with("Died");
    ended.then(|| found("perl", (index, stop), index, words))
}

fn perl_end(lines: &Lines, index: usize) -> usize {
    let goes_on = |line: &str| {
        line.contains(" called at ")
            || line.starts_with("BEGIN failed--")
            || line.starts_with("Compilation failed in ")
            || line.starts_with("Execution of ")
    };
    end(lines, index + 1, goes_on)
}

/// `prog: boom`, then the calls that ask for their caller.
pub(super) fn haskell(lines: &Lines, index: usize) -> Option<Found> {
    let says = index.checked_sub(1).filter(|_| lines.get(index).trim() == "CallStack (from HasCallStack):")?;
    let stop = end(lines, index + 1, |line| line.contains(", called at "));
    let line = lines.get(says).trim();
    (stop > index + 1 && !line.is_empty()).then(|| found("haskell", (says, stop), says, line))
}

/// `Fatal error: exception Failure("x")`
pub(super) fn ocaml(lines: &Lines, index: usize) -> Option<Found> {
    let message = lines.get(index).strip_prefix("Fatal error: exception ")?;
    let traced = |line: &str| ["Raised ", "Called from ", "Re-raised "].iter().any(|head| line.starts_with(head));
    Some(found("ocaml", (index, end(lines, index + 1, traced)), index, message))
}

/// `lua: a.lua:3: boom`, then its traceback.
pub(super) fn lua(lines: &Lines, index: usize) -> Option<Found> {
    let says = index.checked_sub(1).filter(|_| lines.get(index).trim() == "stack traceback:")?;
    let line = lines.get(says).trim();
    let message = line.strip_prefix("lua").and_then(|rest| rest.split_once(": ")).map_or(line, |(_, rest)| rest);
    let message = place::leading(message).map_or(message, |(_, rest)| rest.trim_start_matches(':'));
    let stop = end(lines, index + 1, |line| line.starts_with('\t') || line.starts_with("  "));
    (stop > index + 1).then(|| found("lua", (says, stop), says, message))
}

/// `ERROR: LoadError: boom`, then `Stacktrace:`
pub(super) fn julia(lines: &Lines, index: usize) -> Option<Found> {
    (lines.get(index).trim() == "Stacktrace:").then_some(())?;
    let head = |line: &str| line.strip_prefix("ERROR: ").map(str::to_owned);
    let (says, message) = (index.saturating_sub(6)..index).rev().find_map(|at| Some((at, head(lines.get(at))?)))?;
    let stop = end(lines, index + 1, |line| line.starts_with(' ') || line.starts_with("in expression "));
    Some(found("julia", (says, stop), says, &message))
}

/// `Error in f(x) : boom`, then `Execution halted`
pub(super) fn r(lines: &Lines, index: usize) -> Option<Found> {
    (lines.get(index).trim() == "Execution halted").then_some(())?;
    let says = (index.saturating_sub(20)..index).rev().find(|at| lines.get(*at).starts_with("Error"))?;
    let line = lines.get(says);
    // A long call pushes the message to the next line.
    let message = match line.rsplit_once(" : ").or_else(|| line.split_once("Error: ")) {
        Some((_, message)) if !message.trim().is_empty() => message,
        _ if line.trim_end().ends_with(':') => lines.get(says + 1),
        _ => line,
    };
    Some(found("R", (says, index + 1), says, message))
}

/// The message, then `At C:\x.ps1:3 char:5`
pub(super) fn powershell(lines: &Lines, index: usize) -> Option<Found> {
    let line = lines.get(index).trim();
    let (_, column) = line.strip_prefix("At ")?.rsplit_once(" char:")?;
    column.parse::<u32>().ok()?;
    // A long message is wrapped; its first line begins with the command that failed.
    let said = (index.saturating_sub(4)..index).rev().take_while(|at| !lines.get(*at).trim().is_empty());
    let command = |line: &str| line.split_once(" : ").is_some_and(|(name, _)| !name.contains([' ', '[']));
    let above = said.clone().find(|at| command(lines.get(*at))).or_else(|| said.clone().next());
    let says = above.unwrap_or(index);
    let stop = end(lines, index + 1, |line| line.trim_start().starts_with('+') || line.trim_start().starts_with("at "));
    Some(found("powershell", (says, stop), says, lines.get(says)))
}
