//! The operator's own socket, where the configuration wants one.

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use super::figures::Figures;
use super::start::StartError;
use crate::clock::Clock;
use crate::config::{Config, OperatorListen};
use crate::operator::{Names, Operator};
use crate::transport::{Limits, ListenError, Listener, PlainListener, serve_plain};

const TAKEN: &str = "another program listens there";

/// The socket, open and with its names.
pub(super) struct Open {
    listener: PlainListener,
    names: Names,
}

/// Opens the socket; `None` where none is wanted.
pub(super) fn open(config: &Config) -> Result<Option<Open>, StartError> {
    let Some(listen) = &config.operator.listen else { return Ok(None) };
    let refused = |reason: String| StartError::Operator { listen: listen.to_string(), reason };
    let listener = match listen {
        OperatorListen::Loopback(address) => {
            PlainListener::tcp(Listener::bind(*address).map_err(|error| refused(reason(&error)))?)
        }
        OperatorListen::Unix(path) => PlainListener::unix(path).map_err(|error| match error.kind() {
            io::ErrorKind::AddrInUse => refused(TAKEN.to_owned()),
            _ => refused(error.to_string()),
        })?,
    };
    let (names, place) = match listener.address() {
        Some(address) => (Names::at(address), format!("http://{address}/")),
        None => (Names::of_a_path(), listen.to_string()),
    };
    // Before the server is ready, so that whoever waited for that finds it.
    tracing::info!(place, "operators read metrics and their page");
    Ok(Some(Open { listener, names }))
}

/// What is wrong with an address, which stands before it.
fn reason(error: &ListenError) -> String {
    match error {
        ListenError::InUse(_) => TAKEN.to_owned(),
        ListenError::NotAllowed(_) => "the port needs a privilege".to_owned(),
        ListenError::NoSuchAddress(_) => "it is not an address of this machine".to_owned(),
        ListenError::Other(_, source) => source.to_string(),
    }
}

/// Serves until `stop` ends. Without a socket it does nothing until then.
pub(super) async fn serve(
    open: Option<Open>,
    figures: Figures,
    clock: Clock,
    stop: impl Future<Output = ()>,
) {
    let Some(Open { listener, names }) = open else { return stop.await };
    let operator = Arc::new(Operator::new(figures, names, clock));
    let looking = Arc::clone(&operator).by_itself();
    tokio::select! {
        () = serve_plain(listener, limits(), operator, stop) => {}
        // Never ends by itself.
        () = looking => {}
    }
}

/// Few are here, and what they ask is small.
fn limits() -> Limits {
    Limits {
        connections: 32,
        headers: Duration::from_secs(3),
        headers_bytes: 8 * 1024,
        idle: Duration::from_secs(60),
        stalled_write: Duration::from_secs(10),
        ..Limits::default()
    }
}
