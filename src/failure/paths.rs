//! Paths as artifacts write them to paths of the repository.

mod spelling;

use std::cell::RefCell;
use std::collections::BTreeMap;

use spelling::tidy;
pub(super) use spelling::without_checkout;

use crate::artifact::is_installed;
use crate::ids::RepoPath;
use crate::source::Source;

/// Suffixes that more files share than this name none of them.
const CANDIDATES_LIMIT: usize = 1000;
/// Paths that are looked up again are remembered, up to this many.
const KNOWN_LIMIT: usize = 10_000;

/// Maps paths of artifacts onto the files of a tree.
pub(super) struct Paths {
    /// Files by their last component, when a tree is known.
    by_name: Option<BTreeMap<String, Vec<RepoPath>>>,
    /// What was looked up before.
    known: RefCell<BTreeMap<String, Mapped>>,
}

/// A path after mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
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
        Self { by_name, known: RefCell::default() }
    }

    /// Maps one path; what names no file of the tree keeps its tidied text.
    pub(super) fn map(&self, written: &str) -> Mapped {
        if let Some(known) = self.known.borrow().get(written) {
            return known.clone();
        }
        let mapped = self.look_up(written);
        let mut known = self.known.borrow_mut();
        if known.len() < KNOWN_LIMIT {
            known.insert(written.to_owned(), mapped.clone());
        }
        mapped
    }

    fn look_up(&self, written: &str) -> Mapped {
        let path = tidy(written);
        let in_project = self.by_name.as_ref().map(|_| false);
        if is_installed(written) {
            return Mapped { path, in_project };
        }
        match self.by_name.as_ref().and_then(|by_name| find(by_name, &path)) {
            Some(found) => Mapped { path: found, in_project: Some(true) },
            None => Mapped { path: without_checkout(&path).to_owned(), in_project },
        }
    }
}

/// The file that a path names, when there is only one.
fn find(by_name: &BTreeMap<String, Vec<RepoPath>>, path: &str) -> Option<String> {
    let relative = without_checkout(path);
    let name = relative.rsplit('/').next()?;
    let candidates = by_name.get(name)?;
    // The files of a tree come in path order.
    let exact = |path: &str| candidates.binary_search_by(|file| file.as_str().cmp(path)).ok();
    let known = exact(relative)
        .or_else(|| exact(path.trim_start_matches('/')))
        .or_else(|| exact(spelling::without_module(relative)?));
    if let Some(at) = known {
        return Some(candidates[at].to_string());
    }
    if candidates.len() > CANDIDATES_LIMIT {
        return None;
    }
    // `../src/a.c` is written from a folder for building that is not known.
    let outside = relative.starts_with("../");
    let mut wanted = relative;
    while let Some(rest) = wanted.strip_prefix("../") {
        wanted = rest;
    }
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|front| front.is_empty() || front.ends_with('/'))
    };
    // The path lies below a folder that it does not name: a workspace's member, a package of Java.
    if !wanted.starts_with('/') {
        let mut below = candidates.iter().filter(|file| ends(file.as_str(), wanted));
        match (below.next(), below.next()) {
            (Some(file), None) => return Some(file.to_string()),
            (Some(_), Some(_)) => return None,
            _ => {}
        }
    }
    // The path names a folder that is not the tree's: the deepest file that is wholly its end.
    let depth = |path: &str| path.split('/').count();
    let whole = candidates.iter().filter(|file| ends(wanted, file.as_str()));
    let deepest = whole.max_by_key(|file| depth(file.as_str())).filter(|file| {
        let sure = if GENERIC.contains(&name) { 3 } else { 2 };
        wanted.starts_with('/') || depth(file.as_str()) >= sure || (outside && depth(wanted) == depth(file.as_str()))
    });
    deepest.map(ToString::to_string).or_else(|| loose(candidates, wanted))
}

/// Names that every package has.
const GENERIC: &[&str] = &[
    "lib.rs",
    "main.rs",
    "mod.rs",
    "index.js",
    "index.ts",
    "index.tsx",
    "__init__.py",
    "setup.py",
    "main.go",
    "main.py",
    "main.c",
    "main.cpp",
];

/// Kotlin and Scala let folders leave out the packages that all files share.
fn loose(candidates: &[RepoPath], path: &str) -> Option<String> {
    let [file] = candidates else { return None };
    let lenient = ["kt", "scala", "groovy"].iter().any(|end| file.extension() == Some(end));
    let package = path.contains('/') && !path.starts_with('/');
    (lenient && package).then(|| file.to_string())
}

/// A path without what differs between machines.
pub(super) fn plain(path: &str) -> String {
    let tidied = tidy(path);
    without_checkout(&tidied).to_owned()
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

    fn in_tree(files: &[&str], path: &str) -> String {
        let tree = Memory::new(files.iter().map(|file| (RepoPath::new(file).unwrap(), "")));
        let found = Paths::new(Some(&tree)).map(path);
        if found.in_project == Some(true) { found.path } else { "-".to_owned() }
    }

    #[test]
    fn containers_and_build_folders_are_cut() {
        let files = [
            "setup.py",
            "docs/setup.py",
            "src/lib.rs",
            "pkg/list.go",
            "main.go",
            "src/list.c",
            "index.js",
            "web/index.js",
        ];
        for (path, file) in [
            ("/app/setup.py", "setup.py"),
            ("/workspace/docs/setup.py", "docs/setup.py"),
            ("/workspaces/demo/src/lib.rs", "src/lib.rs"),
            ("/go/src/github.com/x/demo/pkg/list.go", "pkg/list.go"),
            ("github.com/x/demo/main.go", "main.go"),
            ("github.com/x/demo/v2/pkg/list.go", "pkg/list.go"),
            ("/home/u/.cache/bazel/_bazel_u/1f/sandbox/linux-sandbox/3/execroot/_main/src/lib.rs", "src/lib.rs"),
            ("/home/u/bazel-out/k8/bin/t.runfiles/_main/pkg/list.go", "pkg/list.go"),
            ("/opt/runner/_work/demo/demo/main.go", "main.go"),
            ("../src/list.c", "src/list.c"),
            ("/code/build/../src/list.c", "src/list.c"),
            ("C:\\projects\\demo\\src\\lib.rs", "src/lib.rs"),
            ("\\\\?\\C:\\x\\src\\lib.rs", "src/lib.rs"),
            ("/var/www/html/index.js", "index.js"),
        ] {
            assert_eq!(in_tree(&files, path), file, "{path}");
        }
    }

    #[test]
    fn bundlers_and_browsers_are_understood() {
        let files = ["src/a.ts", "src/[id]/page.tsx", "lib/src/b.dart"];
        for (path, file) in [
            ("webpack:///./src/a.ts", "src/a.ts"),
            ("webpack://demo/./src/a.ts?5e1c", "src/a.ts"),
            ("webpack-internal:///./src/a.ts", "src/a.ts"),
            ("http://localhost:5173/src/a.ts?t=17", "src/a.ts"),
            ("http://localhost:5173/@fs/home/u/demo/src/a.ts", "src/a.ts"),
            ("http://localhost:9876/base/src/a.ts?9f2c", "src/a.ts"),
            ("file:///C:/x/src/a.ts", "src/a.ts"),
            ("file:///r/src/%5Bid%5D/page.tsx", "src/[id]/page.tsx"),
            ("package:demo/src/b.dart", "lib/src/b.dart"),
        ] {
            assert_eq!(in_tree(&files, path), file, "{path}");
        }
    }

    #[test]
    fn members_of_a_workspace_and_packages_are_found_where_only_one_fits() {
        let files = [
            "crates/x/src/lib.rs",
            "crates/y/src/lib.rs",
            "crates/x/src/only.rs",
            "core/src/test/java/org/x/FooTest.java",
            "a/src/main/java/org/x/Twice.java",
            "b/src/main/java/org/x/Twice.java",
            "app/src/main/kotlin/util/Short.kt",
            "src/App/Store.cs",
        ];
        for (path, file) in [
            ("src/only.rs", "crates/x/src/only.rs"),
            ("src/lib.rs", "-"),
            ("x/src/lib.rs", "crates/x/src/lib.rs"),
            ("org/x/FooTest.java", "core/src/test/java/org/x/FooTest.java"),
            ("org/x/Twice.java", "-"),
            ("com/acme/util/Short.kt", "app/src/main/kotlin/util/Short.kt"),
            ("App\\Store.cs", "src/App/Store.cs"),
            ("/_/src/App/Store.cs", "-"),
            ("org/junit/Assert.java", "-"),
            ("other/lib.rs", "-"),
        ] {
            assert_eq!(in_tree(&files, path), file, "{path}");
        }
        let junit = ["src/main/java/org/junit/Assert.java"];
        assert_eq!(in_tree(&junit, "org/junit/Assert.java"), junit[0], "the framework's own tree");
    }

    #[test]
    fn what_is_not_in_the_tree_or_not_clear_is_not_claimed() {
        assert_eq!(mapped("/usr/lib/python3/dist-packages/setup.py"), "/usr/lib/python3/dist-packages/setup.py false");
        assert_eq!(mapped("mod.rs"), "mod.rs false");
        assert_eq!(mapped("../../etc/passwd"), "../../etc/passwd false");
        assert_eq!(mapped("other/src/x.ts"), "other/src/x.ts false");
        assert_eq!(mapped("/etc/../../src/nothing.rs"), "nothing.rs false");
    }

    #[test]
    fn without_a_tree_only_the_checkout_is_cut() {
        let found = Paths::new(None).map("/__w/x/x/src/a.py");
        assert_eq!(found, Mapped { path: "src/a.py".to_owned(), in_project: None });
    }

    proptest::proptest! {
        #[test]
        fn what_is_mapped_is_a_file_of_the_tree(path in "(file:///|webpack://|http://h:1/|[A-Z]:|/app|\\\\\\\\\\?)?([./\\\\%a-c]|src|lib\\.rs|é){0,14}") {
            let files = ["src/lib.rs", "a/b.c", "lib.rs"];
            let found = in_tree(&files, &path);
            proptest::prop_assert!(found == "-" || files.contains(&found.as_str()), "{}", found);
        }
    }
}
