//! The automatic certificate: what lies in the data folder, what became of the last try, whether the authority answers.

use serde_json::Value;
use time::OffsetDateTime;

use super::certificate::one;
use super::{Fault, Findings, Mark, way_there};
use crate::acme::{self, Outlook};
use crate::app::automatic::{external, fetcher};
use crate::clock::Clock;
use crate::config::{Acme, Config};
use crate::fetch::{Fetched, shown};

const PART: &str = "certificate";
const AUTHORITY: &str = "authority";

/// What lies there; nobody is asked.
pub(super) fn examine(config: &Config, acme: &Acme, clock: &Clock, found: &mut Findings) {
    let now = clock.utc();
    let kept = acme::found(&config.server.data_dir, &acme.directory, &acme.names, now);
    let host = config.server.public_base.authority().host();
    let again = failed(&kept.outlook, now);
    let identity = match (kept.identity, again) {
        (Ok(Some(identity)), again) => {
            if let Some(again) = again {
                found.warn(PART, again);
            }
            identity
        }
        (Ok(None), Some(again)) => return found.fail(PART, Fault::Remote, format!("none yet; {again}")),
        (Ok(None), None) => {
            let text = format!("none yet; a server that runs gets one from {}", shown(&acme.directory));
            return found.good(PART, text);
        }
        (Err(reason), _) => {
            return found.warn(PART, format!("{reason}; a server that runs gets another from the authority"));
        }
    };
    let before = found.of.len();
    if let Some(name) = acme.names.iter().find(|name| !identity.names(name)) {
        found.warn(
            PART,
            format!("it is not one of {name}; a server that runs gets another from the authority"),
        );
    }
    let known = found.of.len();
    one("", identity.chain(), host, now, found);
    // One that ends soon is renewed, unless the last try failed.
    if kept.outlook.failure.is_none() {
        let news = found.of.split_off(known);
        found.of.extend(news.into_iter().filter(|finding| finding.mark != Mark::Warn));
    }
    if found.of.len() == before {
        let (until, days) = (identity.not_after().date(), (identity.not_after() - now).whole_days());
        let renewed = when(kept.outlook.next, now);
        found.good(PART, format!("for {host}, until {until} ({days} days), renewed {renewed}"));
    }
}

fn failed(outlook: &Outlook, now: OffsetDateTime) -> Option<String> {
    let failure = outlook.failure.as_ref()?;
    Some(format!("the last try to get one failed: {failure}; the next is {}", when(outlook.next, now)))
}

fn when(next: Option<OffsetDateTime>, now: OffsetDateTime) -> String {
    match next.filter(|next| *next > now).and_then(|next| next.replace_nanosecond(0).ok()) {
        Some(next) => format!("at {} {:02}:{:02} UTC", next.date(), next.hour(), next.minute()),
        None => "as soon as the server runs".to_owned(),
    }
}

/// Whether the authority answers.
pub(super) async fn ask(config: &Config, clock: &Clock, found: &mut Findings) {
    let Some(acme) = &config.acme else { return };
    let checked = acme.external.as_ref().map(external).transpose();
    let fetcher = match checked.and_then(|_| fetcher(acme)) {
        Ok(fetcher) => fetcher,
        Err(wrong) => return found.fail(AUTHORITY, Fault::Here, wrong.to_string()),
    };
    let address = shown(&acme.directory);
    match fetcher.get(&acme.directory).await {
        Err(reason) => {
            let advice = way_there(&reason, "[acme] directory", "acme");
            found.fail(AUTHORITY, Fault::Unreachable, format!("{address}: {reason}; {advice}"));
        }
        Ok(answer) => {
            found.time(AUTHORITY, answer.date, clock);
            if is_directory(&answer) {
                found.good(AUTHORITY, format!("{address} answers"));
            } else {
                let text = format!(
                    "{address} answered HTTP {} and no directory of an ACME authority; correct [acme] directory",
                    answer.status
                );
                found.fail(AUTHORITY, Fault::Remote, text);
            }
        }
    }
}

fn is_directory(answer: &Fetched) -> bool {
    let document: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    answer.status == 200 && document.get("newOrder").is_some_and(Value::is_string)
}
