//! What a failure says about itself is one line each, and never nothing.

use super::Failure;
use crate::text;

/// A message is one line of at most this many bytes.
const MESSAGE_LIMIT: usize = 400;
/// A path is no longer.
const PATH_LIMIT: usize = 3_000;

/// Where a tool gives no message, its rule or the first line that it points at says what is wrong.
pub(super) fn settle(failure: &mut Failure) {
    if failure.message.trim().is_empty() || failure.message.contains('\n') {
        let told = [&failure.message, failure.rule.as_ref().unwrap_or(&failure.message), &failure.excerpt];
        let told = told.into_iter().map(|text| text::first_line(text, MESSAGE_LIMIT)).find(|line| !line.is_empty());
        let tool = failure.tool.as_deref().unwrap_or("a tool");
        failure.message = told.unwrap_or_else(|| format!("{} reports it without a word", text::one_line(tool, 60)));
    }
    let places = failure.location.iter_mut().map(|at| &mut at.path);
    for path in places.chain(failure.frames.iter_mut().map(|frame| &mut frame.path)) {
        if path.contains('\n') || path.len() > PATH_LIMIT {
            *path = text::one_line(path, PATH_LIMIT / 4);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::artifact::read;
    use crate::failure::Listing;

    #[test]
    fn a_finding_without_a_message_says_what_it_can() {
        let xml = "<checkstyle><file name='a&#10;b.js'><error line='1' severity='error' source='no-x' message=''/>\
                   <error line='2' severity='error' message=' '/></file></checkstyle>";
        let failures = Listing::of(vec![read("c.xml", xml.as_bytes())], None).failures;
        let told: Vec<&str> = failures.iter().map(|failure| failure.message.as_str()).collect();
        assert_eq!(told, ["no-x", "checkstyle reports it without a word"]);
        assert_eq!(failures[0].location.as_ref().unwrap().path, "a b.js");
    }
}
