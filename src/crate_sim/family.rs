//! Which family of data a path belongs to, for rules and for the report.

/// A family of paths. Closed, as scenario files name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// From a name or an id to an identity.
    Resolve,
    /// Artist dossiers and what hangs below them.
    Artist,
    /// Masters by words and filters, and their counts.
    Search,
    /// Titles.
    Tracks,
    /// Label dossiers.
    Label,
    /// Generic surfaces.
    Surface,
    /// Concerts ahead.
    Gigs,
    /// Lists of artists.
    Lists,
    /// Aura, listed or of one.
    Aura,
    /// What the service says about itself.
    Service,
    /// Anything else.
    Other,
}

impl Family {
    /// Every family.
    pub const ALL: [Self; 11] = [
        Self::Resolve,
        Self::Artist,
        Self::Search,
        Self::Tracks,
        Self::Label,
        Self::Surface,
        Self::Gigs,
        Self::Lists,
        Self::Aura,
        Self::Service,
        Self::Other,
    ];

    /// Its word in scenario files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Resolve => "resolve",
            Self::Artist => "artist",
            Self::Search => "search",
            Self::Tracks => "tracks",
            Self::Label => "label",
            Self::Surface => "surface",
            Self::Gigs => "gigs",
            Self::Lists => "lists",
            Self::Aura => "aura",
            Self::Service => "service",
            Self::Other => "other",
        }
    }

    /// The family of a decoded path.
    #[must_use]
    pub fn of(path: &str) -> Self {
        let rest = path.strip_prefix("/api/v2").filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let Some(rest) = rest else { return Self::Other };
        let steps: Vec<&str> = rest.split('/').skip(1).collect();
        match steps.as_slice() {
            ["resolve"] => Self::Resolve,
            ["artist", _, "gigs"] => Self::Gigs,
            ["artist", ..] | ["dossier", "artist", _] => Self::Artist,
            ["search" | "facets"] => Self::Search,
            ["track"] | ["tracks", ..] => Self::Tracks,
            ["label", _] | ["dossier", "label", _] => Self::Label,
            ["surface", ..] => Self::Surface,
            ["artists" | "breakouts"] | ["tastemakers", ..] => Self::Lists,
            ["aura", ..] => Self::Aura,
            [] | [""] | ["openapi.json"] | ["dossier", "manifest"] | ["semantics", ..] => Self::Service,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_has_a_path_and_a_word_of_its_own() {
        let words: std::collections::BTreeSet<&str> = Family::ALL.iter().map(|f| f.as_str()).collect();
        assert_eq!(words.len(), Family::ALL.len());
        for (path, family) in [
            ("/api/v2/resolve", Family::Resolve),
            ("/api/v2/artist/four-tet", Family::Artist),
            ("/api/v2/artist/four-tet/master/1", Family::Artist),
            ("/api/v2/artist/four-tet/gigs", Family::Gigs),
            ("/api/v2/dossier/artist/x", Family::Artist),
            ("/api/v2/dossier/label/x", Family::Label),
            ("/api/v2/dossier/manifest", Family::Service),
            ("/api/v2/search", Family::Search),
            ("/api/v2/tracks/resolve", Family::Tracks),
            ("/api/v2/surface/seen.radio_co_play", Family::Surface),
            ("/api/v2/tastemakers/ones-to-watch", Family::Lists),
            ("/api/v2/artists", Family::Lists),
            ("/api/v2/aura/x", Family::Aura),
            ("/api/v2", Family::Service),
            ("/api/v2x", Family::Other),
            ("/elsewhere", Family::Other),
        ] {
            assert_eq!(Family::of(path), family, "{path}");
        }
    }
}
