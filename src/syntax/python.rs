//! Python: classes, functions, methods, module constants, imports; pytest's and unittest's tests and skips.

use tree_sitter::Node;

use super::builder::{Builder, Found};
use super::facts::{Kind, Parsed, Relation};
use super::walk::{first_line, last_line, walk};
use crate::ids::RepoPath;

/// Names in a decorator, a call or an assignment that keep a test from running or its failure from counting.
const SKIPS: &[&str] = &["skip", "skipif", "skipIf", "skipUnless", "xfail", "expectedFailure"];

/// Calls in a body with the same effect.
const SKIP_CALLS: &[&str] = &["skip", "xfail", "importorskip", "skipTest", "SkipTest"];

/// The facts of a Python file.
pub(super) fn extract(text: &str) -> Parsed {
    let mut reader = Reader { text, facts: Builder::default(), decorators: Vec::new() };
    let errors = walk(&tree_sitter_python::LANGUAGE.into(), text, |node| reader.enter(node));
    reader.facts.finish(text, errors)
}

/// Whether pytest or unittest would collect the file by its name, or it lies among tests.
pub(super) fn is_test_file(path: &RepoPath) -> bool {
    let name = path.file_name();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    stem.starts_with("test_")
        || stem.ends_with("_test")
        || matches!(stem, "tests" | "test" | "conftest")
        || path.parent().is_some_and(|folder| folder.as_str().split('/').any(|part| matches!(part, "tests" | "test")))
}

struct Reader<'t> {
    text: &'t str,
    facts: Builder<'t>,
    /// Text and line of the decorators of the definition that comes next.
    decorators: Vec<(&'t str, u32)>,
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
            "class_definition" | "function_definition" => self.definition(node),
            "decorator" => {
                self.decorators.push((self.text(node), first_line(node)));
            }
            "import_statement" | "future_import_statement" | "import_from_statement" => {
                self.import(node);
                return false;
            }
            "call" => self.call(node),
            "assert_statement" => self.facts.assertion(),
            "assignment" => self.assignment(node),
            "attribute" => self.attribute(node),
            "identifier" => self.identifier(node),
            "expression_statement" => self.docstring(node),
            "string_content" | "comment" => self.facts.count(self.text(node)),
            _ => {}
        }
        true
    }

    fn definition(&mut self, node: Node<'_>) {
        let decorators = std::mem::take(&mut self.decorators);
        let Some(name) = self.field(node, "name") else { return };
        let is_class = node.kind() == "class_definition";
        let bases = self.field(node, "superclasses").unwrap_or("");
        let marked_test = if is_class { bases.contains("TestCase") } else { self.facts.in_marked_test() };
        let kind = match (is_class, self.facts.in_type()) {
            (true, _) => Kind::Type,
            (false, true) => Kind::Method,
            (false, false) => Kind::Function,
        };
        let body = node.child_by_field_name("body");
        let signature = first_line(node);
        self.facts.define(Found {
            name,
            kind,
            lines: (decorators.first().map_or(signature, |(_, line)| *line), last_line(node)),
            signature: (signature, body.map_or(signature, |body| signature_end(signature, body))),
            end_byte: node.end_byte(),
            doc: None,
            is_test: !is_class && name.starts_with("test"),
            marked_test: marked_test && (is_class || name.starts_with("test")),
            skipped: decorators.iter().find(|(text, _)| names_skip(text, SKIPS)).map(|(_, line)| *line),
        });
    }

    fn call(&mut self, node: Node<'_>) {
        let Some(function) = node.child_by_field_name("function") else { return };
        let (name, receiver) = match function.kind() {
            "identifier" => (Some(self.text(function)), None),
            "attribute" => (self.field(function, "attribute"), self.receiver(function)),
            _ => return,
        };
        let Some(name) = name else { return };
        let line = first_line(function);
        self.facts.refer(name, receiver, Relation::Call, line);
        let asserts = name.starts_with("assert") || (matches!(name, "raises" | "warns" | "fail") && receiver.is_some());
        if asserts {
            self.facts.assertion();
        }
        let skips =
            SKIP_CALLS.contains(&name) && receiver.is_some_and(|it| matches!(it, "pytest" | "self" | "unittest"));
        let in_decorator = self.decorators.last().is_some_and(|(text, _)| text.contains(name));
        if (skips || name == "SkipTest") && !in_decorator {
            self.facts.skip(line);
        }
    }

    /// The last name before the dot: `self`, `np`, `parser` of `self.parser`.
    fn receiver(&self, attribute: Node<'_>) -> Option<&'t str> {
        let object = attribute.child_by_field_name("object")?;
        match object.kind() {
            "identifier" => Some(self.text(object)),
            "attribute" => self.field(object, "attribute"),
            _ => None,
        }
    }

    fn assignment(&mut self, node: Node<'_>) {
        let Some(left) = node.child_by_field_name("left").filter(|left| left.kind() == "identifier") else { return };
        let name = self.text(left);
        let line = first_line(node);
        let value = self.field(node, "right").unwrap_or("");
        let skips = (name == "pytestmark" && names_skip(value, SKIPS)) || (name == "__test__" && value == "False");
        if skips {
            self.facts.skip(line);
        }
        self.facts.define(Found {
            name,
            kind: Kind::Constant,
            lines: (line, last_line(node)),
            signature: (line, line),
            end_byte: node.end_byte(),
            doc: None,
            is_test: false,
            marked_test: false,
            skipped: None,
        });
    }

    fn attribute(&mut self, node: Node<'_>) {
        if let Some(name) = self.field(node, "attribute") {
            self.facts.refer(name, self.receiver(node), Relation::Use, first_line(node));
        }
    }

    fn identifier(&mut self, node: Node<'_>) {
        let name = self.text(node);
        self.facts.count(name);
        self.facts.refer(name, None, Relation::Use, first_line(node));
    }

    fn docstring(&mut self, node: Node<'_>) {
        let string = node.named_child(0).filter(|string| string.kind() == "string");
        let mut cursor = node.walk();
        let content = string.and_then(|it| it.named_children(&mut cursor).find(|part| part.kind() == "string_content"));
        if let Some(content) = content {
            self.facts.document(self.text(content));
        }
    }

    fn import(&mut self, node: Node<'_>) {
        let line = first_line(node);
        let module = self.field(node, "module_name").unwrap_or("");
        let mut cursor = node.walk();
        let mut names = Vec::new();
        for child in node.children_by_field_name("name", &mut cursor) {
            let name =
                if child.kind() == "aliased_import" { self.field(child, "name") } else { Some(self.text(child)) };
            names.extend(name.map(str::to_owned));
        }
        if node.kind() == "import_statement" {
            for name in names {
                self.facts.import(name, Vec::new(), line);
            }
            return;
        }
        let mut cursor = node.walk();
        if node.named_children(&mut cursor).any(|child| child.kind() == "wildcard_import") {
            names.push("*".to_owned());
        }
        self.facts.import(module.to_owned(), names, line);
    }
}

/// The line before the body, or the signature's own when the body stands on it.
fn signature_end(signature: u32, body: Node<'_>) -> u32 {
    first_line(body).saturating_sub(1).max(signature)
}

fn names_skip(text: &str, markers: &[&str]) -> bool {
    let mut names = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    names.any(|name| markers.contains(&name))
}
