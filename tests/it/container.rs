//! A container action as GitHub runs it, around the real program: Docker's default capabilities and system calls,
//! GitHub's paths, a workspace that belongs to somebody else, the container engine's socket, secrets in the
//! environment. `fixtures/container/` builds it without an engine.
//!
//! The repository under repair attacks: every attack is refused behind our walls, and succeeds without them.
//! Without root there are no mounts to be had: then the same is done for a plain user on the machine's own paths.

use std::collections::{BTreeMap, BTreeSet};
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use nix::unistd::{Gid, Uid, chown};

use crate::support::program::Ran;
use crate::support::repository::Repository;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/container");
const PROJECT: [&str; 5] = ["Cargo.toml", "Cargo.lock", "src/lib.rs", "tests/hostile.rs", "climb.py"];
/// What no attack may find, in the environment of the action and in its files.
const SECRET: &str = "hunter2-of-the-action";
/// Who runs the job on GitHub's machines, and owns what is mounted.
const RUNNER: u32 = 1001;

/// Who the container's processes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Who {
    /// As GitHub has it: uid 0 with Docker's default capabilities.
    Root,
    /// As an image with a user of its own has it.
    User,
}

/// Those that can be tried: without root only the plain user.
fn everybody() -> &'static [Who] {
    if Uid::effective().is_root() { &[Who::Root, Who::User] } else { &[Who::User] }
}

/// What the runner lays out for one step.
struct Container {
    who: Who,
    runner: tempfile::TempDir,
    workspace: Repository,
    /// An argument of the process that the attack leaves behind, which no other test has.
    daemon: String,
    _listeners: (TcpListener, UnixListener, UnixListener),
}

impl Container {
    fn new(who: Who) -> Self {
        let runner = tempfile::Builder::new().prefix("unbreak-runner-").tempdir_in("/var/tmp").unwrap();
        let below = |name: &str| runner.path().join(name);
        std::fs::set_permissions(runner.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        for (path, text) in [
            ("temp/_github_home/.netrc", SECRET),
            ("temp/_github_workflow/event.json", "{\"action\": \"completed\", \"installation\": \"hunter2\"}"),
            ("temp/_runner_file_commands/set_output_1", ""),
            ("temp/_runner_file_commands/step_summary_1", ""),
        ] {
            std::fs::create_dir_all(below(path).parent().unwrap()).unwrap();
            std::fs::write(below(path), text).unwrap();
        }
        std::fs::create_dir(below("root")).unwrap();
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let engine = UnixListener::bind(below("docker.sock")).unwrap();
        let hidden = UnixListener::bind_addr(
            &SocketAddr::from_abstract_name(runner.path().as_os_str().as_encoded_bytes()).unwrap(),
        )
        .unwrap();
        let mode = if who == Who::Root { 0o660 } else { 0o666 };
        std::fs::set_permissions(below("docker.sock"), std::fs::Permissions::from_mode(mode)).unwrap();
        let port = tcp.local_addr().unwrap().port();
        let daemon = format!("120.00{port}");
        let workspace = workspace(&targets(who, runner.path(), (port, &daemon)));
        symlink(workspace.path(), below("workspace")).unwrap();
        if is_mounted() {
            hand_over(&below("temp"));
            hand_over(workspace.path());
        } else {
            lay_paths(runner.path(), workspace.path());
        }
        Self { who, runner, workspace, daemon, _listeners: (tcp, engine, hidden) }
    }

    /// A path as the container's processes see it.
    fn inside(&self, path: &str) -> String {
        format!("{}/{path}", github(self.runner.path()))
    }

    /// A path as the runner sees it.
    fn outside(&self, path: &str) -> PathBuf {
        self.runner.path().join("temp").join(path)
    }

    /// Runs a command as the container's first process. `unbreak` is found on its search path.
    fn run(&self, command: &[&str]) -> Ran {
        let toolchain = toolchain();
        let binary = Path::new(env!("CARGO_BIN_EXE_unbreak"));
        let limits = format!("{FIXTURES}/limits.py");
        let (mut start, path) = if is_mounted() {
            let mut start = Command::new("/usr/bin/unshare");
            start.args(["--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "/bin/sh"]);
            start.arg(format!("{FIXTURES}/enter.sh")).args([&self.runner.path().join("root"), self.runner.path()]);
            start.arg(&toolchain).arg(binary).arg(&limits);
            start.arg(if self.who == Who::Root { "root" } else { "user" });
            (start, "/toolchain/bin:/action".to_owned())
        } else {
            let mut start = Command::new("/usr/bin/python3");
            start.args([&limits, "user"]).current_dir(self.workspace.path());
            (start, format!("{}:{}", toolchain.join("bin").display(), binary.parent().unwrap().display()))
        };
        start.env_clear().envs(self.environment()).stdin(Stdio::null());
        start.env("PATH", format!("{path}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"));
        Ran::from(start.args(command).output().unwrap())
    }

    /// What the runner sets, as far as it says where things are or is secret.
    fn environment(&self) -> BTreeMap<&'static str, String> {
        let workspace = self.workspace.path().display().to_string();
        BTreeMap::from([
            ("CI", "true".to_owned()),
            ("GITHUB_ACTIONS", "true".to_owned()),
            ("GITHUB_WORKSPACE", if is_mounted() { self.inside("workspace") } else { workspace }),
            ("GITHUB_EVENT_PATH", self.inside("workflow/event.json")),
            ("GITHUB_OUTPUT", self.inside("file_commands/set_output_1")),
            ("GITHUB_STEP_SUMMARY", self.inside("file_commands/step_summary_1")),
            ("HOME", self.inside("home")),
            ("RUNNER_TEMP", self.inside("runner_temp")),
            ("ACTIONS_RUNTIME_TOKEN", SECRET.to_owned()),
            ("INPUT_GITHUB-TOKEN", SECRET.to_owned()),
            ("INPUT_API-KEY", SECRET.to_owned()),
        ])
    }
}

/// Whether the container gets a view of its own, rather than the machine's paths.
fn is_mounted() -> bool {
    Uid::effective().is_root()
}

/// Where the runner's directories appear.
fn github(runner: &Path) -> String {
    if is_mounted() { "/github".to_owned() } else { runner.join("github").display().to_string() }
}

/// What the attacks aim at.
fn targets(who: Who, runner: &Path, (tcp, daemon): (u16, &str)) -> String {
    let scope = std::fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").unwrap_or_default();
    let attaching = ["", "0"].contains(&scope.trim());
    let engine = if is_mounted() { "/var/run/docker.sock".into() } else { runner.join("docker.sock") };
    let value = serde_json::json!({
        "github": github(runner),
        "secret": SECRET,
        "docker": engine,
        "abstract": runner,
        "tcp": tcp,
        "daemon": daemon,
        "root": who == Who::Root,
        "attaching": attaching,
    });
    value.to_string()
}

fn workspace(targets: &str) -> Repository {
    let texts = PROJECT.map(|path| std::fs::read_to_string(format!("{FIXTURES}/project/{path}")).unwrap());
    let mut files: Vec<(&str, &str)> = PROJECT.into_iter().zip(texts.iter().map(String::as_str)).collect();
    files.extend([("targets.json", targets), (".gitignore", "/target\n")]);
    let repository = Repository::of(&files);
    repository.git(&["config", "http.extraheader", &format!("AUTHORIZATION: basic {SECRET}")]);
    std::fs::set_permissions(repository.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    repository
}

/// Gives a tree to the runner's user.
fn hand_over(path: &Path) {
    if path.is_dir() {
        for entry in std::fs::read_dir(path).unwrap() {
            hand_over(&entry.unwrap().path());
        }
    }
    chown(path, Some(Uid::from_raw(RUNNER)), Some(Gid::from_raw(RUNNER))).unwrap();
}

/// Without mounts: the same names, as links.
fn lay_paths(runner: &Path, workspace: &Path) {
    let github = runner.join("github");
    std::fs::create_dir(&github).unwrap();
    symlink(workspace, github.join("workspace")).unwrap();
    symlink(runner.join("temp"), github.join("runner_temp")).unwrap();
    for (name, part) in
        [("home", "_github_home"), ("workflow", "_github_workflow"), ("file_commands", "_runner_file_commands")]
    {
        symlink(runner.join("temp").join(part), github.join(name)).unwrap();
    }
}

/// Every file below `path`: owner, mode, time of change and content.
fn files(path: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(path).unwrap() {
        let entry = entry.unwrap();
        let meta = entry.metadata().unwrap();
        // Git marks an object that it meets again as fresh, wherever it lies: the clock of the store is not ours.
        let time = if path.ancestors().any(|part| part.ends_with(".git/objects")) { 0 } else { meta.mtime_nsec() };
        let state = (meta.uid(), meta.mode(), time);
        let content = if meta.is_dir() { Vec::new() } else { std::fs::read(entry.path()).unwrap() };
        let hash = unbreak::ids::Sha::of(&content);
        found.insert(format!("{} {state:?} {hash}", entry.path().display()));
        if meta.is_dir() {
            found.extend(files(&entry.path()));
        }
    }
    found
}

/// The directory of the Rust toolchain itself, without the proxies that find it.
fn toolchain() -> PathBuf {
    let output = Command::new("rustc").args(["--print", "sysroot"]).output().unwrap();
    let path = PathBuf::from(String::from_utf8(output.stdout).unwrap().trim());
    path.canonicalize().unwrap()
}

/// The attacks by what became of them: `CLIMBED` or `refused`.
fn attacks<'a>(said: &'a str, outcome: &str) -> Vec<&'a str> {
    let ends = |line: &'a str| line.split_once(": ").filter(|(_, end)| end.starts_with(outcome));
    said.lines().filter_map(ends).map(|(name, _)| name).collect()
}

#[test]
fn doctor_says_which_walls_stand() {
    for who in everybody() {
        let report = Container::new(*who).run(&["unbreak", "doctor", "--format", "json"]).expect(0).json();
        assert_eq!((&report["stands"], &report["walls"]["tier"]), (&true.into(), &2.into()), "{who:?}: {report:#}");
        let walls = report["walls"]["walls"].as_object().unwrap();
        assert!(walls["network"].as_str().unwrap().contains("refuses internet sockets"), "{report:#}");
        assert!(walls["filesystem"].as_str().unwrap().contains("Landlock"), "{report:#}");
        let own = walls["uid"].as_str().unwrap().contains("of the run's own, no groups, no capabilities");
        assert_eq!(own, *who == Who::Root, "{report:#}");
        let missing = report["walls"]["missing"].as_array().unwrap();
        let namespaces = missing.iter().filter(|line| line.as_str().unwrap().starts_with("tier 1: unshare"));
        assert_eq!(namespaces.count(), 1, "{report:#}");
    }
}

/// Runs `command`, says which processes are left behind on standard error, and ends them.
fn watched(container: &Container, command: &str) -> Ran {
    let script = format!(
        "{command}; code=$?; for process in $(grep -l -a '^/bin/sleep.{}' /proc/[0-9]*/cmdline); do \
         echo left behind: $process >&2; kill $(basename $(dirname $process)); done; exit $code",
        container.daemon
    );
    container.run(&["/bin/sh", "-c", &script])
}

#[test]
fn a_hostile_project_is_repaired_and_reaches_nothing() {
    for who in everybody() {
        let container = Container::new(*who);
        let free = watched(&container, "/usr/bin/python3 climb.py");
        assert!(free.stderr.contains("left behind"), "the attack leaves nothing behind without walls: {}", free.stderr);
        assert_eq!(attacks(&free.stdout, "refused"), [""; 0], "{who:?}: refused without our walls: {}", free.stdout);

        let (before, out) = (files(container.workspace.path()), container.inside("home/proposal"));
        let fix = "unbreak fix --run 'cargo test -- --nocapture' --tier zero --format json --out";
        let ran = watched(&container, &format!("{fix} {out}")).expect(0);
        assert!(!ran.stderr.contains("left behind"), "{who:?}: {}", ran.stderr);
        assert_eq!(ran.json()["result"], "fixed", "{}", ran.stdout);
        let printed = evidence(&container.outside("_github_home/proposal"));
        assert_eq!(attacks(&printed, "refused"), attacks(&free.stdout, "CLIMBED"), "{who:?}: {printed}");
        let changed: Vec<String> = files(container.workspace.path()).symmetric_difference(&before).cloned().collect();
        assert_eq!(changed, [""; 0], "{who:?}: the workspace was touched");
        for commands in ["set_output_1", "step_summary_1"] {
            let file = container.outside("_runner_file_commands").join(commands);
            assert_eq!(std::fs::read_to_string(&file).unwrap(), "", "{who:?}: {}", file.display());
        }
    }
}

/// What the attacks printed in the last run that is in the evidence.
fn evidence(proposal: &Path) -> String {
    let mut outputs: Vec<PathBuf> =
        std::fs::read_dir(proposal.join("evidence")).unwrap().map(|entry| entry.unwrap().path()).collect();
    outputs.sort();
    let text = |path: &PathBuf| String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
    outputs.iter().rev().map(text).find(|text| text.contains(": refused (")).unwrap_or_default()
}

#[test]
fn the_image_and_its_builder_have_the_toolchain_of_this_project() {
    let read = |name: &str| std::fs::read_to_string(format!("{}/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let toolchain = read("rust-toolchain.toml");
    let channel = toolchain.lines().find_map(|line| line.strip_prefix("channel = ")).unwrap().trim_matches('"');
    let image = format!("ARG RUST_IMAGE=docker.io/library/rust:{channel}-slim-bookworm\n");
    assert!(read("Dockerfile").contains(&image), "{image}");
}
