//! The rows of a same-name probe, counted for one name.
//!
//! Decides which rows carry the exact name, which a Discogs number beside it, and what each is bound to. States
//! and reasons are the caller's.

use super::super::fold::{Folded, fold};
use super::super::locator::ClusterId;
use super::super::suffix::{number_hint, split_suffix};
use super::{Candidate, ProbeRow};

/// Counts over the rows that concern a name.
#[derive(Default)]
pub(super) struct Rows<'r> {
    /// Rows with the exact name, bound or not.
    pub(super) exact: u32,
    /// Rows with the exact name and no identity.
    pub(super) unbound_exact: u32,
    /// Rows with the name and a Discogs number that was not asked for.
    pub(super) variants: u32,
    bound: Vec<Bound<'r>>,
}

struct Bound<'r> {
    cluster: &'r ClusterId,
    name: &'r str,
    variant: Option<u16>,
    rows: u32,
}

impl<'r> Rows<'r> {
    /// Compares `rows` with the name that was asked for and the name of the record that was found.
    pub(super) fn compare(asked: &str, resolved: &str, rows: &'r [ProbeRow]) -> Self {
        let (asked, asked_number) = split_suffix(asked);
        let (resolved, resolved_number) = split_suffix(resolved);
        let mut keys: Vec<(Folded, Option<u16>)> = vec![(fold(asked), asked_number)];
        if resolved_number.is_none() || resolved_number == asked_number {
            keys.push((fold(resolved), resolved_number));
        }
        let told_apart = asked_number.is_some() && asked_number == resolved_number;
        let mut counted = Self::default();
        for row in rows {
            let (name, number) = split_suffix(&row.artist);
            let key = fold(name);
            if !key.is_comparable() {
                continue;
            }
            let same_name = keys.iter().any(|(name, _)| *name == key);
            if keys.iter().any(|(name, n)| *name == key && *n == number) {
                counted.exact = counted.exact.saturating_add(1);
                match &row.cluster_id {
                    Some(cluster) => counted.bind(cluster, name, None),
                    None => counted.unbound_exact = counted.unbound_exact.saturating_add(1),
                }
            } else if number.is_some() && same_name && !told_apart {
                counted.variants = counted.variants.saturating_add(1);
                if let Some(cluster) = &row.cluster_id {
                    counted.bind(cluster, name, number);
                }
            }
        }
        counted
    }

    /// The artists of `picked`, each backed by the rows of its cluster and number.
    pub(super) fn all_of(picked: &'r [ProbeRow], rows: &[ProbeRow]) -> Self {
        let mut counted = Self::default();
        for row in picked {
            let (name, number) = split_suffix(&row.artist);
            let Some(cluster) = &row.cluster_id else { continue };
            let backing =
                |r: &&ProbeRow| r.cluster_id == row.cluster_id && split_suffix(&r.artist).1 == number;
            let rows = super::count(rows.iter().filter(backing).count());
            counted.bound.push(Bound { cluster, name, variant: number, rows });
        }
        counted
    }

    /// How many rows with the exact name are bound to `cluster`.
    pub(super) fn exact_rows_of(&self, cluster: &ClusterId) -> u32 {
        self.bound.iter().find(|b| b.cluster == cluster && b.variant.is_none()).map_or(0, |b| b.rows)
    }

    /// The different clusters of all rows counted, variants included.
    pub(super) fn clusters(&self) -> Vec<&'r ClusterId> {
        let mut clusters: Vec<&'r ClusterId> = self.bound.iter().map(|b| b.cluster).collect();
        clusters.sort();
        clusters.dedup();
        clusters
    }

    /// The artists other than the plain one of cluster `own`, best backed first, else in the order of the rows.
    pub(super) fn candidates(&self, own: Option<&ClusterId>) -> Vec<Candidate> {
        let mut others: Vec<&Bound<'r>> =
            self.bound.iter().filter(|b| b.variant.is_some() || Some(b.cluster) != own).collect();
        others.sort_by_key(|b| std::cmp::Reverse(b.rows));
        let candidate = |b: &Bound<'r>| Candidate {
            cluster_id: b.cluster.clone(),
            name: b.name.to_owned(),
            tier: None,
            support: Some(b.rows),
            hint: b.variant.map(number_hint),
            discogs_id: None,
            mbid: None,
        };
        others.into_iter().map(candidate).collect()
    }

    fn bind(&mut self, cluster: &'r ClusterId, name: &'r str, variant: Option<u16>) {
        match self.bound.iter_mut().find(|b| b.cluster == cluster && b.variant == variant) {
            Some(known) => known.rows = known.rows.saturating_add(1),
            None => self.bound.push(Bound { cluster, name, variant, rows: 1 }),
        }
    }
}
