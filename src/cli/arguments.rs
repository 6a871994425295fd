//! The command line as clap reads it; nothing below the shell sees these.

mod stages;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::exit;
pub(super) use stages::{Action, Collect, Forge, Publish, Repair};

/// Reads why CI failed, fixes it, proves the fix and opens a pull request. It never merges.
#[derive(Debug, Parser)]
#[command(name = "unbreak", version, after_help = exit::TABLE, arg_required_else_help = true)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Repair a failure: reproduce it, try the cheapest means first, prove the result, write a proposal.
    Fix(Box<Fix>),
    /// Say what broke, where and why; changes nothing and asks no model.
    Explain(Explain),
    /// Read artifacts of CI and print what failed.
    Parse(Parse),
    /// Print the excerpts that a model would be shown, each with its reason and price.
    Context(Context),
    /// Judge a change by anyone: does it cheat its tests?
    Gate(Gate),
    /// Check, show or explain the policy.
    #[command(subcommand)]
    Policy(Policy),
    /// Show or verify the record of a run.
    #[command(subcommand)]
    Journal(Journal),
    /// Gather what GitHub knows of a failed run: logs, artifacts, commits, policy. Runs nothing of it.
    Collect(Box<Collect>),
    /// Repair what was collected: runs the code behind walls, asks models, and knows no token of GitHub.
    Repair(Box<Repair>),
    /// Open or update the pull request of a proposal; everything in it is checked again, and nothing is merged.
    Publish(Box<Publish>),
    /// Do what an event in GitHub Actions asks for: the entry point of the container, or of a step in the failing job.
    Action(Action),
    /// Say which walls can be built on this machine, and what is missing.
    Doctor(Doctor),
    /// Watch the whole loop on a bundled broken project: offline, without a key.
    Demo(Demo),
}

impl Command {
    /// Whether the result, and so an error in its place, is JSON.
    pub(super) fn is_json(&self) -> bool {
        match self {
            Self::Fix(it) => it.format == Format::Json,
            Self::Explain(it) => it.format == Format::Json,
            Self::Parse(it) => it.format == ParseFormat::Json,
            Self::Context(it) => it.format == ContextFormat::Json,
            Self::Gate(it) => it.format == GateFormat::Json,
            Self::Policy(Policy::Explain(it)) => it.format == Format::Json,
            Self::Collect(it) => it.format == Format::Json,
            Self::Repair(it) => it.format == Format::Json,
            Self::Publish(it) => it.format == Format::Json,
            Self::Doctor(it) => it.format == Format::Json,
            Self::Policy(_) | Self::Journal(_) | Self::Action(_) | Self::Demo(_) => false,
        }
    }
}

/// Where the failure comes from.
#[derive(Debug, Args)]
pub(super) struct Inputs {
    /// The repository; it is never written to.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(super) repo: PathBuf,
    /// What CI left behind: a report, a log, or a directory of them. `-` is standard input. Can be repeated.
    #[arg(long, value_name = "PATH")]
    pub(super) artifact: Vec<PathBuf>,
    /// The failing command, split into words like a shell would, without a shell.
    #[arg(long, value_name = "CMD")]
    pub(super) run: Option<String>,
    /// The policy file [default: .github/unbreak.yml at HEAD].
    #[arg(long, value_name = "FILE")]
    pub(super) policy: Option<PathBuf>,
    /// Work on HEAD alone, without uncommitted changes to tracked files.
    #[arg(long)]
    pub(super) clean: bool,
    /// What changed since it was green: `A..B`, or one older revision. Points at suspects.
    #[arg(long, value_name = "RANGE")]
    pub(super) since: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct Fix {
    #[command(flatten)]
    pub(super) inputs: Inputs,
    /// A new or empty directory for the proposal and its evidence [default: below your state directory].
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Take a verified fix into the checkout; refused where a touched file has changed since.
    #[arg(long)]
    pub(super) apply: bool,
    /// A model: `PROVIDER:NAME[@BASE_URL]` or `replay:DIR`, also as `light=…` and `strong=…`. Without one none is asked.
    #[arg(long, value_name = "SPEC")]
    pub(super) model: Vec<String>,
    /// Which means may be tried.
    #[arg(long, value_enum, default_value_t = Tiers::All)]
    pub(super) tier: Tiers,
    /// Record each model answer here, to be replayed with `--model replay:DIR`.
    #[arg(long, value_name = "DIR")]
    pub(super) record: Option<PathBuf>,
    /// Print the first prompt and stop before any cost.
    #[arg(long)]
    pub(super) show_prompt: bool,
    /// How to print the result.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
}

#[derive(Debug, Args)]
pub(super) struct Explain {
    /// Only this file, directory or function: the suspects in it, and who calls it.
    #[arg(value_name = "PATH|SYMBOL")]
    pub(super) about: Option<String>,
    #[command(flatten)]
    pub(super) inputs: Inputs,
    /// How to print the result.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Tiers {
    /// What tools themselves call safe; never a model.
    Zero,
    /// Only a model.
    Model,
    /// Both, the cheapest first.
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people.
    Text,
    /// For programs: on standard output alone.
    Json,
}

#[derive(Debug, Args)]
pub(super) struct Parse {
    /// Reports, logs, or directories of them; `-` is standard input.
    #[arg(required = true, value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    /// Map paths to this repository's files, and take up the problem matchers below its `.github/`.
    #[arg(long, value_name = "DIR")]
    pub(super) repo: Option<PathBuf>,
    /// The log of a green run: what it says as well explains no failure.
    #[arg(long, value_name = "LOG")]
    pub(super) baseline: Option<PathBuf>,
    /// How to print the failures.
    #[arg(long, value_enum, default_value_t = ParseFormat::Text)]
    pub(super) format: ParseFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ParseFormat {
    /// For people.
    Text,
    /// The failure model.
    Json,
    /// One `JUnit` report.
    Junit,
    /// One SARIF log.
    Sarif,
}

#[derive(Debug, Args)]
pub(super) struct Context {
    #[command(flatten)]
    pub(super) inputs: Inputs,
    /// How many tokens the excerpts may cost.
    #[arg(long, value_name = "TOKENS", default_value_t = 8_000)]
    pub(super) budget: u32,
    /// How to print it.
    #[arg(long, value_enum, default_value_t = ContextFormat::Md)]
    pub(super) format: ContextFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ContextFormat {
    /// Markdown.
    Md,
    /// For programs.
    Json,
}

#[derive(Debug, Args)]
pub(super) struct Gate {
    /// The repository.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(super) repo: PathBuf,
    /// The revision, or plain folder, before the change.
    #[arg(long, value_name = "REV")]
    pub(super) base: String,
    /// The revision, or plain folder, after it.
    #[arg(long, value_name = "REV")]
    pub(super) head: String,
    /// How to print the findings.
    #[arg(long, value_enum, default_value_t = GateFormat::Text)]
    pub(super) format: GateFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum GateFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// One SARIF log.
    Sarif,
}

#[derive(Debug, Subcommand)]
pub(super) enum Policy {
    /// Check a policy file: exit 0, or 2 with every error and its place.
    Check {
        /// The file [default: .github/unbreak.yml of the work tree].
        file: Option<PathBuf>,
    },
    /// Print the policy in force, defaults included.
    Show {
        /// The repository.
        #[arg(long, value_name = "DIR", default_value = ".")]
        repo: PathBuf,
        /// The policy file [default: .github/unbreak.yml at HEAD].
        #[arg(long, value_name = "FILE")]
        policy: Option<PathBuf>,
    },
    /// Print the JSON schema of the policy file.
    Schema,
    /// Say what the policy decides, and by which rules.
    Explain(PolicyExplain),
}

#[derive(Debug, Args)]
pub(super) struct PolicyExplain {
    /// The repository.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(super) repo: PathBuf,
    /// The policy file [default: .github/unbreak.yml at HEAD].
    #[arg(long, value_name = "FILE")]
    pub(super) policy: Option<PathBuf>,
    #[command(flatten)]
    pub(super) subject: PolicySubject,
    /// How to print it.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(super) struct PolicySubject {
    /// May this file be written?
    #[arg(long, value_name = "PATH")]
    pub(super) write: Option<String>,
    /// May this file be shown to a model?
    #[arg(long, value_name = "PATH")]
    pub(super) read: Option<String>,
    /// May this command be run: a name, or exact words?
    #[arg(long, value_name = "CMD")]
    pub(super) run: Option<String>,
    /// May this host be reached?
    #[arg(long, value_name = "HOST:PORT")]
    pub(super) net: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Journal {
    /// Print a record for reading.
    Show {
        /// `journal.jsonl`, or the directory of a run.
        file: PathBuf,
    },
    /// Check the hash chain: exit 0, or 3 with the first line that does not hold. Where `proposal.json` lies beside
    /// it, the record that the proposal was made from has to be there.
    Verify {
        /// `journal.jsonl`, or the directory of a run.
        file: PathBuf,
        /// The hash of a record that has to be there: a chain that was cut off still holds.
        #[arg(long, value_name = "HASH")]
        head: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(super) struct Doctor {
    /// How to print it.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
}

#[derive(Debug, Args)]
pub(super) struct Demo {
    /// A new or empty directory for the proposals [default: below your state directory].
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
}
