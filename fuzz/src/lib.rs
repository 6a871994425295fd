//! What holds whatever a stranger sends: one function for each syntax, which panics where it does not hold.
//!
//! The fuzz targets call these with what `libFuzzer` makes up, the test suite with what was found that way.

mod artifact;
mod reply;
mod repository;
mod sound;

pub use artifact::{archive, json, log, matcher, text, xml};
pub use reply::reply;
pub use repository::repository;

/// A target: its name, which is that of its folders, and what it does with an input.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: &[Target] = &[
    ("archive", archive),
    ("json", json),
    ("log", log),
    ("matcher", matcher),
    ("reply", reply),
    ("repository", repository),
    ("text", text),
    ("xml", xml),
];

/// The parts of an input that has several: a NUL byte stands between them.
fn parts<const N: usize>(bytes: &[u8]) -> [&[u8]; N] {
    let mut parts = [&bytes[..0]; N];
    for (part, found) in parts.iter_mut().zip(bytes.splitn(N, |byte| *byte == 0)) {
        *part = found;
    }
    parts
}
