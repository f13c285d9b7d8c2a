//! A disk that is full or read-only under a running server: what is metered is refused at once, the rest is served, and
//! it recovers.

use std::io::Write as _;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;

use super::operator::admin;
use super::{fresh, used};
use crate::harness::Demo;
use crate::store::disk_full::Small;
use crate::store::power_cut::{Mounted, made};
use crate::store::support::{Scratch, eventually};

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

#[test]
fn a_disk_that_turns_read_only_under_load_stops_what_is_metered_and_loses_nothing() {
    let scratch = Scratch::new("read-only");
    let (image, folder) = (scratch.0.join("disk"), scratch.0.join("mounted"));
    let Some(mounted) = Some(()).filter(|()| made(&image)).and_then(|()| Mounted::new(&image, &folder))
    else {
        eprintln!("SKIPPED: a disk that turns read-only: nothing may be mounted here");
        return;
    };
    let server = Demo::on(mounted.0.join("data"));
    let token = server.token_of("read-only");
    let before = server.call_as(&token, "resolve_artist", fresh());
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let began = Instant::now();
                    let answer = server.call_as(&token, "resolve_artist", fresh());
                    assert!(began.elapsed() < Duration::from_secs(5), "an answer took {:?}", began.elapsed());
                    assert!(
                        !answer.is_error || answer.error_type() == "metering_unavailable",
                        "{}",
                        answer.json
                    );
                }
            });
        }
        // What a kernel does to a file system that it finds damaged.
        let turned = Command::new("mount").args(["-o", "remount,abort"]).arg(&mounted.0).status();
        assert!(turned.unwrap().success());
        eventually("what is metered is refused", || {
            server.call_as(&token, "resolve_artist", fresh()).is_error
        });
        for _ in 0..3 {
            let began = Instant::now();
            let refused = server.call_as(&token, "resolve_artist", fresh());
            assert_eq!(refused.error_type(), "metering_unavailable", "{}", refused.json);
            assert!(began.elapsed() < Duration::from_secs(2), "a refusal took {:?}", began.elapsed());
            assert!(!server.call_as(&token, "get_usage", json!({})).is_error);
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(!server.log().contains("panicked at"), "{}", server.log());
    server.kill();
    drop(mounted);
    let _mounted = Mounted::new(&image, &folder).unwrap();
    // It may get another port, and then its issuer has another name.
    let next = Demo::on(server.data());
    let accounts = admin(&next, &["accounts"]).unwrap();
    assert!(accounts["accounts"]["accounts"][0]["used"].as_u64() >= Some(used(&before)), "{accounts}");
    assert!(!next.call_as(&next.token_of("read-only"), "resolve_artist", fresh()).is_error);
}
