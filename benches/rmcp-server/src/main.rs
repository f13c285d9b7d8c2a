//! One tool made with the official SDK, over plain HTTP, without sessions and with answers in JSON, which is the least that
//! the SDK can do. `benches/wire.rs` compares the server with it.
//!
//! `rmcp-server FILE` answers with the result in the file, prints the port that it listens on, and serves until it is
//! killed.

use std::net::Ipv4Addr;
use std::sync::Arc;

use axum::serve::ListenerExt as _;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;

#[derive(Clone)]
struct Tool {
    text: Arc<str>,
    facts: Arc<Value>,
}

impl ServerHandler for Tool {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(
        &self,
        _: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let mut result = CallToolResult::success(vec![ContentBlock::text(&*self.text)]);
        result.structured_content = Some(Value::clone(&self.facts));
        Ok(result.into())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("usage: rmcp-server FILE")?;
    let result: Value = serde_json::from_slice(&std::fs::read(file)?)?;
    let text = result["content"][0]["text"].as_str().ok_or("a result has a text")?;
    let tool = Tool { text: text.into(), facts: Arc::new(result["structuredContent"].clone()) };
    let config =
        StreamableHttpServerConfig::default().with_legacy_session_mode(false).with_json_response(true);
    let service = StreamableHttpService::new(
        move || Ok(tool.clone()),
        Arc::new(LocalSessionManager::default()),
        config,
    );
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    println!("{}", listener.local_addr()?.port());
    let listener = listener.tap_io(|stream| {
        let _without_delay = stream.set_nodelay(true);
    });
    axum::serve(listener, axum::Router::new().route_service("/mcp", service)).await?;
    Ok(())
}
