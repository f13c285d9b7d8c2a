//! The service's documents about its data: fetched in the background, and read without asking it.

use std::time::Instant;

use serde_json::{Value, json};

use super::peer::{Act, Peer, json as json_answer};
use super::{WIDE, caller, server_over};
use crate::harness::{Demo, PATIENCE};

const MANIFEST: &str = "/api/v2/dossier/manifest";
const DICTIONARY: &str = "/api/v2/semantics/dictionary.json";

/// A resource: what it says, and what is said of the copy.
fn read(server: &Demo, uri: &str) -> (Value, Value) {
    let result = server.modern("resources/read", json!({"uri": uri})).result();
    let contents = &result["contents"][0];
    let text = contents["text"].as_str().expect("text");
    (serde_json::from_str(text).expect("JSON"), contents["_meta"].clone())
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[test]
fn the_services_own_documents_are_fetched_once_and_read_without_asking_it() {
    let peer = Peer::start();
    let manifest = json!({"contract_version": "2.48.0", "grains": [{"grain": "artist"}]});
    // The manifest comes at once, the dictionary not while this test lasts.
    peer.set(MANIFEST, json_answer(200, &manifest.to_string()));
    peer.set(DICTIONARY, Act::SaysAndWaits(Vec::new()));
    let server = super::server_with(peer.port, WIDE, "[deadlines]\ncall_ms = 60000\ntool_ms = 60000\n");
    until("the manifest was not fetched", || read(&server, "hosaka://dossier-manifest").0 == manifest);
    let (_, meta) = read(&server, "hosaka://dossier-manifest");
    assert_eq!(meta["ono-sendai/source"], "service");
    assert!(
        meta["ono-sendai/as_of"].as_str().is_some_and(|at| at.len() == 20 && at.ends_with('Z')),
        "{meta}"
    );
    until("the dictionary was not asked for", || peer.seen(DICTIONARY).len() == 1);
    let before = peer.seen("/").len();
    for _ in 0..20 {
        let (shipped, meta) = read(&server, "hosaka://semantics-dictionary");
        assert_eq!(meta, json!({"ono-sendai/source": "shipped", "ono-sendai/as_of": "2026-08-04"}));
        assert!(shipped["entries"]["aura"].is_object() && !shipped.to_string().contains("demo"), "{shipped}");
        read(&server, "hosaka://dossier-manifest");
    }
    assert_eq!(peer.seen("/").len(), before, "somebody who reads makes no request");
}

#[test]
fn documents_that_cannot_be_had_leave_the_shipped_ones_and_cost_nobody_anything() {
    for wrong in
        [json_answer(500, "{}"), json_answer(404, r#"{"error":"not_found"}"#), json_answer(200, "{}")]
    {
        let peer = Peer::start();
        peer.set(MANIFEST, wrong.clone());
        peer.set(DICTIONARY, wrong);
        let server = server_over(peer.port, WIDE);
        // Only a word about the dictionary, the later of the two, says that both have been looked at.
        let is_word = |line: &str| {
            line.contains(DICTIONARY) && (line.contains("the last copy") || line.contains("no such"))
        };
        until("nothing was said of the dictionary", || server.log().lines().any(is_word));
        for uri in ["hosaka://dossier-manifest", "hosaka://semantics-dictionary"] {
            assert_eq!(read(&server, uri).1["ono-sendai/source"], "shipped");
        }
        let answer = server.call_from(caller(1), "get_artist", json!({"key": "x"}));
        assert_eq!(answer.json["reason"], "not_found_upstream", "{}", answer.json);
    }
}
