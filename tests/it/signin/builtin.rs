//! The built-in issuer, asked as a client asks it: registration, consent, code, token, refresh.

use std::io::{ErrorKind, Read as _, Write as _};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::Method;
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};
use url::Url;
use url::form_urlencoded::Serializer;

use crate::harness::{Answer, Demo, JSON};

pub const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");
pub const VERIFIER: &str = "a-verifier-of-forty-three-characters-or-more-12345";
pub const CALLBACK: &str = "http://127.0.0.1:53682/callback";

pub fn form(fields: &[(&str, &str)]) -> String {
    Serializer::new(String::new()).extend_pairs(fields).finish()
}

fn challenge() -> String {
    URL_SAFE_NO_PAD.encode(digest(&SHA256, VERIFIER.as_bytes()))
}

fn register(demo: &Demo, metadata: &Value) -> Answer {
    demo.send(Method::POST, "/issuer/register", &[JSON], metadata.to_string())
}

pub fn registered(demo: &Demo) -> String {
    let answer = register(demo, &json!({"client_name": "Test <b>client</b>", "redirect_uris": [CALLBACK]}));
    assert_eq!(answer.status, 201, "{answer:?}");
    answer.json()["client_id"].as_str().expect("an id").to_owned()
}

pub fn authorize(demo: &Demo, changes: &[(&str, &str)], client: &str) -> Answer {
    let (mcp, challenge) = (demo.url("/mcp"), challenge());
    let mut fields = vec![
        ("response_type", "code"),
        ("client_id", client),
        ("redirect_uri", CALLBACK),
        ("code_challenge", challenge.as_str()),
        ("code_challenge_method", "S256"),
        ("state", "st&te"),
        ("scope", "openid offline_access unheard_of"),
        ("resource", mcp.as_str()),
    ];
    for (name, value) in changes {
        fields.retain(|(of, _)| of != name);
        if !value.is_empty() {
            fields.push((name, value));
        }
    }
    demo.send(Method::GET, &format!("/issuer/authorize?{}", form(&fields)), &[], "")
}

pub fn sealed(page: &Answer) -> String {
    let html = String::from_utf8(page.body.to_vec()).expect("text");
    let rest = html.split_once("name=\"request\" value=\"").unwrap_or_else(|| panic!("{html}")).1;
    rest.split_once('"').expect("an end").0.to_owned()
}

pub fn decide(demo: &Demo, request: &str, name: &str, decision: &str) -> Answer {
    let origin = demo.url("");
    let body = form(&[("request", request), ("name", name), ("decision", decision)]);
    demo.send(Method::POST, "/issuer/authorize", &[FORM, ("origin", &origin)], body)
}

/// The fields at the client's address.
pub fn called_back(answer: &Answer) -> Vec<(String, String)> {
    assert_eq!(answer.status, 303, "{answer:?}");
    let url = Url::parse(answer.header("location")).expect("an address");
    assert!(url.as_str().starts_with(CALLBACK), "{url}");
    url.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
}

pub fn field<'a>(fields: &'a [(String, String)], name: &str) -> &'a str {
    fields.iter().find(|(of, _)| of == name).map_or("", |(_, value)| value)
}

pub fn token(demo: &Demo, fields: &[(&str, &str)]) -> Answer {
    demo.send(Method::POST, "/issuer/token", &[FORM], form(fields))
}

pub fn code_for(demo: &Demo, client: &str, name: &str) -> String {
    let page = authorize(demo, &[], client);
    assert_eq!(page.status, 200, "{page:?}");
    let fields = called_back(&decide(demo, &sealed(&page), name, "allow"));
    assert_eq!((field(&fields, "state"), field(&fields, "iss")), ("st&te", demo.url("/issuer").as_str()));
    field(&fields, "code").to_owned()
}

pub fn exchange(demo: &Demo, client: &str, code: &str, changes: &[(&str, &str)]) -> Answer {
    let mcp = demo.url("/mcp");
    let mut fields = vec![
        ("grant_type", "authorization_code"),
        ("client_id", client),
        ("code", code),
        ("redirect_uri", CALLBACK),
        ("code_verifier", VERIFIER),
        ("resource", mcp.as_str()),
    ];
    for (name, value) in changes {
        fields.retain(|(of, _)| of != name);
        fields.push((name, value));
    }
    token(demo, &fields)
}

#[test]
fn a_person_signs_in_and_the_client_calls_and_refreshes() {
    let demo = Demo::shared();
    let document = demo.send(Method::GET, "/.well-known/oauth-protected-resource/mcp/linked", &[], "").json();
    let issuer = document["authorization_servers"][0].as_str().expect("an issuer").to_owned();
    let metadata = demo.send(Method::GET, "/.well-known/oauth-authorization-server/issuer", &[], "").json();
    assert_eq!(metadata["issuer"], issuer);
    assert_eq!(metadata["code_challenge_methods_supported"], json!(["S256"]));
    let client = registered(demo);
    let code = code_for(demo, &client, "Ada Lovelace");
    let answer = exchange(demo, &client, &code, &[]);
    assert_eq!((answer.status, answer.header("cache-control")), (200, "no-store"), "{answer:?}");
    let tokens = answer.json();
    assert_eq!(
        (&tokens["token_type"], &tokens["scope"]),
        (&json!("Bearer"), &json!("openid offline_access"))
    );
    let access = tokens["access_token"].as_str().expect("a token");
    assert_eq!(demo.call_as(access, "get_usage", json!({})).data()["used"], 0);
    assert_eq!(exchange(demo, &client, &code, &[]).json()["error"], "invalid_grant", "a code is good once");
    let refresh = tokens["refresh_token"].as_str().expect("a token");
    let refreshed = |client: &str, refresh: &str| {
        token(demo, &[("grant_type", "refresh_token"), ("client_id", client), ("refresh_token", refresh)])
    };
    assert_eq!(refreshed("other", refresh).json()["error"], "invalid_grant");
    let next = refreshed(&client, refresh).json();
    let access = next["access_token"].as_str().expect("a token");
    assert!(!demo.call_as(access, "get_profile", json!({})).is_error);
    assert_eq!(refreshed(&client, refresh).json()["error"], "invalid_grant", "a refresh token is good once");
    assert_eq!(refreshed(&client, access).json()["error"], "invalid_grant", "an access token is none");
}

#[test]
fn the_page_can_be_read_and_runs_nothing() {
    let demo = Demo::shared();
    let page = authorize(demo, &[], &registered(demo));
    let html = String::from_utf8(page.body.to_vec()).expect("text");
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    for wanted in [
        "lang=\"en\"",
        "<label for=\"name\">",
        "Allow</button>",
        "Deny</button>",
        "http://127.0.0.1:53682",
        "no password",
        "&lt;b&gt;client",
    ] {
        assert!(html.contains(wanted), "{wanted} is not in {html}");
    }
    assert!(!html.contains("<script") && !html.contains("<b>client"), "{html}");
    assert!(html.matches("https://").count() <= 1, "only the server itself is named: {html}");
    let policy = page.header("content-security-policy");
    assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
    assert!(policy.contains("form-action 'self' http://127.0.0.1:53682"), "{policy}");
    assert_eq!(page.header("referrer-policy"), "same-origin");
}

#[test]
fn what_is_wrong_is_said_to_the_person_or_to_the_client_as_it_is_safe() {
    let demo = Demo::shared();
    let client = registered(demo);
    for changes in [
        ("client_id", "unknown"),
        ("client_id", ""),
        ("redirect_uri", "http://127.0.0.1:53682/other"),
        ("redirect_uri", "https://evil.example/callback"),
        ("client_id", "https://127.0.0.1/client.json"),
        ("client_id", "https://localhost/client.json"),
    ] {
        let answer = authorize(demo, &[changes], &client);
        assert_eq!((answer.status, answer.header("location")), (400, ""), "{changes:?}");
        assert_eq!(answer.header("content-type"), "text/html; charset=utf-8", "{changes:?}");
    }
    for (changes, error) in [
        (("response_type", "token"), "unsupported_response_type"),
        (("code_challenge", ""), "invalid_request"),
        (("code_challenge_method", "plain"), "invalid_request"),
        (("code_challenge_method", ""), "invalid_request"),
        (("code_challenge", "short"), "invalid_request"),
        (("resource", "https://other.example/mcp"), "invalid_target"),
    ] {
        let fields = called_back(&authorize(demo, &[changes], &client));
        assert_eq!((field(&fields, "error"), field(&fields, "state")), (error, "st&te"), "{changes:?}");
    }
    for resource in ["/mcp", "/mcp/", "/mcp/full", "/mcp/linked", "/mcp/full/linked"] {
        assert_eq!(authorize(demo, &[("resource", &demo.url(resource))], &client).status, 200, "{resource}");
    }
    let request = sealed(&authorize(demo, &[], &client));
    assert_eq!(field(&called_back(&decide(demo, &request, "x", "deny")), "error"), "access_denied");
    let again = decide(demo, &request, " ", "allow");
    assert!(String::from_utf8_lossy(&again.body).contains("role=\"alert\""), "{again:?}");
    assert_eq!(decide(demo, "forged.request", "x", "allow").status, 400);
    let foreign = form(&[("request", &request), ("name", "x"), ("decision", "allow")]);
    let foreign =
        demo.send(Method::POST, "/issuer/authorize", &[FORM, ("origin", "https://evil.example")], foreign);
    assert_eq!(foreign.status, 403, "a foreign page cannot decide");
}

#[test]
fn a_code_is_worth_nothing_to_anyone_else() {
    let demo = Demo::shared();
    let client = registered(demo);
    for change in [
        ("client_id", "other"),
        ("code_verifier", "another-verifier-of-forty-three-characters-1234"),
        ("code_verifier", ""),
        ("code_verifier", "too-short"),
        ("code_verifier", "characters that RFC 7636 does not have, but enough of them"),
        ("redirect_uri", "http://127.0.0.1:53682/other"),
        ("code", "0123456789abcdef0123456789abcdef"),
    ] {
        let code = code_for(demo, &client, "x");
        let answer = exchange(demo, &client, &code, &[change]);
        assert_eq!((answer.status, &answer.json()["error"]), (400, &json!("invalid_grant")), "{change:?}");
    }
    let code = code_for(demo, &client, "x");
    let other = exchange(demo, &client, &code, &[("resource", "https://other.example")]);
    assert_eq!(other.json()["error"], "invalid_target");
    assert_eq!(token(demo, &[("grant_type", "password")]).json()["error"], "unsupported_grant_type");
}

#[test]
fn only_clients_with_safe_addresses_and_no_secret_are_registered() {
    let demo = Demo::shared();
    for bad in [
        json!({"redirect_uris": []}),
        json!({}),
        json!([]),
        json!({"redirect_uris": ["javascript:alert(1)"]}),
        json!({"redirect_uris": ["http://example.org/cb"]}),
        json!({"redirect_uris": [CALLBACK], "token_endpoint_auth_method": "client_secret_basic"}),
        json!({"redirect_uris": [CALLBACK], "grant_types": ["implicit"]}),
    ] {
        assert_eq!(register(demo, &bad).status, 400, "{bad}");
    }
    for path in ["/issuer/register", "/issuer/token"] {
        let get = demo.send(Method::GET, path, &[], "");
        assert_eq!((get.status, get.header("allow")), (405, "POST"), "{path}");
        let preflight = [("origin", "http://localhost:6274"), ("access-control-request-method", "POST")];
        let answer = demo.send(Method::OPTIONS, path, &preflight, "");
        assert_eq!(answer.status, 204, "{path}");
        assert!(answer.header("access-control-allow-methods").contains("POST"), "{path}");
    }
}

#[test]
fn a_public_server_refuses_to_run_it() {
    let text = "[server]\npublic = true\n[issuer]\nenabled = true\n";
    let errors = ono_sendai::config::Config::parse("c", text).unwrap_err().to_string();
    assert!(errors.contains("issuer.enabled: found true together with public = true"), "{errors}");
}

#[test]
fn a_form_that_comes_too_slowly_is_gone_within_its_time() {
    const MAY_TAKE: Duration = Duration::from_secs(1);
    /// For the answer to be taken, and for a machine with other things to do.
    const LATER: Duration = Duration::from_secs(10);
    let server = Demo::serving("", "[issuer]\nenabled = true\n[transport]\nbody_timeout_s = 1\n");
    for path in ["/issuer/token", "/issuer/authorize", "/issuer/register"] {
        let mut connection = server.connection();
        connection.sock.set_read_timeout(Some(Duration::from_millis(50))).expect("a time");
        let begun = Instant::now();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nOrigin: https://localhost:{}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\n",
            server.port
        );
        connection.write_all(head.as_bytes()).expect("sent");
        let mut answer = Vec::new();
        let mut part = [0; 4096];
        // A byte now and then, for as long as it is taken.
        loop {
            let _refused = connection.write_all(b"a").and_then(|()| connection.flush());
            match connection.read(&mut part) {
                Ok(0) => break,
                Ok(read) => answer.extend_from_slice(&part[..read]),
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(_cut_off) => break,
            }
            assert!(begun.elapsed() < MAY_TAKE + LATER, "{path}: it is still open");
        }
        let took = begun.elapsed();
        let answer = String::from_utf8_lossy(&answer);
        assert!(answer.starts_with("HTTP/1.1 408"), "{path}: {answer:?}");
        assert!(took >= MAY_TAKE, "{path}: {took:?}");
        let (_, sent) = answer.split_once("\r\n\r\n").expect("a body");
        let document: Value = serde_json::from_str(sent).unwrap_or_else(|_| panic!("{path}: {sent}"));
        assert_eq!(document["error"]["code"], -32600, "{path}");
    }
    // Whoever is quick is served.
    registered(&server);
}
