//! The issuer's keys over time, with a clock that is wound by hand.

use std::pin::Pin;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::header::AUTHORIZATION;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::{Value, json};
use std::sync::Arc;
use time::macros::datetime;

use super::key_source::{AGAIN_AFTER, LIFETIME};
use super::*;

const ISSUER: &str = "https://issuer.example";
const RESOURCE: &str = "https://mcp.example.org/mcp";

struct Pair {
    /// Its name; empty for a key without one.
    id: &'static str,
    pair: EcdsaKeyPair,
}

impl Pair {
    fn new(id: &'static str) -> Self {
        let rng = SystemRandom::new();
        let der = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &rng).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, der.as_ref(), &rng).unwrap();
        Self { id, pair }
    }

    fn jwk(&self) -> Value {
        let point = self.pair.public_key().as_ref();
        let (x, y) = (URL_SAFE_NO_PAD.encode(&point[1..33]), URL_SAFE_NO_PAD.encode(&point[33..]));
        let mut key = json!({"kty": "EC", "crv": "P-256", "x": x, "y": y});
        if !self.id.is_empty() {
            key["kid"] = json!(self.id);
        }
        key
    }

    /// A token that is good for a day; `name` tells it from the others.
    fn token(&self, clock: &Clock, name: &str) -> String {
        let exp = clock.utc().unix_timestamp() + 86_400;
        self.signed(&json!({"iss": ISSUER, "sub": "user", "aud": RESOURCE, "exp": exp, "jti": name}))
    }

    fn signed(&self, claims: &Value) -> String {
        let mut header = json!({"alg": "ES256"});
        if !self.id.is_empty() {
            header["kid"] = json!(self.id);
        }
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let message = format!("{}.{}", part(&header), part(claims));
        let signature = self.pair.sign(&SystemRandom::new(), message.as_bytes()).unwrap();
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

#[derive(Debug, Default)]
struct Scripted {
    /// `None` is an issuer that is down.
    keys: Mutex<Option<Vec<Value>>>,
    asked: AtomicUsize,
}

impl Scripted {
    fn has(&self, pairs: &[&Pair]) {
        *self.keys.lock().unwrap() = Some(pairs.iter().map(|pair| pair.jwk()).collect());
    }

    fn is_down(&self) {
        *self.keys.lock().unwrap() = None;
    }
}

impl KeyDocument for Scripted {
    fn fetch(&self) -> Pin<Box<dyn Future<Output = Result<Bytes, String>> + Send + '_>> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let keys = self.keys.lock().unwrap().clone();
        Box::pin(async move {
            keys.map(|keys| Bytes::from(json!({"keys": keys}).to_string())).ok_or_else(|| "down".to_owned())
        })
    }
}

fn authenticator(document: &Arc<Scripted>) -> (Authenticator, Clock) {
    let clock = Clock::wound_to(datetime!(2027-01-31 12:00:00 UTC));
    let policy = TokenPolicy {
        issuer: ISSUER.to_owned(),
        resource: RESOURCE.to_owned(),
        further_audiences: Vec::new(),
        algorithms: SigningAlgorithm::ALL.to_vec(),
        chatgpt_clients: vec!["chatgpt".to_owned()],
    };
    let keys = KeySource::fetched(document.clone(), &policy.algorithms, clock.clone());
    (Authenticator::new(policy, keys, clock.clone()), clock)
}

async fn of(authenticator: &Authenticator, token: &str) -> Result<(), AuthRefusal> {
    let mut headers = HeaderMap::new();
    headers.insert(AUTHORIZATION, format!("Bearer {token}").parse().unwrap());
    authenticator
        .authenticate(&headers, Endpoint::CORE)
        .await
        .map(|principal| assert!(!principal.is_anonymous()))
}

#[tokio::test]
async fn a12_a_new_key_is_taken_within_the_cooldown_and_a_dropped_one_refused_after_its_lifetime() {
    let (old, new) = (Pair::new("old"), Pair::new("new"));
    let document = Arc::new(Scripted::default());
    let (auth, clock) = authenticator(&document);
    document.has(&[&old]);
    let (of_old, of_new) = (old.token(&clock, "1"), new.token(&clock, "2"));
    assert_eq!(of(&auth, &of_old).await, Ok(()));
    document.has(&[&old, &new]);
    assert_eq!(of(&auth, &of_new).await, Err(AuthRefusal::InvalidToken), "asked a moment ago");
    clock.advance(AGAIN_AFTER);
    assert_eq!(of(&auth, &of_new).await, Ok(()));
    document.has(&[&new]);
    clock.advance(LIFETIME - Duration::from_secs(1));
    assert_eq!(of(&auth, &of_old).await, Ok(()), "the set that was fetched still has it");
    clock.advance(Duration::from_secs(1));
    for token in [&of_old, &old.token(&clock, "3")] {
        assert_eq!(of(&auth, token).await, Err(AuthRefusal::InvalidToken));
    }
    assert_eq!(of(&auth, &of_new).await, Ok(()));
}

#[tokio::test]
async fn a10_a12_while_the_issuer_is_down_known_keys_go_on_and_an_unknown_one_cannot_be_told() {
    let (known, new) = (Pair::new("known"), Pair::new("new"));
    let document = Arc::new(Scripted::default());
    let (auth, clock) = authenticator(&document);
    let unverifiable = Err(AuthRefusal::Unverifiable { retry_after: UNVERIFIABLE_RETRY });
    assert_eq!(of(&auth, &known.token(&clock, "0")).await, unverifiable, "nothing was ever fetched");
    assert_eq!(document.asked.load(Ordering::Relaxed), 1);
    clock.advance(AGAIN_AFTER);
    document.has(&[&known]);
    let token = known.token(&clock, "1");
    assert_eq!(of(&auth, &token).await, Ok(()));
    document.is_down();
    for _ in 0..5 {
        clock.advance(LIFETIME);
        assert_eq!(of(&auth, &token).await, Ok(()));
        assert_eq!(of(&auth, &known.token(&clock, "2")).await, Ok(()));
        assert_eq!(of(&auth, &new.token(&clock, "3")).await, unverifiable);
    }
    assert!(document.asked.load(Ordering::Relaxed) <= 2 + 5);
    document.has(&[&known, &new]);
    clock.advance(AGAIN_AFTER);
    assert_eq!(of(&auth, &new.token(&clock, "4")).await, Ok(()));
}

#[tokio::test]
async fn a_remembered_token_ends_with_its_time() {
    let pair = Pair::new("k");
    let document = Arc::new(Scripted::default());
    document.has(&[&pair]);
    let (auth, clock) = authenticator(&document);
    let token = pair.token(&clock, "1");
    assert_eq!(of(&auth, &token).await, Ok(()));
    clock.advance(Duration::from_secs(86_400 + 59));
    assert_eq!(of(&auth, &token).await, Ok(()), "within the leeway");
    clock.advance(Duration::from_secs(1));
    assert_eq!(of(&auth, &token).await, Err(AuthRefusal::InvalidToken));
}

#[tokio::test]
async fn a_key_that_is_turned_over_under_the_same_name_or_none_is_taken_within_the_cooldown() {
    for name in ["same", ""] {
        let (old, new) = (Pair::new(name), Pair::new(name));
        let document = Arc::new(Scripted::default());
        let (auth, clock) = authenticator(&document);
        document.has(&[&old]);
        assert_eq!(of(&auth, &old.token(&clock, "1")).await, Ok(()));
        document.has(&[&new]);
        let (of_new, forged) = (new.token(&clock, "2"), Pair::new(name).token(&clock, "3"));
        assert_eq!(of(&auth, &of_new).await, Err(AuthRefusal::InvalidToken), "asked a moment ago");
        clock.advance(AGAIN_AFTER);
        assert_eq!(of(&auth, &of_new).await, Ok(()), "{name:?}");
        for _ in 0..5 {
            assert_eq!(of(&auth, &forged).await, Err(AuthRefusal::InvalidToken));
        }
        assert_eq!(document.asked.load(Ordering::Relaxed), 2, "a forged one asks no more often than that");
    }
}

#[tokio::test]
async fn a15_a_minute_is_forgiven_to_the_second_at_either_end() {
    let pair = Pair::new("k");
    let document = Arc::new(Scripted::default());
    document.has(&[&pair]);
    let (auth, clock) = authenticator(&document);
    let now = clock.utc().unix_timestamp();
    for (exp, nbf, iat, good) in [
        (now + 1, now, now, true),
        (now - 59, now, now, true),
        (now - 60, now, now, false),
        (now + 60, now + 60, now, true),
        (now + 60, now + 61, now, false),
        (now + 60, now, now + 60, true),
        (now + 60, now, now + 61, false),
    ] {
        let claims =
            json!({"iss": ISSUER, "sub": "user", "aud": RESOURCE, "exp": exp, "nbf": nbf, "iat": iat});
        let wanted = if good { Ok(()) } else { Err(AuthRefusal::InvalidToken) };
        for _first_and_remembered in 0..2 {
            assert_eq!(of(&auth, &pair.signed(&claims)).await, wanted, "{claims}");
        }
    }
}

#[tokio::test]
async fn the_log_says_which_claim_is_not_acceptable_and_never_the_token() {
    let pair = Pair::new("k");
    let (auth, clock) = authenticator(&Arc::new(Scripted::default()));
    let now = clock.utc().unix_timestamp();
    let policy = &auth.verifier.as_ref().unwrap().policy;
    let sound = json!({"iss": ISSUER, "sub": "user", "aud": RESOURCE, "exp": now + 60});
    assert!(policy.read(&pair.signed(&sound), now).is_ok());
    for (claim, value) in [
        ("iss", json!("https://other.example")),
        ("aud", json!("https://other.example/mcp")),
        ("sub", json!("")),
        ("exp", json!(now - 61)),
        ("nbf", json!(now + 61)),
    ] {
        let mut claims = sound.clone();
        claims[claim] = value;
        let refused = policy.read(&pair.signed(&claims), now).unwrap_err();
        assert_eq!(refused.0.as_str(), claim);
    }
    assert_eq!(policy.read("no token", now).unwrap_err(), Unacceptable(TokenFault::Form));
}

#[tokio::test]
async fn a_flood_of_unknown_keys_in_an_outage_asks_once_in_the_cooldown_and_disturbs_no_known_key() {
    for empty in [false, true] {
        let known = Pair::new("known");
        let document = Arc::new(Scripted::default());
        let (auth, clock) = authenticator(&document);
        document.has(&[&known]);
        assert_eq!(of(&auth, &known.token(&clock, "first")).await, Ok(()));
        if empty {
            document.has(&[]);
        } else {
            document.is_down();
        }
        for after in [AGAIN_AFTER, LIFETIME] {
            clock.advance(after);
            let before = document.asked.load(Ordering::Relaxed);
            for number in 0..1_000 {
                // Names of their own without a signature worth checking.
                let header =
                    URL_SAFE_NO_PAD.encode(json!({"alg": "ES256", "kid": number.to_string()}).to_string());
                let token = known.token(&clock, "stranger");
                let (_, rest) = token.split_once('.').unwrap();
                let refused = of(&auth, &format!("{header}.{rest}")).await;
                assert!(
                    matches!(refused, Err(AuthRefusal::InvalidToken | AuthRefusal::Unverifiable { .. })),
                    "{refused:?}"
                );
                if number % 50 == 0 {
                    assert_eq!(of(&auth, &known.token(&clock, &number.to_string())).await, Ok(()));
                }
            }
            assert_eq!(document.asked.load(Ordering::Relaxed) - before, 1, "{empty} {after:?}");
        }
    }
}

#[tokio::test]
async fn nothing_of_a_key_set_or_a_token_is_read_by_its_place() {
    let pair = Pair::new("k");
    let jwk = pair.jwk();
    let read = |document: &Value| {
        KeySet::parse(document.to_string().as_bytes(), &SigningAlgorithm::ALL).map(|set| set.len())
    };
    assert_eq!(read(&json!({"keys": [jwk]})), Ok(1));
    assert_eq!(read(&json!([[jwk]])), Err(keys::NoKeySet));
    let placed = json!(["EC", null, null, null, "k", null, null, "P-256", jwk["x"], jwk["y"]]);
    assert_eq!(read(&json!({"keys": [placed, jwk]})), Ok(1));

    let document = Arc::new(Scripted::default());
    let (auth, clock) = authenticator(&document);
    document.has(&[&pair]);
    let exp = clock.utc().unix_timestamp() + 86_400;
    let named = json!({"iss": ISSUER, "sub": "user", "aud": RESOURCE, "exp": exp});
    assert_eq!(of(&auth, &pair.signed(&named)).await, Ok(()));
    let placed = json!([ISSUER, "user", RESOURCE, exp, null, null, null, null, null, null]);
    assert_eq!(of(&auth, &pair.signed(&placed)).await, Err(AuthRefusal::InvalidToken));
}
