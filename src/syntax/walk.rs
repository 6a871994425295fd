//! Parsing and the walk over a syntax tree, without recursion: foreign text may nest without end.

use tree_sitter::{Language, Node, Parser, TreeCursor};

/// Parses `text` and calls `enter` with each named node in the order of the text; `enter` says whether to go inside.
///
/// Gives whether the grammar met errors.
pub(super) fn walk(grammar: &Language, text: &str, mut enter: impl FnMut(Node<'_>) -> bool) -> bool {
    let mut parser = Parser::new();
    if parser.set_language(grammar).is_err() {
        return true;
    }
    let Some(tree) = parser.parse(text, None) else { return true };
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let inside = node.is_named() && enter(node);
        let moved = (inside && cursor.goto_first_child()) || next(&mut cursor);
        if !moved {
            return tree.root_node().has_error();
        }
    }
}

/// The next node that is not below the present one.
fn next(cursor: &mut TreeCursor<'_>) -> bool {
    while !cursor.goto_next_sibling() {
        if !cursor.goto_parent() {
            return false;
        }
    }
    true
}

/// 1-based first line of a node.
pub(super) fn first_line(node: Node<'_>) -> u32 {
    u32::try_from(node.start_position().row).unwrap_or(u32::MAX - 1) + 1
}

/// 1-based last line of a node; a node that ends with a line end does not reach into the next line.
pub(super) fn last_line(node: Node<'_>) -> u32 {
    let end = node.end_position();
    let row = if end.column == 0 { end.row.saturating_sub(1).max(node.start_position().row) } else { end.row };
    u32::try_from(row).unwrap_or(u32::MAX - 1) + 1
}
