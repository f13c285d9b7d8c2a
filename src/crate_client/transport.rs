//! How requests reach the service: the seam between the typed client and whatever answers it.

use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::fault::UpstreamFault;
use crate::catalogue::{Catalogue, CatalogueRequest};
use crate::clock::Clock;
use crate::model::family::Family;

/// One read-only request.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The family of data it belongs to.
    pub family: Family,
    /// Path, not encoded.
    pub path: &'a str,
    /// Query, not encoded.
    pub query: &'a [(&'static str, String)],
}

/// What came back: any HTTP status with its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// Body; empty when it is no JSON text, or longer than any answer of the service.
    pub body: Bytes,
    /// What the header says about further requests.
    pub hints: Hints,
}

impl Answer {
    /// An answer that says nothing about further requests.
    #[must_use]
    pub fn new(status: u16, body: Bytes) -> Self {
        Self { status, body, hints: Hints::default() }
    }
}

/// What an answer says about further requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// How long to wait before the next one.
    pub retry_after: Option<Duration>,
    /// How many more fit into the current minute.
    pub remaining: Option<u32>,
    /// When that number starts anew, from now on.
    pub reset_in: Option<Duration>,
}

/// A pending answer.
pub type Sending<'a> = Pin<Box<dyn Future<Output = Result<Answer, UpstreamFault>> + Send + 'a>>;

/// Something that answers requests in the shape of the crate API.
pub trait Transport: Debug + Send + Sync {
    /// Sends one request. Dropping the future gives the request up.
    fn send<'a>(&'a self, request: Request<'a>) -> Sending<'a>;
}

/// Answers from the demo catalogue that comes with the program.
#[derive(Debug)]
pub struct CatalogueTransport {
    catalogue: Arc<Catalogue>,
    clock: Clock,
}

impl CatalogueTransport {
    /// A transport over `catalogue`; `clock` gives the day that dated fixtures count from.
    #[must_use]
    pub fn new(catalogue: Arc<Catalogue>, clock: Clock) -> Self {
        Self { catalogue, clock }
    }
}

impl Transport for CatalogueTransport {
    fn send<'a>(&'a self, request: Request<'a>) -> Sending<'a> {
        Box::pin(async move {
            let query: Vec<(String, String)> =
                request.query.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
            let today = self.clock.utc().date();
            let answer =
                self.catalogue.answer(&CatalogueRequest { path: request.path, query: &query, today });
            Ok(Answer::new(answer.status, answer.body))
        })
    }
}
