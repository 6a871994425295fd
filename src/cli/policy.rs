//! `unbreak policy`.

use std::path::{Path, PathBuf};

use super::arguments::{Format, Policy as Arguments, PolicyExplain};
use super::inputs;
use super::machine::{self, Machine};
use crate::fix::{self, Governing};
use crate::git::{Checkout, TreeSource};
use crate::ids::RepoPath;
use crate::journal::Journal;
use crate::policy::{self, Policy, Question, Tracked};
use crate::project;
use crate::source::Source as _;
use crate::{exit, output};

pub(super) async fn run(arguments: Arguments, machine: &Machine) -> anyhow::Result<u8> {
    match arguments {
        Arguments::Check { file } => check(file, machine),
        Arguments::Show { repo, policy } => {
            let (policy, _) = in_force(&repo, policy.as_deref(), machine).await?;
            output::result(&policy::show(&policy))?;
            Ok(exit::OK)
        }
        Arguments::Schema => {
            output::json(&policy::schema())?;
            Ok(exit::OK)
        }
        Arguments::Explain(arguments) => explain(&arguments, machine).await,
    }
}

fn check(file: Option<PathBuf>, machine: &Machine) -> anyhow::Result<u8> {
    let usual = || policy::FILES.iter().map(|name| machine.directory.join(name)).find(|path| path.exists());
    let Some(path) = file.or_else(usual) else {
        return Err(exit::Usage::error(
            "there is no policy file here",
            format!("write one to {}, or name it", policy::FILES[0]),
        ));
    };
    match Policy::read(&inputs::read(&path)?, policy::Origin::default()) {
        Ok(policy) => {
            for warning in dangers(&policy) {
                output::remark(&format!("warning: {warning}"));
            }
            output::result(&format!("{}: the policy holds", path.display()))?;
            Ok(exit::OK)
        }
        Err(errors) => Err(fix::BrokenPolicy { file: path.display().to_string(), errors }.into()),
    }
}

/// The commands of a policy that are denied whatever it allows: a reader of the file would think otherwise.
fn dangers(policy: &Policy) -> Vec<String> {
    let commands = policy.commands.iter().map(|(name, spec)| (format!("commands.{name}"), spec.argv.clone()));
    let allowed = policy
        .allowed_commands
        .iter()
        .flatten()
        .filter_map(|rule| Some((format!("allowed_commands: `{}`", rule.text()), shlex::split(rule.text())?)));
    let steps = policy.setup.iter().flat_map(|setup| &setup.steps);
    let setup = steps
        .flat_map(|step| std::iter::once(&step.command).chain(&step.otherwise))
        .map(|spec| ("setup".to_owned(), spec.argv.clone()));
    let found = commands.chain(allowed).chain(setup).filter_map(|(place, argv)| Some((place, policy::danger(&argv)?)));
    found
        .map(|(place, danger)| {
            let (class, shown) = (danger.class, danger.shown);
            format!("{place}: `{shown}` is of the class `{class}`, which is denied whatever the policy allows")
        })
        .collect()
}

/// Says so when the policy file of the work tree is not the one in force.
pub(super) async fn remark_uncommitted(checkout: &Checkout, journal: &Journal) -> anyhow::Result<()> {
    let head = checkout.source("HEAD", journal).await?;
    let committed = policy::FILES.iter().find_map(|name| head.read(&RepoPath::new(name).ok()?));
    let written = policy::FILES.iter().find_map(|name| Some((name, std::fs::read(checkout.root.join(name)).ok()?)));
    // A work tree may have other line ends than what was committed.
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    let same = committed.as_deref().map(text) == written.as_ref().map(|(_, bytes)| text(bytes));
    if !same {
        let name = written.map_or(policy::FILES[0], |(name, _)| name);
        let force = if committed.is_some() { "the one of HEAD is" } else { "the defaults are" };
        output::remark(&format!(
            "{name} has changes that are not committed: {force} in force (or name it with --policy)"
        ));
    }
    Ok(())
}

async fn in_force(repo: &Path, file: Option<&Path>, machine: &Machine) -> anyhow::Result<(Policy, TreeSource)> {
    let journal = Journal::unkept(machine::wall_clock);
    let repo = machine.directory.join(repo);
    let checkout = Checkout::open(&machine.git(&repo)?, &repo, &journal).await?;
    let governing = inputs::policy(file)?;
    if matches!(governing, Governing::Head) {
        remark_uncommitted(&checkout, &journal).await?;
    }
    let mut policy = fix::read_policy(&checkout, &governing, &journal).await?;
    let source = checkout.source("HEAD", &journal).await?;
    policy.adopt(project::named_commands(&project::detect(&source)));
    Ok((policy, source))
}

async fn explain(arguments: &PolicyExplain, machine: &Machine) -> anyhow::Result<u8> {
    let (policy, source) = in_force(&arguments.repo, arguments.policy.as_deref(), machine).await?;
    let tracked = Tracked::new(source.files().iter().map(|entry| entry.path.clone()));
    let subject = &arguments.subject;
    let question = match (&subject.write, &subject.read, &subject.run, &subject.net) {
        (Some(path), _, _, _) => Question::Write(path),
        (_, Some(path), _, _) => Question::Read(path),
        (_, _, Some(command), _) => Question::Run(command),
        (_, _, _, Some(host)) => Question::Net(host),
        (None, None, None, None) => {
            return Err(exit::Usage::error("nothing was asked", "name --write, --read, --run or --net"));
        }
    };
    let explanation = policy::explain(&policy, question, &tracked, &[]);
    match arguments.format {
        Format::Json => output::json(&explanation)?,
        Format::Text => output::result(&explanation.text())?,
    }
    Ok(exit::OK)
}
