//! The byte stream of a connection, watched: what comes in and whether the peer takes what goes out is
//! reported to the connection's activity.
//!
//! It also closes politely after an early answer. Knows nothing of HTTP.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;
use tokio_rustls::server::TlsStream;

use super::activity::Activity;

/// No more than this is read and thrown away after an early answer.
pub(super) const LINGER_BYTES: usize = 8 * 1024 * 1024;

/// A stream that can be closed without what is still unsent. Otherwise the system keeps that for minutes, for a peer
/// that does not take it.
pub(super) trait Abandon {
    fn abandon(&self);
}

impl Abandon for TcpStream {
    fn abandon(&self) {
        // Where that cannot be, the system gives up later.
        let _as_good_as_it_gets = self.set_zero_linger();
    }
}

impl Abandon for TlsStream<TcpStream> {
    fn abandon(&self) {
        self.get_ref().0.abandon();
    }
}

/// A stream that reports to an activity.
#[derive(Debug)]
pub(super) struct WatchedStream<S: Abandon> {
    inner: S,
    activity: Activity,
    linger: Duration,
    closing: Closing,
}

#[derive(Debug)]
enum Closing {
    No,
    Lingering { until: Pin<Box<Sleep>>, read_bytes: usize },
    Done,
}

impl<S: Abandon> WatchedStream<S> {
    pub(super) fn new(inner: S, activity: Activity, linger: Duration) -> Self {
        Self { inner, activity, linger, closing: Closing::No }
    }

    /// What became of a write. That all was taken is only known once it was flushed.
    fn report(&self, written: &Poll<io::Result<usize>>) {
        match written {
            Poll::Ready(Ok(bytes)) => self.activity.took(*bytes),
            Poll::Ready(Err(_)) => {}
            Poll::Pending => self.activity.wrote(false),
        }
    }
}

impl<S: Abandon> Drop for WatchedStream<S> {
    fn drop(&mut self) {
        if self.activity.is_lost() {
            self.inner.abandon();
        }
    }
}

impl<S: AsyncRead + Abandon + Unpin> AsyncRead for WatchedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let result = ready!(Pin::new(&mut self.inner).poll_read(cx, buf));
        let bytes = buf.filled().len() - before;
        if bytes > 0 {
            self.activity.read(bytes);
        }
        Poll::Ready(result)
    }
}

impl<S: AsyncRead + AsyncWrite + Abandon + Unpin> AsyncWrite for WatchedStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.inner).poll_write(cx, buf);
        self.report(&result);
        result
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.inner).poll_write_vectored(cx, bufs);
        self.report(&result);
        result
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.inner).poll_flush(cx);
        self.activity.wrote(result.is_ready());
        result
    }

    /// Closing a socket that holds unread bytes makes the system reset the connection, and the reset can
    /// overtake the answer. So after an early answer the rest is read for a while.
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        loop {
            match &mut this.closing {
                Closing::No => {
                    let result = Pin::new(&mut this.inner).poll_shutdown(cx);
                    this.activity.wrote(result.is_ready());
                    ready!(result)?;
                    this.closing = if this.activity.has_unread_body() {
                        Closing::Lingering { until: Box::pin(tokio::time::sleep(this.linger)), read_bytes: 0 }
                    } else {
                        Closing::Done
                    };
                }
                Closing::Lingering { until, read_bytes } => {
                    let mut scratch = [0; 8 * 1024];
                    let mut buf = ReadBuf::new(&mut scratch);
                    match Pin::new(&mut this.inner).poll_read(cx, &mut buf) {
                        Poll::Ready(Ok(())) if !buf.filled().is_empty() && *read_bytes < LINGER_BYTES => {
                            *read_bytes += buf.filled().len();
                            if until.as_mut().poll(cx).is_ready() {
                                this.closing = Closing::Done;
                            }
                        }
                        Poll::Ready(_) => this.closing = Closing::Done,
                        Poll::Pending => {
                            ready!(until.as_mut().poll(cx));
                            this.closing = Closing::Done;
                        }
                    }
                }
                Closing::Done => return Poll::Ready(Ok(())),
            }
        }
    }
}
