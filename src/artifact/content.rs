//! The bytes of an artifact: held, or left where they lie when they are many.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::ids::Sha;

/// Larger artifacts are not held: what is read from them takes less memory than they do.
pub(super) const HELD: u64 = 32 << 20;

/// Something that can be read several times.
pub trait Rewind: Read + Seek + Send {}

impl<T: Read + Seek + Send> Rewind for T {}

/// The bytes of one artifact.
#[derive(Clone)]
pub enum Content {
    /// All of them.
    Held(Vec<u8>),
    /// Where they are, and how many.
    Large(Arc<Mutex<dyn Rewind>>, u64),
}

impl Content {
    /// Holds what `source` has, unless that is much.
    ///
    /// # Errors
    /// Where `source` cannot be read or not be rewound.
    pub fn of(mut source: impl Rewind + 'static) -> io::Result<Self> {
        let size = source.seek(SeekFrom::End(0))?;
        if size > HELD {
            return Ok(Self::Large(Arc::new(Mutex::new(source)), size));
        }
        source.rewind()?;
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
        // The file may have grown meanwhile.
        source.take(HELD).read_to_end(&mut bytes)?;
        Ok(Self::Held(bytes))
    }

    /// Whether there is nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Held(bytes) => bytes.is_empty(),
            Self::Large(_, size) => *size == 0,
        }
    }

    /// The hash of all bytes.
    ///
    /// # Errors
    /// Where the source of large content cannot be read.
    pub fn sha(&self) -> io::Result<Sha> {
        match self {
            Self::Held(bytes) => Ok(Sha::of(bytes)),
            Self::Large(source, _) => Sha::of_all(&mut *rewound(source)?),
        }
    }
}

/// A large source, from its start.
pub(super) fn rewound<'a>(source: &'a Mutex<dyn Rewind + 'static>) -> io::Result<MutexGuard<'a, dyn Rewind + 'static>> {
    // A reader that died half-way left nothing behind that the next one would not undo here.
    let mut source = source.lock().unwrap_or_else(PoisonError::into_inner);
    source.rewind()?;
    Ok(source)
}

impl From<Vec<u8>> for Content {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Held(bytes)
    }
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Held(bytes) => write!(f, "{} bytes", bytes.len()),
            Self::Large(_, size) => write!(f, "{size} bytes, not held"),
        }
    }
}
