//! Who uses whom: a reference by name, resolved by receiver, file, imports and language, with the doubt kept.

use std::collections::BTreeMap;

use super::{FileId, Index, SymbolId};
use crate::syntax::{Kind, Reference, Relation};

/// More definitions of one name than this say nothing about which is meant.
const MAX_MEANINGS: usize = 12;

/// One use of a definition by another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// The other definition.
    pub symbol: SymbolId,
    /// How likely it is meant: 1 for the only possible meaning, less for each other one and for bare mentions.
    pub weight: f64,
    /// The line of the use, in the using file.
    pub line: u32,
}

impl Index {
    /// What a definition uses, in the order of the tree, each once with its best weight.
    #[must_use]
    pub fn uses(&self, id: SymbolId) -> Vec<Link> {
        let file = self.file_of(id);
        let from = self.position(id);
        let mut links: BTreeMap<SymbolId, Link> = BTreeMap::new();
        for reference in self.file(file).facts.references.iter().filter(|it| it.from == Some(from)) {
            for (symbol, weight) in self.meanings(file, Some(id), reference) {
                let link = Link { symbol, weight, line: reference.line };
                let best = links.entry(symbol).or_insert(link);
                if weight > best.weight {
                    *best = link;
                }
            }
        }
        links.remove(&id);
        links.into_values().collect()
    }

    /// What uses a definition, in the order of the tree; uses outside of any function are left out.
    #[must_use]
    pub fn users(&self, id: SymbolId) -> Vec<Link> {
        let name = self.definition(id).name.as_str();
        let mut links: BTreeMap<SymbolId, Link> = BTreeMap::new();
        for (file, content) in self.files() {
            for reference in content.facts.references.iter().filter(|reference| reference.name == name) {
                let Some(user) = reference.from.map(|from| SymbolId(content.first_symbol + from)) else { continue };
                let meanings = self.meanings(file, Some(user), reference);
                let Some((_, weight)) = meanings.into_iter().find(|(meaning, _)| *meaning == id) else { continue };
                let link = Link { symbol: user, weight, line: reference.line };
                let best = links.entry(user).or_insert(link);
                if weight > best.weight {
                    *best = link;
                }
            }
        }
        links.remove(&id);
        links.into_values().collect()
    }

    /// The files that a file's imports lead to, in path order.
    pub(super) fn find_imports(&self, file: FileId) -> Vec<FileId> {
        let content = self.file(file);
        let mut found = Vec::new();
        for import in &content.facts.imports {
            let whole = absolute(content.path.as_str(), &import.module);
            let mut named = Vec::new();
            for name in import.names.iter().filter(|name| *name != "*") {
                named.extend(self.modules.find(&format!("{whole}::{name}"), &content.path));
            }
            if named.is_empty() {
                named = self.modules.find(&whole, &content.path);
            }
            for name in &import.names {
                let definers: Vec<u32> = self.named(name).iter().map(|id| self.file_of(*id).0).collect();
                // A name that a package or crate re-exports leads to the file that defines it.
                if definers.len() <= 3 && !definers.iter().any(|file| named.contains(file)) {
                    named.extend(definers);
                }
            }
            found.extend(named);
        }
        found.sort_unstable();
        found.dedup();
        found.retain(|other| *other != file.0 && self.files[*other as usize].lang == content.lang);
        found.into_iter().map(FileId).collect()
    }

    /// The definitions that a reference can mean, with weights; none when nothing in the tree has the name.
    fn meanings(&self, file: FileId, user: Option<SymbolId>, reference: &Reference) -> Vec<(SymbolId, f64)> {
        let lang = self.file(file).lang;
        let fits = |id: &SymbolId| {
            let kind = self.definition(*id).kind;
            let relation = match reference.relation {
                Relation::Call => kind != Kind::Constant && kind != Kind::Module,
                Relation::Type => kind == Kind::Type,
                Relation::Use => kind != Kind::Module,
            };
            relation && self.file(self.file_of(*id)).lang == lang && Some(*id) != user
        };
        let all: Vec<SymbolId> = self.named(&reference.name).iter().copied().filter(fits).collect();
        let meant = self.narrow(file, user, reference, &all);
        if meant.is_empty() || meant.len() > MAX_MEANINGS {
            return Vec::new();
        }
        let certainty = if reference.relation == Relation::Call { 1.0 } else { 0.5 };
        #[expect(clippy::cast_precision_loss, reason = "at most twelve")]
        let weight = certainty / meant.len() as f64;
        meant.into_iter().map(|id| (id, weight)).collect()
    }

    /// The candidates that the receiver, the file or the imports speak for; all when nothing does.
    fn narrow(&self, file: FileId, user: Option<SymbolId>, reference: &Reference, all: &[SymbolId]) -> Vec<SymbolId> {
        let pick =
            |keep: &dyn Fn(SymbolId) -> bool| -> Vec<SymbolId> { all.iter().copied().filter(|id| keep(*id)).collect() };
        let here = |id: SymbolId| self.file_of(id) == file;
        let owner = |id: SymbolId| self.definition(id).symbol.rsplit_once('.').map(|(owner, _)| owner);
        let choices = match reference.receiver.as_deref() {
            Some("self" | "Self" | "cls") => {
                let home = user.and_then(owner);
                let inherited = all.iter().copied().filter(|id| owner(*id).is_some()).collect();
                vec![pick(&|id| here(id) && owner(id) == home), pick(&|id| owner(id) == home), inherited]
            }
            Some(receiver) => {
                let module = |id: SymbolId| {
                    let path = self.path(id);
                    module_stem(path.as_str()) == receiver && owner(id).is_none()
                };
                vec![pick(&|id| owner(id) == Some(receiver)), pick(&module), pick(&|id| owner(id).is_some())]
            }
            None => {
                let free = |id: SymbolId| owner(id).is_none();
                let imports = &self.file(file).facts.imports;
                let imported = imports.iter().any(|it| it.names.contains(&reference.name));
                let files = if imported { self.imported(file) } else { &[] };
                let from_import = pick(&|id| files.contains(&self.file_of(id)));
                vec![pick(&|id| here(id) && free(id)), from_import, pick(&free)]
            }
        };
        choices.into_iter().find(|choice| !choice.is_empty()).unwrap_or_else(|| all.to_vec())
    }
}

/// The last part of a file's module path.
fn module_stem(path: &str) -> &str {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let stem = stem.trim_end_matches("/__init__").trim_end_matches("/mod");
    stem.rsplit('/').next().unwrap_or(stem)
}

/// A relative Python module (`.a`, `..b.c`) as seen from the root; other modules as they are.
fn absolute(file: &str, module: &str) -> String {
    let dots = module.len() - module.trim_start_matches('.').len();
    if dots == 0 {
        return module.to_owned();
    }
    let mut folders: Vec<&str> = file.split('/').collect();
    folders.truncate(folders.len().saturating_sub(dots));
    format!("{}/{}", folders.join("/"), &module[dots..])
}
