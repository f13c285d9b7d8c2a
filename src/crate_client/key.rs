//! Whether the service takes the key of this server, as its answers tell.
//!
//! Decides when a refusal is news: once when it begins, and again only after the key was taken in between. It must
//! never know the key.

use std::sync::{Mutex, PoisonError};

use crate::model::family::Family;

/// Whether a status is about the key: it is not known, not paid for, or not good for what was asked.
pub(super) fn refuses(status: u16) -> bool {
    (401..=403).contains(&status)
}

/// How the key stands.
#[derive(Debug, Default)]
pub(super) struct KeyStanding {
    /// The status with which each family refused it last, in the order of [`Family::ALL`].
    refused: Mutex<[Option<u16>; Family::ALL.len()]>,
}

/// What an answer has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// It was taken until now.
    Refused,
    /// It was refused until now.
    Taken,
}

impl KeyStanding {
    /// The status with which it is refused now, of the first family that does.
    pub(super) fn refused(&self) -> Option<u16> {
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        refused.iter().find_map(|status| *status)
    }

    /// Hears the status of an answer, and whether it was one to what was asked.
    pub(super) fn hear(&self, family: Family, status: u16, is_answer: bool) {
        match self.turn(family, status, is_answer) {
            Some(Turn::Refused) => tracing::error!(
                family = family.as_str(),
                status,
                "the data service refuses the key of this server; calls fail until it is taken. `ono-sendai doctor` \
                 with this configuration says where a good key belongs; another one is read at a start"
            ),
            Some(Turn::Taken) => tracing::info!("the data service takes the key of this server again"),
            None => {}
        }
    }

    fn turn(&self, family: Family, status: u16, is_answer: bool) -> Option<Turn> {
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        let was_refused = refused.iter().any(Option::is_some);
        for (one, status_of) in Family::ALL.into_iter().zip(refused.iter_mut()) {
            if refuses(status) {
                if one == family {
                    *status_of = Some(status);
                }
            } else if is_answer {
                // Documents that need no key count as lists; and a key can be good for one family and not for another.
                let is_good_everywhere = family != Family::Lists && *status_of != Some(403);
                if one == family || is_good_everywhere {
                    *status_of = None;
                }
            }
        }
        match (was_refused, refused.iter().any(Option::is_some)) {
            (false, true) => Some(Turn::Refused),
            (true, false) => Some(Turn::Taken),
            (true, true) | (false, false) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_key_is_news_once_and_again_only_after_it_was_taken() {
        let key = KeyStanding::default();
        let (resolve, artist) = (Family::Resolve, Family::Artist);
        assert_eq!(key.turn(resolve, 200, true), None);
        assert_eq!(key.turn(resolve, 401, false), Some(Turn::Refused));
        for family in Family::ALL {
            assert_eq!(key.turn(family, 401, false), None);
        }
        // What says nothing about the key changes nothing.
        for (status, is_answer) in [(500, false), (429, false), (200, false)] {
            assert_eq!(key.turn(artist, status, is_answer), None);
        }
        assert_eq!(key.refused(), Some(401));
        // Neither does a document that anybody may read, beyond its own family.
        assert_eq!(key.turn(Family::Lists, 200, true), None);
        assert_eq!(key.turn(artist, 404, true), Some(Turn::Taken));
        assert_eq!(key.refused(), None);
        assert_eq!(key.turn(artist, 402, false), Some(Turn::Refused));
    }

    #[test]
    fn a_key_that_one_family_forbids_stays_refused_there_whatever_others_say() {
        let key = KeyStanding::default();
        assert_eq!(key.turn(Family::Aura, 403, false), Some(Turn::Refused));
        for _ in 0..3 {
            assert_eq!(key.turn(Family::Artist, 200, true), None);
            assert_eq!(key.turn(Family::Aura, 403, false), None);
        }
        assert_eq!(key.refused(), Some(403));
        assert_eq!(key.turn(Family::Aura, 200, true), Some(Turn::Taken));
    }
}
