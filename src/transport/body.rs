//! Reads a request body within its size and its time, before anything else looks at it.
//!
//! Knows nothing of what the body says.

use std::error::Error;
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use futures_util::{Stream, StreamExt};
use http::HeaderMap;
use http::header::CONTENT_LENGTH;

use super::limits::Limits;
use super::refusal::Refusal;

/// The complete body.
///
/// A declared length above the limit is refused before a byte is read, so that a client that waits for
/// `100 Continue` gets the refusal instead.
pub(super) async fn read<S, B, E>(headers: &HeaderMap, body: S, limits: &Limits) -> Result<Bytes, Refusal>
where
    S: Stream<Item = Result<B, E>>,
    B: Buf,
    E: Error + 'static,
{
    let declared = declared_length(headers);
    let limit = u64::try_from(limits.body_bytes).unwrap_or(u64::MAX);
    if declared.is_some_and(|length| length > limit) {
        return Err(Refusal::BodyTooLarge);
    }
    within(limits.body, collect(body, limits.body_bytes)).await
}

async fn within<F: Future<Output = Result<Bytes, Refusal>>>(
    time: Duration,
    read: F,
) -> Result<Bytes, Refusal> {
    match tokio::time::timeout(time, read).await {
        Ok(result) => result,
        Err(_elapsed) => Err(Refusal::BodyTooSlow),
    }
}

async fn collect<S, B, E>(body: S, limit_bytes: usize) -> Result<Bytes, Refusal>
where
    S: Stream<Item = Result<B, E>>,
    B: Buf,
    E: Error + 'static,
{
    let mut body = std::pin::pin!(body);
    let mut first = Bytes::new();
    let mut rest = BytesMut::new();
    while let Some(chunk) = body.next().await {
        let mut chunk = chunk.map_err(|error| {
            tracing::debug!(%error, "a request body broke off");
            Refusal::BodyBroken
        })?;
        let size = chunk.remaining();
        if size > limit_bytes.saturating_sub(first.len() + rest.len()) {
            return Err(Refusal::BodyTooLarge);
        }
        // Most bodies arrive in one piece, which then needs no copy.
        if first.is_empty() && rest.is_empty() {
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
    use super::read;
    use crate::transport::limits::Limits;
    use crate::transport::refusal::Refusal;
    use bytes::Bytes;
    use futures_util::{StreamExt, stream};
    use http::{HeaderMap, HeaderValue};
    use std::convert::Infallible;
    use std::time::Duration;

    fn limits() -> Limits {
        Limits { body_bytes: 10, body: Duration::from_millis(50), ..Limits::default() }
    }

    async fn pieces(pieces: &[&'static str]) -> Result<Bytes, Refusal> {
        let body = stream::iter(pieces.to_vec())
            .map(|piece| Ok::<_, Infallible>(Bytes::from_static(piece.as_bytes())));
        read(&HeaderMap::new(), body, &limits()).await
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
            let read = read::<_, Bytes, Infallible>(&headers, untouched, &limits()).await;
            assert_eq!(read, Err(Refusal::BodyTooLarge));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_never_ends_is_cut_off_after_its_time() {
        let body = stream::pending::<Result<Bytes, Infallible>>();
        assert_eq!(read(&HeaderMap::new(), body, &limits()).await, Err(Refusal::BodyTooSlow));
    }
}
