//! The seam: what the transport asks of the rest of the program, and the values that cross it.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, StatusCode};

use super::client_address::ClientAddress;
use crate::profile::Endpoint;
use crate::telemetry::count::closed_words;

/// What stands behind the routes.
pub trait Service: Send + Sync + 'static {
    /// One POST to an MCP endpoint, with its complete body. Must not block.
    ///
    /// The work belongs into [`McpAnswer::Later`]; that future is dropped when the client goes away.
    fn mcp(&self, request: McpRequest) -> McpAnswer;

    /// Which parts are not ready; empty means ready.
    fn not_ready(&self) -> Vec<NotReady>;

    /// The documents that stand beside the endpoints; asked for once, when the routes are built.
    fn documents(&self) -> Vec<Document> {
        Vec::new()
    }

    /// A legal page as HTML.
    fn legal(&self, page: LegalPage) -> String;

    /// The methods that a further path answers to; `None` where there is nothing.
    fn page_methods(&self, _path: &str) -> Option<&'static [Method]> {
        None
    }

    /// A request to such a path, with one of its methods and the complete body.
    fn page(&self, _request: Request<Bytes>) -> PageAnswer {
        Box::pin(std::future::ready(Response::new(Bytes::new())))
    }

    /// The document that says where to sign in; without one there are no endpoints that need a sign-in.
    fn sign_in_document(&self) -> Option<Bytes> {
        None
    }

    /// What a request of any method to an MCP endpoint is told for its credentials alone; `None` when they are good
    /// enough. Its body was not read.
    fn refuses(&self, _request: McpRequest) -> Refuses {
        Box::pin(std::future::ready(None))
    }
}

/// The refusal of credentials, if they are refused.
pub type Refuses = Pin<Box<dyn Future<Output = Option<HttpAnswer>> + Send>>;

/// The answer of a further path, complete with its header fields.
pub type PageAnswer = Pin<Box<dyn Future<Output = Response<Bytes>> + Send>>;

/// One POST to an MCP endpoint. Its size is within the limit; nothing else about it was looked at.
#[derive(Debug)]
pub struct McpRequest {
    /// The endpoint.
    pub endpoint: Endpoint,
    /// All header fields, as sent.
    pub headers: HeaderMap,
    /// The complete body.
    pub body: Bytes,
    /// Who asks.
    pub client: ClientAddress,
}

/// The answer, or the promise of one.
#[derive(Debug)]
pub enum McpAnswer {
    /// Known at once; keeps its status in every form.
    Ready(HttpAnswer),
    /// Not even its form is known yet; it is waited for before anything is sent. Dropped unfinished when
    /// the client goes away.
    Undecided(Undecided),
    /// Known later.
    Later(Later),
}

/// Finds out what kind of answer there will be.
pub struct Undecided(pub Pin<Box<dyn Future<Output = McpAnswer> + Send>>);

impl fmt::Debug for Undecided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Undecided")
    }
}

/// A promise. As an event stream the header has gone out with 200 before the answer is known, so that
/// only the body of the late answer counts.
pub struct Later {
    /// Header fields that are known at once; they go out in every form.
    pub headers: HeaderMap,
    /// The work. Dropped unfinished when the client goes away.
    pub work: Pin<Box<dyn Future<Output = HttpAnswer> + Send>>,
    /// What to say when the work cannot be waited for.
    pub last: LastAnswer,
}

/// Makes the answer that takes the place of one that does not come.
pub type LastAnswer = Box<dyn FnOnce(LastWord) -> HttpAnswer + Send>;

/// Why an answer does not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastWord {
    /// The server stops.
    Stopping,
    /// The work failed in a way that nobody foresaw.
    Failed,
}

impl fmt::Debug for Later {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Later").field("headers", &self.headers).finish_non_exhaustive()
    }
}

/// What goes back. The transport adds content type, CORS and security headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpAnswer {
    /// The status.
    pub status: StatusCode,
    /// Further header fields.
    pub headers: HeaderMap,
    /// JSON when present.
    pub body: Option<Bytes>,
}

impl HttpAnswer {
    /// 200 with a JSON body.
    #[must_use]
    pub fn ok(body: impl Into<Bytes>) -> Self {
        Self::with_body(StatusCode::OK, body)
    }

    /// A status with a JSON body.
    #[must_use]
    pub fn with_body(status: StatusCode, body: impl Into<Bytes>) -> Self {
        Self { status, headers: HeaderMap::new(), body: Some(body.into()) }
    }

    /// A status alone.
    #[must_use]
    pub fn empty(status: StatusCode) -> Self {
        Self { status, headers: HeaderMap::new(), body: None }
    }
}

closed_words! {
    /// What may keep the program from serving, each with a row in docs/operating.md.
    pub enum Part {
        /// What is metered has to be written.
        Store = "store",
        /// No client gets a handshake without one.
        Certificate = "certificate",
    }
}

/// A part of the program that cannot serve yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotReady {
    /// Which one.
    pub part: Part,
    /// Why, in words for an operator; no secrets, since the page is public.
    pub why: String,
}

/// A document that is the same for everybody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Where it is served.
    pub path: String,
    /// What it is.
    pub media: Media,
    /// Its content.
    pub body: Bytes,
}

/// What a document is. Closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Media {
    /// A page for people.
    Page,
    /// The looks of pages.
    Style,
    /// What runs in pages.
    Script,
    /// JSON.
    Json,
    /// Plain text.
    Text,
    /// Text with marks, for models and editors.
    Markdown,
}

impl Media {
    /// The content type.
    #[must_use]
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Page => "text/html; charset=utf-8",
            Self::Style => "text/css; charset=utf-8",
            Self::Script => "text/javascript; charset=utf-8",
            Self::Json => "application/json",
            Self::Text => "text/plain; charset=utf-8",
            Self::Markdown => "text/markdown; charset=utf-8",
        }
    }
}

/// The legal pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LegalPage {
    /// What is kept about callers.
    Privacy,
    /// Terms of use.
    Terms,
    /// Where to ask for help.
    Support,
}

impl LegalPage {
    /// Every page.
    pub const ALL: [Self; 3] = [Self::Privacy, Self::Terms, Self::Support];

    /// Where it is served.
    #[must_use]
    pub fn path(self) -> &'static str {
        match self {
            Self::Privacy => "/legal/privacy",
            Self::Terms => "/legal/terms",
            Self::Support => "/legal/support",
        }
    }
}
