//! How many pull requests may be opened in a day.

use super::Desk;
use super::end::{End, Step};
use super::published::Outcome;
use crate::policy::Policy;

const DAY: i64 = 24 * 60 * 60;

/// Ends it when the policy's number is reached: a person has to keep up with what is opened.
pub(super) async fn check(policy: &Policy, desk: &Desk<'_>) -> Step<()> {
    let most = policy.budget.prs_per_day;
    let since = desk.now - DAY;
    // One that does not say when it was opened counts: the number is a limit, not a target.
    let recent = |created: &Option<String>| {
        let created = created.as_deref().and_then(|text| text.parse::<jiff::Timestamp>().ok());
        created.is_none_or(|created| created.as_second() > since)
    };
    let pulls = desk.github.recent_pulls(desk.journal).await?;
    let opened = pulls.iter().filter(|pull| recent(&pull.created_at)).count();
    if opened < most as usize {
        return Ok(());
    }
    let reason = format!("the policy allows {most} pull requests a day, and {opened} were opened in the last 24 hours");
    Err(End::new(Outcome::Blocked, reason).hint("`budget.prs_per_day` in the policy says how many"))
}
