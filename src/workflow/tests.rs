//! Files as projects have them.

use super::*;
use crate::incident::FailedStep;

fn read(text: &str) -> Workflow {
    Workflow::read(text.as_bytes()).unwrap()
}

fn step(number: u64, name: &str) -> FailedStep {
    FailedStep { number, name: name.to_owned() }
}

/// What a step runs: `[VAR=value …] [@ directory] word | word`, a line a command, or why it is not known.
fn show(text: &str, job: &str, number: u64, name: &str) -> String {
    let workflow = read(text);
    let found = match find(&workflow, job, &step(number, name)) {
        Ok(found) => found,
        Err(missing) => return missing.to_string(),
    };
    match found.command() {
        Ok(lines) => lines.iter().map(line).collect::<Vec<_>>().join("\n"),
        Err(unknown) => unknown.to_string(),
    }
}

fn line(command: &CommandLine) -> String {
    let env = command.env.iter().map(|(name, value)| format!("{name}={value}"));
    let cwd = command.cwd.iter().map(|cwd| format!("@ {cwd}"));
    env.chain(cwd).chain([command.argv.join(" | ")]).collect::<Vec<_>>().join(" ")
}

const MATRIX: &str = r#"
name: CI
on:
  push: {branches: [main]}
  pull_request:
env: {PYTHONUNBUFFERED: 1}
jobs:
  test:
    runs-on: ${{ matrix.os }}
    strategy:
      fail-fast: false
      matrix:
        python: ["3.11", "3.12", 3.10]
        os: [ubuntu-latest, windows-latest]
        exclude:
          - {python: "3.11", os: windows-latest}
        include:
          - {python: "3.12", os: ubuntu-latest, extra: --cov}
          - {python: "3.13", os: ubuntu-latest, extra: --pre}
    steps:
      - uses: actions/checkout@v4
      - name: Set up Python ${{ matrix.python }}
        uses: actions/setup-python@v5
      - run: pip install -e ".[test]"
      - run: python -m pytest -k "not slow" ${{ matrix.extra }}
"#;

#[test]
fn a_matrix_cell_is_found_by_the_values_in_the_name() {
    assert_eq!(
        show(MATRIX, "test (3.12, ubuntu-latest)", 5, "Run python -m pytest -k \"not slow\" --cov"),
        "PYTHONUNBUFFERED=1 python | -m | pytest | -k | not slow | --cov"
    );
    assert_eq!(
        show(MATRIX, "test (3.13, ubuntu-latest, --pre)", 5, "Run python -m pytest -k \"not slow\" --pre"),
        "PYTHONUNBUFFERED=1 python | -m | pytest | -k | not slow | --pre"
    );
    // A number loses its zero at the forge, too; a value that the cell does not have is empty.
    assert_eq!(
        show(MATRIX, "test (3.1, ubuntu-latest)", 4, "Run pip install -e \".[test]\""),
        "PYTHONUNBUFFERED=1 pip | install | -e | .[test]"
    );
    assert_eq!(
        show(MATRIX, "test (3.11, windows-latest)", 4, "Run pip install -e \".[test]\""),
        "no job of the workflow file is called `test (3.11, windows-latest)`"
    );
}

#[test]
fn a_windows_cell_is_read_by_powershell_and_says_what_is_lacking() {
    let shown = show(MATRIX, "test (3.12, windows-latest)", 4, "Run pip install -e \".[test]\"");
    assert!(shown.starts_with("PYTHONUNBUFFERED=1 pwsh | -command | $ErrorActionPreference"), "{shown}");
    let workflow = read(MATRIX);
    let found = find(&workflow, "test (3.12, windows-latest)", &step(4, "Run pip install -e \".[test]\"")).unwrap();
    assert_eq!(found.lacks(), ["The job ran on Windows."]);
}

#[test]
fn steps_that_are_actions_or_the_runners_own_say_so() {
    assert_eq!(
        show(MATRIX, "test (3.12, ubuntu-latest)", 3, "Set up Python 3.12"),
        "the step uses the action actions/setup-python@v5, whose commands are not in the workflow file"
    );
    assert_eq!(
        show(MATRIX, "test (3.12, ubuntu-latest)", 2, "Run actions/checkout@v4"),
        "the step uses the action actions/checkout@v4, whose commands are not in the workflow file"
    );
    assert_eq!(
        show(MATRIX, "test (3.12, ubuntu-latest)", 11, "Post Run actions/checkout@v4"),
        "the step `Post Run actions/checkout@v4` is the runner's own, no command of the workflow file"
    );
    assert_eq!(show(MATRIX, "test (3.12, ubuntu-latest)", 5, "Lint"), "no step of the job `test` is called `Lint`");
}

#[test]
fn a_name_with_expressions_is_matched_by_its_values() {
    let text = r"
on: push
jobs:
  build:
    name: Build ${{ matrix.target.triple }} (${{ matrix.profile }})
    runs-on: ubuntu-24.04
    strategy:
      matrix:
        target:
          - {triple: x86_64-unknown-linux-gnu, flags: ''}
          - {triple: aarch64-unknown-linux-gnu, flags: --no-default-features}
        profile: [dev, release]
    steps:
      - name: Build
        run: cargo build --profile ${{ matrix.profile }} --target ${{ matrix.target.triple }} ${{ matrix.target.flags }}
";
    assert_eq!(
        show(text, "Build aarch64-unknown-linux-gnu (release)", 2, "Build"),
        "cargo | build | --profile | release | --target | aarch64-unknown-linux-gnu | --no-default-features"
    );
}

#[test]
fn a_name_without_expressions_has_the_values_behind_it_mappings_flattened() {
    let text = r"
jobs:
  t:
    name: Unit tests
    strategy: {matrix: {node: [{v: 18, lts: true}, {v: 22, lts: false}]}}
    steps: [{run: 'npm test -- --node=${{ matrix.node.v }}'}]
";
    assert_eq!(show(text, "Unit tests (22, false)", 2, "Run npm test -- --node=22"), "npm | test | -- | --node=22");
}

#[test]
fn variables_of_three_levels_and_assignments_meet_in_one_environment() {
    let text = r"
env: {A: workflow, B: workflow, C: workflow}
jobs:
  t:
    runs-on: ubuntu-latest
    env:
      B: job-${{ env.A }}
      TOKEN: ${{ secrets.TOKEN }}
    steps:
      - name: go
        env: {C: '${{ env.B }}/step', N: 3}
        run: D='own value' cargo test --locked
";
    assert_eq!(
        show(text, "t", 2, "go"),
        "A=workflow B=job-workflow C=job-workflow/step D=own value N=3 cargo | test | --locked"
    );
    let workflow = read(text);
    let found = find(&workflow, "t", &step(2, "go")).unwrap();
    assert_eq!(found.lacks(), ["The variable TOKEN depends on `secrets.TOKEN`, which only the run itself knows."]);
}

#[test]
fn directories_come_from_the_step_the_job_or_the_file() {
    let text = r"
defaults: {run: {working-directory: ./web/}}
jobs:
  a:
    steps:
      - run: npm ci
      - {run: npm test, working-directory: '${{ github.workspace }}/web/app'}
      - {run: ls, working-directory: /tmp}
      - {run: ls -a, working-directory: ../elsewhere}
      - {run: make, working-directory: .}
  b:
    defaults: {run: {working-directory: api, shell: bash}}
    steps:
      - run: python ${{ github.workspace }}/tools/check.py
";
    assert_eq!(show(text, "a", 2, "Run npm ci"), "@ web npm | ci");
    assert_eq!(show(text, "a", 3, "Run npm test"), "@ web/app npm | test");
    assert!(show(text, "a", 4, "Run ls").contains("`/tmp` is absolute"));
    assert!(show(text, "a", 5, "Run ls -a").contains("leaves its directory"));
    assert_eq!(show(text, "a", 6, "Run make"), "make");
    assert_eq!(
        show(text, "b", 2, "Run python /home/runner/work/x/x/tools/check.py"),
        "@ api python | ../tools/check.py"
    );
}

#[test]
fn a_script_of_simple_commands_becomes_commands() {
    let text = r"
jobs:
  t:
    steps:
      - name: checks
        run: |
          # first the style
          ruff check .
          ruff format --check \
            --diff .

          mypy --strict 'src dir'
";
    assert_eq!(
        show(text, "t", 2, "checks"),
        "ruff | check | .\nruff | format | --check | --diff | .\nmypy | --strict | src dir"
    );
}

#[test]
fn what_needs_a_shell_gets_the_one_that_the_forge_would_take() {
    for (step, expected) in [
        ("{run: cd web && npm test}", "bash | -e | -c | cd web && npm test"),
        (
            "{run: cargo test 2>&1 | tee log, shell: bash}",
            "bash | --noprofile | --norc | -eo | pipefail | -c | cargo test 2>&1 | tee log",
        ),
        ("{run: 'pytest $(cat list)', shell: sh}", "sh | -e | -c | pytest $(cat list)"),
        ("{run: 'import sys; sys.exit(1)', shell: python}", "python | -c | import sys; sys.exit(1)"),
        ("{run: pytest, shell: 'bash -el {0}'}", "bash | -el | -c | pytest"),
        ("{run: 'pytest tests/*.py'}", "bash | -e | -c | pytest tests/*.py"),
        ("{run: 'export A=1'}", "bash | -e | -c | export A=1"),
        (
            "{run: 'echo \"x=$A\" >> \"$GITHUB_OUTPUT\"'}",
            "GITHUB_OUTPUT=/dev/null bash | -e | -c | echo \"x=$A\" >> \"$GITHUB_OUTPUT\"",
        ),
        ("{run: dir, shell: cmd}", "the shell `cmd` takes a file and runs on other systems, or is not known"),
        (
            "{run: x, shell: 'perl {0} --flag'}",
            "the shell `perl {0} --flag` takes a file and runs on other systems, or is not known",
        ),
        ("{run: ''}", "the step runs nothing"),
    ] {
        let text = format!("jobs:\n  t:\n    steps:\n      - {step}\n");
        let workflow = read(&text);
        let title = workflow.jobs[0].steps[0].run.clone().unwrap();
        assert_eq!(show(&text, "t", 2, &format!("Run {title}")), expected, "{step}");
    }
}

#[test]
fn a_step_is_shell_when_powershell_is_asked_for() {
    let text = "jobs: {t: {runs-on: ubuntu-latest, steps: [{run: Invoke-Pester, shell: pwsh}]}}";
    let shown = show(text, "t", 2, "Run Invoke-Pester");
    assert!(shown.contains("Invoke-Pester\nif ((Test-Path"), "{shown}");
}

#[test]
fn conditionals_here_documents_and_quotes_over_lines_keep_their_script() {
    let script = "if [ -f x ]; then\n  cat <<'END' > y\nA 'b\nEND\nfi\n";
    let text = format!("jobs:\n  t:\n    steps:\n      - name: s\n        run: |\n{}", indent(script));
    assert_eq!(show(&text, "t", 2, "s"), format!("bash | -e | -c | {script}"));
}

fn indent(script: &str) -> String {
    script.lines().fold(String::new(), |text, line| text + "          " + line + "\n")
}

#[test]
fn anchors_are_followed() {
    let text = r"
x-steps: &setup
  - uses: actions/checkout@v4
  - run: npm ci
jobs:
  a: {runs-on: ubuntu-latest, steps: *setup}
  b:
    env: &shared {MODE: ci}
    steps: [{run: npm test, env: *shared}]
";
    assert_eq!(show(text, "a", 3, "Run npm ci"), "npm | ci");
    assert_eq!(show(text, "b", 2, "Run npm test"), "MODE=ci npm | test");
}

#[test]
fn a_job_of_a_reusable_workflow_names_the_other_file() {
    let text = "jobs: {call: {name: Shared, uses: ./.github/workflows/shared.yml}, other: {steps: []}}";
    assert_eq!(
        show(text, "Shared / test (3.12)", 2, "Run pytest"),
        "the job `Shared / test (3.12)` is one of the reusable workflow ./.github/workflows/shared.yml, which is another file"
    );
    let missing = find(&read(text), "Shared / test (3.12)", &step(2, "Run pytest")).unwrap_err();
    assert!(matches!(missing, Missing::Reusable { inner, .. } if inner == "test (3.12)"));
}

#[test]
fn a_matrix_that_another_job_computes_is_known_as_far_as_the_name_tells() {
    let text = r"
jobs:
  t:
    strategy:
      matrix:
        crate: ${{ fromJSON(needs.plan.outputs.crates) }}
        features: [default, full]
    steps:
      - run: cargo test -p ${{ matrix.crate }} --features ${{ matrix.features }}
      - run: cargo test ${{ matrix.more }}
  all:
    strategy: {matrix: '${{ fromJSON(needs.plan.outputs.matrix) }}'}
    steps: [{name: x, run: 'go test ${{ matrix.package }}'}]
";
    assert_eq!(
        show(text, "t (core, full)", 2, "Run cargo test -p core --features full"),
        "cargo | test | -p | core | --features | full"
    );
    assert_eq!(
        show(text, "t (core, full)", 3, "Run cargo test whatever"),
        "its script depends on `matrix.more`, which only the run itself knows"
    );
    assert_eq!(
        show(text, "all (a, b)", 2, "x"),
        "its script depends on `matrix.package`, which only the run itself knows"
    );
}

#[test]
fn expressions_are_worked_out_where_all_values_are_known() {
    let text = r"
env: {MODE: release}
jobs:
  t:
    runs-on: ubuntu-latest
    strategy: {matrix: {toolchain: [stable, nightly], count: [2]}}
    steps:
      - name: s
        run: >-
          cargo ${{ matrix.toolchain == 'Nightly' && '-Zx' || '-q' }} ${{ matrix['toolchain'] }}
          ${{ matrix.missing || 'it''s }} here' }} ${{ !(env.MODE != 'release') }} ${{ matrix.count }} ${{ runner.os }}
      - {name: u, run: 'make ${{ secrets.A || matrix.toolchain }} ${{ format(''{0}'', github.sha) }} ${{ steps.x.outputs.y }}'}
";
    assert_eq!(
        show(text, "t (nightly, 2)", 2, "s"),
        "bash | -e | -c | cargo -Zx nightly it's }} here true 2 Linux".replace("bash", "MODE=release bash")
    );
    assert_eq!(
        show(text, "t (stable, 2)", 3, "u"),
        "its script depends on `secrets.A || matrix.toolchain`, `format('{0}', github.sha)`, `steps.x.outputs.y`, which only the run itself knows"
    );
}

#[test]
fn functions_of_known_values_are_worked_out() {
    let text = r"
env: {LIST: 'a,b'}
jobs:
  t:
    strategy: {matrix: {python: [3.14t], tags: [[x, Y]]}}
    steps:
      - {name: a, run: 'pytest -n ${{ endsWith(matrix.python, ''T'') && ''4'' || ''1'' }} ${{ startsWith(matrix.python, ''4'') }}'}
      - {name: b, run: 'make ${{ contains(env.LIST, ''B'') }} ${{ contains(matrix.tags, ''y'') }} ${{ contains(matrix.tags, ''z'') }}'}
      - {name: c, run: 'make ${{ format(''x{{}}-{1}{0}'', matrix.python, env.LIST) }}'}
      - {name: d, run: 'make ${{ format(''{9}'', ''a'') }} ${{ hashFiles(''**'') }} ${{ toJSON(matrix) }} ${{ contains(''a'') }}'}
";
    assert_eq!(show(text, "t (3.14t, x, Y)", 2, "a"), "LIST=a,b pytest | -n | 4 | false");
    assert_eq!(show(text, "t (3.14t, x, Y)", 3, "b"), "LIST=a,b make | true | true | false");
    assert_eq!(show(text, "t (3.14t, x, Y)", 4, "c"), "LIST=a,b bash | -e | -c | make x{}-a,b3.14t");
    assert_eq!(
        show(text, "t (3.14t, x, Y)", 5, "d"),
        "its script depends on `format('{9}', 'a')`, `hashFiles('**')`, `toJSON(matrix)`, `contains('a')`, which only the run itself knows"
    );
}

#[test]
fn services_and_containers_are_reported() {
    let text = r"
jobs:
  t:
    runs-on: [self-hosted, linux]
    container: {image: 'node:22'}
    services:
      postgres: {image: 'postgres:16', ports: ['5432:5432']}
      redis: {image: redis}
    steps:
      - {uses: actions/checkout@v4, with: {repository: other/data, path: data}}
      - {run: npm test}
";
    let workflow = read(text);
    let found = find(&workflow, "t", &step(4, "Run npm test")).unwrap();
    assert_eq!(
        found.lacks(),
        [
            "The job ran in the container `node:22`.",
            "The service `postgres` (postgres:16) ran beside the job.",
            "The service `redis` (redis) ran beside the job.",
            "The job checked out `other/data`."
        ]
    );
}

#[test]
fn of_steps_with_one_name_the_number_decides() {
    let text = "jobs: {t: {steps: [{uses: a/b@v1}, {name: test, run: one}, {name: test, run: two}, {run: make}]}}";
    assert_eq!(show(text, "t", 3, "test"), "one");
    assert_eq!(show(text, "t", 4, "test"), "two");
    assert_eq!(show(text, "t", 5, "Run make"), "make");
}

#[test]
fn cells_that_the_name_does_not_tell_apart_share_only_what_they_have_in_common() {
    let text = r"
jobs:
  t:
    name: test on ${{ matrix.os }}
    strategy: {matrix: {os: [a, b], shard: [1, 2]}}
    steps: [{name: s, run: 'make ${{ matrix.os }}'}, {name: u, run: 'make ${{ matrix.shard }}'}]
";
    assert_eq!(show(text, "test on b", 2, "s"), "make | b");
    assert_eq!(
        show(text, "test on b", 3, "u"),
        "its script depends on `matrix.shard`, which only the run itself knows"
    );
}

#[test]
fn a_long_name_that_the_forge_cut_is_recognised() {
    let value = "x".repeat(120);
    let text = format!("jobs: {{t: {{strategy: {{matrix: {{v: [{value}, short]}}}}, steps: [{{run: make}}]}}}}");
    assert_eq!(show(&text, &format!("t ({}...", "x".repeat(94)), 2, "Run make"), "make");
}

#[test]
fn what_is_no_workflow_says_where_and_why() {
    let error = |text: &str| Workflow::read(text.as_bytes()).unwrap_err().to_string();
    assert!(error("jobs:\n  a: [1\n  b: }").starts_with("line 3, column "), "{}", error("jobs:\n  a: [1\n  b: }"));
    assert_eq!(error("name: x\non: push\n"), "the file has no mapping `jobs`, so it is no workflow");
    assert_eq!(error(""), "the file has no mapping `jobs`, so it is no workflow");
    assert!(error(&format!("jobs: {}", "[".repeat(500))).contains("line 1"));
    assert!(error(&" ".repeat((1 << 20) + 1)).contains("at most"));
    assert!(Workflow::read(b"jobs: \xff\xfe").is_err());
    let mut bomb = "a: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..9 {
        let row = vec![format!("*a{}", level - 1); 10].join(", ");
        bomb = format!("{bomb}b{level}: &a{level} [{row}]\n");
    }
    assert!(Workflow::read(format!("{bomb}jobs: {{}}\n").as_bytes()).is_err());
}

proptest::proptest! {
    #[test]
    fn no_text_makes_it_panic(script in ".{0,80}", name in ".{0,40}", expression in "[a-z.'!()=&|{}$ \\[\\]0-9]{0,40}") {
        let workflow = Workflow {
            jobs: vec![Job {
                id: "t".to_owned(),
                name: Some(format!("{name} ${{{{ {expression} }}}}")),
                steps: vec![Step { run: Some(format!("{script} ${{{{{expression}}}}}")), ..Step::default() }],
                ..Job::default()
            }],
            ..Workflow::default()
        };
        let found = Found { workflow: &workflow, job: &workflow.jobs[0], step: &workflow.jobs[0].steps[0], cell: Cell::default() };
        drop((found.command(), found.lacks(), find(&workflow, &name, &step(2, &script)).is_ok()));
    }
}
