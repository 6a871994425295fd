//! The table of dangerous commands: one row for programs that take the same words.

/// One row.
pub(super) struct Row {
    pub(super) class: &'static str,
    pub(super) programs: &'static [&'static str],
    /// The words of the subcommand; none for a program that is dangerous whatever it is told.
    pub(super) words: &'static [&'static str],
    /// The option that makes it dangerous, in place of words.
    pub(super) flag: Option<&'static str>,
}

const fn row(class: &'static str, programs: &'static [&'static str], words: &'static [&'static str]) -> Row {
    Row { class, programs, words, flag: None }
}

const fn flagged(class: &'static str, programs: &'static [&'static str], flag: &'static str) -> Row {
    Row { class, programs, words: &[], flag: Some(flag) }
}

const CONTAINERS: &[&str] = &["docker", "podman", "nerdctl", "buildah", "img"];
const CLUSTER: &[&str] = &["kubectl", "oc", "k3s", "microk8s"];
const TERRAFORM: &[&str] = &["terraform", "tofu", "terragrunt"];
const NODE: &[&str] = &["npm", "pnpm", "yarn", "bun"];
const FORGES: &[&str] = &["gh", "glab", "hub", "tea"];

/// Commands by their words.
pub(super) const ROWS: &[Row] = &[
    row("push", &["git"], &["push"]),
    row("push", &["git"], &["send-pack"]),
    row("push", &["git"], &["send-email"]),
    row("push", &["git"], &["svn", "dcommit"]),
    row("push", &["git"], &["lfs", "push"]),
    row("push", &["git"], &["subtree", "push"]),
    row("push", &["git-push", "git-send-pack", "git-receive-pack", "sl"], &[]),
    row("push", &["hg", "jj", "fossil", "bzr"], &["push"]),
    row("push", &["jj"], &["git", "push"]),
    row("push", &["svn"], &["commit"]),
    row("push", &["svn"], &["ci"]),
    row("push", FORGES, &["pr"]),
    row("push", FORGES, &["mr"]),
    row("push", FORGES, &["repo"]),
    row("push", FORGES, &["api"]),
    row("push", FORGES, &["gist"]),
    row("push", FORGES, &["issue"]),
    row("push", FORGES, &["secret"]),
    row("push", FORGES, &["variable"]),
    row("deploy", FORGES, &["workflow"]),
    row("deploy", FORGES, &["run"]),
    row("release", FORGES, &["release"]),
    row("publish", &["cargo"], &["publish"]),
    row("publish", &["cargo"], &["yank"]),
    row("publish", &["cargo"], &["owner"]),
    row("publish", &["cargo"], &["login"]),
    row("release", &["cargo"], &["release"]),
    row("release", &["cargo"], &["smart-release"]),
    row("publish", &["cargo"], &["workspaces", "publish"]),
    row(
        "release",
        &["cargo-release", "release-plz", "goreleaser", "semantic-release", "release-it", "np", "jreleaser"],
        &[],
    ),
    row("publish", NODE, &["publish"]),
    row("publish", NODE, &["unpublish"]),
    row("publish", NODE, &["deprecate"]),
    row("publish", NODE, &["dist-tag"]),
    row("publish", NODE, &["owner"]),
    row("publish", NODE, &["access"]),
    row("publish", NODE, &["token"]),
    row("publish", NODE, &["npm", "publish"]),
    row("publish", &["lerna", "changeset", "changesets", "nx", "jsr"], &["publish"]),
    row("release", &["nx"], &["release"]),
    row("publish", &["deno"], &["publish"]),
    row("deploy", &["deno", "deployctl"], &["deploy"]),
    row("publish", &["twine"], &["upload"]),
    row("publish", &["poetry", "flit", "hatch", "uv", "pdm", "maturin", "rye"], &["publish"]),
    row("publish", &["maturin"], &["upload"]),
    flagged("publish", &["setup.py"], "upload"),
    flagged("publish", &["setup.py"], "register"),
    row("publish", &["gem"], &["push"]),
    row("publish", &["gem"], &["yank"]),
    row("release", &["bundle", "bundler"], &["exec", "rake", "release"]),
    row("publish", &["pod"], &["trunk", "push"]),
    row("publish", &["mvn", "mvnw"], &["deploy*"]),
    row("release", &["mvn", "mvnw"], &["release:*"]),
    row("publish", &["gradle", "gradlew"], &["publish*"]),
    row("publish", &["gradle", "gradlew"], &["uploadarchives"]),
    row("publish", &["dotnet"], &["nuget", "push"]),
    row("publish", &["nuget"], &["push"]),
    row("publish", &["mix"], &["hex.publish"]),
    row("publish", &["cabal", "stack"], &["upload"]),
    row("publish", &["dart", "flutter"], &["pub", "publish"]),
    row("publish", &["vsce", "ovsx"], &["publish"]),
    row("publish", CONTAINERS, &["push"]),
    row("publish", CONTAINERS, &["image", "push"]),
    row("publish", CONTAINERS, &["manifest", "push"]),
    row("publish", CONTAINERS, &["compose", "push"]),
    row("publish", CONTAINERS, &["login"]),
    flagged("publish", CONTAINERS, "--push"),
    row("publish", &["skopeo"], &["copy"]),
    row("publish", &["oras", "crane", "ko"], &["push"]),
    row("publish", &["helm"], &["push"]),
    row("deploy", &["helm"], &["install"]),
    row("deploy", &["helm"], &["upgrade"]),
    row("deploy", &["helm"], &["uninstall"]),
    row("deploy", &["helm"], &["rollback"]),
    row("deploy", CLUSTER, &["apply"]),
    row("deploy", CLUSTER, &["create"]),
    row("deploy", CLUSTER, &["delete"]),
    row("deploy", CLUSTER, &["replace"]),
    row("deploy", CLUSTER, &["patch"]),
    row("deploy", CLUSTER, &["edit"]),
    row("deploy", CLUSTER, &["set"]),
    row("deploy", CLUSTER, &["scale"]),
    row("deploy", CLUSTER, &["rollout"]),
    row("deploy", CLUSTER, &["run"]),
    row("deploy", CLUSTER, &["exec"]),
    row("deploy", CLUSTER, &["drain"]),
    row("deploy", TERRAFORM, &["apply"]),
    row("deploy", TERRAFORM, &["destroy"]),
    row("deploy", TERRAFORM, &["import"]),
    row("deploy", TERRAFORM, &["state"]),
    row("deploy", TERRAFORM, &["run-all"]),
    row("deploy", &["pulumi"], &["up"]),
    row("deploy", &["pulumi"], &["destroy"]),
    row(
        "deploy",
        &[
            "cdk",
            "sam",
            "serverless",
            "sls",
            "firebase",
            "netlify",
            "wrangler",
            "fly",
            "flyctl",
            "eb",
            "copilot",
            "railway",
        ],
        &["deploy"],
    ),
    row("deploy", &["cdk", "wrangler"], &["destroy"]),
    row("deploy", &["wrangler"], &["publish"]),
    row("deploy", &["serverless", "sls"], &["remove"]),
    row("deploy", &["helmfile", "argocd", "kustomize"], &["apply"]),
    row("deploy", &["helmfile", "argocd"], &["sync"]),
    row("deploy", &["argocd"], &["app", "sync"]),
    row("deploy", &["nomad"], &["job", "run"]),
    row("deploy", &["nomad"], &["run"]),
    row("deploy", &["vercel", "now", "surge", "heroku", "cap", "ansible-playbook", "fastlane"], &[]),
    // Clouds and other machines: nothing that a repair needs is done there.
    row("deploy", &["aws", "gcloud", "gsutil", "az", "doctl", "oci", "linode-cli", "hcloud"], &[]),
    row("deploy", &["ssh", "scp", "sftp", "rsh"], &[]),
    row("delete", &["mkfs", "mke2fs", "wipefs", "fdisk", "parted", "shutdown", "reboot", "halt", "poweroff"], &[]),
];

/// Programs that delete or overwrite what their arguments name, here matched when that is outside the workspace.
pub(super) const OUTSIDE: &[Row] = &[
    row("delete", &["rm", "rmdir", "unlink", "shred", "truncate", "dd", "rimraf", "del-cli", "trash"], &[]),
    flagged("delete", &["find"], "-delete"),
];

/// What runs a script or target by its name; with the words that stand before the name, if some must.
pub(super) const RUNNERS: &[Row] = &[
    row(
        "",
        &[
            "make", "gmake", "just", "task", "rake", "ninja", "invoke", "inv", "nox", "tox", "yarn", "pnpm", "bun",
            "poe", "mage",
        ],
        &[],
    ),
    row("", &["npm"], &["run", "run-script", "rum", "urn"]),
];
