//! Whether a body is declared as JSON. Other types are refused before the body is looked at, since
//! a browser may send them across origins without asking.

use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode};

use super::rpc_error::{Refusal, RpcError};

/// Refuses bodies that are not declared as `application/json`.
///
/// # Errors
/// 415 for a missing or another media type.
pub fn check(headers: &HeaderMap) -> Result<(), Refusal> {
    let mut fields = headers.get_all(CONTENT_TYPE).iter();
    let declared = fields.next().and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media_type = declared.split(';').next().unwrap_or_default().trim();
    if media_type.eq_ignore_ascii_case("application/json") && fields.next().is_none() {
        return Ok(());
    }
    Err(Refusal::with_status(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        RpcError::invalid_request("send the body with Content-Type: application/json"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(value: Option<&str>) -> Option<u16> {
        let mut headers = HeaderMap::new();
        if let Some(value) = value {
            headers.insert(CONTENT_TYPE, value.parse().unwrap());
        }
        check(&headers).err().map(|refusal| refusal.status().as_u16())
    }

    #[test]
    fn json_is_taken_in_every_spelling_and_nothing_else_is() {
        for ok in
            ["application/json", "application/json; charset=utf-8", "Application/JSON", " application/json "]
        {
            assert_eq!(status(Some(ok)), None, "{ok}");
        }
        for bad in [
            "text/plain",
            "application/x-www-form-urlencoded",
            "application/jsonx",
            "multipart/form-data",
            "",
        ] {
            assert_eq!(status(Some(bad)), Some(415), "{bad}");
        }
        assert_eq!(status(None), Some(415));
    }
}
