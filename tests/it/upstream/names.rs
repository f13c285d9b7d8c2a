//! Names with joined words, articles and signs, and ids that were merged or stand in the wrong field, over a service
//! that matches names exactly and whose search brings everybody it has.

use serde_json::{Value, json};
use url::form_urlencoded::Serializer;

use super::peer::{Peer, json as json_answer};
use super::{WIDE, caller, server_over};
use crate::answers::samples::cluster;
use crate::harness::{Demo, Envelope};

const NOBODY: &str = r#"{"resolved_via":null,"candidates":[]}"#;
const MBID: &str = "f22942a1-6f70-4f48-866e-238cb2308fbd";
const MERGED_MBID: &str = "9ddce51c-2b75-4b3e-ac8c-1db09e7c89c6";

/// A service that knows these artists and no others.
struct World {
    peer: Peer,
    server: Demo,
    names: Vec<&'static str>,
    /// The number of the first of them; no number is given twice.
    first: u32,
}

fn asked_by(argument: &str, value: &str) -> String {
    format!("/api/v2/resolve?{}", Serializer::new(String::new()).append_pair(argument, value).finish())
}

fn record(n: u32, name: &str, tier: &str) -> Value {
    json!({
        "cluster_id": cluster(n), "slug": format!("artist-{n}"), "display": name, "resolved_via": tier,
        "locators": {"discogs": 5_000 + n, "mbid": null},
    })
}

impl World {
    fn new() -> Self {
        let peer = Peer::start();
        peer.set("/api/v2/resolve", json_answer(200, NOBODY));
        let server = server_over(peer.port, &format!("{WIDE}\ncache_mib = 0"));
        Self { peer, server, names: Vec::new(), first: 1 }
    }

    fn now_holds(&mut self, names: &[&'static str]) {
        self.first += u32::try_from(self.names.len()).expect("few");
        self.names = names.to_vec();
        let numbered = || (self.first..).zip(&self.names);
        let rows: Vec<Value> =
            numbered().map(|(n, name)| json!({"artist": name, "artist_cluster_id": cluster(n)})).collect();
        self.peer.set("/api/v2/search", json_answer(200, &json!({"results": rows}).to_string()));
        for (n, name) in numbered() {
            let said = record(n, name, "cluster").to_string();
            self.peer.set(&asked_by("cluster", &cluster(n)), json_answer(200, &said));
        }
    }

    fn ask(&self, name: &str) -> Envelope {
        let known = (self.first..).zip(&self.names).find(|(_, known)| **known == name);
        let said = known.map_or(NOBODY.to_owned(), |(n, name)| record(n, name, "discogs").to_string());
        let target = asked_by("q", name);
        self.peer.set(&target, json_answer(200, &said));
        let before = self.peer.seen("/api/v2/resolve").len();
        let answer = self.server.call_from(caller(1), "resolve_artist", json!({"q": name}));
        assert_eq!(self.peer.seen("/api/v2/resolve")[before].target, target, "{name} is asked for whole");
        answer
    }

    /// The artist of exactly this name, for certain.
    fn assert_is_itself(&self, name: &str) {
        let answer = self.ask(name);
        assert_eq!((&answer.data()["name"], answer.state()), (&json!(name), "none"), "{}", answer.json);
    }

    /// The artist under another spelling, and not for certain.
    fn assert_leads_to(&self, name: &str, found: &str) {
        let answer = self.ask(name);
        assert_eq!(answer.data()["name"], found, "{name}: {}", answer.json);
        let reasons = answer.json["ambiguity"]["reasons"].to_string();
        assert!(answer.state() != "none" && reasons.contains("folded_match"), "{name}: {}", answer.json);
    }

    fn assert_is_nobody(&self, name: &str) {
        let answer = self.ask(name);
        let what = format!("{name}: {}", answer.json);
        assert_eq!(
            (&answer.json["present"], &answer.data()["name"]),
            (&json!(false), &Value::Null),
            "{what}"
        );
        assert_eq!(answer.json["ambiguity"]["candidates"], json!([]), "{what}");
    }
}

#[test]
fn f08_joined_names_stay_whole_and_a_part_or_a_longer_name_is_another_artist() {
    const WHOLE: [&str; 6] =
        ["AC/DC", "Earth, Wind & Fire", "Tyler, The Creator", "Lala &ce", "K/DA", "&TEAM"];
    let mut world = World::new();
    world.now_holds(&[&WHOLE[..], &["Simon & Garfunkel", "Boney M.", "Bob Marley", "Bob Dylan"]].concat());
    for name in WHOLE.into_iter().chain(["Bob Marley", "Bob Dylan"]) {
        world.assert_is_itself(name);
    }
    world.assert_leads_to("Simon and Garfunkel", "Simon & Garfunkel");
    world.assert_leads_to("Boney M", "Boney M.");
    world.now_holds(&[
        "AC",
        "DC",
        "Earth",
        "Wind",
        "Fire",
        "Tyler",
        "The Creator",
        "Lala",
        "K",
        "DA",
        "TEAM",
        "Simon",
        "Garfunkel",
        "Bob Marley & The Wailers",
    ]);
    for name in WHOLE.into_iter().chain(["Simon & Garfunkel", "Boney M", "Bob Marley", "Bob Dylan"]) {
        world.assert_is_nobody(name);
    }
}

#[test]
fn f09_an_article_is_a_name_where_it_stands_alone_and_else_never_merges_two_artists() {
    const OF_ARTICLES: [&str; 5] = ["The The", "The", "A", "Die", "Theee Bat"];
    let mut world = World::new();
    world.now_holds(&[&OF_ARTICLES[..], &["Bat", "The Beatles", "The Fall"]].concat());
    for name in OF_ARTICLES.into_iter().chain(["The Beatles", "The Fall"]) {
        world.assert_is_itself(name);
    }
    world.assert_leads_to("Beatles", "The Beatles");
    world.assert_leads_to("Fall", "The Fall");
    world.now_holds(&["The", "D", "Bat", "Tribe"]);
    for name in ["The The", "A", "Die", "Theee Bat", "A Tribe"] {
        world.assert_is_nobody(name);
    }
    world.now_holds(&["The Band", "Band"]);
    for name in ["The Band", "Band"] {
        world.assert_is_itself(name);
    }
    let answer = world.ask("band");
    let candidates = answer.json["ambiguity"]["candidates"].as_array().expect("a list");
    assert_eq!((answer.state(), candidates.len()), ("name_collision", 2), "{}", answer.json);
    assert_eq!(answer.data()["name"], Value::Null, "nobody is chosen");
}

#[test]
fn f10_a_name_with_a_sign_is_the_artist_of_that_name_or_nobody() {
    const SIGNS: [&str; 5] = ["Ke$ha", "A$AP Rocky", "P!nk", "deadmau5", "CHVRCHΞS"];
    let mut world = World::new();
    world.now_holds(&[&SIGNS[..], &["Ké", "Ke", "Pnk"]].concat());
    for name in SIGNS {
        world.assert_is_itself(name);
    }
    world.now_holds(&[
        "Ké",
        "Ke",
        "Keha",
        "Kesha",
        "AAP Rocky",
        "ASAP Rocky",
        "Pnk",
        "Pink",
        "deadmau",
        "CHVRCHS",
        "CHVRCHES",
    ]);
    for name in SIGNS {
        world.assert_is_nobody(name);
    }
}

#[test]
fn f14_a_merged_mbid_leads_to_the_artist_it_was_merged_into_and_is_never_told_as_certain() {
    let world = World::new();
    let mut said = record(7, "Somebody", "discogs");
    said["locators"]["mbid"] = json!(MBID);
    for (asked, state) in [(MBID, "none"), (MERGED_MBID, "observed")] {
        world.peer.set(&asked_by("mbid", asked), json_answer(200, &said.to_string()));
        let answer = world.server.call_from(caller(1), "resolve_artist", json!({"mbid": asked}));
        assert_eq!((&answer.data()["mbid"], answer.state()), (&json!(MBID), state), "{}", answer.json);
        assert_eq!(answer.data()["cluster_id"], cluster(7));
        let told = format!("identity:asked:{asked}");
        let reasons = answer.json["ambiguity"]["reasons"].as_array().expect("reasons");
        assert_eq!(
            reasons.iter().any(|reason| *reason == told.as_str()),
            asked == MERGED_MBID,
            "{reasons:?}"
        );
        assert_eq!(answer.text.contains(&told), asked == MERGED_MBID, "{}", answer.text);
        assert_eq!(answer.json["next_actions"][0]["args"]["key"], cluster(7), "{}", answer.json);
    }
}

#[test]
fn f14_an_id_in_the_wrong_field_or_form_is_refused_by_the_stated_rule_and_asked_of_nobody() {
    let world = World::new();
    let call =
        |field: &str, value: &str| world.server.call_from(caller(1), "resolve_artist", json!({field: value}));
    for (field, value, right) in [("mbid", "301", "discogs_id"), ("discogs_id", MBID, "mbid")] {
        let answer = call(field, value);
        assert_eq!(answer.error_type(), "invalid_argument", "{field} {value}");
        assert_eq!(answer.json["error"]["data"]["param"], field);
        assert_eq!(answer.json["error"]["data"]["did_you_mean"], right, "{}", answer.json);
        let suggested = json!([{"tool": "resolve_artist", "args": {right: value}}]);
        assert_eq!(answer.json["suggested_tool_calls"], suggested);
        assert!(answer.text.contains(right), "{}", answer.text);
    }
    let nil = "00000000-0000-0000-0000-000000000000";
    for (field, value) in [
        ("mbid", nil),
        ("discogs_id", "1e9"),
        ("discogs_id", "-1"),
        ("discogs_id", "0"),
        ("discogs_id", "0301"),
        ("discogs_id", "4294967296"),
    ] {
        let answer = call(field, value);
        assert_eq!(answer.error_type(), "invalid_argument", "{field} {value}");
        assert_eq!(answer.json["error"]["data"]["param"], field, "{}", answer.json);
        assert!(answer.json["error"]["data"]["fix_hint"].is_string(), "{}", answer.json);
    }
    assert!(world.peer.seen("/api/v2/resolve").is_empty());
    // Space around an id is no part of it.
    assert!(!call("discogs_id", " 301 ").is_error);
    assert!(!call("mbid", &format!(" {} ", MBID.to_uppercase())).is_error);
    let seen: Vec<String> = world.peer.seen("/api/v2/resolve").into_iter().map(|seen| seen.target).collect();
    assert_eq!(seen, [asked_by("discogs", "301"), asked_by("mbid", MBID)]);
}
