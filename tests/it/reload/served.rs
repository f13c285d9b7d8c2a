//! A server over certificates of a test, its log for a collector, and `openssl s_client` as a client that others wrote.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::harness::{Kept as _, Log, Tls, evidence, fields, talkative, tls};
use crate::pki::{Authority, Pair, private};

/// Long enough for a loaded machine; only reached when something is wrong.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// A running server; ended when dropped, with its folder.
pub struct Served {
    pub place: PathBuf,
    pub authority: Authority,
    pub port: u16,
    child: Child,
    log: Log,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ended_already = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.place);
    }
}

/// What a handshake showed.
#[derive(Debug)]
pub struct Seen {
    /// Whether the client took the certificate, for this name and from this authority.
    pub trusted: bool,
    /// The certificates, the server's own first, as PEM.
    pub shown: Vec<String>,
    /// Everything that was said.
    pub said: String,
}

impl Served {
    /// The pair that a server begins with lies in `tls/chain.pem` and `tls/key.pem`; `rest` follows in its
    /// configuration, in which PLACE is the folder of all this.
    pub fn start(name: &str, first: impl FnOnce(&Authority) -> Pair, rest: &str) -> Self {
        // Two tests may use one name at the same time.
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let (process, number) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("reload-{process}-{number}-{name}"));
        let _ = fs::remove_dir_all(&place);
        fs::create_dir_all(place.join("tls")).expect("a folder");
        let authority = Authority::new();
        private(&place.join("root.pem"), &authority.root);
        let pair = first(&authority);
        private(&place.join("tls/chain.pem"), &pair.chain);
        private(&place.join("tls/key.pem"), &pair.key);
        Self::on(place, authority, rest, &[])
    }

    /// The same on a folder that is ready, with these variables.
    pub fn on(place: PathBuf, authority: Authority, rest: &str, variables: &[(&str, &Path)]) -> Self {
        configure(&place, rest);
        let mut child = Command::new(env!("CARGO_BIN_EXE_ono-sendai"))
            .args(["serve", "--config"])
            .arg(place.join("server.toml"))
            .env_clear()
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let log = Log::of(child.stderr.take().expect("a pipe"), "reloading");
        let mut served = Self { place, authority, port: 0, child, log };
        let ready = served.line("ready", "");
        let address = ready["address"].as_str().expect("an address");
        served.port = address.rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
        served
    }

    /// Writes the configuration anew.
    pub fn configure(&self, rest: &str) {
        configure(&self.place, rest);
    }

    pub fn signal(&self, name: &str) {
        let kill = format!("kill -s {name} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().expect("a shell").success());
    }

    /// The next log line with this message and with `part` somewhere in it.
    pub fn line(&self, message: &str, part: &str) -> Value {
        self.lines_until(message, part).pop().expect("at least one")
    }

    /// Every line from here to that one.
    pub fn lines_until(&self, message: &str, part: &str) -> Vec<Value> {
        let is_it = |line: &str| fields(line)["message"] == message && line.contains(part);
        let passed = self.log.until(&format!("{message:?} with {part:?}"), is_it);
        passed.iter().map(|line| fields(line)).collect()
    }

    /// A handshake of openssl's, with these further arguments.
    pub fn openssl(&self, arguments: &[&str]) -> Seen {
        let output = Command::new("openssl")
            .args(["s_client", "-showcerts", "-verify_return_error", "-CAfile"])
            .arg(self.place.join("root.pem"))
            .args(["-connect", &format!("127.0.0.1:{}", self.port)])
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .expect("openssl runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let out = text(&output.stdout);
        let mut shown = Vec::new();
        let mut rest = out.as_str();
        while let Some((_, from)) = rest.split_once("-----BEGIN CERTIFICATE-----") {
            let (inside, after) = from.split_once("-----END CERTIFICATE-----").expect("an end");
            shown.push(bare(inside));
            rest = after;
        }
        Seen { trusted: output.status.success(), shown, said: out.clone() + &text(&output.stderr) }
    }

    /// Whether a client that asks for localhost trusts the server, and is shown this pair's whole chain.
    pub fn shows(&self, pair: &Pair) -> bool {
        let seen = self.openssl(&["-servername", "localhost", "-verify_hostname", "localhost"]);
        let shown = seen.shown == certificates(&pair.chain);
        assert!(seen.trusted || !shown, "a client was shown what it does not trust: {}", seen.said);
        shown
    }

    /// Waits until it does.
    pub fn shows_soon(&self, pair: &Pair, what: &str) {
        let begun = Instant::now();
        while !self.shows(pair) {
            assert!(begun.elapsed() < PATIENCE, "{what}: the new pair does not serve");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// A connection that stays open.
    pub fn connect(&self) -> Open {
        Open(tls(self.port, self.authority.root.as_bytes()))
    }

    /// What `ono-sendai admin status` tells about this.
    pub fn status(&self) -> Value {
        let output = Command::new(env!("CARGO_BIN_EXE_ono-sendai"))
            .args(["admin", "--data"])
            .arg(self.place.join("data"))
            .arg("status")
            .kept_output()
            .expect("it runs");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
        report["status"]["reload"].clone()
    }
}

fn configure(place: &Path, rest: &str) {
    let base = if rest.contains("public_base") { "" } else { "public_base = \"https://localhost:0\"\n" };
    let text = format!("[server]\nlisten = \"127.0.0.1:0\"\n{base}data_dir = \"PLACE/data\"\n{rest}");
    let text = talkative(&text.replace("PLACE", place.to_str().expect("text")));
    evidence::configured(&text);
    fs::write(place.join("server.toml"), text).expect("a file");
}

/// The configuration of one pair, with log lines for a collector.
pub const ONE_PAIR: &str =
    "[tls]\ncertificate = \"PLACE/tls/chain.pem\"\nkey = \"PLACE/tls/key.pem\"\n[log]\nformat = \"json\"\n";

/// The certificates of a text, without marks and line breaks.
pub fn certificates(pem: &str) -> Vec<String> {
    pem.split("-----BEGIN CERTIFICATE-----")
        .skip(1)
        .map(|part| bare(part.split("-----END").next().unwrap_or_default()))
        .collect()
}

fn bare(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// A connection on which one request follows another.
pub struct Open(Tls);

impl Open {
    /// The status of an answer to a page that asks for this host.
    pub fn asks(&mut self, host: &str) -> u16 {
        let request = format!("GET /healthz HTTP/1.1\r\nHost: {host}\r\n\r\n");
        self.0.write_all(request.as_bytes()).expect("it takes a request");
        let mut read = Vec::new();
        let mut byte = [0];
        while !read.ends_with(b"\r\n\r\n") {
            self.0.read_exact(&mut byte).expect("it answers");
            read.push(byte[0]);
        }
        let head = String::from_utf8_lossy(&read).to_ascii_lowercase();
        let field = |name: &str| head.lines().find_map(|line| line.strip_prefix(name));
        let length = field("content-length: ").and_then(|length| length.parse().ok()).unwrap_or(0);
        self.0.read_exact(&mut vec![0; length]).expect("the whole body");
        head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status")
    }
}
