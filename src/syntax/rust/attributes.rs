//! What the attributes before an item say: that it is a test, that it does not run, where the item begins.

/// The attributes and documentation seen since the last item.
#[derive(Default)]
pub(super) struct Attributes {
    /// The line of the first attribute.
    pub(super) first_line: Option<u32>,
    /// The first line of the documentation.
    pub(super) doc: Option<String>,
    /// `#[test]` and its like.
    pub(super) test: bool,
    /// `#[should_panic]`: the panic is what is asserted.
    pub(super) should_panic: bool,
    /// The line of `#[ignore]` or of a condition that never holds.
    pub(super) skipped: Option<u32>,
}

impl Attributes {
    /// Adds one attribute, `#[…]` as written.
    pub(super) fn add(&mut self, text: &str, line: u32) {
        self.first_line.get_or_insert(line);
        let inner = text.trim_start_matches(['#', '[', ' ']);
        let path = inner.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').next().unwrap_or("");
        let name = path.rsplit("::").next().unwrap_or(path);
        self.test |= is_test(name) || (name == "cfg_attr" && inner.trim_end_matches([']', ')', ' ']).ends_with("test"));
        self.should_panic |= name == "should_panic";
        let conditional = name == "cfg_attr" && words(inner).any(|word| word == "ignore");
        if name == "ignore" || conditional || never_built(text) {
            self.skipped.get_or_insert(line);
        }
    }

    /// Adds a line of documentation.
    pub(super) fn document(&mut self, line: Option<String>) {
        if self.doc.is_none() {
            self.doc = line;
        }
    }
}

/// Whether an attribute's name makes a test: `test`, `tokio::test`, `rstest`, `cargo_test`, `test_case`, …
pub(super) fn is_test(name: &str) -> bool {
    name.ends_with("test") || matches!(name, "test_case" | "quickcheck" | "proptest")
}

/// Whether an attribute is a `cfg` that never holds.
pub(super) fn never_built(attribute: &str) -> bool {
    let dense: String = attribute.chars().filter(|c| !c.is_whitespace()).collect();
    ["cfg(any())", "cfg(FALSE)", "cfg(false)", "cfg(not(all()))", "cfg(not(true))", "cfg(all(any()))"]
        .iter()
        .any(|never| dense.contains(never))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
}
