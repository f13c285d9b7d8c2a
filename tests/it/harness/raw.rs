//! A TLS connection on which anything can be written, and left half written.

use std::io::{Read as _, Write as _};
use std::path::Path;

use super::{Tls, tls};

/// A connection to a server on this machine, which trusts one certificate and offers no protocol: HTTP/1.1.
pub struct Raw(Tls);

impl Raw {
    /// Connects; the handshake comes with what is sent first.
    pub fn to(port: u16, certificate: &Path) -> Self {
        Self(tls(port, &std::fs::read(certificate).expect("the certificate")))
    }

    /// Sends this, and nothing after it.
    pub fn send(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).expect("sent");
        self.0.flush().expect("sent");
    }

    /// What comes until it holds this text.
    pub fn until(&mut self, text: &str) -> String {
        let mut seen = String::new();
        let mut buffer = [0; 4_096];
        while !seen.contains(text) {
            let count = self.0.read(&mut buffer).expect("more");
            assert_ne!(count, 0, "the server closed after {seen:?}");
            seen.push_str(&String::from_utf8_lossy(&buffer[..count]));
        }
        seen
    }

    /// What still comes until the server closes.
    pub fn rest(&mut self) -> String {
        let mut bytes = Vec::new();
        // A connection that was cut ends in an error; what came before it counts.
        let _cut = self.0.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}
