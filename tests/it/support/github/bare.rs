//! The repository of the fake: a real bare one on disk, the only truth for branches and commits.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use git2::build::TreeUpdateBuilder;
use git2::{FileMode, Oid, Repository, RepositoryInitOptions, Signature, Time};
use tempfile::TempDir;

/// One bare repository, below a root of its own.
pub(crate) struct Bare {
    root: TempDir,
    name: String,
}

impl Bare {
    /// An empty one, for `OWNER/NAME`.
    pub(crate) fn new(name: &str) -> Self {
        let root = tempfile::Builder::new().prefix("unbreak-forge-").tempdir_in("/var/tmp").unwrap();
        let bare = Self { root, name: name.to_owned() };
        let mut options = RepositoryInitOptions::new();
        options.bare(true).initial_head("main").mkpath(true).external_template(false);
        drop(Repository::init_opts(bare.path(), &options).unwrap());
        bare
    }

    /// What the paths of requests are relative to.
    pub(crate) fn root(&self) -> &Path {
        self.root.path()
    }

    /// The repository itself.
    pub(crate) fn path(&self) -> PathBuf {
        self.root().join(format!("{}.git", self.name))
    }

    /// Opened anew every time: pushes change it behind the back of an open one.
    fn open(&self) -> Repository {
        Repository::open(self.path()).unwrap()
    }

    /// The tip of a branch.
    pub(crate) fn tip(&self, branch: &str) -> Option<String> {
        self.open().refname_to_id(&format!("refs/heads/{branch}")).ok().map(|tip| tip.to_string())
    }

    /// All branches and their tips.
    pub(crate) fn heads(&self) -> BTreeMap<String, String> {
        let repository = self.open();
        let heads = repository.references_glob("refs/heads/*").unwrap().map(Result::unwrap).map(|head| {
            let name = head.name().unwrap().trim_start_matches("refs/heads/").to_owned();
            (name, head.target().unwrap().to_string())
        });
        heads.collect()
    }

    /// Whether there is such a commit.
    pub(crate) fn has(&self, commit: &str) -> bool {
        Oid::from_str(commit).is_ok_and(|commit| self.open().find_commit(commit).is_ok())
    }

    /// Whether a commit is another one or an ancestor of it.
    pub(crate) fn reaches(&self, ancestor: &str, descendant: &str) -> bool {
        let (Ok(old), Ok(new)) = (Oid::from_str(ancestor), Oid::from_str(descendant)) else { return false };
        old == new || self.open().graph_descendant_of(new, old).unwrap_or(false)
    }

    /// Lets a branch begin at a commit; false when that cannot be.
    pub(crate) fn create(&self, branch: &str, at: &str) -> bool {
        let name = format!("refs/heads/{branch}");
        let target = Oid::from_str(at).unwrap();
        git2::Reference::is_valid_name(&name) && self.open().reference(&name, target, false, "created").is_ok()
    }

    /// Takes a branch away; false when there is none.
    pub(crate) fn delete(&self, branch: &str) -> bool {
        let repository = self.open();
        repository.find_reference(&format!("refs/heads/{branch}")).is_ok_and(|mut found| found.delete().is_ok())
    }

    /// A commit on the tip of a branch, which begins with it if it is new; `None` as content takes a file away.
    pub(crate) fn commit(&self, branch: &str, files: &[(String, Option<Vec<u8>>)], message: &str) -> String {
        self.commit_by(("Octo", "octo@example.invalid"), branch, files, message)
    }

    /// The same, made by somebody else.
    pub(crate) fn commit_by(
        &self,
        (name, address): (&str, &str),
        branch: &str,
        files: &[(String, Option<Vec<u8>>)],
        message: &str,
    ) -> String {
        let repository = self.open();
        let mut update = TreeUpdateBuilder::new();
        for (path, content) in files {
            match content {
                Some(content) => update.upsert(path.as_str(), repository.blob(content).unwrap(), FileMode::Blob),
                None => update.remove(path.as_str()),
            };
        }
        self.commit_update((name, address), branch, &mut update, message)
    }

    /// A commit that makes a path a symlink; the new tip.
    pub(crate) fn link(&self, branch: &str, (path, target): (&str, &str)) -> String {
        let mut update = TreeUpdateBuilder::new();
        update.upsert(path, self.open().blob(target.as_bytes()).unwrap(), FileMode::Link);
        self.commit_update(("Octo", "octo@example.invalid"), branch, &mut update, "A link")
    }

    fn commit_update(
        &self,
        (name, address): (&str, &str),
        branch: &str,
        update: &mut TreeUpdateBuilder,
        message: &str,
    ) -> String {
        let repository = self.open();
        let reference = format!("refs/heads/{branch}");
        let parent = repository.refname_to_id(&reference).ok().map(|tip| repository.find_commit(tip).unwrap());
        let empty = || repository.find_tree(repository.treebuilder(None).unwrap().write().unwrap()).unwrap();
        let baseline = parent.as_ref().map_or_else(empty, |parent| parent.tree().unwrap());
        let tree = repository.find_tree(update.create_updated(&repository, &baseline).unwrap()).unwrap();
        let who = Signature::new(name, address, &Time::new(1_767_600_000, 0)).unwrap();
        let parents: Vec<&git2::Commit<'_>> = parent.iter().collect();
        repository.commit(Some(&reference), &who, &who, message, &tree, &parents).unwrap().to_string()
    }

    /// A file as a revision has it.
    pub(crate) fn read(&self, revision: &str, path: &str) -> Option<String> {
        let repository = self.open();
        let object = repository.revparse_single(&format!("{revision}:{path}")).ok()?;
        String::from_utf8(object.as_blob()?.content().to_vec()).ok()
    }

    /// The parents of a commit.
    pub(crate) fn parents(&self, commit: &str) -> Vec<String> {
        let repository = self.open();
        let commit = repository.find_commit(Oid::from_str(commit).unwrap()).unwrap();
        commit.parent_ids().map(|parent| parent.to_string()).collect()
    }

    /// The message of a commit.
    pub(crate) fn message(&self, revision: &str) -> String {
        let repository = self.open();
        let commit = repository.revparse_single(revision).unwrap().peel_to_commit().unwrap();
        commit.message().unwrap().to_owned()
    }

    /// From now on a hook refuses every push with these words; `None` lifts that.
    pub(crate) fn refuse_pushes(&self, words: Option<&str>) {
        use std::os::unix::fs::PermissionsExt as _;
        let hook = self.path().join("hooks/pre-receive");
        let Some(words) = words else { return std::fs::remove_file(hook).unwrap() };
        std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
        std::fs::write(self.path().join("refusal"), format!("{words}\n")).unwrap();
        std::fs::write(&hook, "#!/bin/sh\ncat >/dev/null\ncat refusal >&2\nexit 1\n").unwrap();
        std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}
