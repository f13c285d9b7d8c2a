//! Hosts and web origins, in the one spelling that headers are compared with.

use std::fmt;

use url::Url;

/// A value of the Host header: a name or an address, with a port when it is not 443.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HostName(String);

impl HostName {
    /// Takes `mcp.example.org`, `mcp.example.org:8443`, `10.0.0.5`, `[::1]:8443`; capitals and the
    /// port 443 are folded away.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.contains(['/', '?', '#', '@', '\\', '*', '%'])
            || text.chars().any(|c| c.is_control() || c.is_whitespace())
        {
            return None;
        }
        let url = Url::parse(&format!("https://{text}/")).ok()?;
        authority(&url).map(Self)
    }

    /// The host, as a client that follows the standard sends it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A web origin: scheme, host, and the port when it is not the scheme's own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin(String);

impl Origin {
    /// Takes `https://app.example.org` or `http://localhost:6274`, without a path or a final slash.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        let origin = url.origin().ascii_serialization();
        (origin == text.to_ascii_lowercase()).then_some(Self(origin))
    }

    /// The origin, as a browser sends it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Host and, when it is not the scheme's own, port.
pub(super) fn authority(url: &Url) -> Option<String> {
    let host = url.host_str().filter(|host| !host.is_empty())?;
    Some(match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_has_one_spelling() {
        for (text, wanted) in [
            ("mcp.example.org", Some("mcp.example.org")),
            ("MCP.Example.ORG:443", Some("mcp.example.org")),
            ("localhost:8443", Some("localhost:8443")),
            ("10.0.0.5", Some("10.0.0.5")),
            ("[::1]:8443", Some("[::1]:8443")),
            ("", None),
            ("https://example.org", None),
            ("example.org/mcp", None),
            ("a@b", None),
            ("*.example.org", None),
            ("example.org:99999", None),
            ("two words", None),
        ] {
            assert_eq!(HostName::parse(text).as_ref().map(HostName::as_str), wanted, "{text}");
        }
    }

    #[test]
    fn an_origin_has_no_path_and_a_web_scheme() {
        for (text, wanted) in [
            ("https://app.example.org", Some("https://app.example.org")),
            ("http://localhost:6274", Some("http://localhost:6274")),
            ("HTTPS://App.Example.org", Some("https://app.example.org")),
            ("https://app.example.org/", None),
            ("https://app.example.org/x", None),
            ("https://user@app.example.org", None),
            ("app.example.org", None),
            ("null", None),
            ("*", None),
            ("file:///etc", None),
        ] {
            assert_eq!(Origin::parse(text).as_ref().map(Origin::as_str), wanted, "{text}");
        }
    }
}
