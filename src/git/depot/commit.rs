//! Commits by their bytes: what one says, what lies before it, and a new one.
//!
//! The bytes are read rather than what libgit2 makes of them: where history is cut off it hides parents, and an id is
//! that of the bytes.

use std::collections::HashSet;

use git2::{ErrorClass, ErrorCode, ObjectType, Oid, Repository, Signature, Time};

use super::super::GitError;
use super::Depot;
use crate::ids::CommitSha;

/// A commit to be made.
#[derive(Debug, Clone)]
pub struct NewCommit<'a> {
    /// The commit whose tree it takes.
    pub tree_of: &'a CommitSha,
    /// Its parents.
    pub parents: &'a [CommitSha],
    /// Its message, trailers included.
    pub message: &'a str,
    /// Who made it: name and address.
    pub author: (&'a str, &'a str),
    /// When: seconds since 1970.
    pub seconds: i64,
}

/// What a commit says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Described {
    /// Its message; what is not UTF-8 in it is replaced.
    pub message: String,
    /// The commits before it, whether they are here or not.
    pub parents: Vec<CommitSha>,
    /// Its tree.
    pub tree: CommitSha,
    /// The address of whoever wrote it; empty when there is none.
    pub author: String,
    /// The address of whoever made the commit of it: another one where somebody amended it.
    pub committer: String,
}

impl Depot {
    /// What a commit says.
    ///
    /// # Errors
    /// [`GitError`].
    pub fn describe(&self, commit: &CommitSha) -> Result<Described, GitError> {
        self.demand(commit)?;
        self.objects.with(|repository| Ok(raw(repository, commit)?))
    }

    /// Whether `older` is `newer` or among what lies before it, as far as that is here.
    ///
    /// # Errors
    /// [`GitError`]; [`GitError::Unusable`] when `newer` is not here.
    pub fn is_ancestor(&self, older: &CommitSha, newer: &CommitSha) -> Result<bool, GitError> {
        self.demand(newer)?;
        let mut found = false;
        self.walk(std::slice::from_ref(newer), |commit| {
            found = commit == older;
            if found { Step::Stop } else { Step::Back }
        })?;
        Ok(found)
    }

    /// Makes a commit: the same values give the same id. Nothing refers to it.
    ///
    /// # Errors
    /// [`GitError`]; [`GitError::Unusable`] for a commit that is not here, or a name that no commit can hold.
    pub fn commit(&self, new: &NewCommit<'_>) -> Result<CommitSha, GitError> {
        self.demand(new.tree_of)?;
        new.parents.iter().try_for_each(|parent| self.demand(parent))?;
        let (name, address) = new.author;
        if [name, address]
            .iter()
            .any(|text| text.trim().is_empty() || text.contains(|c: char| c.is_control() || matches!(c, '<' | '>')))
        {
            return Err(GitError::unusable(
                "the author of a commit has a name or an address that it cannot hold",
                &["use a name and an address without control characters and angle brackets"],
            ));
        }
        let id = self.objects.with(|repository| {
            let tree = repository.find_tree(oid(&raw(repository, new.tree_of)?.tree)?)?;
            let parents =
                new.parents.iter().map(|parent| repository.find_commit(oid(parent)?)).collect::<Result<Vec<_>, _>>()?;
            let parents: Vec<&git2::Commit<'_>> = parents.iter().collect();
            let who = Signature::new(name, address, &Time::new(new.seconds, 0))?;
            Ok(repository.commit(None, &who, &who, new.message, &tree, &parents)?)
        })?;
        made(id)
    }

    /// Visits `from` and what lies before, each once; `visit` says how it goes on from a commit.
    pub(super) fn walk(&self, from: &[CommitSha], mut visit: impl FnMut(&CommitSha) -> Step) -> Result<(), GitError> {
        self.objects.with(|repository| {
            let mut seen: HashSet<CommitSha> = from.iter().cloned().collect();
            let mut open: Vec<CommitSha> = from.to_vec();
            while let Some(commit) = open.pop() {
                match visit(&commit) {
                    Step::Back => {}
                    Step::Aside => continue,
                    Step::Stop => break,
                }
                let parents = match raw(repository, &commit) {
                    Ok(described) => described.parents,
                    // History ends where it was cut off.
                    Err(error) if error.code() == ErrorCode::NotFound => Vec::new(),
                    Err(error) => return Err(error.into()),
                };
                open.extend(parents.into_iter().filter(|parent| seen.insert(parent.clone())));
            }
            Ok(())
        })
    }
}

/// How a walk goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// To what lies before this commit, too.
    Back,
    /// Not to what lies before this one.
    Aside,
    /// Not at all.
    Stop,
}

/// What a commit says, read from its bytes.
pub(super) fn raw(repository: &Repository, commit: &CommitSha) -> Result<Described, git2::Error> {
    let odb = repository.odb()?;
    let object = odb.read(oid(commit)?)?;
    if object.kind() != ObjectType::Commit {
        return Err(git2::Error::new(ErrorCode::Invalid, ErrorClass::Object, format!("{commit} is no commit")));
    }
    parse(object.data())
        .ok_or_else(|| git2::Error::new(ErrorCode::Invalid, ErrorClass::Object, format!("commit {commit} is damaged")))
}

fn parse(bytes: &[u8]) -> Option<Described> {
    let end = bytes.windows(2).position(|two| two == b"\n\n").unwrap_or(bytes.len());
    let (mut tree, mut parents) = (None, Vec::new());
    let (mut author, mut committer) = (String::new(), String::new());
    for line in bytes[..end].split(|byte| *byte == b'\n') {
        let line = String::from_utf8_lossy(line);
        match line.split_once(' ') {
            Some(("tree", id)) if tree.is_none() => tree = Some(CommitSha::new(id).ok()?),
            Some(("parent", id)) => parents.push(CommitSha::new(id).ok()?),
            Some(("author", who)) if author.is_empty() => author = address(who),
            // Those come first; a later header may hold anything.
            Some(("committer", who)) => {
                committer = address(who);
                break;
            }
            _ => break,
        }
    }
    let message = String::from_utf8_lossy(bytes.get(end + 2..).unwrap_or_default()).into_owned();
    Some(Described { message, parents, tree: tree?, author, committer })
}

/// The address in `Name <address> seconds zone`.
fn address(who: &str) -> String {
    let address = who.rsplit_once('<').and_then(|(_, rest)| rest.split_once('>'));
    address.map(|(address, _)| address.to_owned()).unwrap_or_default()
}

pub(super) fn oid(commit: &CommitSha) -> Result<Oid, git2::Error> {
    Oid::from_str(commit.as_str())
}

/// The id of an object that was made here.
pub(super) fn made(id: Oid) -> Result<CommitSha, GitError> {
    CommitSha::new(&id.to_string()).map_err(|error| GitError::unusable(error.to_string(), &["report this"]))
}
