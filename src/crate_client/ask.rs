//! What can be asked of the service, as path and query.

use crate::identity::{ArtistName, ClusterId, DiscogsId, Isrc, Mbid, TrackTitle};

/// A way to name an artist to the service.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// By name: exact but for case.
    Name(ArtistName),
    /// By a link, in its canonical form.
    Url(String),
    /// By the service's own id.
    Cluster(ClusterId),
    /// By Discogs artist id.
    Discogs(DiscogsId),
    /// By MusicBrainz artist id.
    Mbid(Mbid),
    /// By recording code.
    Isrc(Isrc),
    /// By a recording's artist and title.
    Recording {
        /// Artist name.
        artist: ArtistName,
        /// Track title.
        track: TrackTitle,
    },
}

impl Ask {
    pub(super) fn query(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Name(name) => vec![("q", name.as_str().to_owned())],
            Self::Url(url) => vec![("url", url.clone())],
            Self::Cluster(id) => vec![("cluster", id.to_string())],
            Self::Discogs(id) => vec![("discogs", id.to_string())],
            Self::Mbid(id) => vec![("mbid", id.to_string())],
            Self::Isrc(code) => vec![("isrc", code.to_string())],
            Self::Recording { artist, track } => {
                vec![("artist", artist.as_str().to_owned()), ("track", track.as_str().to_owned())]
            }
        }
    }
}
