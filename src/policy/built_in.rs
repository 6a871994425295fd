//! The rules for paths that hold whatever a policy says, and cannot be taken back by it.

use std::sync::LazyLock;

use super::paths::{AnyOf, PathRule, Spelled};

/// Neither written nor shown: git's own files.
const GIT: &[&str] = &["**/.git"];

/// Never written: what CI runs with its token, and this policy.
const CONTROL: &[&str] = &[".github/workflows/", ".github/actions/", ".github/unbreak.*"];

/// Neither written nor shown to a model: names that hold secrets.
const SECRETS: &[&str] = &[
    "**/.env*",
    "**/*.pem",
    "**/*.key",
    "**/*.p12",
    "**/*.pfx",
    "**/*.jks",
    "**/*.keystore",
    "**/id_rsa*",
    "**/id_dsa*",
    "**/id_ecdsa*",
    "**/id_ed25519*",
    "**/.npmrc",
    "**/.pypirc",
    "**/.netrc",
    "**/_netrc",
    "**/.git-credentials",
    "**/.dockercfg",
    "**/.ssh/",
    "**/.aws/",
    "**/.gnupg/",
    "**/.kube/",
    "**/credentials*",
];

/// Written only once a person agreed: what brings in foreign code, what changes how git or review works, and
/// what instructs agents.
const ASKED: &[&str] = &[
    "**/Cargo.toml",
    "**/Cargo.lock",
    "**/rust-toolchain",
    "**/rust-toolchain.toml",
    "**/package.json",
    "**/package-lock.json",
    "**/npm-shrinkwrap.json",
    "**/yarn.lock",
    "**/pnpm-lock.yaml",
    "**/pnpm-workspace.yaml",
    "**/bun.lock",
    "**/bun.lockb",
    "**/deno.json",
    "**/deno.lock",
    "**/pyproject.toml",
    "**/poetry.lock",
    "**/uv.lock",
    "**/pdm.lock",
    "**/Pipfile",
    "**/Pipfile.lock",
    "**/setup.py",
    "**/setup.cfg",
    "**/requirements*.txt",
    "**/requirements/*.txt",
    "**/go.mod",
    "**/go.sum",
    "**/go.work",
    "**/Gemfile",
    "**/Gemfile.lock",
    "**/*.gemspec",
    "**/composer.json",
    "**/composer.lock",
    "**/pom.xml",
    "**/build.gradle",
    "**/build.gradle.kts",
    "**/settings.gradle",
    "**/settings.gradle.kts",
    "**/gradle.lockfile",
    "**/libs.versions.toml",
    "**/*.csproj",
    "**/packages.lock.json",
    "**/Directory.Packages.props",
    "**/mix.exs",
    "**/mix.lock",
    "**/pubspec.yaml",
    "**/pubspec.lock",
    "**/Package.swift",
    "**/Package.resolved",
    "**/flake.nix",
    "**/flake.lock",
    "**/.gitattributes",
    "**/.gitmodules",
    "**/CODEOWNERS",
    "**/AGENTS.md",
    "**/CLAUDE.md",
    "**/GEMINI.md",
    "**/.cursorrules",
    "**/.cursor/",
    "**/.windsurfrules",
    ".github/copilot-instructions.md",
    ".github/instructions/",
];

/// A group of rules: one matcher for the usual answer, and each rule for the report.
pub(super) struct Group {
    any: AnyOf,
    rules: LazyLock<Vec<PathRule>, Box<dyn FnOnce() -> Vec<PathRule> + Send>>,
}

impl Group {
    fn of(patterns: Vec<&'static str>) -> Self {
        let any = AnyOf::new(patterns.iter().copied());
        // The test below holds that each of them is a pattern.
        let rules = move || patterns.iter().filter_map(|pattern| PathRule::new(pattern, None, false).ok()).collect();
        Self { any, rules: LazyLock::new(Box::new(rules)) }
    }

    /// The rules that name any spelling of the path.
    pub(super) fn matching<'a>(&'a self, path: &'a Spelled<'_>) -> impl Iterator<Item = &'a PathRule> {
        let rules: &[PathRule] = if self.any.matches(path) { &self.rules } else { &[] };
        rules.iter().filter(|rule| rule.matches_spelled(path))
    }

    /// The patterns, as they are written.
    pub(super) fn patterns(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().map(PathRule::text)
    }
}

/// What is never written.
pub(super) static UNWRITABLE: LazyLock<Group> = LazyLock::new(|| Group::of([GIT, CONTROL, SECRETS].concat()));

/// What is never shown to a model. git's own files are no files of the tree either.
pub(super) static UNREADABLE: LazyLock<Group> = LazyLock::new(|| Group::of([GIT, SECRETS].concat()));

/// What is written only once a person agreed.
pub(super) static PROTECTED: LazyLock<Group> = LazyLock::new(|| Group::of(ASKED.to_vec()));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::RepoPath;

    #[test]
    fn every_built_in_rule_is_a_pattern() {
        assert_eq!(UNWRITABLE.rules.len(), GIT.len() + CONTROL.len() + SECRETS.len());
        assert_eq!(UNREADABLE.rules.len(), GIT.len() + SECRETS.len());
        assert_eq!(PROTECTED.rules.len(), ASKED.len());
    }

    #[test]
    fn the_quick_answer_misses_no_rule() {
        for group in [&*UNWRITABLE, &*PROTECTED] {
            for pattern in group.patterns() {
                let name = pattern.replace("**/", "a/").replace('*', "x");
                let path = RepoPath::new(&format!("{}{}", name, if name.ends_with('/') { "y" } else { "" })).unwrap();
                assert!(group.matching(&Spelled::new(&path)).any(|rule| rule.text() == pattern), "{pattern}");
            }
        }
    }
}
