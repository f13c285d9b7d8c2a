//! A full disk under a running server: what is metered is refused at once, the rest is served, and it recovers.

use std::io::Write as _;
use std::time::{Duration, Instant};

use serde_json::json;

use super::fresh;
use crate::harness::Demo;
use crate::store::disk_full::Small;
use crate::store::support::eventually;

#[test]
fn a_full_disk_stops_what_is_metered_and_nothing_else_and_only_as_long_as_it_is_full() {
    let Some(disk) = Small::mount("24m") else { return };
    let server = Demo::on(disk.path().join("data"));
    let token = server.token_of("full");
    assert!(!server.call_as(&token, "resolve_artist", fresh()).is_error);
    let filler = disk.path().join("filler");
    let mut file = std::fs::File::create(&filler).unwrap();
    while file.write_all(&[1; 65_536]).is_ok() {}
    drop(file);
    eventually("what is metered is refused", || {
        let began = Instant::now();
        let answer = server.call_as(&token, "resolve_artist", fresh());
        assert!(began.elapsed() < Duration::from_secs(5), "an answer took {:?}", began.elapsed());
        answer.is_error && answer.error_type() == "metering_unavailable"
    });
    for _ in 0..3 {
        let began = Instant::now();
        let refused = server.call_as(&token, "resolve_artist", fresh());
        assert_eq!(refused.error_type(), "metering_unavailable", "{}", refused.json);
        assert!(refused.json["error"]["data"]["retry_after_ms"].is_u64());
        assert!(began.elapsed() < Duration::from_secs(2));
        assert!(server.call("resolve_artist", fresh()).is_error, "anonymous calls are metered too");
        assert!(!server.call_as(&token, "get_usage", json!({})).is_error);
        let readiness = server.send(http::Method::GET, "/readyz", &[], "");
        assert!(readiness.status == 503 && String::from_utf8_lossy(&readiness.body).contains("store"));
        assert_eq!(server.send(http::Method::GET, "/healthz", &[], "").status, 200);
    }
    std::fs::remove_file(filler).unwrap();
    eventually("it recovers", || !server.call_as(&token, "resolve_artist", fresh()).is_error);
    assert!(!server.call("resolve_artist", fresh()).is_error);
}
