//! What tools make of any answer of the data service, without a server in between.

mod cases;
mod find_tracks;
mod get_label;
mod hostile;
mod long_walks;
mod provenance;
pub mod samples;
mod search_catalog;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use jsonschema::Validator;
use ono_sendai::catalogue::Catalogue;
use ono_sendai::clock::Clock;
use ono_sendai::crate_client::cache::CacheLimits;
use ono_sendai::crate_client::transport::{Answer, CatalogueTransport, Request, Sending};
use ono_sendai::crate_client::{
    CallLedger, Caller, ClientSettings, CrateClient, Extension, Shelves, Switch, Transport,
};
use ono_sendai::cursors::{MemoryCursors, Owner, Walks};
use ono_sendai::envelope::attribution::Origin;
use ono_sendai::envelope::schema;
use ono_sendai::tools::registry::ToolName;
use serde_json::Value;
use time::macros::datetime;

use crate::harness::{Envelope, sent, told};

/// One request that came through: its path and its query.
type Asked = (String, Vec<(String, String)>);

/// A data service that gives prepared answers in turn, the last one for ever.
#[derive(Debug)]
struct Scripted {
    answers: Mutex<VecDeque<(u16, String)>>,
    asked: Mutex<Vec<Asked>>,
}

impl Transport for Scripted {
    fn send<'a>(&'a self, request: Request<'a>) -> Sending<'a> {
        let query = request.query.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        self.asked.lock().expect("a lock").push((request.path.to_owned(), query));
        let mut answers = self.answers.lock().expect("a lock");
        let (status, body) = if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() }
            .expect("an answer");
        Box::pin(async move { Ok(Answer::new(status, body.into())) })
    }
}

/// A data service with a client of its own.
struct Service {
    client: CrateClient,
    origin: Origin,
    scripted: Option<Arc<Scripted>>,
    cursors: MemoryCursors,
    clock: Clock,
}

/// One answer, as a caller gets it.
struct Told {
    json: Value,
    raw: String,
    text: String,
    units: u32,
}

impl Service {
    /// The demo catalogue.
    fn demo() -> Self {
        static CATALOGUE: OnceLock<Arc<Catalogue>> = OnceLock::new();
        let catalogue = CATALOGUE.get_or_init(|| Arc::new(Catalogue::embedded().expect("a catalogue")));
        let transport = Arc::new(CatalogueTransport::new(Arc::clone(catalogue), clock()));
        Self::over(transport, Origin::Fixtures, None)
    }

    /// A service that answers everything so.
    fn saying(body: &Value) -> Self {
        Self::script([(200, body.to_string())])
    }

    /// A service that gives these answers in turn, the last one for ever.
    fn script(answers: impl IntoIterator<Item = (u16, String)>) -> Self {
        let answers = Mutex::new(answers.into_iter().collect());
        let scripted = Arc::new(Scripted { answers, asked: Mutex::default() });
        Self::over(Arc::clone(&scripted) as _, Origin::Service, Some(scripted))
    }

    fn over(transport: Arc<dyn Transport>, origin: Origin, scripted: Option<Arc<Scripted>>) -> Self {
        let clock = clock();
        Self {
            client: client(transport),
            origin,
            scripted,
            cursors: MemoryCursors::new(clock.clone()),
            clock,
        }
    }

    /// What it was asked.
    fn asked(&self) -> Vec<Asked> {
        self.scripted.as_ref().map_or_else(Vec::new, |s| s.asked.lock().expect("a lock").clone())
    }

    /// Calls a tool; the answer fits the schema that is published.
    fn call(&self, tool: ToolName, arguments: Value) -> Told {
        self.call_of(1, tool, arguments)
    }

    /// The same for the account of this number.
    fn call_of(&self, account: u8, tool: ToolName, arguments: Value) -> Told {
        let walks = Walks { cursors: &self.cursors, owner: Some(Owner::new([account; 16])) };
        let ledger = CallLedger::new(Caller::new(1));
        let whole = told(&self.client, &ledger, self.origin, tool, &arguments, walks);
        let Envelope { json, raw, text, .. } = sent(whole, self.origin);
        let faults: Vec<String> =
            validator().iter_errors(&json).map(|e| format!("{e} at {}", e.instance_path())).collect();
        assert!(faults.is_empty(), "{} {arguments}: {faults:?}\n{json}", tool.as_str());
        Told { json, raw, text, units: ledger.units() }
    }
}

impl Told {
    fn data(&self) -> &Value {
        assert_eq!(self.json["ok"], true, "{}", self.json);
        &self.json["data"]
    }

    fn error(&self) -> &Value {
        assert_eq!(self.json["ok"], false, "{}", self.json);
        &self.json["error"]
    }

    /// Type and parameter of an input error.
    fn refusal(&self) -> (&str, &str) {
        let error = self.error();
        (error["type"].as_str().expect("a type"), error["data"]["param"].as_str().unwrap_or("-"))
    }

    fn line(&self) -> &str {
        self.json["attribution"]["line"].as_str().expect("a line")
    }
}

fn clock() -> Clock {
    Clock::wound_to(datetime!(2027-01-31 12:00 UTC))
}

fn client(transport: Arc<dyn Transport>) -> CrateClient {
    let settings = ClientSettings {
        call_deadline: Duration::from_secs(8),
        plan: None,
        cache: CacheLimits::default(),
        extensions: vec![(Extension::SearchCursor, Switch::On), (Extension::Gigs, Switch::On)],
    };
    CrateClient::new(transport, settings, Shelves::default(), clock())
}

/// The schema of every answer.
pub fn validator() -> &'static Validator {
    static SCHEMA: OnceLock<Validator> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        jsonschema::options().should_validate_formats(true).build(&schema::envelope()).expect("a schema")
    })
}

/// The value at a JSON pointer, to be written in place.
fn set(body: &mut Value, pointer: &str, value: Value) {
    *body.pointer_mut(pointer).unwrap_or_else(|| panic!("no {pointer}")) = value;
}

/// Every scalar within `value`, by its JSON pointer.
fn scalars(value: &Value) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), value)];
    while let Some((at, value)) = open.pop() {
        match value {
            Value::Object(object) => open.extend(object.iter().map(|(key, v)| (format!("{at}/{key}"), v))),
            Value::Array(rows) => open.extend(rows.iter().enumerate().map(|(n, v)| (format!("{at}/{n}"), v))),
            scalar => found.push((at, scalar.clone())),
        }
    }
    found
}
