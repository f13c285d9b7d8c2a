//! Clients whose id is the address of a document about them.
//!
//! Decides which addresses may be asked: https, a public address of the net, or a network that the operator
//! named. The name is looked up once, and the document is fetched from what was found and nothing else.

use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use lru::LruCache;
use tokio::sync::Semaphore;
use url::{Host, Url};

use super::client::{Client, ClientMetadata};
use crate::auth::object;
use crate::clock::Clock;
use crate::fetch::{FetchSettings, Fetcher};
use crate::network::Network;

/// The largest document.
const LIMIT_BYTES: usize = 5 * 1024;
/// From the look-up of the name to the last byte.
const TIME: Duration = Duration::from_secs(3);
/// How long a document is used before it is fetched again.
const LASTS: Duration = Duration::from_secs(300);
/// How many documents are kept.
const KEPT: NonZeroUsize = NonZeroUsize::new(200).expect("not zero");
/// How many are fetched at once.
const AT_ONCE: usize = 4;

/// Fetches and keeps documents about clients.
#[derive(Debug)]
pub(super) struct ClientDocuments {
    /// Networks that may be asked although they are not public.
    networks: Vec<Network>,
    extra_roots: Vec<u8>,
    clock: Clock,
    kept: Mutex<LruCache<String, (Instant, Client)>>,
    places: Semaphore,
}

impl ClientDocuments {
    pub(super) fn new(networks: Vec<Network>, extra_roots: Vec<u8>, clock: Clock) -> Self {
        let kept = Mutex::new(LruCache::new(KEPT));
        Self { networks, extra_roots, clock, kept, places: Semaphore::new(AT_ONCE) }
    }

    /// Whether an id can be the address of a document.
    pub(super) fn is_address(id: &str) -> bool {
        id.starts_with("https://")
    }

    /// The client that the document at this address describes.
    ///
    /// # Errors
    /// A sentence for a person, which repeats nothing of the document.
    pub(super) async fn client(&self, id: &str) -> Result<Client, &'static str> {
        let now = self.clock.monotonic();
        if let Some((at, client)) = self.kept.lock().unwrap_or_else(PoisonError::into_inner).get(id)
            && now.saturating_duration_since(*at) < LASTS
        {
            return Ok(client.clone());
        }
        let _place =
            self.places.try_acquire().map_err(|_| "too many clients are being looked up; try again")?;
        let client = tokio::time::timeout(TIME, self.fetch(id))
            .await
            .unwrap_or(Err("the document about the client did not come in time"))?;
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).put(id.to_owned(), (now, client.clone()));
        Ok(client)
    }

    async fn fetch(&self, id: &str) -> Result<Client, &'static str> {
        let url = address(id).ok_or("the client id is not an https address with a path")?;
        let addresses = self.addresses(&url).await?;
        let host = url.host_str().unwrap_or_default().to_owned();
        let fetcher = Fetcher::new(FetchSettings {
            extra_roots: self.extra_roots.clone(),
            time: TIME,
            limit_bytes: LIMIT_BYTES,
            pinned: Some((host, addresses)),
        })
        .map_err(|_| "the document about the client cannot be fetched")?;
        let answer = fetcher.get(&url).await.map_err(|unanswered| {
            tracing::info!(reason = unanswered.reason, "the document about a client cannot be fetched");
            "the document about the client cannot be fetched"
        })?;
        if answer.status != 200 {
            return Err("the address of the client holds no document");
        }
        let metadata: ClientMetadata =
            object(&answer.body).ok_or("the document about the client cannot be read")?;
        if metadata.client_id.as_deref() != Some(id) {
            return Err("the document about the client names another client id");
        }
        Client::of(metadata).map_err(|(_, why)| why)
    }

    /// Where the host is, if all of that may be asked.
    async fn addresses(&self, url: &Url) -> Result<Vec<SocketAddr>, &'static str> {
        let port = url.port().unwrap_or(443);
        let found: Vec<SocketAddr> = match url.host() {
            Some(Host::Ipv4(ip)) => vec![(ip, port).into()],
            Some(Host::Ipv6(ip)) => vec![(ip, port).into()],
            Some(Host::Domain(name)) => tokio::net::lookup_host((name, port))
                .await
                .map_err(|_| "the host of the client id is not found")?
                .collect(),
            None => Vec::new(),
        };
        let allowed = |address: &SocketAddr| {
            let listed = self.networks.iter().any(|network| network.contains(address.ip()));
            listed || (is_public(address.ip()) && port == 443)
        };
        if found.is_empty() || !found.iter().all(allowed) {
            return Err("the host of the client id is not a public one");
        }
        Ok(found)
    }
}

fn address(id: &str) -> Option<Url> {
    let url = Url::parse(id).ok()?;
    let sound = url.scheme() == "https"
        && url.as_str() == id
        && url.path() != "/"
        && id.len() <= 500
        && url.username().is_empty()
        && url.password().is_none()
        && url.fragment().is_none();
    sound.then_some(url)
}

/// Whether an address is one of the open net, and not of this machine, this network or some special use.
fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(ip) => {
            let [a, b, c, _] = ip.octets();
            !(ip.is_private()
                || ip.is_loopback()
                || ip.is_link_local()
                || ip.is_broadcast()
                || ip.is_documentation()
                || ip.is_multicast()
                || a == 0
                || a >= 240
                || (a == 100 && (64..128).contains(&b))
                || (a == 192 && b == 0 && c == 0)
                || (a == 192 && b == 88 && c == 99)
                || (a == 198 && (18..20).contains(&b)))
        }
        // Only what has been given out as global, without the ranges in it that lead elsewhere.
        IpAddr::V6(ip) => {
            let [first, second, ..] = ip.segments();
            first & 0xe000 == 0x2000
                && first != 0x2002
                && !(first == 0x2001 && (second < 0x0200 || second == 0x0db8))
                && !(first == 0x3fff && second < 0x1000)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_open_net_are_public() {
        for public in ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "2a00:1450:4001::1"] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
        for other in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "0.0.0.0",
            "100.64.0.1",
            "192.0.0.1",
            "192.0.2.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::1",
            "::",
            "fe80::1",
            "fc00::1",
            "fd12::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2001:db8::1",
            "2001:0:1::1",
            "3fff::1",
        ] {
            assert!(!is_public(other.parse().unwrap()), "{other}");
        }
    }

    #[tokio::test]
    async fn what_is_not_public_is_never_asked() {
        let documents = ClientDocuments::new(Vec::new(), Vec::new(), Clock::system());
        for id in [
            "https://127.0.0.1/client.json",
            "https://[::1]/client.json",
            "https://[::ffff:169.254.169.254]/client.json",
            "https://localhost/client.json",
            "https://0x7f000001/client.json",
            "https://1.1.1.1:8443/client.json",
            "http://1.1.1.1/client.json",
            "https://user@1.1.1.1/client.json",
            "https://1.1.1.1/",
            "https://1.1.1.1/client.json#x",
        ] {
            assert!(documents.client(id).await.is_err(), "{id}");
        }
    }
}
