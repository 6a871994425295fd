//! Tells how a step ended: outputs, a summary, annotations. A step that did nothing says what and why.

use std::fs;
use std::io;

use super::commands::{Annotation, Level};
use super::outcome::{Outcome, Word};
use super::{Setting, console, outputs};
use crate::evidence::Weight;
use crate::ids::RepoPath;
use crate::output;
use crate::proposal::Conclusion;
use crate::report::{self, MAX_SUMMARY, Story};

/// Findings that are shown beside the code; the summary has all.
const MOST_FINDINGS: usize = 5;

/// Tells an outcome, and what a person set for nothing; `scrub` takes credentials out of every word.
///
/// # Errors
/// When the log or a file of the runner cannot be written.
pub(super) fn outcome(
    setting: &Setting<'_>,
    outcome: &Outcome,
    remarks: &[String],
    scrub: &dyn Fn(&str) -> String,
) -> io::Result<()> {
    let story = story(outcome);
    if let Some(file) = setting.path("GITHUB_OUTPUT") {
        outputs::write(&file, outcome, scrub)?;
    }
    if let Some(file) = setting.path("GITHUB_STEP_SUMMARY") {
        let taken = fs::metadata(&file).map_or(0, |file| usize::try_from(file.len()).unwrap_or(usize::MAX));
        let told = scrub(&report::job_summary(&story, MAX_SUMMARY.saturating_sub(taken)));
        // A mask can be longer than what it covers.
        if told.len().saturating_add(taken) <= MAX_SUMMARY {
            outputs::append(&file, &told)?;
        }
    }
    let mut annotations = annotations(outcome, &story, remarks);
    for annotation in &mut annotations {
        annotation.message = scrub(&annotation.message);
        annotation.title = scrub(&annotation.title);
    }
    console::annotate(&annotations)?;
    for hint in &outcome.hints {
        output::result(&format!("  hint: {}", scrub(&crate::text::in_line(hint))))?;
    }
    Ok(())
}

fn story(outcome: &Outcome) -> Story<'_> {
    Story {
        result: (outcome.word.text(), meaning(outcome)),
        reason: &outcome.reason,
        notes: &outcome.notes,
        hints: &outcome.hints,
        proposal: outcome.proposal.as_deref(),
        delivery: outcome.delivery.as_ref(),
        place: outcome.place.as_deref(),
    }
}

fn meaning(outcome: &Outcome) -> &'static str {
    match outcome.word {
        Word::Concluded(Conclusion::Error) if outcome.unusable => "something that was set cannot be used as it stands",
        Word::Concluded(Conclusion::Error | Conclusion::ServiceFailed) if outcome.delivery.is_some() => {
            "the failure is repaired and proved, and the pull request could not be opened"
        }
        Word::Concluded(conclusion) => report::meaning(conclusion),
        Word::Collected => "the failed run is collected, and nothing is repaired yet",
        Word::Skipped => "nothing was done: there is nothing to repair here",
        Word::Refused => "nothing was repaired: this is left alone on purpose",
    }
}

/// The headline first, then what a person set for nothing, then findings beside the code.
fn annotations(outcome: &Outcome, story: &Story<'_>, remarks: &[String]) -> Vec<Annotation> {
    let title = format!("unbreak: {}", outcome.word.text().replace('_', " "));
    // The annotation may be all that is looked at: the way out belongs into it.
    let way_out = story.hints.first().map(|hint| format!("\n{}", crate::text::in_line(hint))).unwrap_or_default();
    let mut all = vec![Annotation::new(level(outcome), title, report::headline(story) + &way_out)];
    all.extend(remarks.iter().map(|remark| Annotation::new(Level::Warning, "unbreak", crate::text::in_line(remark))));
    let findings = outcome.proposal.iter().flat_map(|proposal| &proposal.findings).take(MOST_FINDINGS);
    all.extend(findings.map(|finding| Annotation {
        level: if finding.severity == Weight::Block { Level::Error } else { Level::Warning },
        title: format!("unbreak: {}", finding.rule),
        message: crate::text::in_line(&finding.message),
        place: RepoPath::new(&finding.path).ok().map(|path| (path.to_string(), finding.line)),
    }));
    all
}

fn level(outcome: &Outcome) -> Level {
    use Conclusion::{Error, Fixed, NoChangeNeeded, ServiceFailed, WallsMissing};
    match outcome.word {
        _ if outcome.unusable => Level::Error,
        Word::Concluded(Fixed | NoChangeNeeded) | Word::Collected | Word::Skipped | Word::Refused => Level::Notice,
        Word::Concluded(Error | ServiceFailed | WallsMissing) => Level::Error,
        Word::Concluded(_) => Level::Warning,
    }
}
