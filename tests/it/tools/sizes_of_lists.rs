//! What lists cost their reader when the service has plenty of rows with long names.

use std::sync::Arc;

use ono_sendai::crate_client::Extension;
use serde_json::{Value, json};
use tiktoken_rs::o200k_base_singleton;

use super::direct;
use crate::harness::{Direct, Scripted};

/// Real names, long ones among them.
const NAMES: [&str; 8] = [
    "The World Is a Beautiful Place & I Am No Longer Afraid to Die",
    "...And You Will Know Us by the Trail of Dead",
    "Godspeed You! Black Emperor",
    "Clap Your Hands Say Yeah",
    "Sunn O)))",
    "Sigur Rós",
    "Someone Still Loves You Boris Yeltsin",
    "Dave Dee, Dozy, Beaky, Mick & Tich",
];

fn name(n: usize) -> &'static str {
    NAMES[n % NAMES.len()]
}

/// An id as random as the service's.
fn id(n: usize) -> String {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(n as u64 + 1);
    (0..4)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            format!("{:016x}", state ^ (state >> 29))
        })
        .collect()
}

fn rows(count: usize, row: impl Fn(usize) -> Value) -> Vec<Value> {
    (0..count).map(row).collect()
}

/// A service whose every list is full.
fn plenty() -> Direct {
    let breakouts = rows(51, |n| {
        json!({"discogsArtistId": 1_000_000 + n, "clusterId": id(n),
        "resolvedVia": "discogs", "name": name(n), "slug": "s", "emergenceTier": "breakout",
        "emergenceScore": 0.8512, "pressCount": 20 + n, "corroboration": "booking_ahead",
        "location": {"city": "Kristiansand", "region": null, "country": "Norway"}})
    });
    let watch = rows(51, |n| {
        json!({"rank": n + 1, "name": name(n), "discogsArtistId": 1_000_000 + n,
        "slug": "s", "emergenceTier": "climbing", "momentumTier": "breakout", "emergenceScore": 0.8512,
        "profile": "festival-pedigree", "cultureForwardFestivals": 12})
    });
    let aura = rows(51, |n| {
        json!({"cluster_id": id(n), "artist_name": name(n), "convergence_dim_count": 5,
        "dimensions": ["booking", "radio", "press", "dj_support", "collectors"], "break_odds": 12.9,
        "first_signal_at": "2025-08-15", "latest_appearance_at": "2026-08-01", "has_break_event": true,
        "break_event_at": "2026-09-01"})
    });
    let gigs = rows(60, |n| {
        json!({"date": format!("2027-{:02}-{:02}", 2 + n / 28, 1 + n % 28),
        "title": format!("{}: The Long Farewell Tour", name(n)), "venue": "Elbphilharmonie, Großer Saal",
        "city": "Hamburg", "country": "Germany", "cancelled": false})
    });
    let facet = |signals: Value| json!({"state": "present", "signals": signals});
    let related = rows(24, |n| {
        json!({"clusterId": id(n), "discogsArtistId": 1_000_000 + n, "mbid": null,
        "name": name(n), "slug": "s", "coEventCount": 124 - n, "coVenueCount": 22})
    });
    let champions = rows(8, |n| json!({"djClusterId": id(n + 100), "playCount": 340, "playEventCount": 33}));
    let dossier = json!({
        "slug": "x", "identity": {"name": name(0), "resolvedVia": "discogs", "discogsArtistId": 999,
            "clusterId": id(999)},
        "connections": facet(json!({"count": 24, "related": related})),
        "dj_champion": facet(json!({"topChampions": champions})),
    });
    let festivals = rows(50, |n| {
        json!({"cluster_id_hex": id(999), "co_cluster_id_hex": id(n),
        "co_edition_count": 15, "co_festival_count": 12, "co_artist_name_display": name(n),
        "co_resolved_discogs_artist_id": 1_000_000 + n, "co_resolved_mbid": null})
    });
    let radio =
        rows(50, |n| json!({"co_cluster_id_hex": id(n + 10), "co_play_count": 77, "distinct_stations": 13}));
    let list = |name: &str, rows: Vec<Value>| json!({"state": "present", name: rows}).to_string();
    let service = Scripted::catalogue()
        .says("/api/v2/breakouts", 200, list("items", breakouts))
        .says("/api/v2/tastemakers/ones-to-watch", 200, list("onesToWatch", watch))
        .says("/api/v2/aura", 200, list("items", aura))
        .says("/api/v2/artist/x", 200, dossier.to_string())
        .says("/api/v2/artist/x/gigs", 200, list("gigs", gigs))
        .says("/api/v2/surface/seen.artist_festival_co_appearance", 200, list("rows", festivals))
        .says("/api/v2/surface/seen.radio_co_play", 200, list("rows", radio));
    Direct::over(Arc::new(service), &[Extension::Gigs])
}

#[test]
fn full_lists_with_long_names_fit_their_budgets() {
    let plenty = plenty();
    let mut over = Vec::new();
    // Rows that are all full and have the longest names are rarer than one answer in twenty: two tools may be a
    // little above what 95 of 100 answers keep.
    for (tool, arguments, usual, most) in [
        ("list_breakouts", json!({}), 1_500, 50),
        ("list_ones_to_watch", json!({}), 1_500, 50),
        ("get_aura", json!({}), 1_600, 50),
        ("find_similar_artists", json!({"key": "x"}), 1_750, 25),
        ("get_upcoming_gigs", json!({"key": "x"}), 1_500, 50),
    ] {
        for (limit, budget) in [(None, usual), (Some(most), 4_000)] {
            let mut arguments = arguments.clone();
            arguments["limit"] = json!(limit);
            let answer = direct(&plenty, tool, arguments);
            assert!(!answer.is_error, "{}", answer.text);
            let counted = [&answer.text, &answer.raw]
                .map(|text| o200k_base_singleton().encode_ordinary(text).len())
                .iter()
                .sum::<usize>();
            let estimate = answer.json["meta"]["tokens_estimate"].as_f64().expect("a number");
            #[expect(clippy::cast_precision_loss, reason = "a few thousand at most")]
            let ratio = estimate / counted as f64;
            println!("{tool} {limit:?}: {counted} tokens of {budget}, estimate {ratio:.3}");
            if counted > budget || !(0.9..=1.1).contains(&ratio) {
                over.push(format!("{tool} {limit:?}: {counted} of {budget}, estimate {ratio:.3}"));
            }
            assert_eq!(answer.json["meta"]["truncated"], false);
        }
    }
    assert!(over.is_empty(), "{over:#?}");
}
