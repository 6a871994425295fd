//! How artifacts spell a path: with schemes, drives, queries, and the folder into which a machine checked out.

/// Folders that CI systems and containers check out into, and how many folders below them are theirs.
const ROOTS: &[(&str, usize)] = &[
    // Deeper ones first: `/a/` is the drive `D:/a/x/x/` of hosted Windows runners.
    ("/home/runner/work/", 2),
    ("/Users/runner/work/", 2),
    ("/__w/", 2),
    ("/a/", 2),
    ("/github/workspace/", 0),
    ("/home/travis/build/", 2),
    ("/Users/travis/build/", 2),
    ("/home/travis/gopath/src/", 3),
    ("/builds/", 2),
    ("/home/circleci/project/", 0),
    ("/home/circleci/repo/", 0),
    ("/Users/distiller/project/", 0),
    ("/root/project/", 0),
    ("/root/repo/", 0),
    ("/home/vsts/work/1/s/", 0),
    ("/Users/vsts/work/1/s/", 0),
    ("/drone/src/", 0),
    ("/woodpecker/src/", 3),
    ("/bitrise/src/", 0),
    ("/bitbucket/pipelines/agent/build/", 0),
    ("/opt/atlassian/pipelines/agent/build/", 0),
    ("/var/jenkins_home/workspace/", 1),
    ("/var/lib/jenkins/workspace/", 1),
    ("/home/jenkins/agent/workspace/", 1),
    ("/home/jenkins/workspace/", 1),
    ("/var/lib/buildkite-agent/builds/", 3),
    ("/usr/src/app/", 0),
    ("/usr/src/myapp/", 0),
    ("/home/node/app/", 0),
    ("/var/www/html/", 0),
    ("/go/src/", 3),
    ("/root/go/src/", 3),
    ("/workspaces/", 1),
    ("/workspace/", 0),
    ("/opt/app/", 0),
    ("/srv/app/", 0),
    ("/projects/", 1),
    ("/project/", 0),
    ("/source/", 0),
    ("/build/", 0),
    ("/code/", 0),
    ("/repo/", 0),
    ("/app/", 0),
    ("/src/", 0),
];

/// The same for folders anywhere in a path: own runners, Bazel.
const INSIDE: &[(&str, usize)] = &[("/_work/", 2), ("/execroot/", 1), (".runfiles/", 1)];

/// Forward slashes, no scheme, no query, no `./`, no `..`, no drive.
pub(super) fn tidy(path: &str) -> String {
    let path = without_scheme(path);
    let path = path.replace('\\', "/");
    let path = path.strip_prefix("//?/").unwrap_or(&path);
    let bytes = path.as_bytes();
    let drive = |at: usize| bytes.len() > at + 1 && bytes[at].is_ascii_alphabetic() && bytes[at + 1] == b':';
    let path = match bytes {
        [b'/', ..] if drive(1) => &path[3..],
        _ if drive(0) && bytes.get(2) == Some(&b'/') => &path[2..],
        _ => path,
    };
    collapsed(path)
}

/// What bundlers, browsers and test servers put before a path, and behind it.
fn without_scheme(path: &str) -> String {
    let Some((scheme, rest)) = path.split_once(":/").filter(|(scheme, _)| scheme.len() > 1 && is_scheme(scheme)) else {
        // `package:x/a.dart` is the file `lib/a.dart` of the package x.
        let dart = path.strip_prefix("package:").and_then(|rest| rest.split_once('/'));
        return dart.map_or_else(|| path.to_owned(), |(_, file)| format!("lib/{file}"));
    };
    let rest = rest.split(['?', '#']).next().unwrap_or(rest);
    let authority = rest.strip_prefix('/');
    let local = match (scheme, authority) {
        ("file", Some(rest)) if rest.starts_with('/') => rest.to_owned(),
        ("file", Some(rest)) => format!("/{rest}"),
        ("file", None) => format!("/{rest}"),
        (_, Some(rest)) => served(rest.split_once('/').map_or("", |(_, path)| path)),
        (_, None) => rest.to_owned(),
    };
    percent_decoded(&local)
}

fn is_scheme(scheme: &str) -> bool {
    scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.'))
}

/// Vite serves files outside of its root below `/@fs`, Karma its base below `/base` and others below `/absolute`.
fn served(path: &str) -> String {
    for front in ["@fs/", "absolute/"] {
        if let Some(rest) = path.strip_prefix(front) {
            return format!("/{}", rest.trim_start_matches('/'));
        }
    }
    path.strip_prefix("base/").unwrap_or(path).to_owned()
}

fn percent_decoded(path: &str) -> String {
    if !path.contains('%') {
        return path.to_owned();
    }
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, more)) = rest.split_first() {
        let digits = more.get(..2).filter(|_| *first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &more[2..] } else { more };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| path.to_owned())
}

/// Without `.` and `..`, as far as they can be told; what leads out of the folder stays in front.
fn collapsed(path: &str) -> String {
    if !path.split('/').any(|part| part == "." || part == "..") {
        return path.to_owned();
    }
    let absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        match (part, parts.last()) {
            ("..", Some(last)) if *last != ".." => {
                parts.pop();
            }
            ("..", None) if absolute => {}
            _ => parts.push(part),
        }
    }
    format!("{}{}", if absolute { "/" } else { "" }, parts.join("/"))
}

/// Cuts the folder into which CI systems check out: `/home/runner/work/x/x/`, `/github/workspace/`, …
pub(in crate::failure) fn without_checkout(path: &str) -> &str {
    let below = |mut rest: &'_ str, folders: usize| -> Option<usize> {
        for _ in 0..folders {
            rest = rest.split_once('/')?.1;
        }
        (!rest.is_empty()).then_some(rest.len())
    };
    for (inside, folders) in INSIDE {
        let left = path.rfind(inside).and_then(|at| below(&path[at + inside.len()..], *folders));
        if let Some(left) = left {
            return &path[path.len() - left..];
        }
    }
    let left = ROOTS.iter().find_map(|(root, folders)| below(path.strip_prefix(root)?, *folders));
    left.map_or(path, |left| &path[path.len() - left..])
}

/// `github.com/owner/repo/a.go` of builds without paths is `a.go`.
pub(super) fn without_module(path: &str) -> Option<&str> {
    let mut parts = path.splitn(4, '/');
    let host = parts.next().filter(|host| host.contains('.') && !host.starts_with('.'))?;
    let (_, _, rest) = (parts.next()?, parts.next()?, parts.next()?);
    let known =
        host.rsplit('.').next().is_some_and(|end| end.len() >= 2 && end.bytes().all(|byte| byte.is_ascii_lowercase()));
    let version = rest.split_once('/').filter(|(first, _)| {
        first.len() > 1 && first[1..].bytes().all(|byte| byte.is_ascii_digit()) && first.starts_with('v')
    });
    known.then(|| version.map_or(rest, |(_, rest)| rest))
}
