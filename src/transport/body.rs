//! Reads a request body within its size and its time, before anything else looks at it.
//!
//! Knows nothing of what the body says.

use std::error::Error;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use futures_util::{Stream, StreamExt};
use http::HeaderMap;
use http::header::CONTENT_LENGTH;
use tokio::sync::Semaphore;

use super::limits::Limits;
use super::refusal::Refusal;

/// What of every body is taken without asking for room.
const SMALL_BYTES: usize = 4 * 1024;

/// Reads bodies; large ones share a limited room while they arrive.
#[derive(Debug)]
pub(super) struct Reader {
    time: Duration,
    limit_bytes: usize,
    /// One permit a byte.
    room: Semaphore,
}

impl Reader {
    pub(super) fn new(limits: &Limits) -> Self {
        let room = limits.large_bodies_bytes.min(Semaphore::MAX_PERMITS);
        Self { time: limits.body, limit_bytes: limits.body_bytes, room: Semaphore::new(room) }
    }

    /// The complete body.
    ///
    /// A declared length above the limit is refused before a byte is read, so that a client that waits
    /// for `100 Continue` gets the refusal instead.
    pub(super) async fn read<S, B, E>(&self, headers: &HeaderMap, body: S) -> Result<Bytes, Refusal>
    where
        S: Stream<Item = Result<B, E>>,
        B: Buf,
        E: Error + 'static,
    {
        let limit = u64::try_from(self.limit_bytes).unwrap_or(u64::MAX);
        if declared_length(headers).is_some_and(|length| length > limit) {
            return Err(Refusal::BodyTooLarge);
        }
        let mut collected = pin!(self.collect(body));
        // Unconstrained, because the time of a peer that always has more to say would never pass.
        tokio::task::unconstrained(async {
            if let Some(body) = at_once(collected.as_mut()).await {
                return body;
            }
            tokio::time::timeout(self.time, collected).await.unwrap_or(Err(Refusal::BodyTooSlow))
        })
        .await
    }

    async fn collect<S, B, E>(&self, body: S) -> Result<Bytes, Refusal>
    where
        S: Stream<Item = Result<B, E>>,
        B: Buf,
        E: Error + 'static,
    {
        let mut body = pin!(body);
        let mut first = Bytes::new();
        let mut rest = BytesMut::new();
        let mut room = Vec::new();
        while let Some(chunk) = body.next().await {
            let mut chunk = chunk.map_err(|error| {
                tracing::debug!(%error, "a request body broke off");
                Refusal::BodyBroken
            })?;
            let before = first.len() + rest.len();
            let size = chunk.remaining();
            if size > self.limit_bytes.saturating_sub(before) {
                return Err(Refusal::BodyTooLarge);
            }
            let counted = (before + size).saturating_sub(SMALL_BYTES.max(before));
            if counted > 0 {
                let counted = u32::try_from(counted).map_err(|_| Refusal::BodyTooLarge)?;
                room.push(self.room.try_acquire_many(counted).map_err(|_| Refusal::Crowded)?);
            }
            // Most bodies arrive in one piece, which then needs no copy.
            if before == 0 {
                first = chunk.copy_to_bytes(size);
            } else {
                if rest.is_empty() {
                    rest.extend_from_slice(&first);
                    first = Bytes::new();
                }
                rest.extend_from_slice(&chunk.copy_to_bytes(size));
            }
        }
        Ok(if rest.is_empty() { first } else { rest.freeze() })
    }
}

/// What comes of it when it is looked at twice, without a pause and so without a timer: most bodies arrive together with
/// their header, and are there once they have been asked for.
async fn at_once<F: Future>(mut work: Pin<&mut F>) -> Option<F::Output> {
    let mut was_asked = false;
    poll_fn(move |context| match work.as_mut().poll(context) {
        Poll::Ready(done) => Poll::Ready(Some(done)),
        Poll::Pending if was_asked => Poll::Ready(None),
        Poll::Pending => {
            was_asked = true;
            context.waker().wake_by_ref();
            Poll::Pending
        }
    })
    .await
}

/// The largest length that any field declares; a length too long to count is over every limit.
fn declared_length(headers: &HeaderMap) -> Option<u64> {
    headers
        .get_all(CONTENT_LENGTH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .filter(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()))
        .map(|text| text.parse().unwrap_or(u64::MAX))
        .max()
}

#[cfg(test)]
mod tests {
    use super::{Reader, SMALL_BYTES};
    use crate::transport::limits::Limits;
    use crate::transport::refusal::Refusal;
    use bytes::Bytes;
    use futures_util::{StreamExt, stream};
    use http::{HeaderMap, HeaderValue};
    use std::convert::Infallible;
    use std::time::Duration;

    fn reader() -> Reader {
        Reader::new(&Limits { body_bytes: 10, body: Duration::from_millis(50), ..Limits::default() })
    }

    async fn pieces(pieces: &[&'static str]) -> Result<Bytes, Refusal> {
        let body = stream::iter(pieces.to_vec())
            .map(|piece| Ok::<_, Infallible>(Bytes::from_static(piece.as_bytes())));
        reader().read(&HeaderMap::new(), body).await
    }

    #[tokio::test]
    async fn a_body_of_exactly_the_limit_is_read_whole_however_it_is_cut() {
        for cut in
            [&["0123456789"][..], &["01234", "56789"], &["0", "", "12345678", "9"], &["", "0123456789"]]
        {
            assert_eq!(pieces(cut).await.unwrap(), "0123456789");
        }
        assert_eq!(pieces(&[]).await.unwrap(), "");
    }

    #[tokio::test]
    async fn one_byte_more_is_refused_without_a_declared_length() {
        for cut in [&["0123456789a"][..], &["0123456789", "a"]] {
            assert_eq!(pieces(cut).await, Err(Refusal::BodyTooLarge));
        }
    }

    #[tokio::test]
    async fn a_too_large_declared_length_is_refused_before_a_byte_is_read() {
        for length in ["11", "99999999999", "99999999999999999999999999"] {
            let mut headers = HeaderMap::new();
            headers.insert("content-length", HeaderValue::from_static(length));
            let untouched = stream::once(async { panic!("was read") });
            let read = reader().read::<_, Bytes, Infallible>(&headers, untouched).await;
            assert_eq!(read, Err(Refusal::BodyTooLarge));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_never_ends_is_cut_off_after_its_time() {
        let body = stream::pending::<Result<Bytes, Infallible>>();
        assert_eq!(reader().read(&HeaderMap::new(), body).await, Err(Refusal::BodyTooSlow));
    }

    #[tokio::test]
    async fn large_bodies_share_a_limited_room_and_small_ones_need_none() {
        const LARGE: usize = 40 * 1024;
        let reader = Reader::new(&Limits { large_bodies_bytes: LARGE, ..Limits::default() });
        let start =
            |bytes: usize| stream::once(async move { Ok::<_, Infallible>(Bytes::from(vec![0; bytes])) });
        let headers = HeaderMap::new();
        {
            let slow = start(LARGE).chain(stream::pending());
            let mut slow = std::pin::pin!(reader.read(&headers, slow));
            assert!(tokio::time::timeout(Duration::ZERO, slow.as_mut()).await.is_err());
            assert_eq!(reader.read(&headers, start(LARGE)).await, Err(Refusal::Crowded));
            assert_eq!(reader.read(&headers, start(SMALL_BYTES)).await.unwrap().len(), SMALL_BYTES);
        }
        assert_eq!(reader.read(&headers, start(LARGE)).await.unwrap().len(), LARGE);
    }
}
