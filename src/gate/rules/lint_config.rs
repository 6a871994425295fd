//! Configuration of linters, type checkers, formatters and coverage.

use std::collections::BTreeMap;

use super::ignore_list::is_build_output;
use super::loosened_config::lowered;
use super::{Rule, finding, quote};
use crate::evidence::{Finding, Weight};
use crate::gate::pattern::patterns;
use crate::gate::settings::{changed, line_of};
use crate::gate::view::{Reading, View};

pub(super) static RULE: Rule = Rule {
    name: "lint-config",
    about: "Linters, type checkers or coverage are told to check less",
    why: "Blocks where a level, a list or a threshold is lowered: that hides a diagnostic instead of mending it. Other edits of such a file are shown.",
    check,
};

patterns! {
    FILES = r"(?i)(?:^|/)(?:\.?clippy\.toml|\.?ruff\.toml|\.flake8|\.?pylintrc|\.pylintrc\.toml|mypy\.ini|\.mypy\.ini|pyrightconfig\.json|\.eslintrc[\w.]*|eslint\.config\.\w+|\.eslintignore|\.prettierignore|tsconfig[\w.-]*\.json|tslint\.json|biome\.jsonc?|\.golangci\.ya?ml|\.rubocop[\w.-]*\.ya?ml|\.coveragerc|\.?codecov\.ya?ml|\.pre-commit-config\.ya?ml|deny\.toml|\.stylelintrc[\w.]*|\.yamllint[\w.]*|phpstan[\w.-]*\.neon|detekt\.ya?ml|\.swiftlint\.ya?ml|sonar-project\.properties|\.nycrc[\w.]*|\.markdownlint[\w.]*)$";
    SHARED = r"(?i)(?:^|/)(?:pyproject\.toml|setup\.cfg|tox\.ini|Cargo\.toml|package\.json|config\.toml)$";
    SECTIONS = r"(?i)^(?:tool\.(?:ruff|mypy|pylint|pyright|basedpyright|flake8|coverage|isort|black|bandit|ty)|flake8|mypy|pylint|coverage|pycodestyle|isort|(?:workspace\.)?lints|eslintConfig|stylelint|jest\.coverageThreshold|nyc|c8|build\.rustflags|target\.[^.]*\.rustflags|env\.RUSTFLAGS)\b";
    SUSPECT_LINE = r#"(?i)["']?(?:off|allow|warn)["']?\s*,?\s*$|ignore|exclude|disable|["']\s*:\s*0\b"#;
    FLAGS = r"^(?:-A|--allow|--cap-lints)";
}

fn check(view: &View<'_>) -> Vec<Finding> {
    let changed = view.files.iter().filter(|file| !file.hunks.is_empty());
    changed.flat_map(|file| replaces_section(view, file).into_iter().chain(check_file(file))).collect()
}

fn check_file(file: &Reading<'_>) -> Vec<Finding> {
    let own = FILES.is_match(file.path.as_str());
    if !own && !SHARED.is_match(file.path.as_str()) {
        return Vec::new();
    }
    let Some(changes) = changed(file) else { return if own { by_lines(file) } else { Vec::new() } };
    let concerns = |key: &str| own || SECTIONS.is_match(key);
    let mut keys: BTreeMap<&str, (Vec<&str>, Vec<&str>)> = BTreeMap::new();
    for (key, value) in changes.removed.iter().filter(|(key, _)| concerns(key)) {
        keys.entry(key).or_default().0.push(value);
    }
    for (key, value) in changes.added.iter().filter(|(key, _)| concerns(key)) {
        keys.entry(key).or_default().1.push(value);
    }
    let mut findings = Vec::new();
    for (key, (was, is)) in &keys {
        for at in 0..was.len().max(is.len()) {
            let (was, is) = (was.get(at).copied(), is.get(at).copied());
            let allows = is.is_some_and(|is| FLAGS.is_match(is));
            if (lowered(key, was, is) && !(own && !file.before.exists() && is_neutral(key, is))) || allows {
                let line = line_of(&file.after, key, is.unwrap_or_default());
                findings.push(finding(&RULE, file, line, message(key, was, is), Weight::Block));
            }
        }
    }
    if findings.is_empty() && !keys.is_empty() {
        let line = file.hunks.first().map(|hunk| hunk.added.start);
        findings.push(finding(&RULE, file, line, "the configuration of a check changes".to_owned(), Weight::Show));
    }
    findings
}

/// A new file may leave out build output without checking less than nothing.
fn is_neutral(key: &str, value: Option<&str>) -> bool {
    key.contains("exclude") && value.is_some_and(is_build_output)
}

/// A new file of its own takes the place of the section that the tool read before.
fn replaces_section(view: &View<'_>, file: &Reading<'_>) -> Option<Finding> {
    let tools = [("ruff.toml", "[tool.ruff"), ("mypy.ini", "[tool.mypy"), ("pylintrc", "[tool.pylint")];
    let tools = tools.into_iter().chain([("pyrightconfig.json", "[tool.pyright"), (".coveragerc", "[tool.coverage")]);
    let name = file.path.file_name();
    let (_, section) = tools.into_iter().find(|(own, _)| name == *own || name.strip_prefix('.') == Some(own))?;
    let shared = crate::ids::RepoPath::new("pyproject.toml").ok()?;
    let stood = view.base?.text(&shared)?.contains(section);
    let message = format!("this new file takes the place of `{section}…` in `pyproject.toml`");
    (stood && !file.before.exists()).then(|| finding(&RULE, file, Some(0), message, Weight::Block))
}

fn message(key: &str, was: Option<&str>, is: Option<&str>) -> String {
    let value = |value: Option<&str>| value.map_or_else(|| "unset".to_owned(), quote);
    format!("`{}` checks less: {}, before {}", key.trim_end_matches("[]"), value(is), value(was))
}

/// A configuration that is a program, or that cannot be read: new lines are judged by their words.
fn by_lines(file: &Reading<'_>) -> Vec<Finding> {
    let ignore_list = file.path.file_name().ends_with("ignore");
    let added: Vec<usize> = file.added().filter(|line| !file.after.lines[*line].trim().is_empty()).collect();
    let suspect: Vec<Finding> = added
        .iter()
        .filter(|line| ignore_list || SUSPECT_LINE.is_match(file.after.lines[**line]))
        .map(|line| {
            let text = quote(file.after.lines[*line]);
            finding(&RULE, file, Some(*line), format!("a check is told to look at less: {text}"), Weight::Block)
        })
        .collect();
    if !suspect.is_empty() {
        return suspect;
    }
    let line = file.hunks.first().map(|hunk| hunk.added.start);
    let weight = if file.after.exists() { Weight::Show } else { Weight::Block };
    vec![finding(&RULE, file, line, "the configuration of a check changes".to_owned(), weight)]
}

#[cfg(test)]
mod tests {
    use crate::gate::testing::{blocks, passes, shown};

    #[test]
    fn lowered_levels_and_new_exclusions_block() {
        blocks(
            "lint-config",
            &[("Cargo.toml", "[lints.clippy]\nunwrap_used = \"deny\"\n", "[lints.clippy]\nunwrap_used = \"allow\"\n")],
        );
        blocks(
            "lint-config",
            &[(
                "Cargo.toml",
                "[package]\nname = \"a\"\n",
                "[package]\nname = \"a\"\n[lints.rust]\ndead_code = \"allow\"\n",
            )],
        );
        blocks(
            "lint-config",
            &[("pyproject.toml", "[tool.ruff.lint]\nselect = ['E', 'F']\n", "[tool.ruff.lint]\nselect = ['E']\n")],
        );
        blocks(
            "lint-config",
            &[("pyproject.toml", "[tool.ruff.lint]\nignore = []\n", "[tool.ruff.lint]\nignore = ['F401']\n")],
        );
        blocks(
            "lint-config",
            &[("ruff.toml", "line-length = 100\n", "line-length = 100\n[lint.per-file-ignores]\n'a.py' = ['F401']\n")],
        );
        blocks(
            "lint-config",
            &[("setup.cfg", "[flake8]\nmax-line-length = 79\n", "[flake8]\nmax-line-length = 200\n")],
        );
        blocks(
            "lint-config",
            &[(
                "tsconfig.json",
                "{\"compilerOptions\": {\"strict\": true}}\n",
                "{\"compilerOptions\": {\"strict\": false}}\n",
            )],
        );
        blocks(
            "lint-config",
            &[(".eslintrc.json", "{\"rules\": {\"no-undef\": \"error\"}}\n", "{\"rules\": {\"no-undef\": \"off\"}}\n")],
        );
        blocks(
            "lint-config",
            &[(
                "eslint.config.js",
                "export default [{ rules: {} }]\n",
                "export default [{ rules: {} },\n { ignores: ['src/a.js'] }]\n",
            )],
        );
        blocks("lint-config", &[("ruff.toml", "", "exclude = ['src/a.py']\n")]);
        blocks("lint-config", &[(".flake8", "", "[flake8]\nper-file-ignores =\n    a.py: F401\n")]);
        blocks("lint-config", &[("src/.ruff.toml", "", "[lint]\nignore = ['F401']\n")]);
        blocks("lint-config", &[(".coveragerc", "[report]\nfail_under = 90\n", "[report]\nfail_under = 10\n")]);
    }

    #[test]
    fn a_new_file_may_leave_out_build_output() {
        assert_eq!(shown(&[("ruff.toml", "", "line-length = 100\nexclude = ['build', '.venv']\n")]), ["lint-config"]);
    }

    #[test]
    fn a_new_file_in_the_place_of_a_section_blocks() {
        let path = crate::ids::RepoPath::new("pyproject.toml").unwrap();
        let base = crate::source::Memory::new([(path, "[tool.ruff]\nline-length = 80\n")]);
        let change = crate::gate::testing::change("ruff.toml", "", "line-length = 100\n");
        let findings = crate::gate::judge(&[change], crate::policy::PatchLimits::default(), Some(&base));
        assert!(findings.iter().any(|finding| finding.severity == crate::evidence::Weight::Block), "{findings:?}");
    }

    #[test]
    fn stricter_settings_are_shown_and_other_sections_pass() {
        assert_eq!(
            shown(&[("ruff.toml", "[lint]\nselect = ['E']\n", "[lint]\nselect = ['E', 'F']\n")]),
            ["lint-config"]
        );
        passes(&[(
            "pyproject.toml",
            "[project]\nname = 'a'\ndescription = 'Teh'\n",
            "[project]\nname = 'a'\ndescription = 'The'\n",
        )]);
    }
}
