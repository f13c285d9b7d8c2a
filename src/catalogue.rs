//! The catalogue: answers requests of the crate API from data compiled into the program, or from dump files.
//!
//! Decides what such a request is answered. It must never know who asks or why: nothing of MCP, tools, accounts or
//! budgets. Answers have the service's own shapes, so whatever reads the service reads the catalogue the same way.

mod answer;
mod artists;
mod browse;
mod dictionary;
mod dossier;
mod events;
mod extracts;
mod files;
mod folding;
mod labels;
mod lines;
mod lists;
mod manifest;
mod master;
mod params;
mod resolve;
mod search;
mod similar;
mod surfaces;
mod tracks;
mod web_link;

use bytes::Bytes;
use time::Date;

pub use extracts::Homonyms;
pub use manifest::{FileEntry, Manifest};

use crate::dumps::Dumps;
use artists::Artists;
use browse::Browse;
use events::Events;
use labels::Labels;
use lists::Lists;
use params::Params;
use search::Masters;
use surfaces::Surfaces;
use tracks::Tracks;

/// Where every path of the API starts.
const ROOT: &str = "/api/v2";

/// The demo data with the indexes to find it; cheap to keep, made once.
#[derive(Debug)]
pub struct Catalogue {
    manifest: Manifest,
    artists: Artists,
    dossiers: dossier::Ready,
    labels: Labels,
    masters: Masters,
    tracks: Tracks,
    lists: Lists,
    events: Events,
    surfaces: Surfaces,
    browse: Browse,
}

/// One GET request, decoded.
#[derive(Clone, Copy, Debug)]
pub struct CatalogueRequest<'a> {
    /// The path with its escapes undone, for example `/api/v2/resolve`.
    pub path: &'a str,
    /// Name and value of every query parameter in their order, escapes undone.
    pub query: &'a [(String, String)],
    /// The day on which events that lie some days ahead are dated.
    pub today: Date,
}

/// What the service would answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogueAnswer {
    /// The HTTP status.
    pub status: u16,
    /// A JSON document.
    pub body: Bytes,
}

/// Why the compiled-in data cannot be served. Each names the file that is wrong.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// The manifest is not the TOML it should be.
    #[error("the demo catalogue's manifest cannot be read: {0}")]
    Manifest(#[from] toml::de::Error),
    /// A file is used that the manifest does not account for.
    #[error("the demo catalogue's manifest does not name {0}")]
    Unlisted(&'static str),
    /// Invented data outside `invented/`, or anything else inside it.
    #[error("{0} of the demo catalogue is marked as invented and must not be, or the other way round")]
    Invented(&'static str),
    /// A record is not the JSON it should be.
    #[error("{path} of the demo catalogue, line {line}: {source}")]
    Record {
        /// The file.
        path: &'static str,
        /// Counted from 1.
        line: usize,
        /// What the parser said.
        source: serde_json::Error,
    },
    /// Two files that go line by line have different numbers of lines.
    #[error("{0} of the demo catalogue does not have a line for every record it belongs to")]
    Uneven(&'static str),
}

impl Catalogue {
    /// Opens the data compiled into the program.
    ///
    /// # Errors
    /// When the data contradicts its manifest or its own form; a build whose tests pass has no such data.
    pub fn embedded() -> Result<Self, CatalogueError> {
        let manifest = Manifest::parse(files::MANIFEST)?;
        Self::of(&files::Files::checked(&manifest)?, manifest)
    }

    /// Serves the records of dump files in place of the compiled-in ones, and nothing that is invented. Labels and
    /// all that dumps do not hold are not there. Its data stays in memory until the program ends.
    ///
    /// # Errors
    /// As for [`Catalogue::embedded`].
    pub fn of_dumps(dumps: &Dumps, homonyms: Homonyms) -> Result<Self, CatalogueError> {
        let manifest = Manifest::parse(files::MANIFEST)?;
        let files = extracts::files(dumps, homonyms, files::Files::checked(&manifest)?);
        Self::of(&files, manifest)
    }

    fn of(files: &files::Files, manifest: Manifest) -> Result<Self, CatalogueError> {
        let artists = Artists::load(files)?;
        let masters = Masters::load(files)?;
        Ok(Self {
            browse: Browse::of(&artists, &masters),
            artists,
            dossiers: dossier::Ready::default(),
            labels: Labels::load(files)?,
            masters,
            tracks: Tracks::load(files)?,
            lists: Lists::load(files)?,
            events: Events::load(files)?,
            surfaces: Surfaces::load(files)?,
            manifest,
        })
    }

    /// Answers one request. An unknown path is a 404 and a wrong parameter a 400, as on the service; nothing fails.
    #[must_use]
    pub fn answer(&self, request: &CatalogueRequest<'_>) -> CatalogueAnswer {
        let params = Params::new(request.query);
        let Some(path) = request.path.strip_prefix(ROOT) else {
            return answer::not_found();
        };
        let steps: Vec<&str> = path.split('/').collect();
        let (before, steps) = steps.split_first().unwrap_or((&"", &[]));
        if !before.is_empty() {
            return answer::not_found();
        }
        let answered = match steps {
            [] | [""] => Ok(answer::stored(files::SERVICE_INDEX)),
            ["resolve"] => resolve::answer(&self.artists, &self.tracks, &params),
            ["openapi.json"] => Ok(answer::stored(files::SERVICE_OPENAPI)),
            ["search"] => self.masters.answer(&params),
            ["tracks"] => self.tracks.answer(&params),
            ["facets"] => self.masters.facets(&params),
            ["track"] => self.tracks.one(&params),
            ["artists"] => self.browse.answer(&params),
            ["artist", key, "master", id] => master::answer(&self.artists, &self.masters, key, id),
            ["artist", key, "bandcamp", item] => master::bandcamp(key, item),
            ["preview", "artist"] => master::preview(&params),
            ["dossier", "festival", slug] => master::festival(slug),
            ["artist", key] | ["dossier", "artist", key] => {
                dossier::answer(&self.artists, &self.dossiers, key, &params)
            }
            ["artist", key, "similar"] => similar::answer(&self.artists, &self.surfaces, key, &params),
            ["artist", key, "gigs"] => self.events.answer(&self.artists, key, request.today),
            ["label", key] | ["dossier", "label", key] => self.labels.answer(key),
            ["breakouts"] => self.lists.breakouts(&params),
            ["surface"] => Ok(answer::stored(files::SERVICE_SURFACES)),
            ["surface", name] => self.surfaces.answer(name, &params),
            ["tastemakers"] => self.lists.tastemakers(&params),
            ["tastemakers", "ones-to-watch"] => self.lists.ones_to_watch(&params),
            ["aura"] => self.lists.aura(&params),
            ["aura", cluster] => self.lists.aura_of(cluster),
            ["dossier", "manifest"] => Ok(answer::stored(files::SERVICE_DOSSIER_MANIFEST)),
            ["semantics", "dictionary"] => Ok(dictionary::as_text()),
            ["semantics", "dictionary.json"] => Ok(answer::stored(files::SERVICE_DICTIONARY)),
            _ => Ok(answer::not_found()),
        };
        answered.unwrap_or_else(|problem| problem.into_answer())
    }

    /// Answers the one request that has a body: which of these titles are held, `POST /api/v2/tracks/resolve`.
    #[must_use]
    pub fn resolve_tracks(&self, body: &[u8]) -> CatalogueAnswer {
        self.tracks.batch(body).unwrap_or_else(|problem| problem.into_answer())
    }

    /// The version of the data; it changes whenever a file does.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.manifest.version
    }

    /// The line that credits the sources.
    #[must_use]
    pub fn attribution(&self) -> &str {
        &self.manifest.attribution
    }

    /// What the data is, file by file.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }
}

#[cfg(test)]
mod tests;
