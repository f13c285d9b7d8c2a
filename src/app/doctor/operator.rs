//! The operator's own socket, where the configuration wants one: an address of the loopback or a path.

use std::io;
use std::net::SocketAddr;
use std::path::Path;

use super::folder::{Tried, try_out};
use super::{Fault, Findings};
use crate::config::{Config, OperatorListen};
use crate::transport::{ListenError, Listener, PlainListener};

const PART: &str = "operator";
const CORRECT: &str = "[operator] listen";

/// `runs`: whether a server runs on the data folder, which then has the socket.
pub(super) fn examine(config: &Config, runs: bool, found: &mut Findings) {
    match &config.operator.listen {
        None => {}
        Some(OperatorListen::Loopback(address)) => loopback(*address, runs, found),
        Some(OperatorListen::Unix(path)) => unix(path, runs, found),
    }
}

fn loopback(address: SocketAddr, runs: bool, found: &mut Findings) {
    if address.port() == 0 {
        return found.good(PART, format!("any free port of {}", address.ip()));
    }
    match Listener::could_bind(address) {
        Ok(()) => found.good(PART, format!("{address} is free")),
        Err(ListenError::InUse(_)) if runs => found.good(PART, format!("{address} is taken, and a server runs")),
        Err(ListenError::InUse(_)) => found.fail(
            PART,
            Fault::Here,
            format!(
                "{address} is taken by another program, and no server runs on the data folder; find it with `ss -ltnp`, \
                 stop it, or choose another port with {CORRECT}"
            ),
        ),
        Err(ListenError::NotAllowed(_)) => found.fail(
            PART,
            Fault::Here,
            format!("{address} needs a privilege; choose a port from 1024 on with {CORRECT}"),
        ),
        Err(ListenError::NoSuchAddress(_)) => found.fail(
            PART,
            Fault::Here,
            format!("{} is not an address of this machine; correct {CORRECT}", address.ip()),
        ),
        Err(error @ ListenError::Other(..)) => {
            found.fail(PART, Fault::Here, format!("{error}; correct {CORRECT}"));
        }
    }
}

fn unix(path: &Path, runs: bool, found: &mut Findings) {
    let shown = path.display();
    let folder = path.parent().unwrap_or(Path::new("/"));
    // Before the socket, since nothing can be said of what lies in a folder that is not there.
    match try_out(folder) {
        // A socket takes no room.
        Tried::Writable(_) => {}
        Tried::CanBeMade | Tried::None(_) => {
            let what = if folder.exists() { "is no folder" } else { "is not there" };
            let text = format!("{} {what}; make it, or choose another path with {CORRECT}", folder.display());
            return found.fail(PART, Fault::Here, text);
        }
        Tried::Not(why) => {
            let text = format!(
                "{} {why}; run this as the user of the server, or choose another path with {CORRECT}",
                folder.display()
            );
            return found.fail(PART, Fault::Here, text);
        }
    }
    match PlainListener::could_open(path) {
        Ok(()) => found.good(PART, format!("a socket can be made at {shown}")),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse && runs => {
            found.good(PART, format!("{shown} is taken, and a server runs"));
        }
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => found.fail(
            PART,
            Fault::Here,
            format!(
                "another program listens at {shown}, and no server runs on the data folder; find it with `ss -lxp`, stop \
                 it, or choose another path with {CORRECT}"
            ),
        ),
        Err(error) => found.fail(
            PART,
            Fault::Here,
            format!("no socket can be made at {shown}: {error}; move it away, or choose another path with {CORRECT}"),
        ),
    }
}
