//! What macros hold, which the grammar leaves as bare tokens: calls in `assert_eq!(…)`, tests in `proptest! { … }`.

use tree_sitter::Node;

use super::attributes::is_test;
use super::{Builder, Found, Kind, Reader, Relation, first_line, last_line};

/// Where the scan of the tokens of one macro stands.
#[derive(Default)]
struct Tokens<'t> {
    /// The last name, with its line and what stands before it.
    name: Option<(&'t str, u32, Option<&'t str>)>,
    /// The kind of the last token.
    previous: &'static str,
    /// The names of attributes since the last function.
    attributes: Vec<&'t str>,
    /// A function's name and first line, until its body comes.
    function: Option<(&'t str, u32)>,
}

impl<'t> Reader<'t> {
    /// Reads the direct children of a token tree; inner ones are entered later by the walk.
    pub(super) fn token_tree(&mut self, node: Node<'_>) {
        let mut tokens = Tokens::default();
        let mut cursor = node.walk();
        for token in node.children(&mut cursor) {
            match token.kind() {
                "token_tree" => self.group(token, &mut tokens),
                "identifier" => tokens.identifier(self.text(token), first_line(token)),
                "self" => tokens.identifier("self", first_line(token)),
                "fn" => tokens.previous = "fn",
                "!" => tokens.previous = "!",
                "." | "::" => tokens.previous = ".",
                "#" => tokens.previous = "#",
                _ => tokens.forget(),
            }
        }
    }

    fn group(&mut self, group: Node<'_>, tokens: &mut Tokens<'t>) {
        let text = self.text(group);
        if tokens.previous == "#" {
            let names = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            tokens.attributes.extend(names.filter(|name| !name.is_empty()));
        } else if let Some((name, line)) = tokens.function {
            if text.starts_with('{') {
                tokens.function = None;
                let marked = tokens.attributes.drain(..).any(is_test);
                define(&mut self.facts, name, (line, group), marked);
            }
        } else if let Some((name, line, before)) = tokens.name {
            if tokens.previous == "!" {
                self.called_macro(name, line);
            } else if text.starts_with('(') {
                self.facts.refer(name, before, Relation::Call, line);
            }
        }
        tokens.forget();
    }
}

fn define<'t>(facts: &mut Builder<'t>, name: &'t str, (line, body): (u32, Node<'_>), is_test: bool) {
    facts.define(Found {
        name,
        kind: Kind::Function,
        lines: (line, last_line(body)),
        signature: (line, first_line(body)),
        end_byte: body.end_byte(),
        doc: None,
        is_test,
        marked_test: is_test,
        skipped: None,
    });
}

impl<'t> Tokens<'t> {
    fn identifier(&mut self, name: &'t str, line: u32) {
        if self.previous == "fn" {
            self.function = Some((name, line));
        }
        let receiver = self.name.filter(|_| self.previous == ".").map(|(name, ..)| name);
        self.name = Some((name, line, receiver));
        self.previous = "identifier";
    }

    fn forget(&mut self) {
        self.name = None;
        self.previous = "";
    }
}
