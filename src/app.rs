//! Every part of the server, built once from the configuration. Starting reads as a list.
//!
//! Decides which part gets which setting. It must never decide anything about a request.

mod automatic;
mod certificate;
mod check;
mod data_service;
mod doctor;
mod figures;
mod fresh_documents;
mod legal;
mod open_files;
mod operator;
mod operators_page;
mod reload;
mod settings;
mod shelves;
mod sign_in;
mod signals;
mod source;
mod start;
mod state;
mod supervised;
mod tool_list;

use std::sync::Arc;

use bytes::Bytes;
use http::{Method, Request, Response};
use tokio::sync::watch;

use self::certificate::Certificate;
use self::figures::Figures;
use self::legal::LegalTexts;
use self::reload::{Looking, Reload, StartOnly};
use self::sign_in::SignIn;
use self::signals::Signals;
use crate::acme::Renewals;
use crate::admin::Standing;
use crate::admission::account::AccountLimits;
use crate::admission::{Admission, AdmissionLimits};
use crate::auth::Metadata;
use crate::catalogue::Catalogue;
use crate::clock::Clock;
use crate::config::{Config, PublicBase};
use crate::crate_client::transport::CatalogueTransport;
use crate::crate_client::{ClientSettings, CrateClient, Transport};
use crate::cursors::seal::Seal;
use crate::cursors::{Cursors, MemoryCursors, StoredCursors};
use crate::envelope::attribution::Origin;
use crate::issuer::Issuer;
use crate::pipeline::{self, Lists, Parts, RecentAnswers};
use crate::resources::{Resources, ServiceDocuments, capabilities};
use crate::site;
use crate::store::{Health, State};
use crate::supervisor::Supervisor;
use crate::telemetry::{Calls, RefusedLines};
use crate::transport::{
    self, Document, Handshakes, LegalPage, McpAnswer, McpRequest, NotReady, PageAnswer, Part, Refuses,
    SecurityHeaders, Service,
};

pub use self::certificate::DemoCertificateFile;
pub use self::check::{careless, check};
pub use self::doctor::{Fault, Finding, Mark, examine};
pub use self::figures::metrics_reference;
pub use self::reload::Origin as ConfigOrigin;
pub use self::sign_in::token;
pub use self::source::Wrong;
pub use self::start::{Announce, DemoToken, StartError, Started};
pub use self::state::Stuck;
pub use self::tool_list::{ToolRow, tools};
pub use crate::issuer::DEMO_SUBJECT;
pub use crate::transport::DEMO_CERTIFICATE_FILE;

/// Tool calls that run at once; further ones are told to wait.
const CALLS_AT_ONCE: usize = 512;

/// What outlives the program.
struct Kept {
    state: Arc<State>,
    /// Marks cursors; without it they are kept until the program ends.
    seal: Option<Seal>,
}

/// Everything that stands behind the routes.
#[derive(Debug)]
pub struct App {
    parts: Arc<Parts>,
    legal: LegalTexts,
    issuer: Option<Arc<Issuer>>,
    documents: Vec<Document>,
}

impl App {
    /// Builds every part.
    ///
    /// # Errors
    /// A catalogue that is not sound, or a legal text that cannot be read.
    fn build(
        (config, public_base): (&Config, &PublicBase),
        sign_in: SignIn,
        kept: &Kept,
        clock: Clock,
    ) -> Result<Self, StartError> {
        let catalogue =
            Catalogue::embedded().map_err(|error| StartError::Catalogue { reason: error.to_string() })?;
        let catalogue = Arc::new(catalogue);
        let is_demo = config.server.fixture_mode;
        let documents = fresh_documents::shipped(&catalogue, &clock, is_demo)?;
        if is_demo {
            let transport = Arc::new(CatalogueTransport::new(catalogue, clock.clone()));
            let settings = data_service::demo_settings(config);
            return Self::over(transport, settings, documents, (config, public_base), sign_in, kept, clock);
        }
        let transport = Arc::new(data_service::transport(config, &clock)?);
        let settings = data_service::settings(config);
        Self::over(transport, settings, documents, (config, public_base), sign_in, kept, clock)
    }

    /// The same over any transport to the data service; `shipped` are the copies of its documents to begin with.
    fn over(
        transport: Arc<dyn Transport>,
        settings: ClientSettings,
        shipped: ServiceDocuments,
        (config, public_base): (&Config, &PublicBase),
        sign_in: SignIn,
        kept: &Kept,
        clock: Clock,
    ) -> Result<Self, StartError> {
        let limits = AdmissionLimits {
            anonymous_units_per_day: config.anonymous.units_per_day,
            anonymous_calls_per_minute: config.anonymous.calls_per_minute,
            chatgpt_calls_per_minute: config.anonymous.chatgpt_calls_per_minute,
            requests_per_second: config.anonymous.requests_per_second,
            requests_burst: config.anonymous.requests_burst,
            calls_at_once: CALLS_AT_ONCE,
            account: AccountLimits {
                calls_per_minute: config.accounts.calls_per_minute,
                calls_at_once: config.accounts.calls_at_once,
            },
        };
        let documents = site::documents(&site::Facts {
            base: public_base.as_str(),
            has_sign_in: sign_in.challenges.metadata().is_some(),
            is_demo: config.server.fixture_mode,
            openai_apps_challenge: config.pages.openai_apps_challenge.as_deref(),
        });
        let scopes = sign_in.challenges.metadata().map(|metadata| metadata.scopes().to_vec());
        let capabilities = capabilities::document(
            &limits,
            (config.deadlines.call, config.deadlines.tool),
            sign_in.challenges.metadata(),
            config.server.fixture_mode,
        );
        let resources = Resources::new(&capabilities, shipped);
        let state = &kept.state;
        let admission = Admission::new(limits, Arc::clone(state), clock.clone());
        let cursors: Arc<dyn Cursors> = match &kept.seal {
            Some(seal) => Arc::new(StoredCursors::new(Arc::clone(state), seal.clone(), clock.clone())),
            None => Arc::new(MemoryCursors::new(clock.clone())),
        };
        let per_month = if config.server.fixture_mode { 0 } else { config.service.per_month };
        let shelves = shelves::on(state, admission.ladder(), per_month);
        let parts = Parts {
            auth: sign_in.auth,
            challenges: sign_in.challenges,
            accounts: sign_in.accounts,
            chatgpt_networks: config.anonymous.chatgpt_networks.clone(),
            admission,
            client: CrateClient::new(transport, settings, shelves, clock.clone()),
            cursors,
            recent: RecentAnswers::default(),
            lists: Lists::new(&resources, scopes.as_deref()),
            resources,
            origin: if config.server.fixture_mode { Origin::Fixtures } else { Origin::Service },
            tool_deadline: config.deadlines.tool,
            calls: Arc::new(Calls::new(&figures::words())),
            refused_lines: RefusedLines::default(),
            clock,
        };
        Ok(Self {
            parts: Arc::new(parts),
            legal: LegalTexts::load(&config.legal)?,
            documents,
            issuer: sign_in.issuer,
        })
    }
}

/// The service that the transport calls.
#[derive(Clone, Debug)]
struct Shared {
    app: Arc<App>,
    renewals: Option<Arc<Renewals>>,
}

impl Service for Shared {
    fn mcp(&self, request: McpRequest) -> McpAnswer {
        pipeline::answer(&self.app.parts, request)
    }

    fn not_ready(&self) -> Vec<NotReady> {
        not_ready(&self.app.parts, self.renewals.as_deref())
    }

    fn documents(&self) -> Vec<Document> {
        self.app.documents.clone()
    }

    fn legal(&self, page: LegalPage) -> String {
        self.app.legal.page(page)
    }

    fn page_methods(&self, path: &str) -> Option<&'static [Method]> {
        self.app.issuer.as_ref().and_then(|_| Issuer::methods(path))
    }

    fn page(&self, request: Request<Bytes>) -> PageAnswer {
        let issuer = self.app.issuer.clone();
        Box::pin(async move {
            match issuer {
                Some(issuer) => issuer.answer(request).await,
                None => Response::new(Bytes::new()),
            }
        })
    }

    fn sign_in_document(&self) -> Option<Bytes> {
        self.app.parts.challenges.metadata().map(Metadata::document)
    }

    fn refuses(&self, request: McpRequest) -> Refuses {
        Box::pin(pipeline::refusal(Arc::clone(&self.app.parts), request))
    }
}

/// Which parts cannot serve. Every other one is built before the socket answers, and stays.
fn not_ready(parts: &Parts, renewals: Option<&Renewals>) -> Vec<NotReady> {
    let admission = &parts.admission;
    let why = match admission.store_health() {
        Health::Refusing(error) => Some(format!("{error}; metered calls are refused")),
        Health::Good | Health::Tight => admission.ladder().is_unconfirmed().then(|| {
            "what was restored or lost waits for an operator's word; metered calls are refused".to_owned()
        }),
    };
    let store = why.map(|why| NotReady { part: Part::Store, why });
    store.into_iter().chain(automatic::not_ready(renewals)).collect()
}

/// Serves until it is told to stop. Calls `announce` once, when the first request can be answered. Being
/// told a second time cuts everything that still runs. `stuck` is called when the store stops answering, and should
/// end the program.
///
/// # Errors
/// Whatever kept it from starting.
pub async fn run(
    config: Config,
    origin: ConfigOrigin,
    announce: Announce,
    stuck: Stuck,
) -> Result<(), StartError> {
    let passed = supervised::listener()?;
    // First of all: until it is taken, the signal ends the program.
    let hangup = reload::hangup(&origin)?;
    let supervisor = Supervisor::from_environment();
    open_files::take_all(&config.transport);
    let clock = Clock::system();
    // Before any of them is read: what changes while the server starts may have been read or not, and is told.
    let start_only = StartOnly::of(&config);
    let renewals = automatic::renewals(&config, &clock)?;
    let Certificate { shown, demo } = Certificate::load(&config, renewals.as_deref(), &clock)?;
    let mut listener = match passed {
        Some(listener) => listener,
        None => settings::listen(config.server.listen).await?,
    };
    let address = listener.address();
    let public_base = config.server.public_base.clone().settled(address.port());
    let side_door =
        listener.side_door(public_base.authority(), &[supervised::PING]).showing(Arc::clone(&shown));
    let state = state::open(&config.server.data_dir, &clock, stuck)?;
    state::back_up(&config, &state, &clock)?;
    let operators = operators_page::open(&config)?;
    let sign_in = SignIn::of(&config, &public_base, &state, &clock)?;
    let demo_token = sign_in.demo_token.clone();
    let seal = state::seal(&config.server.data_dir)?;
    let kept = Kept { state, seal: Some(seal) };
    let app = Arc::new(App::build((&config, &public_base), sign_in, &kept, clock.clone())?);
    let parts = Arc::clone(&app.parts);
    let standing = Arc::<Standing>::default();
    operator::listen(&config.server.data_dir, Arc::clone(&parts), Arc::clone(&standing));
    let guard = settings::guard(&config, &public_base, address);
    let security = SecurityHeaders::new(config.server.public);
    let handshakes = Handshakes::from(transport::server_config_showing(Arc::clone(&shown)));
    let handshakes = match &renewals {
        Some(renewals) => handshakes.proving(renewals.challenges()),
        None => handshakes,
    };
    let mut signals = Signals::listen()?;
    let limits = open_files::kept(config.transport.clone());
    let figures = Figures {
        parts: Arc::clone(&parts),
        standing: Arc::clone(&standing),
        shown: Arc::clone(&shown),
        renewals: renewals.clone(),
        traffic: listener.traffic(),
        connections_max: limits.connections,
        public_base: public_base.as_str().to_owned(),
        is_demo: config.server.fixture_mode,
        started: clock.utc(),
        clock: clock.clone(),
    };
    automatic::keep_renewed(renewals.clone(), &shown, &standing);
    let changing = reload::Parts {
        shown: Arc::clone(&shown),
        guard: guard.clone(),
        standing,
        renewals: renewals.clone(),
    };
    let places = (public_base.clone(), address);
    let reload = Reload::new(origin, changing, (config.clone(), start_only), places, clock.utc());
    let looking_again = Looking::new(reload, clock.clone());
    if renewals.is_none() {
        certificate::warn(&shown.now(), clock.utc());
    }
    if parts.admission.ladder().is_unconfirmed() {
        let data =
            std::path::absolute(&config.server.data_dir).unwrap_or_else(|_| config.server.data_dir.clone());
        tracing::warn!(
            "the database was restored, or lost something: metered calls are refused until `ono-sendai admin \
             restore-confirm --data {}`",
            data.display()
        );
    }
    let looking = data_service::look(config.server.fixture_mode, Arc::clone(&app.parts));
    let keeping = fresh_documents::keep_fresh(config.server.fixture_mode, Arc::clone(&app.parts));
    let serves = format!("serving {} on {address}", public_base.join("/mcp"));
    let status = || {
        let waits = if shown.is_waiting() { ", as soon as there is a certificate" } else { "" };
        format!("{serves}{waits}")
    };
    if shown.is_waiting() {
        tracing::warn!("there is no certificate yet: no client is served until the authority has issued one");
    }
    announce(&Started { address, public_base, certificate: demo, demo_token });
    supervisor.ready(&status());
    let (tell, told) = watch::channel(false);
    let stop = || {
        let mut told = told.clone();
        async move {
            let _told_or_gone = told.wait_for(|told| *told).await;
        }
    };
    let service = Arc::new(Shared { app, renewals });
    let stops_within = config.transport.grace + supervised::AFTER_THE_GRACE;
    let serving = transport::serve(listener, handshakes, limits, guard, security, service, stop());
    let showing = operators_page::serve(operators, figures, clock.clone(), stop());
    let serving = async { tokio::join!(serving, showing).0 };
    // From the first signal on nothing is read again and no sign of life is given: the port is closed.
    let told_twice = async {
        tokio::select! {
            () = signals.next() => {}
            // These never end by themselves.
            () = supervised::reload_when_told(&supervisor, hangup, &status, &looking_again) => {}
            () = supervised::tell_when_shown(&supervisor, &shown, &status) => {}
            () = looking_again.clone().by_itself() => {}
            () = supervised::give_signs_of_life(&supervisor, &side_door) => {}
        }
        supervisor.stopping(stops_within);
        tell.send_replace(true);
        signals.next().await;
    };
    tokio::select! {
        report = serving => {
            let took_ms = u64::try_from(report.took.as_millis()).unwrap_or(u64::MAX);
            tracing::info!(open = report.open, cut = report.cut, took_ms, "stopped");
        }
        // These never end by themselves, and with everything else.
        () = looking => {}
        () = keeping => {}
        () = told_twice => tracing::warn!("stopped at once, as a second signal asked"),
    }
    // After the last answer; what is on its way becomes durable first.
    parts.admission.close();
    Ok(())
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;
    use serde_json::{Value, json};
    use time::macros::datetime;

    use super::*;
    use crate::crate_client::transport::{Request, Sending};
    use crate::profile::Endpoint;
    use crate::store::MemoryStore;
    use crate::transport::{ClientAddress, LastWord, Later};

    /// A data service whose client has a fault.
    #[derive(Debug)]
    struct Faulty;

    impl Transport for Faulty {
        fn send<'a>(&'a self, _: Request<'a>) -> Sending<'a> {
            Box::pin(async { panic!("the test asked for it") })
        }
    }

    fn parts(config: &Config) -> Arc<Parts> {
        let clock = Clock::wound_to(datetime!(2027-01-31 12:00:00 UTC));
        let documents = fresh_documents::shipped(&Catalogue::embedded().unwrap(), &clock, true).unwrap();
        let base = PublicBase::localhost(8443);
        let settings = data_service::demo_settings(config);
        let state = Arc::new(State::load(Arc::new(MemoryStore::new()), &clock).unwrap());
        let sign_in = SignIn::none(config, &state, &clock);
        let kept = Kept { state, seal: None };
        App::over(Arc::new(Faulty), settings, documents, (config, &base), sign_in, &kept, clock)
            .unwrap()
            .parts
    }

    fn post(body: &Value, authorization: Option<&'static str>) -> McpRequest {
        let mut headers = HeaderMap::new();
        headers.insert("content-type", "application/json".parse().unwrap());
        headers.insert("accept", "application/json".parse().unwrap());
        headers.insert("mcp-protocol-version", "2025-11-25".parse().unwrap());
        if let Some(authorization) = authorization {
            headers.insert("authorization", authorization.parse().unwrap());
        }
        let client = ClientAddress::new([192, 0, 2, 1].into());
        McpRequest { endpoint: Endpoint::CORE, headers, body: body.to_string().into(), client }
    }

    fn later(parts: &Arc<Parts>) -> Later {
        let call = json!({"jsonrpc": "2.0", "id": "c-1", "method": "tools/call",
            "params": {"name": "resolve_artist", "arguments": {"q": "Four Tet"}}});
        match pipeline::answer(parts, post(&call, None)) {
            McpAnswer::Later(later) => later,
            other => panic!("{other:?}"),
        }
    }

    fn json_of(answer: &crate::transport::HttpAnswer) -> Value {
        serde_json::from_slice(answer.body.as_ref().unwrap()).unwrap()
    }

    #[tokio::test]
    async fn a_tool_that_fails_unforeseen_is_an_internal_error_with_the_request_id() {
        let parts = parts(&Config::default());
        let Later { headers, work, .. } = later(&parts);
        let answer = work.await;
        let json = json_of(&answer);
        assert_eq!((answer.status.as_u16(), &json["id"]), (200, &json!("c-1")), "{json}");
        assert_eq!(json["result"]["isError"], true);
        let envelope = &json["result"]["structuredContent"];
        assert_eq!(envelope["error"]["type"], "internal");
        assert_eq!(envelope["meta"]["units"], 1, "what was asked for before the fault is counted");
        assert_eq!(envelope["meta"]["request_id"].as_str(), headers["x-request-id"].to_str().ok());
        assert!(!json.to_string().contains("the test asked"), "{json}");
    }

    #[tokio::test]
    async fn a_call_that_cannot_be_waited_for_ends_with_its_own_id() {
        let parts = parts(&Config::default());
        for (word, status) in [(LastWord::Stopping, 503), (LastWord::Failed, 500)] {
            let answer = (later(&parts).last)(word);
            let json = json_of(&answer);
            assert_eq!((answer.status.as_u16(), &json["id"]), (status, &json!("c-1")));
            assert_eq!(json["error"]["code"], -32603);
            assert_eq!(answer.headers.contains_key("retry-after"), word == LastWord::Stopping);
        }
    }

    #[test]
    fn an_acknowledged_message_has_a_request_id_too() {
        let parts = parts(&Config::default());
        let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let McpAnswer::Ready(answer) = pipeline::answer(&parts, post(&note, None)) else { panic!("later") };
        assert_eq!((answer.status.as_u16(), &answer.body), (202, &None));
        assert!(answer.headers.contains_key("x-request-id"));
    }

    #[test]
    fn refused_credentials_do_not_pass_the_guard_of_an_address() {
        let mut config = Config::default();
        config.anonymous.requests_burst = 3;
        let parts = parts(&config);
        let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
        let statuses: Vec<u16> = (0..5)
            .map(|_| match pipeline::answer(&parts, post(&ping, Some("Bearer x"))) {
                McpAnswer::Ready(answer) => answer.status.as_u16(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(statuses, [401, 401, 401, 429, 429]);
    }
}
