//! The text of a message: its own, or its rule's with the arguments put in.

use super::lenient::Text;

/// `{0}` becomes the first argument, `{{` a brace.
pub(super) fn filled(template: &str, arguments: &[Text]) -> String {
    if !template.contains(['{', '}']) {
        return template.to_owned();
    }
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let doubled = rest.starts_with("{{") || rest.starts_with("}}");
        if doubled && !arguments.is_empty() {
            text.push_str(&rest[..1]);
            rest = &rest[2..];
            continue;
        }
        if let Some((argument, after)) = place(rest, arguments) {
            text.push_str(argument);
            rest = after;
        } else {
            text.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    text.push_str(rest);
    text
}

/// The argument for a placeholder at the start, and what follows it.
fn place<'a>(rest: &'a str, arguments: &'a [Text]) -> Option<(&'a str, &'a str)> {
    let (number, after) = rest.strip_prefix('{')?.split_once('}')?;
    let argument = arguments.get(number.parse::<usize>().ok()?)?;
    Some((&argument.0, after))
}

/// `[text](1)` points at a related location: only the text is for people.
pub(super) fn without_links(text: &str) -> String {
    if !text.contains("](") {
        return text.to_owned();
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("](") {
        let after = &rest[at + 2..];
        let number = after.bytes().take_while(u8::is_ascii_digit).count();
        let open = rest[..at].rfind('[');
        match (open, after[number..].strip_prefix(')')) {
            (Some(open), Some(behind)) if number > 0 => {
                plain.push_str(&rest[..open]);
                plain.push_str(&rest[open + 1..at]);
                rest = behind;
            }
            _ => {
                plain.push_str(&rest[..at + 2]);
                rest = after;
            }
        }
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_take_their_places() {
        let arguments = ["a.rs", "7"].map(|text| Text(text.to_owned()));
        assert_eq!(filled("{0}: {{x}} at {1}{2}", &arguments), "a.rs: {x} at 7{2}");
        assert_eq!(filled("a {{b}} {0}", &[]), "a {{b}} {0}");
        assert_eq!(filled("{", &arguments), "{");
    }

    #[test]
    fn links_to_places_lose_their_number() {
        assert_eq!(without_links("from [user input](1) to [x](http://y)"), "from user input to [x](http://y)");
    }
}
