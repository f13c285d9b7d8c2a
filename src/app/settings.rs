//! From configuration values to the parts that want them.

use std::io;
use std::net::SocketAddr;

use super::start::StartError;
use crate::config::{Config, PublicBase};
use crate::host::Authority;
use crate::transport::{GuardPolicy, ListenError};

pub(super) fn listen_error(address: SocketAddr, error: ListenError) -> StartError {
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
