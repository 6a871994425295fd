//! Archives as runners upload them, and as nobody should.

use std::io::Write as _;
use std::sync::{Arc, Mutex};

use zip::write::{SimpleFileOptions, ZipWriter};

use crate::artifact::content::HELD;
use crate::artifact::{Content, Limits, Matchers, Raw, Report, open};

const REPORT: &str =
    "<testsuite tests='1' failures='1'><testcase name='a' classname='b'><failure message='no'/></testcase></testsuite>";

fn zipped(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in members {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

/// `path kind problem…` of every artifact.
fn show(reports: &[Report]) -> Vec<String> {
    let problems = |report: &Report| -> String {
        let messages = report.problems.iter().map(|problem| problem.message.as_str());
        messages.fold(String::new(), |shown, message| shown + " | " + message)
    };
    reports.iter().map(|report| format!("{} {}{}", report.path, report.kind, problems(report))).collect()
}

#[test]
fn members_are_artifacts_of_their_own() {
    let archive = zipped(&[
        ("out/r.xml", REPORT.as_bytes()),
        ("log.txt", b"error[E0308]: mismatched types\n --> src/a.rs:1:2\n  |\n"),
    ]);
    assert_eq!(show(&open("a.zip", &archive)), ["a.zip!out/r.xml junit", "a.zip!log.txt rustc"]);
}

#[test]
fn members_that_are_no_artifacts_are_counted_and_named() {
    let archive = zipped(&[("a.png", b"\x89PNG"), ("r.xml", REPORT.as_bytes()), ("index.html", b"<html>")]);
    assert_eq!(
        show(&open("a.zip", &archive)),
        [
            "a.zip archive | 2 of its 3 members are no artifacts that can be read: a.png, index.html",
            "a.zip!r.xml junit"
        ]
    );
    let nothing = zipped(&[("a.png", b"\x89PNG")]);
    assert_eq!(
        show(&open("a.zip", &nothing)),
        ["a.zip unknown | 1 of its 1 members are no artifacts that can be read: a.png"]
    );
    assert_eq!(show(&open("a.zip", &zipped(&[]))), ["a.zip unknown | the archive is empty"]);
}

#[test]
fn archives_are_opened_in_archives_once() {
    let inner = zipped(&[("r.xml", REPORT.as_bytes())]);
    let deep = zipped(&[("deep.zip", &inner)]);
    let archive = zipped(&[("in.zip", &inner), ("r2.xml.gz", &gzipped(REPORT.as_bytes())), ("deeper.zip", &deep)]);
    assert_eq!(
        show(&open("a.zip", &archive)),
        [
            "a.zip archive | deeper.zip!deep.zip is an archive in an archive in an archive, which is not opened",
            "a.zip!in.zip!r.xml junit",
            "a.zip!r2.xml.gz!r2.xml junit",
        ]
    );
}

#[test]
fn a_gzip_file_is_an_archive_of_one() {
    assert_eq!(show(&open("dir/r.xml.gz", &gzipped(REPORT.as_bytes()))), ["dir/r.xml.gz!r.xml junit"]);
    assert_eq!(show(&open("-", &gzipped(REPORT.as_bytes()))), ["-!content junit"]);
}

#[test]
fn bombs_are_bounded_by_what_is_inflated() {
    let zeros = vec![0_u8; 70 << 20];
    for (name, bomb) in [("a.zip", zipped(&[("zeros", &zeros)])), ("a.gz", gzipped(&zeros))] {
        let shown = show(&open(name, &bomb)).join("");
        assert!(
            shown.contains("inflates to more than 400 times its size") || shown.contains("holds more than 64 MiB"),
            "{shown}"
        );
        assert!(bomb.len() < 1 << 20);
    }
}

#[test]
fn names_that_lead_elsewhere_are_only_shown() {
    let archive = zipped(&[
        ("../../etc/passwd", REPORT.as_bytes()),
        ("/abs.xml", REPORT.as_bytes()),
        ("a\n::error::b", REPORT.as_bytes()),
    ]);
    assert_eq!(
        show(&open("a.zip", &archive)),
        ["a.zip!../../etc/passwd junit", "a.zip!/abs.xml junit", "a.zip!a ::error::b junit"]
    );
}

#[test]
fn impossible_dates_are_no_reason_not_to_read() {
    let mut archive = zipped(&[("r.xml", REPORT.as_bytes())]);
    // The date in the local header and in the directory: day and month 0 of 1980.
    archive[12..14].copy_from_slice(&[0, 0]);
    let directory = archive.windows(4).rposition(|bytes| bytes == b"PK\x01\x02").unwrap();
    archive[directory + 14..directory + 16].copy_from_slice(&[0, 0]);
    assert_eq!(show(&open("a.zip", &archive)), ["a.zip!r.xml junit"]);
}

#[test]
fn of_members_with_one_name_the_last_is_read_and_it_is_said() {
    let mut archive = zipped(&[("r.xml", REPORT.as_bytes()), ("s.xml", REPORT.as_bytes())]);
    for at in 0..archive.len() - 5 {
        if &archive[at..at + 5] == b"s.xml" {
            archive[at] = b'r';
        }
    }
    let shown = show(&open("a.zip", &archive));
    assert_eq!(
        shown,
        ["a.zip archive | several members have the same name; of each the last one was read", "a.zip!r.xml junit"]
    );
}

#[test]
fn the_forges_log_archive_counts_every_line_once() {
    let log = b"2025-09-08T14:35:22.9657482Z error[E0308]: mismatched types\n2025-09-08T14:35:22.9657482Z  --> src/a.rs:1:2\n2025-09-08T14:35:22.9657482Z   |\n";
    let archive =
        zipped(&[("0_test (3.12).txt", log), ("test (3.12)/2_Run cargo.txt", log), ("test (3.12)/system.txt", b"x")]);
    assert_eq!(
        show(&open("logs.zip", &archive)),
        [
            "logs.zip archive | 2 logs of single steps were passed over: the logs of their jobs hold them",
            "logs.zip!0_test (3.12).txt rustc"
        ]
    );
}

#[test]
fn what_is_damaged_gives_what_can_be_read() {
    let archive = zipped(&[("r.xml", REPORT.as_bytes()), ("s.xml", REPORT.as_bytes())]);
    let shown = show(&open("a.zip", &archive[..archive.len() / 2])).join("");
    assert!(shown.starts_with("a.zip unknown | the archive is damaged or was cut off"), "{shown}");
    let log = "error[E0308]: mismatched types\n --> src/a.rs:1:2\n  |\n".repeat(2_000);
    let packed = gzipped(log.as_bytes());
    let shown = show(&open("a.log.gz", &packed[..packed.len() - 4])).join("");
    assert!(
        shown.starts_with("a.log.gz archive | a.log is damaged") && shown.contains("a.log.gz!a.log rustc"),
        "{shown}"
    );
}

#[test]
fn a_member_that_is_too_large_to_be_held_is_read_as_it_inflates() {
    let mut log = "an ordinary line of a build that goes well\n".repeat(usize::try_from(HELD).unwrap() / 43 + 10);
    log.push_str("error[E0308]: mismatched types\n --> src/a.rs:1:2\n  |\n");
    for (name, packed) in [("l.log.gz", gzipped(log.as_bytes())), ("l.zip", zipped(&[("l.log", log.as_bytes())]))] {
        let reports = open(name, &packed);
        assert_eq!(show(&reports).len(), 1);
        let at = reports[0].diagnostics[0].location.as_ref().unwrap();
        assert_eq!((reports[0].kind, at.path.as_str(), at.line), ("rustc", "src/a.rs", Some(1)));
    }
}

#[test]
fn a_large_archive_is_read_where_it_lies_and_its_members_share_the_limits() {
    let one = gzipped(REPORT.as_bytes());
    let two = zipped(&[("r.xml", REPORT.as_bytes()), ("s.xml", REPORT.as_bytes())]);
    for (name, bytes) in [("r.xml.gz", one), ("a.zip", two)] {
        let size = bytes.len() as u64;
        let content = Content::Large(Arc::new(Mutex::new(std::io::Cursor::new(bytes))), size);
        let raw = Raw { name: name.to_owned(), content, baseline: None };
        let reports = raw.open(Matchers::built_in(), Limits { failed_tests: 1, ..Limits::default() });
        assert_eq!(reports[0].kind, "junit", "{name}");
        assert_eq!(reports.iter().map(|report| report.cases.len()).sum::<usize>(), 1, "{name}");
        assert!(reports.iter().all(|report| report.tests.failed == 1), "{name}");
    }
}

#[test]
fn limits_can_be_lowered() {
    let two = zipped(&[("r.xml", REPORT.as_bytes()), ("s.xml", REPORT.as_bytes())]);
    let size = REPORT.len() as u64;
    let read = |limits: Limits| {
        let raw = Raw { name: "a.zip".to_owned(), content: two.clone().into(), baseline: None };
        show(&raw.open(Matchers::built_in(), limits))
    };
    let whole = Limits::default();
    assert_eq!(
        read(Limits { members: 1, ..whole }),
        ["a.zip archive | the archive has 2 members; the first 1 were looked at", "a.zip!r.xml junit"]
    );
    assert_eq!(
        read(Limits { member: size - 1, ..whole }),
        ["a.zip unknown | r.xml holds more than 0 MiB | s.xml holds more than 0 MiB"]
    );
    assert_eq!(
        read(Limits { archive: size + 1, ..whole }),
        ["a.zip archive | s.xml: the archive holds more than 0 MiB", "a.zip!r.xml junit"]
    );
    assert_eq!(read(Limits { failed_tests: 0, ..whole }).len(), 2);
}

proptest::proptest! {
    #[test]
    fn any_bytes_behind_a_signature_are_survived(kind in 0_usize..2, bytes in proptest::collection::vec(0_u8.., 0..400)) {
        let head: &[u8] = [b"PK\x03\x04".as_slice(), b"\x1f\x8b\x08".as_slice()][kind];
        let reports = open("x", &[head, &bytes].concat());
        assert_eq!(reports[0].path.split('!').next(), Some("x"));
    }

    #[test]
    fn any_flipped_byte_of_an_archive_is_survived(at in 0_usize..400, to in 0_u8..) {
        let mut archive = zipped(&[("r.xml", REPORT.as_bytes()), ("b/s.xml", REPORT.as_bytes())]);
        let at = at % archive.len();
        archive[at] = to;
        let _reports = open("x", &archive);
    }
}
