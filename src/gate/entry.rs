//! Which lines start and end a program: only there are exit codes and arguments the code's own matter.

use super::pattern::patterns;
use super::view::{Reading, Version};

patterns! {
    PATH = r"(?i)(?:^|/)(?:main|__main__|cli|manage|setup|noxfile|tasks|console|run|build|server)\.\w+$|(?:^|/)(?:bin|cmd|scripts?|tools?|cli|commands?|examples?|benches|xtask)/|(?:^|/)(?:vite|webpack|rollup|gulpfile|gruntfile)[\w.]*\.\w+$";
    PROGRAM = r"(?m)^#!|^(?:pub\s+)?(?:async\s+)?fn\s+main\s*\(|^package\s+main\b|^(?:async\s+)?def\s+main\s*\(|\brequire\.main\s*===?\s*module|\bpublic\s+static\s+(?:async\s+)?\w+\s+[Mm]ain\s*\(|^\s*fun\s+main\s*\(|^\s*(?:import|from|use)\s+(?:argparse|optparse|click|typer|clap)\b";
    GUARD = r"(?m)^if\s+__name__\s*==";
}

/// Whether a line of the new version belongs to a program's entry.
///
/// A file that stood before is judged by what it was: a change does not make a library a program to be let off.
pub(super) fn is_entry(file: &Reading<'_>, line: usize) -> bool {
    let judged: &Version<'_> = if file.before.exists() { &file.before } else { &file.after };
    let shebang = judged.text.starts_with("#!");
    PATH.is_match(file.path.as_str())
        || shebang
        || PROGRAM.is_match(&judged.masked.code)
        || under_name_guard(&file.after, line)
}

/// Whether a line stands under Python's `if __name__ == "__main__":`, which an import never runs.
fn under_name_guard(version: &Version<'_>, line: usize) -> bool {
    let Some(guard) = GUARD.find(&version.masked.code).map(|found| version.line_of(found.start())) else {
        return false;
    };
    let indented = |line: usize| {
        let code = version.code_line(line);
        code.trim().is_empty() || code.starts_with([' ', '\t'])
    };
    line >= guard && (guard + 1..=line).all(indented)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::testing::change;

    fn entry(path: &str, before: &str, after: &str, line: usize) -> bool {
        let changes = [change(path, before, after)];
        let view = crate::gate::view::View::new(&changes, crate::policy::PatchLimits::default(), None);
        is_entry(&view.files[0], line)
    }

    #[test]
    fn programs_are_known_by_path_and_by_what_they_were() {
        assert!(entry("src/main.rs", "fn main() {}\n", "fn main() { f() }\n", 0));
        assert!(entry("app.py", "def main():\n    pass\n", "def main():\n    f()\n", 1));
        assert!(!entry("app.py", "x = 1\n", "def main():\n    f()\n", 1));
        assert!(!entry("src/lib.rs", "fn f() {}\n", "fn f() { g() }\n", 0));
    }

    #[test]
    fn the_name_guard_ends_with_its_block() {
        let after = "x = 1\nif __name__ == '__main__':\n    f()\ng()\n";
        assert!(entry("app.py", "x = 1\n", after, 2));
        assert!(!entry("app.py", "x = 1\n", after, 3));
    }
}
