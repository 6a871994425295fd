//! Words that nobody can guess, from the kernel.

use std::fs::File;
use std::io::{self, Read as _};

use crate::ids::hex;

/// 32 hexadecimal digits.
///
/// # Errors
/// When the kernel gives no random bytes.
pub(super) fn word() -> io::Result<String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(hex(&bytes))
}
