//! A store that an earlier program wrote, kept in `older/` beside the command that made it: opened with all that is in it,
//! also when the opening is killed, and one that a later program wrote is refused and left alone.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use ono_sendai::clock::Clock;
use ono_sendai::store::class::FORM;
use ono_sendai::store::opening::salvage;
use ono_sendai::store::record::Only;
use ono_sendai::store::{OpenError, State, Store, examine};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::support::{Scratch, eventually, sled};
use crate::harness::Demo;
use crate::metering::operator::admin;
use crate::tables::root;

const SAMPLE: &str = "tests/it/store/older";
/// Accounts that are added where there should be much to rewrite.
const MANY: u16 = 600;

fn sample_folder() -> PathBuf {
    root().join(SAMPLE)
}

/// The sample in a folder of its own.
fn sample(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    lay_out(&scratch.0);
    scratch
}

fn lay_out(data: &Path) {
    let store = data.join("store");
    std::fs::create_dir_all(store.join("db/blobs")).unwrap();
    std::fs::copy(sample_folder().join("key"), store.join("key")).unwrap();
    for entry in std::fs::read_dir(sample_folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "gz") {
            let mut bytes = Vec::new();
            flate2::read::GzDecoder::new(std::fs::File::open(&path).unwrap())
                .read_to_end(&mut bytes)
                .unwrap();
            std::fs::write(store.join("db").join(path.file_stem().unwrap()), bytes).unwrap();
        }
    }
}

/// The clock a minute after the sample was made: a place of a walk is kept for a day.
fn soon_after() -> Clock {
    let made = std::fs::read_to_string(sample_folder().join("made")).unwrap();
    Clock::wound_to(OffsetDateTime::parse(made.trim(), &Rfc3339).unwrap() + Duration::from_secs(60))
}

fn opened(data: &Path, clock: &Clock) -> State {
    State::load(Arc::new(sled(data, clock).unwrap()) as Arc<dyn Store>, clock).unwrap()
}

/// Everything that the sample was made of.
fn is_all_there(state: &State) {
    let accounts: BTreeMap<_, _> =
        state.accounts.all().into_iter().filter(|(key, _)| !key.starts_with(b"many")).collect();
    let (blocked, others): (Vec<_>, Vec<_>) = accounts.iter().partition(|(_, account)| account.blocked);
    let ([(shut, of_shut)], [(kept, of_kept)]) = (blocked.as_slice(), others.as_slice()) else {
        panic!("{accounts:?}")
    };
    assert_eq!((of_shut.allowance, of_kept.allowance), (Some(77), None));
    assert!(of_shut.first_seen_s.is_some() && of_kept.first_seen_s.is_some(), "{accounts:?}");
    let used = |key| state.quotas.get(key).map(|quota| quota.used);
    assert_eq!((used(*kept), used(*shut)), (Some(417), Some(2)));
    let places = state.cursors.all();
    let [(_, place)] = places.as_slice() else { panic!("{places:?}") };
    assert_eq!((&place.account, place.rows), (*kept, 2), "{place:?}");
    let ladder = state.ladder.get(&Only).unwrap();
    assert_eq!(
        (ladder.by_hand, ladder.restore_unconfirmed, ladder.anonymous_paused),
        (Some(2), false, false)
    );
    assert_eq!(ladder.tools_off.iter().collect::<Vec<_>>(), ["get_aura"]);
}

/// The database without this program around it.
fn raw(data: &Path) -> sled::Db {
    let mut found = None;
    eventually("the database is free", || {
        found = sled::open(data.join("store/db")).ok();
        found.is_some()
    });
    found.unwrap()
}

/// Its last thread may still write for a moment.
fn is_closed(scratch: &Scratch) {
    eventually("it is closed", || {
        std::fs::File::open(scratch.database().join("db")).unwrap().try_lock().is_ok()
    });
}

/// The version of each account's record.
fn versions(data: &Path) -> Vec<u8> {
    raw(data).scan_prefix(b"a").map(|row| row.unwrap().1[0]).collect()
}

/// Every file of the store with its content, but for the lock.
fn content(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(content(&path));
        } else if path.file_name().unwrap() != "LOCK" {
            found.insert(path.clone(), std::fs::read(&path).unwrap());
        }
    }
    found
}

#[test]
fn a_store_of_the_first_form_is_opened_with_its_accounts_quotas_places_and_ladder() {
    let (scratch, clock) = (sample("older"), soon_after());
    assert_eq!(versions(&scratch.0), [1, 1], "the sample is not what it should be");
    let form = scratch.0.join("store/form");
    assert!(!form.exists());
    for _ in 0..2 {
        let state = opened(&scratch.0, &clock);
        is_all_there(&state);
        state.close();
        drop(state);
        assert_eq!(std::fs::read_to_string(&form).unwrap(), format!("ono-sendai store {FORM}\n"));
        assert_eq!(versions(&scratch.0), [2, 2]);
    }
    assert!(scratch.beside("quarantine").is_empty(), "this is no damage");
}

#[test]
fn the_program_serves_from_a_store_of_the_first_form() {
    let scratch = Scratch::new("older-served");
    let data = scratch.0.join("data");
    lay_out(&data);
    let server = Demo::on(data);
    let accounts = admin(&server, &["accounts"]).unwrap();
    let rows = accounts["accounts"]["accounts"].as_array().unwrap();
    let set: Vec<_> =
        rows.iter().map(|row| (row["blocked"].as_bool(), row["allowance_set"].as_u64())).collect();
    assert!(set.len() == 2 && set.contains(&(Some(true), Some(77))), "{accounts}");
    let status = admin(&server, &["status"]).unwrap();
    assert_eq!(
        (&status["status"]["rung_by_hand"], &status["status"]["tools_off"][0]),
        (&2.into(), &"get_aura".into())
    );
    let token = server.token_of("new");
    assert!(!server.call_as(&token, "resolve_artist", serde_json::json!({"q": "Four Tet"})).is_error);
}

#[test]
fn a_store_of_a_newer_form_is_refused_in_one_line_and_left_as_it_is() {
    let (scratch, clock) = (sample("newer"), soon_after());
    opened(&scratch.0, &clock).close();
    is_closed(&scratch);
    let form = scratch.0.join("store/form");
    let known = std::fs::read(&form).unwrap();
    std::fs::write(&form, format!("ono-sendai store {}\n", FORM + 1)).unwrap();
    let before = content(&scratch.0);
    for error in [
        sled(&scratch.0, &clock).expect_err("it is newer"),
        examine(&scratch.0, &clock).expect_err("it is newer"),
    ] {
        let line = error.to_string();
        assert!(matches!(error, OpenError::Newer { .. }) && !line.contains('\n'), "{line}");
        assert!(
            line.contains(&format!("form {}", FORM + 1)) && line.contains("start the newer program again"),
            "{line}"
        );
    }
    let refused = salvage(&scratch.0, &clock).expect_err("it is newer").to_string();
    assert!(refused.contains("use the newer program, nothing was changed"), "{refused}");
    assert!(content(&scratch.0) == before, "something was changed");
    // To the program that knows it, nothing has happened.
    std::fs::write(&form, known).unwrap();
    let state = opened(&scratch.0, &clock);
    is_all_there(&state);
    state.close();
}

#[test]
fn a_record_of_a_newer_version_is_refused_and_not_taken_for_damage() {
    let (scratch, clock) = (sample("newer-record"), soon_after());
    let db = raw(&scratch.0);
    let (key, value) = db.scan_prefix(b"a").next().unwrap().unwrap();
    db.insert(&key, framed(&key, &[&[9], &value[1..value.len() - 4]].concat())).unwrap();
    db.flush().unwrap();
    drop(db);
    is_closed(&scratch);
    for _ in 0..2 {
        let error = sled(&scratch.0, &clock).expect_err("it is newer");
        assert!(matches!(error, OpenError::Newer { .. }), "{error}");
        assert!(error.to_string().contains("class account in version 9"), "{error}");
    }
    assert!(["quarantine", "unreadable", "form"].iter().all(|name| scratch.beside(name).is_empty()));
}

/// A row's value with its sum.
fn framed(key: &[u8], rest: &[u8]) -> Vec<u8> {
    let mut sum = crc32fast::Hasher::new();
    sum.update(key);
    sum.update(rest);
    [rest, &sum.finalize().to_be_bytes()].concat()
}

const FOLDER: &str = "ONO_STORE_UPGRADE";

/// Opens the store that the variable names; without it, the sample once.
#[test]
fn the_sample_is_rewritten_in_one_go() {
    let given = std::env::var_os(FOLDER).map(PathBuf::from);
    let scratch = given.is_none().then(|| with_many("rewritten"));
    let data = given.unwrap_or_else(|| scratch.as_ref().unwrap().0.clone());
    opened(&data, &soon_after()).close();
    if scratch.is_some() {
        assert!(versions(&data).iter().all(|version| *version == 2));
    }
}

/// The sample with many accounts more, in their first version.
fn with_many(name: &str) -> Scratch {
    let scratch = sample(name);
    let db = raw(&scratch.0);
    let mut batch = sled::Batch::default();
    for number in 0..MANY {
        let mut key = b"amany............\0".to_vec();
        key[8..10].copy_from_slice(&number.to_be_bytes());
        let body = format!(r#"{{"first_seen_s":{number},"allowance":{number},"blocked":false}}"#);
        let value = framed(&key, &[&[1, 1], [0xff; 8].as_slice(), body.as_bytes()].concat());
        batch.insert(key, value);
    }
    db.apply_batch(batch).unwrap();
    db.flush().unwrap();
    drop(db);
    is_closed(&scratch);
    scratch
}

fn upgrading(data: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "store::older::the_sample_is_rewritten_in_one_go"])
        .env(FOLDER, data)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn a_kill_in_the_middle_of_the_upgrade_loses_nothing() {
    let before = with_many("upgrade");
    let clock = soon_after();
    let mut outcomes = BTreeMap::new();
    let step_ms = if std::env::var_os("ONO_KILL_ROUNDS").is_some() { 1 } else { 16 };
    // A few while it is still opening, and then each a little later in the upgrade itself, which begins with the word that
    // the form is another now, until one has come to its end before it is killed.
    for step in 0_u64.. {
        let scratch = Scratch::new("upgrade-killed");
        let copied =
            Command::new("cp").arg("-r").arg(before.0.join("store")).arg(&scratch.0).status().unwrap();
        assert!(copied.success());
        let form = scratch.0.join("store/form");
        let mut child = upgrading(&scratch.0);
        if let Some(after) = step.checked_sub(2) {
            while !form.exists() && child.try_wait().unwrap().is_none() {
                std::thread::yield_now();
            }
            std::thread::sleep(Duration::from_millis(after * step_ms));
        } else {
            std::thread::sleep(Duration::from_millis(step * 30));
        }
        let ended = child.try_wait().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        let (began, found) = (form.exists(), versions(&scratch.0));
        let newer = found.iter().filter(|version| **version == 2).count();
        assert_eq!(found.len(), usize::from(MANY) + 2, "after {step} steps");
        assert!(newer == 0 || newer == found.len(), "half of it: {newer}");
        assert!(newer == 0 || began, "records of a form that the store does not say");
        is_closed(&scratch);
        let state = opened(&scratch.0, &clock);
        is_all_there(&state);
        for (key, account) in state.accounts.all().into_iter().filter(|(key, _)| key.starts_with(b"many")) {
            let number = u16::from_be_bytes([key[7], key[8]]);
            assert_eq!(account.allowance, Some(u64::from(number)));
        }
        assert_eq!(state.accounts.len(), found.len());
        state.close();
        *outcomes.entry((began, newer > 0)).or_insert(0) += 1;
        if ended.is_some_and(|status| status.success()) {
            break;
        }
        assert!(step < 2_000, "it never comes to its end");
    }
    println!("how often it was killed (the upgrade had begun, was done): {outcomes:?}");
    assert!(outcomes.contains_key(&(true, false)) && outcomes.contains_key(&(true, true)), "{outcomes:?}");
}
