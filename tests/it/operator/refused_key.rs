//! The data service refuses the key of this server: nothing else tells its operator as plainly.

use serde_json::{Value, json};

use super::moved::{grew, of};
use super::{ANY_PORT, get, metrics, port_of, until};
use crate::upstream::peer::{Peer, json as answers};
use crate::upstream::server_with;

const ERROR: &str = "the data service refuses the key of this server";

#[test]
fn a_refused_key_is_an_alarm_once_until_it_is_taken_again() {
    let peer = Peer::start();
    let server = server_with(peer.port, "", ANY_PORT);
    let port = port_of(&server);
    let lines =
        || server.log().lines().filter(|line| line.contains(ERROR)).map(str::to_owned).collect::<Vec<_>>();
    let gauge = |told: &super::Values| of(told, "ono_upstream_key_refused").round() as i64;
    let series = || -> Value {
        let document: Value = serde_json::from_str(&get(port, "/series").body).expect("JSON");
        document["gauges"]["upstream_key_refused"].clone()
    };
    let before = metrics(port);
    assert_eq!((gauge(&before), series()), (0, Value::Null));
    for round in 1..=2 {
        for path in ["/api/v2/resolve", "/api/v2/artist/"] {
            peer.set(path, answers(401, r#"{"error":"invalid_api_key"}"#));
        }
        let begun = metrics(port);
        for n in 0..16 {
            let refused = match n % 2 {
                0 => server.call("resolve_artist", json!({"q": format!("Somebody {round} {n}")})),
                _ => server.call("get_artist", json!({"key": format!("x-{round}-{n}")})),
            };
            assert!(format!("{refused:?}").contains("credentials_refused"), "{refused:?}");
        }
        let told = metrics(port);
        let counted = ["resolve", "artist"].map(|family| {
            format!("ono_upstream_requests_total{{family=\"{family}\",outcome=\"key_refused\"}}")
        });
        let counted = grew(&begun, &told, &counted.each_ref().map(String::as_str));
        assert!(counted.iter().sum::<i64>() >= 16, "{counted:?}");
        assert_eq!((gauge(&told), series()), (1, json!(401)));
        // One line for each time that it begins, however many calls fail, and it is no line of a call.
        let lines = lines();
        assert_eq!(lines.len(), round, "{lines:?}");
        assert!(lines.iter().all(|line| line.contains("ERROR")), "{lines:?}");
        // A new start would not mend it.
        assert_eq!(of(&told, "ono_ready").round() as i64, 1);
        for path in ["/api/v2/resolve", "/api/v2/artist/"] {
            peer.set(path, answers(200, r#"{"resolved_via":null,"identity":null}"#));
        }
        server.call("resolve_artist", json!({"q": format!("Somebody Else {round}")}));
        until(|| metrics(port), "the key to be taken", |told| gauge(told) == 0);
        assert_eq!(series(), Value::Null);
    }
}

#[test]
fn what_is_not_sent_is_neither_a_hit_nor_a_miss() {
    let peer = Peer::start();
    peer.set("/api/v2/artist/", answers(500, "{}"));
    let server = server_with(peer.port, "", ANY_PORT);
    let port = port_of(&server);
    let ask = |n: u8| {
        let address = std::net::Ipv4Addr::new(192, 0, 2, 1 + n % 4);
        server.call_from(address.into(), "get_artist", json!({"key": format!("x-{n}")}));
    };
    let from = |word: &str| format!("ono_upstream_fetches_total{{from=\"{word}\"}}");
    let open = |told: &super::Values| {
        ["service", "artist"].iter().any(|scope| {
            told.get(&format!("ono_degraded_window_open{{scope=\"{scope}\"}}"))
                .is_some_and(|open| *open > 0.0)
        })
    };
    for n in 0..12 {
        ask(n);
    }
    let before = metrics(port);
    assert!(open(&before), "no window is open");
    for n in 100..110 {
        ask(n);
    }
    let after = metrics(port);
    let names = ["not_sent", "cache", "flight"].map(from);
    assert_eq!(grew(&before, &after, &names.each_ref().map(String::as_str))[1..], [0, 0]);
    let unsent = grew(&before, &after, &[&names[0], &from("service")]);
    // The window may have let a trial through meanwhile, which is asked for and fails.
    assert!(unsent[0] >= 8 && unsent.iter().sum::<i64>() >= 10, "{unsent:?}");
}
