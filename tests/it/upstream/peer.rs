//! A service of a few lines: it answers each path as it was told, and remembers what it was asked.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use socket2::SockRef;

use crate::harness::PATIENCE;

/// What is done with one request.
#[derive(Clone, Debug)]
pub enum Act {
    /// These bytes, then the end.
    Says(Vec<u8>),
    /// These bytes, then a reset.
    SaysAndResets(Vec<u8>),
    /// These bytes, then nothing until the other side leaves.
    SaysAndWaits(Vec<u8>),
    /// This head, then so many bytes of space.
    SaysAndFloods(Vec<u8>, usize),
    /// A whole answer, this much later.
    Later(Duration, Vec<u8>),
    /// A whole answer, once [`Peer::let_go`] is said.
    Held(Vec<u8>),
    /// The first answer once, then the second.
    First(Box<Act>, Box<Act>),
}

/// One request as it arrived.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Path and query, as they were sent.
    pub target: String,
    /// The whole head, as it was sent.
    pub head: String,
    /// When it had arrived.
    pub at: Instant,
}

#[derive(Debug, Default)]
struct State {
    acts: Mutex<HashMap<String, Act>>,
    seen: Mutex<Vec<Seen>>,
    running: AtomicUsize,
    most: AtomicUsize,
    left: AtomicUsize,
    /// How often it was said that the held ones may go.
    gate: (Mutex<usize>, Condvar),
}

/// The service.
#[derive(Debug)]
pub struct Peer {
    /// Its port on 127.0.0.1.
    pub port: u16,
    state: Arc<State>,
}

impl Peer {
    /// A service that answers 404 to everything.
    pub fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let state = Arc::new(State::default());
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for socket in listener.incoming().map_while(Result::ok) {
                let state = Arc::clone(&shared);
                std::thread::spawn(move || serve(socket, &state));
            }
        });
        Self { port, state }
    }

    /// Answers every path that begins with `path` so from now on; the longest one that fits counts.
    pub fn set(&self, path: &str, act: Act) {
        self.state.acts.lock().expect("no panic").insert(path.to_owned(), act);
    }

    /// What it was asked below `path`, in order.
    pub fn seen(&self, path: &str) -> Vec<Seen> {
        let seen = self.state.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.iter().filter(|seen| seen.target.starts_with(path)).cloned().collect()
    }

    /// The most requests that were there at once.
    pub fn most_at_once(&self) -> usize {
        self.state.most.load(Ordering::Relaxed)
    }

    /// How many requests are there just now.
    pub fn running(&self) -> usize {
        self.state.running.load(Ordering::Relaxed)
    }

    /// Answers those that are held now.
    pub fn let_go(&self) {
        let (times, changed) = &self.state.gate;
        *times.lock().expect("no panic") += 1;
        changed.notify_all();
    }

    /// How many left before their answer had come.
    pub fn until_left(&self, wanted: usize) {
        let begun = Instant::now();
        while self.state.left.load(Ordering::Relaxed) < wanted {
            assert!(begun.elapsed() < PATIENCE, "nobody left");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// A JSON answer.
pub fn json(status: u16, body: &str) -> Act {
    with(status, "content-type: application/json\r\n", body.as_bytes())
}

/// Any answer.
pub fn with(status: u16, header: &str, body: &[u8]) -> Act {
    Act::Says(whole(status, header, body))
}

/// The bytes of an answer.
pub fn whole(status: u16, header: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let mut answer = head(status, &format!("{header}content-length: {length}\r\n"));
    answer.extend_from_slice(body);
    answer
}

/// The bytes of a header.
pub fn head(status: u16, header: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status} X\r\nconnection: close\r\n{header}\r\n").into_bytes()
}

fn serve(mut socket: TcpStream, state: &State) {
    let Some(head) = request(&mut socket) else { return };
    let target = head.split(' ').nth(1).unwrap_or_default().to_owned();
    let act = {
        let mut acts = state.acts.lock().unwrap_or_else(PoisonError::into_inner);
        let path = acts.keys().filter(|path| target.starts_with(path.as_str())).max_by_key(|path| path.len());
        match path.cloned().and_then(|path| acts.remove_entry(&path)) {
            Some((path, Act::First(first, then))) => {
                acts.insert(path, *then);
                *first
            }
            Some((path, act)) => {
                acts.insert(path, act.clone());
                act
            }
            None => json(404, r#"{"error":"not_found"}"#),
        }
    };
    // Before it can be seen: who has seen it may say at once that it shall go.
    let gate = *state.gate.0.lock().unwrap_or_else(PoisonError::into_inner);
    state.most.fetch_max(state.running.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
    state.seen.lock().unwrap_or_else(PoisonError::into_inner).push(Seen { target, head, at: Instant::now() });
    let before_its_answer = perform(&mut socket, act, state, gate);
    if let Some(answer) = before_its_answer {
        // Not there any more once the answer can be seen.
        state.running.fetch_sub(1, Ordering::Relaxed);
        let _gone = socket.write_all(&answer);
    }
}

/// What is left to be sent when the request ends.
fn perform(socket: &mut TcpStream, act: Act, state: &State, gate: usize) -> Option<Vec<u8>> {
    match act {
        Act::Says(bytes) => return Some(bytes),
        Act::Later(wait, bytes) => {
            std::thread::sleep(wait);
            return Some(bytes);
        }
        Act::Held(bytes) => {
            let (times, changed) = &state.gate;
            let now = times.lock().unwrap_or_else(PoisonError::into_inner);
            let _released = changed.wait_timeout_while(now, PATIENCE, |times| *times == gate);
            return Some(bytes);
        }
        Act::SaysAndResets(bytes) => {
            let _gone = socket.write_all(&bytes);
            // What was said shall arrive before the reset does.
            std::thread::sleep(Duration::from_millis(20));
            let _gone = SockRef::from(&*socket).set_linger(Some(Duration::ZERO));
        }
        Act::SaysAndWaits(bytes) => {
            let _gone = socket.write_all(&bytes);
            let _left = socket.read(&mut [0; 64]);
            state.left.fetch_add(1, Ordering::Relaxed);
        }
        Act::SaysAndFloods(bytes, length) => {
            let _gone = socket.write_all(&bytes);
            let spaces = [b' '; 65_536];
            let mut sent = 0;
            while sent < length && socket.write_all(&spaces).is_ok() {
                sent += spaces.len();
            }
        }
        Act::First(..) => unreachable!("taken apart before"),
    }
    state.running.fetch_sub(1, Ordering::Relaxed);
    None
}

fn request(socket: &mut TcpStream) -> Option<String> {
    socket.set_read_timeout(Some(PATIENCE)).ok()?;
    let mut bytes = Vec::new();
    let mut chunk = [0; 4_096];
    while !bytes.ends_with(b"\r\n\r\n") {
        match socket.read(&mut chunk).ok()? {
            0 => return None,
            length => bytes.extend_from_slice(chunk.get(..length)?),
        }
    }
    String::from_utf8(bytes).ok()
}
