//! Plain HTTP/1.1 that never leaves the machine: a loopback address or a socket in a folder, for pages that are read.
//!
//! Decides how such a socket is opened and how its connections are timed, capped and ended, by the same parts that time
//! the public ones; where they are too many, one that asks for nothing gives way to one that may. Knows nothing of what the
//! pages say; who may read them is the pages' own question.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::{Future, Ready, ready};
use std::io;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::{Path, PathBuf};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_LENGTH, HeaderValue};
use http::request::Parts;
use http::{Method, Request, Response, StatusCode};
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::Service as HttpService;
use hyper_util::rt::{TokioIo, TokioTimer};
use socket2::{Domain, SockAddr, Socket, Type};
use tokio::net::{TcpStream, UnixListener};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::{AbortHandle, JoinSet};

use super::activity::{Activity, Exchange, Protocol};
use super::connection::{READ_BEYOND_LIMIT, SMALLEST_BUFFER_BYTES, drive};
use super::drain::{LAST_ANSWERS, Phase, all_ended};
use super::exchange::{header_bytes, hide_credentials};
use super::limits::Limits;
use super::listener::Listener;
use super::stream::WatchedStream;

/// How many connections the system may hold ready.
const BACKLOG: i32 = 64;
/// How long to wait when no connection can be taken.
const SHORTAGE_PAUSE: Duration = Duration::from_millis(50);

/// What such a socket shows.
pub trait PlainPages: Send + Sync + 'static {
    /// The answer to a request, whose body is never read. Must not block.
    fn answer(&self, request: &Parts) -> Response<Bytes>;
}

/// An open socket that only this machine reaches.
#[derive(Debug)]
pub struct PlainListener(Inner);

#[derive(Debug)]
enum Inner {
    Tcp(Box<Listener>),
    /// With what tells its file from one that somebody else puts in its place.
    Unix {
        listener: UnixListener,
        path: PathBuf,
        file: (u64, u64),
    },
}

impl PlainListener {
    /// Takes an open TCP socket; whoever opened it saw to it that it is one of the loopback.
    #[must_use]
    pub fn tcp(listener: Listener) -> Self {
        Self(Inner::Tcp(Box::new(listener)))
    }

    /// Opens a socket at this path for the program's own user and nobody else. One that nobody listens on any more is
    /// replaced.
    ///
    /// # Errors
    /// When somebody listens there, when what lies there is no socket, and what the system says.
    pub fn unix(path: &Path) -> io::Result<Self> {
        if is_left_behind(path)? {
            std::fs::remove_file(path)?;
        }
        let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
        socket.set_nonblocking(true)?;
        socket.bind(&SockAddr::unix(path)?)?;
        // Before it listens nobody can connect, so nobody comes in before the mode is right.
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
        socket.listen(BACKLOG)?;
        let file = file_at(path)?;
        let listener = UnixListener::from_std(socket.into())?;
        Ok(Self(Inner::Unix { listener, path: path.to_owned(), file }))
    }

    /// Whether a socket could be opened at this path, as far as what lies there is concerned. Nothing is made or removed.
    ///
    /// # Errors
    /// As for [`PlainListener::unix`].
    pub fn could_open(path: &Path) -> io::Result<()> {
        is_left_behind(path).map(drop)
    }

    /// The address with the real port; `None` for one that is a path.
    #[must_use]
    pub fn address(&self) -> Option<SocketAddr> {
        match &self.0 {
            Inner::Tcp(listener) => Some(listener.address()),
            Inner::Unix { .. } => None,
        }
    }

    async fn accept(&mut self, room: &Arc<Semaphore>) -> (TcpStream, Option<OwnedSemaphorePermit>) {
        match &mut self.0 {
            Inner::Tcp(listener) => {
                let taken = listener.accept(room).await;
                (taken.stream, taken.place)
            }
            Inner::Unix { listener, .. } => loop {
                // The semaphore is never closed.
                let Ok(place) = Arc::clone(room).acquire_owned().await else { continue };
                match listener.accept().await.and_then(|(stream, _)| as_stream(stream)) {
                    Ok(stream) => return (stream, Some(place)),
                    Err(_) => tokio::time::sleep(SHORTAGE_PAUSE).await,
                }
            },
        }
    }
}

impl Drop for PlainListener {
    fn drop(&mut self) {
        if let Inner::Unix { path, file, .. } = &self.0
            && file_at(path).is_ok_and(|there| there == *file)
        {
            // Whoever starts next removes it as well.
            let _gone = std::fs::remove_file(path);
        }
    }
}

/// Whether a socket lies at a path that nobody listens on any more; `false` where nothing lies.
fn is_left_behind(path: &Path) -> io::Result<bool> {
    match path.symlink_metadata() {
        Ok(found) if !found.file_type().is_socket() => {
            Err(io::Error::new(io::ErrorKind::AlreadyExists, "what lies there is no socket"))
        }
        Ok(_) => match StdUnixStream::connect(path) {
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => Ok(true),
            Ok(_) => Err(io::ErrorKind::AddrInUse.into()),
            Err(error) => Err(error),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Which file lies at a path.
fn file_at(path: &Path) -> io::Result<(u64, u64)> {
    path.symlink_metadata().map(|found| (found.dev(), found.ino()))
}

/// A socket of another family than its type says, which makes no difference to reading, writing and closing.
fn as_stream(stream: tokio::net::UnixStream) -> io::Result<TcpStream> {
    TcpStream::from_std(OwnedFd::from(stream.into_std()?).into())
}

/// Serves pages until `shutdown` ends, then lets running answers leave. Dropping the future cuts everything at once.
///
/// With as many connections as may be, a further one takes the place of the oldest that is not being answered: whoever
/// opens many and asks for nothing keeps nobody out.
pub async fn serve_plain(
    mut listener: PlainListener,
    limits: Limits,
    pages: Arc<impl PlainPages>,
    shutdown: impl Future<Output = ()>,
) {
    let (tell, phase) = watch::channel(Phase::Open);
    // Nobody waits for a place.
    let room = Arc::new(Semaphore::new(Semaphore::MAX_PERMITS));
    let limits = Arc::new(limits);
    let mut connections = JoinSet::new();
    let mut open = Places::default();
    let mut shutdown = pin!(shutdown);
    loop {
        tokio::select! {
            biased;
            () = shutdown.as_mut() => break,
            Some(_ended) = connections.join_next() => {}
            (stream, place) = listener.accept(&room) => {
                open.make_room(limits.connections);
                let activity = Activity::new(Protocol::Http1);
                let serving =
                    run(stream, activity.clone(), Arc::clone(&limits), Arc::clone(&pages), phase.clone());
                let task = connections.spawn(async move {
                    serving.await;
                    drop(place);
                });
                open.0.push_back((activity, task));
            }
        }
    }
    drop(listener);
    tell.send_replace(Phase::Draining);
    // Answers are made at once; what is left is somebody who does not take theirs.
    all_ended(&mut connections, LAST_ANSWERS).await;
    connections.shutdown().await;
}

/// The connections that are open, the oldest first.
#[derive(Default)]
struct Places(VecDeque<(Activity, AbortHandle)>);

impl Places {
    /// Sees to it that fewer than `most` are open.
    fn make_room(&mut self, most: usize) {
        self.0.retain(|(_, task)| !task.is_finished());
        while self.0.len() >= most.max(1) {
            let idle = self.0.iter().position(|(activity, _)| !activity.is_answering());
            let Some((_, task)) = self.0.remove(idle.unwrap_or(0)) else { return };
            tracing::debug!("ended a connection of an operator that asked for nothing, for a further one");
            task.abort();
        }
    }
}

async fn run(
    stream: TcpStream,
    activity: Activity,
    limits: Arc<Limits>,
    pages: Arc<impl PlainPages>,
    phase: watch::Receiver<Phase>,
) {
    let io = TokioIo::new(WatchedStream::new(stream, activity.clone(), limits.linger));
    let header_read = limits.headers_bytes * READ_BEYOND_LIMIT;
    let front = Front { pages, activity: activity.clone(), headers_bytes: limits.headers_bytes };
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.idle)
        .max_header_size(header_read)
        .max_buf_size(header_read.max(SMALLEST_BUFFER_BYTES) * 2)
        .serve_connection(io, front);
    drive(connection, &activity, &limits, phase).await;
}

struct Front<P> {
    pages: Arc<P>,
    activity: Activity,
    headers_bytes: usize,
}

impl<P: PlainPages> HttpService<Request<Incoming>> for Front<P> {
    type Response = Response<Whole>;
    type Error = Infallible;
    type Future = Ready<Result<Response<Whole>, Infallible>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let mut exchange = Exchange::begin(&self.activity);
        let (mut parts, body) = request.into_parts();
        hide_credentials(&mut parts.headers);
        let mut response = if header_bytes(&parts) > self.headers_bytes {
            let mut response = Response::new(Bytes::new());
            *response.status_mut() = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
            response
        } else {
            self.pages.answer(&parts)
        };
        let closes = !body.is_end_stream();
        if closes {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        let length = HeaderValue::from(response.body().len());
        response.headers_mut().insert(CONTENT_LENGTH, length);
        exchange.sends(closes);
        let is_head = parts.method == Method::HEAD;
        ready(Ok(response.map(|bytes| {
            let bytes = if is_head { Bytes::new() } else { bytes };
            Whole { bytes: Some(bytes).filter(|bytes| !bytes.is_empty()), exchange }
        })))
    }
}

/// A body that is there as a whole; the exchange lasts until it is dropped.
struct Whole {
    bytes: Option<Bytes>,
    exchange: Exchange,
}

impl Body for Whole {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.exchange.moved();
        Poll::Ready(self.bytes.take().map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("ono-sendai-plain-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[tokio::test]
    async fn a_socket_is_its_owners_and_gone_at_the_end() {
        let folder = scratch("mode");
        let path = folder.join("operator.sock");
        let listener = PlainListener::unix(&path).unwrap();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(PlainListener::unix(&path).unwrap_err().kind(), io::ErrorKind::AddrInUse);
        drop(listener);
        assert!(!path.exists());
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[tokio::test]
    async fn a_socket_that_a_dead_server_left_is_replaced_and_a_file_is_not() {
        let folder = scratch("left");
        let path = folder.join("operator.sock");
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        drop(PlainListener::unix(&path).unwrap());
        std::fs::write(&path, "mine").unwrap();
        assert_eq!(PlainListener::unix(&path).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[tokio::test]
    async fn a_socket_that_another_server_put_in_the_place_of_its_own_stays() {
        let folder = scratch("replaced");
        let path = folder.join("operator.sock");
        let first = PlainListener::unix(&path).unwrap();
        // The first one's file is kept elsewhere, so that the second one's cannot get its number.
        std::fs::rename(&path, folder.join("moved")).unwrap();
        let second = PlainListener::unix(&path).unwrap();
        drop(first);
        assert!(StdUnixStream::connect(&path).is_ok());
        drop(second);
        assert!(!path.exists());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
