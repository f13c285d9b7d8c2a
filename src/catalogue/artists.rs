//! The artists of the catalogue and the ways to find one.
//!
//! Decides which artist a name, a slug or an identifier means. Knows nothing of requests and answers.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::files::Files;
use super::folding::lower;
use super::lines::Lines;
use super::tracks::Performer;
use super::{CatalogueError, folding};

/// How an identity was bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Tier {
    /// Verified: bound to a Discogs artist.
    Discogs,
    /// Only observed.
    Cluster,
}

/// One artist, as far as it takes to find it.
#[derive(Debug, Deserialize)]
pub(super) struct Artist<'a> {
    pub(super) name: Box<str>,
    slug: &'a str,
    #[serde(borrow)]
    pub(super) cluster_id: Option<&'a str>,
    tier: Tier,
    /// Discogs artist ids, the one that is given first.
    discogs: Vec<u64>,
    #[serde(borrow)]
    mbid: Option<&'a str>,
    /// Host and path of the artist's pages, in the form that links are read into.
    links: Vec<Box<str>>,
    #[serde(skip)]
    lower_name: String,
    #[serde(skip)]
    at: usize,
}

impl<'a> Artist<'a> {
    pub(super) fn slug(&self) -> &'a str {
        self.slug
    }

    /// Its number among all.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn main_discogs(&self) -> Option<u64> {
        self.discogs.first().copied()
    }
}

/// Every artist, real ones first.
#[derive(Debug)]
pub(super) struct Artists {
    all: Vec<Artist<'static>>,
    real: usize,
    resolutions: [Lines; 2],
    dossiers: [Lines; 2],
    pub(super) absent: Lines,
    siblings: Lines,
    sibling_ids: Vec<ClusterOnly<'static>>,
    signals: Lines,
    signal_ids: Vec<ClusterOnly<'static>>,
}

#[derive(Debug, Deserialize)]
struct ClusterOnly<'a> {
    cluster_id: &'a str,
}

impl Artists {
    pub(super) fn load(files: &Files) -> Result<Self, CatalogueError> {
        let mut all: Vec<Artist<'static>> = files.artists_index.parse()?;
        let real = all.len();
        all.extend(files.invented_index.parse::<Artist<'static>>()?);
        for (at, artist) in all.iter_mut().enumerate() {
            artist.lower_name = lower(&artist.name);
            artist.at = at;
        }
        let resolutions = [files.artists_resolutions.clone(), files.invented_resolutions.clone()];
        let dossiers = [files.artists_dossiers.clone(), files.invented_dossiers.clone()];
        for [sourced, invented] in [&resolutions, &dossiers] {
            if sourced.len() != real {
                return Err(CatalogueError::Uneven(sourced.path()));
            }
            if invented.len() != all.len() - real {
                return Err(CatalogueError::Uneven(invented.path()));
            }
        }
        Ok(Self {
            sibling_ids: files.same_name_clusters.parse()?,
            siblings: files.same_name_clusters.clone(),
            signal_ids: files.invented_signals.parse()?,
            signals: files.invented_signals.clone(),
            absent: files.artists_absent.clone(),
            all,
            real,
            resolutions,
            dossiers,
        })
    }

    /// The artist of exactly this name but for case; a verified one before one that is only observed.
    pub(super) fn by_name(&self, name: &str) -> Option<&Artist<'static>> {
        let name = lower(name);
        self.best(|artist| artist.lower_name == name)
    }

    /// The artist of a slug; homonyms share one, and the verified one has it.
    pub(super) fn by_slug(&self, slug: &str) -> Option<&Artist<'static>> {
        let slug = lower(slug);
        self.best(|artist| artist.slug == slug)
    }

    /// The artist of a cluster; where several artists share one, the first.
    pub(super) fn by_cluster(&self, cluster: &str) -> Option<&Artist<'static>> {
        self.all.iter().find(|artist| artist.cluster_id == Some(cluster))
    }

    /// The artist who is credited; nobody if no artist of the cluster has the name.
    pub(super) fn by_credit(&self, performer: Performer<'_>) -> Option<&Artist<'static>> {
        self.all.iter().find(|artist| {
            artist.cluster_id == Some(performer.cluster_id) && *artist.name == *performer.credit
        })
    }

    pub(super) fn by_discogs(&self, id: u64) -> Option<&Artist<'static>> {
        self.all.iter().find(|artist| artist.discogs.contains(&id))
    }

    pub(super) fn by_mbid(&self, mbid: &str) -> Option<&Artist<'static>> {
        self.all.iter().find(|artist| artist.mbid == Some(mbid))
    }

    /// The artist whose page this is; nobody if several say it is theirs.
    pub(super) fn by_link(&self, link: &str) -> Option<&Artist<'static>> {
        let mut owners = self.all.iter().filter(|artist| artist.links.iter().any(|own| **own == *link));
        owners.next().filter(|_| owners.next().is_none())
    }

    /// Artists in a cluster whose name starts like this, in the order of their names.
    pub(super) fn by_prefix(&self, start: &str, limit: usize) -> Vec<(&'static str, &str)> {
        let start = lower(start);
        let mut found: Vec<_> =
            self.all.iter().filter(|artist| artist.lower_name.starts_with(&start)).collect();
        found.sort_by(|a, b| a.lower_name.cmp(&b.lower_name));
        let named = found.into_iter().filter_map(|artist| Some((artist.cluster_id?, &*artist.name)));
        named.take(limit).collect()
    }

    /// The stored answer that resolves this artist by an identifier.
    pub(super) fn resolution(&self, artist: &Artist<'_>) -> Map<String, Value> {
        self.object(&self.resolutions, artist)
    }

    /// The dossier of this artist at its own tier, invented signals laid over it.
    pub(super) fn dossier(&self, artist: &Artist<'_>) -> Map<String, Value> {
        let mut dossier = self.object(&self.dossiers, artist);
        let signals =
            artist.cluster_id.and_then(|id| self.signal_ids.iter().position(|row| row.cluster_id == id));
        if let Some(mut row) = signals.map(|line| self.signals.object(line))
            && let Some(Value::Object(facets)) = row.remove("facets")
        {
            dossier.extend(facets);
        }
        dossier
    }

    /// Every artist that is bound to a Discogs id, with that id.
    pub(super) fn verified(&self) -> impl Iterator<Item = (&Artist<'static>, u64)> {
        let bound = self.all.iter().filter(|artist| artist.tier == Tier::Discogs);
        bound.filter_map(|artist| Some((artist, artist.main_discogs()?)))
    }

    /// The invented signals of emergence, by cluster.
    pub(super) fn emergence(&self) -> BTreeMap<&'static str, Value> {
        let signals = |line: usize| {
            let mut row = self.signals.object(line);
            Some(row.get_mut("facets")?.pointer_mut("/emergence/signals")?.take())
        };
        let rows = self.signal_ids.iter().enumerate();
        rows.filter_map(|(line, row)| Some((row.cluster_id, signals(line)?))).collect()
    }

    /// Same-name siblings, where the catalogue lists them.
    pub(super) fn siblings(&self, artist: &Artist<'_>) -> Option<Value> {
        let line = self.sibling_ids.iter().position(|row| Some(row.cluster_id) == artist.cluster_id)?;
        self.siblings.object(line).remove("same_name_clusters")
    }

    /// Name, cluster and first Discogs id of every artist that is not invented.
    #[cfg(test)]
    pub(super) fn sourced(&self) -> impl Iterator<Item = (&str, Option<&'static str>, Option<u64>)> {
        self.all
            .iter()
            .take(self.real)
            .map(|artist| (&*artist.name, artist.cluster_id, artist.main_discogs()))
    }

    /// Every artist's name beside each of their pages.
    #[cfg(test)]
    pub(super) fn pages(&self) -> impl Iterator<Item = (&str, &str)> {
        self.all.iter().flat_map(|artist| artist.links.iter().map(|link| (&*artist.name, &**link)))
    }

    #[cfg(test)]
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|artist| &*artist.name)
    }

    fn best(&self, wanted: impl Fn(&Artist<'static>) -> bool) -> Option<&Artist<'static>> {
        let verified = self.all.iter().find(|artist| artist.tier == Tier::Discogs && wanted(artist));
        verified.or_else(|| self.all.iter().find(|artist| wanted(artist)))
    }

    fn object(&self, [sourced, invented]: &[Lines; 2], artist: &Artist<'_>) -> Map<String, Value> {
        match artist.at.checked_sub(self.real) {
            None => sourced.object(artist.at),
            Some(at) => invented.object(at),
        }
    }
}

/// Whether this is written like a cluster id; lower case, as the catalogue has them.
pub(super) fn cluster_form(text: &str) -> Option<String> {
    let fits = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    fits.then(|| folding::lower(text))
}
