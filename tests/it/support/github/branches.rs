//! The repository, its branches and its rules.

use serde_json::{Value, json};

use super::answer::{Answer, Call};
use super::server::user;
use super::world::World;

pub(super) fn repository(world: &mut World, _: &Call) -> Answer {
    let name = world.repository.split('/').nth(1).unwrap();
    Answer::ok(json!({
        "name": name, "full_name": world.repository, "owner": user(world.owner()), "archived": world.archived,
        "default_branch": world.default_branch, "private": false, "fork": false,
        "html_url": format!("{}/{}", world.addresses.forge, world.repository),
        "clone_url": format!("{}/{}.git", world.addresses.forge, world.repository),
    }))
}

pub(super) fn rules(world: &mut World, _: &Call) -> Answer {
    let signed = json!({
        "type": "required_signatures", "ruleset_source_type": "Repository",
        "ruleset_source": world.repository, "ruleset_id": 1,
    });
    Answer::List { member: None, items: if world.signatures { vec![signed] } else { Vec::new() } }
}

pub(super) fn branch(world: &mut World, call: &Call) -> Answer {
    let name = call.text(0);
    let Some(tip) = world.git.tip(name).filter(|_| !world.lags(name)) else {
        return Answer::error(404, "Branch not found");
    };
    let parents: Vec<Value> = world.git.parents(&tip).iter().map(|parent| json!({"sha": parent})).collect();
    let commit = json!({"sha": tip, "parents": parents, "commit": {"message": world.git.message(&tip)}});
    Answer::ok(json!({"name": name, "commit": commit, "protected": false}))
}

fn rendered(world: &World, branch: &str, tip: &str) -> Value {
    let at = format!("{}/api/v3/repos/{}/git", world.addresses.forge, world.repository);
    json!({
        "ref": format!("refs/heads/{branch}"), "url": format!("{at}/refs/heads/{branch}"),
        "object": {"type": "commit", "sha": tip, "url": format!("{at}/commits/{tip}")},
    })
}

pub(super) fn get_ref(world: &mut World, call: &Call) -> Answer {
    let Some(branch) = call.text(0).strip_prefix("heads/") else { return Answer::not_found() };
    match world.git.tip(branch) {
        Some(tip) if !world.lags(branch) => Answer::ok(rendered(world, branch, &tip)),
        _ => Answer::not_found(),
    }
}

pub(super) fn create_ref(world: &mut World, call: &Call) -> Answer {
    let (name, at) = (call.body["ref"].as_str().unwrap_or_default(), call.body["sha"].as_str().unwrap_or_default());
    let Some(branch) = name.strip_prefix("refs/heads/") else {
        return Answer::error(422, "Reference name must start with 'refs/heads/'");
    };
    if !world.git.has(at) {
        return Answer::error(422, "Object does not exist");
    }
    if world.git.tip(branch).is_some() {
        return Answer::error(422, "Reference already exists");
    }
    if !world.git.create(branch, at) {
        return Answer::error(422, "Reference update failed");
    }
    Answer::Json(201, rendered(world, branch, at))
}

pub(super) fn delete_ref(world: &mut World, call: &Call) -> Answer {
    match call.text(0).strip_prefix("heads/") {
        Some(branch) if world.git.delete(branch) => Answer::Nothing,
        _ => Answer::error(422, "Reference does not exist"),
    }
}
