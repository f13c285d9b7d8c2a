//! Accounts that a service of the operator knows: asked, late, lying, gone.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::issuer::{Issuer, Key};
use super::tokens::ping;
use crate::harness::{Demo, evidence};
use crate::sweep::Secrets;

pub const SECRET: &str = "0123456789abcdef0123456789abcdef-s3cr3t";

/// What the service says to the next questions, and what it was asked.
#[derive(Clone)]
pub struct Service {
    pub address: String,
    says: Arc<Mutex<(u16, String)>>,
    /// How long it thinks before it answers.
    waits: Arc<Mutex<Duration>>,
    asked: Arc<Mutex<Vec<(String, String)>>>,
}

impl Service {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}/accounts", listener.local_addr().expect("an address"));
        let says = Arc::new(Mutex::new((500, String::new())));
        let service = Self { address, says, waits: Arc::default(), asked: Arc::default() };
        let every = service.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let own = every.clone();
                std::thread::spawn(move || own.serve(stream));
            }
        });
        service
    }

    fn serve(&self, mut stream: TcpStream) {
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
        let signature = head.lines().find_map(|line| line.split_once("v1="));
        evidence::secret("a signature", signature.map_or("", |(_, signature)| signature.trim()));
        self.asked.lock().expect("unbroken").push((head.to_owned(), body.to_owned()));
        let wait = *self.waits.lock().expect("unbroken");
        std::thread::sleep(wait);
        let (status, says) = self.says.lock().expect("unbroken").clone();
        let _gone = write!(
            stream,
            "HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{says}",
            says.len()
        );
    }

    /// From now on it thinks so long before it answers.
    fn waits(&self, wait: Duration) {
        *self.waits.lock().expect("unbroken") = wait;
    }

    /// What it was asked so far: head and body.
    pub fn asked(&self) -> Vec<(String, String)> {
        self.asked.lock().expect("unbroken").clone()
    }

    pub fn says(&self, status: u16, body: &Value) {
        *self.says.lock().expect("unbroken") = (status, body.to_string());
    }
}

/// The file with the secret that a server shares with this service.
pub fn key_file(service: &Service) -> std::path::PathBuf {
    let port = service.address.rsplit(':').next().and_then(|rest| rest.split('/').next()).expect("a port");
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join(format!("hook-{}-{port}", std::process::id()));
    std::fs::write(&file, SECRET).expect("a file");
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("a mode");
    file
}

fn hooked(issuer: &Issuer, service: &Service, cache_s: u32) -> Demo {
    let rest = format!(
        "[accounts]\nmode = \"hooked\"\nunits_per_month = 10000\nservice_url = \"{}\"\nservice_key_file = \"{}\"\nservice_cache_s = {cache_s}\n[log]\nlevel = \"trace\"\n",
        service.address,
        key_file(service).display()
    );
    issuer.server("", &rest)
}

#[test]
fn a_query_in_the_address_of_the_service_is_part_of_it_and_never_written() {
    const SECRET_QUERY: &str = "code=Qu3ry-0f-the-account-service";
    let key = Key::es256("k1");
    let issuer = Issuer::with(&[&key]);
    let mut service = Service::start();
    service.address = format!("{}?{SECRET_QUERY}", service.address);
    let server = hooked(&issuer, &service, 1);
    let token = key.sign(&issuer.claims(&server));
    service.says(200, &json!({"subject": "user_1", "active": true}));
    assert!(!server.call_as(&token, "get_usage", json!({})).is_error);
    let (head, _) = &service.asked()[0];
    assert!(head.starts_with(&format!("POST /accounts?{SECRET_QUERY} HTTP/1.1")), "{head}");
    // Nor when the service fails, which is logged.
    service.says(500, &json!({}));
    let mut claims = issuer.claims(&server);
    claims["sub"] = json!("user_2");
    assert_eq!(ping(&server, &[&format!("Bearer {}", key.sign(&claims))]).status, 503);
    let mut secrets = Secrets::default();
    secrets.add("the query", SECRET_QUERY);
    let log = server.log();
    assert!(log.contains("HTTP 500"), "{log}");
    secrets.assert_absent("stderr", &log);
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

#[test]
fn an_account_that_becomes_inactive_is_refused_within_the_cache_time() {
    let key = Key::es256("k1");
    let issuer = Issuer::with(&[&key]);
    let service = Service::start();
    let server = hooked(&issuer, &service, 2);
    let token = key.sign(&issuer.claims(&server));
    service.says(200, &json!({"subject": "user_1", "active": true}));
    assert!(!server.call_as(&token, "get_usage", json!({})).is_error);
    let begun = Instant::now();
    service.says(200, &json!({"subject": "user_1", "active": false}));
    let refused = loop {
        let answer = server.call_as(&token, "get_usage", json!({}));
        if answer.is_error {
            break answer;
        }
        assert!(begun.elapsed() < crate::harness::PATIENCE, "it is still served");
        std::thread::sleep(Duration::from_millis(50));
    };
    assert_eq!(service.asked().len(), 2, "the first answer lasted, and the next one was believed at once");
    assert_eq!(
        (refused.error_type(), &refused.json["error"]["recoverable"]),
        ("unauthorized", &json!(false))
    );
    // So is one that the service does not know any more.
    service.says(404, &json!({}));
    let other = key.sign(&{
        let mut claims = issuer.claims(&server);
        claims["sub"] = json!("user_unknown");
        claims
    });
    assert_eq!(server.call_as(&other, "get_usage", json!({})).error_type(), "unauthorized");
}

#[test]
fn a_slow_service_is_503_in_time_holds_up_nobody_else_and_recovers_by_itself() {
    let key = Key::es256("k1");
    let issuer = Issuer::with(&[&key]);
    let service = Service::start();
    let server = hooked(&issuer, &service, 600);
    service.says(200, &json!({"subject": "user_1", "active": true}));
    service.waits(Duration::from_secs(10));
    let bearer = format!("Bearer {}", key.sign(&issuer.claims(&server)));
    std::thread::scope(|scope| {
        let begun = Instant::now();
        let (server, bearer) = (&server, &bearer);
        for _ in 0..5 {
            scope.spawn(move || {
                let answer = ping(server, &[bearer]);
                assert_eq!(answer.status, 503);
                assert!(!answer.headers.contains_key("www-authenticate"));
                assert!(answer.header("retry-after").parse::<u32>().is_ok_and(|seconds| seconds >= 1));
                assert!(begun.elapsed() < Duration::from_secs(6), "{:?}", begun.elapsed());
            });
        }
        let own = Instant::now();
        assert!(!server.call("resolve_artist", json!({"q": "Four Tet"})).is_error);
        assert!(own.elapsed() < Duration::from_secs(2), "{:?}", own.elapsed());
    });
    assert_eq!(service.asked().len(), 1, "one question for all that wait, and none while it is left alone");
    service.waits(Duration::ZERO);
    let begun = Instant::now();
    while ping(&server, &[&bearer]).status != 200 {
        assert!(begun.elapsed() < crate::harness::PATIENCE, "it does not recover");
        std::thread::sleep(Duration::from_millis(100));
    }
}
