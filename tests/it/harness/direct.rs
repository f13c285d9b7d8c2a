//! Tools run without a server around them, over any data service: for what no server would let a test see.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use ono_sendai::answer::{AccountProfile, AccountUsage, Data};
use ono_sendai::catalogue::Catalogue;
use ono_sendai::clock::Clock;
use ono_sendai::crate_client::cache::CacheLimits;
use ono_sendai::crate_client::transport::{Answer, CatalogueTransport, Hints, Request, Sending, Transport};
use ono_sendai::crate_client::{CallLedger, Caller, ClientSettings, CrateClient, Extension, Shelves, Switch};
use ono_sendai::cursors::{MemoryCursors, Owner, Walks};
use ono_sendai::envelope;
use ono_sendai::envelope::attribution::{Attribution, Origin};
use ono_sendai::envelope::meta::{ClientClass, Idempotency, Meta, Quota};
use ono_sendai::model::source::Sources;
use ono_sendai::profile::Profile;
use ono_sendai::render::text;
use ono_sendai::tools::Call;
use ono_sendai::tools::account::AccountView;
use ono_sendai::tools::registry::ToolName;
use serde_json::Value;
use time::OffsetDateTime;
use time::macros::datetime;

use super::Envelope;
use crate::recorder::Exchange;

/// When it is for every [`Direct`].
const NOW: OffsetDateTime = datetime!(2027-01-31 12:00 UTC);

/// Tools over a data service.
pub struct Direct {
    client: CrateClient,
    origin: Origin,
    cursors: MemoryCursors,
}

/// What the service says at the paths that begin so.
#[derive(Debug)]
struct Said {
    path: String,
    status: u16,
    body: Bytes,
    /// What is said before that, each once.
    first: Mutex<VecDeque<Bytes>>,
    /// The list of which no more rows are sent than were asked for.
    rows: Option<&'static str>,
}

/// The demo catalogue, with some answers replaced.
#[derive(Debug)]
pub struct Scripted {
    catalogue: CatalogueTransport,
    said: Vec<Said>,
    exchanges: Mutex<Vec<Exchange>>,
}

impl Scripted {
    /// The catalogue as it is.
    pub fn catalogue() -> Self {
        static CATALOGUE: OnceLock<Arc<Catalogue>> = OnceLock::new();
        let catalogue = CATALOGUE.get_or_init(|| Arc::new(Catalogue::embedded().expect("a catalogue")));
        let catalogue = CatalogueTransport::new(Arc::clone(catalogue), Clock::wound_to(NOW));
        Self { catalogue, said: Vec::new(), exchanges: Mutex::default() }
    }

    /// Answers every path that begins so with `status` and `body`.
    pub fn says(mut self, path: &str, status: u16, body: impl Into<Bytes>) -> Self {
        let first = Mutex::default();
        self.said.push(Said { path: path.to_owned(), status, body: body.into(), first, rows: None });
        self
    }

    /// Answers every path that begins so with `first`, once, and then with `body`.
    pub fn says_then(self, path: &str, first: &Value, body: &Value) -> Self {
        let scripted = self.says(path, 200, body.to_string());
        if let Some(said) = scripted.said.last() {
            said.first.lock().expect("whole").push_back(first.to_string().into());
        }
        scripted
    }

    /// Answers every path that begins so with `body`, of whose list `rows` as many are sent as the request allows.
    pub fn lists(mut self, path: &str, rows: &'static str, body: &Value) -> Self {
        let body = body.to_string().into();
        let first = Mutex::default();
        self.said.push(Said { path: path.to_owned(), status: 200, body, first, rows: Some(rows) });
        self
    }

    /// What was asked for so far, in order.
    pub fn asked(&self) -> Vec<String> {
        self.exchanges.lock().expect("whole").iter().map(|exchange| exchange.target.clone()).collect()
    }

    /// What was said since this was last asked.
    pub fn take(&self) -> Vec<Exchange> {
        std::mem::take(&mut *self.exchanges.lock().expect("whole"))
    }

    fn keep(&self, request: &Request<'_>, answer: &Answer) {
        let query: Vec<String> =
            request.query.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let target = format!("{}?{}", request.path, query.join("&"));
        let body = serde_json::from_slice(&answer.body).unwrap_or_default();
        let exchange = Exchange { method: "get".to_owned(), target, status: answer.status, body };
        self.exchanges.lock().expect("whole").push(exchange);
    }
}

impl Said {
    fn answer(&self, request: &Request<'_>) -> Answer {
        let limit = request.query.iter().find(|(name, _)| *name == "limit").map(|(_, value)| value.parse());
        let body = match (self.rows, limit) {
            (Some(rows), Some(Ok(limit))) => {
                let mut body: Value = serde_json::from_slice(&self.body).expect("JSON");
                body[rows].as_array_mut().expect("rows").truncate(limit);
                body.to_string().into()
            }
            _ => self.first.lock().expect("whole").pop_front().unwrap_or_else(|| self.body.clone()),
        };
        Answer { status: self.status, body, hints: Hints::default() }
    }
}

impl Transport for Scripted {
    fn send<'a>(&'a self, request: Request<'a>) -> Sending<'a> {
        // What was said last holds.
        if let Some(said) = self.said.iter().rev().find(|said| request.path.starts_with(&said.path)) {
            let answer = said.answer(&request);
            self.keep(&request, &answer);
            return Box::pin(async move { Ok(answer) });
        }
        Box::pin(async move {
            let answer = self.catalogue.send(request).await?;
            self.keep(&request, &answer);
            Ok(answer)
        })
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
        Self { client, origin: Origin::Fixtures, cursors: MemoryCursors::new(Clock::wound_to(NOW)) }
    }

    /// Over the demo catalogue.
    pub fn demo() -> Self {
        Self::over(Arc::new(Scripted::catalogue()), &[Extension::Gigs])
    }

    /// One call, as its answer would be sent.
    pub fn call(&self, tool: &str, arguments: &Value) -> Envelope {
        sent(self.whole(tool, arguments), self.origin)
    }

    /// The same before it is kept to its size, and after.
    pub fn both(&self, tool: &str, arguments: &Value) -> (Envelope, Envelope) {
        let whole = self.whole(tool, arguments);
        (written(&whole), sent(whole, self.origin))
    }

    /// The same when it is measured again after its account's figures have grown, as those of every answer do.
    pub fn measured_twice(&self, tool: &str, arguments: &Value) -> Envelope {
        let mut whole = self.whole(tool, arguments);
        ono_sendai::pipeline::fit(&mut whole, self.origin);
        // As many tokens as a row of an include has.
        let long = "2027-02-01T00:00:00Z".repeat(5);
        whole.meta.quota = whole.meta.quota.map(|quota| Quota { reset_at: long, ..quota });
        whole.meta.tokens_estimate = 0;
        sent(whole, self.origin)
    }

    fn whole(&self, tool: &str, arguments: &Value) -> envelope::Envelope<Data> {
        let tool = ToolName::find(tool, Profile::Full).unwrap_or_else(|| panic!("no tool {tool}"));
        let ledger = CallLedger::new(Caller::account(1));
        let walks = Walks { cursors: &self.cursors, owner: Some(Owner::new([1; 16])) };
        told(&self.client, &ledger, self.origin, tool, arguments, walks)
    }
}

/// What a tool answers, before it is kept to its size.
pub fn told(
    client: &CrateClient,
    ledger: &CallLedger,
    origin: Origin,
    tool: ToolName,
    arguments: &Value,
    walks: Walks<'_>,
) -> envelope::Envelope<Data> {
    let call = Call::parse(tool, arguments);
    let most = call.as_ref().map_or(0, Call::most_units);
    let (view, view_coerced) = call.as_ref().map_or((None, false), Call::view);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let found = runtime.block_on(async { call?.run(client, ledger, origin, Some(&account()), walks).await });
    assert!(ledger.units() <= most, "{} units, {most} reserved", ledger.units());
    let meta = Meta { view, view_coerced, ..meta(ledger, origin) };
    match found {
        Ok(finding) => envelope::Envelope::success(finding, meta),
        Err(error) => envelope::Envelope::failure(error, Attribution::of(&Sources::default(), origin), meta),
    }
}

/// An answer in the form in which it is sent: kept to its size, measured, written.
pub fn sent(mut whole: envelope::Envelope<Data>, origin: Origin) -> Envelope {
    ono_sendai::pipeline::fit(&mut whole, origin);
    written(&whole)
}

fn written(whole: &envelope::Envelope<Data>) -> Envelope {
    let raw = serde_json::to_string(whole).expect("JSON");
    let json = serde_json::from_str(&raw).expect("JSON");
    Envelope { json, raw, text: text::render(whole), is_error: !whole.is_ok() }
}

/// The account that calls.
fn account() -> AccountView {
    let profile = AccountProfile {
        account_mode: "interim",
        plan: None,
        units_per_month: 1_000,
        calls_per_minute: 30,
        calls_at_once: 4,
    };
    let usage = AccountUsage {
        used: 412,
        allowance: 1_000,
        remaining: 588,
        warning_80: false,
        reset_at: "2027-02-01T00:00:00Z".to_owned(),
    };
    AccountView { profile, usage }
}

fn meta(ledger: &CallLedger, origin: Origin) -> Meta {
    let AccountUsage { used, allowance, warning_80, reset_at, .. } = account().usage;
    Meta {
        request_id: "01890000-0000-7000-8000-000000000000".to_owned(),
        generated_at: "2027-01-31T12:00:00Z".to_owned(),
        anonymous: false,
        account_mode: Some("interim"),
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
        quota: Some(Quota { used, allowance, warning_80, reset_at }),
        fixture_mode: origin == Origin::Fixtures,
    }
}
