//! The protection ladder: what is given up first when the data service's plan runs out, and what an operator shut.
//!
//! Decides which rung holds. It must never know what a tool does.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::purse::ACK_MAX;
use crate::store::record::Only;
use crate::store::rows::Ladder as Stored;
use crate::store::{Batch, State, StoreError};

/// How much is given up. Closed; a higher rung gives up what the lower ones do too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rung {
    /// Nothing.
    L0,
    /// Discovery tools.
    L1,
    /// Also anonymous use.
    L2,
    /// Also half of everybody's pace.
    L3,
}

impl Rung {
    /// Every rung, from the lowest.
    pub const ALL: [Self; 4] = [Self::L0, Self::L1, Self::L2, Self::L3];

    /// Its number.
    #[must_use]
    pub fn number(self) -> u8 {
        match self {
            Self::L0 => 0,
            Self::L1 => 1,
            Self::L2 => 2,
            Self::L3 => 3,
        }
    }

    /// The rung of a number.
    #[must_use]
    pub fn of(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|rung| rung.number() == number)
    }

    /// Where a plan stands of which so many parts in a hundred are used.
    #[must_use]
    pub fn of_consumption(percent: u8) -> Self {
        match percent {
            0..80 => Self::L0,
            80..90 => Self::L1,
            90..95 => Self::L2,
            _ => Self::L3,
        }
    }
}

/// The ladder and the switches beside it. They outlive the program, consumption does not.
#[derive(Debug)]
pub struct Ladder {
    state: Arc<State>,
    stored: Mutex<Stored>,
    percent: AtomicU8,
}

impl Ladder {
    /// As it was left.
    #[must_use]
    pub fn new(state: Arc<State>) -> Self {
        let stored = Mutex::new(state.ladder.get(&Only).unwrap_or_default());
        Self { state, stored, percent: AtomicU8::new(0) }
    }

    /// The rung that holds: the one set by hand, or else what consumption asks for.
    #[must_use]
    pub fn rung(&self) -> Rung {
        let by_hand = self.read(|stored| stored.by_hand).and_then(Rung::of);
        by_hand.unwrap_or_else(|| Rung::of_consumption(self.percent.load(Ordering::Relaxed)))
    }

    /// Whether an operator set the rung that holds.
    #[must_use]
    pub fn is_by_hand(&self) -> bool {
        self.read(|stored| stored.by_hand).and_then(Rung::of).is_some()
    }

    /// Hears how much of the data service's month is used, in parts of a hundred.
    pub fn consumed(&self, percent: u8) {
        self.percent.store(percent, Ordering::Relaxed);
    }

    /// Whether an operator paused anonymous use.
    #[must_use]
    pub fn is_anonymous_paused(&self) -> bool {
        self.read(|stored| stored.anonymous_paused)
    }

    /// Whether an operator switched the tool off.
    #[must_use]
    pub fn is_off(&self, tool: &str) -> bool {
        self.read(|stored| stored.tools_off.contains(tool))
    }

    /// Whether a restored backup still waits for an operator's word.
    #[must_use]
    pub fn is_unconfirmed(&self) -> bool {
        self.read(|stored| stored.restore_unconfirmed)
    }

    /// What an operator set.
    #[must_use]
    pub fn stored(&self) -> Stored {
        self.read(Stored::clone)
    }

    /// Changes what an operator may set; it holds once it is durable.
    ///
    /// # Errors
    /// When the disk cannot be told; nothing has changed then.
    pub async fn set(&self, change: impl FnOnce(&mut Stored)) -> Result<(), StoreError> {
        let mut next = self.read(Stored::clone);
        change(&mut next);
        let mut batch = Batch::new();
        self.state.ladder.put(&mut batch, Only, next.clone()).map_err(|_full| StoreError::Failed)?;
        self.state.submit(batch).durable(ACK_MAX).await?;
        *self.stored.lock().unwrap_or_else(PoisonError::into_inner) = next;
        Ok(())
    }

    fn read<T>(&self, what: impl FnOnce(&Stored) -> T) -> T {
        what(&self.stored.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::store::MemoryStore;

    #[tokio::test]
    async fn a_hand_set_rung_holds_over_consumption_and_over_a_restart() {
        let store = Arc::new(MemoryStore::new());
        let load = || Arc::new(State::load(Arc::clone(&store) as Arc<_>, &Clock::system()).unwrap());
        let ladder = Ladder::new(load());
        for (percent, rung) in
            [(79, Rung::L0), (80, Rung::L1), (90, Rung::L2), (95, Rung::L3), (200, Rung::L3)]
        {
            ladder.consumed(percent);
            assert_eq!(ladder.rung(), rung);
        }
        ladder.set(|stored| stored.by_hand = Some(1)).await.unwrap();
        assert_eq!((ladder.rung(), Ladder::new(load()).rung()), (Rung::L1, Rung::L1));
        store.fail(true);
        assert!(ladder.set(|stored| stored.by_hand = None).await.is_err());
        assert_eq!(ladder.rung(), Rung::L1, "what is not durable does not hold");
    }
}
