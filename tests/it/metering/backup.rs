//! Backups of a server that is busy: put in the place of nothing on another machine, they are the same server; cut short,
//! they are refused and harm nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use http::Method;
use serde_json::{Value, json};

use super::operator::{admin, restore};
use super::{fresh, used};
use crate::harness::{Demo, Kept as _};
use crate::store::support::eventually;

const BUSY: usize = 3;
const CALLERS_EACH: u64 = 2;
/// What one call may spend at most.
const MOST: u64 = 2;
/// The largest lease of an account: a twentieth of its allowance.
const LEASE: u64 = 1_000 / 20;

/// What an operator set for each account.
fn set(demo: &Demo) -> BTreeSet<String> {
    let accounts = admin(demo, &["accounts"]).unwrap();
    let rows = accounts["accounts"]["accounts"].as_array().unwrap();
    rows.iter()
        .map(|row| {
            format!("{} {} {} {}", row["account"], row["first_seen"], row["blocked"], row["allowance_set"])
        })
        .collect()
}

fn page(demo: &Demo, token: &str, cursor: Option<&Value>) -> Value {
    let mut arguments = json!({"year_from": 1990, "limit": 2});
    if let Some(cursor) = cursor {
        arguments["cursor"] = cursor.clone();
    }
    let answer = demo.call_as(token, "search_catalog", arguments);
    assert!(!answer.is_error, "{}", answer.json);
    answer.json["data"].clone()
}

#[test]
fn a_backup_taken_under_load_and_restored_elsewhere_has_the_same_accounts_quotas_and_walks_once_it_is_confirmed()
 {
    let first = Demo::start();
    let (walker, still, shut) = (first.token_of("walker"), first.token_of("still"), first.token_of("shut"));
    let begun = page(&first, &walker, None);
    let cursor = &begun["pagination"]["next_cursor"];
    let of_still = used(&first.call_as(&still, "resolve_artist", fresh()));
    assert!(!first.call_as(&shut, "resolve_artist", fresh()).is_error);
    admin(&first, &["accounts", "allowance", "subject=still", "123"]).unwrap();
    admin(&first, &["accounts", "block", "subject=shut"]).unwrap();
    let tokens: Vec<String> = (0..BUSY).map(|account| first.token_of(&format!("busy-{account}"))).collect();
    let file = first.data().join("backups/under-load");
    let (shown, stop) = (Mutex::<BTreeMap<usize, u64>>::default(), AtomicBool::new(false));
    let known = || shown.lock().unwrap().clone();
    let (before, after, accounts) = std::thread::scope(|scope| {
        for (account, token) in tokens.iter().enumerate() {
            for _ in 0..CALLERS_EACH {
                let (shown, stop, first) = (&shown, &stop, &first);
                scope.spawn(move || {
                    while !stop.load(Ordering::Relaxed) {
                        let answer = first.call_as(token, "resolve_artist", fresh());
                        // One that is too fast for its account was told nothing of its use.
                        if !answer.is_error {
                            let mut shown = shown.lock().unwrap();
                            let most = shown.entry(account).or_default();
                            *most = used(&answer).max(*most);
                        }
                    }
                });
            }
        }
        eventually("every account is busy", || known().values().filter(|used| **used > 3).count() == BUSY);
        let before = known();
        admin(&first, &["backup", &file.to_string_lossy()]).unwrap();
        let after = known();
        let accounts = set(&first);
        stop.store(true, Ordering::Relaxed);
        (before, after, accounts)
    });
    // The walk goes on where it was begun, so that there is something to compare with.
    let next_page = page(&first, &walker, Some(cursor));
    first.kill();

    let elsewhere = first.data().with_file_name("elsewhere");
    let output = Command::new(env!("CARGO_BIN_EXE_ono-sendai"))
        .arg("restore")
        .arg(&file)
        .arg("--data")
        .arg(&elsewhere)
        .kept_output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let second = first.again_on(elsewhere);
    let tokens: Vec<String> = (0..BUSY).map(|account| second.token_of(&format!("busy-{account}"))).collect();
    for refused in
        [second.call_as(&tokens[0], "resolve_artist", fresh()), second.call("resolve_artist", fresh())]
    {
        assert_eq!(refused.error_type(), "metering_unavailable", "{}", refused.json);
    }
    assert_eq!(second.send(Method::GET, "/readyz", &[], "").status, 503);
    admin(&second, &["restore-confirm"]).unwrap();
    assert_eq!(second.send(Method::GET, "/readyz", &[], "").status, 200);
    assert_eq!(set(&second), accounts);
    assert_eq!(accounts.len(), BUSY + 3, "{accounts:?}");
    let usage = |token: &str| used(&second.call_as(token, "get_usage", json!({})));
    for (account, token) in tokens.iter().enumerate() {
        let restored = usage(token);
        let most = after[&account] + CALLERS_EACH * MOST + LEASE;
        assert!(
            before[&account] <= restored && restored <= most,
            "{restored} of account {account}: {before:?} was shown before, {after:?} after"
        );
    }
    let restored = usage(&second.token_of("still"));
    assert!(of_still <= restored && restored <= of_still + LEASE, "{restored}, and {of_still} was shown");
    let shut = second.call_as(&second.token_of("shut"), "resolve_artist", fresh());
    assert_eq!(shut.error_type(), "unauthorized", "{}", shut.json);
    let goes_on = page(&second, &second.token_of("walker"), Some(cursor));
    assert_eq!(goes_on["results"], next_page["results"]);
    assert!(!second.call_as(&tokens[0], "resolve_artist", fresh()).is_error);
}

#[test]
fn a_restore_that_fails_leaves_the_database_as_it_was_or_says_that_it_was_replaced_and_where_the_old_one_is()
{
    let demo = Demo::start();
    let token = demo.token_of("kept");
    let of_kept = used(&demo.call_as(&token, "resolve_artist", fresh()));
    let file = demo.data().join("backups/whole");
    admin(&demo, &["backup", &file.to_string_lossy()]).unwrap();
    demo.kill();
    let store = demo.data().join("store");
    eventually("the server has ended", || fs::File::open(store.join("LOCK")).unwrap().try_lock().is_ok());
    // A folder in the place of a file that has to be written or removed.
    let in_the_way = |name: &str| {
        let (place, aside) = (store.join(name), demo.data().join("aside"));
        if place.exists() {
            fs::rename(&place, &aside).unwrap();
        }
        fs::create_dir_all(place.join("something")).unwrap();
        (place, aside)
    };
    let put_right = |(place, aside): (PathBuf, PathBuf)| {
        fs::remove_dir_all(&place).unwrap();
        if aside.exists() {
            fs::rename(aside, place).unwrap();
        }
    };
    let database = || content(&store.join("db"));
    let before = database();
    for name in ["db.new", "key.new"] {
        let way = in_the_way(name);
        // What is being made may lie there already; something that is no folder may not.
        if name == "db.new" {
            fs::remove_dir_all(&way.0).unwrap();
            fs::write(&way.0, "in the way").unwrap();
        }
        let (done, said) = restore(&demo, &file);
        assert!(!done && said.lines().count() == 1 && !said.contains("replaced"), "{name}: {said}");
        assert!(name == "db.new" || said.contains(&*way.0.to_string_lossy()), "{said}");
        assert!(database() == before, "{name}: something was changed");
        if name == "db.new" {
            fs::remove_file(&way.0).unwrap();
        } else {
            put_right(way);
        }
        assert!(!store.join("key.new").exists(), "{name}: a key is left that is of nothing");
    }
    let mut quarantined = 0;
    for name in ["witness", "unreadable", "key", "form"] {
        let was = database();
        let way = in_the_way(name);
        let (done, said) = restore(&demo, &file);
        assert!(!done && said.lines().count() == 1, "{name}: {said}");
        assert!(said.contains(&format!("then {}: ", way.0.display())), "{name} is not named: {said}");
        let (_, rest) = said.split_once("the database was replaced, and the old one is at ").expect(&said);
        let old = rest.split(", but then ").next().unwrap();
        assert!(content(Path::new(old)).len() == was.len(), "{name}: it is not there: {said}");
        quarantined += 1;
        put_right(way);
    }
    let (done, said) = restore(&demo, &file);
    assert!(done, "{said}");
    let kept = fs::read_dir(&store).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(kept.filter(|name| name.starts_with("quarantine-")).count(), quarantined + 1);
    let next = demo.again();
    admin(&next, &["restore-confirm"]).unwrap();
    assert!(used(&next.call_as(&token, "get_usage", json!({}))) >= of_kept);
}

/// Every file below a folder with its content, but for what a running server holds open.
fn content(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(content(&path));
        } else if path.is_file() {
            found.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    found
}

#[test]
fn a_backup_that_was_cut_short_is_refused_in_one_line_and_what_was_there_stays_as_it_was() {
    let demo = Demo::start();
    let token = demo.token_of("whole");
    let question = fresh();
    let answer = demo.call_as(&token, "resolve_artist", question.clone());
    let file = demo.data().join("backups/whole");
    admin(&demo, &["backup", &file.to_string_lossy()]).unwrap();
    demo.kill();
    let store = demo.data().join("store");
    eventually("the server has ended", || fs::File::open(store.join("LOCK")).unwrap().try_lock().is_ok());
    let (whole, before) = (fs::read(&file).unwrap(), content(&store));
    let length = whole.len();
    // Where its parts end, and places between.
    let ends = [0, 1, 19, 20, 24, 56, length - 33, length - 32, length - 31, length - 1];
    let between = (1..8).map(|part| length / 8 * part);
    let cut = demo.data().join("backups/cut");
    for at in ends.into_iter().chain(between) {
        fs::write(&cut, &whole[..at]).unwrap();
        let (done, said) = restore(&demo, &cut);
        assert!(!done && said.lines().count() == 1, "cut at {at} of {length}: {said}");
        assert!(said.contains("is no whole backup of this program; take another one"), "cut at {at}: {said}");
        assert!(content(&store) == before, "cut at {at}: something was changed");
    }
    let next = demo.again();
    let again = next.call_as(&token, "resolve_artist", question);
    assert_eq!((&again.json["meta"]["replay"], &again.json["data"]), (&json!(true), &answer.json["data"]));
}
