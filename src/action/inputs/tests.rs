//! Inputs as a runner sets them.

use super::*;

fn read(pairs: &[(&str, &str)]) -> anyhow::Result<Inputs> {
    let env = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Inputs::read(&env, &[], Path::new("/w"))
}

fn wrong(name: &str, value: &str) -> String {
    let error = read(&[(name, value)]).unwrap_err();
    assert_eq!(exit::of_error(&error), exit::USAGE, "{error}");
    error.to_string()
}

#[test]
fn without_inputs_everything_is_at_its_default() {
    let inputs = read(&[("INPUT_MODEL", ""), ("INPUT_DRAFT", " ")]).unwrap();
    assert_eq!((inputs.mode, inputs.draft, inputs.stage, inputs.budget), (Mode::Auto, false, None, None));
    assert!(inputs.token.is_none() && inputs.models.arguments().is_empty() && inputs.remarks.is_empty());
    assert_eq!(inputs.fail_on, FailOn::Never);
}

#[test]
fn hyphens_and_underscores_are_read() {
    for name in ["INPUT_BUDGET-USD", "INPUT_BUDGET_USD"] {
        assert_eq!(read(&[(name, "0.50")]).unwrap().budget, Some(0.5));
    }
    let inputs = read(&[("INPUT_GITHUB-TOKEN", "a"), ("GITHUB_TOKEN", "b")]).unwrap();
    assert_eq!(inputs.token.unwrap().reveal(), "a");
    assert_eq!(read(&[("GITHUB_TOKEN", "b")]).unwrap().token.unwrap().reveal(), "b");
}

#[test]
fn an_unknown_value_names_the_nearest() {
    assert_eq!(
        wrong("INPUT_MODE", "dryrun"),
        "input `mode`: `dryrun` is none of auto, collect, repair, publish, dry-run; did you mean `dry-run`?"
    );
    assert!(wrong("INPUT_STAGE", "batch").contains("none of read-only, patch, pull-request"));
    assert!(wrong("INPUT_DRAFT", "yes").contains("none of true, false"));
    assert!(wrong("INPUT_FAIL-ON", "eror").contains("did you mean `error`?"));
    assert!(wrong("INPUT_MODEL", "opena:x").contains("did you mean `openai`?"));
    for amount in ["-1", "1e3", "NaN", "inf", "1,5", ".", ".5", "$1", "0x1"] {
        assert!(wrong("INPUT_BUDGET-USD", amount).contains("no amount of US dollars"), "{amount}");
    }
}

#[test]
fn paths_stay_in_the_repository_and_the_workspace() {
    for path in ["../x.yml", "/etc/passwd", "a\\b"] {
        wrong("INPUT_POLICY", path);
        wrong("INPUT_ARTIFACTS", path);
    }
    assert!(wrong("INPUT_POLICY", ".github/unbraek.yml").contains("did you mean `.github/unbreak.yml`?"));
    assert_eq!(
        read(&[("INPUT_POLICY", "./.github/unbreak.yml")]).unwrap().policy.unwrap().as_str(),
        ".github/unbreak.yml"
    );
    let inputs = read(&[("INPUT_ARTIFACTS", "target/**/*.xml\n\n  ./log.txt \n")]).unwrap();
    assert_eq!(inputs.artifacts, ["target/**/*.xml", "log.txt"]);
}

#[test]
fn models_become_rungs_only_where_there_are_two() {
    let one = read(&[("INPUT_MODEL", "openai:big"), ("INPUT_BASE-URL", "http://127.0.0.1:9/v1")]).unwrap();
    assert_eq!(one.models.arguments(), ["--model", "openai:big@http://127.0.0.1:9/v1"]);
    let two = read(&[("INPUT_MODEL", "openai:big"), ("INPUT_LIGHT-MODEL", "replay:r")]).unwrap();
    assert_eq!(two.models.arguments(), ["--model", "light=replay:/w/r", "--model", "strong=openai:big"]);
    assert!(wrong("INPUT_BASE-URL", "http://h/v1").contains("no model is named"));
    let error = read(&[("INPUT_MODEL", "openai:big"), ("INPUT_BASE-URL", "http://u:p@h/v1")]).unwrap_err();
    assert!(error.to_string().contains("must not hold a key") && !error.to_string().contains("u:p"), "{error}");
}

#[test]
fn a_key_alone_names_no_model_and_that_is_said() {
    let inputs = read(&[("INPUT_API-KEY", "sk-1")]).unwrap();
    assert!(inputs.models.arguments().is_empty());
    assert!(inputs.remarks[0].contains("no model is asked unless the policy names one"));
    assert_eq!(inputs.models.key_variable(&inputs.key.unwrap()).0, "UNBREAK_API_KEY");
    let named = read(&[("INPUT_API-KEY", "sk-1"), ("INPUT_MODEL", "openai:x")]).unwrap();
    assert_eq!(named.models.key_variable(&named.key.unwrap()).0, "OPENAI_API_KEY");
}

#[test]
fn misspelt_inputs_are_said() {
    let inputs = read(&[("INPUT_BRANCHS", "main"), ("INPUT_ENTRYPOINT", "x")]).unwrap();
    assert_eq!(inputs.remarks, ["there is no input `branchs`: did you mean `branch`?"]);
}

#[test]
fn the_command_line_wins_and_takes_no_credentials() {
    let env = BTreeMap::from([("INPUT_MODE".to_owned(), "auto".to_owned())]);
    let with = |pair: &str| Inputs::read(&env, &[pair.to_owned()], Path::new("/w"));
    assert_eq!(with("mode=collect").unwrap().mode, Mode::Collect);
    assert!(with("api-key=sk-1").unwrap_err().to_string().contains("not taken from the command line"));
    assert!(!format!("{:#}", with("api-key=sk-1").unwrap_err()).contains("sk-1"));
    assert!(with("mod=collect").is_err() && with("mode").is_err());
}

#[test]
fn what_fails_the_step_is_chosen() {
    let code = |text: &str, word: &str| {
        let word = crate::action::outcome::Word::all().find(|known| known.text() == word).unwrap();
        text.parse::<FailOn>().unwrap().code(word)
    };
    assert_eq!(code("never", "error"), 0);
    for (word, expected) in [("fixed", 0), ("skipped", 0), ("collected", 0), ("flaky", 3), ("refused", 3), ("error", 1)]
    {
        assert_eq!(code("unfixed", word), expected, "{word}");
    }
    assert_eq!(code("service_failed, declined", "service_failed"), 7);
    assert_eq!(code("service_failed, declined", "flaky"), 0);
    assert_eq!(code("fixed", "fixed"), 1);
}
