//! What programs read that look around: client configuration, registry entry, summary for models, robots.

use std::fmt::Write as _;

use serde_json::json;

use super::agents::{PAGES, ROOT};
use super::{Facts, document};
use crate::profile::Endpoint;
use crate::tools::registry::ToolName;
use crate::tools::spec::Access;
use crate::transport::{Document, Media};

/// The name under which hosaka's own server is listed.
const REGISTRY_NAME: &str = "fm.hosaka/ono-sendai";
/// The form of a registry entry.
const REGISTRY_SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/2025-10-17/server.schema.json";
/// What it is, in the words of every list; at most 100 characters.
const DESCRIPTION: &str = "Facts about music artists, with every gap and every doubt named.";

/// Every document.
pub(super) fn documents(facts: &Facts<'_>) -> Vec<Document> {
    let mut documents = vec![
        document("/mcp.json", Media::Json, client_configuration(facts)),
        document("/server.json", Media::Json, registry_entry(facts)),
        document("/llms.txt", Media::Text, summary(facts)),
        document("/robots.txt", Media::Text, robots()),
    ];
    if let Some(token) = facts.openai_apps_challenge {
        documents.push(document("/.well-known/openai-apps-challenge", Media::Text, token.to_owned()));
    }
    documents
}

fn endpoint(facts: &Facts<'_>) -> String {
    format!("{}{}", facts.base, Endpoint::CORE.path())
}

fn client_configuration(facts: &Facts<'_>) -> String {
    let entry = json!({"mcpServers": {"hosaka": {"type": "http", "url": endpoint(facts)}}});
    format!("{entry:#}\n")
}

fn registry_entry(facts: &Facts<'_>) -> String {
    let entry = json!({
        "$schema": REGISTRY_SCHEMA,
        "name": REGISTRY_NAME,
        "title": "hosaka music data",
        "description": DESCRIPTION,
        "version": env!("CARGO_PKG_VERSION"),
        "websiteUrl": format!("{}/", facts.base),
        "remotes": [{"type": "streamable-http", "url": endpoint(facts)}],
    });
    format!("{entry:#}\n")
}

fn summary(facts: &Facts<'_>) -> String {
    let base = facts.base;
    let mut text = format!(
        "# hosaka music data\n\n> {DESCRIPTION} An MCP server (Streamable HTTP) at {}.\n\n## Tools\n\n",
        endpoint(facts)
    );
    for tool in ToolName::ALL {
        let spec = tool.spec();
        let who = match spec.access {
            Access::Anonymous => "no account needed",
            Access::SignedIn => "for accounts",
        };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "- `{}`: {} ({who})", tool.as_str(), spec.title);
    }
    text.push_str("\n## Documentation\n\n");
    for page in &PAGES {
        let _ = writeln!(text, "- [{}]({base}{ROOT}/{}.md)", page.title, page.name);
    }
    text
}

fn robots() -> String {
    "User-agent: *\nDisallow: /mcp\nDisallow: /healthz\nDisallow: /readyz\n".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_fits_a_registry_entry() {
        assert!((1..=100).contains(&DESCRIPTION.len()));
    }

    #[test]
    fn robots_keep_out_of_the_endpoint_only() {
        assert!(robots().lines().any(|line| line == "Disallow: /mcp"));
        assert!(!robots().contains("Disallow: /\n"));
    }
}
