//! Check scripts and recipes that no longer end as what they run ended.

use super::{Rule, finding, quote};
use crate::evidence::{Finding, Weight};
use crate::gate::language::Language;
use crate::gate::pattern::patterns;
use crate::gate::view::{Reading, View};

pub(super) static RULE: Rule = Rule {
    name: "lost-exit",
    about: "A recipe or a check script no longer fails when what it runs fails",
    why: "Blocks: the check says yes whatever it found. Recipes that clean up may ignore failures.",
    check,
};

patterns! {
    MAKE = r"(?i)(?:^|/)(?:GNU)?(?:Makefile|justfile)$|\.mk$";
    SHELL = r"(?i)\.(?:sh|bash|zsh)$";
    DASHED = r"^(?:\t|\s{2,})[@+]*-[@+]*\s*(\S+)";
    CLEANS = r"^(?:rm|rmdir|mkdir|find|kill|pkill|docker|podman|unlink|ln)$";
    DIRECTIVE = r"^\s*\.(?:IGNORE|SILENT_ERRORS)\b|^\s*MAKEFLAGS\s*[:+?]?=.*(?:-\w*[ik]|--ignore-errors|--keep-going)|^\s*(?:override\s+)?SHELL\s*[:?]?=.*(?:true|echo|:)\s*$|^\s*\.SHELLFLAGS\b|^\s*set\s+ignore-errors";
    UNSET = r"(?:^|[;&]\s*|\t@?)set\s+\+(?:e\w*|o\s+(?:errexit|pipefail))\b|\btrap\s+[\x22\x27]?(?:exit\s*0?|true|:)?[\x22\x27]?\s+(?:.*\b)?(?:EXIT|ERR|0)\b|\|\|\s*(?:true|:|exit\s+0|echo\b)|^exit(?:\s+0)?\s*$|;\s*true\s*$";
    GUARD = r"^\s*set\s+-\w*e|^\s*set\s+-o\s+(?:errexit|pipefail)|\bset\s+-euo?\b|^\s*exit\s+(?:\$|[1-9])";
    PIPED = r"\b(?:pytest|cargo|npm|npx|yarn|pnpm|go\s+(?:test|vet)|make|ruff|mypy|eslint|tsc|jest|vitest|tox|nox|mvn|gradle)\b[^|#]*[^|]\|\s*(?:tee|cat|head|tail|grep|sed|awk|sort)\b";
    PASSED_ON = r"\bsys\.exit\s*\(\s*[^)\s]|\braise\s+SystemExit\s*\(\s*[^)\s]|\bcheck\s*=\s*True\b|\bcheck_(?:call|output)\s*\(|\.check_returncode\s*\(|\bprocess\.exit\s*\(\s*[^)\s0]|\bprocess\.exitCode\s*=\s*[^0\s]|\bexit\s*\(\s*[^)\s0]";
    TOLERANT = r"\bsuccess_codes\s*=|\bignore_(?:outcome|errors)\s*=\s*(?:true|True|1)|\bcheck\s*=\s*False\b|^\s*commands\s*=\s*-\s|^\s+-\s+(?:pytest|python|ruff|mypy|coverage|tox)\b";
    RUNS = r"\bsubprocess\.|\bos\.system\b|\bchild_process\b|\bspawnSync\b|\bexecSync\b|\bpytest\.main\b|\bunittest\.main\b|\bsession\.run\b";
    TOX = r"(?i)(?:^|/)(?:tox\.(?:ini|toml)|noxfile\.py|setup\.cfg)$";
}

fn check(view: &View<'_>) -> Vec<Finding> {
    view.files.iter().filter(|file| file.after.exists()).flat_map(judge).collect()
}

fn judge(file: &Reading<'_>) -> Vec<Finding> {
    let path = file.path.as_str();
    let make = MAKE.is_match(path);
    let shell = SHELL.is_match(path) || (file.after.text.starts_with("#!") && first_line(file).contains("sh"));
    let program = matches!(file.language, Language::Python | Language::JavaScript) && RUNS.is_match(file.before.text);
    let mut findings = Vec::new();
    for line in file.added() {
        let text = file.after.lines.get(line).copied().unwrap_or_default();
        let found = if make { recipe(text) } else { None }
            .or_else(|| UNSET.find(text).filter(|_| make || shell).map(|found| found.as_str()))
            .or_else(|| PIPED.find(text).filter(|_| (make || shell) && !guards_pipes(file)).map(|found| found.as_str()))
            .or_else(|| TOLERANT.find(text).filter(|_| program || TOX.is_match(path)).map(|found| found.as_str()));
        if let Some(found) = found.filter(|found| !file.before.text.contains(text.trim()) || dashed(found)) {
            let message = format!("a failure is ignored: {}", quote(found));
            findings.push(finding(&RULE, file, Some(line), message, Weight::Block));
        }
    }
    if shell || program {
        findings.extend(lost(file, if shell { &GUARD } else { &PASSED_ON }));
    }
    findings
}

fn first_line<'f>(file: &'f Reading<'_>) -> &'f str {
    file.after.lines.first().copied().unwrap_or_default()
}

/// The same command with a dash before it holds the old line.
fn dashed(found: &str) -> bool {
    found.trim_start().starts_with(['-', '@', '+'])
}

fn recipe(text: &str) -> Option<&str> {
    if let Some(found) = DIRECTIVE.find(text) {
        return Some(found.as_str());
    }
    let command = DASHED.captures(text)?.get(1)?;
    (!CLEANS.is_match(command.as_str())).then_some(text)
}

fn guards_pipes(file: &Reading<'_>) -> bool {
    file.after.text.contains("pipefail")
}

/// Lines that hand a failure on and that are gone without another in their place.
fn lost(file: &Reading<'_>, pattern: &regex::Regex) -> Option<Finding> {
    let lines = |lines: &[&str]| lines.iter().filter(|line| pattern.is_match(line)).count();
    if lines(&file.after.lines) >= lines(&file.before.lines) {
        return None;
    }
    let is_lost = |line: &usize| file.before.lines.get(*line).is_some_and(|line| pattern.is_match(line));
    let gone = file.removed().find(is_lost)?;
    let place = file.hunks.iter().find(|hunk| hunk.removed.contains(&gone))?.added.start;
    let message = format!("a failure is no longer handed on: {} is gone", quote(file.before.lines[gone]));
    Some(finding(&RULE, file, Some(place), message, Weight::Block))
}

#[cfg(test)]
mod tests {
    use crate::gate::testing::{blocks, judged};

    fn silent(path: &str, before: &str, after: &str) {
        let found = judged(&[(path, before, after)]);
        assert!(found.iter().all(|finding| finding.rule != "lost-exit"), "{found:?}");
    }

    #[test]
    fn recipes_that_ignore_failures_block() {
        let make = "test:\n\tpytest\n";
        for after in [
            "test:\n\t-pytest\n",
            "test:\n\t@-pytest\n",
            "test:\n\tpytest || true\n",
            "test:\n\tpytest | tee log\n",
            ".IGNORE:\ntest:\n\tpytest\n",
            "MAKEFLAGS += -i\ntest:\n\tpytest\n",
            "SHELL = /bin/true\ntest:\n\tpytest\n",
            "test:\n\tset +e; pytest\n",
        ] {
            blocks("lost-exit", &[("Makefile", make, after)]);
        }
        silent("Makefile", make, "test:\n\tpytest -q\n\nclean:\n\t-rm -rf build\n");
    }

    #[test]
    fn scripts_that_lose_the_exit_block() {
        let python = "import subprocess, sys\nsys.exit(subprocess.call(['pytest']))\n";
        blocks("lost-exit", &[("scripts/check.py", python, "import subprocess, sys\nsubprocess.call(['pytest'])\n")]);
        let run = "import subprocess\nsubprocess.run(['pytest'], check=True)\n";
        blocks("lost-exit", &[("scripts/check.py", run, &run.replace(", check=True", ""))]);
        let shell = "#!/bin/sh\nset -e\npytest\nruff check\n";
        blocks("lost-exit", &[("check", shell, &shell.replace("set -e\n", ""))]);
        blocks("lost-exit", &[("check.sh", shell, &shell.replace("set -e", "set +e"))]);
        blocks("lost-exit", &[("check.sh", shell, &format!("{shell}exit 0\n"))]);
        silent("check.sh", shell, &shell.replace("pytest", "pytest -q"));
        silent("check.sh", shell, &shell.replace("set -e", "set -euo pipefail"));
        silent("scripts/check.py", run, &run.replace("'pytest'", "'pytest', '-q'"));
    }
}
