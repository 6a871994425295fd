//! The table, and the addresses that come of it.

use crate::github::address::Address;
use crate::github::routes::{BRANCH, COMMIT_ON_BRANCH, DELETE_BRANCH, GREEN_RUNS, RUN};
use crate::github::tests::{TOKEN, connection};
use crate::github::{Effect, GitHub, GitHubError, Method, ROUTES, Repeat};
use crate::secret::Secret;

#[test]
fn the_table_merges_approves_and_deletes_nothing_but_own_branches() {
    for route in ROUTES {
        let words = format!("{} {} {}", route.name, route.path, route.document().unwrap_or("")).to_ascii_lowercase();
        for word in ["merge", "review", "approv", "enablepullrequest", "dispatch", "rerun", "collaborators"] {
            assert!(!words.contains(word), "{}: {word}", route.name);
        }
        assert_eq!(route.method == Method::Delete, route.effect == Effect::DeleteOwnBranch, "{}", route.name);
        assert_eq!(route.method == Method::Get, matches!(route.effect, Effect::Read | Effect::Download));
        let doubles = matches!(route.effect, Effect::CreatePull | Effect::CommitOnOwnBranch);
        assert_eq!(doubles, route.repeat == Repeat::LookFirst, "{}", route.name);
    }
    let deletions: Vec<_> = ROUTES.iter().filter(|route| route.method == Method::Delete).collect();
    assert_eq!(deletions.len(), 1);
    assert_eq!(deletions[0].path, "/repos/{owner}/{repo}/git/refs/heads/{branch}");
    let documents: Vec<_> = ROUTES.iter().filter_map(|route| route.document()).collect();
    assert_eq!(documents.len(), 1);
    assert!(documents[0].contains("createCommitOnBranch(input: $input)"));
}

#[test]
fn rows_have_names_of_their_own() {
    let mut names: Vec<_> = ROUTES.iter().map(|route| route.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), ROUTES.len());
}

fn address(api: &str) -> Address {
    Address::parse(api, true).unwrap()
}

#[test]
fn a_parameter_stays_in_its_place() {
    let address = address("https://api.github.com");
    let path = |branch: &str| {
        let all = [("owner", "octo"), ("repo", "hello"), ("branch", branch), ("workflow", "7")];
        let both = [&DELETE_BRANCH, &GREEN_RUNS].map(|route| address.path(route, &all).unwrap());
        both.map(|path| path.replace("/repos/octo/hello", ""))
    };
    assert_eq!(path("unbreak/a")[0], "/git/refs/heads/unbreak%2Fa");
    let [segment, value] = path("a b/../c?d=e&f#g%2F;h\u{e9}");
    assert_eq!(segment, "/git/refs/heads/a%20b%2F..%2Fc%3Fd%3De%26f%23g%252F%3Bh%C3%A9");
    assert_eq!(
        value,
        "/actions/workflows/7/runs?branch=a%20b%2F..%2Fc%3Fd%3De%26f%23g%252F%3Bh%C3%A9&status=success&per_page=20"
    );
}

#[test]
fn a_parameter_that_is_a_step_in_an_address_or_missing_is_refused() {
    let address = address("https://api.github.com");
    for step in ["", ".", ".."] {
        let all = [("owner", "octo"), ("repo", "hello"), ("branch", step)];
        assert!(address.path(&BRANCH, &all).is_err(), "{step:?}");
    }
    assert!(address.path(&RUN, &[("owner", "octo"), ("repo", "hello")]).is_err());
}

#[test]
fn an_enterprise_has_its_interface_below_a_path_and_graphql_beside_it() {
    let all = [("owner", "o"), ("repo", "r"), ("run", "1")];
    let paths = |api: &str| [&RUN, &COMMIT_ON_BRANCH].map(|route| address(api).path(route, &all).unwrap());
    assert_eq!(paths("https://api.github.com"), ["/repos/o/r/actions/runs/1", "/graphql"]);
    assert_eq!(paths("https://ghe.example/api/v3/"), ["/api/v3/repos/o/r/actions/runs/1", "/api/graphql"]);
    assert_eq!(paths("http://127.0.0.1:1"), ["/repos/o/r/actions/runs/1", "/graphql"]);
}

#[test]
fn an_address_that_cannot_be_used_is_said_without_repeating_it() {
    let open = |api: &str| match GitHub::open(connection(api)) {
        Err(GitHubError::Unusable(reason)) => reason,
        other => panic!("{api}: {other:?}"),
    };
    assert!(open("http://api.github.com").contains("clear text"));
    assert!(open("http://localhost.example.org").contains("clear text"));
    assert!(open("http://192.168.1.4/api/v3").contains("clear text"));
    for api in ["", "api.github.com", "ftp://host", "https://host?a=b", "https://host#a", "file:///etc/passwd"] {
        assert!(open(api).contains("https://HOST/api/v3"), "{api}");
    }
    let reason = open("https://me:hunter2@host");
    assert!(!reason.contains("hunter2") && reason.contains("password"), "{reason}");
}

#[test]
fn clear_text_reaches_this_machine_and_without_a_token_any() {
    for api in ["http://127.0.0.1:1", "http://localhost:1/api/v3", "http://[::1]:1"] {
        assert!(GitHub::open(connection(api)).is_ok(), "{api}");
    }
    assert!(Address::parse("http://ghe.example", false).is_ok());
}

#[test]
fn a_token_that_cannot_be_sent_is_refused_without_repeating_it() {
    for token in ["", "qq zz", "qqzz\n", "qq\u{e9}"] {
        let mut connection = connection("http://127.0.0.1:1");
        connection.token = Some(Secret::new(token.to_owned()));
        let error = GitHub::open(connection).unwrap_err().to_string();
        assert!(error.contains("not pasted whole") && (token.is_empty() || !error.contains(token)), "{error}");
    }
}

#[test]
fn no_token_shows_in_the_client() {
    let client = GitHub::open(connection("http://127.0.0.1:1")).unwrap();
    assert!(!format!("{client:?}").contains(TOKEN));
}

#[test]
fn the_next_page_is_at_home() {
    let address = address("https://ghe.example/api/v3");
    let here = "/api/v3/repos/o/r/actions/runs/1/jobs?filter=all";
    let next = |link: &str| address.next_page(link, here);
    let link = |target: &str| format!("<https://ghe.example/first>; rel=\"first\", <{target}>; rel=\"next\"");
    let second = Ok(Some("/api/v3/repos/o/r/actions/runs/1/jobs?page=2".to_owned()));
    assert_eq!(next(&link("https://ghe.example/api/v3/repos/o/r/actions/runs/1/jobs?page=2")), second);
    assert_eq!(next(&link("https://ghe.example/api/v3/repositories/17/actions/runs/1/jobs?page=2")), second);
    assert_eq!(next("<https://ghe.example/a>; rel=\"prev\""), Ok(None));
    assert_eq!(next("rubbish"), Ok(None));
    for target in [
        "https://evil.example/api/v3/repos/o/r/actions/runs/1/jobs?page=2",
        "http://ghe.example/api/v3/repos/o/r/actions/runs/1/jobs?page=2",
        "https://ghe.example:8443/api/v3/repos/o/r/actions/runs/1/jobs?page=2",
        "https://ghe.example/api/v3/repos/o/other/actions/runs/1/jobs?page=2",
        "https://ghe.example/api/v3/repositories/17/actions/runs/2/jobs?page=2",
        "https://ghe.example/api/v3/repositories/x/actions/runs/1/jobs?page=2",
        "https://ghe.example/api/v3/repositories/17/../jobs?page=2",
        "//evil.example/api/v3/repos/o/r/actions/runs/1/jobs?page=2",
    ] {
        assert!(next(&link(target)).is_err(), "{target}");
    }
}

#[test]
fn a_download_goes_over_tls_or_stays_on_this_machine() {
    let target = |api: &str, location: &str| {
        let address = address(api);
        address.redirect(address.origin(), location).map(|url| url.to_string())
    };
    let (forge, here) = ("https://api.github.com", "http://127.0.0.1:1");
    assert_eq!(target(forge, "https://blob.example/a?sig=b").unwrap(), "https://blob.example/a?sig=b");
    assert_eq!(target(here, "http://127.0.0.1:2/a").unwrap(), "http://127.0.0.1:2/a");
    for (api, location) in [
        (forge, "http://blob.example/a?sig=secret"),
        (forge, "http://127.0.0.1/a?sig=secret"),
        (here, "http://blob.example/a?sig=secret"),
        (here, "file:///etc/passwd?sig=secret"),
        (here, "http://[?sig=secret"),
    ] {
        let reason = target(api, location).unwrap_err();
        assert!(!reason.contains("secret"), "{reason}");
    }
}

/// Links that are nearly right.
const LINKS: &str = concat!(
    "(<(https://h|//h|)?(/repos/o/r/x|/repositories/[0-9]{0,3}/x|[^<]{0,9})",
    "(\\?[^>]{0,9})?>; rel=\"?next\"?,? ?){0,2}"
);

proptest::proptest! {
    #[test]
    fn no_parameter_leaves_its_place(branch in "\\PC{1,40}") {
        proptest::prop_assume!(branch != "." && branch != "..");
        let all = [("owner", "o"), ("repo", "r"), ("branch", branch.as_str())];
        let path = address("https://api.github.com").path(&DELETE_BRANCH, &all).unwrap();
        let segment = path.strip_prefix("/repos/o/r/git/refs/heads/").unwrap();
        proptest::prop_assert!(segment.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~%".contains(&byte)));
        // What a server makes of it, and no step in it.
        let url = reqwest::Url::parse("https://api.github.com").unwrap().join(&path).unwrap();
        proptest::prop_assert_eq!(url.path(), path.as_str());
        proptest::prop_assert!(url.query().is_none() && url.fragment().is_none());
    }

    #[test]
    fn no_link_leads_elsewhere(link in LINKS) {
        let here = "/repos/o/r/x?page=1";
        if let Ok(Some(next)) = address("https://h").next_page(&link, here) {
            proptest::prop_assert!(next.starts_with("/repos/o/r/x?"), "{}", next);
        }
    }
}
