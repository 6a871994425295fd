//! How packages are installed: by the manager whose lockfile is tracked, else by npm.

use serde_json::Value;

use super::super::tree::Tree;
use super::super::{command, step, with};
use crate::ids::RepoPath;
use crate::policy::{CommandSpec, Setup};

const VARIABLES: &[(&str, &str)] = &[
    // Hooks for commits have no place in a tree that nobody commits from.
    ("HUSKY", "0"),
    ("npm_config_audit", "false"),
    ("npm_config_engine_strict", "false"),
    ("npm_config_fund", "false"),
    ("npm_config_update_notifier", "false"),
    ("COREPACK_ENABLE_DOWNLOAD_PROMPT", "0"),
    ("PUPPETEER_SKIP_DOWNLOAD", "1"),
    ("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1"),
    ("CYPRESS_INSTALL_BINARY", "0"),
];

/// What works with npm alone, from the strictest to the most lenient; build scripts of the packages are the
/// first to go.
const NPM: &[&[&str]] = &[
    &["npm", "install", "--no-save"],
    &["npm", "install", "--no-save", "--legacy-peer-deps"],
    &["npm", "install", "--no-save", "--legacy-peer-deps", "--ignore-scripts"],
    // A version that the lockfile names may be gone from the registry.
    &["npm", "install", "--no-save", "--legacy-peer-deps", "--ignore-scripts", "--no-package-lock"],
];

pub(super) fn setup(tree: &Tree<'_>, root: Option<&RepoPath>) -> (Setup, Vec<RepoPath>) {
    let npm = tree.present(root, &["package-lock.json", "npm-shrinkwrap.json"]);
    let yarn = tree.present(root, &["yarn.lock"]);
    let pnpm = tree.present(root, &["pnpm-lock.yaml"]);
    let mut attempts: Vec<Vec<String>> = Vec::new();
    let mut attempt = |words: &[&str]| attempts.push(words.iter().map(|word| (*word).to_owned()).collect());
    if !npm.is_empty() {
        attempt(&["npm", "ci"]);
        attempt(&["npm", "ci", "--ignore-scripts"]);
    } else if !pnpm.is_empty() {
        let frozen = ["install", "--frozen-lockfile"];
        attempt(&[&["pnpm"], frozen.as_slice()].concat());
        attempt(&[&["pnpm"], frozen.as_slice(), &["--ignore-scripts"]].concat());
        attempt(&["pnpm", "install", "--no-frozen-lockfile", "--ignore-scripts"]);
    } else if !yarn.is_empty() {
        let berry = tree.text(root, "yarn.lock").is_some_and(|text| text.contains("__metadata:"));
        let frozen: &[&str] = if berry { &["install", "--immutable"] } else { &["install", "--frozen-lockfile"] };
        attempt(&[&["yarn"], frozen].concat());
        attempt(&if berry {
            ["yarn", "install", "--mode=skip-build"].to_vec()
        } else {
            [&["yarn"], frozen, &["--ignore-scripts", "--ignore-engines"]].concat()
        });
    }
    for words in NPM {
        attempt(words);
    }
    let commands = attempts.iter().map(|words| install(words, root));
    let managers = managers(tree, root).into_iter().map(|package| {
        // Beside the tree and first on the search path: scripts call the manager by its name, too.
        let words = ["npm", "install", "--global", "--prefix", "{env}", &package].map(str::to_owned);
        step([install(&words, root)], true)
    });
    let steps = managers.chain([step(commands, false)]).flatten().collect();
    let cache = ["~/.npm", "~/.cache/yarn", "~/.local/share/pnpm/store"].map(str::to_owned).to_vec();
    (Setup { steps, cache }, [npm, yarn, pnpm].concat())
}

fn install(words: &[String], root: Option<&RepoPath>) -> CommandSpec {
    with(command(words, root), VARIABLES)
}

/// The managers other than npm that the project names or whose lockfile it has, as packages with their versions:
/// machines rarely have the right one.
fn managers(tree: &Tree<'_>, root: Option<&RepoPath>) -> Vec<String> {
    let manifest = tree.text(root, "package.json").unwrap_or_default();
    let manifest: Value = serde_json::from_str(manifest.trim_start_matches('\u{feff}')).unwrap_or_default();
    let named = manifest["packageManager"].as_str().map(|named| named.split('+').next().unwrap_or(named));
    let (name, version) = named.and_then(|named| named.split_once('@')).unwrap_or_default();
    let scripts: Vec<&str> =
        manifest["scripts"].as_object().into_iter().flat_map(|it| it.values()).filter_map(Value::as_str).collect();
    let called = |program: &str| scripts.iter().any(|script| script.split_whitespace().any(|word| word == program));
    let plain = !version.is_empty() && version.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'));
    let mut packages = Vec::new();
    let lock = tree.text(root, "pnpm-lock.yaml");
    if name == "pnpm" && plain {
        packages.push(format!("pnpm@{version}"));
    } else if lock.is_some() || called("pnpm") {
        packages.push(pnpm_version(&lock.unwrap_or_default()).to_owned());
    }
    let lock = tree.text(root, "yarn.lock");
    let berry = lock.as_ref().is_some_and(|text| text.contains("__metadata:"));
    if name == "yarn" && plain {
        let package = if version.starts_with("1.") { "yarn" } else { "@yarnpkg/cli-dist" };
        packages.push(format!("{package}@{version}"));
    } else if lock.is_some() || called("yarn") {
        packages.push(if berry { "@yarnpkg/cli-dist" } else { "yarn@1" }.to_owned());
    }
    packages
}

/// The pnpm that reads a lockfile of this version.
fn pnpm_version(lockfile: &str) -> &'static str {
    let version = lockfile.lines().find_map(|line| line.strip_prefix("lockfileVersion:")).unwrap_or_default();
    match version.trim().trim_matches(['\'', '"']) {
        old if old.starts_with("5.") => "pnpm@7",
        six if six.starts_with("6.") => "pnpm@8",
        _ => "pnpm@9",
    }
}
