//! One report of each format, with what makes it different from the others.

use std::fmt::Write as _;

use crate::artifact::{Report, read};

/// Kind, counts (passed, failed, errored, skipped), and each case that failed: its name, message, class and place.
fn show(text: &str) -> String {
    shown(&read("r.xml", text.as_bytes()))
}

fn shown(report: &Report) -> String {
    let tests = report.tests;
    let mut shown = format!("{} {} {} {} {}", report.kind, tests.passed, tests.failed, tests.errored, tests.skipped);
    for case in &report.cases {
        for fault in &case.faults {
            let id = &case.id;
            let place = fault.location.as_ref().map(|at| format!("{}:{}", at.path, at.line.unwrap_or(0)));
            let names = format!("{}/{}/{}", id.suite, id.class, id.name);
            let class = fault.class.as_deref().unwrap_or("-");
            write!(shown, "\n{names}: {} [{class}] {}", fault.message, place.unwrap_or_default()).unwrap();
        }
    }
    for diagnostic in &report.diagnostics {
        write!(shown, "\n! {}", diagnostic.message).unwrap();
    }
    shown
}

const NUNIT2: &str = "<test-results name='x' total='9'><test-suite name='a.dll'><results><test-suite name='Fixture'><results>
<test-case name='N.Fixture.Ok' executed='True' success='True' time='0.5'/>
<test-case name='N.Fixture.Bad(\"a.b\")' executed='True' result='Failure' success='False'><failure>
<message><![CDATA[  Expected: 30
  But was:  20
]]></message>
<stack-trace><![CDATA[at N.Fixture.Bad () in /src/F.cs:line 9
]]></stack-trace></failure></test-case>
<test-case name='N.Fixture.Thrown' executed='True' result='Error' success='False'><failure><message>System.Exception : x</message></failure></test-case>
<test-case name='N.Fixture.No' executed='False'><reason><message>later</message></reason></test-case>
<test-case name='N.Fixture.Old' executed='True' success='False'/>
<test-case name='N.Fixture.What' result='Inconclusive' success='False'/></results></test-suite></results></test-suite></test-results>";

#[test]
fn nunit_2() {
    let report = read("r.xml", NUNIT2.as_bytes());
    assert_eq!((report.cases[0].seconds, report.cases[0].id.class.as_str()), (Some(0.5), "N.Fixture"));
    let fault = &report.cases[1].faults[0];
    assert_eq!(fault.message, "Expected: 30 But was: 20");
    let lines = fault.lines.unwrap();
    assert_eq!((lines.start, lines.end), (4, 7));
    assert!(fault.excerpt.ends_with("line 9"), "{}", fault.excerpt);
    assert_eq!(report.cases[1].id.name, "Bad(\"a.b\")");
    let tests = report.tests;
    assert_eq!((tests.passed, tests.failed, tests.errored, tests.skipped), (1, 2, 1, 2));
    assert_eq!(report.cases[2].faults[0].class.as_deref(), Some("System.Exception"));
}

#[test]
fn nunit_3() {
    let text = "<test-run><test-suite type='TestFixture' name='F' site='Child'><failure><message>One or more child tests had errors</message></failure>
<test-case name='A' fullname='N.F.A' classname='N.F' result='Failed' label='Error' duration='1.6E-05'><failure><message>System.Exception : boom</message></failure></test-case>
<test-case name='B' classname='N.F' result='Skipped' label='Ignored'/><test-case name='C' result='Warning'/><test-case name='D' runstate='Ignored'/><test-case name='E' runstate='Runnable'/></test-suite>
<test-suite name='G'><failure><message>OneTimeSetUp: no server</message></failure></test-suite></test-run>";
    assert_eq!(
        show(text),
        "nunit 2 1 0 2\nF/N.F/A: System.Exception : boom [System.Exception] \n! G: OneTimeSetUp: no server"
    );
}

#[test]
fn xunit_net() {
    let text = "<assemblies><assembly name='a.dll'><errors><error name='Fx' type='fixture-cleanup'><failure exception-type='E'><message>no</message></failure></error></errors>
<collection name='c'><test name='N.T.Bad(x: 1)' type='N.T' method='Bad' time='0.1' result='Fail' source-file='T.cs' source-line='7'><failure exception-type='Xunit.EqualException'><message>Assert.Equal() Failure
Expected: 1
Actual:   2</message></failure></test><test name='ok' type='N.T' result='Pass'/><test name='s' type='N.T' result='Skip'><reason>r</reason></test><test name='n' result='NotRun'/></collection></assembly></assemblies>";
    assert_eq!(
        show(text),
        "xunit 1 1 0 2\nc/N.T/Bad(x: 1): Assert.Equal() Failure Expected: 1 Actual: 2 [Xunit.EqualException] T.cs:7\n! Fx: no"
    );
}

#[test]
fn trx_has_its_classes_before_or_behind_its_results() {
    let results = "<Results><UnitTestResult testId='1' testName='N.C.Bad' outcome='Failed' duration='00:00:01.5000000'><Output><StdOut>o</StdOut><ErrorInfo><Message>Assert.Fail</Message><StackTrace>at N.C.Bad()</StackTrace></ErrorInfo></Output>
<InnerResults><UnitTestResult testId='1' testName='Bad (row 1)' outcome='Passed'/></InnerResults></UnitTestResult><UnitTestResult testId='2' testName='Late' outcome='Timeout'/><UnitTestResult testId='2' testName='Not' outcome='NotExecuted'/></Results>";
    let definitions = "<TestDefinitions><UnitTest id='1'><TestMethod className='N.C, Assembly, Version=1' name='Bad'/></UnitTest></TestDefinitions>";
    let run = "<ResultSummary><RunInfos><RunInfo outcome='Error'><Text>host crashed</Text></RunInfo><RunInfo outcome='Warning'><Text>w</Text></RunInfo></RunInfos></ResultSummary>";
    let expected = "trx 1 1 1 1\n/N.C/Bad: Assert.Fail [-] \n//Late: the test failed [-] \n! host crashed";
    for body in [format!("{results}{definitions}{run}"), format!("{run}{definitions}{results}")] {
        let text = format!("<TestRun xmlns='http://microsoft.com/schemas/VisualStudio/TeamTest/2010'>{body}</TestRun>");
        assert_eq!(show(&text), expected);
    }
}

#[test]
fn testng() {
    let text = "<testng-results skipped='9'><suite name='S'><test name='T'><class name='a.B'>
<test-method status='PASS' name='setUp' is-config='true' duration-ms='3'/><test-method status='FAIL' name='tearDown' is-config='true'><exception class='E'><message>no db</message></exception></test-method>
<test-method status='FAIL' name='m' duration-ms='1500'><exception class='java.lang.AssertionError'><message><![CDATA[expected [1] but found [2]]]></message><full-stacktrace><![CDATA[java.lang.AssertionError: expected
	at a.B.m(B.java:12)]]></full-stacktrace></exception></test-method><test-method status='SKIP' name='s'/></class></test></suite></testng-results>";
    assert_eq!(
        show(text),
        "testng 0 1 0 1\nT/a.B/m: expected [1] but found [2] [java.lang.AssertionError] a/B.java:12\n! tearDown: no db"
    );
}

#[test]
fn robot_old_and_new() {
    let text = "<robot generator='Robot 7.0'><suite name='S' source='/t/a.robot'><test name='Bad' line='2'><kw name='k'><msg level='FAIL'>inner</msg><status status='FAIL' elapsed='9'>inner</status></kw><status status='FAIL' elapsed='0.25'>1 != 2</status></test>
<test name='Old'><status status='PASS' starttime='20150703 11:59:59.500' endtime='20150703 12:00:01.000' critical='yes'></status></test><test name='S'><status status='SKIP'/></test><status status='FAIL'/></suite></robot>";
    let report = read("output.xml", text.as_bytes());
    assert_eq!(shown(&report), "robot 1 1 0 1\nS//Bad: 1 != 2 [-] /t/a.robot:2");
    assert_eq!((report.cases[0].seconds, report.cases[1].seconds), (Some(0.25), Some(1.5)));
}

#[test]
fn boost_logs_and_reports_of_the_same_run_count_once() {
    let log = "<TestLog><TestSuite name='M'><TestCase name='a' file='t.cpp' line='1'><Info file='t.cpp' line='2'>ok</Info><Error file='t.cpp' line='3'>check i == j failed [1 != 2]</Error><TestingTime>1500000</TestingTime></TestCase>
<TestCase name='b'><Exception file='unknown location' line='0'><![CDATA[signal: SIGABRT]]><LastCheckpoint file='t.cpp' line='9'><![CDATA[entry]]></LastCheckpoint></Exception></TestCase><TestCase name='c' skipped='yes'/></TestSuite></TestLog>";
    let report = "<TestResult><TestSuite name='M'><TestCase name='a' result='failed'/><TestCase name='b' result='aborted'/><TestCase name='d' result='passed'/></TestSuite></TestResult>";
    let faults = "\nM//a: check i == j failed [1 != 2] [-] t.cpp:3\nM//b: signal: SIGABRT [-] t.cpp:9";
    assert_eq!(show(log), format!("boost-test 0 1 1 1{faults}"));
    assert_eq!(show(&format!("{log}\n{report}")), format!("boost-test 1 1 1 1{faults}"));
    assert_eq!(show(report), "boost-test 1 1 1 0\nM//a: the test failed [-] \nM//b: the test failed [-] ");
}

#[test]
fn cppunit_and_aunit_list_tests_by_their_end() {
    let text = "<TestRun><FailedTests><FailedTest id='3'><Name>MathTest::testSum</Name><FailureType>Assertion</FailureType><Location><File>m.cpp</File><Line>56</Line></Location><Message>equality assertion failed
- Expected: 1
- Actual  : 2</Message></FailedTest><Test><Name>Test Stack.Push</Name><FailureType>Error</FailureType><Message>CONSTRAINT_ERROR</Message></Test></FailedTests>
<SuccessfulTests><Test id='1'><Name>A::b</Name></Test></SuccessfulTests><Statistics><Tests>9</Tests></Statistics></TestRun>";
    assert_eq!(
        show(text),
        "cppunit 1 1 1 0\n/MathTest/testSum: equality assertion failed - Expected: 1 - Actual : 2 [-] m.cpp:56\n//Test Stack.Push: CONSTRAINT_ERROR [-] "
    );
}

#[test]
fn unittest_cpp_has_several_failures_of_a_test() {
    let text = "<unittest-results tests='2'><test suite='S' name='T' time='1'><failure message='/d/t.cpp(14) : f()'/><failure message='/d/t.cpp(15) : g()'/></test><test suite='S' name='U'/></unittest-results>";
    assert_eq!(
        show(text),
        "unittest++ 1 1 0 0\n/S/T: /d/t.cpp(14) : f() [-] /d/t.cpp:14\n/S/T: /d/t.cpp(15) : g() [-] /d/t.cpp:15"
    );
}

#[test]
fn qt_counts_each_row_and_no_expected_failure() {
    let text = "<TestCase name='tst'><Environment><QtVersion>5</QtVersion></Environment><TestFunction name='sort'><Message type='qwarn'><Description>w</Description></Message><Incident type='pass'><DataTag>one</DataTag></Incident>
<Incident type='fail' file='../t.cpp' line='44'><DataTag><![CDATA[two]]></DataTag><Description><![CDATA[Compared values are not the same
   Actual   (a) : 1
   Expected (b) : 0]]></Description></Incident></TestFunction>
<TestFunction name='x'><Incident type='xfail'/><Incident type='pass'/></TestFunction><TestFunction name='s'><Message type='skip'/></TestFunction></TestCase>";
    assert_eq!(
        show(text),
        "qtest 2 1 0 1\n/tst/sort(two): Compared values are not the same Actual (a) : 1 Expected (b) : 0 [-] ../t.cpp:44"
    );
}

#[test]
fn cunit_repeats_a_test_for_each_of_its_failures() {
    let failure = |line: u32| {
        format!(
            "<CUNIT_RUN_TEST_RECORD><CUNIT_RUN_TEST_FAILURE><TEST_NAME> t </TEST_NAME><FILE_NAME> a.c </FILE_NAME><LINE_NUMBER> {line} </LINE_NUMBER><CONDITION> x == {line} </CONDITION></CUNIT_RUN_TEST_FAILURE></CUNIT_RUN_TEST_RECORD>"
        )
    };
    let text = format!(
        "<CUNIT_TEST_RUN_REPORT><CUNIT_RUN_SUITE><CUNIT_RUN_SUITE_SUCCESS><SUITE_NAME> S </SUITE_NAME>{}{}<CUNIT_RUN_TEST_SUCCESS><TEST_NAME>u</TEST_NAME></CUNIT_RUN_TEST_SUCCESS></CUNIT_RUN_SUITE_SUCCESS><CUNIT_RUN_SUITE_FAILURE><SUITE_NAME>R</SUITE_NAME><FAILURE_REASON>Suite Initialization Failed</FAILURE_REASON></CUNIT_RUN_SUITE_FAILURE></CUNIT_RUN_SUITE></CUNIT_TEST_RUN_REPORT>",
        failure(3),
        failure(4)
    );
    assert_eq!(
        show(&text),
        "cunit 1 1 0 0\nS//t: x == 3 [-] a.c:3\nS//t: x == 4 [-] a.c:4\n! R: Suite Initialization Failed"
    );
}

#[test]
fn check_fpcunit_gtester() {
    let check = "<testsuites xmlns='http://check.sourceforge.net/ns'><suite><title>s.c</title><test result='failure'><fn>s.c:19</fn><id>t</id><description>Core</description><message>no</message></test><test result='success'><id>u</id><message>Passed</message></test><test result='error'><id>v</id><message>Early exit</message></test></suite></testsuites>";
    assert_eq!(show(check), "check 1 1 1 0\ns.c/Core/t: no [-] s.c:19\ns.c//v: Early exit [-] ");
    let fpc = "<TestResults><TestListing><TestSuite Name='S'><Test Name='T' Result='Failed' ElapsedTime='00:00:00.121'><Message>S.T: no</Message><ExceptionClass>EAssert</ExceptionClass><ExceptionMessage>no</ExceptionMessage><SourceUnitName>u.pas</SourceUnitName><LineNumber>4</LineNumber></Test><Test Name='I' Result='Ignored'/><Test Name='O' Result='OK'/></TestSuite></TestListing></TestResults>";
    assert_eq!(show(fpc), "fpcunit 1 1 0 1\nS//T: no [EAssert] u.pas:4");
    let gtester = "<gtester><testbinary path='./t'><testcase path='/a'><duration>0.5</duration><error>assertion failed: x</error><status exit-status='-256' result='failed'/></testcase><testcase path='/b'><status result='success'/></testcase></testbinary></gtester>";
    assert_eq!(show(gtester), "gtester 1 1 0 0\n./t//a: assertion failed: x [-] ".replace("//a", "///a"));
}

#[test]
fn mbunit_and_gallio() {
    let mbunit = "<report-result><fixture name='F' type='N.F'><runs><run name='F.Bad' result='failure' duration='0.1'><exception type='E'><message>no</message><stack-trace>at N.F.Bad()</stack-trace></exception></run><run name='F.Ok' result='success'/><run name='F.No' result='ignore'/></runs></fixture></report-result>";
    assert_eq!(show(mbunit), "mbunit 1 1 0 1\nF/N.F/Bad: no [E] ");
    let gallio = "<report xmlns='http://www.gallio.org/'><testStepRun><testStep name='Root' isTestCase='false'/><children><testStepRun><testStep name='Bad' fullName='A/F/Bad' isTestCase='true'><codeReference type='N.F'/><codeLocation path='f.cs' line='8'/></testStep><testLog><streams><stream><body><contents><text>Expected true.</text></contents></body></stream></streams></testLog><result duration='0.2'><outcome status='failed'/></result></testStepRun></children><result><outcome status='failed'/></result></testStepRun></report>";
    assert_eq!(show(gallio), "gallio 0 1 0 0\n/N.F/Bad: Expected true. [-] f.cs:8");
}

#[test]
fn sonar_allure_intellij_jmeter() {
    let sonar = "<testExecutions version='1'><file path='t/a_test.js'><testCase name='x' duration='1500'><failure message='no'>stack</failure></testCase><testCase name='y'><skipped message='s'/></testCase><testCase name='z'/></file></testExecutions>";
    assert_eq!(show(sonar), "sonar-tests 1 1 0 1\nt/a_test.js//x: no [-] t/a_test.js:0");
    let allure = "<ns2:test-suite xmlns:ns2='urn:model.allure.qatools.yandex.ru'><name>S</name><test-cases><test-case status='broken'><name>x</name><failure><message>no</message><stack-trace>st</stack-trace></failure></test-case><test-case status='passed'><name>y</name></test-case></test-cases></ns2:test-suite>";
    assert_eq!(show(allure), "allure 1 0 1 0\nS//x: no [-] ");
    let intellij = "<testrun name='All'><count name='total' value='2'/><suite name='S' status='failed'><test name='x' status='failed' duration='5'><output type='stderr'>java.lang.AssertionError: no\n\tat a.B.x(B.java:4)</output></test><test name='y' status='passed'/></suite></testrun>";
    assert_eq!(
        show(intellij),
        "intellij 1 1 0 0\nS//x: java.lang.AssertionError: no [java.lang.AssertionError] a/B.java:4"
    );
    let jmeter = "<testResults version='1.2'><httpSample t='40' lb='home' s='true' rc='200'/><httpSample lb='login' s='false' rc='500' rm='Server Error'><assertionResult><failureMessage>not 200</failureMessage></assertionResult></httpSample></testResults>";
    assert_eq!(show(jmeter), "jmeter 1 1 0 0\n//login: Server Error [-] ");
}

#[test]
fn catch2_and_doctest() {
    let catch = "<Catch2TestRun name='t'><TestCase name='a' filename='t.cpp' line='3'><Section name='s'><Expression success='true' type='CHECK' filename='t.cpp' line='4'><Original>1 == 1</Original></Expression><Expression success='false' type='CHECK' filename='t.cpp' line='5'><Original>
x == 2
</Original><Expanded>1 == 2</Expanded></Expression></Section><OverallResult success='false' durationInSeconds='0.5'/></TestCase><TestCase name='b'><OverallResult success='true'/></TestCase><TestCase name='c'><Skip/><OverallResult success='true' skips='1'/></TestCase></Catch2TestRun>";
    assert_eq!(show(catch), "catch2 1 1 0 1\nt//a: x == 2 [-] t.cpp:5");
    let doctest = "<doctest binary='t'><TestSuite name='S'><TestCase name='a' filename='t.cpp' line='3'><Message type='WARNING' filename='t.cpp' line='4'><Text>w</Text></Message><Expression success='false' type='CHECK' filename='t.cpp' line='6'><Original>x</Original><Expanded>0</Expanded></Expression><OverallResultsAsserts test_case_success='false' duration='0.1'/></TestCase><TestCase name='b' skipped='true'/></TestSuite></doctest>";
    assert_eq!(show(doctest), "doctest 0 1 0 1\nS//a: x [-] t.cpp:6");
}

#[test]
fn a_report_that_is_cut_anywhere_yields_what_was_there() {
    for end in (0..NUNIT2.len()).filter(|end| NUNIT2.is_char_boundary(*end)) {
        let report = read("r.xml", &NUNIT2.as_bytes()[..end]);
        assert!(report.tests.total <= 6 && (report.kind != "nunit" || end < 40 || !report.problems.is_empty()));
    }
}
