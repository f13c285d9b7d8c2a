//! Places of an account: never more of its calls at the service at once than it has.

use std::time::Duration;

use serde_json::json;

use super::peer::{Act, Peer, whole};
use super::{WIDE, server_with};
use crate::store::support::rounds;

const CALLERS: usize = 50;
const PLACES: usize = 4;

#[test]
fn fifty_calls_of_an_account_at_once_are_never_more_than_four_at_the_service() {
    let peer = Peer::start();
    let nobody = whole(404, "content-type: application/json\r\n", br#"{"error":"not_found"}"#);
    peer.set("/api/v2/artist/", Act::Later(Duration::from_millis(100), nobody));
    let rest = format!(
        "[deadlines]\ncall_ms = 8000\ntool_ms = 12000\n[issuer]\nenabled = true\n\
         [accounts]\ncalls_per_minute = 100000\ncalls_at_once = {PLACES}\n"
    );
    let server = server_with(peer.port, WIDE, &rest);
    let warm = server.token_of("warm");
    assert!(!server.call_as(&warm, "get_artist", json!({"key": "warm"})).is_error);
    for round in 0..rounds("ONO_RACE_ROUNDS", 3) {
        let token = server.token_of(&format!("places-{round}"));
        let before = peer.seen("/api/v2/artist/").len();
        let answers: Vec<_> = std::thread::scope(|scope| {
            let calls: Vec<_> = (0..CALLERS)
                .map(|n| {
                    let (server, token) = (&server, &token);
                    let arguments = json!({"key": format!("places-{round}-{n}")});
                    scope.spawn(move || server.call_as(token, "get_artist", arguments))
                })
                .collect();
            calls.into_iter().map(|call| call.join().expect("an answer")).collect()
        });
        let refused = answers.iter().filter(|answer| answer.is_error);
        let refused: Vec<_> = refused
            .map(|answer| (answer.error_type(), answer.json["error"]["data"]["reason"].as_str()))
            .collect();
        assert!(refused.iter().all(|told| *told == ("rate_limited", Some("concurrency"))), "{refused:?}");
        let asked = peer.seen("/api/v2/artist/").len() - before;
        assert_eq!(asked, CALLERS - refused.len(), "who is refused asks nothing, and the others ask once");
        assert!(refused.len() >= CALLERS / 2, "only {} were refused: they did not race", refused.len());
        assert!(peer.most_at_once() <= PLACES, "{} were at the service at once", peer.most_at_once());
    }
    assert_eq!(peer.most_at_once(), PLACES);
}
