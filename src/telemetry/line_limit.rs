//! Keeps lines that anyone can cause from filling a disk: a few in each period, and a count of the rest.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Lines that were not written, of all kinds. There is one log in a program.
static LEFT_OUT: AtomicU64 = AtomicU64::new(0);

/// Lines of every kind that were left out since the program started.
#[must_use]
pub fn lines_left_out() -> u64 {
    LEFT_OUT.load(Ordering::Relaxed)
}

/// At most so many lines of one kind in each period.
#[derive(Debug)]
pub struct LineLimit {
    lines: u32,
    period: Duration,
    noted: Mutex<Noted>,
}

#[derive(Debug, Default)]
struct Noted {
    began: Option<Instant>,
    written: u32,
    left_out: u64,
}

impl LineLimit {
    /// `lines` in each `period`; the period begins with the first of them.
    #[must_use]
    pub const fn new(lines: u32, period: Duration) -> Self {
        Self { lines, period, noted: Mutex::new(Noted { began: None, written: 0, left_out: 0 }) }
    }

    /// Whether a line may be written now, and how many were left out since the last one that was.
    pub fn note(&self, now: Instant) -> Option<u64> {
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.began.is_none_or(|began| now.saturating_duration_since(began) >= self.period) {
            noted.began = Some(now);
            noted.written = 0;
        }
        if noted.written >= self.lines {
            noted.left_out = noted.left_out.saturating_add(1);
            LEFT_OUT.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        noted.written += 1;
        Some(std::mem::take(&mut noted.left_out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_writes_its_first_lines_and_later_says_how_many_were_left_out() {
        let limit = LineLimit::new(3, Duration::from_secs(10));
        let start = Instant::now();
        let written = (0..1_000).filter(|_| limit.note(start).is_some()).count();
        assert_eq!(written, 3);
        assert_eq!(limit.note(start + Duration::from_secs(9)), None);
        let later = start + Duration::from_secs(10);
        assert_eq!(limit.note(later), Some(998));
        assert_eq!(limit.note(later), Some(0));
    }
}
