//! Where each value of an answer comes from, and whether it is there.
//!
//! A row of a list need not have the place in the answer that it had at the service, since what cannot be read is
//! left out; so any row of the service's list will do.

use ono_sendai::identity::display_name;
use ono_sendai::model::text::CleanName;
use serde_json::{Value, json};

use crate::recorder::Exchange;

/// Where a value comes from.
#[derive(Clone, Copy, Debug)]
enum From {
    /// From this place of an answer; `*` is any step.
    Said(&'static str, Read),
    /// The server makes it.
    Made,
}

/// What happens to a value on its way.
#[derive(Clone, Copy, Debug)]
enum Read {
    /// Nothing.
    Same,
    /// Text is cleaned of what cannot be seen, and cut.
    Name,
    /// As a name, without the number of Discogs.
    ShownName,
    /// In small letters.
    Lower,
    /// The year of a date.
    Year,
    /// The day of a time.
    Day,
    /// A link that a page's handle or address is in.
    Link,
    /// How sure it is, which may be less than was said.
    Tier,
}

struct Row {
    tool: &'static str,
    /// The path that was asked; `*` is any step.
    endpoint: &'static str,
    /// The place under `data`; `*` is any step.
    data: &'static str,
    from: From,
}

const RESOLVE: &str = "/api/v2/resolve";
const ARTIST: &str = "/api/v2/artist/*";

macro_rules! rows {
    ($($tool:literal $endpoint:ident { $($data:literal: $from:expr,)* })*) => {
        &[$($(Row { tool: $tool, endpoint: $endpoint, data: $data, from: $from },)*)*]
    };
}

const MADE: From = From::Made;

const fn said(place: &'static str) -> From {
    From::Said(place, Read::Same)
}

const fn read(place: &'static str, read: Read) -> From {
    From::Said(place, read)
}

const ROWS: &[Row] = rows! {
    "resolve_artist" RESOLVE {
        "/cluster_id": said("/cluster_id"),
        "/slug": read("/slug", Read::Lower),
        "/name": read("/display", Read::ShownName),
        "/resolved_via": read("/resolved_via", Read::Tier),
        "/discogs_id": said("/locators/discogs"),
        "/mbid": said("/locators/mbid"),
        "/links/*/url": read("/locators/*/*", Read::Link),
        "/links/*/handle": said("/locators/*/*"),
        "/links/*/site": MADE,
        "/links_total": MADE,
    }
    "get_artist" ARTIST {
        "/cluster_id": said("/identity/clusterId"),
        "/slug": read("/slug", Read::Lower),
        "/name": read("/identity/name", Read::ShownName),
        "/resolved_via": read("/identity/resolvedVia", Read::Tier),
        "/discogs_id": said("/identity/discogsArtistId"),
        "/mbid": said("/facts/signals/mbid"),
        "/mbid": said("/debut/signals/artistMbid"),
        "/real_name/name": read("/identity/realname", Read::Name),
        "/aliases/names/*": read("/identity/aliases/*", Read::ShownName),
        "/aliases/total": MADE,
        "/origin/city": read("/facts/signals/originCity", Read::Name),
        "/origin/country": read("/facts/signals/originCountry", Read::Name),
        "/debut/year": read("/debut/signals/firstReleaseDate", Read::Year),
        "/genre/primary": read("/behavioral/signals/primaryGenre", Read::Name),
        "/genre/styles/*": read("/behavioral/signals/primaryStyles/*", Read::ShownName),
        "/discography/total": said("/discography/signals/total"),
        "/discography/shown": MADE,
        "/discography/truncated": MADE,
        "/discography/releases/*/master_id": said("/discography/signals/entries/*/discogsMasterId"),
        "/discography/releases/*/title": read("/discography/signals/entries/*/representativeName", Read::Name),
        "/emergence/tier": read("/emergence/signals/emergenceTier", Read::Name),
        "/emergence/momentum": read("/emergence/signals/momentumTier", Read::Name),
        "/pages/links/*/url": read("/web_presence/signals/*", Read::Link),
        "/pages/links/*/handle": read("/web_presence/signals/*", Read::Link),
        "/pages/links/*/site": MADE,
        "/pages/total": MADE,
        "/scene/city": read("/geography/signals/city", Read::Name),
        "/scene/region": read("/geography/signals/region", Read::Name),
        "/scene/country": read("/geography/signals/country", Read::Name),
        "/stage/club_events": said("/tier_presence/signals/clubEvents"),
        "/stage/festival_editions": said("/tier_presence/signals/festivalEditions"),
        "/stage/first_club": read("/tier_presence/signals/firstClubAt", Read::Day),
        "/stage/last_club": read("/tier_presence/signals/lastClubAt", Read::Day),
        "/stage/first_festival": read("/tier_presence/signals/firstFestivalAt", Read::Day),
        "/stage/last_festival": read("/tier_presence/signals/lastFestivalAt", Read::Day),
        "/radio/plays": said("/airplay_breadth/signals/airplayCount"),
        "/radio/stations": said("/airplay_breadth/signals/distinctStations"),
        "/radio/first": read("/airplay_breadth/signals/firstAirplayDate", Read::Day),
        "/radio/latest": read("/airplay_breadth/signals/latestAirplayDate", Read::Day),
        "/press/articles": said("/journalism/signals/pressCount"),
        "/press/reviews": said("/journalism/signals/reviewCount"),
        "/press/interviews": said("/journalism/signals/interviewCount"),
        "/press/features": said("/journalism/signals/featureCount"),
        "/life/born": read("/facts/signals/birthDate", Read::Day),
        "/life/died": read("/facts/signals/deathDate", Read::Day),
        "/record_labels/names/*": read("/facts/signals/recordLabels/*", Read::ShownName),
        "/record_labels/total": MADE,
        "/works/written": said("/authorship/signals/worksWritten"),
        "/works/recordings": said("/authorship/signals/recordingsOfWorks"),
        "/*/present": MADE,
        "/*/reason": MADE,
    }
};

/// The values under `data` that no row explains.
pub fn strangers(tool: &str, data: &Value, said: &[Exchange]) -> Vec<String> {
    let mut leaves = Vec::new();
    scalars(data, String::new(), &mut leaves);
    // What is not there needs no place.
    leaves.retain(|(_, value)| !value.is_null());
    let unexplained = leaves.into_iter().filter(|(place, value)| !is_explained(tool, place, value, said));
    unexplained.map(|(place, value)| format!("{place} = {value} was not said")).collect()
}

fn is_explained(tool: &str, place: &str, value: &Value, said: &[Exchange]) -> bool {
    let rows = ROWS.iter().filter(|row| row.tool == tool && fits(row.data, place));
    rows.into_iter().any(|row| match row.from {
        From::Made => true,
        From::Said(from, reading) => said
            .iter()
            .filter(|exchange| fits(row.endpoint, &exchange.path()))
            .any(|exchange| values(&exchange.body, from).iter().any(|said| reads_as(said, reading, value))),
    })
}

fn fits(pattern: &str, path: &str) -> bool {
    let (pattern, path): (Vec<&str>, Vec<&str>) = (pattern.split('/').collect(), path.split('/').collect());
    pattern.len() == path.len()
        && pattern.iter().zip(&path).all(|(wanted, step)| *wanted == "*" || wanted == step)
}

/// Every value at a place.
fn values<'v>(body: &'v Value, place: &str) -> Vec<&'v Value> {
    place.split('/').skip(1).fold(vec![body], |found, step| {
        let below = |value: &'v Value| -> Vec<&'v Value> {
            match value {
                Value::Object(map) if step == "*" => map.values().collect(),
                Value::Array(list) if step == "*" => list.iter().collect(),
                value => value.get(step).into_iter().collect(),
            }
        };
        found.into_iter().flat_map(below).collect()
    })
}

/// Whether what was said is shown as `value`.
fn reads_as(said: &Value, reading: Read, value: &Value) -> bool {
    let text = said.as_str();
    let clean = |text: &str| CleanName::new(text).is_some_and(|name| json!(name) == *value);
    match reading {
        Read::Same => said == value,
        Read::Name => text.is_some_and(clean),
        Read::ShownName => text.is_some_and(|text| clean(display_name(text))),
        Read::Lower => text.is_some_and(|text| json!(text.to_lowercase()) == *value),
        Read::Year => text
            .and_then(|text| text.get(..4)?.parse::<u64>().ok())
            .is_some_and(|year| value.as_u64() == Some(year)),
        Read::Day => text.zip(value.as_str()).is_some_and(|(said, shown)| said.starts_with(shown)),
        Read::Link => text.zip(value.as_str()).is_some_and(|(said, shown)| {
            !said.is_empty() && (shown.contains(said) || said.contains(shown) || same_page(said, shown))
        }),
        Read::Tier => said == value || (value == "cluster" && text.is_some()),
    }
}

/// Whether two addresses differ only in how they are written.
fn same_page(said: &str, shown: &str) -> bool {
    let read = |text: &str| url::Url::parse(text).ok().map(|url| url.to_string());
    read(said).is_some_and(|said| read(shown).is_some_and(|shown| said == shown))
}

fn scalars(value: &Value, place: String, found: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                scalars(value, format!("{place}/{key}"), found);
            }
        }
        Value::Array(list) => {
            for (at, value) in list.iter().enumerate() {
                scalars(value, format!("{place}/{at}"), found);
            }
        }
        scalar => found.push((place, scalar.clone())),
    }
}

#[test]
fn a_value_that_nobody_said_is_found_out() {
    let exchange = |body: Value| Exchange {
        method: "get".to_owned(),
        target: "/api/v2/artist/x?fields=a".to_owned(),
        status: 200,
        body,
    };
    let said = [exchange(json!({
        "slug": "x", "identity": {"name": "X (2)", "aliases": ["A", 5, "B"], "realname": null},
        "discography": {"signals": {"total": 7}},
        "debut": {"signals": {"firstReleaseDate": "1991-05-01"}},
    }))];
    let honest = json!({
        "name": "X", "slug": "x", "aliases": {"present": true, "names": ["A", "B"], "total": 3},
        "debut": {"present": true, "year": 1991}, "discography": {"present": true, "total": 7},
        "real_name": {"present": false, "reason": "honest_gap"}, "mbid": null,
    });
    assert_eq!(strangers("get_artist", &honest, &said), [""; 0]);
    for (wrong, place) in [
        (json!({"name": "Y"}), "/name"),
        (json!({"aliases": {"names": ["C"]}}), "/aliases/names/0"),
        (json!({"debut": {"year": 1992}}), "/debut/year"),
        (json!({"discography": {"total": 8}}), "/discography/total"),
        (json!({"real_name": {"name": "X"}}), "/real_name/name"),
        (json!({"mood": "blue"}), "/mood"),
    ] {
        let found = strangers("get_artist", &wrong, &said);
        assert!(found.len() == 1 && found[0].starts_with(place), "{wrong}: {found:?}");
    }
    assert_eq!(strangers("resolve_artist", &json!({"name": "X"}), &said).len(), 1, "said by another path");
}
