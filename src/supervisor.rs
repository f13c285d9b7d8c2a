//! The program that runs this one, as systemd speaks to a service: what it is told, and what it passed on at the start.
//!
//! Decides how both are spelled. Must never know what the server does. Where nobody supervises, nothing is told.

mod passed;

use std::ffi::OsStr;
use std::io;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

pub use passed::{PassedError, passed_listener};

/// Names the socket of whoever wants to be told.
const SOCKET: &str = "NOTIFY_SOCKET";
/// How many microseconds may pass between two signs of life.
const WATCHDOG: &str = "WATCHDOG_USEC";
/// Whose signs of life are meant.
const WATCHDOG_OF: &str = "WATCHDOG_PID";

/// How long a supervisor may take to make room for a message.
const PATIENCE: Duration = Duration::from_secs(1);

/// Whoever started this program and watches over it, if anybody does.
#[derive(Debug, Default)]
pub struct Supervisor {
    wants_to_know: Option<(UnixDatagram, SocketAddr)>,
    watchdog: Option<Duration>,
}

impl Supervisor {
    /// The one that the environment names.
    #[must_use]
    pub fn from_environment() -> Self {
        let socket = std::env::var_os(SOCKET).filter(|socket| !socket.is_empty());
        let wants_to_know = socket.and_then(|socket| match reach(&socket) {
            Ok(reached) => Some(reached),
            Err(error) => {
                tracing::warn!(%error, "the supervisor cannot be told anything: {SOCKET} leads nowhere");
                None
            }
        });
        let text = |name| std::env::var(name).ok();
        Self { watchdog: watchdog(text(WATCHDOG), text(WATCHDOG_OF), std::process::id()), wants_to_know }
    }

    /// How long it waits for a sign of life before it takes the program for dead; `None` when it wants none.
    #[must_use]
    pub fn watchdog(&self) -> Option<Duration> {
        self.watchdog.filter(|_| self.wants_to_know.is_some())
    }

    /// Requests are answered from now on; `status` is one line for people.
    pub fn ready(&self, status: &str) {
        self.tell(&format!("READY=1\nSTATUS={}", one_line(status)));
    }

    /// The program is alive and serves.
    pub fn alive(&self) {
        self.tell("WATCHDOG=1");
    }

    /// What can be set anew while the program runs is read again; [`Self::ready`] says that it was.
    pub fn reloading(&self) {
        self.tell("RELOADING=1\nSTATUS=reading the configuration again");
    }

    /// The program ends, within this time.
    pub fn stopping(&self, within: Duration) {
        self.tell(&format!("STOPPING=1\nSTATUS=stopping\nEXTEND_TIMEOUT_USEC={}", within.as_micros()));
    }

    fn tell(&self, message: &str) {
        let Some((socket, address)) = &self.wants_to_know else { return };
        if let Err(error) = socket.send_to_addr(message.as_bytes(), address) {
            let what = message.lines().next().unwrap_or_default();
            tracing::warn!(%error, what, "the supervisor could not be told");
        }
    }
}

fn reach(socket: &OsStr) -> io::Result<(UnixDatagram, SocketAddr)> {
    let address = match socket.as_bytes() {
        [b'@', name @ ..] => SocketAddr::from_abstract_name(name)?,
        _ => SocketAddr::from_pathname(socket)?,
    };
    let own = UnixDatagram::unbound()?;
    own.set_write_timeout(Some(PATIENCE))?;
    Ok((own, address))
}

fn watchdog(micros: Option<String>, of: Option<String>, own: u32) -> Option<Duration> {
    let is_meant = of.is_none_or(|of| of.parse() == Ok(own));
    let micros = micros?.parse().ok().filter(|micros| *micros > 0 && is_meant)?;
    Some(Duration::from_micros(micros))
}

/// A line of its own is a message of its own.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn supervised_at(address: SocketAddr) -> (UnixDatagram, Supervisor) {
        let ear = UnixDatagram::bind_addr(&address).unwrap();
        ear.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let own = UnixDatagram::unbound().unwrap();
        (ear, Supervisor { wants_to_know: Some((own, address)), watchdog: None })
    }

    fn heard(ear: &UnixDatagram) -> String {
        let mut message = [0; 4_096];
        let bytes = ear.recv(&mut message).unwrap();
        String::from_utf8(message[..bytes].to_vec()).unwrap()
    }

    #[test]
    fn a_supervisor_is_told_in_its_own_words() {
        let name = format!("ono-sendai-supervisor-{}", std::process::id());
        let (ear, supervisor) = supervised_at(SocketAddr::from_abstract_name(name).unwrap());
        supervisor.ready("serving\nREADY=0");
        assert_eq!(heard(&ear), "READY=1\nSTATUS=serving READY=0");
        supervisor.alive();
        assert_eq!(heard(&ear), "WATCHDOG=1");
        supervisor.reloading();
        assert_eq!(heard(&ear), "RELOADING=1\nSTATUS=reading the configuration again");
        supervisor.stopping(Duration::from_secs(11));
        assert_eq!(heard(&ear), "STOPPING=1\nSTATUS=stopping\nEXTEND_TIMEOUT_USEC=11000000");
    }

    #[test]
    fn both_kinds_of_socket_are_reached() {
        let path = std::env::temp_dir().join(format!("ono-sendai-supervisor-{}", std::process::id()));
        let _gone = std::fs::remove_file(&path);
        let by_path = UnixDatagram::bind(&path).unwrap();
        let name = format!("ono-sendai-reached-{}", std::process::id());
        let abstract_one = UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
        for (socket, ear) in [(path.as_os_str(), by_path), (OsStr::new(&format!("@{name}")), abstract_one)] {
            let (own, address) = reach(socket).unwrap();
            own.send_to_addr(b"x", &address).unwrap();
            assert_eq!(heard(&ear), "x");
        }
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_watchdog_that_is_meant_for_another_process_is_none() {
        let of = |micros: &str, of: Option<&str>| watchdog(Some(micros.into()), of.map(str::to_owned), 7);
        let second = Some(Duration::from_secs(1));
        assert_eq!((of("1000000", Some("7")), of("1000000", None)), (second, second));
        for (micros, whose) in [("1000000", "8"), ("1000000", ""), ("0", "7"), ("", "7"), ("soon", "7")] {
            assert_eq!(of(micros, Some(whose)), None, "{micros} of {whose}");
        }
        assert_eq!(watchdog(None, None, 7), None);
    }

    #[test]
    fn without_a_supervisor_nothing_is_told_and_nothing_fails() {
        let nobody = Supervisor::default();
        nobody.ready("x");
        assert_eq!(nobody.watchdog(), None);
        let unheard = Supervisor { watchdog: Some(Duration::from_secs(1)), ..Supervisor::default() };
        assert_eq!(unheard.watchdog(), None, "nobody listens for signs of life");
    }
}
