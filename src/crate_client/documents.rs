//! Asks for the two documents in which the service says what its data means.
//!
//! Nobody waits for them, so they are charged to nobody; they are handed on as the service wrote them, once they have
//! the form that its contract gives them.

use serde::Deserialize;

use super::fault::UpstreamFault;
use super::ledger::{CallLedger, Caller};
use super::reading::{self, Raw};
use super::sharing::Key;
use super::{CrateClient, transport};
use crate::model::family::Family;

/// No such document is longer; the service's own are a tenth of that.
const DOCUMENT_MAX_BYTES: usize = 1024 * 1024;

/// A document of the service about its data. Closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AboutData {
    /// What the facets of a dossier are and where they come from.
    Manifest,
    /// What words and measures mean.
    Dictionary,
}

impl AboutData {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Manifest, Self::Dictionary];

    /// Where the service has it.
    #[must_use]
    pub fn path(self) -> &'static str {
        match self {
            Self::Manifest => "/api/v2/dossier/manifest",
            Self::Dictionary => "/api/v2/semantics/dictionary.json",
        }
    }
}

#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(borrow, default)]
    grains: Raw<'a>,
    #[serde(borrow, default)]
    entries: Raw<'a>,
}

impl CrateClient {
    /// The document as the service has it now, as JSON text; `None` when it says that it has none. Never from what is
    /// kept of earlier answers, and charged to nobody.
    ///
    /// # Errors
    /// When the service could not answer.
    pub async fn about_data(&self, document: AboutData) -> Result<Option<String>, UpstreamFault> {
        let ledger = CallLedger::new(Caller::new(0));
        let request = transport::Request { family: Family::Lists, path: document.path(), query: &[] };
        self.cache.forget(&Key::of(request.family, request.path, request.query));
        self.fetch(request, &ledger, |body| read(document, body)).await
    }
}

fn read(document: AboutData, body: &[u8]) -> Result<String, UpstreamFault> {
    let wire: Wire<'_> = reading::body(body)?;
    let has_its_form = match document {
        AboutData::Manifest => reading::value::<Vec<Raw<'_>>>(wire.grains).is_ok_and(|list| !list.is_empty()),
        AboutData::Dictionary => reading::object::<serde::de::IgnoredAny>(wire.entries).is_ok(),
    };
    if !has_its_form || body.len() > DOCUMENT_MAX_BYTES {
        return Err(UpstreamFault::Unreadable);
    }
    std::str::from_utf8(body).map(str::to_owned).map_err(|_| UpstreamFault::Unreadable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_document_of_its_own_form_is_handed_on_and_as_it_is() {
        let of = |document, body: &str| read(document, body.as_bytes());
        let manifest = r#"{ "grains": [{"grain": "artist"}], "more": 1 }"#;
        assert_eq!(of(AboutData::Manifest, manifest).as_deref(), Ok(manifest));
        let dictionary = r#"{"entries":{"aura":{}}}"#;
        assert_eq!(of(AboutData::Dictionary, dictionary).as_deref(), Ok(dictionary));
        for (document, body) in [
            (AboutData::Manifest, dictionary),
            (AboutData::Manifest, r#"{"grains":[]}"#),
            (AboutData::Manifest, r#"{"grains":null}"#),
            (AboutData::Dictionary, manifest),
            (AboutData::Dictionary, r#"{"entries":[]}"#),
            (AboutData::Dictionary, "[]"),
            (AboutData::Dictionary, ""),
        ] {
            assert_eq!(of(document, body), Err(UpstreamFault::Unreadable), "{body}");
        }
        let long = format!(r#"{{"entries":{{"a":"{}"}}}}"#, "x".repeat(DOCUMENT_MAX_BYTES));
        assert_eq!(of(AboutData::Dictionary, &long), Err(UpstreamFault::Unreadable));
    }
}
