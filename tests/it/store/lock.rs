//! One folder, one server.

use std::time::{Duration, Instant};

use ono_sendai::clock::Clock;
use ono_sendai::store::OpenError;

use super::support::{Scratch, open, sled, spend};

#[test]
fn a_second_store_in_the_same_folder_is_refused_by_name_and_leaves_the_first_alone() {
    let scratch = Scratch::new("twice");
    let first = open(&scratch.0);
    let began = Instant::now();
    let error = sled(&scratch.0, &Clock::system()).expect_err("the folder is in use");
    assert!(began.elapsed() < Duration::from_secs(10));
    assert!(matches!(error, OpenError::InUse { .. }), "{error:?}");
    let line = error.to_string();
    let lock = scratch.0.join("store/LOCK").display().to_string();
    assert!(!line.contains('\n') && line.contains(&lock) && line.contains("--data"), "{line}");
    first.submit(spend(&first, 1, 1)).wait().unwrap();
    first.close();
}

#[test]
fn a_store_that_was_closed_is_opened_again_at_once() {
    let scratch = Scratch::new("again");
    for used in 1..=10 {
        let state = open(&scratch.0);
        state.submit(spend(&state, 1, used)).wait().unwrap();
        state.close();
    }
}

#[test]
fn every_acknowledged_batch_has_passed_the_barrier() {
    let scratch = Scratch::new("barrier");
    let state = open(&scratch.0);
    for used in 1..=20 {
        let before = ono_sendai::durability::barriers();
        state.submit(spend(&state, 1, used)).wait().unwrap();
        assert!(ono_sendai::durability::barriers() > before, "a batch without a barrier");
    }
    state.close();
}

#[test]
fn only_its_owner_may_read_the_folder() {
    use std::os::unix::fs::PermissionsExt as _;
    let scratch = Scratch::new("mode");
    open(&scratch.0).close();
    let mode = std::fs::metadata(scratch.0.join("store")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn a_lock_that_is_a_link_is_refused_and_nothing_is_made_where_it_leads() {
    let scratch = Scratch::new("linked");
    open(&scratch.0).close();
    let (lock, elsewhere) = (scratch.0.join("store/LOCK"), scratch.0.join("elsewhere"));
    for is_there in [false, true] {
        std::fs::remove_file(&lock).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &lock).unwrap();
        if is_there {
            std::fs::write(&elsewhere, "as it was").unwrap();
        }
        let line = sled(&scratch.0, &Clock::system()).expect_err("a link").to_string();
        assert!(line.contains("store/LOCK: it is not a regular file; move it away"), "{line}");
        assert_eq!(std::fs::read(&elsewhere).ok(), is_there.then(|| b"as it was".to_vec()));
    }
    std::fs::remove_file(&lock).unwrap();
    open(&scratch.0).close();
}
