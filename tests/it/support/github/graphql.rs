//! The query language: the one mutation that makes signed commits.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::answer::Answer;
use super::world::World;

/// Answers a query; anything but the one mutation fails the test.
pub(super) fn answer(world: &mut World, body: &Value) -> Answer {
    let query = body["query"].as_str().unwrap_or_default();
    let input = &body["variables"]["input"];
    if !query.trim_start().starts_with("mutation") || !query.contains("createCommitOnBranch(input:") {
        world.complain(format!("an unknown operation of the query language: {query}"));
        return Answer::error(501, "unknown operation");
    }
    if let Some(wrong) = malformed(input) {
        world.complain(format!("createCommitOnBranch: {wrong}: {input}"));
        return failed("INVALID", wrong);
    }
    commit(world, input)
}

fn failed(kind: &str, message: &str) -> Answer {
    let error = json!({"type": kind, "path": ["createCommitOnBranch"], "message": message});
    Answer::ok(json!({"data": {"createCommitOnBranch": null}, "errors": [error]}))
}

const INPUT: &[&str] = &["branch", "message", "expectedHeadOid", "fileChanges", "clientMutationId"];

/// What `CreateCommitOnBranchInput` does not allow.
fn malformed(input: &Value) -> Option<&'static str> {
    let unknown = |object: &Value, known: &[&str]| {
        object.as_object().is_none_or(|object| object.keys().any(|key| !known.contains(&key.as_str())))
    };
    let changes = &input["fileChanges"];
    let each = |name: &str, known: &[&str]| changes[name].as_array().into_iter().flatten().any(|it| unknown(it, known));
    let checks = [
        (unknown(input, INPUT), "unknown keys"),
        (unknown(&input["branch"], &["repositoryNameWithOwner", "branchName", "id"]), "the branch"),
        (unknown(&input["message"], &["headline", "body"]), "the message"),
        (!input["message"]["headline"].is_string(), "no headline"),
        (!input["expectedHeadOid"].is_string(), "no expected head"),
        (unknown(changes, &["additions", "deletions"]), "the file changes"),
        (each("additions", &["path", "contents"]), "an addition"),
        (each("deletions", &["path"]), "a deletion"),
    ];
    checks.into_iter().find_map(|(wrong, what)| wrong.then_some(what))
}

fn commit(world: &mut World, input: &Value) -> Answer {
    let branch = input["branch"]["branchName"].as_str().unwrap_or_default();
    if input["branch"]["repositoryNameWithOwner"].as_str() != Some(&world.repository) {
        return failed("NOT_FOUND", "Could not resolve to a Repository.");
    }
    let Some(tip) = world.git.tip(branch) else {
        return failed("NOT_FOUND", &format!("The branch \"{branch}\" does not exist."));
    };
    let expected = input["expectedHeadOid"].as_str().unwrap_or_default();
    if tip != expected {
        let words = format!("Expected branch to point to \"{expected}\" but it did not.  Pull and try again.");
        return failed("STALE_DATA", &words);
    }
    let mut files = Vec::new();
    for addition in input["fileChanges"]["additions"].as_array().into_iter().flatten() {
        let path = addition["path"].as_str().unwrap_or_default().to_owned();
        let Ok(content) = STANDARD.decode(addition["contents"].as_str().unwrap_or_default()) else {
            world.complain(format!("the contents of {path} are no Base64"));
            return failed("INVALID", "contents");
        };
        files.push((path, Some(content)));
    }
    for deletion in input["fileChanges"]["deletions"].as_array().into_iter().flatten() {
        files.push((deletion["path"].as_str().unwrap_or_default().to_owned(), None));
    }
    let message = ["headline", "body"].map(|part| input["message"][part].as_str().unwrap_or_default());
    // What the forge makes and signs, it commits under its own name.
    let forge = ("GitHub", "noreply@github.com");
    let made = world.git.commit_by(forge, branch, &files, message.join("\n\n").trim_end());
    let url = format!("{}/{}/commit/{made}", world.addresses.forge, world.repository);
    Answer::ok(json!({"data": {"createCommitOnBranch": {"commit": {"oid": made, "url": url}}}}))
}
