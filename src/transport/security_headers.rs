//! The security fields that every answer carries, refusals and 404 included.
//!
//! Knows nothing of what is answered; what a page may load stands with the pages.

use http::HeaderMap;
use http::header::{HeaderValue, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS};

/// Which security fields the answers of a server carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecurityHeaders {
    https_only: bool,
}

impl SecurityHeaders {
    /// `public` is whether the server has a name of its own. Only then are browsers told to use https for
    /// that name: the word holds for every port of it, so on localhost it would break what else runs there.
    #[must_use]
    pub fn new(public: bool) -> Self {
        Self { https_only: public }
    }

    pub(super) fn dress(self, headers: &mut HeaderMap) {
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        if self.https_only {
            headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_public_server_speaks_for_every_port_of_its_name() {
        for public in [true, false] {
            let mut headers = HeaderMap::new();
            SecurityHeaders::new(public).dress(&mut headers);
            assert_eq!(headers.contains_key(STRICT_TRANSPORT_SECURITY), public);
            assert_eq!(headers.get(X_CONTENT_TYPE_OPTIONS).map(HeaderValue::as_bytes), Some(&b"nosniff"[..]));
        }
    }
}
