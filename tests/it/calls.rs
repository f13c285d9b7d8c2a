//! Calls of every tool, as many as are wanted, each different from the last but the same in every run.

use serde_json::{Value, json};

use crate::harness::artists;

/// Call number `n` of a tool.
pub fn call(tool: &str, n: usize) -> Value {
    let all = artists();
    let artist = &all[n % all.len()];
    let round = n / all.len();
    let cluster = artist.cluster_id.clone().unwrap_or_else(|| "a".repeat(64));
    // A service that answers at random hardly ever has the cluster that was asked for, and is not believed then.
    let key = if n % 6 == 5 { cluster.clone() } else { artist.slug.clone() };
    let pick = |words: &[&str]| words[n % words.len()].to_owned();
    match tool {
        "resolve_artist" => match n % 8 {
            0 | 1 => json!({"q": artist.name}),
            2 => json!({"q": format!("{} {round}", artist.name)}),
            3 => json!({"cluster_id": cluster}),
            4 => json!({"discogs_id": artist.discogs.first().copied().unwrap_or(45)}),
            5 => {
                json!({"mbid": artist.mbid.clone().unwrap_or_else(|| "3bcff06f-675a-451f-9075-99e8657047e8".to_owned())})
            }
            6 => {
                json!({"url": format!("https://www.discogs.com/artist/{}", artist.discogs.first().unwrap_or(&45))})
            }
            _ if n.is_multiple_of(16) => json!({"isrc": "GBBQY0300123"}),
            _ => json!({"artist": artist.name, "track": pick(&["Vasastaden", "1882", "Intro"])}),
        },
        "get_artist" => {
            let include: &[&str] = [&[][..], &["similar"], &[], &["similar", "gigs"]][n % 4];
            json!({"key": key, "view": pick(&["summary", "standard", "full"]), "include": include})
        }
        "search_catalog" => match n % 4 {
            0 => json!({"q": artist.name}),
            1 => json!({"q": pick(&["stockholm", "a", "the"]), "limit": 1 + n % 30}),
            2 => {
                json!({"genre": pick(&["Electronic", "Rock", "Jazz"]), "year_from": 1950 + n % 40, "year_to": 2005})
            }
            _ => {
                json!({"label": pick(&["Svek", "Warp"]), "country": "Sweden", "style": "Techno", "format": "Vinyl", "limit": 1 + n % 30})
            }
        },
        "find_tracks" => match n % 3 {
            0 => json!({"title": pick(&["Vasastaden", "Intro", "1882"]), "limit": 1 + n % 25}),
            1 => json!({"title": pick(&["the", "love", "stock"]), "fuzzy": true, "limit": 1 + n % 25}),
            _ => json!({"artist": artist.name, "track": pick(&["Vasastaden", "1882"])}),
        },
        "get_label" => match n % 10 {
            0..5 => json!({"key": pick(&["svek", "warp-records", "columbia", "no-such-label", "tresor"])}),
            _ => json!({"key": format!("no-such-label-{n}")}),
        },
        "find_similar_artists" | "get_upcoming_gigs" => json!({"key": key, "limit": 1 + n % 25}),
        "list_breakouts" => match n % 3 {
            _ if n == 0 => json!({}),
            // Never the limit of a call that names none: that would be the same call.
            0 => json!({"limit": 9 + n % 42}),
            1 => json!({"tier": pick(&["breakout", "rising"]), "limit": 1 + n % 50}),
            _ => json!({"corroboration": pick(&["corroborated", "booking_ahead"]), "limit": 1 + n % 50}),
        },
        "list_ones_to_watch" => json!({"limit": 1 + n % 25}),
        "get_aura" if n % 4 != 3 => json!({"limit": 1 + n % 40}),
        "get_aura" => json!({"cluster_id": cluster}),
        "get_profile" | "get_usage" => json!({}),
        other => panic!("say here how {other} is called"),
    }
}
