//! Which hosts may be reached, by name before they are resolved and by address after.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::policy::HostRule;

/// The hosts that may be reached.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    hosts: Vec<(String, u16)>,
    inner_addresses: bool,
}

/// Why a connection was refused.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Refusal {
    /// No rule names it.
    #[error("{host}:{port} is not in the allow-list; `network: {{allow: [\"{host}:{port}\"]}}` would add it")]
    NotListed {
        /// The host asked for.
        host: String,
        /// The port asked for.
        port: u16,
    },
    /// It leads into the machine or its network.
    #[error("{host} leads to {address}, an address of this machine or of its network")]
    Inner {
        /// The host asked for.
        host: String,
        /// What it resolves to.
        address: IpAddr,
    },
}

impl Rules {
    /// The policy's rules; `registries` are the hosts and ports that the word `registries` stands for here.
    #[must_use]
    pub fn new(rules: &[HostRule], registries: &[(String, u16)]) -> Self {
        let mut hosts = Vec::new();
        for rule in rules {
            match rule {
                HostRule::Registries => hosts.extend(registries.iter().cloned()),
                HostRule::Host { name, port } => hosts.push((name.clone(), *port)),
            }
        }
        let normal = |(name, port): (String, u16)| (name.trim_end_matches('.').to_ascii_lowercase(), port);
        Self { hosts: hosts.into_iter().map(normal).collect(), inner_addresses: false }
    }

    /// The same rules, with addresses of this machine and its network allowed: for tests against servers on loopback.
    #[must_use]
    pub fn with_inner_addresses(self) -> Self {
        Self { inner_addresses: true, ..self }
    }

    /// Whether a rule names the host and port.
    ///
    /// # Errors
    /// [`Refusal::NotListed`].
    pub fn check_name(&self, host: &str, port: u16) -> Result<(), Refusal> {
        if self.hosts.iter().any(|(name, allowed)| *allowed == port && covers(name, host)) {
            return Ok(());
        }
        Err(Refusal::NotListed { host: host.to_owned(), port })
    }

    /// Whether the address that `host` resolved to may be connected to.
    ///
    /// This machine's own addresses never may. Those of its network may only for a name that a rule spells out:
    /// behind corporate mirrors public names resolve there, but a name that a wildcard covers is anybody's choice.
    ///
    /// # Errors
    /// [`Refusal::Inner`].
    pub fn check_address(&self, host: &str, address: IpAddr) -> Result<(), Refusal> {
        let address = address.to_canonical();
        let literal = host.parse::<IpAddr>().is_ok();
        let spelled_out = !literal && self.hosts.iter().any(|(name, _)| name == host);
        let inner = match address {
            IpAddr::V4(address) => own_v4(address) || (!spelled_out && network_v4(address)),
            IpAddr::V6(address) => own_v6(address) || (!spelled_out && address.is_unique_local()),
        };
        if inner && !self.inner_addresses {
            return Err(Refusal::Inner { host: host.to_owned(), address });
        }
        Ok(())
    }
}

/// `*.name` covers what lies below `name`, not `name` itself.
fn covers(pattern: &str, host: &str) -> bool {
    match pattern.strip_prefix("*.") {
        Some(suffix) => {
            host.strip_suffix(suffix).and_then(|rest| rest.strip_suffix('.')).is_some_and(|rest| !rest.is_empty())
        }
        None => pattern == host,
    }
}

fn own_v4(address: Ipv4Addr) -> bool {
    address.is_loopback()
        || address.is_unspecified()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_broadcast()
        || address.octets()[0] == 0
}

fn network_v4(address: Ipv4Addr) -> bool {
    let [first, second, ..] = address.octets();
    address.is_private()
        || (first == 100 && (64..128).contains(&second)) // carriers' networks
        || (first == 198 && (18..20).contains(&second)) // test networks
        || first >= 240
}

fn own_v6(address: Ipv6Addr) -> bool {
    address.is_loopback() || address.is_unspecified() || address.is_unicast_link_local() || address.is_multicast()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(hosts: &[&str]) -> Rules {
        let rules: Vec<_> = hosts.iter().map(|name| HostRule::Host { name: (*name).to_owned(), port: 443 }).collect();
        Rules::new(&rules, &[])
    }

    #[test]
    fn names_match_exactly_or_below_a_wildcard() {
        let rules = rules(&["a.example", "*.b.example"]);
        for host in ["a.example", "x.b.example", "y.x.b.example"] {
            assert!(rules.check_name(host, 443).is_ok(), "{host}");
        }
        for host in ["xa.example", "x.a.example", "b.example", "xb.example", ".b.example", "a.example.evil"] {
            assert!(rules.check_name(host, 443).is_err(), "{host}");
        }
        assert!(rules.check_name("a.example", 80).is_err());
    }

    #[test]
    fn inner_addresses_are_refused_but_for_names_spelled_out() {
        let rules = rules(&["mirror.example", "*.b.example", "10.0.0.1"]);
        let check = |host: &str, address: &str| rules.check_address(host, address.parse().unwrap()).is_ok();
        assert!(check("mirror.example", "10.1.2.3"));
        assert!(!check("mirror.example", "127.0.0.1"));
        assert!(!check("mirror.example", "169.254.169.254"));
        assert!(!check("mirror.example", "::ffff:127.0.0.1"));
        assert!(!check("x.b.example", "192.168.0.1"));
        assert!(!check("x.b.example", "fd00::1"));
        assert!(!check("10.0.0.1", "10.0.0.1"));
        assert!(check("x.b.example", "93.184.216.34"));
        assert!(rules.clone().with_inner_addresses().check_address("x.b.example", Ipv4Addr::LOCALHOST.into()).is_ok());
    }

    #[test]
    fn the_word_registries_stands_for_what_the_caller_says() {
        let rules = Rules::new(&[HostRule::Registries], &[("packages.example".to_owned(), 443)]);
        assert!(rules.check_name("packages.example", 443).is_ok());
    }
}
