//! Tests of `index`, by behaviour.

use super::*;
use crate::source::Memory;

fn index(files: &[(&str, &str)]) -> Index {
    let files = files.iter().map(|(path, text)| (RepoPath::new(path).unwrap(), *text));
    Index::build(&Memory::new(files), &|_, _| None)
}

fn one(index: &Index, symbol: &str) -> SymbolId {
    let found = index.find_symbol(symbol);
    assert_eq!(found.len(), 1, "{symbol}");
    found[0]
}

fn used(index: &Index, symbol: &str) -> Vec<String> {
    let links = index.uses(one(index, symbol));
    links
        .iter()
        .map(|link| format!("{} {} {}", index.path(link.symbol), index.symbol(link.symbol), link.weight))
        .collect()
}

fn shop() -> Index {
    index(&[
        ("shop/__init__.py", "from .cart import Cart\n"),
        (
            "shop/cart.py",
            "from .price import price_of\nclass Cart:\n    def total(self):\n        return self.sum(price_of(1))\n    def sum(self, x): return x\n",
        ),
        ("shop/price.py", "def price_of(x): return x\n"),
        ("other/price.py", "def price_of(x): return -x\nclass Till:\n    def sum(self): pass\n"),
        ("tests/test_cart.py", "from shop import Cart\ndef test_total():\n    assert Cart().total() == 1\n"),
        ("vendor/x.py", "def price_of(x): pass\n"),
        ("data.csv", "1,2\n"),
    ])
}

#[test]
fn calls_are_resolved_by_receiver_and_import() {
    assert_eq!(used(&shop(), "Cart.total"), ["shop/cart.py Cart.sum 1", "shop/price.py price_of 1"]);
}

#[test]
fn a_test_leads_to_what_it_calls_and_imports() {
    let shop = shop();
    assert_eq!(used(&shop, "test_total"), ["shop/cart.py Cart 1", "shop/cart.py Cart.total 1"]);
    let test = shop.find(&RepoPath::new("tests/test_cart.py").unwrap()).unwrap();
    let imported: Vec<_> = shop.imported(test).iter().map(|id| shop.file(*id).path.to_string()).collect();
    assert_eq!(imported, ["shop/__init__.py", "shop/cart.py"]);
}

#[test]
fn users_are_the_reverse_of_uses() {
    let shop = shop();
    let users = shop.users(one(&shop, "Cart.total"));
    assert_eq!(users.iter().map(|link| shop.symbol(link.symbol)).collect::<Vec<_>>(), ["test_total"]);
}

#[test]
fn vendored_files_are_known_but_not_parsed() {
    let shop = shop();
    let vendored = RepoPath::new("vendor/x.py").unwrap();
    assert!(shop.find(&vendored).is_none() && shop.has(&vendored));
}

#[test]
fn a_path_of_another_machine_finds_the_file() {
    let shop = shop();
    let found = |text: &str| shop.resolve(text).map(|path| path.to_string());
    assert_eq!(found("/home/ci/checkout/shop/cart.py").as_deref(), Some("shop/cart.py"));
    assert_eq!(found("test_cart.py").as_deref(), Some("tests/test_cart.py"));
    assert_eq!(found("price.py"), None, "two files end so");
    assert_eq!(found("data.csv").as_deref(), Some("data.csv"));
}

#[test]
fn a_line_leads_to_its_definition() {
    let shop = shop();
    let id = shop.enclosing(&RepoPath::new("shop/cart.py").unwrap(), 4).unwrap();
    assert_eq!(shop.symbol(id), "Cart.total");
}

#[test]
fn cached_facts_are_used_and_told_apart() {
    let tree = Memory::new([(RepoPath::new("a.py").unwrap(), "def a(): pass\n")]);
    let first = Index::build(&tree, &|_, _| None);
    let facts = first.files().next().unwrap().1.facts.clone();
    let second = Index::build(&tree, &|_, _| Some(facts.clone()));
    assert!(first.files().all(|(_, file)| file.fresh) && second.files().all(|(_, file)| !file.fresh));
    assert_eq!(second.find_symbol("a").len(), 1);
}
