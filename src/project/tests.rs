//! Detection on trees in memory, one behaviour each.

use super::*;
use crate::artifact::{Location, Severity};
use crate::ids::Fingerprint;
use crate::source::Memory;

fn tree(files: &[(&str, &str)]) -> Vec<Project> {
    detect(&Memory::new(files.iter().map(|(path, text)| (RepoPath::new(path).unwrap(), *text))))
}

/// A project as text: its commands, then its set-up with alternatives indented.
fn shown(project: &Project) -> String {
    let mut lines = Vec::new();
    for (name, command) in &project.commands {
        lines.push(format!("{name}: {}", command.argv.join(" ")));
    }
    for step in &project.setup.steps {
        let mark = if step.optional { "try" } else { "must" };
        lines.push(format!("{mark}: {}", step.command.argv.join(" ")));
        lines.extend(step.otherwise.iter().map(|command| format!("  or: {}", command.argv.join(" "))));
    }
    lines.extend(project.notes.iter().map(|note| format!("note: {note}")));
    lines.join("\n")
}

fn one(files: &[(&str, &str)]) -> Project {
    let mut found = tree(files);
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

fn test_command(scripts: &str) -> String {
    let manifest = format!("{{\"scripts\": {scripts}}}");
    let project = one(&[("package.json", &manifest)]);
    project.commands.get("unit-test").map(|command| command.argv.join(" ")).unwrap_or_default()
}

fn failure(kind: FaultKind, tool: &str, path: &str) -> Failure {
    Failure {
        id: Fingerprint::of(&[]),
        kind,
        tool: Some(tool.to_owned()),
        rule: None,
        severity: Severity::Error,
        message: String::new(),
        test: None,
        location: Some(Location { path: path.to_owned(), line: None, column: None }),
        frames: vec![],
        artifact: 0,
        lines: None,
        excerpt: String::new(),
        occurrences: 1,
        tests: Vec::new(),
        weight: 0,
    }
}

#[test]
fn an_empty_tree_holds_no_project() {
    assert_eq!(tree(&[("README.md", "hello")]), []);
}

#[test]
fn a_cargo_package_is_fetched_and_tested_offline() {
    let project = one(&[("Cargo.toml", "[package]\nname = \"a\""), ("Cargo.lock", ""), ("src/lib.rs", "")]);
    insta::assert_snapshot!(shown(&project), @r"
    build: cargo build
    format: cargo fmt --all --check
    lint: cargo clippy --all-targets
    static-check: cargo check --all-targets
    unit-test: cargo test --no-fail-fast
    must: cargo fetch --locked
      or: cargo fetch
    ");
    assert_eq!(project.commands["unit-test"].env["CARGO_NET_OFFLINE"], "true");
    assert_eq!(project.commands["unit-test"].network, Network::Deny);
    assert_eq!(project.setup.steps[0].command.network, Network::Allow(vec![HostRule::Registries]));
    assert_eq!(project.lockfiles, [RepoPath::new("Cargo.lock").unwrap()]);
}

#[test]
fn a_workspace_covers_its_members_and_no_more() {
    let found = tree(&[
        ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\nexclude = [\"fuzz\"]"),
        ("crates/a/Cargo.toml", "[package]\nname = \"a\""),
        ("crates/b/Cargo.toml", "[package]\nname = \"b\""),
        ("crates/b/tests/sample/Cargo.toml", "[package]\nname = \"sample\""),
        ("fuzz/Cargo.toml", "[package]\nname = \"fuzz\""),
        ("rust-toolchain.toml", "[toolchain]\nchannel = \"nightly\""),
    ]);
    let roots: Vec<_> = found.iter().map(|project| project.root.as_ref().map(RepoPath::as_str)).collect();
    assert_eq!(roots, [None, Some("fuzz")]);
    assert_eq!(found[0].commands["unit-test"].argv, ["cargo", "test", "--workspace", "--no-fail-fast"]);
    assert_eq!(found[0].notes, ["the repository asks for the Rust toolchain `nightly`"]);
}

#[test]
fn default_members_and_path_dependencies_are_heeded() {
    let found = tree(&[
        ("Cargo.toml", "[package]\nname=\"a\"\n[workspace]\ndefault-members=[\".\"]\n[dependencies]\nb={path=\"./b\"}"),
        ("b/Cargo.toml", "[package]\nname = \"b\""),
    ]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].commands["build"].argv, ["cargo", "build"]);
}

#[test]
fn a_python_project_gets_an_environment_its_test_requirements_and_itself_last() {
    let project = one(&[
        (
            "pyproject.toml",
            "[project]\nname='a'\n[dependency-groups]\ntests=['pytest>8',{include-group='more'}]\nmore=['pretend; python_version>\"3\"']\ndev=['tox']",
        ),
        (
            "uv.lock",
            "[[package]]\nname='pytest'\nversion='9.0.1'\nsource={registry='r'}\n[[package]]\nname='a'\nversion='1'\nsource={editable='.'}",
        ),
        ("src/a/__init__.py", ""),
        ("tests/test_a.py", "import hypothesis\nfrom a import b\n"),
    ]);
    insta::assert_snapshot!(shown(&project), @r#"
    unit-test: {env}/bin/python -m pytest --continue-on-collection-errors tests
    must: python3 -m venv {env}
      or: python3 -m virtualenv -p python3 {env}
    must: {env}/bin/python -m pip install pytest==9.0.1 pretend; python_version>"3" hypothesis
      or: {env}/bin/python -m pip install pytest>8 pretend; python_version>"3" hypothesis
      or: {env}/bin/python -m pip install pytest hypothesis
      or: {env}/bin/python -m pip install pytest
    must: {env}/bin/python -m pip install -e .
      or: {env}/bin/python -m pip install .
    "#);
    assert_eq!(project.commands["unit-test"].env["PYTHONDONTWRITEBYTECODE"], "1");
}

#[test]
fn extras_for_tests_are_installed_with_the_project() {
    for (file, text) in [
        ("pyproject.toml", "[project]\nname='a'\n[project.optional-dependencies]\ntest=['pytest']\ndocs=['sphinx']"),
        ("setup.cfg", "[metadata]\nname = a\n[options.extras_require]\ntest =\n    pytest\ndocs = sphinx\n"),
        ("setup.py", "setup(\n  extras_require={'test': ['pytest'], \"docs\": ['sphinx']},\n)"),
    ] {
        let project = one(&[(file, text), ("a.py", "")]);
        let last = project.setup.steps.last().unwrap();
        assert_eq!(last.command.argv[4..], ["-e", ".[test]"], "{file}");
        assert!(last.optional, "a flat layout is imported as it lies");
    }
}

#[test]
fn development_groups_stand_in_where_none_is_for_tests() {
    let project = one(&[
        ("pyproject.toml", "[project]\nname='a'\n[dependency-groups]\ndev=['pytest','sphinx','ruff>1','tomli']"),
        ("a.py", ""),
    ]);
    assert_eq!(project.setup.steps[1].command.argv[4..], ["pytest", "tomli"]);
}

#[test]
fn poetry_and_tox_requirements_are_understood() {
    let poetry = "[tool.poetry]\nname='a'\n[tool.poetry.group.test.dependencies]\npytest='^7.1'\nmock={version='~4.0', extras=['x']}\nold='^0.3.1'\ngit={git='u'}";
    let project = one(&[("pyproject.toml", poetry), ("a.py", "")]);
    let expected = ["mock[x]~=4.0.0", "old>=0.3.1,<0.4", "pytest>=7.1,<8"];
    assert_eq!(project.setup.steps[1].command.argv[4..], expected);
    let tox = "[testenv]\ndeps =\n    pytest\n    -r{toxinidir}/ci/reqs.txt\n    py38: old\n    {[x]deps}\n[testenv:docs]\ndeps = sphinx\n";
    let project = one(&[("setup.py", "setup()"), ("tox.ini", tox), ("ci/reqs.txt", "attrs")]);
    insta::assert_snapshot!(shown(&project), @r"
    unit-test: {env}/bin/python -m pytest --continue-on-collection-errors
    must: python3 -m venv {env}
      or: python3 -m virtualenv -p python3 {env}
    must: {env}/bin/python -m pip install pytest
    try: {env}/bin/python -m pip install -r ci/reqs.txt
    try: {env}/bin/python -m pip install -e .
      or: {env}/bin/python -m pip install .
    ");
}

#[test]
fn plugins_follow_from_settings_markers_and_fixtures() {
    let project = one(&[
        ("setup.py", ""),
        ("pytest.ini", "[pytest]\naddopts = -q --cov=a\n    -n 2\nasyncio_mode = auto\ntestpaths = spec\n"),
        ("spec/test_a.py", "def test_a(mocker, benchmark): ...\n@pytest.mark.timeout(3)\ndef test_b(): ...\n"),
        ("spec/conftest.py", "@pytest.fixture\ndef benchmark(): ...\n"),
    ]);
    let expected = ["pytest", "pytest-cov", "pytest-xdist", "pytest-asyncio", "pytest-timeout", "pytest-mock"];
    assert_eq!(project.setup.steps[1].command.argv[4..], expected);
    assert_eq!(project.commands["unit-test"].argv.last().unwrap(), "--continue-on-collection-errors");
}

#[test]
fn nothing_is_installed_by_the_guess_of_an_import() {
    let project = one(&[
        ("requirements.txt", "flask==2\n"),
        ("requirements-extra.txt", "internal-helper==3\n"),
        ("app.py", ""),
        ("tests/test_app.py", "import flask, internal_helper\nimport stranger\nfrom . import x\n"),
    ]);
    insta::assert_snapshot!(shown(&project), @r"
    unit-test: {env}/bin/python -m pytest --continue-on-collection-errors tests
    must: python3 -m venv {env}
      or: python3 -m virtualenv -p python3 {env}
    must: {env}/bin/python -m pip install pytest flask==2 internal-helper==3
      or: {env}/bin/python -m pip install pytest
    try: {env}/bin/python -m pip install -r requirements.txt
    ");
}

#[test]
fn a_version_from_tags_is_given_by_the_change_log() {
    let build = "[build-system]\nrequires=['hatchling','hatch-vcs']\n[project]\nname='a'";
    let known = one(&[
        ("pyproject.toml", build),
        ("CHANGELOG.md", "# Changes\n\n## [2.5.1](u) - 2026\n## 2.4\n"),
        ("a.py", ""),
    ]);
    assert_eq!(known.setup.steps.last().unwrap().command.env["SETUPTOOLS_SCM_PRETEND_VERSION"], "2.5.1");
    let unknown = one(&[("pyproject.toml", build), ("a.py", "")]);
    let last = unknown.setup.steps.last().unwrap();
    assert!(!last.command.env.contains_key("SETUPTOOLS_SCM_PRETEND_VERSION"));
    assert!(last.otherwise[0].env.contains_key("SETUPTOOLS_SCM_PRETEND_VERSION"));
}

#[test]
fn addresses_and_options_among_requirements_are_left_out_and_named() {
    let project = one(&[
        (
            "pyproject.toml",
            "[project]\nname='a'\n[dependency-groups]\ntest=['pytest','x @ git+https://h/x','--index-url=u']",
        ),
        ("a.py", ""),
    ]);
    assert_eq!(project.setup.steps[1].command.argv[4..], ["pytest"]);
    assert_eq!(project.notes.len(), 2, "{:?}", project.notes);
}

#[test]
fn linters_come_from_their_settings() {
    let project =
        one(&[("pyproject.toml", "[project]\nname='a'\n[tool.ruff.format]\n[tool.mypy]\nfiles=['a']"), ("a.py", "")]);
    let names: Vec<&str> = project.commands.keys().map(String::as_str).collect();
    assert_eq!(names, ["format", "lint", "static-check", "unit-test"]);
}

#[test]
fn npm_test_is_run_as_it_is_where_it_only_tests() {
    assert_eq!(test_command(r#"{"test": "mocha --check-leaks test/"}"#), "npm test");
    assert_eq!(test_command(r#"{"pretest": "tsc -p .", "test": "jest"}"#), "npm test");
    assert_eq!(test_command(r#"{"test": "node test.js"}"#), "npm test");
}

#[test]
fn linters_before_the_tests_are_passed_by() {
    let qs = r#"{"pretest": "npm run --silent readme && npm run --silent lint", "test": "npm run tests-only",
        "tests-only": "nyc tape 'test/**/*.js'", "posttest": "npx npm@'>=10.2' audit --production",
        "readme": "evalmd README.md", "lint": "eslint ."}"#;
    assert_eq!(test_command(qs), "npm run --ignore-scripts tests-only");
    assert_eq!(test_command(r#"{"test": "xo && c8 ava && tsd"}"#), "npm exec --no -c ava");
    let split = r#"{"test": "npm run lint && npm run unit -- --x; tsc --noEmit", "lint": "standard"}"#;
    assert_eq!(test_command(split), "npm exec --no -c npm run unit -- --x");
    let together = r#"{"test": "run-s lint test:*", "lint": "eslint .", "test:a": "tsc", "test:b": "mocha 'a && b'"}"#;
    assert_eq!(test_command(together), "npm exec --no -c tsc && mocha 'a && b'");
    assert_eq!(test_command(r#"{"test": "node --test && tsd && tsc -p x"}"#), "npm exec --no -c node --test");
    let after = r#"{"test": "tap", "posttest": "npm run lint", "lint": "eslint . && own-check"}"#;
    assert_eq!(test_command(after), "npm test --ignore-scripts");
    let lint_first = r#"{"pretest": "npm run lint", "lint": "xo", "test": "c8 --reporter lcov node test.js"}"#;
    assert_eq!(test_command(lint_first), "npm exec --no -c node test.js");
}

#[test]
fn scripts_that_call_each_other_end() {
    assert_eq!(test_command(r#"{"test": "npm run a", "a": "npm run b", "b": "npm run a"}"#), "");
}

#[test]
fn without_a_script_the_runner_is_called_by_itself() {
    let placeholder = "{\"scripts\":{\"test\":\"echo \\\"Error: no test specified\\\" && exit 1\"},\"devDependencies\":{\"vitest\":\"1\"}}";
    let project = one(&[("package.json", placeholder)]);
    assert_eq!(project.commands["unit-test"].argv, ["npx", "--no-install", "vitest", "run"]);
    let plain = one(&[("package.json", "{}"), ("test/a.js", "")]);
    assert_eq!(plain.commands["unit-test"].argv, ["node", "--test"]);
    let none = one(&[("package.json", "{}"), ("index.js", "")]);
    assert!(!none.commands.contains_key("unit-test"));
    assert_eq!(none.notes, ["no test command was found in package.json"]);
}

#[test]
fn the_lockfile_chooses_the_package_manager() {
    let first = |name: &str, text: &str| {
        let project = one(&[("package.json", "{}"), (name, text)]);
        project.setup.steps.last().unwrap().command.argv.join(" ")
    };
    assert_eq!(first("package-lock.json", "{}"), "npm ci");
    assert_eq!(first("yarn.lock", "# yarn lockfile v1"), "yarn install --frozen-lockfile");
    assert_eq!(first("yarn.lock", "__metadata:\n  version: 8"), "yarn install --immutable");
    assert_eq!(first("pnpm-lock.yaml", "lockfileVersion: '9.0'"), "pnpm install --frozen-lockfile");
    assert_eq!(first("README.md", ""), "npm install --no-save");
}

#[test]
fn a_launcher_that_a_command_names_comes_into_the_private_environment() {
    let project = one(&[("pyproject.toml", "[project]\nname = \"x\"\n")]);
    let last = |program: &str| project.setup_for(program).steps.pop().unwrap().command.argv.join(" ");
    assert_eq!(last("uv"), "{env}/bin/python -m pip install uv");
    assert_eq!(project.setup_for("pytest"), project.setup);
}

#[test]
fn the_named_package_manager_comes_into_the_private_environment() {
    let managers = |manifest: &str, lock: (&str, &str)| {
        let project = one(&[("package.json", manifest), lock]);
        let (_, managers) = project.setup.steps.split_last().unwrap();
        assert!(managers.iter().all(|step| step.optional && step.command.argv[4] == "{env}"));
        managers.iter().map(|step| step.command.argv[5].clone()).collect::<Vec<_>>()
    };
    let pnpm = ("pnpm-lock.yaml", "lockfileVersion: '6.0'");
    assert_eq!(managers(r#"{"packageManager": "pnpm@10.2.0+sha512.ab"}"#, pnpm), ["pnpm@10.2.0"]);
    assert_eq!(managers("{}", pnpm), ["pnpm@8"]);
    assert_eq!(managers("{}", ("yarn.lock", "# yarn lockfile v1")), ["yarn@1"]);
    let berry = ("yarn.lock", "__metadata:\n");
    assert_eq!(managers(r#"{"packageManager": "yarn@4.1.0"}"#, berry), ["@yarnpkg/cli-dist@4.1.0"]);
    let script = r#"{"scripts": {"test": "pnpm lint && vitest run"}}"#;
    assert_eq!(managers(script, ("a.js", "")), ["pnpm@9"]);
    assert_eq!(managers(r#"{"packageManager": "pnpm@file:../evil"}"#, ("a.js", "")), [""; 0]);
}

#[test]
fn members_of_a_workspace_are_projects_set_up_at_the_root() {
    let found = tree(&[
        ("package.json", r#"{"workspaces": ["packages/*", "!packages/c"], "scripts": {"test": "jest"}}"#),
        ("packages/a/package.json", r#"{"scripts": {"test": "jest"}}"#),
        ("packages/b/package.json", "{}"),
        ("packages/c/package.json", r#"{"scripts": {"test": "jest"}}"#),
        ("docs/package.json", r#"{"scripts": {"test": "jest"}}"#),
    ]);
    let roots: Vec<_> = found.iter().map(|project| project.root.as_ref().map(RepoPath::as_str)).collect();
    assert_eq!(roots, [None, Some("packages/a")]);
    assert_eq!(found[1].commands["unit-test"].cwd.as_ref().unwrap().as_str(), "packages/a");
    assert_eq!(found[1].setup.steps[0].command.cwd, None);
}

#[test]
fn the_nearest_project_of_the_right_language_wins() {
    let found = tree(&[
        ("Cargo.toml", "[package]\nname='a'"),
        ("pyproject.toml", "[project]\nname='a'"),
        ("web/package.json", r#"{"scripts": {"test": "jest", "lint": "eslint ."}}"#),
    ]);
    let kind = |path: &str| for_path(&found, &RepoPath::new(path).unwrap()).map(|project| project.kind);
    assert_eq!(kind("src/lib.rs"), Some(Kind::Cargo));
    assert_eq!(kind("a/b.py"), Some(Kind::Python));
    assert_eq!(kind("web/x.css"), Some(Kind::Npm));
    assert_eq!(kind("website/x.ts"), Some(Kind::Cargo));
    let command = |one: Failure| command_for(&found, &[one]).map(|(project, name)| (project.kind, name));
    assert_eq!(command(failure(FaultKind::Test, "pytest", "tests/test_a.py")), Some((Kind::Python, "unit-test")));
    assert_eq!(command(failure(FaultKind::Compile, "rustc", "src/lib.rs")), Some((Kind::Cargo, "static-check")));
    assert_eq!(command(failure(FaultKind::Lint, "eslint", "/home/runner/web/x.js")), Some((Kind::Npm, "lint")));
    assert_eq!(command(failure(FaultKind::Test, "go", "x.go")), Some((Kind::Cargo, "unit-test")));
    assert_eq!(command_for(&found, &[]), None);
}

#[test]
fn manifests_that_do_not_parse_are_no_projects_and_no_panics() {
    for text in ["", "[", "{\"scripts\": 3}", "[tool]\nx = 1", "\u{feff}{}"] {
        for name in ["Cargo.toml", "package.json", "pyproject.toml", "setup.cfg", "tox.ini", "uv.lock"] {
            tree(&[(name, text), ("a.py", "def test(")]);
        }
    }
}
