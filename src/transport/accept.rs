//! Which form of an answer the Accept header admits.
//!
//! Lenient on purpose: real clients send one type, a wildcard or nothing. Knows no status and no body.

use http::HeaderMap;
use http::header::ACCEPT;

/// The form in which a successful answer goes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Json,
    EventStream,
}

/// Fields that admit JSON.
const USUAL: [&str; 2] = ["application/json, text/event-stream", "application/json"];

/// JSON whenever it is admitted, an event stream when only that is, `None` when neither is. A missing
/// header, or one without a single readable media range, admits everything.
pub(crate) fn form(headers: &HeaderMap) -> Option<Form> {
    // What the specification has clients send; reading it would say the same.
    let mut all = headers.get_all(ACCEPT).iter();
    if let (Some(only), None) = (all.next(), all.next())
        && USUAL.iter().any(|usual| only == usual)
    {
        return Some(Form::Json);
    }
    let fields: Vec<String> = headers
        .get_all(ACCEPT)
        .iter()
        .map(|v| String::from_utf8_lossy(v.as_bytes()).to_ascii_lowercase())
        .collect();
    let ranges: Vec<Range<'_>> =
        fields.iter().flat_map(|field| field.split(',')).filter_map(Range::parse).collect();
    if ranges.is_empty() || admits(&ranges, "application", "json") {
        Some(Form::Json)
    } else if admits(&ranges, "text", "event-stream") {
        Some(Form::EventStream)
    } else {
        None
    }
}

struct Range<'a> {
    kind: &'a str,
    subkind: &'a str,
    refused: bool,
}

impl<'a> Range<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let mut parts = text.split(';').map(str::trim);
        let (kind, subkind) = parts.next()?.split_once('/')?;
        if kind.is_empty() || subkind.is_empty() {
            return None;
        }
        let refused = parts
            .filter_map(|parameter| parameter.split_once('='))
            .filter(|(name, _)| name.trim() == "q")
            .any(|(_, value)| value.trim().parse::<f32>().is_ok_and(|q| q <= 0.0));
        Some(Self { kind, subkind, refused })
    }

    /// How exactly this range names the type; `None` when it does not cover it.
    fn precision(&self, kind: &str, subkind: &str) -> Option<u8> {
        match (self.kind, self.subkind) {
            (k, s) if k == kind && s == subkind => Some(2),
            (k, "*") if k == kind => Some(1),
            ("*", "*") => Some(0),
            _ => None,
        }
    }
}

/// The most exact range decides, so that `application/json;q=0, */*` means "anything but JSON".
fn admits(ranges: &[Range<'_>], kind: &str, subkind: &str) -> bool {
    ranges
        .iter()
        .filter_map(|range| range.precision(kind, subkind).map(|precision| (precision, !range.refused)))
        .max()
        .is_some_and(|(_, admitted)| admitted)
}

#[cfg(test)]
mod tests {
    use super::{Form, USUAL, form};
    use http::{HeaderMap, HeaderValue};

    fn of(fields: &[&[u8]]) -> Option<Form> {
        let mut headers = HeaderMap::new();
        for field in fields {
            headers.append("accept", HeaderValue::from_bytes(field).unwrap());
        }
        form(&headers)
    }

    #[test]
    fn what_is_usual_means_what_it_would_mean_if_it_were_read() {
        for usual in USUAL {
            // Another case is read.
            let read = of(&[usual.to_ascii_uppercase().as_bytes()]);
            assert_eq!((of(&[usual.as_bytes()]), read), (Some(Form::Json), Some(Form::Json)));
        }
    }

    #[test]
    fn json_is_chosen_whenever_it_is_admitted() {
        for field in [
            "application/json, text/event-stream",
            "text/event-stream, application/json",
            "text/event-stream;q=0.9, application/json;q=0.1",
            "*/*",
            "application/*",
            "application/json",
            "Application/JSON; charset=utf-8",
            "application/json, application/mcp+json",
            "",
            "nonsense",
        ] {
            assert_eq!(of(&[field.as_bytes()]), Some(Form::Json), "{field}");
        }
        assert_eq!(of(&[]), Some(Form::Json));
        assert_eq!(of(&[b"text/event-stream", b"application/json"]), Some(Form::Json));
        assert_eq!(of(&[b"\xff\xfe"]), Some(Form::Json));
    }

    #[test]
    fn an_event_stream_is_chosen_only_when_json_is_not_admitted() {
        for field in [
            "text/event-stream",
            "text/*",
            "text/event-stream, application/json;q=0",
            "application/json;q=0.0, */*",
            "application/json; q=0.000 , text/event-stream;q=0.1",
        ] {
            assert_eq!(of(&[field.as_bytes()]), Some(Form::EventStream), "{field}");
        }
    }

    #[test]
    fn nothing_is_chosen_when_neither_is_admitted() {
        for field in ["text/html", "text/event-stream;q=0", "*/*;q=0", "image/png, text/html;q=0.5"] {
            assert_eq!(of(&[field.as_bytes()]), None, "{field}");
        }
    }
}
