//! Reads the parts of a dossier that only the wider views ask for.

use serde::Deserialize;

use super::{WireFacts, name, names, optional_name};
use crate::crate_client::reading::{self, Raw};
use crate::crate_client::resolution::text;
use crate::model::day::RecordedDay;
use crate::model::gap::{Fact, GapReason};
use crate::model::link::{Link, LinkSite};
use crate::model::signals::{Life, Pages, Press, Radio, RecordLabels, Scene, Signals, Stage, Works};

/// The facets that are asked for beside those of the card.
pub(super) const FIELDS: [&str; 6] =
    ["web_presence", "geography", "tier_presence", "airplay_breadth", "journalism", "authorship"];

#[derive(Deserialize)]
pub(super) struct WireSignals<'a> {
    #[serde(borrow, default)]
    web_presence: Raw<'a>,
    #[serde(borrow, default)]
    geography: Raw<'a>,
    #[serde(borrow, default)]
    tier_presence: Raw<'a>,
    #[serde(borrow, default)]
    airplay_breadth: Raw<'a>,
    #[serde(borrow, default)]
    journalism: Raw<'a>,
    #[serde(borrow, default)]
    authorship: Raw<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WirePages<'a> {
    #[serde(borrow, default)]
    bandcamp_url: Raw<'a>,
    #[serde(borrow, default)]
    spotify_url: Raw<'a>,
    #[serde(borrow, default)]
    soundcloud_url: Raw<'a>,
    #[serde(borrow, default)]
    youtube_url: Raw<'a>,
    #[serde(borrow, default)]
    instagram_url: Raw<'a>,
    #[serde(borrow, default)]
    website_url: Raw<'a>,
}

#[derive(Deserialize)]
struct WireScene<'a> {
    #[serde(borrow, default)]
    city: Raw<'a>,
    #[serde(borrow, default)]
    region: Raw<'a>,
    #[serde(borrow, default)]
    country: Raw<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireStage<'a> {
    #[serde(borrow, default)]
    club_events: Raw<'a>,
    #[serde(borrow, default)]
    festival_editions: Raw<'a>,
    #[serde(borrow, default)]
    first_club_at: Raw<'a>,
    #[serde(borrow, default)]
    last_club_at: Raw<'a>,
    #[serde(borrow, default)]
    first_festival_at: Raw<'a>,
    #[serde(borrow, default)]
    last_festival_at: Raw<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireRadio<'a> {
    #[serde(borrow, default)]
    airplay_count: Raw<'a>,
    #[serde(borrow, default)]
    distinct_stations: Raw<'a>,
    #[serde(borrow, default)]
    first_airplay_date: Raw<'a>,
    #[serde(borrow, default)]
    latest_airplay_date: Raw<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WirePress<'a> {
    #[serde(borrow, default)]
    press_count: Raw<'a>,
    #[serde(borrow, default)]
    review_count: Raw<'a>,
    #[serde(borrow, default)]
    interview_count: Raw<'a>,
    #[serde(borrow, default)]
    feature_count: Raw<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireWorks<'a> {
    #[serde(borrow, default)]
    works_written: Raw<'a>,
    #[serde(borrow, default)]
    recordings_of_works: Raw<'a>,
}

/// Reads them; `facts` are those of the card, which hold two of the parts.
pub(super) fn read(wire: &WireSignals<'_>, facts: &Fact<WireFacts<'_>>) -> Signals {
    Signals {
        pages: reading::facet(wire.web_presence).and_then(|found| pages(&found)),
        scene: reading::facet(wire.geography).and_then(|found| scene(&found)),
        stage: reading::facet(wire.tier_presence).and_then(|found| stage(&found)),
        radio: reading::facet(wire.airplay_breadth).and_then(|found| radio(&found)),
        press: reading::facet(wire.journalism).and_then(|found| press(&found)),
        life: facts.as_ref().map_err(|gap| *gap).and_then(life),
        record_labels: facts.as_ref().map_err(|gap| *gap).and_then(record_labels),
        works: reading::facet(wire.authorship).and_then(|found| works(&found)),
    }
}

fn pages(found: &WirePages<'_>) -> Fact<Pages> {
    let places = [
        (LinkSite::Bandcamp, found.bandcamp_url),
        (LinkSite::Spotify, found.spotify_url),
        (LinkSite::SoundCloud, found.soundcloud_url),
        (LinkSite::YouTube, found.youtube_url),
        (LinkSite::Instagram, found.instagram_url),
        (LinkSite::Website, found.website_url),
    ];
    let mut pages = Pages { links: Vec::new(), total: 0 };
    for (site, raw) in places {
        match reading::value::<Raw<'_>>(raw) {
            Err(GapReason::NotCovered | GapReason::HonestGap) => {}
            _ => {
                pages.total += 1;
                pages.links.extend(text(raw).and_then(|place| Link::new(site, &place)));
            }
        }
    }
    match (pages.total, pages.links.is_empty()) {
        (0, _) => Err(GapReason::HonestGap),
        (_, true) => Err(GapReason::MalformedUpstream),
        _ => Ok(pages),
    }
}

fn scene(found: &WireScene<'_>) -> Fact<Scene> {
    let scene = Scene {
        city: optional_name(found.city)?,
        region: optional_name(found.region)?,
        country: optional_name(found.country)?,
    };
    match (&scene.city, &scene.region, &scene.country) {
        (None, None, None) => Err(GapReason::HonestGap),
        _ => Ok(scene),
    }
}

fn stage(found: &WireStage<'_>) -> Fact<Stage> {
    Ok(Stage {
        club_events: reading::value(found.club_events)?,
        festival_editions: reading::value(found.festival_editions)?,
        first_club: day(found.first_club_at)?,
        last_club: day(found.last_club_at)?,
        first_festival: day(found.first_festival_at)?,
        last_festival: day(found.last_festival_at)?,
    })
}

fn radio(found: &WireRadio<'_>) -> Fact<Radio> {
    Ok(Radio {
        plays: reading::value(found.airplay_count)?,
        stations: reading::value(found.distinct_stations)?,
        first: day(found.first_airplay_date)?,
        latest: day(found.latest_airplay_date)?,
    })
}

fn press(found: &WirePress<'_>) -> Fact<Press> {
    Ok(Press {
        articles: reading::value(found.press_count)?,
        reviews: reading::value(found.review_count)?,
        interviews: reading::value(found.interview_count)?,
        features: reading::value(found.feature_count)?,
    })
}

fn life(facts: &WireFacts<'_>) -> Fact<Life> {
    let life = Life { born: day(facts.birth_date)?, died: day(facts.death_date)? };
    if life.born.is_none() && life.died.is_none() { Err(GapReason::HonestGap) } else { Ok(life) }
}

fn record_labels(facts: &WireFacts<'_>) -> Fact<RecordLabels> {
    let (names, total) = names(facts.record_labels)?;
    if total == 0 { Err(GapReason::HonestGap) } else { Ok(RecordLabels { names, total }) }
}

fn works(found: &WireWorks<'_>) -> Fact<Works> {
    Ok(Works {
        written: reading::value(found.works_written)?,
        recordings: reading::value(found.recordings_of_works)?,
    })
}

/// A day that the service may leave out; one that cannot be read spoils the fact.
fn day(raw: Raw<'_>) -> Fact<Option<RecordedDay>> {
    match name(raw) {
        Ok(text) => RecordedDay::parse(text.as_str()).map(Some).ok_or(GapReason::MalformedUpstream),
        Err(GapReason::MalformedUpstream) => Err(GapReason::MalformedUpstream),
        Err(_) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::super::read as dossier;
    use super::*;

    fn signals(parts: &str) -> Signals {
        let body = format!(r#"{{"identity":{{"name":"X"}},{parts}}}"#);
        dossier(body.as_bytes(), 2026).unwrap().unwrap().signals
    }

    #[test]
    fn each_part_is_read_from_its_own_place() {
        let found = signals(
            r#""web_presence":{"state":"present","signals":{"bandcampUrl":"https://x.bandcamp.com/","websiteUrl":null}},
            "geography":{"state":"present","signals":{"city":"Bristol","region":null,"country":"GB"}},
            "tier_presence":{"state":"present","signals":{"clubEvents":12,"festivalEditions":3,
                "firstClubAt":"2019-04-01T00:00:00.000Z","lastClubAt":"2026-01-02","firstFestivalAt":null}},
            "airplay_breadth":{"state":"present","signals":{"airplayCount":40,"distinctStations":4,"firstAirplayDate":"2020"}},
            "journalism":{"state":"present","signals":{"pressCount":5,"reviewCount":2,"interviewCount":1,"featureCount":0}},
            "authorship":{"state":"present","signals":{"worksWritten":7,"recordingsOfWorks":9}},
            "facts":{"state":"present","signals":{"birthDate":"1977-09","recordLabels":["Warp",5]}}"#,
        );
        let day = |text| RecordedDay::parse(text);
        assert_eq!(found.pages.as_ref().map(|pages| (pages.links.len(), pages.total)), Ok((1, 1)));
        assert_eq!(found.scene.as_ref().map(|scene| scene.region.is_none()), Ok(true));
        let stage = found.stage.unwrap();
        assert_eq!((stage.club_events, stage.festival_editions), (12, 3));
        assert_eq!((stage.first_club, stage.last_club), (day("2019-04-01"), day("2026-01-02")));
        assert_eq!((stage.first_festival, stage.last_festival), (None, None));
        assert_eq!(found.radio, Ok(Radio { plays: 40, stations: 4, first: day("2020"), latest: None }));
        assert_eq!(found.press, Ok(Press { articles: 5, reviews: 2, interviews: 1, features: 0 }));
        assert_eq!(found.works, Ok(Works { written: 7, recordings: 9 }));
        assert_eq!(found.life, Ok(Life { born: day("1977-09"), died: None }));
        assert_eq!(found.record_labels.map(|labels| (labels.names.len(), labels.total)), Ok((1, 2)));
    }

    #[test]
    fn what_is_missing_or_broken_is_a_gap_with_its_own_reason() {
        let found = signals(
            r#""web_presence":{"state":"present","signals":{"bandcampUrl":"javascript:alert(1)"}},
            "geography":{"state":"present","signals":{"city":null}},
            "tier_presence":{"state":"degraded","signals":null},
            "airplay_breadth":{"state":"present","signals":{"airplayCount":"many","distinctStations":4}},
            "journalism":{"state":"present","signals":{"pressCount":5}},
            "facts":{"state":"present","signals":{"birthDate":"last summer","recordLabels":[]}}"#,
        );
        assert_eq!(found.pages, Err(GapReason::MalformedUpstream));
        assert_eq!(found.scene, Err(GapReason::HonestGap));
        assert_eq!(found.stage, Err(GapReason::UpstreamDegraded));
        assert_eq!(found.radio, Err(GapReason::MalformedUpstream));
        assert_eq!(found.press, Err(GapReason::NotCovered));
        assert_eq!(found.works, Err(GapReason::NotCovered));
        assert_eq!(found.life, Err(GapReason::MalformedUpstream));
        assert_eq!(found.record_labels, Err(GapReason::HonestGap));
    }
}
