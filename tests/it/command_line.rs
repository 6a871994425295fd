//! What scripts depend on: exit codes, JSON on standard output alone, refusals with a way out.

use crate::support::github::zipped;
use crate::support::program::{Program, Ran};
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
        assert!(ran.stderr.contains(name) && ran.stderr.contains("docs/artifacts.md"), "{name}: {}", ran.stderr);
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
fn nothing_that_a_report_says_commands_the_ci_system_that_shows_it() {
    let program = Program::new();
    let report = "<testsuite><testcase name='a&#10;##[error]x'><failure message='m&#10;::error::y'>##[error]z</failure></testcase></testsuite>";
    std::fs::write(program.path("r.xml"), report).unwrap();
    for format in ["json", "text", "junit", "sarif"] {
        let shown = program.run(&["parse", "r.xml", "--format", format]).expect(0).stdout;
        assert!(!shown.contains("##[") && !shown.lines().any(|line| line.trim_start().starts_with("::")), "{shown}");
    }
}

#[test]
fn archives_are_looked_into() {
    let program = Program::new();
    let report = "<testsuite><testcase classname='tests.a' name='b'><failure message='1 != 2'>tests/a.py:3: E</failure></testcase></testsuite>";
    let archive = zipped(&[("out/r.xml", report), ("index.html", "<html>")]);
    std::fs::write(program.path("a.zip"), archive).unwrap();
    let listing = program.run(&["parse", "a.zip", "--format", "json"]).expect(0).json();
    let artifacts = listing["artifacts"].as_array().unwrap();
    let shown: Vec<String> = artifacts.iter().map(|one| format!("{} {}", one["path"], one["kind"])).collect();
    assert_eq!(shown, [r#""a.zip" "archive""#, r#""a.zip!out/r.xml" "junit""#]);
    assert_eq!((&listing["failures"][0]["artifact"], listing["failures"].as_array().unwrap().len()), (&1.into(), 1));
    let repository = Repository::of(&[("tests/a.py", "\n\n\n")]);
    let repo = repository.path().to_str().unwrap();
    let explained =
        program.run(&["explain", "--repo", repo, "--artifact", "a.zip", "--format", "json"]).expect(0).json();
    assert_eq!(explained["failures"][0]["location"]["path"], "tests/a.py");
    assert!(explained["problems"][0].as_str().unwrap().contains("index.html"), "{explained}");
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

#[test]
fn a_command_line_that_is_none_is_json_too_when_json_was_asked_for() {
    let ran = Program::new().run(&["explain", "--artefact", "x", "--format", "json"]).expect(2);
    let error = &ran.json()["error"];
    assert!(error["message"].as_str().unwrap().contains("--artefact"), "{error}");
    assert!(error["hints"].to_string().contains("--artifact"), "{error}");
    assert_eq!(Program::new().run(&["explain", "--artefact", "x"]).expect(2).stdout, "");
}

#[test]
fn a_file_that_cannot_be_read_is_a_usage_error() {
    let ran = Program::new().run(&["parse", "/proc/self/mem"]).expect(2);
    assert!(ran.stderr.contains("/proc/self/mem"), "{}", ran.stderr);
}

#[test]
fn no_line_of_a_result_is_a_command_to_a_ci_system() {
    let program = Program::new();
    let report = "<testsuite><testcase name='a&#10;::error::x'><failure message='m&#10;::error file=a::pwned'>::stop-commands::x</failure></testcase></testsuite>";
    std::fs::write(program.path("r.xml"), report).unwrap();
    for format in ["text", "junit", "json", "sarif"] {
        let ran = program.run(&["parse", "r.xml", "--format", format]).expect(0);
        let obeyed = |line: &str| line.trim_start().starts_with("::");
        assert!(!ran.stdout.lines().any(obeyed), "{format}: {}", ran.stdout);
    }
}

#[test]
fn a_record_that_was_emptied_or_cut_off_does_not_hold() {
    let repository = Repository::of(PASSING);
    let program = Program::new();
    let out = program.path("out");
    program
        .run(&["fix", "--repo", repository.path().to_str().unwrap(), "--out", out.to_str().unwrap(), "--run", "true"])
        .expect(0);
    let file = out.join("journal.jsonl");
    let verify = |more: &[&str]| program.run(&[&["journal", "verify", file.to_str().unwrap()], more].concat());
    verify(&[]).expect(0);
    let whole = std::fs::read_to_string(&file).unwrap();
    let last: serde_json::Value = serde_json::from_str(whole.lines().last().unwrap()).unwrap();
    let head = last["hash"].as_str().unwrap();
    verify(&["--head", head]).expect(0);
    let cut: String = whole.split_inclusive('\n').take(2).collect();
    std::fs::write(&file, cut).unwrap();
    assert!(verify(&[]).expect(3).stderr.contains("proposal.json"));
    std::fs::remove_file(out.join("proposal.json")).unwrap();
    verify(&[]).expect(0);
    verify(&["--head", head]).expect(3);
    std::fs::write(&file, "").unwrap();
    verify(&[]).expect(3);
}

#[test]
fn without_a_home_the_users_own_is_taken_and_relative_places_are_none() {
    let program = Program::new();
    let repository = Repository::of(PASSING);
    let repo = repository.path().to_str().unwrap();
    let state = repository.state();
    let run = |variable: &str, value: &str| {
        let arguments = ["policy", "show", "--repo", repo];
        let mut command = program.command(&arguments);
        Ran::from(command.env(variable, value).current_dir(repository.path()).output().unwrap())
    };
    run("XDG_STATE_HOME", "state").expect(0);
    run("XDG_CACHE_HOME", "./cache").expect(0);
    let mut homeless = program.command(&["policy", "show", "--repo", repo]);
    homeless
        .env_remove("HOME")
        .env("XDG_STATE_HOME", program.path("state"))
        .env("XDG_CACHE_HOME", program.path("cache"));
    Ran::from(homeless.output().unwrap()).expect(0);
    let inside = repository.file("new/state");
    let refused = run("XDG_STATE_HOME", inside.to_str().unwrap()).expect(2);
    assert!(refused.stderr.contains("XDG_STATE_HOME"), "{}", refused.stderr);
    assert_eq!(repository.state(), state);
    let unwritable = run("XDG_STATE_HOME", "/proc/no").expect(2);
    assert!(unwritable.stderr.contains("hint: set XDG_STATE_HOME"), "{}", unwritable.stderr);
}

#[test]
fn a_policy_that_is_not_committed_is_said_not_to_be_in_force() {
    let repository = Repository::of(&[("a.txt", "a\n"), (".github/unbreak.yml", "version: 1\n")]);
    let repo = repository.path().to_str().unwrap();
    let program = Program::new();
    let shown = || program.run(&["policy", "show", "--repo", repo]).expect(0).stderr;
    assert_eq!(shown(), "");
    repository.write(".github/unbreak.yml", "version: 1\r\n");
    assert_eq!(shown(), "");
    repository.write(".github/unbreak.yml", "version: 1\nnetwork: deny\n");
    assert!(shown().contains("the one of HEAD is in force"));
    let plain = Repository::of(PASSING);
    plain.write(".github/unbreak.yml", "version: 1\n");
    let ran = program.run(&["policy", "show", "--repo", plain.path().to_str().unwrap()]).expect(0);
    assert!(ran.stderr.contains("the defaults are in force"), "{}", ran.stderr);
}

#[test]
fn a_policy_that_allows_what_is_always_denied_is_warned_of() {
    let program = Program::new();
    let policy = "version: 1\ncommands:\n  ship: {run: git push origin main}\n  test: {run: pytest}\n";
    std::fs::write(program.path("p.yml"), policy).unwrap();
    let ran = program.run(&["policy", "check", "p.yml"]).expect(0);
    assert!(ran.stderr.contains("commands.ship") && ran.stderr.contains("`push`"), "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
}

#[test]
fn explain_narrows_to_what_is_asked_about_and_names_its_users() {
    let code = "def price(x):\n    return x\n\n\ndef other():\n    return 1\n";
    let user = "from shop import price\n\n\ndef total(xs):\n    return sum(price(x) for x in xs)\n";
    let repository = Repository::of(&[("shop.py", code), ("cart.py", user)]);
    let program = Program::new();
    let log = "Traceback (most recent call last):\n  File \"cart.py\", line 5, in total\n    x\n  File \"shop.py\", line 2, in price\n    return x\nValueError: no\n";
    std::fs::write(program.path("log"), log).unwrap();
    let about = |subject: &str| {
        let repo = repository.path().to_str().unwrap();
        program.run(&["explain", subject, "--repo", repo, "--artifact", "log", "--format", "json"])
    };
    let explained = about("price").expect(0).json();
    assert!(explained["suspects"].as_array().unwrap().iter().all(|it| it["symbol"] == "price"), "{explained}");
    assert_eq!(explained["about"]["users"], serde_json::json!(["cart.py:5 total"]));
    assert_eq!(about("cart.py").expect(0).json()["suspects"][0]["path"], "cart.py");
    about("nowhere").expect(2);
}

#[test]
fn words_for_a_shell_are_refused_with_the_ways_out() {
    let repository = Repository::of(PASSING);
    let ran =
        Program::new().run(&["fix", "--repo", repository.path().to_str().unwrap(), "--run", "cd x && true"]).expect(2);
    assert!(ran.stderr.contains("no shell reads --run") && ran.stderr.contains("sh ci.sh"), "{}", ran.stderr);
}
