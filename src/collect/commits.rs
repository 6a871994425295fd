//! The commits: fetched into a repository of our own, looked into for two files, and packed into one bundle.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context as _;

use crate::git::{Depot, GitError, TreeSource};
use crate::github::WorkflowRun;
use crate::ids::{BranchName, CommitSha, RepoPath};
use crate::incident::{GitBundle, Head, PolicyFile, WorkflowFile};
use crate::lease::{self, Lease, Purpose};
use crate::policy;
use crate::source::Source as _;
use crate::text::in_line;

use super::Work;

/// A workflow or policy file that is larger is not taken along.
const MAX_FILE: usize = 1 << 20;
/// Where workflow files lie.
const WORKFLOWS: &str = ".github/workflows/";

/// A directory that goes with the value.
#[derive(Debug)]
struct Room(Lease);

impl Room {
    fn take(root: &Path) -> std::io::Result<Self> {
        std::fs::create_dir_all(root)?;
        lease::sweep(root);
        Ok(Self(Lease::take(root, Purpose::Run)?))
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        // What cannot be removed now is tried again by the next run.
        drop(lease::remove(self.0.path()));
    }
}

/// A repository of our own, and what the forge's branches are at.
#[derive(Debug)]
pub(super) struct Ground {
    depot: Depot,
    default_tip: CommitSha,
    branches: BTreeMap<BranchName, CommitSha>,
    tips: Vec<CommitSha>,
    _room: Room,
}

/// The trees that files are read from.
pub(super) struct Fetched {
    pub(super) head: TreeSource,
    pub(super) default_tip: TreeSource,
}

impl Ground {
    /// Asks what the branches are at; nothing is fetched yet.
    pub(super) async fn open(work: &Work<'_>, default_branch: &BranchName, head: &Head) -> anyhow::Result<Self> {
        let desk = work.desk;
        let room = Room::take(desk.scratch).with_context(|| format!("{}", desk.scratch.display()))?;
        let depot = Depot::create(desk.git, &room.0.path().join("depot"), desk.journal).await?;
        let asked: Vec<&BranchName> = [Some(default_branch), head.branch.as_ref()].into_iter().flatten().collect();
        let branches = depot.tips(desk.remote, &asked, desk.journal).await.context("the branches cannot be read")?;
        let default_tip = branches.get(default_branch).cloned().context("the default branch has no commit")?;
        Ok(Self { depot, default_tip, branches, tips: Vec::new(), _room: room })
    }

    /// Whether the repository has this branch.
    pub(super) fn knows(&self, branch: &BranchName) -> bool {
        self.branches.contains_key(branch)
    }

    /// The tip of the default branch.
    pub(super) fn default_tip(&self) -> &CommitSha {
        &self.default_tip
    }

    /// Brings in the failed commit with what lies before it, the tip of the default branch and the last green commit.
    pub(super) async fn fetch(
        &mut self,
        work: &mut Work<'_>,
        head: &CommitSha,
        green: Option<&CommitSha>,
    ) -> anyhow::Result<Fetched> {
        let (remote, journal) = (work.desk.remote, work.desk.journal);
        let mut wanted = vec![head];
        wanted.extend(Some(&self.default_tip).filter(|tip| *tip != head));
        let depth = Some(work.request.caps.depth);
        self.depot.fetch(remote, &wanted, depth, journal).await.context("the commits cannot be fetched")?;
        let mut tips: Vec<CommitSha> = wanted.into_iter().cloned().collect();
        if let Some(green) = green {
            if !self.depot.has(green)
                && let Err(error) = self.depot.fetch(remote, &[green], Some(1), journal).await
            {
                let error = in_line(&error.to_string());
                work.left_out.push(format!("The last green commit was not collected: {error}."));
            }
            if self.depot.has(green) && !tips.contains(green) {
                tips.push(green.clone());
            }
        }
        self.tips = tips;
        Ok(Fetched { head: self.depot.source(head)?, default_tip: self.depot.source(&self.default_tip)? })
    }

    /// Packs them into one file.
    pub(super) async fn bundle(&self, work: &Work<'_>) -> anyhow::Result<GitBundle> {
        let (path, file) = work.shelf.place("history.bundle")?;
        let tips: Vec<&CommitSha> = self.tips.iter().collect();
        let shallow = self.depot.bundle(&tips, &file, work.desk.journal).await;
        let shallow =
            shallow.map_err(|error: GitError| anyhow::Error::from(error).context("the commits cannot be packed"))?;
        let shallow = shallow.map(|text| work.shelf.write("shallow", text.as_bytes())).transpose()?;
        Ok(GitBundle { file: path, shallow })
    }
}

impl Work<'_> {
    /// The workflow file as it stands at the failed commit.
    pub(super) fn workflow(&mut self, run: &WorkflowRun, tree: &TreeSource) -> anyhow::Result<Option<WorkflowFile>> {
        let named = run.path.as_deref().unwrap_or_default();
        let Some(path) = workflow_path(named) else {
            self.left_out.push(format!("The run has no workflow file of the repository: `{}`.", in_line(named)));
            return Ok(None);
        };
        let Some(bytes) = tree.read(&path).filter(|bytes| bytes.len() <= MAX_FILE) else {
            self.left_out.push(format!("The workflow file `{path}` is not in the failed commit."));
            return Ok(None);
        };
        Ok(Some(WorkflowFile { path, file: self.shelf.write("workflow.yml", &bytes)? }))
    }

    /// The policy at the tip of the default branch, never that of the branch under repair.
    pub(super) fn policy(&mut self, tree: &TreeSource) -> anyhow::Result<Option<PolicyFile>> {
        for name in policy::FILES {
            let path = RepoPath::new(name)?;
            let Some(bytes) = tree.read_if_any(&path)? else { continue };
            anyhow::ensure!(
                bytes.len() <= MAX_FILE,
                "the policy file {path} has {} bytes; at most {MAX_FILE}",
                bytes.len()
            );
            let file = self.shelf.write(&format!("policy.{}", path.extension().unwrap_or("yml")), &bytes)?;
            return Ok(Some(PolicyFile { path, file }));
        }
        Ok(None)
    }
}

/// The file that the forge names, without the ref behind it.
fn workflow_path(named: &str) -> Option<RepoPath> {
    let path = named.split_once('@').map_or(named, |(path, _)| path);
    let is_workflow = |path: &RepoPath| {
        let inner = path.as_str().strip_prefix(WORKFLOWS);
        inner.is_some_and(|name| !name.contains('/')) && matches!(path.extension(), Some("yml" | "yaml"))
    };
    RepoPath::new(path).ok().filter(is_workflow)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workflow_file_is_one_of_the_repository_whatever_ref_stands_behind_it() {
        let shown = |named: &str| workflow_path(named).map(|path| path.to_string());
        assert_eq!(shown(".github/workflows/ci.yml").as_deref(), Some(".github/workflows/ci.yml"));
        assert_eq!(shown(".github/workflows/ci.yaml@refs/heads/a@b").as_deref(), Some(".github/workflows/ci.yaml"));
        for named in [
            "",
            "dynamic/pages/pages-build-deployment",
            ".github/workflows/../../x.yml",
            "/.github/workflows/ci.yml",
            "other/repo/.github/workflows/ci.yml@main",
            ".github/workflows/a/b.yml",
            ".github/workflows/ci.sh",
        ] {
            assert_eq!(shown(named), None, "{named}");
        }
    }
}
