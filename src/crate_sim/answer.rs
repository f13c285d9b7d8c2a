//! What a request is answered, before anything is done to the bytes on their way.
//!
//! Decides status, headers and body: the catalogue's, the refusals of a key or a plan, and what a rule makes of them.

use std::collections::VecDeque;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use serde_json::{Value, json};
use time::Date;

use super::plan::{Standing, TooMany};
use super::scenario::{Effect, Wrong};
use crate::catalogue::{Catalogue, CatalogueRequest};

const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");
const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=utf-8");
const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");

/// One answer.
#[derive(Clone, Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl Reply {
    fn json(status: u16, body: Bytes) -> Self {
        let headers = HeaderMap::from_iter([(CONTENT_TYPE, JSON)]);
        Self { status, headers, body }
    }

    fn error(status: u16, body: &Value) -> Self {
        Self::json(status, body.to_string().into())
    }

    /// What the catalogue holds.
    pub(super) fn of_catalogue(
        catalogue: &Catalogue,
        method: &Method,
        path: &str,
        query: &[(String, String)],
        body: &[u8],
        today: Date,
    ) -> Self {
        let answer = match (method, path) {
            (&Method::POST, "/api/v2/tracks/resolve") => catalogue.resolve_tracks(body),
            (&Method::GET, path) => catalogue.answer(&CatalogueRequest { path, query, today }),
            _ => return Self::error(405, &json!({ "error": "method_not_allowed" })),
        };
        Self::json(answer.status, answer.body)
    }

    /// The key is missing or another.
    pub(super) fn no_key() -> Self {
        let hint = "send the key that the simulator was started with as X-API-Key";
        let message = "there is no key, or it is not the right one";
        Self::error(401, &json!({ "error": "invalid_api_key", "message": message, "hint": hint }))
    }

    /// More than the plan allows.
    pub(super) fn too_many(refusal: TooMany) -> Self {
        let seconds = refusal.retry_after_s;
        let body = match refusal.concurrency {
            true => {
                json!({ "error": "rate_limited", "retry_after_seconds": seconds, "reason": "concurrency" })
            }
            false => json!({ "error": "rate_limited", "retry_after_seconds": seconds }),
        };
        let mut reply = Self::error(429, &body);
        reply.headers.insert(RETRY_AFTER, refusal.retry_after_s.into());
        reply
    }

    /// What a person may read about the simulator itself.
    pub(super) fn report(report: &Value) -> Self {
        Self::json(200, report.to_string().into())
    }

    /// Adds what is left of the minute.
    pub(super) fn with(mut self, standing: Option<Standing>) -> Self {
        if let Some(standing) = standing {
            self.headers.insert(LIMIT, standing.limit.into());
            self.headers.insert(REMAINING, standing.remaining.into());
            self.headers.insert(RESET, standing.reset_unix_s.into());
        }
        self
    }

    /// What a rule makes of it.
    pub(super) fn changed_by(mut self, effect: &Effect) -> Self {
        if !effect.set.is_empty() || !effect.remove.is_empty() {
            self.body = edited(&self.body, effect);
        }
        if let Some(wrong) = effect.wrong {
            self.body = match wrong {
                Wrong::Html => Bytes::from_static(b"<!doctype html><title>502</title><h1>Bad gateway</h1>"),
                Wrong::Text => Bytes::from_static(b"upstream connect error"),
                Wrong::Json => Bytes::from_static(br#"["not",{"what":"was asked for"}]"#),
                Wrong::HalfJson => self.body.slice(..self.body.len() / 2),
                Wrong::Empty => Bytes::new(),
            };
            if matches!(wrong, Wrong::Html) {
                self.headers.insert(CONTENT_TYPE, HTML);
            }
        }
        if let Some(body) = &effect.body {
            self.body = body.clone();
        } else if effect.wrong.is_none()
            && let Some(status) = effect.status
            && status != self.status
        {
            self.body = json!({ "error": code_of(status) }).to_string().into();
        }
        self.status = effect.status.unwrap_or(self.status);
        for (name, value) in &effect.headers {
            self.headers.insert(name, value.clone());
        }
        self
    }
}

/// The code that the service's own errors carry, or a word in their manner.
fn code_of(status: u16) -> &'static str {
    match status {
        400 => "invalid_query",
        401 => "invalid_api_key",
        402 => "payment_required",
        403 => "forbidden",
        404 => "not_found",
        410 => "gone",
        429 => "rate_limited",
        503 => "unavailable",
        504 => "timeout",
        _ => "server_error",
    }
}

/// The body with some fields given another value or taken out; as it is if it is no JSON.
fn edited(body: &Bytes, effect: &Effect) -> Bytes {
    let Ok(mut json) = serde_json::from_slice::<Value>(body) else { return body.clone() };
    for (place, value) in &effect.set {
        put(&mut json, place, Some(value));
    }
    for place in &effect.remove {
        put(&mut json, place, None);
    }
    json.to_string().into()
}

/// Sets or takes out what a JSON pointer names; its parents must be there.
fn put(json: &mut Value, place: &str, value: Option<&Value>) {
    let mut steps: VecDeque<String> =
        place.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~")).collect();
    let Some(last) = steps.pop_back() else { return };
    let mut parent = json;
    for step in steps {
        let next = match parent {
            Value::Object(map) => map.get_mut(&step),
            Value::Array(list) => step.parse::<usize>().ok().and_then(|at| list.get_mut(at)),
            _ => None,
        };
        let Some(next) = next else { return };
        parent = next;
    }
    match (parent, value) {
        (Value::Object(map), Some(value)) => {
            map.insert(last, value.clone());
        }
        (Value::Object(map), None) => {
            map.remove(&last);
        }
        (Value::Array(list), value) => {
            let entry = last.parse::<usize>().ok().filter(|at| *at < list.len());
            match (entry, value) {
                (Some(at), None) => {
                    list.remove(at);
                }
                (Some(at), Some(value)) => {
                    list.splice(at..=at, [value.clone()]);
                }
                (None, _) => {}
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply() -> Reply {
        Reply::json(200, Bytes::from_static(br#"{"state":"present","rows":[{"a":1},{"b":2}]}"#))
    }

    fn body(effect: &Effect) -> Value {
        serde_json::from_slice(&reply().changed_by(effect).body).unwrap()
    }

    #[test]
    fn fields_are_replaced_where_a_pointer_leads_and_nowhere_else() {
        let set =
            |place: &str, value: Value| Effect { set: vec![(place.to_owned(), value)], ..Effect::default() };
        assert_eq!(body(&set("/state", json!("degraded")))["state"], "degraded");
        assert_eq!(body(&set("/rows/1/b", json!(null)))["rows"][1], json!({ "b": null }));
        assert_eq!(body(&set("/rows/1", json!(5)))["rows"][1], 5);
        assert_eq!(body(&set("/new", json!(5)))["new"], 5);
        for nowhere in ["/none/x", "/rows/7", "/rows/7/a", "/state/x"] {
            assert_eq!(body(&set(nowhere, json!(5))), body(&Effect::default()), "{nowhere}");
        }
        let remove = Effect { remove: vec!["/rows/0".to_owned(), "/state".to_owned()], ..Effect::default() };
        assert_eq!(body(&remove), json!({ "rows": [{ "b": 2 }] }));
    }

    #[test]
    fn another_status_brings_an_error_unless_a_body_is_written() {
        let effect = Effect { status: Some(503), ..Effect::default() };
        assert_eq!(body(&effect), json!({ "error": "unavailable" }));
        let own = Effect { body: Some(Bytes::from_static(b"{}")), ..effect };
        assert_eq!(body(&own), json!({}));
        let empty = Effect { wrong: Some(Wrong::Empty), ..Effect::default() };
        assert!(reply().changed_by(&empty).body.is_empty());
    }

    #[test]
    fn a_refusal_reads_as_documented() {
        let reply = Reply::too_many(TooMany { retry_after_s: 23, concurrency: false });
        assert_eq!((reply.status, &reply.headers[RETRY_AFTER]), (429, &HeaderValue::from_static("23")));
        assert_eq!(reply.body, Bytes::from_static(br#"{"error":"rate_limited","retry_after_seconds":23}"#));
        let reply = Reply::too_many(TooMany { retry_after_s: 1, concurrency: true });
        assert!(String::from_utf8_lossy(&reply.body).contains(r#""reason":"concurrency""#));
    }
}
