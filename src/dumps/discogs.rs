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

#[cfg(test)]
mod tests {
    use super::super::node::parsed;
    use super::*;

    #[test]
    fn a_release_says_the_same_in_the_form_of_2020_and_in_that_of_today() {
        let credit = "<artists><artist><id>45</id><name>Aphex Twin</name><anv/><join/><role/><tracks/></artist></artists>";
        let old = format!(
            "<releases><release id=\"7\" status=\"Accepted\"><images><image uri=\"\"/></images>{credit}<title>T</title>\
             <labels><label name=\"Warp\" catno=\"1\" id=\"3\"/></labels><formats><format name=\"Vinyl\" qty=\"2\"/></formats>\
             <genres><genre>Electronic</genre></genres><released>1999-03-00</released>\
             <master_id is_main_release=\"true\">9</master_id><notes>prose</notes></release></releases>"
        );
        let new = format!(
            "<releases><release id=\"7\"><title>T</title>{}<labels><label catno=\"1\" id=\"3\" name=\"Warp\"/></labels>\
             <formats><format name=\"Vinyl\"/></formats><genres><genre>Electronic</genre></genres>\
             <released>1999</released><master_id is_main_release=\"true\">9</master_id></release></releases>",
            credit.replace("<anv/><join/><role/><tracks/>", "")
        );
        let read = |text: &str| release(&parsed(text, "releases").unwrap()[0]).unwrap();
        let found = read(&old);
        assert_eq!(found, read(&new));
        assert_eq!((found.master, found.is_main, found.year), (Some(9), true, Some(1999)));
        assert_eq!((found.artists[0].id, &*found.labels[0], &*found.formats[0]), (45, "Warp", "Vinyl"));
        let without = new.replace(">9<", ">0<").replace("1999", "?");
        assert_eq!((read(&without).master, read(&without).year), (None, None));
    }

    #[test]
    fn tracks_are_found_in_parts_of_tracks_and_headings_are_none() {
        let text = "<releases><release id=\"1\"><title>T</title><artists><artist><id>1</id><name>A</name></artist></artists>\
            <tracklist><track><position/><title>Side one</title></track>\
            <track><position>1</position><title>Whole</title><extraartists><artist><name>No Record</name></artist></extraartists>\
            <sub_tracks><track><position>1a</position><title>Part</title><artists><artist><id>2</id><name>B</name></artist>\
            </artists></track></sub_tracks></track></tracklist></release></releases>";
        let found = release(&parsed(text, "releases").unwrap()[0]).unwrap();
        let tracks: Vec<(&str, u64)> =
            found.tracks.iter().map(|(title, credits)| (title.as_str(), credits[0].id)).collect();
        assert_eq!(tracks, [("Whole", 1), ("Part", 2)]);
        let others: Vec<u64> = found.others.iter().map(|credit| credit.id).collect();
        assert_eq!(others, [0, 2]);
    }

    #[test]
    fn a_record_without_id_or_name_is_left_out() {
        for text in [
            "<artist><name>A</name></artist>",
            "<artist><id>x</id><name>A</name></artist>",
            "<artist><id>5</id><name/></artist>",
        ] {
            let nodes = parsed(&format!("<artists>{text}</artists>"), "artists").unwrap();
            assert_eq!(artist(&nodes[0]), None, "{text}");
        }
    }
}
