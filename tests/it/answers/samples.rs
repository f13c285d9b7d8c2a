//! Full answers of the data service: every field that is read holds a value.

use serde_json::{Value, json};

/// An id in the service's form.
pub fn cluster(n: u32) -> String {
    format!("{n:064x}")
}

/// Of `/api/v2/tracks`.
pub fn tracks() -> Value {
    let row = |n: u32, artist: &str, releases: u32, recordings: u32| {
        json!({
            "artistCredit": artist, "clusterId": cluster(n), "releases": releases, "recordings": recordings,
            "sources": ["mb"], "_links": {"artist": "/api/v2/artist/x", "artist_dossier": "/api/v2/dossier/artist/x"},
        })
    };
    json!({
        "state": "ok", "source": "mb", "mode": "exact", "titleQuery": "echo of the question",
        "normalized": "echoofthequestion", "truncated": true, "count": 3,
        "results": [row(1, "First", 40, 3), row(2, "Second (2)", 7, 2), row(3, "Third", 1, 1)],
    })
}

/// Of `/api/v2/search`, by a service without cursors.
pub fn search() -> Value {
    let row = |n: u32, title: &str, artist: &str, year: u32| {
        json!({
            "master_id": n, "title": title, "artist": artist, "year": year, "cube_quadrant": "101", "owner_count": 4321,
            "dj_count": 12, "critic_count": 8, "formats": ["Vinyl", "CD"], "link_to_cube": "/cube/x",
            "artist_cluster_id": cluster(n),
        })
    };
    json!({
        "query": {"q": "echo of the question", "filters": []},
        "pagination": {"page": 1, "total_pages": 1, "total_results": 3, "total_results_mode": "exact"},
        "facets": {}, "freshness": {"ridden_lag_s": 18, "mirror_lag_s": 18},
        "results": [row(101, "First Record", "First", 1992), row(102, "Second Record", "Second (2)", 1993),
            row(103, "Third Record", "Third", 1995)],
    })
}

/// Of `/api/v2/resolve`.
pub fn resolution() -> Value {
    json!({
        "cluster_id": cluster(7), "slug": "somebody", "display": "Somebody", "resolved_via": "discogs",
        "resolved_from": "artist_track",
        "locators": {
            "discogs": 45, "mbid": "f22942a1-6f70-4f48-866e-238cb2308fbd",
            "bandcamp": ["https://somebody.bandcamp.com"], "soundcloud": ["somebody-sc"], "instagram": ["somebody.ig"],
            "spotify": ["https://open.spotify.com/artist/6kBDZFXuLrZgHnvmPu9NsG"], "youtube": ["somebody-yt"],
            "website": ["https://somebody.example/"],
        },
        "candidates": [],
    })
}

/// Of `/api/v2/artist/{key}`.
pub fn dossier() -> Value {
    json!({
        "slug": "somebody",
        "identity": {
            "discogsArtistId": 45, "clusterId": cluster(7), "resolvedVia": "discogs", "name": "Somebody",
            "realname": "Some Body", "profile": "A biography by others.", "aliases": ["Another", "One More (3)"],
        },
        "behavioral": {"state": "present", "signals": {"primaryGenre": "Electronic", "primaryStyles": ["IDM", "Ambient"]}},
        "emergence": {"state": "present", "signals": {"emergenceTier": "established", "momentumTier": "rising"}},
        "discography": {"state": "present", "signals": {
            "total": 9, "overMerge": {"discogsArtistIdCount": 1},
            "entries": [
                {"discogsMasterId": 565, "representativeName": "First Record"},
                {"discogsMasterId": 566, "representativeName": "Second Record"},
            ],
        }},
        "debut": {"state": "present", "signals": {
            "firstReleaseDate": "2010-01-01", "artistMbid": "f22942a1-6f70-4f48-866e-238cb2308fbd",
        }},
        "facts": {"state": "present", "signals": {
            "mbid": "f22942a1-6f70-4f48-866e-238cb2308fbd", "originCity": "Limerick", "originCountry": "Ireland",
            "birthDate": "2001-03-04", "deathDate": "2021-05-06",
        }},
        "geography": {"state": "present", "signals": {"city": "Cork", "region": "Munster", "country": "Eire"}},
        "tier_presence": {"state": "present", "signals": {
            "clubEvents": 120, "festivalEditions": 30, "firstClubAt": "2011-04-01T00:00:00.000Z",
            "lastClubAt": "2021-02-03", "firstFestivalAt": "2013-06-07", "lastFestivalAt": "2021-08-09",
        }},
        "journalism": {"state": "present", "signals": {
            "pressCount": 50, "reviewCount": 20, "interviewCount": 10, "featureCount": 5,
        }},
    })
}

/// Of `/api/v2/artist/{key}/gigs`, which newer services have.
pub fn gigs() -> Value {
    json!({
        "state": "present", "cluster_id": cluster(7),
        "gigs": [{
            "date": "2031-05-06", "title": "A Night", "venue": "A Hall", "city": "Cork", "country": "Ireland",
            "cancelled": false,
        }],
    })
}

/// Of `/api/v2/aura/{key}`.
pub fn aura() -> Value {
    json!({
        "present": true, "state": "present",
        "aura": {
            "cluster_id": cluster(7), "artist_name": "Somebody", "convergence_dim_count": 1,
            "dimensions": ["booking"], "break_odds": 12.5, "first_signal_at": "2015-08-15",
            "latest_appearance_at": "2021-08-01", "has_break_event": true, "break_event_at": "2016-09-01",
        },
    })
}

/// Of `/api/v2/label/{key}`.
pub fn label() -> Value {
    let related = |n: u32, name: &str, npmi: f64| {
        json!({
            "clusterId": cluster(n), "labelName": name, "npmi": npmi, "support": 5 + n,
            "_links": {"label": "/api/v2/label/x"},
        })
    };
    json!({
        "contract_version": "2.47.0", "grain": "label", "slug": "some-label", "display": "Some Label", "id": 23528,
        "cluster_id": cluster(8), "resolved_via": "discogs",
        "identity": {
            "discogsLabelId": 23528, "name": "Some Label", "parentLabel": "Parent Label",
            "profile": "A text about the label by others.",
            "urls": ["https://label.example/", "https://shop.example/label"],
        },
        "binds": {
            "discogs_label_id": 23528, "label_mbid": "46f0f4cd-8aab-4b33-b698-f459faf64190",
            "bandcamp_url": "https://label.bandcamp.com",
        },
        "presence": {"has_discogs": true, "has_bandcamp": true, "has_seen_momentum": true, "has_editorial": false},
        "over_merge": null,
        "behavioral": {"state": "honest_gap", "signals": null},
        "travels": {"state": "present", "related": [related(1, "Near Label", 0.42), related(2, "Far Label", 0.125)]},
        "dj_momentum": {"state": "present", "signals": {
            "playCount": 562, "distinctDjs": 80, "distinctArtists": 31, "distinctTracklists": 200,
            "firstPlayedAt": "2001-04-05T22:00:00.000Z", "lastPlayedAt": "2026-11-20", "playsLast365d": 342,
            "velocity": 0.608_540_925,
        }},
        "provenance": [], "generated_at": "2026-11-30T00:00:00.000Z",
    })
}

/// Of `/api/v2/artist/{key}`, with the facets that tell of others: no two of its values are alike.
pub fn surroundings() -> Value {
    let mut body = dossier();
    let related = |n: u32, name: &str, count: u32| {
        json!({
            "clusterId": cluster(n), "discogsArtistId": 9_000 + n, "mbid": null, "name": name, "slug": "x",
            "coEventCount": count, "coVenueCount": 2,
        })
    };
    let champion =
        |n: u32, plays: u32| json!({"djClusterId": cluster(n), "playCount": plays, "playEventCount": 1});
    let credit = |id: Value, discogs: u32, name: &str, count: u32| {
        json!({
            "clusterId": id, "discogsArtistId": discogs, "mbid": null, "name": name, "role": "composer@1",
            "count": count,
        })
    };
    let mut nameless = credit(json!(null), 9_061, "Unbound Writer", 401);
    nameless["mbid"] = json!("d87e52c5-bb8d-4da8-b941-9f4928627dc8");
    let present = |signals: Value| json!({"state": "present", "signals": signals});
    body["connections"] = present(json!({"count": 3, "related": [
        related(21, "Booked One", 955), related(22, "Booked Two", 815), related(23, "Booked Three", 665)]}));
    body["dj_champion"] = present(json!({"topChampions": [champion(21, 445), champion(31, 345)]}));
    body["credits"] = present(json!({
        "writing": [nameless, credit(json!(cluster(41)), 9_041, "Bound Writer", 155)],
        "production": [credit(json!(cluster(41)), 9_041, "Bound Writer", 135),
            credit(json!(cluster(42)), 9_042, "Engineer", 115)],
    }));
    body
}

/// Of the list of everyone beside an artist, of a service that has all axes in one.
pub fn similar() -> Value {
    let row = |n: u32, id: Value, name: &str, mbid: &str, counts: [u32; 6]| {
        let [events, editions, radio, plays, works, recordings] = counts;
        json!({
            "cluster_id": id, "name": name, "discogs_id": 9_000 + n, "mbid": mbid,
            "axes": {
                "co_booking": {"events": events, "venues": 2}, "festivals": {"editions": editions},
                "radio": {"plays": radio}, "dj_champions": {"plays": plays},
                "credits": {"works": works, "recordings": recordings},
            },
        })
    };
    json!({"state": "present", "cluster_id": cluster(7), "similar": [
        row(71, json!(cluster(71)), "Beside One", "10adbe5e-a2c0-4bf3-8249-2b4cbf6e6ca8", [951, 851, 751, 651, 551, 451]),
        row(72, json!(cluster(72)), "Beside Two", "20adbe5e-a2c0-4bf3-8249-2b4cbf6e6ca8", [812, 712, 612, 512, 412, 312]),
        row(73, json!(null), "Beside Three", "30adbe5e-a2c0-4bf3-8249-2b4cbf6e6ca8", [663, 563, 463, 363, 263, 163]),
    ]})
}

/// Of the surface of festivals in common.
pub fn festivals() -> Value {
    let row = |n: u32, name: &str, editions: u32| {
        json!({
            "cluster_id_hex": cluster(7), "co_cluster_id_hex": cluster(n), "co_edition_count": editions,
            "co_festival_count": 1, "co_artist_name_display": name, "co_resolved_discogs_artist_id": 9_000 + n,
            "co_resolved_mbid": null,
        })
    };
    json!({"present": true, "state": "present", "rows": [row(22, "Booked Two", 575), row(51, "Festival One", 525)]})
}

/// Of the surface of radio plays in common.
pub fn radio() -> Value {
    let row = |n: u32, plays: u32| json!({"co_cluster_id_hex": cluster(n), "co_play_count": plays, "distinct_stations": 1});
    json!({"present": true, "state": "present", "rows": [row(21, 375), row(23, 275)]})
}

/// Of `/api/v2/breakouts`.
pub fn breakouts() -> Value {
    let row = |n: u32, name: &str, tier: &str, score: f64| {
        json!({
            "discogsArtistId": 9_000 + n, "clusterId": cluster(n), "resolvedVia": "discogs", "name": name, "slug": "x",
            "emergenceTier": tier, "emergenceScore": score, "pressCount": 100 + n, "corroboration": "booking_ahead",
            "location": {"city": format!("City {name}"), "region": null, "country": format!("Land {name}")},
        })
    };
    let mut observed = row(63, "Rising Three", "rising", 0.125);
    observed["resolvedVia"] = json!("cluster");
    json!({"state": "present", "items": [row(61, "Rising One", "breakout", 0.875),
        row(62, "Rising Two", "rising", 0.5), observed]})
}

/// Of `/api/v2/tastemakers/ones-to-watch`.
pub fn watched() -> Value {
    let row = |n: u32, name: &str, tier: &str, score: f64| {
        json!({
            "rank": n, "name": name, "discogsArtistId": 9_000 + n, "slug": "x", "emergenceTier": tier,
            "momentumTier": "steady", "emergenceScore": score, "profile": "network-velocity",
            "cultureForwardFestivals": 300 + n,
        })
    };
    json!({"state": "present", "snapshotDate": "2021-10-05", "stale": false, "onesToWatch": [
        row(71, "Watched One", "climbing", 0.875), row(72, "Watched Two", "rising", 0.5)]})
}

/// Of `/api/v2/aura`.
pub fn auras() -> Value {
    let row = |n: u32, name: &str, odds: f64| {
        json!({
            "cluster_id": cluster(n), "artist_name": name, "convergence_dim_count": 2,
            "dimensions": ["booking", "radio"], "break_odds": odds, "first_signal_at": "2015-08-15",
            "latest_appearance_at": "2016-08-01", "has_break_event": true, "break_event_at": "2016-09-01",
        })
    };
    json!({"state": "present", "items": [row(81, "Strong One", 12.5), row(82, "Strong Two", 6.25)]})
}
