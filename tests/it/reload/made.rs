//! The certificate that a server makes for itself, over the months in which the server runs.

use std::fs;
use std::path::Path;
use std::time::Instant;

use time::format_description::well_known::Rfc3339;

use super::served::PATIENCE;
use crate::harness::{Demo, Kept as _};

/// Moves the server's clock so many days ahead of the real one.
fn ahead(time: &Path, days: u64) {
    let beside = time.with_extension("new");
    fs::write(&beside, format!("+{}\n", days * 86_400)).expect("a file");
    fs::rename(beside, time).expect("it takes the place");
}

fn soon(server: &Demo, line: &str) {
    let begun = Instant::now();
    while !server.log().contains(line) {
        assert!(begun.elapsed() < PATIENCE, "no {line:?} in {}", server.log());
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn a_server_that_runs_on_warns_of_the_end_of_its_certificate_and_makes_another_in_time() {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("reload-{}-made", std::process::id()));
    let _ = fs::remove_dir_all(&place);
    let (data, time) = (place.join("data"), place.join("time"));
    fs::create_dir_all(&data).expect("a folder");
    ahead(&time, 0);
    let Some(server) = Demo::serving_in_time("", data.clone(), &time, "UTC") else {
        return eprintln!("there is no libfaketime: not tried");
    };
    let certificate = || fs::read_to_string(data.join("demo-cert.pem")).expect("a certificate");
    let first = certificate();
    ahead(&time, 76);
    soon(&server, "the certificate expires on ");
    assert_eq!(certificate(), first);
    ahead(&time, 83);
    soon(&server, "new connections are shown another certificate");
    let second = certificate();
    assert_ne!(second, first);
    assert!(server.log().contains("made a new certificate; clients have to be told to trust it"));
    let output = std::process::Command::new("openssl")
        .args(["s_client", "-servername", "localhost", "-connect", &format!("127.0.0.1:{}", server.port)])
        .stdin(std::process::Stdio::null())
        .output()
        .expect("openssl runs");
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(shown.contains(second.lines().nth(1).expect("a line")), "{shown}");
    let lasts = time::OffsetDateTime::now_utc() + time::Duration::days(150);
    let status = std::process::Command::new(env!("CARGO_BIN_EXE_ono-sendai"))
        .args(["admin", "--data"])
        .arg(&data)
        .arg("status")
        .kept_output()
        .expect("it runs");
    let report: serde_json::Value = serde_json::from_slice(&status.stdout).expect("JSON");
    let until = report["status"]["reload"]["certificate_until"].as_str().expect("a time");
    let until = time::OffsetDateTime::parse(until, &Rfc3339).expect("a moment");
    assert!(until > lasts, "{report}");
    drop(server);
    fs::remove_dir_all(place).expect("it is there");
}
