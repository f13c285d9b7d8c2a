//! One certificate, from the account to the chain, and why there is none.
//!
//! Decides the order of questions and what kind of failure an answer is. Nothing it says holds more of another machine's
//! text than fits a log line.

use instant_acme::{
    Account, AuthorizationStatus, CertificateIdentifier, ChallengeType, Error, ExternalAccountKey,
    Identifier, NewAccount, NewOrder, Order, OrderStatus, Problem, RetryPolicy,
};
use time::Duration;

use super::Settings;
use super::http::{Http, NoAnswer};
use super::kept::{self, Kept};
use crate::model::text::clean;
use crate::transport::Challenges;

/// How long an authority may take for its proofs, and again for the certificate.
const PATIENCE: RetryPolicy = RetryPolicy::new().timeout(std::time::Duration::from_secs(180));
/// What another machine wrote is shown up to here, in characters.
const SHOWN_MAX_CHARS: usize = 400;
/// What an authority says of an account that it does not have.
const NO_SUCH_ACCOUNT: &str = "urn:ietf:params:acme:error:accountDoesNotExist";
const TOO_OFTEN: &str = "urn:ietf:params:acme:error:rateLimited";

/// What kind of failure it was, which says when to try again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// There was no answer, or none that means anything.
    Unreachable,
    /// It was refused, and will be until somebody changes something.
    Refused,
    /// The authority wants to be left alone, for as long as it says if it says so.
    Limited(Option<Duration>),
}

/// Why there is no certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failed {
    pub(super) fault: Fault,
    /// One line.
    pub(super) reason: String,
}

impl Failed {
    pub(super) fn unreachable(reason: &str) -> Self {
        Self { fault: Fault::Unreachable, reason: reason.to_owned() }
    }

    /// Something on this machine.
    pub(super) fn here(reason: String) -> Self {
        Self { fault: Fault::Refused, reason }
    }

    /// The same for a try that may have cost a certificate, however it failed.
    fn costly(self) -> Self {
        let fault = if self.fault == Fault::Unreachable { Fault::Refused } else { self.fault };
        Self { fault, ..self }
    }

    fn refused(reason: &str) -> Self {
        let reason = clean(reason, SHOWN_MAX_CHARS).unwrap_or_else(|| "no reason was given".to_owned());
        Self { fault: Fault::Refused, reason }
    }

    fn of(error: &Error, http: &Http) -> Self {
        match error {
            Error::Api(problem) => {
                let status = problem.status.unwrap_or_default();
                let fault = if problem.r#type.as_deref() == Some(TOO_OFTEN) || status == 429 {
                    Fault::Limited(http.retry_after())
                } else if status >= 500 {
                    Fault::Unreachable
                } else {
                    Fault::Refused
                };
                Self { fault, ..Self::refused(&said(problem)) }
            }
            Error::Timeout(_) => Self::unreachable("the authority takes too long"),
            Error::Json(_) => Self::refused(
                "what answered is no ACME authority; is [acme] directory the address of its directory?",
            ),
            Error::Other(other) if other.is::<NoAnswer>() => {
                Self { fault: Fault::Unreachable, ..Self::refused(&other.to_string()) }
            }
            other => Self::refused(&other.to_string()),
        }
    }
}

/// A new certificate with its key, as PEM, in the place of the one that the authority knows as `replaced`. The proofs that
/// it puts among `challenges` are for the caller to forget.
pub(super) async fn obtain(
    settings: &Settings,
    kept: &Kept,
    replaced: Option<&str>,
    challenges: &Challenges,
) -> Result<String, Failed> {
    let http = Http::new(settings.fetcher.clone());
    let failed = |error: Error| Failed::of(&error, &http);
    let identifiers: Vec<Identifier> = settings.names.iter().cloned().map(Identifier::Dns).collect();
    let wanted = NewOrder::new(&identifiers);
    let mut account = account(settings, kept, &http).await?;
    let mut first = Err(Error::Unsupported("no certificate before"));
    if let Some((issuer, serial)) = replaced.and_then(|id| id.split_once('.')) {
        let id = CertificateIdentifier { authority_key_identifier: issuer.into(), serial: serial.into() };
        first = account.new_order(&NewOrder::new(&identifiers).replaces(id)).await;
    }
    let first = match first {
        Err(Error::Api(problem)) if is_final(&problem) => Err(Error::Api(problem)),
        // An authority that keeps no account of what replaces what is asked without.
        Err(_) => account.new_order(&wanted).await,
        order => order,
    };
    let mut order = match first {
        // An authority that began anew knows nobody.
        Err(Error::Api(problem)) if problem.r#type.as_deref() == Some(NO_SUCH_ACCOUNT) => {
            tracing::warn!("the authority does not have the account that was kept; another is made");
            account = new_account(settings, kept, &http).await?;
            account.new_order(&wanted).await
        }
        order => order,
    }
    .map_err(failed)?;
    prove(&mut order, &settings.names, challenges, &http).await?;
    let ready = order.poll_ready(&PATIENCE).await;
    if !matches!(ready, Ok(OrderStatus::Ready)) {
        return Err(match why_invalid(&mut order).await {
            Some(why) => Failed::refused(&why),
            None => ready.map_or_else(failed, |_| Failed::refused("the authority refuses the order")),
        });
    }
    // From here on it may be issued, and the next try is another one: an authority issues only so many.
    let costly = |error: Error| failed(error).costly();
    let key = order.finalize().await.map_err(costly)?;
    let chain = order.poll_certificate(&PATIENCE).await.map_err(costly)?;
    Ok(key + &chain)
}

/// Whether the same order without a word on what it replaces would be answered the same.
fn is_final(problem: &Problem) -> bool {
    problem.r#type.as_deref().is_some_and(|kind| [NO_SUCH_ACCOUNT, TOO_OFTEN].contains(&kind))
}

/// Offers a proof for each name that the authority has none of yet. Of any other than was asked for nothing is proved, and
/// no certificate is wanted.
async fn prove(
    order: &mut Order,
    names: &[String],
    challenges: &Challenges,
    http: &Http,
) -> Result<(), Failed> {
    let mut authorizations = order.authorizations();
    while let Some(next) = authorizations.next().await {
        let mut authorization = next.map_err(|error| Failed::of(&error, http))?;
        let name = authorization.identifier().to_string();
        if !names.iter().any(|own| own.eq_ignore_ascii_case(&name)) {
            return Err(Failed::refused(&format!(
                "the authority wants a proof for {name}, which was not asked for"
            )));
        }
        if authorization.status == AuthorizationStatus::Valid {
            continue;
        }
        let Some(mut challenge) = authorization.challenge(ChallengeType::TlsAlpn01) else {
            return Err(Failed::refused(&format!(
                "the authority offers no proof by TLS-ALPN-01 for {name}, and this server knows no other"
            )));
        };
        let digest = challenge.key_authorization().digest();
        challenges.prove(&name, digest.as_ref()).map_err(Failed::here)?;
        challenge.set_ready().await.map_err(|error| Failed::of(&error, http))?;
    }
    Ok(())
}

/// What the authority says of each name that was not proved.
async fn why_invalid(order: &mut Order) -> Option<String> {
    let mut why = Vec::new();
    let mut authorizations = order.authorizations();
    while let Some(Ok(mut authorization)) = authorizations.next().await {
        let Ok(state) = authorization.refresh().await else { continue };
        let name = state.identifier().to_string();
        let problems = state.challenges.iter().filter_map(|challenge| challenge.error.as_ref());
        why.extend(problems.map(|problem| format!("{name}: {}", said(problem))));
    }
    (!why.is_empty()).then(|| format!("a name was not proved: {}", why.join("; ")))
}

fn said(problem: &Problem) -> String {
    let kind = problem.r#type.as_deref().unwrap_or_default();
    let kind = kind.strip_prefix("urn:ietf:params:acme:error:").unwrap_or(kind);
    let mut said = match problem.detail.as_deref() {
        Some(detail) => format!("the authority says {kind}: {detail}"),
        None => format!("the authority says {kind}"),
    };
    for part in &problem.subproblems {
        said.push_str(&format!("; {part}"));
    }
    said
}

async fn account(settings: &Settings, kept: &Kept, http: &Http) -> Result<Account, Failed> {
    let Some(mut known) = kept.account().map_err(Failed::here)? else {
        return new_account(settings, kept, http).await;
    };
    let failed = |error: Error| Failed::of(&error, http);
    let again = serde_json::to_value(&known.credentials).and_then(serde_json::from_value);
    let again = again.map_err(|error| Failed::here(error.to_string()))?;
    let account =
        Account::builder_with_http(Box::new(http.clone())).from_credentials(again).await.map_err(failed)?;
    if known.contact != settings.contact {
        let contact = contact(settings);
        let contact: Vec<&str> = contact.iter().map(String::as_str).collect();
        match account.update_contacts(&contact).await {
            Ok(()) => {
                known.contact.clone_from(&settings.contact);
                kept.keep_account(&known).map_err(Failed::here)?;
            }
            // Found out and mended by the order that follows.
            Err(Error::Api(problem)) if problem.r#type.as_deref() == Some(NO_SUCH_ACCOUNT) => {}
            Err(error) => return Err(failed(error)),
        }
    }
    Ok(account)
}

async fn new_account(settings: &Settings, kept: &Kept, http: &Http) -> Result<Account, Failed> {
    let external =
        settings.external.as_ref().map(|of| ExternalAccountKey::new(of.id.clone(), of.key.as_slice()));
    let contact = contact(settings);
    let contact: Vec<&str> = contact.iter().map(String::as_str).collect();
    let wanted = NewAccount { contact: &contact, terms_of_service_agreed: true, only_return_existing: false };
    let (account, credentials) = Account::builder_with_http(Box::new(http.clone()))
        .create(&wanted, settings.directory.to_string(), external.as_ref())
        .await
        .map_err(|error| Failed::of(&error, http))?;
    let made = kept::Account { contact: settings.contact.clone(), credentials };
    kept.keep_account(&made).map_err(Failed::here)?;
    Ok(account)
}

fn contact(settings: &Settings) -> Vec<String> {
    settings.contact.iter().map(|address| format!("mailto:{address}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_authority_that_falls_silent_after_it_may_have_issued_is_not_asked_again_at_once() {
        assert_eq!(Failed::unreachable("why").costly(), Failed::here("why".to_owned()));
        let limited = Failed { fault: Fault::Limited(None), reason: "why".to_owned() };
        assert_eq!(limited.clone().costly(), limited);
    }
}
