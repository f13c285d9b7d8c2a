//! How many answers a second come back when callers never rest.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::Length;
use super::calls::{card, cards, headers};
use super::programs::{Data, LOAD_CORE, Running, Setting, Under};
use super::results::{Bar, Results, median};
use super::streams;

/// Which way through the program a load takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// An account asks the same again: the answer that is stored.
    Replayed,
    /// Somebody without an account asks the same again: the service's answer from the memory.
    Cached,
    /// Accounts ask something else each time: all of it, and durable before it is sent.
    Fresh,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
struct Load {
    name: &'static str,
    kind: Kind,
    http2: bool,
    /// The least part of the floor's answers.
    bar: f64,
}

const LOADS: [Load; 6] = [
    Load { name: "replayed, HTTP/1.1", kind: Kind::Replayed, http2: false, bar: 0.60 },
    Load { name: "replayed, HTTP/2", kind: Kind::Replayed, http2: true, bar: 0.60 },
    Load { name: "cached, HTTP/1.1", kind: Kind::Cached, http2: false, bar: 0.55 },
    Load { name: "cached, HTTP/2", kind: Kind::Cached, http2: true, bar: 0.55 },
    Load { name: "fresh, HTTP/1.1", kind: Kind::Fresh, http2: false, bar: 0.35 },
    Load { name: "fresh, HTTP/2", kind: Kind::Fresh, http2: true, bar: 0.35 },
];

/// Accounts whose calls are fresh: with the cards that there are, more calls than fit into the time.
const ACCOUNTS: usize = 192;

/// How fast answers came.
#[derive(Clone, Copy, Debug)]
struct Speed {
    /// In a second.
    a_second: f64,
    /// In a second of the program's processor time: what is left of the noise that others make.
    a_processor_second: f64,
}

/// Answers a second of each load beside the floor's.
pub fn measure(results: &mut Results, length: Length) {
    let is_named =
        |load: &&Load| std::env::var("ONO_WIRE_LOAD").map_or(true, |name| load.name.contains(&name));
    for load in LOADS.iter().filter(is_named) {
        let (mut ours, mut least) = (Vec::new(), Vec::new());
        for _ in 0..length.rounds {
            let server = Running::server(load.setting());
            let bytes = load.answer_bytes(&server);
            ours.push(load.run(&server, length.seconds));
            let floor = server.floor(Under::OneCore, bytes);
            least.push(load.run(&floor, length.seconds));
        }
        let medians = |of: fn(&Speed) -> f64| {
            let median = |speeds: &[Speed]| median(speeds.iter().map(of).collect());
            (median(&ours), median(&least))
        };
        println!("{}: {ours:.0?} beside {least:.0?}", load.name);
        results.ratio("loads", load.name, medians(|speed| speed.a_second), Bar::AtLeast(load.bar));
        let processor = medians(|speed| speed.a_processor_second);
        results.ratio("processor", load.name, processor, Bar::AtLeast(load.bar));
    }
}

/// The replayed answer over TLS beside the same bytes from a tool of rmcp over plain HTTP.
pub fn measure_peer(results: &mut Results, length: Length) {
    let load = LOADS[0];
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..length.rounds {
        let server = Running::server(load.setting());
        let _size = load.answer_bytes(&server);
        ours.push(load.run(&server, length.seconds));
        let peer = peer_of(&server, Under::OneCore);
        theirs.push(load.run(&peer, length.seconds));
    }
    println!("peer: {ours:.0?} beside {theirs:.0?}");
    let medians = |of: fn(&Speed) -> f64| {
        let median = |speeds: &[Speed]| median(speeds.iter().map(of).collect());
        (median(&ours), median(&theirs))
    };
    results.ratio("peer", "a second", medians(|speed| speed.a_second), Bar::AtLeast(1.0));
    let processor = medians(|speed| speed.a_processor_second);
    results.ratio("peer", "a second of processor time", processor, Bar::AtLeast(1.0));
}

/// The peer, which answers as the server does.
pub fn peer_of(server: &Running, under: Under) -> Running {
    let answer = |program: &Running| -> serde_json::Value {
        serde_json::from_str(&curl(&program.url, &card(), program.tokens.first())).expect("an answer")
    };
    let ours = answer(server);
    let file = written(server.folder(), "result.json", &ours["result"].to_string());
    let peer = server.peer(under, &file);
    let (ours, theirs) = (&ours["result"], &answer(&peer)["result"]);
    for part in ["/content/0/text", "/structuredContent"] {
        assert!(
            ours.pointer(part).is_some() && ours.pointer(part) == theirs.pointer(part),
            "{part}: {theirs}"
        );
    }
    peer
}

impl Load {
    fn setting(self) -> Setting {
        let (data, accounts) = match self.kind {
            Kind::Replayed => (Data::Demo, 1),
            Kind::Cached => (Data::Service, 0),
            Kind::Fresh => (Data::Demo, ACCOUNTS),
        };
        Setting { under: Under::OneCore, data, accounts }
    }

    /// How large an answer is, on average; after this they lie where this load takes them from.
    fn answer_bytes(self, server: &Running) -> usize {
        if self.kind == Kind::Fresh {
            // By somebody who then calls no more.
            let sample = cards();
            let sizes: usize = sample
                .iter()
                .step_by(7)
                .map(|card| curl(&server.url, card, server.tokens.last()).len())
                .sum();
            return sizes / sample.len().div_ceil(7);
        }
        let again = curl(&server.url, &card(), server.tokens.first());
        assert!(again.contains("\"ok\":true"), "{again}");
        curl(&server.url, &card(), server.tokens.first()).len()
    }

    fn run(self, server: &Running, seconds: u32) -> Speed {
        let before = server.cpu();
        let (count, a_second) = self.sent(server, seconds);
        let processor_s = (server.cpu() - before).as_secs_f64();
        Speed { a_second, a_processor_second: count / processor_s }
    }

    /// How many answers came, and how many a second.
    fn sent(self, server: &Running, seconds: u32) -> (f64, f64) {
        let token = server.tokens.first();
        if self.kind == Kind::Fresh {
            let (calls, callers) = (cards(), &server.tokens[..ACCOUNTS - 1]);
            if self.http2 {
                return streams::run(server, &calls, callers, seconds);
            }
            let (count, a_second) = wrk(server, &wrk_script(&calls, callers), None, seconds);
            let most = calls.len() * callers.len();
            assert!(!server.remembers() || count < most as f64, "{count} calls, and only {most} differ");
            return (count, a_second);
        }
        if self.http2 {
            h2load(server, token, seconds)
        } else {
            wrk(server, &format!("wrk.method = \"POST\"\nwrk.body = [[{}]]\n", card()), token, seconds)
        }
    }
}

/// The body of an answer.
pub fn curl(url: &str, body: &str, token: Option<&String>) -> String {
    let mut curl = Command::new("curl");
    curl.args(["--silent", "--insecure", "--data", body, url]);
    for header in headers(token) {
        curl.args(["--header", &header]);
    }
    String::from_utf8(curl.output().expect("curl").stdout).expect("text")
}

fn on_the_load_core(program: &str) -> Command {
    let mut command = Command::new("taskset");
    command.args(["-c", LOAD_CORE, program]);
    command
}

/// How many answers came, and how many a second.
pub fn wrk(server: &Running, script: &str, token: Option<&String>, seconds: u32) -> (f64, f64) {
    let file = written(server.folder(), "load.lua", script);
    let mut command = on_the_load_core("wrk");
    command.args(["-t1", "-c32"]).arg(format!("-d{seconds}s")).arg("-s").arg(&file);
    for header in headers(token) {
        command.args(["-H", &header]);
    }
    let output = command.arg(&server.url).output().expect("wrk");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let is_good = output.status.success() && !text.contains("Non-2xx") && !text.contains("Socket errors");
    assert!(is_good, "{text}{}", String::from_utf8_lossy(&output.stderr));
    let figure = |found: Option<&str>| {
        found.and_then(|found| found.trim().parse().ok()).unwrap_or_else(|| panic!("no figure in {text}"))
    };
    let count = text.lines().find_map(|line| line.trim().split_once(" requests in ")).map(|(count, _)| count);
    (figure(count), figure(text.lines().find_map(|line| line.strip_prefix("Requests/sec:"))))
}

fn h2load(server: &Running, token: Option<&String>, seconds: u32) -> (f64, f64) {
    let file = written(server.folder(), "load.json", &card());
    let mut command = on_the_load_core("h2load");
    command.args(["-t1", "-c4", "-m32", "-D"]).arg(seconds.to_string()).arg("-d").arg(&file);
    for header in headers(token) {
        command.args(["-H", &header]);
    }
    let output = command.arg(&server.url).output().expect("h2load");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && text.contains(" 0 3xx, 0 4xx, 0 5xx"), "{text}");
    let field = |line: &str, unit: &str| {
        let line = text.lines().find(|found| found.starts_with(line));
        let figure = line.and_then(|line| line.split(", ").find_map(|field| field.strip_suffix(unit)));
        figure.and_then(|figure| figure.trim().parse().ok()).unwrap_or_else(|| panic!("no {unit} in {text}"))
    };
    (field("requests:", " succeeded"), field("finished in", " req/s"))
}

/// Another card or another caller with each call.
pub fn wrk_script(calls: &[String], callers: &[String]) -> String {
    let list =
        |texts: &[String]| texts.iter().map(|text| format!("[[{text}]]")).collect::<Vec<_>>().join(",\n");
    format!(
        "local calls = {{{}}}\nlocal callers = {{{}}}\nlocal n = 0\nlocal headers = {{}}\n\
         for name, value in pairs(wrk.headers) do headers[name] = value end\n\
         function request()\n  local caller = callers[math.floor(n / #calls) % #callers + 1]\n\
         \x20 local call = calls[n % #calls + 1]\n  n = n + 1\n\
         \x20 headers[\"Authorization\"] = \"Bearer \" .. caller\n\
         \x20 return wrk.format(\"POST\", nil, headers, call)\nend\n",
        list(calls),
        list(callers)
    )
}

/// A file in the folder of a run.
pub fn written(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file");
    path
}
