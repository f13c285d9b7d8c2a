//! Accounts that a service of the operator knows: asked, late, lying, gone.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::issuer::{Issuer, Key};
use super::tokens::ping;
use crate::harness::Demo;

const SECRET: &str = "0123456789abcdef0123456789abcdef-s3cr3t";

/// What the service says to the next questions, and what it was asked.
#[derive(Clone)]
struct Service {
    address: String,
    says: Arc<Mutex<(u16, String)>>,
    asked: Arc<Mutex<Vec<(String, String)>>>,
}

impl Service {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}/accounts", listener.local_addr().expect("an address"));
        let service =
            Self { address, says: Arc::new(Mutex::new((500, String::new()))), asked: Arc::default() };
        let own = service.clone();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                let mut bytes = Vec::new();
                let mut part = [0; 4096];
                // The body ends with its JSON object.
                while !bytes.ends_with(b"}") {
                    match stream.read(&mut part) {
                        Ok(read) if read > 0 => bytes.extend_from_slice(&part[..read]),
                        _ => break,
                    }
                }
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
                own.asked.lock().expect("unbroken").push((head.to_owned(), body.to_owned()));
                let (status, says) = own.says.lock().expect("unbroken").clone();
                let _ = write!(
                    stream,
                    "HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{says}",
                    says.len()
                );
            }
        });
        service
    }

    fn says(&self, status: u16, body: &Value) {
        *self.says.lock().expect("unbroken") = (status, body.to_string());
    }
}

fn hooked(issuer: &Issuer, service: &Service, cache_s: u32) -> Demo {
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!(
        "hook-{}-{cache_s}-{}",
        std::process::id(),
        service.address.len() + service.address.bytes().map(usize::from).sum::<usize>()
    ));
    std::fs::write(&file, SECRET).expect("a file");
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("a mode");
    let rest = format!(
        "[accounts]\nmode = \"hooked\"\nunits_per_month = 10000\nservice_url = \"{}\"\nservice_key_file = \"{}\"\nservice_cache_s = {cache_s}\n[log]\nlevel = \"trace\"\n",
        service.address,
        file.display()
    );
    issuer.server("", &rest)
}

#[test]
fn a_hooked_account_is_what_its_service_says_and_the_question_is_signed() {
    let key = Key::es256("k1");
    let issuer = Issuer::with(&[&key]);
    let service = Service::start();
    let server = hooked(&issuer, &service, 600);
    let token = key.sign(&issuer.claims(&server));
    service.says(200, &json!({"subject": "user_1", "active": true, "plan": "pro", "allowance": 3}));
    let profile = server.call_as(&token, "get_profile", json!({}));
    assert_eq!(profile.data()["account_mode"], "hooked");
    assert_eq!((&profile.data()["plan"], &profile.data()["units_per_month"]), (&json!("pro"), &json!(3)));
    for _ in 0..3 {
        assert_eq!(server.call_as(&token, "get_usage", json!({})).data()["allowance"], 3);
    }
    let asked = service.asked.lock().expect("unbroken").clone();
    assert_eq!(asked.len(), 1, "an answer lasts");
    let (head, body) = &asked[0];
    assert_eq!(
        serde_json::from_str::<Value>(body).expect("JSON"),
        json!({"issuer": issuer.name, "subject": "user_1"})
    );
    let field = |name: &str| {
        let line = head.lines().find(|line| line.to_ascii_lowercase().starts_with(name)).expect("a field");
        line.split_once(": ").expect("a value").1.to_owned()
    };
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, SECRET.as_bytes());
    let tag = ring::hmac::sign(&key, format!("v1\n{}\n{body}", field("x-ono-timestamp")).as_bytes());
    let digits: String = tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(field("x-ono-signature"), format!("v1={digits}"));
    let log = server.log();
    for secret in [&SECRET[..12], &SECRET[SECRET.len() - 12..], &token[token.len() - 12..], &digits[..12]] {
        assert!(!log.contains(secret), "a secret stands in the log");
    }
}

#[test]
fn an_inactive_account_is_told_so_and_signing_in_again_is_not_offered() {
    let key = Key::es256("k1");
    let issuer = Issuer::with(&[&key]);
    let service = Service::start();
    let server = hooked(&issuer, &service, 600);
    let token = key.sign(&issuer.claims(&server));
    service.says(200, &json!({"subject": "user_1", "active": false}));
    for tool in ["get_usage", "resolve_artist"] {
        let params = json!({"name": tool, "arguments": {}});
        let answer = server.modern_as(Some(&token), "/mcp", "tools/call", params);
        assert!(answer.result().pointer("/_meta/mcp~1www_authenticate").is_none());
        let envelope = answer.envelope();
        assert_eq!(
            (envelope.error_type(), &envelope.json["error"]["recoverable"]),
            ("unauthorized", &json!(false))
        );
        assert_eq!(envelope.json["meta"]["units"], 0);
    }
    assert_eq!(
        ping(&server, &[&format!("Bearer {token}")]).status,
        200,
        "lists and pings are not about accounts"
    );
}

#[test]
fn a_service_that_fails_or_lies_is_503_for_a_stranger_and_unmetered_for_someone_known_and_recovers() {
    let key = Key::es256("k1");
    let issuer = Issuer::with(&[&key]);
    let service = Service::start();
    let server = hooked(&issuer, &service, 1);
    let token = key.sign(&issuer.claims(&server));
    for (status, lie) in [
        (500, json!({})),
        (200, json!({"subject": "user_2", "active": true})),
        (200, json!({"subject": "user_1", "active": "yes"})),
        (200, json!("x".repeat(600_000))),
        (302, json!({})),
    ] {
        let service = Service::start();
        let server = hooked(&issuer, &service, 600);
        let token = key.sign(&issuer.claims(&server));
        service.says(status, &lie);
        let answer = ping(&server, &[&format!("Bearer {token}")]);
        assert_eq!(answer.status, 503);
        assert!(!answer.headers.contains_key("www-authenticate") && !answer.header("retry-after").is_empty());
        assert_eq!(ping(&server, &[]).status, 200);
    }
    service.says(200, &json!({"subject": "user_1", "active": true}));
    assert!(!server.call_as(&token, "get_usage", json!({})).is_error);
    service.says(500, &json!({}));
    let wait = |wanted: &dyn Fn(&crate::harness::Envelope) -> bool| {
        let begun = std::time::Instant::now();
        loop {
            let answer = server.call_as(&token, "get_usage", json!({}));
            if wanted(&answer) {
                break answer;
            }
            assert!(begun.elapsed() < crate::harness::PATIENCE, "{}", answer.json);
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
    };
    let refused = wait(&|answer| answer.is_error);
    assert_eq!(refused.error_type(), "metering_unavailable");
    assert_eq!(refused.json["error"]["retryable"], true);
    service.says(200, &json!({"subject": "user_1", "active": true}));
    wait(&|answer| !answer.is_error);
}
