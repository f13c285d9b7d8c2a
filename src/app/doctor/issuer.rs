//! The issuer: whether it is who the configuration says, and whether clients can sign in there.

use serde_json::Value;
use url::Url;

use super::{Fault, Findings, way_there};
use crate::app::sign_in::{extra_roots, fetcher};
use crate::auth::{IssuerDocument, KeySet};
use crate::clock::Clock;
use crate::config::Config;
use crate::fetch::{Fetched, Fetcher, shown};
use crate::issuer::{self, IssuerKey, KEY_FILE};
use crate::model::text::clean;

const PART: &str = "issuer";
const KEYS: &str = "issuer's keys";
/// What another machine wrote is shown up to here, in characters.
const SHOWN_MAX_CHARS: usize = 200;

pub(super) async fn examine(config: &Config, clock: &Clock, found: &mut Findings) {
    if config.issuer.enabled {
        return built_in(config, found);
    }
    let Some(name) = &config.auth.issuer else {
        return found.good(PART, "none; this server has no sign-in");
    };
    let fetcher = match extra_roots(config).and_then(|roots| fetcher(&roots, config)) {
        Ok(fetcher) => fetcher,
        Err(error) => return found.fail(PART, Fault::Here, error.to_string()),
    };
    let addresses = match IssuerDocument::new(name, None, fetcher.clone()) {
        Ok(document) => document.metadata_addresses(),
        Err(error) => return found.fail(PART, Fault::Here, format!("{name} is no address: {error}")),
    };
    let metadata = metadata(name, &addresses, &fetcher, clock, found).await;
    if let Some(metadata) = &metadata {
        suits(config, name, metadata, found);
    }
    let keys_at = config.auth.jwks_uri.clone().or_else(|| {
        metadata.as_ref().and_then(|metadata| Url::parse(metadata.get("jwks_uri")?.as_str()?).ok())
    });
    match keys_at {
        Some(address) => keys(config, name, &address, &fetcher, found).await,
        None if metadata.is_some() => found.fail(
            KEYS,
            Fault::Remote,
            "the issuer's metadata does not say where its keys are; name them in [auth] jwks_uri",
        ),
        None => {}
    }
}

fn built_in(config: &Config, found: &mut Findings) {
    let data = &config.server.data_dir;
    let name = issuer::name(config.server.public_base.as_str());
    if data.join(KEY_FILE).exists()
        && let Err(error) = IssuerKey::load(data)
    {
        let text = format!("{error}; remove it, which ends every sign-in, or put the right one there");
        return found.fail(PART, Fault::Here, text);
    }
    found.warn(
        PART,
        format!(
            "{name}, the built-in one: it asks for no password; let nobody reach it whom you do not trust"
        ),
    );
}

/// The first document that names the issuer to the letter, as a server looks for it.
async fn metadata(
    name: &str,
    addresses: &[Url],
    fetcher: &Fetcher,
    clock: &Clock,
    found: &mut Findings,
) -> Option<Value> {
    let mut unreached = None;
    let mut why = None;
    for address in addresses {
        let answer = match fetcher.get(address).await {
            Ok(answer) => answer,
            Err(unanswered) => {
                unreached = Some((address, unanswered));
                continue;
            }
        };
        if found.times.is_empty() {
            found.time(PART, answer.date, clock);
        }
        match read(name, &answer) {
            Ok(metadata) => return Some(metadata),
            Err(reason) => why = Some(format!("{} {reason}", shown(address))),
        }
    }
    match (why, unreached) {
        (Some(why), _) => {
            let text = format!("{why}; is [auth] issuer what its tokens carry as iss, to the letter?");
            found.fail(PART, Fault::Remote, text);
        }
        (None, Some((address, unanswered))) => {
            let advice = way_there(&unanswered, "[auth] issuer", "auth");
            found.fail(PART, Fault::Unreachable, format!("{}: {unanswered}; {advice}", shown(address)));
        }
        // An issuer has an address at which its metadata may be.
        (None, None) => {}
    }
    None
}

fn read(name: &str, answer: &Fetched) -> Result<Value, String> {
    if answer.status != 200 {
        return Err(format!("answered HTTP {}", answer.status));
    }
    let metadata: Value = serde_json::from_slice(&answer.body).map_err(|_| "holds no JSON".to_owned())?;
    match metadata.get("issuer").and_then(Value::as_str) {
        Some(named) if named == name => Ok(metadata),
        Some(named) => Err(format!(
            "names {} where the configuration has {name}",
            clean(named, SHOWN_MAX_CHARS).unwrap_or_else(|| "nobody".to_owned())
        )),
        None => Err("holds no issuer metadata".to_owned()),
    }
}

/// Whether clients can sign in by themselves.
fn suits(config: &Config, name: &str, metadata: &Value, found: &mut Findings) {
    let lists = |field: &str, word: &str| {
        metadata.get(field).and_then(Value::as_array).is_some_and(|list| list.iter().any(|item| item == word))
    };
    let before = found.of.len();
    for field in ["authorization_endpoint", "token_endpoint"] {
        if metadata.get(field).and_then(Value::as_str).is_none() {
            found.fail(
                PART,
                Fault::Remote,
                format!("{name} names no {field}, so that nobody can sign in there; correct its set-up"),
            );
        }
    }
    if !lists("code_challenge_methods_supported", "S256") {
        found.warn(PART, "it does not say that it knows PKCE with S256, and clients refuse such an issuer");
    }
    let takes_documents =
        metadata.get("client_id_metadata_document_supported").and_then(Value::as_bool) == Some(true);
    if !takes_documents && metadata.get("registration_endpoint").and_then(Value::as_str).is_none() {
        found.warn(
            PART,
            "clients cannot register there by themselves: switch on client id metadata documents or dynamic registration",
        );
    }
    // One that lists no scopes may still know them.
    if metadata.get("scopes_supported").is_some_and(Value::is_array) {
        let unknown: Vec<&str> = config
            .auth
            .scopes
            .iter()
            .map(String::as_str)
            .filter(|scope| !lists("scopes_supported", scope))
            .collect();
        if !unknown.is_empty() {
            let text = format!(
                "it does not list {} among its scopes; take them out of [auth] scopes if clients are refused for them",
                unknown.join(", ")
            );
            found.warn(PART, text);
        }
    }
    if found.of.len() == before {
        found.good(PART, format!("{name} answers, and clients can register and sign in there"));
    }
}

async fn keys(config: &Config, name: &str, address: &Url, fetcher: &Fetcher, found: &mut Findings) {
    let url = address;
    let address = shown(url);
    let encrypted = url.scheme() == "https" || name.starts_with("http:");
    if !encrypted {
        return found.fail(
            KEYS,
            Fault::Remote,
            format!(
                "{address} has no TLS, so that they are not believed; have the issuer name an https address"
            ),
        );
    }
    let answer = match fetcher.get(url).await {
        Ok(answer) => answer,
        Err(reason) => {
            return found.fail(
                KEYS,
                Fault::Unreachable,
                format!(
                    "{address} cannot be reached: {reason}; {}",
                    way_there(&reason, "[auth] jwks_uri", "auth")
                ),
            );
        }
    };
    if answer.status != 200 {
        return found.fail(
            KEYS,
            Fault::Remote,
            format!(
                "{address} answered HTTP {}; correct [auth] jwks_uri, or ask the issuer why",
                answer.status
            ),
        );
    }
    let allowed = &config.auth.algorithms;
    let names = allowed.iter().map(|algorithm| algorithm.as_str()).collect::<Vec<_>>().join(", ");
    match KeySet::parse(&answer.body, allowed) {
        Err(error) => found.fail(
            KEYS,
            Fault::Remote,
            format!("{address}: {error}; correct [auth] jwks_uri, or ask the issuer why"),
        ),
        Ok(keys) if keys.is_empty() => found.fail(
            KEYS,
            Fault::Remote,
            format!("{address} has no key for {names}; add the issuer's algorithm to [auth] algorithms"),
        ),
        Ok(keys) => {
            found.good(KEYS, format!("{address} has {} that can check tokens with {names}", keys.len()))
        }
    }
}
