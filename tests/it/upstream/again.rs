//! Identical calls over a service that fails first: a failure is never answered again from before.

use serde_json::json;

use super::peer::{Act, Peer, json as json_answer};
use super::{CALL_MS, WIDE, server_with};

#[test]
fn a_call_that_failed_runs_again_and_only_its_success_is_replayed() {
    let peer = Peer::start();
    let missing = json_answer(404, r#"{"error":"not_found"}"#);
    for failure in [json_answer(500, "{}"), json_answer(503, "{}"), Act::SaysAndWaits(Vec::new())] {
        peer.set("/api/v2/artist/", Act::First(Box::new(failure), Box::new(missing.clone())));
        let rest = format!("[deadlines]\ncall_ms = {CALL_MS}\ntool_ms = 5000\n[issuer]\nenabled = true\n");
        let server = server_with(peer.port, WIDE, &rest);
        let token = server.token_of("again");
        let before = peer.seen("/api/v2/artist/").len();
        let ask = || server.call_as(&token, "get_artist", json!({"key": "somebody"}));
        let failed = ask();
        assert_eq!((failed.error_type(), &failed.json["meta"]["replay"]), ("upstream_error", &json!(false)));
        let served = ask();
        assert_eq!(
            (served.is_error, &served.json["meta"]["replay"]),
            (false, &json!(false)),
            "{}",
            served.json
        );
        let replayed = ask();
        assert_eq!(&replayed.json["meta"]["replay"], &json!(true), "{}", replayed.json);
        assert_eq!(replayed.json["meta"]["quota"]["used"], served.json["meta"]["quota"]["used"]);
        assert_eq!(peer.seen("/api/v2/artist/").len() - before, 2);
    }
}
