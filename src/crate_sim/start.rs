//! From what a person asked for to a simulator that runs until it is told to stop.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tokio::signal::unix::{SignalKind, signal};

use super::server::{Simulator, SimulatorError};
use super::{ApiKey, Plan, Scenario, Settings};
use crate::catalogue::{Catalogue, CatalogueError, Homonyms};
use crate::clock::Clock;
use crate::dumps::{DumpError, Dumps};
use crate::transport::{DemoCertificateError, Identity, TlsError, demo_certificate};

/// What a person asks for.
#[derive(Debug)]
pub struct Wanted {
    /// Where to listen; port 0 takes a free one.
    pub listen: std::net::SocketAddr,
    /// The key that clients have to send.
    pub key: ApiKey,
    /// What that key may do.
    pub plan: Plan,
    /// What goes wrong.
    pub scenario: Scenario,
    /// How connections are secured.
    pub tls: Tls,
    /// What to serve in place of the demo catalogue.
    pub extracts: Option<Extracts>,
}

/// Files of the public data dumps.
#[derive(Debug)]
pub struct Extracts {
    /// The folder with artists, masters and releases of Discogs.
    pub folder: PathBuf,
    /// Core facts of MusicBrainz.
    pub musicbrainz: Option<PathBuf>,
    /// How artists of one name are kept.
    pub homonyms: Homonyms,
}

/// Where the certificate comes from.
#[derive(Debug, PartialEq, Eq)]
pub enum Tls {
    /// There is none: plain HTTP.
    Off,
    /// Made for localhost and kept in this folder.
    Made(PathBuf),
    /// A chain and its key, as PEM files.
    Files {
        /// The chain.
        certificate: PathBuf,
        /// The private key.
        private_key: PathBuf,
    },
}

/// A simulator that is ready.
#[derive(Clone, Debug)]
pub struct Ready {
    /// Its address, without a path.
    pub url: String,
    /// The made certificate, for clients to trust.
    pub certificate: Option<PathBuf>,
}

/// Why a simulator does not run.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The data that comes with the program is broken.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// The files that were named are no dumps.
    #[error(transparent)]
    Dumps(#[from] DumpError),
    /// The certificate cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// No certificate can be made.
    #[error(transparent)]
    Made(#[from] DemoCertificateError),
    /// It cannot listen.
    #[error(transparent)]
    Listen(#[from] SimulatorError),
    /// The signals that end it cannot be heard.
    #[error("cannot listen for signals: {0}")]
    Signals(#[source] io::Error),
}

/// Runs until SIGTERM or SIGINT, and gives the report. `announce` is called once it listens; `log` takes a line for
/// each request.
///
/// # Errors
/// When it cannot start.
pub async fn run(wanted: Wanted, announce: impl FnOnce(&Ready), log: fn(&str)) -> Result<Value, StartError> {
    let mut terminate = signal(SignalKind::terminate()).map_err(StartError::Signals)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(StartError::Signals)?;
    let clock = Clock::system();
    let Wanted { listen, key, plan, scenario, tls, extracts } = wanted;
    let (identity, certificate) = match tls {
        Tls::Off => (None, None),
        Tls::Made(folder) => {
            let made = demo_certificate(&folder, clock.utc())?;
            (Some(made.identity), Some(made.certificate_path))
        }
        Tls::Files { certificate, private_key } => (Some(Identity::load(&certificate, &private_key)?), None),
    };
    let (scheme, is_made) = (if identity.is_some() { "https" } else { "http" }, certificate.is_some());
    let settings = Settings { listen, key, plan, scenario, identity };
    let catalogue = match extracts {
        Some(Extracts { folder, musicbrainz, homonyms }) => {
            Catalogue::of_dumps(&Dumps::load(&folder, musicbrainz.as_deref())?, homonyms)?
        }
        None => Catalogue::embedded()?,
    };
    let simulator = Simulator::bind(settings, Arc::new(catalogue), clock, log).await?;
    let address = simulator.address();
    let url = match is_made {
        true => format!("{scheme}://localhost:{}", address.port()),
        false => format!("{scheme}://{address}"),
    };
    announce(&Ready { url, certificate });
    let stop = async {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    };
    Ok(simulator.run(stop).await)
}
