//! JSON-RPC errors, and the one table that gives each its HTTP status.

use http::StatusCode;
use serde_json::{Value, json};

use super::era::Era;
use super::jsonrpc::RequestId;

/// Every JSON-RPC error that this server emits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RpcCode {
    /// The body is not JSON.
    Parse,
    /// The body is not a JSON-RPC message that can be served.
    InvalidRequest,
    /// The method does not exist in this revision.
    MethodNotFound,
    /// The parameters do not fit the method.
    InvalidParams,
    /// The server failed in a way that it did not foresee.
    Internal,
    /// No such resource, in revisions that have a code of their own for it.
    ResourceNotFound,
    /// A header and the body disagree.
    HeaderMismatch,
    /// The protocol version is not served.
    UnsupportedVersion,
}

impl RpcCode {
    /// Every code.
    pub const ALL: [Self; 8] = [
        Self::Parse,
        Self::InvalidRequest,
        Self::MethodNotFound,
        Self::InvalidParams,
        Self::Internal,
        Self::ResourceNotFound,
        Self::HeaderMismatch,
        Self::UnsupportedVersion,
    ];

    /// The number on the wire.
    #[must_use]
    pub fn number(self) -> i32 {
        match self {
            Self::Parse => -32700,
            Self::InvalidRequest => -32600,
            Self::MethodNotFound => -32601,
            Self::InvalidParams => -32602,
            Self::Internal => -32603,
            Self::ResourceNotFound => -32002,
            Self::HeaderMismatch => -32020,
            Self::UnsupportedVersion => -32022,
        }
    }

    /// The HTTP status that goes with it.
    ///
    /// The handshake revisions answer 200 to everything that has an id and is understood; the modern
    /// one answers 404 to unknown methods and 400 to broken metadata (see [`RpcError::malformed`]).
    #[must_use]
    pub fn status(self, era: Era) -> StatusCode {
        match (self, era) {
            (Self::Parse | Self::InvalidRequest | Self::HeaderMismatch | Self::UnsupportedVersion, _) => {
                StatusCode::BAD_REQUEST
            }
            (Self::MethodNotFound, Era::Modern) => StatusCode::NOT_FOUND,
            (Self::MethodNotFound | Self::InvalidParams | Self::ResourceNotFound, _) => StatusCode::OK,
            (Self::Internal, _) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

/// A JSON-RPC error. Its message is ours and repeats nothing of the request but names from our own lists.
#[derive(Clone, Debug, PartialEq)]
pub struct RpcError {
    code: RpcCode,
    message: String,
    data: Option<Value>,
    malformed: bool,
}

impl RpcError {
    /// An error with a code.
    #[must_use]
    pub fn new(code: RpcCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None, malformed: false }
    }

    /// The body is no message that can be served.
    #[must_use]
    pub fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(RpcCode::InvalidRequest, message)
    }

    /// The parameters do not fit.
    #[must_use]
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(RpcCode::InvalidParams, message)
    }

    /// There is no such resource; each era has its own code for that.
    #[must_use]
    pub fn no_such_resource(era: Era, message: impl Into<String>) -> Self {
        let code = match era {
            Era::Modern => RpcCode::InvalidParams,
            Era::Legacy(_) => RpcCode::ResourceNotFound,
        };
        Self::new(code, message)
    }

    /// Marks an error as a malformed request, which is HTTP 400 whatever the code.
    #[must_use]
    pub fn malformed(mut self) -> Self {
        self.malformed = true;
        self
    }

    /// Adds structured specifics.
    #[must_use]
    pub fn with(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }

    /// The code.
    #[must_use]
    pub fn code(&self) -> RpcCode {
        self.code
    }

    /// The HTTP status in `era`.
    #[must_use]
    pub fn status(&self, era: Era) -> StatusCode {
        if self.malformed { StatusCode::BAD_REQUEST } else { self.code.status(era) }
    }

    /// The message on the wire; without an `id` member when the request's id is not known.
    #[must_use]
    pub fn to_json(&self, id: Option<&RequestId>) -> Value {
        let mut error = json!({"code": self.code.number(), "message": self.message});
        if let (Some(data), Some(error)) = (&self.data, error.as_object_mut()) {
            error.insert("data".to_owned(), data.clone());
        }
        match id {
            Some(id) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
            None => json!({"jsonrpc": "2.0", "error": error}),
        }
    }
}

/// A request that is not served, with everything that its answer needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    id: Option<RequestId>,
    status: StatusCode,
    error: RpcError,
}

impl Refusal {
    /// Refuses with the status of the table.
    #[must_use]
    pub fn new(id: Option<RequestId>, era: Era, error: RpcError) -> Self {
        Self { id, status: error.status(era), error }
    }

    /// Refuses a request whose id is not known, with a status of its own.
    #[must_use]
    pub fn with_status(status: StatusCode, error: RpcError) -> Self {
        Self { id: None, status, error }
    }

    /// The HTTP status.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The error's code.
    #[must_use]
    pub fn code(&self) -> RpcCode {
        self.error.code
    }

    /// The message on the wire.
    #[must_use]
    pub fn to_json(&self) -> Value {
        self.error.to_json(self.id.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_for_an_unknown_id_has_no_id_member() {
        let json = RpcError::invalid_request("x").to_json(None);
        assert!(json.get("id").is_none());
        assert_eq!(json.pointer("/error/code"), Some(&json!(-32600)));
    }

    #[test]
    fn a_missing_resource_has_a_code_of_its_own_only_in_the_handshake_revisions() {
        for era in Era::ALL {
            let error = RpcError::no_such_resource(era, "x");
            let wanted = if era == Era::Modern { -32602 } else { -32002 };
            assert_eq!((error.code().number(), error.status(era)), (wanted, StatusCode::OK), "{era:?}");
        }
    }
}
