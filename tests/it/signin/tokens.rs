//! Every kind of token that somebody may send, each with its one answer.

use http::Method;
use serde_json::{Value, json};

use super::discovery::{challenge_of, parameter};
use super::issuer::{Issuer, Key, b64, now_s};
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

fn with(claims: &Value, changes: &Value) -> Value {
    let mut claims = claims.clone();
    for (name, value) in changes.as_object().expect("an object") {
        if value == &json!("ABSENT") {
            claims.as_object_mut().expect("an object").remove(name);
        } else {
            claims[name] = value.clone();
        }
    }
    claims
}

#[test]
fn claims_are_taken_or_refused_one_by_one() {
    let key = Key::es256("k1");
    let issuer = Issuer::with(&[&key]);
    let server = issuer.server("audiences = [\"client_of_ours\"]", "");
    let (mcp, now) = (server.url("/mcp"), now_s());
    let good = issuer.claims(&server);
    for (changes, wanted) in [
        (json!({}), 200),
        (json!({"aud": [mcp, "https://x.authkit.app/userinfo"]}), 200),
        (json!({"aud": format!("{mcp}/")}), 200),
        (json!({"aud": "client_of_ours"}), 200),
        (json!({"scope": "ABSENT", "scp": ["a", "b"]}), 200),
        (json!({"scope": "ABSENT"}), 200),
        (json!({"scope": 5, "client_id": 5}), 200),
        (json!({"nbf": now + 30, "iat": now + 30}), 200),
        (json!({"exp": now - 30}), 200),
        (json!({"exp": 32_503_680_000.5_f64}), 200),
        (json!({"nbf": null}), 200),
        (json!({"aud": "other_client"}), 401),
        (json!({"aud": []}), 401),
        (json!({"aud": ["other"]}), 401),
        (json!({"aud": null}), 401),
        (json!({"aud": 5}), 401),
        (json!({"aud": {}}), 401),
        (json!({"aud": [5]}), 401),
        (json!({"aud": "ABSENT"}), 401),
        (json!({"aud": server.url("/mcpx")}), 401),
        (json!({"aud": mcp.replace("https://localhost", "https://localhost.evil.tld")}), 401),
        (json!({"aud": mcp.replace("https:", "http:")}), 401),
        (json!({"aud": ""}), 401),
        (json!({"iss": format!("{}/", issuer.name)}), 401),
        (json!({"iss": "https://evil.example"}), 401),
        (json!({"iss": "ABSENT"}), 401),
        (json!({"sub": "ABSENT"}), 401),
        (json!({"sub": ""}), 401),
        (json!({"sub": 5}), 401),
        (json!({"sub": "x".repeat(256)}), 401),
        (json!({"sub": "a\nb"}), 401),
        (json!({"nbf": now + 120}), 401),
        (json!({"nbf": "soon"}), 401),
        (json!({"iat": now + 120}), 401),
        (json!({"exp": now - 120}), 401),
        (json!({"exp": "ABSENT"}), 401),
        (json!({"exp": format!("{}", now + 600)}), 401),
        (json!({"exp": null}), 401),
        (json!({"exp": -1}), 401),
    ] {
        let token = key.sign(&with(&good, &changes));
        assert_eq!(status(&server, &token), wanted, "{changes}");
        // Whether it was remembered makes no difference.
        assert_eq!(status(&server, &token), wanted, "{changes}");
    }
}

#[test]
fn a_forged_or_broken_token_is_401_with_one_challenge_and_reaches_nothing() {
    let (es, ed, rs) = (Key::es256("es"), Key::ed25519("ed"), Key::rs256("rs"));
    let issuer = Issuer::with(&[&es, &ed, &rs]);
    let server = issuer.server("", "");
    let claims = issuer.claims(&server).to_string();
    for key in [&es, &ed, &rs] {
        assert_eq!(status(&server, &key.sign(&issuer.claims(&server))), 200, "{}", key.algorithm());
    }
    let attacker = Key::es256("es");
    let elsewhere = Issuer::with(&[&attacker]);
    let header = |header: Value| header.to_string();
    let unsigned = |alg: &str| format!("{}.{}.", b64(header(json!({"alg": alg, "kid": "es"}))), b64(&claims));
    let hmac = |secret: &[u8], kid: &str| {
        let message = format!("{}.{}", b64(header(json!({"alg": "HS256", "kid": kid}))), b64(&claims));
        let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret);
        format!("{message}.{}", b64(ring::hmac::sign(&key, message.as_bytes())))
    };
    let n = rs.jwk()["n"].as_str().expect("a modulus").to_owned();
    let own = es.sign_text(&header(json!({"alg": "ES256", "kid": "es"})), &claims);
    let (message, signature) = own.rsplit_once('.').expect("three parts");
    let jku = format!("{}/jwks", elsewhere.name);
    let rows: Vec<(&str, String)> = vec![
        ("none", unsigned("none")),
        ("None", unsigned("None")),
        ("nOnE", unsigned("nOnE")),
        ("none with a signature", format!("{}x", unsigned("none"))),
        ("HS256 with the modulus", hmac(n.as_bytes(), "rs")),
        ("HS256 with the set", hmac(rs.jwk().to_string().as_bytes(), "rs")),
        ("an attacker's key", attacker.sign_text(&header(json!({"alg": "ES256", "kid": "es"})), &claims)),
        (
            "an embedded key",
            attacker.sign_text(&header(json!({"alg": "ES256", "kid": "es", "jwk": attacker.jwk()})), &claims),
        ),
        (
            "a key address",
            attacker.sign_text(&header(json!({"alg": "ES256", "kid": "es", "jku": jku})), &claims),
        ),
        (
            "a certificate address",
            attacker.sign_text(&header(json!({"alg": "ES256", "kid": "es", "x5u": jku})), &claims),
        ),
        (
            "another algorithm for the key",
            es.sign_text(&header(json!({"alg": "RS256", "kid": "es"})), &claims),
        ),
        ("RS384", rs.sign_text(&header(json!({"alg": "RS384", "kid": "rs"})), &claims)),
        ("quotes and a line break in kid", es.sign_text(r#"{"alg":"ES256","kid":"\"\r\nx: y"}"#, &claims)),
        ("kid is a number", es.sign_text(r#"{"alg":"ES256","kid":5}"#, &claims)),
        ("unknown critical field", es.sign_text(r#"{"alg":"ES256","kid":"es","crit":["x"],"x":1}"#, &claims)),
        ("of another kind", es.sign_text(r#"{"alg":"ES256","kid":"es","typ":"logout+jwt"}"#, &claims)),
        ("no algorithm", es.sign_text(r#"{"kid":"es"}"#, &claims)),
        ("header is no JSON", es.sign_text("x", &claims)),
        ("claims are no JSON", es.sign_text(r#"{"alg":"ES256","kid":"es"}"#, "x")),
        ("claims are a list", es.sign_text(r#"{"alg":"ES256","kid":"es"}"#, "[]")),
        (
            "a claim twice",
            es.sign_text(
                r#"{"alg":"ES256","kid":"es"}"#,
                &claims.replacen('{', r#"{"sub":"someone_else","#, 1),
            ),
        ),
        ("a cut signature", format!("{message}.{}", &signature[..signature.len() - 4])),
        ("an empty signature", format!("{message}.")),
        (
            "other claims under the signature",
            format!(
                "{}.{}.{signature}",
                own.split('.').next().unwrap(),
                b64(claims.replace("user_1", "user_2"))
            ),
        ),
        ("two parts", message.to_owned()),
        ("four parts", format!("{own}.x")),
        ("padding", format!("{own}=")),
        ("a.b.c", "a.b.c".to_owned()),
        ("empty parts", "..".to_owned()),
        ("long", "a".repeat(20_000)),
    ];
    let asked = elsewhere.asked();
    for (what, token) in rows {
        let answer = ping(&server, &[&format!("Bearer {token}")]);
        assert_eq!((answer.status, answer.error()["code"].as_i64()), (401, Some(-32600)), "{what}");
        let challenge = challenge_of(&answer);
        assert_eq!(parameter(&challenge, "error"), Some("invalid_token"), "{what}");
        assert!(parameter(&challenge, "error_description").is_some(), "{what}");
        let wanted = server.url("/.well-known/oauth-protected-resource/mcp");
        assert_eq!(parameter(&challenge, "resource_metadata"), Some(wanted.as_str()), "{what}");
    }
    assert_eq!(elsewhere.asked(), asked, "nobody asks an address that a token names");
    let huge = ping(&server, &[&format!("Bearer {}", "a".repeat(100_000))]);
    assert!([400, 401, 431].contains(&huge.status), "{}", huge.status);
    assert_eq!(server.call("resolve_artist", json!({"q": "Four Tet"})).json["meta"]["anonymous"], true);
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
