//! The body of an answer on its way: whole, slow, cut short or followed by a reset.
//!
//! Decides when the next piece goes out, and when a request counts as ended.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::Stream;
use futures_util::stream;
use http_body::{Body, Frame};

use super::scenario::{Effect, Reset};
use super::wire::Control;

/// What goes out at once when nothing is slow.
const PIECE_BYTES: u64 = 64 * 1024;
/// How long a piece has to leave the machine before the connection goes down behind it.
const PARTING: Duration = Duration::from_millis(20);
static SPACES: [u8; 64 * 1024] = [b' '; 64 * 1024];

/// The connection ends in the middle of an answer, on purpose.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("ended as the scenario says")]
pub(super) struct Ended;

/// A body that goes out piece by piece.
pub(super) struct SimBody(Pin<Box<dyn Stream<Item = Result<Frame<Bytes>, Ended>> + Send>>);

/// What is still to be sent, and what is held until it is.
struct Rest<H> {
    body: Bytes,
    /// Bytes that were announced and bytes that will be sent.
    announced: u64,
    sent_at_most: u64,
    sent: u64,
    piece: u64,
    pause: Duration,
    reset: bool,
    control: Control,
    held: Option<H>,
}

impl SimBody {
    /// A body of `announced_bytes` bytes; `held` is dropped when the last of it is handed on.
    pub(super) fn new<H: Send + 'static>(body: Bytes, effect: &Effect, control: Control, held: H) -> Self {
        let announced = announced_bytes(&body, effect);
        let reset = effect.reset == Some(Reset::Body);
        let sent_at_most = match effect.truncate_bytes {
            Some(bytes) => bytes.min(announced),
            None if reset => announced / 2,
            None => announced,
        };
        let rest = Rest {
            body,
            announced,
            sent_at_most,
            sent: 0,
            piece: if effect.slow_body.is_some() { effect.slow_body_bytes.max(1) } else { PIECE_BYTES },
            pause: effect.slow_body.unwrap_or_default(),
            reset,
            control,
            held: Some(held),
        };
        Self(Box::pin(stream::unfold(Some(rest), |rest| async move { rest?.next().await })))
    }
}

/// How long the answer says it is.
pub(super) fn announced_bytes(body: &Bytes, effect: &Effect) -> u64 {
    let own = u64::try_from(body.len()).unwrap_or(u64::MAX);
    effect.pad_bytes.map_or(own, |pad| own.max(pad))
}

type Step<H> = Option<(Result<Frame<Bytes>, Ended>, Option<Rest<H>>)>;

impl<H> Rest<H> {
    async fn next(mut self) -> Step<H> {
        if self.sent >= self.sent_at_most {
            if self.reset || self.sent_at_most < self.announced {
                tokio::time::sleep(PARTING).await;
                self.held = None;
                if self.reset {
                    self.control.reset();
                }
                return Some((Err(Ended), None));
            }
            return None;
        }
        if self.sent > 0 && !self.pause.is_zero() {
            tokio::time::sleep(self.pause).await;
        }
        let piece = self.take();
        // A client that has the whole answer may ask again at once, so its place is free by then.
        if self.sent >= self.announced {
            self.held = None;
        }
        Some((Ok(Frame::data(piece)), Some(self)))
    }

    /// The next piece: of the body, and of spaces behind it.
    fn take(&mut self) -> Bytes {
        let length = self.piece.min(self.sent_at_most - self.sent);
        let from = usize::try_from(self.sent).unwrap_or(usize::MAX);
        let wanted = usize::try_from(length).unwrap_or(usize::MAX);
        let piece = match self.body.len().checked_sub(from) {
            Some(left @ 1..) => self.body.slice(from..from + wanted.min(left)),
            _ => Bytes::from_static(SPACES.get(..wanted).unwrap_or(&SPACES)),
        };
        self.sent += u64::try_from(piece.len()).unwrap_or(length);
        piece
    }
}

impl Body for SimBody {
    type Data = Bytes;
    type Error = Ended;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Ended>>> {
        self.0.as_mut().poll_next(cx)
    }
}
