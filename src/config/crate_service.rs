//! `[crate]`: the data service, the key for it, and what the key's plan allows.

use std::path::PathBuf;
use std::time::Duration;

use url::Url;

use super::keys::Keys;
use super::source::SecretSource;
use super::table::Key;
use crate::host::is_loopback;

/// The keys of `[crate]`.
pub(super) const KEYS: &[Key] = &[
    Key::new(
        "base_url",
        "\"https://crate.hosaka.fm\"",
        "Where the data service is: https, without user, query or fragment; http on this machine only.",
    ),
    Key::new(
        "key",
        "\"\"",
        "The key that the service issued. Better kept in a file of its own, see key_file; never both.",
    ),
    Key::new(
        "key_file",
        "\"\"",
        "A file that holds the key and nothing else, and that only its owner and group can read.",
    ),
    Key::new(
        "key_credential",
        "\"\"",
        "The name of a credential that systemd gives with LoadCredential=NAME:FILE, and that holds the key and \
         nothing else. One of key, key_file and key_credential.",
    ),
    Key::new(
        "ca_file",
        "\"\"",
        "A PEM file of certificates to trust beside the machine's own, for a service with a private one.",
    ),
    Key::new("in_flight", "2", "What the key's plan allows. Requests at once: 1 to 1000."),
    Key::new("per_minute", "60", "Requests in any sixty seconds: 1 to 1000000."),
    Key::new(
        "per_month",
        "10000",
        "Requests in a UTC month that you want to pay for: 0 (as many as come) to 1000000000.",
    ),
    Key::new("cache_mib", "64", "The memory for answers that are served again: 0 (none) to 65536 MiB."),
    Key::new(
        "resolve_kept_s",
        "600",
        "How long an answer is served again, by family of data: 0 (not at all) to 86400 seconds.",
    ),
    Key::new("artist_kept_s", "600", "Artist dossiers: as above."),
    Key::new("search_kept_s", "300", "Catalogue search: as above."),
    Key::new("tracks_kept_s", "600", "Tracks: as above."),
    Key::new("label_kept_s", "600", "Label dossiers: as above."),
    Key::new("similar_kept_s", "600", "Similar artists: as above."),
    Key::new("gigs_kept_s", "300", "Events: as above."),
    Key::new("lists_kept_s", "300", "Lists of rising artists: as above."),
    Key::new("aura_kept_s", "300", "Aura: as above."),
    Key::new(
        "similar",
        "\"auto\"",
        "Parts that newer services have: \"on\", \"off\", or \"auto\" for what the service's own document \
         shows. A list of similar artists.",
    ),
    Key::new("gigs", "\"auto\"", "Dated events."),
    Key::new("search_cursor", "\"auto\"", "Search results that are walked by cursor."),
    Key::new(
        "same_name_clusters",
        "\"auto\"",
        "Namesakes in the answer to a name; without them a search for the name is made.",
    ),
];

const MIB: usize = 1024 * 1024;

/// The data service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrateService {
    /// Where it is; https, or http on this machine only.
    pub base_url: Url,
    /// What it knows this server by; `None` is enough for the demo catalogue only.
    pub key: Option<SecretSource>,
    /// A PEM file of certificates to trust beside the machine's own.
    pub ca_file: Option<PathBuf>,
    /// Requests at once that the key's plan allows.
    pub in_flight: u32,
    /// Requests in any sixty seconds that the key's plan allows.
    pub per_minute: u32,
    /// Requests in a UTC month that the operator wants to pay for; 0 for as many as come.
    pub per_month: u64,
    /// The bytes that kept answers may take; 0 keeps none.
    pub cache_bytes: usize,
    /// How long answers are kept.
    pub lifetimes: Lifetimes,
    /// Newer parts of the service.
    pub switches: Switches,
}

/// How long an answer of each family of data is kept; 0 is not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is named after its family")]
pub struct Lifetimes {
    pub resolve: Duration,
    pub artist: Duration,
    pub search: Duration,
    pub tracks: Duration,
    pub label: Duration,
    pub similar: Duration,
    pub gigs: Duration,
    pub lists: Duration,
    pub aura: Duration,
}

/// Parts of the service that not every version has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switches {
    /// A list of similar artists.
    pub similar: Switch,
    /// Dated events.
    pub gigs: Switch,
    /// Search results that are walked by cursor.
    pub search_cursor: Switch,
    /// Namesakes in the answer to a name.
    pub same_name_clusters: Switch,
}

/// Whether such a part is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// It is.
    On,
    /// It is not.
    Off,
    /// When the service's own document shows it.
    Auto,
}

impl Switch {
    const ALL: [Self; 3] = [Self::Auto, Self::On, Self::Off];

    fn as_str(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Off => "off",
            Self::Auto => "auto",
        }
    }
}

impl Default for Switches {
    fn default() -> Self {
        let auto = Switch::Auto;
        Self { similar: auto, gigs: auto, search_cursor: auto, same_name_clusters: auto }
    }
}

impl Default for Lifetimes {
    fn default() -> Self {
        let minutes = |minutes: u64| Duration::from_secs(minutes * 60);
        Self {
            resolve: minutes(10),
            artist: minutes(10),
            search: minutes(5),
            tracks: minutes(10),
            label: minutes(10),
            similar: minutes(10),
            gigs: minutes(5),
            lists: minutes(5),
            aura: minutes(5),
        }
    }
}

impl Default for CrateService {
    #[expect(clippy::expect_used, reason = "the address stands here, and a test reads it")]
    fn default() -> Self {
        Self {
            base_url: Url::parse("https://crate.hosaka.fm").expect("an address"),
            key: None,
            ca_file: None,
            in_flight: 2,
            per_minute: 60,
            per_month: 10_000,
            cache_bytes: 64 * MIB,
            lifetimes: Lifetimes::default(),
            switches: Switches::default(),
        }
    }
}

impl CrateService {
    pub(super) fn read(keys: &mut Keys<'_, '_>) -> Self {
        let default = Self::default();
        Self {
            base_url: keys.text(
                "base_url",
                default.base_url,
                "an https address without user, query or fragment, or http://localhost:PORT",
                base_url,
            ),
            key: keys.secret_source(
                ["key", "key_file", "key_credential"],
                "a key as the service issued it, at most 200 letters, digits and marks",
                is_key,
            ),
            ca_file: keys.optional_path("ca_file"),
            in_flight: count(keys, "in_flight", default.in_flight, 1_000, "requests"),
            per_minute: count(keys, "per_minute", default.per_minute, 1_000_000, "requests"),
            per_month: keys.whole("per_month", default.per_month, 0..=1_000_000_000, "requests"),
            cache_bytes: count(keys, "cache_mib", 64, 65_536, "MiB") as usize * MIB,
            lifetimes: Lifetimes::read(keys),
            switches: Switches::read(keys),
        }
    }
}

impl Lifetimes {
    fn read(keys: &mut Keys<'_, '_>) -> Self {
        let default = Self::default();
        let mut lifetime = |key, default| keys.seconds(key, default, 0..=86_400);
        Self {
            resolve: lifetime("resolve_kept_s", default.resolve),
            artist: lifetime("artist_kept_s", default.artist),
            search: lifetime("search_kept_s", default.search),
            tracks: lifetime("tracks_kept_s", default.tracks),
            label: lifetime("label_kept_s", default.label),
            similar: lifetime("similar_kept_s", default.similar),
            gigs: lifetime("gigs_kept_s", default.gigs),
            lists: lifetime("lists_kept_s", default.lists),
            aura: lifetime("aura_kept_s", default.aura),
        }
    }
}

impl Switches {
    fn read(keys: &mut Keys<'_, '_>) -> Self {
        let mut switch = |key| keys.choice(key, Switch::Auto, &Switch::ALL, Switch::as_str);
        Self {
            similar: switch("similar"),
            gigs: switch("gigs"),
            search_cursor: switch("search_cursor"),
            same_name_clusters: switch("same_name_clusters"),
        }
    }
}

/// Whether a text can be sent as a key: one line of visible ASCII.
#[must_use]
pub fn is_key(text: &str) -> bool {
    (1..=200).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

fn base_url(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let host = url.host()?;
    let plain = url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    let safe = url.scheme() == "https" || (url.scheme() == "http" && is_loopback(&host));
    (plain && safe).then_some(url)
}

fn count(keys: &mut Keys<'_, '_>, key: &'static str, default: u32, most: u64, unit: &str) -> u32 {
    let least = u64::from(key != "cache_mib");
    keys.whole(key, default.into(), least..=most, unit).try_into().unwrap_or(default)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_sent_in_the_clear_to_this_machine_only() {
        for good in [
            "https://crate.hosaka.fm",
            "https://crate.example.org/base/",
            "http://127.0.0.1:9000",
            "http://localhost:9000",
            "http://[::1]:9000",
        ] {
            assert!(base_url(good).is_some(), "{good}");
        }
        for bad in [
            "http://crate.hosaka.fm",
            "http://10.0.0.5",
            "https://me:x@crate.hosaka.fm",
            "https://crate.hosaka.fm/?key=x",
            "https://crate.hosaka.fm/#x",
            "ftp://localhost",
            "crate.hosaka.fm",
            "",
        ] {
            assert!(base_url(bad).is_none(), "{bad}");
        }
    }
}
