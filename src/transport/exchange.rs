//! One request on its way in and its answer on its way out: the guard before the routes, the common
//! header fields after them.
//!
//! Knows no path and no body.

use std::convert::Infallible;
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONNECTION, CONTENT_LENGTH, COOKIE, HeaderValue, PROXY_AUTHORIZATION};
use http::request::Parts;
use http::{HeaderMap, Method, Request, Response, Version};
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use hyper::service::Service as HttpService;
use tokio::time::Sleep;

use super::activity::{Activity, Exchange, Receiving};
use super::cors;
use super::guard::GuardPolicy;
use super::refusal::Refusal;
use super::security_headers::SecurityHeaders;
use super::stream::LINGER_BYTES;
use super::traffic::Traffic;

/// The service of one connection.
#[derive(Debug)]
pub(super) struct Front<R> {
    pub(super) routes: R,
    pub(super) guard: Arc<GuardPolicy>,
    pub(super) security: SecurityHeaders,
    pub(super) peer: IpAddr,
    pub(super) activity: Activity,
    pub(super) linger: Duration,
    pub(super) headers_bytes: usize,
    pub(super) header_fields: usize,
    pub(super) traffic: Arc<Traffic>,
}

type Answer<B> = Result<Response<Outgoing<B>>, Infallible>;

impl<R, B> HttpService<Request<Incoming>> for Front<R>
where
    R: HttpService<Request<Requested>, Response = Response<B>, Error = Infallible> + Clone + Send + 'static,
    R::Future: Send,
    B: Body<Data = Bytes> + From<Bytes> + Unpin + Send + 'static,
{
    type Response = Response<Outgoing<B>>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Answer<B>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let mut exchange = Exchange::begin(&self.activity);
        let (mut parts, body) = request.into_parts();
        hide_credentials(&mut parts.headers);
        let (method, version) = (parts.method.clone(), parts.version);
        let guard = self.guard.now();
        let checked = if header_bytes(&parts) > self.headers_bytes || parts.headers.len() > self.header_fields
        {
            Err(Refusal::HeadersTooLarge)
        } else {
            guard.check(&parts)
        };
        let client = guard.client(self.peer, &parts.headers);
        parts.extensions.insert(client);
        let (body, rest) = Requested::new(body, &self.activity);
        let routes = self.routes.clone();
        let (security, linger) = (self.security, self.linger);
        let traffic = Arc::clone(&self.traffic);
        Box::pin(async move {
            let mut response = match checked {
                Ok(()) => routes.call(Request::from_parts(parts, body)).await?,
                Err(refusal) => refusal.response(),
            };
            let rest = rest.lock().unwrap_or_else(PoisonError::into_inner).take();
            let (closes, rest) = match rest {
                Some(_) if version < Version::HTTP_2 => (true, None),
                rest => (false, rest.map(|body| Rest::new(body, linger))),
            };
            let headers = response.headers_mut();
            cors::dress(headers);
            security.dress(headers);
            if closes {
                headers.insert(CONNECTION, HeaderValue::from_static("close"));
            }
            if method == Method::HEAD {
                response = without_body(response);
            }
            exchange.sends(closes);
            traffic.answered(response.status());
            Ok(response.map(|body| {
                let mut outgoing = Outgoing { body, pieces: Bytes::new(), rest, exchange: None };
                if outgoing.is_end_stream() {
                    exchange.ends();
                }
                outgoing.exchange = Some(exchange);
                outgoing
            }))
        })
    }
}

/// What the header of a request takes, as HTTP/1.1 writes it.
pub(super) fn header_bytes(parts: &Parts) -> usize {
    /// The spaces, the version and the line breaks of the request line and of the end.
    const AROUND: usize = 14;
    let target = parts.uri.path_and_query().map_or(1, |target| target.as_str().len());
    let fields = parts.headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4);
    parts.method.as_str().len() + target + AROUND + fields.sum::<usize>()
}

/// Credentials are shown as such by no `Debug` from here on.
pub(super) fn hide_credentials(headers: &mut HeaderMap) {
    for (name, value) in headers.iter_mut() {
        if [AUTHORIZATION, PROXY_AUTHORIZATION, COOKIE].contains(name) {
            value.set_sensitive(true);
        }
    }
}

/// HTTP/2 would send the body of an answer to HEAD; its length is still told.
fn without_body<B: Body + From<Bytes>>(mut response: Response<B>) -> Response<B> {
    if let Some(length) = response.body().size_hint().exact() {
        response.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(length));
    }
    response.map(|_| B::from(Bytes::new()))
}

/// A request body that leaves behind what was not read of it.
#[derive(Debug)]
pub(super) struct Requested {
    body: Option<Incoming>,
    receiving: Option<Receiving>,
    rest: Arc<Mutex<Option<Incoming>>>,
}

impl Requested {
    /// The body, and where its rest will be once it is dropped.
    fn new(body: Incoming, activity: &Activity) -> (Self, Arc<Mutex<Option<Incoming>>>) {
        let rest = Arc::new(Mutex::new(None));
        let body = (!body.is_end_stream()).then_some(body);
        let receiving = body.as_ref().map(|_| Receiving::begin(activity));
        (Self { body, receiving, rest: rest.clone() }, rest)
    }
}

impl Drop for Requested {
    fn drop(&mut self) {
        *self.rest.lock().unwrap_or_else(PoisonError::into_inner) = self.body.take();
    }
}

impl Body for Requested {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let Some(body) = self.body.as_mut() else {
            return Poll::Ready(None);
        };
        let frame = ready!(Pin::new(body).poll_frame(cx));
        if !matches!(frame, Some(Ok(_))) || self.body.as_ref().is_some_and(Body::is_end_stream) {
            self.receiving = None;
        }
        if !matches!(frame, Some(Ok(_))) {
            self.body = None;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or(SizeHint::with_exact(0), Body::size_hint)
    }
}

/// What a client still sends on a stream that has its answer. Clients exist that lose the answer when
/// the stream is reset meanwhile, so it is read and thrown away for a while.
#[derive(Debug)]
struct Rest {
    body: Incoming,
    bytes: usize,
    until: Pin<Box<Sleep>>,
}

impl Rest {
    fn new(body: Incoming, linger: Duration) -> Self {
        Self { body, bytes: 0, until: Box::pin(tokio::time::sleep(linger)) }
    }

    fn poll_end(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            if self.bytes > LINGER_BYTES || self.until.as_mut().poll(cx).is_ready() {
                return Poll::Ready(());
            }
            match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
                Some(Ok(frame)) => self.bytes += frame.data_ref().map_or(0, Bytes::len),
                _ => return Poll::Ready(()),
            }
        }
    }
}

/// An answer's body; the exchange lasts until it is dropped and, on HTTP/2, until its last piece has left: what a peer does
/// not take lies in the library meanwhile.
#[derive(Debug)]
pub(super) struct Outgoing<B> {
    body: B,
    /// What came out of the body and was not handed over.
    pieces: Bytes,
    rest: Option<Rest>,
    /// Gone with the last piece.
    exchange: Option<Exchange>,
}

/// The last piece of an answer, with its exchange.
struct LastPiece {
    bytes: Bytes,
    _exchange: Exchange,
}

impl AsRef<[u8]> for LastPiece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// So much of an answer is handed over at once, so that progress on a large one can be seen.
const PIECE_BYTES: usize = 16 * 1024;

impl<B: Body<Data = Bytes> + Unpin> Outgoing<B> {
    fn hand_over(&mut self) -> Frame<Bytes> {
        let piece = self.pieces.split_to(self.pieces.len().min(PIECE_BYTES));
        let is_last = self.is_end_stream();
        if let Some(exchange) = &mut self.exchange {
            exchange.moved();
            if is_last {
                exchange.ends();
            }
        }
        match self.exchange.take_if(|exchange| is_last && exchange.is_on_http2()) {
            Some(exchange) => Frame::data(Bytes::from_owner(LastPiece { bytes: piece, _exchange: exchange })),
            None => Frame::data(piece),
        }
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for Outgoing<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let this = &mut *self;
        if !this.pieces.is_empty() {
            return Poll::Ready(Some(Ok(this.hand_over())));
        }
        // A body that says it has ended must not be asked for more.
        let frame = if this.body.is_end_stream() {
            None
        } else {
            match Pin::new(&mut this.body).poll_frame(cx) {
                Poll::Ready(frame) => frame,
                Poll::Pending => {
                    if let Some(exchange) = &this.exchange {
                        exchange.waits();
                    }
                    return Poll::Pending;
                }
            }
        };
        match frame {
            Some(Ok(frame)) => Poll::Ready(Some(Ok(match frame.into_data() {
                Ok(data) => {
                    this.pieces = data;
                    this.hand_over()
                }
                Err(other) => other,
            }))),
            Some(Err(error)) => Poll::Ready(Some(Err(error))),
            None => {
                if let Some(exchange) = &mut this.exchange {
                    exchange.moved();
                    exchange.ends();
                }
                if let Some(rest) = &mut this.rest {
                    ready!(rest.poll_end(cx));
                    this.rest = None;
                }
                Poll::Ready(None)
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.pieces.is_empty() && self.rest.is_none() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let ready = u64::try_from(self.pieces.len()).unwrap_or(u64::MAX);
        let body = self.body.size_hint();
        let mut whole = SizeHint::new();
        if let Some(most) = body.upper().and_then(|most| most.checked_add(ready)) {
            whole.set_upper(most);
        }
        whole.set_lower(body.lower().saturating_add(ready));
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_credential_is_one_debug_away_from_a_log() {
        let mut headers = HeaderMap::new();
        for name in [AUTHORIZATION, PROXY_AUTHORIZATION, COOKIE] {
            for secret in ["Bearer s3cr3t-1", "s3cr3t-2"] {
                headers.append(&name, HeaderValue::from_static(secret));
            }
        }
        headers.insert("accept", HeaderValue::from_static("text/plain"));
        hide_credentials(&mut headers);
        let shown = format!("{headers:?}");
        assert!(!shown.contains("s3cr3t") && shown.contains("text/plain"), "{shown}");
    }
}
