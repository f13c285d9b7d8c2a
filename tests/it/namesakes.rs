//! Who is meant never depends on what others asked before, and a follow-up leads to whom it promised.

use serde_json::{Value, json};

use crate::harness::{Demo, Envelope};

/// Alice Cooper (48433) and Alice Cooper (2) (463597), whom the service keeps in one cluster.
const SHARED: &str = "000000008e8cc256c9cb38209f047d67de0f6bb3f71cd69d157247790d6e8bdc";

fn by_name(demo: &Demo, name: &str) -> Envelope {
    demo.call("resolve_artist", json!({"q": name}))
}

/// Follows the first recommended call.
fn follow(demo: &Demo, envelope: &Envelope) -> Envelope {
    let action = &envelope.json["next_actions"][0];
    demo.call(action["tool"].as_str().expect("a follow-up"), action["args"].clone())
}

#[test]
fn a_name_is_no_surer_because_others_asked_for_its_namesakes() {
    let demo = Demo::start();
    let odd = ["Nírvana", "The Nirvana", "Éntity", "The Entity"];
    let before: Vec<String> = odd.iter().map(|name| by_name(&demo, name).state().to_owned()).collect();
    for name in ["Nirvana", "Entity"] {
        assert_eq!(by_name(&demo, name).state(), "name_collision", "{name}");
    }
    let after: Vec<String> = odd.iter().map(|name| by_name(&demo, name).state().to_owned()).collect();
    assert_eq!(before, after);
    assert!(after.iter().all(|state| state != "none"), "{after:?}");
}

#[test]
fn a_numbered_name_never_leads_to_a_namesake_that_somebody_else_resolved() {
    let demo = Demo::start();
    demo.call("resolve_artist", json!({"discogs_id": "48433"}));
    for name in ["Alice-Cooper (2)", "Alice Coóper (2)", "The Alice Cooper (2)"] {
        let answer = by_name(&demo, name);
        assert_ne!(answer.data()["discogs_id"], 48433, "{name}: {}", answer.json);
        assert_ne!(answer.state(), "none", "{name}");
    }
}

#[test]
fn the_id_of_a_shared_cluster_stands_for_none_of_those_who_share_it() {
    for first in [json!({"q": "Alice Cooper"}), json!({"discogs_id": "48433"})] {
        let demo = Demo::start();
        demo.call("resolve_artist", first.clone());
        let card = demo.call("get_artist", json!({"key": SHARED}));
        let again = demo.call("resolve_artist", json!({"cluster_id": SHARED}));
        for answer in [&card, &again] {
            assert_eq!(answer.data()["discogs_id"], Value::Null, "{first}: {}", answer.json);
            assert_ne!(answer.state(), "none", "{first}");
        }
    }
}

#[test]
fn a_follow_up_keeps_the_artist_that_it_was_recommended_for() {
    let demo = Demo::start();
    for id in [48433, 463_597] {
        demo.call("resolve_artist", json!({"discogs_id": id}));
    }
    let chosen = demo.call("resolve_artist", json!({"discogs_id": 463_597}));
    assert_eq!(follow(&demo, &chosen).data()["discogs_id"], 463_597);
    let card = demo.call("get_artist", json!({"key": "solitaire-12"}));
    assert_eq!(follow(&demo, &card).data()["discogs_id"], card.data()["discogs_id"]);
}

#[test]
fn an_id_chosen_from_a_collision_leads_to_that_artist() {
    let demo = Demo::start();
    for name in ["Nirvana", "Bill Evans", "Rob Brown", "Entity", "Goldrush"] {
        let collision = by_name(&demo, name);
        assert_eq!(collision.state(), "name_collision", "{name}");
        for action in collision.json["next_actions"].as_array().expect("follow-ups") {
            let found = demo.call(action["tool"].as_str().expect("a tool"), action["args"].clone());
            for id in ["discogs_id", "mbid"] {
                let Some(asked) = action["args"][id].as_str() else { continue };
                let given = &found.data()[id];
                assert_eq!(given.as_str().map_or(given.to_string(), str::to_owned), asked, "{name}");
            }
        }
    }
}
