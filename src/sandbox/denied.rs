//! Reads from a failed command's output which accesses the walls refused, and what policy line would allow them.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

use super::Denied;
use super::order::{Order, Reach};

/// What a command wanted whose socket was refused.
pub(super) const SOCKET: &str = "to open an internet socket";
/// More than this many are one story told again.
const MOST: usize = 8;

/// What a system says when a file may not be used.
static FILE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)permission denied|read-only file system|\bEACCES\b|\bEROFS\b").ok());
/// What systems and clients say when an address cannot be reached, and what our proxy makes them say.
static UNREACHED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?ix) network\ is\ unreachable | could\ ?n[o']t\ resolve\ (host|proxy) | \bname\ resolution\b
        | name\ or\ service\ not\ known | failed\ to\ lookup\ address | \bdns\ error\b
        | \b(ENETUNREACH|EAI_AGAIN|ENOTFOUND)\b | tunnel.{0,30}\b403\b | \b403\b.{0,30}proxy",
    )
    .ok()
});
/// What the filter of system calls answers: files answer otherwise (EACCES).
static REFUSED: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i)operation not permitted|\bEPERM\b").ok());
static ADDRESS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?x) https?://([A-Za-z0-9.-]+\.[A-Za-z]{2,})(?::(\d{1,5}))?
        | (?:host:?\s*|host=|host\ name:?\s*|ENOTFOUND\s+|EAI_AGAIN\s+|connect\ to\s+|lookup\s+)['`\x22]?([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,})['`\x22]?(?::(\d{1,5}))?").ok()
});
static PATH: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(/[A-Za-z0-9._+@-]+(?:/[A-Za-z0-9._+@-]+)*)").ok());

/// What was refused, as far as `texts` (standard error, then standard output) show, in the order in which they do.
pub(super) fn explain(texts: &[Cow<'_, str>], order: &Order) -> Vec<Denied> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for text in texts {
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let near = lines.get(at.saturating_sub(3)..(at + 2).min(lines.len())).unwrap_or_default().join("\n");
            let denied = network(line, &near, order).or_else(|| file(line, order));
            if let Some(denied) = denied
                && seen.insert(denied.wanted.clone())
            {
                found.push(denied);
            }
            if found.len() == MOST {
                return found;
            }
        }
    }
    found
}

fn network(line: &str, near: &str, order: &Order) -> Option<Denied> {
    let refused = order.reach == Reach::Nothing && matches(&REFUSED, line);
    if !refused && !matches(&UNREACHED, line) {
        return None;
    }
    let said = |wanted: String, allow_with: String| Some(Denied { wanted, allow_with });
    let address = ADDRESS.as_ref()?;
    if let Some(captures) = address.captures(line).or_else(|| address.captures(near)) {
        let host = captures.get(1).or_else(|| captures.get(3))?.as_str().to_ascii_lowercase();
        let usual = if captures.get(0)?.as_str().starts_with("http:") { "80" } else { "443" };
        let port = captures.get(2).or_else(|| captures.get(4)).map_or(usual, |port| port.as_str());
        return said(format!("to connect to {host}:{port}"), format!("network: {{allow: [\"{host}:{port}\"]}}"));
    }
    if order.reach == Reach::Nothing {
        return said(SOCKET.to_owned(), "network: loopback".to_owned());
    }
    said("to reach the network".to_owned(), "network: {allow: [\"HOST:PORT\"]}".to_owned())
}

fn file(line: &str, order: &Order) -> Option<Denied> {
    if !matches(&FILE, line) {
        return None;
    }
    let inside = |path: &&str| !order.view.writable.iter().any(|writable| Path::new(path).starts_with(writable));
    // A trace names the program's own files too; the one refused stands last.
    let path = PATH.as_ref()?.find_iter(line).map(|found| found.as_str()).filter(inside).last()?;
    let wanted = format!("to use {path}");
    let allow_with = "none: commands write below the workspace, HOME and TMPDIR only".to_owned();
    Some(Denied { wanted, allow_with })
}

fn matches(pattern: &LazyLock<Option<Regex>>, line: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(line))
}

#[cfg(test)]
mod tests {
    use super::super::order::{Caps, View};
    use super::*;

    fn explained(output: &str, reach: Reach) -> Vec<(String, String)> {
        let order = Order {
            tier: 1,
            probe: false,
            landlock: true,
            argv: Vec::new(),
            cwd: "/w".into(),
            env: std::collections::BTreeMap::new(),
            view: View { writable: vec!["/w".into()], ..View::default() },
            reach,
            identity: None,
            caller: (0, 0),
            caps: Caps { wall_ms: 0, memory: 0, processes: 0, disk: 0 },
        };
        explain(&[output.into()], &order).into_iter().map(|denied| (denied.wanted, denied.allow_with)).collect()
    }

    fn wants(output: &str, reach: Reach) -> Vec<String> {
        explained(output, reach).into_iter().map(|(wanted, _)| wanted).collect()
    }

    #[test]
    fn a_client_without_a_network_wants_its_host() {
        let curl = "curl: (6) Could not resolve host: packages.example.org";
        assert_eq!(
            explained(curl, Reach::Loopback),
            [(
                "to connect to packages.example.org:443".to_owned(),
                "network: {allow: [\"packages.example.org:443\"]}".to_owned()
            )]
        );
        let cargo = "warning: spurious network error: [6] Couldn't resolve host name (Could not resolve host: index.example.org)";
        assert_eq!(wants(cargo, Reach::Loopback), ["to connect to index.example.org:443"]);
        let npm = "npm ERR! request to http://r.example.org:8080/left-pad failed, reason: getaddrinfo EAI_AGAIN r.example.org";
        assert_eq!(wants(npm, Reach::Loopback), ["to connect to r.example.org:8080"]);
    }

    #[test]
    fn a_refused_socket_wants_loopback() {
        let rust = "called `Result::unwrap()` on an `Err` value: Os { code: 1, kind: PermissionDenied, message: \"Operation not permitted\" }";
        assert_eq!(explained(rust, Reach::Nothing)[0].1, "network: loopback");
        assert_eq!(
            wants("Error: listen EPERM: operation not permitted 127.0.0.1", Reach::Nothing),
            ["to open an internet socket"]
        );
    }

    #[test]
    fn a_path_outside_is_named_and_one_inside_is_not() {
        let output = "touch: cannot touch '/etc/x': Read-only file system\ncat: /w/a: Permission denied";
        assert_eq!(wants(output, Reach::Nothing), ["to use /etc/x"]);
    }

    #[test]
    fn plain_failures_are_no_refusals() {
        assert_eq!(wants("assertion failed: 403 == 404\n  in resolve_name\nproxy = Mock()", Reach::Loopback), [""; 0]);
    }
}
