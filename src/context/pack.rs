//! The choice: take what helps most until the budget, or the worth of the next excerpt, runs out.

use std::collections::BTreeMap;

use super::candidates::{self, Candidate};
use super::excerpt::Text;
use super::{Context, Dropped, Request, Section, SectionKind, rules};
use crate::ids::RepoPath;
use crate::localise::{self, Localisation, Query};
use crate::syntax::Kind;

/// A file this small is shown whole: its parts with headings would cost as much.
const SMALL_FILE: usize = 300;

/// Imports and owning types are shown up to this cost each.
const SMALL_PART: usize = 150;

/// What was left out is listed up to this number.
const DROPPED: usize = 20;

/// How choosy to be: the surer the first place, the less is added to it.
struct Appetite {
    places: usize,
    /// The least worth, of the best place's.
    worth: f64,
}

impl Appetite {
    fn of(confidence: f64) -> Self {
        match confidence {
            sure if sure >= 0.8 => Self { places: 2, worth: 0.6 },
            fair if fair >= 0.6 => Self { places: 4, worth: 0.5 },
            _ => Self { places: 8, worth: 0.4 },
        }
    }
}

/// The texts of the tree that were read, by path.
struct Shelf<'a> {
    request: &'a Request<'a>,
    texts: BTreeMap<RepoPath, Option<String>>,
}

/// What is chosen so far.
struct Choice {
    left: usize,
    sections: Vec<Section>,
    dropped: Vec<Dropped>,
}

pub(super) fn pack(request: &Request<'_>) -> Context {
    let found = localise::locate(request.index, &Query { failures: request.failures, changed: request.changed });
    let (rules, specs) = rules::sections(request.rules, request.budget);
    let spent: usize = rules.iter().map(|section| section.tokens).sum();
    let mut choice = Choice { left: request.budget.saturating_sub(spent), sections: Vec::new(), dropped: Vec::new() };
    let mut shelf = Shelf { request, texts: BTreeMap::new() };
    choose(&mut shelf, &mut choice, &found);
    surround(&mut shelf, &mut choice);
    choice
        .sections
        .sort_by(|a, b| (&a.path, a.start_line, a.kind, a.end_line).cmp(&(&b.path, b.start_line, b.kind, b.end_line)));
    choice.dropped.truncate(DROPPED);
    let sections: Vec<Section> = rules.into_iter().chain(choice.sections).collect();
    Context {
        version: 1,
        budget: request.budget,
        tokens: sections.iter().map(|section| section.tokens).sum(),
        confidence: found.confidence,
        ranked: found.ranked,
        sections,
        dropped: choice.dropped,
        specs,
    }
}

/// Takes candidates in order.
fn choose(shelf: &mut Shelf<'_>, choice: &mut Choice, found: &Localisation) {
    let anchors = candidates::anchors(shelf.request);
    let appetite = Appetite::of(found.confidence);
    let mut places = 0;
    for candidate in candidates::list(shelf.request, found) {
        if choice.sections.iter().any(|section| covers(section, &candidate)) {
            continue;
        }
        let lines = anchors.get(&candidate.path).map_or(&[][..], Vec::as_slice);
        let enough = places > 0 && (places >= appetite.places || candidate.worth < appetite.worth);
        if enough && !candidate.required {
            choice.drop(&candidate, shelf.cost(&candidate), "others are likelier by far", shelf.request);
        } else if let Some(section) = shelf.show(&candidate, lines, choice.left) {
            places += usize::from(!candidate.required);
            choice.take(section);
        } else if (shelf.request.may_see)(&candidate.path) {
            choice.drop(&candidate, shelf.cost(&candidate), "over the budget", shelf.request);
        } else {
            choice.drop(&candidate, 0, "the policy lets no model see it", shelf.request);
        }
    }
}

/// Whether a section shows all of a candidate already.
fn covers(section: &Section, candidate: &Candidate) -> bool {
    let inside = section.start_line <= candidate.lines.0 && section.end_line >= candidate.lines.1;
    section.path == candidate.path
        && section.kind != SectionKind::Skeleton
        && (inside || candidate.whole_file && section.symbol.is_none() && section.kind == SectionKind::Code)
}

/// Adds what the chosen code needs to be read: its file's imports, the head of the type that it belongs to.
fn surround(shelf: &mut Shelf<'_>, choice: &mut Choice) {
    let mut paths: Vec<RepoPath> = choice.sections.iter().map(|section| section.path.clone()).collect();
    paths.sort_unstable();
    paths.dedup();
    for path in paths {
        let shown: Vec<(u32, u32)> = choice.shown(&path);
        for section in shelf.imports(&path).into_iter().chain(shelf.owners(&path, &shown)) {
            let is_new = !shown.iter().any(|(start, end)| (*start..=*end).contains(&section.start_line));
            if is_new && section.tokens <= SMALL_PART.min(choice.left) {
                choice.take(section);
            }
        }
    }
}

impl Choice {
    fn take(&mut self, section: Section) {
        self.left = self.left.saturating_sub(section.tokens);
        // A whole file replaces its parts.
        let (path, lines) = (&section.path, (section.start_line, section.end_line));
        let inside = |it: &Section| it.path == *path && it.start_line >= lines.0 && it.end_line <= lines.1;
        if section.kind == SectionKind::Code {
            self.left += self.sections.iter().filter(|it| inside(it)).map(|it| it.tokens).sum::<usize>();
            self.sections.retain(|it| !inside(it));
        }
        self.sections.push(section);
    }

    fn drop(&mut self, candidate: &Candidate, tokens: usize, reason: &str, request: &Request<'_>) {
        let symbol = candidate.symbol.map(|id| request.index.symbol(id));
        self.dropped.push(Dropped { path: candidate.path.clone(), symbol, tokens, reason: reason.to_owned() });
    }

    fn shown(&self, path: &RepoPath) -> Vec<(u32, u32)> {
        self.sections.iter().filter(|it| it.path == *path).map(|it| (it.start_line, it.end_line)).collect()
    }
}

impl Shelf<'_> {
    /// The text of a file that may be seen, read once.
    fn text(&mut self, path: &RepoPath) -> Option<&str> {
        let request = self.request;
        let read = || if (request.may_see)(path) { request.source.text(path) } else { None };
        self.texts.entry(path.clone()).or_insert_with(read).as_deref()
    }

    /// The best form of a candidate that fits: its whole small file, itself, parts of it.
    fn show(&mut self, candidate: &Candidate, anchors: &[u32], left: usize) -> Option<Section> {
        let index = self.request.index;
        let text = Text::new(&candidate.path, self.text(&candidate.path)?);
        let symbol = candidate.symbol.map(|id| index.symbol(id));
        let reason = candidate.reason.as_str();
        let file = text.section(SectionKind::Code, (1, text.length()), None, reason);
        if file.tokens <= SMALL_FILE.min(left) {
            return Some(file);
        }
        if candidate.whole_file {
            let file = index.find(&candidate.path)?;
            let heads: Vec<(u32, u32)> = index
                .symbols_of(file)
                .map(|id| index.definition(id))
                .filter(|it| it.kind != Kind::Module)
                .map(|it| (it.signature_line, it.signature_end.min(it.signature_line + 3)))
                .collect();
            return text.chosen(SectionKind::Skeleton, &heads, reason).filter(|it| it.tokens <= left / 4);
        }
        let lines = (candidate.lines.0, candidate.lines.1.min(text.length()));
        let whole = text.section(SectionKind::Code, lines, symbol.clone(), reason);
        if whole.tokens <= left / 2 {
            return Some(whole);
        }
        let definition = index.definition(candidate.symbol?);
        let parts = text.parts(definition, anchors, symbol?, reason);
        (parts.tokens <= left).then_some(parts)
    }

    /// What a candidate would cost whole.
    fn cost(&mut self, candidate: &Candidate) -> usize {
        let lines = candidate.lines;
        let text = self.text(&candidate.path).map(|text| Text::new(&candidate.path, text));
        text.map_or(0, |text| text.section(SectionKind::Code, lines, None, "").tokens)
    }

    /// The import lines of a file.
    fn imports(&mut self, path: &RepoPath) -> Option<Section> {
        let index = self.request.index;
        let mut lines: Vec<(u32, u32)> =
            index.file(index.find(path)?).facts.imports.iter().map(|import| (import.line, import.line)).collect();
        lines.dedup();
        Text::new(path, self.text(path)?).chosen(SectionKind::Imports, &lines, "")
    }

    /// The types that shown methods belong to: their fields, without their methods.
    fn owners(&mut self, path: &RepoPath, shown: &[(u32, u32)]) -> Vec<Section> {
        let index = self.request.index;
        let Some(file) = index.find(path) else { return Vec::new() };
        let ids: Vec<_> = index.symbols_of(file).collect();
        let definitions = || ids.iter().map(|id| index.definition(*id));
        let is_shown = |line: u32| shown.iter().any(|(start, end)| (*start..=*end).contains(&line));
        let mut owners: Vec<&str> = definitions()
            .filter(|it| it.kind == Kind::Method && is_shown(it.signature_line))
            .filter_map(|it| it.symbol.rsplit_once('.').map(|(owner, _)| owner))
            .collect();
        owners.sort_unstable();
        owners.dedup();
        let types: Vec<_> =
            definitions().filter(|it| it.kind == Kind::Type && owners.contains(&it.symbol.as_str())).collect();
        let first_inside = |start: u32, end: u32| {
            definitions()
                .filter(|it| it.kind == Kind::Method)
                .map(|it| it.start_line)
                .find(|it| (start..=end).contains(it))
        };
        let Some(text) = self.text(path).map(|text| Text::new(path, text)) else { return Vec::new() };
        let sections = types.into_iter().map(|it| {
            let end = first_inside(it.start_line, it.end_line).map_or(it.end_line, |line| line - 1);
            text.section(SectionKind::Skeleton, (it.start_line, end.max(it.start_line)), Some(it.symbol.clone()), "")
        });
        sections.collect()
    }
}
