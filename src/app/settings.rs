//! From configuration values to the parts that want them.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use super::start::StartError;
use crate::config::{Config, PublicBase};
use crate::host::Authority;
use crate::transport::{GuardPolicy, ListenError, Listener};

/// A server that is just stopping, or was just killed, still has its port for a moment.
const PORT_PATIENCE: Duration = Duration::from_secs(4);
const PORT_STEP: Duration = Duration::from_millis(50);

/// Takes the port, and waits a little for one that is just being given up.
pub(super) async fn listen(address: SocketAddr) -> Result<Listener, StartError> {
    let mut waited = Duration::ZERO;
    loop {
        match Listener::bind(address) {
            Err(ListenError::InUse(_)) if waited < PORT_PATIENCE => {
                tokio::time::sleep(PORT_STEP).await;
                waited += PORT_STEP;
            }
            bound => return bound.map_err(|error| listen_error(address, error)),
        }
    }
}

fn listen_error(address: SocketAddr, error: ListenError) -> StartError {
    let source = match error {
        ListenError::InUse(_) => io::ErrorKind::AddrInUse.into(),
        ListenError::NotAllowed(_) => io::ErrorKind::PermissionDenied.into(),
        ListenError::NoSuchAddress(_) => io::ErrorKind::AddrNotAvailable.into(),
        ListenError::Other(_, source) => source,
    };
    StartError::listen(address, source)
}

/// The names that the server answers to: its public one, the configured ones, and this machine's own when
/// it listens on this machine only.
pub(super) fn guard(config: &Config, public_base: &PublicBase, address: SocketAddr) -> GuardPolicy {
    let local = if address.ip().is_loopback() { Authority::loopback().to_vec() } else { Vec::new() };
    let hosts = config.guard.extra_hosts.iter().cloned().chain(local);
    let origins = config.guard.extra_origins.iter().cloned();
    GuardPolicy::new(public_base.authority().clone(), hosts, origins)
        .with_trusted_proxies(config.guard.trusted_proxies.iter().copied())
}
