//! `find_tracks`: who has a track of a title, or whether an artist has one.

use serde_json::{Map, json};

use super::argument::ArgumentSpec;
use super::arguments::{Arguments, invalid};
use super::provenance::{Provenance, Reading, Table};
use super::registry::ToolName;
use super::spec::{Access, ToolSpec};
use super::{credit, refusal, told, upstream_error};
use crate::answer::{BY_ARTIST_AND_TRACK, Cell, Data, Finding, IdentityFacts, TrackHit, TrackList};
use crate::crate_client::{Ask, CallLedger, CrateClient, Resolution};
use crate::envelope::attribution::{Attribution, Origin};
use crate::envelope::error::{ErrorType, ToolError};
use crate::envelope::identity::Ambiguity;
use crate::envelope::next::NextAction;
use crate::identity::{
    self, AmbiguityState, Argument, ArtistName, Assessment, Evidence, LocatorKind, TrackTitle,
};
use crate::model::artist::ArtistIdentity;
use crate::model::family::Family;
use crate::model::gap::GapReason;
use crate::model::source::Sources;
use crate::model::track::{TitleMatch, TrackCorpus, TrackRow, TrackSearch};
use crate::profile::Profile;

/// Rows when the caller does not say how many.
const LIMIT_DEFAULT: u32 = 10;
/// The most rows.
const LIMIT_MAX: u32 = 25;
/// The service finds nothing by a shorter part of a title.
const FUZZY_CHARS_MIN: usize = 3;

/// What is published about it.
pub(super) static SPEC: ToolSpec = ToolSpec {
    name: ToolName::FindTracks,
    title: "Find who has a track",
    description: "Finds the artists who have a track of a title, or whether one artist has it. Give title, or \
        artist with track. Titles match whole, whatever case and punctuation; fuzzy matches any part, not typing \
        mistakes. Rows name artists as credited, by number of releases; that is no verified identity. If \
        ambiguity is there and its state is not none, ask first. Show attribution.line with any fact.",
    arguments: &[
        ArgumentSpec::text("title", 200, "Track title, without the artist"),
        ArgumentSpec::text("artist", 200, "Artist name, only together with track"),
        ArgumentSpec::text("track", 200, "Track title, only together with artist"),
        ArgumentSpec::flag(
            "fuzzy",
            "Match any part of title, of at least 3 characters; not with artist and track",
        ),
        ArgumentSpec::integer("limit", 1, LIMIT_MAX as i64, "Rows; 10 if left out"),
    ],
    access: Access::SignedIn,
    profile: Profile::Core,
    cost: "1",
    families: &[Family::Tracks, Family::Resolve],
};

/// Where the values of an answer by title come from.
pub static BY_TITLE_PROVENANCE: Table = Table {
    tool: ToolName::FindTracks,
    endpoint: "/api/v2/tracks",
    rows: &[
        Provenance::same("/mode", "/mode"),
        Provenance::same("/corpus", "/source"),
        Provenance::made("/artist", "null: no artist was asked for"),
        Provenance::read("/results/*/artist", "/results/*/artistCredit", Reading::Name),
        Provenance::same("/results/*/cluster_id", "/results/*/clusterId"),
        Provenance::same("/results/*/releases", "/results/*/releases"),
        Provenance::same("/results/*/recordings", "/results/*/recordings"),
        Provenance::made("/shown", "rows in this answer"),
        Provenance::made("/listed", "rows that the service sent"),
        Provenance::same("/truncated", "/truncated"),
    ],
};

/// Where the values of an answer by artist and track come from.
pub static BY_ARTIST_PROVENANCE: Table = Table {
    tool: ToolName::FindTracks,
    endpoint: "/api/v2/resolve",
    rows: &[
        Provenance::made("/mode", "artist_track: how it was asked"),
        Provenance::made("/corpus", "not covered by this endpoint"),
        Provenance::same("/artist/cluster_id", "/cluster_id"),
        Provenance::read("/artist/slug", "/slug", Reading::IfVerified),
        Provenance::read("/artist/name", "/display", Reading::ShownName),
        Provenance::read("/artist/resolved_via", "/resolved_via", Reading::Lowered),
        Provenance::same("/artist/discogs_id", "/locators/discogs"),
        Provenance::same("/artist/mbid", "/locators/mbid"),
        Provenance::read("/results/*/artist", "/display", Reading::ShownName),
        Provenance::same("/results/*/cluster_id", "/cluster_id"),
        Provenance::made("/results/*/releases", "not covered by this endpoint"),
        Provenance::made("/results/*/recordings", "not covered by this endpoint"),
        Provenance::made("/shown", "rows in this answer"),
        Provenance::made("/listed", "rows in this answer"),
        Provenance::made("/truncated", "not covered by this endpoint"),
    ],
};

/// A valid call of `find_tracks`.
#[derive(Clone, Debug, PartialEq)]
pub enum TrackQuestion {
    /// Who has a track of this title.
    Title {
        /// The title, or a part of it.
        title: TrackTitle,
        /// Whether a part is enough.
        title_match: TitleMatch,
        /// The most rows.
        limit: u32,
    },
    /// Whether this artist has a track of this title.
    ByArtist {
        /// The artist's name.
        artist: ArtistName,
        /// The title.
        track: TrackTitle,
    },
}

impl TrackQuestion {
    pub(super) fn parse(arguments: &Arguments) -> Result<Self, ToolError> {
        match (arguments.text("title"), arguments.text("artist"), arguments.text("track")) {
            (None, None, None) => Err(nothing_given()),
            (Some(title), None, None) => Self::by_title(title, arguments),
            (None, Some(artist), Some(track)) => Self::by_artist(artist, track, arguments),
            (None, Some(_), None) => Err(invalid("track", "The argument artist is only for use with track.")
                .hint("Give track as well; get_artist lists an artist's releases.")),
            (None, None, Some(track)) => Err(suggest_title(
                invalid("artist", "The argument track is only for use with artist.")
                    .hint("Give artist as well, or give the title as title."),
                track,
            )),
            (Some(_), _, _) => Err(both_given(arguments)),
        }
    }

    fn by_title(title: &str, arguments: &Arguments) -> Result<Self, ToolError> {
        let title =
            TrackTitle::parse(Argument::Title, title).map_err(|found| refusal::locator(found, title))?;
        let title_match =
            if arguments.flag("fuzzy") == Some(true) { TitleMatch::Fuzzy } else { TitleMatch::Exact };
        if title_match == TitleMatch::Fuzzy && title.as_str().chars().count() < FUZZY_CHARS_MIN {
            return Err(invalid("title", "The argument title is too short for a fuzzy search.")
                .with("minimum", FUZZY_CHARS_MIN)
                .hint(format!("Give at least {FUZZY_CHARS_MIN} characters, or leave fuzzy out.")));
        }
        let limit = arguments.integer("limit").and_then(|limit| u32::try_from(limit).ok());
        Ok(Self::Title { title, title_match, limit: limit.unwrap_or(LIMIT_DEFAULT) })
    }

    fn by_artist(artist: &str, track: &str, arguments: &Arguments) -> Result<Self, ToolError> {
        if arguments.flag("fuzzy") == Some(true) {
            return Err(invalid("fuzzy", "The argument fuzzy is not for use with artist and track.")
                .with("conflicting", vec!["fuzzy", "artist", "track"])
                .hint("Leave fuzzy out, or give title alone."));
        }
        Ok(Self::ByArtist {
            artist: ArtistName::parse(Argument::Artist, artist)
                .map_err(|found| refusal::locator(found, artist))?,
            track: TrackTitle::parse(Argument::Track, track)
                .map_err(|found| refusal::locator(found, track))?,
        })
    }
}

fn nothing_given() -> ToolError {
    ToolError::new(ErrorType::OneOfRequired, "find_tracks needs a title.")
        .with("one_of", vec!["title", "artist", "track"])
        .hint("Give title, or artist together with track.")
}

/// The title with an artist can only mean the artist's track.
fn both_given(arguments: &Arguments) -> ToolError {
    let names: Vec<&str> =
        ["title", "artist", "track"].into_iter().filter(|name| arguments.has(name)).collect();
    let error = invalid("title", format!("The arguments {} do not go together.", names.join(", ")))
        .with("conflicting", names)
        .hint("Give title alone, or artist together with track.");
    let corrected = match (arguments.text("title"), arguments.text("artist"), arguments.text("track")) {
        (Some(title), Some(artist), None) => ArtistName::parse(Argument::Artist, artist)
            .ok()
            .zip(TrackTitle::parse(Argument::Track, title).ok()),
        _ => None,
    };
    match corrected {
        Some((artist, track)) => error.suggest(
            ToolName::FindTracks.as_str(),
            Map::from_iter([
                ("artist".to_owned(), json!(artist.as_str())),
                ("track".to_owned(), json!(track.as_str())),
            ]),
        ),
        None => error,
    }
}

fn suggest_title(error: ToolError, title: &str) -> ToolError {
    match TrackTitle::parse(Argument::Title, title) {
        Ok(title) => error.suggest(
            ToolName::FindTracks.as_str(),
            Map::from_iter([("title".to_owned(), json!(title.as_str()))]),
        ),
        Err(_) => error,
    }
}

/// Asks the data service and lays out the rows.
pub(super) async fn run(
    question: &TrackQuestion,
    client: &CrateClient,
    ledger: &CallLedger,
    origin: Origin,
) -> Result<Finding, ToolError> {
    match question {
        TrackQuestion::Title { title, title_match, limit } => {
            let found = client.tracks(title, *title_match, *limit, ledger).await;
            let found = found.map_err(upstream_error::from)?;
            Ok(by_title(title, *title_match, *limit, found, origin))
        }
        TrackQuestion::ByArtist { artist, track } => {
            let ask = Ask::Recording { artist: artist.clone(), track: track.clone() };
            let found = client.resolve(&ask, ledger).await.map_err(upstream_error::from)?;
            let found = told::about(&ask, found).map_err(upstream_error::from)?;
            Ok(by_artist(&ask, found, track, origin))
        }
    }
}

/// Rows name artists as credited and assert nobody's identity, so there is no ambiguity to state.
fn by_title(
    title: &TrackTitle,
    title_match: TitleMatch,
    limit: u32,
    found: Option<TrackSearch>,
    origin: Origin,
) -> Finding {
    let mut sources = Sources::default();
    let Some(mut search) = found else {
        let data = nothing(GapReason::NotFoundUpstream);
        return finding(
            data,
            Err(GapReason::NotFoundUpstream),
            None,
            &sources,
            origin,
            retry(title, title_match),
        );
    };
    let unreadable = search.listed.saturating_sub(search.rows.len());
    search.rows.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    credit::tracks(&mut sources, &search, origin);
    let present = match (search.rows.is_empty(), search.listed) {
        (false, _) => Ok(()),
        // A list that was cut before its first row does not say that there is none.
        (true, 0) if search.truncated == Ok(true) => Err(GapReason::MalformedUpstream),
        (true, 0) => Err(GapReason::NotFoundUpstream),
        (true, _) => Err(GapReason::MalformedUpstream),
    };
    let next = if present.is_err() { retry(title, title_match) } else { Vec::new() };
    let results: Vec<TrackHit> = search.rows.into_iter().map(hit).collect();
    let data = TrackList {
        mode: Cell::of(search.title_match, TitleMatch::as_str),
        corpus: Cell::of(search.corpus, TrackCorpus::as_str),
        artist: None,
        shown: results.len(),
        listed: search.listed,
        unreadable,
        truncated: Cell(search.truncated),
        results,
    };
    finding(data, present, None, &sources, origin, next)
}

fn hit(row: TrackRow) -> TrackHit {
    TrackHit {
        artist: Cell(row.artist),
        cluster_id: Cell::of(row.cluster_id, |id| id.to_string()),
        releases: Cell(row.releases),
        recordings: Cell(row.recordings),
    }
}

/// A wider search is the one thing that may still find it.
fn retry(title: &TrackTitle, title_match: TitleMatch) -> Vec<NextAction> {
    let long_enough = title.as_str().chars().count() >= FUZZY_CHARS_MIN;
    if title_match == TitleMatch::Fuzzy || !long_enough {
        return Vec::new();
    }
    let args = [("title", json!(title.as_str())), ("fuzzy", json!(true))];
    let why = "finds titles that only contain these words";
    vec![NextAction::repeating(ToolName::FindTracks.as_str(), args, why)]
}

/// The service says who performs the recording, and counts nothing then. Where it only matched a name, or names
/// another artist, nothing is said of a recording by the artist who was asked for.
fn by_artist(ask: &Ask, found: Resolution, track: &TrackTitle, origin: Origin) -> Finding {
    let is_open = told::leaves_recording_open(ask, &found);
    let resolved = found.identity.as_ref().map(ArtistIdentity::resolved);
    let lookup = match &resolved {
        Some(resolved) if found.matched_by_name => identity::Lookup::Name(&resolved.name),
        _ => identity::Lookup::Locator(LocatorKind::ArtistTrack),
    };
    let assessment = identity::assess(&Evidence {
        offered: &found.candidates,
        ..Evidence::new(lookup, resolved.as_ref())
    });
    let mut sources = Sources::default();
    let who = found.identity.as_ref().map_or_else(IdentityFacts::nobody, IdentityFacts::from);
    if let Some(identity) = &found.identity {
        credit::identity(&mut sources, identity, origin);
    }
    credit::candidates(&mut sources, &assessment.candidates, origin);
    let present = match (&found.identity, assessment.state) {
        (None, _) => Err(GapReason::NotFoundUpstream),
        (_, AmbiguityState::Unresolved) => Err(GapReason::NoVerifiedIdentity),
        (Some(_), _) if is_open => Err(GapReason::AmbiguousBind),
        (Some(_), _) => Ok(()),
    };
    let next =
        if found.identity.is_none() || is_open { by_title_alone(track) } else { card(&who, &assessment) };
    let results: Vec<TrackHit> = found.identity.iter().filter(|_| !is_open).map(performer).collect();
    let data = TrackList {
        mode: Cell(Ok(BY_ARTIST_AND_TRACK)),
        corpus: Cell(Err(GapReason::NotCovered)),
        artist: Some(who),
        shown: results.len(),
        listed: results.len(),
        unreadable: 0,
        truncated: Cell(Err(GapReason::NotCovered)),
        results,
    };
    finding(data, present, Some(Ambiguity::from(&assessment)), &sources, origin, next)
}

fn performer(identity: &ArtistIdentity) -> TrackHit {
    TrackHit {
        artist: Cell(Ok(identity.name.clone())),
        cluster_id: Cell::of(identity.cluster_id.clone(), |id| id.to_string()),
        releases: Cell(Err(GapReason::NotCovered)),
        recordings: Cell(Err(GapReason::NotCovered)),
    }
}

fn by_title_alone(track: &TrackTitle) -> Vec<NextAction> {
    let args = [("title", json!(track.as_str()))];
    let why = "lists everyone with a track of this title, as credited";
    vec![NextAction::repeating(ToolName::FindTracks.as_str(), args, why)]
}

/// A slug keeps who was found; the id of a cluster that homonyms share would not.
fn card(who: &IdentityFacts, assessment: &Assessment) -> Vec<NextAction> {
    let why = match assessment.state {
        AmbiguityState::None => "verified identity; fetch the card",
        _ => "not a verified identity; fetch the card and say so",
    };
    let key = who.slug.value().or(who.cluster_id.value());
    key.map(|key| NextAction::new(ToolName::GetArtist.as_str(), [("key", json!(key))], why))
        .into_iter()
        .collect()
}

fn nothing(reason: GapReason) -> TrackList {
    TrackList {
        mode: Cell(Err(reason)),
        corpus: Cell(Err(reason)),
        artist: None,
        results: Vec::new(),
        shown: 0,
        listed: 0,
        unreadable: 0,
        truncated: Cell(Err(reason)),
    }
}

fn finding(
    data: TrackList,
    present: Result<(), GapReason>,
    ambiguity: Option<Ambiguity>,
    sources: &Sources,
    origin: Origin,
    next_actions: Vec<NextAction>,
) -> Finding {
    Finding {
        data: Data::TrackList(data),
        present,
        ambiguity,
        degraded: None,
        untrusted_text: Vec::new(),
        attribution: Attribution::of(sources, origin),
        next_actions,
    }
}
