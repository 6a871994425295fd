//! Recorded expectations: snapshot and golden files.

use super::{Rule, finding};
use crate::evidence::{Finding, Weight};
use crate::gate::pattern::patterns;
use crate::gate::view::View;

pub(super) static RULE: Rule = Rule {
    name: "changed-snapshot",
    about: "A recorded expectation (snapshot, golden file) changes or goes",
    why: "Blocks: a snapshot is an assertion, and accepting a new one makes any test green. New snapshots pass.",
    check,
};

patterns! {
    SNAPSHOT = r"(?i)(?:^|/)(?:__snapshots__|snapshots|golden|goldens|approved|__image_snapshots__)/|\.(?:snap|ambr|golden|approved|received|stderr|stdout)(?:\.\w+)?$|(?:^|/)(?:tests?|testdata)/.*(?:expected|golden)[^/]*$";
    PENDING = r"\.snap\.new$|\.received\.";
}

fn check(view: &View<'_>) -> Vec<Finding> {
    let snapshots =
        view.files.iter().filter(|file| SNAPSHOT.is_match(file.path.as_str()) && !PENDING.is_match(file.path.as_str()));
    let recorded = snapshots.filter(|file| file.change.before.is_some() && file.change.before != file.change.after);
    recorded
        .filter(|file| !file.language.is_code(file.path))
        .filter(|file| !moved(view, file.change.before.as_ref()))
        .map(|file| {
            let line = file.hunks.first().filter(|_| file.after.exists()).map(|hunk| hunk.added.start);
            let what = if file.change.after.is_some() { "changes" } else { "goes" };
            finding(&RULE, file, line, format!("a recorded expectation {what}"), Weight::Block)
        })
        .collect()
}

fn moved(view: &View<'_>, before: Option<&crate::change::File>) -> bool {
    view.files.iter().any(|file| file.change.before.is_none() && file.change.after.as_ref() == before)
}

#[cfg(test)]
mod tests {
    use crate::gate::testing::{blocks, passes};

    #[test]
    fn changed_and_deleted_snapshots_block_and_new_ones_pass() {
        blocks("changed-snapshot", &[("src/snapshots/a.snap", "1\n", "2\n")]);
        blocks("changed-snapshot", &[("src/__snapshots__/a.test.js.snap", "1\n", "")]);
        blocks("changed-snapshot", &[("tests/data/expected.json", "{\"a\": 1}\n", "{\"a\": 2}\n")]);
        passes(&[("src/snapshots/b.snap", "", "2\n")]);
        passes(&[("src/snapshots/a.snap", "1\n", ""), ("src/snapshots/b.snap", "", "1\n")]);
    }
}
