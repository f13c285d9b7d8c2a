//! The fields of an address or of a posted form.

use std::collections::BTreeMap;

/// The most fields that are read.
const FIELDS_MAX: usize = 40;

/// Fields by name. One that comes twice is not there: nobody can say which was meant.
#[derive(Debug, Default)]
pub(super) struct Form {
    once: BTreeMap<String, String>,
    /// Whether a field came twice.
    pub(super) is_ambiguous: bool,
}

impl Form {
    pub(super) fn parse(text: &[u8]) -> Self {
        let mut form = Self::default();
        let mut twice = Vec::new();
        for (name, value) in url::form_urlencoded::parse(text).take(FIELDS_MAX) {
            if form.once.insert(name.to_string(), value.into_owned()).is_some() {
                twice.push(name.into_owned());
            }
        }
        // Several resources are allowed by their standard; here they cannot all be meant.
        form.is_ambiguous = !twice.is_empty();
        form
    }

    /// A field that is not empty.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.once.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }
}
