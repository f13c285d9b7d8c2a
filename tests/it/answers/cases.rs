//! Every tool in each of its forms, with full answers of the service for it.

use std::sync::Arc;

use ono_sendai::crate_client::Extension;
use ono_sendai::tools::provenance::{INCLUDED, TABLES, Table};
use ono_sendai::tools::registry::ToolName;
use ono_sendai::tools::search_catalog::COMPACT_PROVENANCE;
use serde_json::{Value, json};

use super::samples;
use crate::harness::{Direct, Envelope, Scripted};

/// What of an answer is made of one answer of the service.
pub struct Part {
    /// Where it stands under `data`.
    pub at: &'static str,
    /// The table that explains it.
    pub table: &'static Table,
    /// Which of the [`Case::bodies`] it is made of.
    pub body: usize,
}

/// A call, with full answers of the service for it.
pub struct Case {
    /// The tool.
    pub tool: ToolName,
    /// Its arguments.
    pub arguments: Value,
    /// By path; what comes later holds.
    pub bodies: Vec<(&'static str, Value)>,
    /// What the answer is made of.
    pub parts: Vec<Part>,
    /// What the service has that not every one has.
    pub extensions: &'static [Extension],
}

const FESTIVALS: &str = "/api/v2/surface/seen.artist_festival_co_appearance";
const RADIO: &str = "/api/v2/surface/seen.radio_co_play";
const GIGS: &str = "/api/v2/artist/0000000000000000000000000000000000000000000000000000000000000007/gigs";
const SIMILAR: &str =
    "/api/v2/artist/0000000000000000000000000000000000000000000000000000000000000007/similar";
/// The endpoint of the same.
const ONE_LIST: &str = "/api/v2/artist/{key}/similar";

/// A case of as many parts as there are tables; each is made of the body of its endpoint.
fn case(
    tool: ToolName,
    arguments: Value,
    bodies: Vec<(&'static str, Value)>,
    tables: &[&'static Table],
) -> Case {
    let body_of = |table: &Table| {
        let stem = table.endpoint.split('{').next().unwrap_or_default();
        bodies.iter().position(|(path, _)| path.starts_with(stem)).expect("a body for each table")
    };
    let parts = tables.iter().map(|table| Part { at: "", table, body: body_of(table) }).collect();
    Case { tool, arguments, bodies, parts, extensions: &[Extension::Gigs] }
}

/// The tables of a tool for the endpoints that begin so.
fn of(tool: ToolName, endpoint: &str) -> Vec<&'static Table> {
    let found = TABLES.iter().copied().filter(|table| {
        table.tool == tool
            && table.endpoint.starts_with(endpoint)
            && !std::ptr::eq(*table, &COMPACT_PROVENANCE)
    });
    found.collect()
}

/// A full answer of every tool in each of its forms.
pub fn cases() -> Vec<Case> {
    let simple = |tool, arguments, path: &'static str, body, endpoint: &str| {
        case(tool, arguments, vec![(path, body)], &of(tool, endpoint))
    };
    let mut card = case(
        ToolName::GetArtist,
        json!({"key": "somebody", "view": "full", "include": ["similar", "gigs"]}),
        vec![("/api/v2/artist/", samples::surroundings()), (GIGS, samples::gigs())],
        &of(ToolName::GetArtist, "/api/v2/artist/"),
    );
    // The include is made of the same dossier; its gigs are the second answer.
    card.parts.extend(INCLUDED.iter().enumerate().map(|(body, (at, table))| Part { at, table, body }));
    let (one_list, axes): (Vec<_>, Vec<_>) =
        of(ToolName::FindSimilarArtists, "/").into_iter().partition(|table| table.endpoint == ONE_LIST);
    let mut similar = case(
        ToolName::FindSimilarArtists,
        json!({"key": "somebody"}),
        vec![("/api/v2/artist/", samples::surroundings()), (SIMILAR, samples::similar())],
        &of(ToolName::FindSimilarArtists, "/api/v2/artist/{key}")[..1],
    );
    similar.parts.extend(one_list.into_iter().map(|table| Part { at: "", table, body: 1 }));
    similar.extensions = &[Extension::Similar];
    let gigs = simple(
        ToolName::GetUpcomingGigs,
        json!({"key": samples::cluster(7)}),
        GIGS,
        samples::gigs(),
        "/api/v2/artist/",
    );
    vec![
        simple(
            ToolName::ResolveArtist,
            json!({"url": "https://somebody.bandcamp.com"}),
            "/api/v2/resolve",
            samples::resolution(),
            "/api/v2/resolve",
        ),
        simple(
            ToolName::GetArtist,
            json!({"key": "somebody", "view": "full"}),
            "/api/v2/artist/",
            samples::dossier(),
            "/api/v2/artist/",
        ),
        simple(
            ToolName::GetArtist,
            json!({"key": "somebody", "view": "summary"}),
            "/api/v2/artist/",
            samples::dossier(),
            "/api/v2/artist/",
        ),
        card,
        simple(
            ToolName::SearchCatalog,
            json!({"q": "record"}),
            "/api/v2/search",
            samples::search(),
            "/api/v2/search",
        ),
        case(
            ToolName::SearchCatalog,
            json!({"q": "record", "limit": 11}),
            vec![("/api/v2/search", samples::search())],
            &[&COMPACT_PROVENANCE],
        ),
        case(
            ToolName::FindSimilarArtists,
            json!({"key": "somebody"}),
            vec![
                ("/api/v2/artist/", samples::surroundings()),
                (FESTIVALS, samples::festivals()),
                (RADIO, samples::radio()),
            ],
            &axes,
        ),
        similar,
        simple(
            ToolName::FindTracks,
            json!({"title": "Echo"}),
            "/api/v2/tracks",
            samples::tracks(),
            "/api/v2/tracks",
        ),
        simple(
            ToolName::FindTracks,
            json!({"artist": "Somebody", "track": "Echo"}),
            "/api/v2/resolve",
            samples::resolution(),
            "/api/v2/resolve",
        ),
        gigs,
        simple(
            ToolName::GetLabel,
            json!({"key": "some-label"}),
            "/api/v2/label/",
            samples::label(),
            "/api/v2/label/",
        ),
        simple(
            ToolName::ListBreakouts,
            json!({}),
            "/api/v2/breakouts",
            samples::breakouts(),
            "/api/v2/breakouts",
        ),
        simple(
            ToolName::ListOnesToWatch,
            json!({}),
            "/api/v2/tastemakers/ones-to-watch",
            samples::watched(),
            "/api/v2/tastemakers/ones-to-watch",
        ),
        aura("/api/v2/aura", json!({}), samples::auras()),
        aura("/api/v2/aura/", json!({"cluster_id": samples::cluster(7)}), samples::aura()),
    ]
}

/// The list and the one have endpoints of which one begins like the other.
fn aura(path: &'static str, arguments: Value, body: Value) -> Case {
    let tables: Vec<&Table> = of(ToolName::GetAura, path)
        .into_iter()
        .filter(|table| table.endpoint.contains('{') == path.ends_with('/'))
        .collect();
    case(ToolName::GetAura, arguments, vec![(path, body)], &tables)
}

impl Case {
    /// What the tool answers over these bodies.
    pub fn answer(&self, bodies: &[(&'static str, Value)]) -> Envelope {
        let service = bodies
            .iter()
            .fold(Scripted::catalogue(), |service, (path, body)| service.says(path, 200, body.to_string()));
        Direct::over(Arc::new(service), self.extensions).call(self.tool.as_str(), &self.arguments)
    }

    /// The call, to be read.
    pub fn name(&self) -> String {
        format!("{} {}", self.tool.as_str(), self.arguments)
    }
}
