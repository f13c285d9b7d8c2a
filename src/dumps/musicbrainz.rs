//! What a file of MusicBrainz core facts says about artists.
//!
//! Decides which of its lists hold artists. Tags, genres, ratings and annotations are not CC0 and are not read.

use std::path::Path;

use serde::Deserialize;

use super::{DumpError, pages};
use crate::small_file;

/// The largest file that is read.
const MAX_BYTES: u64 = 64 << 20;

/// An artist of MusicBrainz.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct MusicBrainzArtist {
    /// Its MBID, lower case.
    pub id: String,
    /// Its name.
    pub name: String,
    /// ISO 3166-1 code of its country.
    #[serde(default)]
    pub country: Option<String>,
    /// The Discogs artists that it is linked to, the one that counts first.
    #[serde(default, rename = "discogs_artist_ids")]
    pub discogs: Vec<u64>,
    /// Addresses of pages elsewhere.
    #[serde(default, rename = "links", deserialize_with = "pages::flat")]
    pub urls: Vec<String>,
}

#[derive(Deserialize)]
struct File {
    artists: Vec<MusicBrainzArtist>,
    #[serde(default)]
    nirvana: Vec<MusicBrainzArtist>,
}

pub(super) fn load(path: &Path) -> Result<Vec<MusicBrainzArtist>, DumpError> {
    let unreadable = |source| DumpError::Read { path: path.to_owned(), source };
    let bytes = small_file::read(path, MAX_BYTES).map_err(unreadable)?;
    let file: File =
        serde_json::from_slice(&bytes).map_err(|source| DumpError::Json { path: path.to_owned(), source })?;
    Ok(file.artists.into_iter().chain(file.nirvana).collect())
}
