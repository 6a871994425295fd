//! Lists, page by page.

use std::time::Instant;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::github::GitHub;
use crate::github::error::GitHubError;
use crate::github::exchange::record;
use crate::github::routes::Route;
use crate::journal::Journal;

/// How much of a list is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// The first page.
    One,
    /// All pages, up to the cap; that there were more is on record.
    All,
}

impl GitHub {
    /// A list: the answer itself, or what it holds under a key.
    pub(super) async fn list<T: DeserializeOwned>(
        &self,
        route: &'static Route,
        parameters: &[(&str, &str)],
        (key, extent): (Option<&str>, Extent),
        journal: &Journal,
    ) -> Result<Vec<T>, GitHubError> {
        let garbled = |reason: String| GitHubError::Garbled { route: route.name, reason: self.foreign(&reason) };
        let mut call = self.call(route, parameters)?;
        let mut entries = Vec::new();
        for _ in 0..self.settings.max_pages {
            let (asked, reply) = self.ask_fresh(call, journal).await?;
            let page = items(self.accept(&asked, &reply)?, key).map_err(&garbled)?;
            for value in page {
                let at = entries.len();
                entries.push(serde_json::from_value(value).map_err(|error| garbled(format!("entry {at}: {error}")))?);
            }
            let link = reply.header("link").filter(|_| extent == Extent::All);
            let next = link.map_or(Ok(None), |link| self.address.next_page(link, &asked.path)).map_err(&garbled)?;
            let Some(path) = next else { return Ok(entries) };
            call = self.call(route, parameters)?;
            call.path = path;
        }
        let cut = format!("cut after {} pages, {} entries", self.settings.max_pages, entries.len());
        record(journal, ("github", call.subject()), cut, Instant::now());
        Ok(entries)
    }
}

/// The entries of a page. A list that is null is empty, and so is an entry that is.
fn items(answer: Value, key: Option<&str>) -> Result<Vec<Value>, String> {
    let list = match key {
        None => answer,
        Some(key) => match answer {
            Value::Object(mut object) => object.remove(key).ok_or_else(|| format!("it holds no `{key}`"))?,
            _ => return Err("it is no object".to_owned()),
        },
    };
    match list {
        Value::Array(list) => Ok(list.into_iter().filter(|entry| !entry.is_null()).collect()),
        Value::Null => Ok(Vec::new()),
        _ => Err("it is no list".to_owned()),
    }
}
