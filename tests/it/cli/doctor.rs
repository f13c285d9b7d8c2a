//! `doctor`, over real certificates, databases, issuers and services, good and bad.

mod planted;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use http::Method;
use serde_json::{Value, json};
use time::{Duration, OffsetDateTime};

use super::{code, folder, ono_sendai, ono_sendai_with, stderr, stdout};
use crate::harness::{Demo, JSON};
use crate::pki::private;
use crate::signin::hook::{SECRET, Service, key_file};
use crate::signin::issuer::{Key, key_set};
use crate::signin::tokens::PING;
use crate::sweep::Secrets;
use crate::upstream::peer::{Act, Peer, head, json as json_answer, with};

const KEY: &str = "ck_test_D0cToR0123456789abcdefABCDEF";

/// What the doctor said.
struct Visit {
    code: i32,
    text: String,
    said: String,
}

impl Visit {
    /// The mark and the text of the first line about a part that is not good, or of the first.
    fn of(&self, part: &str) -> (&str, &str) {
        let mut lines = self.text.lines().filter_map(|line| {
            let (mark, rest) = line.split_at_checked(6)?;
            Some((mark.trim(), rest.strip_prefix(part)?.trim()))
        });
        let first =
            lines.next().unwrap_or_else(|| panic!("nothing about {part}: {}{}", self.text, self.said));
        if first.0 == "ok" { lines.find(|(mark, _)| *mark != "ok").unwrap_or(first) } else { first }
    }

    /// What there is to say about a part, which has this mark.
    fn says(&self, part: &str, mark: &str, wanted: &str) {
        let (found, text) = self.of(part);
        assert!(
            found == mark && text.contains(wanted),
            "{part} is not {mark} with {wanted:?}: {}",
            self.text
        );
    }
}

/// A place of its own for a test.
fn place() -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let place = folder(&format!("doctor-{}", NEXT.fetch_add(1, Ordering::Relaxed)));
    let _earlier = std::fs::remove_dir_all(&place);
    std::fs::create_dir_all(&place).expect("a folder");
    place
}

fn visit(place: &Path, data: &Path, server: &str, rest: &str) -> Visit {
    visit_with(&[], place, data, server, rest)
}

fn visit_with(variables: &[(&str, &Path)], place: &Path, data: &Path, server: &str, rest: &str) -> Visit {
    let config = place.join("doctor.toml");
    let text = format!(
        "[server]\nlisten = \"127.0.0.1:0\"\npublic_base = \"https://localhost:8443\"\ndata_dir = \"{}\"\n{server}\n{rest}\n",
        data.display()
    );
    std::fs::write(&config, text).expect("a configuration");
    let output = ono_sendai_with(variables, &["doctor", "--config", config.to_str().expect("text")]);
    Visit { code: code(&output), text: stdout(&output), said: stderr(&output) }
}

fn visit_here(server: &str, rest: &str) -> Visit {
    let place = place();
    visit(&place, &place.join("data"), server, rest)
}

#[test]
fn a_server_that_was_never_started_is_well_and_nothing_is_made() {
    let place = place();
    let seen = visit(&place, &place.join("data"), "", "");
    assert_eq!((seen.code, seen.said.as_str()), (0, ""), "{}", seen.text);
    for part in [
        "configuration",
        "certificate",
        "data folder",
        "database",
        "backups",
        "port",
        "open files",
        "data service",
        "issuer",
        "accounts",
        "clock",
    ] {
        assert_eq!(seen.of(part).0, "ok", "{}", seen.text);
    }
    assert!(!place.join("data").exists(), "a folder was made");
    visit_here("", "[issuer]\nenabled = true\n").says("issuer", "warn", "no password");
}

#[test]
fn mistakes_in_the_file_end_with_2_and_nothing_is_examined() {
    let seen = visit_here("lisen = 1", "[log]\nlevel = \"loud\"\n");
    assert_eq!((seen.code, seen.text.as_str()), (2, ""));
    assert_eq!(seen.said.lines().count(), 2, "{}", seen.said);
    let missing = ono_sendai(&["doctor", "--config", "/proc/none"]);
    assert_eq!(code(&missing), 2);
}

/// Every file below a folder with what it holds.
fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            found.extend(contents(&entry));
        } else if entry.is_file() {
            found.push((entry.clone(), std::fs::read(&entry).expect("a file")));
        }
    }
    found.sort();
    found
}

/// A folder without folders in it.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir(to).expect("a folder");
    for (file, content) in contents(from) {
        std::fs::write(to.join(file.file_name().expect("a name")), content).expect("a file");
    }
}

#[test]
fn a_running_server_is_not_disturbed_and_its_database_is_looked_at_once_it_is_gone() {
    let server = Demo::serving("", "[issuer]\nenabled = true\n");
    let token = server.token_of("somebody");
    let _answer = server.call_as(&token, "resolve_artist", json!({"q": "Four Tet"}));
    let (place, data) = (place(), server.data());
    let seen = visit(&place, &data, "", "");
    assert_eq!(seen.code, 0, "{}", seen.text);
    seen.says("database", "ok", "a server runs on it, and writes");
    seen.says("certificate", "ok", "for localhost");
    assert!(!server.call_as(&token, "resolve_artist", json!({"q": "Aphex Twin"})).is_error, "it goes on");
    server.kill();
    let whole = loop {
        // The system frees the lock when the process has ended.
        let seen = visit(&place, &data, "", "");
        if seen.of("database").1.contains("copy") {
            break seen;
        }
    };
    assert_eq!(whole.code, 0, "{}", whole.text);
    whole.says("database", "ok", "no server runs on it");

    let nowhere = place.join("no-room");
    let elsewhere = visit_with(&[("TMPDIR", &nowhere)], &place, &data, "", "");
    assert_eq!(elsewhere.code, 0, "{}", elsewhere.text);
    elsewhere.says("database", "warn", "could not be looked at");
    elsewhere.says("database", "warn", nowhere.to_str().expect("text"));

    let (now, older) = (data.join("store/db"), place.join("older"));
    copy(&now, &older);
    let server = server.serving_again();
    assert!(!server.call_as(&token, "resolve_artist", json!({"q": "Burial"})).is_error);
    server.kill();
    std::fs::rename(&now, place.join("newer")).expect("it moves");
    copy(&older, &now);
    let behind = loop {
        let seen = visit(&place, &data, "", "");
        if seen.of("database").0 != "warn" {
            break seen;
        }
    };
    assert_eq!(behind.code, 3, "{}", behind.text);
    behind.says("database", "fail", "commits are gone, which had been acknowledged");
    std::fs::remove_dir_all(&now).expect("a folder");
    visit(&place, &data, "", "").says("database", "warn", "it is gone, though there was one");
    std::fs::rename(place.join("newer"), &now).expect("it moves back");

    let database = data.join("store/db/db");
    let mut bytes = std::fs::read(&database).expect("a log");
    let middle = bytes.len() / 3;
    bytes.iter_mut().skip(16).take(middle).for_each(|byte| *byte ^= 0x5a);
    std::fs::write(&database, &bytes).expect("damage");
    let before = contents(&data);
    let broken = visit(&place, &data, "", "");
    assert_eq!(broken.code, 3, "{}", broken.text);
    broken.says("database", "fail", "nothing of it was deleted");
    broken.says("database", "fail", "ono-sendai restore FILE");
    assert!(contents(&data) == before, "something was changed");
}

#[test]
fn a_folder_that_cannot_be_used_is_told_with_what_to_do() {
    let place = place();
    let file = place.join("a-file");
    std::fs::write(&file, "x").expect("a file");
    let seen = visit(&place, &file, "", "");
    assert_eq!(seen.code, 3, "{}", seen.text);
    seen.says("data folder", "fail", "is no folder; make it, or choose another with [server] data_dir");
    let below = visit(&place, &file.join("data"), "", "");
    below.says("data folder", "fail", "is not there, and uid ");
    below.says("data folder", "fail", "choose another with [server] data_dir");
    let nowhere = visit(&place, Path::new("/proc/none/data"), "", "");
    assert_eq!(nowhere.code, 3, "{}", nowhere.text);
    let open = place.join("open");
    std::fs::create_dir(&open).expect("a folder");
    std::fs::set_permissions(&open, std::os::unix::fs::PermissionsExt::from_mode(0o777)).expect("a mode");
    let seen = visit(&place, &open, "", "");
    seen.says("data folder", "warn", "chmod go-w");
    assert_eq!(seen.code, 0);
    assert_eq!(std::fs::read_dir(&open).expect("a folder").count(), 0, "something was left behind");
}

/// A certificate from `from` to `until`, in days from now, signed by `issuer` or by itself; as two files.
fn certificate(place: &Path, name: &str, days: (i64, i64), chain: &[&str]) -> String {
    let now = OffsetDateTime::now_utc();
    let params = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = rcgen::CertificateParams::new(names).expect("names");
        params.not_before = now + Duration::days(days.0);
        params.not_after = now + Duration::days(days.1);
        params
    };
    let key = rcgen::KeyPair::generate().expect("a key");
    let own = params(&[name]);
    let mut authority = params(&[]);
    authority.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    authority.distinguished_name.push(rcgen::DnType::CommonName, "A test authority");
    let authority_key = rcgen::KeyPair::generate().expect("a key");
    let authority_pem = authority.self_signed(&authority_key).expect("a certificate").pem();
    let signer = rcgen::Issuer::new(authority, authority_key);
    let text: String = chain
        .iter()
        .map(|part| match *part {
            "own" => own.signed_by(&key, &signer).expect("a certificate").pem(),
            "self" => own.self_signed(&key).expect("a certificate").pem(),
            "self as issuer" => {
                let mut own = own.clone();
                own.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
                own.self_signed(&key).expect("a certificate").pem()
            }
            "authority" => authority_pem.clone(),
            other => {
                std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(other)).expect("a file")
            }
        })
        .collect();
    let (file, key_file) = (place.join("chain.pem"), place.join("key.pem"));
    std::fs::write(&file, text).expect("a chain");
    private(&key_file, key.serialize_pem());
    format!("[tls]\ncertificate = \"{}\"\nkey = \"{}\"\n", file.display(), key_file.display())
}

#[test]
fn a_certificate_is_judged_by_its_chain_its_name_and_its_days() {
    for (name, days, chain, code, mark, said) in [
        ("localhost", (-1, 60), &["own", "authority"][..], 0, "ok", "for localhost, until"),
        ("localhost", (-1, 60), &["self"], 0, "ok", "for localhost, until"),
        ("localhost", (-1, 60), &["self as issuer"], 3, "fail", "make one that is not (CA:FALSE)"),
        ("localhost", (-1, 10), &["own", "authority"], 0, "warn", "renew it"),
        ("localhost", (-60, -1), &["own", "authority"], 3, "fail", "expired"),
        ("localhost", (2, 60), &["own", "authority"], 3, "fail", "valid from"),
        ("localhost", (-1, 60), &["own"], 0, "warn", "A test authority"),
        (
            "localhost",
            (-1, 60),
            &["own", "tests/it/transport/pem/issuer.pem"],
            3,
            "fail",
            "do not lead from one to the next",
        ),
        ("mcp.example.org", (-1, 60), &["own", "authority"], 3, "fail", "not one of localhost"),
    ] {
        let place = place();
        let tls = certificate(&place, name, days, chain);
        let seen = visit(&place, &place.join("data"), "", &tls);
        seen.says("certificate", mark, said);
        assert_eq!(seen.code, code, "{chain:?} {days:?}: {}", seen.text);
    }
    let place = place();
    let tls = certificate(&place, "localhost", (-1, 60), &["self"]);
    private(&place.join("key.pem"), "no key");
    let seen = visit(&place, &place.join("data"), "", &tls);
    seen.says("certificate", "fail", "key.pem");
    assert_eq!(seen.code, 3);
}

fn over(peer: &Peer) -> Visit {
    let place = place();
    let data = place.join("data");
    let service = format!("[crate]\nbase_url = \"http://127.0.0.1:{}\"\nkey = \"{KEY}\"\n", peer.port);
    visit(&place, &data, "fixture_mode = false", &service)
}

#[test]
fn a_data_service_is_asked_once_with_the_key_and_what_it_says_is_told() {
    let found = r#"{"cluster_id":null,"display":null}"#;
    for (status, code, mark, said) in [
        (200, 0, "ok", "answers, and takes the key"),
        (404, 0, "ok", "answers, and takes the key"),
        (401, 4, "fail", "write a good one at [crate] key"),
        (403, 4, "fail", "write a good one at [crate] key"),
        (402, 4, "fail", "not paid for"),
        (429, 0, "warn", "used up just now"),
        (500, 4, "fail", "answers HTTP 500"),
    ] {
        let peer = Peer::start();
        peer.set("/api/v2/resolve", json_answer(status, found));
        let seen = over(&peer);
        seen.says("data service", mark, said);
        assert_eq!(seen.code, code, "{status}: {}", seen.text);
        let asked = peer.seen("/");
        assert_eq!(asked.iter().filter(|request| request.head.contains(KEY)).count(), 1, "{status}");
        let mut secrets = Secrets::default();
        secrets.add("the key", KEY);
        secrets.assert_absent("what the doctor says", &(seen.text + &seen.said));
    }
    // Whatever stands at its root, and however that ends, it is there.
    let long = head(200, "content-length: 900000\r\n");
    for root in [
        Act::SaysAndFloods(long.clone(), 900_000),
        Act::SaysAndResets(long),
        Act::SaysAndResets(Vec::new()),
        Act::Says(b"no HTTP\r\n\r\n".to_vec()),
    ] {
        let peer = Peer::start();
        peer.set("/", root);
        peer.set("/api/v2/resolve", json_answer(200, found));
        let seen = over(&peer);
        seen.says("data service", "ok", "answers, and takes the key");
        assert_eq!(seen.code, 0, "{}", seen.text);
    }
    let gone = Peer::start().port;
    let service = format!("[crate]\nbase_url = \"http://127.0.0.1:{}\"\nkey = \"{KEY}\"\n", closed(gone));
    let seen = visit_here("fixture_mode = false", &service);
    seen.says("data service", "fail", "correct [crate] base_url");
    assert_eq!(seen.code, 5, "{}", seen.text);
}

/// A port on which nobody listens.
fn closed(other: u16) -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    assert_ne!(port, other);
    port
}

#[test]
fn a_clock_that_is_off_is_told_by_how_much() {
    for (off, code, mark, said) in [
        (0, 0, "ok", "agrees with that of the data service"),
        (30, 0, "warn", "s behind that of the data service"),
        (7_200, 3, "fail", "good tokens are refused"),
        (-7_200, 3, "fail", "s ahead of that of the data service"),
    ] {
        let peer = Peer::start();
        let there = (OffsetDateTime::now_utc() + Duration::seconds(off))
            .format(&time::format_description::well_known::Rfc2822)
            .expect("a date");
        let header = format!("content-type: application/json\r\ndate: {there}\r\n");
        peer.set("/", with(200, &header, b"{}"));
        let seen = over(&peer);
        seen.says("clock", mark, said);
        assert_eq!(seen.code, code, "{off}: {}", seen.text);
    }
}

/// An issuer that says what a client needs, with these changes.
fn issuer(changes: &Value, keys: &Value) -> (Peer, String) {
    let peer = Peer::start();
    let name = format!("http://127.0.0.1:{}", peer.port);
    let mut metadata = json!({
        "issuer": name,
        "jwks_uri": format!("{name}/jwks"),
        "authorization_endpoint": format!("{name}/authorize"),
        "token_endpoint": format!("{name}/token"),
        "registration_endpoint": format!("{name}/register"),
        "code_challenge_methods_supported": ["S256"],
        "scopes_supported": ["openid", "email", "offline_access"],
    });
    for (field, value) in changes.as_object().expect("an object") {
        metadata[field] = value.clone();
    }
    peer.set("/.well-known/openid-configuration", json_answer(200, &metadata.to_string()));
    peer.set("/jwks", json_answer(200, &keys.to_string()));
    (peer, name)
}

#[test]
fn an_issuer_is_held_to_the_configuration_and_to_what_clients_need() {
    let key = Key::es256("k1");
    let keys = key_set(&[&key]);
    for (changes, code, mark, said) in [
        (json!({}), 0, "ok", "clients can register and sign in there"),
        (
            json!({"issuer": "https://other.example"}),
            4,
            "fail",
            "names https://other.example where the configuration has",
        ),
        (json!({"issuer": null}), 4, "fail", "holds no issuer metadata"),
        (json!({"code_challenge_methods_supported": ["plain"]}), 0, "warn", "S256"),
        (json!({"code_challenge_methods_supported": null}), 0, "warn", "S256"),
        (json!({"registration_endpoint": null}), 0, "warn", "cannot register there by themselves"),
        (
            json!({"registration_endpoint": null, "client_id_metadata_document_supported": true}),
            0,
            "ok",
            "clients can register",
        ),
        (json!({"scopes_supported": ["openid"]}), 0, "warn", "email, offline_access"),
        (json!({"token_endpoint": null}), 4, "fail", "no token_endpoint"),
    ] {
        // A field that is null is one that is not there.
        let (_peer, name) = issuer(&changes, &keys);
        let seen = visit_here("", &format!("[auth]\nissuer = \"{name}\"\n"));
        seen.says("issuer ", mark, said);
        assert_eq!(seen.code, code, "{changes}: {}", seen.text);
    }
    let seen = visit_here("", &format!("[auth]\nissuer = \"http://127.0.0.1:{}\"\n", closed(0)));
    seen.says("issuer ", "fail", "correct [auth] issuer");
    assert_eq!(seen.code, 5, "{}", seen.text);
}

#[test]
fn keys_that_cannot_check_a_token_are_told() {
    let (es, ed) = (Key::es256("k1"), Key::ed25519("k2"));
    for (keys, auth, code, mark, said) in [
        (key_set(&[&es, &ed]), "", 0, "ok", "has 2 that can check tokens"),
        (key_set(&[&es, &ed]), "algorithms = [\"EdDSA\"]", 0, "ok", "has 1 that can check tokens with EdDSA"),
        (key_set(&[&es]), "algorithms = [\"RS256\"]", 4, "fail", "has no key for RS256"),
        (json!({"keys": []}), "", 4, "fail", "has no key for"),
        (json!([]), "", 4, "fail", "not a JSON object with a list of keys"),
    ] {
        let (_peer, name) = issuer(&json!({}), &keys);
        let seen = visit_here("", &format!("[auth]\nissuer = \"{name}\"\n{auth}\n"));
        seen.says("issuer's keys", mark, said);
        assert_eq!(seen.code, code, "{keys}: {}", seen.text);
    }
    let (_peer, name) = issuer(&json!({}), &key_set(&[&es]));
    let auth = format!("[auth]\nissuer = \"{name}\"\njwks_uri = \"http://127.0.0.1:{}/jwks\"\n", closed(0));
    let seen = visit_here("", &auth);
    seen.says("issuer's keys", "fail", "correct [auth] jwks_uri");
    assert_eq!(seen.code, 5, "{}", seen.text);
    // What follows the path may be a secret, and so may a name before the host, which an issuer might publish.
    let secret = "s3cr3t-0f-the-key-set";
    let mut secrets = Secrets::default();
    secrets.add("a part of an address", secret);
    for at in [0, closed(0)] {
        let (peer, name) = issuer(&json!({}), &key_set(&[&es]));
        let port = if at == 0 { peer.port } else { at };
        let configured = format!("jwks_uri = \"http://127.0.0.1:{port}/jwks?code={secret}\"\n");
        let auth = format!("[auth]\nissuer = \"{name}\"\n{configured}");
        let published =
            json!({"jwks_uri": format!("http://me:{secret}@127.0.0.1:{port}/jwks?code={secret}")});
        let (_other, name) = issuer(&published, &key_set(&[&es]));
        for seen in [visit_here("", &auth), visit_here("", &format!("[auth]\nissuer = \"{name}\"\n"))] {
            seen.says(
                "issuer's keys",
                if at == 0 { "ok" } else { "fail" },
                &format!("http://127.0.0.1:{port}/jwks"),
            );
            secrets.assert_absent("what the doctor says", &(seen.text + &seen.said));
        }
        if at == 0 {
            let asked = peer.seen("/jwks");
            assert!(
                !asked.is_empty() && asked.iter().all(|asked| asked.target.ends_with(secret)),
                "{asked:?}"
            );
        }
    }
}

#[test]
fn an_account_service_is_asked_about_nobody() {
    let key = Key::es256("k1");
    let (_peer, name) = issuer(&json!({}), &key_set(&[&key]));
    let visited = |service: &Service, address: &str| {
        let rest = format!(
            "[auth]\nissuer = \"{name}\"\n[accounts]\nmode = \"hooked\"\nservice_url = \"{address}\"\nservice_key_file = \"{}\"\n",
            key_file(service).display()
        );
        visit_here("", &rest)
    };
    for (status, says, code, mark, said) in [
        (404, json!({}), 0, "ok", "answers a signed question about nobody"),
        (200, json!({"subject": "ono-sendai doctor", "active": false}), 0, "ok", "answers"),
        (200, json!({"subject": "other", "active": true}), 4, "fail", "cannot be believed"),
        (401, json!({}), 4, "fail", "refuses the signature"),
        (500, json!({}), 4, "fail", "HTTP 500"),
    ] {
        let service = Service::start();
        service.says(status, &says);
        let seen = visited(&service, &service.address);
        seen.says("accounts", mark, said);
        assert_eq!(seen.code, code, "{status}: {}", seen.text);
        assert_eq!(service.asked().len(), 1);
        let mut secrets = Secrets::default();
        secrets.add("the secret", SECRET);
        secrets.assert_absent("what the doctor says", &(seen.text + &seen.said));
    }
    let service = Service::start();
    let seen = visited(&service, &format!("http://127.0.0.1:{}/accounts", closed(0)));
    seen.says("accounts", "fail", "correct [accounts] service_url");
    assert_eq!(seen.code, 5, "{}", seen.text);
    let open_file = key_file(&service);
    std::fs::set_permissions(&open_file, std::os::unix::fs::PermissionsExt::from_mode(0o644))
        .expect("a mode");
    let rest = format!(
        "[auth]\nissuer = \"{name}\"\n[accounts]\nmode = \"hooked\"\nservice_url = \"{}\"\nservice_key_file = \"{}\"\n",
        service.address,
        open_file.display()
    );
    let open = visit_here("", &rest);
    open.says("accounts", "fail", "chmod 600");
    assert_eq!(open.code, 3, "{}", open.text);
}

#[test]
fn what_is_wrong_here_goes_before_what_is_wrong_elsewhere() {
    let peer = Peer::start();
    peer.set("/api/v2/resolve", json_answer(401, "{}"));
    let service = format!("[crate]\nbase_url = \"http://127.0.0.1:{}\"\nkey = \"{KEY}\"\n", peer.port);
    let auth = format!("[auth]\nissuer = \"http://127.0.0.1:{}\"\n", closed(0));
    let seen = visit_here("fixture_mode = false", &format!("{service}{auth}"));
    assert_eq!(seen.code, 4, "{}", seen.text);
    seen.says("issuer ", "fail", "refused");
    let place = place();
    let seen =
        visit(&place, Path::new("/proc/none/data"), "fixture_mode = false", &format!("{service}{auth}"));
    assert_eq!(seen.code, 3, "{}", seen.text);
}

#[test]
fn a_well_server_over_a_real_issuer_is_well() {
    let server = Demo::serving("", "[issuer]\nenabled = true\n");
    assert_eq!(server.send(Method::POST, "/mcp", &[JSON, ("accept", "application/json")], PING).status, 200);
    let rest = format!(
        "[auth]\nissuer = \"{}\"\nca_file = \"{}\"\n",
        server.url("/issuer"),
        server.certificate.display()
    );
    let seen = visit_here("", &rest);
    assert_eq!(seen.code, 0, "{}", seen.text);
    seen.says("issuer ", "ok", "clients can register and sign in there");
    seen.says("issuer's keys", "ok", "has 1");
    // Without its certificate it is not believed.
    let seen = visit_here("", &format!("[auth]\nissuer = \"{}\"\n", server.url("/issuer")));
    assert_eq!(seen.code, 5, "{}", seen.text);
}
