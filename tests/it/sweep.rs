//! Looks for parts of secrets in what the program wrote, in every form that bytes are written in.

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};

/// So many characters in a row of a secret are a leak.
pub const WINDOW: usize = 12;

/// Secrets, each with a name by which a leak is told.
#[derive(Default)]
pub struct Secrets(Vec<(String, String)>);

impl Secrets {
    /// Adds a secret.
    pub fn add(&mut self, name: &str, secret: &str) {
        assert!(secret.len() >= WINDOW, "{name} is too short to be looked for");
        self.0.push((name.to_owned(), secret.to_owned()));
    }

    /// Adds a token: of a JWT all but the header, which is no secret and the same in every one.
    pub fn add_token(&mut self, name: &str, token: &str) {
        let parts: Vec<&str> = token.split('.').collect();
        let secret = if parts.len() == 3 { &parts[1..] } else { &parts[..] };
        for part in secret.iter().filter(|part| part.len() >= WINDOW) {
            self.add(name, part);
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The names of the secrets of which a part stands in `text`, each with the line.
    pub fn leaks<'a>(&'a self, text: &'a str) -> Vec<(&'a str, &'a str)> {
        let mut parts: HashMap<String, &str> = HashMap::new();
        for (name, secret) in &self.0 {
            for form in forms(secret) {
                for at in 0..=form.len().saturating_sub(WINDOW) {
                    if let Some(part) = form.get(at..at + WINDOW) {
                        parts.insert(part.to_owned(), name);
                    }
                }
            }
        }
        let mut leaks = Vec::new();
        for line in text.lines() {
            let found = (0..line.len()).find_map(|at| parts.get(line.get(at..at + WINDOW)?));
            leaks.extend(found.map(|name| (*name, line)));
        }
        leaks
    }

    /// Nothing of any secret stands in `text`.
    pub fn assert_absent(&self, what: &str, text: &str) {
        let leaks = self.leaks(text);
        assert!(leaks.is_empty(), "{what} holds a part of a secret: {:?}", leaks.first());
    }
}

/// A secret as it is, in hex, and in base64 wherever in a longer text it begins.
fn forms(secret: &str) -> Vec<String> {
    let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    let mut forms = vec![secret.to_owned(), hex.to_uppercase(), hex];
    for before in 0..3 {
        let mut bytes = vec![0; before];
        bytes.extend_from_slice(secret.as_bytes());
        for engine in [&STANDARD, &URL_SAFE] {
            let packed = engine.encode(&bytes);
            let packed = packed.trim_end_matches('=');
            // The first characters hold other bytes too, the last one may.
            let from = if before == 0 { 0 } else { before + 1 };
            forms.push(packed[from..packed.len() - 1].to_owned());
        }
    }
    forms
}

#[test]
fn a_planted_leak_is_found_in_every_form_and_place() {
    let mut secrets = Secrets::default();
    secrets.add("key", "ck_test_5EcReT0123456789?>~abcdefABCDEF");
    secrets.add_token("token", "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ1c2VyXzEifQ.c2lnbmF0dXJlLXNpZ25hdHVyZQ");
    let secret = "ck_test_5EcReT0123456789?>~abcdefABCDEF";
    let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    let mut planted = vec![secret.to_owned(), hex.to_uppercase(), hex];
    for before in ["", "x", "xy", "xyz", "Bearer "] {
        planted.push(STANDARD.encode(format!("{before}{secret}")));
        planted.push(URL_SAFE.encode(format!("{before}{secret}")));
    }
    for form in planted {
        for cut in 4..10 {
            let line = format!("2027-01-31 INFO é reason=\"{}\" done", &form[cut..cut + WINDOW + 6]);
            assert_eq!(secrets.leaks(&line).len(), 1, "{line}");
            assert!(secrets.leaks(&line.replace(&form[cut + 6..cut + 12], "")).is_empty(), "{line}");
        }
    }
    assert_eq!(secrets.leaks("x eyJzdWIiOiJ1c2Vy y")[0].0, "token");
    assert!(secrets.leaks("eyJhbGciOiJFUzI1NiJ9 is a header").is_empty());
    assert!(secrets.leaks("nothing of the kind\nin two lines").is_empty());
}
