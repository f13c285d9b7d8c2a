//! Every type of error that is issued, produced from outside through a real client; and none that is reserved.

use std::collections::BTreeMap;
use std::path::Path;

use http::Method;
use ono_sendai::envelope::error::{ErrorType, Property};
use serde_json::{Value, json};

use crate::harness::{Demo, Envelope};
use crate::layers::source_text;
use crate::metering::operator::{admin, restore};
use crate::simulator::{KEY, Sim};
use crate::tables::root;

/// What the service does to three artists.
const FAULTS: &str = "
    [[rule]]
    path = \"/api/v2/artist/fails\"
    status = 500
    [[rule]]
    path = \"/api/v2/artist/degraded\"
    state = \"degraded\"
    [[rule]]
    path = \"/api/v2/artist/slow\"
    latency_ms = 3500
";

/// A server with a sign-in over a service with these faults.
fn over(sim: &Sim, plan: &str) -> Demo {
    let rest =
        format!("[crate]\nbase_url = \"{}\"\nkey = \"{KEY}\"\n{plan}\n[issuer]\nenabled = true", sim.url);
    Demo::serving("fixture_mode = false", &rest)
}

fn card(server: &Demo, account: &str, key: &str) -> Envelope {
    server.call_as(&server.token_of(account), "get_artist", json!({"key": key}))
}

fn of_the_service(key: &str) -> Envelope {
    let sim = Sim::with(FAULTS);
    card(&over(&sim, "in_flight = 10\nper_minute = 1000"), "asking", key)
}

/// The one of two identical calls that does not wait for the other any longer.
fn duplicate() -> Envelope {
    let sim = Sim::with(FAULTS);
    let server = over(&sim, "in_flight = 10\nper_minute = 1000");
    let token = server.token_of("twice");
    let call = || server.call_as(&token, "get_artist", json!({"key": "slow"}));
    let both = std::thread::scope(|scope| {
        let other = scope.spawn(call);
        [call(), other.join().expect("a call")]
    });
    both.into_iter().find(|answer| answer.is_error).expect("one of them waits in vain")
}

/// A plan of the service with room for a few requests, which are made.
fn used_up() -> Envelope {
    let sim = Sim::with("");
    let server = over(&sim, "in_flight = 1\nper_minute = 3");
    let token = server.token_of("late");
    let mut asked = (1..=4).map(|id| server.call_as(&token, "resolve_artist", json!({"discogs_id": id})));
    asked.find(|answer| answer.is_error).expect("the fourth has no room")
}

fn spent() -> Envelope {
    let demo = Demo::start();
    let token = demo.token_of("spent");
    assert!(!demo.call_as(&token, "get_usage", json!({})).is_error);
    assert!(!demo.call_as(&token, "resolve_artist", json!({"discogs_id": 45})).is_error);
    let accounts = admin(&demo, &["accounts"]).expect("accounts");
    let id = accounts["accounts"]["accounts"][0]["account"].as_str().expect("an id");
    admin(&demo, &["usage", id, "--set", "1000"]).expect("it is set");
    demo.call_as(&token, "resolve_artist", json!({"discogs_id": 41}))
}

/// After a backup was put back, nothing is metered until somebody confirms it.
fn unmetered() -> Envelope {
    let demo = Demo::start();
    let token = demo.token_of("restored");
    assert!(!demo.call_as(&token, "resolve_artist", json!({"discogs_id": 45})).is_error);
    let file = demo.data().join("backups/a-backup");
    admin(&demo, &["backup", &file.to_string_lossy()]).expect("a backup");
    demo.kill();
    std::fs::remove_dir_all(demo.data().join("store/db")).expect("a database");
    assert!(restore(&demo, &file).0);
    demo.again().call_as(&token, "resolve_artist", json!({"discogs_id": 41}))
}

fn switched_off() -> Envelope {
    let demo = Demo::start();
    admin(&demo, &["tool", "get_artist", "off"]).expect("it is off");
    demo.call("get_artist", json!({"key": "four-tet"}))
}

fn anonymous(settings: &str, calls: usize) -> Envelope {
    let server = Demo::serving("", &format!("[anonymous]\n{settings}"));
    let ask = |_| server.call("resolve_artist", json!({"q": "Four Tet"}));
    (0..calls).map(ask).collect::<Vec<_>>().pop().expect("a call")
}

/// An answer of the type, as a stranger gets it; none for what is reserved.
fn produced(kind: ErrorType) -> Option<Envelope> {
    let shared = Demo::shared();
    Some(match kind {
        ErrorType::InvalidArgument => shared.call("resolve_artist", json!({"qq": "Four Tet"})),
        ErrorType::OneOfRequired => shared.call("resolve_artist", json!({})),
        ErrorType::RangeTooLarge => shared.call_signed_in("list_breakouts", json!({"limit": 51})),
        ErrorType::PlaceholderDetected => shared.call("get_artist", json!({"key": "<cluster_id>"})),
        ErrorType::Unauthorized => shared.call("search_catalog", json!({"q": "Four Tet"})),
        ErrorType::QuotaExceeded => spent(),
        ErrorType::AnonymousCapacityExhausted => anonymous("units_per_day = 0", 1),
        ErrorType::RateLimited => anonymous("calls_per_minute = 1", 2),
        ErrorType::LinkedCapacityExhausted => used_up(),
        ErrorType::RequestInProgress => duplicate(),
        ErrorType::UpstreamDegraded => of_the_service("degraded"),
        ErrorType::UpstreamError => of_the_service("fails"),
        ErrorType::MeteringUnavailable => unmetered(),
        ErrorType::ToolDisabled => switched_off(),
        ErrorType::Internal => Demo::planted("get_artist").call("get_artist", json!({"key": "four-tet"})),
        ErrorType::InsufficientScope | ErrorType::IdempotencyConflict => return None,
    })
}

#[test]
fn every_issued_error_type_is_met_from_outside_and_no_reserved_one() {
    let validator =
        jsonschema::draft202012::new(&Demo::shared().resource("hosaka://envelope-schema")).expect("a schema");
    let answers: BTreeMap<&str, Option<Envelope>> = std::thread::scope(|scope| {
        let started: Vec<_> =
            ErrorType::ALL.iter().map(|kind| (kind.as_str(), scope.spawn(|| produced(*kind)))).collect();
        started.into_iter().map(|(word, answer)| (word, answer.join().expect(word))).collect()
    });
    let reserved: Vec<&str> =
        answers.iter().filter(|(_, answer)| answer.is_none()).map(|(word, _)| *word).collect();
    assert_eq!(reserved, ["idempotency_conflict", "insufficient_scope"]);
    for kind in ErrorType::ALL {
        let Some(answer) = &answers[kind.as_str()] else {
            assert_eq!((kind.recoverable(), kind.retryable()), (Property::Reserved, Property::Reserved));
            continue;
        };
        let error = &answer.json["error"];
        assert_eq!(answer.error_type(), kind.as_str(), "{}", answer.json);
        assert!(answer.is_error && validator.is_valid(&answer.json), "{}", answer.json);
        for (property, flag) in [(kind.recoverable(), "recoverable"), (kind.retryable(), "retryable")] {
            match property {
                Property::Yes => assert_eq!(error[flag], true, "{}: {flag}", kind.as_str()),
                Property::No => assert_eq!(error[flag], false, "{}: {flag}", kind.as_str()),
                Property::Varies => assert!(error[flag].is_boolean(), "{}: {flag}", kind.as_str()),
                Property::Reserved => panic!("{} is reserved", kind.as_str()),
            }
        }
        assert!(error["data"]["fix_hint"].is_string(), "{}: {error}", kind.as_str());
        let nothing = [&answer.json["data"], &answer.json["present"], &answer.json["ambiguity"]];
        assert_eq!(nothing, [&Value::Null; 3], "{}", kind.as_str());
    }
}

#[test]
fn a_reserved_error_type_is_in_no_recorded_answer_and_nothing_makes_one() {
    let golden = root().join("tests/it/golden");
    let mut files = Vec::new();
    collect(&golden, &mut files);
    assert!(files.len() > 20, "{} recorded answers", files.len());
    for file in files {
        let text = std::fs::read_to_string(&file).expect("an answer");
        for word in ["insufficient_scope", "idempotency_conflict"] {
            assert!(!text.contains(word), "{}: {word}", file.display());
        }
    }
    for (name, text) in source_text() {
        let makes_one = text.contains("::InsufficientScope") || text.contains("::IdempotencyConflict");
        assert!(!makes_one || name == "src/envelope/error.rs", "{name}");
    }
}

fn collect(folder: &Path, files: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { collect(&path, files) } else { files.push(path) }
    }
}

#[test]
fn an_internal_error_tells_nothing_but_the_request_and_the_server_goes_on() {
    let server = Demo::planted("get_artist");
    let token = server.token_of("unlucky");
    let failed = server.call_as(&token, "get_artist", json!({"key": "four-tet"}));
    let error = &failed.json["error"];
    assert_eq!(
        (failed.error_type(), &error["recoverable"], &error["retryable"]),
        ("internal", &json!(false), &json!(false))
    );
    assert_eq!(failed.json["meta"]["units"], 0, "nothing was asked");
    assert!(failed.json["meta"]["request_id"].is_string());
    assert!(!failed.raw.contains("planted") && !failed.raw.contains("four-tet"), "{}", failed.raw);
    let again = server.call_as(&token, "get_artist", json!({"key": "four-tet"}));
    assert_eq!(again.error_type(), "internal", "a failure is no answer to be given again");
    let other = server.call_as(&token, "resolve_artist", json!({"q": "Four Tet"}));
    assert!(
        !other.is_error && other.json["meta"]["quota"]["used"] == other.json["meta"]["units"],
        "{}",
        other.json
    );
}

#[test]
fn the_fault_that_tests_plant_is_in_no_release_build() {
    let mut places = 0;
    for (name, _) in source_text() {
        let text = std::fs::read_to_string(root().join(&name)).expect("a file");
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.contains("planted_fault(")) {
            assert_eq!(lines[at - 1], "#[cfg(debug_assertions)]", "{name}: {line}");
            places += 1;
        }
        let word = ["ONO_PLANTED", "_FAULT"].concat();
        assert!(!text.contains(&word) || name == "src/pipeline/tool_call.rs", "{name}");
    }
    assert_eq!(places, 2, "where it is written and where it is called");
}

#[test]
fn the_error_types_are_the_same_wherever_they_are_published() {
    let demo = Demo::shared();
    let rows = |kinds: &[ErrorType]| -> Vec<[String; 4]> {
        let row = |kind: &ErrorType| {
            [kind.as_str(), kind.recoverable().as_str(), kind.retryable().as_str(), kind.meaning()]
                .map(str::to_owned)
        };
        kinds.iter().map(row).collect()
    };
    let code = rows(&ErrorType::ALL);

    let capabilities = demo.resource("hosaka://capabilities");
    let published = capabilities["errors"].as_array().expect("errors").iter();
    let fields = ["type", "recoverable", "retryable", "meaning"];
    let published: Vec<[String; 4]> =
        published.map(|row| fields.map(|field| row[field].as_str().expect("text").to_owned())).collect();
    assert_eq!(published, code);

    let guide = demo.send(Method::GET, "/docs/agents/errors-and-limits.md", &[], Vec::new());
    let guide = String::from_utf8(guide.body.to_vec()).expect("text");
    let cells = |line: &str| -> Option<[String; 4]> {
        let cells: Vec<String> = line.split('|').map(|cell| cell.trim().replace('`', "")).collect();
        let [_, kind, recoverable, retryable, meaning, _] = cells.as_slice() else { return None };
        let is_one = ErrorType::ALL.iter().any(|own| own.as_str() == kind);
        is_one.then(|| [kind, recoverable, retryable, meaning].map(Clone::clone))
    };
    assert_eq!(guide.lines().filter_map(cells).collect::<Vec<_>>(), code);

    let schema = demo.resource("hosaka://envelope-schema").to_string();
    let words: Vec<String> = ErrorType::ALL.iter().map(|kind| format!("\"{}\"", kind.as_str())).collect();
    assert!(schema.contains(&format!("[{}]", words.join(","))), "the schema has another list");

    let issued = ErrorType::ALL.iter().filter(|kind| kind.retryable() != Property::Reserved);
    let ending = format!("Errors: {}.", issued.map(|kind| kind.as_str()).collect::<Vec<_>>().join(", "));
    let list = demo.modern_at("/mcp/full", "tools/list", json!({})).result();
    for tool in list["tools"].as_array().expect("tools") {
        assert!(tool["description"].as_str().is_some_and(|text| text.ends_with(&ending)), "{}", tool["name"]);
    }
}
