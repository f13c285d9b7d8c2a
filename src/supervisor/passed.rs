//! A socket that was opened before this program ran: by systemd, which may take a port that this program may not.

use std::io;
use std::net::TcpListener;

use listenfd::ListenFd;
use socket2::SockRef;

/// Why what was passed on cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum PassedError {
    /// There are several.
    #[error("{count} sockets were passed on; this server takes one (one ListenStream= in the socket unit)")]
    Several {
        /// How many.
        count: usize,
    },
    /// It is not one that TCP connections come from.
    #[error(
        "what was passed on cannot be served: {0}; the socket unit wants ListenStream= with a port, and Accept=no"
    )]
    Unusable(#[source] io::Error),
}

/// The listening socket that was passed on, if one was. Takes it: a second call finds none. To be asked before the
/// program has threads that look into its environment.
///
/// # Errors
/// When there are several, or it is no socket that listens for TCP.
pub fn passed_listener() -> Result<Option<TcpListener>, PassedError> {
    let mut passed = ListenFd::from_env();
    match passed.len() {
        0 => return Ok(None),
        1 => {}
        count => return Err(PassedError::Several { count }),
    }
    let listener = passed.take_tcp_listener(0).map_err(PassedError::Unusable)?;
    if let Some(listener) = &listener
        && !SockRef::from(listener).is_listener().map_err(PassedError::Unusable)?
    {
        return Err(PassedError::Unusable(io::Error::other("it is a connection and does not listen")));
    }
    Ok(listener)
}
