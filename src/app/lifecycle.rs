//! From configuration values to the parts that want them, and the signals that end the program.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use tokio::signal::unix::{SignalKind, signal};

use crate::cli::{StartError, ToolRow};
use crate::clock::Clock;
use crate::config::Config;
use crate::tools::registry::{ACCESS, ToolName};
use crate::transport::{DemoCertificateError, GuardPolicy, Identity, Limits, ListenError, demo_certificate};

/// What this machine calls itself.
const LOOPBACK_NAMES: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// A certificate to serve with, and where the demo's lies, if it is the demo's.
pub(super) struct Certificate {
    pub(super) identity: Identity,
    pub(super) demo: Option<PathBuf>,
}

pub(super) fn certificate(config: &Config, clock: &Clock) -> Result<Certificate, StartError> {
    if let Some(files) = &config.tls.files {
        let identity = Identity::load(&files.certificate, &files.key)
            .map_err(|error| StartError::Certificate { reason: error.to_string() })?;
        return Ok(Certificate { identity, demo: None });
    }
    let made = demo_certificate(&config.server.data_dir, clock.utc()).map_err(|error| match error {
        DemoCertificateError::Folder { path, source } | DemoCertificateError::Write { path, source } => {
            StartError::data_folder(&path, source)
        }
        error @ DemoCertificateError::Make { .. } => StartError::Certificate { reason: error.to_string() },
    })?;
    Ok(Certificate { identity: made.identity, demo: Some(made.certificate_path) })
}

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
pub(super) fn guard(config: &Config, address: SocketAddr) -> Result<GuardPolicy, StartError> {
    let own = config.server.public_base.authority();
    let local: &[&str] = if address.ip().is_loopback() { &LOOPBACK_NAMES } else { &[] };
    let hosts =
        config.guard.extra_hosts.iter().map(|host| host.as_str()).chain([own]).chain(local.iter().copied());
    let origins = config.guard.extra_origins.iter().map(|origin| origin.as_str());
    let policy =
        GuardPolicy::new(hosts, origins).map_err(|error| StartError::Guard { reason: error.to_string() })?;
    Ok(policy.with_trusted_proxies(config.guard.trusted_proxies.iter().copied()))
}

pub(super) fn limits(config: &Config) -> Limits {
    let wire = &config.transport;
    Limits {
        connections: wire.connections,
        handshake: wire.handshake_timeout,
        headers: wire.header_timeout,
        headers_bytes: wire.header_limit_bytes,
        body: wire.body_timeout,
        body_bytes: wire.body_limit_bytes,
        idle: wire.idle_timeout,
        http2_streams: wire.http2_streams,
        sse_comment: wire.sse_comment,
        grace: wire.drain_grace,
        ..Limits::default()
    }
}

/// Ends when the program is asked to stop.
pub(super) fn told_to_stop() -> Result<impl Future<Output = ()>, StartError> {
    let on = |kind| signal(kind).map_err(|source| StartError::Runtime { source });
    let (mut terminate, mut interrupt) = (on(SignalKind::terminate())?, on(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

pub(super) fn tool_row(tool: ToolName) -> ToolRow {
    let spec = tool.spec();
    ToolRow {
        name: tool.as_str().to_owned(),
        title: spec.title.to_owned(),
        description: spec.description.to_owned(),
        arguments: spec.arguments.iter().map(|argument| argument.name.to_owned()).collect(),
        cost: spec.cost.to_owned(),
        auth: ACCESS.to_owned(),
        listed: spec.list_entry().to_string(),
    }
}
