//! Python projects: a private environment, the project in it, and pytest (which also runs unittest's cases).

mod imports;
mod ini;
mod legacy;
mod locks;
mod pyproject;
mod pytest;
mod requirements;
mod version;

use std::collections::BTreeMap;

use toml::Table;

use super::tree::Tree;
use super::{Kind, Project, command, step, with};
use crate::ids::RepoPath;
use crate::policy::{CommandSpec, Setup, SetupStep};
use requirements::Wanted;

const MANIFESTS: &[&str] =
    &["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "tox.ini", "pytest.ini", "Pipfile"];
const LOCKFILES: &[&str] = &["uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock"];

/// Some systems ship Python without the first.
const ENVIRONMENT: [&[&str]; 2] =
    [&["python3", "-m", "venv", "{env}"], &["python3", "-m", "virtualenv", "-p", "python3", "{env}"]];

/// Programs that run a command in an environment of the project, and take an active one for it.
const LAUNCHERS: &[&str] = &["uv", "poetry", "pdm", "pipenv"];

/// Byte code is told from source by whole seconds: an edit in the second of a run would go unseen.
const NO_BYTE_CODE: (&str, &str) = ("PYTHONDONTWRITEBYTECODE", "1");

/// The step that brings the program which a command begins with, where it is one that runs others.
pub(super) fn launcher(program: &str, root: Option<&RepoPath>) -> Option<SetupStep> {
    let name = LAUNCHERS.iter().find(|name| **name == program)?;
    step([command(&["{env}/bin/python", "-m", "pip", "install", name], root)], true)
}

/// What detection knows of one project.
struct Facts<'a> {
    tree: &'a Tree<'a>,
    root: Option<&'a RepoPath>,
    pyproject: Table,
}

/// One project for each directory with a manifest; the root also for its files alone.
pub(super) fn detect(tree: &Tree<'_>) -> Vec<Project> {
    let mut roots: Vec<Option<RepoPath>> = MANIFESTS.iter().flat_map(|name| tree.directories_with(name)).collect();
    roots.sort();
    roots.dedup();
    let loose = roots.is_empty() && tree.files().any(pytest::is_test_file);
    if loose {
        roots.push(None);
    }
    let facts = roots.iter().map(|root| Facts {
        tree,
        root: root.as_ref(),
        pyproject: tree.toml(root.as_ref(), "pyproject.toml").unwrap_or_default(),
    });
    facts.filter(|facts| loose || facts.is_project()).map(|facts| facts.project()).collect()
}

impl Facts<'_> {
    /// A `pyproject.toml` below the root may hold a tool's settings alone, and a requirements file belong to a
    /// larger whole.
    fn is_project(&self) -> bool {
        self.is_package() || (self.root.is_none() && self.tree.files().any(|path| path.extension() == Some("py")))
    }

    /// Whether pip can install it.
    fn is_package(&self) -> bool {
        let poetry = self.tool("poetry");
        if poetry.and_then(|poetry| poetry.get("package-mode")).and_then(toml::Value::as_bool) == Some(false) {
            return false;
        }
        let declared = ["project", "build-system"].iter().any(|name| self.pyproject.contains_key(*name));
        let setup_cfg = || self.text("setup.cfg").is_some_and(|text| text.contains("[metadata]"));
        declared || poetry.is_some() || self.tree.has(self.root, "setup.py") || setup_cfg()
    }

    fn tool(&self, name: &str) -> Option<&Table> {
        self.pyproject.get("tool")?.get(name)?.as_table()
    }

    fn text(&self, name: &str) -> Option<String> {
        self.tree.text(self.root, name)
    }

    fn project(&self) -> Project {
        let mut groups = pyproject::groups(&self.pyproject);
        groups.extend(legacy::groups(self));
        groups.extend(requirements::files(self));
        let settings = pytest::Settings::read(self);
        let pins = locks::pins(self);
        let wanted = Wanted::choose(groups, self.is_package(), &pins);
        let linters = self.linters();
        let mut commands = BTreeMap::from([("unit-test".to_owned(), self.unit_test(&settings))]);
        for (name, words) in &linters {
            commands.insert((*name).to_owned(), self.python(words));
        }
        let tests = pytest::test_files(self);
        let named = pytest::distributions(self, &settings, &tests);
        let known = imports::distributions(self, &tests, &wanted.all);
        Project {
            kind: Kind::Python,
            root: self.root.cloned(),
            commands,
            setup: self.setup(&wanted, &named, &known, &linters),
            lockfiles: self.tree.present(self.root, LOCKFILES),
            notes: wanted.notes,
        }
    }

    fn unit_test(&self, settings: &pytest::Settings) -> CommandSpec {
        let mut words = vec!["-m", "pytest", "--continue-on-collection-errors"];
        if !settings.has_test_paths {
            words.extend(pytest::directories(self));
        }
        self.python(&words)
    }

    /// Checkers that the repository configures: the command's name and words.
    fn linters(&self) -> Vec<(&'static str, Vec<&'static str>)> {
        let configured = |tool: &str, files: &[&str]| {
            self.tool(tool).is_some() || files.iter().any(|file| self.tree.has(self.root, file))
        };
        let mut found = Vec::new();
        if configured("ruff", &["ruff.toml", ".ruff.toml"]) {
            found.push(("lint", vec!["-m", "ruff", "check", "."]));
            if self.tool("ruff").is_some_and(|ruff| ruff.contains_key("format")) {
                found.push(("format", vec!["-m", "ruff", "format", "--check", "."]));
            }
        } else if configured("flake8", &[".flake8"]) {
            found.push(("lint", vec!["-m", "flake8"]));
        }
        if configured("black", &[]) {
            found.push(("format", vec!["-m", "black", "--check", "."]));
        }
        let files = self.tool("mypy").is_some_and(|mypy| mypy.contains_key("files") || mypy.contains_key("packages"));
        if files {
            found.push(("static-check", vec!["-m", "mypy"]));
        }
        found
    }

    fn setup(
        &self,
        wanted: &Wanted,
        named: &[String],
        known: &[String],
        linters: &[(&'static str, Vec<&'static str>)],
    ) -> Setup {
        let mut steps = vec![step(ENVIRONMENT.map(|words| command(words, self.root)), false)];
        let least = requirements::merged(named, known);
        let all = |requirements: &[String]| requirements::merged(requirements, &least);
        let attempts = [all(&wanted.pinned), all(&wanted.requirements), least.clone(), named.to_vec()];
        steps.push(step(attempts.iter().map(|attempt| self.pip(attempt)), false));
        for file in &wanted.files {
            steps.push(step([self.pip(&["-r", file])], true));
        }
        let mut tools: Vec<&str> = linters.iter().filter_map(|(_, words)| words.get(1).copied()).collect();
        tools.dedup();
        if !tools.is_empty() {
            steps.push(step([self.pip(&tools)], true));
        }
        // Last, so that no dependency of a test tool (pytest needs pluggy) takes the place of the tree's own code.
        steps.push(self.install(wanted));
        let cache = vec!["~/.cache/pip".to_owned()];
        Setup { steps: steps.into_iter().flatten().collect(), cache }
    }

    fn install(&self, wanted: &Wanted) -> Option<SetupStep> {
        if !self.is_package() {
            return None;
        }
        let mut targets = vec![".".to_owned()];
        if !wanted.extras.is_empty() {
            targets.insert(0, format!(".[{}]", wanted.extras.join(",")));
        }
        let editable = targets.iter().map(|target| self.pip(&["-e", target]));
        let copied = targets.last().map(|target| self.pip(&[target]));
        let variables = version::variables(self);
        let attempts = editable.chain(copied).flat_map(|attempt| version::attempts(attempt, &variables));
        // A flat layout is imported from the tree itself, installed or not.
        let flat = !self.tree.under(self.root).any(|(_, path)| path.starts_with("src/"));
        step(attempts, flat)
    }

    fn python<T: AsRef<str>>(&self, words: &[T]) -> CommandSpec {
        let words: Vec<&str> = ["{env}/bin/python"].into_iter().chain(words.iter().map(AsRef::as_ref)).collect();
        with(command(&words, self.root), &[NO_BYTE_CODE])
    }

    fn pip<T: AsRef<str>>(&self, words: &[T]) -> CommandSpec {
        let words: Vec<&str> = ["-m", "pip", "install"].into_iter().chain(words.iter().map(AsRef::as_ref)).collect();
        let mut command = with(self.python(&words), &[("PIP_DISABLE_PIP_VERSION_CHECK", "1"), ("PIP_NO_INPUT", "1")]);
        command.env.remove(NO_BYTE_CODE.0);
        command
    }
}
