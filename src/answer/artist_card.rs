//! The answer of `get_artist`.

use serde::Serialize;
use serde_json::json;

use super::artist_signals::{FullFacts, StandardFacts};
use super::facet::Facet;
use super::gigs::GigList;
use super::identity_facts::IdentityFacts;
use super::shapeable::Shapeable;
use super::similar::SimilarList;
use crate::envelope::next::NextAction;
use crate::model::gap::GapReason;
use crate::model::text::CleanName;
use crate::model::word::Word;
use crate::shape::{List, Role};

/// The answer of `get_artist`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ArtistCard {
    /// The key that was asked for; follow-ups go on with it. Another one of the same artist may be less sure.
    #[serde(skip)]
    pub asked: Option<String>,
    /// Who it is about.
    #[serde(flatten)]
    pub identity: IdentityFacts,
    /// The name behind the name.
    pub real_name: Facet<NameFacet>,
    /// Other names.
    pub aliases: Facet<AliasFacet>,
    /// Where the artist comes from.
    pub origin: Facet<OriginFacet>,
    /// First release.
    pub debut: Facet<DebutFacet>,
    /// Genre and styles.
    pub genre: Facet<GenreFacet>,
    /// Releases.
    pub discography: Facet<DiscographyFacet>,
    /// Where the artist stands on the way up.
    pub emergence: Facet<EmergenceFacet>,
    /// What the standard view adds, which the full view holds too.
    #[serde(flatten)]
    pub standard: Option<StandardFacts>,
    /// What only the full view adds.
    #[serde(flatten)]
    pub full: Option<FullFacts>,
    /// Similar artists, when they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similar: Option<Facet<SimilarList>>,
    /// Concerts that lie ahead, when they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gigs: Option<Facet<GigList>>,
}

impl ArtistCard {
    /// The card of nobody: every part is missing for the same reason.
    #[must_use]
    pub fn empty(reason: GapReason) -> Self {
        Self {
            asked: None,
            identity: IdentityFacts::nobody(),
            real_name: Facet(Err(reason)),
            aliases: Facet(Err(reason)),
            origin: Facet(Err(reason)),
            debut: Facet(Err(reason)),
            genre: Facet(Err(reason)),
            discography: Facet(Err(reason)),
            emergence: Facet(Err(reason)),
            standard: None,
            full: None,
            similar: None,
            gigs: None,
        }
    }
}

/// A single name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NameFacet {
    /// The name.
    pub name: CleanName,
}

/// Other names of the same artist.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AliasFacet {
    /// The first few, in the service's order.
    pub names: Vec<CleanName>,
    /// How many there are.
    pub total: usize,
}

/// Where an artist comes from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OriginFacet {
    /// City.
    pub city: Option<CleanName>,
    /// Country.
    pub country: Option<CleanName>,
}

/// First release.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DebutFacet {
    /// Its year.
    pub year: u16,
}

/// Genre and styles.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GenreFacet {
    /// The most frequent genre.
    pub primary: CleanName,
    /// The most frequent styles.
    pub styles: Vec<CleanName>,
}

/// Releases.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DiscographyFacet {
    /// How many the service counts.
    pub total: u64,
    /// How many are shown here.
    pub shown: usize,
    /// Whether there are more than are shown.
    pub truncated: bool,
    /// The first ones, in the service's order: lead credits first.
    pub releases: Vec<ReleaseRow>,
}

/// One release: its Discogs master id and its title. Without their names where there are many rows.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ReleaseRow {
    /// With names.
    Named {
        /// Discogs master id.
        master_id: u64,
        /// Title.
        title: CleanName,
    },
    /// As a pair in the same order.
    Compact(u64, CleanName),
}

impl ReleaseRow {
    /// Its title.
    #[must_use]
    pub fn title(&self) -> &CleanName {
        match self {
            Self::Named { title, .. } | Self::Compact(_, title) => title,
        }
    }
}

/// Where an artist stands on the way up.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EmergenceFacet {
    /// How established.
    pub tier: Word,
    /// The direction.
    pub momentum: Option<Word>,
}

const ALIASES: &str = "data.aliases.names";
const STYLES: &str = "data.genre.styles";
const RELEASES: &str = "data.discography.releases";

const SIMILAR: &str = "data.similar.similar";
const GIGS: &str = "data.gigs.gigs";

impl Shapeable for ArtistCard {
    fn lists(&self) -> Vec<List> {
        let lists = [
            self.aliases.fact().map(|found| List::of(ALIASES, Role::Main, &found.names)),
            self.genre.fact().map(|found| List::of(STYLES, Role::Main, &found.styles)),
            self.discography.fact().map(|found| List::of(RELEASES, Role::Main, &found.releases)),
            self.similar
                .as_ref()
                .and_then(Facet::fact)
                .map(|found| List::of(SIMILAR, Role::Include, &found.similar)),
            self.gigs.as_ref().and_then(Facet::fact).map(|found| List::of(GIGS, Role::Include, &found.gigs)),
        ];
        lists.into_iter().flatten().collect()
    }

    fn keep(&mut self, path: &str, rows: usize) {
        match path {
            ALIASES => self.aliases.0.iter_mut().for_each(|found| found.names.truncate(rows)),
            STYLES => self.genre.0.iter_mut().for_each(|found| found.styles.truncate(rows)),
            RELEASES => self.discography.0.iter_mut().for_each(|found| {
                found.releases.truncate(rows);
                found.shown = found.releases.len();
                found.truncated = (found.shown as u64) < found.total;
            }),
            SIMILAR => {
                if let Some(Facet(Ok(found))) = &mut self.similar {
                    found.keep(rows);
                }
            }
            GIGS => {
                if let Some(Facet(Ok(found))) = &mut self.gigs {
                    found.keep(rows);
                }
            }
            _ => {}
        }
    }

    fn whole(&self, path: &str) -> Option<NextAction> {
        let tool = match path {
            SIMILAR => "find_similar_artists",
            GIGS => "get_upcoming_gigs",
            _ => return None,
        };
        let key = self.asked.as_ref()?;
        Some(NextAction::new(tool, [("key", json!(key))], "returns the whole list"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card() -> ArtistCard {
        let name = |text: &str| CleanName::new(text).unwrap();
        let names = |count: usize| (0..count).map(|n| name(&format!("N{n}"))).collect::<Vec<_>>();
        let releases = (0..5).map(|n| ReleaseRow::Compact(n, name("T"))).collect();
        ArtistCard {
            aliases: Facet(Ok(AliasFacet { names: names(5), total: 9 })),
            genre: Facet(Ok(GenreFacet { primary: name("Rock"), styles: names(5) })),
            discography: Facet(Ok(DiscographyFacet { total: 5, shown: 5, truncated: false, releases })),
            ..ArtistCard::empty(GapReason::NotFoundUpstream)
        }
    }

    #[test]
    fn a_shortened_list_keeps_its_first_rows_and_its_counts_stay_true() {
        for list in card().lists() {
            let mut short = card();
            short.keep(list.path(), 3);
            let left: Vec<List> =
                short.lists().into_iter().filter(|left| left.path() == list.path()).collect();
            assert_eq!(left.first().map(List::rows), Some(3), "{}", list.path());
        }
        let mut short = card();
        short.keep(RELEASES, 3);
        let found = short.discography.fact().unwrap();
        assert_eq!((found.shown, found.total, found.truncated), (3, 5, true));
        let first = |n| ReleaseRow::Compact(n, CleanName::new("T").unwrap());
        assert_eq!(found.releases, [first(0), first(1), first(2)]);
        short.keep("data.nothing", 0);
        assert_eq!(short.discography.fact().map(|found| found.shown), Some(3));
    }
}
