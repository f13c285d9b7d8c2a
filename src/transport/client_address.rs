//! Who is at the other end, as far as addresses can tell.
//!
//! Decides which address counts as the client's and how addresses are grouped. Never prints one in full.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

use http::HeaderMap;

use crate::network::Network;

/// The address a request is counted under.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClientAddress(IpAddr);

impl ClientAddress {
    /// An address as it is; an IPv4 address written as IPv6 becomes IPv4.
    #[must_use]
    pub fn new(ip: IpAddr) -> Self {
        Self(ip.to_canonical())
    }

    /// The peer of the socket, unless that is a trusted proxy: then the nearest address of
    /// `X-Forwarded-For`, read from the right, that is not one. What stands further left was written
    /// by whoever is out there.
    #[must_use]
    pub fn of_request(peer: IpAddr, headers: &HeaderMap, trusted: &[Network]) -> Self {
        let mut nearest = Self::new(peer);
        let is_trusted = |address: Self| trusted.iter().any(|network| network.contains(address.0));
        let fields: Vec<_> = headers.get_all("x-forwarded-for").iter().collect();
        let hops = fields.iter().rev().flat_map(|field| field.as_bytes().rsplit(|byte| *byte == b','));
        for hop in hops {
            if !is_trusted(nearest) {
                break;
            }
            // Nobody calls from no address: what says so is not believed.
            let Some(ip) = parse_hop(hop).filter(|ip| !ip.to_canonical().is_unspecified()) else { break };
            nearest = Self::new(ip);
        }
        nearest
    }

    /// Whether it is this program that asks itself: its connections come from no address.
    #[must_use]
    pub fn is_own(self) -> bool {
        self.0.is_unspecified()
    }

    /// The full address. For arithmetic, not for logs.
    #[must_use]
    pub fn ip(self) -> IpAddr {
        self.0
    }

    /// What counts as one caller: an IPv4 address, or an IPv6 network of 64 bits.
    #[must_use]
    pub fn group(self) -> ClientGroup {
        ClientGroup(match self.0 {
            IpAddr::V4(ip) => IpAddr::V4(ip),
            IpAddr::V6(ip) => IpAddr::V6(Ipv6Addr::from_bits(ip.to_bits() & (u128::MAX << 64))),
        })
    }
}

impl fmt::Debug for ClientAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        masked(self.0, f)
    }
}

/// An address, or a network that counts as one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClientGroup(IpAddr);

impl ClientGroup {
    /// The address itself, or the first of the network.
    #[must_use]
    pub fn first(self) -> IpAddr {
        self.0
    }
}

impl fmt::Debug for ClientGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        masked(self.0, f)
    }
}

fn masked(ip: IpAddr, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match ip {
        IpAddr::V4(ip) => {
            let [a, b, c, _] = ip.octets();
            write!(f, "{a}.{b}.{c}.0/24")
        }
        IpAddr::V6(ip) => write!(f, "{}/48", Ipv6Addr::from_bits(ip.to_bits() & (u128::MAX << 80))),
    }
}

/// One entry of the list; proxies write ports and brackets too.
fn parse_hop(bytes: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(bytes).ok()?.trim();
    if let Ok(ip) = text.parse() {
        return Some(ip);
    }
    if let Ok(socket) = text.parse::<std::net::SocketAddr>() {
        return Some(socket.ip());
    }
    text.strip_prefix('[')?.strip_suffix(']')?.parse::<Ipv6Addr>().ok().map(IpAddr::V6)
}

#[cfg(test)]
mod tests {
    use super::ClientAddress;
    use crate::network::Network;
    use http::{HeaderMap, HeaderValue};
    use std::net::IpAddr;

    fn client(peer: &str, fields: &[&'static str], trusted: &[&str]) -> IpAddr {
        let mut headers = HeaderMap::new();
        for field in fields {
            headers.append("x-forwarded-for", HeaderValue::from_static(field));
        }
        let trusted: Vec<Network> = trusted.iter().map(|t| Network::parse(t).unwrap()).collect();
        ClientAddress::of_request(peer.parse().unwrap(), &headers, &trusted).ip()
    }

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_forwarded_address_counts_only_when_the_peer_is_a_trusted_proxy() {
        assert_eq!(client("203.0.113.9", &["198.51.100.1"], &[]), ip("203.0.113.9"));
        assert_eq!(client("203.0.113.9", &["198.51.100.1"], &["10.0.0.0/8"]), ip("203.0.113.9"));
        assert_eq!(client("10.1.2.3", &["198.51.100.1"], &["10.0.0.0/8"]), ip("198.51.100.1"));
    }

    #[test]
    fn forwarded_addresses_are_counted_from_the_right() {
        let trusted = &["10.0.0.0/8", "2001:db8::/32"];
        assert_eq!(client("10.0.0.1", &["6.6.6.6, 198.51.100.1"], trusted), ip("198.51.100.1"));
        assert_eq!(client("10.0.0.1", &["6.6.6.6, 198.51.100.1, 10.9.9.9"], trusted), ip("198.51.100.1"));
        assert_eq!(client("10.0.0.1", &["6.6.6.6", "198.51.100.1:99"], trusted), ip("198.51.100.1"));
        assert_eq!(client("2001:db8::1", &["[2001:db9::7]:443"], trusted), ip("2001:db9::7"));
        assert_eq!(client("10.0.0.1", &["10.0.0.7"], trusted), ip("10.0.0.7"));
    }

    #[test]
    fn an_unreadable_hop_ends_the_walk_at_the_last_known_address() {
        assert_eq!(client("10.0.0.1", &["6.6.6.6, unknown"], &["10.0.0.0/8"]), ip("10.0.0.1"));
        assert_eq!(client("10.0.0.1", &[""], &["10.0.0.0/8"]), ip("10.0.0.1"));
    }

    #[test]
    fn an_ipv6_caller_is_its_64_bit_network() {
        let group = |text: &str| ClientAddress::new(ip(text)).group();
        assert_eq!(group("2001:db8:1:2:3::4"), group("2001:db8:1:2:ffff::"));
        assert_ne!(group("2001:db8:1:2::1"), group("2001:db8:1:3::1"));
        assert_ne!(group("192.0.2.1"), group("192.0.2.2"));
        assert_eq!(group("::ffff:192.0.2.1"), group("192.0.2.1"));
    }

    #[test]
    fn no_full_address_is_printed() {
        assert_eq!(format!("{:?}", ClientAddress::new(ip("192.0.2.77"))), "192.0.2.0/24");
        let shown = format!("{:?}", ClientAddress::new(ip("2001:db8:1:2:3::4")).group());
        assert_eq!(shown, "2001:db8:1::/48");
    }
}
