//! Brings the rows of several axes together by artist, and puts the artists in order.
//!
//! Decides when two rows are about one artist, and who comes first. No number of one axis is ever weighed against
//! one of another: an artist on more axes comes first; of two on as many, the one that stands higher on one of
//! them; of two that stand equally high, the one whose axis is named first in [`Axis::ALL`].

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use crate::answer::{AxisFacet, AxisStates, Facet, RowForm, SimilarList, SimilarRow};
use crate::identity::{ClusterId, DiscogsId, Mbid};
use crate::model::artist::ArtistIdentity;
use crate::model::gap::{Fact, GapReason};
use crate::model::neighbour::{Axis, Neighbour, Neighbours};

/// Discogs' pages for nobody in particular: Various, Unknown Artist, Traditional.
const NOBODY: [u32; 3] = [194, 355, 151_641];

/// One axis with where it was found.
#[derive(Clone, Debug)]
pub(super) struct Ranked {
    pub(super) axis: Axis,
    pub(super) source: &'static str,
    pub(super) rows: Neighbours,
}

impl From<(Axis, Neighbours)> for Ranked {
    /// An axis that is found in its own place.
    fn from((axis, rows): (Axis, Neighbours)) -> Self {
        Self { axis, source: axis.source(), rows }
    }
}

/// How one artist was found so far.
struct Found {
    row: SimilarRow,
    /// The highest place on an axis, from 0, then the axis.
    best: (usize, Axis),
}

/// Everyone on `axes` but `subject`; `limit` rows of them are shown in `form`.
///
/// # Errors
/// When no axis lists anybody: the reason of the first one.
pub(super) fn join(
    subject: &ArtistIdentity,
    axes: Vec<impl Into<Ranked>>,
    limit: usize,
    form: RowForm,
) -> (SimilarList, Fact<()>) {
    let axes: Vec<Ranked> = axes.into_iter().map(Into::into).collect();
    let mut everyone: Vec<Found> = Vec::new();
    let contested = Contested::of(&axes);
    let (mut states, mut unreadable) = (Vec::new(), 0);
    for Ranked { axis, source, rows } in axes {
        let state = rows.map(|rows| {
            unreadable += rows.unreadable;
            let others = ranked(rows.rows.into_iter().filter(|row| !is_left_out(row, subject)).collect());
            let listed = others.len();
            for (place, row) in others.into_iter().enumerate() {
                add(&mut everyone, &contested, axis, place, row);
            }
            AxisFacet { source, listed }
        });
        states.push((axis, Facet(state)));
    }
    everyone.sort_by_key(|found| (Reverse(found.row.axes.len()), found.best));
    let found = everyone.len();
    let mut similar: Vec<SimilarRow> = everyone.into_iter().take(limit).map(|found| found.row).collect();
    mark_shared(&mut similar);
    for row in &mut similar {
        row.form = form;
    }
    let present = if found > 0 { Ok(()) } else { Err(why_nobody(&states, unreadable)) };
    (SimilarList { axes: AxisStates(states), shown: similar.len(), similar, found, unreadable }, present)
}

/// The strongest first; a row whose strength is not known comes last. Equals stay in the service's order.
fn ranked(mut rows: Vec<Neighbour>) -> Vec<Neighbour> {
    let strength = |row: &Neighbour| row.counts.first().and_then(|(_, count)| count.ok());
    rows.sort_by_key(|row| Reverse(strength(row)));
    rows
}

/// Whether a row is about the artist itself, under any of its ids, or about nobody in particular.
fn is_left_out(row: &Neighbour, subject: &ArtistIdentity) -> bool {
    equal(row.cluster_id.as_ref().ok(), subject.cluster_id.as_ref().ok())
        || equal(row.discogs_id.as_ref().ok(), subject.discogs_id.as_ref().ok())
        || equal(row.mbid.as_ref().ok(), subject.mbid.as_ref().ok())
        || row.discogs_id.is_ok_and(|id| NOBODY.contains(&id.get()))
}

/// Why nobody was found: what could not be had may hold somebody, so it goes before an axis that is empty.
fn why_nobody(states: &[(Axis, Facet<AxisFacet>)], unreadable: usize) -> GapReason {
    let reasons = || states.iter().filter_map(|(_, state)| state.gap());
    let there_may_be =
        [GapReason::UpstreamDegraded, GapReason::MalformedUpstream, GapReason::RefusedUpstream];
    there_may_be
        .into_iter()
        .find(|reason| reasons().any(|found| found == *reason))
        .or_else(|| (unreadable > 0).then_some(GapReason::MalformedUpstream))
        .or_else(|| reasons().next())
        .unwrap_or(GapReason::HonestGap)
}

fn equal<T: PartialEq>(a: Option<&T>, b: Option<&T>) -> bool {
    a.is_some() && a == b
}

fn add(everyone: &mut Vec<Found>, contested: &Contested, axis: Axis, place: usize, row: Neighbour) {
    let mut same = everyone.iter_mut().filter(|found| is_same(&found.row, &row, contested));
    match (same.next(), same.next()) {
        (Some(found), None) => merge(found, axis, place, row),
        // Two who share the row's id cannot be told apart by it, so it is neither's.
        _ => everyone.push(Found {
            row: SimilarRow {
                cluster_id: row.cluster_id,
                name: row.name,
                discogs_id: row.discogs_id,
                mbid: row.mbid,
                axes: vec![(axis, row.counts)],
                is_key_shared: false,
                form: RowForm::Full,
            },
            best: (place, axis),
        }),
    }
}

/// Ids that rows of different artists carry: they say nothing about whose a row is that has no other id,
/// whichever of the rows comes first.
#[derive(Default)]
struct Contested {
    cluster_ids: HashSet<ClusterId>,
    discogs_ids: HashSet<DiscogsId>,
    mbids: HashSet<Mbid>,
}

impl Contested {
    fn of(axes: &[Ranked]) -> Self {
        let rows = || axes.iter().filter_map(|axis| axis.rows.as_ref().ok()).flat_map(|rows| &rows.rows);
        fn id<T: Clone>(id: &Fact<T>) -> Option<T> {
            id.as_ref().ok().cloned()
        }
        let (cluster, discogs, mbid) = (
            |row: &Neighbour| id(&row.cluster_id),
            |row: &Neighbour| id(&row.discogs_id),
            |row: &Neighbour| id(&row.mbid),
        );
        Self {
            cluster_ids: several(rows().map(|row| (cluster(row), discogs(row), mbid(row)))),
            discogs_ids: several(rows().map(|row| (discogs(row), cluster(row), mbid(row)))),
            mbids: several(rows().map(|row| (mbid(row), cluster(row), discogs(row)))),
        }
    }
}

/// The ids that stand beside more than one id of another kind.
fn several<T: std::hash::Hash + Eq + Clone, A: PartialEq, B: PartialEq>(
    rows: impl Iterator<Item = (Option<T>, Option<A>, Option<B>)>,
) -> HashSet<T> {
    fn differs<T: PartialEq>(known: &mut Option<T>, more: Option<T>) -> bool {
        match (&*known, more) {
            (Some(known), Some(more)) => *known != more,
            (None, more) => {
                *known = more;
                false
            }
            (Some(_), None) => false,
        }
    }
    let mut beside: HashMap<T, (Option<A>, Option<B>)> = HashMap::new();
    let mut contested: HashSet<T> = HashSet::new();
    for (id, one, other) in rows {
        let Some(id) = id else { continue };
        let known = beside.entry(id.clone()).or_insert((None, None));
        if differs(&mut known.0, one) | differs(&mut known.1, other) {
            contested.insert(id);
        }
    }
    contested
}

/// Two rows are about one artist when one of their ids is the same and none differs. Names are not looked at.
fn is_same(found: &SimilarRow, row: &Neighbour, contested: &Contested) -> bool {
    fn compared<T: PartialEq>(a: &Fact<T>, b: &Fact<T>) -> Option<bool> {
        Some(a.as_ref().ok()? == b.as_ref().ok()?)
    }
    let ids = [
        compared(&found.cluster_id, &row.cluster_id),
        compared(&found.discogs_id, &row.discogs_id),
        compared(&found.mbid, &row.mbid),
    ];
    fn has<T: std::hash::Hash + Eq>(ids: &HashSet<T>, id: &Fact<T>) -> bool {
        id.as_ref().is_ok_and(|id| ids.contains(id))
    }
    let [cluster_id, discogs_id, mbid] = ids;
    let tells = [
        cluster_id == Some(true) && !has(&contested.cluster_ids, &row.cluster_id),
        discogs_id == Some(true) && !has(&contested.discogs_ids, &row.discogs_id),
        mbid == Some(true) && !has(&contested.mbids, &row.mbid),
    ];
    tells.contains(&true) && !ids.contains(&Some(false))
}

fn merge(found: &mut Found, axis: Axis, place: usize, row: Neighbour) {
    fn fill<T>(known: &mut Fact<T>, more: Fact<T>) {
        if known.is_err() && more.is_ok() {
            *known = more;
        }
    }
    fill(&mut found.row.cluster_id, row.cluster_id);
    fill(&mut found.row.name, row.name);
    fill(&mut found.row.discogs_id, row.discogs_id);
    fill(&mut found.row.mbid, row.mbid);
    match found.row.axes.iter_mut().find(|(known, _)| *known == axis) {
        // The stronger row came first; a weaker one only adds what it counts under another word.
        Some((_, counts)) => {
            for count in row.counts {
                if counts.iter().all(|(word, _)| *word != count.0) {
                    counts.push(count);
                }
            }
        }
        None => found.row.axes.push((axis, row.counts)),
    }
    found.best = found.best.min((place, axis));
}

fn mark_shared(rows: &mut [SimilarRow]) {
    let keys: Vec<_> = rows.iter().map(|row| row.cluster_id.clone().ok()).collect();
    for row in rows {
        let key = row.cluster_id.clone().ok();
        row.is_key_shared = key.is_some() && keys.iter().filter(|other| **other == key).count() > 1;
    }
}

#[cfg(test)]
mod tests;
