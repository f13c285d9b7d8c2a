//! Bytes to requests and back: sockets, TLS, HTTP/1.1 and HTTP/2, time and size limits, who may ask
//! from where, and the form an answer takes on the wire.
//!
//! It decides everything that can be decided without reading a body. It must never know what a body
//! means: no MCP message, no tool, no token. What stands behind the routes is a [`Service`].

pub(crate) mod accept;
mod activity;
mod body;
mod certificate;
mod chain;
mod challenge;
mod client_address;
mod connection;
mod cors;
pub(crate) mod der;
mod drain;
mod exchange;
mod guard;
mod limits;
mod listener;
mod places;
mod plain;
mod refusal;
mod routes;
mod security_headers;
mod service;
mod shown;
mod side_door;
mod sse;
mod stream;
mod tls;
mod traffic;

pub use self::certificate::{
    DEMO_CERTIFICATE_FILE, DEMO_KEY_FILE, DemoCertificate, DemoCertificateError, demo_certificate,
    demo_certificate_in, stand_in,
};
pub use self::chain::Chain;
pub use self::challenge::{Challenges, Handshakes};
pub use self::client_address::{ClientAddress, ClientGroup};
pub use self::drain::{DrainReport, serve};
pub use self::guard::GuardPolicy;
pub use self::limits::Limits;
pub use self::listener::{ListenError, Listener};
pub use self::plain::{PlainListener, PlainPages, serve_plain};
pub use self::security_headers::SecurityHeaders;
pub use self::service::{
    Document, HttpAnswer, LastAnswer, LastWord, Later, LegalPage, McpAnswer, McpRequest, Media, NotReady,
    PageAnswer, Part, Refuses, Service, Undecided,
};
pub use self::shown::{Shown, server_config, server_config_showing};
pub use self::side_door::{Question, SideDoor, Unanswered};
pub use self::tls::{Identity, Key, TlsError};
pub use self::traffic::{Held, Traffic, Unshaken};
