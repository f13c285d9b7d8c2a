//! What clients call this server. Published in documents that clients compare byte for byte, so it
//! has exactly one spelling.

use std::fmt;

use url::{Host, Url};

use super::host::authority;

/// An https address without a path: `https://mcp.example.org` or `https://localhost:8443`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicBase {
    text: String,
    host: Host<String>,
    authority: String,
}

impl PublicBase {
    /// Takes only the canonical spelling: lower case, no path, no final slash, no `:443`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let url = Url::parse(text).ok()?;
        let canonical = url.scheme() == "https" && url.origin().ascii_serialization() == text;
        if !canonical {
            return None;
        }
        Some(Self { text: text.to_owned(), host: url.host()?.to_owned(), authority: authority(&url)? })
    }

    /// `https://localhost` at a port.
    #[must_use]
    pub fn localhost(port: u16) -> Self {
        let authority = if port == 443 { "localhost".to_owned() } else { format!("localhost:{port}") };
        Self { text: format!("https://{authority}"), host: Host::Domain("localhost".to_owned()), authority }
    }

    /// The address, without a final slash.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// What clients send as Host: the name, and the port when it is not 443.
    #[must_use]
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// The address of `path` on this server; `path` starts with a slash.
    #[must_use]
    pub fn join(&self, path: &str) -> String {
        format!("{}{path}", self.text)
    }

    /// Whether only this machine can mean this server by it.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        host_is_loopback(&self.host)
    }
}

impl fmt::Display for PublicBase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Whether a host is this machine itself.
pub(crate) fn host_is_loopback<S: AsRef<str>>(host: &Host<S>) -> bool {
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
    fn only_the_canonical_spelling_is_a_public_base() {
        for good in
            ["https://mcp.example.org", "https://localhost:8443", "https://10.0.0.5", "https://[::1]:8443"]
        {
            assert_eq!(PublicBase::parse(good).unwrap().as_str(), good);
        }
        for bad in [
            "http://mcp.example.org",
            "https://mcp.example.org/",
            "https://mcp.example.org/mcp",
            "https://mcp.example.org:443",
            "https://MCP.example.org",
            "https://user@mcp.example.org",
            "https://mcp.example.org?x",
            "mcp.example.org",
            "",
        ] {
            assert_eq!(PublicBase::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn loopback_is_seen_in_every_spelling() {
        for (base, loopback) in [
            ("https://localhost:8443", true),
            ("https://demo.localhost", true),
            ("https://127.0.0.9", true),
            ("https://[::1]", true),
            ("https://[::ffff:127.0.0.1]", true),
            ("https://10.0.0.5", false),
            ("https://localhost.example.org", false),
        ] {
            // The bracketed mapped address has another canonical spelling; parse what it becomes.
            let canonical = Url::parse(base).unwrap().origin().ascii_serialization();
            assert_eq!(PublicBase::parse(&canonical).unwrap().is_loopback(), loopback, "{base}");
        }
    }

    #[test]
    fn the_demo_base_is_what_parsing_it_gives() {
        for port in [443, 8443] {
            let base = PublicBase::localhost(port);
            assert_eq!(PublicBase::parse(base.as_str()), Some(base));
        }
    }
}
