//! The values of single inputs.

use super::Mode;
use crate::ids::RepoPath;
use crate::llm::spec::Spec;
use crate::policy::{FILES, Stage};
use crate::text::{in_line, nearest};

/// GitHub's own limit for the name of a label.
const LONGEST_LABEL: usize = 50;

pub(super) fn mode(text: &str) -> Result<Mode, String> {
    const MODES: [(&str, Mode); 5] = [
        ("auto", Mode::Auto),
        ("collect", Mode::Collect),
        ("repair", Mode::Repair),
        ("publish", Mode::Publish),
        ("dry-run", Mode::DryRun),
    ];
    choose(text, &MODES)
}

pub(super) fn stage(text: &str) -> Result<Stage, String> {
    const STAGES: [(&str, Stage); 3] =
        [("read-only", Stage::ReadOnly), ("patch", Stage::Patch), ("pull-request", Stage::PullRequest)];
    choose(text, &STAGES)
}

pub(super) fn boolean(text: &str) -> Result<bool, String> {
    choose(text, &[("true", true), ("false", false)])
}

pub(super) fn spec(text: &str) -> Result<Spec, String> {
    let spec: Spec = text.parse().map_err(|error: crate::llm::spec::SpecError| error.to_string())?;
    if spec.rung.is_some() {
        return Err("`light=` and `strong=` are for the command line; there are two inputs instead".to_owned());
    }
    Ok(spec)
}

/// One of the places where a policy is read; one that lay anywhere else would not be guarded from a repair.
pub(super) fn policy(text: &str) -> Result<RepoPath, String> {
    let path = RepoPath::new(text).map_err(|error| error.to_string())?;
    if FILES.contains(&path.as_str()) { Ok(path) } else { Err(unknown(text, FILES)) }
}

/// A plain decimal number: no sign, no exponent, no thousands.
pub(super) fn dollars(text: &str) -> Result<f64, String> {
    let plain = text.chars().all(|c| c.is_ascii_digit() || c == '.') && text.starts_with(|c: char| c.is_ascii_digit());
    let number = if plain { text.parse::<f64>().ok() } else { None };
    number.ok_or_else(|| format!("`{}` is no amount of US dollars, such as 0.50", in_line(text)))
}

/// Paths or patterns in the workspace, one a line.
pub(super) fn patterns(text: &str) -> Result<Vec<String>, String> {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(|line| {
            RepoPath::new(line)
                .map(String::from)
                .map_err(|error| format!("{error}; only files of the workspace are read"))
        })
        .collect()
}

pub(super) fn labels(text: &str) -> Result<Vec<String>, String> {
    let labels = list(text);
    match labels.iter().find(|label| label.chars().count() > LONGEST_LABEL || label.chars().any(char::is_control)) {
        Some(label) => Err(format!("`{}` is no label: it has at most {LONGEST_LABEL} characters", in_line(label))),
        None => Ok(labels),
    }
}

/// Words by comma or line.
pub(super) fn list(text: &str) -> Vec<String> {
    text.split(['\n', ',']).map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn choose<T: Copy>(text: &str, choices: &[(&str, T)]) -> Result<T, String> {
    if let Some((_, choice)) = choices.iter().find(|(word, _)| *word == text) {
        return Ok(*choice);
    }
    let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
    Err(unknown(text, &words))
}

/// What is said of a word that is none of `words`.
pub(super) fn unknown(text: &str, words: &[&str]) -> String {
    let meant = nearest(text, words.iter().copied()).map(|near| format!("; did you mean `{near}`?"));
    format!("`{}` is none of {}{}", in_line(text), words.join(", "), meant.unwrap_or_default())
}
