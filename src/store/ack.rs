//! The word that a batch is durable, or why it is not.

use std::future::Future as _;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

use tokio::sync::oneshot;

/// Why a batch did not become durable, as far as is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// More batches wait than the queue holds.
    #[error("too many writes are waiting")]
    Busy,
    /// The disk is full, or so nearly that nothing more is written.
    #[error("the disk is full")]
    DiskFull,
    /// The database reported an error and is being opened anew.
    #[error("the database failed")]
    Failed,
    /// No word came in time. The batch may still become durable.
    #[error("the store did not answer in time")]
    Late,
    /// The store was closed.
    #[error("the store is closed")]
    Closed,
}

/// Ends when its batch is durable. Dropping it leaves the batch on its way.
#[derive(Debug)]
#[must_use = "a batch is durable only once its word came"]
pub struct Ack(oneshot::Receiver<Result<(), StoreError>>);

impl Ack {
    /// An acknowledgement and the end that gives it.
    pub fn pair() -> (oneshot::Sender<Result<(), StoreError>>, Self) {
        let (send, receive) = oneshot::channel();
        (send, Self(receive))
    }

    /// One that is known already.
    pub fn known(result: Result<(), StoreError>) -> Self {
        let (send, ack) = Self::pair();
        // The other end is the one just made.
        let _kept = send.send(result);
        ack
    }

    /// Waits no longer than `within`.
    ///
    /// # Errors
    /// Why the batch is not durable, or that nothing is known of it yet.
    pub async fn durable(self, within: Duration) -> Result<(), StoreError> {
        match tokio::time::timeout(within, self.0).await {
            Ok(Ok(result)) => result,
            Ok(Err(_gone)) => Err(StoreError::Closed),
            Err(_late) => Err(StoreError::Late),
        }
    }

    /// Holds up the whole thread for as long as it takes: for starting, stopping and threads of one's own.
    ///
    /// # Errors
    /// Why the batch is not durable.
    pub fn wait(mut self) -> Result<(), StoreError> {
        // Unlike the runtime's own way of blocking, this works on any thread.
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        loop {
            match Pin::new(&mut self.0).poll(&mut Context::from_waker(&waker)) {
                Poll::Ready(word) => break word.unwrap_or(Err(StoreError::Closed)),
                Poll::Pending => thread::park(),
            }
        }
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_word_can_be_waited_for_on_any_thread() {
        let (send, ack) = Ack::pair();
        let other = thread::spawn(move || send.send(Err(StoreError::Busy)));
        assert_eq!(ack.wait(), Err(StoreError::Busy));
        other.join().unwrap().unwrap();
        let (send, ack) = Ack::pair();
        drop(send);
        assert_eq!(ack.wait(), Err(StoreError::Closed));
    }

    #[tokio::test(start_paused = true)]
    async fn a_word_that_does_not_come_is_late() {
        let (_send, ack) = Ack::pair();
        assert_eq!(ack.durable(Duration::from_millis(1_500)).await, Err(StoreError::Late));
    }
}
