//! Every kind of token that somebody may send, each with its one answer.

use http::Method;
use serde_json::json;

use super::discovery::{challenge_of, parameter};
use super::issuer::{Issuer, Key, now_s};
use crate::harness::{Answer, Demo, JSON};

pub const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

pub fn ping(server: &Demo, authorization: &[&str]) -> Answer {
    let mut headers = vec![JSON, ("accept", "application/json"), ("mcp-protocol-version", "2025-11-25")];
    headers.extend(authorization.iter().map(|value| ("authorization", *value)));
    server.send(Method::POST, "/mcp", &headers, PING)
}

pub fn status(server: &Demo, token: &str) -> u16 {
    ping(server, &[&format!("Bearer {token}")]).status
}

#[test]
fn a23_scopes_and_clients_are_read_in_every_form_and_never_keep_a_good_token_out() {
    let key = Key::es256("k1");
    let issuer = Issuer::with(&[&key]);
    let server = issuer.server("", "");
    for (scope, more) in [
        (json!({"scp": ["a", "b"]}), "a list"),
        (json!({"scope": 5, "client_id": 5}), "numbers"),
        (json!({"nbf": null}), "null"),
        (json!({}), "nothing"),
    ] {
        let mut claims = issuer.claims(&server);
        claims.as_object_mut().expect("an object").remove("scope");
        claims.as_object_mut().expect("an object").extend(scope.as_object().expect("an object").clone());
        assert_eq!(status(&server, &key.sign(&claims)), 200, "{more}");
    }
}

#[test]
fn the_header_is_read_as_its_standard_says_and_nothing_else_is() {
    let demo = Demo::shared();
    let token = demo.token();
    for field in [format!("bearer {token}"), format!("BEARER {token}"), format!("Bearer  {token}")] {
        assert_eq!(ping(demo, &[&field]).status, 200);
    }
    let good = format!("Bearer {token}");
    for twice in [[good.as_str(), good.as_str()], [good.as_str(), "Bearer x"], ["Bearer x", good.as_str()]] {
        let answer = ping(demo, &twice);
        assert_eq!((answer.refusal(), answer.headers.get("www-authenticate")), ((400, -32600), None));
    }
    for field in
        [format!("Bearer {token}, Bearer {token}"), format!("Basic {token}"), format!("Token {token}")]
    {
        assert_eq!(ping(demo, &[&field]).status, 401);
    }
    // A token in the address or in the body is no credential, and stands in no log.
    let path = format!("/mcp?access_token={token}");
    for method in [Method::POST, Method::GET] {
        let answer = demo.send(method.clone(), &path, &[JSON, ("accept", "application/json")], PING);
        assert_eq!(answer.status, if method == Method::POST { 200 } else { 405 });
    }
    let log = demo.log();
    assert!(
        !log.contains(&token[token.len() - 12..]) && !log.contains(&token[..40]),
        "a token stands in the log"
    );
}

#[test]
fn a_bad_token_is_401_on_every_request_whatever_its_body() {
    let demo = Demo::shared();
    let old = Key::es256("unknown")
        .sign(&json!({"iss": demo.url("/issuer"), "sub": "x", "aud": demo.url("/mcp"), "exp": now_s() + 60}));
    for body in [PING, "{", "[]", r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, ""] {
        for path in ["/mcp", "/mcp/full", "/mcp/linked", "/mcp/full/linked"] {
            let headers = [JSON, ("authorization", &*format!("Bearer {old}"))];
            let answer = demo.send(Method::POST, path, &headers, body);
            assert_eq!(answer.status, 401, "{path} {body}");
            let metadata = demo.url(&format!("/.well-known/oauth-protected-resource{path}"));
            assert_eq!(parameter(&challenge_of(&answer), "resource_metadata"), Some(metadata.as_str()));
            assert_eq!(answer.header("access-control-allow-origin"), "*");
            assert!(answer.header("access-control-expose-headers").contains("www-authenticate"));
        }
    }
}
