//! `kill -9` at any moment: nothing that was acknowledged is lost, nothing is half there, and it opens.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::child::Spender;
use ono_sendai::store::State;

use super::support::{Scratch, account, answer, open, rounds};

/// A different wait each round, without a source of chance that could not be repeated.
pub fn pause(round: u32, most_ms: u64) -> Duration {
    let spread = u64::from(round).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33;
    Duration::from_millis(spread % most_ms)
}

/// Notes what was said; how many lines it were.
pub fn heard(acked: &mut BTreeMap<u8, u64>, said: Vec<(u8, u64)>) -> usize {
    for &(n, used) in &said {
        let known = acked.entry(n).or_default();
        *known = used.max(*known);
    }
    said.len()
}

/// Everything that was acknowledged is there, nothing is half there, and from here on what is there is the truth.
pub fn audit(state: &State, acked: &mut BTreeMap<u8, u64>, round: u32) {
    for (&n, known) in acked {
        let used = state.quotas.get(&account(n)).unwrap().used;
        assert!(used >= *known, "round {round}: account {n} has {used}, and {known} was acknowledged");
        // One batch may have been on its way; the answer and the unit came together or not at all.
        assert!(used <= *known + 1, "round {round}: account {n} has {used} after {known}");
        let kept = |used| state.replays.get(&answer(n, used)).is_some();
        assert!(kept(used), "round {round}: a unit without its answer");
        assert!(!kept(used + 1), "round {round}: an answer without its unit");
        *known = used;
    }
}

#[test]
fn nothing_acknowledged_is_lost_or_half_there_when_the_program_is_killed() {
    let mut scratch = Scratch::new("kill");
    let mut acked: BTreeMap<u8, u64> = BTreeMap::new();
    let (mut all, mut slowest) = (0, Duration::ZERO);
    let rounds = rounds("ONO_KILL_ROUNDS", 8);
    for round in 0..rounds {
        // What was answered within ten minutes stays; more than so many rounds would only be slower.
        if round % 25 == 24 {
            (scratch, acked) = (Scratch::new("kill"), BTreeMap::new());
        }
        let spender = Spender::start(&scratch.0);
        spender.wait_until_open();
        std::thread::sleep(pause(round, 250));
        all += heard(&mut acked, spender.kill());
        let began = Instant::now();
        let state = open(&scratch.0);
        slowest = slowest.max(began.elapsed());
        audit(&state, &mut acked, round);
        state.close();
    }
    assert!(slowest < Duration::from_secs(5), "opening took {slowest:?}");
    assert!(all > 0, "nothing was acknowledged in any round, so nothing was tested");
    println!("{rounds} rounds, {all} acknowledged, slowest opening {slowest:?}");
}

#[test]
fn a_kill_while_opening_leaves_a_store_that_opens() {
    let scratch = Scratch::new("kill-open");
    let filler = Spender::start(&scratch.0);
    filler.wait_until_open();
    std::thread::sleep(Duration::from_millis(300));
    let before: usize = filler.kill().len();
    for round in 0..rounds("ONO_KILL_ROUNDS", 8) {
        let opening = Spender::start(&scratch.0);
        std::thread::sleep(pause(round, 60));
        opening.kill();
        let state = open(&scratch.0);
        assert!(state.replays.len() >= before.min(1));
        state.close();
    }
}
