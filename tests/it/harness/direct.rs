//! Tools run without a server around them, over any data service: for what no server would let a test see.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use ono_sendai::catalogue::Catalogue;
use ono_sendai::clock::Clock;
use ono_sendai::crate_client::cache::CacheLimits;
use ono_sendai::crate_client::transport::{Answer, CatalogueTransport, Hints, Request, Sending, Transport};
use ono_sendai::crate_client::{CallLedger, Caller, ClientSettings, CrateClient, Extension, Shelves, Switch};
use ono_sendai::cursors::{MemoryCursors, Walks};
use ono_sendai::envelope;
use ono_sendai::envelope::attribution::{Attribution, Origin};
use ono_sendai::envelope::meta::{ClientClass, Idempotency, Meta};
use ono_sendai::model::source::Sources;
use ono_sendai::profile::Profile;
use ono_sendai::render::text;
use ono_sendai::shape;
use ono_sendai::tools::Call;
use ono_sendai::tools::registry::ToolName;
use serde_json::Value;
use time::OffsetDateTime;
use time::macros::datetime;

use super::Envelope;

/// When it is for every [`Direct`].
const NOW: OffsetDateTime = datetime!(2027-01-31 12:00 UTC);

/// Tools over a data service.
pub struct Direct {
    client: CrateClient,
    origin: Origin,
}

/// The demo catalogue, with some answers replaced.
#[derive(Debug)]
pub struct Scripted {
    catalogue: CatalogueTransport,
    said: Vec<(String, u16, Bytes)>,
    /// The paths that were asked for, with their queries.
    asked: Mutex<Vec<String>>,
}

impl Scripted {
    /// The catalogue as it is.
    pub fn catalogue() -> Self {
        let catalogue = Arc::new(Catalogue::embedded().expect("a catalogue"));
        let catalogue = CatalogueTransport::new(catalogue, Clock::wound_to(NOW));
        Self { catalogue, said: Vec::new(), asked: Mutex::default() }
    }

    /// Answers every path that begins so with `status` and `body`.
    pub fn says(mut self, path: &str, status: u16, body: impl Into<Bytes>) -> Self {
        self.said.push((path.to_owned(), status, body.into()));
        self
    }

    /// What was asked for so far, in order.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("whole").clone()
    }
}

impl Transport for Scripted {
    fn send<'a>(&'a self, request: Request<'a>) -> Sending<'a> {
        let query: Vec<String> =
            request.query.iter().map(|(name, value)| format!("{name}={value}")).collect();
        self.asked.lock().expect("whole").push(format!("{}?{}", request.path, query.join("&")));
        // What was said last holds.
        match self.said.iter().rev().find(|(path, ..)| request.path.starts_with(path)) {
            Some((_, status, body)) => {
                let answer = Answer { status: *status, body: body.clone(), hints: Hints::default() };
                Box::pin(async move { Ok(answer) })
            }
            None => self.catalogue.send(request),
        }
    }
}

impl Direct {
    /// Over `service`, which has `extensions`.
    pub fn over(service: Arc<Scripted>, extensions: &[Extension]) -> Self {
        let settings = ClientSettings {
            call_deadline: Duration::from_secs(8),
            plan: None,
            cache: CacheLimits { max_bytes: 0, lifetimes: HashMap::new() },
            extensions: extensions.iter().map(|extension| (*extension, Switch::On)).collect(),
        };
        let client = CrateClient::new(service, settings, Shelves::default(), Clock::wound_to(NOW));
        Self { client, origin: Origin::Fixtures }
    }

    /// Over the demo catalogue.
    pub fn demo() -> Self {
        Self::over(Arc::new(Scripted::catalogue()), &[Extension::Gigs])
    }

    /// One call, as its answer would be sent.
    pub fn call(&self, tool: &str, arguments: &Value) -> Envelope {
        let tool = ToolName::find(tool, Profile::Full).unwrap_or_else(|| panic!("no tool {tool}"));
        let ledger = CallLedger::new(Caller::account(1));
        let call = Call::parse(tool, arguments);
        let most = call.as_ref().map_or(0, Call::most_units);
        let cursors = MemoryCursors::new(Clock::system());
        let walks = Walks { cursors: &cursors, owner: None };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let found =
            runtime.block_on(async { call?.run(&self.client, &ledger, self.origin, None, walks).await });
        assert!(ledger.units() <= most, "{} units, {most} reserved", ledger.units());
        let meta = self.meta(&ledger);
        let mut whole = match found {
            Ok(finding) => envelope::Envelope::success(finding, meta),
            Err(error) => {
                let credit = Attribution::of(&Sources::default(), self.origin);
                envelope::Envelope::failure(error, credit, meta)
            }
        };
        let text = text::render(&whole);
        let json = serde_json::to_string(&whole).expect("JSON");
        whole.meta.tokens_estimate = shape::tokens(&text) + shape::tokens(&json);
        let raw = serde_json::to_string(&whole).expect("JSON");
        let json = serde_json::from_str(&raw).expect("JSON");
        Envelope { json, raw, text, is_error: !whole.is_ok() }
    }

    fn meta(&self, ledger: &CallLedger) -> Meta {
        Meta {
            request_id: "01890000-0000-7000-8000-000000000000".to_owned(),
            generated_at: "2027-01-31T12:00:00Z".to_owned(),
            anonymous: false,
            account_mode: Some("interim"),
            client_class: ClientClass::LinkedGeneric,
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
            fixture_mode: self.origin == Origin::Fixtures,
        }
    }
}
