//! Values that the issuer gives out and recognises when they come back, without keeping them.
//!
//! Decides that a value was made here, for this purpose, and is not too old. What it holds can be read by
//! whoever has it, and changed by nobody.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// What a sealed value is for; one never passes for the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A registered client.
    Client,
    /// A request that waits for a person's decision.
    Consent,
    /// A refresh token.
    Refresh,
}

impl Purpose {
    fn as_str(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Consent => "consent",
            Self::Refresh => "refresh",
        }
    }
}

/// Makes and opens sealed values.
pub(super) struct Seal(hmac::Key);

#[derive(Serialize, Deserialize)]
struct Sealed<T> {
    /// The end of its life, in seconds since 1970; none for values that stay good.
    until_s: Option<i64>,
    value: T,
}

impl Seal {
    /// Seals that hold as long as `secret` is the same.
    pub(super) fn new(secret: &[u8]) -> Self {
        let own = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret), b"ono-sendai issuer seal 1");
        Self(hmac::Key::new(hmac::HMAC_SHA256, own.as_ref()))
    }

    /// The value as text for an address or a form.
    pub(super) fn close<T: Serialize>(&self, purpose: Purpose, until_s: Option<i64>, value: T) -> String {
        let body = serde_json::to_vec(&Sealed { until_s, value }).unwrap_or_default();
        let body = URL_SAFE_NO_PAD.encode(body);
        let tag = hmac::sign(&self.0, &signed(purpose, &body));
        format!("{body}.{}", URL_SAFE_NO_PAD.encode(tag))
    }

    /// What a text holds that was made here for this purpose and is still good.
    pub(super) fn open<T: DeserializeOwned>(&self, purpose: Purpose, text: &str, now_s: i64) -> Option<T> {
        let (body, tag) = text.split_once('.')?;
        let tag = URL_SAFE_NO_PAD.decode(tag).ok()?;
        hmac::verify(&self.0, &signed(purpose, body), &tag).ok()?;
        let sealed: Sealed<T> = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(body).ok()?).ok()?;
        sealed.until_s.is_none_or(|until| now_s < until).then_some(sealed.value)
    }
}

fn signed(purpose: Purpose, body: &str) -> Vec<u8> {
    format!("{}\n{body}", purpose.as_str()).into_bytes()
}

impl fmt::Debug for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seal(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_value_opens_for_its_purpose_and_its_time_alone() {
        let seal = Seal::new(b"secret");
        let text = seal.close(Purpose::Consent, Some(100), "value");
        assert_eq!(seal.open::<String>(Purpose::Consent, &text, 99).as_deref(), Some("value"));
        assert_eq!(seal.open::<String>(Purpose::Consent, &text, 100), None);
        assert_eq!(seal.open::<String>(Purpose::Refresh, &text, 1), None);
        assert_eq!(Seal::new(b"other").open::<String>(Purpose::Consent, &text, 1), None);
        for at in 0..text.len() {
            let mut forged = text.clone().into_bytes();
            forged[at] = if forged[at] == b'A' { b'B' } else { b'A' };
            let forged = String::from_utf8(forged).unwrap();
            assert_eq!(seal.open::<String>(Purpose::Consent, &forged, 1), None, "{at}");
        }
    }
}
