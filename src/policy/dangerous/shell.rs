//! What stands behind a wrapper, and the commands of a shell script, read generously: what might run counts.

/// Programs that run the command that follows their own options.
const WRAPPERS: &[&str] = &[
    "env",
    "sudo",
    "doas",
    "su-exec",
    "gosu",
    "nice",
    "ionice",
    "nohup",
    "setsid",
    "stdbuf",
    "time",
    "timeout",
    "command",
    "exec",
    "builtin",
    "xargs",
    "busybox",
    "npx",
    "bunx",
    "pnpx",
    "chrt",
    "taskset",
    "unshare",
    "fakeroot",
    "watch",
    "parallel",
    "xvfb-run",
    "dbus-run-session",
    "script",
    "strace",
    "ltrace",
    "rustup",
    "pipx",
    "uvx",
    "corepack",
    "mise",
    "asdf",
    "direnv",
    "nix-shell",
    "then",
    "do",
    "else",
    "if",
    "while",
    "until",
    "!",
    "coproc",
];
/// Programs that run another with words of their own before it: `uv run`, `npm exec`.
const RUN_WORDS: &[&str] = &["run", "exec", "x", "dlx"];
const RUNS: &[&str] =
    &["uv", "poetry", "pdm", "hatch", "pipenv", "rye", "npm", "pnpm", "yarn", "bun", "bundle", "conda", "pixi"];
const NODE: &[&str] = &["npm", "pnpm", "yarn", "bun"];
const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "mksh", "pwsh", "powershell", "cmd"];
const PYTHONS: &[&str] = &["python", "python2", "python3", "py", "pypy", "pypy3"];

/// What a wrapper holds.
#[derive(Default)]
pub(super) struct Unwrapped {
    /// The command behind it.
    pub(super) inner: Option<Vec<String>>,
    /// The shell text behind it.
    pub(super) script: Option<String>,
}

/// What stands behind the first word, if that is a wrapper.
pub(super) fn unwrapped(argv: &[String]) -> Unwrapped {
    let Some((program, rest)) = argv.split_first() else { return Unwrapped::default() };
    if is_assignment(program) {
        return Unwrapped { inner: Some(rest.to_vec()), script: None };
    }
    let name = super::program_name(program);
    if name == "eval" {
        return Unwrapped { inner: None, script: Some(rest.join(" ")) };
    }
    if SHELLS.contains(&name.as_str()) {
        let script = shell_text(rest);
        // Without `-c` the first operand is a script, whose name may tell.
        let operand = rest.iter().position(|word| !word.starts_with('-')).filter(|_| script.is_none());
        return Unwrapped { inner: operand.map(|at| rest[at..].to_vec()), script };
    }
    if PYTHONS.iter().any(|python| name == *python || name.starts_with(&format!("{python}."))) {
        // `python -m twine upload`, `python setup.py upload`.
        let inner = rest
            .iter()
            .position(|word| word == "-m")
            .map(|at| at + 1)
            .or_else(|| rest.iter().position(|word| !word.starts_with('-')));
        return Unwrapped { inner: inner.and_then(|at| rest.get(at..)).map(<[String]>::to_vec), script: None };
    }
    if name == "find" {
        let at = rest.iter().position(|word| matches!(word.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir"));
        return Unwrapped { inner: at.and_then(|at| rest.get(at + 1..)).map(<[String]>::to_vec), script: None };
    }
    if WRAPPERS.contains(&name.as_str()) {
        // `env -S 'git push'` holds a whole command in one word.
        let joined = rest.iter().find(|word| word.contains(' ')).cloned();
        return Unwrapped { inner: behind_options(rest), script: joined };
    }
    let run = rest.iter().position(|word| !word.starts_with('-')).filter(|at| RUN_WORDS.contains(&rest[*at].as_str()));
    match run {
        // `npm run NAME` names a script, which the table of runners reads.
        Some(at) if RUNS.contains(&name.as_str()) && !(rest[at] == "run" && NODE.contains(&name.as_str())) => {
            Unwrapped { inner: behind_options(&rest[at + 1..]), script: None }
        }
        _ => Unwrapped::default(),
    }
}

/// The command behind options, their values and assignments. An option may have a value or not, and the table does not
/// know: so the words are taken from the first that is no option, and when it follows an option and is no command that
/// we know, from the next one too.
fn behind_options(rest: &[String]) -> Option<Vec<String>> {
    let skipped = |word: &String| word.starts_with('-') || is_assignment(word) || is_amount(word);
    let mut at = rest.iter().position(|word| !skipped(word))?;
    let follows_option = |at: usize| at > 0 && rest[at - 1].starts_with('-') && rest[at - 1] != "--";
    while follows_option(at) && super::argv_danger(&rest[at..], super::DEEPEST - 1).is_none() {
        match rest[at + 1..].iter().position(|word| !skipped(word)) {
            Some(next) => at += 1 + next,
            None => break,
        }
    }
    Some(rest[at..].to_vec())
}

/// The text behind `-c`, also behind `-lc` or `/c`.
fn shell_text(rest: &[String]) -> Option<String> {
    let is_c = |word: &String| {
        let lower = word.to_ascii_lowercase();
        matches!(lower.as_str(), "-command" | "/c" | "/k" | "--command")
            || (lower.starts_with('-') && !lower.starts_with("--") && lower.ends_with('c'))
    };
    let at = rest.iter().position(is_c)?;
    rest.get(at + 1..).map(|words| words.join(" "))
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=')
        .is_some_and(|(name, _)| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
}

/// `10`, `5m`, `0.5`: what `timeout` and `nice` are told first.
fn is_amount(word: &str) -> bool {
    let number = word.strip_suffix(['s', 'm', 'h', 'd']).unwrap_or(word);
    !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

/// The commands of a script, by its operators; quotes are respected in one reading and ignored in the other, so that
/// what a substitution within quotes runs is seen.
pub(super) fn commands(script: &str) -> Vec<Vec<String>> {
    let script = script.replace("\\\n", " ");
    let bare: String = script.chars().map(|c| if matches!(c, '"' | '\'') { ' ' } else { c }).collect();
    [segments(&script), segments(&bare)].concat().iter().filter_map(|segment| split(segment)).collect()
}

fn split(segment: &str) -> Option<Vec<String>> {
    // A make recipe begins with `@` or `-`. A quote that is not closed still holds words.
    let segment = segment.trim().trim_start_matches(['@', '-', '+']).trim_start();
    let words = shlex::split(segment).unwrap_or_else(|| segment.split_whitespace().map(str::to_owned).collect());
    (!words.is_empty()).then_some(words)
}

fn segments(script: &str) -> Vec<String> {
    let mut segments = vec![String::new()];
    let mut quote = None;
    let mut characters = script.chars().peekable();
    while let Some(c) = characters.next() {
        let ends = match (quote, c) {
            (None, '\'' | '"') => {
                quote = Some(c);
                false
            }
            (Some(open), c) if open == c => {
                quote = None;
                false
            }
            (None, ';' | '&' | '|' | '\n' | '\r' | '(' | ')' | '{' | '}' | '`') => true,
            _ => false,
        };
        if ends {
            segments.push(String::new());
        } else if let Some(segment) = segments.last_mut() {
            segment.push(c);
            if c == '\\' && quote != Some('\'') {
                segment.extend(characters.next());
            }
        }
    }
    segments
}
