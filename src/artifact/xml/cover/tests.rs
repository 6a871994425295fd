//! Coverage in XML, as tools write it and as nobody should.

use crate::artifact::{CoveredFile, Report, read};

const COBERTURA: &str = "<?xml version='1.0' ?>\n<!DOCTYPE coverage SYSTEM 'http://cobertura.sourceforge.net/xml/coverage-04.dtd'>\n<coverage line-rate='0.5'><packages><package name='p'><classes><class name='a' filename='src/a.py'><methods/><lines><line number='1' hits='2'/><line number='3' hits='0'/></lines></class></classes></package></packages></coverage>";
const JACOCO: &str = "<!DOCTYPE report PUBLIC '-//JACOCO//DTD Report 1.1//EN' 'report.dtd'><report name='x'><sessioninfo id='1'/><package name='org/x'><class name='org/x/A' sourcefilename='A.java'/><sourcefile name='A.java'><line nr='1' mi='0' ci='3'/><line nr='3' mi='2' ci='0'/></sourcefile></package></report>";
const CLOVER: &str = "<coverage generated='1' clover='3'><project><file name='a.js' path='/r/a.js'><line num='1' truecount='0' falsecount='2' type='cond'/><line num='3' count='0' type='stmt'/></file></project></coverage>";
const SONAR: &str = "<coverage version='1'><file path='/r/a.js'><lineToCover lineNumber='1' covered='true'/><lineToCover lineNumber='3' covered='false'/></file></coverage>";
const SCOVERAGE: &str = "<scoverage statement-rate='50.0'><packages><package name='p'><classes><class name='A' filename='p/A.scala'><methods><method><statements><statement source='p/A.scala' line='1' invocation-count='4'/><statement line='3' invocation-count='0'/></statements></method></methods></class></classes></package></packages></scoverage>";

fn report(document: &str) -> Report {
    read("coverage.xml", document.as_bytes())
}

fn covered(document: &str) -> (&'static str, Vec<CoveredFile>) {
    let report = report(document);
    (report.kind, report.coverage)
}

fn of(path: &str) -> Vec<CoveredFile> {
    vec![CoveredFile { path: path.to_owned(), hit: vec![1], missed: vec![3] }]
}

#[test]
fn every_format_says_which_lines_ran() {
    assert_eq!(covered(COBERTURA), ("coverage", of("src/a.py")));
    assert_eq!(covered(JACOCO), ("coverage", of("org/x/A.java")));
    assert_eq!(covered(CLOVER), ("coverage", of("/r/a.js")));
    assert_eq!(covered(SONAR), ("coverage", of("/r/a.js")));
    assert_eq!(covered(SCOVERAGE), ("coverage", of("p/A.scala")));
}

#[test]
fn a_format_is_known_without_its_optional_marks() {
    let (_, bare) = COBERTURA.split_once('\n').unwrap();
    let bare = bare.replace(" line-rate='0.5'", "");
    assert_eq!(covered(&bare), ("coverage", of("src/a.py")));
    assert_eq!(covered(&bare[bare.find("<coverage").unwrap()..]), ("coverage", of("src/a.py")));
    let bare = JACOCO.replace("<sessioninfo id='1'/>", "");
    assert_eq!(covered(&bare), ("coverage", of("org/x/A.java")));
    let bare = &bare[bare.find("<report").unwrap()..];
    assert_eq!(covered(bare), ("coverage", of("org/x/A.java")));
    let grouped = bare.replace("<package", "<group name='g'><package").replace("</package>", "</package></group>");
    assert_eq!(covered(&grouped), ("coverage", of("org/x/A.java")));
    let counted = "<report name='x'><counter type='LINE' missed='1' covered='1'/></report>";
    assert_eq!(covered(counted), ("coverage", vec![]));
}

#[test]
fn other_reports_are_not_taken_for_coverage() {
    let items = "<report><item column_from='1'><file_name>a.php</file_name><message>m</message><line_from>1</line_from></item></report>";
    assert_ne!(report(items).kind, "coverage");
    assert_eq!(report("<results version='2'><cppcheck version='1'/><errors/></results>").kind, "cppcheck");
    assert_eq!(report("<coverage/>").kind, "unknown");
}

#[test]
fn a_report_that_is_cut_off_gives_what_stands_before() {
    for document in [COBERTURA, JACOCO, CLOVER, SONAR, SCOVERAGE] {
        for end in 0..document.len() {
            let report = report(&document[..end]);
            assert!(report.tests.total == 0 && report.diagnostics.is_empty(), "{}", &document[..end]);
        }
        let second = document.rfind("'3'").unwrap();
        let report = report(&document[..second]);
        assert_eq!(report.coverage, [CoveredFile { missed: vec![], ..of(&report.coverage[0].path).remove(0) }]);
        assert!(!report.problems.is_empty());
    }
}

#[test]
fn strange_numbers_are_no_lines_and_no_runs() {
    let numbers = ["0", "-1", "99999999999999999999", "1e3", "", "x", " 5 "];
    let lines = numbers.map(|number| format!("<line number='{number}' hits='1'/>")).concat();
    let counts = "<line number='6' hits='-1'/><line number='7' hits='99999999999999999999999'/><line number='8'/>";
    let document = format!("<coverage line-rate='1'><class filename='a'>{lines}{counts}</class></coverage>");
    assert_eq!(covered(&document).1, [CoveredFile { path: "a".to_owned(), hit: vec![5, 7], missed: vec![6, 8] }]);
}

#[test]
fn long_names_and_deep_nesting_cost_no_more_than_their_length() {
    let name = "x".repeat(1 << 20);
    let lines = "<line number='1' hits='1'/>".repeat(200_000);
    let long = format!("<coverage line-rate='1'><class filename='{name}'>{lines}</class></coverage>");
    let files = "<sourcefile name='a'><line nr='1' ci='1'/></sourcefile>".repeat(100_000);
    let package = format!("<report><sessioninfo id='1'/><package name='{name}'>{files}</package></report>");
    let deep = format!("<coverage line-rate='1'>{}", "<package name='p'><class filename='a'>".repeat(100_000));
    let report = report(&long);
    assert_eq!((report.coverage.len(), report.problems.len()), (0, 1));
    assert!(covered(&package).1.is_empty());
    assert!(covered(&deep).1.is_empty());
}
