//! Load from programs that others wrote: wrk over HTTP/1.1 with bodies of many kinds, h2load over HTTP/2.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::json;

use super::Member;
use crate::harness::{Demo, JSON};

/// What wrk is to do.
pub struct Plan<'a> {
    pub kinds: &'a str,
    pub connections: u32,
    /// Between two requests of one connection; 0 for none.
    pub wait_ms: u32,
    /// How many questions are asked before the first comes again.
    pub questions: u32,
    pub members: &'a [Member],
    /// It can be ended before.
    pub most: Duration,
}

/// A running wrk.
pub struct Wrk(Child);

/// What wrk says at its end.
#[derive(Debug, Default)]
pub struct Said {
    /// By kind, status, and error or `ok`.
    pub outcomes: BTreeMap<String, u64>,
    /// What it was told for each account, in their order; the first is for callers without one.
    pub units: Vec<u64>,
    /// Answers with the quota of another account.
    pub false_account: u64,
    pub requests: u64,
    pub lasted: Duration,
    pub median: Duration,
    pub p99: Duration,
    pub most: Duration,
    /// Connections that could not be made, and what was cut off.
    pub broken: String,
}

impl Wrk {
    /// Starts it; `None`, and a loud line, where there is none.
    #[expect(clippy::print_stderr, reason = "a test says what it could not do")]
    pub fn start(server: &Demo, plan: &Plan<'_>) -> Option<Self> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/faults/load.lua");
        let threads = plan.connections.min(2);
        let seconds = plan.most.as_secs().max(1);
        let mut command = Command::new("wrk");
        command
            .args([format!("-t{threads}"), format!("-c{}", plan.connections), format!("-d{seconds}s")])
            .args(["--timeout", "10s", "-s"])
            .arg(script)
            .arg(format!("https://127.0.0.1:{}", server.port))
            .args(["--", &format!("localhost:{}", server.port)])
            .args([plan.wait_ms.to_string(), plan.questions.to_string(), plan.kinds.to_owned()]);
        for member in plan.members {
            command.args([member.token.as_str(), &member.allowance.to_string()]);
        }
        match command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn() {
            Ok(child) => Some(Self(child)),
            Err(error) => {
                assert_eq!(error.kind(), std::io::ErrorKind::NotFound, "{error}");
                eprintln!("SKIPPED: load from wrk: there is none (apt-get install wrk)");
                None
            }
        }
    }

    /// Tells it to end.
    pub fn end(self) -> Said {
        let told = Command::new("kill").args(["-INT", &self.0.id().to_string()]).status();
        assert!(told.expect("kill runs").success());
        self.said()
    }

    /// Waits for its end.
    pub fn said(mut self) -> Said {
        let mut text = String::new();
        self.0.stdout.take().expect("a pipe").read_to_string(&mut text).expect("text");
        self.0.wait().expect("it ends");
        Said::read(&text)
    }
}

impl Drop for Wrk {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Said {
    fn read(text: &str) -> Self {
        let mut said = Self::default();
        let mut units = BTreeMap::new();
        for line in text.lines() {
            let mut words = line.split_whitespace();
            let (name, Some(Ok(value))) =
                (words.next().unwrap_or_default(), words.next().map(str::parse::<u64>))
            else {
                if line.contains("Socket errors") {
                    line.trim().clone_into(&mut said.broken);
                }
                continue;
            };
            let rest = words.collect::<Vec<_>>().join(" ");
            match name {
                "outcome" => said.outcomes.extend([(rest, value)]),
                "units" => units.extend([(rest.parse::<usize>().expect("an account"), value)]),
                "false_account" => said.false_account = value,
                "requests" => said.requests = value,
                "lasted_us" => said.lasted = Duration::from_micros(value),
                "median_us" => said.median = Duration::from_micros(value),
                "p99_us" => said.p99 = Duration::from_micros(value),
                "most_us" => said.most = Duration::from_micros(value),
                _ => {}
            }
        }
        assert!(said.lasted > Duration::ZERO, "wrk ended otherwise: {text}");
        let most = units.keys().max().copied().unwrap_or_default();
        said.units = (0..=most).map(|n| units.get(&n).copied().unwrap_or_default()).collect();
        said
    }

    /// Requests a second.
    pub fn pace(&self) -> f64 {
        self.requests as f64 / self.lasted.as_secs_f64()
    }

    /// No answer was another than these, and none was another account's.
    pub fn only(&self, outcomes: &[&str]) {
        let others: Vec<_> =
            self.outcomes.iter().filter(|(name, _)| !outcomes.contains(&name.as_str())).collect();
        assert!(others.is_empty(), "wrk was answered otherwise: {others:?} of {:?}", self.outcomes);
        assert_eq!(self.false_account, 0, "wrk was given the quota of another account");
    }

    /// How many answers of this kind had this outcome.
    pub fn of(&self, outcome: &str) -> u64 {
        self.outcomes.get(outcome).copied().unwrap_or_default()
    }
}

/// A running h2load: many streams of few connections, one question, again and again.
pub struct H2load(Child);

impl H2load {
    /// Starts it for so many seconds at so many requests a second, 0 for as many as it can; `None`, and a loud line, where
    /// there is none.
    #[expect(clippy::print_stderr, reason = "a test says what it could not do")]
    pub fn start(server: &Demo, seconds: u64, pace: u32) -> Option<Self> {
        const CLIENTS: u32 = 2;
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "get_artist", "arguments": {"key": "four-tet"}}});
        let file = server.data().with_file_name(format!("h2load-{}", super::clients::number()));
        std::fs::write(&file, body.to_string()).expect("a file");
        let mut command = Command::new("h2load");
        command.args([format!("-D{seconds}"), format!("-c{CLIENTS}"), "-m8".to_owned(), "-t1".to_owned()]);
        if pace > 0 {
            command.arg(format!("--rps={}", (pace / CLIENTS).max(1)));
        }
        for (name, value) in [
            JSON,
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", "2025-11-25"),
            ("x-forwarded-for", "203.0.113.9"),
        ] {
            command.args(["-H", &format!("{name}: {value}")]);
        }
        command
            .arg("-d")
            .arg(&file)
            .arg(format!("--connect-to=127.0.0.1:{}", server.port))
            .arg(server.url("/mcp"));
        match command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn() {
            Ok(child) => Some(Self(child)),
            Err(error) => {
                assert_eq!(error.kind(), std::io::ErrorKind::NotFound, "{error}");
                eprintln!("SKIPPED: load from h2load: there is none (apt-get install nghttp2-client)");
                None
            }
        }
    }

    /// Waits for its end: how many answers had the status 200, and how many had not.
    pub fn said(mut self) -> (u64, u64) {
        let mut text = String::new();
        self.0.stdout.take().expect("a pipe").read_to_string(&mut text).expect("text");
        self.0.wait().expect("it ends");
        let line =
            text.lines().find_map(|line| line.strip_prefix("requests: ")).unwrap_or_else(|| panic!("{text}"));
        let count = |name: &str| -> u64 {
            let (before, _) = line.split_once(&format!(" {name}")).unwrap_or_else(|| panic!("{line}"));
            before.rsplit(' ').next().expect("a word").parse().expect("a number")
        };
        (count("succeeded"), count("failed"))
    }
}

impl Drop for H2load {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
