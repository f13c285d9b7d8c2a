//! How much room a disk must have left, in proportion to the disk.

use std::io;
use std::path::Path;

const MIB: u64 = 1024 * 1024;

/// A file system's room, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// What it holds in all.
    pub total_bytes: u64,
    /// What this program may still write.
    pub free_bytes: u64,
}

/// What the room that is left allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// Everything.
    Ample,
    /// Only what nobody can do without.
    Tight,
    /// Nothing.
    None,
}

impl Space {
    /// The room of the file system that holds `path`.
    ///
    /// # Errors
    /// What the system says.
    pub fn of(path: &Path) -> io::Result<Self> {
        let found = rustix::fs::statvfs(path)?;
        Ok(Self {
            total_bytes: found.f_blocks.saturating_mul(found.f_frsize),
            free_bytes: found.f_bavail.saturating_mul(found.f_frsize),
        })
    }

    /// Below 10 % and 512 MiB it is tight, below 3 % and 128 MiB there is none.
    #[must_use]
    pub fn room(self) -> Room {
        if self.free_bytes < (self.total_bytes / 100 * 3).min(128 * MIB) {
            Room::None
        } else if self.free_bytes < (self.total_bytes / 10).min(512 * MIB) {
            Room::Tight
        } else {
            Room::Ample
        }
    }

    /// The size of the file that is given up when the disk is full, so that the database can be opened anew:
    /// 2 %, at most 16 MiB.
    #[must_use]
    pub fn ballast_bytes(self) -> u64 {
        (self.total_bytes / 50).min(16 * MIB)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thresholds_scale_with_the_disk() {
        let room = |total_mib: u64, free_mib: u64| {
            Space { total_bytes: total_mib * MIB, free_bytes: free_mib * MIB }.room()
        };
        for (total, free, expected) in [
            (100_000, 513, Room::Ample),
            (100_000, 511, Room::Tight),
            (100_000, 129, Room::Tight),
            (100_000, 127, Room::None),
            (200, 21, Room::Ample),
            (200, 19, Room::Tight),
            (200, 5, Room::None),
        ] {
            assert_eq!(room(total, free), expected, "{free} of {total}");
        }
        let ballast = |total_mib: u64| Space { total_bytes: total_mib * MIB, free_bytes: 0 }.ballast_bytes();
        assert_eq!((ballast(100), ballast(100_000)), (2 * MIB, 16 * MIB));
    }

    #[test]
    fn the_room_of_a_real_disk_is_known() {
        let space = Space::of(Path::new("/")).unwrap();
        assert!(space.total_bytes > MIB && space.free_bytes <= space.total_bytes);
    }
}
