//! `action.yml` says what the program does, word by word.

use serde_json::Value;

use super::inputs::INPUTS;
use super::outputs::OUTPUTS;

fn action() -> Value {
    let text = include_str!("../../action.yml");
    serde_yaml::from_str(text).unwrap()
}

fn section(name: &str) -> Vec<(String, Value)> {
    action()[name].as_object().unwrap().iter().map(|(name, value)| (name.clone(), value.clone())).collect()
}

#[test]
fn the_inputs_of_action_yml_are_those_of_the_program() {
    let written: Vec<(String, String, String)> = section("inputs")
        .into_iter()
        .map(|(name, input)| {
            assert_eq!(input["required"], false, "{name}");
            let word = |key: &str| input[key].as_str().unwrap_or_else(|| panic!("{name}.{key}")).trim().to_owned();
            (name.clone(), word("default"), word("description"))
        })
        .collect();
    let known =
        INPUTS.iter().map(|input| (input.name.to_owned(), input.default.to_owned(), input.description.to_owned()));
    assert_eq!(written, known.collect::<Vec<_>>());
}

#[test]
fn the_outputs_of_action_yml_are_those_of_the_program() {
    let written: Vec<(String, String)> = section("outputs")
        .into_iter()
        .map(|(name, output)| (name, output["description"].as_str().unwrap().trim().to_owned()))
        .collect();
    let known = OUTPUTS.iter().map(|output| (output.name.to_owned(), output.description.to_owned()));
    assert_eq!(written, known.collect::<Vec<_>>());
}

#[test]
fn the_result_words_of_the_description_are_those_of_the_program() {
    let description = OUTPUTS[0].description;
    for word in super::outcome::Word::all() {
        assert!(description.contains(word.text()), "{}", word.text());
    }
}

#[test]
fn the_container_gets_no_arguments_of_a_caller() {
    let runs = &action()["runs"];
    assert_eq!(runs["using"], "docker");
    assert_eq!(runs["args"], serde_json::json!(["action"]));
    assert!(runs.get("env").is_none(), "variables of the action would reach every stage");
}

#[test]
fn the_setup_of_a_version_fetches_that_version_and_nobodys_words_are_in_its_scripts() {
    let setup: Value = serde_yaml::from_str(include_str!("../../setup/action.yml")).unwrap();
    assert_eq!(setup["inputs"]["version"]["default"], concat!("v", env!("CARGO_PKG_VERSION")));
    assert_eq!(setup["inputs"]["user-namespaces"]["default"], "false");
    for step in setup["runs"]["steps"].as_array().unwrap() {
        assert!(!step["run"].as_str().unwrap().contains("${{"));
        assert!(step.get("uses").is_none());
    }
}
