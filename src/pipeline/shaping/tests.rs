//! Sizes of answers about records that are full to the brim, with the real tokenizer as the judge.

use proptest::prelude::*;
use serde_json::{Value, json};
use tiktoken_rs::o200k_base_singleton;

use super::*;
use crate::crate_client::faulty::{Behaviour, call_of, client};
use crate::envelope::meta::{ClientClass, Idempotency, Meta};
use crate::envelope::schema;
use crate::model::family::Family;
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

/// A dossier of which every part is there; `text` stands wherever a name or a title does.
fn dossier(mut text: impl FnMut() -> String, releases: usize) -> Value {
    let entries: Vec<Value> = (0..releases)
        .map(|n| json!({"discogsMasterId": 1_234_567 + 7_919 * n, "representativeName": text()}))
        .collect();
    let facet = |signals: Value| json!({"state": "present", "signals": signals});
    json!({
        "slug": "somebody", "identity": {
            "name": text(), "resolvedVia": "discogs", "discogsArtistId": 1_234_567, "clusterId": "3f".repeat(32),
            "realname": text(), "profile": text().repeat(30), "aliases": (0..40).map(|_| text()).collect::<Vec<_>>(),
        },
        "behavioral": facet(json!({"primaryGenre": text(), "primaryStyles": (0..8).map(|_| text()).collect::<Vec<_>>()})),
        "emergence": facet(json!({"emergenceTier": text(), "momentumTier": text()})),
        "debut": facet(json!({"firstReleaseDate": "1991-01-01", "artistMbid": "3bcff06f-675a-451f-9075-99e8657047e8"})),
        "discography": facet(json!({"total": releases + 40, "entries": entries, "overMerge": {"discogsArtistIdCount": 3}})),
        "web_presence": facet(json!({
            "bandcampUrl": "https://somebody-somewhere.bandcamp.com/", "spotifyUrl": "https://open.spotify.com/artist/6kBDZFXuLrZgHnvmPu9NsG",
            "soundcloudUrl": "http://soundcloud.com/somebody-somewhere", "youtubeUrl": "https://www.youtube.com/channel/UC4hfA78X-lqiRERBZLTnLBw",
            "instagramUrl": "http://www.instagram.com/somebody.somewhere", "websiteUrl": "https://somebody-somewhere.example.org/",
        })),
        "geography": facet(json!({"city": text(), "region": text(), "country": text()})),
        "tier_presence": facet(json!({"clubEvents": 1_234, "festivalEditions": 321, "firstClubAt": "2009-04-01", "lastClubAt": "2026-11-20",
            "firstFestivalAt": "2011-07-01", "lastFestivalAt": "2026-08-30"})),
        "airplay_breadth": facet(json!({"airplayCount": 12_345, "distinctStations": 123, "firstAirplayDate": "2008-01-02", "latestAirplayDate": "2026-11-29"})),
        "journalism": facet(json!({"pressCount": 1_234, "reviewCount": 432, "interviewCount": 123, "featureCount": 99})),
        "authorship": facet(json!({"worksWritten": 345, "recordingsOfWorks": 4_567})),
        "facts": facet(json!({"originCity": text(), "originCountry": text(), "birthDate": "1971-08-18", "deathDate": "2024-02-29",
            "mbid": "3bcff06f-675a-451f-9075-99e8657047e8", "recordLabels": (0..12).map(|_| text()).collect::<Vec<_>>()})),
    })
}

/// The answer of `get_artist` over a dossier, before and after it is kept to its size.
fn answers(view: &str, dossier: &Value) -> (Envelope<Data>, Envelope<Data>) {
    let arguments = json!({"key": "somebody", "view": view});
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let body: &'static str = Box::leak(dossier.to_string().into_boxed_str());
    let finding = runtime.block_on(async {
        let (client, faulty, _) = client();
        faulty.set(Family::Artist, Behaviour::Says(200, body));
        let call = Call::parse(ToolName::GetArtist, &arguments).expect("a call");
        call.run(&client, &call_of(1), Origin::Fixtures, None).await.expect("an answer")
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
    let titles = titles();
    for (view, most) in [("summary", SOFT_TOKENS), ("standard", SOFT_TOKENS), ("full", HARD_TOKENS)] {
        let mut next = titles.iter().cycle();
        let record = dossier(|| next.next().cloned().unwrap_or_default(), 100);
        let (_, fitted) = answers(view, &record);
        assert_valid(&fitted);
        let counted = counted(&fitted);
        let estimated = fitted.meta.tokens_estimate;
        println!("| `get_artist` {view}, everything full | {counted} | {estimated} |");
        assert!(fitted.is_ok() && !fitted.meta.truncated && fitted.meta.trimmed.is_empty(), "{view}");
        assert!(counted <= most, "{view}: {counted} tokens");
        let ratio = f64::from(estimated) / f64::from(counted);
        assert!((0.9..=1.1).contains(&ratio), "{view}: {estimated} for {counted}");
    }
}

/// Texts that cost a lot: long ones of many scripts.
fn costly() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z ]{1,60}",
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
        let record = dossier(|| next.next().cloned().unwrap_or_default(), releases);
        let (whole, fitted) = answers(view, &record);
        assert_valid(&fitted);
        prop_assert!(fitted.meta.tokens_estimate <= HARD_ESTIMATE, "{}", fitted.meta.tokens_estimate);
        prop_assert_eq!(fitted.meta.tokens_estimate, size(&fitted));
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
