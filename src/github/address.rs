//! Addresses: where the interface is, what a row becomes, and which addresses that the forge names are followed.

use std::fmt::Write as _;
use std::net::IpAddr;

use reqwest::Url;

use crate::github::routes::Route;

/// Where the interface is.
#[derive(Debug, Clone)]
pub(super) struct Address {
    /// Scheme, host and port.
    origin: Url,
    /// What stands before every path; empty for most.
    base: String,
}

impl Address {
    /// Reads the address of an interface.
    ///
    /// # Errors
    /// A sentence that does not repeat what may hold a password.
    pub(super) fn parse(text: &str, has_token: bool) -> Result<Self, String> {
        let wrong = |what: &str| format!("the address of GitHub's interface {what}; it looks like https://HOST/api/v3");
        let mut url = Url::parse(text).map_err(|error| wrong(&format!("is no URL ({error})")))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(wrong("holds a user name or a password"));
        }
        if !matches!(url.scheme(), "https" | "http") || url.host_str().is_none() {
            return Err(wrong("does not begin with https:// and a host"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(wrong("has a part behind `?` or `#`"));
        }
        if has_token && url.scheme() == "http" && !is_loopback(&url) {
            return Err(wrong("would carry the token in clear text"));
        }
        let base = url.path().trim_end_matches('/').to_owned();
        url.set_path("/");
        Ok(Self { origin: url, base })
    }

    /// Scheme, host and port.
    pub(super) fn origin(&self) -> &Url {
        &self.origin
    }

    /// Whether it is spoken to in clear text.
    pub(super) fn is_clear_text(&self) -> bool {
        self.origin.scheme() == "http"
    }

    /// The path and query of a row, below the origin.
    ///
    /// # Errors
    /// A sentence: a parameter that is missing, or that cannot be one segment.
    pub(super) fn path(&self, route: &Route, parameters: &[(&str, &str)]) -> Result<String, String> {
        if route.document().is_some() {
            // An enterprise's GraphQL is beside its `v3`, not below it.
            return Ok(format!("{}{}", self.base.strip_suffix("/v3").unwrap_or(&self.base), route.path));
        }
        let mut path = self.base.clone();
        let mut rest = route.path;
        while let Some((before, behind)) = rest.split_once('{') {
            let (name, after) = behind.split_once('}').unwrap_or((behind, ""));
            let value = parameters.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value);
            // A URL takes these for steps, however they are written.
            if matches!(value, "" | "." | "..") {
                return Err(format!("{}: `{value}` cannot be the {name} in an address", route.name));
            }
            path.push_str(before);
            path.push_str(&encode(value));
            rest = after;
        }
        path.push_str(rest);
        Ok(path)
    }

    /// The path and query of the page after the one at `path`, if a `Link` header names one.
    ///
    /// # Errors
    /// A sentence: the page is elsewhere. Only its query is taken, for the forge also calls a repository by number.
    pub(super) fn next_page(&self, link: &str, path: &str) -> Result<Option<String>, String> {
        let Some(target) = next(link) else { return Ok(None) };
        let elsewhere = || "its next page is somewhere else".to_owned();
        let here = self.origin.join(path).map_err(|_| elsewhere())?;
        let next = here.join(target).map_err(|_| elsewhere())?;
        let same = next.path() == here.path()
            || numbered(next.path(), &self.base).is_some_and(|tail| named(here.path(), &self.base) == Some(tail));
        if next.origin() != here.origin() || !same {
            return Err(elsewhere());
        }
        Ok(next.query().map(|query| format!("{}?{query}", here.path())))
    }

    /// An address that the forge sends a download to.
    ///
    /// # Errors
    /// A sentence that does not repeat the address: it holds a signature.
    pub(super) fn redirect(&self, from: &Url, location: &str) -> Result<Url, String> {
        let url = from.join(location).map_err(|error| format!("it sends to what is no URL ({error})"))?;
        let at_home = is_loopback(&url) && is_loopback(&self.origin);
        if url.scheme() == "https" || (url.scheme() == "http" && at_home) {
            return Ok(url);
        }
        Err(format!("it sends to an address of the kind `{}`, which is not followed", url.scheme()))
    }
}

/// Whether the host is this machine.
fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare.parse::<IpAddr>().map_or(host == "localhost", |address| address.is_loopback())
}

/// Everything but what never has a meaning in an address as `%XX`.
fn encode(value: &str) -> String {
    value.bytes().fold(String::with_capacity(value.len()), |mut text, byte| {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            text.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(text, "%{byte:02X}");
        }
        text
    })
}

/// The target of `rel="next"` in a `Link` header.
fn next(link: &str) -> Option<&str> {
    let is_next = |parameter: &str| {
        parameter.trim().strip_prefix("rel=").is_some_and(|relation| relation.trim_matches('"') == "next")
    };
    let links = link.split('<').filter_map(|part| part.split_once('>'));
    links.into_iter().find(|(_, rest)| rest.split([';', ',']).any(is_next)).map(|(target, _)| target)
}

/// What follows `/repositories/NUMBER`.
fn numbered<'a>(path: &'a str, base: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(base)?.strip_prefix("/repositories/")?;
    let tail = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    (tail.len() < rest.len() && tail.starts_with('/')).then_some(tail)
}

/// What follows `/repos/OWNER/NAME`.
fn named<'a>(path: &'a str, base: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(base)?.strip_prefix("/repos/")?;
    let name = rest.find('/')? + 1;
    let tail = name + rest[name..].find('/')?;
    Some(&rest[tail..])
}
