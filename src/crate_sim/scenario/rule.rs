//! Which requests a rule is about: family, path, query, time, and how many of them.

use std::time::Duration;

use super::reader::RuleKeys;
use super::{Asked, Family, family};

/// No simulator runs longer.
const LONGEST_S: u64 = 86_400;
const MOST_REQUESTS: u64 = 1_000_000_000;

/// When a rule holds. A part that is not written holds always.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct When {
    families: Vec<Family>,
    /// With `*` for any text.
    path: Option<String>,
    /// A part of the decoded query.
    query: Option<String>,
    from: Duration,
    until: Option<Duration>,
    first: u64,
    last: Option<u64>,
}

impl When {
    pub(super) fn read(keys: &mut RuleKeys<'_>) -> Self {
        let words: Vec<&str> = Family::ALL.iter().map(|family| family.as_str()).collect();
        let families = keys.list("family", &format!("one or a list of: {}", words.join(", ")), family);
        let path = keys.text("path", "a path such as \"/api/v2/artist/*\"", |text| {
            text.starts_with('/').then(|| text.to_owned())
        });
        let query = keys.text("query", "a part of the query such as \"q=Nirvana\"", |text| {
            (!text.is_empty()).then(|| text.to_owned())
        });
        let from = keys.whole("from_s", 0..=LONGEST_S, "seconds").unwrap_or(0);
        let until = keys.whole("until_s", 1..=LONGEST_S, "seconds");
        if until.is_some_and(|until| until <= from) {
            keys.refuse("until_s", "more than from_s");
        }
        let first = keys.whole("from_request", 1..=MOST_REQUESTS, "requests").unwrap_or(1);
        let last = keys.whole("until_request", 1..=MOST_REQUESTS, "requests");
        if last.is_some_and(|last| last < first) {
            keys.refuse("until_request", "no less than from_request");
        }
        let (from, until) = (Duration::from_secs(from), until.map(Duration::from_secs));
        Self { families, path, query, from, until, first, last }
    }

    /// Whether a request is one that the rule is about.
    pub(super) fn concerns(&self, asked: Asked<'_>) -> bool {
        (self.families.is_empty() || self.families.contains(&Family::of(asked.path)))
            && self.path.as_deref().is_none_or(|pattern| fits(pattern, asked.path))
            && self.query.as_deref().is_none_or(|part| asked.query.contains(part))
            && asked.after >= self.from
            && self.until.is_none_or(|until| asked.after < until)
    }

    /// Whether the rule holds for the request of this number, from 1.
    pub(super) fn counts(&self, number: u64) -> bool {
        number >= self.first && self.last.is_none_or(|last| number <= last)
    }
}

/// Whether a path fits a pattern in which `*` is any text.
fn fits(pattern: &str, path: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = path.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = rest.get(at + part.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_star_is_any_text() {
        for (pattern, path, expected) in [
            ("/a/b", "/a/b", true),
            ("/a/b", "/a/bc", false),
            ("/a/*", "/a/b/c", true),
            ("/a/*/c", "/a/b/c", true),
            ("/a/*/c", "/a/b/d", false),
            ("*", "/anything", true),
            ("/*a*b", "/xaxb", true),
            ("/*a*b", "/xb", false),
        ] {
            assert_eq!(fits(pattern, path), expected, "{pattern} {path}");
        }
    }
}
