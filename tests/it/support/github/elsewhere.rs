//! What is no request to the interface: git itself, and the host that redirects lead to.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use wiremock::{Request, ResponseTemplate};

use super::faults::Fault;
use super::model::By;
use super::routes::Route;
use super::server::{Outcome, note, refusal, spoiled};
use super::world::{READ_TOKEN, TOKEN, World};
use crate::support::git_http;

/// Fetches and pushes, by the real git.
pub(super) fn git(world: &mut World, request: &Request) -> Outcome {
    let pushes = request.url.path().ends_with("/git-receive-pack");
    let route = if pushes {
        Route::GitPush
    } else if request.url.path().ends_with("/info/refs") {
        Route::GitRefs
    } else {
        Route::GitFetch
    };
    let line = note(world, Some(route), request);
    let writes = pushes || line.ends_with("service=git-receive-pack");
    let may = |token: &str| git_http::authorised(request, token);
    if !may(TOKEN) && !may(READ_TOKEN) {
        let wanted = ResponseTemplate::new(401).insert_header("www-authenticate", "Basic realm=\"GitHub\"");
        return Outcome::Answer(wanted);
    }
    if line.contains(&STANDARD.encode(TOKEN)) || line.contains(TOKEN) {
        world.complain(format!("leaked: a token in {line}"));
    }
    if writes && (!may(TOKEN) || world.archived) {
        return Outcome::Answer(ResponseTemplate::new(403).set_body_string("Write access to repository not granted."));
    }
    let fault = world.arrive(route);
    let words = match &fault {
        Some(Fault::Hook(words)) => Some(*words),
        _ if world.signatures => {
            Some("error: GH013: Repository rule violations found: commits must have verified signatures.")
        }
        _ => None,
    };
    if !matches!(fault, Some(Fault::Hook(_)))
        && let Some(refused) = fault.as_ref().and_then(refusal)
    {
        return refused;
    }
    if let Some(words) = words.filter(|_| pushes) {
        world.git.refuse_pushes(Some(words));
    }
    let answer = git_http::serve(world.git.root(), request);
    if words.is_some() && pushes {
        world.git.refuse_pushes(None);
    }
    world.notice_moves(By::Push);
    spoiled(fault.as_ref(), answer)
}

/// Gives logs and archives to whoever knows the address, and to nobody who brings credentials.
pub(super) fn blobs(world: &mut World, request: &Request) -> Outcome {
    let line = note(world, Some(Route::Blob), request);
    if request.headers.contains_key("authorization") || request.headers.contains_key("cookie") {
        world.complain(format!("leaked: credentials were sent to another host: {line}"));
    }
    let fault = world.arrive(Route::Blob);
    if let Some(refused) = fault.as_ref().and_then(refusal) {
        return refused;
    }
    let mut segments = request.url.path().trim_start_matches("/blobs/").split('/');
    let kind = segments.next().unwrap_or_default();
    let id: u64 = segments.next().and_then(|id| id.parse().ok()).unwrap_or(0);
    let content = match kind {
        "logs" => world.jobs.iter().find(|job| job.id == id).and_then(|job| job.log.clone()),
        "artifacts" => world.artifacts.iter().find(|artifact| artifact.id == id).map(|artifact| artifact.zip.clone()),
        _ => None,
    };
    let signed = request.url.query() == Some("sig=2f0c");
    let answer = match content.filter(|_| signed) {
        Some(content) => ResponseTemplate::new(200).set_body_raw(content, "application/octet-stream"),
        None => ResponseTemplate::new(404)
            .set_body_raw("<?xml version=\"1.0\"?><Error><Code>BlobNotFound</Code></Error>", "application/xml"),
    };
    spoiled(fault.as_ref(), answer)
}
