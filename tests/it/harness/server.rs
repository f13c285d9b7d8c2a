//! Starting the program, waiting until it is ready, and leaving nothing behind.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::client::Client;
use super::{Kept as _, evidence};

/// Long enough for a loaded machine; only reached when something is wrong.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Runs the program beside a shell that ends it and removes its folder as soon as the test's end of
/// the pipe closes, however the test process ends. Where there is a place for evidence, its log is kept there.
const KEEPER: &str = r#"
folder=$1
kept=$2
shift 2
"$0" "$@" 2>"$folder/log" </dev/null &
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

/// Names and values.
type Environment = Vec<(&'static str, String)>;

/// A running server of the demo catalogue.
pub struct Demo {
    /// Its port on 127.0.0.1.
    pub port: u16,
    /// The process.
    pub pid: u32,
    /// A bearer token of its built-in issuer, for the account "demo"; empty when it has none.
    token: String,
    /// The certificate to trust, as PEM.
    pub certificate: PathBuf,
    /// The program.
    binary: PathBuf,
    folder: PathBuf,
    data: PathBuf,
    /// What it and its command line find in their environment.
    environment: Environment,
    keeper: Child,
    /// What it prints.
    lines: Mutex<mpsc::Receiver<String>>,
    pub(super) client: Client,
}

impl Demo {
    /// The server that tests share which leave no trace in it.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Demo> = OnceLock::new();
        SHARED.get_or_init(Self::start)
    }

    /// A server of its own, for a test that changes it.
    pub fn start() -> Self {
        Self::of(Path::new(env!("CARGO_BIN_EXE_ono-sendai")))
    }

    /// A server of another build.
    pub fn of(binary: &Path) -> Self {
        let folder = scratch();
        let data = folder.join("data");
        Self::with(binary, folder, data, &place(), None)
    }

    /// A server that keeps everything in this folder.
    pub fn on(data: PathBuf) -> Self {
        Self::with(Path::new(env!("CARGO_BIN_EXE_ono-sendai")), scratch(), data, &place(), None)
    }

    /// A server in which every call of this tool fails as nothing should; only a debug build can.
    pub fn planted(tool: &str) -> Self {
        let folder = scratch();
        let data = folder.join("data");
        Self::with(Path::new(env!("CARGO_BIN_EXE_ono-sendai")), folder, data, &place(), Some(tool))
    }

    /// Ends it at once, as `kill -9` does.
    pub fn kill(&self) {
        let killed = Command::new("sh").args(["-c", &format!("kill -KILL {}", self.pid)]).status();
        assert!(killed.expect("sh runs").success());
    }

    /// Tells it to stop.
    pub fn stop(&self) {
        let told = Command::new("sh").args(["-c", &format!("kill -TERM {}", self.pid)]).status();
        assert!(told.expect("sh runs").success());
    }

    /// Another server on the same data folder and port, once this one has ended.
    pub fn again(&self) -> Self {
        let listen = format!("127.0.0.1:{}", self.port);
        Self::with(&self.binary, scratch(), self.data.clone(), &listen, None)
    }

    /// The same on another data folder, so that its issuer has the same name.
    pub fn again_on(&self, data: PathBuf) -> Self {
        let listen = format!("127.0.0.1:{}", self.port);
        Self::with(&self.binary, scratch(), data, &listen, None)
    }

    fn with(binary: &Path, folder: PathBuf, data: PathBuf, listen: &str, planted: Option<&str>) -> Self {
        let arguments =
            ["demo", "--listen", listen, "--data", &data.to_string_lossy(), "--log-level", "trace"];
        let environment: Environment =
            planted.map(|tool| ("ONO_PLANTED_FAULT", tool.to_owned())).into_iter().collect();
        let (keeper, lines) = launch(binary, &folder, &arguments, &environment);
        let line = |wanted: &str| next(&lines, wanted, &folder);
        let pid = line("pid ").parse().expect("a process id");
        let url = line("ono-sendai is ready: ");
        let port = url
            .strip_prefix("https://localhost:")
            .and_then(|rest| rest.strip_suffix("/mcp")?.parse().ok())
            .unwrap_or_else(|| panic!("{url} is not the address of a demo"));
        let token = line("Token: ");
        evidence::token("the token of a demo", &token);
        evidence::held(&data);
        let certificate = data.join("demo-cert.pem");
        let client = Client::new(port, &certificate);
        let (environment, lines) = (Vec::new(), Mutex::new(lines));
        let binary = binary.to_owned();
        Self { port, pid, token, certificate, binary, folder, data, environment, keeper, lines, client }
    }

    /// A bearer token for the account "demo", good for an hour.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// A bearer token for another account, fresh from the command line.
    pub fn token_of(&self, subject: &str) -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_ono-sendai"))
            .args(["token", "--as", subject, "--listen", &format!("127.0.0.1:{}", self.port), "--data"])
            .arg(self.data())
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .kept_output()
            .expect("the program runs");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("text").trim().to_owned()
    }

    /// Its data folder.
    pub fn data(&self) -> PathBuf {
        self.data.clone()
    }

    /// A server that `serve` runs: on this machine, on any port, not public; `server` are further lines of that
    /// section, `rest` is the rest of its configuration.
    pub fn serving(server: &str, rest: &str) -> Self {
        Self::serving_of(Path::new(env!("CARGO_BIN_EXE_ono-sendai")), server, rest)
    }

    /// The same of a server that keeps everything in this folder.
    pub fn serving_in(data: PathBuf, rest: &str) -> Self {
        Self::serving_on(Path::new(env!("CARGO_BIN_EXE_ono-sendai")), data, "", rest)
    }

    /// The same of another build.
    pub fn serving_of(binary: &Path, server: &str, rest: &str) -> Self {
        let folder = scratch();
        let data = folder.join("data");
        Self::serving_from(binary, folder, data, server, rest)
    }

    /// The same with everything that it keeps in `data`.
    pub fn serving_on(binary: &Path, data: PathBuf, server: &str, rest: &str) -> Self {
        Self::serving_from(binary, scratch(), data, server, rest)
    }

    fn serving_from(binary: &Path, folder: PathBuf, data: PathBuf, server: &str, rest: &str) -> Self {
        let config = folder.join("config.toml");
        let text = format!(
            "[server]\nlisten = \"{}\"\npublic_base = \"https://localhost:0\"\ndata_dir = \"{}\"\n{server}\n{}\n",
            place(),
            data.display(),
            talkative(rest)
        );
        std::fs::write(&config, text).expect("a configuration");
        Self::serve(binary, &config, folder, data, Vec::new())
    }

    /// The same by a clock that the file `time` moves, in a time zone: libfaketime reads the file whenever the program
    /// asks for the time of day, and leaves monotonic time alone. It keeps everything in `data`. `None` where there is
    /// no libfaketime.
    pub fn serving_in_time(rest: &str, data: PathBuf, time: &Path, zone: &str) -> Option<Self> {
        let library = ["x86_64-linux-gnu", "aarch64-linux-gnu"]
            .map(|machine| format!("/usr/lib/{machine}/faketime/libfaketime.so.1"))
            .into_iter()
            .find(|library| Path::new(library).exists())?;
        let environment = vec![
            ("LD_PRELOAD", library),
            ("FAKETIME_TIMESTAMP_FILE", time.to_string_lossy().into_owned()),
            ("FAKETIME_NO_CACHE", "1".to_owned()),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
            ("TZ", zone.to_owned()),
        ];
        let folder = scratch();
        let config = folder.join("config.toml");
        let text = format!(
            "[server]\nlisten = \"{}\"\npublic_base = \"https://localhost:0\"\ndata_dir = \"{}\"\n{}\n",
            place(),
            data.display(),
            talkative(rest)
        );
        std::fs::write(&config, text).expect("a configuration");
        Some(Self::serve(Path::new(env!("CARGO_BIN_EXE_ono-sendai")), &config, folder, data, environment))
    }

    /// Another server that `serve` runs with the configuration of this one and on its port, so that its issuer has the
    /// same name, once this one has ended.
    pub fn serving_again(&self) -> Self {
        let folder = scratch();
        let config = folder.join("config.toml");
        let text = std::fs::read_to_string(self.folder.join("config.toml")).expect("a configuration");
        std::fs::write(&config, text).expect("a configuration");
        Self::serve(&self.binary, &config, folder, self.data.clone(), self.environment.clone())
    }

    fn serve(binary: &Path, config: &Path, folder: PathBuf, data: PathBuf, environment: Environment) -> Self {
        evidence::configured(&std::fs::read_to_string(config).expect("a configuration"));
        let arguments = ["serve", "--config", &config.to_string_lossy()];
        let (keeper, lines) = launch(binary, &folder, &arguments, &environment);
        let pid = next(&lines, "pid ", &folder).parse().expect("a process id");
        let ready = |log: &str| {
            let rest = log.split_once("ready: https://localhost:")?.1;
            rest.split_once("/mcp on ")?.0.parse().ok()
        };
        let begun = Instant::now();
        let port = loop {
            let log = std::fs::read_to_string(folder.join("log")).unwrap_or_default();
            match ready(&log) {
                Some(port) => break port,
                None if begun.elapsed() > PATIENCE => panic!("the server is not ready; its log: {log}"),
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        };
        evidence::held(&data);
        let certificate = data.join("demo-cert.pem");
        let client = Client::new(port, &certificate);
        // Its built-in issuer, if it is switched on, gives tokens to whoever asks with [`Self::token_of`].
        let (token, lines) = (String::new(), Mutex::new(lines));
        let binary = binary.to_owned();
        Self { port, pid, token, certificate, binary, folder, data, environment, keeper, lines, client }
    }

    /// Its address for `path`.
    pub fn url(&self, path: &str) -> String {
        format!("https://localhost:{}{path}", self.port)
    }

    /// Everything that it has written to stderr so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.join("log")).expect("a log")
    }
}

impl Demo {
    /// Everything that it has written to stderr, once it was told to stop and has said that it did.
    pub fn log_to_its_end(&self) -> String {
        let begun = Instant::now();
        loop {
            let log = self.log();
            if log.lines().any(|line| line.contains("stopped")) {
                return log;
            }
            assert!(begun.elapsed() < PATIENCE, "it did not stop; its log: {log}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// What it has used of processors so far, all its threads together.
    pub fn processor_time(&self) -> Duration {
        /// Linux gives these times in hundredths of a second, whatever its kernel counts in.
        const TICK_MS: u64 = 10;
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid)).expect("a running server");
        // The name of the program stands in parentheses; the 14th and 15th fields are the times.
        let (_, rest) = stat.rsplit_once(") ").expect("a name");
        let fields = rest.split(' ').skip(11).take(2);
        let ticks: u64 = fields.map(|field| field.parse::<u64>().expect("a number")).sum();
        Duration::from_millis(ticks * TICK_MS)
    }

    /// What it has printed beside the lines that a [`Demo`] is made of.
    pub fn printed(&self) -> String {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.try_iter().map(|line| line + "\n").collect()
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}

/// The program with these arguments and this environment, kept as [`KEEPER`] says, and the lines that it prints.
fn launch(
    binary: &Path,
    folder: &Path,
    arguments: &[&str],
    environment: &[(&'static str, String)],
) -> (Child, mpsc::Receiver<String>) {
    let name = folder.file_name().expect("a name").to_string_lossy();
    let kept = evidence::log_of(&name).unwrap_or_default();
    let mut keeper = Command::new("sh")
        .args(["-c", KEEPER])
        .arg(binary)
        .args([folder, &kept])
        .args(arguments)
        .env_clear()
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("sh runs");
    let lines = lines_of(keeper.stdout.take().expect("a pipe"), &name);
    (keeper, lines)
}

/// The same configuration of a server that writes all that it ever writes.
pub fn talkative(sections: &str) -> String {
    const SECTION: &str = "[log]\n";
    match sections.split_once(SECTION) {
        Some((_, log)) if log.contains("level = ") => sections.to_owned(),
        Some((before, log)) => format!("{before}{SECTION}level = \"trace\"\n{log}"),
        None => format!("{sections}\n{SECTION}level = \"trace\"\n"),
    }
}

/// What follows `wanted` on the next line that begins with it.
fn next(lines: &mpsc::Receiver<String>, wanted: &str, folder: &Path) -> String {
    loop {
        let line = lines.recv_timeout(PATIENCE).unwrap_or_else(|_| {
            let log = std::fs::read_to_string(folder.join("log")).unwrap_or_default();
            panic!("the server did not print {wanted:?}; its log: {log}")
        });
        if let Some(rest) = line.strip_prefix(wanted) {
            break rest.to_owned();
        }
    }
}

/// An address for a server, on a port that the system gives to nobody by itself: one that is started again finds it
/// free, however many connections were made meanwhile.
fn place() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let first = std::process::id().wrapping_mul(997);
    loop {
        let number = first.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % 12_000;
        let port = 20_000 + u16::try_from(number).expect("below 12,000");
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return format!("127.0.0.1:{port}");
        }
    }
}

/// An empty folder that no other test uses.
fn scratch() -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("demo-{}-{number}", std::process::id());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for tests");
    folder
}

/// The lines of a pipe, which is read to its end whether or not anyone wants them.
fn lines_of(pipe: impl std::io::Read + Send + 'static, name: &str) -> mpsc::Receiver<String> {
    let (send, receive) = mpsc::channel();
    let name = format!("{name}-out");
    std::thread::spawn(move || {
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            // The one line that exists to show a token.
            if !line.starts_with("Token: ") {
                evidence::keep(&name, format!("{line}\n").as_bytes());
            }
            let _ = send.send(line);
        }
    });
    receive
}
