//! The address that the server listens on.

use super::{Fault, Findings};
use crate::app::start::uid;
use crate::config::Config;
use crate::transport::{ListenError, Listener};

const PART: &str = "port";

/// `runs`: whether a server runs on the data folder, which then has the port.
pub(super) fn examine(config: &Config, runs: bool, found: &mut Findings) {
    let address = config.server.listen;
    if address.port() == 0 {
        return found.good(PART, format!("any free one of {}", address.ip()));
    }
    match Listener::could_bind(address) {
        Ok(()) => found.good(PART, format!("{address} is free")),
        Err(ListenError::InUse(_)) if runs => found.good(PART, format!("{address} is taken, and a server runs")),
        Err(ListenError::InUse(_)) => found.fail(
            PART,
            Fault::Here,
            format!(
                "{address} is taken by another program, and no server runs on the data folder; find it with `ss -ltnp`, \
                 stop it, or choose another port with [server] listen; where systemd holds it for the socket unit, all is \
                 well"
            ),
        ),
        Err(ListenError::NotAllowed(_)) => found.warn(
            PART,
            format!(
                "uid {} may not listen on {address}; the unit as it is shipped and its socket unit may, anything else needs \
                 CAP_NET_BIND_SERVICE or a port from 1024 on in [server] listen",
                uid()
            ),
        ),
        Err(ListenError::NoSuchAddress(_)) => found.fail(
            PART,
            Fault::Here,
            format!("{} is not an address of this machine; correct [server] listen", address.ip()),
        ),
        Err(error @ ListenError::Other(..)) => {
            found.fail(PART, Fault::Here, format!("{error}; correct [server] listen"));
        }
    }
}
