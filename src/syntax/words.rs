//! Identifiers and prose to words in lower case: `parseHTTPHeader_v2` is `parse http header v2`.

/// Calls `each` with every word of `text`, split at case changes and at everything that is no letter or digit.
///
/// Words of one character and bare numbers of one digit are left out: they say nothing.
pub fn words(text: &str, mut each: impl FnMut(&str)) {
    let mut lower = String::new();
    let mut rest = text;
    while let Some(begin) = rest.find(char::is_alphanumeric) {
        rest = &rest[begin..];
        let length = word_length(rest);
        let (word, after) = rest.split_at(length);
        rest = after;
        if word.len() > 1 && word.len() <= 40 {
            lower.clear();
            lower.extend(word.chars().flat_map(char::to_lowercase));
            each(&lower);
        }
    }
}

/// The bytes of the first word of `text`, which begins with a letter or digit.
fn word_length(text: &str) -> usize {
    let mut characters = text.char_indices().peekable();
    let mut previous = characters.next().map_or(' ', |(_, c)| c);
    while let Some((at, c)) = characters.next() {
        let next_is_lower = characters.peek().is_some_and(|(_, next)| next.is_lowercase());
        let starts_word = c.is_uppercase() && (!previous.is_uppercase() || next_is_lower);
        if !c.is_alphanumeric() || starts_word {
            return at;
        }
        previous = c;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    #[test]
    fn identifiers_split_at_case_and_underscores() {
        let mut found = Vec::new();
        super::words("parseHTTPHeader_v2 = x + déjàVu", |word| found.push(word.to_owned()));
        assert_eq!(found, ["parse", "http", "header", "v2", "déjà", "vu"]);
    }
}
