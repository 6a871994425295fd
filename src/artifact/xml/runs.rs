//! Reports of test runs that are no `JUnit`: how each is recognised, and by what it is read.

use super::shape::{self, catch, dotnet, native, portable};
use super::{Format, Root, ctest, parasoft, valgrind};

/// The first row that recognises a document reads it.
pub(super) const FORMATS: &[Format] = &[
    Format {
        kind: "trx",
        producers: "Visual Studio, `dotnet test`, MSTest",
        reads: "tests and their inner results, classes, messages, stacks, durations, errors of the run",
        sniff: |root| root.name == "TestRun" && !lists_by_end(root),
        read: |document, report| shape::read(&dotnet::TRX, document, report),
    },
    Format {
        kind: "cppunit",
        producers: "CppUnit, AUnit",
        reads: "tests, messages, places",
        sniff: |root| root.name == "TestRun" && lists_by_end(root),
        read: |document, report| shape::read(&native::CPPUNIT, document, report),
    },
    Format {
        kind: "nunit",
        producers: "NUnit 2, DUnit",
        reads: "tests, messages, stacks, durations",
        sniff: |root| root.name == "test-results",
        read: |document, report| shape::read(&dotnet::NUNIT2, document, report),
    },
    Format {
        kind: "nunit",
        producers: "NUnit 3",
        reads: "tests, messages, stacks, durations, errors of fixtures",
        sniff: |root| root.name == "test-run" || (root.name == "test-suite" && !root.tag.contains("allure")),
        read: |document, report| shape::read(&dotnet::NUNIT3, document, report),
    },
    Format {
        kind: "xunit",
        producers: "xUnit.net 1 to 3, Fixie",
        reads: "tests, messages, stacks, durations, errors of fixtures",
        sniff: |root| root.name == "assemblies" || (root.name == "assembly" && is_run(root)),
        read: |document, report| shape::read(&dotnet::XUNIT, document, report),
    },
    Format {
        kind: "testng",
        producers: "TestNG",
        reads: "tests, messages, stacks, durations, failed configuration methods",
        sniff: |root| root.name == "testng-results",
        read: |document, report| shape::read(&portable::TESTNG, document, report),
    },
    Format {
        kind: "robot",
        producers: "Robot Framework",
        reads: "tests, messages, durations, files",
        sniff: |root| root.name == "robot",
        read: |document, report| shape::read(&portable::ROBOT, document, report),
    },
    Format {
        kind: "boost-test",
        producers: "Boost.Test: log, report or both",
        reads: "tests, messages, places, durations",
        sniff: |root| matches!(root.name, "TestLog" | "TestResult"),
        read: |document, report| shape::read(&native::BOOST, document, report),
    },
    Format {
        kind: "catch2",
        producers: "Catch2",
        reads: "tests, messages, places, durations",
        sniff: |root| matches!(root.name, "Catch" | "Catch2TestRun"),
        read: |document, report| shape::read(&catch::CATCH2, document, report),
    },
    Format {
        kind: "doctest",
        producers: "doctest",
        reads: "tests, messages, places, durations",
        sniff: |root| root.name == "doctest",
        read: |document, report| shape::read(&catch::DOCTEST, document, report),
    },
    Format {
        kind: "qtest",
        producers: "Qt Test",
        reads: "tests and their rows of data, messages, places",
        sniff: |root| {
            matches!(root.name, "TestCase" | "TestFunction")
                || (root.name == "Environment" && root.head.contains("<QtVersion"))
        },
        read: |document, report| shape::read(&native::QTEST, document, report),
    },
    Format {
        kind: "cunit",
        producers: "CUnit",
        reads: "tests, messages, places, suites that could not be set up",
        sniff: |root| root.name == "CUNIT_TEST_RUN_REPORT",
        read: |document, report| shape::read(&native::CUNIT, document, report),
    },
    Format {
        kind: "check",
        producers: "Check",
        reads: "tests, messages, places, durations",
        sniff: |root| root.name == "testsuites" && root.head.contains("check.sourceforge.net"),
        read: |document, report| shape::read(&native::CHECK, document, report),
    },
    Format {
        kind: "unittest++",
        producers: "UnitTest++",
        reads: "tests, messages, places, durations",
        sniff: |root| root.name == "unittest-results",
        read: |document, report| shape::read(&native::UNITTEST_CPP, document, report),
    },
    Format {
        kind: "fpcunit",
        producers: "FPCUnit",
        reads: "tests, messages, places, durations",
        sniff: |root| root.name == "TestResults" && root.head.contains("<TestListing"),
        read: |document, report| shape::read(&native::FPCUNIT, document, report),
    },
    Format {
        kind: "gtester",
        producers: "GLib's gtester",
        reads: "tests, messages, durations",
        sniff: |root| root.name == "gtester",
        read: |document, report| shape::read(&native::GTESTER, document, report),
    },
    Format {
        kind: "mbunit",
        producers: "MbUnit 2",
        reads: "tests, messages, stacks, durations",
        sniff: |root| root.name == "report-result",
        read: |document, report| shape::read(&dotnet::MBUNIT, document, report),
    },
    Format {
        kind: "gallio",
        producers: "Gallio, MbUnit 3",
        reads: "tests, messages, durations",
        sniff: |root| root.name == "report" && root.head.contains("gallio.org"),
        read: |document, report| shape::read(&dotnet::GALLIO, document, report),
    },
    Format {
        kind: "sonar-tests",
        producers: "SonarQube's generic test data",
        reads: "tests, messages, stacks, durations",
        sniff: |root| matches!(root.name, "testExecutions" | "unitTest"),
        read: |document, report| shape::read(&portable::SONAR, document, report),
    },
    Format {
        kind: "allure",
        producers: "Allure 1",
        reads: "tests, messages, stacks",
        sniff: |root| root.name == "test-suite",
        read: |document, report| shape::read(&portable::ALLURE, document, report),
    },
    Format {
        kind: "jmeter",
        producers: "JMeter",
        reads: "samples, messages, durations",
        sniff: |root| root.name == "testResults" && root.head.contains("ample "),
        read: |document, report| shape::read(&portable::JMETER, document, report),
    },
    Format {
        kind: "ctest",
        producers: "CTest: `Test.xml`, `Build.xml`",
        reads: "tests, what their programs printed, durations; errors and warnings of a build",
        sniff: ctest::sniff,
        read: ctest::read,
    },
    Format {
        kind: "parasoft-tests",
        producers: "Parasoft C++test",
        reads: "tests, messages, stacks, durations",
        sniff: parasoft::sniff,
        read: parasoft::read,
    },
    Format {
        kind: "valgrind",
        producers: "Valgrind",
        reads: "errors, fatal signals, stacks",
        sniff: valgrind::sniff,
        read: valgrind::read,
    },
    Format {
        kind: "intellij",
        producers: "IntelliJ, exported by hand",
        reads: "tests, messages, stacks, durations",
        sniff: |root| root.name == "testrun" && root.head.contains("<suite "),
        read: |document, report| shape::read(&portable::INTELLIJ, document, report),
    },
];

fn lists_by_end(root: &Root<'_>) -> bool {
    ["<FailedTests", "<SuccessfulTests", "<Statistics"].iter().any(|list| root.head.contains(list))
}

/// Assemblies are also described for quite other purposes.
fn is_run(root: &Root<'_>) -> bool {
    ["run-date", "test-framework", "total="].iter().any(|attribute| root.tag.contains(attribute))
        || ["<class ", "<collection "].iter().any(|element| root.head.contains(element))
}
