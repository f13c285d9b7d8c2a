//! What the header of an answer says: whether its body is JSON text, and what it hints about further requests.

use std::time::Duration;

use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE, RETRY_AFTER};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc2822;

use crate::clock::Clock;
use crate::crate_client::reading::WAIT_MAX;
use crate::crate_client::transport::Hints;

/// Whether the body is JSON in UTF-8 as it stands. No word about it is taken for yes: what it is shows when it
/// is read.
pub(super) fn is_json_text(fields: &HeaderMap) -> bool {
    let encodings = fields.get_all(CONTENT_ENCODING).iter();
    if encodings.into_iter().any(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"identity")) {
        return false;
    }
    let Some(kind) = fields.get(CONTENT_TYPE) else { return true };
    let Ok(kind) = kind.to_str() else { return false };
    let mut parts = kind.split(';').map(str::trim);
    let media = parts.next().unwrap_or_default().to_ascii_lowercase();
    let is_json = matches!(media.as_str(), "application/json" | "text/json")
        || (media.starts_with("application/") && media.ends_with("+json"));
    is_json && parts.all(is_harmless)
}

/// A parameter of a content type: a charset has to be UTF-8, which ASCII is too.
fn is_harmless(parameter: &str) -> bool {
    let Some((name, value)) = parameter.split_once('=') else { return true };
    if !name.trim().eq_ignore_ascii_case("charset") {
        return true;
    }
    let value = value.trim().trim_matches('"');
    ["utf-8", "utf8", "us-ascii"].iter().any(|known| value.eq_ignore_ascii_case(known))
}

/// What is said about further requests; what cannot be read is not said.
pub(super) fn hints(fields: &HeaderMap, clock: &Clock) -> Hints {
    let text = |name: &str| fields.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let utc = clock.utc();
    let until = |at: OffsetDateTime| Duration::try_from(at - utc).unwrap_or_default();
    let retry_after = text(RETRY_AFTER.as_str()).and_then(|value| match value.parse() {
        Ok(seconds) => Some(Duration::from_secs(seconds)),
        Err(_) => OffsetDateTime::parse(value, &Rfc2822).ok().map(until),
    });
    Hints {
        retry_after: retry_after.map(|wait| wait.min(WAIT_MAX)),
        remaining: text("x-ratelimit-remaining").and_then(|value| value.parse().ok()),
        reset_in: text("x-ratelimit-reset")
            .and_then(|value| value.parse().ok())
            .and_then(|at| OffsetDateTime::from_unix_timestamp(at).ok())
            .map(|at| until(at).min(WAIT_MAX)),
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};
    use time::macros::datetime;

    use super::*;

    fn fields(fields: &[(&'static str, &'static str)]) -> HeaderMap {
        fields
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect()
    }

    #[test]
    fn only_json_in_utf_8_that_is_not_packed_is_taken() {
        for (kind, taken) in [
            ("application/json", true),
            ("Application/JSON; Charset=\"UTF-8\"", true),
            ("application/problem+json", true),
            ("application/json; charset=us-ascii", true),
            ("application/json; charset=iso-8859-1", false),
            ("application/json; charset=utf-16", false),
            ("text/html; charset=utf-8", false),
            ("text/html", false),
            ("application/octet-stream", false),
            ("", false),
        ] {
            assert_eq!(is_json_text(&fields(&[("content-type", kind)])), taken, "{kind}");
        }
        assert!(is_json_text(&fields(&[])));
        for (coding, taken) in [("identity", true), ("gzip", false), ("br", false)] {
            let fields = fields(&[("content-type", "application/json"), ("content-encoding", coding)]);
            assert_eq!(is_json_text(&fields), taken, "{coding}");
        }
    }

    #[test]
    fn hints_are_read_as_times_from_now_and_nonsense_is_not_said() {
        let clock = Clock::wound_to(datetime!(2027-01-31 12:00 UTC));
        let second = |seconds| Some(Duration::from_secs(seconds));
        let read = |all: &[(&'static str, &'static str)]| hints(&fields(all), &clock);
        let reset = datetime!(2027-01-31 12:00:23 UTC).unix_timestamp().to_string().leak();
        assert_eq!(
            read(&[("retry-after", "23"), ("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", reset)]),
            Hints { retry_after: second(23), remaining: Some(0), reset_in: second(23) }
        );
        assert_eq!(read(&[("retry-after", "Sun, 31 Jan 2027 12:00:07 GMT")]).retry_after, second(7));
        assert_eq!(read(&[("retry-after", "Sun, 31 Jan 2027 11:00:00 GMT")]).retry_after, second(0));
        for long in ["2678401", "18446744073709551615", "Fri, 31 Dec 9999 23:59:59 GMT"] {
            assert_eq!(read(&[("retry-after", long)]).retry_after, Some(WAIT_MAX), "{long}");
        }
        assert_eq!(read(&[("x-ratelimit-reset", "253402300799")]).reset_in, Some(WAIT_MAX));
        for nonsense in ["-1", "soon", "", "1.5", "18446744073709551616"] {
            assert_eq!(read(&[("retry-after", nonsense)]).retry_after, None, "{nonsense}");
            assert_eq!(read(&[("x-ratelimit-remaining", nonsense)]).remaining, None, "{nonsense}");
        }
    }
}
