//! What an operator sets holds at once, for everybody, and over a kill.

use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{fresh, used};
use crate::harness::{Demo, Kept as _, PATIENCE};

/// What the program's own command says to a running server.
pub fn admin(demo: &Demo, arguments: &[&str]) -> Result<Value, String> {
    let output = Command::new(env!("CARGO_BIN_EXE_ono-sendai"))
        .args(["admin", "--data"])
        .arg(demo.data())
        .args(arguments)
        .kept_output()
        .unwrap();
    if output.status.success() {
        Ok(serde_json::from_slice(&output.stdout).unwrap())
    } else {
        Err(String::from_utf8(output.stderr).unwrap())
    }
}

#[test]
fn switches_and_the_ladder_hold_at_once_and_over_a_kill() {
    let first = Demo::start();
    let token = first.token_of("ruled");
    let status = admin(&first, &["status"]).unwrap();
    assert_eq!((&status["status"]["store"], &status["status"]["rung"]), (&json!("good"), &json!(0)));
    admin(&first, &["tool", "get_artist", "off"]).unwrap();
    admin(&first, &["anonymous", "pause"]).unwrap();
    admin(&first, &["ladder", "1"]).unwrap();
    first.kill();
    let next = first.again();
    let off = next.call_as(&token, "get_artist", json!({"key": "four-tet"}));
    assert_eq!(off.error_type(), "tool_disabled", "{}", off.json);
    assert_eq!(off.json["error"]["data"]["reason"], "operator");
    let paused = next.call("resolve_artist", fresh());
    assert_eq!(paused.error_type(), "anonymous_capacity_exhausted", "{}", paused.json);
    let served = next.call_as(&token, "resolve_artist", fresh());
    assert_eq!((served.is_error, &served.json["meta"]["degraded_limits"]), (false, &json!(true)));
    admin(&next, &["tool", "get_artist", "on"]).unwrap();
    admin(&next, &["anonymous", "resume"]).unwrap();
    let status = admin(&next, &["ladder", "auto"]).unwrap();
    assert_eq!((&status["status"]["rung"], &status["status"]["tools_off"]), (&json!(0), &json!([])));
    assert!(!next.call("resolve_artist", fresh()).is_error);
}

#[test]
fn usage_is_told_and_set_by_the_account_id() {
    let demo = Demo::start();
    let token = demo.token_of("told");
    let answer = demo.call_as(&token, "resolve_artist", fresh());
    let accounts = admin(&demo, &["accounts"]).unwrap();
    let [account] = accounts["accounts"]["accounts"].as_array().unwrap().as_slice() else {
        panic!("{accounts}")
    };
    assert_eq!(account["used"], used(&answer));
    let id = account["account"].as_str().unwrap();
    assert_eq!(admin(&demo, &["usage", id, "--set", "998"]).unwrap(), json!({"usage": 998}));
    assert_eq!(used(&demo.call_as(&token, "get_usage", json!({}))), 998);
    assert_eq!(admin(&demo, &["usage", "subject=told"]).unwrap(), json!({"usage": 998}));
    let database = demo.data().join("store/db");
    let key = demo.data().join("issuer-key.pem");
    let before = std::fs::read(&key).unwrap();
    for (arguments, reason) in [
        (&["usage", "x"][..], "32 hexadecimal digits"),
        (&["tool", "nothing", "off"], "no such tool"),
        (&["usage", id, "--set", "1000000001"], "from 0 to 1000000000"),
        (&["accounts", "allowance", id, "18446744073709551615"], "from 0 to 1000000000"),
        (&["backup", &database.join("conf").to_string_lossy()], "only its folder backups"),
        (&["backup", &key.to_string_lossy()], "only its folder backups"),
        (&["backup", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")], "is there already"),
    ] {
        let refused = admin(&demo, arguments).unwrap_err();
        assert!(refused.contains(reason) && refused.lines().count() == 1, "{refused}");
    }
    assert_eq!(std::fs::read(&key).unwrap(), before);
}

#[test]
fn the_socket_is_its_owners_and_nobody_answers_where_no_server_runs() {
    let demo = Demo::start();
    let store = demo.data().join("store");
    assert_eq!(std::fs::metadata(&store).unwrap().permissions().mode() & 0o777, 0o700);
    demo.kill();
    let begun = Instant::now();
    while UnixStream::connect(store.join("admin.sock")).is_ok() {
        assert!(begun.elapsed() < PATIENCE, "it was killed and is there yet");
        std::thread::sleep(Duration::from_millis(10));
    }
    let gone = admin(&demo, &["status"]).unwrap_err();
    assert!(gone.contains("does not run; start it") && gone.lines().count() == 1, "{gone}");
    std::fs::remove_file(store.join("admin.sock")).unwrap();
    let never = admin(&demo, &["status"]).unwrap_err();
    assert!(never.contains("does not run; start it"), "{never}");
    std::fs::rename(&store, demo.data().join("elsewhere")).unwrap();
    let elsewhere = admin(&demo, &["status"]).unwrap_err();
    assert!(elsewhere.contains("name its data folder with --data"), "{elsewhere}");
}

#[test]
fn the_folder_is_taken_before_and_after_what_is_asked_and_help_tells_of_it() {
    let demo = Demo::start();
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_ono-sendai")).args(arguments).kept_output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let data = demo.data().to_string_lossy().into_owned();
    for command in [&["status"][..], &["windows"], &["accounts"], &["ladder", "auto"]] {
        let before = [&["admin", "--data", &data][..], command].concat();
        let after = [&["admin"][..], command, &["--data", &data]].concat();
        assert_eq!((run(&before).0, run(&after)), (Some(0), run(&before)), "{command:?}");
        let help = run(&[&["admin"][..], &command[..1], &["--help"]].concat()).1;
        assert!(help.contains("--data <FOLDER>"), "{help}");
    }
}

#[test]
fn a_backup_that_the_server_cannot_write_is_told_with_who_writes_it_and_where_it_may() {
    let demo = Demo::start();
    let refused = admin(&demo, &["backup", "/proc/none/a.backup"]).unwrap_err();
    let uid = format!("the server writes it, as uid {}", rustix::process::geteuid().as_raw());
    let folder = demo.data().join("backups");
    let wanted = [&uid, "ReadWritePaths=", &*folder.to_string_lossy()];
    assert!(wanted.iter().all(|wanted| refused.contains(wanted)), "{refused}");
}

#[test]
fn a_young_store_that_cannot_be_read_is_told_with_the_backup_to_restore_and_that_helps() {
    let demo = Demo::start();
    let token = demo.token_of("young");
    demo.call_as(&token, "resolve_artist", fresh());
    let file = demo.data().join("backups/young.backup");
    admin(&demo, &["backup", &file.to_string_lossy()]).unwrap();
    demo.kill();
    let log = demo.data().join("store/db/db");
    let mut bytes = std::fs::read(&log).unwrap();
    for at in [100, 1_000, 5_000, 20_000] {
        bytes[at..at + 16].fill(0xa5);
    }
    std::fs::write(&log, bytes).unwrap();
    let (code, said) = offline(&demo, &["salvage"]);
    assert!(code == Some(3) && said.lines().count() == 1, "{said}");
    assert!(said.contains("no record in ") && said.contains("left as it is"), "{said}");
    let data = std::path::absolute(demo.data()).unwrap();
    let command = format!(
        "ono-sendai restore {} --data {}",
        data.join("backups/young.backup").display(),
        data.display()
    );
    assert!(said.contains(&command), "{said}");
    let (done, said) = restore(&demo, &file);
    assert!(done, "{said}");
    let next = demo.again();
    assert!(waits_for_an_operator(&next), "{}", next.log());
}

#[test]
fn a_restored_backup_serves_what_is_metered_only_once_it_is_confirmed() {
    let first = Demo::start();
    let token = first.token_of("restored");
    let answer = first.call_as(&token, "resolve_artist", fresh());
    let file = first.data().join("backups/a-backup");
    admin(&first, &["backup", &file.to_string_lossy()]).unwrap();
    let running = restore(&first, &file);
    assert!(!running.0 && running.1.contains("stop it first"), "{}", running.1);
    first.kill();
    std::fs::remove_dir_all(first.data().join("store/db")).unwrap();
    let done = restore(&first, &file);
    let folder = std::path::absolute(first.data()).unwrap();
    assert!(done.0 && done.1.contains(&format!("restored in {};", folder.display())), "{}", done.1);
    let next = first.again();
    assert!(waits_for_an_operator(&next), "{}", next.log());
    assert!(used(&next.call_as(&token, "get_usage", json!({}))) >= used(&answer));
    let refused = next.call_as(&token, "resolve_artist", fresh());
    assert_eq!(refused.error_type(), "metering_unavailable", "{}", refused.json);
    for was_waiting in [true, false] {
        let told = admin(&next, &["restore-confirm"]).unwrap();
        assert_eq!(told["status"]["restore_confirmed"], was_waiting, "{told}");
    }
    assert!(admin(&next, &["status"]).unwrap()["status"].get("restore_confirmed").is_none());
    assert!(!next.call_as(&token, "resolve_artist", fresh()).is_error);
    next.kill();
    let next = next.again();
    assert!(!waits_for_an_operator(&next), "{}", next.log());
    std::fs::write(&file, "something else").unwrap();
    next.kill();
    let refused = restore(&next, &file);
    assert!(!refused.0 && refused.1.contains("no whole backup"), "{}", refused.1);
}

/// Whether the start said that metered calls wait for an operator's word.
fn waits_for_an_operator(demo: &Demo) -> bool {
    let log = demo.log();
    log.lines().any(|line| {
        line.contains("WARN")
            && line.contains("metered calls are refused until `ono-sendai admin restore-confirm --data /")
    })
}

#[test]
fn a_restore_or_salvage_that_names_no_folder_begins_none_where_it_is_called() {
    let demo = Demo::start();
    let file = demo.data().join("backups/by-hand");
    admin(&demo, &["backup", &file.to_string_lossy()]).unwrap();
    let elsewhere = demo.data().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let said = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_ono-sendai"))
            .args(arguments)
            .arg(&file)
            .current_dir(&elsewhere)
            .env_remove("ONO_SENDAI_DATA")
            .kept_output()
            .unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let salvage = Command::new(env!("CARGO_BIN_EXE_ono-sendai"))
        .arg("salvage")
        .current_dir(&elsewhere)
        .env_remove("ONO_SENDAI_DATA")
        .kept_output()
        .unwrap();
    let salvage = (salvage.status.code(), String::from_utf8(salvage.stderr).unwrap());
    let looked_at = elsewhere.join("ono-sendai-data");
    for (code, line) in [said(&["restore"]), salvage] {
        assert_eq!(code, Some(3), "{line}");
        assert!(line.contains(&*looked_at.to_string_lossy()) && line.contains("--data"), "{line}");
        assert_eq!(line.lines().count(), 1, "{line}");
        assert!(!looked_at.exists());
    }
    let (code, line) = said(&["restore", "--data", "named"]);
    assert!(code == Some(0) && line.contains(&*elsewhere.join("named").to_string_lossy()), "{line}");
}

/// Puts a backup in place of what a stopped server kept; whether it did, and what it said.
pub fn restore(demo: &Demo, file: &std::path::Path) -> (bool, String) {
    let file = file.to_string_lossy();
    let (code, said) = offline(demo, &["restore", &file]);
    (code == Some(0), said)
}

/// A command on the data folder while no server runs: its exit code and what it said.
pub fn offline(demo: &Demo, arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_ono-sendai"))
        .args(arguments)
        .arg("--data")
        .arg(demo.data())
        .kept_output()
        .unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_database_that_lost_something_is_refused_salvaged_and_served_from_once_it_is_confirmed() {
    let first = Demo::start();
    let token = first.token_of("salvaged");
    let early = first.call_as(&token, "resolve_artist", fresh());
    first.kill();
    let (database, copy) = (first.data().join("store/db"), first.data().join("copy"));
    let copied = Command::new("cp").arg("-r").args([&database, &copy]).status().unwrap();
    assert!(copied.success());
    let second = first.again();
    second.call_as(&token, "resolve_artist", fresh());
    second.kill();
    std::fs::remove_dir_all(&database).unwrap();
    std::fs::rename(&copy, &database).unwrap();
    for _ in 0..2 {
        let (code, said) = offline(&second, &["demo", "--listen", "127.0.0.1:0"]);
        let wanted = ["commits are gone", "restore FILE", "salvage", "mv ", &database.to_string_lossy()];
        assert_eq!(code, Some(3), "{said}");
        assert!(said.lines().count() == 1 && wanted.iter().all(|word| said.contains(word)), "{said}");
    }
    let (code, said) = offline(&second, &["salvage"]);
    assert!(code == Some(0) && said.contains("records could be read"), "{said}");
    // It may get another port, and then its issuer has another name.
    let third = Demo::on(second.data());
    assert!(waits_for_an_operator(&third), "{}", third.log());
    let token = third.token_of("salvaged");
    let readiness = third.send(http::Method::GET, "/readyz", &[], "");
    assert_eq!(readiness.status, 503);
    assert!(String::from_utf8_lossy(&readiness.body).contains("store"), "{:?}", readiness.body);
    let accounts = admin(&third, &["accounts"]).unwrap();
    assert!(accounts["accounts"]["accounts"][0]["used"].as_u64() >= Some(used(&early)), "{accounts}");
    for refused in [third.call_as(&token, "resolve_artist", fresh()), third.call("resolve_artist", fresh())] {
        assert_eq!(refused.error_type(), "metering_unavailable", "{}", refused.json);
    }
    admin(&third, &["restore-confirm"]).unwrap();
    assert_eq!(third.send(http::Method::GET, "/readyz", &[], "").status, 200);
    assert!(!third.call_as(&token, "resolve_artist", fresh()).is_error);
    third.kill();
    std::fs::remove_dir_all(&database).unwrap();
    let anew = Demo::on(third.data());
    let refused = anew.call_as(&anew.token_of("salvaged"), "resolve_artist", fresh());
    assert_eq!(refused.error_type(), "metering_unavailable", "a database that is gone grants nothing again");
    assert!(anew.log().contains("begins anew"), "{}", anew.log());
}
