//! Nobody is taken for an account without a token of the issuer that says all that a token has to say; and no key of a
//! set spoils another.
//!
//! An input says in its first byte what it is: `t`, the lines of `Authorization` fields; `c`, the header and the claims
//! of a token, which is then signed; `k`, a key set.

use std::sync::LazyLock;

use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue};
use ono_sendai::auth::{
    AccountId, AuthRefusal, Authenticator, ClientKind, KeySet, KeySource, Principal, SigningAlgorithm,
};
use ono_sendai::clock::Clock;
use ono_sendai::profile::Endpoint;
use serde_json::Value;

use crate::service::runtime;
use crate::token::{ISSUER, RESOURCE, entry, good, keys, policy, signed};
use crate::{NOW, parts};

/// The most keys of a set that are read.
const KEYS_MAX: usize = 100;
/// How far the clocks may differ, in seconds.
const LEEWAY_S: f64 = 60.0;

/// Runs one input.
pub fn run(data: &[u8]) {
    let Some((kind, rest)) = data.split_first() else { return };
    match kind {
        b't' => fields(rest),
        b'c' => claims(rest),
        b'k' => key_set(rest),
        _ => {}
    }
}

fn ask(keys: KeySet, headers: &HeaderMap) -> Result<Principal, AuthRefusal> {
    let auth = Authenticator::new(policy(), KeySource::fixed(keys), Clock::wound_to(NOW));
    let asked = || runtime().block_on(auth.authenticate(headers, Endpoint::CORE));
    let first = asked();
    // Once from the signature, once from memory.
    assert_eq!(first, asked());
    first
}

fn with(token: &str) -> HeaderMap {
    let value = HeaderValue::from_str(&format!("Bearer {token}")).expect("a field");
    HeaderMap::from_iter([(AUTHORIZATION, value)])
}

fn fields(data: &[u8]) {
    let mut headers = HeaderMap::new();
    for line in data.split(|byte| *byte == b'\n') {
        if let Ok(value) = HeaderValue::from_bytes(line) {
            headers.append(AUTHORIZATION, value);
        }
    }
    let answer = ask(keys(), &headers);
    let given: Vec<&HeaderValue> = headers.get_all(AUTHORIZATION).iter().collect();
    match (given.as_slice(), answer) {
        ([], Ok(who)) => assert!(who.is_anonymous()),
        ([], Err(refusal)) => panic!("no credentials are no fault: {refusal:?}"),
        ([one], Ok(who)) => {
            // Nobody but the issuer signs, so that it is one of the tokens of the seeds, to the letter.
            static GOOD: LazyLock<String> = LazyLock::new(good);
            let account = who.account().expect("credentials are never ignored");
            assert_eq!(account.id(), AccountId::of(ISSUER, "somebody"));
            assert!(
                one.to_str().is_ok_and(|text| text.ends_with(&*GOOD) || text.trim_end().ends_with(&*GOOD))
            );
        }
        ([_], Err(refusal)) => assert_eq!(refusal, AuthRefusal::InvalidToken),
        (_, answer) => assert_eq!(answer.err(), Some(AuthRefusal::SeveralCredentials)),
    }
}

fn claims(data: &[u8]) {
    let mut told = parts(data);
    let (Some(header), Some(claims)) = (told.next(), told.next()) else { return };
    let token = signed(header, claims);
    if token.len() > 16_000 {
        return;
    }
    let answer = ask(keys(), &with(&token));
    let Ok(who) = answer else {
        assert_eq!(answer.err(), Some(AuthRefusal::InvalidToken), "the keys are at hand");
        return;
    };
    let account = who.account().expect("an account");
    // What is passed over need not be JSON in every detail.
    let (Ok(header), Ok(claims)) =
        (serde_json::from_slice::<Value>(header), serde_json::from_slice::<Value>(claims))
    else {
        return;
    };
    assert_eq!(header["alg"], "EdDSA");
    assert!(header["crit"].is_null());
    assert!(header["kid"].is_null() || header["kid"] == "seven");
    let kind = header["typ"].as_str().map(str::to_lowercase);
    let kinds = [None, Some("jwt"), Some("at+jwt"), Some("application/jwt"), Some("application/at+jwt")];
    assert!(kinds.contains(&kind.as_deref()), "{kind:?}");
    assert_eq!(claims["iss"], ISSUER);
    let slashed = format!("{RESOURCE}/");
    let ours = |audience: &Value| [RESOURCE, &slashed, "client-7"].iter().any(|name| audience == name);
    let audience = &claims["aud"];
    assert!(ours(audience) || audience.as_array().is_some_and(|several| several.iter().any(ours)));
    let subject = claims["sub"].as_str().expect("a subject");
    assert!(!subject.is_empty() && subject.len() <= 255 && !subject.chars().any(char::is_control));
    let now = NOW.unix_timestamp() as f64;
    assert!(claims["exp"].as_f64().is_some_and(|end| end > now - LEEWAY_S));
    for begin in ["nbf", "iat"] {
        let begin = &claims[begin];
        assert!(begin.is_null() || begin.as_f64().is_some_and(|begin| begin < now + LEEWAY_S + 1.0));
    }
    assert_eq!((account.id(), account.subject()), (AccountId::of(ISSUER, subject), subject));
    let is_chatgpt = claims["client_id"] == "chatgpt" || claims["azp"] == "chatgpt";
    assert!(is_chatgpt || account.client() == ClientKind::Other);
    assert!(account.scopes().len() <= 50);
}

fn key_set(data: &[u8]) {
    let all = &SigningAlgorithm::ALL;
    let set = KeySet::parse(data, all);
    let document: Option<Value> = serde_json::from_slice(data).ok();
    // A number that nobody can hold spoils what the judge reads, and no key beside it.
    let (Ok(set), Some(document)) = (set, document) else { return };
    let Some(listed) = document.get("keys").and_then(Value::as_array) else { panic!("read of no list") };
    assert!(set.len() <= listed.len().min(KEYS_MAX), "{} keys of {}", set.len(), listed.len());
    assert_eq!(set.is_empty(), matches!(set.len(), 0));
    let by_one: usize =
        all.iter().map(|algorithm| KeySet::parse(data, &[*algorithm]).map_or(0, |set| set.len())).sum();
    assert_eq!(by_one, set.len(), "every key is of one algorithm");
    if listed.len() >= KEYS_MAX {
        return;
    }
    // A good key is found among whatever else stands in the set, and nobody else's key makes a good token.
    let mut entries: Vec<String> = listed.iter().map(Value::to_string).collect();
    let text = |entries: &[String]| format!(r#"{{"keys":[{}]}}"#, entries.join(","));
    let others = KeySet::parse(text(&entries).as_bytes(), all).expect("a key set");
    let has_it = listed
        .iter()
        .any(|entry| entry["x"] == serde_json::from_str::<Value>(&crate::token::entry()).expect("JSON")["x"]);
    static GOOD: LazyLock<String> = LazyLock::new(good);
    assert!(has_it || ask(others, &with(&GOOD)).is_err());
    entries.push(entry());
    let more = KeySet::parse(text(&entries).as_bytes(), all).expect("a key set");
    assert!(ask(more, &with(&GOOD)).is_ok(), "one key spoils another");
}
