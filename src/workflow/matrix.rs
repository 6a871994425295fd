//! The cells of a matrix, and what the forge calls the job of each.
//!
//! The rules are the forge's: the axes are multiplied, `exclude` takes away, `include` adds values to the cells that it
//! agrees with, and becomes a cell of its own when it agrees with none. A job's name has the values of the axes; what
//! `include` added to a cell is not in it.

use serde_json::{Map, Value};

use super::Matrix;
use super::read::scalar;

/// More cells than the forge allows (256) are not multiplied out.
const MAX_CELLS: usize = 1_024;

/// The values of one job of a matrix.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cell {
    /// The values by their keys.
    pub values: Map<String, Value>,
    /// Whether these are all: where they are not, a key that is absent is unknown instead of empty.
    pub complete: bool,
    /// The values that the name shows.
    pub(super) shown: Vec<String>,
}

/// Every cell; `None` when expressions decide which there are.
pub(super) fn cells(matrix: &Matrix) -> Option<Vec<Cell>> {
    if matrix.open {
        return None;
    }
    let mut products = if matrix.axes.is_empty() { Vec::new() } else { vec![Map::new()] };
    for (name, values) in &matrix.axes {
        let values = values.as_ref()?;
        if values.iter().any(is_expression) || products.len().saturating_mul(values.len()) > MAX_CELLS {
            return None;
        }
        let with = |cell: &Map<String, Value>, value: &Value| {
            let mut cell = cell.clone();
            cell.insert(name.clone(), value.clone());
            cell
        };
        products = products.iter().flat_map(|cell| values.iter().map(move |value| with(cell, value))).collect();
    }
    products.retain(|cell| !matrix.exclude.iter().any(|rule| agrees(cell, rule)));
    Some(included(matrix, products))
}

fn included(matrix: &Matrix, products: Vec<Map<String, Value>>) -> Vec<Cell> {
    let is_axis = |key: &str| matrix.axes.iter().any(|(name, _)| name == key);
    let split = |rule: &Map<String, Value>| -> (Map<String, Value>, Map<String, Value>) {
        rule.clone().into_iter().partition(|(key, _)| is_axis(key))
    };
    let rules: Vec<_> = matrix.include.iter().map(split).collect();
    let mut used = vec![false; rules.len()];
    let mut cells: Vec<Cell> = Vec::new();
    for mut values in products {
        let shown = leaves(&values);
        let axes = values.clone();
        for ((filter, extra), used) in rules.iter().zip(&mut used) {
            if agrees(&axes, filter) {
                *used = true;
                values.extend(extra.clone());
            }
        }
        cells.push(Cell { values, complete: true, shown });
    }
    for ((filter, extra), used) in rules.into_iter().zip(used) {
        if !used {
            let values: Map<String, Value> = filter.into_iter().chain(extra).collect();
            cells.push(Cell { shown: leaves(&values), values, complete: true });
        }
    }
    cells
}

/// The cell of a matrix that expressions decide on, as far as the values behind a job's name tell: only when there are
/// as many as axes.
pub(super) fn guessed(matrix: &Matrix, shown: &str) -> Option<Cell> {
    let parts: Vec<&str> = shown.split(", ").collect();
    if matrix.open && matrix.axes.is_empty() {
        return Some(Cell::default());
    }
    if parts.len() != matrix.axes.len() {
        return Some(Cell::default());
    }
    let mut values = Map::new();
    for ((name, known), part) in matrix.axes.iter().zip(parts) {
        let value = match known {
            Some(known) if !known.iter().any(is_expression) => {
                known.iter().find(|value| scalar(value).as_deref() == Some(part))?.clone()
            }
            _ => Value::String(part.to_owned()),
        };
        values.insert(name.clone(), value);
    }
    Some(Cell { values, ..Cell::default() })
}

/// What several cells have in common: where names do not tell them apart, the rest is unknown.
pub(super) fn common(mut cells: Vec<Cell>) -> Cell {
    let Some(mut first) = cells.pop() else { return Cell::default() };
    if cells.iter().any(|cell| *cell != first) {
        first.values.retain(|key, value| cells.iter().all(|cell| cell.values.get(key) == Some(value)));
        first.complete = false;
    }
    first
}

fn agrees(cell: &Map<String, Value>, rule: &Map<String, Value>) -> bool {
    rule.iter().all(|(key, wanted)| cell.get(key).is_some_and(|value| is_part(wanted, value)))
}

/// A rule may name a part of a mapping.
fn is_part(wanted: &Value, value: &Value) -> bool {
    match (wanted, value) {
        (Value::Object(wanted), Value::Object(value)) => agrees(value, wanted),
        _ => scalar(wanted).map_or(wanted == value, |wanted| scalar(value) == Some(wanted)),
    }
}

fn is_expression(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains("${{"),
        Value::Array(values) => values.iter().any(is_expression),
        Value::Object(values) => values.values().any(is_expression),
        _ => false,
    }
}

/// The scalars in a cell, in order: what stands in parentheses behind the name.
fn leaves(values: &Map<String, Value>) -> Vec<String> {
    fn walk(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| walk(value, found)),
            Value::Object(values) => values.values().for_each(|value| walk(value, found)),
            other => found.extend(scalar(other).filter(|text| !text.is_empty())),
        }
    }
    let mut found = Vec::new();
    values.values().for_each(|value| walk(value, &mut found));
    found
}
