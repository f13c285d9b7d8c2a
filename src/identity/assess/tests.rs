use proptest::prelude::*;

use super::{Assessment, Candidate, Evidence, Lookup, Probe, ProbeRow, Resolved, Tier, assess};
use crate::identity::locator::{ClusterId, DiscogsId, Mbid, Slug};
use crate::identity::reason::{AmbiguityState, LocatorKind, Reason};

fn cluster(n: u8) -> ClusterId {
    ClusterId::parse(&format!("{n:064x}")).unwrap()
}

/// Cluster 0 stands for "not bound".
fn row(artist: &str, n: u8) -> ProbeRow {
    ProbeRow { artist: artist.to_owned(), cluster_id: (n > 0).then(|| cluster(n)) }
}

fn record(name: &str, n: u8, tier: Tier) -> Resolved {
    let cluster_id = (n > 0).then(|| cluster(n));
    Resolved { name: name.to_owned(), cluster_id, tier, slug: None, discogs_id: None, mbid: None }
}

fn candidate(name: &str, n: u8, hint: &str) -> Candidate {
    let hint = (!hint.is_empty()).then(|| hint.to_owned());
    Candidate {
        cluster_id: cluster(n),
        name: name.to_owned(),
        tier: Some(Tier::Cluster),
        support: Some(2),
        hint,
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
fn a_verified_name_is_judged_by_the_rows_of_the_probe() {
    type Case =
        (&'static [(&'static str, u8)], &'static str, &'static [&'static str], &'static [&'static str]);
    let cases: &[Case] = &[
        (&[], "none", &["same_name_probe:no_exact_rows"], &[]),
        (&[("Caribou Hat", 7), ("!!!", 8)], "none", &["same_name_probe:no_exact_rows"], &[]),
        (&[("Caribou", 1)], "none", &["same_name_probe:single"], &[]),
        (&[("caribou", 1), ("CARIBOU*", 1)], "none", &["same_name_probe:single"], &[]),
        (
            &[("Caribou", 1), ("Caribou", 0), ("Caribou", 0)],
            "none",
            &["same_name_probe:single", "same_name_probe:unbound_exact:2"],
            &[],
        ),
        (
            &[("Caribou", 0)],
            "unknown",
            &["same_name_probe:no_bound_rows", "same_name_probe:unbound_exact:1"],
            &["Caribou 1 x0"],
        ),
        (
            &[("Caribou", 2), ("Caribou", 1), ("Caribou", 1), ("Caribou", 3), ("Caribou", 3)],
            "name_collision",
            &["same_name_probe:3_distinct_verified_clusters"],
            &["Caribou 1 x2", "Caribou 3 x2", "Caribou 2 x1"],
        ),
        (
            &[("Caribou", 2), ("Caribou", 0)],
            "name_collision",
            &["same_name_probe:2_distinct_verified_clusters", "same_name_probe:unbound_exact:1"],
            &["Caribou 1 x0", "Caribou 2 x1"],
        ),
        (
            &[("Caribou", 1), ("Caribou (2)", 2)],
            "name_collision",
            &["same_name_probe:2_distinct_verified_clusters", "same_name_probe:suffix_variants:1"],
            &["Caribou 1 x1", "Caribou 2 x1 [Discogs name number (2)]"],
        ),
        (
            &[("Caribou", 1), ("Caribou (2)", 1), ("Caribou (3)", 0)],
            "unknown",
            &["same_name_probe:single", "same_name_probe:suffix_variants:2"],
            &["Caribou 1 x1", "Caribou 1 x1 [Discogs name number (2)]"],
        ),
        (
            &[("Caribou (2)", 0)],
            "unknown",
            &["same_name_probe:no_exact_rows", "same_name_probe:suffix_variants:1"],
            &["Caribou 1 x0"],
        ),
        (&[("Caribou (2019)", 2), ("Caribou (1)", 2)], "none", &["same_name_probe:no_exact_rows"], &[]),
    ];
    for (rows, state, reasons, candidates) in cases {
        let rows = rows.iter().map(|(artist, n)| row(artist, *n)).collect();
        let assessment = by_name("Caribou", Some(&record("Caribou", 1, VERIFIED)), &Probe::Rows(rows));
        says(&assessment, state, reasons, candidates);
    }
}

#[test]
fn a_probe_that_gave_nothing_leaves_the_name_unknown() {
    let found = record("Caribou", 1, VERIFIED);
    for (probe, reason) in [
        (Probe::NotRun, "same_name_probe:not_run"),
        (Probe::Unavailable, "same_name_probe:unavailable"),
        (Probe::NotComparable, "same_name_probe:not_comparable"),
    ] {
        says(&by_name("Caribou", Some(&found), &probe), "unknown", &[reason], &["Caribou 1"]);
    }
}

#[test]
fn a_name_without_letters_is_not_comparable_whatever_the_rows() {
    let found = record("!!!", 1, VERIFIED);
    let rows = Probe::Rows(vec![row("!!!", 1), row("!!!", 2)]);
    for probe in [rows, Probe::NotRun, Probe::NotComparable] {
        let assessment = by_name("!!!", Some(&found), &probe);
        says(&assessment, "unknown", &["same_name_probe:not_comparable"], &["!!! 1"]);
    }
}

#[test]
fn rows_are_compared_after_folding_and_only_strictly() {
    let found = record("Björk", 1, VERIFIED);
    let rows = Probe::Rows(vec![row("BJO\u{308}RK", 1), row("Bjork", 2)]);
    assert_eq!(by_name("bjork", Some(&found), &rows).state, AmbiguityState::NameCollision);
    let rows = Probe::Rows(vec![row("The Björk", 2), row("Björk & Co", 3)]);
    assert_eq!(by_name("Björk", Some(&found), &rows).state, AmbiguityState::None);
}

#[test]
fn a_folded_match_is_told_and_compared_under_both_spellings() {
    let found = record("The Beatles", 1, VERIFIED);
    let probe = Probe::Rows(vec![row("The Beatles", 1), row("Beatles", 0)]);
    let evidence =
        Evidence { folded: true, probe: &probe, ..Evidence::new(Lookup::Name("Beatles"), Some(&found)) };
    says(
        &assess(&evidence),
        "none",
        &["folded_match", "same_name_probe:single", "same_name_probe:unbound_exact:1"],
        &[],
    );
    let observed = record("The Beatles", 1, OBSERVED);
    let evidence = Evidence { resolved: Some(&observed), ..evidence };
    assert_eq!(assess(&evidence).state, AmbiguityState::Observed);
}

#[test]
fn an_observed_record_is_never_called_verified() {
    let found = record("Caribou", 1, OBSERVED);
    says(
        &by_name("Caribou", Some(&found), &Probe::Rows(vec![])),
        "observed",
        &["same_name_probe:no_exact_rows", "identity:observed_tier"],
        &["Caribou 1 x0"],
    );
    says(
        &by_name("Caribou", Some(&found), &Probe::Unavailable),
        "observed",
        &["same_name_probe:unavailable", "identity:observed_tier"],
        &["Caribou 1"],
    );
    says(
        &by_name("Caribou", Some(&found), &Probe::Rows(vec![row("Caribou", 2)])),
        "name_collision",
        &["same_name_probe:1_distinct_verified_clusters", "identity:observed_tier"],
        &["Caribou 1 x0", "Caribou 2 x1"],
    );
    says(
        &by_name("Caribou", Some(&found), &Probe::Rows(vec![row("Caribou", 2), row("Caribou", 1)])),
        "name_collision",
        &["same_name_probe:2_distinct_verified_clusters", "identity:observed_tier"],
        &["Caribou 1 x1", "Caribou 2 x1"],
    );
}

#[test]
fn a_locator_needs_no_probe_and_ends_the_asking() {
    let siblings = [candidate("Caribou", 2, "")];
    let probe = Probe::Rows(vec![row("Caribou", 2)]);
    for kind in LocatorKind::ALL {
        let reason = format!("locator:{}", kind.as_str());
        let found = record("Caribou", 1, VERIFIED);
        let evidence = Evidence {
            siblings: &siblings,
            probe: &probe,
            ..Evidence::new(Lookup::Locator(kind), Some(&found))
        };
        says(&assess(&evidence), "none", &[&reason], &[]);
        let found = record("Caribou", 1, OBSERVED);
        let evidence = Evidence { resolved: Some(&found), ..evidence };
        says(&assess(&evidence), "observed", &[&reason, "identity:observed_tier"], &["Caribou 1"]);
        let evidence = Evidence { resolved: None, ..evidence };
        says(&assess(&evidence), "unresolved", &[&reason, "identity:no_record"], &[]);
    }
}

#[test]
fn a_dossier_that_counts_several_artists_is_over_merged_however_asked() {
    let found = record("Nirvana", 1, VERIFIED);
    let probe = Probe::Rows(vec![row("Nirvana", 1)]);
    for (count, state) in [(None, "none"), (Some(0), "none"), (Some(1), "none"), (Some(2), "over_merged")] {
        for lookup in [Lookup::Name("Nirvana"), Lookup::Locator(LocatorKind::Slug)] {
            let evidence =
                Evidence { merged_discogs_ids: count, probe: &probe, ..Evidence::new(lookup, Some(&found)) };
            assert_eq!(assess(&evidence).state.as_str(), state, "{count:?}");
        }
    }
    let probe = Probe::Rows(vec![row("Nirvana", 1), row("Nirvana", 2)]);
    let evidence = Evidence {
        merged_discogs_ids: Some(5),
        probe: &probe,
        ..Evidence::new(Lookup::Name("Nirvana"), Some(&found))
    };
    says(
        &assess(&evidence),
        "over_merged",
        &["dossier:over_merge", "same_name_probe:2_distinct_verified_clusters"],
        &["Nirvana 1 x1", "Nirvana 2 x1"],
    );
}

#[test]
fn f02_listed_siblings_are_a_collision_without_a_probe() {
    let mut found = record("Nirvana", 1, VERIFIED);
    found.discogs_id = DiscogsId::from_number(125_246);
    found.mbid = Mbid::parse("5b11f4ce-a62d-471e-81fc-a69a8278c7da").ok();
    let siblings =
        [candidate("Nirvana", 1, "GB, 1967"), candidate("Nirvana", 1, "FI"), candidate("Nirvana", 2, "")];
    let evidence = Evidence { siblings: &siblings, ..Evidence::new(Lookup::Name("Nirvana"), Some(&found)) };
    let own = "Nirvana 1 [Discogs 125246, MusicBrainz 5b11f4ce-a62d-471e-81fc-a69a8278c7da]";
    let listed = [own, "Nirvana 1 x2 [GB, 1967]", "Nirvana 1 x2 [FI]", "Nirvana 2 x2"];
    says(&assess(&evidence), "name_collision", &["same_name_clusters:4"], &listed);
    let probe = Probe::Rows(vec![row("Nirvana", 2), row("Nirvana", 3)]);
    let evidence = Evidence { probe: &probe, ..evidence };
    let own = "Nirvana 1 x0 [Discogs 125246, MusicBrainz 5b11f4ce-a62d-471e-81fc-a69a8278c7da]";
    let listed = [own, "Nirvana 1 x2 [GB, 1967]", "Nirvana 1 x2 [FI]", "Nirvana 2 x2", "Nirvana 3 x1"];
    says(
        &assess(&evidence),
        "name_collision",
        &["same_name_clusters:4", "same_name_probe:3_distinct_verified_clusters"],
        &listed,
    );
}

#[test]
fn nothing_found_is_unresolved_with_what_was_offered() {
    let offered = [candidate("Cariboux", 8, ""), candidate("Caribou Hat", 9, "")];
    let probe = Probe::Rows(vec![]);
    let evidence =
        Evidence { offered: &offered, probe: &probe, ..Evidence::new(Lookup::Name("Caribou"), None) };
    says(
        &assess(&evidence),
        "unresolved",
        &["same_name_probe:no_exact_rows", "identity:no_record", "identity:prefix_candidates:2"],
        &["Cariboux 8 x2", "Caribou Hat 9 x2"],
    );
    says(
        &by_name("Caribou", None, &Probe::Rows(vec![row("Caribou", 0)])),
        "unresolved",
        &["same_name_probe:no_bound_rows", "same_name_probe:unbound_exact:1", "identity:no_record"],
        &[],
    );
    says(
        &by_name("Caribou", None, &Probe::Rows(vec![row("Caribóu", 5)])),
        "unresolved",
        &["identity:no_record"],
        &["Caribóu 5 x1"],
    );
    for (probe, reason) in
        [(Probe::NotRun, "same_name_probe:not_run"), (Probe::Unavailable, "same_name_probe:unavailable")]
    {
        says(&by_name("Caribou", None, &probe), "unresolved", &[reason, "identity:no_record"], &[]);
    }
    says(
        &by_name("!!!", None, &Probe::NotComparable),
        "unresolved",
        &["same_name_probe:not_comparable", "identity:no_record"],
        &[],
    );
}

#[test]
fn several_bound_artists_without_a_record_are_a_collision() {
    says(
        &by_name("Band", None, &Probe::Rows(vec![row("The Band", 1), row("Band", 2), row("Band", 2)])),
        "name_collision",
        &["folded_match", "same_name_probe:2_distinct_verified_clusters", "identity:no_record"],
        &["Band 2 x2", "The Band 1 x1"],
    );
    says(
        &by_name("rob brown", None, &Probe::Rows(vec![row("Rob Brown", 1), row("Rob Brown (3)", 1)])),
        "name_collision",
        &["same_name_probe:suffix_variants:1", "identity:no_record"],
        &["Rob Brown 1 x1", "Rob Brown 1 x1 [Discogs name number (3)]"],
    );
}

#[test]
fn a_record_without_a_cluster_id_is_never_none() {
    let verified = record("Caribou", 0, VERIFIED);
    let offered = [candidate("Caribou Hat", 9, "")];
    let probe = Probe::Rows(vec![row("Caribou", 4)]);
    let evidence = Evidence {
        offered: &offered,
        probe: &probe,
        ..Evidence::new(Lookup::Name("Caribou"), Some(&verified))
    };
    says(
        &assess(&evidence),
        "unknown",
        &["identity:no_cluster", "identity:prefix_candidates:1"],
        &["Caribou 4 x1", "Caribou Hat 9 x2"],
    );
    says(
        &by_name("Caribou", Some(&verified), &Probe::Rows(vec![row("Caribou", 4), row("Caribou", 5)])),
        "name_collision",
        &["same_name_probe:2_distinct_verified_clusters", "identity:no_cluster"],
        &["Caribou 4 x1", "Caribou 5 x1"],
    );
    let by_id = assess(&Evidence::new(Lookup::Locator(LocatorKind::DiscogsId), Some(&verified)));
    says(&by_id, "unknown", &["locator:discogs_id", "identity:no_cluster"], &[]);
    says(
        &by_name("Caribou", Some(&record("Caribou", 0, OBSERVED)), &Probe::Rows(vec![])),
        "unresolved",
        &["same_name_probe:no_exact_rows", "identity:observed_tier", "identity:no_cluster"],
        &[],
    );
}

#[test]
fn f01_a_number_that_was_asked_for_tells_the_homonyms_apart() {
    let found = record("Rob Brown (3)", 1, VERIFIED);
    let rows = || vec![row("Rob Brown", 2), row("Rob Brown (2)", 3), row("Rob Brown (3)", 1)];
    says(
        &by_name("Rob Brown (3)", Some(&found), &Probe::Rows(rows())),
        "none",
        &["same_name_probe:single"],
        &[],
    );
    let mut more = rows();
    more.push(row("Rob Brown (3)", 9));
    says(
        &by_name("Rob Brown (3)", Some(&found), &Probe::Rows(more)),
        "name_collision",
        &["same_name_probe:2_distinct_verified_clusters"],
        &["Rob Brown 1 x1", "Rob Brown 9 x1"],
    );
}

#[test]
fn f01_a_number_on_one_side_only_leaves_the_name_unknown() {
    let none = Probe::Rows(vec![]);
    let reasons = ["same_name_probe:no_exact_rows", "identity:disambiguation_suffix"];
    let numbered = record("Rob Brown (3)", 1, VERIFIED);
    let plain = record("Rob Brown", 1, VERIFIED);
    says(&by_name("Rob Brown", Some(&numbered), &none), "unknown", &reasons, &["Rob Brown 1 x0"]);
    says(&by_name("Rob Brown (3)", Some(&plain), &none), "unknown", &reasons, &["Rob Brown 1 x0"]);
    says(&by_name("Rob Brown (2)", Some(&numbered), &none), "unknown", &reasons, &["Rob Brown 1 x0"]);
    let slugged =
        |name: &str, slug: &str| Resolved { slug: Slug::parse(slug).ok(), ..record(name, 1, VERIFIED) };
    let state = |name: &str, slug: &str| by_name(name, Some(&slugged(name, slug)), &none).state;
    assert_eq!(state("Entity", "entity-2"), AmbiguityState::Unknown);
    assert_eq!(state("Björk", "bjork-12"), AmbiguityState::Unknown);
    for (name, slug) in [
        ("Sum 41", "sum-41"),
        ("Blink-182", "blink-182"),
        ("Entity", "entity"),
        ("U2", "u2"),
        ("Live", "live-2019"),
    ] {
        assert_eq!(state(name, slug), AmbiguityState::None, "{slug}");
    }
    let same = by_name("Rob Brown (3)", Some(&slugged("Rob Brown", "rob-brown-3")), &none);
    assert_eq!(same.state, AmbiguityState::None);
}

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
            merged_discogs_ids,
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
