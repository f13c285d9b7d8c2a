//! One tools/call over HTTP, and what to tell a person when it gets nowhere.

use std::error::Error as StdError;
use std::io;
use std::path::Path;
use std::time::Duration;

use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, LOCATION, RETRY_AFTER};
use http::{HeaderMap, HeaderValue};
use reqwest::{Client, Response, redirect};
use serde_json::{Map, Value, json};

use super::answer::{self, Reply};
use super::trust;
use crate::app::DEMO_CERTIFICATE_FILE;
use crate::cli::args::CallArguments;
use crate::cli::exit::Exit;
use crate::cli::output::harmless_line;
use crate::protocol::era::{Era, META_CAPABILITIES, META_VERSION};
use crate::protocol::headers::{METHOD, NAME, VERSION};

const TOOLS_CALL: &str = "tools/call";
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Longer than a server takes at worst, shorter than a person's patience.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);
/// No honest answer of a tool is longer.
const ANSWER_LIMIT_BYTES: usize = 8 * 1024 * 1024;

/// Why there is no answer, as one line, and how the process ends.
pub(super) struct Failure {
    pub(super) exit: Exit,
    pub(super) line: String,
}

/// Sends the call and reads the reply.
pub(super) async fn call(
    request: &CallArguments,
    authorization: Option<HeaderValue>,
    data_folder: &Path,
) -> Result<Reply, Failure> {
    let client = client(request, data_folder)?;
    let mut message = client
        .post(request.url.clone())
        .header(CONTENT_TYPE, "application/json")
        .header(ACCEPT, "application/json, text/event-stream")
        .header(VERSION, Era::Modern.version())
        .header(METHOD, TOOLS_CALL)
        .header(NAME, &request.tool)
        .body(body(&request.tool, &request.arguments).to_string());
    if let Some(authorization) = authorization {
        message = message.header(AUTHORIZATION, authorization);
    }
    let response = message.send().await.map_err(|error| unreachable(request, &error))?;
    let status = response.status();
    let headers = response.headers().clone();
    let bytes = read(response).await.map_err(|line| Failure { exit: Exit::NotReachable, line })?;
    let reply = answer::read(headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()), &bytes);
    Ok(match reply {
        Ok(reply @ Reply::Result(_)) if status.is_success() => reply,
        Ok(Reply::Refused(line)) if status.is_success() => Reply::Refused(line),
        Err(line) if status.is_success() => Reply::Refused(format!("{}: {line}", request.url)),
        reply => {
            let said = match reply {
                Ok(Reply::Refused(line)) => Some(line),
                _ => None,
            };
            Reply::Refused(http_error(request, status.as_u16(), &headers, said))
        }
    })
}

fn body(tool: &str, arguments: &[(String, String)]) -> Value {
    let arguments: Map<String, Value> =
        arguments.iter().map(|(key, value)| (key.clone(), Value::String(value.clone()))).collect();
    json!({
        "jsonrpc": "2.0",
        "id": answer::REQUEST_ID,
        "method": TOOLS_CALL,
        "params": {
            "name": tool,
            "arguments": arguments,
            "_meta": {
                META_VERSION: Era::Modern.version(),
                META_CAPABILITIES: {},
                "io.modelcontextprotocol/clientInfo": {
                    "name": "ono-sendai call",
                    "version": env!("CARGO_PKG_VERSION"),
                },
            },
        },
    })
}

fn client(request: &CallArguments, data_folder: &Path) -> Result<Client, Failure> {
    // Fails only when one is installed already, which is as good.
    let _installed = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .user_agent(concat!("ono-sendai/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(ANSWER_TIMEOUT)
        // A token must not follow a redirect to somebody else.
        .redirect(redirect::Policy::none());
    let loopback = request.url.host().is_some_and(|host| crate::host::is_loopback(&host));
    if loopback {
        builder = builder.no_proxy();
    }
    if request.url.scheme() == "https" {
        let file = trust::file_for(request.ca.as_deref(), &request.url, data_folder);
        let Some(file) = file else {
            let line = "this machine has no list of trusted certificates; pass one with --ca FILE".to_owned();
            return Err(Failure { exit: Exit::NotReachable, line });
        };
        // A file that was named is a mistake on the command line; one that was found is not.
        let exit = if request.ca.is_some() { Exit::Usage } else { Exit::NotReachable };
        let trust = trust::load(&file).map_err(|line| Failure { exit, line })?;
        builder = builder.tls_certs_only(trust.roots);
        return builder.build().map_err(|error| Failure {
            exit,
            line: format!("{}: {}", trust.file.display(), innermost(&error)),
        });
    }
    builder.build().map_err(|error| Failure { exit: Exit::NotReachable, line: innermost(&error) })
}

async fn read(mut response: Response) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if bytes.len() + chunk.len() > ANSWER_LIMIT_BYTES => {
                return Err(format!("the answer is longer than {ANSWER_LIMIT_BYTES} bytes"));
            }
            Ok(Some(chunk)) => bytes.extend_from_slice(&chunk),
            Ok(None) => return Ok(bytes),
            Err(error) if error.is_timeout() => {
                return Err(format!("the answer did not end within {} s", ANSWER_TIMEOUT.as_secs()));
            }
            Err(error) => return Err(format!("the answer broke off: {}", innermost(&error))),
        }
    }
}

fn http_error(request: &CallArguments, status: u16, headers: &HeaderMap, said: Option<String>) -> String {
    let header = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(harmless_line);
    let url = &request.url;
    let advice = match status {
        300..=399 => {
            let to = header(LOCATION).unwrap_or_else(|| "another address".to_owned());
            format!("it points to {to}; pass that with --url")
        }
        // A server that explains itself knows better whether another token would help.
        401 if request.token.is_some() && said.is_some() => String::new(),
        401 if request.token.is_some() => "it does not take this token; get a new one".to_owned(),
        401 => "it wants a token; pass one with --token".to_owned(),
        403 => "it refuses this host or origin; is the address the one that it publishes?".to_owned(),
        404 if said.is_none() => "there is no MCP endpoint at this address; most end in /mcp".to_owned(),
        405 => "this address does not take calls; most MCP addresses end in /mcp".to_owned(),
        429 | 503 => match header(RETRY_AFTER) {
            Some(seconds) => format!("it is busy; try again in {seconds} s"),
            None => "it is busy; try again in a minute".to_owned(),
        },
        _ => String::new(),
    };
    let parts =
        [Some(format!("{url} answered HTTP {status}")), said, Some(advice).filter(|text| !text.is_empty())];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

fn unreachable(request: &CallArguments, error: &reqwest::Error) -> Failure {
    let url = &request.url;
    let line = if let Some(reason) = find::<rustls::Error>(error) {
        tls_advice(request, reason)
    } else if error.is_timeout() {
        format!("{url} did not answer in time; is the server up and the address right?")
    } else if find::<io::Error>(error).is_some_and(|io| io.kind() == io::ErrorKind::ConnectionRefused) {
        format!(
            "nothing listens at {url}; start a server with `ono-sendai demo`, or pass its address with --url"
        )
    } else if chain(error).any(|error| error.to_string().contains("dns error")) {
        format!(
            "{url} cannot be reached: its name leads to no address ({}); is it spelled right, and is there a network?",
            innermost(error)
        )
    } else {
        format!("{url} cannot be reached: {}", innermost(error))
    };
    Failure { exit: Exit::NotReachable, line }
}

fn tls_advice(request: &CallArguments, reason: &rustls::Error) -> String {
    use rustls::CertificateError as Bad;
    let url = &request.url;
    match reason {
        rustls::Error::InvalidCertificate(Bad::UnknownIssuer | Bad::BadSignature) => format!(
            "the certificate of {url} is not trusted; pass the right one with --ca FILE \
             (a demo keeps its own as {DEMO_CERTIFICATE_FILE} in its data folder)"
        ),
        rustls::Error::InvalidCertificate(Bad::NotValidForName | Bad::NotValidForNameContext { .. }) => {
            format!("the certificate of {url} is for another name; use the name it was made for")
        }
        rustls::Error::InvalidCertificate(Bad::Expired | Bad::ExpiredContext { .. }) => {
            format!("the certificate of {url} has expired; the server needs a new one")
        }
        rustls::Error::InvalidMessage(_) => format!("{url} does not speak TLS; is it the right port?"),
        other => format!("no TLS connection to {url}: {other}"),
    }
}

/// An error and what it comes from.
fn chain<'a>(error: &'a (dyn StdError + 'static)) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |error: &&'a (dyn StdError + 'static)| (*error).source())
}

/// The first error of a kind in the chain; looks into I/O errors, which hide theirs.
fn find<'a, E: StdError + 'static>(error: &'a (dyn StdError + 'static)) -> Option<&'a E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<E>() {
            return Some(found);
        }
        let hidden = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        if let Some(found) = hidden.and_then(|hidden| find::<E>(hidden)) {
            return Some(found);
        }
        next = error.source();
    }
    None
}

/// What the innermost error says; the outer ones only repeat where it happened.
fn innermost(error: &(dyn StdError + 'static)) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    harmless_line(&error.to_string())
}
