//! Events that lie ahead: `/api/v2/artist/{key}/gigs`, which version 2.47.0 of the service does not have.
//!
//! Decides on what day an event falls: the files hold days from now, so that the demo never grows old. Every event is
//! invented.

use serde::Deserialize;
use serde_json::json;
use time::macros::format_description;
use time::{Date, Duration};

use super::CatalogueError;
use super::answer::{Answered, json_answer};
use super::artists::Artists;
use super::dossier::cluster_of;
use super::files::Files;

#[derive(Debug, Deserialize)]
struct Event<'a> {
    cluster_id: &'a str,
    days_from_now: u16,
    title: Box<str>,
    venue: Box<str>,
    city: Box<str>,
    country: Option<Box<str>>,
}

#[derive(Debug)]
pub(super) struct Events(Vec<Event<'static>>);

impl Events {
    pub(super) fn load(files: &Files) -> Result<Self, CatalogueError> {
        files.invented_gigs.parse().map(Self)
    }

    pub(super) fn answer(&self, artists: &Artists, key: &str, today: Date) -> Answered {
        let cluster = cluster_of(artists, key)?;
        let gigs: Vec<_> = self
            .0
            .iter()
            .filter(|event| Some(event.cluster_id) == cluster)
            .filter_map(|event| {
                let day = today.checked_add(Duration::days(event.days_from_now.into()))?;
                let date = day.format(format_description!("[year]-[month]-[day]")).ok()?;
                Some(json!({
                    "date": date, "title": event.title, "venue": event.venue, "city": event.city,
                    "country": event.country, "cancelled": false,
                }))
            })
            .collect();
        let state = if gigs.is_empty() { "honest_gap" } else { "present" };
        Ok(json_answer(&json!({ "state": state, "cluster_id": cluster, "gigs": gigs })))
    }
}
