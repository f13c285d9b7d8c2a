//! The program as whoever runs it sees it: what it is told, and the socket that it passes on.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};

use crate::harness::{Log, PATIENCE, Raw};

/// How long the supervisor of these tests waits for a sign of life.
const WATCHDOG: Duration = Duration::from_millis(300);

/// A server and the ear of its supervisor; ended when dropped.
struct Supervised {
    child: Child,
    ear: UnixDatagram,
    log: Log,
    certificate: PathBuf,
}

impl Drop for Supervised {
    fn drop(&mut self) {
        let _ended_already = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Supervised {
    /// A server of the demo catalogue with this `[server] listen`, which a shell starts after `first`; `stdin` is what
    /// the shell reads from.
    fn start(name: &str, listen: &str, first: &str, stdin: Stdio) -> Self {
        Self::with(name, listen, first, stdin, |_| {})
    }

    /// The same, with something done to the ear before the server starts.
    fn with(name: &str, listen: &str, first: &str, stdin: Stdio, before: impl FnOnce(&Path)) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("supervised-{}", std::process::id()))
            .join(name);
        std::fs::create_dir_all(&folder).expect("a folder for tests");
        let (file, data, socket) = (folder.join("server.toml"), folder.join("data"), folder.join("notify"));
        let text = format!(
            "[server]\nlisten = {listen:?}\npublic_base = \"https://localhost:0\"\ndata_dir = {data:?}\n\
             [transport]\nhandshake_timeout_s = 120\ndrain_grace_s = 7\n[log]\nlevel = \"trace\"\n"
        );
        std::fs::write(&file, text).expect("a file");
        let ear = UnixDatagram::bind(&socket).expect("an ear");
        ear.set_read_timeout(Some(PATIENCE)).expect("a patience");
        before(&socket);
        let mut child = Command::new("sh")
            .args(["-c", &format!("{first}\nexec \"$0\" \"$@\"")])
            .arg(env!("CARGO_BIN_EXE_ono-sendai"))
            .arg("serve")
            .arg("--config")
            .arg(&file)
            .env_clear()
            .env("NOTIFY_SOCKET", &socket)
            .env("WATCHDOG_USEC", WATCHDOG.as_micros().to_string())
            .stdin(stdin)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let log = Log::of(child.stderr.take().expect("a pipe"), "supervised");
        Self { child, ear, log, certificate: data.join("demo-cert.pem") }
    }

    /// The next message to the supervisor.
    fn told(&self) -> String {
        let mut message = [0; 4_096];
        let bytes = self.ear.recv(&mut message).expect("a message");
        String::from_utf8(message[..bytes].to_vec()).expect("text")
    }

    /// How many messages wait to be heard; they are heard by that.
    fn waiting(&self) -> usize {
        self.ear.set_nonblocking(true).expect("an ear");
        let mut message = [0; 4_096];
        let mut count = 0;
        while self.ear.recv(&mut message).is_ok() {
            count += 1;
        }
        self.ear.set_nonblocking(false).expect("an ear");
        count
    }

    fn until_logged(&self, text: &str) -> String {
        let said = self.log.until(&format!("with {text:?}"), |line| line.contains(text));
        said.last().expect("at least one").clone()
    }

    /// Lets it have so many files open, and says how many it could have before.
    fn may_open(&self, files: u64) -> u64 {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).expect("a process id"));
        // A child has the limits of who started it, and this server asked for all of them.
        let maximum = getrlimit(Resource::Nofile).maximum;
        let before =
            prlimit(pid, Resource::Nofile, Rlimit { current: Some(files), maximum }).expect("a limit");
        before.current.expect("a number of files")
    }

    fn signal(&self, name: &str) {
        let kill = format!("kill -s {name} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().expect("a shell").success());
    }

    fn code(&mut self) -> Option<i32> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return status.code();
            }
            assert!(start.elapsed() < PATIENCE, "it still runs");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// The port in `STATUS=serving https://localhost:PORT/mcp on …`.
fn port_of(ready: &str) -> u16 {
    let rest = ready.split_once("STATUS=serving https://localhost:").expect("a status").1;
    rest.split_once("/mcp on ").and_then(|(port, _)| port.parse().ok()).expect("a port")
}

#[test]
fn a_supervisor_is_told_when_the_server_is_ready_that_it_lives_that_it_reloads_and_when_it_stops() {
    let mut server = Supervised::start("told", "127.0.0.1:0", "", Stdio::null());
    let ready = server.told();
    assert!(ready.starts_with("READY=1\n"), "{ready}");
    // It is true: whoever connects is answered.
    let mut raw = Raw::to(port_of(&ready), &server.certificate);
    raw.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    raw.until("HTTP/1.1 200");
    for _ in 0..5 {
        assert_eq!(server.told(), "WATCHDOG=1");
    }
    let next = || {
        loop {
            let told = server.told();
            if told != "WATCHDOG=1" {
                break told;
            }
        }
    };
    server.signal("HUP");
    assert_eq!(next(), "RELOADING=1\nSTATUS=reading the configuration again");
    assert_eq!(next(), ready);
    assert_eq!(server.told(), "WATCHDOG=1");
    server.signal("TERM");
    let stopping = next();
    // The grace time of 7 s, and 15 s for what comes after it.
    assert_eq!(stopping, "STOPPING=1\nSTATUS=stopping\nEXTEND_TIMEOUT_USEC=22000000");
    assert_eq!(server.code(), Some(0));
    // What it asked itself is nobody's call.
    let log = server.log.rest();
    assert!(!log.iter().any(|line| line.contains("ping")), "{log:?}");
}

#[test]
fn an_orderly_stop_is_neither_taken_back_by_a_reload_nor_told_as_a_server_that_hangs() {
    let mut server = Supervised::start("stopping", "127.0.0.1:0", "", Stdio::null());
    let port = port_of(&server.told());
    // A request that does not end holds up the stop.
    let mut held = Raw::to(port, &server.certificate);
    held.send("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{");
    server.signal("TERM");
    while !server.told().starts_with("STOPPING=1\n") {}
    server.signal("HUP");
    // Signs of life would be tried nine times in this time.
    server.ear.set_read_timeout(Some(3 * WATCHDOG)).expect("a patience");
    let told = server.ear.recv(&mut [0; 4_096]);
    assert!(
        matches!(&told, Err(error) if error.kind() == std::io::ErrorKind::WouldBlock),
        "something was told after the stop: {told:?}"
    );
    assert!(server.child.try_wait().expect("a child").is_none(), "nothing held up the stop");
    drop(held);
    assert_eq!(server.code(), Some(0));
    let log = server.log.rest();
    assert!(log.iter().any(|line| line.contains("stopped")), "{log:?}");
    for wrong in ["does not answer itself", "was read again"] {
        assert!(!log.iter().any(|line| line.contains(wrong)), "{log:?}");
    }
}

#[test]
fn a_server_that_can_take_no_connection_gives_no_sign_of_life_until_it_can() {
    let server = Supervised::start("spent", "127.0.0.1:0", "", Stdio::null());
    let _ready = server.told();
    assert_eq!(server.told(), "WATCHDOG=1");
    // Connections alone never take the last descriptor from it, so that the system does.
    let before = server.may_open(3);
    let silent = "this server does not answer itself";
    // One that is late for another reason, on a busy machine, is not what is meant; from this one on there is nothing left.
    server.log.until("of the end", |line| line.contains(silent) && line.contains("os error 24"));
    server.waiting();
    for _ in 0..4 {
        server.until_logged(silent);
    }
    assert_eq!(server.waiting(), 0, "a sign of life of a server that answers nobody");
    server.may_open(before);
    assert_eq!(server.told(), "WATCHDOG=1");
}

#[test]
fn a_server_with_few_descriptors_goes_on_answering_itself_however_many_connect() {
    let server = Supervised::start("few", "127.0.0.1:0", "ulimit -n 64", Stdio::null());
    let port = port_of(&server.told());
    let connect = || TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("a connection");
    let _held: Vec<TcpStream> = (0..80).map(|_| connect()).collect();
    server.until_logged("one that stood still gave way");
    server.waiting();
    for _ in 0..4 {
        assert_eq!(server.told(), "WATCHDOG=1");
    }
}

#[test]
fn a_supervisor_that_reads_nothing_holds_up_nobody_and_hears_what_matters_once_it_reads() {
    let mut server = Supervised::with("unread", "127.0.0.1:0", "", Stdio::null(), |socket| {
        // Until the system takes no more for it.
        let mouth = UnixDatagram::unbound().expect("a socket");
        mouth.set_nonblocking(true).expect("a socket");
        while mouth.send_to(b"of others", socket).is_ok() {}
    });
    let ready = server.until_logged("ready: https://localhost:");
    let port = ready.split_once("ready: https://localhost:").expect("an address").1;
    let port = port.split_once("/mcp").and_then(|(port, _)| port.parse().ok()).expect("a port");
    server.until_logged("the supervisor does not read what it is told");
    let begun = Instant::now();
    let mut raw = Raw::to(port, &server.certificate);
    raw.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    assert!(raw.rest().starts_with("HTTP/1.1 200"));
    assert!(begun.elapsed() < PATIENCE / 6, "{:?}", begun.elapsed());
    while server.told() == "of others" {}
    // It was the first of its own, and signs of life follow.
    assert_eq!(server.told(), "WATCHDOG=1");
    server.signal("TERM");
    assert_eq!(server.code(), Some(0));
    let log = server.log.rest();
    assert!(!log.iter().any(|line| line.contains("does not read")), "one line for all of it: {log:?}");
}

#[test]
fn a_watchdog_that_wants_signs_of_life_all_the_time_is_refused_in_one_line() {
    let mut server = Supervised::start("nonsense", "127.0.0.1:0", "export WATCHDOG_USEC=3", Stdio::null());
    let wanted = "the supervisor gets no signs of life: WATCHDOG_USEC is \"3\"; accepted: microseconds, at least 100000";
    server.until_logged(wanted);
    assert!(server.told().starts_with("READY=1\n"));
    server.signal("TERM");
    assert!(server.told().starts_with("STOPPING=1\n"), "no sign of life between the two");
    assert_eq!(server.code(), Some(0));
    let log = server.log.rest();
    assert!(!log.iter().any(|line| line.contains("signs of life")), "{log:?}");
}

/// Makes the shell's stdin the first socket that is passed on.
const PASS_ON: &str = "exec 3<&0 </dev/null\nexport LISTEN_PID=$$ LISTEN_FDS=1";

#[test]
fn a_socket_that_is_passed_on_is_served_in_the_place_of_the_configured_one() {
    let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let port = socket.local_addr().expect("an address").port();
    // Nobody could listen there.
    let mut server = Supervised::start(
        "passed",
        "192.0.2.1:443",
        PASS_ON,
        OwnedFd::from(socket.try_clone().expect("a copy")).into(),
    );
    // Whoever comes before the server is ready waits, and is not turned away.
    let early = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("a connection");
    let ready = server.told();
    assert_eq!(port_of(&ready), port);
    drop(early);
    let mut raw = Raw::to(port, &server.certificate);
    raw.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    assert!(raw.rest().starts_with("HTTP/1.1 200"));
    assert_eq!(server.told(), "WATCHDOG=1");
    server.signal("TERM");
    assert_eq!(server.code(), Some(0));
    // The socket is the supervisor's, and outlives the server.
    TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("a connection that waits for the next server");
}

#[test]
fn what_cannot_be_served_is_refused_with_what_to_do() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let connection = TcpStream::connect(listener.local_addr().expect("an address")).expect("a connection");
    let socket = || OwnedFd::from(listener.try_clone().expect("a copy")).into();
    let two = PASS_ON.replace("LISTEN_FDS=1", "LISTEN_FDS=2");
    let cases: [(&str, &str, Stdio, &str); 3] = [
        (
            "two",
            &two,
            socket(),
            "2 sockets were passed on; this server takes one (one ListenStream= in the socket unit)",
        ),
        (
            "connection",
            PASS_ON,
            OwnedFd::from(connection).into(),
            "it is a connection and does not listen; the socket unit",
        ),
        (
            "none",
            PASS_ON,
            Stdio::null(),
            "cannot be served: fd 3 is not a socket; the socket unit wants ListenStream=",
        ),
    ];
    for (name, first, stdin, wanted) in cases {
        let mut server = Supervised::start(name, "127.0.0.1:0", first, stdin);
        let line = server.until_logged("ono-sendai: socket activation: ");
        assert!(line.contains(wanted), "{name}: {line}");
        assert_eq!(server.code(), Some(3), "{name}");
    }
}

#[test]
fn a_socket_that_is_meant_for_another_process_is_left_alone() {
    let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let port = socket.local_addr().expect("an address").port();
    let first = PASS_ON.replace("LISTEN_PID=$$", "LISTEN_PID=1");
    let server = Supervised::start("others", "127.0.0.1:0", &first, OwnedFd::from(socket).into());
    assert_ne!(port_of(&server.told()), port);
}
