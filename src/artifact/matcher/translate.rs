//! The dialect of expressions that problem matchers are written in, JavaScript's as .NET reads it, in that of the regex
//! crate.

/// One expression in both dialects that it is looked for in.
#[derive(Debug, Default)]
pub(super) struct Translated {
    /// For search in linear time: without look-around and back-references, so that it matches at least as much.
    pub(super) linear: String,
    /// The same with all of them.
    pub(super) exact: String,
    /// Whether the two differ.
    pub(super) backtracks: bool,
}

/// Classes are those of ASCII; as sets of Unicode they would cost a hundred times as much.
pub(super) fn translate(written: &str) -> Translated {
    let mut translator = Translator { rest: written, ..Translator::default() };
    while let Some(c) = translator.next() {
        if translator.in_class {
            translator.in_class(c);
        } else {
            translator.outside(c);
        }
    }
    translator.done
}

#[derive(Default)]
struct Translator<'a> {
    rest: &'a str,
    in_class: bool,
    /// Open groups, and at how many of them a group began that the linear form goes without.
    depth: usize,
    without: Option<usize>,
    done: Translated,
}

impl Translator<'_> {
    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    fn skip(&mut self, start: &str) -> bool {
        let rest = self.rest.strip_prefix(start);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn push(&mut self, text: &str) {
        self.differ(text, text);
    }

    fn differ(&mut self, linear: &str, exact: &str) {
        if self.without.is_none() {
            self.done.linear.push_str(linear);
        }
        self.done.exact.push_str(exact);
    }

    fn outside(&mut self, c: char) {
        match c {
            '\\' => self.escape(),
            '[' => {
                self.in_class = true;
                self.push("[");
                if self.skip("^") {
                    self.push("^");
                }
                // A bracket that closes at once stands for itself.
                if self.skip("]") {
                    self.push(r"\]");
                }
            }
            '(' => self.open(),
            ')' => {
                self.depth = self.depth.saturating_sub(1);
                if self.without == Some(self.depth) {
                    self.differ("", ")");
                    self.without = None;
                    self.differ("(?:)", "");
                } else {
                    self.push(")");
                }
            }
            // A brace that counts nothing stands for itself.
            '{' if !counts(self.rest) => self.push(r"\{"),
            c => self.push(c.encode_utf8(&mut [0; 4])),
        }
    }

    fn open(&mut self) {
        const AROUND: &[&str] = &["?=", "?!", "?<=", "?<!"];
        if let Some(around) = AROUND.iter().find(|around| self.rest.starts_with(**around)) {
            self.skip(around);
            self.done.backtracks = true;
            if self.without.is_none() {
                self.without = Some(self.depth);
            }
            self.push("(");
            self.push(around);
        } else if self.skip("?>") {
            self.done.backtracks = true;
            self.differ("(?:", "(?>");
        } else {
            self.push("(");
        }
        self.depth += 1;
    }

    fn escape(&mut self) {
        let Some(escaped) = self.next() else { return self.push("\\") };
        match escaped {
            'b' => self.differ(r"(?-u:\b)", r"\b"),
            'd' | 'w' | 's' => self.push(&format!("[{}]", class(escaped))),
            'D' | 'W' | 'S' => self.push(&format!("[^{}]", class(escaped))),
            'Z' => self.push(r"\z"),
            '1'..='9' | 'k' => {
                let mut reference = escaped.to_string();
                let more = |c: char, k: bool| if k { c != '>' } else { c.is_ascii_digit() };
                while self.rest.chars().next().is_some_and(|c| more(c, escaped == 'k')) {
                    reference.extend(self.next());
                }
                if escaped == 'k' && self.skip(">") {
                    reference.push('>');
                }
                self.done.backtracks = true;
                self.differ("(?:.*)", &format!(r"(?:\{reference})"));
            }
            other => self.character(other),
        }
    }

    fn in_class(&mut self, c: char) {
        match c {
            ']' => {
                self.in_class = false;
                self.push("]");
            }
            '[' => self.push(r"\["),
            '\\' => {
                let Some(escaped) = self.next() else { return self.push("\\") };
                match escaped {
                    'd' | 'w' | 's' => {
                        self.push(class(escaped));
                        // No range begins with a class.
                        if self.rest.starts_with('-') && !self.rest.starts_with("-]") {
                            self.skip("-");
                            self.push(r"\-");
                        }
                    }
                    'b' => self.push(r"\x08"),
                    other => self.character(other),
                }
            }
            // Set operations of the other dialect.
            '&' | '~' | '-' if self.rest.starts_with(c) => self.push(&format!("\\{c}")),
            c => self.push(c.encode_utf8(&mut [0; 4])),
        }
    }

    /// An escape that says the same inside of a class and outside.
    fn character(&mut self, escaped: char) {
        match escaped {
            'v' => self.push(r"\x0b"),
            'e' => self.push(r"\x1b"),
            'a' => self.push(r"\x07"),
            '0' => self.push(r"\x00"),
            'p' | 'P' | 'x' | 'u' => {
                self.push(&format!("\\{escaped}"));
                if let Some((name, rest)) = self.rest.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
                    self.rest = rest;
                    self.push(&format!("{{{name}}}"));
                }
            }
            c if c.is_ascii_alphanumeric() || r"\.+*?()|[]{}^$#&-~".contains(c) => self.push(&format!("\\{c}")),
            // Any other character may be escaped there.
            c => self.push(c.encode_utf8(&mut [0; 4])),
        }
    }
}

fn class(letter: char) -> &'static str {
    match letter {
        'd' | 'D' => "0-9",
        'w' | 'W' => "0-9A-Za-z_",
        _ => r" \t\r\n\x0b\x0c",
    }
}

/// Whether what follows a brace is `3}`, `3,}` or `3,5}`.
fn counts(rest: &str) -> bool {
    let Some((count, _)) = rest.split_once('}') else { return false };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (least, most) = count.split_once(',').unwrap_or((count, ""));
    !least.is_empty() && digits(least) && digits(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linear(written: &str) -> String {
        translate(written).linear
    }

    #[test]
    fn classes_are_small_and_what_stands_for_itself_does() {
        assert_eq!(linear(r"^\d+\s\S[\w.]$"), r"^[0-9]+[ \t\r\n\x0b\x0c][^ \t\r\n\x0b\x0c][0-9A-Za-z_.]$");
        assert_eq!(linear(r"\/\<\>\'\-\."), r"/<>'\-\.");
        assert_eq!(linear("{a} x{2} x{2,} x{2,3} x{,3}"), r"\{a} x{2} x{2,} x{2,3} x\{,3}");
        for written in
            [r"[\w-.]+", "[[a]", "[]a]", r"[^\s/-]", r"a\<b\>", "{", "[a&&b]", r"\u00e9\x41\e\Z", r"\p{L}[\P{L}\x{41}]"]
        {
            assert!(regex::Regex::new(&linear(written)).is_ok(), "{written}: {}", linear(written));
        }
        assert!(regex::Regex::new(&linear(r"^[\w-.]+$")).is_ok_and(|regex| regex.is_match("a-.b")));
    }

    #[test]
    fn look_around_is_left_out_of_the_linear_form_alone() {
        let translated = translate(r"^a(?!b(?:c|[)]))(d)(?<=e\))\1f(?>g)$");
        assert_eq!(translated.linear, "^a(?:)(d)(?:)(?:.*)f(?:g)$");
        assert_eq!(translated.exact, r"^a(?!b(?:c|[)]))(d)(?<=e\))(?:\1)f(?>g)$");
        assert!(translated.backtracks && !translate(r"(?<name>a)(?:b)\\1[\]1]").backtracks);
    }

    #[test]
    fn what_ends_early_ends() {
        for written in ["\\", "[", "[\\", "(?=", "(?!a", ")", "\\k", "\\k<a", "{1"] {
            let _translated = translate(written);
        }
    }
}
