//! Reads auras.

use serde::Deserialize;

use super::fault::UpstreamFault;
use super::ledger::CallLedger;
use super::reading::{self, Raw};
use super::{CrateClient, rows, transport};
use crate::identity::ClusterId;
use crate::model::aura::Aura;
use crate::model::date::Day;
use crate::model::family::Family;
use crate::model::gap::{Fact, GapReason};
use crate::model::listed::Listed;
use crate::model::word::Word;

#[derive(Deserialize)]
struct WireList<'a> {
    #[serde(borrow, default)]
    state: Raw<'a>,
    #[serde(borrow, default)]
    items: Raw<'a>,
}

#[derive(Deserialize)]
struct WireOne<'a> {
    #[serde(borrow, default)]
    state: Raw<'a>,
    #[serde(borrow, default)]
    present: Raw<'a>,
    #[serde(borrow, default)]
    aura: Raw<'a>,
}

#[derive(Deserialize)]
struct WireAura<'a> {
    #[serde(borrow, default)]
    cluster_id: Raw<'a>,
    #[serde(borrow, default)]
    artist_name: Raw<'a>,
    #[serde(borrow, default)]
    convergence_dim_count: Raw<'a>,
    #[serde(borrow, default)]
    dimensions: Raw<'a>,
    #[serde(borrow, default)]
    break_odds: Raw<'a>,
    #[serde(borrow, default)]
    first_signal_at: Raw<'a>,
    #[serde(borrow, default)]
    latest_appearance_at: Raw<'a>,
    #[serde(borrow, default)]
    has_break_event: Raw<'a>,
    #[serde(borrow, default)]
    break_event_at: Raw<'a>,
}

impl CrateClient {
    /// The strongest auras, at most `rows` of them; `None` when the service has no such list.
    ///
    /// # Errors
    /// When the service could not answer.
    pub async fn auras(
        &self,
        rows: u32,
        ledger: &CallLedger,
    ) -> Result<Option<Fact<Listed<Aura>>>, UpstreamFault> {
        let query = [("limit", rows.to_string())];
        let request = transport::Request { family: Family::Aura, path: "/api/v2/aura", query: &query };
        let today = self.today();
        self.fetch(request, ledger, |body| list(body, today)).await
    }

    /// The aura of one cluster; `None` when the service holds none.
    ///
    /// # Errors
    /// When the service could not answer.
    pub async fn aura_of(
        &self,
        cluster_id: &ClusterId,
        ledger: &CallLedger,
    ) -> Result<Option<Fact<Aura>>, UpstreamFault> {
        let path = format!("/api/v2/aura/{cluster_id}");
        let request = transport::Request { family: Family::Aura, path: &path, query: &[] };
        let today = self.today();
        self.fetch(request, ledger, |body| one(body, cluster_id, today)).await.map(Option::flatten)
    }
}

fn list(body: &[u8], today: Day) -> Result<Fact<Listed<Aura>>, UpstreamFault> {
    let wire: WireList<'_> = reading::body(body)?;
    Ok(rows::state(wire.state)?.and_then(|()| rows::listed(wire.items, |row| Ok(aura(row, today)))))
}

/// `Ok(None)` when the service says that it holds none.
fn one(body: &[u8], asked: &ClusterId, today: Day) -> Result<Option<Fact<Aura>>, UpstreamFault> {
    let wire: WireOne<'_> = reading::body(body)?;
    let state = rows::state(wire.state)?;
    if state == Err(GapReason::HonestGap) || reading::optional(wire.present) == Some(false) {
        return Ok(None);
    }
    let found = state.and_then(|()| reading::object::<WireAura<'_>>(wire.aura));
    Ok(Some(match found.map(|row| aura(&row, today)) {
        // Somebody else's aura is no answer.
        Ok(aura) if aura.cluster_id.as_ref() == Ok(asked) => Ok(aura),
        Ok(_) | Err(_) => Err(GapReason::MalformedUpstream),
    }))
}

/// Of two values that contradict each other neither is a fact.
fn aura(row: &WireAura<'_>, today: Day) -> Aura {
    let (count, kinds) = (rows::count(row.convergence_dim_count), dimensions(row.dimensions));
    let differ = kinds.as_ref().is_ok_and(|kinds| count.is_ok_and(|count| count != kinds.len() as u64));
    let (dimension_count, dimensions) = rows::unless(differ, count, kinds);
    let (first, latest) =
        (rows::past_day(row.first_signal_at, today), rows::past_day(row.latest_appearance_at, today));
    let turned = first.is_ok_and(|first| latest.is_ok_and(|latest| first > latest));
    let (first_signal_on, latest_signal_on) = rows::unless(turned, first, latest);
    let (broken, day) = (reading::value(row.has_break_event), rows::past_day(row.break_event_at, today));
    let (has_broken, broke_on) = rows::unless(broken == Ok(false) && day.is_ok(), broken, day);
    Aura {
        cluster_id: rows::cluster_id(row.cluster_id),
        name: rows::artist_name(row.artist_name),
        dimension_count,
        dimensions,
        break_odds_percent: rows::percent(row.break_odds),
        first_signal_on,
        latest_signal_on,
        has_broken,
        broke_on,
    }
}

fn dimensions(raw: Raw<'_>) -> Fact<Vec<Word>> {
    let words: Vec<Raw<'_>> = reading::value(raw)?;
    words.into_iter().map(|word| rows::word(word).map_err(|_| GapReason::MalformedUpstream)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_an_aura_that_contradict_each_other_are_no_facts() {
        let read = |parts: &str| {
            let body = format!(r#"{{"state":"present","items":[{{"artist_name":"X",{parts}}}]}}"#);
            let found = list(body.as_bytes(), Day::parse("2026-11-30").unwrap()).unwrap().unwrap();
            found.rows.into_iter().next().unwrap()
        };
        let no = GapReason::MalformedUpstream;
        let kinds = read(r#""convergence_dim_count":1,"dimensions":["booking","press"],"break_odds":7.6"#);
        assert_eq!((kinds.dimension_count, kinds.dimensions), (Err(no), Err(no)));
        assert!(kinds.break_odds_percent.is_ok());
        let days = read(r#""first_signal_at":"2026-10-01","latest_appearance_at":"2020-01-01""#);
        assert_eq!((days.first_signal_on, days.latest_signal_on), (Err(no), Err(no)));
        let broken = read(r#""has_break_event":false,"break_event_at":"2020-01-01""#);
        assert_eq!((broken.has_broken, broken.broke_on), (Err(no), Err(no)));
        let fine = read(
            r#""convergence_dim_count":1,"dimensions":["booking"],"first_signal_at":"2020-01-01",
            "latest_appearance_at":"2020-01-01","has_break_event":true,"break_event_at":null"#,
        );
        assert_eq!((fine.dimension_count, fine.has_broken), (Ok(1), Ok(true)));
        assert!(fine.first_signal_on.is_ok() && fine.latest_signal_on.is_ok());
    }
}
