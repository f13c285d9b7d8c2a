//! Damaged databases: opened after a repair that loses nothing, or refused in one line; never deleted, never a panic,
//! and never taken for whole with less in them.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use ono_sendai::clock::Clock;
use ono_sendai::store::opening::salvage;
use ono_sendai::store::record::Only;
use ono_sendai::store::rows::Replay;
use ono_sendai::store::secret::secret;
use ono_sendai::store::{Batch, Examined, OpenError, examine};

use super::support::{Scratch, account, answer, eventually, open, rounds, size, sled, spend};

/// What is done to the bytes of a file.
type Damage<'a> = &'a dyn Fn(&mut Vec<u8>);
/// What is done to the rows of a database.
type Change = fn(&sled::Db);

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
        assert!(["restore FILE", "salvage", "admin restore-confirm"].iter().all(|way| {
            let error = sled(&scratch.0, &Clock::system()).expect_err("it still cannot be read");
            error.to_string().contains(way)
        }));
        // What the line says helps.
        let aside = scratch.0.join("store/quarantine-by-hand");
        std::fs::rename(scratch.database(), &aside).unwrap();
        begins_anew_and_waits_for_a_word(&scratch);
        assert!(aside.is_dir());
    }
}

/// Empty, and nothing that is metered is served from it.
fn begins_anew_and_waits_for_a_word(scratch: &Scratch) {
    let state = open(&scratch.0);
    assert!(state.quotas.is_empty() && state.replays.is_empty());
    assert!(state.ladder.get(&Only).unwrap().restore_unconfirmed);
    state.close();
}

/// Looking at it says the same as a start, and touches nothing.
fn looked_at(scratch: &Scratch, reason: &str) {
    let before = content(&scratch.database());
    let error = examine(&scratch.0, &Clock::system()).expect_err(reason);
    assert!(matches!(&error, OpenError::Damaged { .. }) && error.to_string().contains(reason), "{error}");
    assert!(content(&scratch.database()) == before, "{reason}");
}

/// Puts a database back as it was.
fn put_back(scratch: &Scratch, files: &BTreeMap<String, Vec<u8>>) {
    std::fs::remove_dir_all(scratch.database()).unwrap();
    std::fs::create_dir_all(scratch.database()).unwrap();
    for (name, bytes) in files {
        std::fs::write(scratch.database().join(name), bytes).unwrap();
    }
    let _none = std::fs::remove_file(scratch.0.join("store/unreadable"));
}

/// Opens with everything that was acknowledged, or says that it cannot be read; which of the two.
fn is_whole_or_refused(scratch: &Scratch, what: &str) -> bool {
    match sled(&scratch.0, &Clock::system()) {
        Ok(store) => {
            drop(store);
            is_whole(scratch);
            true
        }
        Err(OpenError::Damaged { .. }) => false,
        Err(other) => panic!("{what}: {other}"),
    }
}

#[test]
fn a_log_that_is_damaged_anywhere_is_whole_all_the_same_or_refused_and_never_opened_with_less() {
    let scratch = filled("anywhere");
    let path = scratch.database().join("db");
    let sound = content(&scratch.database());
    let length = sound["db"].len();
    let witness = std::fs::read(scratch.0.join("store/witness")).unwrap();
    let mut outcomes = BTreeMap::new();
    let steps = usize::try_from(rounds("ONO_DAMAGE_STEPS", 6)).unwrap();
    for step in 0..steps {
        let at = length / steps * step + 1_234.min(length / steps / 2);
        let flip = |bytes: &mut Vec<u8>| bytes[at] ^= 0x5a;
        let page = |bytes: &mut Vec<u8>| bytes[at / 4_096 * 4_096..][..4_096].fill(0);
        let half = |bytes: &mut Vec<u8>| bytes[at.max(4_096)..(at + length / 2).min(length)].fill(0);
        let cut = |bytes: &mut Vec<u8>| bytes.truncate(at);
        let damages: [(&str, Damage<'_>); 4] =
            [("flip", &flip), ("page", &page), ("half", &half), ("cut", &cut)];
        for (name, damage) in damages {
            for snapshot_too in [false, true] {
                put_back(&scratch, &sound);
                std::fs::write(scratch.0.join("store/witness"), &witness).unwrap();
                edit(&path, damage);
                if snapshot_too {
                    std::fs::remove_file(snapshot(&scratch.database())).unwrap();
                }
                let what = format!("{name} at {at} of {length}, without snapshot: {snapshot_too}");
                *outcomes.entry((name, is_whole_or_refused(&scratch, &what))).or_insert(0) += 1;
            }
        }
    }
    println!("how often each damage was (harmless: true, refused: false): {outcomes:?}");
    assert!(outcomes.keys().any(|(_, whole)| *whole) && outcomes.keys().any(|(_, whole)| !whole));
}

#[test]
fn a_database_that_is_gone_older_or_another_one_is_noticed() {
    let scratch = filled("older");
    let older = content(&scratch.database());
    let state = open(&scratch.0);
    state.submit(spend(&state, 1, SPENT + 1)).wait().unwrap();
    state.close();
    drop(state);
    let newest = content(&scratch.database());
    put_back(&scratch, &older);
    looked_at(&scratch, "its last 1 commits are gone");
    let refused = sled(&scratch.0, &Clock::system()).expect_err("it is older").to_string();
    assert!(refused.contains("its last 1 commits are gone"), "{refused}");
    put_back(&scratch, &content(&filled("another").database()));
    looked_at(&scratch, "not the one that was written last");
    let refused = sled(&scratch.0, &Clock::system()).expect_err("it is another").to_string();
    assert!(refused.contains("not the one that was written last"), "{refused}");
    put_back(&scratch, &newest);
    let state = open(&scratch.0);
    assert_eq!(state.quotas.get(&account(1)).unwrap().used, SPENT + 1);
    state.close();
    drop(state);
    std::fs::remove_dir_all(scratch.database()).unwrap();
    assert_eq!(examine(&scratch.0, &Clock::system()).unwrap(), Examined::Gone);
    begins_anew_and_waits_for_a_word(&scratch);
    // The key alone says too that there was a database.
    std::fs::remove_dir_all(scratch.database()).unwrap();
    std::fs::remove_file(scratch.0.join("store/witness")).unwrap();
    secret(&scratch.0).unwrap();
    begins_anew_and_waits_for_a_word(&scratch);
}

#[test]
fn a_database_of_an_earlier_program_without_its_own_count_is_taken_over() {
    let scratch = filled("earlier");
    let db = raw(&scratch);
    db.remove(b"\0tally").unwrap().unwrap();
    db.insert(b"\0born", &[]).unwrap().unwrap();
    db.flush().unwrap();
    drop(db);
    std::fs::remove_file(scratch.0.join("store/witness")).unwrap();
    is_whole(&scratch);
    let db = raw(&scratch);
    assert_eq!(db.get(b"\0born").unwrap().unwrap().len(), 16);
    db.remove(b"\0tally").unwrap().unwrap();
    db.flush().unwrap();
    drop(db);
    let refused = sled(&scratch.0, &Clock::system()).expect_err("its count is gone").to_string();
    assert!(refused.contains("its own count is gone"), "{refused}");
}

#[test]
fn a_row_that_is_lost_comes_back_or_is_changed_is_noticed() {
    let changes: [(&str, Change); 3] = [
        ("lost", |db| {
            let (key, _) = db.range(b"i".as_slice()..).next().unwrap().unwrap();
            db.remove(key).unwrap();
        }),
        ("back", |db| {
            let (_, value) = db.range(b"i".as_slice()..).next().unwrap().unwrap();
            db.insert(b"i-another", value).unwrap();
        }),
        ("changed", |db| {
            let mut rows = db.range(b"i".as_slice()..);
            let ((key, _), (_, value)) = (rows.next().unwrap().unwrap(), rows.next().unwrap().unwrap());
            db.insert(key, value).unwrap();
        }),
    ];
    for (name, change) in changes {
        let scratch = filled(name);
        let db = raw(&scratch);
        change(&db);
        db.flush().unwrap();
        drop(db);
        // Its last thread may still write.
        eventually("it is closed", || File::open(scratch.database().join("db")).unwrap().try_lock().is_ok());
        looked_at(&scratch, "it opens, but it should hold");
        let error = sled(&scratch.0, &Clock::system()).expect_err(name);
        assert!(matches!(error, OpenError::Damaged { .. }), "{name}: {error:?}");
    }
}

#[test]
fn what_can_be_read_of_a_damaged_database_is_salvaged_and_waits_for_a_word() {
    let part = |part: usize| {
        move |bytes: &mut Vec<u8>| {
            let at = bytes.len() / 5 * part;
            bytes[at..at + 8_192].fill(0);
        }
    };
    // The page of one answer, wherever it was written; the others can be read.
    let page_of = |used: u64| {
        move |bytes: &mut Vec<u8>| {
            let text = format!("\"{used} xxxx").into_bytes();
            let places: Vec<usize> = bytes
                .windows(text.len())
                .enumerate()
                .filter(|(_, seen)| *seen == text)
                .map(|(at, _)| at)
                .collect();
            assert!(!places.is_empty(), "the answer is not in the log as it is");
            places.into_iter().for_each(|at| bytes[at + 2] ^= 0x5a);
        }
    };
    let damages: [Damage<'_>; 4] = [&part(2), &part(4), &page_of(SPENT / 3), &page_of(SPENT / 2)];
    let mut most = 0;
    for damage in damages {
        let scratch = filled("salvage");
        // Opened once more, so that all of it is behind the snapshot.
        is_whole(&scratch);
        edit(&scratch.database().join("db"), damage);
        if is_whole_or_refused(&scratch, "salvage") {
            continue;
        }
        let damaged = content(&scratch.database());
        let Ok(salvaged) = salvage(&scratch.0, &Clock::system()) else {
            assert!(content(&scratch.database()) == damaged, "what cannot be salvaged is left alone");
            continue;
        };
        assert!(content(&salvaged.kept) == damaged, "the damaged database is kept as it was");
        let state = open(&scratch.0);
        assert!(state.ladder.get(&Only).unwrap().restore_unconfirmed);
        let kept = (1..=SPENT).filter(|used| state.replays.get(&answer(1, *used)).is_some()).count();
        assert_eq!(kept, state.replays.len(), "nothing was made up");
        assert!(state.quotas.get(&account(1)).is_none_or(|quota| quota.used <= SPENT));
        assert!(kept <= salvaged.records);
        most = most.max(kept);
        state.close();
    }
    println!("at most {most} of {SPENT} answers were salvaged");
    assert!(most > 0);
    let nowhere = Scratch::new("salvage-nothing");
    assert!(salvage(&nowhere.0, &Clock::system()).is_err());
}

#[test]
fn a_database_whose_files_have_grown_is_written_anew_at_the_next_start_with_all_that_is_in_it() {
    let scratch = filled("grown");
    let state = open(&scratch.0);
    let big = "x".repeat(3_900);
    let mut size_now = 0;
    // Less than what makes the oldest go, written until the files are large enough.
    for round in 0..90_u32 {
        let mut batch = Batch::new();
        for n in 0..500_u32 {
            let mut key = [0xee; 32];
            key[..4].copy_from_slice(&(round % 27).to_be_bytes());
            key[4..8].copy_from_slice(&n.to_be_bytes());
            state.replays.put(&mut batch, key, Replay { answer: big.as_str().into() }).unwrap();
        }
        state.submit(batch).wait().unwrap();
        size_now = size(&scratch.database());
        if size_now > 80 * 1024 * 1024 {
            break;
        }
    }
    let mut gone = Batch::new();
    for (key, _) in state.replays.all().into_iter().filter(|(key, _)| key[8] == 0xee) {
        state.replays.remove(&mut gone, &key);
    }
    state.submit(gone).wait().unwrap();
    state.close();
    drop(state);
    assert!(size_now > 72 * 1024 * 1024, "the files have {size_now} bytes, so that nothing is tested");
    is_whole(&scratch);
    let after = size(&scratch.database());
    println!("{size_now} bytes before, {after} after");
    assert!(after < size_now / 8);
    assert!(["quarantine", "trial", "db.new"].iter().all(|name| scratch.beside(name).is_empty()));
    is_whole(&scratch);
}

/// The database without this program around it.
fn raw(scratch: &Scratch) -> sled::Db {
    for _ in 0..200 {
        match sled::open(scratch.database()) {
            Ok(db) => return db,
            Err(_locked) => std::thread::sleep(std::time::Duration::from_millis(20)),
        }
    }
    panic!("the database stays locked")
}
