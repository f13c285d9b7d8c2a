//! Reads the parts of a dossier that only the wider views ask for.

use serde::Deserialize;

use super::{WireFacts, name, optional_name};
use crate::crate_client::reading::{self, Raw};
use crate::crate_client::rows;
use crate::model::date::Day;
use crate::model::day::RecordedDay;
use crate::model::gap::{Fact, GapReason};
use crate::model::signals::{Life, Press, Scene, Signals, Stage};

/// The facets that are asked for beside those of the card.
pub(super) const FIELDS: [&str; 3] = ["geography", "tier_presence", "journalism"];

/// The facets, not looked at yet.
pub(super) struct WireSignals<'a> {
    pub(super) geography: Raw<'a>,
    pub(super) tier_presence: Raw<'a>,
    pub(super) journalism: Raw<'a>,
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

/// Reads them; `facts` are those of the card, which hold one of the parts.
pub(super) fn read(wire: &WireSignals<'_>, facts: &Fact<WireFacts<'_>>, today: Day) -> Signals {
    Signals {
        scene: reading::facet(wire.geography).and_then(|found| scene(&found)),
        stage: reading::facet(wire.tier_presence).and_then(|found| stage(&found, today)),
        press: reading::facet(wire.journalism).and_then(|found| press(&found)),
        life: facts.as_ref().map_err(|gap| *gap).and_then(|facts| life(facts, today)),
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

/// Nothing was seen tomorrow, nothing ends before it begins, and what never happened has no day.
fn stage(found: &WireStage<'_>, today: Day) -> Fact<Stage> {
    let stage = Stage {
        club_events: rows::count(found.club_events)?,
        festival_editions: rows::count(found.festival_editions)?,
        first_club: day(found.first_club_at)?,
        last_club: day(found.last_club_at)?,
        first_festival: day(found.first_festival_at)?,
        last_festival: day(found.last_festival_at)?,
    };
    let cannot_be = |count: u64, first: &Option<RecordedDay>, last: &Option<RecordedDay>| {
        let mut days = [first, last].into_iter().flatten();
        is_turned(first, last)
            || days.clone().any(|day| day.is_after(today.next()))
            || count == 0 && days.next().is_some()
    };
    if cannot_be(stage.club_events, &stage.first_club, &stage.last_club)
        || cannot_be(stage.festival_editions, &stage.first_festival, &stage.last_festival)
    {
        return Err(GapReason::MalformedUpstream);
    }
    Ok(stage)
}

/// Whether the first of two days lies behind the last.
fn is_turned(first: &Option<RecordedDay>, last: &Option<RecordedDay>) -> bool {
    first.iter().zip(last).any(|(first, last)| first.is_wholly_after(last))
}

/// No kind of article is more than all of them; one article may be of two kinds.
fn press(found: &WirePress<'_>) -> Fact<Press> {
    let press = Press {
        articles: rows::count(found.press_count)?,
        reviews: rows::count(found.review_count)?,
        interviews: rows::count(found.interview_count)?,
        features: rows::count(found.feature_count)?,
    };
    let most = press.reviews.max(press.interviews).max(press.features);
    if most > press.articles { Err(GapReason::MalformedUpstream) } else { Ok(press) }
}

/// Nobody was born or has died tomorrow, and nobody has died before the birth.
fn life(facts: &WireFacts<'_>, today: Day) -> Fact<Life> {
    let life = Life { born: day(facts.birth_date)?, died: day(facts.death_date)? };
    let is_ahead = [&life.born, &life.died].into_iter().flatten().any(|day| day.is_after(today.next()));
    if is_ahead || is_turned(&life.born, &life.died) {
        return Err(GapReason::MalformedUpstream);
    }
    if life.born.is_none() && life.died.is_none() { Err(GapReason::HonestGap) } else { Ok(life) }
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
        dossier(body.as_bytes(), Day::parse("2026-11-30").unwrap()).unwrap().unwrap().signals
    }

    #[test]
    fn each_part_is_read_from_its_own_place() {
        let found = signals(
            r#""geography":{"state":"present","signals":{"city":"Bristol","region":null,"country":"GB"}},
            "tier_presence":{"state":"present","signals":{"clubEvents":12,"festivalEditions":3,
                "firstClubAt":"2019-04-01T00:00:00.000Z","lastClubAt":"2026-01-02","firstFestivalAt":null}},
            "journalism":{"state":"present","signals":{"pressCount":5,"reviewCount":2,"interviewCount":1,"featureCount":0}},
            "facts":{"state":"present","signals":{"birthDate":"1977-09"}}"#,
        );
        let day = |text| RecordedDay::parse(text);
        assert_eq!(found.scene.as_ref().map(|scene| scene.region.is_none()), Ok(true));
        let stage = found.stage.unwrap();
        assert_eq!((stage.club_events, stage.festival_editions), (12, 3));
        assert_eq!((stage.first_club, stage.last_club), (day("2019-04-01"), day("2026-01-02")));
        assert_eq!((stage.first_festival, stage.last_festival), (None, None));
        assert_eq!(found.press, Ok(Press { articles: 5, reviews: 2, interviews: 1, features: 0 }));
        assert_eq!(found.life, Ok(Life { born: day("1977-09"), died: None }));
    }

    #[test]
    fn a_life_that_cannot_be_is_no_fact() {
        let life = |born: &str, died: &str| {
            signals(&format!(
                r#""facts":{{"state":"present","signals":{{"birthDate":{born},"deathDate":{died}}}}}"#
            ))
            .life
        };
        for (born, died) in
            [(r#""2027""#, "null"), ("null", r#""2026-12-02""#), (r#""1977-09""#, r#""1976""#)]
        {
            assert_eq!(life(born, died), Err(GapReason::MalformedUpstream), "{born} {died}");
        }
        for (born, died) in [(r#""1977-09-01""#, r#""1977""#), ("null", r#""2026-12-01""#)] {
            assert!(life(born, died).is_ok(), "{born} {died}");
        }
    }

    #[test]
    fn stages_and_press_that_cannot_be_are_no_facts() {
        let stage = |parts: &str| {
            signals(&format!(r#""tier_presence":{{"state":"present","signals":{{{parts}}}}}"#))
                .stage
                .map(|_| ())
        };
        let no = Err(GapReason::MalformedUpstream);
        for (parts, is) in [
            (r#""clubEvents":9,"festivalEditions":0,"firstClubAt":"2020","lastClubAt":"2020-01-01""#, Ok(())),
            (
                r#""clubEvents":9,"festivalEditions":0,"firstClubAt":"2020-01-01","lastClubAt":"1999-01-01""#,
                no,
            ),
            (r#""clubEvents":0,"festivalEditions":1,"firstFestivalAt":"2030-05-05""#, no),
            (r#""clubEvents":9,"festivalEditions":0,"lastFestivalAt":"2021-01-01""#, no),
            (r#""clubEvents":18446744073709551615,"festivalEditions":0"#, no),
        ] {
            assert_eq!(stage(parts), is, "{parts}");
        }
        let press = |all: u64, reviews: u64| {
            signals(&format!(
                r#""journalism":{{"state":"present","signals":{{"pressCount":{all},"reviewCount":{reviews},
                    "interviewCount":1,"featureCount":1}}}}"#
            ))
            .press
            .map(|_| ())
        };
        assert_eq!((press(5, 5), press(5, 6), press(0, 0), press(u64::MAX, 1)), (Ok(()), no, no, no));
    }

    #[test]
    fn what_is_missing_or_broken_is_a_gap_with_its_own_reason() {
        let found = signals(
            r#""geography":{"state":"present","signals":{"city":null}},
            "tier_presence":{"state":"degraded","signals":null},
            "journalism":{"state":"present","signals":{"pressCount":5}},
            "facts":{"state":"present","signals":{"birthDate":"last summer"}}"#,
        );
        assert_eq!(found.scene, Err(GapReason::HonestGap));
        assert_eq!(found.stage, Err(GapReason::UpstreamDegraded));
        assert_eq!(found.press, Err(GapReason::NotCovered));
        assert_eq!(found.life, Err(GapReason::MalformedUpstream));
        let found = signals(
            r#""tier_presence":{"state":"present","signals":{"clubEvents":"many","festivalEditions":4}}"#,
        );
        assert_eq!(found.stage, Err(GapReason::MalformedUpstream));
    }
}
