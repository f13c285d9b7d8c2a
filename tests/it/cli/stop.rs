//! A server as its supervisor sees it: log lines for a collector, and the end of the process.

use std::io::{BufRead as _, BufReader};
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::folder;
use crate::harness::{Log, Raw, fields};

/// Long enough for a loaded machine; only reached when something is wrong.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// A server that logs for a collector; ended when dropped.
pub(super) struct Served {
    pub(super) child: Child,
    log: Log,
    pub(super) certificate: std::path::PathBuf,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ended_already = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Served {
    fn start(name: &str) -> Self {
        Self::with(name, "", "[transport]\ndrain_grace_s = 300\nbody_timeout_s = 600\n")
    }

    /// A server with these further lines about it, and this rest of its configuration.
    pub(super) fn with(name: &str, server: &str, rest: &str) -> Self {
        let here = folder(name);
        let file = here.join("server.toml");
        let data = here.join("data");
        let text = format!(
            "[server]\nlisten = \"127.0.0.1:0\"\npublic_base = \"https://localhost:0\"\ndata_dir = {data:?}\n\
             {server}\n{rest}\n[log]\nformat = \"json\"\nlevel = \"trace\"\n"
        );
        std::fs::write(&file, text).expect("a file");
        let mut child = Command::new(env!("CARGO_BIN_EXE_ono-sendai"))
            .arg("serve")
            .arg("--config")
            .arg(&file)
            .env_clear()
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let log = Log::of(child.stderr.take().expect("a pipe"), "served");
        Self { child, log, certificate: data.join("demo-cert.pem") }
    }

    /// The fields of the next log line.
    fn line(&self) -> Value {
        fields(&self.log.line())
    }

    pub(super) fn line_with(&self, message: &str) -> Value {
        let said = self.log.until(&format!("{message:?}"), |line| fields(line)["message"] == message);
        fields(said.last().expect("at least one"))
    }

    /// The port of a server that is ready.
    pub(super) fn port(&self) -> u16 {
        let ready = self.line_with("ready");
        let address = ready["address"].as_str().expect("an address");
        address.rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port")
    }

    pub(super) fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        // The shell has a kill of its own; the program is missing on a bare system.
        let kill = format!("kill -s {name} {pid}");
        let status = Command::new("sh").args(["-c", &kill]).status().expect("a shell");
        assert!(status.success());
    }

    pub(super) fn ended(&mut self) -> ExitStatus {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return status;
            }
            assert!(start.elapsed() < PATIENCE, "it still runs");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// A call whose body is never finished, so that a drain waits for it.
pub(super) fn half_a_call(port: u16, certificate: &Path) -> Raw {
    let mut raw = Raw::to(port, certificate);
    // The server says 100 when it begins to read the body: the call is running.
    raw.send(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Expect: 100-continue\r\nContent-Length: 100\r\n\r\n",
    );
    raw.until("HTTP/1.1 100");
    raw.send("{");
    raw
}

#[test]
fn a_log_for_a_collector_is_json_from_the_first_line_to_the_last() {
    let mut served = Served::start("collector");
    let ready = served.line_with("ready");
    let address = ready["address"].as_str().expect("an address").to_owned();
    let port = address.strip_prefix("127.0.0.1:").expect("a port");
    assert_ne!(port, "0");
    assert_eq!(ready["url"], format!("https://localhost:{port}/mcp"));
    let new = served.line();
    assert!(new["path"].as_str().is_some_and(|path| path.ends_with("demo-cert.pem")), "{new}");
    served.signal("TERM");
    let stopped = served.line_with("stopped");
    assert!(stopped["took_ms"].is_u64() && stopped["open"].is_u64(), "{stopped}");
    assert_eq!(served.ended().code(), Some(0));
}

#[test]
fn a_second_signal_ends_a_drain_at_once() {
    for second in ["TERM", "INT"] {
        let mut served = Served::start(&format!("second-{second}"));
        let port = served.port();
        let _open = half_a_call(port, &served.certificate);
        served.signal("TERM");
        // The drain has begun when nothing listens any more.
        let start = Instant::now();
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok() {
            assert!(start.elapsed() < PATIENCE, "it still listens");
        }
        assert_eq!(served.child.try_wait().expect("a child"), None, "the drain did not wait for the call");
        let start = Instant::now();
        served.signal(second);
        assert_eq!(served.ended().code(), Some(0), "{second}");
        assert!(start.elapsed() < Duration::from_secs(1), "{second}: {:?}", start.elapsed());
    }
}

#[test]
fn the_environment_names_the_data_folder_of_a_demo() {
    let data = folder("from-the-environment").join("data");
    let mut child = Command::new(env!("CARGO_BIN_EXE_ono-sendai"))
        .args(["demo", "--listen", "127.0.0.1:0"])
        .current_dir(folder("cwd"))
        .env_clear()
        .env("ONO_SENDAI_DATA", &data)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut ready = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut ready).expect("a line");
    let _ = child.kill();
    let _ = child.wait();
    assert!(ready.starts_with("ono-sendai is ready: https://localhost:"), "{ready}");
    assert!(data.join("demo-cert.pem").is_file());
    let help = super::stdout(&super::ono_sendai(&["demo", "--help"]));
    assert!(help.contains("ONO_SENDAI_DATA"), "{help}");
}
