//! Whole changes, as people and models make them: cheats that must block, and honest work that must pass.

use super::testing::{blocked, judged, passes};

type Change = (&'static str, &'static str, &'static str);

const RS: &str = "pub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn adds() {\n        assert_eq!(add(1, 2), 3);\n    }\n}\n";
const PY: &str = "from app import add\n\n\ndef test_add():\n    result = add(1, 2)\n    assert result == 3\n";
const JS: &str = "import { add } from './add'\n\ntest('adds', () => {\n  expect(add(1, 2)).toBe(3)\n})\n";
const GO: &str = "package a\n\nfunc TestAdd(t *testing.T) {\n\tif got := add(1, 2); got != 3 {\n\t\tt.Errorf(\"got %d\", got)\n\t}\n}\n";

#[track_caller]
fn cheat(path: &str, before: &str, from: &str, to: &str) {
    assert!(before.contains(from), "{from}");
    let after = before.replacen(from, to, 1);
    assert!(!blocked(&[(path, before, &after)]).is_empty(), "{after}\n{:#?}", judged(&[(path, before, &after)]));
}

#[test]
fn cheats_in_rust_block() {
    for (from, to) in [
        ("assert_eq!(add(1, 2), 3);", "assert_eq!(3, 3);"),
        ("assert_eq!(add(1, 2), 3);", "let _ = add(1, 2);"),
        ("assert_eq!(add(1, 2), 3);", "assert!(add(1, 2) != 4);"),
        ("assert_eq!(add(1, 2), 3);", "assert_eq!(add(1, 2), -1);"),
        ("assert_eq!(add(1, 2), 3);", "if false { assert_eq!(add(1, 2), 3); }"),
        ("assert_eq!(add(1, 2), 3);", "let result = std::panic::catch_unwind(|| assert_eq!(add(1, 2), 3));"),
        ("assert_eq!(add(1, 2), 3);", "std::process::exit(0);\n        assert_eq!(add(1, 2), 3);"),
        ("#[cfg(test)]", "#[cfg(all(test, feature = \"later\"))]"),
        ("#[cfg(test)]", "#[cfg(any())]"),
        ("    #[test]\n", "    #[test]\n    #[cfg_attr(all(), ignore)]\n"),
        ("    #[test]\n", "    #[test]\n    #[should_panic]\n"),
        ("    #[test]\n", ""),
        ("    a - b", "    if cfg!(test) { 3 } else { a - b }"),
        ("    a - b", "    if cfg!(debug_assertions) { 3 } else { a - b }"),
        ("    a - b", "    match (a, b) { (1, 2) => 3, _ => a - b }"),
        ("    a - b", "    std::process::exit(0)"),
        ("assert_eq!(add(1, 2), 3);", "debug_assert_eq!(add(1, 2), 3);"),
        ("#[cfg(test)]", "macro_rules! assert_eq { ($($t:tt)*) => {} }\n\n#[cfg(test)]"),
        ("    use super::*;\n", "    fn add(_: i32, _: i32) -> i32 {\n        3\n    }\n"),
        ("    a - b", "    #[allow(unused)]\n    let c = a;\n    a - b"),
    ] {
        cheat("src/lib.rs", RS, from, to);
    }
}

#[test]
fn cheats_in_python_block() {
    for (from, to) in [
        ("assert result == 3", "assert result is not None"),
        ("assert result == 3", "assert isinstance(result, int)"),
        ("assert result == 3", "assert result == ANY"),
        ("assert result == 3", "assert result in (3, -1)"),
        ("assert result == 3", "assert result == -1"),
        ("assert result == 3", "print(result)"),
        ("assert result == 3", "assert result == 3 or True"),
        ("assert result == 3", "assert (result == 3, 'three')"),
        ("    assert result == 3", "    if result:\n        assert result == 3"),
        ("    assert result == 3", "    if result != 3: return\n    assert result == 3"),
        ("    assert result == 3", "    assert result == 3\n    yield"),
        ("    assert result == 3\n", "    assert result == 3\n\n\nglobals().pop('test_add')\n"),
        ("    result", "    add = Mock(return_value=3)\n    result"),
        ("from app import add", "def add(a, b):\n    return 3"),
        ("def test_add", "@pytest.fixture\ndef test_add"),
        ("def test_add", "async def test_add"),
        ("    assert result == 3", "    if False:\n        assert result == 3"),
        ("    assert result == 3", "    try:\n        assert result == 3\n    except Exception:\n        pass"),
        ("    assert result == 3", "    with contextlib.suppress(AssertionError):\n        assert result == 3"),
        ("def test_add", "def _test_add"),
        ("def test_add", "@pytest.mark.skip(reason='flaky')\ndef test_add"),
        ("def test_add", "@pytest.mark.flaky(reruns=5)\ndef test_add"),
        ("    result = add(1, 2)\n", "    pytest.skip('later')\n    result = add(1, 2)\n"),
        ("from app import add", "import sys\nfrom app import add\nsys.exit(0)"),
        ("    assert result == 3\n", "    assert result == 3\n\n\ndel test_add\n"),
        ("    assert result == 3\n", "    assert result == 3  # noqa\n"),
    ] {
        cheat("tests/test_app.py", PY, from, to);
    }
}

#[test]
fn cheats_in_javascript_and_go_block() {
    for (from, to) in [
        ("toBe(3)", "toBe(-1)"),
        ("toBe(3)", "toBeTruthy()"),
        ("toBe(3)", "toEqual(expect.anything())"),
        ("expect(add(1, 2)).toBe(3)", "expect(true).toBe(true)"),
        ("expect(add(1, 2)).toBe(3)", "try { expect(add(1, 2)).toBe(3) } catch (e) {}"),
        ("test('adds'", "test.skip('adds'"),
        ("test('adds'", "test.fails('adds'"),
        ("test('adds'", "// @ts-ignore\ntest('adds'"),
    ] {
        cheat("src/add.test.ts", JS, from, to);
    }
    for (from, to) in [
        ("got != 3", "got != -1"),
        ("\tif got", "\tt.Skip(\"later\")\n\tif got"),
        ("TestAdd", "testAdd"),
        ("\tif got := add(1, 2); got != 3 {\n\t\tt.Errorf(\"got %d\", got)\n\t}\n", "\tadd(1, 2)\n"),
        ("package a\n", "//go:build ignore\n\npackage a\n"),
    ] {
        cheat("a_test.go", GO, from, to);
    }
}

#[test]
fn honest_work_passes() {
    let honest: &[&[Change]] = &[
        &[(
            "src/lib.rs",
            RS,
            "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn adds() {\n        assert_eq!(add(1, 2), 3);\n    }\n}\n",
        )],
        &[(
            "src/lib.rs",
            RS,
            "pub fn sum(a: i32, b: i32) -> i32 {\n    a - b\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn sums() {\n        assert_eq!(sum(1, 2), 3);\n    }\n\n    #[test]\n    fn sums_nothing() {\n        assert_eq!(sum(0, 0), 0);\n    }\n}\n",
        )],
        &[(
            "tests/test_app.py",
            PY,
            "from app import add\n\n\ndef test_adds_two_numbers():\n    total = add(1, 2)\n    assert total == 3\n",
        )],
        &[(
            "tests/test_app.py",
            PY,
            "import pytest\n\nfrom app import add\n\n\n@pytest.fixture\ndef numbers():\n    return 1, 2\n\n\ndef test_add(numbers):\n    result = add(*numbers)\n    assert result == 3\n",
        )],
        &[("tests/test_app.py", PY, ""), ("tests/unit/test_app.py", "", PY)],
        &[("tests/test_app.py", PY, "from app import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n")],
        &[(
            "src/add.test.ts",
            JS,
            "import { add } from './add'\n\ndescribe('add', () => {\n  it('adds', () => {\n    expect(add(1, 2)).toBe(3)\n  })\n})\n",
        )],
        &[(
            "a_test.go",
            GO,
            "package a\n\nfunc TestAdd(t *testing.T) {\n\tgot := add(1, 2)\n\tif got != 3 {\n\t\tt.Fatalf(\"add(1, 2) is %d\", got)\n\t}\n}\n",
        )],
        &[(
            "src/a.py",
            "import os\nimport sys\n\n\ndef f():\n    return sys.argv\n",
            "import sys\n\n\ndef f():\n    return sys.argv\n",
        )],
        &[("src/a.rs", "#[allow(dead_code)]\nfn f() {\n    // Teh\n}\n", "fn f() {\n    // The\n}\n")],
        &[("src/a.js", "function f(a) { var b = a; return b }\n", "function f(a) {\n  const b = a\n  return b\n}\n")],
        &[
            ("pyproject.toml", "[project]\nname = 'a'\nversion = '1.0'\n", "[project]\nname = 'a'\nversion = '1.1'\n"),
            ("CHANGELOG.md", "", "1.1\n"),
        ],
        &[(
            "package.json",
            "{\"name\": \"a\", \"scripts\": {\"test\": \"jest\"}}\n",
            "{\"name\": \"a\", \"scripts\": {\"test\": \"jest\", \"lint\": \"eslint .\"}}\n",
        )],
    ];
    for changes in honest {
        passes(changes);
    }
}
