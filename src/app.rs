//! Every part of the server, built once from the configuration. Starting reads as a list.
//!
//! Decides which part gets which setting. It must never decide anything about a request.

mod fixed_documents;
mod legal;
mod lifecycle;

use std::num::NonZeroUsize;
use std::sync::Arc;

use crate::admission::{Admission, AdmissionLimits};
use crate::catalogue::Catalogue;
use crate::cli::{Announce, Program, StartError, Started, ToolRow};
use crate::clock::Clock;
use crate::config::Config;
use crate::crate_client::transport::CatalogueTransport;
use crate::crate_client::{CrateClient, IdentityMemory};
use crate::envelope::attribution::Origin;
use crate::pipeline::{self, Parts};
use crate::resources::{Resources, capabilities};
use crate::shape;
use crate::tools::registry::ToolName;
use crate::transport::{self, LegalPage, Listener, McpAnswer, McpRequest, NotReady, Service};

use self::legal::LegalTexts;

/// Identities that are remembered between a resolve and the call that follows it.
const REMEMBERED_IDENTITIES: NonZeroUsize = NonZeroUsize::new(20_000).expect("not zero");
/// Tool calls that run at once; further ones are told to wait.
const CALLS_AT_ONCE: usize = 512;

/// Everything that stands behind the routes.
#[derive(Debug)]
pub struct App {
    parts: Arc<Parts>,
    legal: LegalTexts,
}

impl App {
    /// Builds every part.
    ///
    /// # Errors
    /// A catalogue that is not sound, or a legal text that cannot be read.
    pub fn build(config: &Config, clock: Clock) -> Result<Self, StartError> {
        let catalogue =
            Catalogue::embedded().map_err(|error| StartError::Catalogue { reason: error.to_string() })?;
        let catalogue = Arc::new(catalogue);
        let limits = AdmissionLimits {
            anonymous_units_per_day: config.anonymous.units_per_day,
            anonymous_calls_per_minute: config.anonymous.calls_per_minute,
            requests_per_second: config.anonymous.requests_per_second,
            requests_burst: config.anonymous.requests_burst,
            calls_at_once: CALLS_AT_ONCE,
        };
        let capabilities =
            capabilities::document(&limits, config.deadlines.call, config.deadlines.tool, true);
        let (manifest, dictionary) = fixed_documents::of(&catalogue, &clock)?;
        let transport = Arc::new(CatalogueTransport::new(catalogue, clock.clone()));
        let parts = Parts {
            admission: Admission::new(limits, clock.clone()),
            client: CrateClient::new(
                transport,
                IdentityMemory::new(REMEMBERED_IDENTITIES),
                config.deadlines.call,
                clock.clone(),
            ),
            resources: Resources::new(&capabilities, manifest, dictionary),
            origin: Origin::Fixtures,
            tool_deadline: config.deadlines.tool,
            clock,
        };
        Ok(Self { parts: Arc::new(parts), legal: LegalTexts::load(&config.legal)? })
    }
}

/// The service that the transport calls.
#[derive(Clone, Debug)]
struct Shared(Arc<App>);

impl Service for Shared {
    fn mcp(&self, request: McpRequest) -> McpAnswer {
        pipeline::answer(&self.0.parts, request)
    }

    fn not_ready(&self) -> Vec<NotReady> {
        // Every part is built before the socket answers; nothing can be missing yet.
        Vec::new()
    }

    fn legal(&self, page: LegalPage) -> String {
        self.0.legal.page(page)
    }
}

/// The server as the command line starts it.
#[derive(Clone, Copy, Debug)]
pub struct Server;

impl Program for Server {
    async fn run(&self, config: Config, announce: Announce) -> Result<(), StartError> {
        let clock = Clock::system();
        let listen = config.server.listen;
        let certificate = lifecycle::certificate(&config, &clock)?;
        let app = Arc::new(App::build(&config, clock)?);
        let listener = Listener::bind(listen).map_err(|error| lifecycle::listen_error(listen, error))?;
        let address = listener.address();
        let guard = lifecycle::guard(&config, address)?;
        let tls = transport::server_config(&certificate.identity);
        let stop = lifecycle::told_to_stop()?;
        announce(&Started { address, certificate: certificate.demo });
        let limits = lifecycle::limits(&config);
        let report = transport::serve(listener, tls, limits, guard, Arc::new(Shared(app)), stop).await;
        tracing::info!(open = report.open, cut = report.cut, took_ms = report.took.as_millis(), "stopped");
        Ok(())
    }

    fn tools(&self) -> Vec<ToolRow> {
        ToolName::ALL.into_iter().map(lifecycle::tool_row).collect()
    }

    fn estimate_tokens(&self, text: &str) -> u64 {
        u64::from(shape::tokens(text))
    }
}
