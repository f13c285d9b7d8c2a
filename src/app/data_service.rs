//! The data service as the configuration describes it, and what is asked of it before anybody calls.

use std::sync::Arc;
use std::time::Duration;

use http::HeaderValue;

use super::source::{self, Wrong};
use super::start::StartError;
use crate::clock::Clock;
use crate::config::{Config, Secret, SecretSource, Switch as Wanted, is_key};
use crate::crate_client::cache::CacheLimits;
use crate::crate_client::http::{HttpSettings, HttpTransport};
use crate::crate_client::pacing::Plan;
use crate::crate_client::{ClientSettings, Extension, Switch};
use crate::model::family::Family;
use crate::pipeline::Parts;

/// How long to wait before a service that did not say what it has is asked again.
const LOOK_AGAIN_AFTER: [Duration; 4] =
    [Duration::from_secs(5), Duration::from_secs(30), Duration::from_secs(120), Duration::from_secs(600)];

/// The real service.
pub(super) fn transport(config: &Config, clock: &Clock) -> Result<HttpTransport, StartError> {
    let service = &config.service;
    let extra_roots = extra_roots(config)?;
    let settings = HttpSettings {
        base_url: service.base_url.clone(),
        key: service.key.as_ref().map(field).transpose()?,
        extra_roots,
        idle_connections: usize::try_from(service.in_flight).unwrap_or(usize::MAX),
    };
    HttpTransport::new(settings, clock.clone())
        .map_err(|error| StartError::DataService { reason: error.to_string() })
}

/// The key as the header field that carries it.
fn field(source: &SecretSource) -> Result<HeaderValue, StartError> {
    let key = key(source).map_err(unusable)?;
    // Every source is checked for what a header takes.
    HeaderValue::from_str(key.expose())
        .map_err(|_| StartError::DataService { reason: "the key is none".to_owned() })
}

/// The certificates to trust there beside the machine's own.
pub(super) fn extra_roots(config: &Config) -> Result<Vec<u8>, StartError> {
    source::certificates(config.service.ca_file.as_deref(), "crate.ca_file").map_err(unusable)
}

/// What the service knows this server by.
pub(super) fn key(source: &SecretSource) -> Result<Secret, Wrong> {
    source::secret(
        source,
        "crate.key",
        is_key,
        "a file with one key as the service issued it, and nothing else",
    )
}

fn unusable(wrong: Wrong) -> StartError {
    StartError::DataService { reason: wrong.to_string() }
}

/// How the real service is asked.
pub(super) fn settings(config: &Config) -> ClientSettings {
    let service = &config.service;
    let lifetime = |family| {
        let kept = &service.lifetimes;
        match family {
            Family::Resolve => kept.resolve,
            Family::Artist => kept.artist,
            Family::Search => kept.search,
            Family::Tracks => kept.tracks,
            Family::Label => kept.label,
            Family::Similar => kept.similar,
            Family::Gigs => kept.gigs,
            Family::Lists => kept.lists,
            Family::Aura => kept.aura,
        }
    };
    let wanted = |extension| {
        let switches = &service.switches;
        match extension {
            Extension::Similar => switches.similar,
            Extension::Gigs => switches.gigs,
            Extension::SearchCursor => switches.search_cursor,
            Extension::SameNameClusters => switches.same_name_clusters,
        }
    };
    ClientSettings {
        call_deadline: config.deadlines.call,
        plan: Some(Plan {
            in_flight: service.in_flight,
            per_minute: service.per_minute,
            per_month: service.per_month,
        }),
        cache: CacheLimits {
            max_bytes: service.cache_bytes,
            lifetimes: Family::ALL.map(|family| (family, lifetime(family))).into_iter().collect(),
        },
        extensions: Extension::ALL.map(|extension| (extension, switch(wanted(extension)))).to_vec(),
    }
}

/// The demo catalogue: no plan, nothing worth keeping, and of the newer parts those that it has.
pub(super) fn demo_settings(config: &Config) -> ClientSettings {
    ClientSettings {
        extensions: vec![(Extension::Gigs, Switch::On), (Extension::SameNameClusters, Switch::On)],
        ..ClientSettings::plain(config.deadlines.call)
    }
}

fn switch(wanted: Wanted) -> Switch {
    match wanted {
        Wanted::On => Switch::On,
        Wanted::Off => Switch::Off,
        Wanted::Auto => Switch::Auto,
    }
}

/// Finds out which newer parts a real service has, until it has said so once. Never ends, and never keeps
/// anything from starting.
pub(super) async fn look(is_demo: bool, parts: Arc<Parts>) {
    if !is_demo {
        let mut waits = LOOK_AGAIN_AFTER.into_iter();
        while let Err(fault) = parts.client.look_for_extensions().await {
            let wait = waits.next().unwrap_or(Duration::from_secs(3_600));
            tracing::info!(%fault, retry_s = wait.as_secs(), "the data service did not say what it has");
            tokio::time::sleep(wait).await;
        }
    }
    std::future::pending().await
}
