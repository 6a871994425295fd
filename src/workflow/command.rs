//! What a step runs: words, variables and a directory.

use std::collections::BTreeMap;

use super::Found;
use super::expression::{Scope, fill};
use super::shell::{self, Reader};
use crate::ids::{PathError, RepoPath};
use crate::text;

/// The longest script that is handed over as one argument, in bytes.
const MAX_SCRIPT: usize = 96 << 10;
/// Files by which steps talk to the forge: without it, nobody reads them.
const COMMAND_FILES: &[&str] = &["GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_STEP_SUMMARY"];

/// A command of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine {
    /// Its words; where the script needs a shell, the shell and the script.
    pub argv: Vec<String>,
    /// The variables that the file sets.
    pub env: BTreeMap<String, String>,
    /// Where it runs; `None` is the root of the repository.
    pub cwd: Option<RepoPath>,
}

/// Why it is not known what a step runs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unknown {
    /// It is no script.
    #[error("the step uses the action {0}, whose commands are not in the workflow file")]
    Action(String),
    /// It has no script that does something.
    #[error("the step runs nothing")]
    Empty,
    /// It depends on what only the forge knows.
    #[error("its {part} depends on {}, which only the run itself knows", .expressions.iter().map(|text| format!("`{text}`")).collect::<Vec<_>>().join(", "))]
    Expressions {
        /// `script`, `shell` or `directory`.
        part: &'static str,
        /// The expressions, as they are written.
        expressions: Vec<String>,
    },
    /// Its shell is none that can be started like this.
    #[error("{0}")]
    Shell(String),
    /// Its directory is none of the repository.
    #[error("its directory is none of the repository: {0}")]
    Directory(#[from] PathError),
    /// Its script is too long.
    #[error("its script has {0} bytes; at most {MAX_SCRIPT} can be handed to a shell")]
    Large(usize),
}

/// Variables by level: those that are known, and those that are not, with what they depend on.
#[derive(Debug, Default)]
struct Variables {
    known: BTreeMap<String, String>,
    unknown: BTreeMap<String, String>,
}

impl Found<'_> {
    /// What the step runs, in order: each command of a script of simple commands by itself, any other script as one
    /// call of its shell, by the forge's own rules.
    ///
    /// # Errors
    /// [`Unknown`].
    pub fn command(&self) -> Result<Vec<CommandLine>, Unknown> {
        if let Some(uses) = &self.step.uses {
            return Err(Unknown::Action(text::in_line(uses)));
        }
        let run = self.step.run.as_deref().ok_or(Unknown::Empty)?;
        let system = self.system();
        let cwd = self.directory(system)?;
        let workspace = way_up(cwd.as_ref());
        let env = self.variables(&workspace, system).known;
        let scope = Scope { cell: &self.cell, env: &env, workspace: Some(&workspace), system };
        let shell = self.nearest(|step| step.shell.as_ref(), |defaults| defaults.shell.as_ref());
        let shell = shell.map(|text| fill(text, &scope).map_err(depends("shell"))).transpose()?;
        let script = fill(run, &scope).map_err(depends("script"))?;
        if script.len() > MAX_SCRIPT {
            return Err(Unknown::Large(script.len()));
        }
        let reader = shell::reader(shell.as_deref(), system).map_err(Unknown::Shell)?;
        lines(&reader, &script, &CommandLine { argv: Vec::new(), env: env.clone(), cwd })
    }

    /// What the step had in its run and will lack elsewhere, a sentence each.
    #[must_use]
    pub fn lacks(&self) -> Vec<String> {
        let system = self.system();
        let mut lacks: Vec<String> = Vec::new();
        if let Some(system) = system.filter(|system| *system != "Linux") {
            lacks.push(format!("The job ran on {system}."));
        }
        lacks.extend(
            self.job.container.iter().map(|image| format!("The job ran in the container `{}`.", text::in_line(image))),
        );
        for service in &self.job.services {
            let (name, image) = (text::in_line(&service.name), text::in_line(&service.image));
            lacks.push(format!("The service `{name}` ({image}) ran beside the job."));
        }
        for repository in self.job.steps.iter().filter_map(|step| step.repository.as_ref()) {
            lacks.push(format!("The job checked out `{}`.", text::in_line(repository)));
        }
        let workspace = way_up(self.directory(system).ok().flatten().as_ref());
        for (name, expressions) in self.variables(&workspace, system).unknown {
            lacks.push(format!(
                "The variable {} depends on {expressions}, which only the run itself knows.",
                text::in_line(&name)
            ));
        }
        lacks
    }

    /// The variables of the three levels, the inner ones over the outer.
    fn variables(&self, workspace: &str, system: Option<&'static str>) -> Variables {
        let mut all = Variables::default();
        for level in [&self.workflow.env, &self.job.env, &self.step.env] {
            let outer = all.known.clone();
            let scope = Scope { cell: &self.cell, env: &outer, workspace: Some(workspace), system };
            for (name, value) in level.iter().filter(|(name, _)| is_variable(name)) {
                match fill(value, &scope) {
                    Ok(value) => {
                        all.unknown.remove(name);
                        all.known.insert(name.clone(), value);
                    }
                    Err(expressions) => {
                        all.known.remove(name);
                        all.unknown.insert(name.clone(), format!("`{}`", expressions.join("`, `")));
                    }
                }
            }
        }
        all
    }

    fn directory(&self, system: Option<&'static str>) -> Result<Option<RepoPath>, Unknown> {
        let written =
            self.nearest(|step| step.working_directory.as_ref(), |defaults| defaults.working_directory.as_ref());
        let Some(written) = written else { return Ok(None) };
        let env = self.variables(".", system).known;
        let scope = Scope { cell: &self.cell, env: &env, workspace: Some("."), system };
        let filled = fill(written, &scope).map_err(depends("directory"))?;
        let filled = filled.trim();
        match RepoPath::new(filled) {
            Ok(path) => Ok(Some(path)),
            Err(PathError::Empty) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The step's own word, else the job's default, else the file's.
    fn nearest<'a>(
        &'a self,
        own: impl Fn(&'a super::Step) -> Option<&'a String>,
        default: impl Fn(&'a super::Defaults) -> Option<&'a String>,
    ) -> Option<&'a str> {
        own(self.step)
            .or_else(|| default(&self.job.defaults))
            .or_else(|| default(&self.workflow.defaults))
            .map(String::as_str)
    }

    /// The system of the runner, as its labels tell.
    fn system(&self) -> Option<&'static str> {
        let scope = Scope { cell: &self.cell, env: &BTreeMap::new(), workspace: Some("."), system: None };
        let labels: Vec<String> = self.job.runs_on.iter().filter_map(|label| fill(label, &scope).ok()).collect();
        [("ubuntu", "Linux"), ("linux", "Linux"), ("windows", "Windows"), ("macos", "macOS")]
            .into_iter()
            .find(|(word, _)| labels.iter().any(|label| label.to_ascii_lowercase().contains(word)))
            .map(|(_, system)| system)
    }
}

fn lines(reader: &Reader, script: &str, like: &CommandLine) -> Result<Vec<CommandLine>, Unknown> {
    let (mut argv, script) = match reader {
        Reader::Posix(words) => {
            if let Some(commands) = shell::simple(script) {
                let with = |simple: shell::Simple| {
                    let mut env = like.env.clone();
                    env.extend(simple.env);
                    CommandLine { argv: simple.argv, env, cwd: like.cwd.clone() }
                };
                let found: Vec<CommandLine> = commands.into_iter().map(with).collect();
                return if found.is_empty() { Err(Unknown::Empty) } else { Ok(found) };
            }
            (words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>(), script.to_owned())
        }
        Reader::Other { .. } if script.trim().is_empty() => return Err(Unknown::Empty),
        Reader::Other { argv, before, after } => (argv.clone(), format!("{before}{}{after}", script.trim_end())),
    };
    let mut env = like.env.clone();
    for name in COMMAND_FILES.iter().filter(|name| script.contains(**name)) {
        env.entry((*name).to_owned()).or_insert_with(|| "/dev/null".to_owned());
    }
    if script.contains("GITHUB_WORKSPACE") {
        env.entry("GITHUB_WORKSPACE".to_owned()).or_insert_with(|| way_up(like.cwd.as_ref()));
    }
    argv.push(script);
    Ok(vec![CommandLine { argv, env, cwd: like.cwd.clone() }])
}

/// The way from a directory to the root.
fn way_up(directory: Option<&RepoPath>) -> String {
    let depth = directory.map_or(0, |path| path.as_str().split('/').count());
    if depth == 0 { ".".to_owned() } else { vec![".."; depth].join("/") }
}

/// Whether a key can be the name of a variable at all.
fn is_variable(name: &str) -> bool {
    !name.is_empty() && name.len() <= 256 && !name.chars().any(|c| c == '=' || c.is_control())
}

fn depends(part: &'static str) -> impl FnOnce(Vec<String>) -> Unknown {
    move |expressions| Unknown::Expressions { part, expressions }
}
