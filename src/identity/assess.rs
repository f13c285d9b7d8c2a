//! How sure an identity is: one state, all reasons, the candidates to ask about.
//!
//! Decides from what a lookup found (the record, the rows of the same-name probe, what the data service itself
//! said about siblings and merges) and from nothing else. It must never know how any of it was fetched or how
//! the result is written.
//!
//! Of all states that apply, the first wins: over_merged, name_collision, unresolved, observed, unknown, none.
//! The decisions where the vocabulary leaves room:
//!
//! - **A record without a cluster id.** A verified one is `unknown` (`identity:no_cluster`): `none` tells a client
//!   to use the cluster id, and rows cannot be compared with it; two or more clusters among the exact rows are a
//!   collision all the same. An unverified one is `unresolved`, since neither half of an identity is there.
//! - **No record.** `unresolved`, with the observed records that the service offered, and with the one bound
//!   artist of the rows, if there is one that was not resolved. Two or more bound artists are a `name_collision`.
//! - **An observed record beside a verified one of its name** is a `name_collision`; the number in the reason
//!   counts verified clusters only and may then be 1.
//! - **Numbers.** A row `X (n)` is a variant of X. Bound elsewhere it makes a collision and counts; any other turns
//!   `single` and `no_exact_rows` into `unknown`. So does a number that only the asked name or only the record (its
//!   name or its slug) carries. Who asks for `X (n)` and gets it has told the homonyms apart: then rows with that
//!   number are the exact ones, and those with another, or none, are other artists.
//!   A slug that cannot be read may carry a number: who is found by name with such a slug is `unknown`.
//! - **Homonyms on one cluster** among the rows of a name without record are a collision like any other; the reason
//!   then is `suffix_variants`, since only one cluster is there to count.
//! - **Unbound rows** beside bound ones are a hint and change no state.
//! - **Locators.** Who gives an id has chosen: neither probe nor siblings are asked, so that choosing from a
//!   collision ends it. An over-merged record stays so, since its facts are mixed whatever led to it.

use super::fold::fold;
use super::locator::{ArtistKey, ClusterId, DiscogsId, Mbid, Slug};
use super::pick::{FoldedPick, pick_folded};
use super::reason::{AmbiguityState, AskedId, LocatorKind, Reason};
use super::suffix::{display_name, split_suffix, suffix_number};

mod rows;

use rows::Rows;

/// How an identity is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tier {
    /// Bound to the catalogue: verified.
    Discogs,
    /// Seen in hosaka's own signals only: observed.
    Cluster,
}

impl Tier {
    /// Every tier.
    pub const ALL: [Self; 2] = [Self::Discogs, Self::Cluster];

    /// The word of the public vocabulary.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Discogs => "discogs",
            Self::Cluster => "cluster",
        }
    }
}

/// An artist that may be meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The id to ask by. Homonyms may share one; then `hint` tells them apart.
    pub cluster_id: ClusterId,
    /// The name to show, without a Discogs number.
    pub name: String,
    /// How it is bound, where that is known.
    pub tier: Option<Tier>,
    /// How many signals (probe rows, events) back it.
    pub support: Option<u32>,
    /// What tells it from the others: ids, a number, a country, a year.
    pub hint: Option<String>,
    /// Its Discogs number, where that is known.
    pub discogs_id: Option<DiscogsId>,
    /// Its MusicBrainz id, where that is known.
    pub mbid: Option<Mbid>,
}

/// A row of the same-name probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeRow {
    /// The artist's name as the row gives it.
    pub artist: String,
    /// The identity that the row is bound to, if any.
    pub cluster_id: Option<ClusterId>,
}

/// What the same-name probe gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Probe {
    /// It did not run.
    NotRun,
    /// There was no point in running it: the name holds no letter or digit.
    NotComparable,
    /// It failed.
    Unavailable,
    /// The rows of the search, whatever their names.
    Rows(Vec<ProbeRow>),
}

/// The record that a lookup found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The record's own name.
    pub name: String,
    /// Its id; none where the service matched a record without one.
    pub cluster_id: Option<ClusterId>,
    /// How it is bound.
    pub tier: Tier,
    /// Its readable key.
    pub slug: Option<Slug>,
    /// Whether it has a readable key that cannot be read.
    pub is_slug_unreadable: bool,
    /// Its Discogs number.
    pub discogs_id: Option<DiscogsId>,
    /// Its MusicBrainz id.
    pub mbid: Option<Mbid>,
}

/// How the identity was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup<'a> {
    /// By this name, as the caller meant it.
    Name(&'a str),
    /// By something that identifies without a name.
    Locator(LocatorKind),
}

/// All that is known when an identity is assessed.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// How it was asked for.
    pub lookup: Lookup<'a>,
    /// The record found, if any.
    pub resolved: Option<&'a Resolved>,
    /// Whether the record was found by folding ([`pick_folded`]) rather than by the name as typed.
    pub folded: bool,
    /// What the probe gave; looked at for lookups by name only.
    pub probe: &'a Probe,
    /// Same-name siblings that the service itself listed (`same_name_clusters`), without the resolved artist.
    pub siblings: &'a [Candidate],
    /// How many siblings it listed, those that could not be read included.
    pub siblings_listed: usize,
    /// Observed records with a like name that the service offered in place of an answer (`candidates`).
    pub offered: &'a [Candidate],
    /// How many Discogs artists the dossier says its record holds; none while no dossier was read.
    pub merged_discogs_ids: Option<u32>,
    /// Whether a dossier was read that says it in a way that cannot be read.
    pub merge_unreadable: bool,
    /// The id that was asked for, where the record does not carry it.
    pub unconfirmed_id: Option<AskedId>,
}

impl<'a> Evidence<'a> {
    /// Evidence with nothing but the lookup and its record; the probe has not run.
    #[must_use]
    pub fn new(lookup: Lookup<'a>, resolved: Option<&'a Resolved>) -> Self {
        let (siblings, offered) = (&[], &[]);
        Self {
            lookup,
            resolved,
            folded: false,
            probe: &Probe::NotRun,
            siblings,
            siblings_listed: 0,
            offered,
            merged_discogs_ids: None,
            merge_unreadable: false,
            unconfirmed_id: None,
        }
    }
}

/// The assessment of an identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assessment {
    /// How sure it is.
    pub state: AmbiguityState,
    /// Why: every reason that applies, in the order of [`Reason::TABLE`]; never empty.
    pub reasons: Vec<Reason>,
    /// Whom to ask about; the resolved artist first. Empty exactly when the state is `none`, or when nothing
    /// with an id was found.
    pub candidates: Vec<Candidate>,
}

/// Assesses `evidence` by the rules at the head of this module.
#[must_use]
pub fn assess(evidence: &Evidence<'_>) -> Assessment {
    let mut findings = Findings::default();
    if evidence.merged_discogs_ids.is_some_and(|count| count > 1) {
        findings.add(AmbiguityState::OverMerged, Reason::DossierOverMerge);
    }
    if evidence.merge_unreadable {
        findings.add(AmbiguityState::Unknown, Reason::DossierOverMergeUnreadable);
    }
    match evidence.lookup {
        Lookup::Locator(kind) => findings.note(Reason::Locator(kind)),
        Lookup::Name(asked) => by_name(evidence, asked, &mut findings),
    }
    binding(evidence, &mut findings);
    if let Some(id) = evidence.unconfirmed_id {
        findings.add(AmbiguityState::Observed, Reason::AskedId(id));
    }
    findings.conclude(evidence)
}

/// Assesses a key whose record was not read: nothing but the key is known, and whether an earlier lookup verified
/// it and saw nobody else behind it.
#[must_use]
pub fn assess_unread(key: &ArtistKey, is_verified: bool) -> Assessment {
    let (state, reasons) = match key {
        ArtistKey::Cluster(_) if is_verified => {
            (AmbiguityState::None, vec![Reason::Locator(LocatorKind::ClusterId)])
        }
        ArtistKey::Cluster(_) => {
            (AmbiguityState::Observed, vec![Reason::Locator(LocatorKind::ClusterId), Reason::ObservedTier])
        }
        // A slug is a name in another spelling, and no probe has looked for homonyms.
        ArtistKey::Slug(_) => (AmbiguityState::Unknown, vec![Reason::ProbeNotRun]),
    };
    Assessment { state, reasons, candidates: Vec::new() }
}

#[derive(Default)]
struct Findings {
    states: Vec<AmbiguityState>,
    reasons: Vec<Reason>,
    others: Vec<Candidate>,
    resolved_rows: Option<u32>,
}

impl Findings {
    fn add(&mut self, state: AmbiguityState, reason: Reason) {
        self.states.push(state);
        self.note(reason);
    }

    fn note(&mut self, reason: Reason) {
        self.reasons.push(reason);
    }

    fn conclude(mut self, evidence: &Evidence<'_>) -> Assessment {
        let applies = |state: &AmbiguityState| self.states.contains(state);
        let state = AmbiguityState::PRECEDENCE.into_iter().find(applies).unwrap_or(AmbiguityState::None);
        self.reasons.sort_by_key(|reason| reason.rank());
        self.reasons.dedup();
        let mut candidates: Vec<Candidate> = Vec::new();
        let resolved = evidence.resolved.and_then(|resolved| as_candidate(resolved, self.resolved_rows));
        let offered = evidence.offered.iter().cloned();
        let mut list = |more: &mut dyn Iterator<Item = Candidate>| {
            for candidate in more {
                if !candidates
                    .iter()
                    .any(|c| c.cluster_id == candidate.cluster_id && c.hint == candidate.hint)
                {
                    candidates.push(candidate);
                }
            }
        };
        match state {
            AmbiguityState::None => {}
            AmbiguityState::Observed => list(&mut resolved.into_iter()),
            AmbiguityState::OverMerged | AmbiguityState::NameCollision => {
                list(&mut resolved.into_iter().chain(self.others));
            }
            AmbiguityState::Unresolved | AmbiguityState::Unknown => {
                list(&mut resolved.into_iter().chain(self.others).chain(offered));
            }
        }
        Assessment { state, reasons: self.reasons, candidates }
    }
}

fn by_name(evidence: &Evidence<'_>, asked: &str, findings: &mut Findings) {
    let siblings = evidence.siblings_listed.max(evidence.siblings.len());
    if siblings > 0 {
        let all = count(siblings).saturating_add(u32::from(evidence.resolved.is_some()));
        findings.add(AmbiguityState::NameCollision, Reason::SameNameClusters(all));
        findings.others.extend(evidence.siblings.iter().cloned());
    }
    if evidence.folded {
        findings.note(Reason::FoldedMatch);
    }
    match evidence.probe {
        _ if !fold(display_name(asked)).is_comparable() => {
            findings.add(AmbiguityState::Unknown, Reason::ProbeNotComparable);
        }
        Probe::NotComparable => findings.add(AmbiguityState::Unknown, Reason::ProbeNotComparable),
        Probe::NotRun if siblings == 0 => {
            findings.add(AmbiguityState::Unknown, Reason::ProbeNotRun);
        }
        Probe::NotRun => {}
        Probe::Unavailable => findings.add(AmbiguityState::Unknown, Reason::ProbeUnavailable),
        Probe::Rows(rows) => match evidence.resolved {
            Some(resolved) => rows_beside(resolved, asked, rows, findings),
            None => rows_alone(asked, rows, findings),
        },
    }
    if evidence.resolved.is_some_and(|resolved| numbers_disagree(asked, resolved)) {
        findings.add(AmbiguityState::Unknown, Reason::DisambiguationSuffix);
    }
    if evidence.resolved.is_some_and(|resolved| resolved.is_slug_unreadable) {
        findings.add(AmbiguityState::Unknown, Reason::SlugUnreadable);
    }
}

/// What the rows say about a record that was found.
fn rows_beside(resolved: &Resolved, asked: &str, rows: &[ProbeRow], findings: &mut Findings) {
    let rows = Rows::compare(asked, &resolved.name, rows);
    let own = resolved.cluster_id.as_ref();
    findings.resolved_rows = own.map(|own| rows.exact_rows_of(own));
    let elsewhere = rows.clusters().into_iter().filter(|cluster| Some(*cluster) != own).count();
    let own_is_verified =
        own.is_some_and(|own| resolved.tier == Tier::Discogs || rows.clusters().contains(&own));
    let distinct = count(elsewhere).saturating_add(u32::from(own_is_verified));
    let collides = if own.is_some() { elsewhere > 0 } else { elsewhere > 1 };
    let competing = if rows.variants > 0 { AmbiguityState::Unknown } else { AmbiguityState::None };
    if collides {
        findings.add(AmbiguityState::NameCollision, Reason::ProbeDistinctVerifiedClusters(distinct));
    } else if own.is_some_and(|own| rows.exact_rows_of(own) > 0) {
        findings.add(competing, Reason::ProbeSingle);
    } else if rows.exact == 0 {
        findings.add(competing, Reason::ProbeNoExactRows);
    } else if rows.unbound_exact == rows.exact {
        findings.add(AmbiguityState::Unknown, Reason::ProbeNoBoundRows);
    }
    hints(&rows, findings);
    let known = findings.others.iter().map(|c| c.cluster_id.clone()).collect::<Vec<_>>();
    findings.others.extend(rows.candidates(own).into_iter().filter(|c| !known.contains(&c.cluster_id)));
}

/// What the rows say when no record was found.
fn rows_alone(asked: &str, rows: &[ProbeRow], findings: &mut Findings) {
    let compared = Rows::compare(asked, asked, rows);
    let picked = match pick_folded(asked, rows) {
        FoldedPick::One(row) => vec![row],
        FoldedPick::Numbered(row) => {
            let none_bound =
                if compared.exact == 0 { Reason::ProbeNoExactRows } else { Reason::ProbeNoBoundRows };
            findings.note(none_bound);
            vec![row]
        }
        FoldedPick::Several(rows) => rows,
        FoldedPick::None => Vec::new(),
    };
    let strictly = picked.iter().all(|row| fold(display_name(&row.artist)) == fold(display_name(asked)));
    let compared_picks = Rows::all_of(&picked, rows);
    let distinct = count(compared_picks.clusters().len());
    if picked.len() > 1 {
        if !strictly {
            findings.note(Reason::FoldedMatch);
        }
        findings.states.push(AmbiguityState::NameCollision);
        if distinct > 1 {
            findings.note(Reason::ProbeDistinctVerifiedClusters(distinct));
        }
    } else if picked.is_empty() && compared.exact == 0 {
        findings.note(Reason::ProbeNoExactRows);
    } else if picked.is_empty() {
        findings.note(Reason::ProbeNoBoundRows);
    }
    hints(&compared, findings);
    findings.others.extend(compared_picks.candidates(None));
}

fn hints(rows: &Rows<'_>, findings: &mut Findings) {
    if rows.unbound_exact > 0 {
        findings.note(Reason::ProbeUnboundExact(rows.unbound_exact));
    }
    if rows.variants > 0 {
        findings.note(Reason::ProbeSuffixVariants(rows.variants));
    }
}

/// What the record's own binding says.
fn binding(evidence: &Evidence<'_>, findings: &mut Findings) {
    match evidence.resolved {
        None => findings.add(AmbiguityState::Unresolved, Reason::NoRecord),
        Some(resolved) => {
            let has_cluster = resolved.cluster_id.is_some();
            match (resolved.tier, has_cluster) {
                (Tier::Discogs, true) => {}
                (Tier::Discogs, false) => findings.add(AmbiguityState::Unknown, Reason::NoCluster),
                (Tier::Cluster, true) => findings.add(AmbiguityState::Observed, Reason::ObservedTier),
                (Tier::Cluster, false) => {
                    findings.note(Reason::ObservedTier);
                    findings.add(AmbiguityState::Unresolved, Reason::NoCluster);
                }
            }
        }
    }
    let without_identity = evidence.resolved.is_none_or(|resolved| resolved.cluster_id.is_none());
    if without_identity && !evidence.offered.is_empty() {
        findings.note(Reason::PrefixCandidates(count(evidence.offered.len())));
    }
}

fn numbers_disagree(asked: &str, resolved: &Resolved) -> bool {
    let (_, asked_number) = split_suffix(asked);
    let (base, own_number) = split_suffix(&resolved.name);
    let own_number = own_number.or_else(|| resolved.slug.as_ref().and_then(|slug| slug_number(base, slug)));
    asked_number != own_number
}

/// The number of a slug such as `entity-2`, where the rest of the slug is the whole name (`sum-41` has none).
fn slug_number(name: &str, slug: &Slug) -> Option<u16> {
    let (base, number) = slug.as_str().rsplit_once('-')?;
    suffix_number(number).filter(|_| fold(base) == fold(name))
}

fn as_candidate(resolved: &Resolved, support: Option<u32>) -> Option<Candidate> {
    let discogs = resolved.discogs_id.map(|id| format!("Discogs {id}"));
    let mbid = resolved.mbid.map(|id| format!("MusicBrainz {id}"));
    let ids: Vec<String> = discogs.into_iter().chain(mbid).collect();
    resolved.cluster_id.clone().map(|cluster_id| Candidate {
        cluster_id,
        name: display_name(&resolved.name).to_owned(),
        tier: Some(resolved.tier),
        support,
        hint: (!ids.is_empty()).then(|| ids.join(", ")),
        discogs_id: resolved.discogs_id,
        mbid: resolved.mbid,
    })
}

fn count(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
