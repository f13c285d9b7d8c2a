//! One question, one answer, over a socket in a folder that only its owner may enter.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::verb::{Report, Verb};

/// The name of the socket in the store's folder.
const SOCKET: &str = "admin.sock";
/// The longest question or answer, in bytes.
const LINE_MAX: u64 = 256 * 1024;
/// How long either side waits for the other.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why there was no answer.
#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// Nobody listens.
    #[error("no server answers in {}: {source}; name its data folder with --data", folder.display())]
    NotThere {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// What came is no answer.
    #[error("the server answered something else; is it another version?")]
    NotUnderstood,
}

/// The folder, opened, and a short path to the socket in it: the path of a socket may have 107 bytes only.
fn short(data: &Path) -> io::Result<(File, PathBuf)> {
    let folder = File::open(data.join("store"))?;
    let path = PathBuf::from(format!("/proc/self/fd/{}/{SOCKET}", folder.as_raw_fd()));
    Ok((folder, path))
}

/// Answers questions in a thread of its own for as long as the program runs. The lock of the store must be held, so
/// that a socket which lies there already is nobody's.
///
/// # Errors
/// When there can be no socket.
pub fn listen(data: &Path, answer: impl Fn(Verb) -> Report + Send + 'static) -> io::Result<()> {
    let (folder, path) = short(data)?;
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(&path)?;
    drop(folder);
    std::thread::Builder::new().name("admin".into()).spawn(move || {
        for stream in listener.incoming() {
            // One that goes away in the middle has had its chance.
            let _gone = stream.and_then(|stream| serve(&stream, &answer));
        }
    })?;
    Ok(())
}

fn serve(stream: &UnixStream, answer: &impl Fn(Verb) -> Report) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut line = String::new();
    BufReader::new(stream.take(LINE_MAX)).read_line(&mut line)?;
    let report = match serde_json::from_str(&line) {
        Ok(verb) => answer(verb),
        Err(_) => Report::Refused("the question is not understood; is it another version?".into()),
    };
    let mut stream = stream;
    serde_json::to_writer(&mut stream, &report)?;
    stream.write_all(b"\n")
}

/// Asks the server that runs on the data folder.
///
/// # Errors
/// When none answers.
pub fn ask(data: &Path, verb: &Verb) -> Result<Report, AdminError> {
    let not_there = |source| AdminError::NotThere { folder: data.to_owned(), source };
    let line = exchange(data, verb).map_err(not_there)?;
    serde_json::from_str(&line).map_err(|_| AdminError::NotUnderstood)
}

fn exchange(data: &Path, verb: &Verb) -> io::Result<String> {
    let (_folder, path) = short(data)?;
    let mut stream = UnixStream::connect(path)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    serde_json::to_writer(&mut stream, verb)?;
    stream.write_all(b"\n")?;
    let mut line = String::new();
    BufReader::new(stream.take(LINE_MAX)).read_line(&mut line)?;
    Ok(line)
}
