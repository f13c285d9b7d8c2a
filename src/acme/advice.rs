//! When the authority would like a certificate renewed (ARI, RFC 9773): earlier than usual when it has to be withdrawn.
//!
//! Decides which moment of the authority's window is this server's. An authority that gives no advice, or none that can
//! be read, is as one that is content. Knows nothing of accounts.

use bytes::Bytes;
use http::{HeaderMap, Request};
use serde_json::Value;
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime, UtcOffset};
use url::Url;

use super::Settings;
use super::http::wait;
use super::schedule::spread;

/// How long an advice is believed when the authority does not say, and the least and the most of what it may say.
const BELIEVED: Duration = Duration::hours(6);
const LEAST: Duration = Duration::hours(1);
pub(super) const MOST: Duration = Duration::days(1);

/// What the authority advises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Advice {
    /// When the certificate is renewed; `None` leaves it to the server.
    pub(super) renew_at: Option<OffsetDateTime>,
    /// When it is asked again.
    pub(super) again: OffsetDateTime,
}

impl Advice {
    /// Before the authority was ever asked in this run, at this moment: a start alone asks nobody.
    pub(super) fn none_yet(now: OffsetDateTime) -> Self {
        Self { renew_at: None, again: now + LEAST }
    }
}

/// Asks about the certificate that the authority knows as `id`.
pub(super) async fn ask(settings: &Settings, id: &str, now: OffsetDateTime) -> Advice {
    match window(settings, id).await {
        Some((window, headers)) => Advice {
            renew_at: Some(within(window, id)),
            again: now + wait(&headers).unwrap_or(BELIEVED).clamp(LEAST, MOST),
        },
        None => Advice { renew_at: None, again: now + BELIEVED },
    }
}

type Window = (OffsetDateTime, OffsetDateTime);

async fn window(settings: &Settings, id: &str) -> Option<(Window, HeaderMap)> {
    let directory = settings.fetcher.get(&settings.directory).await.ok()?;
    let directory: Value = serde_json::from_slice(&directory.body).ok()?;
    let address = format!("{}/{id}", directory.get("renewalInfo")?.as_str()?);
    let address = Url::parse(&address).ok().filter(|address| address.scheme() == "https")?;
    let request = Request::get(address.as_str()).body(Bytes::new()).ok()?;
    let answer = settings.fetcher.exchange(request).await.ok().filter(|answer| answer.status() == 200)?;
    Some((read(answer.body())?, answer.headers().clone()))
}

/// The window of a document; `None` when it ends before it begins, which is none.
fn read(document: &[u8]) -> Option<Window> {
    let document: Value = serde_json::from_slice(document).ok()?;
    let window = document.get("suggestedWindow")?;
    // In one offset, so that nothing between the two lies beyond the last day that there is.
    let moment = |key: &str| {
        let moment = OffsetDateTime::parse(window.get(key)?.as_str()?, &Rfc3339).ok()?;
        moment.checked_to_offset(UtcOffset::UTC)
    };
    let window = (moment("start")?, moment("end")?);
    (window.0 < window.1).then_some(window)
}

/// This certificate's moment of a window, which is always the same.
fn within((start, end): Window, id: &str) -> OffsetDateTime {
    start + (end - start) * f64::from(spread(id.as_bytes())) / 256.0
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn a_window_is_read_and_everything_else_is_no_advice() {
        let window = |start: &str, end: &str| {
            read(format!("{{\"suggestedWindow\":{{\"start\":\"{start}\",\"end\":\"{end}\"}}}}").as_bytes())
        };
        let good = window("2027-01-02T04:00:00Z", "2027-01-03T05:00:00+01:00");
        let (start, end) = (datetime!(2027-01-02 4:00 UTC), datetime!(2027-01-03 4:00 UTC));
        assert_eq!(good, Some((start, end)));
        for (start, end) in [
            ("2027-01-03T04:00:00Z", "2027-01-02T04:00:00Z"),
            ("2027-01-02T04:00:00Z", "2027-01-02T04:00:00Z"),
            ("soon", "2027-01-02T04:00:00Z"),
            ("9999-12-31T20:00:00Z", "9999-12-31T23:59:59-23:59"),
        ] {
            assert_eq!(window(start, end), None, "{start} {end}");
        }
        let last = window("9999-12-31T23:59:00+23:59", "9999-12-31T23:59:00Z").unwrap();
        for certificate in 0..50 {
            assert!(within(last, &certificate.to_string()) < last.1);
        }
        for other in ["", "{}", "[]", "{\"suggestedWindow\":7}"] {
            assert_eq!(read(other.as_bytes()), None, "{other}");
        }
        let mut seen = std::collections::BTreeSet::new();
        for certificate in 0..50 {
            let at = within((start, end), &certificate.to_string());
            assert!(start <= at && at < end, "{at}");
            seen.insert(at);
        }
        assert!(seen.len() > 20, "{} moments for 50 certificates", seen.len());
    }
}
