//! A data service that says what an input says.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use ono_sendai::clock::Clock;
use ono_sendai::crate_client::cache::CacheLimits;
use ono_sendai::crate_client::transport::{Answer, Hints, Request, Sending, Transport};
use ono_sendai::crate_client::{ClientSettings, CrateClient, Extension, Shelves, Switch, UpstreamFault};
use serde_json::Value;

use crate::NOW;
use crate::recorder::Exchange;

/// The most bytes of a body that the real transport hands on.
const BODY_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Answers one request after the other with the parts of an input, and then with 404. The first byte of a part is the
/// status.
#[derive(Debug)]
pub struct Told {
    left: Mutex<VecDeque<Vec<u8>>>,
    said: Mutex<Vec<Exchange>>,
}

impl Told {
    /// A service that says these parts.
    pub fn of<'a>(parts: impl Iterator<Item = &'a [u8]>) -> Arc<Self> {
        let left = parts.map(<[u8]>::to_vec).collect();
        Arc::new(Self { left: Mutex::new(left), said: Mutex::default() })
    }

    /// What was said since this was last asked.
    pub fn take(&self) -> Vec<Exchange> {
        std::mem::take(&mut *self.said.lock().expect("whole"))
    }
}

/// A body as the judge reads it. A number that no program can hold spoils the whole of a `Value`, but not the answer for
/// whoever does not read that number; nothing that is shown may come from it.
fn read(body: &[u8]) -> Value {
    serde_json::from_slice(body).unwrap_or_else(|_| {
        let text = std::str::from_utf8(body).unwrap_or_default();
        serde_json::from_str(&without_giants(text)).unwrap_or_default()
    })
}

/// The same text with `null` for each number that is larger than any that can be held.
fn without_giants(text: &str) -> String {
    let (mut kept, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => text_length(rest),
            '-' | '0'..='9' => rest
                .find(|c: char| !matches!(c, '0'..='9' | '+' | '-' | '.' | 'e' | 'E'))
                .unwrap_or(rest.len()),
            other => other.len_utf8(),
        };
        let (piece, behind) = rest.split_at(length);
        let is_giant = first != '"' && piece.parse::<f64>().is_ok_and(f64::is_infinite);
        kept.push_str(if is_giant { "null" } else { piece });
        rest = behind;
    }
    kept
}

/// How many bytes the text takes that begins here, with its marks of quotation.
fn text_length(rest: &str) -> usize {
    let mut is_escaped = true;
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            b'"' if !is_escaped => return at + 1,
            b'\\' if !is_escaped => is_escaped = true,
            _ => is_escaped = false,
        }
    }
    rest.len()
}

/// The status that a byte stands for; a broken connection for the rest.
fn status(byte: u8) -> Option<u16> {
    match byte {
        b' ' => Some(200),
        b'0' => Some(400),
        b'1' => Some(401),
        b'4' => Some(404),
        b'9' => Some(429),
        b'5' => Some(500),
        b'3' => Some(503),
        b'2' => Some(302),
        _ => None,
    }
}

impl Transport for Told {
    fn send<'a>(&'a self, request: Request<'a>) -> Sending<'a> {
        let steps: Vec<&str> = request.path.split('/').collect();
        let is_sound = |step: &&str| !step.is_empty() && *step != "." && *step != "..";
        assert!(
            request.path.starts_with("/api/v2/") && steps[1..].iter().all(is_sound) && steps.len() <= 6,
            "asked for {}",
            request.path
        );
        for (_, value) in request.query {
            assert!(!value.chars().any(char::is_control), "asked with {value:?}");
        }
        let next = self.left.lock().expect("whole").pop_front().unwrap_or_else(|| b"4{}".to_vec());
        let (first, body) = next.split_first().unwrap_or((&b'4', &[]));
        let Some(status) = status(*first).filter(|_| body.len() <= BODY_BYTES_MAX) else {
            return Box::pin(async { Err(UpstreamFault::Unreachable) });
        };
        // Only what was said with 200 is a fact.
        let body = body.to_vec();
        let told = if status == 200 { read(&body) } else { Value::Null };
        let exchange =
            Exchange { method: "get".to_owned(), target: request.path.to_owned(), status, body: told };
        self.said.lock().expect("whole").push(exchange);
        Box::pin(async move { Ok(Answer { status, body: Bytes::from(body), hints: Hints::default() }) })
    }
}

/// A client over `transport`, which has `extensions`, without a plan or a cache.
pub fn client(transport: Arc<dyn Transport>, extensions: &[Extension]) -> CrateClient {
    let settings = ClientSettings {
        call_deadline: Duration::from_secs(8),
        plan: None,
        cache: CacheLimits { max_bytes: 0, lifetimes: Default::default() },
        extensions: extensions.iter().map(|extension| (*extension, Switch::On)).collect(),
    };
    CrateClient::new(transport, settings, Shelves::default(), Clock::wound_to(NOW))
}

/// A runtime whose clock stands still while there is something to do, and moves on when there is not.
pub fn runtime() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_time().start_paused(true).build().expect("a runtime")
}
