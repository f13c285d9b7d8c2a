//! The documents beside the endpoints, fetched as a stranger would.

use std::collections::BTreeSet;

use http::Method;
use serde_json::{Value, json};

use crate::harness::{Answer, Demo};

const PAGES: [&str; 7] = [
    "/",
    "/docs/agents/",
    "/docs/agents/connect",
    "/docs/agents/tools",
    "/docs/agents/envelope",
    "/docs/agents/errors-and-limits",
    "/docs/agents/data-posture",
];

fn get(path: &str) -> Answer {
    Demo::shared().send(Method::GET, path, &[], Vec::new())
}

fn text(path: &str) -> String {
    let answer = get(path);
    assert_eq!(answer.status, 200, "{path}");
    String::from_utf8(answer.body.to_vec()).expect("text")
}

fn tool_names() -> Vec<String> {
    let list = Demo::shared().modern_at("/mcp/full", "tools/list", json!({})).result();
    list["tools"]
        .as_array()
        .expect("tools")
        .iter()
        .map(|tool| tool["name"].as_str().expect("a name").to_owned())
        .collect()
}

#[test]
fn every_page_is_html_that_may_load_from_this_server_only() {
    for path in PAGES {
        let answer = get(path);
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (200, "text/html; charset=utf-8"),
            "{path}"
        );
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        let policy = answer.header("content-security-policy");
        for rule in policy.split(';').map(str::trim) {
            let (_, sources) = rule.split_once(' ').expect("a rule");
            assert!(["'none'", "'self'", "data:"].contains(&sources), "{path}: {rule}");
        }
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{path}: {policy}");
    }
}

#[test]
fn every_link_of_every_page_leads_somewhere() {
    let mut seen = BTreeSet::new();
    for path in PAGES {
        let page = text(path);
        for kind in [" href=\"", " src=\""] {
            for target in page.split(kind).skip(1).filter_map(|rest| rest.split('"').next()) {
                assert!(target.starts_with('/') || target == "data:,", "{path} links to {target}");
                if target.starts_with('/') && seen.insert(target.to_owned()) {
                    assert_eq!(get(target).status, 200, "{path} links to {target}");
                }
            }
        }
    }
    assert!(seen.len() > 12, "{seen:?}");
}

#[test]
fn the_rest_of_the_documents_is_of_the_kind_that_its_readers_expect() {
    for (path, kind) in [
        ("/mcp.json", "application/json"),
        ("/server.json", "application/json"),
        ("/llms.txt", "text/plain; charset=utf-8"),
        ("/robots.txt", "text/plain; charset=utf-8"),
        ("/assets/form.js", "text/javascript; charset=utf-8"),
        ("/assets/site.css", "text/css; charset=utf-8"),
        ("/docs/agents/tools.md", "text/markdown; charset=utf-8"),
    ] {
        let answer = get(path);
        assert_eq!((answer.status, answer.header("content-type")), (200, kind), "{path}");
        assert!(!answer.body.is_empty(), "{path}");
        let head = Demo::shared().send(Method::HEAD, path, &[], Vec::new());
        assert_eq!((head.status, head.header("content-type"), head.body.len()), (200, kind, 0), "{path}");
        let post = Demo::shared().send(Method::POST, path, &[], Vec::new());
        assert_eq!((post.status, post.header("allow")), (405, "GET, HEAD, OPTIONS"), "{path}");
    }
}

#[test]
fn what_programs_read_names_the_endpoint_of_this_server() {
    let endpoint = Demo::shared().url("/mcp");
    let config: Value = serde_json::from_str(&text("/mcp.json")).expect("JSON");
    assert_eq!(config["mcpServers"]["hosaka"], json!({"type": "http", "url": endpoint}));
    let entry: Value = serde_json::from_str(&text("/server.json")).expect("JSON");
    assert_eq!(entry["remotes"], json!([{"type": "streamable-http", "url": endpoint}]));
    assert_eq!(entry["version"], env!("CARGO_PKG_VERSION"));
    assert!(text("/llms.txt").contains(&endpoint));
    assert!(text("/robots.txt").lines().any(|line| line == "Disallow: /mcp"));
}

#[test]
fn every_tool_of_the_registry_stands_in_the_pages_that_list_tools() {
    let names = tool_names();
    assert!(names.len() >= 4, "{names:?}");
    let (page, source, summary) =
        (text("/docs/agents/tools"), text("/docs/agents/tools.md"), text("/llms.txt"));
    for name in names {
        assert!(page.contains(&format!("<h2>{name}</h2>")), "{name}");
        assert!(source.contains(&format!("## {name}\n")), "{name}");
        assert!(summary.contains(&format!("- `{name}`: ")), "{name}");
    }
}

#[test]
fn the_challenge_is_served_when_it_is_configured_and_unknown_otherwise() {
    let path = "/.well-known/openai-apps-challenge";
    assert_eq!(get(path).status, 404);
    let demo = Demo::serving("", "[pages]\nopenai_apps_challenge = \"abc-123\"");
    let answer = demo.send(Method::GET, path, &[], Vec::new());
    assert_eq!((answer.status, answer.header("content-type")), (200, "text/plain; charset=utf-8"));
    assert_eq!(answer.body.as_ref(), b"abc-123");
}
