//! Damaged databases: opened after a repair that loses nothing, or refused in one line; never deleted, never a panic.

use std::collections::BTreeMap;
use std::path::Path;

use ono_sendai::clock::Clock;
use ono_sendai::store::{OpenError, Store as _};

use super::support::{Scratch, account, answer, open, sled, spend};

const SPENT: u64 = 300;

fn filled(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    // Opened twice, so that there is a snapshot to damage.
    for half in [1..=SPENT / 2, SPENT / 2 + 1..=SPENT] {
        let state = open(&scratch.0);
        for used in half {
            state.submit(spend(&state, 1, used)).wait().unwrap();
        }
        state.close();
    }
    scratch
}

fn is_whole(scratch: &Scratch) {
    let state = open(&scratch.0);
    assert_eq!(state.quotas.get(&account(1)).unwrap().used, SPENT);
    assert_eq!(state.replays.len(), usize::try_from(SPENT).unwrap());
    state.close();
}

/// What is there are the first batches, of which only the last may come back in part.
fn is_a_prefix(scratch: &Scratch) -> u64 {
    let state = open(&scratch.0);
    let used = state.quotas.get(&account(1)).map_or(0, |quota| quota.used);
    let kept = u64::try_from(state.replays.len()).unwrap();
    assert!(kept.abs_diff(used) <= 1, "{kept} answers beside {used} units");
    assert!((1..=used.min(kept)).all(|used| state.replays.get(&answer(1, used)).is_some()));
    state.close();
    used
}

fn snapshot(database: &Path) -> std::path::PathBuf {
    let mut entries = std::fs::read_dir(database).unwrap().map(|entry| entry.unwrap().path());
    entries.find(|path| path.file_name().unwrap().to_str().unwrap().starts_with("snap.")).unwrap()
}

fn edit(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = std::fs::read(path).unwrap();
    change(&mut bytes);
    std::fs::write(path, bytes).unwrap();
}

/// Every file of a database with its content.
fn content(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
    files
        .map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap()))
        .collect()
}

#[test]
fn what_a_killed_opening_leaves_behind_is_removed() {
    for left in [&b""[..], &[b'x'; 5_000]] {
        let scratch = filled("generating");
        std::fs::write(scratch.database().join("snap.7FFFFFFFFFFFFFFF.generating"), left).unwrap();
        is_whole(&scratch);
        assert!(scratch.beside("quarantine").is_empty(), "this is no damage");
    }
}

#[test]
fn a_damaged_snapshot_or_settings_file_is_repaired_and_the_damaged_database_is_kept() {
    let cut = |bytes: &mut Vec<u8>| bytes.clear();
    let flip = |bytes: &mut Vec<u8>| {
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x5a;
    };
    for (name, damage) in [("snap", &flip as &dyn Fn(&mut Vec<u8>)), ("snap", &cut), ("conf", &flip)] {
        let scratch = filled("repair");
        let database = scratch.database();
        let file = if name == "snap" { snapshot(&database) } else { database.join("conf") };
        edit(&file, damage);
        let damaged = content(&database);
        is_whole(&scratch);
        let kept = scratch.beside("quarantine");
        assert_eq!(kept.len(), 1, "{name}");
        assert!(content(&scratch.0.join("store").join(&kept[0])) == damaged, "{name}");
        assert!(scratch.beside("trial").is_empty());
        is_whole(&scratch);
        assert_eq!(scratch.beside("quarantine").len(), 1, "repaired once");
    }
}

#[test]
fn what_cannot_be_repaired_is_refused_in_one_line_and_left_as_it_is() {
    let zero_the_log = |bytes: &mut Vec<u8>| {
        bytes[4_096..].fill(0);
    };
    let noise = |bytes: &mut Vec<u8>| {
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::try_from(at * 31 % 251).unwrap();
        }
    };
    for damage in [&zero_the_log as &dyn Fn(&mut Vec<u8>), &noise] {
        let scratch = filled("refuse");
        edit(&scratch.database().join("db"), damage);
        let mut lines = Vec::new();
        for _ in 0..2 {
            let error = sled(&scratch.0, &Clock::system()).expect_err("it cannot be read");
            assert!(matches!(error, OpenError::Damaged { .. }), "{error:?}");
            let line = error.to_string();
            let place = scratch.database().display().to_string();
            assert!(!line.contains('\n') && line.contains(&format!("mv {place} ")), "{line}");
            lines.push((line.split(';').next().map(str::to_owned), content(&scratch.database())));
            assert!(scratch.beside("trial").is_empty() && scratch.beside("quarantine").is_empty());
        }
        assert!(lines[0] == lines[1], "the second start says the same and touches nothing");
        assert!(lines[0].1.contains_key("db"));
        // What the line says helps.
        let aside = scratch.0.join("store/quarantine-by-hand");
        std::fs::rename(scratch.database(), &aside).unwrap();
        let store = sled(&scratch.0, &Clock::system()).unwrap();
        assert!(store.load().unwrap().is_empty());
        assert!(aside.is_dir());
    }
}

#[test]
fn a_damaged_byte_of_the_log_is_noticed_or_costs_the_batches_at_its_end_and_no_more() {
    let scratch = filled("flips");
    let path = scratch.database().join("db");
    let sound = content(&scratch.database());
    let length = sound["db"].len();
    let (mut refused, mut kept) = (0, Vec::new());
    for step in 0..8 {
        let at = length / 8 * step + 1_234;
        edit(&path, |bytes| bytes[at] ^= 0x5a);
        match sled(&scratch.0, &Clock::system()) {
            Ok(store) => {
                drop(store);
                kept.push(is_a_prefix(&scratch));
            }
            Err(OpenError::Damaged { .. }) => refused += 1,
            Err(other) => panic!("byte {at}: {other}"),
        }
        std::fs::remove_dir_all(scratch.0.join("store")).unwrap();
        std::fs::create_dir_all(scratch.database()).unwrap();
        for (name, bytes) in &sound {
            std::fs::write(scratch.database().join(name), bytes).unwrap();
        }
    }
    assert!(refused > 0 && !kept.is_empty(), "refused {refused}, kept {kept:?}");
    println!("refused {refused}, opened with {kept:?} of {SPENT}");
}
