//! A whole request, from its header fields and body to the bytes of its answer: every one has the form that its
//! revision wants, and none is a fault of the program.
//!
//! An input is the number of an endpoint, the lines of a header, an empty line and a body. `Bearer GOOD` is a token
//! that is accepted.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Request};
use ono_sendai::accounts::Accounts;
use ono_sendai::admission::account::AccountLimits;
use ono_sendai::admission::{Admission, AdmissionLimits};
use ono_sendai::auth::{Authenticator, Challenges, KeySource, Metadata};
use ono_sendai::catalogue::Catalogue;
use ono_sendai::clock::Clock;
use ono_sendai::crate_client::Extension;
use ono_sendai::crate_client::transport::CatalogueTransport;
use ono_sendai::cursors::MemoryCursors;
use ono_sendai::envelope::attribution::Origin;
use ono_sendai::fuzzing;
use ono_sendai::host::{Authority, Origin as WebOrigin};
use ono_sendai::network::Network;
use ono_sendai::pipeline::{self, Lists, Parts, RecentAnswers};
use ono_sendai::profile::Endpoint;
use ono_sendai::protocol::era::Era;
use ono_sendai::protocol::{self, Incoming, strict_json};
use ono_sendai::resources::{DocumentSource, Resources, ServiceDocument, ServiceDocuments, capabilities};
use ono_sendai::store::{MemoryStore, State};
use ono_sendai::telemetry::{Calls, RefusedLines, Words};
use ono_sendai::transport::{ClientAddress, GuardPolicy, HttpAnswer, McpAnswer, McpRequest};
use serde_json::{Value, json};

use crate::answers::assert_sound;
use crate::service::{client, runtime};
use crate::token::{ISSUER, good, keys, policy};
use crate::{NOW, jsonrpc_body};

const BASE: &str = "https://mcp.example";
/// A proxy whose word is taken.
const PROXY: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
/// Longer than any answer is kept and any pace remembered.
const BETWEEN_REQUESTS: Duration = Duration::from_secs(11 * 60);

/// The whole program behind the transport.
struct Program {
    parts: Arc<Parts>,
    guard: GuardPolicy,
    state: Arc<State>,
    clock: Clock,
}

/// Runs one input.
pub fn run(data: &[u8]) {
    static PROGRAM: LazyLock<Program> = LazyLock::new(Program::new);
    let Some((first, rest)) = data.split_first() else { return };
    let endpoint = Endpoint::ALL[usize::from(*first) % Endpoint::ALL.len()];
    let at = rest.windows(2).position(|two| two == b"\n\n").unwrap_or(rest.len());
    let headers = header(&rest[..at]);
    PROGRAM.take(endpoint, &headers, rest.get(at + 2..).unwrap_or_default());
}

fn header(lines: &[u8]) -> HeaderMap {
    static GOOD: LazyLock<HeaderValue> =
        LazyLock::new(|| HeaderValue::from_str(&format!("Bearer {}", good())).expect("a field"));
    let mut headers = HeaderMap::new();
    for line in lines.split(|byte| *byte == b'\n') {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { continue };
        let (Ok(name), Ok(value)) =
            (HeaderName::from_bytes(&line[..colon]), HeaderValue::from_bytes(line[colon + 1..].trim_ascii()))
        else {
            continue;
        };
        headers.append(name, if value == "Bearer GOOD" { GOOD.clone() } else { value });
    }
    headers
}

impl Program {
    fn new() -> Self {
        let clock = Clock::wound_to(NOW);
        let catalogue = Arc::new(Catalogue::embedded().expect("a catalogue"));
        let transport = Arc::new(CatalogueTransport::new(catalogue, clock.clone()));
        let state = Arc::new(State::load(Arc::new(MemoryStore::new()), &clock).expect("a state"));
        let limits = AdmissionLimits {
            anonymous_units_per_day: 1_000_000,
            anonymous_calls_per_minute: 1_000,
            chatgpt_calls_per_minute: 1_000,
            requests_per_second: 1_000,
            requests_burst: 1_000,
            calls_at_once: 64,
            account: AccountLimits { calls_per_minute: 1_000, calls_at_once: 8 },
        };
        let scopes = ["catalog:read".to_owned()];
        let metadata = Metadata::new(BASE, ISSUER, &scopes);
        let deadlines = (Duration::from_secs(8), Duration::from_secs(12));
        let document = || ServiceDocument {
            text: "{}".to_owned(),
            source: DocumentSource::Shipped,
            as_of: "2027-01-31".to_owned(),
        };
        let resources = Resources::new(
            &capabilities::document(&limits, deadlines, Some(&metadata), true),
            ServiceDocuments { manifest: document(), dictionary: document() },
        );
        let parts = Parts {
            auth: Authenticator::new(policy(), KeySource::fixed(keys()), clock.clone()),
            challenges: Challenges::new(Some(metadata)),
            accounts: Accounts::interim(1_000_000, Arc::clone(&state), clock.clone()).of_issuer(ISSUER),
            chatgpt_networks: vec![Network::parse("192.0.2.0/24").expect("a network")],
            admission: Admission::new(limits, Arc::clone(&state), clock.clone()),
            client: client(transport, &[Extension::Gigs]),
            cursors: Arc::new(MemoryCursors::new(clock.clone())),
            lists: Lists::new(&resources, Some(&scopes)),
            resources,
            origin: Origin::Fixtures,
            tool_deadline: deadlines.1,
            recent: RecentAnswers::default(),
            calls: Arc::new(Calls::new(&Words::default())),
            refused_lines: RefusedLines::default(),
            clock: clock.clone(),
        };
        let own = Authority::parse("mcp.example").expect("a host");
        let guard = GuardPolicy::new(own, [], []).with_trusted_proxies(Network::parse("10.0.0.0/8"));
        Self { parts: Arc::new(parts), guard, state, clock }
    }

    fn take(&self, endpoint: Endpoint, headers: &HeaderMap, body: &[u8]) {
        self.at_the_door(headers);
        let trusted: Vec<Network> = Network::parse("10.0.0.0/8").into_iter().collect();
        let client = ClientAddress::of_request(PROXY, headers, &trusted);
        // Only the word of a proxy counts.
        let stranger: IpAddr = Ipv4Addr::new(192, 0, 2, 1).into();
        assert_eq!(ClientAddress::of_request(stranger, headers, &trusted).ip(), stranger);
        assert_eq!(client.group(), ClientAddress::new(client.group().first()).group());
        let received = protocol::receive(headers, body);
        assert_eq!(received, protocol::receive(headers, body));
        self.revision(headers, body, &received);
        let request =
            McpRequest { endpoint, headers: headers.clone(), body: Bytes::copy_from_slice(body), client };
        let answer = runtime().block_on(async {
            match pipeline::answer(&self.parts, request) {
                McpAnswer::Undecided(undecided) => finish(undecided.0.await).await,
                known => finish(known).await,
            }
        });
        assert_answer(&answer, headers, body, &received);
        self.clock.advance(BETWEEN_REQUESTS);
        let _swept = self.state.sweep();
    }

    /// Host, origin and form: what passes has a host of ours and an origin that may call.
    fn at_the_door(&self, headers: &HeaderMap) {
        let mut request = Request::builder().uri("/mcp").body(()).expect("a request");
        *request.headers_mut() = headers.clone();
        let (request, ()) = request.into_parts();
        if fuzzing::passes(&self.guard, &request) {
            let host = headers["host"].to_str().ok().and_then(Authority::parse).expect("a host");
            assert_eq!(host.host(), "mcp.example");
            let mut origins = headers.get_all("origin").iter();
            if let Some(origin) = origins.next() {
                let origin = origin.to_str().ok().and_then(WebOrigin::parse).expect("an origin");
                let known = ["https://claude.ai", "https://chatgpt.com", "https://mcp.example"];
                let own = format!("https://{host}");
                let shown = origin.to_string();
                assert!(
                    origin.is_local() || known.contains(&shown.as_str()) || own.starts_with(&shown),
                    "{shown}"
                );
                assert!(origins.next().is_none());
            }
        }
        if headers.get("accept").is_none() {
            assert_eq!(fuzzing::wants_a_stream(headers), Some(false));
        }
    }

    /// The revision is the one that header and body agree on.
    fn revision(
        &self,
        headers: &HeaderMap,
        body: &[u8],
        received: &Result<Incoming, protocol::rpc_error::Refusal>,
    ) {
        let request = match received {
            Ok(Incoming::Request(request)) => request,
            Ok(Incoming::Acknowledge) => return,
            Err(refusal) => return jsonrpc_body::assert_refusal(refusal),
        };
        let told: Value = serde_json::from_slice(body).expect("JSON");
        assert_eq!(told["id"], json!(request.id));
        let named = headers.get("mcp-protocol-version").map(|value| value.to_str().unwrap_or("?").trim());
        match request.era {
            Era::Modern => {
                assert_eq!(named, Some("2026-07-28"));
                let meta = &told["params"]["_meta"];
                assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
                assert!(meta["io.modelcontextprotocol/clientCapabilities"].is_object());
                let method = headers["mcp-method"].to_str().expect("text").trim();
                assert_eq!(told["method"], method);
            }
            Era::Legacy(version) => {
                let served = match named {
                    None | Some("2025-03-26") => "2025-06-18",
                    Some(named) => named,
                };
                assert!(
                    told["method"] == "initialize" || version.as_str() == served,
                    "{named:?} {version:?}"
                );
            }
        }
    }
}

async fn finish(answer: McpAnswer) -> HttpAnswer {
    match answer {
        McpAnswer::Ready(answer) => answer,
        McpAnswer::Later(later) => {
            let mut answer = later.work.await;
            answer.headers.extend(later.headers);
            answer
        }
        McpAnswer::Undecided(_) => panic!("undecided twice"),
    }
}

fn assert_answer(
    answer: &HttpAnswer,
    headers: &HeaderMap,
    body: &[u8],
    received: &Result<Incoming, protocol::rpc_error::Refusal>,
) {
    let status = answer.status.as_u16();
    assert!(matches!(status, 200 | 202 | 400 | 401 | 404 | 415), "status {status}");
    assert_eq!(answer.headers.get_all("x-request-id").iter().count(), 1, "a request id");
    let fields = headers.get_all("authorization").iter().count();
    assert!(fields < 2 || status == 400, "two credentials, {status}");
    assert_eq!(status == 401, answer.headers.contains_key("www-authenticate"), "{status}");
    let Some(sent) = &answer.body else {
        assert_eq!(status, 202);
        return;
    };
    let read = strict_json::parse(sent).expect("an answer is JSON");
    assert!(!read.repeats_a_key, "an answer names a key twice");
    let json = read.value;
    assert_eq!(json["jsonrpc"], "2.0");
    assert_eq!(json.get("result").is_some(), json.get("error").is_none());
    if let Some(error) = json.get("error") {
        assert_ne!(error["code"], -32603, "{json}");
    }
    if status == 401 || fields > 1 {
        return;
    }
    let told: Option<Value> = serde_json::from_slice(body).ok();
    if let Ok(Incoming::Request(request)) = received {
        assert_eq!(json["id"], json!(request.id), "another id");
        let modern = request.era == Era::Modern;
        assert!(json.get("error").is_some() || json["result"].get("resultType").is_some() == modern);
        let structured = &json["result"]["structuredContent"];
        if structured.is_object() {
            let text = json["result"]["content"][0]["text"].as_str().expect("a text");
            assert_sound(structured, text);
            assert_eq!(json["result"]["isError"] == true, structured["ok"] == false);
            let units = structured["meta"]["units"].as_u64().expect("units");
            assert!(units <= 4, "{units} units");
            assert_eq!(structured["meta"]["anonymous"] == true, fields == 0);
        } else {
            assert!(told.is_some_and(|told| told["method"] != "tools/call") || json.get("error").is_some());
        }
    }
}
