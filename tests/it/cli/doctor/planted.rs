//! Faults that are planted, one by one and many at once: each is named in a line of its own that says what to do, and none
//! hides another.

use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use time::OffsetDateTime;

use super::{KEY, Visit, closed, issuer, place};
use crate::cli::{code, stderr, stdout};
use crate::harness::{Demo, Kept as _};
use crate::pki::{Authority, Pair, private};
use crate::signin::hook::{Service, key_file};
use crate::signin::issuer::{Key, key_set};
use crate::store::disk_full::Small;
use crate::upstream::peer::{Peer, json as json_answer, with};

/// Somebody who is not root, and whom nothing here belongs to.
const NOBODY: u32 = 65_534;

/// A visit as somebody would make it in a shell, after these commands.
struct Doctor<'a> {
    place: &'a Path,
    before: &'a str,
    variables: Vec<(&'static str, String)>,
    as_nobody: bool,
    /// In a network of its own, where no address is anybody's.
    in_no_network: bool,
}

impl<'a> Doctor<'a> {
    fn at(place: &'a Path) -> Self {
        Self { place, before: "", variables: Vec::new(), as_nobody: false, in_no_network: false }
    }

    /// By a clock that is an hour ahead; `None` where there is no libfaketime.
    fn an_hour_ahead(mut self) -> Option<Self> {
        let library = ["x86_64-linux-gnu", "aarch64-linux-gnu"]
            .map(|machine| format!("/usr/lib/{machine}/faketime/libfaketime.so.1"))
            .into_iter()
            .find(|library| Path::new(library).exists())?;
        self.variables = vec![
            ("LD_PRELOAD", library),
            ("FAKETIME", "+1h".to_owned()),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
        ];
        Some(self)
    }

    /// `server` are the lines of that section beside the name of the server.
    fn visits(&self, server: &str, rest: &str) -> Visit {
        let config = self.place.join("planted.toml");
        let text = format!("[server]\npublic_base = \"https://localhost:8443\"\n{server}\n{rest}\n");
        std::fs::write(&config, text).expect("a configuration");
        let as_other = format!("setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups");
        let other = match (self.as_nobody, self.in_no_network) {
            (true, _) => &as_other,
            (_, true) => "unshare -n",
            _ => "",
        };
        let output = Command::new("sh")
            .args(["-c", &format!("{}\nexec {other} \"$0\" \"$@\"", self.before)])
            .arg(env!("CARGO_BIN_EXE_ono-sendai"))
            .args(["doctor", "--config"])
            .arg(&config)
            .current_dir(self.place)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .kept_output()
            .expect("it runs");
        Visit { code: code(&output), text: stdout(&output), said: stderr(&output) }
    }
}

impl Visit {
    /// One of the lines about a part has this mark and this in its text.
    fn tells(&self, part: &str, mark: &str, wanted: &str) {
        let begins = format!("{mark:4}  {part}");
        let told = self.text.lines().any(|line| line.starts_with(&begins) && line.contains(wanted));
        assert!(told, "no line {begins:?} with {wanted:?}:\n{}{}", self.text, self.said);
    }

    /// Nothing is wrong at all.
    fn is_only_good(&self) {
        let bad: Vec<&str> = self.text.lines().filter(|line| !line.starts_with("ok    ")).collect();
        assert!(
            bad.is_empty() && self.code == 0 && self.said.is_empty(),
            "{bad:?}: {}{}",
            self.text,
            self.said
        );
    }
}

/// `[server] listen` and `data_dir`.
fn server(data: &Path) -> String {
    format!("listen = \"127.0.0.1:0\"\ndata_dir = \"{}\"", data.display())
}

/// `[tls]` with these two, and the mode of the key's file.
fn tls(place: &Path, chain: &str, key: &str, mode: u32) -> String {
    let (certificate, key_path) = (place.join("planted.pem"), place.join("planted.key"));
    std::fs::write(&certificate, chain).expect("a file");
    private(&key_path, key);
    std::fs::set_permissions(&key_path, std::fs::Permissions::from_mode(mode)).expect("a mode");
    format!("[tls]\ncertificate = \"{}\"\nkey = \"{}\"\n", certificate.display(), key_path.display())
}

/// A data service that answers this to the doctor's question, and what asks it.
fn service(status: u16) -> (Peer, String) {
    let peer = Peer::start();
    let now =
        OffsetDateTime::now_utc().format(&time::format_description::well_known::Rfc2822).expect("a date");
    peer.set("/", with(200, &format!("date: {now}\r\n"), b"{}"));
    peer.set("/api/v2/resolve", json_answer(status, r#"{"cluster_id":null,"display":null}"#));
    let section = format!("[crate]\nbase_url = \"http://127.0.0.1:{}\"\nkey = \"{KEY}\"\n", peer.port);
    (peer, section)
}

/// What asks this account service.
fn accounts(service: &Service) -> String {
    format!(
        "[accounts]\nmode = \"hooked\"\nservice_url = \"{}\"\nservice_key_file = \"{}\"\n",
        service.address,
        key_file(service).display()
    )
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[test]
fn a_server_with_everything_of_its_own_and_all_of_it_well_is_only_good() {
    let place = place();
    let Pair { chain, key, .. } = Authority::new().signs(&["localhost"], (-1, 60));
    let (_peer, service) = service(200);
    let (_issuer, name) = issuer(&json!({}), &key_set(&[&Key::es256("k1")]));
    let hook = Service::start();
    hook.says(404, &json!({}));
    let backups = place.join("backups");
    std::fs::create_dir(&backups).expect("a folder");
    let rest = format!(
        "{}{service}[auth]\nissuer = \"{name}\"\n{}[backup]\nfolder = \"{}\"\n",
        tls(&place, &chain, &key, 0o600),
        accounts(&hook),
        backups.display()
    );
    let data = place.join("data");
    let with_data = format!("fixture_mode = false\n{}", server(&data));
    Doctor::at(&place).visits(&with_data, &rest).is_only_good();
    std::fs::create_dir(&data).expect("a folder");
    let seen = Doctor::at(&place).visits(&with_data, &rest);
    seen.is_only_good();
    // A line for each part, and none twice.
    assert_eq!(seen.text.lines().count(), 12, "{}", seen.text);
}

#[test]
fn a_certificate_and_its_key_are_judged_apart_so_that_neither_hides_the_other() {
    let authority = Authority::new();
    let good = authority.signs(&["localhost"], (-1, 60));
    let other = authority.signs(&["localhost"], (-1, 60));
    let not_its_key = "does not belong to the first certificate";
    let open =
        "open to others (mode 0644); accepted: a file that only its owner and group can read (chmod 600)";
    let place = place();
    let visit = |chain: &str, key: &str, mode| {
        Doctor::at(&place).visits(&server(&place.join("data")), &tls(&place, chain, key, mode))
    };
    let seen = visit(&good.chain, &other.key, 0o600);
    seen.tells("certificate", "fail", not_its_key);
    seen.tells(
        "certificate",
        "fail",
        "accepted: PEM: the server's certificate with its chain, and the private key of that",
    );
    visit(&good.chain, &good.key, 0o644).tells("certificate", "fail", open);
    // Five at once.
    let bad = authority.signs(&["mcp.example.org"], (-60, -1));
    let seen = visit(&bad.leaf, &other.key, 0o644);
    for wanted in [not_its_key, open, "expired on", "not one of localhost"] {
        seen.tells("certificate", "fail", wanted);
    }
    seen.tells("certificate", "warn", "append it to the file");
    assert_eq!(seen.code, 3);
    // A chain that leads nowhere is told beside an end and a name.
    let stray = format!("{}{}", bad.leaf, Authority::new().signs(&["localhost"], (-1, 60)).chain);
    let seen = visit(&stray, &bad.key, 0o600);
    for wanted in ["expired on", "not one of localhost", "do not lead from one to the next"] {
        seen.tells("certificate", "fail", wanted);
    }
    // A key that is none, and one that is not there.
    visit(&bad.chain, "no key", 0o600).tells("certificate", "fail", "holds no private key");
    let seen = visit(&bad.chain, "no key", 0o600);
    seen.tells("certificate", "fail", "expired on");
    // What check-config says is as complete.
    let config = place.join("planted.toml");
    let _seen = visit(&good.chain, &other.key, 0o644);
    let output = crate::cli::ono_sendai(&["check-config", config.to_str().expect("text")]);
    let said = stderr(&output) + &stdout(&output);
    assert!(said.contains(not_its_key) && said.contains("open to others"), "{said}");
}

#[test]
fn a_port_that_another_program_has_is_told_and_one_of_the_server_that_runs_is_not() {
    let place = place();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address");
    let at =
        |address: &str, data: &Path| format!("listen = \"{address}\"\ndata_dir = \"{}\"", data.display());
    let data = place.join("data");
    let seen = Doctor::at(&place).visits(&at(&address.to_string(), &data), "");
    seen.tells("port", "fail", &format!("{address} is taken by another program"));
    seen.tells("port", "fail", "stop it, or choose another port with [server] listen");
    assert_eq!(seen.code, 3, "{}", seen.text);
    drop(taken);
    Doctor::at(&place).visits(&at(&address.to_string(), &data), "").tells("port", "ok", "is free");
    let seen = Doctor::at(&place).visits(&at("192.0.2.1:8443", &data), "");
    seen.tells("port", "fail", "is not an address of this machine; correct [server] listen");
    let demo = Demo::start();
    let own = format!("127.0.0.1:{}", demo.port);
    Doctor::at(&place).visits(&at(&own, &demo.data()), "").tells("port", "ok", "is taken, and a server runs");
    // It is not disturbed.
    assert!(!demo.call("resolve_artist", json!({"q": "Four Tet"})).is_error);
}

/// `[operator] listen`.
fn operator(listen: impl std::fmt::Display) -> String {
    format!("[operator]\nlisten = \"{listen}\"\n")
}

#[test]
fn an_address_of_the_operator_that_another_program_has_or_that_is_nobodys_is_told() {
    let place = place();
    let data = place.join("data");
    let visit = |listen: &str| Doctor::at(&place).visits(&server(&data), &operator(listen));
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    let seen = visit(&address);
    seen.tells("operator", "fail", &format!("{address} is taken by another program"));
    seen.tells("operator", "fail", "stop it, or choose another port with [operator] listen");
    assert_eq!(seen.code, 3, "{}", seen.text);
    drop(taken);
    visit(&address).tells("operator", "ok", &format!("{address} is free"));
    visit("127.0.0.1:0").tells("operator", "ok", "any free port");
    // The port of the server that runs is its own.
    let demo = Demo::serving("", &operator("127.0.0.1:0"));
    let own = format!("127.0.0.1:{}", crate::operator::port_of(&demo));
    let seen = Doctor::at(&place).visits(&server(&demo.data()), &operator(&own));
    seen.tells("operator", "ok", "is taken, and a server runs");
    // Where nothing is wanted, nothing is said.
    let seen = Doctor::at(&place).visits(&server(&data), "");
    assert!(!seen.text.contains("operator"), "{}", seen.text);
    let alone = Doctor { in_no_network: true, ..Doctor::at(&place) };
    let made = Command::new("unshare").args(["-n", "true"]).status();
    if !made.is_ok_and(|made| made.success()) {
        return println!("SKIPPED: an address that is nobody's: no network can be made");
    }
    let seen = alone.visits(&server(&data), &operator("[::1]:9464"));
    seen.tells("operator", "fail", "::1 is not an address of this machine; correct [operator] listen");
}

#[test]
fn a_path_of_the_operator_that_cannot_be_a_socket_is_told() {
    let place = place();
    let data = place.join("data");
    let visit = |path: &Path| {
        Doctor::at(&place).visits(&server(&data), &operator(format!("unix:{}", path.display())))
    };
    let none = place.join("none/o.sock");
    let seen = visit(&none);
    seen.tells(
        "operator",
        "fail",
        "/none is not there; make it, or choose another path with [operator] listen",
    );
    assert_eq!(seen.code, 3, "{}", seen.text);
    assert!(!place.join("none").exists(), "a folder was made");
    let file = place.join("a-file");
    std::fs::write(&file, "mine").expect("a file");
    let seen = visit(&file);
    seen.tells("operator", "fail", "what lies there is no socket; move it away, or choose another path");
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), "mine");
    visit(&file.join("o.sock")).tells("operator", "fail", "a-file is no folder");
    let path = place.join("o.sock");
    visit(&path).tells("operator", "ok", "a socket can be made at ");
    let listening = std::os::unix::net::UnixListener::bind(&path).expect("a socket");
    let seen = visit(&path);
    seen.tells("operator", "fail", "another program listens at ");
    seen.tells("operator", "fail", "stop it, or choose another path with [operator] listen");
    // One that a dead program left is no fault, and is left to the start.
    drop(listening);
    visit(&path).tells("operator", "ok", "a socket can be made at ");
    assert!(path.exists());
    let demo = Demo::serving("", &operator(format!("unix:{}", path.display())));
    let seen =
        Doctor::at(&place).visits(&server(&demo.data()), &operator(format!("unix:{}", path.display())));
    seen.tells("operator", "ok", "is taken, and a server runs");
    if is_root() {
        let doctor = Doctor { as_nobody: true, ..Doctor::at(&place) };
        let seen =
            doctor.visits(&server(&data), &operator(format!("unix:{}", place.join("p.sock").display())));
        if !seen.text.is_empty() {
            seen.tells("operator", "fail", &format!("cannot be written by uid {NOBODY}"));
        }
    }
}

#[test]
fn a_folder_that_nobody_may_write_is_told_with_the_user_who_tried() {
    if !is_root() {
        return println!("SKIPPED: an unwritable folder: another user is wanted");
    }
    let place = place();
    let data = place.join("data");
    std::fs::create_dir(&data).expect("a folder");
    let reaches = Command::new("setpriv")
        .args([
            &format!("--reuid={NOBODY}"),
            "--clear-groups",
            "test",
            "-r",
            env!("CARGO_BIN_EXE_ono-sendai"),
        ])
        .status();
    if !reaches.is_ok_and(|status| status.success()) {
        return println!("SKIPPED: an unwritable folder: another user cannot reach the program");
    }
    let doctor = Doctor { as_nobody: true, ..Doctor::at(&place) };
    let rest = format!("[backup]\nfolder = \"{}\"\n", place.display());
    let seen = doctor.visits(&server(&data), &rest);
    seen.tells("data folder", "fail", &format!("cannot be written by uid {NOBODY}"));
    seen.tells("data folder", "fail", "give the folder to that user with chown");
    seen.tells("data folder", "warn", "belongs to uid 0");
    seen.tells("backups", "fail", "so that no backup is written; correct [backup] folder");
    assert_eq!(seen.code, 3, "{}", seen.text);
}

#[test]
fn a_disk_that_is_full_is_told_for_the_data_and_for_the_backups() {
    let Some(disk) = Small::mount("4m") else { return };
    let (place, data) = (place(), disk.path().join("data"));
    std::fs::create_dir(&data).expect("a folder");
    let filler = disk.path().join("filler");
    let rest = format!("[backup]\nfolder = \"{}\"\n", data.display());
    let _full = std::fs::write(&filler, vec![1; 5 * 1024 * 1024]);
    let seen = Doctor::at(&place).visits(&server(&data), &rest);
    for part in ["data folder", "backups"] {
        seen.tells(part, "fail", "since its disk is full");
        seen.tells(part, "fail", "free some space there");
    }
    assert_eq!(seen.code, 3, "{}", seen.text);
    for (kib, mark, wanted) in
        [(4_000, "fail", "metered calls are refused"), (3_800, "warn", "no longer kept")]
    {
        std::fs::write(&filler, vec![1; kib * 1024]).expect("there is room");
        Doctor::at(&place).visits(&server(&data), "").tells("data folder", mark, wanted);
    }
    std::fs::remove_file(&filler).expect("a file");
    assert_eq!(std::fs::read_dir(&data).expect("a folder").count(), 0, "something was left behind");
}

#[test]
fn a_store_that_belongs_to_another_user_than_its_folder_is_told_with_whom_to_give_it_to() {
    let demo = Demo::start();
    demo.kill();
    let (place, data) = (place(), demo.data());
    if chown(data.join("store/db"), Some(NOBODY), None).is_err() {
        return println!("SKIPPED: a store of another user: nothing is given away");
    }
    let seen = Doctor::at(&place).visits(&server(&data), "");
    seen.tells(
        "data folder",
        "fail",
        &format!("store/db belongs to uid {NOBODY}, and the data folder to uid 0"),
    );
    seen.tells("data folder", "fail", "run chown -R 0 ");
    assert_eq!(seen.code, 3, "{}", seen.text);
    // Backups that the server's user could not write, although root can.
    chown(&data, Some(NOBODY), None).expect("it is given away");
    let backups = place.join("of-root");
    std::fs::create_dir(&backups).expect("a folder");
    let rest = format!("[backup]\nfolder = \"{}\"\n", backups.display());
    let seen = Doctor::at(&place).visits(&server(&data), &rest);
    seen.tells(
        "backups",
        "fail",
        &format!("belongs to uid 0, and the data folder to uid {NOBODY}, which cannot write there"),
    );
    seen.tells("backups", "fail", "ReadWritePaths=");
    // One that is not there yet, which root could make, is judged by who could make it there.
    for folder in ["none", "none/yet"] {
        let rest = format!("[backup]\nfolder = \"{}\"\n", backups.join(folder).display());
        let seen = Doctor::at(&place).visits(&server(&data), &rest);
        let wanted =
            format!("of-root belongs to uid 0, and the data folder to uid {NOBODY}, which cannot make it");
        seen.tells("backups", "fail", &wanted);
        assert!(!backups.join("none").exists(), "a folder was made");
    }
    // A group may be one that the server is in.
    for (mode, mark) in [(0o2770, "ok"), (0o755, "fail"), (0o750, "fail"), (0o777, "ok")] {
        std::fs::set_permissions(&backups, std::fs::Permissions::from_mode(mode)).expect("a mode");
        for folder in [backups.clone(), backups.join("none")] {
            let rest = format!("[backup]\nfolder = \"{}\"\n", folder.display());
            Doctor::at(&place).visits(&server(&data), &rest).tells("backups", mark, "ReadWritePaths=");
        }
    }
    std::fs::set_permissions(&backups, std::fs::Permissions::from_mode(0o700)).expect("a mode");
    chown(&backups, Some(NOBODY), None).expect("it is given away");
    let rest = format!("[backup]\nfolder = \"{}\"\n", backups.join("none").display());
    Doctor::at(&place).visits(&server(&data), &rest).tells("backups", "ok", "ReadWritePaths= has to name it");
}

#[test]
fn a_file_that_root_can_read_and_the_user_of_the_server_cannot_is_told_with_its_key() {
    let (place, data) = (place(), place().join("of-another"));
    std::fs::create_dir_all(&data).expect("a folder");
    if chown(&data, Some(NOBODY), None).is_err() {
        return println!("SKIPPED: files of another user: nothing is given away");
    }
    let authority = place.join("authority.pem");
    std::fs::write(&authority, Authority::new().root).expect("a file");
    let (_peer, service) = service(200);
    let rest = format!("{service}ca_file = \"{}\"\n", authority.display());
    let config = place.join("planted.toml");
    let visits = |of_authority, of_config| {
        let mode = std::fs::Permissions::from_mode;
        std::fs::set_permissions(&authority, mode(of_authority)).expect("a mode");
        let before = format!("chmod {of_config:o} {}", config.display());
        let mut doctor = Doctor::at(&place);
        doctor.before = &before;
        doctor.visits(&format!("fixture_mode = false\n{}", server(&data)), &rest)
    };
    let well = visits(0o644, 0o644);
    assert!(!well.text.contains("fail  files"), "{}", well.text);
    let seen = visits(0o600, 0o600);
    for (file, key) in [(&authority, "crate.ca_file"), (&config, "--config")] {
        let wanted = format!("{} ({key}) cannot be read by uid {NOBODY}", file.display());
        seen.tells("files", "fail", &wanted);
        seen.tells("files", "fail", "it belongs to uid 0, mode 0600; open it with chmod go+r");
    }
    assert_eq!(seen.code, 3, "{}", seen.text);
}

#[test]
fn whatever_the_server_keeps_that_belongs_to_another_user_is_told_each_in_a_line() {
    let (place, data) = (place(), place().join("data"));
    let kept = [
        ("acme/localhost-0123abcd/pair.pem", "acme"),
        ("demo-cert.pem", "demo-cert.pem"),
        ("demo-key.pem", "demo-key.pem"),
        ("issuer-key.pem", "issuer-key.pem"),
        ("store/db/conf", "store"),
        ("backups", "backups"),
    ];
    std::fs::create_dir_all(data.join("backups")).expect("a folder");
    for (file, _) in kept {
        let path = data.join(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        if file != "backups" {
            std::fs::write(&path, "x").expect("a file");
        }
        if chown(&path, Some(NOBODY), None).is_err() {
            return println!("SKIPPED: files of another user: nothing is given away");
        }
    }
    // What an operator put there is no affair of the server's.
    std::fs::write(data.join("tls.crt"), "x").expect("a file");
    chown(data.join("tls.crt"), Some(NOBODY), None).expect("it is given away");
    let seen = Doctor::at(&place).visits(&server(&data), "");
    for (file, part) in kept {
        seen.tells(
            "data folder",
            "fail",
            &format!("{file} belongs to uid {NOBODY}, and the data folder to uid 0"),
        );
        seen.tells("data folder", "fail", &format!("run chown -R 0 {}", data.join(part).display()));
    }
    assert!(!seen.text.contains("tls.crt"), "{}", seen.text);
    // A folder of another user in which everything is the right one's.
    for (file, _) in kept {
        chown(data.join(file), Some(0), None).expect("it is given back");
    }
    chown(data.join("acme"), Some(NOBODY), None).expect("it is given away");
    let seen = Doctor::at(&place).visits(&server(&data), "");
    seen.tells("data folder", "fail", &format!("acme belongs to uid {NOBODY}"));
    assert_eq!(seen.text.matches("run chown").count(), 1, "{}", seen.text);
}

#[test]
fn too_few_open_files_are_told_with_how_many_are_wanted_and_where_to_raise_them() {
    let place = place();
    let doctor = Doctor { before: "ulimit -n 300", ..Doctor::at(&place) };
    let seen = doctor.visits(&server(&place.join("data")), "");
    seen.tells("open files", "warn", "may have 300 open, and [transport] connections = 8192 wants 8448");
    seen.tells("open files", "warn", "raise LimitNOFILE= in the unit");
    let seen = doctor.visits(&server(&place.join("data")), "[transport]\nconnections = 40\n");
    seen.tells("open files", "ok", "296 are enough");
    // A shell has few at first, and more for a program that asks; the server asks.
    let soft = Doctor { before: "ulimit -Sn 200", ..Doctor::at(&place) };
    soft.visits(&server(&place.join("data")), "").tells("open files", "ok", "are enough");
    // Of a server that runs, its own limit counts.
    let demo = Demo::start();
    let limited = Command::new("prlimit").args(["--pid", &demo.pid.to_string(), "--nofile=310:310"]).status();
    assert!(limited.expect("prlimit runs").success());
    Doctor::at(&place).visits(&server(&demo.data()), "").tells(
        "open files",
        "warn",
        "the server may have 310 open",
    );
}

#[test]
fn many_faults_at_once_are_all_named() {
    let place = place();
    let Some(doctor) = Doctor { before: "ulimit -n 300", ..Doctor::at(&place) }.an_hour_ahead() else {
        return println!("SKIPPED: many faults at once: there is no libfaketime");
    };
    let authority = Authority::new();
    let bad = authority.signs(&["mcp.example.org"], (-60, -1));
    let other = authority.signs(&["localhost"], (-1, 60));
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let listen = taken.local_addr().expect("an address");
    let file: PathBuf = place.join("a-file");
    std::fs::write(&file, "x").expect("a file");
    let (_peer, service) = service(401);
    let keys = Peer::start();
    keys.set("/jwks", json_answer(200, r#"{"keys":[]}"#));
    let hook = Service::start();
    hook.says(401, &json!({}));
    let rest = format!(
        "{}{service}[auth]\nissuer = \"http://127.0.0.1:{}\"\njwks_uri = \"http://127.0.0.1:{}/jwks\"\n{}[backup]\nfolder = \"/proc/none/backups\"\n",
        tls(&place, &bad.leaf, &other.key, 0o644),
        closed(0),
        keys.port,
        accounts(&hook),
    ) + &operator("unix:/proc/none/o.sock");
    let at = format!("fixture_mode = false\nlisten = \"{listen}\"\ndata_dir = \"{}\"", file.display());
    let seen = doctor.visits(&at, &rest);
    for (part, mark, wanted) in [
        ("certificate", "fail", "does not belong to the first certificate"),
        ("certificate", "fail", "open to others"),
        ("certificate", "fail", "expired on"),
        ("certificate", "fail", "not one of localhost"),
        ("certificate", "warn", "lacks the certificate of its issuer"),
        ("data folder", "fail", "is no folder"),
        ("database", "fail", "Not a directory"),
        ("backups", "fail", "correct [backup] folder"),
        ("port", "fail", "is taken by another program"),
        ("operator", "fail", "/proc/none is not there"),
        ("open files", "warn", "raise LimitNOFILE="),
        ("data service", "fail", "write a good one at [crate] key"),
        ("issuer ", "fail", "correct [auth] issuer"),
        ("issuer's keys", "fail", "has no key for"),
        ("accounts", "fail", "refuses the signature"),
        ("clock", "fail", "ahead of that of the data service: good tokens are refused"),
    ] {
        seen.tells(part, mark, wanted);
    }
    assert_eq!(seen.code, 3, "{}", seen.text);
    let off: u32 = seen
        .text
        .lines()
        .find_map(|line| line.split("clock").nth(1)?.trim().split(' ').next()?.parse().ok())
        .expect("seconds");
    assert!((3_590..=3_660).contains(&off), "{off}");
}
