//! Sources that reach into the test runner, or look at who calls them.

use super::{Rule, finding, quote};
use crate::evidence::{Finding, Weight};
use crate::gate::entry::is_entry;
use crate::gate::language::Language;
use crate::gate::novelty::{is_new, source_lines};
use crate::gate::pattern::{Pattern, patterns};
use crate::gate::view::View;

pub(super) static RULE: Rule = Rule {
    name: "runner-reach",
    about: "Source code names the test runner, or asks who calls it",
    why: "Blocks: what ships has no business with the runner, and through it any test can be made to pass. Files that did so before are no finding.",
    check,
};

patterns! {
    PYTHON = r#"^\s*(?:import|from)\s+(?:_?pytest\b|unittest\b|nose2?\b|pluggy\b|doctest\b)[\w.]*|\b(?:__import__|import_module)\(\s*["'](?:_?pytest|unittest|pluggy)[\w.]*|\b_pytest\b|\bpytest\.\w+|\bunittest\.\w+|\bSkipTest\b|\bpytest_\w+\s*\(|\bsys\._getframe\b|\bsys\._current_frames\b|\binspect\.(?:stack|currentframe|getouterframes|getframeinfo)\b|\btraceback\.(?:extract_stack|walk_stack|format_stack)\b|\bsys\.(?:settrace|setprofile)\b|\bgc\.get_(?:objects|referrers)\b|\.f_(?:back|locals|globals|code)\b|\bfrom\s+sys\s+import\b.*\b_getframe\b|\bfrom\s+inspect\s+import\b.*\b(?:stack|currentframe)\b"#;
    JAVASCRIPT = r#"(?:\bfrom\s+|\brequire\(\s*|\bimport\(?\s*)["'](?:@jest/\w+|jest[\w-]*|vitest[\w/]*|mocha|chai|node:test|node:assert|ava|tap|sinon)["']|\bjest\.\w+|\bvi\.(?:mock|fn|spyOn)\b|\bError\.(?:prepareStackTrace|captureStackTrace|stackTraceLimit)\s*=|new\s+Error\([^)]*\)\.stack\b|\brequire\.cache\b"#;
    GO = r#"^\s*(?:import\s+)?(?:\w+\s+)?"testing(?:/\w+)?"|\bruntime\.Callers?\s*\(|\bdebug\.Stack\s*\("#;
    JVM = r"^\s*(?:import|using)\s+(?:static\s+)?(?:org\.junit|org\.testng|org\.mockito|Xunit|NUnit)\b|\.getStackTrace\(\)|\bStackWalker\b|\bnew\s+StackTrace\(";
    RUST = r"\bextern\s+crate\s+test\b|\btest::(?:Bencher|TestDesc\w*|test_main\w*)\b|\bBacktrace::(?:force_)?capture\(\)\.to_string\b";
    /// What the program was started with: an entry point's matter.
    ARGUMENTS = r"\bsys\.(?:orig_)?argv\b|--junit-?xml\b|\bprocess\.(?:argv|execArgv)\b|\benv::args\w*\b|\bos\.Args\b|/proc/self/cmdline";
}

fn check(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &view.files {
        for (line, text) in source_lines(file) {
            let reach = pattern(file.language).and_then(|pattern| pattern.find(text));
            let code = file.after.code_line(line);
            // In a language with imports the words of the code count, not those of a string alone.
            let reach = reach.filter(|found| !code.get(found.range()).unwrap_or_default().trim().is_empty());
            if let Some(found) = reach.filter(|found| is_new(view, file, found.as_str().trim())) {
                let message = format!("the source reaches into what runs it: {}", quote(found.as_str()));
                findings.push(finding(&RULE, file, Some(line), message, Weight::Block));
            } else if let Some(found) = ARGUMENTS.find(text).filter(|_| !is_entry(file, line))
                && is_new(view, file, found.as_str())
            {
                let message = format!("a library asks how the program was started: {}", quote(found.as_str()));
                findings.push(finding(&RULE, file, Some(line), message, Weight::Block));
            }
        }
    }
    findings
}

fn pattern(language: Language) -> Option<&'static Pattern> {
    Some(match language {
        Language::Python => &PYTHON,
        Language::JavaScript => &JAVASCRIPT,
        Language::Go => &GO,
        Language::Jvm => &JVM,
        Language::Rust => &RUST,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use crate::gate::testing::{blocked, blocks, passes};

    #[test]
    fn every_reach_blocks() {
        for (path, line) in [
            ("app.py", "import pytest\n"),
            ("app.py", "from _pytest import runner\n"),
            ("app.py", "m = __import__('pytest')\n"),
            ("app.py", "import unittest.case\n"),
            ("app.py", "    raise SkipTest('later')\n"),
            ("app.py", "caller = sys._getframe(1).f_code.co_name\n"),
            ("app.py", "names = [f.function for f in inspect.stack()]\n"),
            ("app.py", "if '--junitxml' in words:\n    pass\n"),
            ("app.py", "if 'x' in sys.argv:\n    y = 3\n"),
            ("app.js", "const { expect } = require('@jest/globals')\n"),
            ("app.js", "const who = new Error().stack\n"),
            ("a.go", "import \"testing\"\n"),
            ("src/lib.rs", "fn f() { let a = std::env::args(); }\n"),
            ("src/A.java", "import org.junit.Assert;\n"),
        ] {
            blocks("runner-reach", &[(path, "\n", line)]);
        }
    }

    #[test]
    fn tests_plugins_programs_and_words_pass() {
        passes(&[("tests/test_a.py", "x = 1\n", "import pytest\n\nx = 1\n")]);
        passes(&[("plugin.py", "import pytest\nx = 1\n", "import pytest\nx = 2\n")]);
        passes(&[("cli.py", "import sys\n", "import sys\n\nprint(sys.argv)\n")]);
        passes(&[("a.py", "x = 1\n", "x = 1  # as pytest.raises does\ny = 'pytest.ini'\n")]);
        passes(&[
            ("a.py", "def f():\n    return sys._getframe(1)\n", ""),
            ("b.py", "", "def f():\n    return sys._getframe(1)\n"),
        ]);
        assert!(blocked(&[("src/main.rs", "fn main() {}\n", "fn main() { f(std::env::args()) }\n")]).is_empty());
    }
}
