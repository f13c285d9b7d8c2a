//! Lookups by name: what the rows, the spelling and the Discogs number make of a verified record.

use super::*;

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
