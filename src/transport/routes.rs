//! Every route of the server, and the way from a matched route to its answer.
//!
//! The last route answers whatever is left, so no rejection text can reach a caller. Knows nothing of
//! hosts, origins or sockets.

use std::collections::HashMap;
use std::convert::Infallible;
use std::future::{Future, ready};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf, Bytes};
use futures_util::{FutureExt, Stream};
use http::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue};
use http::{HeaderMap, Method, Request, Response, StatusCode};
use serde_json::json;
use tokio::sync::watch;
use warp::Filter;
use warp::path::FullPath;

use super::accept::{self, Form};
use super::body::Reader;
use super::client_address::ClientAddress;
use super::cors::{Methods, preflight};
use super::drain::Phase;
use super::limits::Limits;
use super::refusal::{JSON, Refusal};
use super::service::{
    Document, HttpAnswer, LastWord, Later, LegalPage, McpAnswer, McpRequest, Media, Service, Undecided,
};
use super::sse;
use crate::profile::{Endpoint, METADATA_ROOT};
use crate::telemetry::count::Word as _;

type Answer = warp::reply::Response;

/// A page without scripts or foreign content.
const PAGE_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// A page that loads, runs and asks only what this server has.
const SITE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// All routes. `phase` cuts running calls short when the drain ends.
pub(super) fn routes<S: Service>(
    service: Arc<S>,
    limits: &Limits,
    phase: watch::Receiver<Phase>,
) -> impl Filter<Extract = (Answer,), Error = Infallible> + Clone + Send + Sync + 'static + use<S> {
    let sign_in = service.sign_in_document();
    let has_sign_in = sign_in.is_some();
    let endpoint = warp::path::full().and_then(move |path: FullPath| {
        ready(endpoint(path.as_str(), has_sign_in).ok_or_else(warp::reject::not_found))
    });
    let document = warp::path::full().and_then(move |path: FullPath| {
        let wanted = sign_in.clone().filter(|_| is_metadata(path.as_str()));
        ready(wanted.ok_or_else(warp::reject::not_found))
    });
    let documents: HashMap<String, Document> =
        service.documents().into_iter().map(|document| (bare(&document.path).to_owned(), document)).collect();
    let documents = Arc::new(documents);
    let fixed = warp::path::full().and_then(move |path: FullPath| {
        ready(documents.get(bare(path.as_str())).cloned().ok_or_else(warp::reject::not_found))
    });
    let page =
        warp::path("legal").and(warp::path::param::<Legal>()).and(warp::path::end()).map(|Legal(page)| page);
    let health = warp::path!("healthz");
    let readiness = warp::path!("readyz");
    let reading = warp::get().or(warp::head()).unify();

    let desk =
        Arc::new(Desk { service, bodies: Reader::new(limits), sse_comment: limits.sse_comment, phase });
    let with_desk = move || {
        let desk = desk.clone();
        warp::any().map(move || desk.clone())
    };

    let call = endpoint
        .and(warp::post())
        .and(with_desk())
        .and(warp::header::headers_cloned())
        .and(warp::ext::get::<ClientAddress>())
        .and(warp::body::stream())
        .then(|endpoint, desk: Arc<Desk<S>>, headers, client, body| async move {
            desk.call(endpoint, headers, client, body).await
        });
    let pages = warp::path::full()
        .and(with_desk())
        .and_then(|path: FullPath, desk: Arc<Desk<S>>| {
            let methods = desk.service.page_methods(path.as_str());
            ready(methods.map(|methods| (path, methods, desk)).ok_or_else(warp::reject::not_found))
        })
        .and(warp::method())
        .and(raw_query())
        .and(warp::header::headers_cloned())
        .and(warp::body::stream())
        .then(|(path, methods, desk): (FullPath, _, Arc<Desk<S>>), method, query: String, headers, body| async move {
            let target = if query.is_empty() { path.as_str().to_owned() } else { format!("{}?{query}", path.as_str()) };
            desk.page(target, methods, method, headers, body).await
        });
    let preflights = warp::options().and(
        endpoint.map(|_| preflight(Methods::Post)).or(warp::any().map(|| preflight(Methods::Get))).unify(),
    );
    let post_only = endpoint
        .and(with_desk())
        .and(warp::header::headers_cloned())
        .and(warp::ext::get::<ClientAddress>())
        .then(|endpoint, desk: Arc<Desk<S>>, headers, client| async move {
            desk.no_call(endpoint, headers, client).await
        });

    let healthy = health.and(reading).map(|| json_answer(StatusCode::OK, br#"{"status":"ok"}"#.as_slice()));
    let ready = readiness.and(reading).and(with_desk()).map(|desk: Arc<Desk<S>>| desk.ready());
    let legal = page.and(reading).and(with_desk()).map(|page, desk: Arc<Desk<S>>| desk.legal(page));
    let metadata = document.clone().and(reading).map(|document: Bytes| json_answer(StatusCode::OK, document));
    let served = fixed.clone().and(reading).map(|document: Document| document_answer(&document));
    let get_only = health
        .or(readiness)
        .unify()
        .or(page.map(drop).untuple_one())
        .unify()
        .or(document.map(drop).untuple_one())
        .unify()
        .or(fixed.map(drop).untuple_one())
        .unify()
        .map(|| Refusal::GetOnly.response());

    let nothing = warp::any().map(|| Refusal::NotFound.response());

    call.or(pages)
        .unify()
        .or(preflights)
        .unify()
        .or(post_only)
        .unify()
        .or(healthy)
        .unify()
        .or(ready)
        .unify()
        .or(legal)
        .unify()
        .or(metadata)
        .unify()
        .or(served)
        .unify()
        .or(get_only)
        .unify()
        .or(nothing)
        .unify()
}

/// What stands behind the question mark, as it was sent.
fn raw_query() -> impl Filter<Extract = (String,), Error = Infallible> + Copy {
    warp::query::raw().or(warp::any().map(String::new)).unify()
}

/// The endpoint at a path; a final slash makes no difference.
fn endpoint(path: &str, has_sign_in: bool) -> Option<Endpoint> {
    let path = path.strip_suffix('/').unwrap_or(path);
    let found = Endpoint::ALL.into_iter().find(|endpoint| endpoint.path() == path)?;
    (has_sign_in || !found.needs_sign_in()).then_some(found)
}

/// A path without its final slash, which makes no difference.
fn bare(path: &str) -> &str {
    path.strip_suffix('/').unwrap_or(path)
}

/// Whether the document that says where to sign in stands at a path.
fn is_metadata(path: &str) -> bool {
    let path = path.strip_suffix('/').unwrap_or(path);
    path == METADATA_ROOT || Endpoint::ALL.into_iter().any(|endpoint| endpoint.metadata_path() == path)
}

/// The last segment of a legal page's path.
struct Legal(LegalPage);

impl std::str::FromStr for Legal {
    type Err = ();

    fn from_str(segment: &str) -> Result<Self, ()> {
        let is = |page: &LegalPage| page.path().strip_prefix("/legal/") == Some(segment);
        LegalPage::ALL.into_iter().find(is).map(Self).ok_or(())
    }
}

/// Where matched requests are handed to the service.
struct Desk<S> {
    service: Arc<S>,
    bodies: Reader,
    sse_comment: Duration,
    phase: watch::Receiver<Phase>,
}

impl<S: Service> Desk<S> {
    async fn page<T, B>(
        &self,
        target: String,
        methods: &[Method],
        method: Method,
        headers: HeaderMap,
        body: T,
    ) -> Answer
    where
        T: Stream<Item = Result<B, warp::Error>>,
        B: Buf,
    {
        if method == Method::OPTIONS {
            return preflight(Methods::GetAndPost);
        }
        if !methods.contains(&method) {
            let refusal = if methods.contains(&Method::GET) { Refusal::GetOnly } else { Refusal::PostOnly };
            return refusal.response();
        }
        let body = match self.bodies.read(&headers, body).await {
            Ok(body) => body,
            Err(refusal) => return refusal.response(),
        };
        let mut request = Request::new(body);
        *request.method_mut() = method;
        match target.parse() {
            Ok(uri) => *request.uri_mut() = uri,
            Err(_) => return Refusal::NotFound.response(),
        }
        *request.headers_mut() = headers;
        let mut phase = self.phase.clone();
        // Dropped when the client goes away or the drain ends.
        let page = AssertUnwindSafe(self.service.page(request)).catch_unwind();
        tokio::select! {
            biased;
            answer = page => match answer {
                Ok(answer) => answer.map(Into::into),
                Err(_panic) => Refusal::Failed.response(),
            },
            () = Phase::Ending.reached(&mut phase) => Refusal::Stopping.response(),
        }
    }

    /// A request that is no call. Where a sign-in is needed, its credentials come first: a client may begin with any
    /// method.
    async fn no_call(&self, endpoint: Endpoint, headers: HeaderMap, client: ClientAddress) -> Answer {
        if endpoint.needs_sign_in()
            && let Some(refused) = self.refusal(endpoint, headers, client).await
        {
            return refused;
        }
        Refusal::PostOnly.response()
    }

    /// What a request is told for its credentials, if anything.
    async fn refusal(&self, endpoint: Endpoint, headers: HeaderMap, client: ClientAddress) -> Option<Answer> {
        let request = McpRequest { endpoint, headers, body: Bytes::new(), client };
        let mut phase = self.phase.clone();
        let work = AssertUnwindSafe(self.service.refuses(request)).catch_unwind();
        tokio::select! {
            biased;
            refused = work => match refused {
                Ok(refused) => refused.map(answer_as_json),
                Err(_panic) => Some(Refusal::Failed.response()),
            },
            () = Phase::Ending.reached(&mut phase) => Some(Refusal::Stopping.response()),
        }
    }

    async fn call<T, B>(
        &self,
        endpoint: Endpoint,
        headers: HeaderMap,
        client: ClientAddress,
        body: T,
    ) -> Answer
    where
        T: Stream<Item = Result<B, warp::Error>>,
        B: Buf,
    {
        // Nothing about such a request matters but that a sign-in has to come first.
        if endpoint.needs_sign_in()
            && !headers.contains_key(AUTHORIZATION)
            && let Some(refused) = self.refusal(endpoint, headers.clone(), client).await
        {
            return refused;
        }
        let body = match self.bodies.read(&headers, body).await {
            Ok(body) => body,
            Err(refusal) => return refusal.response(),
        };
        let Some(form) = accept::form(&headers) else {
            let refused = self.refusal(endpoint, headers, client).await;
            return refused.unwrap_or_else(|| Refusal::NotAcceptable.response());
        };
        let request = McpRequest { endpoint, headers, body, client };
        // A failure of the service is this program's own mistake; the caller gets an answer all the same.
        let mut answer = catch_unwind(AssertUnwindSafe(|| self.service.mcp(request)));
        while let Ok(McpAnswer::Undecided(Undecided(work))) = answer {
            let mut phase = self.phase.clone();
            let work = AssertUnwindSafe(work).catch_unwind();
            answer = tokio::select! {
                biased;
                decided = work => decided,
                () = Phase::Ending.reached(&mut phase) => return Refusal::Stopping.response(),
            };
        }
        match (answer, form) {
            (Err(_) | Ok(McpAnswer::Undecided(_)), _) => Refusal::Failed.response(),
            (Ok(McpAnswer::Ready(answer)), Form::Json) => answer_as_json(answer),
            (Ok(McpAnswer::Ready(answer)), Form::EventStream) => answer_as_event(answer),
            (Ok(McpAnswer::Later(later)), Form::Json) => {
                let headers = later.headers.clone();
                let mut answer = self.finish(later).await;
                answer.headers.extend(headers);
                answer_as_json(answer)
            }
            (Ok(McpAnswer::Later(later)), Form::EventStream) => {
                let headers = later.headers.clone();
                let finish = self.finish(later);
                let stream = sse::stream_of(async move { finish.await.body }, self.sse_comment);
                let mut response = warp::Reply::into_response(warp::reply::stream(stream));
                response.headers_mut().extend(headers);
                sse::mark(response.headers_mut());
                response
            }
        }
    }

    /// Waits for an answer, but not beyond the end of the drain.
    fn finish(&self, later: Later) -> impl Future<Output = HttpAnswer> + Send + use<S> {
        let mut phase = self.phase.clone();
        let Later { headers: _, work, last } = later;
        async move {
            // Outlives the choice below: the work is told that it is cut short before it is dropped.
            let mut work = pin!(AssertUnwindSafe(work).catch_unwind());
            tokio::select! {
                biased;
                answer = work.as_mut() => answer.unwrap_or_else(|_panic| last(LastWord::Failed)),
                () = Phase::Ending.reached(&mut phase) => last(LastWord::Stopping),
            }
        }
    }

    fn ready(&self) -> Answer {
        let missing = self.service.not_ready();
        if missing.is_empty() {
            return json_answer(StatusCode::OK, br#"{"status":"ready"}"#.as_slice());
        }
        let parts: Vec<_> =
            missing.iter().map(|part| json!({ "part": part.part.as_str(), "why": part.why })).collect();
        let body = json!({ "status": "not_ready", "not_ready": parts }).to_string();
        json_answer(StatusCode::SERVICE_UNAVAILABLE, body)
    }

    fn legal(&self, page: LegalPage) -> Answer {
        let mut response = Response::new(Bytes::from(self.service.legal(page)).into());
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
        headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(PAGE_POLICY));
        headers.insert(http::header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        response
    }
}

fn answer_as_json(answer: HttpAnswer) -> Answer {
    let HttpAnswer { status, mut headers, body } = answer;
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    if body.is_some() {
        headers.insert(CONTENT_TYPE, JSON);
    }
    let mut response = Response::new(body.unwrap_or_default().into());
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

/// Only a success becomes an event; a refusal keeps its status and its shape.
fn answer_as_event(answer: HttpAnswer) -> Answer {
    match answer {
        HttpAnswer { status: StatusCode::OK, headers, body: Some(body) } => {
            let mut response = Response::new(sse::event(&body).into());
            *response.headers_mut() = headers;
            sse::mark(response.headers_mut());
            response
        }
        answer => answer_as_json(answer),
    }
}

fn json_answer(status: StatusCode, body: impl Into<Bytes>) -> Answer {
    let mut headers = HeaderMap::new();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer_as_json(HttpAnswer { status, headers, body: Some(body.into()) })
}

fn document_answer(document: &Document) -> Answer {
    let mut response = Response::new(document.body.clone().into());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(document.media.content_type()));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("max-age=300"));
    if document.media == Media::Page {
        headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(SITE_POLICY));
        headers.insert(http::header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    }
    response
}
