//! An answer as an event stream: comment lines while it is awaited, then one event, then the end.
//!
//! Knows how events are written, not what they say.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};
use futures_util::{Stream, stream};
use http::HeaderMap;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};
use tokio::time::{Interval, MissedTickBehavior};

const COMMENT: &[u8] = b": waiting\n\n";

/// Marks an answer as an event stream that nothing on the way may hold back or change.
pub(super) fn mark(headers: &mut HeaderMap) {
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
}

/// One message event. A line break inside the text would end the line, so each line is its own.
pub(super) fn event(json: &[u8]) -> Bytes {
    let mut event = BytesMut::with_capacity(json.len() + 32);
    event.put_slice(b"event: message\n");
    for line in json.split(|byte| *byte == b'\n' || *byte == b'\r') {
        event.put_slice(b"data: ");
        event.put_slice(line);
        event.put_slice(b"\n");
    }
    event.put_slice(b"\n");
    event.freeze()
}

/// A comment at once and then every `pause`, until `json` is known; `None` ends the stream without an
/// event. Dropping the stream drops `json`.
pub(super) fn stream_of<F>(json: F, pause: Duration) -> EventStream
where
    F: Future<Output = Option<Bytes>> + Send + 'static,
{
    let mut comments = tokio::time::interval(pause);
    comments.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let waiting = Waiting { json: Box::pin(json), comments };
    EventStream(Mutex::new(Box::pin(stream::unfold(Some(waiting), step))))
}

struct Waiting {
    json: Pin<Box<dyn Future<Output = Option<Bytes>> + Send>>,
    comments: Interval,
}

async fn step(waiting: Option<Waiting>) -> Option<(Bytes, Option<Waiting>)> {
    let mut waiting = waiting?;
    let known = tokio::select! {
        biased;
        _ = waiting.comments.tick() => None,
        json = &mut waiting.json => Some(json),
    };
    match known {
        None => Some((Bytes::from_static(COMMENT), Some(waiting))),
        Some(json) => json.map(|json| (event(&json), None)),
    }
}

/// The bytes of an event stream. The mutex is never locked; it only makes the stream shareable, which
/// response bodies must be and futures need not.
pub(super) struct EventStream(Mutex<Pin<Box<dyn Stream<Item = Bytes> + Send>>>);

impl Stream for EventStream {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let stream = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        stream.as_mut().poll_next(cx).map(|item| item.map(Ok))
    }
}

#[cfg(test)]
mod tests {
    use super::{event, stream_of};
    use bytes::Bytes;
    use futures_util::StreamExt;
    use std::time::Duration;

    #[test]
    fn an_event_keeps_line_breaks_on_their_own_lines() {
        assert_eq!(event(b"{}"), "event: message\ndata: {}\n\n");
        assert_eq!(event(b"{\n}"), "event: message\ndata: {\ndata: }\n\n");
    }

    #[tokio::test(start_paused = true)]
    async fn comments_come_at_once_and_at_every_pause_until_the_event_ends_the_stream() {
        let answer = async {
            tokio::time::sleep(Duration::from_secs(12)).await;
            Some(Bytes::from_static(b"{}"))
        };
        let lines: Vec<_> = stream_of(answer, Duration::from_secs(5)).map(Result::unwrap).collect().await;
        assert_eq!(
            lines,
            [": waiting\n\n", ": waiting\n\n", ": waiting\n\n", "event: message\ndata: {}\n\n"]
        );
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_without_a_body_ends_the_stream_without_an_event() {
        let lines: Vec<_> = stream_of(async { None }, Duration::from_secs(5)).collect().await;
        assert_eq!(lines.len(), 1);
    }
}
