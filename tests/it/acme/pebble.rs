//! The test authority of Let's Encrypt, `pebble`, with a resolver for its names, as Debian packages them.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::{PATIENCE, tls};
use crate::pki::{Authority, private};

/// An authority that runs, with the folder of its files; ended when dropped.
pub struct Pebble {
    place: PathBuf,
    trusted: String,
    port: u16,
    management: u16,
    proves_at: u16,
    /// Asked in the place of a resolver, and says nothing.
    silent: Option<UdpSocket>,
    children: Vec<Child>,
}

impl Drop for Pebble {
    fn drop(&mut self) {
        self.stop();
    }
}

/// How an authority behaves.
#[derive(Clone, Copy, Debug, Default)]
pub struct Manners {
    /// How long its certificates last; 0 is years.
    pub lifetime_s: u64,
    /// Whether it demands an account that was made otherwise.
    pub wants_external: bool,
    /// Whether its resolver says nothing, so that a proof takes long and then fails.
    pub is_in_the_dark: bool,
}

/// What the authority calls the key of an account that was made otherwise, and the key.
pub const EXTERNAL: (&str, &str) =
    ("kid-1", "zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W");

/// Whether the authority is installed; says loudly when it is not.
pub fn is_here() -> bool {
    let here = ["pebble", "pebble-challtestsrv"].iter().all(|program| {
        std::env::var_os("PATH")
            .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()))
    });
    if !here {
        let skipped =
            "SKIPPED: automatic certificates need Debian's package pebble (tests/run installs it as root)";
        writeln!(std::io::stderr(), "{skipped}").expect("stderr takes a line");
    }
    here
}

/// A port that nobody has at this moment.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    listener.local_addr().expect("an address").port()
}

impl Pebble {
    /// An authority that proves names at port `proves_at`; it is not running yet.
    pub fn new(place: &Path, proves_at: u16) -> Self {
        let place = place.join("pebble");
        std::fs::create_dir_all(&place).expect("a folder");
        let authority = Authority::new();
        let pair = authority.signs(&["localhost"], (-1, 60));
        private(&place.join("chain.pem"), &pair.chain);
        private(&place.join("key.pem"), &pair.key);
        private(&place.join("trusted.pem"), &authority.root);
        let (port, management) = (free_port(), free_port());
        let (trusted, children, silent) = (authority.root, Vec::new(), None);
        Self { place, trusted, port, management, proves_at, silent, children }
    }

    /// Starts it, with no memory of an earlier run.
    pub fn start(&mut self, manners: Manners) {
        let local = |port: u16| format!("127.0.0.1:{port}");
        let mut pebble = json!({
            "listenAddress": local(self.port),
            "managementListenAddress": local(self.management),
            "certificate": self.place.join("chain.pem"),
            "privateKey": self.place.join("key.pem"),
            "httpPort": 1,
            "tlsPort": self.proves_at,
            "ocspResponderURL": "",
            "externalAccountBindingRequired": manners.wants_external,
            "externalAccountMACKeys": { EXTERNAL.0: EXTERNAL.1 },
            "domainBlocklist": ["blocked.example.test"],
        });
        if manners.lifetime_s > 0 {
            pebble["certificateValidityPeriod"] = Value::from(manners.lifetime_s);
        }
        let config = self.place.join("config.json");
        std::fs::write(&config, json!({ "pebble": pebble }).to_string()).expect("a file");
        let silent = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let resolver = silent.local_addr().expect("an address").port();
        if manners.is_in_the_dark {
            self.silent = Some(silent);
        } else {
            drop(silent);
            let resolver = local(resolver);
            let management = local(free_port());
            self.spawn(
                "pebble-challtestsrv",
                &[
                    "-defaultIPv4",
                    "127.0.0.1",
                    "-defaultIPv6",
                    "",
                    "-dns01",
                    &resolver,
                    "-http01",
                    "",
                    "-https01",
                    "",
                    "-tlsalpn01",
                    "",
                    "-management",
                    &management,
                ],
            );
        }
        let config = config.to_str().expect("text");
        self.spawn("pebble", &["-config", config, "-dnsserver", &local(resolver), "-strict"]);
        let begun = Instant::now();
        while TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).is_err()
            || TcpStream::connect((Ipv4Addr::LOCALHOST, self.management)).is_err()
        {
            assert!(begun.elapsed() < PATIENCE, "the authority does not start");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn spawn(&mut self, program: &str, arguments: &[&str]) {
        let log = File::options().create(true).append(true).open(self.place.join("log")).expect("a file");
        let child = Command::new("setpriv")
            .args(["--pdeathsig", "KILL", program])
            .args(arguments)
            .env("PEBBLE_VA_NOSLEEP", "1")
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("a file"))
            .stderr(log)
            .spawn()
            .expect("it starts");
        self.children.push(child);
    }

    /// Ends it.
    pub fn stop(&mut self) {
        for mut child in self.children.drain(..) {
            let _ended_already = child.kill();
            let _ = child.wait();
        }
    }

    /// The address of its directory.
    pub fn directory(&self) -> String {
        format!("https://localhost:{}/dir", self.port)
    }

    /// Its port, and what its own certificate is trusted by.
    pub fn way(&self) -> (u16, &str) {
        (self.port, &self.trusted)
    }

    /// The file of the certificate that its own is trusted by.
    pub fn trusted(&self) -> PathBuf {
        self.place.join("trusted.pem")
    }

    /// The root of what it issues in this run, as PEM.
    pub fn root(&self) -> String {
        let mut way = tls(self.management, self.trusted.as_bytes());
        way.write_all(b"GET /roots/0 HTTP/1.0\r\nHost: localhost\r\n\r\n").expect("it takes a question");
        let mut answer = Vec::new();
        // Whether it says goodbye does not matter.
        let _ = way.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let begins = answer.find("-----BEGIN").unwrap_or_else(|| panic!("no root in {answer}"));
        answer[begins..].to_owned()
    }
}
