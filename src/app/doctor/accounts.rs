//! The account service: whether it takes the questions of this server.

use super::{Fault, Findings, way_there};
use crate::accounts::service::{HttpAccountService, Untried};
use crate::app::sign_in::{extra_roots, fetcher, secret, unusable};
use crate::clock::Clock;
use crate::config::{AccountHook, Config};
use crate::fetch::shown;
use crate::issuer;

const PART: &str = "accounts";

pub(super) async fn examine(config: &Config, clock: &Clock, found: &mut Findings) {
    let Some(AccountHook { url, key, cache: _ }) = &config.accounts.hook else {
        return found.good(PART, "made at their first call; no service is asked");
    };
    let name = config.auth.issuer.clone().unwrap_or_else(|| issuer::name(config.server.public_base.as_str()));
    let made = secret(key)
        .map_err(unusable)
        .and_then(|key| Ok((key, fetcher(&extra_roots(config)?, config)?)))
        .map(|(key, fetcher)| HttpAccountService::new(url.clone(), name, key.expose().as_bytes(), fetcher));
    let service = match made {
        Ok(service) => service,
        Err(error) => return found.fail(PART, Fault::Here, error.to_string()),
    };
    let url = shown(url);
    match service.try_out(clock.utc()).await {
        Ok(()) => found.good(PART, format!("{url} answers a signed question about nobody")),
        Err(Untried::NoAnswer(unanswered)) => {
            let advice = way_there(&unanswered, "[accounts] service_url", "auth");
            let text = format!("{url} gives no answer: {unanswered}; {advice}");
            found.fail(PART, Fault::Unreachable, text);
        }
        Err(Untried::Other(status @ (401 | 403))) => {
            let text = format!(
                "{url} refuses the signature (HTTP {status}); do both sides have the same secret and the same time?"
            );
            found.fail(PART, Fault::Remote, text);
        }
        Err(Untried::Other(200)) => {
            let text = format!(
                "{url} answers a question about nobody with something that cannot be believed; 404 is the right answer"
            );
            found.fail(PART, Fault::Remote, text);
        }
        Err(Untried::Other(status)) => {
            let text =
                format!("{url} answers a question about nobody with HTTP {status}; 404 is the right answer");
            found.fail(PART, Fault::Remote, text);
        }
    }
}
