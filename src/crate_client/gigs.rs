//! Reads concerts that lie ahead, of a service that has that extension.

use serde::Deserialize;

use super::fault::UpstreamFault;
use super::ledger::CallLedger;
use super::reading::{self, Raw};
use super::{CrateClient, rows, transport};
use crate::identity::ArtistKey;
use crate::model::family::Family;
use crate::model::gap::{Fact, GapReason};
use crate::model::gig::{Gig, Gigs};

#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(borrow, default)]
    state: Raw<'a>,
    #[serde(borrow, default)]
    cluster_id: Raw<'a>,
    #[serde(borrow, default)]
    gigs: Raw<'a>,
}

#[derive(Deserialize)]
struct WireGig<'a> {
    #[serde(borrow, default)]
    date: Raw<'a>,
    #[serde(borrow, default)]
    title: Raw<'a>,
    #[serde(borrow, default)]
    venue: Raw<'a>,
    #[serde(borrow, default)]
    city: Raw<'a>,
    #[serde(borrow, default)]
    country: Raw<'a>,
    #[serde(borrow, default)]
    cancelled: Raw<'a>,
}

impl CrateClient {
    /// The concerts of an artist; `None` when the service holds no such artist. Only for a service that has
    /// the extension.
    ///
    /// # Errors
    /// When the service could not answer.
    pub async fn gigs(&self, key: &ArtistKey, ledger: &CallLedger) -> Result<Option<Gigs>, UpstreamFault> {
        let path = format!("/api/v2/artist/{}/gigs", key.as_str());
        let request = transport::Request { family: Family::Gigs, path: &path, query: &[] };
        self.fetch(request, ledger, |body| read(body, key)).await.map(Option::flatten)
    }
}

/// `Ok(None)` when the service knows nobody under the key.
fn read(body: &[u8], asked: &ArtistKey) -> Result<Option<Gigs>, UpstreamFault> {
    let wire: Wire<'_> = reading::body(body)?;
    let state = rows::state(wire.state)?;
    let cluster_id = rows::cluster_id(wire.cluster_id);
    if state == Err(GapReason::HonestGap) && cluster_id == Err(GapReason::HonestGap) {
        return Ok(None);
    }
    // Somebody else's concerts are no answer, and neither are those of nobody in particular.
    let other = match (asked, &cluster_id, &state) {
        (ArtistKey::Cluster(asked), Ok(found), _) => asked != found,
        (ArtistKey::Cluster(_), Err(_), Ok(())) => true,
        _ => false,
    };
    let state = if other { Err(GapReason::MalformedUpstream) } else { state };
    Ok(Some(Gigs { cluster_id, gigs: state.and_then(|()| rows::listed(wire.gigs, gig)) }))
}

fn gig(row: &WireGig<'_>) -> Fact<Gig> {
    Ok(Gig {
        date: rows::day(row.date)?,
        title: rows::title(row.title),
        venue: rows::title(row.venue),
        city: rows::title(row.city),
        country: rows::title(row.country),
        is_cancelled: reading::value(row.cancelled),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concerts_are_only_those_of_the_cluster_that_was_asked_for() {
        let asked = ArtistKey::parse(&"a".repeat(64)).unwrap();
        let read = |who: &str, state: &str| {
            let body = format!(r#"{{{who}"state":"{state}","gigs":[{{"date":"2027-01-01"}}]}}"#);
            read(body.as_bytes(), &asked).unwrap().unwrap().gigs.map(|gigs| gigs.rows.len())
        };
        let id = |text: &str| format!(r#""cluster_id":"{text}","#);
        assert_eq!(read(&id(&"a".repeat(64)), "present"), Ok(1));
        for who in ["".to_owned(), id("zz"), id(&"b".repeat(64)), r#""cluster_id":null,"#.to_owned()] {
            assert_eq!(read(&who, "present"), Err(GapReason::MalformedUpstream), "{who}");
        }
        assert_eq!(read("", "empty"), Err(GapReason::HonestGap));
    }
}
