//! Rows that come and go: the files reach a plateau, and what is over is gone.

use std::sync::Arc;
use std::time::Duration;

use ono_sendai::clock::Clock;
use ono_sendai::store::rows::Replay;
use ono_sendai::store::{Batch, State, Store};
use time::macros::datetime;

use super::support::{Scratch, rounds, size, sled};

/// Inserted in each hand-wound second.
const A_SECOND: u32 = 20;

#[test]
fn records_that_expire_leave_a_folder_that_stops_growing() {
    let scratch = Scratch::new("growth");
    let clock = Clock::wound_to(datetime!(2027-01-31 12:00:00 UTC));
    let store = Arc::new(sled(&scratch.0, &clock).unwrap()) as Arc<dyn Store>;
    let state = State::load(store, &clock).unwrap();
    let seconds = rounds("ONO_GROWTH_SECONDS", 1_600);
    let mut sizes = Vec::new();
    let mut live = 0;
    for second in 0..seconds {
        let mut batch = Batch::new();
        for n in 0..A_SECOND {
            let mut key = [0; 32];
            key[..4].copy_from_slice(&second.to_be_bytes());
            key[4..8].copy_from_slice(&n.to_be_bytes());
            let answer = format!("{second} {n} {}", "x".repeat(280)).as_str().into();
            state.replays.put(&mut batch, key, Replay { answer }).unwrap();
        }
        state.submit(batch).wait().unwrap();
        loop {
            let (batch, more) = state.sweep();
            state.submit(batch).wait().unwrap();
            if !more {
                break;
            }
        }
        clock.advance(Duration::from_secs(1));
        live = live.max(state.replays.bytes());
        if second % 100 == 99 {
            sizes.push(size(&scratch.0));
        }
    }
    assert!(state.replays.len() <= usize::try_from(A_SECOND * 601).unwrap());
    let (last, before) = sizes[sizes.len() / 2..].split_at(sizes.len() / 4);
    let most = |sizes: &[u64]| sizes.iter().max().copied().unwrap();
    let bar = 8 * u64::try_from(live).unwrap() + 64 * 1024 * 1024;
    assert!(most(before) < bar, "{sizes:?}, live {live}");
    // One segment of the log is half a megabyte; within one a plateau cannot be told from growth.
    let plateau = most(last) + most(last) / 20 + 2 * 512 * 1024;
    assert!(most(before) <= plateau, "it keeps growing: {sizes:?}");
    state.close();
}
