//! How each language writes its stack traces: one file a family, one row here.

mod beam;
mod dart;
mod dotnet;
mod functional;
mod go;
mod javascript;
mod julia;
mod jvm;
mod lua;
mod native;
mod perl;
mod php;
mod python;
mod ruby;
mod rust;
mod shell;
mod statistics;
mod swift;

use std::sync::LazyLock;

use regex::Regex;

pub(super) use python::definition;

use super::stack::{self, Language, Line, Step};

/// The languages; of two that could read a line the first does.
const LANGUAGES: [&Language; 21] = [
    &python::FAULTHANDLER,
    &python::PYTHON,
    &rust::RUST,
    &dotnet::DOTNET,
    &jvm::JVM,
    &javascript::JAVASCRIPT,
    &go::GO,
    &php::PHP,
    &dart::DART,
    &native::VALGRIND,
    &native::NATIVE,
    &ruby::RUBY,
    &swift::SWIFT,
    &beam::BEAM,
    &lua::LUA,
    &perl::PERL,
    &functional::OCAML,
    &functional::HASKELL,
    &julia::JULIA,
    &statistics::R,
    &shell::POWERSHELL,
];

/// Every language.
pub(super) fn table() -> &'static [&'static Language] {
    &LANGUAGES
}

/// What a line is to the language at this index of the table.
pub(super) fn step(language: usize, line: &Line<'_>) -> Option<Step> {
    static SHAPES: LazyLock<Vec<Vec<Regex>>> = LazyLock::new(|| {
        let compile = |shape: &&str| Regex::new(shape).ok();
        LANGUAGES.iter().map(|language| language.shapes.iter().filter_map(compile).collect()).collect()
    });
    let row = LANGUAGES[language];
    if let Some(step) = row.read.and_then(|read| read(line)) {
        return Some(step);
    }
    stack::matched(&SHAPES[language], line.text, row.clean).map(Step::Call)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        for shape in LANGUAGES.iter().flat_map(|language| language.shapes) {
            assert!(Regex::new(shape).is_ok(), "{shape}");
        }
    }
}
