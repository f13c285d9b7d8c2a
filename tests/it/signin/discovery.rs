//! How a client finds out that and where it can sign in.

use http::Method;
use serde_json::{Value, json};

use super::issuer::unb64;
use crate::harness::{Answer, Demo, JSON, meta};

const DOCUMENTS: [(&str, &str); 5] = [
    ("", "/mcp"),
    ("/mcp", "/mcp"),
    ("/mcp/full", "/mcp/full"),
    ("/mcp/linked", "/mcp/linked"),
    ("/mcp/full/linked", "/mcp/full/linked"),
];
const ROOT: &str = "/.well-known/oauth-protected-resource";
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;

/// The parameters of a challenge, by name.
pub fn challenge(text: &str) -> Vec<(String, String)> {
    let rest = text.strip_prefix("Bearer ").unwrap_or_else(|| panic!("no bearer challenge: {text}"));
    let mut parameters = Vec::new();
    for part in rest.split("\", ") {
        let (name, value) = part.split_once("=\"").unwrap_or_else(|| panic!("not name=\"value\": {part}"));
        assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{name}");
        let value = value.trim_end_matches('"');
        assert!(!value.contains('"'), "{text}");
        parameters.push((name.to_owned(), value.to_owned()));
    }
    parameters
}

/// The one challenge of a refusal.
pub fn challenge_of(answer: &Answer) -> Vec<(String, String)> {
    assert_eq!(answer.headers.get_all("www-authenticate").iter().count(), 1, "{answer:?}");
    challenge(answer.header("www-authenticate"))
}

pub fn parameter<'a>(challenge: &'a [(String, String)], name: &str) -> Option<&'a str> {
    challenge.iter().find(|(of, _)| of == name).map(|(_, value)| value.as_str())
}

fn initialize(path: &str) -> Answer {
    let headers = [JSON, ("accept", "application/json, text/event-stream")];
    Demo::shared().send(Method::POST, path, &headers, INITIALIZE)
}

#[test]
fn a02_the_metadata_is_the_same_bytes_at_every_address_and_for_every_request() {
    let demo = Demo::shared();
    let base = demo.url("");
    let first = demo.send(Method::GET, ROOT, &[], "");
    assert_eq!((first.status, first.header("content-type")), (200, "application/json"));
    let document = first.json();
    assert_eq!(document["resource"], format!("{base}/mcp"));
    assert_eq!(document["authorization_servers"], json!([format!("{base}/issuer")]));
    assert_eq!(document["bearer_methods_supported"], json!(["header"]));
    assert_eq!(document["scopes_supported"], json!(["openid", "email", "offline_access"]));
    // To the letter what the tokens say.
    let claims = demo.token().split('.').nth(1).expect("claims");
    let claims: Value = serde_json::from_slice(&unb64(claims)).expect("JSON");
    assert_eq!(document["authorization_servers"], json!([claims["iss"]]));
    let forged = [
        ("x-forwarded-proto", "http"),
        ("x-forwarded-host", "evil.example"),
        ("origin", "https://claude.ai"),
    ];
    for (suffix, _) in DOCUMENTS {
        for path in [format!("{ROOT}{suffix}"), format!("{ROOT}{suffix}/")] {
            let answer = demo.send(Method::GET, &path, &forged, "");
            assert_eq!((answer.status, &answer.body), (200, &first.body), "{path}");
            assert_eq!(answer.header("access-control-allow-origin"), "*", "{path}");
            let head = demo.send(Method::HEAD, &path, &forged, "");
            assert_eq!((head.status, head.body.len()), (200, 0), "{path}");
            assert_eq!(head.header("access-control-allow-origin"), "*", "{path}");
            let preflight = demo.send(Method::OPTIONS, &path, &forged, "");
            assert_eq!(preflight.status, 204, "{path}");
            assert_eq!(preflight.header("access-control-allow-origin"), "*", "{path}");
            assert_eq!(demo.send(Method::POST, &path, &[JSON], "{}").status, 405, "{path}");
        }
    }
}

#[test]
fn a20_other_well_known_addresses_are_a_json_404_and_never_a_page_or_a_challenge() {
    let demo = Demo::shared();
    for path in [
        "/.well-known/oauth-authorization-server",
        "/.well-known/openid-configuration",
        "/mcp/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/other",
        "/.well-known/oauth-protected-resource/mcp/linked/x",
        "/register",
    ] {
        for method in [Method::GET, Method::POST] {
            let answer = demo.send(method, path, &[("origin", "https://claude.ai")], "");
            assert_eq!((answer.status, answer.header("content-type")), (404, "application/json"), "{path}");
            assert_eq!(answer.header("access-control-allow-origin"), "*");
            assert!(!answer.headers.contains_key("www-authenticate"));
        }
    }
}

#[test]
fn a01_a22_a_linked_address_wants_a_token_at_the_first_request_of_any_method() {
    let demo = Demo::shared();
    for path in ["/mcp/linked", "/mcp/full/linked", "/mcp/linked/", "/mcp/full/linked/"] {
        let plain = path.trim_end_matches('/');
        for method in [Method::POST, Method::GET, Method::DELETE, Method::PUT] {
            let answer = demo.send(method.clone(), path, &[JSON], INITIALIZE);
            assert_eq!(
                (answer.status, answer.header("content-type")),
                (401, "application/json"),
                "{method} {path}"
            );
            let challenge = challenge_of(&answer);
            let wanted = demo.url(&format!("{ROOT}{plain}"));
            assert_eq!(parameter(&challenge, "resource_metadata"), Some(wanted.as_str()));
            assert_eq!(parameter(&challenge, "scope"), Some("openid email offline_access"));
            assert_eq!(parameter(&challenge, "error"), None, "no credential was wrong");
            assert_eq!(demo.send(Method::GET, &format!("{ROOT}{plain}"), &[], "").status, 200);
            // A wrong one is told apart, and of the two the same address is named.
            let bad =
                demo.send(method.clone(), path, &[JSON, ("authorization", "Bearer garbage")], INITIALIZE);
            let challenge = challenge_of(&bad);
            assert_eq!(bad.status, 401, "{method} {path}");
            assert_eq!(parameter(&challenge, "error"), Some("invalid_token"));
            assert_eq!(parameter(&challenge, "resource_metadata"), Some(wanted.as_str()));
        }
        let preflight = [("origin", "http://localhost:6274"), ("access-control-request-method", "POST")];
        assert_eq!(demo.send(Method::OPTIONS, path, &preflight, "").status, 204, "{path}");
        let bearer = format!("Bearer {}", demo.token());
        let with_token = [JSON, ("accept", "application/json"), ("authorization", bearer.as_str())];
        assert_eq!(demo.send(Method::POST, path, &with_token, INITIALIZE).status, 200, "{path}");
        let get = demo.send(Method::GET, path, &with_token, "");
        assert_eq!((get.status, get.header("allow")), (405, "POST"), "{path}");
    }
}

#[test]
fn a22_the_mixed_addresses_answer_without_a_token_and_list_what_needs_one() {
    for path in ["/mcp", "/mcp/full", "/mcp/"] {
        let answer = initialize(path);
        assert_eq!(answer.status, 200, "{path}");
        assert!(!answer.headers.contains_key("www-authenticate"), "{path}");
    }
    let listed = Demo::shared().modern("tools/list", json!({})).result();
    let names: Vec<&str> =
        listed["tools"].as_array().into_iter().flatten().filter_map(|tool| tool["name"].as_str()).collect();
    assert!(names.contains(&"get_usage") && names.contains(&"resolve_artist"), "{names:?}");
}

#[test]
fn a21_a_signed_in_tool_without_a_token_says_how_to_sign_in_to_people_and_to_clients() {
    let demo = Demo::shared();
    for (path, legacy, tool) in [
        ("/mcp", false, "get_usage"),
        ("/mcp/full", false, "get_usage"),
        ("/mcp", true, "get_usage"),
        ("/mcp", false, "search_catalog"),
        ("/mcp", true, "search_catalog"),
        ("/mcp/full", false, "list_breakouts"),
    ] {
        let params = json!({"name": tool, "arguments": {}});
        let answer = if legacy {
            demo.legacy("tools/call", params.clone())
        } else {
            demo.modern_at(path, "tools/call", params.clone())
        };
        assert!(!answer.headers.contains_key("www-authenticate"));
        let result = answer.result();
        assert_eq!((answer.status, &result["isError"]), (200, &json!(true)), "{tool}");
        let envelope = answer.envelope();
        assert_eq!(
            (envelope.error_type(), &envelope.json["error"]["recoverable"]),
            ("unauthorized", &json!(true))
        );
        assert_eq!(envelope.json["meta"]["units"], 0);
        let challenges = result["_meta"]["mcp/www_authenticate"].as_array().expect("a list");
        assert_eq!(challenges.len(), 1);
        let challenge = challenge(challenges[0].as_str().expect("text"));
        let wanted = demo.url(&format!("{ROOT}{path}"));
        assert_eq!(parameter(&challenge, "resource_metadata"), Some(wanted.as_str()));
        assert_eq!(parameter(&challenge, "error"), Some("insufficient_scope"));
        assert!(parameter(&challenge, "error_description").is_some_and(|text| !text.is_empty()));
        assert!(
            envelope.text.contains("sign in") && envelope.text.contains(&demo.url(&format!("{path}/linked"))),
            "{}",
            envelope.text
        );
        assert_eq!(result["_meta"].get("io.modelcontextprotocol/serverInfo").is_some(), !legacy);
    }
    for path in ["/mcp/linked", "/mcp/full/linked"] {
        let answer = demo.modern_at(path, "tools/call", json!({"name": "get_usage", "arguments": {}}));
        assert_eq!(answer.status, 401, "{path}");
        let _one = challenge_of(&answer);
    }
    let schema: Value = demo.resource("hosaka://envelope-schema");
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    assert!(schema.is_valid(&demo.call("get_usage", json!({})).json));
    let _ = meta();
}

#[tokio::test]
async fn a04_the_configured_address_stands_everywhere_however_a_request_spells_the_host() {
    let demo = Demo::shared();
    let pem = std::fs::read(&demo.certificate).expect("a certificate");
    let client = reqwest::Client::builder()
        .tls_certs_only([reqwest::Certificate::from_pem(&pem).expect("PEM")])
        .no_proxy()
        .http1_only()
        .resolve("localhost", std::net::SocketAddr::from(([127, 0, 0, 1], demo.port)))
        .build()
        .expect("a client");
    let own = format!("localhost:{}", demo.port);
    let capital = format!("LocalHost:{}", demo.port);
    let mut seen = std::collections::BTreeSet::new();
    for host in [own.as_str(), &capital, "localhost:443", "LOCALHOST:443", "LOCALHOST", "localhost:80"] {
        for forwarded in [
            &[][..],
            &[
                ("x-forwarded-proto", "http"),
                ("x-forwarded-host", "evil.example"),
                ("x-forwarded-port", "80"),
            ],
            &[("forwarded", "for=1.2.3.4;host=evil.example;proto=http"), ("x-forwarded-host", "a, b")],
            &[("x-original-url", "/other"), ("x-rewrite-url", "/other"), ("x-forwarded-prefix", "/other")],
        ] {
            let dressed = |mut request: reqwest::RequestBuilder| {
                request = request.header("host", host);
                forwarded.iter().fold(request, |request, (name, value)| request.header(*name, *value))
            };
            let mut texts = Vec::new();
            for suffix in ["", "/mcp", "/mcp/full", "/mcp/full/linked"] {
                let get = dressed(client.get(demo.url(&format!("{ROOT}{suffix}"))));
                let answer = get.send().await.expect("an answer");
                assert_eq!(answer.status(), 200, "{host} {suffix}");
                texts.push(answer.bytes().await.expect("a body").to_vec());
            }
            for bearer in [None, Some("Bearer x")] {
                let mut post = dressed(client.post(demo.url("/mcp/linked")));
                if let Some(bearer) = bearer {
                    post = post.header("authorization", bearer);
                }
                let answer = post.body(INITIALIZE).send().await.expect("an answer");
                assert_eq!(answer.status(), 401, "{host}");
                texts.push(answer.headers()["www-authenticate"].as_bytes().to_vec());
            }
            seen.insert(texts);
        }
    }
    assert_eq!(seen.len(), 1, "the same bytes every time");
    let texts = seen.first().expect("one");
    let document: Value = serde_json::from_slice(&texts[0]).expect("JSON");
    assert_eq!(document["resource"], demo.url("/mcp"));
    let challenge = challenge(std::str::from_utf8(&texts[4]).expect("text"));
    let wanted = demo.url(&format!("{ROOT}/mcp/linked"));
    assert_eq!(parameter(&challenge, "resource_metadata"), Some(wanted.as_str()));
}

#[test]
fn a23_the_scopes_that_are_published_are_those_that_the_issuer_gives() {
    let demo = Demo::shared();
    let document = demo.send(Method::GET, ROOT, &[], "").json();
    let name = "/.well-known/oauth-authorization-server/issuer";
    let issuer = demo.send(Method::GET, name, &[], "").json();
    assert_eq!(issuer["issuer"], document["authorization_servers"][0]);
    assert_eq!(issuer["scopes_supported"], document["scopes_supported"]);
    let grants = issuer["grant_types_supported"].as_array().expect("a list");
    let offline = document["scopes_supported"].as_array().expect("a list").contains(&json!("offline_access"));
    assert_eq!(offline, grants.contains(&json!("refresh_token")));
}
