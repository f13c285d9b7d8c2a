//! What the records of the Discogs dumps say.
//!
//! Decides which element holds which fact, in the form of 2020 and in that of today.

use super::node::Node;

/// An artist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DumpArtist {
    /// Discogs artist id.
    pub id: u64,
    /// The record's name, with the number that tells homonyms apart.
    pub name: String,
    /// The name in civil life.
    pub real_name: Option<String>,
    /// Addresses of pages elsewhere, as contributors wrote them.
    pub urls: Vec<String>,
    /// Names of the other artists that are the same person.
    pub aliases: Vec<String>,
}

/// Who is named on a master, a release or a track.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credit {
    /// Discogs artist id; 0 for a name that has no record.
    pub id: u64,
    /// The record's name.
    pub name: String,
    /// What stands between this name and the next.
    pub join: Option<String>,
}

/// A master: what the editions of one work have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DumpMaster {
    /// Discogs master id.
    pub id: u64,
    /// Its title.
    pub title: String,
    /// Its main artists, in their order.
    pub artists: Vec<Credit>,
    /// The year of the first edition.
    pub year: Option<u16>,
    /// Genres.
    pub genres: Vec<String>,
    /// Styles.
    pub styles: Vec<String>,
}

/// A release: one edition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DumpRelease {
    /// Discogs release id.
    pub id: u64,
    /// Its title.
    pub title: String,
    /// Its main artists, in their order.
    pub artists: Vec<Credit>,
    /// Everybody else who is credited on it or on one of its tracks.
    pub others: Vec<Credit>,
    /// The master that it is an edition of.
    pub master: Option<u64>,
    /// Whether it is that master's main edition.
    pub is_main: bool,
    /// The year in which it came out.
    pub year: Option<u16>,
    /// The country for which it was made.
    pub country: Option<String>,
    /// Names of its labels.
    pub labels: Vec<String>,
    /// Names of its formats.
    pub formats: Vec<String>,
    /// Genres.
    pub genres: Vec<String>,
    /// Styles.
    pub styles: Vec<String>,
    /// Title and performers of each track; headings, which have no position, are left out.
    pub tracks: Vec<(String, Vec<Credit>)>,
}

pub(super) fn artist(node: &Node) -> Option<DumpArtist> {
    Some(DumpArtist {
        id: node.text_of("id")?.parse().ok()?,
        name: node.text_of("name")?,
        real_name: node.text_of("realname"),
        urls: texts(node, "urls/url"),
        aliases: texts(node, "aliases/name"),
    })
}

pub(super) fn master(node: &Node) -> Option<DumpMaster> {
    Some(DumpMaster {
        id: node.attribute("id")?.parse().ok()?,
        title: node.text_of("title")?,
        artists: credits(node, "artists/artist"),
        year: node.text_of("year").and_then(|text| year(&text)),
        genres: texts(node, "genres/genre"),
        styles: texts(node, "styles/style"),
    })
}

pub(super) fn release(node: &Node) -> Option<DumpRelease> {
    let master = node.all("master_id");
    let master = master.first();
    let artists = credits(node, "artists/artist");
    let mut others = credits(node, "extraartists/artist");
    let mut tracks = Vec::new();
    for track in node.all("tracklist/track") {
        read_track(track, &artists, &mut tracks, &mut others);
    }
    Some(DumpRelease {
        id: node.attribute("id")?.parse().ok()?,
        title: node.text_of("title")?,
        others,
        master: master.and_then(|node| node.own_text()?.parse().ok()).filter(|id| *id > 0),
        is_main: master.and_then(|node| node.attribute("is_main_release")).as_deref() == Some("true"),
        year: node.text_of("released").and_then(|text| year(text.split('-').next()?)),
        country: node.text_of("country"),
        labels: node.all("labels/label").iter().filter_map(|label| label.attribute("name")).collect(),
        formats: node.all("formats/format").iter().filter_map(|format| format.attribute("name")).collect(),
        genres: texts(node, "genres/genre"),
        styles: texts(node, "styles/style"),
        artists,
        tracks,
    })
}

fn read_track(
    track: &Node,
    performers: &[Credit],
    tracks: &mut Vec<(String, Vec<Credit>)>,
    others: &mut Vec<Credit>,
) {
    let own = credits(track, "artists/artist");
    others.extend(own.iter().cloned());
    others.extend(credits(track, "extraartists/artist"));
    let performers = if own.is_empty() { performers } else { &own };
    if let (Some(title), true) = (track.text_of("title"), track.text_of("position").is_some()) {
        tracks.push((title, performers.to_vec()));
    }
    if track.has("sub_tracks") {
        for part in track.all("sub_tracks/track") {
            read_track(part, performers, tracks, others);
        }
    }
}

fn credits(node: &Node, path: &str) -> Vec<Credit> {
    let credit = |node: &&Node| {
        Some(Credit {
            id: node.text_of("id").and_then(|text| text.parse().ok()).unwrap_or(0),
            name: node.text_of("name")?,
            join: node.text_of("join"),
        })
    };
    node.all(path).iter().filter_map(credit).collect()
}

fn texts(node: &Node, path: &str) -> Vec<String> {
    node.all(path).iter().filter_map(|node| node.own_text()).collect()
}

/// Years that are slips, and the 0 of those that nobody knows, are none.
fn year(text: &str) -> Option<u16> {
    text.parse().ok().filter(|year| (1860..=2100).contains(year))
}
