//! Evidence and what must follow from it.

use proptest::prelude::*;

use super::{Assessment, Candidate, Evidence, Lookup, Probe, ProbeRow, Resolved, Tier, assess};
use crate::identity::locator::{ClusterId, DiscogsId, Mbid, Slug};
use crate::identity::reason::{AmbiguityState, LocatorKind, Reason};

mod names;
mod records;

fn cluster(n: u8) -> ClusterId {
    ClusterId::parse(&format!("{n:064x}")).unwrap()
}

/// Cluster 0 stands for "not bound".
fn row(artist: &str, n: u8) -> ProbeRow {
    ProbeRow { artist: artist.to_owned(), cluster_id: (n > 0).then(|| cluster(n)) }
}

fn record(name: &str, n: u8, tier: Tier) -> Resolved {
    let cluster_id = (n > 0).then(|| cluster(n));
    Resolved {
        name: name.to_owned(),
        cluster_id,
        tier,
        slug: None,
        is_slug_unreadable: false,
        discogs_id: None,
        mbid: None,
    }
}

fn candidate(name: &str, n: u8, hint: &str) -> Candidate {
    let hint = (!hint.is_empty()).then(|| hint.to_owned());
    Candidate {
        cluster_id: cluster(n),
        name: name.to_owned(),
        tier: Some(Tier::Cluster),
        support: Some(2),
        hint,
        discogs_id: None,
        mbid: None,
    }
}

fn by_name(asked: &str, resolved: Option<&Resolved>, probe: &Probe) -> Assessment {
    assess(&Evidence { probe, ..Evidence::new(Lookup::Name(asked), resolved) })
}

fn told(assessment: &Assessment) -> (&'static str, Vec<String>, Vec<String>) {
    let reasons = assessment.reasons.iter().map(ToString::to_string).collect();
    let candidates = assessment
        .candidates
        .iter()
        .map(|c| {
            let number = c.cluster_id.as_str().trim_start_matches('0');
            let support = c.support.map_or(String::new(), |s| format!(" x{s}"));
            let hint = c.hint.as_ref().map_or(String::new(), |hint| format!(" [{hint}]"));
            format!("{} {number}{support}{hint}", c.name)
        })
        .collect();
    (assessment.state.as_str(), reasons, candidates)
}

#[track_caller]
fn says(assessment: &Assessment, state: &str, reasons: &[&str], candidates: &[&str]) {
    let (found_state, found_reasons, found_candidates) = told(assessment);
    assert_eq!(found_state, state, "{assessment:?}");
    assert_eq!(found_reasons, reasons, "{assessment:?}");
    assert_eq!(found_candidates, candidates, "{assessment:?}");
}

const VERIFIED: Tier = Tier::Discogs;
const OBSERVED: Tier = Tier::Cluster;

#[test]
fn the_first_state_in_the_stated_order_wins() {
    let observed = record("X1", 1, OBSERVED);
    let verified = record("X1", 1, VERIFIED);
    let siblings = [candidate("X1", 2, "")];
    let state = |resolved, merged, siblings, probe: &Probe| {
        let lookup = Lookup::Name("X1");
        let evidence =
            Evidence { merged_discogs_ids: merged, siblings, probe, ..Evidence::new(lookup, resolved) };
        assess(&evidence).state.as_str()
    };
    let clean = Probe::Rows(vec![]);
    assert_eq!(state(Some(&observed), Some(2), &siblings, &Probe::Unavailable), "over_merged");
    assert_eq!(state(Some(&observed), Some(1), &siblings, &Probe::Unavailable), "name_collision");
    assert_eq!(state(None, None, &siblings, &Probe::Unavailable), "name_collision");
    assert_eq!(state(None, None, &[], &Probe::Unavailable), "unresolved");
    assert_eq!(state(Some(&observed), Some(1), &[], &Probe::Unavailable), "observed");
    assert_eq!(state(Some(&verified), Some(1), &[], &Probe::Unavailable), "unknown");
    assert_eq!(state(Some(&verified), Some(1), &[], &clean), "none");
}

fn evidence_parts()
-> impl Strategy<Value = (Option<Resolved>, Probe, Option<u32>, usize, usize, bool, Option<usize>)> {
    let artist = proptest::sample::select(vec![
        "Wings",
        "wings",
        "Wings (2)",
        "Wings (5)",
        "The Wings",
        "Wing",
        "!!!",
    ]);
    let rows = proptest::collection::vec((artist.clone(), 0_u8..4), 0..6)
        .prop_map(|rows| Probe::Rows(rows.into_iter().map(|(artist, n)| row(artist, n)).collect()));
    let probe = prop_oneof![6 => rows, 1 => Just(Probe::NotRun), 1 => Just(Probe::Unavailable), 1 => Just(Probe::NotComparable)];
    let tier = proptest::sample::select(Tier::ALL.to_vec());
    let resolved =
        proptest::option::of((artist, 0_u8..3, tier).prop_map(|(name, n, tier)| record(name, n, tier)));
    (
        resolved,
        probe,
        proptest::option::of(0_u32..3),
        0_usize..3,
        0_usize..3,
        any::<bool>(),
        proptest::option::of(0_usize..7),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_evidence_makes_an_assessment_that_contradicts_itself(parts in evidence_parts()) {
        let (resolved, probe, merged_discogs_ids, siblings, offered, folded, locator) = parts;
        let pool = [candidate("Wings", 2, "a"), candidate("Wings", 2, "b")];
        let lookup = locator.map_or(Lookup::Name("Wings"), |at| Lookup::Locator(LocatorKind::ALL[at]));
        let evidence = Evidence {
            lookup,
            resolved: resolved.as_ref(),
            folded,
            probe: &probe,
            siblings: &pool[..siblings],
            offered: &pool[..offered],
            siblings_listed: 0,
            merged_discogs_ids,
            merge_unreadable: false,
            unconfirmed_id: None,
        };
        let assessment = assess(&evidence);
        prop_assert!(!assessment.reasons.is_empty());
        let mut ranks: Vec<usize> = assessment.reasons.iter().map(|r| r.rank()).collect();
        let listed = ranks.clone();
        ranks.sort_unstable();
        ranks.dedup();
        prop_assert_eq!(ranks, listed, "reasons stand once, in the order of the table");
        if assessment.state == AmbiguityState::None {
            let resolved = resolved.as_ref().expect("none names somebody");
            prop_assert!(resolved.tier == Tier::Discogs && resolved.cluster_id.is_some());
            prop_assert!(merged_discogs_ids.is_none_or(|n| n <= 1));
            prop_assert!(assessment.candidates.is_empty());
            if locator.is_none() {
                let ran = matches!(probe, Probe::Rows(_));
                prop_assert!(ran && siblings == 0);
                prop_assert!(!assessment.reasons.iter().any(|r| matches!(r, Reason::ProbeSuffixVariants(_))));
            }
        } else if let Some(own) = resolved.as_ref().and_then(|r| r.cluster_id.as_ref()) {
            prop_assert_eq!(&assessment.candidates[0].cluster_id, own, "the resolved artist stands first");
        }
        for (at, c) in assessment.candidates.iter().enumerate() {
            let twice = assessment.candidates[..at].iter().any(|d| d.cluster_id == c.cluster_id && d.hint == c.hint);
            prop_assert!(!twice, "{:?}", assessment.candidates);
        }
    }
}
