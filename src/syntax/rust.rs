//! Rust: items, `impl` methods, `use`, calls (inside of macros too); `#[test]` functions and their skips.

mod attributes;
mod token_tree;

use std::borrow::Cow;

use tree_sitter::Node;

use self::attributes::Attributes;
use super::builder::{Builder, Found, first_sentence};
use super::facts::{Kind, Parsed, Relation};
use super::walk::{first_line, last_line, walk};
use crate::ids::RepoPath;

/// Macro names that the grammar takes for primitive types, which makes an error of every use.
const PRIMITIVE_MACROS: &[&str] = &["str", "char", "bool", "u8", "u16", "u32", "u64", "i32", "i64", "f32", "f64"];

/// Macros that end a test where an expectation does not hold.
const PANICS: &[&str] = &["panic", "unreachable"];

/// The facts of a Rust file.
pub(super) fn extract(text: &str) -> Parsed {
    let readable = readable(text);
    let mut reader = Reader { text: &readable, facts: Builder::default(), pending: Attributes::default() };
    let errors = walk(&tree_sitter_rust::LANGUAGE.into(), &readable, |node| reader.enter(node));
    reader.facts.finish(text, errors)
}

/// The module that a file is: its stem, or its folder for `mod.rs`; a crate's root has none.
pub(super) fn module(path: &RepoPath) -> Option<String> {
    let name = path.file_name().strip_suffix(".rs")?;
    let folder = path.parent();
    let folder = folder.as_ref().map_or("", |folder| folder.file_name());
    match name {
        // Each file of these folders is a crate of its own.
        _ if name != "mod" && matches!(folder, "tests" | "benches" | "examples" | "bin") => None,
        "lib" | "main" | "build" => None,
        "mod" => Some(folder.to_owned()),
        name => Some(name.to_owned()),
    }
}

/// Whether cargo builds the file for tests or benchmarks alone, or it is named as a module of tests.
pub(super) fn is_test_file(path: &RepoPath) -> bool {
    let folder = path.parent().is_some_and(|it| it.as_str().split('/').any(|part| matches!(part, "tests" | "benches")));
    let stem = path.file_name().trim_end_matches(".rs");
    folder || stem == "tests" || stem == "test" || stem.ends_with("_test") || stem.ends_with("_tests")
}

/// `text` with macro names that the grammar cannot read replaced by ones of the same length.
fn readable(text: &str) -> Cow<'_, str> {
    let mut changed: Option<String> = None;
    for (bang, _) in text.match_indices('!') {
        let head = &text[..bang];
        let begin = head.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        let opens = text[bang + 1..].starts_with(['[', '(', '{']);
        let begins_word = head.is_char_boundary(begin);
        if opens && begins_word && PRIMITIVE_MACROS.contains(&&head[begin..]) {
            changed.get_or_insert_with(|| text.to_owned()).replace_range(begin..=begin, "x");
        }
    }
    changed.map_or(Cow::Borrowed(text), Cow::Owned)
}

struct Reader<'t> {
    text: &'t str,
    facts: Builder<'t>,
    /// Attributes and documentation of the item that comes next.
    pending: Attributes,
}

impl<'t> Reader<'t> {
    fn text(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or("")
    }

    fn field(&self, node: Node<'_>, name: &str) -> Option<&'t str> {
        node.child_by_field_name(name).map(|child| self.text(child))
    }

    fn enter(&mut self, node: Node<'_>) -> bool {
        self.facts.at(node.start_byte());
        match node.kind() {
            "attribute_item" => return self.attribute(node),
            "inner_attribute_item" => return self.inner_attribute(node),
            "line_comment" | "block_comment" => return self.comment(node),
            _ => {}
        }
        let attributes = std::mem::take(&mut self.pending);
        match node.kind() {
            "mod_item" if node.child_by_field_name("body").is_some() => self.item(node, Kind::Module, attributes),
            "function_item" | "function_signature_item" => self.function(node, attributes),
            "struct_item" | "enum_item" | "union_item" | "trait_item" | "type_item" => {
                self.item(node, Kind::Type, attributes);
            }
            "const_item" | "static_item" => self.item(node, Kind::Constant, attributes),
            "macro_definition" => self.item(node, Kind::Macro, attributes),
            "impl_item" => self.implementation(node),
            "use_declaration" => {
                self.import(node);
                return false;
            }
            "call_expression" => self.call(node),
            "macro_invocation" => self.macro_call(node),
            "token_tree" => self.token_tree(node),
            "identifier" | "field_identifier" => self.identifier(node),
            "type_identifier" => {
                let name = self.text(node);
                self.facts.count(name);
                self.facts.refer(name, None, Relation::Type, first_line(node));
            }
            "string_content" => self.facts.count(self.text(node)),
            _ => {}
        }
        true
    }

    fn attribute(&mut self, node: Node<'_>) -> bool {
        self.pending.add(self.text(node), first_line(node));
        false
    }

    fn inner_attribute(&mut self, node: Node<'_>) -> bool {
        if attributes::never_built(self.text(node)) {
            self.facts.skip(first_line(node));
        }
        false
    }

    fn comment(&mut self, node: Node<'_>) -> bool {
        let text = self.text(node);
        self.facts.count(text);
        if let Some(doc) = text.strip_prefix("///").or_else(|| text.strip_prefix("/**")) {
            self.pending.document(first_sentence(doc));
        }
        false
    }

    fn function(&mut self, node: Node<'_>, attributes: Attributes) {
        let kind = if self.facts.in_type() { Kind::Method } else { Kind::Function };
        self.item(node, kind, attributes);
    }

    fn item(&mut self, node: Node<'_>, kind: Kind, attributes: Attributes) {
        let Some(name) = self.field(node, "name") else { return };
        let signature = first_line(node);
        let body = node.child_by_field_name("body");
        let is_test = kind.is_callable() && attributes.test;
        let should_panic = attributes.should_panic;
        self.facts.define(Found {
            name,
            kind,
            lines: (attributes.first_line.unwrap_or(signature), last_line(node)),
            signature: (signature, body.map_or(signature, first_line)),
            end_byte: node.end_byte(),
            doc: attributes.doc,
            is_test,
            marked_test: is_test,
            skipped: attributes.skipped,
        });
        if is_test && should_panic {
            self.facts.assertion();
        }
    }

    /// `impl Type` and `impl Trait for Type`: methods are named after the type.
    fn implementation(&mut self, node: Node<'_>) {
        let mut named = node.child_by_field_name("type");
        while let Some(inner) =
            named.and_then(|it| it.child_by_field_name("type").or_else(|| it.child_by_field_name("name")))
        {
            named = Some(inner);
        }
        let name = named.map_or("", |it| self.text(it));
        self.facts.scope(name.to_owned(), node.end_byte());
    }

    fn call(&mut self, node: Node<'_>) {
        let Some(mut function) = node.child_by_field_name("function") else { return };
        if function.kind() == "generic_function" {
            let Some(inner) = function.child_by_field_name("function") else { return };
            function = inner;
        }
        let line = first_line(function);
        match function.kind() {
            "identifier" => self.facts.refer(self.text(function), None, Relation::Call, line),
            "scoped_identifier" => {
                let Some(name) = self.field(function, "name") else { return };
                let path = self.field(function, "path").map(last_segment);
                self.facts.refer(name, path, Relation::Call, line);
            }
            "field_expression" => {
                let Some(name) = function.child_by_field_name("field") else { return };
                let value = function.child_by_field_name("value");
                let receiver = value.filter(|it| matches!(it.kind(), "identifier" | "self")).map(|it| self.text(it));
                self.facts.refer(self.text(name), receiver, Relation::Call, first_line(name));
            }
            _ => {}
        }
    }

    fn macro_call(&mut self, node: Node<'_>) {
        let Some(name) = self.field(node, "macro").map(last_segment) else { return };
        self.called_macro(name, first_line(node));
    }

    fn called_macro(&mut self, name: &'t str, line: u32) {
        self.facts.refer(name, None, Relation::Call, line);
        let asserts = ["assert", "debug_assert", "prop_assert"].iter().any(|prefix| name.starts_with(prefix));
        if asserts || PANICS.contains(&name) {
            self.facts.assertion();
        }
    }

    fn identifier(&mut self, node: Node<'_>) {
        let name = self.text(node);
        self.facts.count(name);
        self.facts.refer(name, None, Relation::Use, first_line(node));
    }

    /// A use tree, read as text: `a::{b, c::d as e}` imports `b` from `a` and `d` from `a::c`.
    fn import(&mut self, node: Node<'_>) {
        let Some(tree) = self.field(node, "argument") else { return };
        let line = first_line(node);
        let mut found = Vec::new();
        flatten(tree, &mut found);
        for (module, name) in found {
            self.facts.import(module, vec![name], line);
        }
    }
}

/// The paths of a use tree as (module, name), without recursion.
fn flatten(tree: &str, found: &mut Vec<(String, String)>) {
    let mut prefixes: Vec<String> = vec![String::new()];
    let mut path = String::new();
    let finish = |prefix: &str, path: &mut String, found: &mut Vec<(String, String)>| {
        let path = std::mem::take(path);
        let path = path.split(" as ").next().unwrap_or("").trim();
        if !path.is_empty() {
            let whole = format!("{prefix}{path}");
            let (module, name) = whole.rsplit_once("::").unwrap_or(("", &whole));
            found.push((module.to_owned(), name.to_owned()));
        }
    };
    for c in tree.chars() {
        let prefix = prefixes.last().map_or("", String::as_str);
        match c {
            '{' => {
                let longer = format!("{prefix}{}", path.trim());
                path.clear();
                prefixes.push(longer);
            }
            '}' => {
                finish(prefix, &mut path, found);
                prefixes.pop();
            }
            ',' => finish(prefix, &mut path, found),
            c if c.is_whitespace() => {
                if !path.is_empty() && !path.ends_with(' ') {
                    path.push(' ');
                }
            }
            c => path.push(c),
        }
    }
    finish(prefixes.last().map_or("", String::as_str), &mut path, found);
}

fn last_segment(path: &str) -> &str {
    let path = path.split('<').next().unwrap_or(path).trim_end_matches("::");
    path.rsplit("::").next().unwrap_or(path)
}
