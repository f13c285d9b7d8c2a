//! How many instructions one call takes, which callgrind counts: the same whatever else the machine does.
//!
//! ONO_WIRE_PROFILE names a folder for callgrind's files, which `callgrind_annotate` reads; a build with
//! `--profile profiling` has the names.

use std::path::PathBuf;
use std::process::Command;

use super::Length;
use super::calls::{card, headers};
use super::load::{curl, peer_of, written};
use super::programs::{Data, Running, Setting, Under};
use super::results::{Bar, Results};

/// What h2load is told to speak HTTP/1.1, and what it is told otherwise, which it does anyway.
const HTTP1: &str = "--h1";
const HTTP2: &str = "-t1";

/// What is counted, which caller has an account, the version of HTTP, and the most of the floor's instructions.
const CALLS: [(&str, bool, &str, f64); 4] = [
    ("replayed, HTTP/1.1", true, HTTP1, 2.2),
    ("replayed, HTTP/2", true, HTTP2, 2.2),
    ("cached, HTTP/1.1", false, HTTP1, 2.2),
    ("cached, HTTP/2", false, HTTP2, 2.2),
];

/// So many calls are counted, and then so many more: the difference is theirs alone.
const FEW: u64 = 100;
const MANY: u64 = 1_100;

/// Instructions a call beside the floor's.
pub fn measure(results: &mut Results, length: Length) {
    let calls = if length.is_short { &CALLS[..1] } else { &CALLS[..] };
    for (name, is_account, version, bar) in calls {
        let data = if *is_account { Data::Demo } else { Data::Service };
        let setting = Setting { under: Under::Callgrind, data, accounts: usize::from(*is_account) };
        let server = Running::server(setting);
        let token = server.tokens.first();
        for _ in 0..3 {
            let answer = curl(&server.url, &card(), token);
            assert!(answer.contains("\"ok\":true"), "{answer}");
        }
        let bytes = curl(&server.url, &card(), token).len();
        let ours = counted(&server, version, &format!("server {name}"));
        let floor = server.floor(Under::Callgrind, bytes);
        curl(&floor.url, &card(), token);
        let least = counted(&floor, version, &format!("floor {name}"));
        results.ratio("instructions", name, (ours, least), Bar::AtMost(*bar));
        if name == &CALLS[0].0 && !length.is_short {
            let peer = counted(&peer_of(&server, Under::Callgrind), version, "rmcp");
            results.ratio("peer", "instructions of a call", (ours, peer), Bar::AtMost(1.0));
        }
    }
}

/// Instructions of one call, over one connection.
fn counted(program: &Running, version: &str, name: &str) -> f64 {
    load(program, version, FEW);
    let _what_was_before = dump(program, 1);
    load(program, version, FEW);
    let (few, _) = dump(program, 2);
    load(program, version, MANY);
    let (many, file) = dump(program, 3);
    if let Some(folder) = std::env::var_os("ONO_WIRE_PROFILE") {
        let to = PathBuf::from(folder).join(name.replace([' ', ',', '/'], "-"));
        std::fs::copy(file, to).expect("a profile");
    }
    (many - few) as f64 / (MANY - FEW) as f64
}

fn load(program: &Running, version: &str, count: u64) {
    let file = written(program.folder(), "call.json", &card());
    let mut command = Command::new("h2load");
    command.args([version, "-c1", "-m1", "-n"]).arg(count.to_string()).arg("-d").arg(file);
    for header in headers(program.tokens.first()) {
        command.args(["-H", &header]);
    }
    let output = command.arg(&program.url).output().expect("h2load");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains(&format!("status codes: {count} 2xx")), "{text}{said}");
}

/// What was counted since the last time; the counts begin anew.
fn dump(program: &Running, number: u32) -> (u64, PathBuf) {
    let mut control = Command::new("callgrind_control");
    let output = control.args(["--dump", &program.pid().to_string()]).output().expect("callgrind_control");
    let file = program.folder().join(format!("callgrind.{}.{number}", program.pid()));
    let text = std::fs::read_to_string(&file)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stdout)));
    let total = text.lines().find_map(|line| line.strip_prefix("totals:")).expect("a total");
    (total.trim().parse().expect("a number"), file)
}
