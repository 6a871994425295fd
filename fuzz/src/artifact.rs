//! What CI leaves behind, by its syntax.

use std::io::{Cursor, Write as _};
use std::sync::{Arc, LazyLock, Mutex};

use flate2::Compression;
use flate2::write::GzEncoder;
use unbreak::artifact::{Content, Limits, Matchers, Raw, Report, open, read};
use unbreak::failure::matchers_of;
use unbreak::ids::RepoPath;
use unbreak::source::Memory;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::{parts, sound};

/// What a document may begin with: an input that begins otherwise gets one of these, so that it reaches a reader.
const TAGS: &[&str] = &[
    "<testsuites><testsuite name='s'><testcase classname='c' name='t'>",
    "<testsuite name='s' tests='2' failures='1'>",
    "<TestRun xmlns='http://microsoft.com/schemas/VisualStudio/TeamTest/2010'><Results><UnitTestResult testName='t' outcome='Failed'>",
    "<test-run result='Failed'><test-suite type='Assembly'><test-case name='t' result='Failed'>",
    "<test-results name='a'><test-suite><results><test-case name='t' executed='True' success='False'>",
    "<assemblies><assembly name='a.dll'><collection><test name='t' type='T' method='m' result='Fail'>",
    "<testng-results failed='1'><suite name='s'><test name='t'><class name='c'><test-method status='FAIL' name='m'>",
    "<robot generator='Robot 6'><suite name='s'><test name='t'><kw name='k'>",
    "<Site BuildName='b'><Testing><Test Status='failed'><Name>t</Name>",
    "<Site BuildName='b'><Build><Error>",
    "<TestLog><TestSuite name='s'><TestCase name='t'><Error file='a.cpp' line='1'>",
    "<TestRun><FailedTests><FailedTest id='1'>",
    "<Catch2TestRun name='n'><TestCase name='t'><Expression success='false'>",
    "<doctest binary='b'><TestSuite><TestCase name='t'><Expression success='false'>",
    "<TestCase name='t'><TestFunction name='f'><Incident type='fail' file='a' line='1'>",
    "<CUNIT_TEST_RUN_REPORT><CUNIT_RESULT_LISTING><CUNIT_RUN_SUITE>",
    "<ns2:test-suite xmlns:ns2='urn:model.allure.qatools.yandex.ru'><test-cases><test-case status='failed'>",
    "<testResults version='1.2'><httpSample lb='l' s='false'>",
    "<valgrindoutput><protocolversion>4</protocolversion><error><unique>1</unique>",
    "<testExecutions version='1'><file path='p'><testCase name='t'>",
    "<coverage version='1'><packages><package><classes><class filename='a.py'><lines>",
    "<report name='r'><package name='p'><sourcefile name='A.java'>",
    "<checkstyle version='1'><file name='a.js'><error line='1' message='m'/>",
    "<pmd version='1'><file name='a.java'><violation beginline='1' rule='r'>",
    "<BugCollection><BugInstance type='T'>",
    "<results version='2'><cppcheck version='1'/><errors><error id='e' severity='error' msg='m'>",
    "<issues format='5'><issue id='i' severity='Error' message='m'>",
    "<Report><IssueTypes/><Issues><Project><Issue TypeId='i' File='f' Offset='1-2'>",
    "<mutations><mutation status='SURVIVED'>",
    "<mbunit><report-result>",
];

/// Any document of XML, held and piece by piece.
pub fn xml(bytes: &[u8]) {
    let document = begun(bytes, b"<\xff\xfe", TAGS);
    either_way("r.xml", &document);
    // The readers of pieces of 256 KiB see a border at any place: a comment moves it there.
    if let Some(at) = document.iter().position(|byte| *byte == b'>').filter(|_| bytes.len().is_multiple_of(4)) {
        let (head, rest) = document.split_at(at + 1);
        let inside = rest.len() * usize::from(bytes.last().copied().unwrap_or_default()) / 256;
        let filler = PIECE.saturating_sub(head.len() + inside + "<!---->".len());
        either_way("r.xml", &[head, b"<!--", &vec![b'x'; filler], b"-->", rest].concat());
    }
}

const PIECE: usize = 256 << 10;

/// What a document of JSON may begin with.
const KEYS: &[&str] = &[
    r#"{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"t","rules":[{"id":"r"}]}},"results":[{"ruleId":"r","message":{"text":"m"},"#,
    r#"{"version":"2.1.0","runs":[{"#,
    r#"{"config":{},"suites":[{"title":"s","specs":[{"title":"t","tests":[{"results":[{"status":"failed","#,
    r#"[{"keyword":"Feature","uri":"f","elements":[{"type":"scenario","name":"n","steps":[{"result":{"status":"failed","#,
    r#"[{"SuitePath":"p","SpecReports":[{"LeafNodeText":"t","State":"failed","Failure":{"#,
    r#"{"uuid":"u","name":"n","status":"failed","statusDetails":{"#,
    "{\"id\":{\"testResult\":{\"label\":\"//a\"}},\"testResult\":{\"status\":\"FAILED\"}}\n{",
    r#"[{"path":"a","start_line":1,"annotation_level":"failure","message":"m","#,
    r#"{"meta":{"version":"7"},"files":{"a.py":{"executed_lines":[1],"missing_lines":[2],"#,
    r#"{"numTotalTests":1,"testResults":[{"assertionResults":[{"fullName":"t","status":"failed","failureMessages":["#,
    r#"{"stats":{"tests":1},"tests":[],"failures":[{"fullTitle":"t","err":{"#,
    r#"{"stats":{"suites":1,"testsRegistered":1},"results":[{"suites":[{"tests":[{"title":"t","fail":true,"err":{"#,
    r#"{"results":{"tool":{"name":"t"},"summary":{"tests":1},"tests":[{"name":"t","status":"failed","#,
    r#"{"version":"3","examples":[{"full_description":"t","status":"failed","exception":{"#,
    r#"{"tests":1,"failures":1,"testsuites":[{"name":"s","testsuite":[{"name":"t","failures":[{"#,
    r#"{"exitcode":1,"tests":[{"nodeid":"a::b","outcome":"failed","call":{"#,
    r#"[{"filePath":"/a.js","messages":[{"ruleId":"r","severity":2,"line":1,"message":"m","#,
    r#"[{"code":"F401","filename":"a.py","location":{"row":1,"column":1},"message":"m","fix":{"edits":[{"#,
    r#"{"generalDiagnostics":[{"file":"a.py","severity":"error","message":"m","range":{"start":{"line":1},"#,
    r#"{"results":[{"check_id":"c","path":"p","start":{"line":1},"extra":{"message":"m","#,
    r#"{"Issues":[{"FromLinter":"l","Text":"t","Pos":{"Filename":"a.go","Line":1},"#,
    r#"{"SchemaVersion":2,"Results":[{"Target":"t","Vulnerabilities":[{"VulnerabilityID":"v","#,
];

/// Any document of JSON.
pub fn json(bytes: &[u8]) {
    either_way("r.json", &begun(bytes, b"{[ \n\t\xff\xfe", KEYS));
}

/// What a command printed.
pub fn text(bytes: &[u8]) {
    let reports = [read("out.txt", bytes)];
    let listing = sound::check(&reports, bytes, None);
    assert_eq!(listing, sound::check(&[read("out.txt", bytes)], bytes, None));
}

/// The log of a CI system, and behind a NUL byte that of a green run.
pub fn log(bytes: &[u8]) {
    let [log, baseline] = parts(bytes);
    either_way("log.txt", log);
    let baseline = String::from_utf8_lossy(baseline).into_owned();
    let raw = Raw { name: "log.txt".to_owned(), content: log.to_vec().into(), baseline: Some(baseline) };
    sound::check(&raw.open(Matchers::built_in(), Limits::default()), log, Some(&*TREE));
}

/// An archive as it stands, else one that holds the input: after a byte that says how it is packed come names and
/// contents in turn, with NUL bytes between them.
pub fn archive(bytes: &[u8]) {
    match bytes {
        [b'P', b'K', ..] | [0x1f, ..] => either_way("a.zip", bytes),
        [how, members @ ..] => either_way("a.zip", &packed(*how, members)),
        [] => {}
    }
}

fn packed(how: u8, members: &[u8]) -> Vec<u8> {
    let method = if how & 1 == 0 { CompressionMethod::Stored } else { CompressionMethod::Deflated };
    let parts: Vec<&[u8]> = members.split(|byte| *byte == 0).take(64).collect();
    let mut bytes = zipped(parts.chunks(2), method);
    if how & 2 != 0 {
        bytes = zipped([&[b"inner.zip".as_slice(), &bytes][..]].into_iter(), method);
    }
    if how & 4 != 0 {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(&bytes).unwrap();
        bytes = gzip.finish().unwrap();
    }
    if how & 8 != 0
        && let [.., at, value] = members
    {
        let at = bytes.len() * usize::from(*at) / 256;
        bytes[at] ^= value;
    }
    if how & 16 != 0 {
        bytes.truncate(bytes.len() * 3 / 4);
    }
    bytes
}

fn zipped<'a>(members: impl Iterator<Item = &'a [&'a [u8]]>, method: CompressionMethod) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(method);
    for member in members {
        // A name that is there already is refused.
        if zip.start_file(String::from_utf8_lossy(member[0]), options).is_ok() {
            zip.write_all(member.get(1).copied().unwrap_or_default()).unwrap();
        }
    }
    zip.finish().unwrap().into_inner()
}

/// Problem matchers of a repository, and behind a NUL byte a text to be matched.
pub fn matcher(bytes: &[u8]) {
    let [json, text] = parts(bytes);
    let tree = Memory::new([(RepoPath::new(".github/m.json").unwrap(), json)]);
    let (matchers, problems) = matchers_of(&tree);
    assert!(problems.iter().all(|problem| problem.message.len() < 4 << 10), "{problems:?}");
    let raw = Raw { name: "out.txt".to_owned(), content: text.to_vec().into(), baseline: None };
    sound::check(&raw.open(&matchers, Limits::default()), text, Some(&tree));
}

/// Files that paths can be mapped to.
static TREE: LazyLock<Memory> = LazyLock::new(|| {
    let paths =
        ["src/lib.rs", "src/a/mod.rs", "a.py", "pkg/a.py", "tests/test_a.py", "src/main/java/a/A.java", "x/a.js"];
    Memory::new(paths.map(|path| (RepoPath::new(path).unwrap(), b"")))
});

/// An input that begins with none of `starts` gets the beginning that its first byte names.
fn begun(bytes: &[u8], starts: &[u8], beginnings: &[&str]) -> Vec<u8> {
    match bytes {
        [first, rest @ ..] if !starts.contains(first) => {
            let beginning = beginnings[usize::from(*first) % beginnings.len()];
            [beginning.as_bytes(), rest].concat()
        }
        bytes => bytes.to_vec(),
    }
}

/// Reads what is held, and what is read where it lies: where both know the format they say the same.
fn either_way(name: &str, bytes: &[u8]) {
    let held = open(name, bytes);
    let told = sound::check(&held, bytes, Some(&*TREE));
    let source = Cursor::new(bytes.to_vec());
    let content = Content::Large(Arc::new(Mutex::new(source)), bytes.len() as u64);
    let large = Raw { name: name.to_owned(), content, baseline: None }.open(Matchers::built_in(), Limits::default());
    let told_of_large = sound::check(&large, bytes, Some(&*TREE));
    let kinds = |reports: &[Report]| reports.iter().map(|report| report.kind).collect::<Vec<_>>();
    if kinds(&held) == kinds(&large) {
        assert_eq!(without_problems(&told), without_problems(&told_of_large));
    }
}

fn without_problems(listing: &str) -> serde_json::Value {
    let mut listing: serde_json::Value = serde_json::from_str(listing).unwrap();
    for artifact in listing["artifacts"].as_array_mut().unwrap() {
        artifact["problems"] = serde_json::Value::Null;
    }
    listing
}
