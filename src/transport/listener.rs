//! The listening socket: how it is opened and how connections are taken from it.
//!
//! Decides what happens when the system runs short. Knows nothing of TLS or HTTP.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use socket2::{Domain, Protocol, SockAddr, SockRef, Socket, Type};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use super::side_door::{Knocks, Question, SideDoor};
use super::traffic::{Held, Traffic};
use crate::host::Authority;
use crate::telemetry::LineLimit;

/// How many connections the system may hold ready for us.
const BACKLOG: i32 = 4_096;

/// What the system keeps of a connection that nobody reads, in each direction: what came (it takes twice as much for it), and
/// what is to go and was not sent. Without a bound it keeps megabytes of each, and all programs share what it has for that.
const UNREAD_BYTES: usize = 64 * 1024;
const UNSENT_BYTES: u32 = 64 * 1024;

/// How long to wait when there is no file descriptor or memory for one more connection.
const SHORTAGE_PAUSE: Duration = Duration::from_millis(50);
/// The same while one is being closed for it.
const GIVES_UP_WITHIN: Duration = Duration::from_millis(5);
/// How often a shortage is told of.
const SHORTAGE_LINES: Duration = Duration::from_secs(10);

/// An open listening socket.
#[derive(Debug)]
pub struct Listener {
    inner: TcpListener,
    address: SocketAddr,
    knocks: Option<Knocks>,
    traffic: Arc<Traffic>,
    /// Kept here because every connection that ends starts `accept` anew.
    shortage: LineLimit,
}

/// A connection that was taken.
#[derive(Debug)]
pub(super) struct Taken {
    pub(super) stream: TcpStream,
    pub(super) peer: IpAddr,
    /// Its place among those that may be open at once, if it needs one and has it.
    pub(super) place: Option<OwnedSemaphorePermit>,
}

/// Why an address cannot be listened on.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// Something else listens there.
    #[error("{0} is already in use by another program")]
    InUse(SocketAddr),
    /// The port needs a privilege.
    #[error("not allowed to listen on {0} (ports below 1024 need a privilege)")]
    NotAllowed(SocketAddr),
    /// The address is not one of this machine's.
    #[error("{0} is not an address of this machine")]
    NoSuchAddress(SocketAddr),
    /// Anything else.
    #[error("cannot listen on {0}: {1}")]
    Other(SocketAddr, #[source] io::Error),
}

impl ListenError {
    fn of(address: SocketAddr, error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::AddrInUse => Self::InUse(address),
            io::ErrorKind::PermissionDenied => Self::NotAllowed(address),
            io::ErrorKind::AddrNotAvailable => Self::NoSuchAddress(address),
            _ => Self::Other(address, error),
        }
    }
}

impl Listener {
    /// Opens a socket on the address; port 0 takes a free one. `[::]` takes IPv4 as well. Needs a tokio
    /// runtime.
    ///
    /// # Errors
    /// Names the address and what is wrong with it.
    pub fn bind(address: SocketAddr) -> Result<Self, ListenError> {
        Self::open(address).map_err(|error| ListenError::of(address, error))
    }

    /// Whether the address could be listened on. Nothing listens there at any moment, so that nobody connects to it.
    ///
    /// # Errors
    /// As for [`Listener::bind`].
    pub fn could_bind(address: SocketAddr) -> Result<(), ListenError> {
        Self::bound(address).map(drop).map_err(|error| ListenError::of(address, error))
    }

    fn open(address: SocketAddr) -> io::Result<Self> {
        let socket = Self::bound(address)?;
        socket.listen(BACKLOG)?;
        Self::of(socket.into())
    }

    fn bound(address: SocketAddr) -> io::Result<Socket> {
        let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
        socket.set_reuse_address(true)?;
        if address.is_ipv6() && address.ip().is_unspecified() {
            socket.set_only_v6(false)?;
        }
        socket.set_nonblocking(true)?;
        socket.bind(&SockAddr::from(address))?;
        Ok(socket)
    }

    /// Takes a socket that listens already. Needs a tokio runtime.
    ///
    /// # Errors
    /// What the system says.
    pub fn of(socket: std::net::TcpListener) -> io::Result<Self> {
        socket.set_nonblocking(true)?;
        // Every connection that is taken has it from here.
        let options = SockRef::from(&socket);
        options.set_recv_buffer_size(UNREAD_BYTES)?;
        options.set_tcp_notsent_lowat(UNSENT_BYTES)?;
        let inner = TcpListener::from_std(socket)?;
        let address = inner.local_addr()?;
        Ok(Self {
            inner,
            address,
            knocks: None,
            traffic: Arc::default(),
            shortage: LineLimit::new(1, SHORTAGE_LINES),
        })
    }

    /// A way in for the program itself, which takes the place of an earlier one; `own` is what the server is called, and
    /// `further` is what it is asked beside its readiness.
    #[must_use]
    pub fn side_door(&mut self, own: &Authority, further: &[Question]) -> SideDoor {
        let (door, knocks) = SideDoor::new(own, further);
        self.knocks = Some(knocks);
        door
    }

    /// What comes through this socket, counted.
    #[must_use]
    pub fn traffic(&self) -> Arc<Traffic> {
        Arc::clone(&self.traffic)
    }

    /// Where it listens, with the real port.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The next connection, once there is room for it; one of the program's own at once. Never fails: an aborted
    /// connection is skipped, a shortage of descriptors waited out.
    pub(super) async fn accept(&mut self, room: &Arc<Semaphore>) -> Taken {
        let (own, outside) = self.doors();
        tokio::select! {
            taken = own.next() => taken,
            taken = async {
                let place = place(room, outside.traffic).await;
                Taken { place, ..outside.next(|| false).await }
            } => taken,
        }
    }

    /// Where the program's own connections come in, and where all others do.
    pub(super) fn doors(&mut self) -> (Own<'_>, Outside<'_>) {
        let Self { inner, knocks, shortage, traffic, .. } = self;
        (Own(knocks), Outside { inner, shortage, traffic })
    }
}

/// The way in for the program itself.
#[derive(Debug)]
pub(super) struct Own<'a>(&'a mut Option<Knocks>);

impl Own<'_> {
    /// The next connection of the program's own; never, when it has no way in.
    pub(super) async fn next(self) -> Taken {
        if let Some(knocks) = self.0
            && let Some(stream) = knocks.recv().await
        {
            return Taken { stream, peer: Ipv4Addr::UNSPECIFIED.into(), place: None };
        }
        std::future::pending().await
    }
}

/// The way in for everybody else.
#[derive(Debug)]
pub(super) struct Outside<'a> {
    inner: &'a TcpListener,
    shortage: &'a LineLimit,
    traffic: &'a Traffic,
}

impl Outside<'_> {
    /// The next connection, which has no place yet. When the system is short of descriptors, `give_up` is to end an open
    /// connection, and says whether one will.
    pub(super) async fn next(&self, give_up: impl Fn() -> bool) -> Taken {
        loop {
            match self.inner.accept().await {
                Ok((stream, peer)) => {
                    // An answer is written in one go; waiting to fill packets would only delay it.
                    if let Err(error) = stream.set_nodelay(true) {
                        tracing::debug!(%error, "a connection was gone before it was accepted");
                        continue;
                    }
                    return Taken { stream, peer: peer.ip(), place: None };
                }
                Err(error) if concerns_one_peer(&error) => {}
                Err(error) => {
                    self.traffic.held.one(Held::Shortage);
                    if let Some(left_out) = self.shortage.note(Instant::now().into_std()) {
                        tracing::warn!(%error, left_out, "cannot accept connections just now");
                    }
                    tokio::time::sleep(if give_up() { GIVES_UP_WITHIN } else { SHORTAGE_PAUSE }).await;
                }
            }
        }
    }
}

async fn place(room: &Arc<Semaphore>, traffic: &Traffic) -> Option<OwnedSemaphorePermit> {
    if room.available_permits() == 0 {
        traffic.held.one(Held::Full);
    }
    loop {
        // The semaphore is never closed.
        if let Ok(place) = room.clone().acquire_owned().await {
            return Some(place);
        }
    }
}

fn concerns_one_peer(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted, TimedOut};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted | TimedOut)
}

#[cfg(test)]
mod tests {
    use super::{ListenError, Listener, UNREAD_BYTES, UNSENT_BYTES};
    use socket2::SockRef;
    use std::net::SocketAddr;

    #[tokio::test]
    async fn a_taken_port_is_named() {
        let first = Listener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let second = Listener::bind(first.address()).unwrap_err();
        assert!(matches!(second, ListenError::InUse(address) if address == first.address()));
        assert!(second.to_string().contains(&first.address().port().to_string()));
        assert!(matches!(Listener::could_bind(first.address()), Err(ListenError::InUse(_))));
        let address = first.address();
        drop(first);
        Listener::could_bind(address).unwrap();
        assert!(std::net::TcpStream::connect(address).is_err(), "something listens");
    }

    #[tokio::test]
    async fn a_port_can_be_taken_again_at_once() {
        let address = Listener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap().address();
        assert_eq!(Listener::bind(address).unwrap().address(), address);
    }

    #[tokio::test]
    async fn the_system_keeps_little_of_a_connection_that_nobody_reads() {
        let mut listener = Listener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let _client = std::net::TcpStream::connect(listener.address()).unwrap();
        let taken = listener.doors().1.next(|| false).await;
        let options = SockRef::from(&taken.stream);
        assert_eq!(options.recv_buffer_size().unwrap(), 2 * UNREAD_BYTES);
        assert_eq!(options.tcp_notsent_lowat().unwrap(), UNSENT_BYTES);
    }

    #[tokio::test]
    async fn a_foreign_address_is_named() {
        let error = Listener::bind(SocketAddr::from(([192, 0, 2, 1], 0))).unwrap_err();
        assert!(matches!(error, ListenError::NoSuchAddress(_)), "{error}");
    }
}
