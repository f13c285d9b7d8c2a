//! One request on its way in and its answer on its way out: the guard before the routes, the common
//! header fields after them.
//!
//! Knows no path and no body.

use std::convert::Infallible;
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_LENGTH, HeaderValue};
use http::{Method, Request, Response, Version};
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use hyper::service::Service as HttpService;

use super::activity::{Activity, Exchange};
use super::cors;
use super::guard::GuardPolicy;

/// The service of one connection.
#[derive(Debug)]
pub(super) struct Front<R> {
    pub(super) routes: R,
    pub(super) guard: Arc<GuardPolicy>,
    pub(super) peer: IpAddr,
    pub(super) activity: Activity,
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
        let (method, version) = (parts.method.clone(), parts.version);
        let checked = self.guard.check(&parts);
        let client = self.guard.client(self.peer, &parts.headers);
        parts.extensions.insert(client);
        let body = Requested::new(body);
        let unread = body.unread.clone();
        let routes = self.routes.clone();
        Box::pin(async move {
            let mut response = match checked {
                Ok(()) => routes.call(Request::from_parts(parts, body)).await?,
                Err(refusal) => refusal.response(),
            };
            let unread = unread.load(Ordering::Relaxed);
            let headers = response.headers_mut();
            cors::dress(headers);
            if unread && version < Version::HTTP_2 {
                headers.insert(CONNECTION, HeaderValue::from_static("close"));
            }
            if method == Method::HEAD {
                response = without_body(response);
            }
            exchange.sends(unread);
            Ok(response.map(|body| Outgoing { body, exchange }))
        })
    }
}

/// HTTP/2 would send the body of an answer to HEAD; its length is still told.
fn without_body<B: Body + From<Bytes>>(mut response: Response<B>) -> Response<B> {
    if let Some(length) = response.body().size_hint().exact() {
        response.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(length));
    }
    response.map(|_| B::from(Bytes::new()))
}

/// A request body that remembers whether it was read to its end.
#[derive(Debug)]
pub(super) struct Requested {
    body: Incoming,
    unread: Arc<AtomicBool>,
}

impl Requested {
    fn new(body: Incoming) -> Self {
        let unread = Arc::new(AtomicBool::new(!body.is_end_stream()));
        Self { body, unread }
    }
}

impl Body for Requested {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        if frame.is_none() {
            self.unread.store(false, Ordering::Relaxed);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// An answer's body; the exchange lasts until it is dropped.
#[derive(Debug)]
pub(super) struct Outgoing<B> {
    body: B,
    exchange: Exchange,
}

impl<B: Body<Data = Bytes> + Unpin> Body for Outgoing<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        self.exchange.moved();
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
