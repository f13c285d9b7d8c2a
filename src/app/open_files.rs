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

/// The limits that a program with so few open files can keep: what is open beside connections keeps its part, so that the
/// store is never short of files because clients are many. To be asked for when everything else is open.
pub(super) fn kept(limits: Limits) -> Limits {
    let open = std::fs::read_dir("/proc/self/fd").map_or(BESIDE, |files| files.count() as u64);
    let Some(most) = getrlimit(Resource::Nofile).current else { return limits };
    let connections = limits.connections.min(room(most, open));
    if connections < limits.connections {
        tracing::warn!(
            connections,
            most,
            "fewer connections are taken at once than [transport] connections, since too few files may be open"
        );
    }
    Limits { connections, ..limits }
}

/// Connections for which there are files, when so many may be open and so many are.
fn room(most: u64, open: u64) -> usize {
    let left = most.saturating_sub(open);
    let kept_free = BESIDE.min(left / 4);
    usize::try_from(left - kept_free).unwrap_or(usize::MAX).max(1)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_files_are_kept_free_of_connections_and_one_is_always_taken() {
        assert_eq!(room(65_536, 36), 65_500 - 256);
        assert_eq!(room(64, 24), 30);
        assert_eq!((room(10, 10), room(10, 20)), (1, 1));
    }
}
