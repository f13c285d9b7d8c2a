//! A key whose signatures are the same in every run, and tokens of it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ono_sendai::auth::{KeySet, SigningAlgorithm, TokenPolicy};
use ring::signature::{Ed25519KeyPair, KeyPair as _};

/// Whose tokens are accepted.
pub const ISSUER: &str = "https://issuer.example";
/// What they are issued for.
pub const RESOURCE: &str = "https://mcp.example/mcp";

/// What a token has to say.
pub fn policy() -> TokenPolicy {
    TokenPolicy {
        issuer: ISSUER.to_owned(),
        resource: RESOURCE.to_owned(),
        further_audiences: vec!["client-7".to_owned()],
        algorithms: SigningAlgorithm::ALL.to_vec(),
        chatgpt_clients: vec!["chatgpt".to_owned()],
    }
}

fn pair() -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[7; 32]).expect("a key")
}

/// The entry of the key in a key set.
pub fn entry() -> String {
    let x = URL_SAFE_NO_PAD.encode(pair().public_key());
    format!(r#"{{"kty":"OKP","crv":"Ed25519","kid":"seven","use":"sig","x":"{x}"}}"#)
}

/// A key set that holds the key alone.
pub fn keys() -> KeySet {
    KeySet::parse(format!(r#"{{"keys":[{}]}}"#, entry()).as_bytes(), &SigningAlgorithm::ALL)
        .expect("a key set")
}

/// A token with this header and these claims, signed, whatever they say.
pub fn signed(header: &[u8], claims: &[u8]) -> String {
    let told = format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(claims));
    let signature = URL_SAFE_NO_PAD.encode(pair().sign(told.as_bytes()));
    format!("{told}.{signature}")
}

/// A token that is good in every respect.
pub fn good() -> String {
    let claims = format!(r#"{{"iss":"{ISSUER}","sub":"somebody","aud":"{RESOURCE}","exp":9999999999}}"#);
    signed(br#"{"alg":"EdDSA","kid":"seven"}"#, claims.as_bytes())
}
