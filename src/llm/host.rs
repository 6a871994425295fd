//! Whose host a base URL names: this machine, a private network, or somebody who is paid.

use std::net::IpAddr;

use reqwest::Url;

/// Whether the host is this machine.
pub(super) fn is_loopback(url: &Url) -> bool {
    match host(url) {
        Host::Name(name) => name == "localhost",
        Host::Address(address) => address.is_loopback(),
    }
}

/// Whether the host is one of the user's own, where tokens cost nothing: this machine, a private address, or a name
/// that only a private network knows.
pub(super) fn is_own(url: &Url) -> bool {
    is_loopback(url)
        || match host(url) {
            Host::Name(name) => {
                !name.contains('.') || [".local", ".internal", ".lan"].iter().any(|end| name.ends_with(end))
            }
            Host::Address(IpAddr::V4(address)) => address.is_private() || address.is_link_local(),
            Host::Address(IpAddr::V6(address)) => address.is_unique_local() || address.is_unicast_link_local(),
        }
}

enum Host<'a> {
    Name(&'a str),
    Address(IpAddr),
}

fn host(url: &Url) -> Host<'_> {
    let text = url.host_str().unwrap_or_default();
    let bare = text.trim_start_matches('[').trim_end_matches(']');
    bare.parse().map_or(Host::Name(text), Host::Address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_an_own_server_cost_nothing_and_only_this_machine_gets_a_key_in_clear_text() {
        let own = |url: &str| {
            let url = Url::parse(url).unwrap();
            (is_own(&url), is_loopback(&url))
        };
        assert_eq!(own("http://[::1]:8080/v1"), (true, true));
        assert_eq!(own("http://localhost/v1"), (true, true));
        assert_eq!(own("http://ollama:11434/v1"), (true, false));
        assert_eq!(own("http://192.168.1.7/v1"), (true, false));
        assert_eq!(own("http://host.docker.internal/v1"), (true, false));
        assert_eq!(own("https://api.openai.com/v1"), (false, false));
        assert_eq!(own("https://localhost.example.org/v1"), (false, false));
    }
}
