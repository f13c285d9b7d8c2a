//! The way to the socket on which a supervisor hears, which nobody may be reading.
//!
//! Decides that no message ever holds up the server: what cannot be sent at once is sent by a thread of its own, in
//! order, and a sign of life that nobody would hear in time is left out.

use std::ffi::OsStr;
use std::io;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

/// How many messages wait at most; there are a few in the life of a server beside its signs of life.
const WAITING_MAX: usize = 64;
/// How long one attempt waits for room; the next one follows.
const ATTEMPT: Duration = Duration::from_secs(1);

/// What one has to say to the supervisor goes through here.
#[derive(Debug)]
pub(super) struct Voice {
    socket: UnixDatagram,
    address: SocketAddr,
    later: SyncSender<String>,
    /// How many messages wait for room.
    waiting: Arc<AtomicUsize>,
    /// Whether it was said that nobody reads.
    is_told: AtomicBool,
}

impl Voice {
    /// To the socket of this name, which may be an abstract one.
    pub(super) fn to(socket: &OsStr) -> io::Result<Self> {
        let address = match socket.as_bytes() {
            [b'@', name @ ..] => SocketAddr::from_abstract_name(name)?,
            _ => SocketAddr::from_pathname(socket)?,
        };
        Self::at(address)
    }

    pub(super) fn at(address: SocketAddr) -> io::Result<Self> {
        let socket = UnixDatagram::unbound()?;
        socket.set_nonblocking(true)?;
        let patient = UnixDatagram::unbound()?;
        patient.set_write_timeout(Some(ATTEMPT))?;
        let (later, messages) = sync_channel(WAITING_MAX);
        let waiting = Arc::<AtomicUsize>::default();
        let (there, count) = (address.clone(), Arc::clone(&waiting));
        let thread = std::thread::Builder::new().name("supervisor".into());
        thread.spawn(move || deliver(&patient, &there, &messages, &count))?;
        Ok(Self { socket, address, later, waiting, is_told: AtomicBool::new(false) })
    }

    /// Says something that has to be heard, in the order in which it is said.
    pub(super) fn say(&self, message: &str) {
        if self.waiting.load(Ordering::Acquire) == 0 && self.try_say(message) {
            return;
        }
        self.waiting.fetch_add(1, Ordering::AcqRel);
        if self.later.try_send(message.to_owned()).is_err() {
            self.waiting.fetch_sub(1, Ordering::AcqRel);
            tracing::warn!(
                what = first_line(message),
                "the supervisor was not told: too much waits for it to read"
            );
        }
    }

    /// Says something that is worth hearing only now.
    pub(super) fn mention(&self, message: &str) {
        // What waits is said before it, so that it would be late.
        if self.waiting.load(Ordering::Acquire) == 0 {
            self.try_say(message);
        }
    }

    /// Whether there is nothing more to do for this message.
    fn try_say(&self, message: &str) -> bool {
        match self.socket.send_to_addr(message.as_bytes(), &self.address) {
            Ok(_) => {
                self.is_told.store(false, Ordering::Relaxed);
                true
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if !self.is_told.swap(true, Ordering::Relaxed) {
                    tracing::warn!("the supervisor does not read what it is told");
                }
                false
            }
            Err(error) => {
                tell_of(&error, message);
                true
            }
        }
    }
}

/// Sends one message after the other, for as long as the program runs.
fn deliver(socket: &UnixDatagram, address: &SocketAddr, messages: &Receiver<String>, waiting: &AtomicUsize) {
    for message in messages {
        loop {
            match socket.send_to_addr(message.as_bytes(), address) {
                Ok(_) => break,
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    tell_of(&error, &message);
                    break;
                }
            }
        }
        waiting.fetch_sub(1, Ordering::AcqRel);
    }
}

fn tell_of(error: &io::Error, message: &str) {
    tracing::warn!(%error, what = first_line(message), "the supervisor could not be told");
}

fn first_line(message: &str) -> &str {
    message.lines().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn an_ear_that_nobody_reads_holds_up_nothing_and_hears_what_matters_in_order_once_it_is_read() {
        let name = format!("ono-sendai-unread-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(name).unwrap();
        let ear = UnixDatagram::bind_addr(&address).unwrap();
        ear.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let voice = Voice::at(address).unwrap();
        let begun = Instant::now();
        // More than the system keeps for an ear.
        while voice.try_say("WATCHDOG=1") {}
        for _ in 0..10_000 {
            voice.mention("WATCHDOG=1");
        }
        for message in ["READY=1", "RELOADING=1", "READY=1", "STOPPING=1"] {
            voice.say(message);
        }
        for _ in 0..10_000 {
            voice.mention("WATCHDOG=1");
        }
        assert!(begun.elapsed() < ATTEMPT, "it took {:?}", begun.elapsed());
        let mut heard = Vec::new();
        let mut message = [0; 64];
        while heard.last().is_none_or(|last| last != "STOPPING=1") {
            let bytes = ear.recv(&mut message).unwrap();
            heard.push(String::from_utf8(message[..bytes].to_vec()).unwrap());
        }
        heard.retain(|message| message != "WATCHDOG=1");
        assert_eq!(heard, ["READY=1", "RELOADING=1", "READY=1", "STOPPING=1"]);
    }

    #[test]
    fn more_than_may_wait_is_left_out_and_nobody_waits_for_it() {
        let name = format!("ono-sendai-full-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(name).unwrap();
        let _ear = UnixDatagram::bind_addr(&address).unwrap();
        let voice = Voice::at(address).unwrap();
        let begun = Instant::now();
        for _ in 0..10_000 {
            voice.say("RELOADING=1");
        }
        assert!(begun.elapsed() < ATTEMPT, "it took {:?}", begun.elapsed());
        assert!(voice.waiting.load(Ordering::Acquire) <= WAITING_MAX + 1);
    }
}
