//! Lists of files that tools do not look at: linters honour what git ignores, too.

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::{Rule, finding, quote};
use crate::evidence::{Finding, Weight};
use crate::gate::pattern::patterns;
use crate::gate::view::{Reading, View};

pub(super) static RULE: Rule = Rule {
    name: "ignore-list",
    about: "Files of the project are hidden from the tools that check them",
    why: "Blocks where a new pattern covers a file that the tree holds: linters and formatters pass it by. Patterns of build output pass; where the tree is not at hand, others are shown.",
    check,
};

patterns! {
    FILES = r"(?i)(?:^|/)\.(?:git|ruff|stylelint|markdownlint|pylint|flake8|rubocop|yamllint|semgrep|lint|format|biome|jshint|cspell|swiftlint|ag|rg)?ignore$";
    BUILD_OUTPUT = r"(?i)^!?/?(?:\*\*/)?(?:target|dist|build|out|node_modules|\.?venv\d*|env|\.git|\.hg|\.svn|\.tox|\.nox|\.eggs?|[\w*]*\.egg-info|__pycache__|__pypackages__|\.mypy_cache|\.ruff_cache|\.pytest_cache|\.cache|\.idea|\.vscode|\.next|\.nuxt|\.gradle|\.terraform|coverage|htmlcov|\.coverage[\w.*]*|\.ds_store|\.env|\*\.(?:py[cod\[\]o]*|log|class|o|so|swp|tmp|min\.js|egg-info))(?:/?\*{0,2})?/?$";
}

/// Whether a pattern names what tools make, and no file that people write.
pub(super) fn is_build_output(pattern: &str) -> bool {
    BUILD_OUTPUT.is_match(pattern.trim())
}

fn check(view: &View<'_>) -> Vec<Finding> {
    view.files.iter().filter(|file| FILES.is_match(file.path.as_str())).flat_map(|file| judge(view, file)).collect()
}

fn judge(view: &View<'_>, file: &Reading<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let added = file.added().map(|line| (line, file.after.lines[line].trim().to_owned()));
    // An exception that goes hides what it spared.
    let spared = file.removed().filter_map(|line| {
        let pattern = file.before.lines[line].trim().strip_prefix('!')?.to_owned();
        Some((file.hunks.iter().find(|hunk| hunk.removed.contains(&line))?.added.start, pattern))
    });
    let known: Vec<&str> = file.before.lines.iter().map(|line| line.trim()).collect();
    for (line, pattern) in added.chain(spared) {
        if pattern.is_empty() || pattern.starts_with(['#', '!']) || known.contains(&pattern.as_str()) {
            continue;
        }
        let (hidden, decided) = hides(view, file, &pattern);
        let (message, weight) = match hidden {
            Some(path) => (format!("{} hides `{path}` from the tools that honour it", quote(&pattern)), Weight::Block),
            None if decided || is_build_output(&pattern) => continue,
            None => (format!("{} may hide files from the tools that honour it", quote(&pattern)), Weight::Show),
        };
        findings.push(finding(&RULE, file, Some(line), message, weight));
    }
    findings
}

/// A file of the tree after the change that a pattern covers, and whether the tree is known.
fn hides(view: &View<'_>, file: &Reading<'_>, pattern: &str) -> (Option<String>, bool) {
    let mut builder = GitignoreBuilder::new("");
    if builder.add_line(None, pattern).is_err() {
        return (None, false);
    }
    let matcher = builder.build().unwrap_or_else(|_| Gitignore::empty());
    let folder = file.path.as_str().strip_suffix(file.path.file_name()).unwrap_or_default();
    let covers = |path: &str| {
        path.strip_prefix(folder).is_some_and(|path| matcher.matched_path_or_any_parents(path, false).is_ignore())
    };
    let changed = view.files.iter().filter(|other| other.change.after.is_some()).map(|other| other.path.as_str());
    let gone = |path: &str| view.files.iter().any(|file| file.path.as_str() == path && file.change.after.is_none());
    let standing =
        view.base.map(crate::source::Source::files).unwrap_or_default().iter().map(|entry| entry.path.as_str());
    let hidden = changed.chain(standing.filter(|path| !gone(path))).find(|path| covers(path));
    (hidden.map(str::to_owned), view.base.is_some())
}

#[cfg(test)]
mod tests {
    use crate::evidence::Weight;
    use crate::gate::judge;
    use crate::gate::testing::{change, judged};
    use crate::ids::RepoPath;
    use crate::policy::PatchLimits;
    use crate::source::Memory;

    fn weights(path: &str, before: &str, after: &str) -> Vec<Weight> {
        let base = Memory::new([(RepoPath::new("src/a.py").unwrap(), "x = 1\n")]);
        let findings = judge(&[change(path, before, after)], PatchLimits::default(), Some(&base));
        findings.iter().filter(|finding| finding.rule == "ignore-list").map(|finding| finding.severity).collect()
    }

    #[test]
    fn patterns_that_cover_a_file_block() {
        for (path, before, after) in [
            (".gitignore", "dist/\n", "dist/\nsrc/\n"),
            (".ignore", "", "*.py\n"),
            (".ruffignore", "", "a.py\n"),
            ("src/.ignore", "", "/a.py\n"),
            (".gitignore", "src/\n!src/a.py\n", "src/\n"),
            (".gitignore", "*.py\n!a.py\n", "*.py\n"),
        ] {
            assert_eq!(weights(path, before, after), [Weight::Block], "{path} {after}");
        }
    }

    #[test]
    fn patterns_of_other_files_pass_and_unknown_ones_are_shown() {
        assert!(weights(".gitignore", "dist/\n", "dist/\n*.log\nnotes.txt\n").is_empty());
        assert!(weights(".gitignore", "src/\n", "!src/a.py\n").is_empty());
        let alone =
            |pattern: &str| judged(&[(".ignore", "", pattern)]).into_iter().map(|f| f.severity).collect::<Vec<_>>();
        assert_eq!((alone("notes.txt\n"), alone("target/\n")), (vec![Weight::Show], Vec::new()));
    }
}
