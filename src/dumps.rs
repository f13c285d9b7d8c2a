//! Reads the files in which Discogs and MusicBrainz publish their data, for anyone who wants to serve from them.
//!
//! Decides what a record of such a file says, as far as anything is made of it. It must never know what: nothing of
//! catalogues, requests or answers. Both sources are CC0; images, contact data, videos and notes are not read.

mod discogs;
mod musicbrainz;
mod node;
mod pages;

use std::path::{Path, PathBuf};

use time::Date;
use time::macros::format_description;

pub use discogs::{Credit, DumpArtist, DumpMaster, DumpRelease};
pub use musicbrainz::MusicBrainzArtist;

/// The records of one set of files, each list in the order of its file.
#[derive(Clone, Debug, Default)]
pub struct Dumps {
    /// Discogs artists.
    pub artists: Vec<DumpArtist>,
    /// Discogs masters.
    pub masters: Vec<DumpMaster>,
    /// Discogs releases.
    pub releases: Vec<DumpRelease>,
    /// Artists of MusicBrainz; none where no file of them was named.
    pub musicbrainz: Vec<MusicBrainzArtist>,
    /// The day that the names of the three files of Discogs agree on.
    pub day: Option<Date>,
}

/// Why files cannot be read as dumps. Each names the file or the folder.
#[derive(Debug, thiserror::Error)]
pub enum DumpError {
    /// A folder or file cannot be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// Which one.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// There must be exactly one file of a kind.
    #[error("{folder} must hold one file whose name ends with {kind}.xml.gz, and holds {count}")]
    Files {
        /// Where it was looked for.
        folder: PathBuf,
        /// Of what: `artists`, `masters` or `releases`.
        kind: &'static str,
        /// How many there are.
        count: usize,
    },
    /// It is no XML, or not such as a dump holds.
    #[error("{path} is not a dump of {kind}: {reason}")]
    Xml {
        /// Which one.
        path: PathBuf,
        /// What it should hold.
        kind: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// It is not the JSON it should be.
    #[error("{path} does not hold core facts of MusicBrainz: {source}")]
    Json {
        /// Which one.
        path: PathBuf,
        /// What the parser said.
        source: serde_json::Error,
    },
}

impl Dumps {
    /// Reads `artists`, `masters` and `releases` from `folder`, and core facts of MusicBrainz from a file, if one is
    /// named. The whole is held in memory: this is for extracts.
    ///
    /// # Errors
    /// When one of them is missing or cannot be read.
    pub fn load(folder: &Path, musicbrainz: Option<&Path>) -> Result<Self, DumpError> {
        let (artists, masters, releases) =
            (file(folder, "artists")?, file(folder, "masters")?, file(folder, "releases")?);
        let day = day(&artists).filter(|of| [&masters, &releases].iter().all(|file| day(file) == Some(*of)));
        Ok(Self {
            day,
            artists: node::records(&artists, "artists", discogs::artist)?,
            masters: node::records(&masters, "masters", discogs::master)?,
            releases: node::records(&releases, "releases", discogs::release)?,
            musicbrainz: musicbrainz.map(musicbrainz::load).transpose()?.unwrap_or_default(),
        })
    }
}

/// The one file of a kind, whatever the date in its name.
fn file(folder: &Path, kind: &'static str) -> Result<PathBuf, DumpError> {
    let unreadable = |source| DumpError::Read { path: folder.to_owned(), source };
    let ending = format!("{kind}.xml.gz");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        if entry.file_name().to_string_lossy().ends_with(&ending) {
            found.push(entry.path());
        }
    }
    let count = found.len();
    found.pop().filter(|_| count == 1).ok_or(DumpError::Files { folder: folder.to_owned(), kind, count })
}

/// The day in a name such as `discogs_20200806_artists.xml.gz`.
fn day(file: &Path) -> Option<Date> {
    let name = file.file_name()?.to_str()?;
    name.split('_').find_map(|part| Date::parse(part, format_description!("[year][month][day]")).ok())
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    #[test]
    fn a_dump_has_the_day_in_its_name() {
        let of = |name: &str| day(&Path::new("20190101_a").join(name));
        assert_eq!(of("discogs_20200806_artists.xml.gz"), Some(date!(2020 - 08 - 06)));
        for name in ["artists.xml.gz", "discogs_20201306_artists.xml.gz", "discogs_202008060_artists.xml.gz"]
        {
            assert_eq!(of(name), None, "{name}");
        }
    }
}
