//! Paths as artifacts write them to paths of the repository.

use std::collections::BTreeMap;

use crate::artifact::is_foreign;
use crate::ids::RepoPath;
use crate::source::Source;

/// Suffixes that more files share than this name none of them.
const CANDIDATES_LIMIT: usize = 64;

/// Maps paths of artifacts onto the files of a tree.
pub(super) struct Paths {
    /// Files by their last component, when a tree is known.
    by_name: Option<BTreeMap<String, Vec<RepoPath>>>,
}

/// A path after mapping.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mapped {
    pub(super) path: String,
    /// Whether it is a file of the tree; unknown without a tree.
    pub(super) in_project: Option<bool>,
}

impl Paths {
    /// The files of a tree, if there is one.
    pub(super) fn new(tree: Option<&dyn Source>) -> Self {
        let by_name = tree.map(|tree| {
            let mut by_name: BTreeMap<String, Vec<RepoPath>> = BTreeMap::new();
            for entry in tree.files() {
                by_name.entry(entry.path.file_name().to_owned()).or_default().push(entry.path.clone());
            }
            by_name
        });
        Self { by_name }
    }

    /// Maps one path; what names no file of the tree keeps its tidied text.
    pub(super) fn map(&self, written: &str) -> Mapped {
        let path = tidy(written);
        let Some(by_name) = &self.by_name else {
            return Mapped { path: without_checkout(&path).to_owned(), in_project: None };
        };
        if is_foreign(written) {
            return Mapped { path, in_project: Some(false) };
        }
        match find(by_name, &path) {
            Some(found) => Mapped { path: found, in_project: Some(true) },
            None => Mapped { path: without_checkout(&path).to_owned(), in_project: Some(false) },
        }
    }
}

/// The file that shares the longest end with `path`, when there is only one.
fn find(by_name: &BTreeMap<String, Vec<RepoPath>>, path: &str) -> Option<String> {
    let relative = without_checkout(path);
    let name = relative.rsplit('/').next()?;
    let candidates = by_name.get(name)?;
    // The files of a tree come in path order.
    if let Ok(at) = candidates.binary_search_by(|file| file.as_str().cmp(relative)) {
        return Some(candidates[at].to_string());
    }
    if candidates.len() > CANDIDATES_LIMIT {
        return None;
    }
    let shared =
        |file: &RepoPath| file.as_str().rsplit('/').zip(relative.rsplit('/')).take_while(|(a, b)| a == b).count();
    let best = candidates.iter().map(shared).max()?;
    let mut of_best = candidates.iter().filter(|file| shared(file) == best);
    let (file, other) = (of_best.next()?, of_best.next());
    // The whole of one must be the end of the other: `/x/y/src/a.rs` is `src/a.rs`, `b/src/a.rs` is not `c/src/a.rs`.
    let depth = |path: &str| path.split('/').count();
    let whole = best == depth(file.as_str()) || (best == depth(relative) && !relative.starts_with('/'));
    (other.is_none() && whole).then(|| file.to_string())
}

/// Forward slashes, no scheme, no `./`, no drive.
fn tidy(path: &str) -> String {
    let path = path.strip_prefix("file://").unwrap_or(path).replace('\\', "/");
    let mut path = path.as_str();
    while let Some(rest) = path.strip_prefix("./") {
        path = rest;
    }
    let bytes = path.as_bytes();
    if bytes.len() > 2 && bytes[1] == b':' && bytes[2] == b'/' && bytes[0].is_ascii_alphabetic() {
        path = &path[2..];
    }
    if let Some(rest) = path.strip_prefix('/').filter(|rest| rest.as_bytes().get(1) == Some(&b':')) {
        path = &rest[2..];
    }
    path.to_owned()
}

/// Cuts the folder into which CI systems check out: `/home/runner/work/x/x/`, `/github/workspace/`, …
pub(super) fn without_checkout(path: &str) -> &str {
    let below = |root: &str, folders: usize| {
        let mut rest = path.strip_prefix(root)?;
        for _ in 0..folders {
            rest = rest.split_once('/')?.1;
        }
        (!rest.is_empty()).then_some(rest)
    };
    let roots = [
        ("/home/runner/work/", 2),
        ("/Users/runner/work/", 2),
        ("/a/", 2),
        ("/__w/", 2),
        ("/github/workspace/", 0),
        ("/home/travis/build/", 2),
        ("/Users/travis/build/", 2),
        ("/builds/", 2),
        ("/home/circleci/project/", 0),
        ("/home/circleci/repo/", 0),
        ("/root/project/", 0),
        ("/home/vsts/work/1/s/", 0),
        ("/drone/src/", 0),
        ("/bitbucket/pipelines/agent/build/", 0),
        ("/usr/src/app/", 0),
    ];
    // Deeper first: `/a/` is the drive `D:/a/x/x/` of hosted Windows runners.
    roots.iter().find_map(|(root, folders)| below(root, *folders)).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Memory;

    fn mapped(path: &str) -> String {
        let files = [
            "src/lib.rs",
            "src/a/mod.rs",
            "src/b/mod.rs",
            "setup.py",
            "web/src/x.ts",
            "core/src/main/java/org/x/Foo.java",
        ];
        let tree = Memory::new(files.map(|file| (RepoPath::new(file).unwrap(), "")));
        let found = Paths::new(Some(&tree)).map(path);
        format!("{} {:?}", found.path, found.in_project.unwrap())
    }

    #[test]
    fn every_spelling_of_a_file_is_found() {
        for path in [
            "src/lib.rs",
            "./src/lib.rs",
            "/home/runner/work/x/x/src/lib.rs",
            r"D:\a\x\x\src\lib.rs",
            "/tmp/q/w/src/lib.rs",
            "file:///github/workspace/src/lib.rs",
            "src\\lib.rs",
        ] {
            assert_eq!(mapped(path), "src/lib.rs true", "{path}");
        }
        assert_eq!(mapped("org/x/Foo.java"), "core/src/main/java/org/x/Foo.java true");
        assert_eq!(mapped("x.ts"), "web/src/x.ts true");
        assert_eq!(mapped("/tmp/q/setup.py"), "setup.py true");
    }

    #[test]
    fn what_is_not_in_the_tree_or_not_clear_is_not_claimed() {
        assert_eq!(mapped("/usr/lib/python3/dist-packages/setup.py"), "/usr/lib/python3/dist-packages/setup.py false");
        assert_eq!(mapped("mod.rs"), "mod.rs false");
        assert_eq!(mapped("../../etc/passwd"), "../../etc/passwd false");
        assert_eq!(mapped("other/src/x.ts"), "other/src/x.ts false");
    }

    #[test]
    fn without_a_tree_only_the_checkout_is_cut() {
        let found = Paths::new(None).map("/__w/x/x/src/a.py");
        assert_eq!(found, Mapped { path: "src/a.py".to_owned(), in_project: None });
    }
}
