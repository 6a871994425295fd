//! Expressions of matchers, compiled as long as they are small.
//!
//! GitHub's runner searches by backtracking, with look-around and back-references. Here whatever has neither is searched
//! in linear time. What has them is looked for without them first, and only then by backtracking: as far as a limit.

use regex::{Regex, RegexBuilder};

use super::parse::quoted;
use super::translate::{Translated, translate};

/// Tables that one expression may fill while it searches.
const TABLES_LIMIT: usize = 256 << 10;
/// How long an expression that backtracks may be, and what each of its parts may take.
const BACKTRACKING_LENGTH: usize = 1000;
const PART_LIMIT: usize = 32 << 10;
/// What an expression that backtracks counts for beside its linear form.
const BACKTRACKING_SIZE: usize = 64 << 10;
/// How often it may go back on one line.
const BACKTRACKS: usize = 20_000;

/// An expression that is compiled.
#[derive(Debug)]
pub(super) struct Expression {
    engine: Engine,
    /// Matches at least where the expression does, in linear time.
    linear: String,
    /// Our number of each group: .NET counts those with a name last.
    groups: Vec<usize>,
}

#[derive(Debug)]
enum Engine {
    Linear(Regex),
    Backtracking(Box<fancy_regex::Regex>),
}

/// An expression went back too often on a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stuck;

impl Expression {
    /// Whether it is searched by backtracking.
    pub(super) fn backtracks(&self) -> bool {
        matches!(self.engine, Engine::Backtracking(_))
    }

    /// What matches wherever it does.
    pub(super) fn linear(&self) -> &str {
        &self.linear
    }

    /// How many groups there are, the whole match included.
    pub(super) fn groups(&self) -> usize {
        self.groups.len()
    }

    pub(super) fn is_match(&self, line: &str) -> Result<bool, Stuck> {
        match &self.engine {
            Engine::Linear(regex) => Ok(regex.is_match(line)),
            Engine::Backtracking(regex) => regex.is_match(line).map_err(|_| Stuck),
        }
    }

    /// What its groups matched; a group that did not is empty.
    pub(super) fn captures<'t>(&self, line: &'t str) -> Result<Option<Vec<&'t str>>, Stuck> {
        let all = |get: &dyn Fn(usize) -> Option<&'t str>| -> Vec<&'t str> {
            self.groups.iter().map(|number| get(*number).unwrap_or_default()).collect()
        };
        Ok(match &self.engine {
            Engine::Linear(regex) => {
                regex.captures(line).map(|found| all(&|number| found.get(number).map(|group| group.as_str())))
            }
            Engine::Backtracking(regex) => {
                let found = regex.captures(line).map_err(|_| Stuck)?;
                found.map(|found| all(&|number| found.get(number).map(|group| group.as_str())))
            }
        })
    }
}

/// Compiles expressions as long as they are small, each and all together.
pub(super) struct Compiler {
    /// Sizes that are tried, the smallest first: what fits into one of them counts that much.
    sizes: &'static [usize],
    /// What all that follow may take.
    left: usize,
}

impl Compiler {
    pub(super) fn new(sizes: &'static [usize], left: usize) -> Self {
        Self { sizes, left }
    }

    /// An expression as it is written in JSON, or why it cannot be used.
    pub(super) fn compile(&mut self, written: &str) -> Result<Expression, String> {
        let translated = translate(written);
        let why = |reason: &str| format!("`{}` {reason}", quoted(written));
        let linear = self.linear(&translated.linear).map_err(|reason| why(&reason))?;
        let (engine, names): (_, Vec<bool>) = if translated.backtracks {
            let regex = self.backtracking(&translated).map_err(|reason| why(&reason))?;
            let names = regex.capture_names().map(|name| name.is_some()).collect();
            (Engine::Backtracking(Box::new(regex)), names)
        } else {
            let names = linear.capture_names().map(|name| name.is_some()).collect();
            (Engine::Linear(linear), names)
        };
        let of_kind = |named: bool| names.iter().enumerate().filter(move |(_, is)| **is == named).map(|(at, _)| at);
        let groups = of_kind(false).chain(of_kind(true)).collect();
        Ok(Expression { engine, linear: translated.linear, groups })
    }

    fn linear(&mut self, expression: &str) -> Result<Regex, String> {
        for size in self.sizes {
            self.has(*size)?;
            match RegexBuilder::new(expression).size_limit(*size).dfa_size_limit(TABLES_LIMIT).build() {
                Ok(regex) => {
                    self.left -= size;
                    return Ok(regex);
                }
                Err(regex::Error::CompiledTooBig(_)) => {}
                Err(error) => return Err(format!("cannot be used: {}", reason(&error.to_string()))),
            }
        }
        Err("cannot be used: it is too large".to_owned())
    }

    fn backtracking(&mut self, translated: &Translated) -> Result<fancy_regex::Regex, String> {
        if translated.exact.len() > BACKTRACKING_LENGTH {
            return Err(format!("is too long to look around or back: {BACKTRACKING_LENGTH} bytes are read"));
        }
        self.has(BACKTRACKING_SIZE)?;
        let regex = fancy_regex::RegexBuilder::new(&translated.exact)
            .backtrack_limit(BACKTRACKS)
            .delegate_size_limit(PART_LIMIT)
            .delegate_dfa_size_limit(PART_LIMIT)
            .delegate_dfa_skip_cache_capacity_check(false)
            .max_prog_size(10 * BACKTRACKING_LENGTH)
            .build()
            .map_err(|error| format!("cannot be used: {}", reason(&error.to_string())))?;
        self.left -= BACKTRACKING_SIZE;
        Ok(regex)
    }

    fn has(&self, size: usize) -> Result<(), String> {
        if size <= self.left { Ok(()) } else { Err("is too much: all matchers together are too large".to_owned()) }
    }
}

/// The last line of what a compiler of expressions says: the others draw the expression.
fn reason(words: &str) -> &str {
    words.lines().last().unwrap_or_default().trim_start_matches("error: ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compile(written: &str) -> Result<Expression, String> {
        Compiler::new(&[256 << 10], 4 << 20).compile(written)
    }

    #[test]
    fn groups_with_a_name_are_counted_last() {
        let expression = compile("^(?<a>x)(y)(?<b>z)(w)$").unwrap();
        assert_eq!(expression.captures("xyzw"), Ok(Some(vec!["xyzw", "y", "w", "x", "z"])));
        assert_eq!(compile("^(a)|(b)$").unwrap().captures("b"), Ok(Some(vec!["b", "", "b"])));
    }

    #[test]
    fn look_around_and_back_references_are_as_they_are_written() {
        let expression = compile(r"^(\w+)(?<!MSB)(?=:): \b(?!skip)(['`])(.+?)\2$").unwrap();
        assert!(expression.backtracks());
        assert_eq!(expression.captures("ab: 'c'"), Ok(None), "a word boundary stands before no quotation mark");
        let expression = compile(r"^(\w+)(?<!MSB)(?=:): (?!skip)(['`])(.+?)\2$").unwrap();
        assert_eq!(expression.captures("ab: 'c'"), Ok(Some(vec!["ab: 'c'", "ab", "'", "c"])));
        assert_eq!(expression.captures("MSB: 'c'"), Ok(None));
        assert_eq!(expression.captures("ab: 'c`"), Ok(None));
        assert!(Regex::new(expression.linear()).is_ok_and(|linear| linear.is_match("ab: 'c'")));
    }

    #[test]
    fn an_expression_that_goes_back_for_ever_is_stuck() {
        let expression = compile(r"^(?:(a|aa)(?!b))+c$").unwrap();
        assert_eq!(expression.is_match(&format!("{}!", "a".repeat(200))), Err(Stuck));
    }

    #[test]
    fn what_looks_around_is_bounded() {
        assert!(compile(&format!("(?=a){}", "b".repeat(1200))).is_err_and(|why| why.contains("too long")));
        assert!(compile(r"(?=\p{L}{100})a").is_err());
        assert!(compile(&format!("{}(?=a){}", "(".repeat(200), ")".repeat(200))).is_err());
    }
}
