//! Coverage in JSON: which lines ran, for finding the fault among them.

mod gcov;
mod istanbul;
mod llvm;
mod python;
mod simplecov;

use serde_json::Value;

use super::Format;

/// The formats, each known by its own keys.
pub(super) const FORMATS: &[Format] = &[
    Format {
        kind: "coverage-py",
        producers: "coverage.py",
        reads: "covered lines",
        sniff: python::sniff,
        read: python::read,
    },
    Format {
        kind: "istanbul",
        producers: "Istanbul, nyc, c8, jest, vitest",
        reads: "covered lines",
        sniff: istanbul::sniff,
        read: istanbul::read,
    },
    Format {
        kind: "simplecov",
        producers: "SimpleCov",
        reads: "covered lines",
        sniff: simplecov::sniff,
        read: simplecov::read,
    },
    Format { kind: "gcov-json", producers: "gcov", reads: "covered lines", sniff: gcov::sniff, read: gcov::read },
    Format {
        kind: "llvm-cov",
        producers: "llvm-cov, cargo-llvm-cov",
        reads: "covered lines",
        sniff: llvm::sniff,
        read: llvm::read,
    },
];

/// A line's number; 0, which no file has, where there is none.
fn line(value: Option<&Value>) -> u32 {
    value.and_then(Value::as_u64).and_then(|line| u32::try_from(line).ok()).unwrap_or(0)
}

/// Whether a count says that something ran.
fn ran(value: Option<&Value>) -> bool {
    value.and_then(Value::as_f64).is_some_and(|count| count > 0.0)
}

/// The entries of a list; none where it is no list.
fn list(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    value.and_then(Value::as_array).into_iter().flatten()
}

/// The entries of an object; none where it is no object.
fn object(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_object).into_iter().flatten()
}

#[cfg(test)]
mod tests;
