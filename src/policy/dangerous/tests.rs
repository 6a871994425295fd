//! Commands that must be seen through, and their harmless neighbours.

use super::*;
use crate::policy::value::words;

fn class(line: &str) -> Option<&'static str> {
    danger(&words(line).unwrap()).map(|danger| danger.class)
}

#[test]
fn dangerous_commands_are_seen_through_their_wrappers() {
    for (line, expected) in [
        ("git push", "push"),
        ("git -C /tmp/x -c a=b push origin HEAD", "push"),
        ("/usr/bin/git --no-pager push", "push"),
        ("env GIT_DIR=x git push", "push"),
        ("env -u HOME -i git push", "push"),
        ("env -S 'git push'", "push"),
        ("sudo -u root git push", "push"),
        ("timeout 10m git push", "push"),
        ("sh -c 'cargo test && git push'", "push"),
        ("bash -lc \"true; sudo sh -c 'git push'\"", "push"),
        ("sh -c 'echo \"$(git push)\"'", "push"),
        ("bash -c 'X=1 git push'", "push"),
        ("bash -c 'if true; then git push; fi'", "push"),
        ("xargs -n 1 git push", "push"),
        ("find . -name x -exec git push {} ;x", "push"),
        ("eval git push", "push"),
        ("gh pr merge 1", "push"),
        ("cargo publish --dry-run", "publish"),
        ("cargo +nightly publish", "publish"),
        ("npm publish", "publish"),
        ("npm --prefix a publish", "publish"),
        ("yarn npm publish", "publish"),
        ("npx lerna publish", "publish"),
        ("npx --yes semantic-release", "release"),
        ("twine upload dist/x", "publish"),
        ("python3 -m twine upload dist/x", "publish"),
        ("python setup.py sdist upload", "publish"),
        ("yarn run deploy", "deploy"),
        ("uv run twine upload x", "publish"),
        ("uv publish", "publish"),
        ("gh release create v1", "release"),
        ("docker push a/b", "publish"),
        ("docker buildx build --push .", "publish"),
        ("kubectl -n prod apply -f x", "deploy"),
        ("terraform -chdir=a apply", "deploy"),
        ("aws s3 cp a s3://b", "deploy"),
        ("ssh host true", "deploy"),
        ("./gradlew publishToMavenLocal", "publish"),
        ("mvn -B deploy", "publish"),
        ("make deploy", "deploy"),
        ("make -C sub release", "release"),
        ("npm run deploy:prod", "deploy"),
        ("npm run-script publish-all", "publish"),
        ("yarn deploy", "deploy"),
        ("./scripts/deploy.sh prod", "deploy"),
        ("bash -e scripts/release.sh", "release"),
        ("python tools/publish.py", "publish"),
        ("rm -rf /", "delete"),
        ("rm -rf ~/x", "delete"),
        ("rm -r ../other", "delete"),
        ("sh -c 'rm -rf $HOME'", "delete"),
        ("find / -delete", "delete"),
        ("dd if=x of=/dev/sda", "delete"),
    ] {
        assert_eq!(class(line), Some(expected), "{line}");
    }
}

#[test]
fn harmless_neighbours_are_not_dangerous() {
    for line in [
        "git commit -m push",
        "git status",
        "cargo test publish",
        "cargo build --release",
        "cargo test --package release",
        "npm test",
        "npm run build:release",
        "npm run build",
        "make test",
        "python -m pytest -q tests/test_publish.py",
        "uv run pytest",
        "docker build .",
        "kubectl get pods",
        "terraform plan",
        "rm -rf target/debug",
        "find . -name '*.pyc' -delete",
        "sh -c 'echo deploy'",
        "pytest -k deploy",
        "tox -e py311",
        "bash -e scripts/test.sh",
        "./build-release.sh",
        "target/release/app",
        "gh --version",
    ] {
        assert_eq!(class(line), None, "{line}");
    }
}

#[test]
fn the_script_behind_a_name_is_read() {
    assert_eq!(script_danger("tsc -p . && npm publish").unwrap().class, "publish");
    assert_eq!(script_danger("\t@git tag v1\n\t-git \\\n push --tags\n").unwrap().class, "push");
    assert_eq!(script_danger("jest --ci"), None);
}

#[test]
fn a_command_wrapped_without_end_is_denied() {
    let deep = vec!["sudo".to_owned(); 40];
    assert_eq!(danger(&deep).unwrap().class, "obscure");
}
