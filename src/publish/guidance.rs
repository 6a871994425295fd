//! What helps where the forge says no: its known words, and the setting behind each.

/// Words of a refusal, all of which have to occur, in lower case; and what helps.
const KNOWN: &[(&[&str], &str)] = &[
    (
        &["not permitted to create", "pull request"],
        "turn on \"Allow GitHub Actions to create and approve pull requests\" in the settings of the repository (Actions, \
         General, Workflow permissions), or give a token of an app",
    ),
    (
        &["workflow", "permission"],
        "the token may not push workflow files, and the job's own token never may; where the repair touches none, the \
         branch is older than a change of a workflow on the default branch: bring it up to date, then run again",
    ),
    (
        &["resource not accessible"],
        "give the job `permissions: contents: write` and `pull-requests: write`; runs of forks and of Dependabot get a \
         token that only reads",
    ),
    (&["write access", "not granted"], "give the job `permissions: contents: write`"),
    (&["permission to", "denied"], "give the job `permissions: contents: write`"),
    (&["must have verified signatures"], SIGNED),
    (&["rule violations"], RULES),
    (&["gh013"], RULES),
    (&["gh006"], RULES),
    (&["protected branch"], RULES),
    (&["saml"], "authorise the token for the organisation's single sign-on"),
    (&["archived"], "the repository is archived: nothing can be written to it"),
];

const RULES: &str = "a rule of the repository covers `unbreak/**`: let the bot create and update branches of that name";
const SIGNED: &str = "the repository demands signed commits: they are made by the forge itself, which needs \
                      `permissions: contents: write` and a token of an app or of the job";

/// What helps against a refusal in these words; nothing where they are not known.
pub(super) fn hints(words: &str) -> impl Iterator<Item = &'static str> {
    let words = words.to_lowercase();
    let mut told: Vec<&'static str> = Vec::new();
    for (known, hint) in KNOWN {
        if known.iter().all(|word| words.contains(word)) && !told.contains(hint) {
            told.push(hint);
        }
    }
    told.into_iter()
}

/// Whether a push was refused since its commit is not signed.
pub(super) fn is_about_signatures(words: &str) -> bool {
    let words = words.to_lowercase();
    words.contains("signature") || words.contains("signed commit")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_refusals_name_the_setting() {
        for (words, named) in [
            ("GitHub Actions is not permitted to create or approve pull requests.", "Allow GitHub Actions to create"),
            (
                "refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without `workflows` permission",
                "older than a change of a workflow",
            ),
            ("Resource not accessible by integration", "contents: write"),
            ("remote: Permission to o/r.git denied to github-actions[bot].", "contents: write"),
            ("remote: error: GH013: Repository rule violations found for refs/heads/unbreak/test-1", "unbreak/**"),
        ] {
            let told: Vec<&str> = hints(words).collect();
            assert!(told.len() == 1 && told[0].contains(named), "{words}: {told:?}");
        }
        assert_eq!(hints("the disk is full").count(), 0);
    }

    #[test]
    fn refusals_about_signatures_are_told_from_others() {
        assert!(is_about_signatures("remote: - Commits must have verified signatures."));
        assert!(!is_about_signatures("remote: - Changes must be made through a pull request."));
    }
}
