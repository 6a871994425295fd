//! What the failing tests call, and what that calls in turn, fading with distance and with how common a name is.

use std::collections::BTreeMap;

use super::{Hit, Place, Scene};
use crate::index::SymbolId;
use crate::syntax::Kind;

/// How many calls deep the search goes.
const DEPTH: usize = 7;

/// What a call is worth of its caller.
const FADE: f64 = 0.6;

/// How many definitions are followed from each depth, the best first.
const WIDTH: usize = 80;

/// The functions reached from the failing tests.
pub(super) fn find(scene: &Scene<'_>) -> Vec<Hit> {
    let mut reached: BTreeMap<SymbolId, (f64, usize, SymbolId)> = BTreeMap::new();
    let mut front: Vec<(SymbolId, f64)> = scene.tests.iter().map(|test| (*test, 1.0)).collect();
    for depth in 1..=DEPTH {
        let mut next: BTreeMap<SymbolId, f64> = BTreeMap::new();
        for (caller, worth) in front {
            for link in scene.index.uses(caller) {
                let score = worth * link.weight * rarity(scene, link.symbol) * fade(scene, caller);
                let known = reached.entry(link.symbol).or_insert((0.0, depth, caller));
                if score > known.0 {
                    *known = (score, known.1, caller);
                    next.insert(link.symbol, score);
                }
                enter_type(scene, link.symbol, score, &mut next);
            }
        }
        front = next.into_iter().collect();
        front.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        front.truncate(WIDTH);
    }
    let told = reached.into_iter().filter_map(|(id, (score, depth, caller))| {
        let by = scene.index.symbol(caller);
        let reason =
            if depth == 1 { format!("called by the failing test `{by}`") } else { format!("called by `{by}`") };
        if scene.is_candidate(id) {
            return Some(Hit { place: Place::Symbol(id), score: score * specific(scene, id), reason });
        }
        // A constant is no function: the fault may lie in what its file says outside of functions.
        let constant = scene.index.definition(id).kind == Kind::Constant && !scene.index.in_tests(id);
        let reason = format!("`{}` is used by `{by}`", scene.index.symbol(id));
        let score = score * specific(scene, id);
        constant.then(|| Hit { place: Place::File(scene.index.file_of(id)), score, reason })
    });
    told.collect()
}

/// What a hundred tests call has ninety-nine witnesses that it works.
fn specific(scene: &Scene<'_>, id: SymbolId) -> f64 {
    let tests = f64::from(scene.index.test_mentions(&scene.index.definition(id).name));
    1.0 / (1.0 + tests / 8.0).sqrt()
}

/// Helpers among the tests are as near to the fault as the test itself.
fn fade(scene: &Scene<'_>, caller: SymbolId) -> f64 {
    if scene.index.in_tests(caller) { 1.0 } else { FADE }
}

/// A name that is used everywhere says little about this fault.
fn rarity(scene: &Scene<'_>, id: SymbolId) -> f64 {
    let mentions = f64::from(scene.index.mentions(&scene.index.definition(id).name));
    1.0 / (1.0 + mentions.max(1.0).ln() / 4.0)
}

/// Who names a type makes one: its constructor is reached too.
fn enter_type(scene: &Scene<'_>, id: SymbolId, score: f64, next: &mut BTreeMap<SymbolId, f64>) {
    let definition = scene.index.definition(id);
    if definition.kind != Kind::Type {
        return;
    }
    let constructors = ["__init__", "__new__"].map(|name| format!("{}.{name}", definition.symbol));
    let file = scene.index.file_of(id);
    for other in scene.index.symbols_of(file) {
        if constructors.contains(&scene.index.definition(other).symbol) {
            next.entry(other).or_insert(score * FADE);
        }
    }
}
