//! Coverage in JSON, as tools write it and as nobody should.

use crate::artifact::{CoveredFile, read};

const ISTANBUL: &str = r#"{"/r/a.js":{"path":"/r/a.js","statementMap":{"0":{"start":{"line":1,"column":0},"end":{"line":1,"column":9}},"1":{"start":{"line":3,"column":2},"end":{"line":4,"column":3}},"2":{"start":{"line":1,"column":4},"end":{"line":1,"column":8}}},"fnMap":{},"branchMap":{},"s":{"0":2,"1":0,"2":0},"f":{},"b":{}}}"#;
const SIMPLECOV: &str = r#"{"RSpec":{"coverage":{"/r/a.js":{"lines":[1,null,0,null]}},"timestamp":1700000000},"old":{"coverage":{"/r/a.js":[0,null,0]},"timestamp":1}}"#;
const GCOV: &str = r#"{"format_version":"1","gcc_version":"13.2.0","current_working_directory":"/r","data_file":"a.gcda","files":[{"file":"/r/a.js","functions":[],"lines":[{"line_number":1,"count":5,"unexecuted_block":false,"branches":[]},{"line_number":3,"count":0,"branches":[]}]}]}"#;
const LLVM: &str = r#"{"data":[{"files":[{"filename":"/r/a.js","segments":[[1,1,4,true,true,false],[2,1,0,false,false,false],[3,1,0,true,true,false],[4,1,0,false,false,false]]}],"totals":{}}],"type":"llvm.coverage.json.export","version":"2.0.1"}"#;

const ALL: [(&str, &str); 4] =
    [("istanbul", ISTANBUL), ("simplecov", SIMPLECOV), ("gcov-json", GCOV), ("llvm-cov", LLVM)];

#[test]
fn every_format_says_which_lines_ran() {
    for (kind, document) in ALL {
        let report = read("c.json", document.as_bytes());
        let file = CoveredFile { path: "/r/a.js".to_owned(), hit: vec![1], missed: vec![3] };
        assert_eq!((report.kind, report.coverage, report.problems.len()), (kind, vec![file], 0));
    }
}

#[test]
fn several_documents_in_one_text_add_up() {
    let report = read("c.json", format!("{GCOV}\n{}\n", GCOV.replace("a.js", "b.js")).as_bytes());
    assert_eq!((report.kind, report.coverage.len()), ("gcov-json", 2));
}

#[test]
fn a_report_that_is_cut_off_gives_no_failures() {
    for (_, document) in ALL {
        for end in 0..document.len() {
            let report = read("c.json", &document.as_bytes()[..end]);
            assert!(report.tests.total == 0 && report.diagnostics.is_empty(), "{}", &document[..end]);
        }
        let report = read("c.json", &document.as_bytes()[..document.len() - 1]);
        assert_eq!((report.coverage.len(), report.problems.len()), (1, 1));
    }
}

#[test]
fn strange_numbers_and_shapes_are_no_lines() {
    for strange in ["-1", "0", "99999999999999999999", "1e9", "\"1\"", "null", "[]", "{}"] {
        let gcov = GCOV.replace("\"line_number\":1,", &format!("\"line_number\":{strange},"));
        assert!(read("c.json", gcov.as_bytes()).coverage[0].hit.is_empty(), "{strange}");
        for (_, document) in ALL {
            for part in ["5", "[1,null,0,null]", "[1,1,4,true,true,false]", "{\"line\":1,\"column\":0}", "\"/r/a.js\""]
            {
                let report = read("c.json", document.replacen(part, strange, 1).as_bytes());
                assert_eq!((report.tests.total, report.diagnostics.len()), (0, 0));
            }
        }
    }
    let long = LLVM.replace("[2,1,", "[4294967295,1,").replace("4,true", "18446744073709551615,true");
    assert_eq!(read("c.json", long.as_bytes()).problems.len(), 1);
}
