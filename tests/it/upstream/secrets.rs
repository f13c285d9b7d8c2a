//! Where the key goes, and where it does not.

use std::process::{Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::peer::{Act, Peer, json as json_answer, with};
use super::{KEY, WIDE, caller, server_over};
use crate::harness::Kept as _;

#[test]
fn the_key_is_in_one_header_field_of_every_request_and_in_no_log_line() {
    let (peer, other) = (Peer::start(), Peer::start());
    let elsewhere = format!("location: http://localhost:{}/stolen\r\n", other.port);
    peer.set("/api/v2/artist/moved", with(307, &elsewhere, b""));
    peer.set("/api/v2/artist/gone", Act::SaysAndResets(Vec::new()));
    peer.set(
        "/api/v2/artist/refused",
        json_answer(401, &format!(r#"{{"error":"invalid_api_key","key":"{KEY}"}}"#)),
    );
    let server = server_over(peer.port, WIDE);
    for key in ["moved", "gone", "refused", "nobody"] {
        let answer = server.call_from(caller(1), "get_artist", json!({"key": key}));
        assert!(!answer.json.to_string().contains("5EcReT"), "{}", answer.json);
    }
    let seen = peer.seen("/");
    assert!(seen.len() >= 5, "{seen:?}");
    for request in &seen {
        assert_eq!(request.head.matches(KEY).count(), 1, "{}", request.head);
        assert!(request.head.contains(&format!("\r\nx-api-key: {KEY}\r\n")), "{}", request.head);
        assert!(!request.head.to_lowercase().contains("authorization"), "{}", request.head);
    }
    assert!(other.seen("/").is_empty(), "a redirect to another host was followed");
    let log = server.log();
    assert!(log.contains("level") || log.lines().count() > 4, "a log at its most detailed: {log}");
    let hex: String = KEY.bytes().map(|byte| format!("{byte:02x}")).collect();
    for window in [KEY.to_owned(), STANDARD.encode(KEY), hex] {
        for at in 0..=window.len() - 12 {
            assert!(!log.contains(&window[at..at + 12]), "a part of the key is in the log");
        }
    }
}

#[test]
fn a_key_file_that_others_can_read_keeps_the_server_from_starting() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder =
        std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("key-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (key, config) = (folder.join("key"), folder.join("config.toml"));
    std::fs::write(&key, KEY).expect("a key");
    let text = format!(
        "[server]\nlisten = \"127.0.0.1:0\"\ndata_dir = \"{}\"\nfixture_mode = false\n[crate]\nkey_file = \"{}\"\nbase_url = \"http://127.0.0.1:9\"\n",
        folder.join("data").display(),
        key.display()
    );
    std::fs::write(&config, text).expect("a configuration");
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).expect("a mode");
    let output = Command::new(env!("CARGO_BIN_EXE_ono-sendai"))
        .args(["serve", "--config"])
        .arg(&config)
        .env_clear()
        .stdin(Stdio::null())
        .kept_output()
        .expect("the program runs");
    let said = String::from_utf8(output.stderr).expect("text");
    assert_eq!((output.status.code(), said.lines().count()), (Some(3), 1), "{said}");
    assert!(said.contains("chmod 600") && !said.contains("5EcReT"), "{said}");
    std::fs::remove_dir_all(folder).expect("removed");
}
