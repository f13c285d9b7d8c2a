//! The attack table: one test a row, each with the one status that it is answered with. What is refused gets exactly one
//! well-formed challenge and reaches no tool; nothing is a 500.

use std::process::Command;
use std::sync::OnceLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::Method;
use serde_json::{Value, json};

use super::discovery::{challenge_of, parameter};
use super::issuer::{Issuer, Key, b64, now_s, unb64};
use crate::harness::{Answer, Demo, JSON, Kept as _};

/// A call that needs no account, so that only a check of the token keeps it from running.
const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"resolve_artist","arguments":{"q":"Four Tet"}}}"#;
const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

struct Field {
    es: Key,
    ed: Key,
    rs: Key,
    issuer: Issuer,
    /// Somebody else, with keys of the same names.
    attacker: Key,
    elsewhere: Issuer,
    server: Demo,
}

impl Field {
    fn get() -> &'static Self {
        static FIELD: OnceLock<Field> = OnceLock::new();
        FIELD.get_or_init(|| {
            let (es, ed, rs) = (Key::es256("es"), Key::ed25519("ed"), Key::rs256("rs"));
            let issuer = Issuer::with(&[&es, &ed, &rs]);
            let attacker = Key::es256("es");
            let elsewhere = Issuer::with(&[&attacker]);
            let server = issuer.server("audiences = [\"client_of_ours\"]", "");
            Self { es, ed, rs, issuer, attacker, elsewhere, server }
        })
    }

    fn claims(&self) -> Value {
        self.issuer.claims(&self.server)
    }

    /// A token of the issuer with some claims in the place of others; null takes one away.
    fn with(&self, changes: &Value) -> String {
        let mut claims = self.claims();
        for (name, value) in changes.as_object().expect("an object") {
            if value.is_null() {
                claims.as_object_mut().expect("an object").remove(name);
            } else {
                claims[name] = value.clone();
            }
        }
        self.es.sign(&claims)
    }

    /// A token of somebody else's key with this header.
    fn forged(&self, header: &Value) -> String {
        self.attacker.sign_text(&header.to_string(), &self.claims().to_string())
    }

    /// A token of the issuer's key with this header.
    fn headed(&self, header: &str) -> String {
        self.es.sign_text(header, &self.claims().to_string())
    }

    fn unsigned(&self, algorithm: &str, signature: &str) -> String {
        let header = json!({"alg": algorithm, "kid": "es"}).to_string();
        format!("{}.{}.{signature}", b64(header), b64(self.claims().to_string()))
    }

    fn hmac(&self, secret: &[u8]) -> String {
        let header = json!({"alg": "HS256", "kid": "rs"}).to_string();
        let message = format!("{}.{}", b64(header), b64(self.claims().to_string()));
        let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret);
        format!("{message}.{}", b64(ring::hmac::sign(&key, message.as_bytes())))
    }

    /// The public key as a PEM file holds it, to the last line break.
    fn pem(&self) -> String {
        let key = self.rs.public_key_info();
        let text: Vec<char> = STANDARD.encode(key).chars().collect();
        let lines: Vec<String> = text.chunks(64).map(|line| line.iter().collect()).collect();
        format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n", lines.join("\n"))
    }

    fn send(&self, fields: &[String], body: &str) -> Answer {
        let mut headers = vec![JSON, ("accept", "application/json"), ("mcp-protocol-version", "2025-11-25")];
        headers.extend(fields.iter().map(|field| ("authorization", field.as_str())));
        self.server.send(Method::POST, "/mcp", &headers, body)
    }
}

/// A request with these fields is refused with this status, for its credentials.
fn refused(status: u16, fields: &[String]) {
    let field = Field::get();
    let answer = field.send(fields, CALL);
    assert_eq!(answer.status, status, "{answer:?}");
    if status == 401 {
        let challenge = challenge_of(&answer);
        assert_eq!(parameter(&challenge, "error"), Some("invalid_token"));
        assert!(parameter(&challenge, "error_description").is_some());
        let wanted = field.server.url("/.well-known/oauth-protected-resource/mcp");
        assert_eq!(parameter(&challenge, "resource_metadata"), Some(wanted.as_str()));
        assert_eq!(answer.error()["code"], -32600);
    } else {
        assert!(!answer.headers.contains_key("www-authenticate"));
    }
    assert_eq!(field.elsewhere.asked(), 0, "nobody asks an address that a token names");
    assert!(!field.server.log().contains("resolve_artist"), "it reached a tool");
}

#[test]
fn the_pem_of_the_attack_is_the_key_that_a_library_reads() {
    use rustls::pki_types::SubjectPublicKeyInfoDer;
    use rustls::pki_types::pem::PemObject as _;
    let field = Field::get();
    let read = SubjectPublicKeyInfoDer::from_pem_slice(field.pem().as_bytes()).expect("PEM");
    assert_eq!(read.as_ref(), field.rs.public_key_info());
    let pem = field.pem();
    // What openssl writes of the same key.
    let told = Command::new("openssl")
        .args(["pkey", "-pubout", "-in"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/transport/pem/rsa-pkcs8.key"))
        .output();
    if let Ok(told) = told.as_ref().map(|told| String::from_utf8_lossy(&told.stdout)) {
        assert_eq!(told, pem);
    }
}

fn forbidden(token: &str) {
    refused(401, &[format!("Bearer {token}")]);
    // A second time, when it might be remembered.
    refused(401, &[format!("Bearer {token}")]);
}

fn welcome(token: &str) {
    for _ in 0..2 {
        let answer = Field::get().send(&[format!("Bearer {token}")], PING);
        assert_eq!(answer.status, 200, "{answer:?}");
    }
}

/// One test for each row: a name, `401` or `200`, and the token.
macro_rules! tokens {
    ($($name:ident: $judge:ident, $token:expr;)*) => {$(
        #[test]
        fn $name() {
            let make: fn(&Field) -> String = $token;
            $judge(&make(Field::get()));
        }
    )*};
}

tokens! {
    a_good_es256_token_is_200: welcome, |f| f.es.sign(&f.claims());
    a_good_eddsa_token_is_200: welcome, |f| f.ed.sign(&f.claims());
    a_good_rs256_token_is_200: welcome, |f| f.rs.sign(&f.claims());

    a14_alg_none_is_401: forbidden, |f| f.unsigned("none", "");
    a14_alg_none_with_a_capital_is_401: forbidden, |f| f.unsigned("None", "");
    a14_alg_none_in_mixed_case_is_401: forbidden, |f| f.unsigned("nOnE", "");
    alg_none_with_a_signature_is_401: forbidden, |f| f.unsigned("none", "eA");
    a14_hs256_with_the_modulus_is_401: forbidden, |f| f.hmac(f.rs.jwk()["n"].as_str().unwrap().as_bytes());
    a14_hs256_with_the_bytes_of_the_modulus_is_401: forbidden, |f| f.hmac(&unb64(f.rs.jwk()["n"].as_str().unwrap()));
    hs256_with_the_key_as_jwk_is_401: forbidden, |f| f.hmac(f.rs.jwk().to_string().as_bytes());
    a14_hs256_with_the_key_as_pem_is_401: forbidden, |f| f.hmac(f.pem().as_bytes());
    hs256_with_an_empty_secret_is_401: forbidden, |f| f.hmac(b"");
    rs384_is_401: forbidden, |f| f.rs.sign_text(r#"{"alg":"RS384","kid":"rs"}"#, &f.claims().to_string());
    an_algorithm_that_is_not_the_keys_is_401: forbidden, |f| f.headed(r#"{"alg":"RS256","kid":"es"}"#);
    no_algorithm_is_401: forbidden, |f| f.headed(r#"{"kid":"es"}"#);

    another_key_of_the_same_name_is_401: forbidden, |f| f.forged(&json!({"alg": "ES256", "kid": "es"}));
    a14_an_embedded_jwk_is_401: forbidden, |f| f.forged(&json!({"alg": "ES256", "jwk": f.attacker.jwk()}));
    a14_a_jku_is_401: forbidden, |f| f.forged(&json!({"alg": "ES256", "jku": format!("{}/jwks", f.elsewhere.name)}));
    a14_an_x5u_is_401: forbidden, |f| f.forged(&json!({"alg": "ES256", "x5u": format!("{}/jwks", f.elsewhere.name)}));
    a_kid_with_quotes_is_401: forbidden, |f| f.headed(r#"{"alg":"ES256","kid":"es\", error=\"x"}"#);
    a_kid_with_a_line_break_is_401: forbidden, |f| f.headed(r#"{"alg":"ES256","kid":"es\r\nx-injected: y"}"#);
    a_kid_that_is_a_path_is_401: forbidden, |f| f.headed(r#"{"alg":"ES256","kid":"../../../dev/null"}"#);
    a_kid_that_is_a_number_is_401: forbidden, |f| f.headed(r#"{"alg":"ES256","kid":5}"#);
    a_critical_field_is_401: forbidden, |f| f.headed(r#"{"alg":"ES256","kid":"es","crit":["x"],"x":1}"#);
    a_log_out_token_is_401: forbidden, |f| f.headed(r#"{"alg":"ES256","kid":"es","typ":"logout+jwt"}"#);
    an_algorithm_twice_is_401: forbidden, |f| f.headed(r#"{"alg":"none","alg":"ES256","kid":"es"}"#);

    two_parts_are_401: forbidden, |f| f.es.sign(&f.claims()).rsplit_once('.').unwrap().0.to_owned();
    four_parts_are_401: forbidden, |f| format!("{}.x", f.es.sign(&f.claims()));
    five_parts_are_401: forbidden, |_| "a.b.c.d.e".to_owned();
    empty_parts_are_401: forbidden, |_| "..".to_owned();
    a09_three_words_are_401: forbidden, |_| "a.b.c".to_owned();
    a09_a_header_that_is_no_json_is_401: forbidden, |f| f.headed("x");
    claims_that_are_no_json_are_401: forbidden, |f| f.es.sign_text(r#"{"alg":"ES256","kid":"es"}"#, "x");
    claims_that_are_a_list_are_401: forbidden, |f| f.es.sign_text(r#"{"alg":"ES256","kid":"es"}"#, "[]");
    an_empty_signature_is_401: forbidden, |f| format!("{}.", f.es.sign(&f.claims()).rsplit_once('.').unwrap().0);
    a_cut_signature_is_401: forbidden, |f| { let mut token = f.es.sign(&f.claims()); token.truncate(token.len() - 4); token };
    padding_is_401: forbidden, |f| format!("{}=", f.es.sign(&f.claims()));
    other_claims_under_the_signature_are_401: forbidden, |f| {
        let own = f.es.sign(&f.claims());
        let parts: Vec<&str> = own.split('.').collect();
        let other = f.claims().to_string().replace("user_1", "user_2");
        format!("{}.{}.{}", parts[0], b64(other), parts[2])
    };
    a_token_of_20_kb_is_401: forbidden, |_| "a".repeat(20_000);

    a_subject_twice_is_401: forbidden, |f| f.es.sign_text(
        r#"{"alg":"ES256","kid":"es"}"#, &f.claims().to_string().replacen('{', r#"{"sub":"somebody","#, 1));
    an_audience_twice_is_401: forbidden, |f| f.es.sign_text(
        r#"{"alg":"ES256","kid":"es"}"#, &f.claims().to_string().replacen('{', r#"{"aud":"other","#, 1));
    an_issuer_twice_is_401: forbidden, |f| f.es.sign_text(
        r#"{"alg":"ES256","kid":"es"}"#, &f.claims().to_string().replacen('{', r#"{"iss":"other","#, 1));

    an_end_twice_is_401: forbidden, |f| f.es.sign_text(
        r#"{"alg":"ES256","kid":"es"}"#, &f.claims().to_string().replacen('{', r#"{"exp":32503680000,"#, 1));
    a_scope_twice_is_401: forbidden, |f| f.es.sign_text(
        r#"{"alg":"ES256","kid":"es"}"#, &f.claims().to_string().replacen('{', r#"{"scope":"admin","#, 1));

    a15_nbf_in_30_s_is_200: welcome, |f| f.with(&json!({"nbf": now_s() + 30}));
    a15_nbf_in_120_s_is_401: forbidden, |f| f.with(&json!({"nbf": now_s() + 120}));
    nbf_as_text_is_401: forbidden, |f| f.with(&json!({"nbf": "soon"}));
    a15_iat_in_30_s_is_200: welcome, |f| f.with(&json!({"iat": now_s() + 30}));
    iat_in_120_s_is_401: forbidden, |f| f.with(&json!({"iat": now_s() + 120}));
    iat_as_text_is_401: forbidden, |f| f.with(&json!({"iat": "now"}));
    a15_exp_30_s_ago_is_200: welcome, |f| f.with(&json!({"exp": now_s() - 30}));
    a15_exp_120_s_ago_is_401: forbidden, |f| f.with(&json!({"exp": now_s() - 120}));
    a15_exp_with_a_fraction_is_200: welcome, |f| f.with(&json!({"exp": 32_503_680_000.5_f64}));
    a15_exp_missing_is_401: forbidden, |f| f.with(&json!({"exp": null}));
    a15_exp_as_text_is_401: forbidden, |f| f.with(&json!({"exp": (now_s() + 600).to_string()}));
    exp_before_1970_is_401: forbidden, |f| f.with(&json!({"exp": -1}));
    exp_too_large_for_any_number_is_401: forbidden, |f| {
        let claims = f.claims().to_string();
        let exp = f.claims()["exp"].to_string();
        f.es.sign_text(r#"{"alg":"ES256","kid":"es"}"#, &claims.replace(&exp, "1e999"))
    };

    a03_aud_with_a_final_slash_is_200: welcome, |f| f.with(&json!({"aud": f.server.url("/mcp/")}));
    a07_aud_as_a_list_with_us_is_200: welcome, |f| f.with(&json!({"aud": ["https://x.example/userinfo", f.server.url("/mcp")]}));
    a06_aud_that_is_listed_is_200: welcome, |f| f.with(&json!({"aud": "client_of_ours"}));
    a06_aud_that_is_not_listed_is_401: forbidden, |f| f.with(&json!({"aud": "client_of_theirs"}));
    a07_aud_as_an_empty_list_is_401: forbidden, |f| f.with(&json!({"aud": []}));
    a07_aud_as_a_list_of_others_is_401: forbidden, |f| f.with(&json!({"aud": ["other"]}));
    a07_aud_as_a_list_of_numbers_is_401: forbidden, |f| f.with(&json!({"aud": [5]}));
    a07_aud_as_a_number_is_401: forbidden, |f| f.with(&json!({"aud": 5}));
    a07_aud_as_an_object_is_401: forbidden, |f| f.with(&json!({"aud": {}}));
    a07_aud_that_is_null_is_401: forbidden, |f| {
        let claims = f.claims().to_string();
        f.es.sign_text(r#"{"alg":"ES256","kid":"es"}"#, &claims.replace(&format!("{:?}", f.server.url("/mcp")), "null"))
    };
    a06_aud_missing_is_401: forbidden, |f| f.with(&json!({"aud": null}));
    aud_empty_is_401: forbidden, |f| f.with(&json!({"aud": ""}));
    a03_aud_that_begins_like_us_is_401: forbidden, |f| f.with(&json!({"aud": f.server.url("/mcpx")}));
    a03_aud_of_a_longer_host_is_401: forbidden, |f| f.with(&json!({"aud": f.server.url("/mcp").replace("localhost", "localhost.evil.example")}));
    a03_aud_without_tls_is_401: forbidden, |f| f.with(&json!({"aud": f.server.url("/mcp").replace("https:", "http:")}));
    iss_with_a_slash_more_is_401: forbidden, |f| f.with(&json!({"iss": format!("{}/", f.issuer.name)}));
    iss_of_somebody_else_is_401: forbidden, |f| f.with(&json!({"iss": f.elsewhere.name}));
    iss_missing_is_401: forbidden, |f| f.with(&json!({"iss": null}));
    sub_missing_is_401: forbidden, |f| f.with(&json!({"sub": null}));
    sub_empty_is_401: forbidden, |f| f.with(&json!({"sub": ""}));
    sub_with_a_line_break_is_401: forbidden, |f| f.with(&json!({"sub": "a\nb"}));
}

fn good(field: &Field) -> String {
    field.es.sign(&field.claims())
}

#[test]
fn an_empty_field_is_401() {
    refused(401, &[String::new()]);
}

#[test]
fn a09_a_scheme_without_a_token_is_401() {
    refused(401, &["Bearer".to_owned()]);
    refused(401, &["Bearer ".to_owned()]);
}

#[test]
fn a09_another_scheme_is_401() {
    let good = good(Field::get());
    for field in [format!("Basic {good}"), format!("Token {good}"), good.clone(), format!("Bearer{good}")] {
        refused(401, &[field]);
    }
}

#[test]
fn a16_two_tokens_in_one_field_are_401() {
    let good = good(Field::get());
    refused(401, &[format!("Bearer {good}, Bearer {good}")]);
    refused(401, &[format!("Bearer {good} {good}")]);
}

#[test]
fn a16_two_different_fields_are_400_in_either_order() {
    let good = format!("Bearer {}", good(Field::get()));
    refused(400, &[good.clone(), "Bearer x".to_owned()]);
    refused(400, &["Bearer x".to_owned(), good]);
}

#[test]
fn a16_two_equal_fields_are_400() {
    let good = format!("Bearer {}", good(Field::get()));
    refused(400, &[good.clone(), good]);
}

#[test]
fn a09_a_token_of_100_kb_is_431() {
    refused(431, &[format!("Bearer {}", "a".repeat(100_000))]);
}

#[test]
fn a16_every_spelling_of_the_scheme_is_200() {
    let field = Field::get();
    let good = good(field);
    for spelled in [format!("bearer {good}"), format!("BEARER {good}"), format!("Bearer  {good}")] {
        assert_eq!(field.send(&[spelled], PING).status, 200);
    }
}

#[test]
fn a17_a_token_in_the_address_is_no_credential_and_stands_in_no_log() {
    let key = Key::es256("k1");
    let issuer = Issuer::with(&[&key]);
    let server = issuer.server("", "[log]\nlevel = \"trace\"\n");
    let token = key.sign(&issuer.claims(&server));
    let headers = [JSON, ("accept", "application/json"), ("mcp-protocol-version", "2025-11-25")];
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "get_usage", "arguments": {}}});
    let answer = server.send(Method::POST, &format!("/mcp?access_token={token}"), &headers, call.to_string());
    assert_eq!((answer.status, answer.envelope().error_type()), (200, "unauthorized"));
    assert_eq!(server.send(Method::GET, &format!("/mcp?access_token={token}"), &[], "").status, 405);
    assert_eq!(
        server.send(Method::POST, &format!("/mcp/linked?access_token={token}"), &headers, PING).status,
        401
    );
    assert_eq!(server.send(Method::GET, &format!("/nowhere?access_token={token}"), &[], "").status, 404);
    let log = server.log();
    assert!(!log.contains(&token[..40]) && !log.contains(&token[token.len() - 12..]), "{log}");
}

#[test]
fn a09_a_bad_credential_is_refused_whatever_is_asked_for() {
    let field = Field::get();
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    let no_json = format!("Bearer {}", field.headed("x"));
    for credential in ["Bearer", "Bearer ", "Bearer x", "Bearer a.b.c", &no_json, "Basic eA==", "Token x"] {
        for body in [list, initialize, PING, CALL] {
            let answer = field.send(&[credential.to_owned()], body);
            assert_eq!(answer.status, 401, "{credential} {body}");
            assert_eq!(parameter(&challenge_of(&answer), "error"), Some("invalid_token"));
        }
    }
}

#[test]
fn a_bad_token_spends_nothing_of_the_anonymous_budget_and_no_account_appears() {
    let (key, attacker) = (Key::es256("k1"), Key::es256("k1"));
    let issuer = Issuer::with(&[&key]);
    let server = issuer.server("", "");
    let admin = |verb: &str| -> Value {
        let output = Command::new(env!("CARGO_BIN_EXE_ono-sendai"))
            .args(["admin", "--data"])
            .arg(server.data())
            .arg(verb)
            .kept_output()
            .expect("it runs");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
    };
    let mut claims = issuer.claims(&server);
    let forged = attacker.sign(&claims);
    claims["exp"] = json!(now_s() - 3_600);
    let ended = key.sign(&claims);
    let mut claims = issuer.claims(&server);
    claims["aud"] = json!("https://other.example/mcp");
    let foreign = key.sign(&claims);
    claims = issuer.claims(&server);
    claims["iss"] = json!("https://other.example");
    let issued_elsewhere = key.sign(&claims);
    for token in [&forged, &ended, &foreign, &issued_elsewhere] {
        let bearer = format!("Bearer {token}");
        let headers = [JSON, ("accept", "application/json"), ("authorization", bearer.as_str())];
        for path in ["/mcp", "/mcp/full", "/mcp/linked", "/mcp/full/linked"] {
            let answer = server.send(Method::POST, path, &headers, CALL);
            assert_eq!(answer.status, 401, "{path}");
            assert_eq!(parameter(&challenge_of(&answer), "error"), Some("invalid_token"));
        }
    }
    assert_eq!(admin("status")["status"]["anonymous_units_today"], 0);
    assert_eq!(admin("accounts")["accounts"]["of"], 0);
    // The same call without a token is served, and counted.
    assert!(!server.call("resolve_artist", json!({"q": "Four Tet"})).is_error);
    assert_ne!(admin("status")["status"]["anonymous_units_today"], 0);
}
