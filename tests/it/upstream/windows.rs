//! The degraded windows, once on real sockets.

use serde_json::json;

use super::peer::{Act, Peer, json as json_answer};
use super::{WIDE, caller, server_over};
use crate::harness::Demo;
use crate::metering::operator::admin;

fn card(server: &Demo, address: u8, key: &str) -> (String, u64) {
    let answer = server.call_from(caller(address), "get_artist", json!({"key": key}));
    let kind = if answer.is_error { answer.error_type() } else { "none" };
    (kind.to_owned(), answer.json["meta"]["units"].as_u64().expect("units"))
}

#[test]
fn hanging_dossiers_of_several_callers_close_that_family_and_leave_resolve_open() {
    let peer = Peer::start();
    peer.set("/api/v2/artist/", Act::SaysAndWaits(Vec::new()));
    peer.set("/api/v2/resolve", json_answer(200, r#"{"resolved_via":null}"#));
    peer.set("/api/v2/search", json_answer(200, r#"{"results":[]}"#));
    let server = server_over(peer.port, WIDE);
    // One caller alone opens nothing, however often; a success between keeps the service's own window shut.
    for n in 0..7 {
        assert_eq!(card(&server, 1, &format!("x-{n}")), ("upstream_error".to_owned(), 1));
        assert!(!server.call_from(caller(1), "resolve_artist", json!({"q": format!("Name {n}")})).is_error);
    }
    // Two of the failures above count; three more from two others make five from three.
    for (address, kind) in
        [(2, "upstream_error"), (2, "upstream_error"), (3, "upstream_error"), (4, "upstream_degraded")]
    {
        assert_eq!(card(&server, address, &format!("y-{address}")).0, kind, "{address}");
    }
    let asked = peer.seen("/api/v2/artist/").len();
    let closed = server.call_from(caller(5), "get_artist", json!({"key": "z"}));
    assert_eq!(closed.error_type(), "upstream_degraded");
    let wait = closed.json["error"]["data"]["retry_after_ms"].as_u64().expect("a wait");
    assert!((1..=30_000).contains(&wait), "{wait}");
    assert_eq!(closed.json["degraded"]["recommended_action"], "retry_after_30s");
    assert_eq!((peer.seen("/api/v2/artist/").len(), &closed.json["meta"]["units"]), (asked, &json!(0)));
    let resolve = server.call_from(caller(5), "resolve_artist", json!({"q": "Somebody"}));
    assert!(!resolve.is_error, "{}", resolve.json);
    // An operator sees the window and closes it.
    let listed = admin(&server, &["windows"]).expect("a list");
    let open = listed["windows"].as_array().expect("windows");
    assert!(open.len() == 1 && (1..=30).contains(&open[0][1].as_u64().expect("seconds")), "{listed}");
    let name = open[0][0].as_str().expect("a name");
    assert!(
        admin(&server, &["windows", "--close", "service"])
            .expect_err("it is shut")
            .contains("no open window")
    );
    assert_eq!(admin(&server, &["windows", "--close", name]).expect("it was open"), json!({"windows": []}));
    assert_eq!(card(&server, 6, "closed"), ("upstream_error".to_owned(), 1));
    assert_eq!(peer.seen("/api/v2/artist/").len(), asked + 1);
}

#[test]
fn ten_failures_in_a_row_close_the_whole_service() {
    let peer = Peer::start();
    peer.set("/api/v2/", json_answer(500, "{}"));
    // The server asks for three documents itself and fails at them, once again after a while: fewer are counted out.
    let server = server_over(peer.port, WIDE);
    let mut kinds = Vec::new();
    for n in 0..12 {
        let answer = server.call_from(caller(1), "get_artist", json!({"key": format!("x-{n}")}));
        kinds.push(answer.error_type().to_owned());
    }
    assert!(kinds[..6].iter().all(|kind| kind == "upstream_error"), "{kinds:?}");
    assert_eq!(kinds[11], "upstream_degraded", "{kinds:?}");
    let resolve = server.call_from(caller(2), "resolve_artist", json!({"q": "Somebody"}));
    assert_eq!(resolve.error_type(), "upstream_degraded");
}
