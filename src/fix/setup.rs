//! Dependencies come in before any edit, with the registries reachable and without secrets.

use super::Stop;
use super::draft::Draft;
use super::workshop::Workshop;
use crate::journal::Entry;
use crate::policy::{CommandSpec, Decision, HostRule, Network, SetupStep};
use crate::project::Kind;
use crate::sandbox::SandboxError;
use crate::verify::{Bench, Settings, VerifyError};

/// Variables that lead package managers to what earlier runs downloaded. Later commands only read there, and most
/// managers cannot start on a cache that they may not write: they get one in their own home.
const CACHES: [(&str, &str); 3] = [("PIP_CACHE_DIR", "pip"), ("NPM_CONFIG_CACHE", "npm"), ("UV_CACHE_DIR", "uv")];

/// What helps where a list of hosts cannot be kept.
const NO_REGISTRIES: &str = "registries can be reached behind the walls of tier 1 alone, which need namespaces: \
                             `unbreak doctor` says what is missing here; on GitHub the form in the failing job has them";

/// Runs the set-up. A step that fails does not end the run by itself: the failing command decides whether what is
/// there suffices. But what failed is said, and colours what is concluded.
pub(super) async fn run(shop: &Workshop<'_>, draft: &mut Draft) -> Result<(), Stop> {
    if shop.setups.iter().all(|setup| setup.steps.is_empty()) {
        return Ok(());
    }
    let mut settings: Settings = shop.settings().clone();
    if let Some(downloads) = shop.settings().readable.last() {
        settings.writable.push(downloads.clone());
        let below = |part: &str| downloads.join(part).to_string_lossy().into_owned();
        settings.env.extend(CACHES.map(|(name, part)| (name.to_owned(), below(part))));
    }
    settings.env.extend(mirrors(shop));
    settings.registries = registries(shop, &settings).await?;
    let bench = shop.bench_with(&settings);
    for step in shop.setups.iter().flat_map(|setup| &setup.steps) {
        let failure = perform(shop, &bench, step).await?;
        if let Some(failure) = failure {
            let weight = if step.optional { "an optional step of the set-up" } else { "the set-up" };
            draft.hints.push(format!("{weight} failed: {failure}"));
            if shop.sandbox.walls().tier != 1 && !draft.hints.iter().any(|hint| hint == NO_REGISTRIES) {
                draft.hints.push(NO_REGISTRIES.to_owned());
            }
            if !step.optional {
                draft.setup_failure.get_or_insert(failure);
            }
        }
    }
    Ok(())
}

/// The machine's own registries, as it names them; one with credentials in its address stays out of the sandbox.
fn mirrors(shop: &Workshop<'_>) -> Vec<(String, String)> {
    let names = shop.kinds.iter().flat_map(|kind| kind.registry_variables());
    names
        .filter_map(|name| Some(((*name).to_owned(), shop.desk.host.env.get(*name)?.clone())))
        .filter(|(_, address)| !address.contains('@'))
        .collect()
}

/// Runs a step, or what is to be tried instead; the first success ends it.
async fn perform(shop: &Workshop<'_>, bench: &Bench<'_>, step: &SetupStep) -> Result<Option<String>, Stop> {
    let mut failure = None;
    for command in std::iter::once(&step.command).chain(&step.otherwise) {
        let words = command.argv.join(" ");
        let ruling = shop.policy.decide_setup(command);
        if ruling.decision != Decision::Allow {
            let entry = Entry {
                action: "decision".to_owned(),
                subject: words.clone(),
                outcome: "not run".to_owned(),
                ruling: Some(ruling),
                ..Entry::default()
            };
            shop.desk.journal.record(entry);
            failure.get_or_insert(format!("`{words}` is not allowed"));
            continue;
        }
        let (reachable, closed) = within_walls(shop, command);
        (shop.desk.progress)(&format!("set-up: {words}{closed}"));
        match bench.run(&reachable, "set-up").await {
            Ok(outcome) if outcome.passed() => return Ok(None),
            Ok(outcome) => {
                let last = last_line(&outcome.finished.stderr).or_else(|| last_line(&outcome.finished.stdout));
                let last = last.unwrap_or_else(|| "it printed nothing".to_owned());
                failure.get_or_insert(format!("`{words}`{closed}: {last}"));
            }
            Err(VerifyError::Sandbox(error @ (SandboxError::NotFound { .. } | SandboxError::Wall(_)))) => {
                failure.get_or_insert(error.to_string());
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(failure)
}

/// A list of hosts needs a network namespace. Behind lesser walls the step runs with nothing reachable: a project
/// without dependencies, or one that brings them along, needs no more. The second part says so where it happens.
fn within_walls(shop: &Workshop<'_>, command: &CommandSpec) -> (CommandSpec, &'static str) {
    let listed = matches!(command.network, Network::Allow(_));
    if shop.sandbox.walls().tier == 1 || !listed {
        return (command.clone(), "");
    }
    (CommandSpec { network: Network::Deny, ..command.clone() }, " (without network: a list of hosts needs tier 1)")
}

/// The hosts that the word `registries` stands for: what the package managers themselves name.
async fn registries(shop: &Workshop<'_>, settings: &Settings) -> Result<Vec<(String, u16)>, Stop> {
    let wanted = shop.setups.iter().flat_map(|setup| &setup.steps).any(|step| match &step.command.network {
        Network::Allow(rules) => rules.contains(&HostRule::Registries),
        Network::Deny | Network::Loopback => false,
    });
    let mut hosts = Vec::new();
    for kind in shop.kinds.iter().filter(|_| wanted) {
        hosts.extend(kind.known_registries());
        let Some(question) = kind.registry_question() else { continue };
        let said = ask(shop, settings, &question).await?;
        hosts.extend(Kind::registries_named(&said));
        let mirrors = kind.registry_variables().iter().filter_map(|name| shop.desk.host.env.get(*name));
        hosts.extend(mirrors.flat_map(|mirror| Kind::registries_named(mirror)));
    }
    hosts.sort();
    hosts.dedup();
    Ok(hosts)
}

/// What a package manager answers; nothing when it is not there.
async fn ask(shop: &Workshop<'_>, settings: &Settings, question: &CommandSpec) -> Result<String, Stop> {
    match shop.bench_with(settings).run(question, "registries").await {
        Ok(outcome) => Ok(String::from_utf8_lossy(&outcome.finished.stdout).into_owned()),
        Err(VerifyError::Sandbox(SandboxError::NotFound { .. })) => Ok(String::new()),
        Err(error) => Err(error.into()),
    }
}

fn last_line(output: &[u8]) -> Option<String> {
    let text = crate::text::plain(&String::from_utf8_lossy(output));
    text.lines().rev().find(|line| !line.trim().is_empty()).map(|line| crate::text::one_line(line, 200))
}
