//! rmcp as a client of ono-sendai. Usage: rmcp-client URL legacy|modern
//!
//! The certificate to trust is named by SSL_CERT_FILE, as rustls clients on Linux expect it.

mod walk;

use std::process::ExitCode;

use rmcp::model::{CallToolRequestParams, ProtocolVersion, ReadResourceRequestParams};
use rmcp::service::{ClientLifecycleMode, RunningService, serve_client_with_lifecycle};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{RoleClient, ServiceError};
use serde_json::{Value, json};

type Failure = Box<dyn std::error::Error>;

struct Rmcp(RunningService<RoleClient, ()>);

/// rmcp's answer, back in the shape it had on the wire.
fn plain(answer: Result<impl serde::Serialize, ServiceError>) -> Result<Value, Failure> {
    Ok(serde_json::to_value(answer?)?)
}

impl walk::Foreign for Rmcp {
    async fn tools(&self) -> Result<Value, Failure> {
        plain(self.0.list_tools(None).await)
    }

    async fn resources(&self) -> Result<Value, Failure> {
        plain(self.0.list_resources(None).await)
    }

    async fn call(&self, name: &str, arguments: Value) -> Result<Value, Failure> {
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        plain(self.0.call_tool(CallToolRequestParams::new(name.to_owned()).with_arguments(arguments)).await)
    }

    async fn read(&self, uri: &str) -> Result<Value, Failure> {
        plain(self.0.read_resource(ReadResourceRequestParams::new(uri)).await)
    }
}

async fn run(url: &str, era: &str) -> Result<bool, Failure> {
    let (lifecycle, spoken) = match era {
        "legacy" => (ClientLifecycleMode::Initialize, ProtocolVersion::V_2025_11_25),
        "modern" => {
            let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
            (ClientLifecycleMode::Discover { preferred_versions }, ProtocolVersion::V_2026_07_28)
        }
        _ => return Err("the era is legacy or modern".into()),
    };
    let mut headers = reqwest::header::HeaderMap::new();
    if let Some(token) = walk::token() {
        headers.insert(reqwest::header::AUTHORIZATION, format!("Bearer {token}").parse()?);
    }
    let http = reqwest::Client::builder().https_only(true).default_headers(headers).build()?;
    let transport =
        StreamableHttpClientTransport::with_client(http, StreamableHttpClientTransportConfig::with_uri(url));
    let client = Rmcp(serve_client_with_lifecycle((), transport, lifecycle).await?);
    let negotiated = client.0.peer_info().map(|info| json!(info.protocol_version));
    let passed = walk::walk(&format!("rmcp, {era}"), &client, |report| {
        report.check(&format!("speaks {spoken}"), negotiated == Some(json!(spoken)), &negotiated);
    })
    .await;
    client.0.cancel().await?;
    Ok(passed)
}

#[tokio::main]
async fn main() -> ExitCode {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, era] = arguments.as_slice() else {
        eprintln!("usage: rmcp-client URL legacy|modern");
        return ExitCode::from(2);
    };
    match run(url, era).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(failure) => {
            println!("  FAILED to connect: {failure:?}\nrmcp, {era}: 0 passed, 1 failed");
            ExitCode::FAILURE
        }
    }
}
