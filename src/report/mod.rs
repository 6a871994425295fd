//! Every word that the bot says to a person, one function a message.
//!
//! Text from artifacts, commands and models is foreign: it passes [`escape`] on its way into Markdown.

mod body;
mod commit_message;
mod demo;
mod escape;
mod harmless;
mod pull_request;
mod state;
mod summary;
mod terminal;

pub use body::body;
pub use commit_message::{Provenance, commit_message, is_message_of_ours};
pub use demo::{DemoAct, demo};
pub use escape::{code_block, inline, inline_code};
pub use harmless::harmless;
pub use pull_request::{pull_request_body, pull_request_title};
pub use state::State;
pub use summary::{Delivery, MAX_SUMMARY, Story, collected, delivered, headline, job_summary};
pub use terminal::summary;

use crate::failure::Failure;
use crate::proposal::Conclusion;

/// What a result means, for a reader who sees it for the first time.
#[must_use]
pub fn meaning(conclusion: Conclusion) -> &'static str {
    match conclusion {
        Conclusion::Fixed => "the failure is repaired, and the proof is attached",
        Conclusion::NoChangeNeeded => "the command passes as it stands",
        Conclusion::Flaky => "it failed and passed without any change: the test is flaky, and nothing was edited",
        Conclusion::NotReproduced => "the failure did not show again at this commit",
        Conclusion::Environment => "this machine lacks something that the command needs",
        Conclusion::Declined => "nothing that may be tried applies here",
        Conclusion::TestOutdated => "the test seems to be what is wrong; a person has to decide",
        Conclusion::VerificationFailed => "changes were tried, and none of them was proved",
        Conclusion::Stale => "the code moved while the repair was under way",
        Conclusion::PolicyBlocked => "the policy forbids what a fix would need",
        Conclusion::NeedsApproval => "a person has to agree before this goes on",
        Conclusion::BudgetExhausted => "the budget is used up",
        Conclusion::WallsMissing => "repository code cannot be confined on this machine, so none was run",
        Conclusion::ServiceFailed => "GitHub or the model's service failed",
        Conclusion::Error => "the program itself failed",
    }
}

/// What `explain` says: the failures, the suspects with their reasons, and how sure that is.
#[must_use]
pub fn explanation(failures: &[Failure], suspects: &[(String, String)], confidence: f64) -> String {
    let mut lines = vec![match failures.len() {
        0 => "The artifacts name no failure.".to_owned(),
        1 => "What broke:".to_owned(),
        count => format!("What broke ({count} failures, root cause first):"),
    }];
    lines.extend(failures.iter().take(10).map(|failure| format!("  {}", crate::text::in_line(&title(failure)))));
    if !suspects.is_empty() {
        lines.push(format!("Where to look first (the signals agree to {:.0} %):", confidence * 100.0));
        lines.extend(suspects.iter().map(|(place, reasons)| {
            format!("  {}\n      {}", crate::text::in_line(place), crate::text::in_line(reasons))
        }));
    }
    lines.join("\n")
}

/// Who uses what was asked about.
#[must_use]
pub fn users(subject: &str, users: &[String]) -> String {
    let subject = crate::text::in_line(subject);
    if users.is_empty() {
        return format!("Nothing that is indexed uses {subject}.");
    }
    let lines = users.iter().map(|user| format!("\n  {}", crate::text::in_line(user)));
    format!("Used by:{}", lines.collect::<String>())
}

/// One line that names a failure: its kind, test or place, and message, without any markup.
#[must_use]
pub fn title(failure: &Failure) -> String {
    let place = failure.location.as_ref().map(|location| match location.line {
        Some(line) => format!("{}:{line}", location.path),
        None => location.path.clone(),
    });
    let subject = failure.test.as_ref().map(|test| test.name.clone()).or(place);
    let message = crate::text::one_line(&failure.message, 120);
    match subject {
        Some(subject) => format!("{}: {message}", crate::text::one_line(&subject, 400)),
        None => message,
    }
}
