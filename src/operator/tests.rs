//! What operators are answered, by a source whose counts a test sets.

use std::time::Duration;

use http::Request;
use serde_json::{Value, json};
use time::macros::datetime;

use super::ring::KEPT;
use super::series::{AccountsNow, BackupsNow, Budget, LadderNow, ReloadNow};
use super::*;
use crate::telemetry::count::Histogram;

/// A source whose counts a test sets.
#[derive(Debug, Default)]
struct Set(Mutex<Pulse>);

fn known() -> Known {
    Known {
        version: "0.0.0",
        public_base: "https://localhost:8443".into(),
        is_demo: true,
        started: 1,
        errors: vec!["internal", "rate_limited"],
        tools: vec!["get_artist", "get_label"],
        families: vec!["artist"],
    }
}

impl Source for Set {
    fn known(&self) -> Known {
        known()
    }

    fn samples(&self, _: Metric) -> Vec<Sample> {
        Sample::plain(1)
    }

    fn pulse(&self) -> Pulse {
        self.0.lock().unwrap().clone()
    }

    fn gauges(&self) -> Gauges {
        Gauges {
            anonymous: Budget { used: 1, of: 2, resets: 3, paused: false },
            accounts: AccountsNow { active_today: 0, at_limit: 0 },
            upstream_plan: None,
            upstream_key_refused: None,
            ladder: LadderNow { step: "L0", words: "nothing is given up", by_hand: false },
            tools_off: Vec::new(),
            store: "good".into(),
            backups: BackupsNow {
                is_on: true,
                every_s: Some(3_600),
                written: 1,
                failed: 0,
                put_off: 0,
                last: Some(1),
                missing: None,
            },
            reload: ReloadNow {
                configuration_refused: None,
                certificate_refused: None,
                waits_for_start: Vec::new(),
                files_wait_for_start: Vec::new(),
                renewal: None,
            },
            certificates: Vec::new(),
            not_ready: Vec::new(),
        }
    }
}

fn zero() -> Pulse {
    let families = vec![FamilyPulse { is_open: false, asked: 0, failed: 0 }];
    Pulse { errors: vec![0; 2], tools: vec![0; 2], families, ..Pulse::default() }
}

fn operator(clock: &Clock) -> Operator<Set> {
    let names = Names::at("127.0.0.1:9464".parse().unwrap());
    Operator::new(Set(Mutex::new(zero())), names, clock.clone())
}

fn ask(operator: &Operator<Set>, method: &str, target: &str) -> Response<Bytes> {
    let request = Request::builder().method(method).uri(target).header("host", "localhost:9464");
    operator.answer(&request.body(()).unwrap().into_parts().0)
}

fn series(operator: &Operator<Set>, target: &str) -> Value {
    serde_json::from_slice(ask(operator, "GET", target).body()).unwrap()
}

#[test]
fn each_step_holds_what_came_in_it_and_every_array_is_as_long() {
    let clock = Clock::wound_to(datetime!(2027-01-31 12:00 UTC));
    let operator = operator(&clock);
    let histogram = Histogram::default();
    let step = |change: &dyn Fn(&mut Pulse)| {
        clock.advance(Duration::from_secs(5));
        change(&mut operator.source.0.lock().unwrap());
        operator.look();
    };
    step(&|_| ());
    step(&|pulse| {
        (0..20).for_each(|_| histogram.note(Duration::from_millis(2)));
        pulse.latency = histogram.read();
        pulse.calls = 20;
        pulse.tools = vec![20, 0];
        pulse.errors = vec![0, 3];
        pulse.families = vec![FamilyPulse { is_open: false, asked: 4, failed: 1 }];
        (pulse.cache, pulse.units, pulse.connections) = ((1, 4), [2, 0], 7);
    });
    step(&|pulse| pulse.families = vec![FamilyPulse { is_open: true, asked: 4, failed: 1 }]);
    let document = series(&operator, "/series");
    let first = datetime!(2027-01-31 12:00:05 UTC).unix_timestamp();
    assert_eq!(document["t"], json!([first, first + 5, first + 10]));
    assert_eq!(document["calls"], json!([0, 20, 0]));
    assert_eq!(document["errors"], json!({"rate_limited": [0, 3, 0]}));
    assert_eq!(document["tools"], json!({"get_artist": [0, 20, 0]}));
    let artist = json!({"state": ["no_data", "none", "degraded"], "asked": [0, 4, 0], "failed": [0, 1, 0]});
    assert_eq!(document["families"], json!({"artist": artist}));
    assert_eq!(
        (&document["cache_hit"], &document["replay_hit"]),
        (&json!([null, 0.25, null]), &json!([null, null, null]))
    );
    assert_eq!(document["units"], json!({"anonymous": [0, 2, 0], "accounts": [0, 0, 0]}));
    assert_eq!(document["connections"], json!([0, 7, 7]));
    let p50 = &document["latency_ms"]["p50"];
    assert!(p50[0].is_null() && (1.0..=2.5).contains(&p50[1].as_f64().unwrap()), "{p50}");
    let newer = series(&operator, &format!("/series?after={}", first + 5));
    assert_eq!((&newer["t"], &newer["calls"]), (&json!([first + 10]), &json!([0])));
    assert_eq!(newer["errors"], json!({"rate_limited": [0]}), "the keys are those of all that is kept");
    assert_eq!((&document["step_s"], &document["kept_s"]), (&json!(5), &json!(3600)));
}

/// The times of the steps that are told.
fn times(operator: &Operator<Set>) -> Vec<i64> {
    let document = series(operator, "/series");
    document["t"].as_array().unwrap().iter().map(|t| t.as_i64().unwrap()).collect()
}

#[test]
fn an_hour_is_kept_and_no_more() {
    let clock = Clock::wound_to(datetime!(2027-01-31 12:00 UTC));
    let operator = operator(&clock);
    for _ in 0..KEPT + 50 {
        clock.advance(STEP);
        operator.look();
    }
    let t = times(&operator);
    assert_eq!(t.len(), KEPT);
    assert!(t.windows(2).all(|two| two[0] < two[1]));
    assert_eq!(t[KEPT - 1] - t[0] + i64::from(STEP_S), 3_600);
}

#[test]
fn a_clock_that_is_set_back_leaves_nothing_that_lies_ahead_of_it_and_the_figures_go_on_at_once() {
    let clock = Clock::wound_to(datetime!(2027-01-31 12:00 UTC));
    let operator = operator(&clock);
    let step = |calls: u64| {
        clock.advance(STEP);
        operator.source.0.lock().unwrap().calls += calls;
        operator.look();
    };
    (0..20).for_each(|_| step(1));
    for back in [datetime!(2027-01-31 12:00:51 UTC), datetime!(2027-01-31 11:00 UTC)] {
        clock.step_utc(back);
        let before: Vec<i64> =
            times(&operator).into_iter().filter(|t| *t < back.unix_timestamp() + 5).collect();
        for steps in 1..=3 {
            step(7);
            let now = clock.utc().unix_timestamp();
            let t = times(&operator);
            assert_eq!((t.len(), t.last()), (before.len() + steps, Some(&now)));
            assert!(t.starts_with(&before) && t.windows(2).all(|two| two[0] < two[1]), "{t:?}");
            let document = series(&operator, "/series");
            assert_eq!(
                document["calls"].as_array().unwrap().last(),
                Some(&json!(7)),
                "none is counted twice"
            );
        }
    }
    assert_eq!(times(&operator).len(), 3, "an hour back, nothing of before is past");
    // Whoever keeps some of before is told to ask for all anew.
    assert_eq!(series(&operator, "/series?after=0")["set_back"], json!(2));
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_slept_has_one_long_step_behind_it_and_not_many_that_are_empty() {
    let clock = Clock::wound_to(datetime!(2027-01-31 12:00 UTC));
    let operator = Arc::new(operator(&clock));
    let looking = tokio::spawn(Arc::clone(&operator).by_itself());
    tokio::task::yield_now().await;
    clock.advance(STEP * 100);
    operator.source.0.lock().unwrap().calls = 7;
    tokio::time::advance(STEP * 100).await;
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
    // Each further look at the same moment would take the place of the one before, with what came in it.
    assert_eq!(series(&operator, "/series")["calls"], json!([7]));
    looking.abort();
}

#[test]
fn nothing_but_reading_is_answered_and_every_answer_has_the_same_guard_fields() {
    let operator = operator(&Clock::wound_to(datetime!(2027-01-31 12:00 UTC)));
    for (method, target, status) in [
        ("GET", "/", 200),
        ("HEAD", "/metrics", 200),
        ("GET", "/page.js", 200),
        ("GET", "/words.js", 200),
        ("GET", "/healthz", 200),
        ("GET", "/series?after=0", 200),
        ("GET", "/series?after=now", 400),
        ("GET", "/series?before=1", 400),
        ("GET", "/mcp", 404),
        ("GET", "/../Cargo.toml", 404),
        ("POST", "/metrics", 405),
        ("OPTIONS", "/series", 405),
    ] {
        let answer = ask(&operator, method, target);
        assert_eq!(answer.status().as_u16(), status, "{method} {target}");
        let field =
            |name: &str| answer.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        assert!(field("content-security-policy").starts_with("default-src 'none'; script-src 'self';"));
        assert_eq!((field("x-content-type-options"), field("cache-control")), ("nosniff", "no-store"));
        assert!(answer.headers().keys().all(|name| !name.as_str().starts_with("access-control")));
    }
}
