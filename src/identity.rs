//! Who is meant, and how sure that is.
//!
//! Decides what a caller's name, id or link can mean, which names count as the same, and which ambiguity state
//! and reasons an answer carries. Pure functions over plain values: it must never know HTTP, JSON, MCP, the
//! envelope, the network, the store or the time.

pub mod assess;
pub mod fold;
pub mod invisible;
pub mod locator;
pub mod name;
pub mod pick;
pub mod placeholder;
pub mod reason;
pub mod refusal;
pub mod suffix;
pub mod url;

pub use assess::{
    Assessment, Candidate, Evidence, Lookup, Probe, ProbeRow, Resolved, Tier, assess, assess_unread,
};
pub use fold::{Folded, fold, loosely_equal};
pub use locator::{ArtistKey, ClusterId, DiscogsId, Isrc, Mbid, Slug};
pub use name::{ArtistName, TrackTitle};
pub use pick::{FoldedPick, is_alike, pick_folded};
pub use placeholder::{is_placeholder, is_template};
pub use reason::{AmbiguityState, AskedId, LocatorKind, Reason};
pub use refusal::{Argument, Found, PageKind, Refusal};
pub use suffix::{display_name, number_hint, split_suffix};
pub use url::{ArtistUrl, Site};
