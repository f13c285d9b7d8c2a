//! The parts that a request passes, as the pipeline is given them.

use std::sync::Arc;
use std::time::Duration;

use super::lists::Lists;
use super::recent::RecentAnswers;
use crate::accounts::Accounts;
use crate::admission::Admission;
use crate::auth::{Authenticator, Challenges};
use crate::clock::Clock;
use crate::crate_client::CrateClient;
use crate::cursors::Cursors;
use crate::envelope::attribution::Origin;
use crate::network::Network;
use crate::resources::Resources;
use crate::telemetry::{Calls, RefusedLines};

/// Everything that answers requests, built once.
#[derive(Debug)]
pub struct Parts {
    /// What time it is.
    pub clock: Clock,
    /// Who asks.
    pub auth: Authenticator,
    /// What is said about signing in.
    pub challenges: Challenges,
    /// What an account may do.
    pub accounts: Accounts,
    /// The addresses that ChatGPT publishes as its own.
    pub chatgpt_networks: Vec<Network>,
    /// Whether a call may run.
    pub admission: Admission,
    /// The data service.
    pub client: CrateClient,
    /// Where walks through long results stand.
    pub cursors: Arc<dyn Cursors>,
    /// What callers without an account were answered just now.
    pub recent: RecentAnswers,
    /// The documents beside the tools.
    pub resources: Resources,
    /// What every list method answers.
    pub lists: Lists,
    /// Where the facts come from.
    pub origin: Origin,
    /// How long one tool call may take.
    pub tool_deadline: Duration,
    /// How requests and calls ended.
    pub calls: Arc<Calls>,
    /// How many lines refusals may write.
    pub refused_lines: RefusedLines,
}
