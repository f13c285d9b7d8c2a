//! What this program does for whoever runs it: it takes the socket that was passed on, and gives signs of life for as
//! long as it serves.
//!
//! Decides how often, and that a sign of life comes from an answer. Knows nothing of the words for it.

use std::time::Duration;

use tokio::signal::unix::Signal;

use super::reload::Looking;
use super::start::StartError;
use crate::supervisor::{self, Supervisor};
use crate::transport::{Listener, Question, Shown, SideDoor, Unanswered};

/// How long, after the grace time, a stop may still take before a supervisor should end it: last answers, what has to
/// become durable, and a machine that is loaded.
pub(super) const AFTER_THE_GRACE: Duration = Duration::from_secs(15);

/// How often it is looked whether a certificate has come.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// What the server asks itself beside its readiness: the shortest way through everything that a call passes before its
/// tool. It is charged to nobody, has no line in the log, and counts for no address of a client.
pub(super) const PING: Question = Question {
    path: "/mcp",
    fields: &[
        ("Content-Type", "application/json"),
        ("Accept", "application/json"),
        ("MCP-Protocol-Version", "2025-11-25"),
    ],
    body: r#"{"jsonrpc":"2.0","id":"sign of life","method":"ping"}"#,
    answers: &[200],
};

/// So often a sign of life is tried within the time in which the supervisor wants one.
const TRIES: u32 = 3;

/// The listener that was passed on, if one was. To be asked first of all, while the program has no other threads at work.
pub(super) fn listener() -> Result<Option<Listener>, StartError> {
    let passed = supervisor::passed_listener()
        .map_err(|error| StartError::Passed { reason: error.to_string() })?
        .map(Listener::of)
        .transpose()
        .map_err(|error| StartError::Passed { reason: error.to_string() })?;
    if let Some(listener) = &passed {
        tracing::info!(address = %listener.address(), "serving the socket that was passed on, whatever [server] listen says");
    }
    Ok(passed)
}

/// How things stand, in one line for people.
pub(super) type Status<'a> = &'a (dyn Fn() -> String + Sync);

/// Looks at every file again each time the order comes, with a word to the supervisor before and after. Never ends.
pub(super) async fn reload_when_told(
    supervisor: &Supervisor,
    hangup: Option<Signal>,
    status: Status<'_>,
    looking: &Looking,
) {
    let Some(mut hangup) = hangup else { return std::future::pending().await };
    loop {
        hangup.recv().await;
        supervisor.reloading();
        looking.off_the_runtime(true).await;
        supervisor.ready(&status());
    }
}

/// Says how things stand once more when a certificate has come that was waited for. Never ends.
pub(super) async fn tell_when_shown(supervisor: &Supervisor, shown: &Shown, status: Status<'_>) {
    if shown.is_waiting() {
        while shown.is_waiting() {
            tokio::time::sleep(LOOK_EVERY).await;
        }
        supervisor.ready(&status());
    }
    std::future::pending().await
}

/// Tells the supervisor that the program serves, each time after it has answered itself. Never ends; does nothing where
/// nobody wants to know, nor any more once the port is closed, as it is in an orderly stop.
pub(super) async fn give_signs_of_life(supervisor: &Supervisor, side_door: &SideDoor) {
    let Some(patience) = supervisor.watchdog() else { return std::future::pending().await };
    let every = patience / TRIES;
    let mut next = tokio::time::interval(every);
    loop {
        next.tick().await;
        match side_door.is_answered(every).await {
            Ok(()) => supervisor.alive(),
            Err(Unanswered::Closed) => return std::future::pending().await,
            Err(error) => {
                tracing::warn!(%error, "this server does not answer itself; the supervisor gets no sign of life");
            }
        }
    }
}
