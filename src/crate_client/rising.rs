//! Reads the lists of artists on the way up.

use serde::Deserialize;

use super::fault::UpstreamFault;
use super::ledger::CallLedger;
use super::reading::{self, Raw};
use super::{CrateClient, rows, transport};
use crate::model::artist::Origin;
use crate::model::date::Day;
use crate::model::family::Family;
use crate::model::gap::{Fact, GapReason};
use crate::model::listed::Listed;
use crate::model::rising::{Breakout, OneToWatch, Watchlist};
use crate::model::word::Word;

#[derive(Deserialize)]
struct WireBreakouts<'a> {
    #[serde(borrow, default)]
    state: Raw<'a>,
    #[serde(borrow, default)]
    items: Raw<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireBreakout<'a> {
    #[serde(borrow, default)]
    cluster_id: Raw<'a>,
    #[serde(borrow, default)]
    name: Raw<'a>,
    #[serde(borrow, default)]
    resolved_via: Raw<'a>,
    #[serde(borrow, default)]
    discogs_artist_id: Raw<'a>,
    #[serde(borrow, default)]
    emergence_tier: Raw<'a>,
    #[serde(borrow, default)]
    emergence_score: Raw<'a>,
    #[serde(borrow, default)]
    press_count: Raw<'a>,
    #[serde(borrow, default)]
    corroboration: Raw<'a>,
    #[serde(borrow, default)]
    location: Raw<'a>,
}

#[derive(Deserialize)]
struct WireLocation<'a> {
    #[serde(borrow, default)]
    city: Raw<'a>,
    #[serde(borrow, default)]
    country: Raw<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireWatchlist<'a> {
    #[serde(borrow, default)]
    state: Raw<'a>,
    #[serde(borrow, default)]
    ones_to_watch: Raw<'a>,
    #[serde(borrow, default)]
    snapshot_date: Raw<'a>,
    #[serde(borrow, default)]
    stale: Raw<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireOne<'a> {
    #[serde(borrow, default)]
    rank: Raw<'a>,
    #[serde(borrow, default)]
    name: Raw<'a>,
    #[serde(borrow, default)]
    discogs_artist_id: Raw<'a>,
    #[serde(borrow, default)]
    emergence_tier: Raw<'a>,
    #[serde(borrow, default)]
    momentum_tier: Raw<'a>,
    #[serde(borrow, default)]
    emergence_score: Raw<'a>,
    #[serde(borrow, default)]
    profile: Raw<'a>,
    #[serde(borrow, default)]
    culture_forward_festivals: Raw<'a>,
}

/// Which of the rising artists are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BreakoutFilter {
    /// Only those of this tier.
    pub tier: Option<&'static str>,
    /// Only those of this corroboration.
    pub corroboration: Option<&'static str>,
}

impl CrateClient {
    /// Artists whose bookings are picking up, at most `rows` of them; `None` when the service has no such list.
    ///
    /// # Errors
    /// When the service could not answer.
    pub async fn breakouts(
        &self,
        filter: BreakoutFilter,
        rows: u32,
        ledger: &CallLedger,
    ) -> Result<Option<Fact<Listed<Breakout>>>, UpstreamFault> {
        let chosen = [("tier", filter.tier), ("corroboration", filter.corroboration)];
        let query: Vec<(&'static str, String)> = std::iter::once(("limit", rows.to_string()))
            .chain(chosen.into_iter().filter_map(|(name, word)| Some((name, word?.to_owned()))))
            .collect();
        let request = transport::Request { family: Family::Lists, path: "/api/v2/breakouts", query: &query };
        self.fetch(request, ledger, |body| breakouts(body, filter)).await
    }

    /// Artists to watch by rank, at most `rows` of them; `None` when the service has no such list.
    ///
    /// # Errors
    /// When the service could not answer.
    pub async fn ones_to_watch(
        &self,
        rows: u32,
        ledger: &CallLedger,
    ) -> Result<Option<Fact<Watchlist>>, UpstreamFault> {
        let query = [("limit", rows.to_string())];
        let path = "/api/v2/tastemakers/ones-to-watch";
        let request = transport::Request { family: Family::Lists, path, query: &query };
        let today = self.today();
        self.fetch(request, ledger, |body| watchlist(body, today)).await
    }
}

fn breakouts(body: &[u8], filter: BreakoutFilter) -> Result<Fact<Listed<Breakout>>, UpstreamFault> {
    let wire: WireBreakouts<'_> = reading::body(body)?;
    let read = |row: &WireBreakout<'_>| {
        let row = breakout(row);
        let is_another = |asked: Option<&str>, found: &Fact<Word>| {
            asked.is_some_and(|asked| found.as_ref().is_ok_and(|found| found.as_str() != asked))
        };
        // A row that says itself that it does not match is none of the answer.
        if is_another(filter.tier, &row.emergence_tier)
            || is_another(filter.corroboration, &row.corroboration)
        {
            return Err(GapReason::MalformedUpstream);
        }
        Ok(row)
    };
    Ok(rows::state(wire.state)?.and_then(|()| rows::listed(wire.items, read)))
}

fn breakout(row: &WireBreakout<'_>) -> Breakout {
    Breakout {
        cluster_id: rows::cluster_id(row.cluster_id),
        name: rows::artist_name(row.name),
        tier: rows::tier(row.resolved_via),
        discogs_id: rows::discogs_id(row.discogs_artist_id),
        emergence_tier: rows::word(row.emergence_tier),
        emergence_score: rows::score(row.emergence_score),
        press_count: rows::count(row.press_count),
        corroboration: rows::word(row.corroboration),
        location: reading::object(row.location).and_then(|found| location(&found)),
    }
}

fn location(wire: &WireLocation<'_>) -> Fact<Origin> {
    match (rows::title(wire.city), rows::title(wire.country)) {
        (Err(GapReason::MalformedUpstream), _) | (_, Err(GapReason::MalformedUpstream)) => {
            Err(GapReason::MalformedUpstream)
        }
        (Err(_), Err(_)) => Err(GapReason::HonestGap),
        (city, country) => Ok(Origin { city: city.ok(), country: country.ok() }),
    }
}

fn watchlist(body: &[u8], today: Day) -> Result<Fact<Watchlist>, UpstreamFault> {
    let wire: WireWatchlist<'_> = reading::body(body)?;
    let listed = rows::state(wire.state)?.and_then(|()| rows::listed(wire.ones_to_watch, |row| Ok(one(row))));
    Ok(listed.map(|rows| Watchlist {
        snapshot_on: rows::past_day(wire.snapshot_date, today),
        is_stale: reading::value(wire.stale),
        rows,
    }))
}

fn one(row: &WireOne<'_>) -> OneToWatch {
    OneToWatch {
        rank: rows::count(row.rank),
        name: rows::artist_name(row.name),
        discogs_id: rows::discogs_id(row.discogs_artist_id),
        emergence_tier: rows::word(row.emergence_tier),
        momentum_tier: rows::word(row.momentum_tier),
        emergence_score: rows::score(row.emergence_score),
        profile: rows::word(row.profile),
        culture_forward_festivals: rows::count(row.culture_forward_festivals),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_another_tier_than_the_one_asked_for_is_counted_and_not_shown() {
        let body = br#"{"state":"present","items":[{"name":"A","emergenceTier":"rising","corroboration":"corroborated"},
            {"name":"B","emergenceTier":"breakout","corroboration":"booking_ahead"},{"name":"C"}]}"#;
        let read = |tier, corroboration| {
            let found = breakouts(body, BreakoutFilter { tier, corroboration }).unwrap().unwrap();
            (found.rows.len(), found.unreadable)
        };
        assert_eq!(read(None, None), (3, 0));
        assert_eq!(read(Some("breakout"), None), (2, 1));
        assert_eq!(read(None, Some("corroborated")), (2, 1));
        assert_eq!(read(Some("breakout"), Some("corroborated")), (1, 2));
    }
}
