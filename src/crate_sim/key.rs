//! The key that a client has to send.

use std::fmt;

use http::HeaderMap;

/// The key of a simulator that was given none. It opens nothing but simulators.
pub const DEMO_KEY: &str = "ck_test_OnoSendaiDemoKeyOpenToEveryone00";

/// The header that carries it.
const HEADER: &str = "x-api-key";

/// A key of the service's form; never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// A key as typed.
    ///
    /// # Errors
    /// Says what a key looks like; never repeats what was typed.
    pub fn parse(text: &str) -> Result<Self, String> {
        let secret = text.strip_prefix("ck_live_").or_else(|| text.strip_prefix("ck_test_"));
        match secret {
            Some(secret) if secret.len() == 32 && secret.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
                Ok(Self(text.to_owned()))
            }
            _ => Err("a key is ck_test_ or ck_live_ with 32 letters and digits after it".to_owned()),
        }
    }

    /// Whether this is the key that everybody knows.
    #[must_use]
    pub fn is_demo(&self) -> bool {
        self.0 == DEMO_KEY
    }

    /// Whether a request carries it.
    pub(super) fn opens(&self, headers: &HeaderMap) -> bool {
        headers.get(HEADER).is_some_and(|sent| sent.as_bytes() == self.0.as_bytes())
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(…)")
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn a_key_has_the_services_form_and_is_never_shown() {
        let key = ApiKey::parse(DEMO_KEY).unwrap();
        assert!(key.is_demo() && !format!("{key:?}").contains("Demo"));
        for wrong in ["", "ck_test_", "ck_prod_OnoSendaiDemoKeyOpenToEveryone00", &DEMO_KEY[1..]] {
            assert!(ApiKey::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_the_right_key_opens() {
        let key = ApiKey::parse(DEMO_KEY).unwrap();
        let mut headers = HeaderMap::new();
        assert!(!key.opens(&headers));
        headers.insert(HEADER, HeaderValue::from_static("ck_test_another"));
        assert!(!key.opens(&headers));
        headers.insert(HEADER, HeaderValue::from_static(DEMO_KEY));
        assert!(key.opens(&headers));
    }
}
