//! The lists of invented signals: breakouts, ones to watch, aura.
//!
//! Decides which rows of a list are given. Every row is invented; the files it reads say so.

use serde::Deserialize;
use serde_json::Value;

use super::CatalogueError;
use super::answer::{Answered, Problem, array_of, assembled, json_answer};
use super::artists::cluster_form;
use super::files::{Files, SERVICE_AURA_ABOUT};
use super::lines::Lines;
use super::params::Params;

/// How many rows a list may give, and how many it gives unasked.
const MOST: u32 = 200;
const UNASKED: u32 = 50;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Breakout<'a> {
    emergence_tier: &'a str,
    corroboration: &'a str,
}

#[derive(Debug, Deserialize)]
struct Aura<'a> {
    cluster_id: &'a str,
}

#[derive(Debug)]
pub(super) struct Lists {
    breakout_keys: Vec<Breakout<'static>>,
    breakouts: Lines,
    ones_to_watch: Lines,
    aura_keys: Vec<Aura<'static>>,
    aura: Lines,
}

impl Lists {
    pub(super) fn load(files: &Files) -> Result<Self, CatalogueError> {
        Ok(Self {
            breakout_keys: files.invented_breakouts.parse()?,
            breakouts: files.invented_breakouts.clone(),
            ones_to_watch: files.invented_ones_to_watch.clone(),
            aura_keys: files.invented_aura.parse()?,
            aura: files.invented_aura.clone(),
        })
    }

    pub(super) fn breakouts(&self, params: &Params<'_>) -> Answered {
        let tier = params.choice("tier", &["breakout", "rising"])?;
        let corroboration = params.choice("corroboration", &["corroborated", "booking_ahead"])?;
        let rows = self.breakout_keys.iter().zip(self.breakouts.iter()).filter(|(row, _)| {
            tier.is_none_or(|tier| row.emergence_tier == tier)
                && corroboration.is_none_or(|word| row.corroboration == word)
        });
        let rows: Vec<_> = rows.map(|(_, bytes)| bytes).take(limit(params)?).collect();
        let state = if rows.is_empty() { "empty" } else { "present" };
        let tail = format!(r#","state":"{state}"}}"#);
        Ok(assembled(&[br#"{"items":"#, &array_of(rows), tail.as_bytes()]))
    }

    pub(super) fn ones_to_watch(&self, params: &Params<'_>) -> Answered {
        let rows = array_of(self.ones_to_watch.iter().take(limit(params)?));
        let tail = br#","snapshotDate":null,"state":"present","stale":false}"#;
        Ok(assembled(&[br#"{"onesToWatch":"#, &rows, tail]))
    }

    pub(super) fn tastemakers(&self, params: &Params<'_>) -> Answered {
        let rows = array_of(self.ones_to_watch.iter().take(limit(params)?));
        // No more is made up than it takes: the demo ranks nobody and knows no DJ.
        let tail =
            br#","leaderboard":[],"earlySpinners":[],"snapshotDate":null,"state":"present","stale":false}"#;
        Ok(assembled(&[br#"{"onesToWatch":"#, &rows, tail]))
    }

    pub(super) fn aura(&self, params: &Params<'_>) -> Answered {
        let rows = array_of(self.aura.iter().take(limit(params)?));
        Ok(assembled(&[br#"{"state":"present","about":"#, SERVICE_AURA_ABOUT, br#","items":"#, &rows, b"}"]))
    }

    pub(super) fn aura_of(&self, cluster: &str) -> Answered {
        let cluster = cluster_form(cluster).ok_or_else(|| {
            Problem::new("invalid_locator", "cluster must be 64 hex digits").param("cluster")
        })?;
        let line = self.aura_keys.iter().position(|row| row.cluster_id == cluster);
        Ok(match line.and_then(|line| self.aura.get(line)) {
            Some(row) => assembled(&[br#"{"present":true,"state":"present","aura":"#, row, b"}"]),
            None => json_answer(
                &serde_json::json!({ "present": false, "state": "honest_gap", "aura": Value::Null }),
            ),
        })
    }
}

fn limit(params: &Params<'_>) -> Result<usize, Problem> {
    let rows = params.clamped("limit", 1..=MOST)?.unwrap_or(UNASKED);
    Ok(usize::try_from(rows).unwrap_or(usize::MAX))
}
