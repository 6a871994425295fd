//! The decisions: write, read, run, reach, and the size of a patch. The strictest rule that matches wins.

use std::collections::{BTreeMap, BTreeSet};

use super::built_in::{PROTECTED, UNREADABLE, UNWRITABLE};
use super::commands::meant;
use super::fold::{fold, is_ambiguous};
use super::paths::Spelled;
use super::{
    CommandSpec, Decision, Evidence, FILES, HostRule, PathRule, Policy, Rule, RuleSource, Ruling, Stage, danger,
    script_danger,
};
use crate::ids::RepoPath;

/// The files that git tracks, as far as writing needs to know them.
#[derive(Debug, Clone, Default)]
pub struct Tracked {
    files: BTreeSet<RepoPath>,
    /// Every directory that holds one, at any depth; the root is not in it.
    directories: BTreeSet<RepoPath>,
}

impl Tracked {
    /// From the paths of the tracked files.
    pub fn new(files: impl IntoIterator<Item = RepoPath>) -> Self {
        let files: BTreeSet<RepoPath> = files.into_iter().collect();
        let mut directories = BTreeSet::new();
        for file in &files {
            let mut parent = file.parent();
            while let Some(directory) = parent {
                parent = directory.parent();
                if !directories.insert(directory) {
                    break;
                }
            }
        }
        Self { files, directories }
    }

    /// Whether git tracks this file.
    #[must_use]
    pub fn holds(&self, path: &RepoPath) -> bool {
        self.files.contains(path)
    }

    /// Whether the directory of this path holds tracked files.
    #[must_use]
    pub fn holds_neighbours(&self, path: &RepoPath) -> bool {
        path.parent().map_or(!self.files.is_empty(), |parent| self.directories.contains(&parent))
    }
}

impl Ruling {
    /// What follows when no rule matches.
    pub(super) fn default(decision: Decision, text: &str) -> Self {
        Self { decision, rules: vec![Rule { source: RuleSource::Default, text: text.to_owned(), line: None }] }
    }

    fn built_in(decision: Decision, text: impl Into<String>) -> Self {
        Self { decision, rules: vec![Rule { source: RuleSource::BuiltIn, text: text.into(), line: None }] }
    }

    /// The strictest of the rules that matched; `None` when none did.
    fn strictest(mut matched: Vec<(Decision, Rule)>) -> Option<Self> {
        matched.sort_by_key(|(decision, _)| std::cmp::Reverse(*decision));
        let decision = matched.first()?.0;
        Some(Self { decision, rules: matched.into_iter().map(|(_, rule)| rule).collect() })
    }
}

impl Policy {
    /// Whether `path` may be written: a denied rule gives `Deny`, else a protected one `Ask`, else an allowed one
    /// `Allow`, else the default `Deny`. Denied and protected rules match any spelling, allowed ones exactly.
    #[must_use]
    pub fn decide_write(&self, path: &RepoPath, tracked: &Tracked) -> Ruling {
        if self.stage == Stage::ReadOnly {
            return Ruling {
                decision: Decision::Deny,
                rules: vec![self.key_rule("stage", "stage: read-only".to_owned())],
            };
        }
        if let Some(why) = is_ambiguous(path.as_str()) {
            return Ruling::built_in(Decision::Deny, why);
        }
        let mut matched: Vec<(Decision, Rule)> = self.own_file(path).into_iter().collect();
        let spelled = Spelled::new(path);
        let own = |rule: &&PathRule| rule.matches_spelled(&spelled);
        let denied = UNWRITABLE.matching(&spelled).chain(self.denied_paths.iter().filter(own));
        matched.extend(denied.map(|rule| (Decision::Deny, rule.rule())));
        let asked = PROTECTED.matching(&spelled).chain(self.approvals.protected_paths.iter().filter(own));
        matched.extend(asked.map(|rule| (Decision::Ask, rule.rule())));
        let allowed = self.allowed_write_paths.iter().flatten();
        matched.extend(allowed.filter(|rule| rule.matches(path)).map(|rule| (Decision::Allow, rule.rule())));
        let default = || match &self.allowed_write_paths {
            Some(_) => Ruling::default(Decision::Deny, "a path outside `allowed_write_paths` is not written"),
            None if tracked.holds(path) => Ruling::default(Decision::Allow, "tracked files may be written"),
            None if tracked.holds_neighbours(path) => {
                Ruling::default(Decision::Allow, "new files may be created beside tracked ones")
            }
            None => Ruling::default(Decision::Deny, "no tracked file is in this directory"),
        };
        Ruling::strictest(matched).unwrap_or_else(default)
    }

    /// Whether a model may be shown `path`.
    #[must_use]
    pub fn decide_read(&self, path: &RepoPath) -> Ruling {
        if let Some(why) = is_ambiguous(path.as_str()) {
            return Ruling::built_in(Decision::Deny, why);
        }
        let spelled = Spelled::new(path);
        let excluded = self.models.may_see.iter().flatten().filter(|rule| rule.excludes());
        let own = self.denied_paths.iter().chain(excluded).filter(|rule| rule.matches_spelled(&spelled));
        let denied = UNREADABLE.matching(&spelled).chain(own);
        let mut matched: Vec<(Decision, Rule)> = denied.map(|rule| (Decision::Deny, rule.rule())).collect();
        let seen = self.models.may_see.iter().flatten().filter(|rule| !rule.excludes() && rule.matches(path));
        matched.extend(seen.map(|rule| (Decision::Allow, rule.rule())));
        let default = || match &self.models.may_see {
            Some(_) => Ruling::default(Decision::Deny, "a path outside `models.may_see` is not shown"),
            None => Ruling::default(Decision::Allow, "files of the repository may be read"),
        };
        Ruling::strictest(matched).unwrap_or_else(default)
    }

    /// Whether a command may run. `asked` is a name alone or the words of a command; `script` is the text behind it (an
    /// npm script, the recipe of a make target) where it is known.
    #[must_use]
    pub fn decide_run(&self, asked: &[String], script: Option<&str>) -> Ruling {
        if self.stage == Stage::ReadOnly {
            return Ruling {
                decision: Decision::Deny,
                rules: vec![self.key_rule("stage", "stage: read-only".to_owned())],
            };
        }
        let words = meant(asked, &self.commands);
        if words.is_empty() {
            return Ruling::built_in(Decision::Deny, "there is no command");
        }
        let allowed: Vec<Rule> = self
            .allowed_commands
            .iter()
            .flatten()
            .filter(|rule| rule.allows(asked, &self.commands))
            .map(super::CommandRule::rule)
            .collect();
        if let Some(danger) = danger(words).or_else(|| script.and_then(script_danger)) {
            let mut ruling = Ruling::built_in(Decision::Deny, format!("{}: {}", danger.class, danger.shown));
            ruling.rules.extend(allowed);
            return ruling;
        }
        if !allowed.is_empty() {
            return Ruling { decision: Decision::Allow, rules: allowed };
        }
        let named = self.commands.values().any(|spec| spec.argv == words);
        match &self.allowed_commands {
            None if named => Ruling::default(Decision::Allow, "every named command may run"),
            None => Ruling::default(Decision::Deny, "a command that has no name does not run"),
            Some(_) => Ruling::default(Decision::Deny, "a command outside `allowed_commands` does not run"),
        }
    }

    /// Whether a command that a person gave at the command line may run: that person answers for it, so no rule has to
    /// name it, but the dangerous classes and `stage: read-only` stay denied.
    #[must_use]
    pub fn decide_run_by_person(&self, words: &[String]) -> Ruling {
        self.decide_unnamed(words, "the person who runs this named the command")
    }

    /// Whether a step of the set-up may run: it is the policy's own or the detected one, so no rule has to name it.
    #[must_use]
    pub fn decide_setup(&self, command: &CommandSpec) -> Ruling {
        self.decide_unnamed(&command.argv, "a step of the set-up")
    }

    fn decide_unnamed(&self, words: &[String], because: &str) -> Ruling {
        let ruling = self.decide_run(words, None);
        let is_default = ruling.rules.iter().all(|rule| rule.source == RuleSource::Default);
        if ruling.decision == Decision::Deny && is_default {
            return Ruling::built_in(Decision::Allow, because);
        }
        ruling
    }

    /// Whether the file demands that the whole suite speaks for a fix; without a word on it, what there is has to do.
    #[must_use]
    pub fn demands_whole_suite(&self) -> bool {
        self.lines.contains_key("verify") && self.verify.level >= Evidence::WholeSuite
    }

    /// Whether the file names its own commands, which then stand in place of the detected ones.
    #[must_use]
    pub fn writes_own_commands(&self) -> bool {
        self.own_commands
    }

    /// Whether repository code may reach `host` at `port`. `registries` are the hosts of the detected project kinds.
    /// A command's own `network` is judged by [`super::Network::decide`].
    #[must_use]
    pub fn decide_net(&self, host: &str, port: u16, registries: &[HostRule]) -> Ruling {
        let mut ruling = self.network.decide(host, port, registries);
        for rule in &mut ruling.rules {
            if rule.source == RuleSource::Policy {
                *rule = self.key_rule("network", std::mem::take(&mut rule.text));
            }
        }
        ruling
    }

    /// Whether a patch is small enough; `lines` counts added plus removed ones.
    #[must_use]
    pub fn decide_patch(&self, files: usize, lines: usize) -> Ruling {
        let over = |count: usize, limit: u32| u32::try_from(count).is_ok_and(|count| count <= limit);
        let caps = [
            ("files", self.limits.files, over(files, self.limits.files)),
            ("lines", self.limits.lines, over(lines, self.limits.lines)),
        ];
        let rules: Vec<Rule> = caps
            .iter()
            .filter(|(_, _, within)| !within)
            .map(|(name, limit, _)| self.key_rule("limits", format!("limits.{name}: {limit}")))
            .collect();
        if rules.is_empty() {
            return Ruling::default(Decision::Allow, "the patch is within its limits");
        }
        Ruling { decision: Decision::Deny, rules }
    }

    /// Lowers the stage to `stage`; a higher one changes nothing.
    pub fn lower_stage(&mut self, stage: Stage) {
        self.stage = self.stage.min(stage);
    }

    /// Lowers the money to `usd`; a higher amount, or none at all, changes nothing.
    pub fn lower_budget(&mut self, usd: f64) {
        if usd >= 0.0 && usd < self.budget.usd {
            self.budget.usd = usd;
        }
    }

    /// Takes in the commands of the detected project kinds: all of them when the file has no `commands`, else those
    /// that `allowed_commands` names and `commands` lacks. Each gets the policy's `network`: what is detected
    /// opens nothing.
    pub fn adopt(&mut self, detected: BTreeMap<String, CommandSpec>) {
        for (name, mut spec) in detected {
            let asked = [name.clone()];
            let listed = self.allowed_commands.iter().flatten().any(|rule| rule.text() == asked[0]);
            if self.commands.contains_key(&name) || (self.own_commands && !listed) {
                continue;
            }
            spec.network = self.network.clone();
            self.commands.insert(name, spec);
        }
    }

    /// The project that `path` belongs to: the one with the longest directory above it.
    #[must_use]
    pub fn project_of(&self, path: &RepoPath) -> Option<&super::Project> {
        let above = |directory: &Option<RepoPath>| {
            directory.as_ref().is_none_or(|directory| {
                path.as_str()
                    .strip_prefix(directory.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        };
        let depth = |directory: &Option<RepoPath>| directory.as_ref().map_or(0, |directory| directory.as_str().len());
        self.projects.iter().filter(|project| above(&project.path)).max_by_key(|project| depth(&project.path))
    }

    /// A rule for one key: the policy's if the file has the key, else the default.
    fn key_rule(&self, key: &str, text: String) -> Rule {
        let line = self.lines.get(key).copied();
        Rule { source: if line.is_some() { RuleSource::Policy } else { RuleSource::Default }, text, line }
    }

    /// The policy's own file, where it stands elsewhere than usual.
    fn own_file(&self, path: &RepoPath) -> Option<(Decision, Rule)> {
        let own = self.origin.path.as_ref().filter(|own| !FILES.contains(&own.as_str()))?;
        let same = fold(own.as_str()) == fold(path.as_str());
        let rule = Rule { source: RuleSource::BuiltIn, text: format!("{own} is this policy"), line: None };
        same.then_some((Decision::Deny, rule))
    }
}
