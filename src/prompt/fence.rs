//! Untrusted text, fenced so that nothing in it can end the fence.

/// `text` between runs of backticks that are longer than any run inside, with a newline at the end.
#[must_use]
pub fn fence(language: &str, text: &str) -> String {
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let ticks = "`".repeat((longest + 1).max(3));
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{ticks}{language}\n{text}{end}{ticks}\n")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn nothing_inside_can_end_the_fence(text in "[`a\n]{0,30}") {
            let fenced = fence("", &text);
            let ticks: String = fenced.chars().take_while(|c| *c == '`').collect();
            let body = &fenced[ticks.len()..fenced.len() - ticks.len() - 1];
            prop_assert!(!body.contains(&ticks));
        }
    }
}
