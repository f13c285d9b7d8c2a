//! The answers of every tool in every kind, word for word: `golden/TOOL/KIND.txt`.
//!
//! Where a tool has no answer of a kind, the reason stands here.

use std::collections::BTreeSet;
use std::sync::Arc;

use ono_sendai::crate_client::Extension;
use ono_sendai::tools::registry::ToolName;
use serde_json::{Value, json};

use crate::answers::samples;
use crate::harness::{Demo, Direct, Envelope, Scripted, artists, hold_golden};
use crate::plenty::{self, Full, KEY, Words};
use crate::tables::root;

/// The kinds of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// What was asked for, about whom was meant.
    Plain,
    /// It is not certain whom the answer is about.
    Ambiguous,
    /// What was asked for is not held.
    Gap,
    /// As much as can be asked for.
    Most,
    /// More than an answer may cost.
    OverBudget,
    /// More was asked for than can be.
    TooLarge,
    /// The call is not good, or not open to the caller.
    Refused,
}

impl Kind {
    const ALL: [(Self, &'static str); 7] = [
        (Self::Plain, "plain"),
        (Self::Ambiguous, "ambiguous"),
        (Self::Gap, "gap"),
        (Self::Most, "most"),
        (Self::OverBudget, "over_budget"),
        (Self::TooLarge, "too_large"),
        (Self::Refused, "refused"),
    ];
}

/// What is kept.
enum Kept {
    Answer(Box<Envelope>),
    /// The tool has no such answer, for this reason.
    None(&'static str),
}

const NO_LIMIT: Kept = Kept::None("it takes no limit");
const ROWS_OF_NOBODY: Kept = Kept::None("rows are told as they are listed, and nobody is asked about");
const OF_THE_ACCOUNT: Kept = Kept::None("it tells what the server itself knows of the account");

fn answer(service: &Direct, tool: ToolName, arguments: &Value) -> Kept {
    Kept::Answer(Box::new(service.call(tool.as_str(), arguments)))
}

/// The demo's id of an artist.
fn cluster(name: &str) -> &'static str {
    let artist = artists().iter().find(|artist| artist.name == name).expect("an artist");
    artist.cluster_id.as_deref().expect("a cluster id")
}

/// The demo after it was asked who somebody is, as the tools want it.
fn asked_for(name: &str) -> Direct {
    let demo = Direct::demo();
    assert_eq!(demo.call("resolve_artist", &json!({"q": name})).state(), "none", "{name}");
    demo
}

fn says(path: &str, body: &Value) -> Direct {
    let service = Scripted::catalogue().says(path, 200, body.to_string());
    Direct::over(Arc::new(service), &[Extension::Gigs])
}

fn plain(tool: ToolName) -> Kept {
    let of = |name: &str| answer(&asked_for(name), tool, &json!({"key": cluster(name)}));
    let demo = Direct::demo();
    match tool {
        ToolName::ResolveArtist => answer(&demo, tool, &json!({"q": "Four Tet"})),
        ToolName::GetArtist => of("Four Tet"),
        ToolName::SearchCatalog => answer(&demo, tool, &json!({"genre": "Electronic"})),
        ToolName::FindSimilarArtists => of("Aphex Twin"),
        ToolName::FindTracks => answer(&demo, tool, &json!({"title": "a little less conversation"})),
        ToolName::GetUpcomingGigs => of("Brian Eno"),
        ToolName::GetLabel => answer(&demo, tool, &json!({"key": "planet-e"})),
        ToolName::GetProfile
        | ToolName::GetUsage
        | ToolName::ListBreakouts
        | ToolName::ListOnesToWatch
        | ToolName::GetAura => answer(&demo, tool, &json!({})),
    }
}

fn ambiguous(tool: ToolName) -> Kept {
    let demo = Direct::demo();
    match tool {
        ToolName::ResolveArtist => answer(&demo, tool, &json!({"q": "Nirvana"})),
        ToolName::GetArtist | ToolName::FindSimilarArtists => {
            answer(&demo, tool, &json!({"key": "alice-cooper"}))
        }
        ToolName::FindTracks => {
            let mut said = samples::resolution();
            said["resolved_via"] = json!("cluster");
            said["locators"]["discogs"] = Value::Null;
            let asked = json!({"artist": "Somebody", "track": "Echo"});
            answer(&says("/api/v2/resolve", &said), tool, &asked)
        }
        ToolName::GetUpcomingGigs => answer(&demo, tool, &json!({"key": cluster("Brian Eno")})),
        ToolName::GetLabel => {
            let mut said = samples::label();
            said["over_merge"] = json!({"discogs_label_id_count": 2, "folded": true});
            answer(&says("/api/v2/label/", &said), tool, &json!({"key": "some-label"}))
        }
        ToolName::GetAura => {
            let listed = demo.call("get_aura", &json!({"limit": 1}));
            answer(&demo, tool, &json!({"cluster_id": listed.data()["aura"][0]["cluster_id"]}))
        }
        ToolName::SearchCatalog | ToolName::ListBreakouts | ToolName::ListOnesToWatch => ROWS_OF_NOBODY,
        ToolName::GetProfile | ToolName::GetUsage => OF_THE_ACCOUNT,
    }
}

fn gap(tool: ToolName) -> Kept {
    let demo = Direct::demo();
    match tool {
        ToolName::ResolveArtist => answer(&demo, tool, &json!({"q": "No Such Band 77"})),
        ToolName::GetArtist | ToolName::FindSimilarArtists | ToolName::GetUpcomingGigs => {
            answer(&demo, tool, &json!({"key": "nobody-77"}))
        }
        ToolName::SearchCatalog => answer(&demo, tool, &json!({"q": "No Such Record 77", "genre": "Polka"})),
        ToolName::FindTracks => answer(&demo, tool, &json!({"title": "No Such Track 77"})),
        ToolName::GetLabel => answer(&demo, tool, &json!({"key": "no-such-label-77"})),
        ToolName::ListBreakouts => {
            answer(&demo, tool, &json!({"tier": "rising", "corroboration": "booking_ahead"}))
        }
        ToolName::ListOnesToWatch => {
            let said = json!({"state": "degraded", "onesToWatch": [], "snapshotDate": null, "stale": null});
            answer(&says("/api/v2/tastemakers/ones-to-watch", &said), tool, &json!({}))
        }
        ToolName::GetAura => answer(&demo, tool, &json!({"cluster_id": "f".repeat(64)})),
        ToolName::GetProfile | ToolName::GetUsage => OF_THE_ACCOUNT,
    }
}

/// The most rows that a tool gives.
fn limit(tool: ToolName) -> Option<u64> {
    tool.spec().input_schema()["properties"]["limit"]["maximum"].as_u64()
}

/// A question of a tool that has a limit.
fn listing(tool: ToolName, key: &str, limit: u64) -> Value {
    match tool {
        ToolName::SearchCatalog => json!({"genre": "Electronic", "limit": limit}),
        ToolName::FindTracks => json!({"title": "love", "fuzzy": true, "limit": limit}),
        ToolName::FindSimilarArtists | ToolName::GetUpcomingGigs => json!({"key": key, "limit": limit}),
        _ => json!({"limit": limit}),
    }
}

fn most(tool: ToolName) -> Kept {
    match (tool, limit(tool)) {
        (ToolName::GetArtist, _) => {
            let key = cluster("Aphex Twin");
            let asked = json!({"key": key, "view": "full", "include": ["similar", "gigs"]});
            answer(&asked_for("Aphex Twin"), tool, &asked)
        }
        (_, Some(limit)) => {
            let name = if tool == ToolName::GetUpcomingGigs { "Brian Eno" } else { "Aphex Twin" };
            answer(&asked_for(name), tool, &listing(tool, cluster(name), limit))
        }
        (_, None) => NO_LIMIT,
    }
}

/// Over a service whose lists are full; for main lists of names that are longer than any real ones, since no list
/// of real ones is too large.
fn over_budget(tool: ToolName) -> Kept {
    match (tool, limit(tool)) {
        (ToolName::GetArtist, _) => {
            let asked = json!({"key": KEY, "view": "summary", "include": ["similar"]});
            answer(&plenty::tools(&Words::usual(0), Full(100)), tool, &asked)
        }
        (_, Some(limit)) => {
            answer(&plenty::tools(&Words::endless(), Full(100)), tool, &listing(tool, KEY, limit))
        }
        (ToolName::ResolveArtist, None) => Kept::None("ten candidates of the longest names cost less"),
        (ToolName::GetLabel, None) => Kept::None("its lists have a fixed number of rows, which cost less"),
        (_, None) => Kept::None("it has no list"),
    }
}

fn too_large(tool: ToolName) -> Kept {
    match limit(tool) {
        Some(limit) => answer(&Direct::demo(), tool, &listing(tool, "aphex-twin", limit + 1)),
        None => NO_LIMIT,
    }
}

fn refused(tool: ToolName) -> Kept {
    let arguments = match tool {
        ToolName::ResolveArtist => json!({"q": "{{artist_name}}"}),
        ToolName::GetArtist => json!({"key": "Brian Eno"}),
        ToolName::GetLabel => json!({"key": "planet-e"}),
        ToolName::FindTracks => json!({"title": "love"}),
        ToolName::FindSimilarArtists | ToolName::GetUpcomingGigs => json!({"key": "aphex-twin"}),
        ToolName::SearchCatalog => json!({"q": "love"}),
        ToolName::GetProfile
        | ToolName::GetUsage
        | ToolName::ListBreakouts
        | ToolName::ListOnesToWatch
        | ToolName::GetAura => json!({}),
    };
    let params = json!({"name": tool.as_str(), "arguments": arguments});
    Kept::Answer(Box::new(Demo::shared().modern_at("/mcp/full", "tools/call", params).envelope()))
}

fn kept(tool: ToolName, kind: Kind) -> Kept {
    match kind {
        Kind::Plain => plain(tool),
        Kind::Ambiguous => ambiguous(tool),
        Kind::Gap => gap(tool),
        Kind::Most => most(tool),
        Kind::OverBudget => over_budget(tool),
        Kind::TooLarge => too_large(tool),
        Kind::Refused => refused(tool),
    }
}

/// Whether an answer is of its kind.
fn assert_is(kind: Kind, tool: ToolName, answer: &Envelope, what: &str) {
    let json = &answer.json;
    let is_sure = json["ambiguity"].is_null() || json["ambiguity"]["state"] == "none";
    match kind {
        Kind::Plain => assert!(json["present"] == true && is_sure, "{what}: {json}"),
        Kind::Ambiguous => assert!(json["ok"] == true && !is_sure, "{what}: {json}"),
        Kind::Gap => assert!(json["present"] == false && json["reason"].is_string(), "{what}: {json}"),
        Kind::Most => {
            let uncut = json["meta"]["truncated"] == false && json["meta"].get("trimmed").is_none();
            assert!(json["present"] == true && uncut, "{what}: {json}");
        }
        Kind::OverBudget if tool == ToolName::GetArtist => {
            let trimmed = json["meta"]["trimmed"].as_array().expect("what was trimmed");
            let ways: Vec<&Value> =
                json["next_actions"].as_array().expect("actions").iter().map(|next| &next["tool"]).collect();
            assert!(!trimmed.is_empty() && ways.len() >= trimmed.len(), "{what}: {json}");
        }
        Kind::OverBudget => assert_eq!(json["meta"]["truncated"], true, "{what}"),
        Kind::TooLarge => assert_eq!(answer.error_type(), "range_too_large", "{what}"),
        Kind::Refused => assert!(answer.is_error, "{what}: {json}"),
    }
}

#[test]
fn every_tool_answers_in_every_kind_as_it_is_kept_and_nothing_else_is_kept() {
    let mut known = BTreeSet::new();
    for tool in ToolName::ALL {
        for (kind, word) in Kind::ALL {
            let name = format!("{}/{word}", tool.as_str());
            match kept(tool, kind) {
                Kept::Answer(answer) => {
                    assert_is(kind, tool, &answer, &name);
                    hold_golden(&name, &answer);
                    known.insert(format!("{name}.txt"));
                }
                Kept::None(reason) => assert!(!reason.is_empty(), "{name}"),
            }
        }
    }
    let folder = root().join("tests/it/golden");
    let mut found = BTreeSet::new();
    for tool in std::fs::read_dir(&folder).expect("a folder") {
        for file in std::fs::read_dir(tool.expect("an entry").path()).expect("a folder") {
            let file = file.expect("an entry").path();
            let name = file.strip_prefix(&folder).expect("below the folder");
            found.insert(name.to_str().expect("text").to_owned());
        }
    }
    assert_eq!(found, known, "files that no test holds");
}

const QUESTIONS: &str = include_str!("questions.md");

/// The kind that a question names, as in `answer "gap"`.
fn asked_about(question: &str) -> Option<&str> {
    let (_, rest) = question.split_once("answer \"")?;
    rest.split_once('"').map(|(kind, _)| kind)
}

/// The text block of a kept answer.
fn text_of(tool: &str, kind: &str) -> String {
    let path = root().join(format!("tests/it/golden/{tool}/{kind}.txt"));
    let kept = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    kept.split("\n\n{").next().expect("a text").to_owned()
}

fn numbers(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty()).collect()
}

#[test]
fn every_tool_has_ten_questions_whose_answers_have_their_numbers_and_words_from_the_kept_texts() {
    let mut tools = BTreeSet::new();
    for section in QUESTIONS.split("\n## ").skip(1) {
        let (tool, questions) = section.split_once('\n').expect("a heading");
        let mut kind = "plain";
        let mut asked = 0;
        for line in questions.lines().filter(|line| !line.is_empty()) {
            asked += 1;
            let what = format!("{tool}: {line}");
            let (question, answer) = line.split_once(" — ").unwrap_or_else(|| panic!("{what}"));
            assert!(question.starts_with(&format!("{asked}. ")), "{what}");
            kind = asked_about(question).unwrap_or(kind);
            let text = text_of(tool, kind);
            let strangers: Vec<&str> = numbers(answer).difference(&numbers(&text)).copied().collect();
            assert_eq!(strangers, [""; 0], "{what}\n{text}");
            // Words of the vocabularies are quoted as they stand in the text.
            for word in
                answer.split(|c: char| !c.is_ascii_lowercase() && c != '_').filter(|word| word.contains('_'))
            {
                assert!(
                    text.contains(word) || tool.starts_with("get_") && word.starts_with("get_"),
                    "{what}: {word}\n{text}"
                );
            }
        }
        assert_eq!(asked, 10, "{tool}");
        tools.insert(tool.to_owned());
    }
    assert_eq!(tools, ToolName::ALL.iter().map(|tool| tool.as_str().to_owned()).collect());
}
