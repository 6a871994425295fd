//! Foreign text into Markdown and HTML: it can say anything and do nothing.

use super::harmless::names_an_issue;

/// Foreign text for a running line: no markup, no mention, no link, no line end.
#[must_use]
pub fn inline(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let mut safe = String::with_capacity(text.len());
    for (at, c) in characters.iter().enumerate() {
        match *c {
            '\n' | '\r' | '\t' => safe.push(' '),
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            // GitHub reads mentions and references in what the Markdown became, where an entity is its character
            // again: only something that stands between the sign and the word keeps them apart.
            '@' => safe.push_str("&#64;&#8203;"),
            '#' => safe.push_str("&#35;&#8203;"),
            '-' if names_an_issue(&characters, at) => safe.push_str("-&#8203;"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '(' | ')' | '!' | '|' | '~' | '$' => {
                safe.push('\\');
                safe.push(*c);
            }
            c if is_hidden(c) => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    // A bare address would become a link.
    safe.replace("://", ":&#8203;//").replace("www.", "www&#8203;.")
}

/// Foreign text as inline code, also inside a table.
#[must_use]
pub fn inline_code(text: &str) -> String {
    let shown: String = text
        .chars()
        .map(|c| match c {
            '\n' | '\r' | '\t' => ' ',
            c if is_hidden(c) => '\u{fffd}',
            c => c,
        })
        .collect();
    let shown = shown.replace('|', "\\|");
    let fence = "`".repeat(longest_run(&shown, '`') + 1);
    let pad = if shown.starts_with('`') || shown.ends_with('`') || shown.trim().is_empty() { " " } else { "" };
    format!("{fence}{pad}{shown}{pad}{fence}")
}

/// Foreign text as a code block that it cannot end.
#[must_use]
pub fn code_block(language: &str, text: &str) -> String {
    let fence = "`".repeat(longest_run(text, '`').max(2) + 1);
    let shown: String = text.chars().map(|c| if is_hidden(c) { '\u{fffd}' } else { c }).collect();
    let end = if shown.ends_with('\n') || shown.is_empty() { "" } else { "\n" };
    format!("{fence}{language}\n{shown}{end}{fence}\n")
}

/// Characters that show as nothing or reorder what is around them.
fn is_hidden(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

fn longest_run(text: &str, wanted: char) -> usize {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == wanted { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_mentions_and_links_are_only_text() {
        let hostile = "<img src=x> @admin fixes #1, o/r#2, GH-3 high-level www.a.example [a](http://b) **x**\n# title";
        insta::assert_snapshot!(inline(hostile), @r"&lt;img src=x&gt; &#64;&#8203;admin fixes &#35;&#8203;1, o/r&#35;&#8203;2, GH-&#8203;3 high-level www&#8203;.a.example \[a\]\(http:&#8203;//b\) \*\*x\*\* &#35;&#8203; title");
    }

    #[test]
    fn code_cannot_end_its_own_fence() {
        assert_eq!(code_block("text", "a\n````\nb"), "`````text\na\n````\nb\n`````\n");
        assert_eq!(inline_code("a`b"), "``a`b``");
        assert_eq!(inline_code("a|b"), "`a\\|b`");
    }

    #[test]
    fn hidden_characters_show() {
        assert_eq!(inline("a\u{202e}b"), "a\u{fffd}b");
    }
}
