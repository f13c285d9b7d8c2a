//! What a search is for: words and filters in the service's own names, each cleaned once.

use serde_json::{Map, Value, json};

use super::{LIMIT_DEFAULT, MODES};
use crate::cursors::Question;
use crate::envelope::error::{ErrorType, ToolError};
use crate::identity::{Argument, Found, TrackTitle, is_placeholder};
use crate::tools::arguments::{Arguments, invalid};

/// The filters with the argument that says how several values of one go together.
const FILTERS: [(&str, &str); 5] = [
    ("genre", "genre_mode"),
    ("style", "style_mode"),
    ("format", "format_mode"),
    ("country", "country_mode"),
    ("label", "label_mode"),
];

/// A valid call of `search_catalog`.
#[derive(Clone, Debug, PartialEq)]
pub struct CatalogSearch {
    pairs: Vec<(&'static str, String)>,
    limit: u32,
    cursor: Option<String>,
}

impl CatalogSearch {
    pub(in crate::tools) fn parse(arguments: &Arguments) -> Result<Self, ToolError> {
        let mut pairs = Vec::new();
        if let Some(words) = arguments.text("q") {
            pairs.push(("q", cleaned("q", words)?));
        }
        for (name, mode) in FILTERS {
            let values = arguments.texts(name);
            for value in values {
                pairs.push((name, cleaned(name, value)?));
            }
            // One value goes together with nothing.
            let mode_given = arguments.text(mode).filter(|_| values.len() > 1);
            if let Some(word) = mode_given.and_then(|given| MODES.iter().find(|word| **word == given)) {
                pairs.push((mode, (*word).to_owned()));
            }
        }
        let (from, to) = (arguments.integer("year_from"), arguments.integer("year_to"));
        if let (Some(from), Some(to)) = (from, to)
            && from > to
        {
            return Err(invalid("year_from", "The argument year_from is later than year_to.")
                .with("conflicting", vec!["year_from", "year_to"])
                .hint("Give the earlier year as year_from."));
        }
        for (name, year) in [("year_from", from), ("year_to", to)] {
            pairs.extend(year.map(|year| (name, year.to_string())));
        }
        if pairs.is_empty() {
            return Err(nothing_given());
        }
        let cursor = arguments.text("cursor").map(str::trim);
        if cursor.is_some_and(is_placeholder) {
            return Err(placeholder("cursor", "the next_cursor of the page before, or leave cursor out"));
        }
        let limit = arguments.integer("limit").and_then(|limit| u32::try_from(limit).ok());
        Ok(Self { pairs, limit: limit.unwrap_or(LIMIT_DEFAULT), cursor: cursor.map(str::to_owned) })
    }

    /// The question in the service's names.
    pub(super) fn pairs(&self) -> &[(&'static str, String)] {
        &self.pairs
    }

    /// The most rows of a page.
    pub(super) fn limit(&self) -> u32 {
        self.limit
    }

    /// The cursor given.
    pub(super) fn cursor(&self) -> Option<&str> {
        self.cursor.as_deref()
    }

    /// Whether a cursor was given, and so a page of a walk is asked for.
    pub(super) fn is_page_of_walk(&self) -> bool {
        self.cursor.is_some()
    }

    /// What the walk is through.
    pub(super) fn question(&self) -> Question {
        Question::of(self.pairs.iter().map(|(name, value)| (*name, value.as_str())))
    }

    /// The words, when there are filters beside them.
    pub(super) fn words_beside_filters(&self) -> Option<&str> {
        let words = self.pairs.iter().find_map(|(name, value)| (*name == "q").then_some(value.as_str()));
        words.filter(|_| self.pairs.len() > 1)
    }

    /// The same call from the beginning.
    pub(super) fn without_cursor(&self) -> Map<String, Value> {
        let mut args = Map::new();
        for (name, value) in &self.pairs {
            let is_filter = FILTERS.iter().any(|(filter, _)| filter == name);
            match args.get_mut(*name) {
                Some(Value::Array(values)) => values.push(json!(value)),
                _ if is_filter => {
                    args.insert((*name).to_owned(), json!([value]));
                }
                _ => {
                    let value = value
                        .parse::<i64>()
                        .ok()
                        .filter(|_| name.starts_with("year_"))
                        .map_or(json!(value), |year| json!(year));
                    args.insert((*name).to_owned(), value);
                }
            }
        }
        if self.limit != LIMIT_DEFAULT {
            args.insert("limit".to_owned(), json!(self.limit));
        }
        args
    }
}

/// Text without what cannot be seen, single-spaced.
fn cleaned(name: &'static str, text: &str) -> Result<String, ToolError> {
    match TrackTitle::parse(Argument::Title, text) {
        Ok(clean) => Ok(clean.as_str().to_owned()),
        Err(refusal) if refusal.found == Found::Placeholder => {
            Err(placeholder(name, "the words to look for"))
        }
        Err(refusal) => {
            Err(invalid(name, format!("The argument {name} cannot be read: found {}.", refusal.found))
                .hint(format!("Give text of 1 to 200 characters for {name}.")))
        }
    }
}

fn placeholder(name: &'static str, instead: &str) -> ToolError {
    ToolError::new(ErrorType::PlaceholderDetected, format!("The argument {name} holds a placeholder."))
        .with("param", name)
        .hint(format!("Give {instead}."))
}

fn nothing_given() -> ToolError {
    ToolError::new(ErrorType::OneOfRequired, "search_catalog needs words or a filter.")
        .with("one_of", vec!["q", "genre", "style", "format", "country", "label", "year_from", "year_to"])
        .hint("Give q, a filter, or both.")
}
