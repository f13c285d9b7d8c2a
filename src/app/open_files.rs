//! How many files and connections this program may have open at once.
//!
//! Decides how many are enough. The system gives a program few to begin with and lets it have more when it asks; this one
//! asks at its start.

use rustix::process::{Resource, getrlimit, setrlimit};

use crate::transport::Limits;

/// What is open beside the connections of clients: the store, the log, and connections to other machines.
const BESIDE: u64 = 256;

/// How many are enough for these limits.
pub(super) fn wanted(limits: &Limits) -> u64 {
    u64::try_from(limits.connections).unwrap_or(u64::MAX).saturating_add(BESIDE)
}

/// How many a program like this one may have at most; `None` for as many as it likes.
pub(super) fn most_open() -> Option<u64> {
    getrlimit(Resource::Nofile).maximum
}

/// Takes as many as this program may have, and says so when they are too few.
pub(super) fn take_all(limits: &Limits) {
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        limit.current = limit.maximum;
        if let Err(error) = setrlimit(Resource::Nofile, limit) {
            tracing::warn!(%error, "the system gives this program no more open files");
        }
    }
    let (wanted, open) = (wanted(limits), getrlimit(Resource::Nofile).current);
    if let Some(open) = open.filter(|open| *open < wanted) {
        tracing::warn!(
            open,
            wanted,
            "too few files may be open for [transport] connections; raise LimitNOFILE= in the unit, or lower connections"
        );
    }
}
