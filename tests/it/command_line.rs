//! What scripts depend on: exit codes, JSON on standard output alone, refusals with a way out.

use crate::support::program::Program;
use crate::support::repository::Repository;

const PASSING: &[(&str, &str)] = &[("a.txt", "a\n")];

#[test]
fn a_broken_policy_is_a_usage_error_with_its_place_and_the_nearest_key() {
    let repository = Repository::of(&[("a.txt", "a\n"), (".github/unbreak.yml", "version: 1\nnetwrok: deny\n")]);
    let repo = repository.path().to_str().unwrap();
    let ran = Program::new().run(&["fix", "--repo", repo, "--run", "true"]).expect(2);
    assert!(ran.stderr.contains("unbreak.yml"), "{}", ran.stderr);
    assert!(ran.stderr.contains(":2:1"), "{}", ran.stderr);
    assert!(ran.stderr.contains("did you mean `network`"), "{}", ran.stderr);
}

#[test]
fn without_an_artifact_or_a_command_an_example_is_shown() {
    let repository = Repository::of(PASSING);
    let ran = Program::new().run(&["fix", "--repo", repository.path().to_str().unwrap()]).expect(2);
    assert!(ran.stderr.contains("unbreak fix --run \"cargo test\""), "{}", ran.stderr);
}

#[test]
fn what_is_no_artifact_is_said_with_what_was_tried() {
    let repository = Repository::of(PASSING);
    let program = Program::new();
    for (name, bytes) in [("empty.xml", ""), ("noise.bin", "\u{1}\u{2}nothing here\n")] {
        let file = program.path(name);
        std::fs::write(&file, bytes).unwrap();
        let ran = program
            .run(&["fix", "--repo", repository.path().to_str().unwrap(), "--artifact", file.to_str().unwrap()])
            .expect(2);
        assert!(ran.stderr.contains(name) && ran.stderr.contains("junit"), "{name}: {}", ran.stderr);
    }
}

#[test]
fn places_that_are_no_repository_are_usage_errors() {
    let program = Program::new();
    let bare = Repository::of(PASSING);
    let clone = program.path("bare.git");
    bare.git(&["clone", "-q", "--bare", ".", clone.to_str().unwrap()]);
    let plain = program.path("plain");
    std::fs::create_dir(&plain).unwrap();
    for place in [clone, plain, program.path("nowhere")] {
        let ran = program.run(&["fix", "--repo", place.to_str().unwrap(), "--run", "true"]).expect(2);
        assert!(ran.stderr.contains("hint:"), "{}: {}", place.display(), ran.stderr);
    }
}

#[test]
fn an_error_is_json_on_standard_output_when_json_was_asked_for() {
    let program = Program::new();
    let ran = program.run(&["fix", "--repo", "/nowhere", "--run", "true", "--format", "json"]).expect(2);
    let error = &ran.json()["error"];
    assert!(error["message"].is_string() && error["hints"].is_array(), "{error}");
}

#[test]
fn a_model_that_cannot_be_is_a_usage_error_with_an_example() {
    let repository = Repository::of(PASSING);
    let repo = repository.path().to_str().unwrap();
    let ran = Program::new().run(&["fix", "--repo", repo, "--run", "true", "--model", "opena:x"]).expect(2);
    assert!(ran.stderr.contains("did you mean `openai`"), "{}", ran.stderr);
}

#[test]
fn parse_prints_the_failure_model() {
    let program = Program::new();
    let report = "<testsuite><testcase classname='tests.a' name='b'><failure message='1 != 2'>tests/a.py:3: E</failure></testcase></testsuite>";
    std::fs::write(program.path("r.xml"), report).unwrap();
    let ran = program.run(&["parse", "r.xml", "--format", "json"]).expect(0);
    let listing = ran.json();
    assert_eq!(listing["version"], 1);
    assert_eq!(listing["artifacts"][0]["tests"]["failed"], 1);
    assert_eq!(listing["failures"][0]["test"]["name"], "b");
    assert_eq!(listing["failures"][0]["message"], "1 != 2");
    program.run(&["parse", "absent.xml"]).expect(2);
}

#[test]
fn the_gate_blocks_a_skipped_test_and_passes_an_honest_change() {
    let test = "def test_a():\n    assert f() == 3\n";
    let repository = Repository::of(&[("src/a.py", "def f():\n    return 2\n"), ("tests/test_a.py", test)]);
    let base = repository.git(&["rev-parse", "HEAD"]);
    repository.write("src/a.py", "def f():\n    return 3\n");
    let honest = repository.commit("honest");
    repository.write("tests/test_a.py", &format!("import pytest\n\n@pytest.mark.skip\n{test}"));
    let cheat = repository.commit("cheat");
    let program = Program::new();
    let repo = repository.path().to_str().unwrap();
    let judged =
        |head: &str| program.run(&["gate", "--repo", repo, "--base", &base, "--head", head, "--format", "json"]);
    assert_eq!(judged(&honest).expect(0).json()["verdict"], "pass");
    let blocked = judged(&cheat).expect(4).json();
    assert_eq!(blocked["verdict"], "block");
    assert_eq!(blocked["findings"][0]["path"], "tests/test_a.py");
    judged("no-such-revision").expect(2);
}

#[test]
fn policy_show_reads_back_and_explain_answers() {
    let repository = Repository::of(&[("src/a.py", "\n"), (".github/unbreak.yml", "allowed_write_paths: [src/]\n")]);
    let repo = repository.path().to_str().unwrap();
    let program = Program::new();
    let shown = program.run(&["policy", "show", "--repo", repo]).expect(0);
    std::fs::write(program.path("shown.yml"), &shown.stdout).unwrap();
    program.run(&["policy", "check", "shown.yml"]).expect(0);
    let explained = |path: &str| {
        program.run(&["policy", "explain", "--repo", repo, "--write", path, "--format", "json"]).expect(0).json()
    };
    assert_eq!(explained("src/a.py")["decision"], "allow");
    assert_eq!(explained("../../etc/passwd")["decision"], "deny");
    assert_eq!(explained(".github/workflows/ci.yml")["decision"], "deny");
}

#[test]
fn help_lists_every_exit_code() {
    let ran = Program::new().run(&["--help"]).expect(0);
    for code in ["0 ", "1 ", "2 ", "3 ", "4 ", "5 ", "6 ", "7 ", "129 ", "130 ", "131 ", " 143"] {
        assert!(ran.stdout.contains(&format!("  {code}")), "{code}: {}", ran.stdout);
    }
}
