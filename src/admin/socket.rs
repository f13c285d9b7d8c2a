//! One question, one answer, over a socket in a folder that only its owner may enter.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::verb::{Report, Verb};
use crate::clock::Clock;

/// The name of the socket in the store's folder.
const SOCKET: &str = "admin.sock";
/// The longest question or answer, in bytes.
const LINE_MAX: u64 = 256 * 1024;
/// How many questions are listened to at once.
const AT_ONCE: usize = 4;
/// How long a whole question may take to come; less than the asker waits for its answer, so that one that finds every
/// place taken by somebody silent is still heard.
const QUESTION_MAX: Duration = Duration::from_secs(5);
/// How long it is waited when the system gives no connection.
const ACCEPT_AGAIN: Duration = Duration::from_millis(50);
/// How long the asker waits for an answer, and this side for it to be taken.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why there was no answer.
#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// Nobody listens, where a server has listened before.
    #[error(
        "the server of {} does not run; start it, with `systemctl start ono-sendai` for example", folder.display()
    )]
    Down {
        /// The folder.
        folder: PathBuf,
    },
    /// No server has kept anything there, or it cannot be asked.
    #[error("no server answers in {}: {source}; {}", folder.display(), advice(source))]
    NotThere {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It was asked, and said nothing in time.
    #[error(
        "the server took the question and gave no answer in time; look whether it was done before asking again"
    )]
    Late,
    /// It ended while it was asked.
    #[error(
        "the server of {} ended before it answered; start it, and look whether it was done before asking again",
        folder.display()
    )]
    Ended {
        /// The folder.
        folder: PathBuf,
    },
    /// What came is no answer.
    #[error("the server answered something else; is it another version?")]
    NotUnderstood,
}

fn advice(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::PermissionDenied => "ask as root, or as the user of the server",
        _ => "name its data folder with --data",
    }
}

/// The folder, opened, and a short path to the socket in it: the path of a socket may have 107 bytes only. Where the
/// system shows no processes, the path is as long as it is.
fn short(data: &Path) -> io::Result<(File, PathBuf)> {
    let place = data.join("store");
    let folder = File::open(&place)?;
    let way = PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd()));
    let path = if way.exists() { way } else { place };
    Ok((folder, path.join(SOCKET)))
}

/// Answers questions in threads of its own for as long as the program runs. The lock of the store must be held, so
/// that a socket which lies there already is nobody's.
///
/// # Errors
/// When there can be no socket.
pub fn listen(data: &Path, answer: impl Fn(Verb) -> Report + Send + Sync + 'static) -> io::Result<()> {
    let (folder, path) = short(data)?;
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(&path)?;
    drop(folder);
    let (listener, answer) = (Arc::new(listener), Arc::new(answer));
    for _ in 0..AT_ONCE {
        let (listener, answer) = (Arc::clone(&listener), Arc::clone(&answer));
        std::thread::Builder::new().name("admin".into()).spawn(move || {
            loop {
                match listener.accept() {
                    // One that goes away in the middle has had its chance.
                    Ok((stream, _)) => {
                        let _gone = serve(&stream, &*answer);
                    }
                    Err(_) => std::thread::sleep(ACCEPT_AGAIN),
                }
            }
        })?;
    }
    Ok(())
}

fn serve(mut stream: &UnixStream, answer: &impl Fn(Verb) -> Report) -> io::Result<()> {
    stream.set_write_timeout(Some(PATIENCE))?;
    let line = question(stream)?;
    // Whoever gave up has told somebody that it was not done.
    if !is_waiting(stream)? {
        return Ok(());
    }
    let report = match serde_json::from_slice(&line) {
        Ok(verb) => answer(verb),
        Err(_) => Report::Refused("the question is not understood; is it another version?".into()),
    };
    serde_json::to_writer(&mut stream, &report)?;
    stream.write_all(b"\n")
}

/// One line, however slowly its parts come, within one time.
fn question(mut stream: &UnixStream) -> io::Result<Vec<u8>> {
    let clock = Clock::system();
    let until = clock.monotonic() + QUESTION_MAX;
    let mut line = Vec::new();
    let mut part = [0; 4_096];
    while !line.ends_with(b"\n") && (line.len() as u64) < LINE_MAX {
        let left = until.saturating_duration_since(clock.monotonic());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut part)? {
            0 => break,
            read => line.extend(part.get(..read).unwrap_or_default()),
        }
    }
    Ok(line)
}

/// Whether the asker is still there, and said nothing after its question.
fn is_waiting(mut stream: &UnixStream) -> io::Result<bool> {
    stream.set_nonblocking(true)?;
    let more = stream.read(&mut [0]);
    stream.set_nonblocking(false)?;
    Ok(more.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock))
}

/// Asks the server that runs on the data folder.
///
/// # Errors
/// When none answers.
pub fn ask(data: &Path, verb: &Verb) -> Result<Report, AdminError> {
    let not_there = |source| AdminError::NotThere { folder: data.to_owned(), source };
    let (_folder, path) = short(data).map_err(not_there)?;
    let stream = UnixStream::connect(path).map_err(|source| match source.kind() {
        // The folder of a store is there, and nobody has the socket open, or has made one.
        io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound => {
            AdminError::Down { folder: data.to_owned() }
        }
        _ => not_there(source),
    })?;
    let line = exchange(stream, verb).map_err(|source| match source.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => AdminError::Late,
        io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => {
            AdminError::Ended { folder: data.to_owned() }
        }
        _ => not_there(source),
    })?;
    // Without a word it went away.
    if line.is_empty() {
        return Err(AdminError::Ended { folder: data.to_owned() });
    }
    serde_json::from_str(&line).map_err(|_| AdminError::NotUnderstood)
}

fn exchange(mut stream: UnixStream, verb: &Verb) -> io::Result<String> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    serde_json::to_writer(&mut stream, verb)?;
    stream.write_all(b"\n")?;
    let mut line = String::new();
    BufReader::new(stream.take(LINE_MAX)).read_line(&mut line)?;
    Ok(line)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::Instant;

    use super::*;

    fn ladder(rung: u8) -> Verb {
        Verb::Ladder { rung: Some(rung) }
    }

    #[test]
    fn a_server_that_ends_while_it_is_asked_is_told_as_that() {
        let data = std::env::temp_dir().join(format!("ono-sendai-admin-ended-{}", std::process::id()));
        std::fs::create_dir_all(data.join("store")).unwrap();
        let listener = UnixListener::bind(data.join("store").join(SOCKET)).unwrap();
        let ending = std::thread::spawn(move || drop(listener.accept().unwrap()));
        let ended = ask(&data, &ladder(0)).unwrap_err();
        assert!(matches!(&ended, AdminError::Ended { folder } if *folder == data), "{ended}");
        ending.join().unwrap();
        std::fs::remove_dir_all(data).unwrap();
    }

    #[test]
    fn silent_askers_shut_nobody_out_and_what_was_given_up_is_not_done() {
        let data = std::env::temp_dir().join(format!("ono-sendai-admin-{}", std::process::id()));
        std::fs::create_dir_all(data.join("store")).unwrap();
        let done: Arc<Mutex<Vec<Verb>>> = Arc::default();
        let heard = Arc::clone(&done);
        listen(&data, move |verb| {
            heard.lock().unwrap().push(verb);
            Report::Usage(0)
        })
        .unwrap();
        let socket = data.join("store").join(SOCKET);
        let silent = |_| UnixStream::connect(&socket).unwrap();
        // One place is left.
        let mut few: Vec<UnixStream> = (1..AT_ONCE).map(silent).collect();
        let begun = Instant::now();
        assert_eq!(ask(&data, &ladder(0)).unwrap(), Report::Usage(0));
        assert!(begun.elapsed() < QUESTION_MAX, "{:?}", begun.elapsed());
        // None is left, and somebody asks and gives up.
        few.extend((0..1).map(silent));
        let mut gone = UnixStream::connect(&socket).unwrap();
        serde_json::to_writer(&mut gone, &ladder(1)).unwrap();
        gone.write_all(b"\n").unwrap();
        drop(gone);
        // One that says a little at a time has no more time than one that says nothing.
        let mut slow = few.pop().unwrap();
        let feeding = std::thread::spawn(move || {
            while slow.write_all(b" ").is_ok() {
                std::thread::sleep(Duration::from_millis(100));
            }
        });
        assert_eq!(ask(&data, &ladder(2)).unwrap(), Report::Usage(0));
        assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
        feeding.join().unwrap();
        assert_eq!(*done.lock().unwrap(), [ladder(0), ladder(2)]);
        std::fs::remove_dir_all(data).unwrap();
    }
}
