//! Whatever the data service says, an answer has the published form and holds only what was said.
//!
//! An input is a head of three bytes, which name one call, perhaps a second one, and what the service has; and then the
//! answers of the service, one part each.

use std::sync::Arc;

use ono_sendai::crate_client::{AboutData, CallLedger, Caller, CrateClient, Extension};
use ono_sendai::cursors::{Owner, Walks};
use ono_sendai::envelope::attribution::Origin;
use ono_sendai::profile::Profile;
use ono_sendai::tools::Call;
use ono_sendai::tools::registry::ToolName;
use serde_json::Value;

use crate::answers::{Sent, account, assert_said, sent};
use crate::cursor::Open;
use crate::parts;
use crate::service::{Told, client, runtime};

/// The first byte that names a call.
pub const FIRST: u8 = b'0';

/// Every call, by the number of its byte. The ids and names are those of the seeds.
pub static CALLS: [(&str, &str); 33] = [
    ("resolve_artist", r#"{"q":"Somebody"}"#),
    (
        "resolve_artist",
        r#"{"cluster_id":"0000000000000000000000000000000000000000000000000000000000000007"}"#,
    ),
    ("resolve_artist", r#"{"discogs_id":"45"}"#),
    ("resolve_artist", r#"{"mbid":"f22942a1-6f70-4f48-866e-238cb2308fbd"}"#),
    ("resolve_artist", r#"{"url":"https://somebody.bandcamp.com"}"#),
    ("resolve_artist", r#"{"isrc":"GBAYE0601498"}"#),
    ("resolve_artist", r#"{"artist":"Somebody","track":"Echo"}"#),
    ("resolve_artist", r#"{"q":"Somebody","discogs_id":""}"#),
    ("get_artist", r#"{"key":"somebody","view":"summary"}"#),
    ("get_artist", r#"{"key":"somebody"}"#),
    ("get_artist", r#"{"key":"somebody","view":"full","include":["similar","gigs"]}"#),
    (
        "get_artist",
        r#"{"key":"0000000000000000000000000000000000000000000000000000000000000007","view":"full"}"#,
    ),
    ("search_catalog", r#"{"q":"record"}"#),
    ("search_catalog", r#"{"genre":"Electronic","limit":30}"#),
    ("find_similar_artists", r#"{"key":"somebody"}"#),
    (
        "find_similar_artists",
        r#"{"key":"0000000000000000000000000000000000000000000000000000000000000007","limit":25}"#,
    ),
    ("find_tracks", r#"{"title":"Echo"}"#),
    ("find_tracks", r#"{"title":"Echo","fuzzy":true,"limit":25}"#),
    ("find_tracks", r#"{"artist":"Somebody","track":"Echo"}"#),
    ("get_upcoming_gigs", r#"{"key":"0000000000000000000000000000000000000000000000000000000000000007"}"#),
    ("get_upcoming_gigs", r#"{"key":"somebody","limit":50}"#),
    ("get_label", r#"{"key":"some-label"}"#),
    ("list_breakouts", "{}"),
    ("list_breakouts", r#"{"limit":50}"#),
    ("list_breakouts", r#"{"tier":"rising"}"#),
    ("list_ones_to_watch", "{}"),
    ("list_ones_to_watch", r#"{"limit":25}"#),
    ("get_aura", r#"{"cluster_id":"0000000000000000000000000000000000000000000000000000000000000007"}"#),
    ("get_aura", "{}"),
    ("get_aura", r#"{"limit":40}"#),
    // Not tools: the documents of the service.
    ("", "manifest"),
    ("", "dictionary"),
    ("", "openapi"),
];

/// Runs one input, twice, and holds each answer to its promises and to its twin.
pub fn run(data: &[u8]) {
    let Some((&[first, second, has], _)) = data.split_first_chunk::<3>() else { return };
    let calls: Vec<_> =
        [first, second].iter().filter_map(|byte| CALLS.get(usize::from(byte.checked_sub(FIRST)?))).collect();
    if calls.is_empty() {
        return;
    }
    let answers = || -> Vec<(Value, String)> {
        let told = Told::of(parts(data).skip(1));
        let extensions: Vec<Extension> = Extension::ALL
            .into_iter()
            .enumerate()
            .filter(|(at, _)| has >> at & 1 == 1)
            .map(|(_, has)| has)
            .collect();
        let client = client(Arc::clone(&told) as _, &extensions);
        let mut sure = Vec::new();
        calls.iter().filter_map(|(tool, arguments)| one(&client, &told, tool, arguments, &mut sure)).collect()
    };
    let first = answers();
    // One in four, since it takes as long again.
    if data.len().is_multiple_of(4) {
        assert_eq!(first, answers(), "one question, two answers");
    }
}

/// One call, with its answer; documents have none. `sure` are those whom an earlier answer was sure of.
fn one(
    client: &CrateClient,
    told: &Told,
    tool: &str,
    arguments: &str,
    sure: &mut Vec<Value>,
) -> Option<(Value, String)> {
    let Some(tool) = ToolName::find(tool, Profile::Full) else {
        document(client, arguments);
        return None;
    };
    let arguments: Value = serde_json::from_str(arguments).expect("JSON");
    let call = Call::parse(tool, &arguments).expect("a call");
    let ledger = CallLedger::new(Caller::account(1));
    let cursors = Open::default();
    let walks = Walks { cursors: &cursors, owner: Some(Owner::new([1; 16])) };
    let found = runtime().block_on(call.run(client, &ledger, Origin::Service, Some(&account()), walks));
    assert!(ledger.units() <= call.most_units(), "{} units, {} reserved", ledger.units(), call.most_units());
    assert!(ledger.upstream_2xx() <= ledger.units(), "more good answers than requests that count");
    let Sent { json, text } = sent(found, call.view(), &ledger);
    assert_said(tool, &arguments, &json, &told.take());
    if json["ambiguity"]["state"] == "none" {
        let (id, names_its_tier) = (&json["data"]["cluster_id"], json["data"].get("resolved_via").is_some());
        // Gigs and auras are told of an id alone, which only an earlier answer can have verified.
        let by_id = matches!(tool, ToolName::GetUpcomingGigs | ToolName::GetAura);
        assert!(names_its_tier || !by_id || sure.contains(id), "sure of an id that nobody verified: {json}");
        sure.push(id.clone());
    }
    Some((json, text))
}

fn document(client: &CrateClient, which: &str) {
    let about = match which {
        "manifest" => AboutData::Manifest,
        "dictionary" => AboutData::Dictionary,
        _ => {
            let _unknown = runtime().block_on(client.look_for_extensions());
            return;
        }
    };
    if let Ok(Some(text)) = runtime().block_on(client.about_data(about)) {
        assert!(serde_json::from_str::<Value>(&text).is_ok_and(|document| document.is_object()), "{text}");
    }
}
