//! A cursor leads one account through one question and nobody anywhere else, and a walk ends.
//!
//! An input says in its first byte what it is: `w`, a word that nobody issued; `o`, what is issued, opened and waited
//! for, two bytes each; `p`, the place of a walk and then the pages of the service.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ono_sendai::clock::Clock;
use ono_sendai::crate_client::{CallLedger, Caller, Extension};
use ono_sendai::cursors::seal::Seal;
use ono_sendai::cursors::{
    CURSOR_CHARS_MAX, CURSOR_LIFE, CURSORS_PER_ACCOUNT, CursorRefusal, Cursors, Issuing, MemoryCursors,
    NotKept, Owner, PLACE_BYTES_MAX, Question, StoredCursors, WALK_ROWS_MAX, Walk, Walks,
};
use ono_sendai::envelope::attribution::Origin;
use ono_sendai::store::{MemoryStore, State};
use ono_sendai::tools::Call;
use ono_sendai::tools::registry::ToolName;
use serde_json::{Value, json};

use crate::answers::{assert_said, sent};
use crate::service::{Told, client, runtime};
use crate::{NOW, parts};

/// Runs one input.
pub fn run(data: &[u8]) {
    let Some((kind, rest)) = data.split_first() else { return };
    match kind {
        b'w' => word(rest),
        b'o' => issued(rest),
        b'p' => pages(rest),
        _ => {}
    }
}

/// Only a word that a seal made has an id, and only in the one spelling.
fn word(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let seal = Seal::of(&[7; 32]);
    if let Some(id) = seal.id(text) {
        assert_eq!(seal.word(&id), text);
    }
    assert_eq!(Seal::of(&[8; 32]).id(text), None, "a word of another key");
    if let Some(id) = data.first_chunk::<16>() {
        let word = seal.word(id);
        assert!(word.len() <= CURSOR_CHARS_MAX);
        assert_eq!(seal.id(&word), Some(*id));
    }
}

/// One cursor that was issued.
struct Given {
    word: String,
    owner: u8,
    question: u8,
    walk: Walk,
    at: Duration,
}

/// What is issued is opened by its owner for its question, as long as it lives and is one of the latest; nothing else is.
fn issued(steps: &[u8]) {
    let clock = Clock::wound_to(NOW);
    let state = Arc::new(State::load(Arc::new(MemoryStore::new()), &clock).expect("a state"));
    let stored = StoredCursors::new(Arc::clone(&state), Seal::of(&[7; 32]), clock.clone());
    let kept = MemoryCursors::new(clock.clone());
    let both: [&dyn Cursors; 2] = [&stored, &kept];
    let (owner, question) =
        (|n: u8| Owner::new([n; 16]), |n: u8| Question::of([("q", ["a", "b", "c"][usize::from(n)])]));
    let mut now = Duration::ZERO;
    for cursors in both {
        let mut given: Vec<Given> = Vec::new();
        for step in steps.chunks_exact(2).take(200) {
            let (whose, what) = (step[0] % 3, step[0] / 3 % 3);
            match step[0] / 9 % 4 {
                0 | 1 => {
                    let long = step[0] / 36 == 6;
                    let place = if long { "x".repeat(PLACE_BYTES_MAX + 1) } else { format!("o{}", step[1]) };
                    let walk = Walk { place, rows: u32::from(step[1]) };
                    // Which of two is the older one is known only where time passes.
                    clock.advance(Duration::from_millis(1));
                    now += Duration::from_millis(1);
                    match runtime().block_on(cursors.issue(owner(whose), question(what), walk.clone())) {
                        Ok(word) => {
                            assert!(!long && word.len() <= CURSOR_CHARS_MAX);
                            given.push(Given { word, owner: whose, question: what, walk, at: now });
                        }
                        Err(NotKept) => assert!(long),
                    }
                }
                2 => {
                    let by = CURSOR_LIFE / 255 * u32::from(step[1]);
                    clock.advance(by);
                    now += by;
                }
                _ => {
                    let Some(one) = given.get(usize::from(step[1]) % given.len().max(1)) else { continue };
                    let is_latest = given
                        .iter()
                        .rev()
                        .filter(|other| other.owner == one.owner)
                        .take(CURSORS_PER_ACCOUNT)
                        .any(|other| other.word == one.word);
                    let is_alive = now - one.at < CURSOR_LIFE;
                    let opened = cursors.open(&one.word, owner(whose), question(what));
                    let wanted = (whose, what) == (one.owner, one.question) && is_latest && is_alive;
                    match opened {
                        Ok(walk) => assert!(wanted && walk == one.walk, "opened: {wanted}"),
                        Err(CursorRefusal::OtherQuestion) => assert_ne!(what, one.question),
                        Err(_) => assert!(!wanted, "refused"),
                    }
                }
            }
        }
    }
}

/// Places that are what the input says until one is issued; then what was issued.
#[derive(Debug, Default)]
pub struct Open(Mutex<BTreeMap<String, Walk>>);

impl Cursors for Open {
    fn open(&self, cursor: &str, _: Owner, _: Question) -> Result<Walk, CursorRefusal> {
        self.0.lock().expect("whole").get(cursor).cloned().ok_or(CursorRefusal::NotIssued)
    }

    fn issue(&self, _: Owner, _: Question, walk: Walk) -> Issuing<'_> {
        let kept = if walk.place.len() > PLACE_BYTES_MAX {
            Err(NotKept)
        } else {
            let mut places = self.0.lock().expect("whole");
            let word = format!("word-{}", places.len());
            places.insert(word.clone(), walk);
            Ok(word)
        };
        Box::pin(async move { kept })
    }
}

/// Whatever place a walk stands at and whatever pages come: it goes on with what it issued, shows no row twice where it
/// counts them, and comes to an end.
fn pages(data: &[u8]) {
    let mut told = parts(data);
    let Some(place) = told.next().and_then(|place| std::str::from_utf8(place).ok()) else { return };
    let told: Vec<&[u8]> = told.collect();
    let service = Told::of(told.iter().copied());
    let extensions: &[Extension] = if place.starts_with('o') { &[] } else { &[Extension::SearchCursor] };
    let client = client(Arc::clone(&service) as _, extensions);
    let open = Open::default();
    let (rows, place) = place.split_once('|').unwrap_or(("0", place));
    let rows = rows.parse().unwrap_or(0).min(WALK_ROWS_MAX);
    let begins = place.is_empty();
    // Nobody but the program writes a place, and it takes no such cursor from the service.
    if place.chars().any(char::is_control) {
        return;
    }
    open.0.lock().expect("whole").insert("word".to_owned(), Walk { place: place.to_owned(), rows });
    let mut arguments = json!({"q": "record"});
    if !begins {
        arguments["cursor"] = Value::from("word");
    }
    let mut seen = Vec::new();
    for turn in 0..=told.len() + 1 {
        let call = Call::parse(ToolName::SearchCatalog, &arguments).expect("a call");
        let ledger = CallLedger::new(Caller::account(1));
        let walks = Walks { cursors: &open, owner: Some(Owner::new([1; 16])) };
        let found = runtime().block_on(call.run(&client, &ledger, Origin::Service, None, walks));
        let json = sent(found, call.view(), &ledger).json;
        assert_said(ToolName::SearchCatalog, &arguments, &json, &service.take());
        let is_refused = json["error"]["data"]["reason"] == "not_issued";
        assert!(!is_refused || (turn == 0 && !begins), "what was issued is refused: {json}");
        if json["data"]["pagination"]["mode"] == "offset_walk" && begins {
            for row in json["data"]["results"].as_array().expect("rows") {
                let id = row["master_id"].clone();
                assert!(id.is_null() || !seen.contains(&id), "row {id} comes twice");
                seen.push(id);
            }
        }
        let Some(next) = json["data"]["pagination"]["next_cursor"].as_str() else { return };
        let walk = open.0.lock().expect("whole").get(next).cloned().expect("an issued cursor");
        assert!(walk.rows <= WALK_ROWS_MAX, "{} rows", walk.rows);
        arguments["cursor"] = Value::from(next);
    }
}
