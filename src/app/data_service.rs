//! The data service as the configuration describes it, and what is asked of it before anybody calls.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use http::HeaderValue;

use super::start::StartError;
use crate::clock::Clock;
use crate::config::{Config, CrateKey, Switch as Wanted, is_key};
use crate::crate_client::cache::CacheLimits;
use crate::crate_client::http::{HttpSettings, HttpSetupError, HttpTransport};
use crate::crate_client::pacing::Plan;
use crate::crate_client::{ClientSettings, Extension, Switch};
use crate::model::family::Family;
use crate::pipeline::Parts;
use crate::small_file;

/// No key is longer.
const KEY_FILE_MAX_BYTES: u64 = 4_096;
/// More than every certificate of a machine.
const CERTIFICATES_MAX_BYTES: u64 = 16 * 1024 * 1024;
/// Nobody but the owner may write a key file, and nobody but owner and group may read it.
const OTHERS: u32 = 0o027;
/// How long to wait before a service that did not say what it has is asked again.
const LOOK_AGAIN_AFTER: [Duration; 4] =
    [Duration::from_secs(5), Duration::from_secs(30), Duration::from_secs(120), Duration::from_secs(600)];

/// The real service.
pub(super) fn transport(config: &Config, clock: &Clock) -> Result<HttpTransport, StartError> {
    let service = &config.service;
    let extra_roots = extra_roots(config)?;
    let settings = HttpSettings {
        base_url: service.base_url.clone(),
        key: service.key.as_ref().map(key).transpose()?,
        extra_roots,
        idle_connections: usize::try_from(service.in_flight).unwrap_or(usize::MAX),
    };
    HttpTransport::new(settings, clock.clone()).map_err(|error| match (error, &service.ca_file) {
        (error @ HttpSetupError::ExtraRoots, Some(file)) => {
            unusable("[crate] ca_file", file, &error.to_string())
        }
        (error, _) => StartError::DataService { reason: error.to_string() },
    })
}

/// The certificates to trust there beside the machine's own.
pub(super) fn extra_roots(config: &Config) -> Result<Vec<u8>, StartError> {
    config.service.ca_file.as_ref().map_or(Ok(Vec::new()), |file| {
        small_file::read(file, CERTIFICATES_MAX_BYTES)
            .map_err(|error| unusable("[crate] ca_file", file, &format!("cannot be read: {error}")))
    })
}

fn key(key: &CrateKey) -> Result<HeaderValue, StartError> {
    let text = match key {
        CrateKey::Value(secret) => secret.expose().to_owned(),
        CrateKey::File(file) => key_of(file)?,
    };
    // Both sources were checked for what a header takes.
    HeaderValue::from_str(&text).map_err(|_| StartError::DataService { reason: "the key is none".to_owned() })
}

fn key_of(file: &Path) -> Result<String, StartError> {
    let read =
        |error: std::io::Error| unusable("[crate] key_file", file, &format!("cannot be read: {error}"));
    let text = small_file::read_text(file, KEY_FILE_MAX_BYTES).map_err(read)?;
    let mode = std::fs::metadata(file).map_err(read)?.mode() & 0o777;
    if mode & OTHERS != 0 {
        let reason = format!("is open to others (mode {mode:04o}); run chmod 600 on it");
        return Err(unusable("[crate] key_file", file, &reason));
    }
    let text = text.trim();
    if !is_key(text) {
        return Err(unusable("[crate] key_file", file, "holds something that is not one key"));
    }
    Ok(text.to_owned())
}

fn unusable(setting: &str, file: &Path, reason: &str) -> StartError {
    let reason = match small_file::shown(file) {
        Some(file) => format!("{file} {reason}"),
        None => format!("{setting} is not a readable file"),
    };
    StartError::DataService { reason }
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

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn with_mode(name: &str, text: &str, mode: u32) -> std::path::PathBuf {
        let file = std::env::temp_dir().join(format!("ono-sendai-{name}-{}", std::process::id()));
        std::fs::write(&file, text).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        file
    }

    #[test]
    fn a_key_file_is_read_only_when_nobody_else_can() {
        for (mode, good) in [(0o600, true), (0o400, true), (0o640, true), (0o644, false), (0o660, false)] {
            let file = with_mode("key-mode", "ck_test_0123\n", mode);
            let read = key_of(&file);
            assert_eq!(read.is_ok(), good, "{mode:o}");
            match read {
                Ok(key) => assert_eq!(key, "ck_test_0123"),
                Err(error) => assert!(error.to_string().contains("chmod 600"), "{error}"),
            }
            std::fs::remove_file(file).unwrap();
        }
    }

    #[test]
    fn a_key_in_the_place_of_its_file_is_not_shown() {
        let error = key_of(Path::new("ck_live_0123456789abcdef")).unwrap_err().to_string();
        assert!(error.contains("[crate] key_file is not a readable file"), "{error}");
        assert!(!error.contains("0123"), "{error}");
    }

    #[test]
    fn what_is_not_one_key_is_refused_without_being_shown() {
        for text in ["", " \n", "ck_a ck_b", "ck_a\nck_b", "schlüssel"] {
            let file = with_mode("no-key", text, 0o600);
            let error = key_of(&file).unwrap_err().to_string();
            assert!(error.contains("not one key") && !error.contains("ck_a"), "{error}");
            std::fs::remove_file(file).unwrap();
        }
    }
}
