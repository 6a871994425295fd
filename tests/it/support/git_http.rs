//! Git over smart HTTP: the real `git http-backend`, called by the rules of CGI from a server on 127.0.0.1.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tempfile::TempDir;
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

/// What holds for every repository below a root: it may be read and written, and any commit may be asked for by its
/// id, as on GitHub.
const CONFIG: &[(&str, &str)] = &[
    ("safe.directory", "*"),
    ("http.receivepack", "true"),
    ("uploadpack.allowAnySHA1InWant", "true"),
    ("receive.autogc", "false"),
];

/// Lets git answer a request for a bare repository below `root`; the path of the request is `/NAME.git/…`, or without
/// the `.git`. Hooks of the repository run, protocol 2 is spoken when asked for.
pub(crate) fn serve(root: &Path, request: &Request) -> ResponseTemplate {
    let header = |name: &str| request.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut command = Command::new("git");
    command.arg("http-backend").env_clear().current_dir(root).envs(configuration(CONFIG)).envs([
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_HTTP_EXPORT_ALL", "1"),
        ("REMOTE_USER", "pusher"),
        ("REMOTE_ADDR", "127.0.0.1"),
        ("REQUEST_METHOD", request.method.as_str()),
        ("PATH_INFO", request.url.path()),
        ("QUERY_STRING", request.url.query().unwrap_or_default()),
        ("CONTENT_TYPE", header("content-type")),
        ("HTTP_CONTENT_ENCODING", header("content-encoding")),
        ("GIT_PROTOCOL", header("git-protocol")),
        ("CONTENT_LENGTH", &request.body.len().to_string()),
    ]);
    command.env("GIT_PROJECT_ROOT", root);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let output = std::thread::scope(|scope| {
        // A backend that ends without reading says why itself.
        scope.spawn(move || drop(input.write_all(&request.body)));
        child.wait_with_output().unwrap()
    });
    answer(&output.stdout).unwrap_or_else(|| {
        ResponseTemplate::new(500).set_body_string(String::from_utf8_lossy(&output.stderr).into_owned())
    })
}

/// Whether a request carries `x-access-token:TOKEN`, as a forge wants it from git.
pub(crate) fn authorised(request: &Request, token: &str) -> bool {
    let expected = format!("Basic {}", STANDARD.encode(format!("x-access-token:{token}")));
    request.headers.get("authorization").is_some_and(|value| value.as_bytes() == expected.as_bytes())
}

/// Configuration of git as variables of its environment.
fn configuration(settings: &[(&str, &str)]) -> Vec<(String, String)> {
    let pairs = settings.iter().enumerate().flat_map(|(at, (key, value))| {
        [(format!("GIT_CONFIG_KEY_{at}"), (*key).to_owned()), (format!("GIT_CONFIG_VALUE_{at}"), (*value).to_owned())]
    });
    std::iter::once(("GIT_CONFIG_COUNT".to_owned(), settings.len().to_string())).chain(pairs).collect()
}

/// The answer in what a CGI program printed: header lines, an empty line, the body.
fn answer(printed: &[u8]) -> Option<ResponseTemplate> {
    let end = printed.windows(4).position(|four| four == b"\r\n\r\n")?;
    let (mut status, mut content_type, mut headers) = (200, "application/octet-stream".to_owned(), Vec::new());
    for line in std::str::from_utf8(&printed[..end]).ok()?.split("\r\n") {
        let (name, value) = line.split_once(": ")?;
        match name.to_ascii_lowercase().as_str() {
            "status" => status = value.split(' ').next()?.parse().ok()?,
            "content-type" => value.clone_into(&mut content_type),
            _ => headers.push((name.to_owned(), value.to_owned())),
        }
    }
    let body = printed[end + 4..].to_vec();
    let answer = ResponseTemplate::new(status).set_body_raw(body, &content_type);
    Some(headers.iter().fold(answer, |answer, (name, value)| answer.append_header(name.as_str(), value.as_str())))
}

/// A server of bare repositories.
pub(crate) struct GitServer {
    server: MockServer,
    root: TempDir,
}

impl GitServer {
    /// Starts an empty one; with a token nothing is given without it.
    pub(crate) async fn start(token: Option<&str>) -> Self {
        let root = tempfile::Builder::new().prefix("unbreak-forge-").tempdir_in("/var/tmp").unwrap();
        let server = MockServer::start().await;
        let (below, token) = (root.path().to_owned(), token.map(str::to_owned));
        let respond = move |request: &Request| match &token {
            Some(token) if !authorised(request, token) => {
                ResponseTemplate::new(401).insert_header("WWW-Authenticate", "Basic realm=\"forge\"")
            }
            _ => serve(&below, request),
        };
        Mock::given(any()).respond_with(respond).mount(&server).await;
        Self { server, root }
    }

    /// Makes an empty bare repository `NAME.git`, whose address it gives.
    pub(crate) fn add(&self, name: &str) -> String {
        let at = self.repository(name);
        std::fs::create_dir_all(&at).unwrap();
        self.git(name, &["init", "--quiet", "--bare", "--initial-branch=main", "."]);
        self.url(name)
    }

    /// The address of a repository.
    pub(crate) fn url(&self, name: &str) -> String {
        format!("{}/{name}.git", self.server.uri())
    }

    /// The directory of a repository.
    pub(crate) fn repository(&self, name: &str) -> PathBuf {
        self.root.path().join(format!("{name}.git"))
    }

    /// Installs a hook: a script that runs in the repository.
    pub(crate) fn hook(&self, name: &str, hook: &str, script: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        let at = self.repository(name).join("hooks").join(hook);
        std::fs::create_dir_all(at.parent().unwrap()).unwrap();
        std::fs::write(&at, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&at, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Runs git in a repository of the server; what it printed.
    pub(crate) fn git(&self, name: &str, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .args(["-c", "safe.directory=*", "-c", "protocol.file.allow=always"])
            .args(arguments)
            .current_dir(self.repository(name))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    /// Takes over everything that a local repository has: its branches and their commits.
    pub(crate) fn take(&self, name: &str, local: &Path) {
        let from = local.to_str().unwrap();
        self.git(name, &["fetch", "--quiet", from, "refs/heads/*:refs/heads/*"]);
    }

    /// The requests so far.
    pub(crate) async fn requests(&self) -> Vec<Request> {
        self.server.received_requests().await.unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::repository::Repository;

    /// Runs git as a user of the server would; whether it succeeded, and what it printed.
    fn user(directory: &Path, token: Option<&str>, arguments: &[&str]) -> (bool, String) {
        let header =
            token.map(|token| format!("Authorization: Basic {}", STANDARD.encode(format!("x-access-token:{token}"))));
        let settings: Vec<(&str, &str)> = header.iter().map(|header| ("http.extraHeader", header.as_str())).collect();
        let output = Command::new("git")
            .args(arguments)
            .current_dir(directory)
            .envs(configuration(&settings))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_TERMINAL_PROMPT", "0")
            .output()
            .unwrap();
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    }

    #[tokio::test]
    async fn a_clone_and_a_push_go_over_http_and_only_with_the_token() {
        let server = GitServer::start(Some("t0ken")).await;
        let url = server.add("octo/hello");
        let local = Repository::of(&[("a.txt", "one\n")]);
        let (pushed, words) = user(local.path(), None, &["push", &url, "main"]);
        assert!(!pushed && !server.repository("octo/hello").join("refs/heads/main").exists(), "{words}");
        assert!(user(local.path(), Some("t0ken"), &["push", &url, "main"]).0);
        assert_eq!(server.git("octo/hello", &["rev-parse", "main"]), local.git(&["rev-parse", "HEAD"]));
        let room = tempfile::tempdir().unwrap();
        let (cloned, words) = user(room.path(), Some("t0ken"), &["clone", "--depth=1", &url, "copy"]);
        assert!(cloned && room.path().join("copy/a.txt").exists(), "{words}");
        let protocol = |request: &Request| request.headers.get("git-protocol").is_some_and(|it| it == "version=2");
        assert!(server.requests().await.iter().any(protocol));
    }

    #[tokio::test]
    async fn a_hook_refuses_with_its_words() {
        let server = GitServer::start(None).await;
        let url = server.add("hello");
        server.hook("hello", "pre-receive", "echo not today >&2; exit 1");
        let local = Repository::of(&[("a.txt", "one\n")]);
        let (pushed, words) = user(local.path(), None, &["push", &url, "main"]);
        assert!(!pushed && words.contains("remote: not today"), "{words}");
        assert!(words.contains("[remote rejected]"), "{words}");
    }

    #[tokio::test]
    async fn a_large_push_is_read_whole() {
        let server = GitServer::start(None).await;
        let url = server.add("hello");
        let local = Repository::of(&[("a.txt", "one\n")]);
        // Does not compress, and is larger than what git sends in one piece.
        let mut state = 1_u64;
        let noise: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state.to_be_bytes()[0]
        })
        .take(3 << 20)
        .collect();
        std::fs::write(local.file("noise"), noise).unwrap();
        let head = local.commit("noise");
        let (pushed, words) = user(local.path(), None, &["push", &url, "main"]);
        assert!(pushed, "{words}");
        assert_eq!(server.git("hello", &["rev-parse", "main"]), head);
    }
}
