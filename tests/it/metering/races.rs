//! Many callers at once and few units.

use serde_json::json;

use super::used;
use crate::harness::Demo;

#[test]
fn callers_that_race_for_the_last_units_spend_exactly_those() {
    let allowance = 10;
    let server = Demo::serving(
        "fixture_mode = true",
        &format!(
            "[accounts]\nunits_per_month = {allowance}\ncalls_per_minute = 100000\ncalls_at_once = 64\n[issuer]\nenabled = true"
        ),
    );
    let rounds: u32 = std::env::var("ONO_RACE_ROUNDS").map_or(5, |rounds| rounds.parse().unwrap());
    for round in 0..rounds {
        let token = server.token_of(&format!("race-{round}"));
        let served: u64 = std::thread::scope(|scope| {
            let calls: Vec<_> = (0..50)
                .map(|_| {
                    let (server, token) = (&server, &token);
                    scope.spawn(move || {
                        let answer = server.call_as(token, "get_artist", one_unit());
                        assert!(answer.is_error == (answer.json["ok"] == json!(false)));
                        answer.json["meta"]["units"].as_u64().unwrap()
                    })
                })
                .collect();
            calls.into_iter().map(|call| call.join().unwrap()).sum()
        });
        let usage = server.call_as(&token, "get_usage", json!({}));
        assert_eq!(used(&usage), served, "what was told is what was charged");
        assert_eq!(served, allowance);
    }
}

/// A question that nobody asked before and that costs exactly one unit.
fn one_unit() -> serde_json::Value {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(1);
    json!({"key": format!("nobody-{}", NEXT.fetch_add(1, Ordering::Relaxed))})
}
