//! The data service: whether it answers, and takes the key.

use super::{Fault, Findings, way_there};
use crate::app::data_service::{extra_roots, transport};
use crate::clock::Clock;
use crate::config::{Config, SecretSource};
use crate::crate_client::Transport as _;
use crate::crate_client::transport::Request;
use crate::fetch::{FetchSettings, Fetcher};
use crate::model::family::Family;

const PART: &str = "data service";
/// Asked for to see whether the key is taken. The key's plan counts it.
const QUESTION: (&str, &str) = ("/api/v2/resolve", "Four Tet");

pub(super) async fn examine(config: &Config, clock: &Clock, found: &mut Findings) {
    if config.server.fixture_mode {
        return found.good(PART, "the demo catalogue, which is part of the program; nobody is asked");
    }
    let base = &config.service.base_url;
    let (transport, roots) = match transport(config, clock).and_then(|made| Ok((made, extra_roots(config)?)))
    {
        Ok(made) => made,
        Err(error) => return found.fail(PART, Fault::Here, error.to_string()),
    };
    let settings = FetchSettings {
        extra_roots: roots,
        time: config.deadlines.call,
        // Of what stands at its root only the head is looked at.
        limit_bytes: 0,
        pinned: None,
    };
    // Without the key: what time it is there, and why it cannot be reached.
    match Fetcher::new(settings) {
        Ok(fetcher) => match fetcher.reach(base).await {
            Ok(date) => found.time(PART, date, clock),
            Err(reason) => {
                let advice = way_there(&reason, "[crate] base_url", "crate");
                let text = format!("{base} cannot be reached: {reason}; {advice}");
                return found.fail(PART, Fault::Unreachable, text);
            }
        },
        Err(reason) => return found.fail(PART, Fault::Here, reason),
    }
    let (path, name) = QUESTION;
    let query = [("q", name.to_owned())];
    let asked = transport.send(Request { family: Family::Resolve, path, query: &query });
    let outcome = tokio::time::timeout(config.deadlines.call, asked).await;
    let key = if config.service.key.is_some() { "the key" } else { "a request without a key" };
    match outcome {
        Err(_late) => found.fail(
            PART,
            Fault::Unreachable,
            format!(
                "{base} gives no answer within {} ms; is the service well, and is [deadlines] call_ms long enough?",
                config.deadlines.call.as_millis()
            ),
        ),
        Ok(Err(fault)) => found.fail(PART, Fault::Unreachable, format!("{base}: {fault}; is the service well?")),
        Ok(Ok(answer)) => match answer.status {
            200 | 404 => found.good(PART, format!("{base} answers, and takes {key}")),
            401 | 403 => found.fail(
                PART,
                Fault::Remote,
                format!(
                    "{base} does not take {key} (HTTP {}); {}",
                    answer.status,
                    mended(config.service.key.as_ref())
                ),
            ),
            402 => found.fail(
                PART,
                Fault::Remote,
                format!("{base} says that the key is not paid for (HTTP 402); see to its plan"),
            ),
            429 => {
                found.warn(PART, format!("{base} takes {key}, but its plan is used up just now (HTTP 429)"))
            }
            status => found.fail(
                PART,
                Fault::Remote,
                format!("{base} answers HTTP {status}; is [crate] base_url right, and is the service well?"),
            ),
        },
    }
}

/// Where a good key belongs.
fn mended(key: Option<&SecretSource>) -> String {
    match key {
        None => "name one by key_file under [crate]".to_owned(),
        Some(SecretSource::Value(_)) => "write a good one at [crate] key".to_owned(),
        Some(SecretSource::File(_)) => "put a good one into the file of [crate] key_file".to_owned(),
        Some(SecretSource::Credential(name)) => format!(
            "put a good one into the file that LoadCredential={}: names in the unit, and start the service again",
            name.as_str()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Secret;

    #[test]
    fn a_key_that_is_not_taken_is_to_be_mended_where_it_stands() {
        let value = SecretSource::Value(Secret::new("ck_test_0123".to_owned()));
        assert_eq!(mended(Some(&value)), "write a good one at [crate] key");
        let file = SecretSource::File("/etc/ono-sendai/crate.key".into());
        assert_eq!(mended(Some(&file)), "put a good one into the file of [crate] key_file");
    }
}
