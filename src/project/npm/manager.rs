//! How packages are installed: by the manager whose lockfile is tracked, else by npm.

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
        let version = pnpm_version(&tree.text(root, "pnpm-lock.yaml").unwrap_or_default());
        attempt(&[&["pnpm"], frozen.as_slice()].concat());
        attempt(&[&["corepack", "pnpm"], frozen.as_slice()].concat());
        attempt(&[&["npx", "--yes", version], frozen.as_slice()].concat());
    } else if !yarn.is_empty() {
        let berry = tree.text(root, "yarn.lock").is_some_and(|text| text.contains("__metadata:"));
        let frozen: &[&str] = if berry { &["install", "--immutable"] } else { &["install", "--frozen-lockfile"] };
        attempt(&[&["yarn"], frozen].concat());
        attempt(&[&["corepack", "yarn"], frozen].concat());
        if !berry {
            attempt(&[&["npx", "--yes", "yarn@1"], frozen].concat());
        }
    }
    for words in NPM {
        attempt(words);
    }
    let commands = attempts.iter().map(|words| install(words, root));
    let cache = ["~/.npm", "~/.cache/yarn", "~/.local/share/pnpm/store"].map(str::to_owned).to_vec();
    (Setup { steps: step(commands, false).into_iter().collect(), cache }, [npm, yarn, pnpm].concat())
}

fn install(words: &[String], root: Option<&RepoPath>) -> CommandSpec {
    with(command(words, root), VARIABLES)
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
