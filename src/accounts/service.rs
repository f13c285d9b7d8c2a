//! Asks the account service of the operator about one account.
//!
//! Decides how the question is signed and which answers are believed. One that cannot be read, or that is
//! about somebody else, is none.

use std::pin::Pin;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};
use ring::hmac;
use serde::Deserialize;
use serde_json::json;
use time::OffsetDateTime;
use url::Url;

use crate::auth::{Account, object};
use crate::fetch::{Fetched, Fetcher, Unanswered};
use crate::model::text::clean;

/// The time at which the question was signed, in seconds since 1970.
pub const TIMESTAMP_FIELD: &str = "x-ono-timestamp";
/// `v1=` and the HMAC-SHA256, in hex digits, of `v1`, the time and the body, with line breaks between them.
pub const SIGNATURE_FIELD: &str = "x-ono-signature";

/// The longest name of a plan, in characters.
const PLAN_MAX_CHARS: usize = 60;

/// A subject that no issuer gives out.
const NOBODY: &str = "ono-sendai doctor";

/// Why a service that was tried out is not what it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Untried {
    /// It could not be reached.
    NoAnswer(Unanswered),
    /// It answered with this status, or with 200 and something that cannot be believed.
    Other(u16),
}

/// Why there is no answer about an account that can be believed, each with one line for the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoVerdict {
    /// The service is not well: it refuses connections or says so itself.
    Down(String),
    /// Nothing came in time, or it broke off: of this account, or of all.
    Silent(String),
    /// It answered; only not as it should about this account.
    Unbelievable(String),
}

impl NoVerdict {
    /// The line for the operator.
    #[must_use]
    pub fn reason(&self) -> &str {
        match self {
            Self::Down(reason) | Self::Silent(reason) | Self::Unbelievable(reason) => reason,
        }
    }
}

/// What the service says about an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it may call.
    pub active: bool,
    /// The name of its plan.
    pub plan: Option<String>,
    /// Units a month; `None` is the usual allowance.
    pub allowance: Option<u64>,
}

/// Answers what an account may do.
pub trait AccountService: std::fmt::Debug + Send + Sync {
    /// Asks about one account.
    ///
    /// # Errors
    /// When there is no answer that can be believed, and whom that concerns.
    fn ask<'a>(
        &'a self,
        account: &'a Account,
        now: OffsetDateTime,
    ) -> Pin<Box<dyn Future<Output = Result<Verdict, NoVerdict>> + Send + 'a>>;
}

/// The service over HTTP.
pub struct HttpAccountService {
    url: Url,
    issuer: String,
    key: hmac::Key,
    fetcher: Fetcher,
}

#[derive(Deserialize)]
struct Answer {
    subject: String,
    active: bool,
    plan: Option<String>,
    allowance: Option<u64>,
}

impl HttpAccountService {
    /// The service at `url`, which shares `key` with this server. `issuer` is whose subjects it is asked about.
    #[must_use]
    pub fn new(url: Url, issuer: String, key: &[u8], fetcher: Fetcher) -> Self {
        Self { url, issuer, key: hmac::Key::new(hmac::HMAC_SHA256, key), fetcher }
    }

    /// Asks about somebody whom it cannot know, to see whether it takes the questions of this server.
    ///
    /// # Errors
    /// The status that it answered instead, or one line when it gave no answer that can be believed.
    pub async fn try_out(&self, now: OffsetDateTime) -> Result<(), Untried> {
        let answer = self.post(NOBODY, now).await.map_err(Untried::NoAnswer)?;
        match answer.status {
            404 => Ok(()),
            200 if read(&answer.body, NOBODY).is_some() => Ok(()),
            status => Err(Untried::Other(status)),
        }
    }

    async fn verdict(&self, subject: &str, now: OffsetDateTime) -> Result<Verdict, NoVerdict> {
        let answer =
            self.post(subject, now).await.map_err(|Unanswered { reason, is_unreachable, .. }| {
                if is_unreachable { NoVerdict::Down(reason) } else { NoVerdict::Silent(reason) }
            })?;
        match answer.status {
            200 => read(&answer.body, subject)
                .ok_or_else(|| NoVerdict::Unbelievable("the answer cannot be believed".to_owned())),
            // It knows no such account, so there is nobody to serve.
            404 => Ok(Verdict { active: false, plan: None, allowance: None }),
            status @ 500.. => Err(NoVerdict::Down(format!("it answered HTTP {status}"))),
            status => Err(NoVerdict::Unbelievable(format!("it answered HTTP {status}"))),
        }
    }

    async fn post(&self, subject: &str, now: OffsetDateTime) -> Result<Fetched, Unanswered> {
        let body = json!({"issuer": self.issuer, "subject": subject}).to_string();
        let headers = self.signed(&body, now.unix_timestamp());
        self.fetcher.post(&self.url, headers, Bytes::from(body)).await
    }

    fn signed(&self, body: &str, now_s: i64) -> HeaderMap {
        let tag = hmac::sign(&self.key, format!("v1\n{now_s}\n{body}").as_bytes());
        let digits: String = tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        let field = |text: String| HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static(""));
        HeaderMap::from_iter([
            (http::header::CONTENT_TYPE, HeaderValue::from_static("application/json")),
            (HeaderName::from_static(TIMESTAMP_FIELD), field(now_s.to_string())),
            (HeaderName::from_static(SIGNATURE_FIELD), field(format!("v1={digits}"))),
        ])
    }
}

impl AccountService for HttpAccountService {
    fn ask<'a>(
        &'a self,
        account: &'a Account,
        now: OffsetDateTime,
    ) -> Pin<Box<dyn Future<Output = Result<Verdict, NoVerdict>> + Send + 'a>> {
        Box::pin(self.verdict(account.subject(), now))
    }
}

impl std::fmt::Debug for HttpAccountService {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpAccountService").field("host", &self.url.host_str()).finish_non_exhaustive()
    }
}

fn read(body: &[u8], subject: &str) -> Option<Verdict> {
    let answer: Answer = object(body)?;
    if answer.subject != subject {
        return None;
    }
    let plan = answer.plan.and_then(|plan| clean(&plan, PLAN_MAX_CHARS));
    Some(Verdict { active: answer.active, plan, allowance: answer.allowance })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_answer_about_the_same_subject_in_the_right_types_is_believed() {
        let good = br#"{"subject":"u1","active":true,"plan":"pro","allowance":5}"#;
        assert_eq!(
            read(good, "u1"),
            Some(Verdict { active: true, plan: Some("pro".to_owned()), allowance: Some(5) })
        );
        assert_eq!(read(good, "u2"), None);
        for bad in [
            &b"{}"[..],
            b"[]",
            br#"["u1",true,"pro",5]"#,
            b"",
            br#"{"subject":"u1"}"#,
            br#"{"subject":"u1","active":"yes"}"#,
            br#"{"subject":"u1","active":true,"allowance":-1}"#,
            br#"{"subject":"u1","active":true,"allowance":"5"}"#,
            b"<html>",
        ] {
            assert_eq!(read(bad, "u1"), None, "{}", bad.escape_ascii());
        }
    }
}
