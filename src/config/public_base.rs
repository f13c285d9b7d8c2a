//! What clients call this server. Published in documents that clients compare byte for byte, so it
//! has exactly one spelling.

use std::fmt;

use url::{Host, Url};

use crate::host::{Authority, is_loopback};

/// An https address without a path: `https://mcp.example.org` or `https://localhost:8443`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicBase {
    text: String,
    host: Host<String>,
    authority: Authority,
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
        let (host, authority) = (url.host()?.to_owned(), Authority::of_url(&url)?);
        Some(Self { text: text.to_owned(), host, authority })
    }

    /// `https://localhost` at a port; port 0 stands for the one that the server will get.
    #[must_use]
    pub fn localhost(port: u16) -> Self {
        let [localhost, ..] = Authority::loopback();
        let authority = localhost.at_port(port);
        let host = Host::Domain(authority.host().to_owned());
        Self { text: format!("https://{authority}"), host, authority }
    }

    /// The same with the port that the server got, where the port was left open with 0.
    #[must_use]
    pub fn settled(self, port: u16) -> Self {
        if self.authority.port() != Some(0) {
            return self;
        }
        let authority = self.authority.at_port(port);
        Self { text: format!("https://{authority}"), authority, ..self }
    }

    /// The address, without a final slash.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// What clients send as Host: the name, and the port when it is not 443.
    #[must_use]
    pub fn authority(&self) -> &Authority {
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
        is_loopback(&self.host)
    }
}

impl fmt::Display for PublicBase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
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
            "https://mcp..example.org",
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
        for port in [0, 443, 8443] {
            let base = PublicBase::localhost(port);
            assert_eq!(PublicBase::parse(base.as_str()), Some(base));
        }
    }

    #[test]
    fn a_port_that_was_left_open_becomes_the_real_one() {
        assert_eq!(PublicBase::localhost(0).settled(40_123), PublicBase::localhost(40_123));
        assert_eq!(PublicBase::localhost(0).settled(443), PublicBase::localhost(443));
        let named = PublicBase::parse("https://mcp.example.org").unwrap();
        assert_eq!(named.clone().settled(40_123), named);
    }
}
