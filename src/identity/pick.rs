//! Which artist a name means when the data service's exact answer is empty.
//!
//! The service matches names exactly but for case. Here the rows of the same-name search are compared with the
//! loose relation. Only a single artist is ever picked; two or more are for the caller to choose from. Decides
//! nothing about how sure the identity is, and changes nothing that is sent upstream.

use super::assess::ProbeRow;
use super::fold::{fold, loosely_equal};
use super::locator::ClusterId;
use super::suffix::split_suffix;

/// What the rows hold for a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FoldedPick {
    /// Exactly one bound artist, with the number of the query or, like it, without any: resolve it by its cluster
    /// id, with the reason `folded_match`.
    One(ProbeRow),
    /// Exactly one bound artist, and the row has a number where the query has none. The number says that another
    /// artist has the plain name, so this one is a candidate and never the answer.
    Numbered(ProbeRow),
    /// Two or more, one row each, strictly equal names first. Artists that share a cluster but not a Discogs
    /// number are two.
    Several(Vec<ProbeRow>),
    /// None.
    None,
}

/// The bound artists among `rows` whose name is loosely that of `query`. A query with a Discogs number only
/// matches rows with that number, because another number, or none, is another artist. Without a number all match,
/// but a row with one is never picked. Unbound rows never count: there is nothing to resolve them by.
#[must_use]
pub fn pick_folded(query: &str, rows: &[ProbeRow]) -> FoldedPick {
    let (wanted, number) = split_suffix(query);
    let wanted_key = fold(wanted);
    let mut seen: Vec<(&ClusterId, Option<u16>)> = Vec::new();
    let mut picked: Vec<(bool, &ProbeRow)> = Vec::new();
    for row in rows {
        let Some(cluster) = &row.cluster_id else { continue };
        let (base, row_number) = split_suffix(&row.artist);
        let fits = loosely_equal(wanted, base) && (number.is_none() || number == row_number);
        if !fits {
            continue;
        }
        let strictly = fold(base) == wanted_key;
        match seen.iter().position(|who| *who == (cluster, row_number)) {
            Some(at) => {
                if let Some(known) = picked.get_mut(at).filter(|known| strictly && !known.0) {
                    *known = (true, row);
                }
            }
            None => {
                seen.push((cluster, row_number));
                picked.push((strictly, row));
            }
        }
    }
    picked.sort_by_key(|(strictly, _)| !strictly);
    let mut picked: Vec<ProbeRow> = picked.into_iter().map(|(_, row)| row.clone()).collect();
    match (picked.len(), picked.pop()) {
        (1, Some(row)) if split_suffix(&row.artist).1 == number => FoldedPick::One(row),
        (1, Some(row)) => FoldedPick::Numbered(row),
        (_, Some(last)) => {
            picked.push(last);
            FoldedPick::Several(picked)
        }
        (_, None) => FoldedPick::None,
    }
}

/// Whether a record of the name `found` can be the answer to the name `asked`: the two are loosely equal, their
/// Discogs numbers apart. Names without letters and digits must be the same but for case.
#[must_use]
pub fn is_alike(asked: &str, found: &str) -> bool {
    let (asked, found) = (split_suffix(asked).0, split_suffix(found).0);
    loosely_equal(asked, found) || asked.to_lowercase() == found.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::{FoldedPick, is_alike, pick_folded};
    use crate::identity::assess::{Evidence, Lookup, Probe, ProbeRow, assess};
    use crate::identity::locator::ClusterId;

    fn row(artist: &str, cluster: u8) -> ProbeRow {
        let cluster_id = (cluster > 0).then(|| ClusterId::parse(&format!("{cluster:064x}")).unwrap());
        ProbeRow { artist: artist.to_owned(), cluster_id }
    }

    #[test]
    fn a_record_answers_to_its_name_in_every_spelling_and_to_no_other() {
        for (asked, found) in [
            ("four tet", "Four Tet"),
            ("Caribo\u{308}u", "Caribou"),
            ("Beatles", "The Beatles"),
            ("Mateo and Matos", "Mateo & Matos"),
            ("Chicago", "Chicago (2)"),
            ("Rob Brown (3)", "Rob Brown"),
            ("?!?", "?!?"),
        ] {
            assert!(is_alike(asked, found), "{asked} {found}");
        }
        for (asked, found) in [
            ("Four Tet", "Metallica"),
            ("?!?", "!!!"),
            ("!!!", "Chk"),
            ("Bob Marley", "Bob Marley & The Wailers"),
        ] {
            assert!(!is_alike(asked, found), "{asked} {found}");
        }
    }

    #[test]
    fn one_bound_artist_equal_after_folding_is_picked() {
        let rows = [row("Björk", 1), row("Björk", 1), row("Bjork Guðmundsdóttir", 2), row("BJÖRK", 0)];
        assert_eq!(pick_folded("bjork", &rows), FoldedPick::One(row("Björk", 1)));
        assert_eq!(pick_folded("Beatles", &[row("The Beatles", 3)]), FoldedPick::One(row("The Beatles", 3)));
        let both = [row("Simon & Garfunkel", 4), row("Simon And Garfunkel", 4)];
        assert_eq!(pick_folded("simon and garfunkel", &both), FoldedPick::One(both[1].clone()));
    }

    #[test]
    fn f09_a_name_with_and_without_article_is_ambiguous_not_merged() {
        let rows = [row("The Band", 1), row("Band", 2)];
        assert_eq!(pick_folded("band", &rows), FoldedPick::Several(vec![row("Band", 2), row("The Band", 1)]));
    }

    #[test]
    fn f10_a_name_with_a_sign_never_picks_another() {
        let rows = [row("Ké", 1), row("Keha", 2), row("Ke", 3)];
        assert_eq!(pick_folded("Ke$ha", &rows), FoldedPick::None);
    }

    #[test]
    fn f08_a_longer_name_is_another_artist() {
        let rows = [row("Bob Dylan", 1), row("Bob Marley & The Wailers", 2)];
        assert_eq!(pick_folded("Bob Marley", &rows), FoldedPick::None);
    }

    #[test]
    fn f01_homonyms_that_share_a_cluster_are_two() {
        let rows = [row("Rob Brown", 1), row("Rob Brown (3)", 1)];
        assert_eq!(pick_folded("rob browN", &rows), FoldedPick::Several(rows.to_vec()));
        assert_eq!(pick_folded("Rob Brown (3)", &rows), FoldedPick::One(rows[1].clone()));
        assert_eq!(pick_folded("Rob Brown (4)", &rows), FoldedPick::None);
    }

    #[test]
    fn f01_a_plain_name_never_picks_a_numbered_row() {
        let rows = [row("Chicago (2)", 1), row("Chicago (2)", 1)];
        assert_eq!(pick_folded("Chicago", &rows), FoldedPick::Numbered(rows[0].clone()));
        assert_eq!(pick_folded("chicago (2)", &rows), FoldedPick::One(rows[0].clone()));
        assert_eq!(pick_folded("Chicago (3)", &rows), FoldedPick::None);
        let unbound = [row("Chicago", 0), row("The Chicago (2)", 1)];
        assert_eq!(pick_folded("Chicago", &unbound), FoldedPick::Numbered(unbound[1].clone()));
        let two = [row("Wings (2)", 1), row("Wings (5)", 2)];
        assert_eq!(pick_folded("Wings", &two), FoldedPick::Several(two.to_vec()));
    }

    #[test]
    fn f01_a_numbered_row_alone_is_a_candidate_of_an_unresolved_name() {
        let assessed = |rows: &[ProbeRow]| {
            let probe = Probe::Rows(rows.to_vec());
            let found = assess(&Evidence { probe: &probe, ..Evidence::new(Lookup::Name("Chicago"), None) });
            let reasons: Vec<String> = found.reasons.iter().map(ToString::to_string).collect();
            (found.state.as_str(), reasons.join(" "), found.candidates.len())
        };
        let numbered = row("Chicago (2)", 1);
        let why = "same_name_probe:no_exact_rows same_name_probe:suffix_variants:1 identity:no_record";
        assert_eq!(assessed(std::slice::from_ref(&numbered)), ("unresolved", why.to_owned(), 1));
        let why = "same_name_probe:no_bound_rows same_name_probe:unbound_exact:1 \
                   same_name_probe:suffix_variants:1 identity:no_record";
        assert_eq!(assessed(&[row("Chicago", 0), numbered]), ("unresolved", why.to_owned(), 1));
    }

    #[test]
    fn unbound_rows_and_names_without_letters_pick_nothing() {
        assert_eq!(pick_folded("Björk", &[row("Björk", 0)]), FoldedPick::None);
        assert_eq!(pick_folded("!!!", &[row("!!!", 1)]), FoldedPick::None);
        assert_eq!(pick_folded("x", &[]), FoldedPick::None);
    }
}
