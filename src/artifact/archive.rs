//! Archives: zip and gzip, looked into without being unpacked to disk.
//!
//! Nothing in an archive is believed: sizes are what is really inflated, names are only shown, and every member, the
//! whole archive and its nesting have caps. Dates are not looked at (the forge's log archives have impossible ones).

use std::collections::BTreeSet;
use std::io::{self, Cursor, Read, Seek};

use zip::ZipArchive;

use super::content::HELD;
use super::{Limits, Problem};
use crate::text;

/// The most bytes that an archive in an archive may have: it has to be held.
const MAX_NESTED: u64 = 64 << 20;
/// How many times its size a member may inflate to, once it is over [`RATIO_FROM`].
const MAX_RATIO: u64 = 400;
/// Small members are not suspicious however well they pack.
const RATIO_FROM: u64 = 8 << 20;
/// The same of all members together.
const WHOLE_FROM: u64 = 64 << 20;
/// Problems that are listed one by one.
const MAX_PROBLEMS: usize = 20;

/// What packs other files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Archive {
    Zip,
    Gzip,
}

impl Archive {
    /// By the first bytes.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [b'P', b'K', 3 | 5, 4 | 6, ..] => Some(Self::Zip),
            [0x1f, 0x8b, 8, ..] => Some(Self::Gzip),
            _ => None,
        }
    }
}

/// What an archive holds under one name.
pub(super) enum Member<'a> {
    /// All of it.
    Held(&'a [u8]),
    /// What is too large to be held, as it is inflated. It ends early where a limit or damage does not let it go on.
    Large(&'a mut dyn Read),
}

/// Gives every member to `visit`, under its name in the archive (`inner.zip!a.xml` for one of an archive inside);
/// returns what could not be read.
pub(super) fn members(
    (archive, name): (Archive, &str),
    packed: Packed<impl Read + Seek>,
    limits: &Limits,
    visit: &mut dyn FnMut(&str, Member<'_>),
) -> Vec<Problem> {
    let most = limits.archive.min(WHOLE_FROM.saturating_add(packed.size.saturating_mul(MAX_RATIO)));
    let mut walk = Walk { visit, limits, most, members: 0, inflated: 0, problems: Vec::new(), more: 0 };
    walk.archive(archive, name, packed, None);
    let Walk { mut problems, more, .. } = walk;
    if more > 0 {
        problems.push(problem(format!("{more} more members could not be read")));
    }
    problems
}

/// The bytes of an archive, and how many they are.
pub(super) struct Packed<R> {
    source: R,
    size: u64,
}

impl<R> Packed<R> {
    /// Of `size` bytes.
    pub(super) fn new(source: R, size: u64) -> Self {
        Self { source, size }
    }
}

impl<'a> From<&'a [u8]> for Packed<Cursor<&'a [u8]>> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::new(Cursor::new(bytes), bytes.len() as u64)
    }
}

struct Walk<'a> {
    visit: &'a mut dyn FnMut(&str, Member<'_>),
    limits: &'a Limits,
    /// What all members may inflate to.
    most: u64,
    members: usize,
    inflated: u64,
    problems: Vec<Problem>,
    more: usize,
}

impl Walk<'_> {
    /// `inside` is the name of the archive within another one.
    fn archive(&mut self, archive: Archive, name: &str, packed: Packed<impl Read + Seek>, inside: Option<&str>) {
        match archive {
            Archive::Zip => self.zip(packed, inside),
            Archive::Gzip => {
                let file = name.rsplit(['/', '!']).next().unwrap_or(name);
                let inner =
                    file.strip_suffix(".gz").or_else(|| file.strip_suffix(".tgz")).filter(|stem| !stem.is_empty());
                let source = flate2::read::MultiGzDecoder::new(packed.source);
                self.member(&joined(inside, inner.unwrap_or("content")), source, packed.size, inside.is_some());
            }
        }
    }

    fn zip(&mut self, packed: Packed<impl Read + Seek>, inside: Option<&str>) {
        let mut archive = match ZipArchive::new(packed.source) {
            Ok(archive) => archive,
            Err(error) => {
                let whose = inside.map(|name| format!("{name}: ")).unwrap_or_default();
                self.report(format!("{whose}the archive is damaged or was cut off: {error}"));
                return;
            }
        };
        if archive.has_duplicate_names() {
            self.report("several members have the same name; of each the last one was read".to_owned());
        }
        let jobs = job_logs(archive.file_names_raw());
        let mut repeated = 0;
        for index in 0..archive.len() {
            if self.members >= self.limits.members {
                self.report(format!(
                    "the archive has {} members; the first {} were looked at",
                    archive.len(),
                    self.limits.members
                ));
                break;
            }
            let member = match archive.by_index(index) {
                Ok(member) => member,
                Err(error) => {
                    self.report(format!("member {}: {error}", index + 1));
                    continue;
                }
            };
            let name = text::in_line(&text::plain(&String::from_utf8_lossy(member.name_raw())));
            if member.is_dir() {
                continue;
            }
            if name.split_once('/').is_some_and(|(job, _)| jobs.contains(job)) {
                repeated += 1;
                continue;
            }
            let name = joined(inside, &name);
            if member.is_symlink() {
                self.report(format!("{name} is a link, which is not followed"));
                continue;
            }
            let size = member.compressed_size().min(packed.size);
            self.member(&name, member, size, inside.is_some());
        }
        if repeated > 0 {
            self.report(format!("{repeated} logs of single steps were passed over: the logs of their jobs hold them"));
        }
    }

    fn member(&mut self, name: &str, source: impl Read, packed: u64, nested: bool) {
        self.members += 1;
        let by_ratio = RATIO_FROM.max(packed.saturating_mul(MAX_RATIO));
        let left = self.most.saturating_sub(self.inflated);
        let most = self.limits.member.min(by_ratio).min(left);
        let mut source = Inflated { source, most, read: 0, over: false, damage: None };
        let mut bytes = Vec::new();
        let held = source.by_ref().take(HELD).read_to_end(&mut bytes);
        debug_assert!(held.is_ok(), "damage ends what is inflated");
        let archive = Archive::of(&bytes).filter(|_| !source.over);
        match archive {
            Some(_) if nested => {
                self.report(format!("{name} is an archive in an archive in an archive, which is not opened"));
            }
            Some(archive) => {
                let rest = source.by_ref().take(MAX_NESTED - HELD).read_to_end(&mut bytes);
                debug_assert!(rest.is_ok(), "damage ends what is inflated");
                if bytes.len() as u64 == MAX_NESTED {
                    let most = MAX_NESTED >> 20;
                    self.report(format!(
                        "{name} is an archive in an archive and has {most} MiB or more; unpack it first"
                    ));
                } else {
                    self.archive(archive, name, bytes.as_slice().into(), Some(name));
                }
            }
            None if (bytes.len() as u64) < HELD => {
                let nothing = source.over || (source.damage.is_some() && bytes.is_empty());
                if !nothing {
                    (self.visit)(name, Member::Held(&bytes));
                }
            }
            None => (self.visit)(name, Member::Large(&mut bytes.as_slice().chain(&mut source))),
        }
        self.inflated = self.inflated.saturating_add(source.read);
        if let Some(error) = source.damage {
            self.report(damage(name, source.read, &error));
        }
        if source.over {
            self.report(if most == left {
                format!("{name}: the archive holds more than {} MiB", self.most >> 20)
            } else if most == by_ratio {
                format!("{name} inflates to more than {MAX_RATIO} times its size")
            } else {
                format!("{name} holds more than {} MiB", self.limits.member >> 20)
            });
        }
    }

    fn report(&mut self, message: String) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(problem(message));
        } else {
            self.more += 1;
        }
    }
}

/// A member as far as it may inflate and can be read.
struct Inflated<R> {
    source: R,
    most: u64,
    read: u64,
    /// There was more.
    over: bool,
    damage: Option<io::Error>,
}

impl<R: Read> Read for Inflated<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.over || self.damage.is_some() || buffer.is_empty() {
            return Ok(0);
        }
        match self.source.read(buffer) {
            Ok(count) => {
                let left = usize::try_from(self.most - self.read).unwrap_or(usize::MAX);
                self.over = count > left;
                self.read += count.min(left) as u64;
                Ok(count.min(left))
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => {
                self.damage = Some(error);
                Ok(0)
            }
        }
    }
}

fn damage(name: &str, bytes: u64, error: &io::Error) -> String {
    format!("{name} is damaged; {bytes} bytes of it could be read: {}", text::one_line(&error.to_string(), 120))
}

fn joined(inside: Option<&str>, name: &str) -> String {
    inside.map_or_else(|| name.to_owned(), |inside| format!("{inside}!{name}"))
}

fn problem(message: String) -> Problem {
    Problem { line: None, message }
}

/// The forge's archive of a run's logs has `0_JOB.txt` for each job, and beside it a directory `JOB` with the same
/// lines step by step.
fn job_logs<'a>(names: impl Iterator<Item = &'a [u8]>) -> BTreeSet<String> {
    let job = |name: &[u8]| {
        let name = std::str::from_utf8(name).ok()?.strip_suffix(".txt")?;
        let (number, job) = name.split_once('_')?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        (is_number && !job.is_empty() && !job.contains('/')).then(|| job.to_owned())
    };
    names.filter_map(job).collect()
}

#[cfg(test)]
mod tests;
