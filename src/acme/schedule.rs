//! When the authority is asked: well before a certificate ends, and after a failure ever more seldom.
//!
//! Decides by dates alone. Knows nothing of files or of the network.

use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use super::order::{Failed, Fault};

/// An authority that is not reached costs nobody anything.
const UNREACHABLE: (Duration, Duration) = (Duration::seconds(5), Duration::hours(1));
/// One that refuses counts how often: Let's Encrypt takes five proofs that fail in an hour.
const REFUSED: (Duration, Duration) = (Duration::minutes(15), Duration::hours(12));
/// One that says "too often" without saying for how long; and the longest that is believed.
const LIMITED: (Duration, Duration) = (Duration::hours(1), Duration::days(7));
/// After a start, which may follow a mended mistake, no longer than this is waited.
const AFTER_A_START: Duration = Duration::minutes(5);
/// What is kept of a try until it has ended.
const UNENDED: &str = "it was begun, and nothing tells how it ended";

/// When a certificate is renewed: after two thirds of its life, and up to a twentieth of its life before that, so that not
/// everybody comes at the same time; the same for the same certificate, however often it is asked.
pub(super) fn renew_at(from: OffsetDateTime, until: OffsetDateTime, names: &[String]) -> OffsetDateTime {
    let life = until - from;
    let seed = format!("{} {}", from.unix_timestamp(), names.join(" "));
    from + life * 2 / 3 - life / 20 * f64::from(spread(seed.as_bytes())) / 256.0
}

/// A number that looks like chance and is always the same.
pub(super) fn spread(seed: &[u8]) -> u8 {
    digest(&SHA256, seed).as_ref().first().copied().unwrap_or_default()
}

/// The tries since the last certificate, as they are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Tries {
    failures: u32,
    /// Why the last one failed.
    reason: Option<String>,
    /// Seconds since 1970.
    failed_at: i64,
    next: Option<i64>,
    /// Whether the authority wants to be left alone until then.
    limited: bool,
    /// How many in a row were begun, so that nothing tells how they ended.
    #[serde(default)]
    unended: u32,
}

impl Tries {
    /// How many failed in a row.
    pub(super) fn failures(&self) -> u32 {
        self.failures
    }

    pub(super) fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// When the next one is; `None` when none failed.
    pub(super) fn next(&self) -> Option<OffsetDateTime> {
        self.next.and_then(|seconds| OffsetDateTime::from_unix_timestamp(seconds).ok())
    }

    /// One more that failed.
    pub(super) fn failed(self, failed: &Failed, at: OffsetDateTime) -> Self {
        let failures = self.failures.saturating_add(1);
        let doubled = |(first, most): (Duration, Duration)| {
            (first * 2_u32.saturating_pow(failures.saturating_sub(1).min(20))).min(most)
        };
        let wait: Duration = match failed.fault {
            Fault::Unreachable => doubled(UNREACHABLE),
            Fault::Refused => doubled(REFUSED),
            Fault::Limited(wait) => wait.unwrap_or_default().clamp(LIMITED.0, LIMITED.1),
        };
        let seed = format!("{} {}", at.unix_timestamp_nanos(), failed.reason);
        let wait: Duration = wait + wait / 5 * f64::from(spread(seed.as_bytes())) / 256.0;
        Self {
            failures,
            reason: Some(failed.reason.clone()),
            failed_at: at.unix_timestamp(),
            next: Some((at + wait).unix_timestamp()),
            limited: matches!(failed.fault, Fault::Limited(_)),
            unended: 0,
        }
    }

    /// The same with one more that begins now, as it is to be read by whoever does not learn how it ends: as one that
    /// failed, and that may have cost something.
    pub(super) fn begun(self, at: OffsetDateTime) -> Self {
        let (unended, failures) = (self.unended.saturating_add(1), self.failures.saturating_add(1));
        let failed = Failed { fault: Fault::Refused, reason: UNENDED.to_owned() };
        // What could not even be reached before says nothing of how long to wait now.
        let as_many = Self { failures: self.unended, ..self };
        Self { unended, failures, ..as_many.failed(&failed, at) }
    }

    /// Whether nothing tells how the last one ended.
    pub(super) fn is_unended(&self) -> bool {
        self.unended > 0
    }

    /// The same after the clock was set back: the wait begins anew and is no longer than it was.
    pub(super) fn seen_at(mut self, now: OffsetDateTime) -> Self {
        let back = self.failed_at.saturating_sub(now.unix_timestamp());
        if back > 0 {
            self.failed_at = now.unix_timestamp();
            self.next = self.next.map(|next| next.saturating_sub(back));
        }
        // No wait is longer, whatever the file says.
        let longest: Duration = LIMITED.1 * 6 / 5;
        let latest = self.failed_at.saturating_add(longest.whole_seconds());
        self.next = self.next.map(|next| next.min(latest));
        self
    }

    /// The same for a program that has just started. A start after a try that did not end mends nothing if it was not the
    /// first: a program that fails in each of them asks no more often for that.
    pub(super) fn after_a_start(mut self) -> Self {
        if !self.limited && self.unended < 2 {
            let soon = self.failed_at.saturating_add(AFTER_A_START.whole_seconds());
            self.next = self.next.map(|next| next.min(soon));
        }
        self
    }

    /// The same when an operator wants a try now.
    pub(super) fn asked(mut self, now: OffsetDateTime) -> Self {
        if !self.limited {
            self.next = self.next.map(|next| next.min(now.unix_timestamp()));
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    const FROM: OffsetDateTime = datetime!(2027-01-01 0:00 UTC);

    fn failed(fault: Fault) -> Failed {
        Failed { fault, reason: "why".to_owned() }
    }

    #[test]
    fn a_certificate_is_renewed_when_two_thirds_of_its_life_are_over_or_a_little_before() {
        for days in [6, 47, 90, 365] {
            let until = FROM + Duration::days(days);
            let mut seen = std::collections::BTreeSet::new();
            for server in 0..50 {
                let names = [format!("mcp{server}.example.org")];
                let at = renew_at(FROM, until, &names);
                assert_eq!(at, renew_at(FROM, until, &names));
                let part = (at - FROM) / (until - FROM);
                assert!((0.616..=0.667).contains(&part), "{days} {part}");
                seen.insert(at);
            }
            assert!(seen.len() > 20, "{} moments for 50 servers", seen.len());
        }
    }

    #[test]
    fn failures_are_followed_by_longer_and_longer_waits_up_to_a_limit() {
        for (fault, first, most) in [
            (Fault::Unreachable, UNREACHABLE.0, UNREACHABLE.1),
            (Fault::Refused, REFUSED.0, REFUSED.1),
            (Fault::Limited(None), LIMITED.0, LIMITED.0),
            (Fault::Limited(Some(Duration::hours(30))), Duration::hours(30), Duration::hours(30)),
            (Fault::Limited(Some(Duration::days(4000))), LIMITED.1, LIMITED.1),
        ] {
            let mut tries = Tries::default();
            let mut before = Duration::ZERO;
            for failure in 0..40 {
                tries = tries.failed(&failed(fault), FROM);
                let wait = tries.next().unwrap() - FROM;
                let least = if failure == 0 { first } else { before.min(most) };
                assert!(wait >= least && wait <= most * 6 / 5, "{fault:?} {failure}: {wait}");
                before = wait * 5 / 6;
            }
            assert!(before >= most * 4 / 5, "{fault:?}: {before}");
        }
        // Five proofs an hour are the most that Let's Encrypt takes.
        let mut tries = Tries::default();
        let mut at = FROM;
        let mut within_an_hour = 0;
        while at < FROM + Duration::hours(1) {
            within_an_hour += 1;
            tries = tries.failed(&failed(Fault::Refused), at);
            at = tries.next().unwrap();
        }
        assert!(within_an_hour <= 4, "{within_an_hour}");
    }

    #[test]
    fn a_clock_that_was_set_back_makes_no_wait_longer() {
        let ahead = FROM + Duration::days(9_000);
        for fault in [Fault::Unreachable, Fault::Refused, Fault::Limited(Some(Duration::hours(30)))] {
            let tries = Tries::default().failed(&failed(fault), ahead);
            let wait = tries.next().unwrap() - ahead;
            assert_eq!(
                tries.clone().seen_at(ahead + wait),
                tries,
                "{fault:?}: a clock that goes on changes nothing"
            );
            assert_eq!(tries.seen_at(FROM).next(), Some(FROM + wait), "{fault:?}");
        }
        assert_eq!(Tries::default().seen_at(FROM), Tries::default());
    }

    #[test]
    fn a_program_that_is_killed_in_every_try_waits_longer_and_longer_for_the_next() {
        let (mut kept, mut at, mut waits) = (Tries::default(), FROM, Vec::new());
        for _ in 0..8 {
            kept = kept.begun(at);
            assert_eq!(kept.reason(), Some(UNENDED));
            // It is killed, and the next one reads what was kept.
            let text = serde_json::to_vec(&kept).unwrap();
            let read: Tries = serde_json::from_slice(&text).unwrap();
            kept = read.seen_at(at).after_a_start();
            waits.push(kept.next().unwrap() - at);
            at = kept.next().unwrap();
        }
        assert_eq!(waits[0], AFTER_A_START);
        assert!(
            waits[1] >= REFUSED.0 && waits.windows(2).all(|two| two[0] < two[1] || two[1] >= REFUSED.1),
            "{waits:?}"
        );
        // An operator need not wait, and a try that ends counts as what it was.
        assert_eq!(kept.clone().asked(at).next(), Some(at));
        let ended = kept.failed(&failed(Fault::Unreachable), at).after_a_start();
        assert_eq!(ended.next(), Some(at + AFTER_A_START));
        // What an earlier version kept.
        let before = r#"{"failures":1,"reason":"why","failed_at":1,"next":2,"limited":false}"#;
        assert_eq!(serde_json::from_str::<Tries>(before).unwrap().failures(), 1);
    }

    #[test]
    fn no_file_makes_a_wait_longer_than_any_that_is_asked_for() {
        let text = r#"{"failures":1,"reason":"why","failed_at":1700000000,"next":4000000000,"limited":true}"#;
        let tries = serde_json::from_str::<Tries>(text).unwrap().seen_at(FROM);
        assert!(tries.next().unwrap() < FROM, "{tries:?}");
    }

    #[test]
    fn a_start_or_an_order_shortens_a_wait_but_for_one_that_the_authority_asked_for() {
        let ten = |fault| (0..10).fold(Tries::default(), |tries, _| tries.failed(&failed(fault), FROM));
        let refused = ten(Fault::Refused);
        assert!(refused.next().unwrap() >= FROM + Duration::hours(12));
        assert_eq!(refused.clone().after_a_start().next(), Some(FROM + AFTER_A_START));
        let now = FROM + Duration::minutes(1);
        assert_eq!(refused.asked(now).next(), Some(now));
        let limited = ten(Fault::Limited(Some(Duration::hours(30))));
        assert_eq!(limited.clone().after_a_start(), limited);
        assert_eq!(limited.clone().asked(now), limited);
        assert_eq!(Tries::default().asked(now).after_a_start().next(), None);
    }
}
