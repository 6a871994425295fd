//! JSON as GitHub's runner accepts it: with comments and with commas before a closing bracket.

/// The same as plain JSON, with its lines where they were.
pub(super) fn plain(relaxed: &str) -> String {
    let mut plain = String::with_capacity(relaxed.len());
    // Where the last comma stands, while nothing but space follows it.
    let mut comma: Option<usize> = None;
    let mut characters = relaxed.chars().peekable();
    while let Some(c) = characters.next() {
        match (c, characters.peek()) {
            ('"', _) => {
                plain.push(c);
                while let Some(inside) = characters.next() {
                    plain.push(inside);
                    match inside {
                        '"' => break,
                        '\\' => plain.extend(characters.next()),
                        _ => {}
                    }
                }
                comma = None;
            }
            ('/', Some('/')) => while characters.next_if(|c| *c != '\n').is_some() {},
            ('/', Some('*')) => {
                characters.next();
                let mut star = false;
                for inside in characters.by_ref() {
                    if inside == '\n' {
                        plain.push('\n');
                    }
                    if star && inside == '/' {
                        break;
                    }
                    star = inside == '*';
                }
            }
            (']' | '}', _) => {
                if let Some(at) = comma.take() {
                    plain.replace_range(at..=at, " ");
                }
                plain.push(c);
            }
            _ => {
                if c == ',' {
                    comma = Some(plain.len());
                } else if !c.is_whitespace() {
                    comma = None;
                }
                plain.push(c);
            }
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_last_commas_vanish_outside_of_strings() {
        let relaxed = "{ // a\n \"a\": \"// \\\" /* , ]\", /* b\n */ \"b\": [1, 2, // c\n ], }";
        let value: serde_json::Value = serde_json::from_str(&plain(relaxed)).unwrap();
        assert_eq!(value, serde_json::json!({"a": "// \" /* , ]", "b": [1, 2]}));
    }

    #[test]
    fn what_ends_early_ends() {
        for cut in ["\"a\\", "/* a", "// a", "[1,", "/"] {
            assert!(serde_json::from_str::<serde_json::Value>(&plain(cut)).is_err(), "{cut}");
        }
    }
}
