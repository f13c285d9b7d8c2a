//! Hosts and web origins as values that compare as the web compares them: what the configuration names
//! and what a request carries are read by the same rules.
//!
//! Decides spelling only. It must never know which of them are accepted.

use std::fmt;
use std::net::Ipv6Addr;

use url::{Host, Url};

/// What this machine calls itself.
pub const LOOPBACK_NAMES: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

const HTTPS_PORT: u16 = 443;
const HTTP_PORT: u16 = 80;

/// A host, and a port where one was written. The host is in lower case without a final dot, an IPv6
/// address in its shortest form and in brackets.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Authority {
    host: String,
    port: Option<u16>,
}

impl Authority {
    /// Takes the value of a Host header: `mcp.example.org`, `mcp.example.org:8443`, `10.0.0.5`,
    /// `[::1]:8443`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (host, port) = match text.strip_prefix('[') {
            Some(rest) => {
                let (address, after) = rest.split_once(']')?;
                let address: Ipv6Addr = address.parse().ok()?;
                let port = if after.is_empty() { None } else { Some(after.strip_prefix(':')?) };
                (format!("[{address}]"), port)
            }
            None => {
                let (name, port) = match text.split_once(':') {
                    Some((name, port)) => (name, Some(port)),
                    None => (text, None),
                };
                (name_of(name)?, port)
            }
        };
        let port = match port {
            Some(digits) if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                Some(digits.parse().ok()?)
            }
            Some(_) => return None,
            None => None,
        };
        Some(Self { host, port })
    }

    /// Takes what a person writes into a configuration: the same, with letters beyond ASCII as the web
    /// encodes them, and without the port 443.
    #[must_use]
    pub fn configured(text: &str) -> Option<Self> {
        if text.contains(['/', '?', '#', '@', '\\', '*', '%'])
            || text.chars().any(|c| c.is_control() || c.is_whitespace())
        {
            return None;
        }
        Self::of_url(&Url::parse(&format!("https://{text}/")).ok()?)
    }

    /// Host and, when it is not the scheme's own, port.
    #[must_use]
    pub fn of_url(url: &Url) -> Option<Self> {
        let host = Self::parse(url.host_str()?)?.host;
        Some(Self { host, port: url.port() })
    }

    /// This machine, under each name that it has for itself.
    #[must_use]
    pub fn loopback() -> [Self; 3] {
        LOOPBACK_NAMES.map(|name| {
            let host = if name.contains(':') { format!("[{name}]") } else { name.to_owned() };
            Self { host, port: None }
        })
    }

    /// The host alone.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port, where one was written.
    #[must_use]
    pub fn port(&self) -> Option<u16> {
        self.port
    }

    /// The same host at another port.
    #[must_use]
    pub fn at_port(&self, port: u16) -> Self {
        Self { host: self.host.clone(), port: (port != HTTPS_PORT).then_some(port) }
    }
}

impl fmt::Display for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.host)?;
        match self.port {
            Some(port) => write!(f, ":{port}"),
            None => Ok(()),
        }
    }
}

fn name_of(text: &str) -> Option<String> {
    let name = text.strip_suffix('.').unwrap_or(text);
    let fits = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
    };
    (name.len() <= 253 && name.split('.').all(fits)).then(|| name.to_ascii_lowercase())
}

/// Scheme, host and port of a web page.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    secure: bool,
    host: String,
    port: u16,
}

impl Origin {
    /// Takes `https://app.example.org` or `http://localhost:6274`, without a path or a final slash.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let secure = match scheme.to_ascii_lowercase().as_str() {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        let Authority { host, port } = Authority::parse(rest)?;
        Some(Self { secure, host, port: port.unwrap_or(if secure { HTTPS_PORT } else { HTTP_PORT }) })
    }

    /// Takes what a person writes into a configuration: the same, with letters beyond ASCII as the web
    /// encodes them.
    #[must_use]
    pub fn configured(text: &str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let authority =
            if rest.is_ascii() { rest.to_owned() } else { Authority::configured(rest)?.to_string() };
        Self::parse(&format!("{scheme}://{authority}"))
    }

    /// The pages that a host serves on the usual port.
    #[must_use]
    pub fn of_host(host: &str) -> Self {
        Self { secure: true, host: host.to_owned(), port: HTTPS_PORT }
    }

    /// A page on the same machine as its browser.
    #[must_use]
    pub fn is_local(&self) -> bool {
        Authority::loopback().iter().any(|own| own.host == self.host)
    }

    /// A page of the server that was asked under this name.
    #[must_use]
    pub fn is_page_of(&self, own: &Authority) -> bool {
        self.secure && self.host == own.host && self.port == own.port.unwrap_or(HTTPS_PORT)
    }
}

impl fmt::Display for Origin {
    /// As a browser sends it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, usual) = if self.secure { ("https", HTTPS_PORT) } else { ("http", HTTP_PORT) };
        write!(f, "{scheme}://{}", self.host)?;
        if self.port == usual { Ok(()) } else { write!(f, ":{}", self.port) }
    }
}

/// Whether a host is this machine itself.
#[must_use]
pub fn is_loopback<S: AsRef<str>>(host: &Host<S>) -> bool {
    match host {
        Host::Domain(name) => {
            let name = name.as_ref().trim_end_matches('.');
            name == "localhost" || name.ends_with(".localhost")
        }
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.to_canonical().is_loopback(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configured_host_has_one_spelling() {
        for (text, wanted) in [
            ("mcp.example.org", Some("mcp.example.org")),
            ("MCP.Example.ORG:443", Some("mcp.example.org")),
            ("mcp.example.org.", Some("mcp.example.org")),
            ("localhost:8443", Some("localhost:8443")),
            ("10.0.0.5", Some("10.0.0.5")),
            ("[::1]:8443", Some("[::1]:8443")),
            ("bücher.example", Some("xn--bcher-kva.example")),
            ("", None),
            ("https://example.org", None),
            ("example.org/mcp", None),
            ("a@b", None),
            ("*.example.org", None),
            ("example.org:99999", None),
            ("two words", None),
            ("example..org", None),
            (".example.org", None),
            ("exam!ple.org", None),
        ] {
            let read = Authority::configured(text).map(|authority| authority.to_string());
            assert_eq!(read.as_deref(), wanted, "{text}");
        }
        let long = format!("{}.example.org", "a".repeat(64));
        assert_eq!(Authority::configured(&long), None);
    }

    #[test]
    fn what_was_configured_is_what_a_request_names() {
        for text in ["MCP.example.org", "bücher.example:8443", "[0:0::1]:8443", "10.0.0.5"] {
            let configured = Authority::configured(text).unwrap();
            assert_eq!(Authority::parse(&configured.to_string()), Some(configured), "{text}");
        }
    }

    #[test]
    fn an_origin_has_no_path_and_a_web_scheme() {
        for (text, wanted) in [
            ("https://app.example.org", Some("https://app.example.org")),
            ("http://localhost:6274", Some("http://localhost:6274")),
            ("HTTPS://App.Example.org", Some("https://app.example.org")),
            ("https://app.example.org:443", Some("https://app.example.org")),
            ("https://bücher.example", Some("https://xn--bcher-kva.example")),
            ("https://app.example.org/", None),
            ("https://app.example.org/x", None),
            ("https://user@app.example.org", None),
            ("https://app..example.org", None),
            ("app.example.org", None),
            ("null", None),
            ("*", None),
            ("file:///etc", None),
        ] {
            let read = Origin::configured(text).map(|origin| origin.to_string());
            assert_eq!(read.as_deref(), wanted, "{text}");
        }
    }

    #[test]
    fn this_machine_is_seen_under_each_of_its_names() {
        for own in Authority::loopback() {
            assert_eq!(Authority::parse(&own.to_string()), Some(own.clone()));
            assert!(Origin::parse(&format!("http://{own}:6274")).unwrap().is_local(), "{own}");
            assert!(is_loopback(&Url::parse(&format!("https://{own}")).unwrap().host().unwrap()), "{own}");
        }
    }
}
