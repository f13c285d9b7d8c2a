//! Requests to a [`Demo`], from raw bytes to a tool call.

use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::OnceLock;

use http::{HeaderMap, HeaderName, HeaderValue, Method};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::{Answer, Demo, Envelope, PATIENCE, Tls, evidence, tls};

/// The header of an ordinary body.
pub const JSON: (&str, &str) = ("content-type", "application/json");
/// The modern revision.
pub const MODERN: &str = "2026-07-28";

/// HTTP over TLS with one trusted certificate.
pub struct Client {
    http: reqwest::Client,
}

impl Client {
    pub(super) fn new(port: u16, certificate: &Path) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let pem = std::fs::read(certificate).expect("a certificate");
        let http = reqwest::Client::builder()
            .tls_certs_only([reqwest::Certificate::from_pem(&pem).expect("PEM")])
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .resolve("localhost", SocketAddr::from(([127, 0, 0, 1], port)))
            .timeout(PATIENCE)
            .build()
            .expect("a client");
        Self { http }
    }
}

fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime")
    })
}

/// The `_meta` that every modern request carries.
pub fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
    })
}

impl Demo {
    /// Sends anything; header values may hold any bytes from 0x20 on.
    pub fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Vec<u8>>,
    ) -> Answer {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name = HeaderName::from_bytes(name.as_bytes()).expect("a header name");
            map.append(name, HeaderValue::from_bytes(value.as_bytes()).expect("a header value"));
        }
        self.send_with(method, path, map, body)
    }

    /// Sends anything, with headers that are ready.
    pub fn send_with(
        &self,
        method: Method,
        path: &str,
        headers: HeaderMap,
        body: impl Into<Vec<u8>>,
    ) -> Answer {
        self.try_send_with(method, path, headers, body).expect("an answer")
    }

    /// The same to a server that may be gone before it has answered.
    pub fn try_send_with(
        &self,
        method: Method,
        path: &str,
        headers: HeaderMap,
        body: impl Into<Vec<u8>>,
    ) -> Option<Answer> {
        let body = body.into();
        evidence::asked(path, &headers, &body);
        let request = self.client.http.request(method, self.url(path)).headers(headers).body(body);
        let answer = runtime().block_on(async {
            let response = request.send().await.ok()?;
            let (status, headers) = (response.status().as_u16(), response.headers().clone());
            Some(Answer { status, headers, body: response.bytes().await.ok()? })
        })?;
        evidence::answered(path, &answer.headers, &answer.body);
        Some(answer)
    }

    /// A connection for raw HTTP/1.1.
    pub fn connection(&self) -> Tls {
        tls(self.port, &std::fs::read(&self.certificate).expect("a certificate"))
    }

    /// Posts `body` to `/mcp` with exactly these headers.
    pub fn post(&self, headers: &[(&str, &str)], body: impl Into<Vec<u8>>) -> Answer {
        self.send(Method::POST, "/mcp", headers, body)
    }

    /// A request as a client of 2026-07-28 sends it, with id 1.
    pub fn modern(&self, method: &str, params: Value) -> Answer {
        self.modern_at("/mcp", method, params)
    }

    /// The same to another path.
    pub fn modern_at(&self, path: &str, method: &str, params: Value) -> Answer {
        self.modern_as(None, path, method, params)
    }

    /// The same with a bearer token, if there is one.
    pub fn modern_as(&self, token: Option<&str>, path: &str, method: &str, mut params: Value) -> Answer {
        if params.get("_meta").is_none() {
            params["_meta"] = meta();
        }
        let name = match method {
            "tools/call" | "prompts/get" => params["name"].as_str(),
            "resources/read" => params["uri"].as_str(),
            _ => None,
        };
        let mut headers = vec![
            JSON,
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", MODERN),
            ("mcp-method", method),
        ];
        headers.extend(name.map(|name| ("mcp-name", name)));
        let bearer = token.map(|token| format!("Bearer {token}"));
        headers.extend(bearer.as_deref().map(|bearer| ("authorization", bearer)));
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        self.send(Method::POST, path, &headers, body.to_string())
    }

    /// A request as a client of 2025-11-25 sends it, with id 1.
    pub fn legacy(&self, method: &str, params: Value) -> Answer {
        let headers =
            [JSON, ("accept", "application/json, text/event-stream"), ("mcp-protocol-version", "2025-11-25")];
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        self.post(&headers, body.to_string())
    }

    /// One tool call; the answer is an envelope, whether the tool found something or failed.
    pub fn call(&self, tool: &str, arguments: Value) -> Envelope {
        self.modern("tools/call", json!({"name": tool, "arguments": arguments})).envelope()
    }

    /// One tool call of the account "demo", at the endpoint that lists every tool.
    pub fn call_signed_in(&self, tool: &str, arguments: Value) -> Envelope {
        self.call_as(self.token(), tool, arguments)
    }

    /// One tool call with a token.
    pub fn call_as(&self, token: &str, tool: &str, arguments: Value) -> Envelope {
        let params = json!({"name": tool, "arguments": arguments});
        self.modern_as(Some(token), "/mcp/full", "tools/call", params).envelope()
    }

    /// One tool call with a token, to a server that may be gone before it has answered.
    pub fn try_call_as(&self, token: &str, tool: &str, arguments: Value) -> Option<Envelope> {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            JSON,
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", "2025-11-25"),
            ("authorization", &format!("Bearer {token}")),
        ] {
            let name = HeaderName::from_bytes(name.as_bytes()).expect("a header name");
            headers.append(name, HeaderValue::from_str(value).expect("a header value"));
        }
        let params = json!({"name": tool, "arguments": arguments});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        Some(self.try_send_with(Method::POST, "/mcp/full", headers, body.to_string())?.envelope())
    }

    /// One tool call of a client at another address, as a trusted proxy passes it on.
    pub fn call_from(&self, address: IpAddr, tool: &str, arguments: Value) -> Envelope {
        let address = address.to_string();
        let headers = [
            JSON,
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", "2025-11-25"),
            ("x-forwarded-for", address.as_str()),
        ];
        let params = json!({"name": tool, "arguments": arguments});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        self.post(&headers, body.to_string()).envelope()
    }

    /// The text of a resource, as JSON.
    pub fn resource(&self, uri: &str) -> Value {
        let result = self.modern("resources/read", json!({"uri": uri})).result();
        let text = result["contents"][0]["text"].as_str().expect("a text");
        serde_json::from_str(text).expect("JSON")
    }
}
