//! Dependencies that come in, or come from elsewhere.

use std::collections::BTreeSet;

use super::{Rule, finding, quote};
use crate::evidence::{Finding, Weight};
use crate::gate::pattern::patterns;
use crate::gate::settings::{changed, line_of, read};
use crate::gate::view::{Reading, View};
use crate::ids::RepoPath;

pub(super) static RULE: Rule = Rule {
    name: "new-dependency",
    about: "A dependency is added, or taken from another place",
    why: "Blocks what no lockfile knows: an invented name is anybody's to register. One that the lockfile vouches for, and another version, are shown.",
    check,
};

patterns! {
    TABLE = r"(?i)^(?:target\.[^.]+\.|workspace\.)?(?:dev-|build-)?dependencies\.([^.\[\]]+)(?:\.(\w+))?$|^(?:dev|peer|optional|bundled)Dependencies\.(.+)$|^tool\.poetry\.(?:group\.[^.]+\.)?(?:dev-)?dependencies\.([^.\[\]]+)|^(?:dev-)?packages\.([^.\[\]]+)|^(?:require|require-dev)\.(.+)$";
    LIST = r"(?i)^(?:project\.dependencies|project\.optional-dependencies\.[^.\[]+|dependency-groups\.[^.\[]+|build-system\.requires)\[\]$|^options\.(?:install_requires|extras_require[\w.]*|tests_require)$|^testenv[^.]*\.deps$";
    NAME = r"^[A-Za-z0-9@][\w.@/-]*";
    REQUIREMENTS = r"(?i)(?:^|/)(?:requirements[\w.-]*|constraints[\w.-]*)\.(?:txt|in)$";
    ELSEWHERE = r"(?i)^(?:git\+|git@|https?://|file:|github:|\.\.?/)|@\s*(?:git\+|https?://|file:)";
    GO = r"^\s*(?:require\s+)?([a-z0-9.-]+\.[a-z]+/[\w./-]+)\s+v\d";
}

fn check(view: &View<'_>) -> Vec<Finding> {
    view.files.iter().filter(|file| file.after.exists()).flat_map(|file| check_file(view, file)).collect()
}

struct Wanted {
    name: String,
    line: Option<usize>,
    elsewhere: bool,
}

fn check_file(view: &View<'_>, file: &Reading<'_>) -> Vec<Finding> {
    let (added, known) = match file.path.file_name() {
        "Cargo.toml" | "package.json" | "pyproject.toml" | "setup.cfg" | "tox.ini" | "Pipfile" | "composer.json" => {
            tables(file)
        }
        "go.mod" => lines(file, &|line| Some(GO.captures(line)?[1].to_owned())),
        _ if REQUIREMENTS.is_match(file.path.as_str()) => {
            lines(file, &|line| Some(NAME.find(line.trim())?.as_str().to_owned()))
        }
        _ => return Vec::new(),
    };
    let mut findings = Vec::new();
    for wanted in added {
        let (weight, message) = if wanted.elsewhere {
            (Weight::Block, format!("the dependency {} comes from elsewhere than the registry", quote(&wanted.name)))
        } else if known.contains(&normal(&wanted.name)) {
            (Weight::Show, format!("the dependency {} is wanted in another version or form", quote(&wanted.name)))
        } else if in_lockfile(view, file.path, &wanted.name) {
            (Weight::Show, format!("the dependency {} is new here; the lockfile knows it", quote(&wanted.name)))
        } else {
            (Weight::Block, format!("the dependency {} is new, and no lockfile knows it", quote(&wanted.name)))
        };
        findings.push(finding(&RULE, file, wanted.line, message, weight));
    }
    findings.dedup_by(|a, b| a.message == b.message);
    findings
}

/// Dependencies that a manifest gains, and the names that it had.
fn tables(file: &Reading<'_>) -> (Vec<Wanted>, BTreeSet<String>) {
    let known = read(file.path, file.before.text).unwrap_or_default();
    let known = known.iter().filter_map(|(key, value)| name_of(key, value)).map(|name| normal(&name)).collect();
    let mut added: Vec<Wanted> = Vec::new();
    for (key, value) in changed(file).map(|changes| changes.added).unwrap_or_default() {
        let Some(name) = name_of(&key, &value) else { continue };
        let last = key.rsplit('.').next().unwrap_or_default();
        let inner = TABLE.captures(&key).is_some_and(|found| found.get(2).is_some());
        let elsewhere = (inner && matches!(last, "git" | "path" | "registry" | "url")) || ELSEWHERE.is_match(&value);
        let line = line_of(&file.after, &name, &value).or_else(|| line_of(&file.after, &key, &value));
        match added.iter_mut().find(|wanted| wanted.name == name) {
            Some(wanted) => wanted.elsewhere |= elsewhere,
            None => added.push(Wanted { name, line, elsewhere }),
        }
    }
    // A path inside the repository is a member, not a stranger.
    let member = |wanted: &Wanted| {
        file.path.file_name() == "Cargo.toml"
            && file
                .after
                .lines
                .iter()
                .any(|line| line.contains(&wanted.name) && line.contains("path = ") && !line.contains("git = "))
    };
    added.retain(|wanted| !(wanted.elsewhere && member(wanted)));
    (added, known)
}

fn name_of(key: &str, value: &str) -> Option<String> {
    if LIST.is_match(key) {
        return Some(NAME.find(value.trim())?.as_str().to_owned());
    }
    // `dependencies.x` is Cargo's and npm's; extras and features of one are a part of it.
    let found = TABLE.captures(key.trim_end_matches("[]"))?;
    let name = [1, 3, 4, 5, 6].iter().find_map(|group| found.get(*group))?;
    Some(name.as_str().to_owned())
}

fn lines(file: &Reading<'_>, name: &dyn Fn(&str) -> Option<String>) -> (Vec<Wanted>, BTreeSet<String>) {
    let known: BTreeSet<String> =
        file.before.lines.iter().filter_map(|line| name(line)).map(|name| normal(&name)).collect();
    let added = file.added().filter_map(|at| {
        let line = file.after.lines[at].trim();
        let elsewhere = ELSEWHERE.is_match(line) || line.starts_with("-e") || line.contains("index-url");
        if line.starts_with('#') || line.is_empty() || (line.starts_with('-') && !elsewhere) {
            return None;
        }
        let name = name(line).or_else(|| elsewhere.then(|| line.to_owned()))?;
        Some(Wanted { name, line: Some(at), elsewhere })
    });
    (added.collect(), known)
}

/// Registries do not tell `_`, `-` and `.` apart, nor case.
fn normal(name: &str) -> String {
    name.to_ascii_lowercase().replace(['_', '.'], "-")
}

const LOCKFILES: &[&str] = &[
    "Cargo.lock",
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "poetry.lock",
    "uv.lock",
    "pdm.lock",
    "Pipfile.lock",
    "go.sum",
    "composer.lock",
    "bun.lock",
];

/// Whether the lockfile nearest above, before the change, names the package.
///
/// The one before: a lockfile edited in the same change can be made to name anything.
fn in_lockfile(view: &View<'_>, manifest: &RepoPath, name: &str) -> bool {
    let mut directory = manifest.parent();
    loop {
        for lockfile in LOCKFILES {
            let path = directory
                .as_ref()
                .map_or_else(|| (*lockfile).to_owned(), |directory| format!("{directory}/{lockfile}"));
            let Ok(path) = RepoPath::new(&path) else { continue };
            let changed = view.files.iter().find(|file| *file.path == path).map(|file| file.before.text.to_owned());
            let text = changed.or_else(|| view.base.and_then(|base| base.text(&path)));
            if text.is_some_and(|text| names(&text, name)) {
                return true;
            }
        }
        let Some(here) = directory else { return false };
        directory = here.parent();
    }
}

fn names(lockfile: &str, name: &str) -> bool {
    let wanted = normal(name);
    let quoted = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '@'));
    lockfile.lines().any(|line| {
        line.split(quoted)
            .any(|word| normal(word) == wanted || normal(word).strip_prefix("node-modules/") == Some(&wanted))
    })
}

#[cfg(test)]
mod tests {
    use crate::evidence::Weight;
    use crate::gate::testing::{blocks, change, passes, shown};
    use crate::ids::RepoPath;
    use crate::policy::PatchLimits;
    use crate::source::Memory;

    const CARGO: &str = "[package]\nname = \"a\"\n\n[dependencies]\nserde = \"1\"\n";

    #[test]
    fn an_unknown_dependency_blocks_in_every_kind_of_manifest() {
        blocks("new-dependency", &[("Cargo.toml", CARGO, &format!("{CARGO}serdee = \"1\"\n"))]);
        blocks(
            "new-dependency",
            &[("Cargo.toml", CARGO, &format!("{CARGO}regex = {{ version = \"1\", features = [\"x\"] }}\n"))],
        );
        blocks(
            "new-dependency",
            &[("package.json", "{\"dependencies\": {}}\n", "{\"dependencies\": {\"left-pad\": \"1\"}}\n")],
        );
        blocks(
            "new-dependency",
            &[("pyproject.toml", "[project]\ndependencies = []\n", "[project]\ndependencies = ['requets>=2']\n")],
        );
        blocks("new-dependency", &[("requirements.txt", "flask==2\n", "flask==2\nrequets==1\n")]);
        blocks("new-dependency", &[("go.mod", "module a\n", "module a\nrequire github.com/x/y v1.0.0\n")]);
        blocks(
            "new-dependency",
            &[("Cargo.toml", CARGO, &CARGO.replace("\"1\"", "{ git = \"https://example.org/x\" }"))],
        );
    }

    #[test]
    fn a_dependency_that_the_lockfile_knows_is_shown() {
        let lock = Memory::new([(
            RepoPath::new("Cargo.lock").unwrap(),
            "[[package]]\nname = \"regex\"\nversion = \"1.0.0\"\n",
        )]);
        let changes = [change("Cargo.toml", CARGO, &format!("{CARGO}regex = \"1\"\n"))];
        let findings = crate::gate::judge(&changes, PatchLimits::default(), Some(&lock));
        assert_eq!(findings.iter().map(|f| f.severity).collect::<Vec<_>>(), [Weight::Show]);
    }

    #[test]
    fn another_version_is_shown_and_a_removal_passes() {
        assert_eq!(
            shown(&[("Cargo.toml", CARGO, &CARGO.replace("serde = \"1\"", "serde = \"2\""))]),
            ["new-dependency"]
        );
        passes(&[("Cargo.toml", CARGO, &CARGO.replace("serde = \"1\"\n", ""))]);
        passes(&[("requirements.txt", "flask==2\nx==1\n", "flask==2\n")]);
    }
}
