//! The plan of the key: what the service sees of three hundred callers at once.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::time::{Duration, Instant};

use serde_json::json;

use super::peer::{Act, Peer, whole};
use super::server_with;
use crate::harness::Demo;

const CALLERS: usize = 300;
const ARTISTS: usize = 30;
const TOOL_MS: u64 = 12_000;
const LATENCY: Duration = Duration::from_millis(60);

/// As the service's own plan of the smallest kind.
const PLAN: &str = "in_flight = 2\nper_minute = 60";

fn address(n: usize) -> IpAddr {
    IpAddr::from(Ipv4Addr::from(0xc612_0000 + u32::try_from(n).expect("few")))
}

/// One token for each account.
fn tokens(server: &Demo) -> Vec<String> {
    const AT_ONCE: usize = 6;
    std::thread::scope(|scope| {
        let parts: Vec<_> = (0..AT_ONCE)
            .map(|part| {
                let subjects = (0..CALLERS).filter(move |n| n % AT_ONCE == part);
                scope.spawn(move || {
                    subjects.map(|n| server.token_of(&format!("account-{n}"))).collect::<Vec<_>>()
                })
            })
            .collect();
        parts.into_iter().flat_map(|part| part.join().expect("tokens")).collect()
    })
}

#[test]
fn three_hundred_callers_at_once_stay_within_the_plan_and_each_is_answered_in_time() {
    let peer = Peer::start();
    let nobody = whole(200, "content-type: application/json\r\n", br#"{"resolved_via":null}"#);
    peer.set("/api/v2/resolve", Act::Later(LATENCY, nobody));
    let rest = format!("[deadlines]\ncall_ms = 8000\ntool_ms = {TOOL_MS}\n[issuer]\nenabled = true\n");
    let server = server_with(peer.port, PLAN, &rest);
    let tokens = tokens(&server);
    let mut outcomes: BTreeMap<String, usize> = BTreeMap::new();
    // Thrice over, with other artists each time: more than a minute's plan has room for. First three hundred
    // accounts ask, then every second one is an address without an account.
    for round in 0..3 {
        let answers: Vec<(String, Duration, u64, bool)> = std::thread::scope(|scope| {
            let calls: Vec<_> = (0..CALLERS)
                .map(|n| {
                    let (server, token) = (&server, Some(&tokens[n]).filter(|_| round == 0 || n % 2 == 0));
                    scope.spawn(move || {
                        let id = 1 + round * ARTISTS + n % ARTISTS;
                        let begun = Instant::now();
                        let arguments = json!({"discogs_id": id});
                        let answer = match token {
                            Some(token) => server.call_as(token, "resolve_artist", arguments),
                            None => server.call_from(address(n), "resolve_artist", arguments),
                        };
                        let refused = match token {
                            Some(_) => "linked_capacity_exhausted",
                            None => "anonymous_capacity_exhausted",
                        };
                        let took = begun.elapsed();
                        let meta = &answer.json["meta"];
                        let units = meta["units"].as_u64().expect("units");
                        if !answer.is_error {
                            return ("answer".to_owned(), took, units, meta["cache_hit"] == true);
                        }
                        let data = &answer.json["error"]["data"];
                        assert_eq!((answer.error_type(), units), (refused, 0), "{}", answer.json);
                        let wait = data["retry_after_ms"].as_u64().expect("a wait");
                        assert!((1..=61_000).contains(&wait), "{wait}");
                        ("refused".to_owned(), took, units, false)
                    })
                })
                .collect();
            calls.into_iter().map(|call| call.join().expect("a call")).collect()
        });
        for (kind, took, units, cache_hit) in answers {
            assert!(took < Duration::from_millis(TOOL_MS), "{took:?}");
            assert_eq!(cache_hit, kind == "answer" && units == 0, "{kind} {units}");
            *outcomes.entry(format!("{kind} for {units}")).or_default() += 1;
        }
    }
    let seen = peer.seen("/");
    let asked: BTreeMap<&str, usize> = seen.iter().fold(BTreeMap::new(), |mut all, seen| {
        *all.entry(seen.target.as_str()).or_default() += 1;
        all
    });
    assert!(asked.values().all(|times| *times == 1), "an identical request was made again: {asked:?}");
    assert!(peer.most_at_once() <= 2, "{} at once", peer.most_at_once());
    for (at, first) in seen.iter().enumerate() {
        let within =
            seen[at..].iter().take_while(|seen| seen.at - first.at < Duration::from_secs(60)).count();
        assert!(within <= 60, "{within} in a minute");
    }
    let resolved = peer.seen("/api/v2/resolve").len();
    assert_eq!(outcomes.get("answer for 1").copied().unwrap_or_default(), resolved, "{outcomes:?}");
    assert!(resolved >= 30, "the plan has room for these: {outcomes:?}");
    assert!(outcomes.get("refused for 0").copied().unwrap_or_default() > 0, "{outcomes:?}");
    assert_eq!(outcomes.values().sum::<usize>(), 3 * CALLERS);
}
