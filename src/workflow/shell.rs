//! Scripts: which need a shell, and how the forge calls it.

/// Words that mean something to a shell alone when they begin a line.
const BUILT_IN: &[&str] = &[
    "!", ".", ":", "[", "[[", "alias", "break", "builtin", "case", "cd", "command", "continue", "coproc", "declare",
    "do", "done", "elif", "else", "esac", "eval", "exec", "exit", "export", "fi", "for", "function", "hash", "if",
    "let", "local", "mapfile", "popd", "printf", "pushd", "read", "readonly", "return", "select", "set", "shift",
    "shopt", "source", "test", "then", "time", "trap", "type", "typeset", "ulimit", "umask", "unalias", "unset",
    "until", "wait", "while", "{", "}",
];

/// One simple command: the variables set for it alone, and its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Simple {
    pub(super) env: Vec<(String, String)>,
    pub(super) argv: Vec<String>,
}

/// The commands of a script that mean the same without a shell; `None` when any line needs one.
pub(super) fn simple(script: &str) -> Option<Vec<Simple>> {
    let joined = script.replace("\\\r\n", " ").replace("\\\n", " ");
    let lines = joined.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(command).collect()
}

fn command(line: &str) -> Option<Simple> {
    if needs_shell(line) {
        return None;
    }
    let mut words = shlex::split(line)?.into_iter().peekable();
    let mut env = Vec::new();
    // `A=b cmd`, as long as the name was not quoted.
    while let Some((name, value)) = words.peek().and_then(|word| assignment(word)) {
        env.push((name.to_owned(), value.to_owned()));
        words.next();
    }
    let argv: Vec<String> = words.collect();
    let first = argv.first()?;
    (!BUILT_IN.contains(&first.as_str())).then_some(Simple { env, argv })
}

fn assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let letters = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(letters))
        .then_some((name, value))
}

/// Whether a character stands in the line that a shell would expand or obey.
fn needs_shell(line: &str) -> bool {
    let (mut quote, mut escaped, mut begins) = (None, false, true);
    for c in line.chars() {
        let special = match quote {
            Some('\'') => false,
            Some(_) => matches!(c, '$' | '`'),
            None => {
                matches!(c, '|' | '&' | ';' | '<' | '>' | '(' | ')' | '$' | '`' | '*' | '?' | '[' | '{' | '}' | '!')
                    || (begins && matches!(c, '~' | '#'))
            }
        };
        if special && !escaped {
            return true;
        }
        begins = quote.is_none() && !escaped && (c.is_whitespace() || matches!(c, '=' | ':'));
        if escaped {
            escaped = false;
        } else if c == '\\' && quote != Some('\'') {
            escaped = true;
        } else if quote == Some(c) {
            quote = None;
        } else if quote.is_none() && matches!(c, '\'' | '"') {
            quote = Some(c);
        }
    }
    quote.is_some() || escaped
}

/// How a script is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reader {
    /// A shell that `simple` speaks for, started by these words when a line needs it.
    Posix(Vec<&'static str>),
    /// Another program, with the words before and the texts around the script.
    Other { argv: Vec<String>, before: &'static str, after: &'static str },
}

/// How the forge starts each shell that it knows; the script itself takes the place of its file.
pub(super) fn reader(shell: Option<&str>, system: Option<&str>) -> Result<Reader, String> {
    let other = |words: &[&str], before, after| {
        Ok(Reader::Other { argv: words.iter().map(|word| (*word).to_owned()).collect(), before, after })
    };
    // PowerShell goes on after an error unless it is told to stop, and forgets the exit code of a program.
    let (stop, code) = (
        "$ErrorActionPreference = 'stop'\n",
        "\nif ((Test-Path -LiteralPath variable:\\LASTEXITCODE)) { exit $LASTEXITCODE }",
    );
    match shell.map(str::trim) {
        None if system == Some("Windows") => other(&["pwsh", "-command"], stop, code),
        None => Ok(Reader::Posix(vec!["bash", "-e", "-c"])),
        Some("bash") => Ok(Reader::Posix(vec!["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"])),
        Some("sh") => Ok(Reader::Posix(vec!["sh", "-e", "-c"])),
        Some("python") => other(&["python", "-c"], "", ""),
        Some("pwsh") => other(&["pwsh", "-command"], stop, code),
        Some(shell) => template(shell),
    }
}

/// `bash -el {0}`: a shell of the user's choice, with a place for the script's file. The options stay, the script takes
/// the place of the file where the program can be given one.
fn template(shell: &str) -> Result<Reader, String> {
    let unknown = || {
        format!("the shell `{}` takes a file and runs on other systems, or is not known", crate::text::in_line(shell))
    };
    let words = shlex::split(shell).ok_or_else(unknown)?;
    let (last, head) = words.split_last().ok_or_else(unknown)?;
    let program = head.first().map(|word| word.rsplit('/').next().unwrap_or(word)).unwrap_or_default();
    let flag = match program {
        "bash" | "sh" | "dash" | "zsh" | "python" | "python3" => "-c",
        "node" | "perl" | "ruby" => "-e",
        _ => return Err(unknown()),
    };
    if last != "{0}" || head.iter().any(|word| word.contains("{0}")) {
        return Err(unknown());
    }
    let argv = head.iter().cloned().chain([flag.to_owned()]).collect();
    Ok(Reader::Other { argv, before: "", after: "" })
}
