//! The word that a batch is durable, or why it is not.

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

    /// Waits as long as it takes; never to be called where a runtime's tasks run.
    ///
    /// # Errors
    /// Why the batch is not durable.
    pub fn wait(self) -> Result<(), StoreError> {
        self.0.blocking_recv().unwrap_or(Err(StoreError::Closed))
    }
}
