//! Every route of the server, and the way from a matched route to its answer.
//!
//! The last route answers whatever is left, so no rejection text can reach a caller. Knows nothing of
//! hosts, origins or sockets.

use std::convert::Infallible;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf, Bytes};
use futures_util::{FutureExt, Stream};
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue};
use http::{HeaderMap, Response, StatusCode};
use serde_json::json;
use tokio::sync::watch;
use warp::Filter;

use super::accept::{self, Form};
use super::body::Reader;
use super::client_address::ClientAddress;
use super::cors::{Methods, preflight};
use super::drain::Phase;
use super::limits::Limits;
use super::refusal::{JSON, Refusal};
use super::service::{HttpAnswer, LastWord, Later, LegalPage, McpAnswer, McpRequest, Service};
use super::sse;
use crate::profile::Profile;

type Answer = warp::reply::Response;

/// A page without scripts or foreign content.
const PAGE_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// All routes. `phase` cuts running calls short when the drain ends.
pub(super) fn routes<S: Service>(
    service: Arc<S>,
    limits: &Limits,
    phase: watch::Receiver<Phase>,
) -> impl Filter<Extract = (Answer,), Error = Infallible> + Clone + Send + Sync + 'static + use<S> {
    let endpoint = warp::path("mcp").and(
        warp::path::end()
            .map(|| Profile::Core)
            .or(warp::path("full").and(warp::path::end()).map(|| Profile::Full))
            .unify(),
    );
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
        .then(|profile, desk: Arc<Desk<S>>, headers, client, body| async move {
            desk.call(profile, headers, client, body).await
        });
    let preflights = warp::options().and(
        endpoint.map(|_| preflight(Methods::Post)).or(warp::any().map(|| preflight(Methods::Get))).unify(),
    );
    let post_only = endpoint.map(|_| Refusal::PostOnly.response());

    let healthy = health.and(reading).map(|| json_answer(StatusCode::OK, br#"{"status":"ok"}"#.as_slice()));
    let ready = readiness.and(reading).and(with_desk()).map(|desk: Arc<Desk<S>>| desk.ready());
    let legal = page.and(reading).and(with_desk()).map(|page, desk: Arc<Desk<S>>| desk.legal(page));
    let get_only = health
        .or(readiness)
        .unify()
        .or(page.map(drop).untuple_one())
        .unify()
        .map(|| Refusal::GetOnly.response());

    let nothing = warp::any().map(|| Refusal::NotFound.response());

    call.or(preflights)
        .unify()
        .or(post_only)
        .unify()
        .or(healthy)
        .unify()
        .or(ready)
        .unify()
        .or(legal)
        .unify()
        .or(get_only)
        .unify()
        .or(nothing)
        .unify()
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
    async fn call<T, B>(&self, profile: Profile, headers: HeaderMap, client: ClientAddress, body: T) -> Answer
    where
        T: Stream<Item = Result<B, warp::Error>>,
        B: Buf,
    {
        let body = match self.bodies.read(&headers, body).await {
            Ok(body) => body,
            Err(refusal) => return refusal.response(),
        };
        let Some(form) = accept::form(&headers) else {
            return Refusal::NotAcceptable.response();
        };
        let request = McpRequest { profile, headers, body, client };
        // A failure of the service is this program's own mistake; the caller gets an answer all the same.
        let answer = catch_unwind(AssertUnwindSafe(|| self.service.mcp(request)));
        match (answer, form) {
            (Err(_panic), _) => Refusal::Failed.response(),
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
            missing.iter().map(|part| json!({ "part": part.part, "why": part.why })).collect();
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
