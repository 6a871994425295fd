//! Files that tell CI what to run.

use super::{Rule, finding};
use crate::evidence::{Finding, Weight};
use crate::gate::pattern::patterns;
use crate::gate::view::View;

pub(super) static RULE: Rule = Rule {
    name: "ci-edit",
    about: "What CI runs is changed",
    why: "Blocks: whoever may edit CI may make anything green, and may reach its secrets.",
    check,
};

patterns! {
    CI = r"(?i)^\.github/(?:workflows|actions)/|^\.gitlab-ci[\w.-]*$|^\.gitlab/ci/|(?:^|/)Jenkinsfile[\w.-]*$|^\.circleci/|(?:^|/)azure-pipelines[\w.-]*\.ya?ml$|^\.azure-pipelines/|^\.azuredevops/|^\.travis\.ya?ml$|^\.?appveyor\.ya?ml$|^\.drone\.(?:ya?ml|star|jsonnet)$|^\.cirrus\.(?:ya?ml|star)$|^bitbucket-pipelines\.ya?ml$|^\.buildkite/|^\.woodpecker(?:/|\.ya?ml$)|^\.teamcity/|^\.semaphore/|^\.forgejo/|^\.gitea/|^buildspec[\w.-]*\.ya?ml$|^cloudbuild[\w.-]*\.ya?ml$|^codemagic\.ya?ml$|^wercker\.ya?ml$|^\.ci/|^ci/.*\.(?:ya?ml|sh)$|(?:^|/)action\.ya?ml$|^\.github/(?:dependabot|renovate)[\w.]*$";
}

fn check(view: &View<'_>) -> Vec<Finding> {
    view.files
        .iter()
        .filter(|file| CI.is_match(file.path.as_str()))
        .map(|file| {
            let line = file.hunks.first().filter(|_| file.after.exists()).map(|hunk| hunk.added.start);
            finding(&RULE, file, line, "a file that tells CI what to run is changed".to_owned(), Weight::Block)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::gate::testing::{blocks, passes};

    #[test]
    fn ci_files_of_every_service_block() {
        for path in [
            ".github/workflows/ci.yml",
            ".GitHub/Workflows/ci.yml",
            ".gitlab-ci.yml",
            "Jenkinsfile",
            ".circleci/config.yml",
            "azure-pipelines.yml",
            ".travis.yml",
            "action.yml",
            ".github/actions/a/action.yml",
        ] {
            blocks("ci-edit", &[(path, "a: 1\n", "a: 2\n")]);
        }
    }

    #[test]
    fn files_that_only_sound_like_it_pass() {
        passes(&[("src/action.rs", "fn f() {}\n", "fn g() {}\n"), ("docs/travis.md", "a\n", "b\n")]);
    }
}
