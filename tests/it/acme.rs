//! Automatic certificates, against the test authority of Let's Encrypt and with `openssl s_client` as a client that others
//! wrote.

mod advising;
mod lying;
mod pebble;
mod unfit;

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use self::advising::Advising;
use self::pebble::{EXTERNAL, Manners, Pebble, free_port, is_here};
use crate::harness::{Kept as _, Log, PATIENCE, evidence, fields};
use crate::operator::{metrics_at, series_at};

const NAME: &str = "mcp.example.test";
const ISSUED: &str = "a new certificate was issued; new connections are shown it";
const NONE_ISSUED: &str = "no certificate was issued; there is none yet";
const NOT_RENEWED: &str = "the certificate is not renewed; the one before goes on";

/// A folder, an authority that is not running yet, and a port for the server.
struct Scene {
    place: PathBuf,
    authority: Pebble,
    /// The directory that is asked, and what that is trusted by.
    directory: (String, PathBuf),
    port: u16,
}

impl Drop for Scene {
    fn drop(&mut self) {
        self.authority.stop();
        let _ = fs::remove_dir_all(&self.place);
    }
}

/// A running server; ended when dropped.
struct Server {
    child: Child,
    log: Log,
    /// The lines of its start.
    start: Vec<Value>,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ended_already = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Scene {
    fn new(name: &str) -> Self {
        let place =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("acme-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&place);
        fs::create_dir_all(&place).expect("a folder");
        let port = free_port();
        let authority = Pebble::new(&place, port);
        let directory = (authority.directory(), authority.trusted());
        let scene = Self { place, authority, directory, port };
        scene.configure("");
        scene
    }

    /// Writes the configuration with these further keys of `[acme]`.
    fn configure(&self, more: &str) {
        let text = format!(
            "[server]\nlisten = \"127.0.0.1:{0}\"\npublic_base = \"https://{NAME}:{0}\"\nfixture_mode = false\n\
             data_dir = {1:?}\n[crate]\nkey = \"ck_test_0123456789\"\nbase_url = \"http://localhost:1\"\n\
             [log]\nformat = \"json\"\nlevel = \"debug\"\n[acme]\nagree_to_terms = true\ndirectory = {2:?}\n\
             ca_file = {3:?}\n{names}{more}",
            self.port,
            self.place.join("data"),
            self.directory.0,
            self.directory.1,
            names = if more.contains("names") { String::new() } else { format!("names = [{NAME:?}]\n") },
        );
        evidence::configured(&text);
        fs::write(self.place.join("server.toml"), text).expect("a file");
    }

    fn start(&self) -> Server {
        self.start_with(&[])
    }

    /// The same with these variables.
    fn start_with(&self, variables: &[(&str, &str)]) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ono-sendai"))
            .args(["serve", "--config"])
            .arg(self.place.join("server.toml"))
            .env_clear()
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let log = Log::of(child.stderr.take().expect("a pipe"), "automatic certificates");
        let mut server = Server { child, log, start: Vec::new() };
        server.start = server.lines_until("ready", "");
        server
    }

    /// A command of the program about this server.
    fn says(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_ono-sendai")).args(arguments).kept_output().expect("it runs")
    }

    fn status(&self) -> Value {
        let data = self.place.join("data");
        let output = self.says(&["admin", "--data", data.to_str().expect("text"), "status"]);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
        report["status"]["reload"].clone()
    }

    fn doctor(&self) -> String {
        let output =
            self.says(&["doctor", "--config", self.place.join("server.toml").to_str().expect("text")]);
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// What openssl says of a handshake for this name with these further arguments, and whether it came about.
    fn openssl(&self, name: &str, arguments: &[&str], asks: &str) -> (bool, String) {
        // Whoever asks for something waits for the answer.
        let stays: &[&str] = if asks.is_empty() { &[] } else { &["-ign_eof"] };
        let mut child = Command::new("openssl")
            .args(["s_client", "-connect", &format!("127.0.0.1:{}", self.port), "-servername", name])
            .args(stays)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("openssl runs");
        // One whose handshake failed takes nothing.
        let _gone = child.stdin.take().expect("a pipe").write_all(asks.as_bytes());
        let output = child.wait_with_output().expect("it ends");
        let said =
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        (output.status.success(), said)
    }

    /// Whether a client that trusts the authority's root takes the server for `name`, over each protocol.
    fn is_trusted(&self, root: &str, name: &str) -> bool {
        let file = self.place.join("root.pem");
        fs::write(&file, root).expect("a file");
        let file = file.to_str().expect("text");
        ["h2", "http/1.1"].iter().all(|protocol| {
            let trusting =
                ["-verify_return_error", "-CAfile", file, "-verify_hostname", name, "-alpn", *protocol];
            let (good, said) = self.openssl(name, &trusting, "");
            assert!(!good || said.contains(&format!("ALPN protocol: {protocol}")), "{said}");
            good
        })
    }

    /// The folder of what is kept.
    fn kept(&self) -> Option<PathBuf> {
        fs::read_dir(self.place.join("data/acme")).ok()?.next()?.ok().map(|entry| entry.path())
    }
}

impl Server {
    /// The next log line with this message and with `part` somewhere in it.
    fn line(&self, message: &str, part: &str) -> Value {
        self.lines_until(message, part).pop().expect("at least one")
    }

    /// Every line from here to that one.
    fn lines_until(&self, message: &str, part: &str) -> Vec<Value> {
        let is_it = |line: &str| fields(line)["message"] == message && line.contains(part);
        let passed = self.log.until(&format!("{message:?} with {part:?}"), is_it);
        passed.iter().map(|line| fields(line)).collect()
    }

    fn signal(&self, name: &str) {
        let kill = format!("kill -s {name} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().expect("a shell").success());
    }
}

/// Where a supervisor hears what it is told.
struct Ear {
    path: String,
    socket: UnixDatagram,
}

impl Ear {
    fn new(path: &Path) -> Self {
        let socket = UnixDatagram::bind(path).expect("an ear");
        socket.set_read_timeout(Some(PATIENCE)).expect("a patience");
        Self { path: path.to_str().expect("text").to_owned(), socket }
    }

    /// Waits for a message with one text and without another.
    fn hears(&self, wanted: &str, unwanted: &str) {
        let mut message = [0; 4_096];
        soon(wanted, || {
            let length = self.socket.recv(&mut message).expect("a message");
            let said = String::from_utf8_lossy(&message[..length]);
            said.contains(wanted) && !said.contains(unwanted)
        });
    }
}

/// How many tries in a row failed, as it is kept.
fn failed_in(kept: &Path) -> u64 {
    let tries = fs::read_to_string(kept.join("tries.json")).expect("a file");
    serde_json::from_str::<Value>(&tries).expect("JSON")["failures"].as_u64().expect("a number")
}

/// So long from now, as the program writes it.
fn moment(from_now: time::Duration) -> String {
    let moment = (time::OffsetDateTime::now_utc() + from_now).replace_nanosecond(0).expect("whole seconds");
    moment.format(&time::format_description::well_known::Rfc3339).expect("a moment")
}

fn page(path: &str, host: &str, port: u16) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n")
}

/// Waits until something is so.
fn soon(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_certificate_is_issued_on_the_port_that_clients_use_and_a_restart_asks_nobody() {
    if !is_here() {
        return;
    }
    let mut scene = Scene::new("issued");
    scene.authority.start(Manners::default());
    let server = scene.start();
    assert_eq!(server.line(ISSUED, "")["names"], NAME);
    let root = scene.authority.root();
    soon("it is shown", || scene.is_trusted(&root, NAME));
    // Nothing is proved any more: whoever offers that protocol alone gets nothing, and among others another.
    let (good, said) = scene.openssl(NAME, &["-alpn", "acme-tls/1"], "");
    assert!(!good && said.contains("no peer certificate available"), "{said}");
    let (good, said) =
        scene.openssl(NAME, &["-alpn", "acme-tls/1,http/1.1"], &page("/healthz", NAME, scene.port));
    assert!(good && said.contains("ALPN protocol: http/1.1") && !said.contains("ACME challenge"), "{said}");
    let (_, said) = scene.openssl(NAME, &[], &page("/readyz", NAME, scene.port));
    assert!(!said.contains("\"certificate\""), "{said}");
    // What is kept is for its owner alone.
    let kept = scene.kept().expect("a folder");
    for file in ["pair.pem", "account.json", "tries.json"] {
        let mode = fs::metadata(kept.join(file)).expect(file).permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
    evidence::private_keys("an issued key", &fs::read_to_string(kept.join("pair.pem")).expect("a file"));
    let status = scene.status();
    let until = status["certificate_until"].as_str().expect("a moment");
    assert_eq!(status["renewal"]["last_failure"], Value::Null);
    let next = status["renewal"]["next_try"].as_str().expect("a moment");
    assert!(next < until, "{status}");
    // The authority is gone, and the server is killed: the next one has everything it needs.
    scene.authority.stop();
    drop(server);
    let server = scene.start();
    assert!(scene.is_trusted(&root, NAME));
    let status = scene.status();
    assert_eq!(
        (status["certificate_until"].as_str(), status["renewal"]["last_failure"].as_str()),
        (Some(until), None)
    );
    let said = scene.doctor();
    assert!(
        said.contains(&format!("certificate    for {NAME}, until ")) && said.contains(" days), renewed at "),
        "{said}"
    );
    assert!(said.contains("fail  authority") && said.contains("correct [acme] directory"), "{said}");
    drop(server);
}

#[test]
fn a_certificate_is_renewed_before_it_ends_and_the_last_good_one_serves_while_nobody_issues() {
    if !is_here() {
        return;
    }
    let short = Manners { lifetime_s: 7, ..Manners::default() };
    let mut scene = Scene::new("renewed");
    scene.authority.start(short);
    let server = scene.start();
    server.line(ISSUED, "");
    let first = fs::read(scene.kept().expect("a folder").join("pair.pem")).expect("a file");
    let root = scene.authority.root();
    let begun = Instant::now();
    server.line(ISSUED, "");
    // Two thirds of seven seconds, less a twentieth; the whole seconds of its dates may take one off.
    assert!((2..7).contains(&begun.elapsed().as_secs()), "{:?}", begun.elapsed());
    let pair = scene.kept().expect("a folder").join("pair.pem");
    let second = fs::read(&pair).expect("a file");
    assert_ne!(first, second);
    assert!(scene.is_trusted(&root, NAME));
    // Nobody is there to renew it.
    scene.authority.stop();
    let line = server.line(NOT_RENEWED, "");
    assert!(
        line["reason"].as_str().is_some_and(|why| why.starts_with("localhost cannot be asked: ")),
        "{line}"
    );
    assert!(scene.openssl(NAME, &[], &page("/healthz", NAME, scene.port)).1.contains("200 OK"));
    assert_eq!(fs::read(&pair).expect("a file"), second);
    assert_eq!(scene.status()["renewal"]["last_failure"], line["reason"]);
    // An authority that comes back has forgotten the account; an operator need not wait.
    scene.authority.start(short);
    server.signal("HUP");
    let passed = server.lines_until(ISSUED, "");
    assert!(
        passed
            .iter()
            .any(|line| line["message"].as_str().is_some_and(|said| said.contains("another is made")))
    );
    assert_eq!(passed.iter().filter(|line| line["message"] == NOT_RENEWED).count(), 0, "{passed:?}");
    assert!(scene.is_trusted(&scene.authority.root(), NAME));
    assert_eq!(scene.status()["renewal"]["last_failure"], Value::Null);
}

#[test]
fn without_a_certificate_the_port_is_open_names_are_refused_and_this_machine_is_told_why() {
    if !is_here() {
        return;
    }
    let mut scene = Scene::new("waiting");
    let operator = scene.place.join("o.sock");
    scene.configure(&format!("[operator]\nlisten = \"unix:{}\"\n", operator.display()));
    let failed = || metrics_at(&operator)["ono_certificate_tries_failed"];
    let renewal = || series_at(&operator)["gauges"]["reload"]["renewal"].clone();
    // The supervisor is told that the service is ready, and gets its signs of life.
    let ear = Ear::new(&scene.place.join("first"));
    let server = scene.start_with(&[("NOTIFY_SOCKET", &ear.path), ("WATCHDOG_USEC", "600000")]);
    ear.hears(", as soon as there is a certificate", "nothing");
    ear.hears("WATCHDOG=1", "nothing");
    drop(ear);
    let line = server.line(NONE_ISSUED, "");
    assert!(
        line["reason"].as_str().is_some_and(|why| why.starts_with("localhost cannot be asked: ")),
        "{line}"
    );
    assert!(failed() > 0.5, "{}", failed());
    let told = renewal();
    assert!(told["last_failure"] == line["reason"] && told["tries_failed"].as_u64() >= Some(1), "{told}");
    let (good, said) = scene.openssl(NAME, &[], &page("/healthz", NAME, scene.port));
    assert!(!good && said.contains("no peer certificate available"), "{said}");
    for name in ["localhost", "127.0.0.1"] {
        let (_, said) = scene.openssl(name, &[], &page("/readyz", NAME, scene.port));
        assert!(said.contains("503 Service Unavailable") && said.contains("\"certificate\""), "{said}");
        assert!(said.contains("there is no certificate yet, and the last try to get one failed"), "{said}");
        assert!(scene.openssl(name, &[], &page("/healthz", NAME, scene.port)).1.contains("200 OK"));
    }
    let status = scene.status();
    assert_eq!(
        (&status["certificate_until"], &status["renewal"]["last_failure"]),
        (&Value::Null, &line["reason"])
    );
    let said = scene.doctor();
    assert!(said.contains("none yet; the last try to get one failed: localhost cannot be asked: "), "{said}");
    // Once more, and nothing new is said; then the server is killed, half a file is left, and the authority is there.
    server.signal("HUP");
    server.line("the configuration was read again", "");
    soon("it was tried again", || {
        let tries = fs::read_to_string(scene.kept().expect("a folder").join("tries.json")).expect("a file");
        serde_json::from_str::<Value>(&tries).is_ok_and(|tries| tries["failures"].as_u64() >= Some(2))
    });
    server.signal("KILL");
    let rest: Vec<Value> = server.log.rest().iter().map(|line| fields(line)).collect();
    assert_eq!(rest.iter().filter(|line| line["message"] == NONE_ISSUED).count(), 0, "{rest:?}");
    drop(server);
    let kept = scene.kept().expect("a folder");
    let before = failed_in(&kept);
    assert!(before >= 2, "{before}");
    for half in ["pair.pem", "pair.pem.new", "account.json", "tries.json.new"] {
        fs::write(kept.join(half), "-----BEGIN PRIVATE KEY-----\nMIGH").expect("a file");
    }
    scene.authority.start(Manners::default());
    let ear = Ear::new(&scene.place.join("second"));
    let server = scene.start_with(&[("NOTIFY_SOCKET", &ear.path)]);
    let useless = "the certificate that was kept cannot be used; another is asked for";
    assert!(server.start.iter().any(|line| line["message"] == useless), "{:?}", server.start);
    // Those before the start count.
    assert!(failed() >= 2.0 - 0.5, "{}", failed());
    server.signal("HUP");
    server.line(ISSUED, "");
    assert!(failed() < 0.5, "{}", failed());
    assert_eq!((&renewal()["last_failure"], &renewal()["tries_failed"]), (&Value::Null, &Value::from(0)));
    ear.hears("STATUS=serving", "as soon as");
    assert!(scene.is_trusted(&scene.authority.root(), NAME));
}

#[test]
fn a_proof_is_shown_to_who_asks_for_it_alone_and_a_server_killed_meanwhile_begins_anew() {
    if !is_here() {
        return;
    }
    let mut scene = Scene::new("proof");
    scene.authority.start(Manners { is_in_the_dark: true, ..Manners::default() });
    let server = scene.start();
    let mut proof = String::new();
    soon("there is a proof", || {
        proof = scene.openssl(NAME, &["-alpn", "acme-tls/1"], &page("/healthz", NAME, scene.port)).1;
        proof.contains("BEGIN CERTIFICATE")
    });
    assert!(proof.contains("ALPN protocol: acme-tls/1") && proof.contains("ACME challenge"), "{proof}");
    // The connection ends there, and gives nothing to come back with.
    assert!(!proof.contains("HTTP/1.1") && !proof.contains("New Session Ticket"), "{proof}");
    let read = Command::new("openssl")
        .args(["x509", "-noout", "-text"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .and_then(|mut child| {
            child.stdin.take().expect("a pipe").write_all(proof.as_bytes())?;
            child.wait_with_output()
        })
        .expect("openssl runs");
    let read = String::from_utf8_lossy(&read.stdout);
    assert!(read.contains("1.3.6.1.5.5.7.1.31: critical") && read.contains(&format!("DNS:{NAME}")), "{read}");
    for (name, protocols) in [
        (NAME, "h2"),
        (NAME, "http/1.1"),
        (NAME, "acme-tls/1,h2"),
        (NAME, "h2,acme-tls/1"),
        ("other.example.test", "acme-tls/1"),
        ("localhost", "acme-tls/1"),
    ] {
        let (_, said) = scene.openssl(name, &["-alpn", protocols], "");
        assert!(said.contains("no peer certificate available"), "{name} {protocols}: {said}");
    }
    server.signal("KILL");
    drop(server);
    scene.authority.stop();
    scene.authority.start(Manners::default());
    // Nothing tells how that try ended, so that the next one waits, but for an order.
    let server = scene.start();
    let status = scene.status();
    let next = status["renewal"]["next_try"].as_str().expect("a moment").to_owned();
    assert!(
        next > moment(time::Duration::minutes(2)) && next < moment(time::Duration::minutes(6)),
        "{status}"
    );
    assert_eq!(status["renewal"]["last_failure"], "it was begun, and nothing tells how it ended");
    server.signal("HUP");
    server.line(ISSUED, "");
    assert!(scene.is_trusted(&scene.authority.root(), NAME));
}

#[test]
fn while_a_name_is_proved_anew_everybody_else_is_shown_the_certificate_that_there_is() {
    if !is_here() {
        return;
    }
    let mut scene = Scene::new("meanwhile");
    scene.authority.start(Manners { lifetime_s: 20, ..Manners::default() });
    let server = scene.start();
    server.line(ISSUED, "");
    let root = scene.authority.root();
    assert!(scene.is_trusted(&root, NAME));
    scene.authority.stop();
    scene.authority.start(Manners { is_in_the_dark: true, ..Manners::default() });
    let proves = || scene.openssl(NAME, &["-alpn", "acme-tls/1"], "").1.contains("ACME challenge");
    soon("there is a proof", proves);
    for protocols in [&["-alpn", "h2"][..], &["-alpn", "http/1.1"], &["-alpn", "acme-tls/1,http/1.1"], &[]] {
        for name in [NAME, "localhost", "other.example.test"] {
            let (_, said) = scene.openssl(name, protocols, "");
            assert!(
                said.contains("Pebble Intermediate CA") && !said.contains("ACME challenge"),
                "{name}: {said}"
            );
        }
    }
    let (_, said) = scene.openssl(NAME, &[], &page("/healthz", NAME, scene.port));
    assert!(said.contains("200 OK"), "{said}");
    assert!(scene.is_trusted(&root, NAME));
    assert!(proves(), "the proof ended meanwhile, and nothing was shown");
    drop(server);
}

#[test]
fn what_the_authority_refuses_is_told_in_its_words_and_tried_again_seldom() {
    if !is_here() {
        return;
    }
    let mut scene = Scene::new("refused");
    scene.authority.start(Manners { wants_external: true, ..Manners::default() });
    let server = scene.start();
    let line = server.line(NONE_ISSUED, "");
    assert!(line["reason"].as_str().is_some_and(|why| why.contains("externalAccountRequired")), "{line}");
    drop(server);
    // With the account, but for a name that is refused; then for one that leads elsewhere.
    let key = scene.place.join("external.key");
    crate::pki::private(&key, EXTERNAL.1);
    let account = format!("external_account_id = {:?}\nexternal_account_key_file = {key:?}\n", EXTERNAL.0);
    scene.configure(&format!("{account}names = [{NAME:?}, \"blocked.example.test\"]\n"));
    let server = scene.start();
    server.signal("HUP");
    let line = server.line(NONE_ISSUED, "blocked.example.test");
    assert!(line["reason"].as_str().is_some_and(|why| why.contains("rejectedIdentifier")), "{line}");
    let wait = line["next"].as_str().expect("a moment").to_owned();
    assert!(!wait.is_empty());
    drop(server);
    scene.configure(&format!(
        "{account}names = [{NAME:?}, \"also.example.test\"]\ncontact = \"ops@example.test\"\n"
    ));
    let server = scene.start();
    server.signal("HUP");
    assert_eq!(server.line(ISSUED, "")["names"], format!("{NAME}, also.example.test"));
    let root = scene.authority.root();
    assert!(scene.is_trusted(&root, NAME) && scene.is_trusted(&root, "also.example.test"));
    // A further name is asked for at the next start, and what there is serves meanwhile.
    drop(server);
    scene.configure(&format!(
        "{account}names = [{NAME:?}, \"also.example.test\", \"blocked.example.test\"]\n"
    ));
    let server = scene.start();
    server.line(NOT_RENEWED, "rejectedIdentifier");
    assert!(scene.is_trusted(&root, NAME));
    let said = scene.doctor();
    assert!(said.contains("it is not one of blocked.example.test"), "{said}");
}

#[test]
fn a_name_that_leads_elsewhere_is_told_with_what_the_authority_found_there() {
    if !is_here() {
        return;
    }
    let mut scene = Scene::new("elsewhere");
    let nobody = free_port();
    scene.authority = Pebble::new(&scene.place, nobody);
    scene.directory = (scene.authority.directory(), scene.authority.trusted());
    scene.configure("");
    scene.authority.start(Manners::default());
    let server = scene.start();
    let line = server.line(NONE_ISSUED, "");
    let reason = line["reason"].as_str().expect("text");
    assert!(reason.starts_with(&format!("a name was not proved: {NAME}: the authority says ")), "{reason}");
    assert!(reason.len() < 500 && !reason.contains('\n'), "{reason}");
    assert_eq!(scene.status()["renewal"]["last_failure"], reason);
}

#[test]
fn an_authority_that_wants_a_certificate_renewed_early_is_heeded_and_one_that_would_wait_too_long_is_not() {
    if !is_here() {
        return;
    }
    let mut scene = Scene::new("advised");
    scene.authority.start(Manners::default());
    let (port, trusted) = scene.authority.way();
    let advising = Advising::before(port, trusted, &scene.place);
    scene.directory = (advising.directory.clone(), advising.trusted.clone());
    scene.configure("");
    let server = scene.start();
    server.line(ISSUED, "");
    let next = |scene: &Scene| scene.status()["renewal"]["next_try"].as_str().expect("a moment").to_owned();
    let (before, until) = (next(&scene), scene.status()["certificate_until"].clone());
    let now = time::OffsetDateTime::now_utc();
    let days = time::Duration::days;
    // After the certificate has ended: that is no advice to follow to the letter.
    advising.advises(now + days(4000), now + days(4001));
    server.signal("HUP");
    server.line("the authority says when to renew the certificate", "");
    soon("the advice is taken", || next(&scene) > before);
    assert!(Some(next(&scene).as_str()) < until.as_str(), "{until}");
    assert_eq!(advising.asked().len(), 1);
    // At once, though it has years to live; whatever the certificate's rest, an operator's order is obeyed.
    advising.advises(now - days(2), now - days(1));
    let first = fs::read(scene.kept().expect("a folder").join("pair.pem")).expect("a file");
    drop(server);
    let server = scene.start();
    server.signal("HUP");
    server.line(ISSUED, "");
    assert_ne!(fs::read(scene.kept().expect("a folder").join("pair.pem")).expect("a file"), first);
    let asked = advising.asked();
    assert!(
        asked.len() >= 2 && asked.iter().all(|id| id.split('.').count() == 2 && id.len() > 30),
        "{asked:?}"
    );
    assert!(scene.is_trusted(&scene.authority.root(), NAME));
}
