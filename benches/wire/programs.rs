//! The program under test and what it is compared with, each on a core of its own while the load has another.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Whom the load is sent to.
pub const SERVER_CORE: &str = "0";
/// Where it comes from.
pub const LOAD_CORE: &str = "1";

/// How a program is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Under {
    /// On the first core alone.
    OneCore,
    /// On every core.
    AllCores,
    /// On one core, and callgrind counts what it does once it is told to.
    Callgrind,
}

/// Where facts come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Data {
    /// The demo catalogue, which is in the program and is asked each time.
    Demo,
    /// The simulated data service, which is asked only for what the server does not remember.
    Service,
}

/// What is particular about a server.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// How it is started.
    pub under: Under,
    /// Where its facts come from.
    pub data: Data,
    /// How many accounts call.
    pub accounts: usize,
}

/// A program while it runs.
#[derive(Debug)]
pub struct Running {
    process: Child,
    folder: PathBuf,
    owns_folder: bool,
    /// The data service that it asks.
    _service: Option<Service>,
    /// Its address for the load.
    pub url: String,
    /// What callers with an account send, one for each account.
    pub tokens: Vec<String>,
}

/// A program that was built with `cargo build --release --workspace`, or where the environment says.
fn built(name: &str, variable: &str) -> PathBuf {
    let release = || Path::new(env!("CARGO_MANIFEST_DIR")).join("target/release").join(name);
    let binary = std::env::var_os(variable).map_or_else(release, PathBuf::from);
    assert!(
        binary.is_file(),
        "{} is not there; cargo build --release --workspace builds it",
        binary.display()
    );
    binary
}

/// The program under test.
pub fn binary() -> PathBuf {
    built("ono-sendai", "ONO_BINARY")
}

impl Running {
    /// The program with the demo catalogue and its limits out of the way.
    pub fn server(setting: Setting) -> Self {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let folder =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("wire-{}-{number}", std::process::id()));
        let _none_yet = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        let service = (setting.data == Data::Service).then(Service::start);
        let port = free_port();
        let config = folder.join("config.toml");
        std::fs::write(&config, settings(&folder, port, service.as_ref())).expect("a file");
        let mut command = launched(setting.under, &folder);
        command.arg(binary()).args(["serve", "--config"]).arg(&config);
        let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program");
        // It answers from the moment on at which its port is open.
        wait_for(port);
        let tokens = (0..setting.accounts).map(|number| token(&config, number)).collect();
        let url = format!("https://localhost:{port}/mcp");
        Self { process, folder, owns_folder: true, _service: service, url, tokens }
    }

    /// The floor with the same certificate, which answers with as many bytes.
    pub fn floor(&self, under: Under, bytes: usize) -> Self {
        let mut command = launched(under, &self.folder);
        command.arg(built("floor", "ONO_FLOOR"));
        command.args([self.folder.join("data/demo-cert.pem"), self.folder.join("data/demo-key.pem")]);
        let mut process = command.arg(bytes.to_string()).stdout(Stdio::piped()).spawn().expect("the floor");
        let url = format!("https://localhost:{}/mcp", first_line(&mut process).trim());
        let (folder, tokens) = (self.folder.clone(), self.tokens.clone());
        Self { process, folder, owns_folder: false, _service: None, url, tokens }
    }

    /// A server that others made the tools of MCP servers for; its one tool answers with the result in `file`.
    pub fn peer(&self, under: Under, file: &Path) -> Self {
        let own =
            || Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/rmcp-server/target/release/rmcp-server");
        let binary = std::env::var_os("ONO_RMCP_SERVER").map_or_else(own, PathBuf::from);
        let mut command = launched(under, &self.folder);
        let mut process = command.arg(binary).arg(file).stdout(Stdio::piped()).spawn().expect("the peer");
        let url = format!("http://127.0.0.1:{}/mcp", first_line(&mut process).trim());
        let folder = self.folder.clone();
        Self { process, folder, owns_folder: false, _service: None, url, tokens: Vec::new() }
    }

    /// Whether it answers the same call otherwise when it comes again; those that it is compared with do not.
    pub fn remembers(&self) -> bool {
        self.owns_folder
    }

    /// A place for files of this run.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// The port that it listens on.
    pub fn port(&self) -> u16 {
        let after = self.url.rsplit(':').next().and_then(|rest| rest.split('/').next());
        after.and_then(|port| port.parse().ok()).expect("a port")
    }

    /// How long it has used a processor, of all threads, in the kernel and outside.
    pub fn cpu(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid())).expect("a running program");
        // The name may have spaces; the numbers come after it.
        let fields: Vec<&str> = stat.rsplit(") ").next().expect("fields").split(' ').collect();
        let ticks: u64 = [11, 12].map(|at: usize| fields[at].parse::<u64>().expect("a number")).iter().sum();
        // Linux tells these in hundredths of a second on every machine that this is built for.
        Duration::from_millis(ticks * 10)
    }

    /// What it has in memory.
    pub fn resident_kib(&self) -> u64 {
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", self.pid())).expect("a running program");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("VmRSS");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    /// Ends it as an operator would, and waits for that.
    pub fn stop(mut self) {
        let pid = rustix::process::Pid::from_child(&self.process);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("it runs");
        let deadline = Instant::now() + Duration::from_secs(60);
        while self.process.try_wait().expect("its end").is_none() {
            assert!(Instant::now() < deadline, "it does not stop");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _gone = self.process.kill();
        let _code = self.process.wait();
        if self.owns_folder {
            let _kept = std::fs::remove_dir_all(&self.folder);
        }
    }
}

/// Each becomes the program itself, so that its process id is the program's.
fn launched(under: Under, folder: &Path) -> Command {
    let mut command = Command::new("taskset");
    match under {
        Under::AllCores => command.args(["-c", "0-1"]),
        Under::OneCore => command.args(["-c", SERVER_CORE]),
        Under::Callgrind => {
            command.args(["-c", SERVER_CORE, "valgrind", "--quiet", "--tool=callgrind"]);
            command.arg(format!("--callgrind-out-file={}/callgrind.%p", folder.display()))
        }
    };
    command
}

fn token(config: &Path, number: usize) -> String {
    let mut command = Command::new(binary());
    command.args(["token", "--config"]).arg(config).args(["--as", &format!("caller-{number}")]);
    let token = command.output().expect("a token");
    assert!(token.status.success(), "{}", String::from_utf8_lossy(&token.stderr));
    String::from_utf8(token.stdout).expect("a token").trim().to_owned()
}

fn first_line(process: &mut Child) -> String {
    let mut line = String::new();
    let stdout = process.stdout.take().expect("its output");
    BufReader::new(stdout).read_line(&mut line).expect("a line");
    assert!(!line.is_empty(), "it did not start");
    line
}

/// The simulated data service, which has the core of the load: it is asked once.
#[derive(Debug)]
struct Service {
    process: Child,
    port: u16,
}

impl Service {
    fn start() -> Self {
        let port = free_port();
        let mut command = Command::new(binary());
        command.args(["crate-sim", "--per-minute", "0", "--listen", &format!("127.0.0.1:{port}")]);
        let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the simulator");
        wait_for(port);
        Self { process, port }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _gone = self.process.kill();
        let _code = self.process.wait();
    }
}

fn free_port() -> u16 {
    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
    free.expect("a port").port()
}

fn wait_for(port: u16) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(Instant::now() < deadline, "nothing listens on {port}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn settings(folder: &Path, port: u16, service: Option<&Service>) -> String {
    let data = service.map_or_else(String::new, |service| {
        format!(
            "fixture_mode = false\n[crate]\nbase_url = \"http://127.0.0.1:{}\"\n\
             key = \"ck_test_OnoSendaiDemoKeyOpenToEveryone00\"\n",
            service.port
        )
    });
    format!(
        "[server]\nlisten = \"127.0.0.1:{port}\"\npublic_base = \"https://localhost:{port}\"\n\
         data_dir = \"{}/data\"\n{data}\
         [anonymous]\nunits_per_day = 1_000_000_000\ncalls_per_minute = 1_000_000\n\
         requests_per_second = 1_000_000\nrequests_burst = 1_000_000\n[issuer]\nenabled = true\n\
         [accounts]\ncalls_per_minute = 1_000_000\ncalls_at_once = 1_000\nunits_per_month = 1_000_000_000\n\
         [backup]\nevery_minutes = 0\n",
        folder.display()
    )
}
