//! New modules that stand in the way of others: the interpreter finds them first.

use super::{Rule, finding};
use crate::evidence::{Finding, Weight};
use crate::gate::language::is_test_path;
use crate::gate::pattern::patterns;
use crate::gate::view::{Reading, View};

pub(super) static RULE: Rule = Rule {
    name: "shadow-module",
    about: "A new module takes the name of one that the tests rely on",
    why: "Blocks: the tests import the new module and not what they are there to check, or the interpreter runs it before everything.",
    check,
};

patterns! {
    STARTUP = r"(?:^|/)(?:sitecustomize|usercustomize)(?:\.py|/__init__\.py)$|\.pth$|(?:^|/)node_modules/|(?:^|/)site-packages/";
    LIBRARY = r"^(?:_?pytest|unittest|doctest|nose2?|pluggy|hypothesis|mock|abc|argparse|array|ast|asyncio|base64|bisect|builtins|calendar|codecs|collections|contextlib|copy|csv|ctypes|dataclasses|datetime|decimal|difflib|email|enum|errno|faulthandler|fractions|functools|gc|glob|hashlib|heapq|html|http|importlib|inspect|io|itertools|json|linecache|locale|logging|math|operator|os|pathlib|pickle|platform|pprint|queue|random|re|secrets|shutil|signal|site|socket|sqlite3|statistics|string|struct|subprocess|sys|sysconfig|tempfile|textwrap|threading|time|token|tokenize|traceback|types|typing|urllib|uuid|warnings|weakref|xml|zipfile|zoneinfo)$";
}

fn check(view: &View<'_>) -> Vec<Finding> {
    let new = view.files.iter().filter(|file| file.change.before.is_none());
    new.filter_map(|file| Some(finding(&RULE, file, None, shadows(view, file)?, Weight::Block))).collect()
}

fn shadows(view: &View<'_>, file: &Reading<'_>) -> Option<String> {
    let path = file.path.as_str();
    if STARTUP.is_match(path) {
        return Some("this file is run or found before the project's own".to_owned());
    }
    let (folder, name) = module(path)?;
    let at_root = folder.is_empty();
    let searched = at_root || is_test_path(file.path);
    if searched && LIBRARY.is_match(name) {
        return Some(format!("this module hides the library's own `{name}`"));
    }
    // A file that moved leaves its old place, and then hides nothing.
    let stays = |path: &str| !view.files.iter().any(|file| file.path.as_str() == path && file.change.after.is_none());
    let hidden = view.base?.files().iter().map(|entry| entry.path.as_str()).find(|other| {
        let same = module(other).is_some_and(|(place, module)| {
            let importable =
                matches!(place, "" | "src" | "lib") || place.strip_suffix(name).is_some_and(|it| it == "src/");
            module == name && place != folder && importable
        });
        same && stays(other)
    })?;
    searched.then(|| format!("this module hides `{hidden}`, which the tests import by the same name"))
}

/// The folder and the name that Python imports a file by; a package is known by its `__init__.py`.
fn module(path: &str) -> Option<(&str, &str)> {
    let stem = path.strip_suffix(".py")?;
    let stem = stem.strip_suffix("/__init__").unwrap_or(stem);
    let (folder, name) = stem.rsplit_once('/').unwrap_or(("", stem));
    (!matches!(name, "__init__" | "__main__" | "conftest" | "setup")).then_some((folder, name))
}

#[cfg(test)]
mod tests {
    use crate::gate::judge;
    use crate::gate::testing::change;
    use crate::ids::RepoPath;
    use crate::policy::PatchLimits;
    use crate::source::Memory;

    fn shadowing(path: &str) -> bool {
        let files = ["cart.py", "src/shop/__init__.py", "src/shop/tax.py", "tests/test_cart.py"];
        let base = Memory::new(files.map(|path| (RepoPath::new(path).unwrap(), "x = 1\n")));
        let findings = judge(&[change(path, "", "y = 2\n")], PatchLimits::default(), Some(&base));
        findings.iter().any(|finding| finding.rule == "shadow-module")
    }

    #[test]
    fn modules_in_the_way_block() {
        for path in [
            "sitecustomize.py",
            "pytest.py",
            "tests/unittest/__init__.py",
            "random.py",
            "tests/cart.py",
            "shop.py",
            "a.pth",
        ] {
            assert!(shadowing(path), "{path}");
        }
    }

    #[test]
    fn other_new_modules_pass() {
        for path in [
            "src/shop/types.py",
            "tests/helpers.py",
            "src/shop/cart.py",
            "orders.py",
            "tests/test_tax.py",
            "tests/__init__.py",
        ] {
            assert!(!shadowing(path), "{path}");
        }
    }
}
