//! What kind of fault a report without a format tells: above all whether anything in the code can mend it.

use std::sync::LazyLock;

use regex::bytes::{RegexSet, RegexSetBuilder};

use crate::artifact::FaultKind;

/// How reports of a kind read; the first kind with a line that reads so is the report's.
const KINDS: &[(FaultKind, &str)] = &[
    // The machine, the service or the network failed: a second run may pass, a change of the code does not help.
    (
        FaultKind::Infrastructure,
        r"(?i)no space left on device|\bENOSPC\b|not enough space on the disk|disk quota exceeded|no usable space",
    ),
    (
        FaultKind::Infrastructure,
        r"(?i)rate limit (?:exceeded|reached)|rate.?limited|toomanyrequests|pull rate limit|429 too many requests",
    ),
    (
        FaultKind::Infrastructure,
        r"(?i)runner has received a shutdown signal|lost communication with the server|runner .{0,80}(?:was lost|went offline|not connected)|agent (?:went offline|was lost|lost)|(?:operation|job|build|run) (?:was|has been) cancell?ed|request to deprovision|spot instance (?:interruption|termination)|preempted|claim-expired|worker-shutdown|remote call on .{0,60} failed",
    ),
    (
        FaultKind::Infrastructure,
        r"(?i)\b50[0234] (?:internal server error|bad gateway|service (?:temporarily )?unavailable|gateway time-?out)|(?:response|status|returned|error|http)[ :=a-z/.\d]{0,20}\b50[0234]\b",
    ),
    (
        FaultKind::Infrastructure,
        r"(?i)\bE(?:CONNRESET|AI_AGAIN|TIMEDOUT)\b.*(?:https?:|registry|getaddrinfo)|could not resolve host|temporary failure (?:in name resolution|resolving)|tls handshake timeout|empty reply from server|RPC failed; |the remote end hung up|early EOF|hash sum mismatch|failed to fetch https?://|failed to connect to \S+ port|unable to access 'https?://.*(?:timed out|reset|refused|resolve|reply)|(?:download|fetch|clone|pull|push)\w*\b.{0,120}(?:connection (?:reset|refused|timed out)|i/o timeout)|failed to clone from",
    ),
    (
        FaultKind::Infrastructure,
        r"(?i)cannot allocate memory|out of memory: kill|oom-?kill|exit(?:ed with)?(?: code| status)?:? 137\b|exited with 137|heap out of memory|OutOfMemoryError|Killed\s+process",
    ),
    (
        FaultKind::Timeout,
        r"(?i)no output has been received in the last|exceeded the maximum (?:time limit|execution time)|action .{0,200}has timed out after|execution took longer than|too long with no output|build timed out|job .{0,40}timed out|task aborted - max run time exceeded|context deadline exceeded",
    ),
    // What the code asks for cannot be had.
    (
        FaultKind::Dependency,
        r"(?i)npm ERR! (?:404|notarget|peer|code E(?:404|TARGET|RESOLVE|INTEGRITY))|could not find a version that satisfies|no matching distribution|could not resolve (?:dependencies|all|placeholder)|unable to locate package|could not find (?:gem|artifact|any|com|org)|ResolutionImpossible|requirements could not be resolved|unresolved dependenc|bundler could not find|failed to select a version|manifest unknown|error NU1\d\d\d|unmet dependencies|no required module provides|unable to resolve dependency|couldn't find any versions|could not resolve dependency|remote branch .{1,80} not found",
    ),
    (
        FaultKind::Dependency,
        r"No module named|Cannot find module|cannot find package|LoadError: cannot load|ModuleNotFoundError|Can't locate \S+\.pm in @INC",
    ),
    (
        FaultKind::Crash,
        r"Segmentation fault|core dumped|SIGSEGV|SIGABRT|SIGBUS|AddressSanitizer|\bpanic: |internal compiler error",
    ),
    (
        FaultKind::Compile,
        r"(?i)error (?:CS|TS|MSB|LNK|FS|BC)\d+|:\d+(?::\d+)?: (?:fatal )?error\b|\[\d+,\d+\] (?:error:)?|compilation (?:error|failed)|undefined reference to|cannot find symbol|^error\[E\d|parse error|syntax ?error|linker command failed",
    ),
    (
        FaultKind::Format,
        r"(?i)code style issues|not formatted|would (?:be )?reformat|please (?:run|apply) .{0,40}fmt|style violations?|clang-format",
    ),
    (
        FaultKind::Test,
        r"(?i)^not ok\b|TEST-UNEXPECTED-|^\s*\d+\) |--- FAIL|\bassertion|failed asserting|<<< (?:failure|error)|\bexpected\b.*\b(?:got|but|actual|received)|tests? failed|FAILED \S*test|> \S.* FAILED",
    ),
    (
        FaultKind::Lint,
        r"(?i)\blint|^\s+\d+:\d+\s+(?:error|warning|✖|×)\s|:\d+: ?(?:\[?[A-Z]{1,4}\d{2,4}\]?|MD\d+)\b|broken links?",
    ),
];

static SET: LazyLock<Option<RegexSet>> =
    LazyLock::new(|| RegexSetBuilder::new(KINDS.iter().map(|(_, pattern)| pattern)).unicode(false).build().ok());

/// The kind of a report, by its lines.
pub(super) fn kind<'a>(lines: impl Iterator<Item = &'a str>) -> FaultKind {
    const LIMIT: usize = 600;
    let Some(set) = SET.as_ref() else { return FaultKind::Unknown };
    let first = |line: &str| set.matches(&line.as_bytes()[..line.len().min(LIMIT)]).iter().next();
    lines.filter_map(first).min().map_or(FaultKind::Unknown, |row| KINDS[row].0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_says_whether_the_code_is_to_blame() {
        let told = |line: &str| kind([line].into_iter());
        for line in [
            "write /tmp/x: no space left on device",
            "The runner has received a shutdown signal. This can happen when the runner service is stopped.",
            "fatal: unable to access 'https://example.org/x/': Empty reply from server",
            "npm ERR! network request to https://registry.example failed, reason: 503 Service Unavailable",
            "The command \"make\" exited with 137.",
            "API rate limit exceeded for installation.",
        ] {
            assert_eq!(told(line), FaultKind::Infrastructure, "{line}");
        }
        assert_eq!(
            told("No output has been received in the last 10m0s, this potentially indicates"),
            FaultKind::Timeout
        );
        assert_eq!(told("ERROR: No matching distribution found for nosuch==9"), FaultKind::Dependency);
        assert_eq!(told("src/a.c:3:1: error: expected ';'"), FaultKind::Compile);
        assert_eq!(told("hello"), FaultKind::Unknown);
    }
}
