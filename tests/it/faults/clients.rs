//! Our own clients: they ask what an auditor can judge.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use http::{HeaderMap, HeaderName, HeaderValue, Method};
use serde_json::{Value, json};

use super::Member;
use crate::harness::{Demo, Envelope, JSON, artists};

/// What came back, and when.
#[derive(Debug)]
pub struct Answered {
    pub status: u16,
    /// `None` for what is no answer of a tool.
    pub envelope: Option<Envelope>,
    pub took: Duration,
}

impl Answered {
    /// The error, or `ok`, or the status.
    pub fn outcome(&self) -> String {
        match &self.envelope {
            Some(envelope) if envelope.is_error => envelope.error_type().to_owned(),
            Some(_) => "ok".to_owned(),
            None => self.status.to_string(),
        }
    }

    pub fn is(&self, outcome: &str) -> bool {
        self.outcome() == outcome
    }
}

/// Asks; `None` from a server that is gone. An answer to another request of the same connection is a failure.
pub fn ask(server: &Demo, member: Option<&Member>, tool: &str, arguments: &Value) -> Option<Answered> {
    let mut headers = HeaderMap::new();
    let bearer = member.map(|member| format!("Bearer {}", member.token));
    let mut all = vec![
        JSON,
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2025-11-25"),
        ("x-forwarded-for", "192.0.2.77"),
    ];
    all.extend(bearer.as_deref().map(|bearer| ("authorization", bearer)));
    for (name, value) in all {
        let name = HeaderName::from_bytes(name.as_bytes()).expect("a header name");
        headers.append(name, HeaderValue::from_str(value).expect("a header value"));
    }
    let id = number();
    let body = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
        "params": {"name": tool, "arguments": arguments}});
    let began = Instant::now();
    let answer = server.try_send_with(Method::POST, "/mcp/full", headers, body.to_string())?;
    let took = began.elapsed();
    let envelope = (answer.status == 200).then(|| answer.envelope());
    if envelope.is_some() {
        assert_eq!(answer.json()["id"], id, "the answer to somebody else's request");
    }
    Some(Answered { status: answer.status, envelope, took })
}

/// Numbers that never come twice.
pub fn number() -> u64 {
    use std::sync::atomic::AtomicU64;
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A question that nobody asked before: it always costs a unit, and nobody has that id.
pub fn nobody() -> Value {
    json!({"cluster_id": format!("{:064x}", 0xF000_0000_0000 + number())})
}

/// One of several questions in turn: most are new, some have been asked before.
pub fn question(turn: u64) -> (&'static str, Value) {
    let artists = artists();
    let artist = &artists[usize::try_from(turn).expect("a turn") % artists.len()];
    match turn % 8 {
        0 => ("get_artist", json!({"key": artist.slug})),
        1 => ("get_usage", json!({})),
        _ => ("resolve_artist", nobody()),
    }
}

/// Whoever goes on until it is told ends with this, however that ends.
pub struct Ends<'a>(pub &'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
