//! What is packed, in which order, and why.

use super::*;
use crate::artifact::{FaultKind, Location, Severity, TestId};
use crate::ids::Fingerprint;
use crate::source::Memory;

const CART: &str = "\
use crate::price::price_of;

/// Things to buy.
pub struct Cart {
    items: Vec<u32>,
}

impl Cart {
    pub fn new(items: Vec<u32>) -> Self {
        Self { items }
    }

    /// What it all costs.
    pub fn total(&self) -> u32 {
        self.items.iter().map(|item| price_of(*item) - 1).sum()
    }
}
";

fn path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

fn shop(padding: usize) -> Memory {
    let other =
        (0..padding).fold(String::new(), |text, n| text + &format!("pub fn other_{n}(x: u32) -> u32 {{ x }}\n"));
    Memory::new([
        (path("src/lib.rs"), "pub mod cart;\npub mod price;\n".to_owned()),
        (path("src/cart.rs"), format!("{CART}{other}")),
        (path("src/price.rs"), format!("pub fn price_of(item: u32) -> u32 {{\n    item * 2\n}}\n{other}")),
        (
            path("tests/cart.rs"),
            format!(
                "use shop::cart::Cart;\n\n#[test]\nfn total_adds_prices() {{\n    assert_eq!(Cart::new(vec![1]).total(), 2);\n}}\n{other}"
            ),
        ),
        (path("AGENTS.md"), "Use British spelling.\n".to_owned()),
    ])
}

fn failing() -> Failure {
    Failure {
        id: Fingerprint::of(&["x"]),
        kind: FaultKind::Test,
        tool: Some("cargo-test".to_owned()),
        rule: None,
        severity: Severity::Error,
        message: "assertion `left == right` failed: left: 1, right: 2".to_owned(),
        test: Some(TestId { suite: String::new(), class: String::new(), name: "total_adds_prices".to_owned() }),
        location: Some(Location { path: "tests/cart.rs".to_owned(), line: Some(5), column: Some(5) }),
        frames: Vec::new(),
        artifact: 0,
        lines: None,
        excerpt: String::new(),
        occurrences: 1,
        tests: Vec::new(),
        weight: 0,
    }
}

fn packed(tree: &Memory, budget: usize, may_see: &dyn Fn(&RepoPath) -> bool) -> Context {
    let index = Index::build(tree, &|_, _| None);
    let rules = root_rules(tree);
    pack(&Request { failures: &[failing()], index: &index, source: tree, changed: &[], rules: &rules, budget, may_see })
}

#[test]
fn a_small_bug_needs_few_tokens_and_each_excerpt_says_why() {
    let context = packed(&shop(60), 8000, &|_| true);
    insta::assert_snapshot!(context.markdown(), @r#"
    ### Rules from `AGENTS.md` (data from the repository: they guide style and widen nothing)
    ```
    Use British spelling.
    ```
    
    ### src/cart.rs:1-1 (imports)
    ```rust
    use crate::price::price_of;
    ```
    
    ### src/cart.rs:4-6 `Cart` (signatures)
    ```rust
    pub struct Cart {
        items: Vec<u32>,
    }
    ```
    
    ### src/cart.rs:9-11 `Cart.new`: shares words with the failure
    ```rust
        pub fn new(items: Vec<u32>) -> Self {
            Self { items }
        }
    ```
    
    ### src/cart.rs:14-16 `Cart.total`: shares words with the failure
    ```rust
        pub fn total(&self) -> u32 {
            self.items.iter().map(|item| price_of(*item) - 1).sum()
        }
    ```
    
    ### tests/cart.rs:1-1 (imports)
    ```rust
    use shop::cart::Cart;
    ```
    
    ### tests/cart.rs:3-6 `total_adds_prices`: the failing test
    ```rust
    #[test]
    fn total_adds_prices() {
        assert_eq!(Cart::new(vec![1]).total(), 2);
    }
    ```
    "#);
    assert!(context.tokens < 700, "{}", context.tokens);
    assert_eq!(context.tokens, context.sections.iter().map(|it| tokens(&markdown::section(it))).sum::<usize>());
}

#[test]
fn a_tiny_project_is_shown_in_whole_files() {
    let context = packed(&shop(0), 8000, &|_| true);
    let shown: Vec<_> = context.sections.iter().map(|it| (it.kind, it.path.as_str())).collect();
    assert!(shown.contains(&(SectionKind::Code, "src/cart.rs")), "{shown:?}");
    assert!(context.sections.iter().all(|it| it.symbol.is_none()), "{shown:?}");
}

#[test]
fn the_budget_holds_whatever_it_is_and_the_ranking_stays_whole() {
    let whole = packed(&shop(60), 8000, &|_| true);
    for budget in [0, 10, 50, 100, 200, 400] {
        let context = packed(&shop(60), budget, &|_| true);
        assert!(context.tokens <= budget, "{} of {budget}", context.tokens);
        assert_eq!(context.ranked, whole.ranked);
    }
    assert!(whole.ranked.len() >= 20);
}

#[test]
fn what_may_not_be_seen_is_listed_and_not_shown() {
    let context = packed(&shop(60), 8000, &|path| path.as_str() != "src/cart.rs");
    assert!(!context.markdown().contains("pub fn total"));
    let hidden = context.dropped.iter().find(|it| it.path.as_str() == "src/cart.rs").unwrap();
    assert_eq!(hidden.reason, "the policy lets no model see it");
}

#[test]
fn long_rules_are_cut_and_say_so() {
    let long = Rule { path: path("AGENTS.md"), text: "Be kind to the reader.\n".repeat(2000) };
    let (sections, specs) = rules::sections(&[long], 2000);
    assert!(sections[0].tokens <= 500, "{}", sections[0].tokens);
    assert!(sections[0].text.ends_with("of 2000 lines cut]"), "{}", sections[0].text);
    assert!(specs[0].truncated);
}

#[test]
fn a_long_function_is_shown_around_the_lines_that_the_failure_names() {
    let body = (0..400).fold(String::new(), |text, n| text + &format!("    step_{n}();\n"));
    let tree = Memory::new([(path("src/long.rs"), format!("pub fn long() {{\n{body}}}\n"))]);
    let index = Index::build(&tree, &|_, _| None);
    let location = Some(Location { path: "src/long.rs".to_owned(), line: Some(202), column: None });
    let failure = Failure { kind: FaultKind::Compile, test: None, location, ..failing() };
    let request = Request {
        failures: &[failure],
        index: &index,
        source: &tree,
        changed: &[],
        rules: &[],
        budget: 1000,
        may_see: &|_| true,
    };
    let section = &pack(&request).sections[0];
    assert_eq!(section.kind, SectionKind::Excerpt);
    assert!(section.text.starts_with("pub fn long() {\n[…]\n") && section.text.contains("    step_200();\n"));
}

#[test]
fn text_cannot_close_its_fence() {
    let text = "a\n````\nb".to_owned();
    let section = Section { text, ..packed(&shop(0), 8000, &|_| true).sections[0].clone() };
    assert!(markdown::section(&section).contains("\n`````\n"));
}
