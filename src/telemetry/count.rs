//! Counts that any thread may add to and none waits for.
//!
//! Decides how things are counted, and by which closed words. Knows nothing of what is counted.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A number that only grows while the program runs.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// One more.
    pub fn one(&self) {
        self.add(1);
    }

    /// So many more.
    pub fn add(&self, number: u64) {
        self.0.fetch_add(number, Ordering::Relaxed);
    }

    /// How many there were.
    #[must_use]
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// How many there are of something that comes and goes. Dropping the guard says that one went.
#[derive(Debug, Default)]
pub struct Level(AtomicU64);

/// One of those that are counted.
#[derive(Debug)]
#[must_use = "it is counted for as long as this lives"]
pub struct Present<'a>(&'a Level);

impl Level {
    /// One more is there, until the guard is dropped.
    pub fn enter(&self) -> Present<'_> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Present(self)
    }

    /// How many are there now.
    #[must_use]
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for Present<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// One word of a closed set that things are counted under. `closed_words` makes the sets, so that none of their words is
/// left out anywhere.
pub trait Word: Copy + 'static {
    /// Every word of the set, in the order of the variants.
    const ALL: &'static [Self];

    /// The word itself.
    fn as_str(self) -> &'static str;

    /// Where it stands in [`ALL`](Self::ALL).
    fn place(self) -> usize;
}

/// Makes an enum of words, each with its text: a [`Word`].
macro_rules! closed_words {
    ($(#[$about:meta])* $seen:vis enum $name:ident { $($(#[$says:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        $seen enum $name {
            $($(#[$says])* $variant,)+
        }

        impl $crate::telemetry::count::Word for $name {
            const ALL: &'static [Self] = &[$(Self::$variant,)+];

            fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }

            fn place(self) -> usize {
                self as usize
            }
        }
    };
}
pub(crate) use closed_words;

/// One counter for each word of a closed set.
#[derive(Debug)]
pub struct Counters<W> {
    each: Box<[Counter]>,
    words: PhantomData<W>,
}

impl<W: Word> Default for Counters<W> {
    fn default() -> Self {
        Self { each: W::ALL.iter().map(|_| Counter::default()).collect(), words: PhantomData }
    }
}

impl<W: Word> Counters<W> {
    /// One more of `word`.
    pub fn one(&self, word: W) {
        // There is one for each place.
        if let Some(counter) = self.each.get(word.place()) {
            counter.one();
        }
    }

    /// How many there were of `word`.
    #[must_use]
    pub fn get(&self, word: W) -> u64 {
        self.each.get(word.place()).map_or(0, Counter::get)
    }

    /// Every word with how many there were.
    pub fn each(&self) -> impl Iterator<Item = (W, u64)> + '_ {
        W::ALL.iter().map(|word| (*word, self.get(*word)))
    }

    /// The same in words.
    pub fn read(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        self.each().map(|(word, count)| (word.as_str(), count))
    }
}

/// Every word of a set, as a page lists them.
#[must_use]
pub fn texts<W: Word>() -> Vec<&'static str> {
    W::ALL.iter().map(|word| word.as_str()).collect()
}

/// What is none of the words of an [open set](OpenCounters).
pub const OTHER: &str = "other";

/// One counter for each word of a set that others know, and one for [`OTHER`], under which every word counts that is not in
/// it: nobody can add to the set, and nothing that is not known counts as something that is.
#[derive(Debug)]
pub struct OpenCounters {
    known: Box<[(&'static str, Counter)]>,
    other: Counter,
}

impl OpenCounters {
    /// A counter for each of these; none of them is said twice.
    #[must_use]
    pub fn new(words: impl IntoIterator<Item = &'static str>) -> Self {
        let known = words.into_iter().filter(|word| *word != OTHER);
        Self { known: known.map(|word| (word, Counter::default())).collect(), other: Counter::default() }
    }

    /// One more of `word`.
    pub fn one(&self, word: &str) {
        let found = self.known.iter().find(|(known, _)| *known == word);
        found.map_or(&self.other, |(_, counter)| counter).one();
    }

    /// Every word with how many there were; the last one is [`OTHER`].
    pub fn read(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        let known = self.known.iter().map(|(word, counter)| (*word, counter.get()));
        known.chain(std::iter::once((OTHER, self.other.get())))
    }
}

/// The upper bounds of what is measured, in microseconds.
pub const BOUNDS_US: [u64; 15] = [
    500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
    5_000_000, 10_000_000, 20_000_000,
];

/// How long things took, counted below fixed bounds.
#[derive(Debug, Default)]
pub struct Histogram {
    /// How many lie below each bound and above the one before; the last one has no bound.
    below: [AtomicU64; BOUNDS_US.len() + 1],
    sum_us: AtomicU64,
}

impl Histogram {
    /// One more took so long.
    pub fn note(&self, took: Duration) {
        let took_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let at = BOUNDS_US.partition_point(|bound| *bound < took_us);
        if let Some(bucket) = self.below.get(at) {
            bucket.fetch_add(1, Ordering::Relaxed);
        }
        self.sum_us.fetch_add(took_us, Ordering::Relaxed);
    }

    /// What it holds.
    #[must_use]
    pub fn read(&self) -> Times {
        Times {
            counts: std::array::from_fn(|at| {
                self.below.get(at).map_or(0, |bucket| bucket.load(Ordering::Relaxed))
            }),
            sum_us: self.sum_us.load(Ordering::Relaxed),
        }
    }
}

/// What a histogram holds at one moment, or what came to it between two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// How many lie below each of [`BOUNDS_US`] and above the one before, and above them all.
    pub counts: [u64; BOUNDS_US.len() + 1],
    /// All of them together, in microseconds.
    pub sum_us: u64,
}

impl Times {
    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Both together.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        for (mine, other) in self.counts.iter_mut().zip(other.counts) {
            *mine = mine.saturating_add(other);
        }
        self.sum_us = self.sum_us.saturating_add(other.sum_us);
        self
    }

    /// What came after `earlier`.
    #[must_use]
    pub fn since(mut self, earlier: &Self) -> Self {
        for (mine, earlier) in self.counts.iter_mut().zip(earlier.counts) {
            *mine = mine.saturating_sub(earlier);
        }
        self.sum_us = self.sum_us.saturating_sub(earlier.sum_us);
        self
    }

    /// The time that `percent` of a hundred did not exceed, in milliseconds, as far as the bounds tell: between two of
    /// them it is taken to grow evenly, and above the last one it is the last one. `None` when there were none.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts and bounds are far below 2^52")]
    pub fn percentile_ms(&self, percent: u8) -> Option<f64> {
        let count = self.count();
        if count == 0 {
            return None;
        }
        let wanted = count as f64 * f64::from(percent) / 100.0;
        let (mut before, mut low) = (0_u64, 0_u64);
        for (bound, here) in BOUNDS_US.iter().zip(self.counts) {
            let until = before + here;
            if here > 0 && until as f64 >= wanted {
                let part = ((wanted - before as f64) / here as f64).clamp(0.0, 1.0);
                return Some((low as f64 + part * (bound - low) as f64) / 1_000.0);
            }
            (before, low) = (until, *bound);
        }
        Some(low as f64 / 1_000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    closed_words! {
        /// Words of this test.
        enum Sort {
            /// Large.
            Large = "large",
            /// Small.
            Small = "small",
        }
    }

    #[test]
    fn each_word_of_a_closed_set_counts_as_itself() {
        let counters = Counters::<Sort>::default();
        counters.one(Sort::Small);
        counters.one(Sort::Small);
        assert_eq!(counters.read().collect::<Vec<_>>(), [("large", 0), ("small", 2)]);
        assert_eq!((counters.get(Sort::Large), texts::<Sort>()), (0, vec!["large", "small"]));
        for (place, word) in Sort::ALL.iter().enumerate() {
            assert_eq!(word.place(), place);
        }
    }

    #[test]
    fn a_word_of_no_set_makes_no_new_one_and_counts_as_none_that_is_known() {
        let counters = OpenCounters::new(["ok", "refused"]);
        for word in ["ok", "ok", "refused", "made up", "also made up"] {
            counters.one(word);
        }
        let read: Vec<_> = counters.read().collect();
        assert_eq!(read, [("ok", 2), ("refused", 1), (OTHER, 2)]);
    }

    #[test]
    fn a_time_counts_below_the_first_bound_that_it_does_not_exceed() {
        let histogram = Histogram::default();
        for us in [0, 500, 501, 1_000, 20_000_000, 20_000_001] {
            histogram.note(Duration::from_micros(us));
        }
        let times = histogram.read();
        assert_eq!((times.counts[0], times.counts[1], times.counts[14], times.counts[15]), (2, 2, 1, 1));
        assert_eq!((times.count(), times.sum_us), (6, 40_002_002));
    }

    #[test]
    fn percentiles_lie_between_the_bounds_and_only_what_came_since_counts() {
        let histogram = Histogram::default();
        assert_eq!(histogram.read().percentile_ms(50), None);
        (0..100).for_each(|_| histogram.note(Duration::from_millis(7)));
        let earlier = histogram.read();
        (0..90).for_each(|_| histogram.note(Duration::from_millis(2)));
        (0..10).for_each(|_| histogram.note(Duration::from_secs(60)));
        let since = histogram.read().since(&earlier);
        let at = |percent| since.percentile_ms(percent).unwrap();
        assert!((1.0..=2.5).contains(&at(50)) && at(50) < at(89), "{} {}", at(50), at(89));
        assert!((at(99) - 20_000.0).abs() < 1.0, "{}", at(99));
        assert_eq!(since.and(&earlier), histogram.read());
    }

    #[test]
    fn what_went_is_not_there() {
        let level = Level::default();
        let one = level.enter();
        let two = level.enter();
        assert_eq!(level.get(), 2);
        drop(one);
        assert_eq!(level.get(), 1);
        drop(two);
        assert_eq!(level.get(), 0);
    }
}
