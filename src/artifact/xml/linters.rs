//! The linters whose XML is a list of findings: a row for each. The notation of paths is `linter::value`'s.

use crate::artifact::FaultKind;

/// How one tool writes its findings.
pub(super) struct Linter {
    pub(super) tool: &'static str,
    /// Names of the root element.
    pub(super) roots: &'static [&'static str],
    /// What the beginning of the document has to contain, where the root is not enough.
    pub(super) mark: &'static str,
    /// The elements that are findings.
    pub(super) items: &'static [&'static str],
    pub(super) path: &'static str,
    pub(super) line: &'static str,
    pub(super) column: &'static str,
    pub(super) rule: &'static str,
    pub(super) severity: &'static str,
    pub(super) message: &'static str,
    /// The path is a name of a class: `a.B` lies in `a/B.java`.
    pub(super) class_is_path: bool,
    /// Where the path stands beside the findings: in the text of these elements (the last one counts) in this one.
    pub(super) beside: (&'static str, &'static [&'static str]),
    pub(super) kind: FaultKind,
}

const fn of(tool: &'static str, roots: &'static [&'static str], items: &'static [&'static str]) -> Linter {
    Linter {
        tool,
        roots,
        mark: "",
        items,
        path: "file@name",
        line: "@line",
        column: "@column",
        rule: "@rule",
        severity: "@severity",
        message: "@message",
        class_is_path: false,
        beside: ("", &[]),
        kind: FaultKind::Lint,
    }
}

/// The first whose root and mark fit.
pub(super) const LINTERS: &[Linter] = &[
    Linter { rule: "@source", ..of("checkstyle", &["checkstyle"], &["error"]) },
    Linter {
        line: "@beginline",
        column: "@begincolumn",
        severity: "@priority",
        message: ".",
        ..of("pmd", &["pmd"], &["violation"])
    },
    Linter {
        path: "@path",
        message: "duplication@tokens",
        severity: "",
        rule: "",
        ..of("cpd", &["pmd-cpd"], &["file"])
    },
    Linter {
        path: "@sourceFile",
        line: "@startLineNumber",
        message: "set@lineCount",
        severity: "",
        ..of("simian", &["simian"], &["block"])
    },
    Linter {
        path: "FileName",
        line: "LineRange@Start",
        message: "Duplicate@Cost|Duplicate@cost",
        severity: "",
        ..of("dupfinder", &["DuplicatesReport"], &["Fragment"])
    },
    Linter {
        path: "SourceLine@sourcepath",
        line: "SourceLine@start",
        rule: "@type",
        severity: "@priority",
        message: "LongMessage|ShortMessage|@type",
        ..of("spotbugs", &["BugCollection"], &["BugInstance"])
    },
    Linter {
        path: "@Source",
        line: "@LineNumber",
        rule: "@RuleId|@Rule",
        severity: "",
        message: ".",
        ..of("stylecop", &["StyleCopViolations", "SourceAnalysisViolations"], &["Violation"])
    },
    Linter {
        path: "@Path/@File",
        line: "@Line",
        rule: "Message@CheckId",
        severity: "@Level",
        message: ".",
        ..of("fxcop", &["FxCopReport"], &["Issue"])
    },
    Linter {
        path: "@Source",
        line: "",
        rule: "rule@Name",
        severity: "@Severity",
        message: "@Location",
        ..of("gendarme", &["gendarme-output"], &["defect"])
    },
    Linter {
        path: "location@file|@file",
        line: "location@line|@line",
        column: "location@column",
        rule: "@id",
        message: "@msg",
        ..of("cppcheck", &["results"], &["error"])
    },
    Linter { column: "@char", rule: "@rule", message: "@reason", ..of("jslint", &["jslint"], &["issue"]) },
    Linter { column: "@char", message: "@reason", ..of("csslint", &["csslint", "lint"], &["issue"]) },
    Linter {
        mark: " id=",
        path: "location@file",
        line: "location@line",
        column: "location@column",
        rule: "@id",
        ..of("android-lint", &["issues"], &["issue"])
    },
    Linter {
        path: "fileName",
        line: "lineStart",
        column: "columnStart",
        rule: "type",
        severity: "severity",
        message: "message",
        ..of("issues", &["issue", "issues"], &["issue"])
    },
    Linter {
        mark: "<issue>",
        path: "fileName",
        line: "lineStart",
        column: "columnStart",
        rule: "type",
        severity: "severity",
        message: "message",
        ..of("issues", &["report"], &["issue"])
    },
    Linter {
        path: "file",
        line: "line",
        rule: "problem_class@id|problem_class",
        severity: "problem_class@severity",
        message: "description",
        ..of("idea", &["problems"], &["problem"])
    },
    Linter {
        mark: "taglist",
        line: "lineNumber",
        rule: "tag@name",
        severity: "",
        message: "comment",
        class_is_path: true,
        ..of("taglist", &["report"], &["comment"])
    },
    Linter {
        mark: "<line_from",
        path: "file_name|file_path",
        line: "line_from",
        column: "column_from",
        rule: "type",
        severity: "severity",
        message: "message",
        kind: FaultKind::Type,
        ..of("psalm", &["report"], &["item"])
    },
    Linter { mark: "<item", rule: "@finding-type|@type", ..of("jcreport", &["report"], &["item"]) },
    Linter {
        path: "file",
        line: "line",
        column: "column",
        rule: "code",
        severity: "severitylevel|severity",
        message: "message",
        ..of("klocwork", &["errorList"], &["problem"])
    },
    Linter {
        path: "@File",
        line: "@Line",
        rule: "@TypeId",
        message: "@Message",
        ..of("resharper", &["Report"], &["Issue"])
    },
    Linter {
        path: "mutatedClass^/sourceFile",
        line: "lineNumber",
        rule: "mutator",
        severity: "@status",
        message: "description|mutatedMethod",
        ..of("pit", &["mutations"], &["mutation"])
    },
    Linter {
        path: "Package@path/File@name",
        line: "@lineNumber",
        rule: "@ruleName",
        severity: "@priority",
        message: "Message|SourceLine|@ruleName",
        ..of("codenarc", &["CodeNarc"], &["Violation"])
    },
    Linter {
        path: "source@path",
        column: "",
        rule: "@categoryID|@id",
        message: "message@value",
        kind: FaultKind::Compile,
        ..of("ecj", &["compiler"], &["problem"])
    },
    Linter {
        path: "FILEPATH/FILENAME",
        line: "LINE",
        column: "COLUMN",
        rule: "DEFECTCODE",
        severity: "",
        message: "DESCRIPTION",
        ..of("prefast", &["DEFECTS"], &["DEFECT"])
    },
    Linter { path: "file@name", rule: "@source", message: ".", ..of("phpcs", &["phpcs"], &["error", "warning"]) },
    Linter {
        path: "file",
        line: "startLineNumber",
        rule: "classification",
        severity: "",
        message: "unit",
        ..of("ccm", &["ccm"], &["metric"])
    },
    Linter {
        path: "File",
        line: "Line",
        rule: "ErrorCode",
        severity: "Level",
        message: "Message",
        ..of("pvs-studio", &["NewDataSet"], &["PVS-Studio_Analysis_Log"])
    },
    Linter {
        mark: "ependenc",
        path: "",
        line: "",
        column: "",
        rule: "name",
        severity: "severity",
        message: "description|name",
        kind: FaultKind::Dependency,
        beside: ("dependency", &["fileName", "filePath"]),
        ..of("dependency-check", &["analysis"], &["vulnerability"])
    },
    Linter {
        path: "@file|@path|@filename|@name",
        rule: "@ruleKey|@rule|@id",
        message: "@message",
        ..of(
            "file-issues",
            &["results-list", "violations", "lint-report", "bugs"],
            &["issue", "violation", "bug", "error"],
        )
    },
];
