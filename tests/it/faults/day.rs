//! A day in minutes: everything that callers do, at a pace that leaves room, over a data service that fails by a script.
//! Errors come as scripted, answers come soon, and neither memory nor disk grows.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::auditor::{Auditor, Tally};
use super::clients::{Ends, nobody};
use super::foreign::{H2load, Plan, Said, Wrk};
use super::plateau::{DISK_GRAIN, MEMORY_GRAIN, Sample, Stands, is_flat, middle, peak, span, watch};
use super::{Form, Member, RULES, binary, form};
use crate::harness::Demo;
use crate::metering::operator::admin;
use crate::simulator::{KEY, Sim};

/// What the data service does to some artists, all the time.
const SCRIPT: &str = r#"
[[rule]]
path = "/api/v2/artist/fails"
status = 500
[[rule]]
path = "/api/v2/artist/late-*"
latency_ms = 200
[[rule]]
path = "/api/v2/artist/lies"
answer = "wrong_json"
[[rule]]
path = "/api/v2/artist/autechre"
remove = "/emergence"
"#;
/// What wrk asks, in shares. The service fails at few of many: at ten failures in a row it would be left alone.
const KINDS: &str = "known,known,known,known,known,known,known,known,anyone,anyone,anyone,anyone,anyone,anyone,anyone,\
    anyone,nobody,nobody,nobody,nobody,nobody,nobody,nobody,nobody,card,card,card,card,card,card,usage,usage,usage,fails,\
    known,lies,gap,argument,argument,misspelt,tool,method,list,list,begin,cut,token";
/// How each is answered.
const SCRIPTED: [&str; 16] = [
    "known 200 ok",
    "anyone 200 ok",
    "nobody 200 ok",
    "card 200 ok",
    "usage 200 ok",
    "fails 200 upstream_error",
    "lies 200 upstream_error",
    "gap 200 ok",
    "argument 200 invalid_argument",
    "misspelt 200 invalid_argument",
    "tool 200 -32602",
    "method 200 -32601",
    "list 200 ok",
    "begin 200 ok",
    "none 400 -32700",
    "none 401 -32600",
];
/// How whatever needs the service may be answered while that hangs, and until it is asked again.
const HANGING: [&str; 3] = ["upstream_error", "upstream_degraded", "request_in_progress"];
/// The share of what the machine does that the day is to take, in hundredths.
const SHARE: f64 = 0.6;
/// Connections of wrk during the day.
const CONNECTIONS: u32 = 48;
/// What one call may spend at most.
const MOST: u64 = 2;
/// How often each of our own clients asks.
const OWN_EVERY: Duration = Duration::from_millis(100);

/// How long the parts are.
struct Times {
    /// For finding out what the machine does.
    capacity: Duration,
    /// Everything works as scripted, then the service hangs for a while, each so often.
    calm: Duration,
    hanging: Duration,
    times: u32,
    /// From the beginning of the day until memory and disk are flat, and how often each is looked at from then on.
    warm: Duration,
    spans: u32,
    /// How many different questions callers have: in a minute not so many are asked that the oldest answers are
    /// forgotten, in twenty they are.
    questions: u32,
    /// Where callers have few questions, the service is asked them again.
    cache_mib: u32,
}

impl Times {
    fn of(form: Form) -> Self {
        let s = Duration::from_secs;
        match form {
            Form::Short => Self {
                capacity: s(8),
                calm: s(19),
                hanging: s(8),
                times: 2,
                warm: s(18),
                spans: 6,
                questions: 1_500,
                cache_mib: 0,
            },
            Form::Long => Self {
                capacity: s(120),
                calm: s(370),
                hanging: s(30),
                times: 3,
                warm: s(300),
                spans: 15,
                questions: 1_000_000,
                cache_mib: 8,
            },
        }
    }
}

/// One part of the day.
struct Part {
    wrk: Said,
    /// Answers over HTTP/2 with the status 200, and others.
    streams: (u64, u64),
    own: Tally,
}

struct World {
    sim: Sim,
    server: Demo,
    auditor: Auditor,
    /// Our own clients', then wrk's.
    own: Vec<Member>,
    elsewhere: Vec<Member>,
    times: Times,
}

impl World {
    fn start(times: Times) -> Self {
        let build = binary();
        let sim = Sim::of(&build, SCRIPT, &["--in-flight", "0", "--per-minute", "0"]);
        let server = Demo::serving_of(
            &build,
            "fixture_mode = false",
            &format!(
                "{RULES}[crate]\nbase_url = \"{}\"\nkey = \"{KEY}\"\nin_flight = 1000\nper_minute = 1000000\n\
                 per_month = 0\ncache_mib = {}\n[deadlines]\ncall_ms = 1000\ntool_ms = 3000\n[log]\nlevel = \"error\"\n",
                sim.url, times.cache_mib
            ),
        );
        let auditor = Auditor::new(&server);
        let of = |name: &str, first: u64, count: u64| -> Vec<Member> {
            (first..first + count).map(|n| Member::of(&server, &format!("{name}-{n}"), n)).collect()
        };
        let (own, elsewhere) = (of("own", 10_000_000, 3), of("elsewhere", 20_000_000, 2));
        own.iter().chain(&elsewhere).for_each(|member| auditor.open(member));
        Self { sim, server, auditor, own, elsewhere, times }
    }

    fn plan(&self, connections: u32, wait_ms: u32, most: Duration) -> Plan<'_> {
        let questions = self.times.questions;
        Plan { kinds: KINDS, connections, wait_ms, questions, members: &self.elsewhere, most }
    }

    /// Requests a second, when nobody waits.
    fn capacity(&self) -> Option<f64> {
        let wrk = Wrk::start(&self.server, &self.plan(16, 0, self.times.capacity))?;
        let said = wrk.said();
        said.only(&SCRIPTED);
        self.enter(&said);
        Some(said.pace())
    }

    fn enter(&self, said: &Said) {
        for (member, units) in self.elsewhere.iter().zip(&said.units[1..]) {
            self.auditor.told_elsewhere(member, *units);
        }
    }

    /// Everybody asks for so long.
    fn part(&self, wait_ms: u32, streams_pace: u32, lasts: Duration, meanwhile: impl FnOnce()) -> Part {
        let stop = AtomicBool::new(false);
        let wrk =
            Wrk::start(&self.server, &self.plan(CONNECTIONS, wait_ms, lasts)).expect("it was there before");
        let streams = H2load::start(&self.server, lasts.as_secs(), streams_pace);
        let said = std::thread::scope(|scope| {
            let _end = Ends(&stop);
            for number in 0..self.own.len() {
                let stop = &stop;
                scope.spawn(move || self.own_client(number, stop));
            }
            meanwhile();
            wrk.said()
        });
        self.enter(&said);
        let streams = streams.map(H2load::said).unwrap_or_default();
        Part { wrk: said, streams, own: self.auditor.tally() }
    }

    /// Asks, asks the same again, and walks through the catalogue; another account cannot go on with its walk.
    fn own_client(&self, number: usize, stop: &AtomicBool) {
        let (member, other) = (Some(&self.own[number]), Some(&self.own[(number + 1) % self.own.len()]));
        let hear = |member: Option<&Member>, tool: &str, arguments: &Value| {
            let answered = self.auditor.ask(&self.server, member, tool, arguments).expect("it serves");
            std::thread::sleep(OWN_EVERY);
            answered.envelope.filter(|envelope| !envelope.is_error)
        };
        let mut turn = 0_u64;
        while !stop.load(Ordering::Relaxed) {
            turn += 1;
            let question = nobody();
            if turn % 4 == 1 && hear(member, "resolve_artist", &question).is_some() {
                let again = hear(member, "resolve_artist", &question).expect("it was answered before");
                assert_eq!(again.json["meta"]["replay"], true, "{}", again.json["meta"]);
            }
            hear(member, "get_artist", &json!({"key": "four-tet", "view": "full"}));
            hear(member, "get_artist", &json!({"key": format!("late-{number}-{turn}")}));
            hear(None, "resolve_artist", &question);
            if !turn.is_multiple_of(4) {
                continue;
            }
            // Rows of one walk never come twice.
            let (mut seen, mut next, genre) =
                (BTreeSet::new(), None::<Value>, ["Electronic", "Rock"][number % 2]);
            while !stop.load(Ordering::Relaxed) {
                let mut arguments = json!({"genre": genre, "limit": 20, "year_from": 1990 + turn % 7});
                if let Some(cursor) = &next {
                    arguments["cursor"] = cursor.clone();
                }
                let Some(page) = hear(member, "search_catalog", &arguments) else { break };
                for row in page.json["data"]["results"].as_array().expect("rows") {
                    assert!(seen.insert(row["master_id"].to_string()), "{row} came twice");
                }
                next = Some(page.json["data"]["pagination"]["next_cursor"].clone()).filter(Value::is_string);
                let Some(cursor) = &next else { break };
                if seen.len() == 20 {
                    arguments["cursor"] = cursor.clone();
                    assert!(
                        hear(other, "search_catalog", &arguments).is_none(),
                        "a cursor of another account"
                    );
                }
            }
        }
    }

    /// The service takes connections and says nothing, and then it does again.
    fn hang(&self, lasts: Duration) {
        let signal = |name: &str| {
            let sent = Command::new("kill").args([name, &self.sim.pid.to_string()]).status();
            assert!(sent.expect("kill runs").success());
        };
        std::thread::sleep(lasts / 6);
        signal("-STOP");
        std::thread::sleep(lasts / 4);
        signal("-CONT");
        // An operator does not wait until it is tried again.
        let ends = Instant::now() + lasts / 4;
        while Instant::now() < ends {
            let windows = admin(&self.server, &["windows"]).expect("a list");
            for window in windows["windows"].as_array().expect("windows") {
                let _shut_meanwhile =
                    admin(&self.server, &["windows", "--close", window[0].as_str().expect("a name")]);
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

/// The outcomes of a part in which the service hangs.
fn while_it_hangs() -> Vec<String> {
    let mut all: Vec<String> = SCRIPTED.iter().map(|outcome| (*outcome).to_owned()).collect();
    for kind in ["known", "anyone", "nobody", "card", "fails", "lies", "gap"] {
        all.extend(HANGING.iter().map(|error| format!("{kind} 200 {error}")));
    }
    all
}

#[test]
fn a_day_under_load_has_the_scripted_errors_alone_and_ends_as_large_as_it_began() {
    let Some(form) = form("a day under load") else { return };
    let world = World::start(Times::of(form));
    let Some(capacity) = world.capacity() else { return };
    let times = &world.times;
    let own = world.own.len() as f64 / OWN_EVERY.as_secs_f64();
    let streams = capacity * SHARE / 10.0;
    let wait_s = f64::from(CONNECTIONS) / (capacity * SHARE - own - streams).max(10.0);
    // What is left of the time between two requests once the answer has come, which takes a millisecond or two.
    let wait_ms = (wait_s * 1_000.0 - 2.0).max(1.0) as u32;
    let stop = AtomicBool::new(false);
    let began = Instant::now();
    let (parts, samples) = std::thread::scope(|scope| {
        let end = Ends(&stop);
        let watching = scope.spawn(|| watch(&world.server, &stop));
        let mut parts = Vec::new();
        for _ in 0..times.times {
            parts.push((true, world.part(wait_ms, streams as u32, times.calm, || ())));
            parts.push((
                false,
                world.part(wait_ms, streams as u32, times.hanging, || world.hang(times.hanging)),
            ));
        }
        drop(end);
        (parts, watching.join().expect("samples"))
    });
    told(&parts, capacity, began.elapsed());
    for (is_calm, part) in &parts {
        if *is_calm {
            part.wrk.only(&SCRIPTED);
            assert!(SCRIPTED.iter().all(|outcome| part.wrk.of(outcome) > 0), "{:?}", part.wrk.outcomes);
            // Another account's cursor.
            part.own.only(&["ok", "invalid_argument"]);
            assert!(part.own.of("invalid_argument") > 0, "nobody walked on");
        } else {
            let hanging = while_it_hangs();
            part.wrk.only(&hanging.iter().map(String::as_str).collect::<Vec<_>>());
            part.own.only(&["ok", "invalid_argument", HANGING[0], HANGING[1], HANGING[2]]);
            assert!(
                part.wrk.outcomes.keys().any(|name| name.starts_with("anyone") && name.contains("upstream"))
            );
        }
        assert_eq!((part.streams.1, part.wrk.broken.as_str()), (0, ""));
        assert!(part.own.replays > 0, "nothing was given again");
    }
    let cut_off = u64::from(times.times * 2 + 1) * u64::from(CONNECTIONS) * MOST;
    for member in &world.elsewhere {
        world.auditor.audit(&world.server, member, cut_off);
    }
    for member in &world.own {
        world.auditor.audit(&world.server, member, 0);
    }
    flat(&samples, times);
    assert!(!world.server.log().contains("panicked at"), "{}", world.server.log());
}

#[expect(clippy::print_stdout, reason = "a test says what it measured")]
fn flat(samples: &[Sample], times: &Times) {
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    for (what, spans, grain, stands, of) in [
        (
            "memory",
            times.spans,
            MEMORY_GRAIN,
            middle as Stands,
            (|sample| sample.memory_bytes) as fn(&Sample) -> u64,
        ),
        ("disk", 3, DISK_GRAIN, peak as Stands, |sample| sample.disk_bytes),
    ] {
        let (least, most) = span(samples, times.warm, spans, stands, of);
        println!("MEASURED {what} {:.1} to {:.1} MiB after {:?}", mib(least), mib(most), times.warm);
        let all: Vec<f64> = samples.iter().step_by(samples.len().div_ceil(40)).map(|s| mib(of(s))).collect();
        println!("{what} over time: {all:.1?}");
        assert!(is_flat((least, most), grain), "{what} grew from {least} to {most} bytes");
    }
}

#[expect(clippy::print_stdout, reason = "a test says what it measured")]
fn told(parts: &[(bool, Part)], capacity: f64, lasted: Duration) {
    let mut outcomes: BTreeMap<&str, u64> = BTreeMap::new();
    let (mut requests, mut streams, mut own) = (0, 0, 0);
    for (_, part) in parts {
        for (name, times) in &part.wrk.outcomes {
            *outcomes.entry(name).or_default() += times;
        }
        requests += part.wrk.requests;
        streams += part.streams.0;
        own += part.own.took.len();
    }
    let all = requests + streams + own as u64;
    let pace = all as f64 / lasted.as_secs_f64();
    println!(
        "MEASURED {all} requests in {lasted:.0?}, {pace:.0} a second, {:.0} % of {capacity:.0}: {requests} by wrk, \
         {streams} by h2load, {own} by own clients",
        100.0 * pace / capacity
    );
    println!("MEASURED {outcomes:?}");
    for (is_calm, part) in parts {
        let kind = if *is_calm { "calm" } else { "hanging" };
        println!(
            "MEASURED {kind}: median {:.1?}, p99 {:.1?}, most {:.1?}; own clients {:?}",
            part.wrk.median, part.wrk.p99, part.wrk.most, part.own.outcomes
        );
    }
    assert!(pace > capacity * 0.4, "hardly any load: {pace:.0} a second of {capacity:.0}");
}
