//! `crate-sim`: what can be asked of the simulator, and what it prints when it is ready.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::LEFTOVERS;
use super::args::socket;
use super::exit::Exit;
use super::output::{complain, print, shell_word};
use crate::config::DATA_FOLDER;
use crate::crate_sim::{self, ApiKey, DEMO_KEY, Extracts, Homonyms, Plan, Ready, Scenario, Tls, Wanted};

/// A simulator, as typed.
#[derive(Debug, Args)]
#[command(after_help = SCENARIO_HELP)]
pub(super) struct CrateSimArguments {
    /// The address and port to listen on
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8450", value_parser = socket)]
    listen: SocketAddr,
    /// The key that clients have to send, in the form ck_test_ and 32 letters and digits [default: one for everybody]
    #[arg(long, value_name = "KEY", default_value = DEMO_KEY, hide_default_value = true)]
    api_key: TypedKey,
    /// Requests at once that the key may have open; 0 for no limit
    #[arg(long, value_name = "NUMBER", default_value_t = 2)]
    in_flight: u32,
    /// Requests in any minute; 0 for no limit
    #[arg(long, value_name = "NUMBER", default_value_t = 60)]
    per_minute: u32,
    /// Requests in a month; 0 for no limit
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    per_month: u32,
    /// What goes wrong and when, as a TOML file
    #[arg(long, value_name = "FILE")]
    scenario: Option<PathBuf>,
    /// Serve TLS with a certificate that is made for localhost and kept in the data folder
    #[arg(long, conflicts_with_all = ["certificate", "private_key"])]
    tls: bool,
    /// Serve TLS with this chain, a PEM file
    #[arg(long, value_name = "FILE", requires = "private_key")]
    certificate: Option<PathBuf>,
    /// The private key of that chain, a PEM file
    #[arg(long, value_name = "FILE", requires = "certificate")]
    private_key: Option<PathBuf>,
    /// The folder for a made certificate
    #[arg(long, value_name = "FOLDER", default_value = DATA_FOLDER)]
    data: PathBuf,
    /// Write what it has seen to this file when it ends; GET /sim/report tells it at any time
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Serve artists, masters and releases of the Discogs data dumps in place of the demo catalogue: a folder with one
    /// file each, packed, that fit into memory
    #[arg(long, value_name = "FOLDER")]
    extracts: Option<PathBuf>,
    /// Core facts of MusicBrainz beside them, a JSON file
    #[arg(long, value_name = "FILE", requires = "extracts")]
    musicbrainz: Option<PathBuf>,
    /// How the extracts' artists of one name are kept: in one cluster, as the service does, or apart
    #[arg(long, value_enum, default_value_t = TypedHomonyms::Shared, requires = "extracts")]
    homonyms: TypedHomonyms,
}

/// How artists of one name are kept, as typed.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum TypedHomonyms {
    Shared,
    Apart,
}

const SCENARIO_HELP: &str = "\
A scenario has rules; the first that fits a request decides. A rule says when it holds:
  family = \"resolve\"        one or a list of resolve, artist, search, tracks, label, surface, gigs, lists, aura, \
service, other
  path = \"/api/v2/artist/*\" query = \"q=Nirvana\"
  from_s = 10 until_s = 20   seconds since the start
  from_request = 2 until_request = 3   of the requests that the rule could concern
and what it does:
  latency_ms, hang = true, status, headers = { \"Retry-After\" = \"1\" }, body = \"text\"
  answer = \"html\", \"text\", \"wrong_json\", \"half_json\" or \"empty\"
  state = \"degraded\", set = { \"/identity/name\" = 5 }, null = \"/identity\", remove = [\"/discography\"]
  pad_bytes, truncate_bytes, reset = \"before\" or \"body\", slow_header_ms, slow_body_ms, slow_body_bytes

For example, half a minute in which artists cannot be read:
  [[rule]]
  family = \"artist\"
  until_s = 30
  status = 503";

/// A key that is not shown when the command line is.
#[derive(Clone)]
struct TypedKey(String);

impl From<&str> for TypedKey {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl std::fmt::Debug for TypedKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TypedKey(…)")
    }
}

/// Runs a simulator until it is told to stop.
pub(super) fn run(arguments: CrateSimArguments) -> Exit {
    let key = match ApiKey::parse(&arguments.api_key.0) {
        Ok(key) => key,
        Err(why) => {
            complain(&format!("ono-sendai: --api-key: {why}"));
            return Exit::Usage;
        }
    };
    let scenario = match arguments.scenario.as_deref().map(Scenario::load).transpose() {
        Ok(scenario) => scenario.unwrap_or_default(),
        Err(errors) => {
            complain(&errors.to_string());
            return Exit::Configuration;
        }
    };
    let limit = |number: u32| (number > 0).then_some(number);
    let plan = Plan {
        in_flight: limit(arguments.in_flight),
        per_minute: limit(arguments.per_minute),
        per_month: limit(arguments.per_month),
    };
    let tls = match (arguments.tls, arguments.certificate, arguments.private_key) {
        (true, ..) => Tls::Made(arguments.data),
        (false, Some(certificate), Some(private_key)) => Tls::Files { certificate, private_key },
        _ => Tls::Off,
    };
    let shown_key = key.is_demo().then_some(DEMO_KEY);
    let rules = scenario.len();
    let homonyms = match arguments.homonyms {
        TypedHomonyms::Shared => Homonyms::Shared,
        TypedHomonyms::Apart => Homonyms::Apart,
    };
    let musicbrainz = arguments.musicbrainz;
    let extracts = arguments.extracts.map(|folder| Extracts { folder, musicbrainz, homonyms });
    let wanted = Wanted { listen: arguments.listen, key, plan, scenario, tls, extracts };
    let announce = |ready: &Ready| {
        // It serves all the same when nobody reads this.
        let _unread = print(&guide(ready, shown_key, plan, rules));
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            complain(&format!("ono-sendai: {error}"));
            return Exit::NotStarted;
        }
    };
    let outcome = runtime.block_on(crate_sim::run(wanted, announce, complain));
    runtime.shutdown_timeout(LEFTOVERS);
    match outcome {
        Ok(report) => match arguments.report {
            Some(file) => match std::fs::write(&file, format!("{report:#}\n")) {
                Ok(()) => Exit::Ok,
                Err(error) => {
                    complain(&format!("ono-sendai: cannot write {}: {error}", file.display()));
                    Exit::Usage
                }
            },
            None => Exit::Ok,
        },
        Err(error) => {
            complain(&format!("ono-sendai: {error}"));
            Exit::NotStarted
        }
    }
}

/// What is printed once it listens.
fn guide(ready: &Ready, key: Option<&str>, plan: Plan, rules: usize) -> String {
    let Ready { url, certificate } = ready;
    let shown = key.unwrap_or("YOUR_KEY");
    let number = |limit: Option<u32>| limit.map_or_else(|| "no limit".to_owned(), |limit| limit.to_string());
    let ca = certificate.as_ref().map(|path| path.canonicalize().unwrap_or_else(|_| path.clone()));
    let mut text = format!("crate-sim is ready: {url}\n\n");
    // Writing to a String does not fail.
    let mut line = |words: String| {
        let _ = writeln!(text, "{words}");
    };
    line(format!(
        "Plan: {} at once, {} a minute. Rules: {rules}.",
        number(plan.in_flight),
        number(plan.per_minute)
    ));
    line(String::new());
    line("Try it:".to_owned());
    let trust = ca.as_ref().map(|ca| format!("--cacert {} ", shell_word(&ca.display().to_string())));
    let trust = trust.unwrap_or_default();
    line(format!("  curl {trust}-H 'X-API-Key: {shown}' '{url}/api/v2/resolve?q=Four%20Tet'"));
    line(String::new());
    line("Let a server ask it, in the file for `serve --config`:".to_owned());
    line("  [server]".to_owned());
    line("  fixture_mode = false".to_owned());
    line("  [crate]".to_owned());
    line(format!("  base_url = \"{url}\""));
    line(format!("  key = \"{shown}\""));
    if let Some(ca) = &ca {
        line(format!("  ca_file = {:?}", ca.display().to_string()));
    }
    line(String::new());
    line(format!("What it has seen: {url}/sim/report. Stop with Ctrl-C."));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guide_tells_how_to_ask_and_keeps_a_key_of_ones_own_to_itself() {
        let ready = Ready { url: "http://127.0.0.1:8450".to_owned(), certificate: None };
        let text = guide(&ready, Some(DEMO_KEY), Plan::default(), 3);
        for wanted in [
            "crate-sim is ready: http://127.0.0.1:8450\n",
            "Plan: 2 at once, 60 a minute. Rules: 3.",
            &format!("-H 'X-API-Key: {DEMO_KEY}' 'http://127.0.0.1:8450/api/v2/resolve?q=Four%20Tet'"),
            "base_url = \"http://127.0.0.1:8450\"",
            "/sim/report",
        ] {
            assert!(text.contains(wanted), "{wanted}\n{text}");
        }
        assert!(!text.contains("ca_file"));
        let certificate = Some(PathBuf::from("/no such/demo-cert.pem"));
        let ready = Ready { url: "https://localhost:1".to_owned(), certificate };
        let text = guide(&ready, None, Plan { in_flight: None, per_minute: None, per_month: None }, 0);
        assert!(text.contains("key = \"YOUR_KEY\"") && text.contains("no limit at once"));
        assert!(text.contains("--cacert '/no such/demo-cert.pem'") && text.contains("ca_file = \"/no such/"));
    }
}
