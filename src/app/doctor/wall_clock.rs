//! Whether this machine's clock agrees with those of the machines that were asked.

use time::Duration;

use super::{Fault, Findings};
use crate::auth::token::LEEWAY_S;

const PART: &str = "clock";
/// A difference that a header of whole seconds and a slow way explain.
const UNREMARKABLE: Duration = Duration::seconds(5);
/// What is allowed for when a token is checked.
const TOLERATED: Duration = Duration::seconds(LEEWAY_S);

pub(super) fn examine(found: &mut Findings) {
    let worst = found.times.iter().max_by_key(|time| (time.here - time.there).abs()).cloned();
    let Some(worst) = worst else {
        return found.good(PART, "not compared; no other machine told the time");
    };
    let off = worst.here - worst.there;
    let (seconds, whose) = (off.whole_seconds().abs(), worst.whose);
    let way = if off.is_negative() { "behind" } else { "ahead of" };
    if off.abs() <= UNREMARKABLE {
        found.good(PART, format!("agrees with that of the {whose}"));
    } else if off.abs() <= TOLERATED {
        found.warn(
            PART,
            format!("{seconds} s {way} that of the {whose}; let it be set by NTP (timedatectl set-ntp true)"),
        );
    } else {
        let text = format!(
            "{seconds} s {way} that of the {whose}: good tokens are refused and bad ones may be taken; let it be set by \
             NTP (timedatectl set-ntp true)"
        );
        found.fail(PART, Fault::Here, text);
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::super::{Mark, Time};
    use super::*;

    #[test]
    fn a_clock_is_judged_by_what_tokens_allow() {
        for (off, mark, said) in [
            (0, Mark::Good, "agrees with"),
            (5, Mark::Good, "agrees with"),
            (-6, Mark::Warn, "6 s behind that of the issuer"),
            (60, Mark::Warn, "60 s ahead of that of the issuer"),
            (61, Mark::Fail(Fault::Here), "61 s ahead of"),
            (-7_200, Mark::Fail(Fault::Here), "7200 s behind"),
        ] {
            let there = datetime!(2027-01-31 12:00 UTC);
            let mut found = Findings::default();
            let near = Time { whose: "data service", there, here: there };
            found.times = vec![near, Time { whose: "issuer", there, here: there + Duration::seconds(off) }];
            examine(&mut found);
            let [finding] = found.of.as_slice() else { panic!("{found:?}") };
            assert!(finding.mark == mark && finding.text.contains(said), "{off}: {finding:?}");
        }
        let mut found = Findings::default();
        examine(&mut found);
        assert_eq!(found.of.len(), 1, "{found:?}");
    }
}
