//! A stand-in for the data service: the demo catalogue over HTTP or TLS, with a key, a plan and faults on demand.
//!
//! Decides how the service behaves towards a client: whom it lets in, when it says "too many", and which fault of a
//! scenario an answer suffers. It must never know what a client does with an answer: nothing of MCP, tools, accounts.

mod answer;
mod body;
mod family;
mod key;
mod plan;
mod report;
mod scenario;
mod server;
mod start;
mod wire;

pub use self::family::Family;
pub use self::key::{ApiKey, DEMO_KEY};
pub use self::plan::Plan;
pub use self::scenario::{Scenario, ScenarioErrors};
pub use self::server::{Simulator, SimulatorError};
pub use self::start::{Extracts, Ready, StartError, Tls, Wanted, run};
pub use crate::catalogue::Homonyms;

use crate::transport::Identity;

/// Everything that a simulator is told.
#[derive(Debug)]
pub struct Settings {
    /// Where it listens; port 0 takes a free one.
    pub listen: std::net::SocketAddr,
    /// What clients have to send.
    pub key: ApiKey,
    /// How much they may send.
    pub plan: Plan,
    /// What goes wrong, and when.
    pub scenario: Scenario,
    /// The certificate to show; plain HTTP without.
    pub identity: Option<Identity>,
}
