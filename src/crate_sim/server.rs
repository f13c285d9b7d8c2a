//! Connections, requests, and the order in which a request is looked at: key, plan, rule, catalogue.
//!
//! Speaks HTTP/1.1, and over TLS HTTP/2 too where the client prefers it.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::CONTENT_LENGTH;
use http::{Method, Request, Response, StatusCode};
use http_body::Body as _;
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use url::form_urlencoded;

use super::Settings;
use super::answer::Reply;
use super::body::{Ended, SimBody, announced_bytes};
use super::family::Family;
use super::key::ApiKey;
use super::plan::Gate;
use super::report::{Open, Report};
use super::scenario::{Asked, Effect, Reset, Scenario};
use super::wire::{Control, Paced, Wire};
use crate::catalogue::Catalogue;
use crate::clock::Clock;
use crate::transport::server_config;

/// Where the simulator tells what it has seen.
const REPORT_PATH: &str = "/sim/report";
/// What is answered without a key.
const OPEN_PATHS: [&str; 3] = ["/api/v2", "/api/v2/openapi.json", "/api/v2/preview/artist"];
/// No request body that means anything is longer.
const BODY_MOST_BYTES: usize = 256 * 1024;
/// How long to wait when the system has no room for a connection.
const SHORTAGE_PAUSE: Duration = Duration::from_millis(50);

/// Why a simulator cannot start.
#[derive(Debug, thiserror::Error)]
pub enum SimulatorError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
}

/// A simulator that listens.
pub struct Simulator {
    listener: TcpListener,
    address: SocketAddr,
    tls: Option<TlsAcceptor>,
    shared: Arc<Shared>,
}

struct Shared {
    catalogue: Arc<Catalogue>,
    key: ApiKey,
    gate: Gate,
    report: Report,
    scenario: Scenario,
    clock: Clock,
    started: Instant,
    log: fn(&str),
}

impl Simulator {
    /// Listens as `settings` say; `log` takes one line a request.
    ///
    /// # Errors
    /// When the address cannot be listened on.
    pub async fn bind(
        settings: Settings,
        catalogue: Arc<Catalogue>,
        clock: Clock,
        log: fn(&str),
    ) -> Result<Self, SimulatorError> {
        let Settings { listen, key, plan, scenario, identity } = settings;
        let failed = |source| SimulatorError::Listen { address: listen, source };
        let listener = TcpListener::bind(listen).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let tls = identity.map(|identity| TlsAcceptor::from(server_config(&identity)));
        let gate = Gate::new(plan, clock.clone());
        let report = Report::new(clock.clone());
        let started = clock.monotonic();
        let shared = Shared { catalogue, key, gate, report, scenario, clock, started, log };
        Ok(Self { listener, address, tls, shared: Arc::new(shared) })
    }

    /// Where it listens, with the real port.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop`, and gives the report. Whatever is open then is cut off.
    pub async fn run(self, stop: impl Future<Output = ()>) -> Value {
        let mut connections = JoinSet::new();
        let mut stop = std::pin::pin!(stop);
        loop {
            tokio::select! {
                accepted = self.listener.accept() => match accepted {
                    Ok((tcp, _peer)) => {
                        connections.spawn(connection(tcp, self.tls.clone(), Arc::clone(&self.shared)));
                    }
                    Err(_) => tokio::time::sleep(SHORTAGE_PAUSE).await,
                },
                Some(_ended) = connections.join_next() => {}
                () = &mut stop => return self.shared.report.read(),
            }
        }
    }
}

/// Serves a connection to its end; what goes wrong on it concerns its client alone.
async fn connection(tcp: TcpStream, tls: Option<TlsAcceptor>, shared: Arc<Shared>) {
    let _ = tcp.set_nodelay(true);
    let control = Control::default();
    let wire = Wire::new(tcp, control.clone());
    let Some(tls) = tls else {
        return serve(wire, false, control, shared).await;
    };
    if let Ok(stream) = tls.accept(wire).await {
        let h2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
        serve(stream, h2, control, shared).await;
    }
}

async fn serve<S>(stream: S, h2: bool, control: Control, shared: Arc<Shared>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let io = TokioIo::new(Paced::new(stream, control.clone()));
    let service = service_fn(move |request| handle(request, h2, control.clone(), Arc::clone(&shared)));
    // An error here is a client that went away, or an end that a rule wished for.
    let _ended = if h2 {
        http2::Builder::new(TokioExecutor::new()).timer(TokioTimer::new()).serve_connection(io, service).await
    } else {
        http1::Builder::new().timer(TokioTimer::new()).serve_connection(io, service).await
    };
}

/// One line of the log, written when the request is over, however it ends.
struct Line {
    shared: Arc<Shared>,
    what: String,
    began: Instant,
    how: String,
}

impl Drop for Line {
    fn drop(&mut self) {
        let Self { shared, what, began, how } = self;
        shared.report.ended(how);
        let ms = shared.clock.monotonic().saturating_duration_since(*began).as_millis();
        (shared.log)(&format!("{what} {how} {ms} ms"));
    }
}

async fn handle(
    request: Request<Incoming>,
    h2: bool,
    control: Control,
    shared: Arc<Shared>,
) -> Result<Response<SimBody>, Ended> {
    let path = decoded(request.uri().path());
    let query: Vec<(String, String)> =
        form_urlencoded::parse(request.uri().query().unwrap_or_default().as_bytes()).into_owned().collect();
    if path == REPORT_PATH {
        let reply = Reply::report(&shared.report.read());
        return Ok(response(reply, &Effect::default(), control, ()));
    }
    let method = request.method().clone();
    let is_open = OPEN_PATHS.contains(&path.trim_end_matches('/'));
    let mut line = Line {
        what: format!("{method} {}", request.uri().path()),
        began: shared.clock.monotonic(),
        how: "client gone".to_owned(),
        shared: Arc::clone(&shared),
    };
    if !is_open && !shared.key.opens(request.headers()) {
        line.how = "401".to_owned();
        return Ok(response(Reply::no_key(), &Effect::default(), control, line));
    }
    let written: Vec<String> = query.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let written = written.join("&");
    let target =
        if written.is_empty() { format!("{method} {path}") } else { format!("{method} {path}?{written}") };
    let open = shared.report.came(Family::of(&path), target, request.version());
    let place = match (!is_open).then(|| shared.gate.enter()).transpose() {
        Ok(place) => place,
        Err(refusal) => {
            line.how = "429".to_owned();
            let reply = Reply::too_many(refusal).with(shared.gate.standing());
            return Ok(response(reply, &Effect::default(), control, (line, open)));
        }
    };
    let held: (Option<_>, Open) = (place, open);
    let after = shared.clock.monotonic().saturating_duration_since(shared.started);
    let rule = shared.scenario.pick(Asked { path: &path, query: &written, after });
    let quiet = Effect::default();
    let (number, effect) = rule.map_or((None, &quiet), |(number, effect)| (Some(number), effect));
    let told = |how: &str| number.map_or_else(|| how.to_owned(), |number| format!("{how} (rule {number})"));
    let body = received(&method, request).await;
    if !effect.latency.is_zero() {
        tokio::time::sleep(effect.latency).await;
    }
    if effect.hang {
        line.how = told("never answered");
        std::future::pending::<()>().await;
    }
    if effect.reset == Some(Reset::Before) {
        line.how = told("reset");
        control.reset();
        return Err(Ended);
    }
    let today = shared.clock.utc().date();
    let reply = Reply::of_catalogue(&shared.catalogue, &method, &path, &query, &body, today)
        .with(shared.gate.standing().filter(|_| !is_open))
        .changed_by(effect);
    line.how = told(&reply.status.to_string());
    if let Some(gap) = effect.slow_header {
        if h2 {
            tokio::time::sleep(gap).await;
        } else {
            control.slow_header(gap);
        }
    }
    Ok(response(reply, effect, control, (line, held)))
}

fn response<H: Send + 'static>(
    reply: Reply,
    effect: &Effect,
    control: Control,
    held: H,
) -> Response<SimBody> {
    let length = announced_bytes(&reply.body, effect);
    let mut response = Response::new(SimBody::new(reply.body, effect, control, held));
    *response.status_mut() = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    *response.headers_mut() = reply.headers;
    if !response.headers().contains_key(CONTENT_LENGTH) {
        response.headers_mut().insert(CONTENT_LENGTH, length.into());
    }
    response
}

/// The body of a request that has one, as far as it is read.
async fn received(method: &Method, request: Request<Incoming>) -> Bytes {
    if method != Method::POST {
        return Bytes::new();
    }
    let mut body = request.into_body();
    let mut bytes = Vec::new();
    while let Some(Ok(frame)) = std::future::poll_fn(|cx| std::pin::Pin::new(&mut body).poll_frame(cx)).await
    {
        if let Some(data) = frame.data_ref() {
            bytes.extend_from_slice(data);
        }
        if bytes.len() > BODY_MOST_BYTES {
            break;
        }
    }
    bytes.into()
}

/// A path with its escapes undone. A plus sign in a path is itself, unlike one in a query.
fn decoded(path: &str) -> String {
    let query = path.replace('+', "%2B").replace('&', "%26").replace('=', "%3D");
    form_urlencoded::parse(query.as_bytes()).next().map_or_else(String::new, |(path, _)| path.into_owned())
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn a_path_is_decoded_and_its_signs_stay() {
        for (path, expected) in [
            ("/a/four%20tet", "/a/four tet"),
            ("/a/b+c&d=e", "/a/b+c&d=e"),
            ("/a/%C3%A9", "/a/é"),
            ("/", "/"),
        ] {
            assert_eq!(decoded(path), expected);
        }
    }
}
