//! Sizes of answers about records that are full to the brim, with the real tokenizer as the judge.

use proptest::prelude::*;
use serde_json::{Value, json};
use tiktoken_rs::o200k_base_singleton;

use super::*;
use crate::crate_client::faulty::{Behaviour, call_of, client};
use crate::cursors::{MemoryCursors, Walks};
use crate::envelope::meta::{ClientClass, Idempotency, Meta};
use crate::envelope::schema;
use crate::model::family::Family;
use crate::render::text;
use crate::shape::{HARD_TOKENS, SOFT_TOKENS};
use crate::tools::Call;
use crate::tools::registry::ToolName;

fn meta() -> Meta {
    Meta {
        request_id: "018f3a5b-6c7d-7e8f-9a0b-1c2d3e4f5a6b".to_owned(),
        generated_at: "2027-01-31T12:00:00Z".to_owned(),
        anonymous: false,
        account_mode: Some("interim"),
        client_class: ClientClass::LinkedGeneric,
        view: None,
        view_coerced: false,
        units: 1,
        upstream_2xx: 1,
        cache_hit: false,
        replay: false,
        tokens_estimate: 0,
        truncated: false,
        trimmed: Vec::new(),
        degraded_limits: false,
        anon_budget_bucket: None,
        idempotency: Idempotency::Ok,
        quota: Some(crate::envelope::meta::Quota {
            used: 412,
            allowance: 1_000,
            warning_80: false,
            reset_at: "2027-02-01T00:00:00Z".to_owned(),
        }),
        fixture_mode: true,
    }
}

/// The names of the demo catalogue.
fn names() -> Vec<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/artists/index.jsonl");
    let text = std::fs::read_to_string(path).expect("the fixtures");
    let name = |line: &str| serde_json::from_str::<Value>(line).ok()?["name"].as_str().map(str::to_owned);
    text.lines().filter_map(name).collect()
}

/// The real titles of the demo catalogue, the longest first.
fn titles() -> Vec<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/masters/rows.jsonl");
    let text = std::fs::read_to_string(path).expect("the fixtures");
    let title = |line: &str| serde_json::from_str::<Value>(line).ok()?["title"].as_str().map(str::to_owned);
    let mut titles: Vec<String> = text.lines().filter_map(title).collect();
    titles.sort_by_key(|title| std::cmp::Reverse(title.len()));
    titles.dedup();
    assert!(titles.len() >= 100);
    titles
}

/// What a text in a record stands for.
#[derive(Clone, Copy)]
enum Word {
    Title,
    Name,
    Style,
}

/// A dossier of which every part is there.
fn dossier(mut text: impl FnMut(Word) -> String, releases: usize) -> Value {
    let entries: Vec<Value> = (0..releases)
        .map(|n| json!({"discogsMasterId": 1_234_567 + 7_919 * n, "representativeName": text(Word::Title)}))
        .collect();
    let facet = |signals: Value| json!({"state": "present", "signals": signals});
    let mut several = |count: usize, word| (0..count).map(|_| text(word)).collect::<Vec<_>>();
    let (styles, aliases, names) = (several(8, Word::Style), several(40, Word::Name), several(7, Word::Name));
    let [name, real_name, city, region, country, home, land] = names.as_slice() else { panic!("seven") };
    let (tier, momentum) = (text(Word::Style), text(Word::Style));
    let day = "2009-04-01";
    json!({
        "slug": "somebody", "identity": {
            "name": name, "resolvedVia": "discogs", "discogsArtistId": 1_234_567, "clusterId": "3f".repeat(32),
            "realname": real_name, "profile": format!("{name} {real_name} ").repeat(30), "aliases": aliases,
        },
        "behavioral": facet(json!({"primaryGenre": text(Word::Style), "primaryStyles": styles})),
        "emergence": facet(json!({"emergenceTier": tier, "momentumTier": momentum})),
        "debut": facet(json!({"firstReleaseDate": day, "artistMbid": "3bcff06f-675a-451f-9075-99e8657047e8"})),
        "discography": facet(json!({"total": releases + 40, "entries": entries})),
        "geography": facet(json!({"city": city, "region": region, "country": country})),
        "tier_presence": facet(json!({"clubEvents": 1_234, "festivalEditions": 321, "firstClubAt": day,
            "lastClubAt": day, "firstFestivalAt": day, "lastFestivalAt": day})),
        "journalism": facet(
            json!({"pressCount": 1_234, "reviewCount": 432, "interviewCount": 123, "featureCount": 99}),
        ),
        "facts": facet(json!({"originCity": home, "originCountry": land, "birthDate": "1971-08-18",
            "deathDate": "2024-02-29", "mbid": "3bcff06f-675a-451f-9075-99e8657047e8"})),
    })
}

/// The answer of `get_artist` over a dossier, before and after it is kept to its size.
fn answers(view: &str, dossier: &Value) -> (Envelope<Data>, Envelope<Data>) {
    let arguments = json!({"key": "somebody", "view": view});
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let body: &'static str = Box::leak(dossier.to_string().into_boxed_str());
    let finding = runtime.block_on(async {
        let (client, faulty, clock) = client();
        faulty.set(Family::Artist, Behaviour::Says(200, body));
        let cursors = MemoryCursors::new(clock);
        let walks = Walks { cursors: &cursors, owner: None };
        let call = Call::parse(ToolName::GetArtist, &arguments).expect("a call");
        call.run(&client, &call_of(1), Origin::Fixtures, None, walks).await.expect("an answer")
    });
    let whole = Envelope::success(finding, meta());
    let mut fitted = whole.clone();
    fit(&mut fitted, Origin::Fixtures);
    (whole, fitted)
}

fn counted(envelope: &Envelope<Data>) -> u32 {
    let json = serde_json::to_string(envelope).expect("JSON");
    let count = |text: &str| o200k_base_singleton().encode_ordinary(text).len();
    u32::try_from(count(&json) + count(&text::render(envelope))).expect("a size")
}

fn assert_valid(envelope: &Envelope<Data>) {
    use std::sync::OnceLock;
    static SCHEMA: OnceLock<jsonschema::Validator> = OnceLock::new();
    let schema = SCHEMA.get_or_init(|| jsonschema::validator_for(&schema::envelope()).expect("a schema"));
    let json = serde_json::to_value(envelope).expect("JSON");
    let faults: Vec<String> = schema.iter_errors(&json).map(|fault| fault.to_string()).collect();
    assert!(faults.is_empty(), "{faults:?}");
}

#[test]
fn a_full_record_with_long_real_titles_fits_in_every_view_without_being_cut() {
    let (titles, names) = (titles(), names());
    // Room for five rows of each include.
    const FULL: u32 = HARD_TOKENS - 850;
    for (view, most) in [("summary", SOFT_TOKENS), ("standard", SOFT_TOKENS), ("full", FULL)] {
        let mut titles = titles.iter().take(100).step_by(if view == "full" { 1 } else { 9 }).cycle();
        let mut names = names.iter().cycle();
        let mut styles = ["Electronic", "Deep House", "Experimental", "Drum n Bass"].into_iter().cycle();
        let mut text = |word| match word {
            Word::Title => titles.next().cloned(),
            Word::Name => names.next().cloned(),
            Word::Style => styles.next().map(str::to_owned),
        };
        let record = dossier(|word| text(word).unwrap_or_default(), 100);
        let (_, fitted) = answers(view, &record);
        assert_valid(&fitted);
        let counted = counted(&fitted);
        let estimated = fitted.meta.tokens_estimate;
        println!("| `get_artist` {view} | {counted} | {estimated} |");
        assert!(fitted.is_ok() && !fitted.meta.truncated && fitted.meta.trimmed.is_empty(), "{view}");
        assert!(counted <= most, "{view}: {counted} tokens");
        let ratio = f64::from(estimated) / f64::from(counted);
        assert!((0.9..=1.1).contains(&ratio), "{view}: {estimated} for {counted}");
    }
}

/// Texts that cost a lot: long ones of many scripts.
fn costly() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z][a-z ]{0,59}",
        "[A-Za-z0-9 <>\"'&\\\\]{100,300}",
        "[\u{4e00}-\u{9fff}]{50,250}",
        "[\u{1F300}-\u{1F5FF}]{50,250}",
        "[\u{0400}-\u{04FF} ]{50,250}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn whatever_a_record_holds_its_answer_is_valid_and_can_be_sent(
        texts in prop::collection::vec(costly(), 1..12),
        releases in 0_usize..150,
        view in prop::sample::select(vec!["summary", "standard", "full"]),
    ) {
        let mut next = texts.iter().cycle();
        let record = dossier(|_| next.next().cloned().unwrap_or_default(), releases);
        let (whole, fitted) = answers(view, &record);
        assert_valid(&fitted);
        prop_assert!(fitted.meta.tokens_estimate <= HARD_ESTIMATE, "{}", fitted.meta.tokens_estimate);
        // The number itself is the only thing that is not yet in the answer when it is measured.
        prop_assert!(fitted.meta.tokens_estimate.abs_diff(size(&fitted)) <= 2);
        if size(&whole) <= SOFT_TOKENS {
            prop_assert_eq!(fitted.data(), whole.data());
        }
        // What is left of every list is a prefix of it.
        let (before, after) = (serde_json::to_value(&whole).expect("JSON"), serde_json::to_value(&fitted).expect("JSON"));
        if fitted.is_ok() {
            for path in ["/data/discography/releases", "/data/aliases/names", "/untrusted_text", "/ambiguity/candidates"] {
                let rows = |json: &Value| json.pointer(path).and_then(Value::as_array).cloned().unwrap_or_default();
                let (all, left) = (rows(&before), rows(&after));
                prop_assert!(all.starts_with(&left), "{path}");
                prop_assert!(all.len() == left.len() || fitted.meta.truncated, "{path} was cut without a word");
            }
        }
    }
}
