//! The wall clock of the running program, stepped while monotonic time goes on: nobody panics, nothing is granted again,
//! and a month begins once.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use time::macros::datetime;
use time::{Duration as Span, OffsetDateTime};

use super::used;
use crate::harness::Demo;
use crate::store::support::{Scratch, eventually};

const ALLOWANCE: u64 = 5;
const NOTHING_LEFT: [&str; 2] = ["quota_exceeded", "anonymous_capacity_exhausted"];
const ZONES: [&str; 4] = ["UTC", "Pacific/Kiritimati", "America/Los_Angeles", "Asia/Kolkata"];
const RULES: &str = "fixture_mode = true\n[issuer]\nenabled = true\n\
    [accounts]\nunits_per_month = 5\ncalls_per_minute = 100000\n\
    [anonymous]\nunits_per_day = 5\ncalls_per_minute = 100000\nrequests_burst = 10000";

/// A server whose wall clock can be set.
struct World {
    server: Demo,
    time: PathBuf,
    /// Removed with the test.
    folder: Scratch,
}

impl World {
    fn start(zone: &str, at: OffsetDateTime) -> Option<Self> {
        let folder = Scratch::new("stepped");
        let (data, time) = (folder.0.join("data"), folder.0.join("time"));
        certificate_for_all_times(&data);
        set(&time, at);
        let server = Demo::serving_in_time(RULES, data, &time, zone)?;
        Some(Self { server, time, folder })
    }

    fn set(&self, at: OffsetDateTime) {
        set(&self.time, at);
    }

    /// Kills the server and starts it again at another time.
    fn again_at(&mut self, at: OffsetDateTime) {
        self.server.kill();
        self.set(at);
        self.server = self.server.serving_again();
    }

    /// How an account and somebody without one are served now. The token is as old as the clock says.
    fn outcomes(&self) -> [String; 2] {
        let token = self.token();
        [self.server.call_as(&token, "get_artist", one_unit()), self.server.call("get_artist", one_unit())]
            .map(|answer| if answer.is_error { answer.error_type().to_owned() } else { "served".to_owned() })
    }

    fn token(&self) -> String {
        self.server.token_of("stepped")
    }

    /// Spends everything that both have, which is exactly their allowance.
    fn spend_all(&self) {
        let token = self.token();
        for _ in 0..ALLOWANCE {
            assert!(!self.server.call_as(&token, "get_artist", one_unit()).is_error);
            assert!(!self.server.call("get_artist", one_unit()).is_error);
        }
    }

    /// When the account's month ends.
    fn reset_at(&self) -> String {
        let usage = self.server.call_as(&self.token(), "get_usage", json!({}));
        usage.json["meta"]["quota"]["reset_at"].as_str().unwrap().to_owned()
    }

    fn nothing_is_left(&self, when: &str) {
        assert_eq!(self.outcomes(), NOTHING_LEFT, "{when}");
        let usage = self.server.call_as(&self.token(), "get_usage", json!({}));
        assert_eq!(used(&usage), ALLOWANCE, "{when}");
    }

    fn said_nothing_bad(&self) {
        let log = self.server.log();
        assert!(!log.contains("panicked"), "{log}");
        assert!(self.folder.0.is_dir());
    }
}

/// libfaketime takes the distance to the real clock, whatever the zone is.
pub fn set(file: &Path, at: OffsetDateTime) {
    let real = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64();
    let beside = file.with_extension("new");
    std::fs::write(&beside, format!("{:+.3}\n", at.unix_timestamp_nanos() as f64 / 1e9 - real)).unwrap();
    std::fs::rename(beside, file).unwrap();
}

/// Clients live by the real clock, so that a certificate of the moved one would not do.
pub fn certificate_for_all_times(data: &Path) {
    let names = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
    let mut params = rcgen::CertificateParams::new(names).unwrap();
    params.not_before = rcgen::date_time_ymd(1970, 1, 1);
    params.not_after = rcgen::date_time_ymd(2049, 1, 1);
    let key = rcgen::KeyPair::generate().unwrap();
    std::fs::create_dir_all(data).unwrap();
    std::fs::write(data.join("demo-cert.pem"), params.self_signed(&key).unwrap().pem()).unwrap();
    std::fs::write(data.join("demo-key.pem"), key.serialize_pem()).unwrap();
}

/// A question that nobody asked before and that costs exactly one unit.
fn one_unit() -> Value {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(1);
    json!({"key": format!("no-one-{}", NEXT.fetch_add(1, Ordering::Relaxed))})
}

/// In every zone at once, or a loud line that it cannot be done; `test` says whether it could.
#[expect(clippy::print_stderr, reason = "a test says what it could not do")]
fn in_every_zone(test: impl Fn(&str, usize) -> bool + Sync) {
    let done: Vec<bool> = std::thread::scope(|scope| {
        let test = &test;
        let zones: Vec<_> = ZONES
            .into_iter()
            .enumerate()
            .map(|(number, zone)| scope.spawn(move || test(zone, number)))
            .collect();
        zones.into_iter().map(|zone| zone.join().unwrap()).collect()
    });
    if !done.iter().all(|done| *done) {
        assert!(done.iter().all(|done| !done), "it could be done in some zones only");
        eprintln!("SKIPPED: a stepped wall clock: there is no libfaketime (apt-get install libfaketime)");
    }
}

#[test]
fn steps_of_the_wall_clock_grant_nothing_and_harm_nobody() {
    let noon = datetime!(2027-01-15 12:00 UTC);
    let steps = [
        noon + Span::HOUR,
        noon - Span::HOUR,
        noon + Span::DAY,
        noon - Span::DAY,
        datetime!(1970-01-01 00:00:10 UTC),
        datetime!(2027-02-15 12:00 UTC),
        noon,
    ];
    in_every_zone(|zone, _| {
        let Some(mut world) = World::start(zone, noon) else { return false };
        world.spend_all();
        world.nothing_is_left(zone);
        for at in steps {
            world.set(at);
            world.nothing_is_left(&format!("{zone}, stepped to {at}"));
        }
        world.said_nothing_bad();
        for at in [noon - Span::HOUR, noon - Span::DAY, datetime!(1970-01-01 00:00:10 UTC), noon] {
            world.again_at(at);
            world.nothing_is_left(&format!("{zone}, started at {at}"));
            world.said_nothing_bad();
        }
        true
    });
}

#[test]
fn a_month_and_a_day_begin_once_at_their_utc_edge() {
    let edges = [
        (datetime!(2027-02-01 00:00 UTC), "2027-02-01T00:00:00Z", "2027-03-01T00:00:00Z"),
        (datetime!(2028-03-01 00:00 UTC), "2028-03-01T00:00:00Z", "2028-04-01T00:00:00Z"),
    ];
    in_every_zone(|zone, number| {
        let (edge, this, next) = edges[number % edges.len()];
        // A slow machine may need longer until everything is spent and asked for, and then has to begin earlier.
        let mut leads = [8, 25, 80, 240].into_iter();
        let mut world = loop {
            let lead =
                leads.next().unwrap_or_else(|| panic!("{zone}: four minutes are too short for this machine"));
            let Some(world) = World::start(zone, edge - Span::seconds(lead)) else { return false };
            world.spend_all();
            let outcomes = world.outcomes();
            if world.reset_at() == this {
                assert_eq!(outcomes, NOTHING_LEFT, "{zone}, before the edge");
                break world;
            }
        };
        eventually("the month begins", || world.reset_at() == next);
        world.spend_all();
        world.nothing_is_left(&format!("{zone}, after the edge"));
        world.set(edge - Span::MINUTE);
        world.nothing_is_left(&format!("{zone}, stepped back"));
        for at in [edge - Span::MINUTE, edge + Span::MINUTE] {
            world.again_at(at);
            world.nothing_is_left(&format!("{zone}, started at {at}"));
        }
        world.said_nothing_bad();
        true
    });
}
