//! What became of the backups that the server writes by itself, as an operator sees it.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use ring::digest::{SHA256, digest};
use serde_json::{Value, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::moved::of;
use super::{ANY_PORT, get, metrics, port_of, until};
use crate::harness::Demo;
use crate::metering::operator::admin;

/// What tells the backups of a server from those of others in the same folder.
fn name_of(data: &Path) -> String {
    let key = fs::read(data.join("store/key")).expect("a key");
    digest(&SHA256, &key).as_ref().iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}

/// Something with the name of a backup of this moment, which is so old that the next one is due.
fn old(folder: &Path, server: &str, at: OffsetDateTime, make: impl FnOnce(&Path)) -> SystemTime {
    let stamp = at.format(time::macros::format_description!("[year][month][day]-[hour][minute][second]"));
    let path = folder.join(format!("ono-sendai-{server}-{}.backup", stamp.expect("a moment")));
    make(&path);
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    File::open(&path).and_then(|file| file.set_modified(long_ago)).expect("an age");
    long_ago
}

#[test]
fn a_backup_that_is_written_and_one_that_fails_are_told_everywhere() {
    let outcome = |word: &str| format!("ono_backups_total{{outcome=\"{word}\"}}");
    let last = "ono_backup_last_timestamp_seconds";
    let whole = |values: &super::Values, name: &str| of(values, name).round() as i64;
    let first = Demo::serving("", ANY_PORT);
    let told = metrics(port_of(&first));
    assert!(!told.contains_key(last), "there is none yet");
    let of_status = |server: &Demo| admin(server, &["status"]).expect("told")["status"]["backups"].clone();
    let of_series = |server: &Demo| -> Value {
        let series: Value = serde_json::from_str(&get(port_of(server), "/series").body).expect("JSON");
        series["gauges"]["backups"].clone()
    };
    assert_eq!((&of_status(&first)["is_on"], &of_series(&first)["is_on"]), (&json!(true), &json!(true)));
    let backups = first.data().join("backups");
    let server = name_of(&first.data());
    first.stop();
    first.log_to_its_end();
    // One that is due at once.
    fs::create_dir_all(&backups).expect("a folder");
    let now = OffsetDateTime::now_utc();
    old(&backups, &server, now - time::Duration::days(1), |path| fs::write(path, "old").expect("a file"));
    let second = first.serving_again();
    let port = port_of(&second);
    let told = until(|| metrics(port), "written", |values| of(values, &outcome("written")) > 0.5);
    assert_eq!(["failed", "put_off"].map(|word| whole(&told, &outcome(word))), [0, 0]);
    assert_eq!(whole(&told, "ono_backup_missing"), 0);
    assert!((now.unix_timestamp()..=now.unix_timestamp() + 60).contains(&whole(&told, last)), "{told:?}");
    let status = of_status(&second);
    assert_eq!(
        (&status["written"], &status["failed"], &status["missing"]),
        (&json!(1), &json!(0), &Value::Null)
    );
    let moment =
        OffsetDateTime::parse(status["last"].as_str().expect("a moment"), &Rfc3339).expect("a moment");
    assert_eq!(moment.unix_timestamp(), whole(&told, last));
    assert_eq!(of_series(&second)["last"], json!(whole(&told, last)));
    second.stop();
    second.log_to_its_end();
    // Folders have every name that the next one may get.
    fs::remove_dir_all(&backups).expect("removed");
    fs::create_dir_all(&backups).expect("a folder");
    let now = OffsetDateTime::now_utc();
    let mut age = None;
    for seconds in 0..180 {
        let at = now + time::Duration::seconds(seconds);
        age = Some(old(&backups, &server, at, |path| fs::create_dir(path).expect("a folder")));
    }
    let third = second.serving_again();
    let port = port_of(&third);
    let told = until(|| metrics(port), "failed", |values| of(values, &outcome("failed")) > 0.5);
    assert_eq!(["written", "put_off"].map(|word| whole(&told, &outcome(word))), [0, 0]);
    assert_eq!(whole(&told, "ono_backup_missing"), 1);
    let age = OffsetDateTime::from(age.expect("some")).unix_timestamp();
    assert_eq!(whole(&told, last), age, "the last good one is of before");
    let status = of_status(&third);
    let why = status["missing"].as_str().expect("a reason");
    assert!(why.contains("is there already") && status["failed"] == 1, "{status}");
    assert_eq!((&of_series(&third)["missing"], &of_series(&third)["failed"]), (&json!(why), &json!(1)));
}
