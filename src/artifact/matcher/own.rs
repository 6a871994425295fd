//! The matchers of a repository: nobody vouches for them, so each is small, and all together are.

use std::collections::HashSet;

use serde_json::Value;

use super::expression::Compiler;
use super::parse;
use super::rules;
use super::set::{Matcher, Set};
use crate::artifact::Problem;

/// Matchers of all files.
const MATCHERS_LIMIT: usize = 200;
/// One expression when compiled; what is smaller than one of these counts for it.
const SIZES: &[usize] = &[8 << 10, 32 << 10, 64 << 10, 256 << 10];
/// All expressions when compiled.
const TOTAL_LIMIT: usize = 4 << 20;
/// A tool's name is a word.
const OWNER_LIMIT: usize = 100;
/// Owners that one problem names.
const NAMED: usize = 10;

/// Every matcher that can be used; the others are problems.
pub(super) fn set(files: &[(String, String)], problems: &mut Vec<Problem>) -> Set {
    let mut compiler = Compiler::new(SIZES, TOTAL_LIMIT);
    let mut matchers = Vec::new();
    let mut left = MATCHERS_LIMIT;
    for (name, json) in files {
        let entries = parse::entries(name, json, problems);
        let (read, unread) = entries.split_at(left.min(entries.len()));
        left -= read.len();
        let mut owners = HashSet::new();
        for entry in read {
            let read = matcher(name, entry, &mut compiler);
            match read.and_then(|matcher| alone(matcher, &mut owners)) {
                Ok(matcher) => matchers.push(matcher),
                Err(why) => problems.push(parse::unused(name, entry, &why)),
            }
        }
        if !unread.is_empty() {
            problems.push(parse::problem(name, &too_many(unread)));
        }
    }
    let owners: Vec<String> = matchers.iter().map(|matcher| matcher.owner.clone()).collect();
    Set::of(matchers).unwrap_or_else(|error| {
        let named = owners.join("`, `");
        problems.push(Problem { line: None, message: format!("the matchers `{named}` are not used: {error}") });
        Set::default()
    })
}

fn too_many(unread: &[Value]) -> String {
    let named: Vec<String> = unread.iter().take(NAMED).map(|entry| parse::quoted(parse::owner(entry))).collect();
    let more = if unread.len() > NAMED { ", …" } else { "" };
    let named = named.join("`, `");
    format!(
        "a repository may have {MATCHERS_LIMIT} matchers; not used are `{named}`{more} ({} of this file)",
        unread.len()
    )
}

fn matcher(name: &str, entry: &Value, compiler: &mut Compiler) -> Result<Matcher, String> {
    rules::check(entry)?;
    let owner = parse::owner(entry);
    if owner.len() > OWNER_LIMIT {
        return Err(format!("its `owner` is longer than {OWNER_LIMIT} bytes"));
    }
    let mut matcher = parse::matcher(entry, compiler)?;
    matcher.file = Some(name.to_owned());
    // To take lines and report nothing is for the common ones alone.
    matcher.context = false;
    Ok(matcher)
}

/// A matcher that is the only one of its owner in a file.
fn alone(matcher: Matcher, owners: &mut HashSet<String>) -> Result<Matcher, String> {
    if owners.insert(matcher.owner.to_lowercase()) {
        Ok(matcher)
    } else {
        Err("another matcher of the file has the same `owner`".to_owned())
    }
}
