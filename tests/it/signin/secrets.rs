//! No part of any secret is ever written, at the most verbose level, whatever happens: signing in, calling, asking the
//! account service and the data service, failing at each of them.

use http::Method;
use serde_json::json;

use super::builtin::{
    CALLBACK, FORM, VERIFIER, authorize, called_back, code_for, decide, exchange, field, form, registered,
    sealed, token,
};
use super::hook::{SECRET, Service, key_file};
use super::issuer::{Answers, Issuer, Key, key_set, now_s};
use super::tokens::{PING, ping};
use crate::harness::{Demo, JSON};
use crate::sweep::{Secrets, WINDOW};
use crate::upstream::peer::{Act, Peer, json as json_answer};

const KEY: &str = "ck_test_Wh1sPeR0123456789abcdefABCD";

#[test]
fn nothing_of_a_token_a_key_or_a_signature_is_written_with_an_issuer_a_hook_and_a_data_service() {
    let (key, attacker) = (Key::es256("k1"), Key::es256("k1"));
    let issuer = Issuer::with(&[&key]);
    let accounts = Service::start();
    let crate_peer = Peer::start();
    let rest = format!(
        "[accounts]\nmode = \"hooked\"\nservice_url = \"{}\"\nservice_key_file = \"{}\"\nservice_cache_s = 1\n\
         [crate]\nbase_url = \"http://127.0.0.1:{}\"\nkey = \"{KEY}\"\n[log]\nlevel = \"trace\"\n",
        accounts.address,
        key_file(&accounts).display(),
        crate_peer.port
    );
    let sections = format!(
        "[auth]\nissuer = \"{}\"\n[anonymous]\nrequests_per_second = 10000\nrequests_burst = 100000\n{rest}",
        issuer.name
    );
    let server = Demo::serving("fixture_mode = false", &sections);
    let mut secrets = Secrets::default();
    secrets.add("the key of the data service", KEY);
    secrets.add("the secret of the account service", SECRET);

    accounts.says(200, &json!({"subject": "user_1", "active": true}));
    let good = key.sign(&issuer.claims(&server));
    secrets.add_token("a good token", &good);
    let _answer = server.call_as(&good, "get_profile", json!({}));

    // The data service refuses the key and says it back, breaks off, answers nonsense, and is gone.
    for act in [
        json_answer(401, &format!(r#"{{"error":"invalid_api_key","key":"{KEY}"}}"#)),
        json_answer(500, &format!(r#"{{"error":"{KEY}"}}"#)),
        json_answer(200, &format!("{{\"{KEY}\"")),
        Act::SaysAndResets(Vec::new()),
    ] {
        crate_peer.set("/api/v2", act);
        let _failed = server.call_as(&good, "resolve_artist", json!({"q": "Four Tet"}));
        let _failed = server.call_as(&good, "search_catalog", json!({"q": "Four Tet"}));
    }

    // Tokens that are refused, in every place that a client may put them.
    let mut claims = issuer.claims(&server);
    claims["exp"] = json!(now_s() - 3_600);
    let ended = key.sign(&claims);
    let forged = attacker.sign(&issuer.claims(&server));
    let unsigned = format!("{}.", good.rsplit_once('.').expect("three parts").0);
    for (name, bad) in
        [("an ended token", &ended), ("a forged token", &forged), ("an unsigned token", &unsigned)]
    {
        secrets.add_token(name, bad);
        for path in ["/mcp", "/mcp/linked"] {
            for body in [PING, "{", bad.as_str()] {
                let bearer = format!("Bearer {bad}");
                let headers = [JSON, ("accept", "application/json"), ("authorization", bearer.as_str())];
                server.send(Method::POST, path, &headers, body);
            }
            let basic = format!("Basic {bad}");
            server.send(Method::POST, path, &[JSON, ("authorization", &basic)], PING);
            server.send(Method::GET, &format!("{path}?access_token={bad}"), &[], "");
            server.send(Method::POST, &format!("{path}?access_token={bad}"), &[JSON, ("cookie", bad)], PING);
            let two = [JSON, ("authorization", basic.as_str()), ("authorization", basic.as_str())];
            server.send(Method::POST, path, &two, PING);
            let argument = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {"name": "resolve_artist", "arguments": {"q": bad, "token": bad}}});
            server.send(
                Method::POST,
                path,
                &[JSON, ("x-api-key", bad), ("x-request-id", bad)],
                argument.to_string(),
            );
        }
    }

    // The issuer turns its keys over.
    let next = Key::ed25519("k2");
    issuer.answers(Answers::Document(key_set(&[&next])));
    let token = next.sign(&issuer.claims(&server));
    secrets.add_token("a token of a new key", &token);
    let _told = ping(&server, &[&format!("Bearer {token}")]);

    // The account service calls somebody inactive, and then is down.
    for (subject, status) in [("user_2", 200), ("user_3", 500)] {
        accounts.says(status, &json!({"subject": subject, "active": false}));
        let mut claims = issuer.claims(&server);
        claims["sub"] = json!(subject);
        let token = key.sign(&claims);
        secrets.add_token("a token", &token);
        let bearer = format!("Bearer {token}");
        assert_eq!(ping(&server, &[&bearer]).status, if status == 200 { 200 } else { 503 });
        server.send(Method::POST, "/mcp/linked", &[JSON, ("authorization", &bearer)], PING);
    }
    // What was sent to the account service to prove who asks.
    for (head, _) in accounts.asked() {
        let signature = head.lines().find(|line| line.to_ascii_lowercase().starts_with("x-ono-signature"));
        secrets.add("a signature", signature.expect("a signature").split_once("v1=").expect("a version").1);
    }
    server.stop();
    let log = server.log_to_its_end();
    assert!(secrets.count() >= 15 && log.lines().count() > 30, "{} secrets, {log}", secrets.count());
    secrets.assert_absent("stderr", &log);
    secrets.assert_absent("stdout", &server.printed());

    // The same search finds what does stand there: the log is a real one.
    let mut control = Secrets::default();
    control.add("what the account service answered", "it answered HTTP 500");
    assert!(!control.leaks(&log).is_empty(), "a log at its most detailed says why: {log}");

    // An issuer that never gives its keys.
    let failing = Issuer::with(&[]);
    failing.answers(Answers::Status(500));
    let other = failing.server("", "[log]\nlevel = \"trace\"\n");
    let token = key.sign(&failing.claims(&other));
    secrets.add_token("a token that cannot be checked", &token);
    assert_eq!(ping(&other, &[&format!("Bearer {token}")]).status, 503);
    other.stop();
    let log = other.log_to_its_end();
    secrets.assert_absent("stderr", &log);
    let mut control = Secrets::default();
    control.add("the issuer's address", &failing.name);
    assert!(!control.leaks(&log).is_empty(), "it says who cannot be asked: {log}");
}

#[test]
fn nothing_of_a_code_a_token_or_the_issuers_key_is_written_with_the_built_in_issuer() {
    let server = Demo::serving(
        "",
        "[issuer]\nenabled = true\n[anonymous]\nrequests_per_second = 10000\nrequests_burst = 100000\n[log]\nlevel = \"trace\"\n",
    );
    let mut secrets = Secrets::default();
    let pem = std::fs::read_to_string(server.data().join("issuer-key.pem")).expect("a key");
    for line in pem.lines().filter(|line| !line.starts_with("-----") && line.len() >= WINDOW) {
        secrets.add("the key of the issuer", line);
    }
    let own = std::fs::read(server.data().join("store/key")).expect("a key");
    secrets.add("the key of the store", &own.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    secrets.add("the key of the store", &super::issuer::b64(&own));
    secrets.add("a verifier", VERIFIER);
    let client = registered(&server);

    let page = authorize(&server, &[], &client);
    let request = sealed(&page);
    secrets.add("a sealed request", request.rsplit_once('.').expect("a seal").1);
    let _refused = decide(&server, &format!("{request}x"), "x", "allow");
    let _denied = decide(&server, &request, "x", "deny");
    let code = field(&called_back(&decide(&server, &request, "x", "allow")), "code").to_owned();
    secrets.add("a code", &code);
    let _wrong = exchange(
        &server,
        &client,
        &code,
        &[("code_verifier", "another-verifier-of-forty-three-characters-1234")],
    );
    let code = code_for(&server, &client, "x");
    secrets.add("another code", &code);
    let tokens = exchange(&server, &client, &code, &[]).json();
    let access = tokens["access_token"].as_str().expect("a token").to_owned();
    let refresh = tokens["refresh_token"].as_str().expect("a token").to_owned();
    secrets.add_token("an access token", &access);
    secrets.add("a refresh token", refresh.rsplit_once('.').expect("a seal").1);
    let _again = exchange(&server, &client, &code, &[]);
    let refreshed = |refresh: &str| {
        token(&server, &[("grant_type", "refresh_token"), ("client_id", &client), ("refresh_token", refresh)])
            .json()
    };
    let next = refreshed(&refresh);
    secrets.add_token("a refreshed token", next["access_token"].as_str().expect("a token"));
    secrets.add(
        "a second refresh token",
        next["refresh_token"].as_str().expect("a token").rsplit_once('.').expect("a seal").1,
    );
    let _used = refreshed(&refresh);
    let _none = refreshed(&access);
    // In the wrong places: the address of the token endpoint, a broken body.
    let fields = form(&[("grant_type", "authorization_code"), ("code", &code), ("redirect_uri", CALLBACK)]);
    server.send(Method::POST, &format!("/issuer/token?{fields}"), &[FORM], fields.clone());
    server.send(Method::GET, &format!("/issuer/token?{fields}"), &[], "");
    server.send(
        Method::POST,
        "/issuer/token",
        &[JSON],
        json!({"code": code, "refresh_token": refresh}).to_string(),
    );
    for tool in ["get_profile", "get_usage", "search_catalog", "get_artist"] {
        let _answer = server.call_as(&access, tool, json!({"q": access, "key": refresh}));
    }
    let printed = server.token_of("somebody");
    secrets.add_token("a token that was printed", &printed);
    let _answer = server.call_as(&printed, "get_usage", json!({}));
    server.stop();
    let log = server.log_to_its_end();
    assert!(secrets.count() >= 12 && log.lines().count() > 5, "{} secrets, {log}", secrets.count());
    secrets.assert_absent("stderr", &log);
    secrets.assert_absent("stdout", &server.printed());
}

#[test]
fn a_demo_prints_its_token_in_one_line_and_nowhere_else() {
    let demo = Demo::start();
    let _answer = demo.call_signed_in("get_usage", json!({}));
    let mut secrets = Secrets::default();
    secrets.add_token("the token", demo.token());
    demo.stop();
    let log = demo.log_to_its_end();
    secrets.assert_absent("stderr", &log);
    secrets.assert_absent("the rest of stdout", &demo.printed());
}
