//! One connection from accept to its end: handshake, protocol, deadlines, farewell.
//!
//! The protocol is the one agreed in the handshake, so no byte of the stream has to be guessed at.
//! Knows nothing of requests.

use std::convert::Infallible;
use std::future::Future;
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use hyper::server::conn::{http1, http2};
use hyper::service::Service as HttpService;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::unconstrained;

use super::activity::{Activity, Protocol};
use super::challenge::Handshakes;
use super::drain::Phase;
use super::exchange::{Front, Requested};
use super::guard::GuardPolicy;
use super::limits::Limits;
use super::places::Place;
use super::security_headers::SecurityHeaders;
use super::stream::WatchedStream;
use super::traffic::{Traffic, Unshaken};

/// The smallest read buffer that hyper takes.
pub(super) const SMALLEST_BUFFER_BYTES: usize = 8 * 1024;

/// A header of up to so many times its limit is read, so that its refusal is an answer like every other, which a page of
/// another origin may read too. Beyond that the libraries refuse it by themselves.
pub(super) const READ_BEYOND_LIMIT: usize = 2;
/// How long a client that connected just before a stop still has for its handshake, and then for the first byte of its
/// request. It cannot know of the stop, and has nothing to show for a connection that is closed now.
const JUST_CONNECTED: Duration = Duration::from_secs(1);

/// How long a goodbye may take.
const GOODBYE: Duration = Duration::from_millis(500);
/// The same of one whose place is another's already.
const QUICK_GOODBYE: Duration = Duration::from_millis(50);

/// What an HTTP/2 peer may send of one request body before it is read, and of all on one connection.
const HTTP2_STREAM_BYTES: u32 = 256 * 1024;
const HTTP2_CONNECTION_BYTES: u32 = 1024 * 1024;
/// What is kept of an answer that an HTTP/2 peer does not take yet.
const HTTP2_UNSENT_BYTES: usize = 64 * 1024;
/// Requests that are broken off before they were looked at, and mistakes that end one request alone: after so many the
/// connection ends.
const HTTP2_BROKEN_OFF_UNSEEN: usize = 20;
const HTTP2_MISTAKES: usize = 128;

/// What all connections of one server share.
pub(super) struct Shared<R> {
    pub(super) tls: Handshakes,
    pub(super) limits: Limits,
    pub(super) guard: Arc<GuardPolicy>,
    pub(super) security: SecurityHeaders,
    pub(super) routes: R,
    pub(super) phase: watch::Receiver<Phase>,
    pub(super) traffic: Arc<Traffic>,
}

/// Serves a connection to its end, which comes soon when its place is given away. Whatever goes wrong concerns this peer
/// alone, and ends here.
pub(super) async fn run<R, B>(tcp: TcpStream, peer: IpAddr, place: Option<Place>, shared: Arc<Shared<R>>)
where
    R: HttpService<Request<Requested>, Response = Response<B>, Error = Infallible>
        + Clone
        + Send
        + Sync
        + 'static,
    R::Future: Send,
    B: Body<Data = Bytes> + From<Bytes> + Unpin + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let limits = &shared.limits;
    let mut phase = shared.phase.clone();
    let handshake = tokio::time::timeout(limits.handshake, shared.tls.accept(tcp));
    let tls = tokio::select! {
        handshake = handshake => match handshake {
            Ok(Ok(Some(tls))) => tls,
            Ok(Ok(None)) => return tracing::debug!("a name was proved to an authority"),
            Ok(Err(error)) => {
                shared.traffic.handshakes.one(Unshaken::Failed);
                return tracing::debug!(%error, "a handshake failed");
            }
            Err(_elapsed) => {
                shared.traffic.handshakes.one(Unshaken::Late);
                return tracing::debug!("a handshake took too long");
            }
        },
        () = late_for_a_handshake(&mut phase) => return,
        () = given_away(place.as_ref()) => return,
    };
    let protocol = match tls.get_ref().1.alpn_protocol() {
        Some(b"h2") => Protocol::Http2,
        _ => Protocol::Http1,
    };
    let activity = Activity::new(protocol);
    if let Some(place) = &place {
        place.show(&activity);
    }
    let io = TokioIo::new(WatchedStream::new(tls, activity.clone(), limits.linger));
    let front = Front {
        routes: shared.routes.clone(),
        guard: shared.guard.clone(),
        security: shared.security,
        peer,
        activity: activity.clone(),
        linger: limits.linger,
        headers_bytes: limits.headers_bytes,
        header_fields: limits.header_fields,
        traffic: Arc::clone(&shared.traffic),
    };
    let header_read = limits.headers_bytes * READ_BEYOND_LIMIT;
    match protocol {
        Protocol::Http1 => {
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                // Starts when the connection falls idle, so it cannot be the time of a header. It bounds
                // what the activity cannot see: half a header that came in with the request before it.
                .header_read_timeout(limits.idle)
                .max_header_size(header_read)
                .max_buf_size(header_read.max(SMALLEST_BUFFER_BYTES) * 2)
                .serve_connection(io, front);
            drive_until(connection, &activity, limits, phase, given_away(place.as_ref())).await;
        }
        Protocol::Http2 => {
            let connection = http2::Builder::new(TokioExecutor::new())
                .timer(TokioTimer::new())
                .max_concurrent_streams(limits.http2_streams)
                .max_header_list_size(u32::try_from(header_read).unwrap_or(u32::MAX))
                .keep_alive_interval(limits.http2_ping)
                .keep_alive_timeout(limits.http2_ping_answer)
                .initial_stream_window_size(HTTP2_STREAM_BYTES)
                .initial_connection_window_size(HTTP2_CONNECTION_BYTES)
                .max_send_buf_size(HTTP2_UNSENT_BYTES)
                .max_pending_accept_reset_streams(HTTP2_BROKEN_OFF_UNSEEN)
                .max_local_error_reset_streams(HTTP2_MISTAKES)
                .serve_connection(io, front);
            drive_until(connection, &activity, limits, phase, given_away(place.as_ref())).await;
        }
    }
}

/// Polls a connection until it ends, is overdue, or (after the drain has begun) has finished its calls.
///
/// An overdue one gets a moment for its protocol's goodbye: an idle client then knows that a request it
/// is just sending was not taken.
pub(super) async fn drive<C: Farewell>(
    connection: C,
    activity: &Activity,
    limits: &Limits,
    phase: watch::Receiver<Phase>,
) {
    drive_until(connection, activity, limits, phase, std::future::pending()).await;
}

/// The same, until it has to go for another one.
async fn drive_until<C: Farewell>(
    connection: C,
    activity: &Activity,
    limits: &Limits,
    mut phase: watch::Receiver<Phase>,
    given_away: impl Future<Output = ()>,
) {
    let mut connection = pin!(connection);
    // A peer that always has more to say uses up what a task may do in one go, and no time would ever pass for it.
    let mut overdue = pin!(unconstrained(activity.overdue(limits)));
    let mut given_away = pin!(unconstrained(given_away));
    let mut leaving = false;
    loop {
        tokio::select! {
            biased;
            ended = connection.as_mut() => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "a connection broke off");
                }
                return;
            }
            () = overdue.as_mut() => {
                tracing::debug!("ended a connection that stood still");
                return part(connection, activity, GOODBYE).await;
            }
            () = given_away.as_mut() => {
                tracing::debug!("ended a connection for another one");
                return part(connection, activity, QUICK_GOODBYE).await;
            }
            () = time_to_leave(&mut phase, activity), if !leaving => {
                leaving = true;
                connection.as_mut().farewell();
            }
        }
    }
}

/// Says goodbye for so long. What is unsent after that is lost.
async fn part<C: Farewell>(mut connection: Pin<&mut C>, activity: &Activity, time: Duration) {
    connection.as_mut().farewell();
    if tokio::time::timeout(time, connection).await.is_err() {
        activity.lose();
    }
}

/// Ends when the connection's place is another's; never for one that needs none.
async fn given_away(place: Option<&Place>) {
    match place {
        Some(place) => place.is_given_away().await,
        None => std::future::pending().await,
    }
}

/// Ends when the drain has begun, and a handshake that ran then has had its time.
async fn late_for_a_handshake(phase: &mut watch::Receiver<Phase>) {
    Phase::Draining.reached(phase).await;
    tokio::time::sleep(JUST_CONNECTED).await;
}

/// Ends when the drain has begun, and a first request that was on its way then has begun to come.
async fn time_to_leave(phase: &mut watch::Receiver<Phase>, activity: &Activity) {
    Phase::Draining.reached(phase).await;
    activity.begun(JUST_CONNECTED).await;
}

/// A connection that can be asked to finish what it has begun and then end.
pub(super) trait Farewell: Future<Output = hyper::Result<()>> {
    fn farewell(self: Pin<&mut Self>);
}

impl<I, S, B> Farewell for http1::Connection<I, S>
where
    S: HttpService<Request<hyper::body::Incoming>, Response = Response<B>>,
    S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    I: hyper::rt::Read + hyper::rt::Write + Unpin,
    B: Body + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    fn farewell(self: Pin<&mut Self>) {
        self.graceful_shutdown();
    }
}

impl<I, S, B, E> Farewell for http2::Connection<I, S, E>
where
    S: HttpService<Request<hyper::body::Incoming>, Response = Response<B>>,
    S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    I: hyper::rt::Read + hyper::rt::Write + Unpin,
    B: Body + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    E: hyper::rt::bounds::Http2ServerConnExec<S::Future, B>,
{
    fn farewell(self: Pin<&mut Self>) {
        self.graceful_shutdown();
    }
}
