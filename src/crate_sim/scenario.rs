//! What goes wrong, and when: the rules of a scenario file.
//!
//! Decides which rule a request falls under. What a rule does to an answer is not decided here.

mod effect;
mod reader;
mod rule;

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

pub(super) use self::effect::{Effect, Reset, Wrong};
use self::reader::RuleKeys;
use self::rule::When;
use super::family::Family;
use crate::config::document::{self, Lines, describe};
pub use crate::config::{ConfigErrors as ScenarioErrors, Mistake};
use toml::de::DeValue;

/// The rules of one file, in its order.
#[derive(Debug, Default)]
pub struct Scenario {
    rules: Vec<Rule>,
}

#[derive(Debug)]
struct Rule {
    when: When,
    effect: Effect,
    /// How many requests it could have concerned so far.
    met: AtomicU64,
}

/// One request, as rules see it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked<'a> {
    pub(super) path: &'a str,
    /// Decoded, `name=value` joined by `&`.
    pub(super) query: &'a str,
    /// Since the simulator started.
    pub(super) after: Duration,
}

impl Scenario {
    /// Reads a file.
    ///
    /// # Errors
    /// Every mistake, with its line and what is accepted there.
    pub fn load(path: &Path) -> Result<Self, ScenarioErrors> {
        let name = path.display().to_string();
        let text = document::read_file(path).map_err(|mistake| ScenarioErrors::new(&name, vec![mistake]))?;
        Self::parse(&name, &text)
    }

    /// Reads the text of a file called `name`.
    ///
    /// # Errors
    /// Every mistake, with its line and what is accepted there.
    pub fn parse(name: &str, text: &str) -> Result<Self, ScenarioErrors> {
        let (root, mut mistakes) = document::parse(text);
        let lines = Lines::of(text);
        let mut rules = Vec::new();
        for (key, value) in root.get_ref() {
            let line = lines.at(key.span().start);
            let entries = match (key.get_ref().as_ref(), value.get_ref()) {
                ("rule", DeValue::Array(entries)) => entries,
                ("rule", other) => {
                    mistakes.push(Mistake::at(line, "rule", &describe(other), "rules, each under [[rule]]"));
                    continue;
                }
                (other, _) => {
                    let place = document::clean(other);
                    mistakes.push(Mistake::at(line, place, "an unknown section", "[[rule]]"));
                    continue;
                }
            };
            for (number, entry) in entries.iter().enumerate() {
                let line = lines.at(entry.span().start);
                let DeValue::Table(table) = entry.get_ref() else {
                    mistakes.push(Mistake::at(line, "rule", &describe(entry.get_ref()), "[[rule]]"));
                    continue;
                };
                let mut keys = RuleKeys::new(&lines, number + 1, line, table, &mut mistakes);
                let when = When::read(&mut keys);
                let effect = Effect::read(&mut keys);
                keys.finish();
                rules.push(Rule { when, effect, met: AtomicU64::new(0) });
            }
        }
        if mistakes.is_empty() { Ok(Self { rules }) } else { Err(ScenarioErrors::new(name, mistakes)) }
    }

    /// How many rules there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Whether nothing goes wrong.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The first rule that a request falls under, with its number from 1. Every rule that the request could have
    /// concerned counts it, whether or not another came first.
    pub(super) fn pick(&self, asked: Asked<'_>) -> Option<(usize, &Effect)> {
        let mut found = None;
        for (number, rule) in self.rules.iter().enumerate() {
            if !rule.when.concerns(asked) {
                continue;
            }
            let met = rule.met.fetch_add(1, Ordering::Relaxed) + 1;
            if found.is_none() && rule.when.counts(met) {
                found = Some((number + 1, &rule.effect));
            }
        }
        found
    }
}

/// The words for families in a rule.
fn family(word: &str) -> Option<Family> {
    Family::ALL.into_iter().find(|family| family.as_str() == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picks(scenario: &Scenario, path: &str, query: &str, after_s: u64) -> Option<usize> {
        let asked = Asked { path, query, after: Duration::from_secs(after_s) };
        scenario.pick(asked).map(|(number, _)| number)
    }

    #[test]
    fn the_first_rule_that_fits_is_taken() {
        let text = r#"
            [[rule]]
            family = ["resolve", "artist"]
            from_s = 10
            until_s = 20
            status = 503

            [[rule]]
            path = "/api/v2/artist/*"
            query = "fields="
            latency_ms = 5

            [[rule]]
            family = "artist"
            from_request = 2
            until_request = 3
            hang = true
        "#;
        let scenario = Scenario::parse("x", text).unwrap();
        let artist = "/api/v2/artist/x";
        assert_eq!(picks(&scenario, artist, "", 9), None);
        assert_eq!(picks(&scenario, artist, "fields=a", 9), Some(2));
        assert_eq!(picks(&scenario, artist, "", 10), Some(1));
        assert_eq!(picks(&scenario, artist, "", 20), None, "the fourth that the last rule has met");
        assert_eq!(picks(&scenario, "/api/v2/resolve", "q=x", 19), Some(1));
        assert_eq!(picks(&scenario, "/api/v2/search", "", 15), None);
    }

    #[test]
    fn a_rule_that_counts_ends_after_its_last_request() {
        let text = "[[rule]]\nfamily = \"search\"\nfrom_request = 2\nuntil_request = 3\nreset = \"before\"\n";
        let scenario = Scenario::parse("x", text).unwrap();
        let fates: Vec<bool> = (0..5).map(|_| picks(&scenario, "/api/v2/search", "", 0).is_some()).collect();
        assert_eq!(fates, [false, true, true, false, false]);
    }

    #[test]
    fn every_mistake_is_told_with_its_line_and_what_is_accepted() {
        let text = concat!(
            "[[rule]]\n",
            "familly = \"resolve\"\n",
            "latency_ms = \"long\"\n",
            "status = 99\n",
            "reset = \"soon\"\n",
            "[[rule]]\n",
            "family = [\"resolve\", \"nothing\"]\n",
            "hang = true\n",
            "from_s = 9\n",
            "until_s = 3\n",
            "[[rule]]\n",
            "family = \"search\"\n",
            "[other]\n",
        );
        let told = Scenario::parse("f.toml", text).unwrap_err().to_string();
        for wanted in [
            "f.toml:2: rule 1 familly: found an unknown key; accepted: family (the nearest name)",
            "f.toml:3: rule 1 latency_ms: found \"long\"; accepted: a whole number of milliseconds from 0 to 600000",
            "f.toml:4: rule 1 status: found 99; accepted: a whole number of an HTTP status from 200 to 599",
            "f.toml:5: rule 1 reset: found \"soon\"; accepted: \"before\", \"body\"",
            "f.toml:7: rule 2 family: found \"nothing\"; accepted: ",
            "f.toml:10: rule 2 until_s: found 3; accepted: more than from_s",
            "f.toml:11: rule 3: found nothing that it does; accepted: one or more of ",
            "f.toml:13: other: found an unknown section; accepted: [[rule]]",
        ] {
            assert!(told.lines().any(|line| line.starts_with(wanted)), "{wanted}\n{told}");
        }
        assert_eq!(told.lines().count(), 8, "{told}");
    }
}
