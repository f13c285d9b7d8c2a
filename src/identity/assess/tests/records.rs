//! What the record itself, its siblings and the way it was asked for make of the answer.

use super::*;

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
