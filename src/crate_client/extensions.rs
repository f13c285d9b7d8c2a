//! What a data service has beyond version 2.47.0 of its API.

/// Which extensions the service offers. None by default: what it is not known to have is not asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extensions {
    /// `/artist/{key}/similar`: artists alike, in one answer.
    pub similar: bool,
    /// `/artist/{key}/gigs`: concerts that lie ahead.
    pub gigs: bool,
    /// A keyset cursor of `/search`.
    pub search_cursor: bool,
    /// `same_name_clusters` in the answer of `/resolve`.
    pub same_name_clusters: bool,
}

impl Extensions {
    /// What the demo catalogue has.
    pub const DEMO: Self =
        Self { similar: false, gigs: true, search_cursor: false, same_name_clusters: false };
}
