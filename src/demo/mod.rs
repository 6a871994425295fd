//! The whole loop on a bundled project that fails in three ways: offline, without a key.
//!
//! Nothing here is special to the demo but the project and the model: a real repository, the real pipeline, real
//! walls. The model's answers are scripted, and the outcome says so.

mod project;
mod scripted;

pub use project::{BUNDLED, lay};
pub use scripted::{ANSWERS, Scripted};

use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;

use crate::fix::{self, Bundle, Desk, Ladder, Request};
use crate::git::{Checkout, Git};
use crate::journal::{Journal, WallClock};
use crate::proposal::{Conclusion, Proposal};
use crate::sandbox::Host;
use crate::secret::Redactor;
use crate::usage::Tier;

/// One of the three failures: what breaks, and the command that shows it.
const ACTS: [(&str, &str); 3] = [
    ("a compile error that the compiler knows how to mend", "cargo check --all-targets"),
    ("a lint that fails the build", "cargo clippy --all-targets -- -D warnings"),
    ("a failing test that needs a model", "cargo test"),
];

/// What the demo works with.
#[derive(Clone, Copy)]
pub struct Stage<'a> {
    /// The git program.
    pub git: &'a Git,
    /// What the sandbox needs to know.
    pub host: &'a Host,
    /// Where scratch repositories are laid.
    pub scratch: &'a Path,
    /// Where the project and the bundles go: a new or empty directory.
    pub out: &'a Path,
    /// The wall clock.
    pub clock: WallClock,
    /// Is told what begins.
    pub progress: &'a (dyn Fn(&str) + Send + Sync),
}

/// One act's outcome.
#[derive(Debug)]
pub struct Act {
    /// What broke.
    pub title: &'static str,
    /// The failing command.
    pub command: &'static str,
    /// What the run came to.
    pub proposal: Proposal,
    /// Where its bundle lies.
    pub bundle: std::path::PathBuf,
}

/// Plays the three acts on `files`; each fix is taken into the project before the next act, as a merged pull request
/// would be. `answers` are what the scripted model says.
///
/// # Errors
/// When the project cannot be laid, or something of ours fails. A failure that is not fixed is an outcome.
pub async fn play(stage: &Stage<'_>, files: &[(&str, &str)], answers: &str) -> anyhow::Result<Vec<Act>> {
    let repository = stage.out.join("project");
    lay(stage.git, &repository, files, &Journal::unkept(stage.clock)).await?;
    let model: Arc<dyn crate::llm::Model> = Arc::new(Scripted::new(answers)?);
    let mut acts = Vec::new();
    for (number, (title, command)) in ACTS.into_iter().enumerate() {
        (stage.progress)(&format!("{} of {}: {title}", number + 1, ACTS.len()));
        let bundle = stage.out.join(format!("{}-proposal", number + 1));
        let request = Request {
            repo: repository.clone(),
            run: Some(command.split(' ').map(str::to_owned).collect()),
            zero: true,
            ladder: if number == 2 { Ladder::new(vec![(Tier::Light, Arc::clone(&model))]) } else { Ladder::default() },
            ..Request::default()
        };
        let proposal = act(stage, &request, &bundle).await.with_context(|| title.to_owned())?;
        acts.push(Act { title, command, proposal, bundle });
    }
    Ok(acts)
}

async fn act(stage: &Stage<'_>, request: &Request, directory: &Path) -> anyhow::Result<Proposal> {
    let bundle = Bundle::create(directory)?;
    let journal = Journal::create(&bundle.journal(), stage.clock)?;
    let desk = Desk {
        git: stage.git,
        host: stage.host,
        scratch: stage.scratch,
        cache: None,
        bundle: &bundle,
        journal: &journal,
        redactor: &Redactor::default(),
        progress: stage.progress,
    };
    let done = fix::fix(request, &desk).await?;
    if done.proposal.result == Conclusion::Fixed {
        let unkept = Journal::unkept(stage.clock);
        Checkout::open(stage.git, &request.repo, &unkept).await?.apply(&done.changes)?;
        stage.git.commit_all(&request.repo, "Take the fix in", &unkept).await?;
    }
    Ok(done.proposal)
}
