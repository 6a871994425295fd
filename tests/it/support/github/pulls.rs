//! Pull requests.

use serde_json::{Value, json};

use super::answer::{Answer, Call};
use super::model::{NewPull, Pull, State, lag_once};
use super::server::{time, user};
use super::world::{BOT, World};

pub(super) fn list(world: &mut World, call: &Call) -> Answer {
    if call.query("head").is_some_and(|head| !head.contains(':')) {
        world.complain("`head` without an owner is ignored: every pull request would be listed".to_owned());
    }
    let state = call.query("state").unwrap_or("open");
    let mut wanted = Vec::new();
    for pull in &mut world.pulls {
        let open = pull.state == State::Open;
        let head = format!("{}:{}", pull.head_repository.split('/').next().unwrap(), pull.head);
        let fits = (state == "all" || open == (state == "open"))
            && call.query("base").is_none_or(|base| base == pull.base)
            && call.query("head").is_none_or(|wanted| wanted == head);
        if fits && !lag_once(&mut pull.hidden) {
            wanted.push(pull.clone());
        }
    }
    let by_update = matches!(call.query("sort"), Some("updated"));
    wanted.sort_by_key(|pull| (if by_update { pull.updated } else { pull.created }, pull.number));
    let ascending = matches!(call.query("sort"), Some("updated" | "popularity" | "long-running"));
    if call.query("direction").map_or(!ascending, |direction| direction == "desc") {
        wanted.reverse();
    }
    Answer::List { member: None, items: wanted.iter().map(|pull| rendered(world, pull)).collect() }
}

pub(super) fn of_commit(world: &mut World, call: &Call) -> Answer {
    let commit = call.text(0).to_owned();
    if !world.git.has(&commit) {
        return Answer::error(422, &format!("No commit found for SHA: {commit}"));
    }
    let World { pulls, git, .. } = world;
    let mut found = Vec::new();
    for pull in pulls {
        let brought = git.reaches(&commit, &pull.sha) && !git.reaches(&commit, &pull.base_sha);
        if brought && !lag_once(&mut pull.hidden) {
            found.push(pull.clone());
        }
    }
    Answer::List { member: None, items: found.iter().map(|pull| rendered(world, pull)).collect() }
}

pub(super) fn one(world: &mut World, call: &Call) -> Answer {
    world.pull(call.number(0)).map_or_else(Answer::not_found, |pull| Answer::ok(rendered_whole(world, pull)))
}

pub(super) fn create(world: &mut World, call: &Call) -> Answer {
    if !world.may_open_pulls {
        return Answer::error(403, "GitHub Actions is not permitted to create or approve pull requests.");
    }
    let text = |name: &str| call.body[name].as_str().unwrap_or_default();
    let (head, base) = (text("head"), text("base"));
    let head = head.strip_prefix(&format!("{}:", world.owner())).unwrap_or(head);
    let about = |field: &str| json!({"resource": "PullRequest", "field": field, "code": "invalid"});
    let custom = |message: String| json!({"resource": "PullRequest", "code": "custom", "message": message});
    let Some(head_tip) = world.git.tip(head) else { return Answer::invalid(&about("head")) };
    let Some(base_tip) = world.git.tip(base) else { return Answer::invalid(&about("base")) };
    if world.open_pulls(head).iter().any(|pull| pull.base == base) {
        return Answer::invalid(&custom(format!("A pull request already exists for {}:{head}.", world.owner())));
    }
    if world.git.reaches(&head_tip, &base_tip) {
        return Answer::invalid(&custom(format!("No commits between {base} and {head}")));
    }
    let draft = call.body["draft"].as_bool().unwrap_or(false);
    let new = NewPull { title: text("title"), body: text("body"), head, base, draft };
    let number = world.insert_pull(BOT, &new);
    Answer::Json(201, rendered_whole(world, world.pull(number).unwrap()))
}

pub(super) fn update(world: &mut World, call: &Call) -> Answer {
    let (now, number) = (world.tick(), call.number(0));
    let Some(pull) = world.pull_mut(number) else { return Answer::not_found() };
    if let Some(title) = call.body["title"].as_str().filter(|title| *title != pull.title) {
        title.clone_into(&mut pull.title);
        pull.change(now, "title changed");
    }
    if let Some(body) = call.body["body"].as_str().filter(|body| *body != pull.body) {
        body.clone_into(&mut pull.body);
        pull.change(now, "body changed");
    }
    match (call.body["state"].as_str(), pull.state) {
        (Some("closed"), State::Open) => {
            pull.state = State::Closed;
            pull.change(now, "closed");
        }
        (Some("open"), State::Closed) => {
            pull.state = State::Open;
            pull.change(now, "reopened");
        }
        (Some("open"), State::Merged) => {
            let merged = json!({"resource": "PullRequest", "field": "state", "code": "invalid"});
            return Answer::invalid(&merged);
        }
        _ => {}
    }
    Answer::ok(rendered_whole(world, world.pull(number).unwrap()))
}

pub(super) fn add_labels(world: &mut World, call: &Call) -> Answer {
    let (now, number) = (world.tick(), call.number(0));
    let Some(pull) = world.pull_mut(number) else { return Answer::not_found() };
    let given = call.body["labels"].as_array().or_else(|| call.body.as_array());
    for label in given.into_iter().flatten() {
        let name = label.as_str().or_else(|| label["name"].as_str()).unwrap_or_default().to_owned();
        if !pull.labels.contains(&name) {
            pull.change(now, &format!("labelled {name}"));
            pull.labels.push(name);
        }
    }
    Answer::ok(labels(pull))
}

fn labels(pull: &Pull) -> Value {
    pull.labels.iter().zip(1..).map(|(name, id)| json!({"id": id, "name": name})).collect()
}

fn rendered(world: &World, pull: &Pull) -> Value {
    let end = |repository: &str, branch: &str, sha: &str| {
        let (owner, name) = repository.split_once('/').unwrap();
        json!({
            "ref": branch, "sha": sha, "label": format!("{owner}:{branch}"), "user": user(owner),
            "repo": {"name": name, "full_name": repository, "owner": user(owner)},
        })
    };
    let page = format!("{}/{}/pull/{}", world.addresses.forge, world.repository, pull.number);
    let ended = (pull.state != State::Open).then(|| time(pull.updated));
    json!({
        "number": pull.number, "title": pull.title, "body": pull.body, "draft": pull.draft,
        "state": if pull.state == State::Open { "open" } else { "closed" },
        "merged_at": ended.clone().filter(|_| pull.state == State::Merged), "closed_at": ended,
        "html_url": page, "user": user(&pull.author), "labels": labels(pull),
        "head": end(&pull.head_repository, &pull.head, &pull.sha),
        "base": end(&world.repository, &pull.base, &pull.base_sha),
        "created_at": time(pull.created), "updated_at": time(pull.updated),
    })
}

/// What is given where one pull request is asked for.
fn rendered_whole(world: &World, pull: &Pull) -> Value {
    let mut whole = rendered(world, pull);
    whole["merged"] = json!(pull.state == State::Merged);
    whole
}
