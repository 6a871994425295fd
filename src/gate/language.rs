//! Which language a file is written in, as far as its comments, its strings and its tests go.

use crate::ids::RepoPath;

/// Languages that the rules tell apart; what is none of them has no comments and no strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Rust,
    Python,
    JavaScript,
    Go,
    /// Java, Kotlin, Scala, Groovy and C#: methods with annotations.
    Jvm,
    /// C, C++, Swift, PHP and kin: braces and slashes.
    Braces,
    /// Ruby, shell, make, TOML, YAML, INI: `#` comments.
    Hash,
    Plain,
}

impl Language {
    /// By the file's name alone.
    pub(super) fn of(path: &RepoPath) -> Self {
        let name = path.file_name();
        if ["Makefile", "makefile", "justfile", "Justfile", "Dockerfile", "Rakefile", "Gemfile"].contains(&name) {
            return Self::Hash;
        }
        match path.extension().unwrap_or_default() {
            "rs" => Self::Rust,
            "py" | "pyi" | "pyx" => Self::Python,
            "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts" | "vue" | "svelte" => Self::JavaScript,
            "go" => Self::Go,
            "java" | "kt" | "kts" | "scala" | "groovy" | "cs" => Self::Jvm,
            "c" | "h" | "cc" | "cpp" | "cxx" | "hpp" | "hh" | "swift" | "php" | "dart" | "m" | "mm" => Self::Braces,
            "rb" | "sh" | "bash" | "zsh" | "mk" | "toml" | "yml" | "yaml" | "cfg" | "ini" | "ex" | "exs" | "pl" => {
                Self::Hash
            }
            _ => Self::Plain,
        }
    }

    /// Whether the file holds code that is compiled or interpreted, so that a change of it changes behaviour.
    pub(super) fn is_code(self, path: &RepoPath) -> bool {
        match self {
            Self::Plain => false,
            Self::Hash => matches!(path.extension(), Some("rb" | "sh" | "bash" | "zsh" | "ex" | "exs" | "pl")),
            _ => true,
        }
    }
}

/// Whether a path is one where tests live: by its directory or by its name.
pub(super) fn is_test_path(path: &RepoPath) -> bool {
    let text = path.as_str().to_ascii_lowercase();
    let mut parts: Vec<&str> = text.split('/').collect();
    let name = parts.pop().unwrap_or_default();
    let directory = parts.iter().any(|part| {
        matches!(
            *part,
            "test" | "tests" | "testing" | "__tests__" | "spec" | "specs" | "e2e" | "testdata" | "__snapshots__"
        )
    });
    let stem = name.split('.').next().unwrap_or_default();
    directory
        || stem.starts_with("test_")
        || ["_test", "_tests", "_spec"].iter().any(|end| stem.ends_with(end))
        || matches!(stem, "conftest" | "test" | "tests")
        || name.contains(".test.")
        || name.contains(".spec.")
        || (Language::of(path) == Language::Jvm && jvm_test_name(path))
}

/// Whether the runner's usual rules collect tests from a file of this name.
pub(super) fn is_collected(path: &RepoPath) -> bool {
    let name = path.file_name();
    match Language::of(path) {
        Language::Python => {
            let stem = name.strip_suffix(".py").unwrap_or_default();
            stem.starts_with("test_") || stem.ends_with("_test") || matches!(stem, "tests" | "test")
        }
        Language::Go => name.ends_with("_test.go"),
        Language::JavaScript => is_test_path(path) || name.starts_with("test-") || name.starts_with("test."),
        _ => true,
    }
}

fn jvm_test_name(path: &RepoPath) -> bool {
    let stem = path.file_name().split('.').next().unwrap_or_default();
    ["Test", "Tests", "Spec", "IT", "TestCase"].iter().any(|end| stem.ends_with(end)) || stem.starts_with("Test")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RepoPath {
        RepoPath::new(text).unwrap()
    }

    #[test]
    fn tests_are_known_by_directory_or_name() {
        for text in ["tests/a.rs", "pkg/test_a.py", "a/b_test.go", "x/__tests__/a.js", "a.spec.ts", "src/FooTest.java"]
        {
            assert!(is_test_path(&path(text)), "{text}");
        }
        for text in ["src/attestation.rs", "contest.py", "src/latest.py", "src/fastest.js", "src/Manifest.java"] {
            assert!(!is_test_path(&path(text)), "{text}");
        }
    }

    #[test]
    fn a_file_name_decides_whether_its_tests_are_collected() {
        assert!(is_collected(&path("tests/test_a.py")) && is_collected(&path("a_test.go")));
        assert!(!is_collected(&path("tests/a.py")) && !is_collected(&path("a.go")));
    }
}
