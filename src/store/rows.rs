//! The typed records, one file a class. Each says what its key is and what its body holds.

pub mod account;
pub mod counter;
pub mod cursor;
mod hex;
pub mod identity;
pub mod ladder;
pub mod replay;
pub mod window;

pub use self::account::Account;
pub use self::counter::{Anonymous, Calendar, Month, Quota};
pub use self::cursor::Cursor;
pub use self::identity::{Identity, KnownArtist};
pub use self::ladder::Ladder;
pub use self::replay::Replay;
pub use self::window::Window;

/// Tells accounts apart and says nothing about them.
pub type AccountKey = [u8; 16];
