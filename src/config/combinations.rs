//! Combinations of keys across sections that cannot be meant.
//!
//! Decides which they are and what to do about each. Knows nothing of how a value is read.

use super::Config;
use super::reader::Reader;

/// Refuses each of them with the keys that it stands at.
pub(super) fn refuse(config: &Config, reader: &mut Reader<'_>) {
    let server = &config.server;
    if !server.fixture_mode && config.service.key.is_none() {
        reader.refuse(
            &["server.fixture_mode", "crate.key", "crate.key_file", "crate.key_credential"],
            "false without a key for the data service",
            "key, key_file or key_credential under [crate], or fixture_mode = true for the built-in demo catalogue",
        );
    }
    if server.public && !server.fixture_mode && !config.has_own_certificate() {
        reader.refuse(
            &[
                "server.public",
                "acme.names",
                "tls.certificate",
                "tls.certificate_credential",
                "tls.key",
                "tls.key_credential",
            ],
            "true without a certificate of its own",
            "certificate and key under [tls], or names under [acme]; the one that is made is good for localhost only",
        );
    }
    refuse_automatic(config, reader);
    if server.public && server.fixture_mode {
        reader.refuse(
            &["server.public", "server.fixture_mode"],
            "true together with fixture_mode = true",
            "public = false; a public server must not serve the demo catalogue",
        );
    }
    if server.public && server.public_base.is_loopback() {
        reader.refuse(
            &["server.public_base", "server.public"],
            &format!("\"{}\" together with public = true", server.public_base),
            "the https address that clients reach from outside, such as \"https://mcp.example.org\"",
        );
    }
    if server.public && config.issuer.enabled {
        reader.refuse(
            &["issuer.enabled", "server.public"],
            "true together with public = true",
            "false; whoever reaches the built-in issuer can sign in under any name",
        );
    }
    if config.issuer.enabled && config.auth.issuer.is_some() {
        reader.refuse(
            &["auth.issuer", "issuer.enabled"],
            "another issuer together with the built-in one",
            "either issuer under [auth], or enabled = true under [issuer]",
        );
    }
    if server.public && (config.legal.operator.is_none() || config.legal.contact.is_none()) {
        reader.refuse(
            &["server.public", "legal.operator", "legal.contact"],
            "true without [legal] operator and contact",
            "operator and contact under [legal]; a public server says who runs it",
        );
    }
    if config.deadlines.call > config.deadlines.tool {
        reader.refuse(
            &["deadlines.call_ms", "deadlines.tool_ms"],
            &format!(
                "{} above tool_ms = {}",
                config.deadlines.call.as_millis(),
                config.deadlines.tool.as_millis()
            ),
            "at most tool_ms; one upstream call is a part of one tool call",
        );
    }
    if config.transport.sse_comment >= config.transport.idle {
        reader.refuse(
            &["transport.sse_comment_s", "transport.idle_timeout_s"],
            &format!(
                "{} not below idle_timeout_s = {}",
                config.transport.sse_comment.as_secs(),
                config.transport.idle.as_secs()
            ),
            "less than idle_timeout_s; the comment line keeps a waiting stream open",
        );
    }
}

/// Combinations with an automatic certificate.
fn refuse_automatic(config: &Config, reader: &mut Reader<'_>) {
    let Some(acme) = &config.acme else { return };
    if config.tls.files.is_some() {
        reader.refuse(
            &["acme.names", "tls.certificate", "tls.certificate_credential", "tls.key", "tls.key_credential"],
            "names together with certificate and key under [tls]",
            "one of the two",
        );
    }
    if config.server.fixture_mode {
        reader.refuse(
            &["acme.names", "server.fixture_mode"],
            "names together with fixture_mode = true",
            "fixture_mode = false under [server]; a demo makes a certificate of its own",
        );
    }
    let host = config.server.public_base.authority().host();
    if !acme.names.iter().any(|name| name == host) {
        reader.refuse(
            &["acme.names", "server.public_base"],
            &format!("names without {host}, which is that of public_base"),
            "every name that clients call the server by, that of public_base among them",
        );
    }
}
