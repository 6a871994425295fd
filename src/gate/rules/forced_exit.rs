//! Libraries that end the program as a success: the runner, and every check after it, goes with them.

use super::{Rule, finding, quote};
use crate::evidence::{Finding, Weight};
use crate::gate::entry::is_entry;
use crate::gate::novelty::{is_new, source_lines};
use crate::gate::pattern::patterns;
use crate::gate::view::View;

pub(super) static RULE: Rule = Rule {
    name: "forced-exit",
    about: "A library ends the program and reports success",
    why: "Blocks: the runner ends too, before it can say what failed. An entry point may exit, but not past the interpreter's own end.",
    check,
};

patterns! {
    EXIT = r"\b(?:sys\.exit|process\.exit|process::exit|os\.Exit|System\.exit|Environment\.Exit|Runtime\.getRuntime\(\)\.(?:halt|exit)|exitProcess)\s*\(\s*(?:0|ExitCode::SUCCESS)?\s*\)|\braise\s+SystemExit(?:\s*\(\s*(?:0|None)?\s*\))?\s*$|\bprocess\.exitCode\s*=\s*0\b|^\s*(?:exit|quit)\s*\(\s*0?\s*\)";
    HARD = r"\bos\._exit\s*\(|\bprocess\.reallyExit\b|\blibc::_?exit\s*\(|\bos\.kill\s*\(\s*os\.getpp?id|\bctypes\.(?:pythonapi|CDLL)\b.*exit|\bfrom\s+os\s+import\b.*\b_exit\b";
}

fn check(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &view.files {
        for (line, _) in source_lines(file) {
            let code = file.after.code_line(line);
            let found = HARD.find(code).or_else(|| EXIT.find(code).filter(|_| !is_entry(file, line)));
            if let Some(found) = found.filter(|found| is_new(view, file, found.as_str().trim())) {
                let message = format!("the program ends as a success in the middle: {}", quote(found.as_str()));
                findings.push(finding(&RULE, file, Some(line), message, Weight::Block));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use crate::gate::testing::{blocks, passes};

    #[test]
    fn exits_of_libraries_block() {
        for (path, line) in [
            ("app.py", "    os._exit(0)\n"),
            ("app.py", "import sys\nsys.exit(0)\n"),
            ("app.py", "    raise SystemExit\n"),
            ("src/lib.rs", "fn f() { std::process::exit(0) }\n"),
            ("src/a.ts", "process.exit(0)\n"),
            ("a.go", "func f() { os.Exit(0) }\n"),
            ("src/A.java", "class A { void f() { System.exit(0); } }\n"),
            ("cli.py", "os._exit(0)\n"),
        ] {
            blocks("forced-exit", &[(path, "\n", line)]);
        }
    }

    #[test]
    fn entry_points_failures_and_known_exits_pass() {
        passes(&[("app.py", "x = 1\n", "x = 1\n\nif __name__ == '__main__':\n    sys.exit(0)\n")]);
        passes(&[("src/main.rs", "fn main() {}\n", "fn main() { std::process::exit(0) }\n")]);
        passes(&[("app.py", "def f():\n    pass\n", "def f():\n    raise SystemExit(2)\n")]);
        passes(&[("a.go", "package main\n", "package main\n\nfunc f() { os.Exit(0) }\n")]);
        passes(&[("app.py", "def f():\n    sys.exit(0)\n", "def f():\n    g()\n    sys.exit(0)\n")]);
    }
}
