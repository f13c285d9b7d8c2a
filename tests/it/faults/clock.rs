//! A wall clock that is stepped while clients ask: units are counted out once, and nobody is answered for another.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;
use time::Duration as Span;
use time::macros::datetime;

use super::auditor::Auditor;
use super::clients::{Ends, number, question};
use super::{Member, RULES};
use crate::harness::Demo;
use crate::metering::stepped::{certificate_for_all_times, set};
use crate::store::support::Scratch;

/// Two are used up, one is not.
const ALLOWANCES: [u64; 3] = [60, 61, 900_000];

#[test]
fn steps_of_the_wall_clock_under_load_grant_nothing_and_answer_nobody_for_another() {
    let noon = datetime!(2027-01-15 12:00 UTC);
    let scratch = Scratch::new("steps");
    let (data, time) = (scratch.0.join("data"), scratch.0.join("time"));
    certificate_for_all_times(&data);
    set(&time, noon);
    let rules = format!("fixture_mode = true\n{RULES}[log]\nlevel = \"info\"\n");
    let Some(server) = Demo::serving_in_time(&rules, data, &time, "Asia/Kolkata") else {
        eprintln!("SKIPPED: a clock that is stepped under load: there is no libfaketime");
        return;
    };
    let auditor = Auditor::new(&server);
    let members: Vec<Member> =
        ALLOWANCES.iter().map(|units| Member::of(&server, &format!("steps-{units}"), *units)).collect();
    members.iter().for_each(|member| auditor.open(member));
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _end = Ends(&stop);
        for member in &members {
            let (server, auditor, stop) = (&server, &auditor, &stop);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let (tool, arguments) = question(number());
                    let answered = auditor.ask(server, Some(member), tool, &arguments).expect("it serves");
                    assert!(answered.took < Duration::from_secs(5), "an answer took {:?}", answered.took);
                }
            });
        }
        for at in [
            noon + Span::HOUR,
            noon - Span::HOUR,
            noon + Span::DAY,
            datetime!(1970-01-01 00:00:10 UTC),
            datetime!(2027-02-15 12:00 UTC),
            noon - Span::DAY,
        ] {
            std::thread::sleep(Duration::from_millis(250));
            set(&time, at);
            std::thread::sleep(Duration::from_millis(250));
            set(&time, noon);
        }
        std::thread::sleep(Duration::from_millis(500));
    });
    let tally = auditor.tally();
    // By another clock a token is too old or too young.
    tally.only(&["ok", "quota_exceeded", "401"]);
    assert!(tally.of("quota_exceeded") > 0 && tally.of("401") > 0, "{:?}", tally.outcomes);
    for member in &members {
        auditor.audit(&server, member, 0);
    }
    let usage = server.call_as(&members[0].token, "get_usage", json!({}));
    // A question that may cost two units is not begun with one.
    assert!(usage.data()["used"].as_u64() >= Some(ALLOWANCES[0] - 1), "{}", usage.json);
    assert!(!server.log().contains("panicked at"), "{}", server.log());
}
