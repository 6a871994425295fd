//! Runs, jobs, logs, artifacts, and what all reads have in common.

use reqwest::Method;
use serde_json::json;

use super::{BROKEN, Client, WORKS, lab};
use crate::support::github::{GREEN_RUN, RED_JOB, RED_RUN, Route, Scene, WORKFLOW, job_log, zipped};

#[tokio::test]
async fn a_scene_is_red_now_and_was_green_a_commit_ago() {
    let github = Scene::of(BROKEN).before(WORKS).command("make test").log("boom\n").start().await;
    let client = Client::of(&github);
    let red = client.get(&format!("/actions/runs/{RED_RUN}")).await.body;
    assert_eq!((&red["conclusion"], &red["path"]), (&json!("failure"), &json!(WORKFLOW)));
    let green = client.get("/actions/workflows/7/runs?branch=main&status=success").await.body;
    assert_eq!((&green["total_count"], &green["workflow_runs"][0]["id"]), (&json!(1), &json!(GREEN_RUN)));
    assert_eq!(client.get("/actions/workflows/ci.yml/runs").await.body["workflow_runs"][0]["id"], RED_RUN);
    let commit = |run: &serde_json::Value| run["head_sha"].as_str().unwrap().to_owned();
    {
        let world = github.world();
        assert_eq!(world.git.read(&commit(&red), "calc.py").unwrap(), BROKEN[0].1);
        assert_eq!(world.git.read(&commit(&green["workflow_runs"][0]), "calc.py").unwrap(), WORKS[0].1);
        assert!(world.git.read("main", WORKFLOW).unwrap().contains("- run: make test"));
    }
    let jobs = client.get(&format!("/actions/runs/{RED_RUN}/jobs")).await.body;
    assert_eq!(jobs["jobs"][0]["steps"][2]["name"], "Run make test");
    assert_eq!(jobs["jobs"][0]["steps"][2]["conclusion"], "failure");
    github.finish();
}

#[tokio::test]
async fn a_run_names_the_pull_requests_of_its_commit_but_not_those_of_forks() {
    let github = lab().await;
    {
        let mut world = github.world();
        let tip = world.push("feature", &[("calc.py", "x")], "A feature");
        world.open_pull("feature", "main", "A feature");
        world.runs[1].head_sha = tip;
    }
    let client = Client::of(&github);
    let pulls = async || client.get(&format!("/actions/runs/{RED_RUN}")).await.body["pull_requests"].clone();
    assert_eq!(pulls().await[0]["number"], 1);
    github.world().pulls[0].head_repository = "stranger/lab".to_owned();
    assert_eq!(pulls().await, json!([]));
    github.finish();
}

#[tokio::test]
async fn attempts_are_told_apart() {
    let github = lab().await;
    {
        let mut world = github.world();
        let again = world.jobs.iter().find(|job| job.id == RED_JOB).unwrap().clone();
        world.jobs.push(crate::support::github::Job { id: 203, attempt: 2, ..again });
        world.runs[1].attempt = 2;
    }
    let client = Client::of(&github);
    let count = async |query: &str| {
        client.get(&format!("/actions/runs/{RED_RUN}/jobs{query}")).await.body["total_count"].clone()
    };
    assert_eq!((count("").await, count("?filter=all").await), (json!(1), json!(2)));
    let first = client.get(&format!("/actions/runs/{RED_RUN}/attempts/1")).await.body;
    assert_eq!(first["run_attempt"], 1);
    assert_eq!(client.get(&format!("/actions/runs/{RED_RUN}/attempts/3")).await.status, 404);
    github.finish();
}

#[tokio::test]
async fn downloads_lead_to_another_host() {
    let scene = Scene::of(BROKEN).log("boom\n").artifact("reports", &[("junit.xml", "<testsuites/>")]);
    let github = scene.annotation("calc.py", 2, "wrong sign").start().await;
    let client = Client::of(&github);
    let plain = reqwest::Client::builder().no_proxy().build().unwrap();
    let follow = async |below: &str| {
        let got = client.get(below).await;
        assert_eq!(got.status, 302);
        let to = got.headers["location"].to_str().unwrap().to_owned();
        assert!(!to.starts_with(&github.url()));
        plain.get(to).send().await.unwrap().bytes().await.unwrap().to_vec()
    };
    let log = follow("/actions/jobs/202/logs").await;
    assert_eq!(log, job_log("python -m pytest -q", "boom\n", false));
    let uploaded = client.get(&format!("/actions/runs/{RED_RUN}/artifacts")).await.body;
    assert_eq!(uploaded["artifacts"][0]["name"], "reports");
    assert_eq!(follow("/actions/artifacts/301/zip").await, zipped(&[("junit.xml", "<testsuites/>")]));
    let annotations = client.get(&format!("/check-runs/{RED_JOB}/annotations")).await.body;
    assert_eq!((&annotations[0]["path"], &annotations[0]["message"]), (&json!("calc.py"), &json!("wrong sign")));
    {
        let mut world = github.world();
        world.artifacts[0].expired = true;
        world.jobs[1].log = None;
    }
    assert_eq!(client.get("/actions/artifacts/301/zip").await.status, 410);
    assert_eq!(client.get("/actions/jobs/202/logs").await.status, 404);
    assert_eq!(github.world().count(Route::Blob), 2);
    github.finish();
}

#[tokio::test]
async fn what_has_not_changed_is_not_sent_again() {
    let github = lab().await;
    let client = Client::of(&github);
    let tag = client.get("").await.headers["etag"].clone();
    let again = client.request(Method::GET, &client.repository).header("if-none-match", &tag).send().await.unwrap();
    assert_eq!((again.status().as_u16(), again.text().await.unwrap()), (304, String::new()));
    github.world().default_branch = "trunk".to_owned();
    let changed = client.request(Method::GET, &client.repository).header("if-none-match", &tag).send().await.unwrap();
    assert_eq!(changed.status().as_u16(), 200);
    assert_eq!(github.world().calls(), 3);
    assert_eq!(github.world().count(Route::Repository), 3);
    github.finish();
}
