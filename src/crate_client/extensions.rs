//! Parts of the service that not every version has.
//!
//! Decides from the operator's word, or from the service's own OpenAPI document, which of them are used. Must
//! never know what they are used for.

use std::sync::atomic::{AtomicBool, Ordering};

use serde::Deserialize;

use super::fault::UpstreamFault;
use super::reading::{self, Raw};

/// Where the service publishes its own document.
pub(super) const DOCUMENT_PATH: &str = "/api/v2/openapi.json";

/// A newer part of the service. Closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extension {
    /// `/artist/{key}/similar`.
    Similar,
    /// `/artist/{key}/gigs`.
    Gigs,
    /// The parameter `cursor` of `/search`.
    SearchCursor,
    /// `same_name_clusters` in the answer of `/resolve`.
    SameNameClusters,
}

impl Extension {
    /// Every part.
    pub const ALL: [Self; 4] = [Self::Similar, Self::Gigs, Self::SearchCursor, Self::SameNameClusters];

    fn at(self) -> usize {
        match self {
            Self::Similar => 0,
            Self::Gigs => 1,
            Self::SearchCursor => 2,
            Self::SameNameClusters => 3,
        }
    }
}

/// What the operator says about an extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// It is there.
    On,
    /// It is not used.
    Off,
    /// It is used once the service's document shows it.
    Auto,
}

/// Which extensions are used.
#[derive(Debug)]
pub(super) struct Extensions([State; Extension::ALL.len()]);

#[derive(Debug)]
struct State {
    is_auto: bool,
    is_off: bool,
    is_used: AtomicBool,
}

impl Extensions {
    /// As the operator says; one that is not named is off.
    pub(super) fn new(switches: &[(Extension, Switch)]) -> Self {
        Self(Extension::ALL.map(|extension| {
            let switch = switches.iter().find(|(named, _)| *named == extension).map(|(_, switch)| *switch);
            State {
                is_auto: switch == Some(Switch::Auto),
                is_off: switch == Some(Switch::Off),
                is_used: AtomicBool::new(switch == Some(Switch::On)),
            }
        }))
    }

    pub(super) fn has(&self, extension: Extension) -> bool {
        self.0.get(extension.at()).is_some_and(|state| state.is_used.load(Ordering::Relaxed))
    }

    /// Which are used.
    pub(super) fn used(&self) -> [bool; Extension::ALL.len()] {
        Extension::ALL.map(|extension| self.has(extension))
    }

    /// Whether the operator has switched it off.
    pub(super) fn is_off(&self, extension: Extension) -> bool {
        self.0.get(extension.at()).is_some_and(|state| state.is_off)
    }

    /// Takes over what the service's document shows.
    pub(super) fn found(&self, found: &[Extension]) {
        for extension in Extension::ALL {
            if let Some(state) = self.0.get(extension.at()).filter(|state| state.is_auto) {
                state.is_used.store(found.contains(&extension), Ordering::Relaxed);
            }
        }
    }
}

#[derive(Deserialize)]
struct Document<'a> {
    #[serde(borrow, default)]
    paths: Raw<'a>,
}

#[derive(Deserialize)]
struct Paths<'a> {
    #[serde(borrow, default, rename = "/api/v2/artist/{key}/similar")]
    similar: Raw<'a>,
    #[serde(borrow, default, rename = "/api/v2/artist/{key}/gigs")]
    gigs: Raw<'a>,
    #[serde(borrow, default, rename = "/api/v2/search")]
    search: Raw<'a>,
    #[serde(borrow, default, rename = "/api/v2/resolve")]
    resolve: Raw<'a>,
}

#[derive(Deserialize)]
struct Path<'a> {
    #[serde(borrow, default)]
    get: Raw<'a>,
}

#[derive(Deserialize)]
struct Operation<'a> {
    #[serde(borrow, default)]
    parameters: Raw<'a>,
    #[serde(borrow, default)]
    responses: Raw<'a>,
}

#[derive(Deserialize)]
struct Parameter<'a> {
    #[serde(borrow, default)]
    name: Raw<'a>,
}

/// The extensions that the service's OpenAPI document shows.
pub(super) fn read(body: &[u8]) -> Result<Vec<Extension>, UpstreamFault> {
    let document: Document<'_> = reading::body(body)?;
    let paths: Paths<'_> = reading::object(document.paths).map_err(|_| UpstreamFault::Unreadable)?;
    let shown = |extension| match extension {
        Extension::Similar => answers_with(paths.similar, &["similar", "axes", "co_booking", "festivals"]),
        Extension::Gigs => answers_with(paths.gigs, &["gigs", "date", "venue", "cancelled"]),
        Extension::SearchCursor => {
            let parameters = operation(paths.search).map(|get| reading::objects(get.parameters));
            let parameters: Vec<_> = parameters.and_then(Result::ok).unwrap_or_default();
            let named = |parameter: Parameter<'_>| reading::optional::<String>(parameter.name);
            parameters.into_iter().flatten().filter_map(named).any(|name| name == "cursor")
        }
        // The answer's schema stands in place; only the resolve operation itself is looked at.
        Extension::SameNameClusters => answers_with(paths.resolve, &["same_name_clusters"]),
    };
    Ok(Extension::ALL.into_iter().filter(|extension| shown(*extension)).collect())
}

/// Whether the answer of an operation is described with all of these members. A path alone says nothing of the form of
/// its answer, and what has another form than the one that is read here is better not asked for.
fn answers_with(path: Raw<'_>, members: &[&str]) -> bool {
    let named = |get: Operation<'_>| {
        members.iter().all(|member| reading::mentions(get.responses, &format!("\"{member}\"")))
    };
    operation(path).is_some_and(named)
}

fn operation(path: Raw<'_>) -> Option<Operation<'_>> {
    let path: Path<'_> = reading::object(path).ok()?;
    reading::object(path.get).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEWER: &str = r##"{"paths":{
        "/api/v2/artist/{key}/gigs":{"get":{"responses":{"200":{"properties":{"gigs":{"items":{"properties":
            {"date":{},"venue":{},"cancelled":{}}}}}}}}},
        "/api/v2/artist/{key}/similar":{"get":{"responses":{"200":{"properties":{"similar":{"items":{"properties":
            {"score":{}}}}}}}}},
        "/api/v2/search":{"get":{"parameters":[{"$ref":"#/x"},{"name":"q"},{"name":"cursor"}]}},
        "/api/v2/resolve":{"get":{"responses":{"200":{"properties":{"same_name_clusters":{}}}}}}}}"##;

    #[test]
    fn the_services_own_document_shows_what_it_has_in_a_form_that_is_read() {
        let found = read(NEWER.as_bytes()).unwrap();
        assert_eq!(found, [Extension::Gigs, Extension::SearchCursor, Extension::SameNameClusters]);
        assert_eq!(
            read(br#"{"paths":{"/api/v2/search":{"get":{"parameters":[{"name":"q"}]}}}}"#),
            Ok(vec![])
        );
        let own = include_bytes!("../../fixtures/service/openapi.json");
        assert_eq!(read(own), Ok(vec![Extension::Similar, Extension::Gigs]));
        assert!(read(b"{}").is_err() && read(b"[]").is_err());
    }

    #[test]
    fn the_operators_word_is_above_the_services() {
        let extensions = Extensions::new(&[
            (Extension::Similar, Switch::On),
            (Extension::Gigs, Switch::Off),
            (Extension::SearchCursor, Switch::Auto),
        ]);
        let used = || Extension::ALL.map(|extension| extensions.has(extension));
        assert_eq!(used(), [true, false, false, false]);
        assert_eq!(Extension::ALL.map(|extension| extensions.is_off(extension)), [false, true, false, false]);
        extensions.found(&[Extension::Gigs, Extension::SearchCursor, Extension::SameNameClusters]);
        assert_eq!(used(), [true, false, true, false]);
        extensions.found(&[]);
        assert_eq!(used(), [true, false, false, false]);
    }

    #[test]
    fn the_published_document_has_none_of_them() {
        let Some(shared) = std::env::var_os("ONO_SHARED") else { return };
        let document = std::path::Path::new(&shared).join("crate/openapi-2.47.0.json");
        if let Ok(document) = std::fs::read(document) {
            assert_eq!(read(&document), Ok(vec![]));
        }
    }
}
