//! What a line of a log says about a failure, by its words alone.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::bytes::{RegexSet, RegexSetBuilder};

/// What a line is in the story of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// It says what went wrong.
    Cause,
    /// It repeats that something went wrong.
    Echo,
    /// It quotes source, or a stack.
    Quote,
    /// It only sounds as if.
    Harmless,
}

/// A kind of line: how it reads, and how well such a line explains a failure (0 to 100).
struct Sign {
    pattern: &'static str,
    role: Role,
    weight: u32,
}

const fn cause(pattern: &'static str, weight: u32) -> Sign {
    Sign { pattern, role: Role::Cause, weight }
}

const fn echo(pattern: &'static str, weight: u32) -> Sign {
    Sign { pattern, role: Role::Echo, weight }
}

const fn harmless(pattern: &'static str) -> Sign {
    Sign { pattern, role: Role::Harmless, weight: 3 }
}

const fn quote(pattern: &'static str) -> Sign {
    Sign { pattern, role: Role::Quote, weight: 3 }
}

const SIGNS: &[Sign] = &[
    // What programs and compilers begin their reports with.
    cause(r"(?i)^\W{0,4}(?:[\w./+-]+: ){0,2}(?:fatal(?: error)?|panic|internal compiler error)\b", 92),
    cause(r"(?i)(?:^|[^\w@/.-])error(?: ?\[?[a-z]*\d+\]?)?:", 84),
    cause(r"(?i)^\W{0,6}error\b", 82),
    cause(r"^\W{0,4}(?:[\w.$-]+::?|[\w.$]*\.)?[A-Z]\w*(?:Error|Exception|Failure)\b(?:\W|$)", 88),
    cause(r"(?i)\berror (?:CS|TS|MSB|LNK|C|FS|BC|CA|NU)\d+", 90),
    cause(r"^##\[error\]", 80),
    cause(r"\berror\b.*\bin\b|\berrors? (?:found|occurred)|\bError\b", 62),
    cause(r"Traceback \(most recent call last\)|^Exception in thread|^Caused by:|^Unhandled|^Uncaught", 84),
    cause(
        r"panicked at|^panic:|Segmentation fault|core dumped|\bAborted\b|\bKilled\b|SIGSEGV|SIGABRT|stack overflow",
        90,
    ),
    cause(r"^!{5,} .+ !{5,}$", 82),
    cause(r"^! (?:\S+ )+|^(?:Overfull|Underfull) \\[hv]box|^LaTeX (?:Warning|Error)", 80),
    cause(r"^\s*\[?(?:4\d\d|5\d\d)\]? +\S*https?://", 70),
    // Tests.
    cause(r"^not ok\b", 84),
    cause(r"^\s*\d+\) ", 70),
    cause(r"\bFAIL(?:ED|URE|URES)?\b", 74),
    cause(r"(?i)\bfail(?:ed|ure|s|ing)?\b", 58),
    cause(r"(?:✖|✗|✘|✕)|^\s*× ", 72),
    cause(
        r"(?i)\bassert(?:ion)?(?:[ (:!]|s? failed|error|$)|AssertionError|Failed asserting|expected\b.*\b(?:got|but|to|actual|received|found)\b",
        82,
    ),
    cause(r"^E {2,}\S|^>\s{2,}\S", 84),
    cause(r"^\s*(?:Expected|Actual|Received|expected|actual|got)\b ?[:=]", 72),
    cause(r"(?i)^\W{0,4}(?:issues|problems|violations|offenses)\b\W*$", 70),
    // What could not be found, reached or done.
    cause(r"(?i)command not found|no such file|permission denied|access denied|not recognized as", 84),
    cause(
        r"(?i)(?:can(?:not|'t)|could ?n[o']t|could not|unable to|failed to|did not|does not|doesn't|must|no longer) \w+",
        70,
    ),
    cause(
        r"(?i)\bnot (?:found|exist|installed|available|defined|allowed|supported|declared)|No module named|No rule to make|Cannot find",
        80,
    ),
    cause(
        r#"(?i)(?:^|[\s:'"(\[])(?:undefined|unresolved|undeclared|unknown|unexpected|unsupported|unrecognized|invalid|illegal|missing|duplicate|ambiguous|incompatible)(?:[\s:,.'"]|$)"#,
        68,
    ),
    cause(r"(?i)rake aborted|aborting|^\*\* \(", 84),
    cause(
        r"(?i)timed out|timeout (?:of|after|exceeded|error|reached|waiting)|Timeout(?:Error|Exception)|connection (?:refused|reset|closed|timed|error)|could not resolve|no output has been received|network is unreachable|disconnected",
        76,
    ),
    cause(r"(?i)no space left|out of memory|cannot allocate|rate limit|exceeded|too (?:many|large|big|long)", 78),
    cause(r"^E: |^W: Failed|^ERROR\b|^FATAL\b|^\[ERROR\]|^CRITICAL\b", 84),
    cause(
        r"(?i)\b(?:conflict|violation|mismatch|differs?|rejected|refused|denied|forbidden|unauthorized|corrupt|broken|not formatted|code style|out of date|dirty)\w*",
        66,
    ),
    cause(
        r"(?i)\bplease (?:run|rebuild|commit|fix|update|install|format|check)|did you mean|is required\b|forgot to",
        62,
    ),
    cause(r"^(?:[A-Za-z]:)?[\w./\\+-]+\.\w{1,8}[:(]\s?\d+(?:[:,]\s?\d+)?\)?(?:[: ]|$)", 66),
    cause(r"^\s+\d+:\d+\s+(?:error|warning|✖|×)\s", 70),
    cause(r"^(?:@@ |\+\+\+ |--- )\S*|^diff --git", 50),
    // What no code can mend.
    cause(
        r"(?i)no space left on device|runner has received a shutdown signal|lost communication with the server|no output has been received in the last|exceeded the maximum (?:time limit|execution time)|has timed out after \d+ min|took longer than|rate limit exceeded|too long with no output|max run time exceeded",
        97,
    ),
    // What follows from it.
    echo(r"^npm ERR!", 34),
    echo(r"^npm ERR! (?:404|code E(?:404|TARGET|RESOLVE|INTEGRITY|NOENT)|notarget|peer|network)", 62),
    echo(
        r"Failed to execute goal|Compilation failure|COMPILATION ERROR|LifecycleExecutionException|^> Task \S+ FAILED",
        40,
    ),
    echo(r"(?:^|\s)g?n?make(?:\.exe)?(?:\[\d+\])?: (?:\*\*\* )?.*(?:Error|failed|Stop)", 34),
    echo(
        r"(?i)recipe for target|error command failed|command failed with|execution failed for task|there were failing tests|(?:build|process|action) (?:failed|exited)|CalledProcessError|ProcessExecutionError|ELIFECYCLE|Summary of warnings|errno \d|see above|see the full|complete log of this run|non-?zero|Exit status \d|exit (?:code|status)|exited with|returned \d+ exit",
        16,
    ),
    echo(
        r"(?i)^\W*(?:build|tests?|compilation|task|job|script|phase) (?:has )?(?:failed|failure|errored)\W*$|^BUILD FAIL|^FAILURES!|^FAILED$|^Test failed",
        22,
    ),
    echo(
        r"(?i)re-?run|--stacktrace|--trace\b|--verbose|-X switch|Run with|\[Help \d\]|For more information|To see the full",
        8,
    ),
    echo(r"^\s*(?:Tests?|Test Suites|Tests run|Failures|Errors|Assertions|Ran|Snapshots|Time)\b.*\d", 36),
    echo(r"^The command |^Your build has been stopped|^Done\. Your build", 6),
    echo(r"^##\[error\](?:Process completed|Executing the custom container)|^##\[end-action", 6),
    echo(
        r"(?i)^warning\b|(?:^|[^x\s]\s?|\s\s)\bwarn(?:ing)?\b[:\]!]|\bdeprecat|^npm WARN|(?-i:\bWARN(?:ING)?\b|\bDEBUG\b|\bINFO\b|\bTRACE\b)|\bnotice\b|STANDARD_(?:ERROR|OUT)|\d warnings?\b",
        22,
    ),
    // What sounds like it.
    harmless(
        r"(?i)\b0 (?:errors?|fail|failed|failures|failing|problems|rejected|warnings)\b|(?:errors?|failures?|failed): ?0\b|no (?:errors|failures|problems|issues)",
    ),
    harmless(
        r"(?:\.\.\. ?ok|\bok|\bPASS(?:ED)?|SUCCESS|passed|SKIPPED)\s*(?:\(.*\))?$|^ok \d|^\s*(?:✓|✔) |^PASS |^\s*√ |^OK \(|^\s*\d+ passing|^Assertions: \d",
    ),
    harmless(
        r"^[\s+*-]*(?:Get|Hit|Ign|Fetched|Reading database|Reading package|debconf|Extracting|Resolving|Checking|Creating|Updating|Generating|Removing|Copying|Scanning|Fetching|Successfully|adding|inflating|Processing triggers|Unpacking|Setting up|Selecting|Preparing|Downloading|Installing|Collecting|Requirement|Using|Compiling|Building|Linking|Cloning|remote:|update-alternatives:)(?:[: ]|$)|^\(Reading database",
    ),
    harmless(r"exited with 0\b"),
    harmless(r"(?i)^checking .*\.\.\.|will create one|Picked up JAVA_TOOL_OPTIONS"),
    // Statistics.
    harmless(r"^\s*[A-Z][\w ()/+-]+(?:\s{3,}|: +)[\d.]+(?: ?[\w%/]{1,4})?$"),
    // Source that a report quotes.
    quote(r"^\s*(?:>+|-+>)?\s*\d* *\|"),
    harmless(r"^\$ |^\+ |^> \S+@|^travis_|^\s*export |^\[command\]|^\[\d\d:\d\d:\d\d\] (?:Starting|Finished)"),
    harmless(
        r"(?i)\|\| (?:true|exit|echo)|if .*; then|set -e|continue-on-error|fail-fast|errors?_reporting|libgpg-error|error-chain|\.log\b",
    ),
];

/// Without classes of Unicode: with them one letter that is not ASCII makes a line a hundred times as dear.
static SET: LazyLock<Option<RegexSet>> = LazyLock::new(|| {
    let patterns = SIGNS.iter().map(|sign| sign.pattern);
    RegexSetBuilder::new(patterns).unicode(false).dfa_size_limit(16 << 20).build().ok()
});

/// Words without one of which a line says nothing here: looked for in all lines in one pass.
static WORDS: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::builder().ascii_case_insensitive(true).build(NEEDLES).ok());

const NEEDLES: &[&str] = &[
    "err",
    "fail",
    "fatal",
    "panic",
    "exception",
    "caused by",
    "unhandled",
    "traceback",
    "segmentation",
    "core dump",
    "abort",
    "killed",
    "sig",
    "overflow",
    "not ok",
    "test-unexpected-",
    "process-crash",
    ") ",
    "✖",
    "✗",
    "✘",
    "✕",
    "×",
    "assert",
    "expected",
    "e  ",
    ">  ",
    "actual",
    "received",
    "got",
    "not found",
    "no such",
    "denied",
    "recogniz",
    "can't",
    "cannot",
    "could",
    "unable",
    "did not",
    "does not",
    "doesn't",
    "must",
    "no longer",
    "not exist",
    "not installed",
    "not available",
    "not defined",
    "not allowed",
    "not supported",
    "not declared",
    "no module",
    "no rule",
    "undefined",
    "unresolved",
    "undeclared",
    "unknown",
    "unexpected",
    "unsupported",
    "invalid",
    "illegal",
    "missing",
    "duplicate",
    "ambiguous",
    "incompatible",
    "** (",
    "!!!",
    "timed out",
    "timeout",
    "time out",
    "connection",
    "resolve",
    "no output",
    "shutdown signal",
    "lost comm",
    "longer than",
    "with no",
    "unreachable",
    "disconnect",
    "no space",
    "memory",
    "allocate",
    "rate limit",
    "exceed",
    "too ",
    "e: ",
    "critical",
    "conflict",
    "violation",
    "mismatch",
    "differ",
    "reject",
    "refused",
    "forbidden",
    "unauthorized",
    "corrupt",
    "broken",
    "format",
    "style",
    "out of date",
    "dirty",
    "please",
    "did you",
    "required",
    "forgot",
    "@@ ",
    "+++ ",
    "--- ",
    "diff ",
    "full \\",
    "issues",
    "problem",
    "offenses",
    "latex ",
    "! ",
    "http",
    "warn",
];

/// The weight of a harness's own verdict.
pub(super) const VERDICT: u32 = 100;

/// What a line says: its role and its weight; nothing when it says nothing.
pub(super) fn read(line: &str) -> Option<(Role, u32)> {
    const LIMIT: usize = 600;
    let line = line[..line.floor_char_boundary(LIMIT)].trim_end();
    let line = without_prefix(line);
    if line.is_empty() || !(is_place(line) || WORDS.as_ref().is_some_and(|words| words.is_match(line))) {
        return None;
    }
    // Mozilla's harnesses name their verdicts in lines that are informative otherwise.
    if line.contains(" TEST-UNEXPECTED-") || line.contains(" PROCESS-CRASH | ") {
        return Some((Role::Cause, VERDICT));
    }
    let mut best: Option<(Role, u32)> = None;
    for found in SET.as_ref()?.matches(line.as_bytes()) {
        let sign = &SIGNS[found];
        best = match (best, sign.role) {
            (Some((Role::Harmless | Role::Quote, _)), _) => break,
            (_, role @ (Role::Harmless | Role::Quote)) => Some((role, sign.weight)),
            // An echo is one whatever strong words it is made of.
            (Some((Role::Echo, weight)), Role::Echo) => Some((Role::Echo, weight.min(sign.weight))),
            (_, Role::Echo) => Some((Role::Echo, sign.weight)),
            (Some((Role::Echo, weight)), Role::Cause) => Some((Role::Echo, weight)),
            (Some((_, weight)), Role::Cause) => Some((Role::Cause, weight.max(sign.weight))),
            (None, Role::Cause) => Some((Role::Cause, sign.weight)),
        };
    }
    best
}

/// Whether a line may begin with a place in a file, `src/a.c:1` or `a.cs(1`.
fn is_place(line: &str) -> bool {
    const LIMIT: usize = 200;
    let head = &line.as_bytes()[..line.len().min(LIMIT)];
    memchr::memchr2_iter(b':', b'(', head).any(|at| {
        let digit = |at: usize| head.get(at).is_some_and(u8::is_ascii_digit);
        at > 0
            && head[at - 1].is_ascii_alphanumeric()
            && (digit(at + 1) || (head.get(at + 1) == Some(&b' ') && digit(at + 2)))
    })
}

/// What a program that runs another one puts before each of its lines: Docker's step and time, Ant's task, the time of
/// Taskcluster.
pub(super) fn without_prefix(line: &str) -> &str {
    const TASKS: &[&str] = &["exec", "java", "javac", "junit", "junitlauncher", "testng", "javadoc", "ant"];
    if let Some(rest) = line.strip_prefix('#') {
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let time = rest.strip_prefix(' ').map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.'));
        return time.and_then(|rest| rest.strip_prefix(' ')).unwrap_or(line);
    }
    if let Some((_, rest)) = line.strip_prefix("[task ").and_then(|rest| rest.split_once("Z] ")) {
        return rest;
    }
    let task = line.trim_start().strip_prefix('[').and_then(|rest| rest.split_once("] "));
    task.filter(|(name, _)| TASKS.contains(name)).map_or(line, |(_, rest)| rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sign_is_an_expression() {
        assert!(SET.is_some() && WORDS.is_some());
    }
}
