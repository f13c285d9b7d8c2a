//! The socket below an answer: it can be reset, and it can let a header through byte by byte.
//!
//! Decides how bytes leave; knows nothing of requests.

use std::future::Future as _;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

/// The end of an HTTP/1.1 header.
const HEADER_END: &[u8; 4] = b"\r\n\r\n";

/// What an answer can ask of its connection.
#[derive(Clone, Debug, Default)]
pub(super) struct Control(Arc<Wishes>);

#[derive(Debug, Default)]
struct Wishes {
    reset: AtomicBool,
    header_gap_ms: AtomicU64,
}

impl Control {
    /// Nothing more is written, and the connection ends with a reset.
    pub(super) fn reset(&self) {
        self.0.reset.store(true, Ordering::Release);
    }

    /// The next header goes out with this time between two bytes.
    pub(super) fn slow_header(&self, gap: Duration) {
        self.0.header_gap_ms.store(u64::try_from(gap.as_millis()).unwrap_or(u64::MAX), Ordering::Release);
    }

    fn is_reset(&self) -> bool {
        self.0.reset.load(Ordering::Acquire)
    }

    fn header_gap(&self) -> Option<Duration> {
        let ms = self.0.header_gap_ms.load(Ordering::Acquire);
        (ms > 0).then(|| Duration::from_millis(ms))
    }
}

/// The socket itself. With a reset wished for, its end is one.
#[derive(Debug)]
pub(super) struct Wire {
    tcp: TcpStream,
    control: Control,
}

impl Wire {
    pub(super) fn new(tcp: TcpStream, control: Control) -> Self {
        Self { tcp, control }
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        if self.control.is_reset() {
            // If it fails, the connection ends the ordinary way, which breaks the answer too.
            let _ = SockRef::from(&self.tcp).set_linger(Some(Duration::ZERO));
        }
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_read(cx, buf)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        if self.control.is_reset() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        Pin::new(&mut self.tcp).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.control.is_reset() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        Pin::new(&mut self.tcp).poll_shutdown(cx)
    }
}

/// What HTTP writes to, above TLS if there is any.
#[derive(Debug)]
pub(super) struct Paced<S> {
    inner: S,
    control: Control,
    gap: Option<Pin<Box<Sleep>>>,
    /// How much of the header's end has gone out.
    matched: usize,
}

impl<S> Paced<S> {
    pub(super) fn new(inner: S, control: Control) -> Self {
        Self { inner, control, gap: None, matched: 0 }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Paced<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(cx, buf)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Paced<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let this = &mut *self;
        let (Some(gap), Some(first)) = (this.control.header_gap(), buf.first()) else {
            return Pin::new(&mut this.inner).poll_write(cx, buf);
        };
        if let Some(pause) = &mut this.gap {
            // What has gone out so far must not wait in a buffer below.
            ready!(Pin::new(&mut this.inner).poll_flush(cx))?;
            ready!(pause.as_mut().poll(cx));
            this.gap = None;
        }
        let written = ready!(Pin::new(&mut this.inner).poll_write(cx, std::slice::from_ref(first)))?;
        this.matched = match HEADER_END.get(this.matched) == Some(first) {
            true => this.matched + 1,
            false => usize::from(*first == b'\r'),
        };
        if this.matched == HEADER_END.len() {
            this.matched = 0;
            this.control.slow_header(Duration::ZERO);
        } else {
            this.gap = Some(Box::pin(tokio::time::sleep(gap)));
        }
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}
