//! A configuration is read as a whole, or every mistake is a line that leads to it and shows no secret.

use ono_sendai::config::Config;

use crate::assert_readable;

/// What no message and no printed setting may hold: the rest of a key of the data service, and the password of an
/// address.
const SECRETS: [&str; 2] = ["SECRETSECRETSECRET", "PASSWORDPASSWORD"];

/// Runs one input.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let read = Config::parse("the file", text);
    assert_eq!(read, Config::parse("the file", text));
    let commented = format!("{text}\n# A comment.\n");
    match &read {
        Ok(config) => {
            assert_unseen(&format!("{config:?}"), text);
            assert_eq!(Config::parse("the file", &commented).as_ref(), Ok(config), "a comment has a meaning");
            let more = format!("{text}\n[no_such_section]\nkey = 1\n");
            assert!(Config::parse("the file", &more).is_err(), "an unknown section is taken");
            assert!(config.deadlines.call <= config.deadlines.tool);
            assert!(!(config.server.public && (config.server.fixture_mode || config.issuer.enabled)));
            assert!(config.transport.sse_comment < config.transport.idle);
        }
        Err(errors) => {
            assert!(!errors.mistakes().is_empty(), "refused for nothing");
            let lines = text.matches('\n').count() + 1;
            for mistake in errors.mistakes() {
                assert!(
                    mistake.line.is_none_or(|line| (1..=lines).contains(&line)),
                    "{mistake:?} of {lines}"
                );
                assert!(!mistake.message.is_empty() && !mistake.message.contains('\n'), "{mistake:?}");
                assert!(mistake.message.len() + mistake.place.len() < 4_000, "{mistake:?}");
            }
            let shown = errors.to_string();
            assert_readable(&shown, "the mistakes");
            assert_eq!(shown.lines().count(), errors.mistakes().len(), "{shown}");
            assert_unseen(&shown, text);
        }
    }
}

/// A secret is one where a secret belongs; in the place of anything else nobody can know it for one.
fn assert_unseen(shown: &str, text: &str) {
    let is_in_place = |line: &str, secret: &str| {
        let (key, value) = line.split_once('=').unwrap_or_default();
        let is_address = value.split_once("://").is_some_and(|(scheme, rest)| {
            let place = rest.rsplit_once('@').map(|(_, place)| place);
            !scheme.contains(secret) && place.is_some_and(|place| !place.contains(secret))
        });
        !key.contains(secret) && (["key", "service_key"].contains(&key.trim()) || is_address)
    };
    for secret in SECRETS {
        if text.lines().filter(|line| line.contains(secret)).all(|line| is_in_place(line, secret)) {
            assert!(!shown.contains(secret), "{shown}");
        }
    }
}
