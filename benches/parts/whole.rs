//! The program without its sockets, over the demo catalogue.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue};
use ono_sendai::accounts::Accounts;
use ono_sendai::admission::account::AccountLimits;
use ono_sendai::admission::{Admission, AdmissionLimits};
use ono_sendai::answer::Data;
use ono_sendai::auth::{Authenticator, Challenges};
use ono_sendai::catalogue::Catalogue;
use ono_sendai::clock::Clock;
use ono_sendai::crate_client::transport::CatalogueTransport;
use ono_sendai::crate_client::{CallLedger, Caller, ClientSettings, CrateClient, Shelves};
use ono_sendai::cursors::{MemoryCursors, Walks};
use ono_sendai::envelope::Envelope;
use ono_sendai::envelope::attribution::Origin;
use ono_sendai::envelope::meta::{ClientClass, Idempotency, Meta};
use ono_sendai::pipeline::{self, Lists, Parts, RecentAnswers};
use ono_sendai::profile::Endpoint;
use ono_sendai::resources::{DocumentSource, Resources, ServiceDocument, ServiceDocuments};
use ono_sendai::store::{MemoryStore, State};
use ono_sendai::telemetry::{Calls, RefusedLines, Words};
use ono_sendai::tools::Call;
use ono_sendai::tools::registry::ToolName;
use ono_sendai::transport::{ClientAddress, HttpAnswer, McpAnswer, McpRequest, Undecided};
use serde_json::json;
use tokio::runtime::Runtime;

/// More than any bench asks for.
const NO_LIMIT: u32 = 1_000_000_000;

/// Everything that answers a request.
pub struct Whole {
    pub parts: Arc<Parts>,
}

impl Whole {
    pub fn new() -> Self {
        let clock = Clock::system();
        let state = Arc::new(State::load(Arc::new(MemoryStore::new()), &clock).expect("an empty store"));
        let limits = AdmissionLimits {
            anonymous_units_per_day: NO_LIMIT.into(),
            anonymous_calls_per_minute: NO_LIMIT,
            chatgpt_calls_per_minute: NO_LIMIT,
            requests_per_second: NO_LIMIT,
            requests_burst: NO_LIMIT,
            calls_at_once: 512,
            account: AccountLimits { calls_per_minute: NO_LIMIT, calls_at_once: 512 },
        };
        let document = || ServiceDocument {
            text: "{}".to_owned(),
            source: DocumentSource::Shipped,
            as_of: String::new(),
        };
        let documents = ServiceDocuments { manifest: document(), dictionary: document() };
        let resources = Resources::new(&json!({}), documents);
        let catalogue = Arc::new(Catalogue::embedded().expect("the demo catalogue"));
        let transport = Arc::new(CatalogueTransport::new(catalogue, clock.clone()));
        let settings = ClientSettings::plain(Duration::from_secs(10));
        let parts = Parts {
            auth: Authenticator::without_sign_in(clock.clone()),
            challenges: Challenges::new(None),
            accounts: Accounts::interim(1, Arc::clone(&state), clock.clone()),
            chatgpt_networks: Vec::new(),
            admission: Admission::new(limits, state, clock.clone()),
            client: CrateClient::new(transport, settings, Shelves::default(), clock.clone()),
            cursors: Arc::new(MemoryCursors::new(clock.clone())),
            recent: RecentAnswers::default(),
            lists: Lists::new(&resources, None),
            resources,
            origin: Origin::Fixtures,
            tool_deadline: Duration::from_secs(10),
            calls: Arc::new(Calls::new(&Words::default())),
            refused_lines: RefusedLines::default(),
            clock,
        };
        Self { parts: Arc::new(parts) }
    }

    /// The answer to a body, as it goes to the transport.
    pub fn answered(&self, runtime: &Runtime, body: Bytes) -> HttpAnswer {
        let client = ClientAddress::new(IpAddr::V4(Ipv4Addr::LOCALHOST));
        let request = McpRequest { endpoint: Endpoint::CORE, headers: headers(), body, client };
        runtime.block_on(async {
            let mut answer = pipeline::answer(&self.parts, request);
            loop {
                answer = match answer {
                    McpAnswer::Ready(answer) => break answer,
                    McpAnswer::Later(later) => break later.work.await,
                    McpAnswer::Undecided(Undecided(work)) => work.await,
                }
            }
        })
    }

    /// A card before it is kept to its size.
    pub fn envelope(&self, runtime: &Runtime) -> Envelope<Data> {
        let call = Call::parse(ToolName::GetArtist, &json!({"key": "four-tet"})).expect("a call");
        let ledger = CallLedger::new(Caller::new(1));
        let walks = Walks { cursors: self.parts.cursors.as_ref(), owner: None };
        let found = call.run(&self.parts.client, &ledger, Origin::Fixtures, None, walks);
        Envelope::success(runtime.block_on(found).expect("a card"), meta(&ledger))
    }
}

fn meta(ledger: &CallLedger) -> Meta {
    Meta {
        request_id: "01890000-0000-7000-8000-000000000000".to_owned(),
        generated_at: "2027-01-31T12:00:00Z".to_owned(),
        anonymous: true,
        account_mode: None,
        client_class: ClientClass::Unknown,
        view: None,
        view_coerced: false,
        units: ledger.units(),
        upstream_2xx: ledger.upstream_2xx(),
        cache_hit: false,
        replay: false,
        tokens_estimate: 0,
        truncated: false,
        trimmed: Vec::new(),
        degraded_limits: false,
        anon_budget_bucket: None,
        idempotency: Idempotency::Ok,
        quota: None,
        fixture_mode: true,
    }
}

/// The header of every call.
pub fn headers() -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert("content-type", HeaderValue::from_static("application/json"));
    headers.insert("accept", HeaderValue::from_static("application/json, text/event-stream"));
    headers
}

/// A call for a card.
pub fn card() -> Bytes {
    let params = json!({"name": "get_artist", "arguments": {"key": "four-tet"}});
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string().into()
}

/// The least that can be asked.
pub fn ping() -> Bytes {
    json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string().into()
}
