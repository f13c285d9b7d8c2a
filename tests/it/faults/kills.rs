//! `kill -9` at any moment, again and again, under load that goes on over each of them.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::auditor::Auditor;
use super::clients::question;
use super::foreign::{Plan, Wrk};
use super::{Form, Member, RULES, binary, form};
use crate::harness::Demo;
use crate::metering::operator::admin;
use crate::store::support::Scratch;

/// Clients of our own for each account.
const CALLERS_EACH: u64 = 2;
/// Connections of wrk.
const CONNECTIONS: u32 = 4;
/// What one call may spend at most.
const MOST: u64 = 2;
/// The largest lease.
const LEASE: u64 = 100;
/// After so many rounds others come in the place of those who have used up their units.
const GENERATION: u64 = 25;
/// A start takes no longer.
const OPENS_WITHIN: Duration = Duration::from_secs(5);
/// How an own client may be answered.
const OUTCOMES: [&str; 3] = ["ok", "quota_exceeded", "metering_unavailable"];
/// And how wrk.
const ELSEWHERE: [&str; 6] = [
    "known 200 ok",
    "anyone 200 ok",
    "nobody 200 ok",
    "nobody 200 metering_unavailable",
    "anyone 200 metering_unavailable",
    "list 200 ok",
];

/// Who asks in this round: two that use up their units, and one that never does.
fn generation(server: &Demo, auditor: &Auditor, round: u64) -> Vec<Member> {
    let number = round / GENERATION;
    let members: Vec<Member> = [150 + number, 900 + number, 5_000_000 + number]
        .into_iter()
        .map(|allowance| Member::of(server, &format!("killed-{allowance}"), allowance))
        .collect();
    members.iter().for_each(|member| auditor.open(member));
    members
}

#[test]
fn however_often_it_is_killed_under_load_nothing_is_granted_twice_and_nobody_is_answered_for_another() {
    let Some(form) = form("kill -9 under load") else { return };
    let rounds = if form == Form::Long { 300 } else { 8 };
    // Each server takes its own folder with it.
    let scratch = Scratch::new("kills");
    let rules = format!("{RULES}[log]\nlevel = \"warn\"\n");
    let mut server = Demo::serving_on(&binary(), scratch.0.join("data"), "fixture_mode = true", &rules);
    let auditor = Auditor::new(&server);
    let elsewhere =
        [7_000_001, 7_000_002].map(|units| Member::of(&server, &format!("elsewhere-{units}"), units));
    elsewhere.iter().for_each(|member| auditor.open(member));
    let plan = Plan {
        kinds: "known,anyone,nobody,nobody,list",
        connections: CONNECTIONS,
        // A machine of two processors has to start the server beside it.
        wait_ms: 4,
        questions: 1_000_000,
        members: &elsewhere,
        most: Duration::from_secs(3_600),
    };
    let wrk = Wrk::start(&server, &plan);
    let (mut slowest, mut burned, mut audits, mut given_again) = (Duration::ZERO, 0, 0_u64, 0_u64);
    let mut members = Vec::new();
    for round in 0..rounds {
        if round % GENERATION == 0 {
            members = generation(&server, &auditor, round);
        }
        let last: Mutex<BTreeMap<&str, (Value, Value)>> = Mutex::default();
        std::thread::scope(|scope| {
            for (number, member) in (0..).zip(&members) {
                for caller in 0..CALLERS_EACH {
                    let (server, auditor, last) = (&server, &auditor, &last);
                    scope.spawn(move || {
                        for turn in round + number + caller.. {
                            let (tool, arguments) = question(turn);
                            let Some(answered) = auditor.ask(server, Some(member), tool, &arguments) else {
                                break;
                            };
                            if answered.is("ok") && tool == "resolve_artist" {
                                let data = answered.envelope.map(|envelope| envelope.json["data"].clone());
                                last.lock()
                                    .unwrap()
                                    .insert(&member.name, (arguments, data.unwrap_or_default()));
                            }
                        }
                    });
                }
            }
            std::thread::sleep(Duration::from_millis(60) + pause(round, 340));
            server.kill();
        });
        let began = Instant::now();
        let next = server.serving_again();
        slowest = slowest.max(began.elapsed());
        assert!(slowest < OPENS_WITHIN, "round {round}: starting took {slowest:?}");
        server = next;
        for member in &members {
            burned += auditor.audit(&server, member, CALLERS_EACH * MOST + LEASE);
            audits += 1;
        }
        // What was answered last is answered again, whatever happened just after.
        for member in &members {
            let Some((arguments, data)) = last.lock().unwrap().remove(member.name.as_str()) else { continue };
            let again = auditor.ask(&server, Some(member), "resolve_artist", &arguments).expect("it serves");
            let envelope = again.envelope.expect("an answer");
            assert_eq!((&envelope.json["meta"]["replay"], &envelope.json["data"]), (&json!(true), &data));
            given_again += 1;
        }
    }
    let tally = auditor.tally();
    tally.only(&OUTCOMES);
    assert!(audits >= rounds * 3 && given_again > 0 && tally.of("ok") > rounds);
    assert!(tally.of("quota_exceeded") > 0, "nobody came to the end of its units: {:?}", tally.outcomes);
    let told = wrk.map(|wrk| audit_elsewhere(wrk, &server, &auditor, &elsewhere, rounds));
    println!(
        "MEASURED {rounds} kills: {} answers to own clients, {} to wrk; {audits} audits, {given_again} answers given again, \
         {burned} units burned, none granted twice; slowest start {slowest:.2?}",
        tally.took.len(),
        told.unwrap_or_default(),
    );
}

/// Holds what wrk was told against what the server knows; how many requests it made.
fn audit_elsewhere(wrk: Wrk, server: &Demo, auditor: &Auditor, members: &[Member], rounds: u64) -> u64 {
    let said = wrk.end();
    said.only(&ELSEWHERE);
    for (member, units) in members.iter().zip(&said.units[1..]) {
        assert!(*units > 0, "wrk was told nothing for {}", member.name);
        auditor.told_elsewhere(member, *units);
        // What was on its way when it ended is cut off, too.
        auditor.audit(server, member, (rounds + 1) * (u64::from(CONNECTIONS) * MOST + LEASE));
    }
    let status = admin(server, &["status"]).unwrap();
    let today = status["status"]["anonymous_units_today"].as_u64().unwrap();
    // Where a day may have begun meanwhile, nothing can be told from its units.
    let is_new = time::OffsetDateTime::now_utc().time() < time::Time::MIDNIGHT + time::Duration::HOUR;
    assert!(
        is_new || today >= said.units[0],
        "{today} anonymous units are known, {} were told",
        said.units[0]
    );
    said.requests
}

/// A different wait each round, without a source of chance that could not be repeated.
fn pause(round: u64, most_ms: u64) -> Duration {
    Duration::from_millis((round.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33) % most_ms)
}
