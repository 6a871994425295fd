//! The dialect of expressions that problem matchers are written in, as the dialect of the regex crate.

/// JavaScript's classes are those of ASCII; as sets of Unicode they would cost a hundred times as much.
pub(super) fn translate(written: &str) -> String {
    let mut translated = String::with_capacity(written.len() + 16);
    let mut characters = written.chars().peekable();
    let mut in_class = false;
    while let Some(c) = characters.next() {
        match c {
            '\\' => {
                let Some(escaped) = characters.next() else { break };
                let class = match escaped {
                    'd' => Some("0-9"),
                    'w' => Some("0-9A-Za-z_"),
                    's' => Some(r" \t\r\n\x0b\x0c"),
                    _ => None,
                };
                match (class, escaped) {
                    (Some(class), _) if in_class => translated.push_str(class),
                    (Some(class), _) => translated.extend(["[", class, "]"]),
                    (None, 'D') if !in_class => translated.push_str("[^0-9]"),
                    (None, 'W') if !in_class => translated.push_str("[^0-9A-Za-z_]"),
                    (None, 'S') if !in_class => translated.push_str(r"[^ \t\r\n\x0b\x0c]"),
                    (None, 'b') if !in_class => translated.push_str(r"(?-u:\b)"),
                    // JavaScript lets any character be escaped.
                    (None, '/' | '"' | '\'' | '`' | ':' | ',' | ';' | '@' | '!' | '%' | '=' | '_' | ' ') => {
                        translated.push(escaped);
                    }
                    (None, other) => {
                        translated.push('\\');
                        translated.push(other);
                    }
                }
            }
            '[' if in_class => translated.push_str(r"\["),
            '[' => {
                in_class = true;
                translated.push('[');
                if characters.peek() == Some(&'^') {
                    characters.next();
                    translated.push('^');
                }
                // A bracket that closes at once stands for itself.
                if characters.peek() == Some(&']') {
                    characters.next();
                    translated.push_str(r"\]");
                }
            }
            ']' => {
                in_class = false;
                translated.push(']');
            }
            // Set operations of the other dialect.
            '&' | '~' | '-' if in_class && characters.peek() == Some(&c) => {
                translated.push('\\');
                translated.push(c);
            }
            c => translated.push(c),
        }
    }
    translated
}
