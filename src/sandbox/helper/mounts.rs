//! The file system of tier 1: an empty root into which only what the job may see is mounted.
//!
//! What is not mounted does not exist: other homes, the runner's files, sockets below `/run`, the checkout.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::unistd::{chdir, pivot_root};

use super::super::order::{Order, View};
use super::Named as _;

const NONE: Option<&str> = None;
/// Device nodes that every program may expect.
const NODES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];
const LINKS: [(&str, &str); 5] =
    [("fd", "/proc/self/fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2"), ("ptmx", "pts/ptmx")];

/// Makes the view and enters it. The caller is in a mount namespace of its own.
pub(super) fn enter(order: &Order) -> Result<(), String> {
    let view = &order.view;
    mount(NONE, "/", NONE, MsFlags::MS_REC | MsFlags::MS_PRIVATE, NONE).named("mount(/, private)")?;
    memory_fs(&view.root, "mode=0755,size=16m")?;
    devices(&view.root, order.caps.memory)?;
    let inside = |path: &str| view.root.join(path);
    fs::create_dir(inside("proc")).named("mkdir(/proc)")?;
    let safe = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    mount(Some("proc"), &inside("proc"), Some("proc"), safe, NONE).named("mount(proc)")?;
    for path in ["tmp", "var/tmp"] {
        bind(&view.temporary, &inside(path))?;
    }
    fs::create_dir_all(inside("run/lock")).named("mkdir(/run)")?;
    // It exists already where a readable path lies below it.
    let _there = symlink("/run", inside("var/run"));
    for (path, _) in by_depth(view) {
        show(path, view)?;
    }
    identity(order)?;
    seal(view)?;
    chdir(&view.root).named("chdir(new root)")?;
    // The old root comes to lie over the new one, and is let go.
    pivot_root(".", ".").named("pivot_root")?;
    umount2(".", MntFlags::MNT_DETACH).named("umount(old root)")?;
    chdir("/").named("chdir(/)")?;
    drop_write(Path::new("/"), MsFlags::empty())
}

/// Every path of the view, shallow ones first, so that a deeper one lies over them.
fn by_depth(view: &View) -> Vec<(&PathBuf, bool)> {
    let writable = view.writable.iter().map(|path| (path, true));
    let readable = view.readable.iter().filter(|path| !view.writable.contains(path)).map(|path| (path, false));
    let mut all: Vec<_> = readable.chain(writable).collect();
    all.sort_by_key(|(path, _)| (path.components().count(), *path));
    all.dedup();
    all
}

fn show(path: &Path, view: &View) -> Result<(), String> {
    let Ok(relative) = path.strip_prefix("/") else { return Ok(()) };
    let target = view.root.join(relative);
    let Ok(meta) = path.symlink_metadata() else { return Ok(()) };
    if meta.is_symlink() && !view.writable.iter().any(|writable| writable == path) {
        let leads_to = fs::read_link(path).named("readlink")?;
        make_parents(&target)?;
        // A mount above may show the link already.
        return match symlink(&leads_to, &target) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                Err(format!("symlink({}): {error}", path.display()))
            }
            _ => Ok(()),
        };
    }
    bind(path, &target)
}

fn bind(source: &Path, target: &Path) -> Result<(), String> {
    let call = || format!("mount({}, bind)", source.display());
    if source.is_dir() {
        fs::create_dir_all(target).named(&call())?;
    } else if !target.exists() {
        make_parents(target)?;
        fs::File::create(target).named(&call())?;
    }
    mount(Some(source), target, NONE, MsFlags::MS_BIND | MsFlags::MS_REC, NONE).named(&call())
}

fn make_parents(target: &Path) -> Result<(), String> {
    target.parent().map_or(Ok(()), |parent| fs::create_dir_all(parent).named("mkdir"))
}

fn memory_fs(target: &Path, options: &str) -> Result<(), String> {
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    mount(Some("tmpfs"), target, Some("tmpfs"), flags, Some(options)).named("mount(tmpfs)")
}

fn devices(root: &Path, memory: u64) -> Result<(), String> {
    let dev = root.join("dev");
    fs::create_dir(&dev).named("mkdir(/dev)")?;
    for node in NODES {
        let source = Path::new("/dev").join(node);
        if source.exists() {
            bind(&source, &dev.join(node))?;
        }
    }
    for (name, leads_to) in LINKS {
        symlink(leads_to, dev.join(name)).named("symlink(/dev)")?;
    }
    // It lives in memory: half of the cap at most.
    fs::create_dir(dev.join("shm")).named("mkdir(/dev/shm)")?;
    memory_fs(&dev.join("shm"), &format!("mode=1777,size={}", (memory / 2).max(1 << 20)))?;
    fs::create_dir(dev.join("pts")).named("mkdir(/dev/pts)")?;
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NOEXEC;
    // Without terminals of its own (no devpts in this kernel) a job merely lacks them.
    let _absent =
        mount(Some("devpts"), &dev.join("pts"), Some("devpts"), flags, Some("newinstance,ptmxmode=0666,mode=620"));
    Ok(())
}

/// Gives the job's uid a name, a group and a home: programs look themselves up.
fn identity(order: &Order) -> Result<(), String> {
    let Some(id) = order.identity else { return Ok(()) };
    let home = order.view.home.display();
    for (file, line) in
        [("passwd", format!("unbreak:x:{id}:{id}::{home}:/bin/sh\n")), ("group", format!("unbreak:x:{id}:\n"))]
    {
        let real = Path::new("/etc").join(file);
        let Ok(mut text) = fs::read_to_string(&real) else { continue };
        if !text.ends_with('\n') {
            text.push('\n');
        }
        let ours = order.view.root.join("run").join(file);
        fs::write(&ours, text + &line).named("writing /etc")?;
        bind(&ours, &order.view.root.join("etc").join(file))?;
    }
    Ok(())
}

/// Takes the right to write from every mount below the new root but the job's own.
fn seal(view: &View) -> Result<(), String> {
    let inside = |path: &str| view.root.join(path);
    let mut open: BTreeSet<PathBuf> = ["tmp", "var/tmp", "dev/shm", "dev/pts", "proc"].map(inside).into();
    open.extend(NODES.map(|node| view.root.join("dev").join(node)));
    open.extend(view.writable.iter().filter_map(|path| Some(view.root.join(path.strip_prefix("/").ok()?))));
    let mounts = fs::read_to_string("/proc/self/mountinfo").named("reading mountinfo")?;
    for (point, flags) in mounts.lines().filter_map(mount_line) {
        // The root itself comes last: mount points are still to be made on it.
        if point == view.root || !point.starts_with(&view.root) || open.contains(&point) {
            continue;
        }
        drop_write(&point, flags)?;
    }
    Ok(())
}

fn drop_write(point: &Path, flags: MsFlags) -> Result<(), String> {
    let flags = flags | MsFlags::MS_REMOUNT | MsFlags::MS_BIND | MsFlags::MS_RDONLY | MsFlags::MS_NOSUID;
    mount(NONE, point, NONE, flags, NONE).named(&format!("mount({}, read-only)", point.display()))
}

/// The mount point of a line of mountinfo, with the flags that a remount must keep.
fn mount_line(line: &str) -> Option<(PathBuf, MsFlags)> {
    let mut fields = line.split(' ').skip(4);
    let point = unescape(fields.next()?);
    let flags = fields.next()?.split(',').fold(MsFlags::empty(), |flags, option| {
        flags
            | match option {
                "nosuid" => MsFlags::MS_NOSUID,
                "nodev" => MsFlags::MS_NODEV,
                "noexec" => MsFlags::MS_NOEXEC,
                "noatime" => MsFlags::MS_NOATIME,
                "nodiratime" => MsFlags::MS_NODIRATIME,
                "relatime" => MsFlags::MS_RELATIME,
                _ => MsFlags::empty(),
            }
    });
    Some((point, flags))
}

/// The kernel writes blanks and backslashes of a path as three octal digits.
fn unescape(field: &str) -> PathBuf {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..3).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) if *first == b'\\' => {
                bytes.push(byte);
                rest = after.get(3..).unwrap_or_default();
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    PathBuf::from(std::ffi::OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mount_point_with_a_blank_is_read_back() {
        let line = r"36 35 98:0 /mnt1 /mnt\040two\134x rw,nosuid,noatime master:1 - ext3 /dev/root rw";
        let (point, flags) = mount_line(line).unwrap();
        assert_eq!(point, Path::new(r"/mnt two\x"));
        assert_eq!(flags, MsFlags::MS_NOSUID | MsFlags::MS_NOATIME);
    }

    #[test]
    fn deeper_paths_are_shown_over_shallower_ones() {
        let view = View {
            readable: vec!["/w/.git".into(), "/usr".into(), "/w".into()],
            writable: vec!["/w".into()],
            ..View::default()
        };
        let order: Vec<_> =
            by_depth(&view).into_iter().map(|(path, writes)| (path.to_str().unwrap(), writes)).collect();
        assert_eq!(order, [("/usr", false), ("/w", true), ("/w/.git", false)]);
    }
}
