//! Host names with ports, and origins, as values that compare as the web compares them.

use std::net::{Ipv4Addr, Ipv6Addr};

/// A host in lower case without its final dot, an IPv6 address in its shortest form; and its port.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Authority {
    pub(super) host: String,
    pub(super) port: Option<u16>,
}

impl Authority {
    pub(super) fn parse(text: &str) -> Option<Self> {
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
pub(super) struct Origin {
    secure: bool,
    host: String,
    port: u16,
}

impl Origin {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let secure = match scheme.to_ascii_lowercase().as_str() {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        let Authority { host, port } = Authority::parse(rest)?;
        Some(Self { secure, host, port: port.unwrap_or(if secure { 443 } else { 80 }) })
    }

    /// The pages that a host serves on the usual port.
    pub(super) fn of_host(host: &str) -> Self {
        Self { secure: true, host: host.to_owned(), port: 443 }
    }

    /// A page on the same machine as its browser.
    pub(super) fn is_local(&self) -> bool {
        self.host == "localhost"
            || self.host == "[::1]"
            || self.host.parse::<Ipv4Addr>().is_ok_and(|address| address == Ipv4Addr::LOCALHOST)
    }

    /// A page of the server that was asked under this name.
    pub(super) fn is_page_of(&self, own: &Authority) -> bool {
        self.secure && self.host == own.host && self.port == own.port.unwrap_or(443)
    }
}
