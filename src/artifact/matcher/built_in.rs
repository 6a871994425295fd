//! The common tools: one data file for each family. Within a file and between files the first that matches wins.

use super::expression::Compiler;
use super::parse;
use super::set::Matcher;
use crate::artifact::Problem;

/// The more specific families come first: the compilers of C take any file. `generic` has what no tool owns.
const FILES: &[(&str, &str)] = &[
    ("actions", include_str!("data/actions.json")),
    ("dotnet", include_str!("data/dotnet.json")),
    ("jvm", include_str!("data/jvm.json")),
    ("ruby", include_str!("data/ruby.json")),
    ("python", include_str!("data/python.json")),
    ("go", include_str!("data/go.json")),
    ("functional", include_str!("data/functional.json")),
    ("native", include_str!("data/native.json")),
    ("embedded", include_str!("data/embedded.json")),
    ("hardware", include_str!("data/hardware.json")),
    ("javascript", include_str!("data/javascript.json")),
    ("php", include_str!("data/php.json")),
    ("operations", include_str!("data/operations.json")),
    ("documents", include_str!("data/documents.json")),
    ("generic", include_str!("data/generic.json")),
];

/// They are trusted: one of them may be larger than a repository's may be.
const SIZE_LIMIT: usize = 4 << 20;

pub(super) fn matchers(problems: &mut Vec<Problem>) -> Vec<Matcher> {
    let mut matchers = Vec::new();
    for (name, json) in FILES {
        for entry in parse::entries(name, json, problems) {
            match parse::matcher(&entry, &mut Compiler::new(&[SIZE_LIMIT], usize::MAX)) {
                Ok(matcher) => matchers.push(matcher),
                Err(why) => problems.push(parse::unused(name, &entry, &why)),
            }
        }
    }
    matchers
}

#[cfg(test)]
mod tests;
