//! Starting a simulator, asking it byte for byte, and leaving nothing behind.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;

use crate::harness::{PATIENCE, evidence};

/// The key of a simulator that was given none.
pub const KEY: &str = ono_sendai::crate_sim::DEMO_KEY;

/// Runs the program beside a shell that ends it and removes its folder as soon as the test's end of the pipe closes,
/// however the test process ends.
const KEEPER: &str = r#"
folder=$1
kept=$2
shift 2
"$0" crate-sim "$@" 2>"$folder/log" </dev/null &
echo "pid $!"
exec 2>/dev/null
read -r _
kill -KILL $!
wait $!
if [ -n "$kept" ]; then
  cat "$folder/log" >"$kept"
  rm -f "$kept.open"
fi
rm -rf "$folder"
"#;

/// A running simulator.
pub struct Sim {
    /// Its address, without a path.
    pub url: String,
    /// The process.
    pub pid: u32,
    /// Its folder; a made certificate lies in `data` there.
    pub folder: PathBuf,
    keeper: Child,
}

/// One answer, as it came.
#[derive(Debug)]
pub struct Said {
    /// The status; 0 if not even a first line came.
    pub status: u16,
    /// The header's lines, in lower case.
    pub header: String,
    /// What came of the body.
    pub body: Vec<u8>,
    /// How the connection ended, if not in peace.
    pub broken: Option<std::io::Error>,
}

impl Said {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("not JSON: {self:?}"))
    }

    /// The value of a header field.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.header.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

impl Sim {
    /// One without limits, with this scenario.
    pub fn with(scenario: &str) -> Self {
        Self::start(scenario, &["--in-flight", "0", "--per-minute", "0"])
    }

    /// One with this scenario and these options.
    pub fn start(scenario: &str, options: &[&str]) -> Self {
        Self::of(Path::new(env!("CARGO_BIN_EXE_ono-sendai")), scenario, options)
    }

    /// The same of another build.
    pub fn of(binary: &Path, scenario: &str, options: &[&str]) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("sim-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(&name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder for tests");
        let file = folder.join("scenario.toml");
        std::fs::write(&file, scenario).expect("a scenario");
        let kept = evidence::log_of(&name).unwrap_or_default();
        evidence::secret("the key of a simulator", KEY);
        let mut keeper = Command::new("sh")
            .args(["-c", KEEPER])
            .arg(binary)
            .args([&folder, &kept])
            .args(["--listen", "127.0.0.1:0", "--scenario"])
            .arg(&file)
            .arg("--data")
            .arg(folder.join("data"))
            .args(options)
            .env_clear()
            .current_dir(&folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("sh runs");
        let mut lines = BufReader::new(keeper.stdout.take().expect("a pipe")).lines();
        let mut line = |wanted: &str| loop {
            let Some(Ok(line)) = lines.next() else {
                let log = std::fs::read_to_string(folder.join("log")).unwrap_or_default();
                panic!("the simulator did not print {wanted:?}; its log: {log}")
            };
            if let Some(rest) = line.strip_prefix(wanted) {
                break rest.to_owned();
            }
        };
        let pid = line("pid ").parse().expect("a process id");
        let url = line("crate-sim is ready: ");
        // Whatever it still prints goes nowhere, but must not block it.
        std::thread::spawn(move || lines.for_each(drop));
        Self { url, pid, folder, keeper }
    }

    /// A connection to it.
    pub fn connect(&self) -> TcpStream {
        let stream =
            TcpStream::connect(self.url.strip_prefix("http://").expect("plain HTTP")).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream
    }

    /// Sends a request with the right key, and leaves the answer to be read.
    pub fn send(&self, target: &str) -> TcpStream {
        let mut stream = self.connect();
        let request =
            format!("GET {target} HTTP/1.1\r\nhost: sim\r\nx-api-key: {KEY}\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("it reads");
        stream
    }

    /// Sends a request with the right key, and reads until the connection ends.
    pub fn get(&self, target: &str) -> Said {
        read(self.send(target))
    }

    /// What it has seen so far.
    pub fn report(&self) -> Value {
        self.get("/sim/report").json()
    }

    /// What it has written to stderr so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.join("log")).expect("a log")
    }
}

/// Reads an answer to the end of its connection.
pub fn read(mut stream: TcpStream) -> Said {
    let mut bytes = Vec::new();
    let broken = stream.read_to_end(&mut bytes).err();
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").map_or(bytes.len(), |at| at + 4);
    let body = bytes.split_off(end);
    let header = String::from_utf8(bytes).expect("a header is text").to_lowercase().replace('\r', "");
    let status = header.split_whitespace().nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    Said { status, header, body, broken }
}

impl Drop for Sim {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}
