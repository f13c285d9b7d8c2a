//! Ids that a service sends in a form that cannot be read: the answer says so, and trusts nothing that hangs on them.

use std::cell::Cell;

use serde_json::{Value, json};

use super::peer::{Peer, json as json_answer};
use super::{WIDE, server_with};
use crate::answers::{samples, validator};

const WITH_ACCOUNTS: &str = "[deadlines]\ncall_ms = 8000\ntool_ms = 12000\n[issuer]\nenabled = true\n";

/// A tool that says who its answer is about.
struct Teller {
    tool: &'static str,
    arguments: Value,
    path: &'static str,
    body: Value,
    /// Where the service has the Discogs id, the MBID, the slug and the word for the binding.
    ids: [(&'static str, &'static str, &'static str); 3],
    /// Where `data` has them.
    within: &'static str,
}

fn tellers() -> [Teller; 5] {
    let ids = |discogs, mbid, slug| {
        [("discogs_id", discogs, "Discogs id"), ("mbid", mbid, "MusicBrainz id"), ("slug", slug, "Slug")]
    };
    let resolved = || ids("/locators/discogs", "/locators/mbid", "/slug");
    let dossier = || ids("/identity/discogsArtistId", "/facts/signals/mbid", "/slug");
    let mut surroundings = samples::surroundings();
    surroundings["facts"] = samples::dossier()["facts"].clone();
    [
        Teller {
            tool: "resolve_artist",
            arguments: json!({"url": "https://somebody.bandcamp.com"}),
            path: "/api/v2/resolve",
            body: samples::resolution(),
            ids: resolved(),
            within: "",
        },
        Teller {
            tool: "find_tracks",
            arguments: json!({"artist": "Somebody", "track": "Echo"}),
            path: "/api/v2/resolve",
            body: samples::resolution(),
            ids: resolved(),
            within: "/artist",
        },
        Teller {
            tool: "get_artist",
            arguments: json!({"key": "somebody"}),
            path: "/api/v2/artist/somebody",
            body: samples::dossier(),
            ids: dossier(),
            within: "",
        },
        Teller {
            tool: "find_similar_artists",
            arguments: json!({"key": "somebody"}),
            path: "/api/v2/artist/somebody",
            body: surroundings,
            ids: dossier(),
            within: "",
        },
        Teller {
            tool: "get_label",
            arguments: json!({"key": "some-label"}),
            path: "/api/v2/label/some-label",
            body: samples::label(),
            ids: ids("/id", "/binds/label_mbid", "/slug"),
            within: "",
        },
    ]
}

#[test]
fn an_id_of_the_wrong_type_is_named_with_its_reason_by_every_tool_and_vouches_for_nothing() {
    let peer = Peer::start();
    let server = server_with(peer.port, &format!("{WIDE}\ncache_mib = 0"), WITH_ACCOUNTS);
    let gap = json!({"present": false, "reason": "malformed_upstream"});
    for Teller { tool, arguments, path, body, ids, within } in tellers() {
        // An account that asks the same twice gets the same answer.
        let accounts = Cell::new(0);
        let ask = |body: &Value| {
            peer.set(path, json_answer(200, &body.to_string()));
            let token = server.token_of(&format!("{tool}-{}", accounts.replace(accounts.get() + 1)));
            let answer = server.call_as(&token, tool, arguments.clone());
            assert!(!answer.is_error, "{tool}: {}", answer.json);
            let faults: Vec<String> = validator().iter_errors(&answer.json).map(|e| e.to_string()).collect();
            assert!(faults.is_empty(), "{tool}: {faults:?} {}", answer.json);
            answer
        };
        let place = |name: &str| format!("{within}/{name}");
        let honest = ask(&body);
        assert!(!honest.text.contains("cannot be read"), "{tool}: {}", honest.text);
        for (name, upstream, label) in ids {
            assert!(honest.data().pointer(&place(name)).is_some_and(|id| !id.is_null()), "{}", honest.json);
            let sent = body.pointer(upstream).expect("a place");
            let other_type = if sent.is_number() { json!(sent.to_string()) } else { json!(4) };
            for lie in [other_type, json!([sent]), json!({"id": sent}), json!(true), json!("?")] {
                let mut body = body.clone();
                *body.pointer_mut(upstream).expect("a place") = lie.clone();
                let answer = ask(&body);
                let what = format!("{tool} {name} {lie}: {}\n{}", answer.json, answer.text);
                assert_eq!(answer.data().pointer(&place(name)), Some(&gap), "{what}");
                let line =
                    format!("{label}: not present, the data service sent a value that cannot be read.");
                assert!(answer.text.lines().any(|found| found == line), "{what}");
                assert_eq!(answer.json["present"], honest.json["present"], "{what}");
                // An answer is not about whom it was asked for because nothing in it can be read.
                let trusts = name == "mbid" || honest.state() == "unknown" || tool == "find_tracks";
                let of_link = tool == "resolve_artist" && name == "slug";
                assert!(answer.state() != "none" || trusts || of_link, "{what}");
                if name == "discogs_id" {
                    assert_ne!(
                        answer.data().pointer(&place("resolved_via")),
                        Some(&json!("discogs")),
                        "{what}"
                    );
                    assert_ne!(answer.state(), "none", "{what}");
                }
                for action in answer.json["next_actions"].as_array().expect("a list") {
                    let whole = |value: &Value| !value.is_object() && !value.is_null();
                    assert!(action["args"].as_object().expect("arguments").values().all(whole), "{what}");
                }
            }
            // None is none, as it has always been.
            let mut body = body.clone();
            *body.pointer_mut(upstream).expect("a place") = Value::Null;
            if upstream == "/facts/signals/mbid" && body["debut"].is_object() {
                body["debut"]["signals"]["artistMbid"] = Value::Null;
            }
            if upstream == "/id" {
                body["identity"]["discogsLabelId"] = Value::Null;
                body["binds"]["discogs_label_id"] = Value::Null;
            }
            let answer = ask(&body);
            assert_eq!(answer.data().pointer(&place(name)), Some(&Value::Null), "{tool} {name}");
            assert!(!answer.text.contains("not present, the data service sent"), "{}", answer.text);
        }
    }
}

#[test]
fn an_mbid_that_cannot_be_read_is_credited_to_nobody() {
    let peer = Peer::start();
    let server = server_with(peer.port, &format!("{WIDE}\ncache_mib = 0"), WITH_ACCOUNTS);
    let mut body = samples::resolution();
    for (mbid, is_credited) in [(body["locators"]["mbid"].clone(), true), (json!(7), false)] {
        body["locators"]["mbid"] = mbid.clone();
        peer.set("/api/v2/resolve", json_answer(200, &body.to_string()));
        let answer = server.call_as(
            &server.token_of(&mbid.to_string()),
            "resolve_artist",
            json!({"discogs_id": "45"}),
        );
        let line = answer.json["attribution"]["line"].as_str().expect("a line");
        assert_eq!(line.contains("MusicBrainz"), is_credited, "{line}");
    }
}

#[test]
fn a_word_for_the_binding_that_cannot_be_read_is_not_told_as_an_observed_one() {
    let peer = Peer::start();
    let server = server_with(peer.port, &format!("{WIDE}\ncache_mib = 0"), WITH_ACCOUNTS);
    for (tool, key, path, body, upstream) in [
        ("get_artist", "somebody", "/api/v2/artist/somebody", samples::dossier(), "/identity/resolvedVia"),
        ("get_label", "some-label", "/api/v2/label/some-label", samples::label(), "/resolved_via"),
    ] {
        for lie in [json!(5), json!("somehow")] {
            let mut body = body.clone();
            *body.pointer_mut(upstream).expect("a place") = lie.clone();
            peer.set(path, json_answer(200, &body.to_string()));
            let token = server.token_of(&format!("{tool}-{lie}"));
            let answer = server.call_as(&token, tool, json!({"key": key}));
            let gap = json!({"present": false, "reason": "malformed_upstream"});
            assert_eq!(answer.data()["resolved_via"], gap, "{tool} {lie}");
            assert_eq!(answer.state(), "observed", "{tool} {lie}: {}", answer.json);
            assert!(answer.text.contains("\nKind of identity: not present, "), "{}", answer.text);
        }
    }
}
