//! MCP on the wire: what a client of either era may rely on.

mod jsonrpc;
