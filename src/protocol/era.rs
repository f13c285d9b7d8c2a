//! Which revision of MCP a request is written in.
//!
//! Two eras share one endpoint: the modern revision, which carries its metadata in every request,
//! and the handshake revisions before it.

use http::HeaderMap;
use serde_json::{Value, json};

use super::headers::{self, VERSION};
use super::rpc_error::{RpcCode, RpcError};

/// `_meta` key that names the revision of a modern request.
pub const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// `_meta` key that lists what a modern client can do.
pub const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// A served revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// 2026-07-28: no handshake, metadata in every request.
    Modern,
    /// 2025-11-25 or 2025-06-18: `initialize` first.
    Legacy(LegacyVersion),
}

/// A served revision with a handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LegacyVersion {
    /// 2025-06-18.
    V2025June,
    /// 2025-11-25.
    V2025November,
}

impl Era {
    /// Every served revision, newest first.
    pub const ALL: [Self; 3] =
        [Self::Modern, Self::Legacy(LegacyVersion::V2025November), Self::Legacy(LegacyVersion::V2025June)];
    /// The newest revision with a handshake.
    pub const LATEST_LEGACY: Self = Self::Legacy(LegacyVersion::V2025November);

    /// The revision's date.
    #[must_use]
    pub fn version(self) -> &'static str {
        match self {
            Self::Modern => "2026-07-28",
            Self::Legacy(version) => version.as_str(),
        }
    }

    /// The served revision of that date.
    #[must_use]
    pub fn from_version(version: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|era| era.version() == version)
    }
}

impl LegacyVersion {
    /// The revision's date.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V2025June => "2025-06-18",
            Self::V2025November => "2025-11-25",
        }
    }

    /// What a handshake agrees on: what was asked for if it is served, else the newest.
    #[must_use]
    pub fn negotiate(asked: &str) -> Self {
        match Era::from_version(asked) {
            Some(Era::Legacy(version)) => version,
            Some(Era::Modern) | None => Self::V2025November,
        }
    }
}

/// Finds the revision of a request.
///
/// # Errors
/// A disagreement of header and body, missing metadata or a revision that is not served, with the
/// era whose status rules the answer follows.
pub fn of(headers: &HeaderMap, method: &str, params: &Value) -> Result<Era, (Era, RpcError)> {
    let header = headers::single(headers, VERSION).map_err(|error| (Era::Modern, error))?;
    let meta = params.get("_meta");
    let declared = meta.and_then(|meta| meta.get(META_VERSION));
    let capabilities = meta.and_then(|meta| meta.get(META_CAPABILITIES));
    let is_legacy_version = |version: Option<&str>| {
        version.is_some_and(|version| matches!(Era::from_version(version), Some(Era::Legacy(_))))
    };
    let body_is_modern = (declared.is_some() || capabilities.is_some())
        && !is_legacy_version(declared.and_then(Value::as_str));

    if !body_is_modern && method == "initialize" {
        // The handshake decides by itself, whatever the header says.
        return Ok(Era::LATEST_LEGACY);
    }
    if body_is_modern || header.as_deref() == Some(Era::Modern.version()) {
        return modern(header.as_deref(), declared, capabilities).map_err(|error| (Era::Modern, error));
    }
    legacy(header.as_deref()).map_err(|error| (Era::LATEST_LEGACY, error))
}

/// Checks the version header of a message that has no metadata to compare with.
///
/// # Errors
/// A revision that is not served.
pub fn check_header_alone(headers: &HeaderMap) -> Result<(), RpcError> {
    let header = headers::single(headers, VERSION)?;
    match header.as_deref() {
        Some(version) if version == Era::Modern.version() => Ok(()),
        other => legacy(other).map(|_| ()),
    }
}

fn modern(
    header: Option<&str>,
    declared: Option<&Value>,
    capabilities: Option<&Value>,
) -> Result<Era, RpcError> {
    let Some(declared) = declared.and_then(Value::as_str) else {
        return Err(missing(META_VERSION, "a string"));
    };
    if !capabilities.is_some_and(Value::is_object) {
        return Err(missing(META_CAPABILITIES, "an object"));
    }
    if header != Some(declared) {
        return Err(RpcError::new(
            RpcCode::HeaderMismatch,
            format!("the {VERSION} header must equal params._meta[\"{META_VERSION}\"]"),
        ));
    }
    match Era::from_version(declared) {
        Some(era) => Ok(era),
        None => Err(unsupported(declared)),
    }
}

fn legacy(header: Option<&str>) -> Result<Era, RpcError> {
    match header {
        None | Some("2025-03-26") => Ok(Era::Legacy(LegacyVersion::V2025June)),
        Some(version) => match Era::from_version(version) {
            Some(era @ Era::Legacy(_)) => Ok(era),
            Some(Era::Modern) | None => Err(unsupported(version)),
        },
    }
}

fn missing(key: &str, what: &str) -> RpcError {
    RpcError::invalid_params(format!("params._meta[\"{key}\"] is needed and must be {what}")).malformed()
}

fn unsupported(asked: &str) -> RpcError {
    let supported: Vec<&str> = Era::ALL.iter().map(|era| era.version()).collect();
    // The specification demands the requested value; it is cut so that it cannot grow the answer.
    let requested: String = asked.chars().take(64).collect();
    RpcError::new(RpcCode::UnsupportedVersion, "this protocol version is not served")
        .with(json!({"supported": supported, "requested": requested}))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(version: Option<&str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if let Some(version) = version {
            headers.insert(VERSION, version.parse().unwrap());
        }
        headers
    }

    fn era(version: Option<&str>, method: &str, params: &Value) -> Result<Era, (i32, u16)> {
        of(&headers(version), method, params)
            .map_err(|(era, error)| (error.code().number(), error.status(era).as_u16()))
    }

    fn meta(version: &str) -> Value {
        json!({"_meta": {META_VERSION: version, META_CAPABILITIES: {}}})
    }

    #[test]
    fn a_request_without_modern_metadata_is_served_by_its_header() {
        let none = json!({});
        assert_eq!(era(None, "tools/list", &none), Ok(Era::Legacy(LegacyVersion::V2025June)));
        assert_eq!(era(Some("2025-03-26"), "tools/list", &none), Ok(Era::Legacy(LegacyVersion::V2025June)));
        assert_eq!(era(Some("2025-06-18"), "tools/list", &none), Ok(Era::Legacy(LegacyVersion::V2025June)));
        assert_eq!(era(Some("2025-11-25"), "tools/list", &none), Ok(Era::LATEST_LEGACY));
        for bad in ["1999-01-01", "not-a-version", "", "2024-11-05"] {
            assert_eq!(era(Some(bad), "tools/list", &none), Err((-32022, 400)), "{bad}");
        }
        assert_eq!(era(Some("2026-07-28"), "tools/list", &none), Err((-32602, 400)));
    }

    #[test]
    fn initialize_is_the_handshake_whatever_the_header_says() {
        for version in [None, Some("2026-07-28"), Some("1999-01-01"), Some("")] {
            assert_eq!(era(version, "initialize", &json!({"protocolVersion": "x"})), Ok(Era::LATEST_LEGACY));
        }
        assert_eq!(era(Some("2026-07-28"), "initialize", &meta("2026-07-28")), Ok(Era::Modern));
    }

    #[test]
    fn modern_requests_are_checked_in_the_order_of_the_specification() {
        assert_eq!(era(Some("2026-07-28"), "tools/list", &meta("2026-07-28")), Ok(Era::Modern));
        let no_capabilities = json!({"_meta": {META_VERSION: "2026-07-28"}});
        assert_eq!(era(Some("2025-11-25"), "tools/list", &no_capabilities), Err((-32602, 400)));
        let no_version = json!({"_meta": {META_CAPABILITIES: {}}});
        assert_eq!(era(Some("2026-07-28"), "tools/list", &no_version), Err((-32602, 400)));
        assert_eq!(era(None, "tools/list", &meta("2026-07-28")), Err((-32020, 400)));
        assert_eq!(era(Some("2025-11-25"), "tools/list", &meta("2026-07-28")), Err((-32020, 400)));
        assert_eq!(era(Some("2099-01-01"), "tools/list", &meta("2099-01-01")), Err((-32022, 400)));
    }

    #[test]
    fn a_handshake_never_echoes_a_version_that_is_not_served() {
        for asked in ["2099-01-01", "2024-11-05", "foo", "2026-07-28", ""] {
            assert_eq!(LegacyVersion::negotiate(asked), LegacyVersion::V2025November);
        }
        assert_eq!(LegacyVersion::negotiate("2025-06-18"), LegacyVersion::V2025June);
    }

    #[test]
    fn an_unsupported_version_is_answered_with_the_list_and_what_was_asked() {
        let (_, error) = of(&headers(Some("1999-01-01")), "tools/list", &json!({})).unwrap_err();
        let data = error.to_json(None).pointer("/error/data").cloned().unwrap();
        assert_eq!(
            data,
            json!({"supported": ["2026-07-28", "2025-11-25", "2025-06-18"], "requested": "1999-01-01"})
        );
    }
}
