//! The program that runs this one, as systemd speaks to a service: what it is told, and what it passed on at the start.
//!
//! Decides how both are spelled. Must never know what the server does. Where nobody supervises, nothing is told; where
//! nobody reads what is told, the server goes on.

mod passed;
mod voice;

use std::time::Duration;

pub use passed::{PassedError, passed_listener};
use voice::Voice;

/// Names the socket of whoever wants to be told.
const SOCKET: &str = "NOTIFY_SOCKET";
/// How many microseconds may pass between two signs of life.
const WATCHDOG: &str = "WATCHDOG_USEC";
/// Whose signs of life are meant.
const WATCHDOG_OF: &str = "WATCHDOG_PID";

/// A supervisor that wants a sign of life more often is a mistake: the signs would be all that the server does.
const WATCHDOG_MIN: Duration = Duration::from_millis(100);

/// Whoever started this program and watches over it, if anybody does.
#[derive(Debug, Default)]
pub struct Supervisor {
    wants_to_know: Option<Voice>,
    watchdog: Option<Duration>,
}

impl Supervisor {
    /// The one that the environment names.
    #[must_use]
    pub fn from_environment() -> Self {
        let socket = std::env::var_os(SOCKET).filter(|socket| !socket.is_empty());
        let wants_to_know = socket.and_then(|socket| match Voice::to(&socket) {
            Ok(voice) => Some(voice),
            Err(error) => {
                tracing::warn!(%error, "the supervisor cannot be told anything: {SOCKET} leads nowhere");
                None
            }
        });
        let text = |name| std::env::var(name).ok();
        let watchdog = watchdog(text(WATCHDOG), text(WATCHDOG_OF), std::process::id()).unwrap_or_else(|found| {
            tracing::warn!(
                "the supervisor gets no signs of life: {WATCHDOG} is {found:?}; accepted: microseconds, at least {}",
                WATCHDOG_MIN.as_micros()
            );
            None
        });
        Self { watchdog, wants_to_know }
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
        if let Some(voice) = &self.wants_to_know {
            voice.mention("WATCHDOG=1");
        }
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
        if let Some(voice) = &self.wants_to_know {
            voice.say(message);
        }
    }
}

/// How often a sign of life is wanted, if it is; what there is when that is no time for one.
fn watchdog(micros: Option<String>, of: Option<String>, own: u32) -> Result<Option<Duration>, String> {
    let is_meant = of.is_none_or(|of| of.parse() == Ok(own));
    // By nothing and by 0 a supervisor says that it wants none.
    let Some(micros) = micros.filter(|micros| is_meant && !micros.is_empty() && micros != "0") else {
        return Ok(None);
    };
    let wanted = micros.parse().ok().filter(|micros| *micros < u64::MAX).map(Duration::from_micros);
    wanted
        .filter(|wanted| *wanted >= WATCHDOG_MIN)
        .map(Some)
        .ok_or_else(|| one_line(&micros).chars().take(40).collect())
}

/// A line of its own is a message of its own.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::linux::net::SocketAddrExt as _;
    use std::os::unix::net::{SocketAddr, UnixDatagram};

    use super::*;

    fn supervised_at(address: SocketAddr) -> (UnixDatagram, Supervisor) {
        let ear = UnixDatagram::bind_addr(&address).unwrap();
        ear.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let voice = Voice::at(address).unwrap();
        (ear, Supervisor { wants_to_know: Some(voice), watchdog: None })
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
            Voice::to(socket).unwrap().say("x");
            assert_eq!(heard(&ear), "x");
        }
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_watchdog_that_is_meant_for_another_process_is_none() {
        let of = |micros: &str, of: Option<&str>| watchdog(Some(micros.into()), of.map(str::to_owned), 7);
        let second = Ok(Some(Duration::from_secs(1)));
        assert_eq!((of("1000000", Some("7")), of("1000000", None)), (second.clone(), second));
        for (micros, whose) in [("1000000", "8"), ("1000000", ""), ("3", "8"), ("0", "7"), ("", "7")] {
            assert_eq!(of(micros, Some(whose)), Ok(None), "{micros} of {whose}");
        }
        assert_eq!(watchdog(None, None, 7), Ok(None));
    }

    #[test]
    fn a_watchdog_that_wants_signs_of_life_all_the_time_or_no_time_at_all_is_refused_with_what_there_is() {
        for micros in ["3", "99999", "soon", "-1", "1.5", "18446744073709551615", "99999999999999999999"] {
            assert_eq!(watchdog(Some(micros.into()), None, 7), Err(micros.to_owned()));
        }
        assert_eq!(watchdog(Some("100000".into()), None, 7), Ok(Some(WATCHDOG_MIN)));
        let long = watchdog(Some("x\n".repeat(5_000)), None, 7).unwrap_err();
        assert!(long.len() <= 40 && !long.contains('\n'), "{long:?}");
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
