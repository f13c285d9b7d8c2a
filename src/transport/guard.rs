//! Who may be asked and from where: the host a request names and the web page it comes from.
//!
//! Host names are checked against the configured ones, so that a page cannot reach this server under a
//! name of its own; origins against a list that the preflight shares. Knows nothing of paths or bodies.

use std::collections::HashSet;
use std::net::IpAddr;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use http::header::{HOST, ORIGIN};
use http::request::Parts;
use http::{HeaderMap, Version};
use tokio::time::Instant;

use super::client_address::ClientAddress;
use super::refusal::Refusal;
use crate::host::{Authority, Origin};
use crate::network::Network;
use crate::telemetry::LineLimit;

/// Which hosts, origins and proxies are accepted. A clone is the same policy, and changes with it.
#[derive(Clone, Debug)]
pub struct GuardPolicy {
    accepted: Arc<RwLock<Arc<Accepted>>>,
    refusals: Arc<LineLimit>,
}

/// The policy as it was at one moment. A request is held to one of them, so that no change of the policy meets it half
/// way.
#[derive(Debug)]
pub(super) struct Guard<'a> {
    accepted: Arc<Accepted>,
    refusals: &'a LineLimit,
}

#[derive(Clone, Debug)]
struct Accepted {
    hosts: HashSet<String>,
    origins: HashSet<Origin>,
    trusted_proxies: Vec<Network>,
}

/// Hosts of clients that run in a browser and are allowed everywhere.
const WELL_KNOWN_CLIENTS: [&str; 2] = ["claude.ai", "chatgpt.com"];

/// One line in this time, however many requests are refused.
const REFUSAL_LINES: Duration = Duration::from_secs(10);

impl GuardPolicy {
    /// A policy for `own` and further names of the server (a port is ignored), and for these origins,
    /// which come in addition to the built-in ones: the two hosted clients, anything on localhost, and
    /// the server's own pages.
    #[must_use]
    pub fn new(
        own: Authority,
        further: impl IntoIterator<Item = Authority>,
        origins: impl IntoIterator<Item = Origin>,
    ) -> Self {
        let hosts: HashSet<String> =
            std::iter::once(own).chain(further).map(|authority| authority.host().to_owned()).collect();
        let built_in = hosts.iter().map(String::as_str).chain(WELL_KNOWN_CLIENTS).map(Origin::of_host);
        let origins = built_in.chain(origins).collect();
        let accepted = Arc::new(Accepted { hosts, origins, trusted_proxies: Vec::new() });
        Self {
            accepted: Arc::new(RwLock::new(accepted)),
            refusals: Arc::new(LineLimit::new(1, REFUSAL_LINES)),
        }
    }

    /// The same policy, with peers whose `X-Forwarded-For` is believed.
    #[must_use]
    pub fn with_trusted_proxies(self, networks: impl IntoIterator<Item = Network>) -> Self {
        let mut accepted = Arc::unwrap_or_clone(self.accepted());
        accepted.trusted_proxies.extend(networks);
        self.set(accepted.into());
        self
    }

    /// Accepts what `other` accepts from the next request on, on open connections too.
    pub fn follow(&self, other: &Self) {
        self.set(other.accepted());
    }

    fn accepted(&self) -> Arc<Accepted> {
        self.accepted.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, accepted: Arc<Accepted>) {
        *self.accepted.write().unwrap_or_else(PoisonError::into_inner) = accepted;
    }

    /// The policy as it is now.
    pub(super) fn now(&self) -> Guard<'_> {
        Guard { accepted: self.accepted(), refusals: &self.refusals }
    }

    /// Whether a request is let through.
    #[cfg(fuzzing)]
    pub(crate) fn passes(&self, request: &Parts) -> bool {
        self.now().check(request).is_ok()
    }
}

impl Guard<'_> {
    /// Which client a request counts under.
    pub(super) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> ClientAddress {
        ClientAddress::of_request(peer, headers, &self.accepted.trusted_proxies)
    }

    /// Host first, then origin.
    pub(super) fn check(&self, request: &Parts) -> Result<(), Refusal> {
        let own = self.check_host(request)?;
        self.check_origin(&request.headers, &own)
    }

    /// The request target's authority (HTTP/2, or an absolute target) and the Host field must each be
    /// an allowed name; at least one must be there.
    fn check_host(&self, request: &Parts) -> Result<Authority, Refusal> {
        let mut fields = request.headers.get_all(HOST).iter();
        let field = fields.next();
        if fields.next().is_some() {
            return Err(Refusal::HostMissing);
        }
        if field.is_none() && request.version < Version::HTTP_2 {
            return Err(Refusal::HostMissing);
        }
        let target = request.uri.authority().map(|authority| authority.as_str().as_bytes());
        let mut named = None;
        for bytes in [field.map(http::HeaderValue::as_bytes), target].into_iter().flatten() {
            let read = std::str::from_utf8(bytes).ok().and_then(Authority::parse);
            match read.filter(|authority| self.accepted.hosts.contains(authority.host())) {
                Some(authority) => named = Some(authority),
                None => {
                    self.note_refusal("host", bytes);
                    return Err(Refusal::HostUnknown);
                }
            }
        }
        named.ok_or(Refusal::HostMissing)
    }

    fn check_origin(&self, headers: &HeaderMap, own: &Authority) -> Result<(), Refusal> {
        let mut fields = headers.get_all(ORIGIN).iter();
        let Some(field) = fields.next() else { return Ok(()) };
        let origin = field.to_str().ok().and_then(Origin::parse);
        let allowed = |origin: &Origin| {
            origin.is_local() || origin.is_page_of(own) || self.accepted.origins.contains(origin)
        };
        match origin {
            Some(origin) if fields.next().is_none() && allowed(&origin) => Ok(()),
            _ => {
                self.note_refusal("origin", field.as_bytes());
                Err(Refusal::OriginRefused)
            }
        }
    }

    fn note_refusal(&self, what: &'static str, name: &[u8]) {
        if let Some(left_out) = self.refusals.note(Instant::now().into_std()) {
            let name = printable(name);
            tracing::warn!(what, name, left_out, "refused a request: this name is not in the configuration");
        }
    }
}

/// At most 64 bytes of a name, with everything escaped that could forge a line.
fn printable(name: &[u8]) -> String {
    const LONGEST: usize = 64;
    let shown = name.get(..LONGEST).unwrap_or(name);
    let mut text = shown.escape_ascii().to_string();
    if name.len() > LONGEST {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{GuardPolicy, printable};
    use crate::host::{Authority, Origin};
    use crate::network::Network;
    use crate::transport::refusal::Refusal;
    use http::{HeaderValue, Request, Version};

    fn policy() -> GuardPolicy {
        let [own, local, ipv6] =
            ["mcp.example.org", "localhost:8443", "[::1]"].map(|host| Authority::parse(host).unwrap());
        GuardPolicy::new(own, [local, ipv6], Origin::parse("https://app.example:444"))
    }

    fn check(version: Version, target: &str, hosts: &[&[u8]], origins: &[&[u8]]) -> Result<(), Refusal> {
        let mut request = Request::post(target).version(version);
        for host in hosts {
            request = request.header("host", HeaderValue::from_bytes(host).unwrap());
        }
        for origin in origins {
            request = request.header("origin", HeaderValue::from_bytes(origin).unwrap());
        }
        policy().now().check(&request.body(()).unwrap().into_parts().0)
    }

    #[test]
    fn a_request_is_held_to_the_policy_of_one_moment_however_it_changes_meanwhile() {
        let request = Request::post("/mcp")
            .header("host", "mcp.example.org")
            .header("origin", "https://app.example:444");
        let request = request.header("x-forwarded-for", "198.51.100.7").body(()).unwrap().into_parts().0;
        let proxy = "192.0.2.1".parse().unwrap();
        let policy = policy().with_trusted_proxies(Network::parse("192.0.2.0/24"));
        let other = GuardPolicy::new(Authority::parse("other.example").unwrap(), [], []);
        let begun = policy.now();
        let client = begun.client(proxy, &request.headers);
        policy.follow(&other);
        assert_eq!(begun.check(&request), Ok(()));
        assert_eq!(begun.client(proxy, &request.headers), client);
        assert_eq!(policy.now().check(&request), Err(Refusal::HostUnknown));
        assert_ne!(policy.now().client(proxy, &request.headers), client);
    }

    fn host(host: &str) -> Result<(), Refusal> {
        check(Version::HTTP_11, "/mcp", &[host.as_bytes()], &[])
    }

    fn origin(origin: &[u8]) -> Result<(), Refusal> {
        check(Version::HTTP_11, "/mcp", &[b"mcp.example.org"], &[origin])
    }

    #[test]
    fn configured_hosts_pass_in_every_spelling() {
        for name in [
            "mcp.example.org",
            "mcp.example.org:443",
            "MCP.Example.ORG",
            "mcp.example.org.",
            "mcp.example.org.:8443",
            "localhost",
            "localhost:1",
            "[::1]:8443",
            "[0:0:0:0:0:0:0:1]",
        ] {
            assert_eq!(host(name), Ok(()), "{name}");
        }
    }

    #[test]
    fn other_hosts_are_misdirected() {
        for name in [
            "attacker.com",
            "127.0.0.1",
            "mcp.example.org.evil.tld",
            "evil-mcp.example.org",
            "mcp.example.org..",
            "mcp.example.org:",
            "mcp.example.org:x",
            "mcp.example.org:99999",
            "user@mcp.example.org",
            "",
            "::1",
            "[::1",
        ] {
            assert_eq!(host(name), Err(Refusal::HostUnknown), "{name}");
        }
        assert_eq!(check(Version::HTTP_11, "/mcp", &[b"\xff"], &[]), Err(Refusal::HostUnknown));
    }

    #[test]
    fn a_request_must_name_its_host_once() {
        assert_eq!(check(Version::HTTP_11, "/mcp", &[], &[]), Err(Refusal::HostMissing));
        let twice: &[&[u8]] = &[b"localhost", b"localhost"];
        assert_eq!(check(Version::HTTP_11, "/mcp", twice, &[]), Err(Refusal::HostMissing));
        assert_eq!(check(Version::HTTP_2, "/mcp", &[], &[]), Err(Refusal::HostMissing));
    }

    #[test]
    fn the_authority_of_the_target_is_checked_too() {
        let target = |target, hosts: &[&[u8]]| check(Version::HTTP_2, target, hosts, &[]);
        assert_eq!(target("https://mcp.example.org/mcp", &[]), Ok(()));
        assert_eq!(target("https://attacker.com/mcp", &[]), Err(Refusal::HostUnknown));
        assert_eq!(target("https://attacker.com/mcp", &[b"localhost"]), Err(Refusal::HostUnknown));
        assert_eq!(target("https://localhost/mcp", &[b"attacker.com"]), Err(Refusal::HostUnknown));
    }

    #[test]
    fn known_origins_pass() {
        for name in [
            "https://claude.ai",
            "https://chatgpt.com",
            "https://chatgpt.com:443",
            "http://localhost:6274",
            "https://localhost",
            "http://127.0.0.1:3000",
            "http://[::1]:3000",
            "https://mcp.example.org",
            "https://app.example:444",
        ] {
            assert_eq!(origin(name.as_bytes()), Ok(()), "{name}");
        }
        let own_port =
            check(Version::HTTP_11, "/mcp", &[b"mcp.example.org:8443"], &[b"https://mcp.example.org:8443"]);
        assert_eq!(own_port, Ok(()));
        assert_eq!(check(Version::HTTP_11, "/mcp", &[b"localhost"], &[]), Ok(()));
    }

    #[test]
    fn other_origins_are_forbidden() {
        for name in [
            &b"null"[..],
            b"file://",
            b"http://",
            b"",
            b"\xff\xfe",
            b"http://claude.ai",
            b"https://claude.ai.evil.tld",
            b"https://claude.ai/",
            b"https://evil@claude.ai",
            b"https://claude.ai:444",
            b"https://app.example",
            b"http://mcp.example.org",
            b"https://mcp.example.org:8443",
            b"http://localhost.evil.tld",
            b"ftp://localhost",
        ] {
            assert_eq!(origin(name), Err(Refusal::OriginRefused), "{}", name.escape_ascii());
        }
        let twice: &[&[u8]] = &[b"https://claude.ai", b"https://claude.ai"];
        assert_eq!(check(Version::HTTP_11, "/mcp", &[b"localhost"], twice), Err(Refusal::OriginRefused));
    }

    #[test]
    fn a_rejected_name_is_logged_short_and_escaped() {
        assert_eq!(printable(b"evil\r\nGET"), "evil\\r\\nGET");
        assert!(printable(&[b'a'; 5000]).len() < 70);
        assert!(printable(&[0xff; 5000]).len() < 64 * 4 + 4);
    }
}
