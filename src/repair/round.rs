//! One round: a fresh prompt, then tool calls until the model submits, declines, or uses up its calls.

use crate::journal::Entry;
use crate::llm::{Answer, LlmError, Message, Model, Request};
use crate::policy::Decision;
use crate::prompt::{self, Last, Progress, Task};
use crate::repair::Refusal;
use crate::repair::staged::Staged;
use crate::repair::state::{State, over};
use crate::repair::tools::{self, Desk, Said};
use crate::repair::{Job, limits};
use crate::text::cut_middle;
use crate::usage::{Meter, Tier, Tokens, Used};
use crate::verify::VerifyError;

/// Questions that one round may ask.
const CALLS: u32 = 12;
/// Questions without any tool call that are answered with a reminder.
const REMINDERS: u32 = 2;
/// How often an unreadable answer is asked for again; each time the money is reserved anew.
const GARBLED: u32 = 2;

/// How a round ended.
pub(super) enum Finish {
    /// With edits to prove.
    Submitted { staged: Staged, summary: String, cause: String },
    /// Without any.
    Idle,
    /// The model says that this is not to be fixed here.
    Declined(String),
    /// The model gave no answer.
    Failed(LlmError),
    /// The next call could go over the budget.
    Exhausted(String),
    /// The scratch repository or the sandbox failed.
    Broken(VerifyError),
}

/// The first request of a round.
pub(super) fn request(job: &Job<'_>, state: &State) -> Result<Request, VerifyError> {
    let unchanged = state.tree == job.ground.base();
    let diff = if unchanged { String::new() } else { job.ground.patch(&state.tree)? };
    let task = Task { plan: job.plan, context: job.context };
    let last = state.last.as_ref().map(|last| Last {
        verification: &last.proof.verification,
        findings: &last.proof.findings,
        failures: &last.proof.failures,
    });
    let progress = Progress { diff: &diff, last, refuted: &state.refuted, stuck: state.stuck };
    let text = (job.scrub)(&prompt::user(&task, &progress, job.steady));
    Ok(Request {
        messages: vec![Message::System { text: prompt::SYSTEM.to_owned() }, Message::User { text }],
        tools: tools::offered(job),
        max_output: job.max_output,
    })
}

/// Runs one round.
pub(super) async fn run(
    job: &Job<'_>,
    state: &mut State,
    (tier, model): (Tier, &dyn Model),
    meter: &mut Meter,
) -> Finish {
    let (mut request, base) = match request(job, state).and_then(|request| Ok((request, job.ground.tree(&state.tree)?)))
    {
        Ok(begun) => begun,
        Err(error) => return Finish::Broken(error),
    };
    let mut desk = Desk::new(job, state.tree.clone(), Staged::new(base), tier);
    let finish = converse(job, &mut desk, &mut request, (model, meter)).await;
    state.refusals.append(&mut desk.refusals);
    state.sent.append(&mut desk.sent);
    match finish {
        Talk::Submitted([summary, cause]) if !desk.staged.is_empty() => {
            Finish::Submitted { staged: desk.staged, summary, cause }
        }
        Talk::Submitted(_) => Finish::Idle,
        Talk::Ended(finish) => finish,
    }
}

/// How a conversation ended.
enum Talk {
    Submitted([String; 2]),
    Ended(Finish),
}

async fn converse(
    job: &Job<'_>,
    desk: &mut Desk<'_>,
    request: &mut Request,
    (model, meter): (&dyn Model, &mut Meter),
) -> Talk {
    let mut reminders = 0;
    for left in (0..CALLS).rev() {
        let answer = match ask(job, model, request, meter).await {
            Ok(answer) => answer,
            Err(finish) => return Talk::Ended(finish),
        };
        let mut said = Turn::default();
        for call in &answer.calls {
            match tools::call(desk, call, answer.cut_off).await {
                Ok(reply) => said.take(reply, &call.id, job),
                Err(error) => return Talk::Ended(Finish::Broken(error)),
            }
        }
        if let Some(talk) = said.end(job, desk, &answer) {
            return talk;
        }
        if answer.calls.is_empty() {
            reminders += 1;
            if reminders > REMINDERS {
                return Talk::Submitted([String::new(), String::new()]);
            }
        }
        said.extend(request, answer, (left, job.max_output));
    }
    // The calls are used up. An edit that still waits to be mended means that none of them is made.
    if desk.failed { Talk::Ended(Finish::Idle) } else { Talk::Submitted([String::new(), String::new()]) }
}

/// What the calls of one answer came to.
#[derive(Default)]
struct Turn {
    results: Vec<Message>,
    submitted: Option<[String; 2]>,
    /// Which of the results answers the submit.
    submit: usize,
    declined: Option<String>,
    failed_edit: bool,
}

impl Turn {
    fn take(&mut self, said: Said, call: &str, job: &Job<'_>) {
        let text = match said {
            Said::Text(text) => text,
            Said::EditFailed(text) => {
                self.failed_edit = true;
                text
            }
            Said::Submit { summary, cause } => {
                self.submitted = Some([summary, cause]);
                self.submit = self.results.len();
                "taken".to_owned()
            }
            Said::Decline(reason) => {
                self.declined = Some(reason);
                "taken".to_owned()
            }
        };
        self.results.push(Message::Tool { call: call.to_owned(), text: (job.scrub)(&text) });
    }

    /// Whether the round ends here; a submit that may not stand is answered instead.
    fn end(&mut self, job: &Job<'_>, desk: &mut Desk<'_>, answer: &Answer) -> Option<Talk> {
        desk.failed |= self.failed_edit;
        if let Some(reason) = self.declined.take() {
            return Some(Talk::Ended(Finish::Declined(reason)));
        }
        // An answer that only talks ends a round which has edits, unless it was cut off.
        let talked = answer.calls.is_empty() && !answer.cut_off && !desk.staged.is_empty() && !desk.failed;
        let submitted =
            self.submitted.take().or_else(|| talked.then(|| [cut_middle(&answer.text, 2_000), String::new()]))?;
        if self.failed_edit || answer.cut_off {
            self.object(
                "not submitted: an edit of this answer was not taken; send that one again, corrected, then submit",
            );
            return None;
        }
        if desk.staged.is_empty() {
            self.object("not submitted: there is no edit; edit, or decline with a reason");
            return None;
        }
        match limits::rule(job.plan.limits, job.ground, &desk.tree, &desk.staged) {
            Ok(ruling) if ruling.decision == Decision::Allow => Some(Talk::Submitted(submitted)),
            Ok(ruling) => {
                let refusal = Refusal::new("submit", "a patch of this size", ruling);
                self.object(&refusal.told());
                desk.refuse(refusal);
                None
            }
            Err(error) => Some(Talk::Ended(Finish::Broken(error))),
        }
    }

    /// Answers a submit that does not stand.
    fn object(&mut self, objection: &str) {
        match self.results.get_mut(self.submit) {
            Some(Message::Tool { text, .. }) => objection.clone_into(text),
            _ => self.results.push(Message::User { text: objection.to_owned() }),
        }
    }

    /// Goes on with the conversation.
    fn extend(mut self, request: &mut Request, answer: Answer, (left, max_output): (u32, u32)) {
        if answer.cut_off {
            let text = format!("Your answer was cut off after {max_output} tokens. Send shorter edits, one at a time.");
            self.results.push(Message::User { text });
        } else if answer.calls.is_empty() && self.results.is_empty() {
            let text = "Answer with tool calls: edit and submit, or decline with a reason.".to_owned();
            self.results.push(Message::User { text });
        }
        if left == 2 {
            self.results
                .push(Message::User { text: "Two answers are left in this round: edit and submit now.".to_owned() });
        }
        let said = if answer.text.is_empty() && answer.calls.is_empty() { "(nothing)".to_owned() } else { answer.text };
        request.messages.push(Message::Assistant { text: said, calls: answer.calls });
        for result in self.results {
            match (request.messages.last_mut(), result) {
                (Some(Message::User { text: said }), Message::User { text }) => {
                    said.push('\n');
                    said.push_str(&text);
                }
                (_, result) => request.messages.push(result),
            }
        }
    }
}

/// Asks once, with the money set aside first. An unreadable answer was paid for, so each further try is reserved
/// like a call of its own.
async fn ask(job: &Job<'_>, model: &dyn Model, request: &Request, meter: &mut Meter) -> Result<Answer, Finish> {
    let rate = model.rate();
    let mut tries = 0;
    loop {
        let reservation = meter
            .reserve(request.prompt_bound(), u64::from(request.max_output), &rate)
            .map_err(|exhausted| exhaust(job, exhausted.to_string()))?;
        let left = job.deadline.saturating_sub(job.journal.elapsed());
        let Ok(answer) = tokio::time::timeout(left, model.ask(request, job.journal)).await else {
            // The service may bill what nobody waits for any more.
            let used = Used { tokens: request.guess(0), estimated: true };
            meter.settle(&reservation, model.name(), &rate, used);
            return Err(exhaust(job, over(job.deadline)));
        };
        let used = match &answer {
            Ok(answer) => Used { tokens: answer.tokens, estimated: answer.estimated },
            Err(error) => Used { tokens: error.spent(), estimated: error.spent() != Tokens::default() },
        };
        meter.settle(&reservation, model.name(), &rate, used);
        match answer {
            Ok(answer) => return Ok(answer),
            Err(LlmError::Garbled { .. }) if tries < GARBLED => tries += 1,
            Err(error) => return Err(Finish::Failed(error)),
        }
    }
}

fn exhaust(job: &Job<'_>, reason: String) -> Finish {
    job.journal.record(Entry {
        action: "decision".to_owned(),
        subject: "model call".to_owned(),
        outcome: reason.clone(),
        ..Entry::default()
    });
    Finish::Exhausted(reason)
}
