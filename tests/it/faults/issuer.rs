//! An issuer that is gone while its accounts are served: known keys go on, and nobody is held up by who is refused.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use http::Method;
use serde_json::json;

use super::Member;
use super::auditor::Auditor;
use super::clients::{Ends, question};
use crate::harness::JSON;
use crate::signin::issuer::{Answers, Issuer, Key};

#[test]
fn a_dead_issuer_keeps_nobody_out_whose_key_is_known_and_lets_nobody_else_in() {
    let (known, unknown) = (Key::es256("known"), Key::es256("unknown"));
    let issuer = Issuer::with(&[&known]);
    let server = issuer.server(
        "",
        "[guard]\ntrusted_proxies = [\"127.0.0.1\"]\n[accounts]\ncalls_per_minute = 1000000\ncalls_at_once = 100\n",
    );
    let auditor = Auditor::new(&server);
    let token = |key: &Key, name: &str| {
        let mut claims = issuer.claims(&server);
        claims["sub"] = json!(name);
        key.sign(&claims)
    };
    let members: Vec<Member> = (0..3)
        .map(|n| {
            let name = format!("user-{n}");
            Member { token: token(&known, &name), name, allowance: 1_000 }
        })
        .collect();
    for member in &members {
        auditor.open(member);
        let welcome = auditor.ask(&server, Some(member), "get_usage", &json!({})).expect("it serves");
        assert!(welcome.is("ok"), "the issuer is there still: {welcome:?}");
    }
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _end = Ends(&stop);
        for (number, member) in (0..).zip(&members) {
            let (server, auditor, stop) = (&server, &auditor, &stop);
            scope.spawn(move || {
                for turn in number.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let (tool, arguments) = question(turn);
                    let answered = auditor.ask(server, Some(member), tool, &arguments).expect("it serves");
                    assert!(answered.took < Duration::from_secs(5), "an answer took {:?}", answered.took);
                }
            });
        }
        let bearer = format!("Bearer {}", token(&unknown, "stranger"));
        for answers in [Answers::Silence, Answers::Status(500), Answers::Status(429)] {
            issuer.answers(answers.clone());
            let began = Instant::now();
            let answer = server.send(
                Method::POST,
                "/mcp",
                &[JSON, ("accept", "application/json"), ("authorization", &bearer)],
                r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            );
            // Its key was in no set that is a moment old, or that cannot be told any more.
            assert!([401, 503].contains(&answer.status), "{answers:?} {answer:?}");
            assert!(began.elapsed() < Duration::from_secs(10), "{answers:?} {:?}", began.elapsed());
            std::thread::sleep(Duration::from_millis(300));
        }
    });
    let tally = auditor.tally();
    tally.only(&["ok", "quota_exceeded"]);
    assert!(tally.of("ok") > 100, "{:?}", tally.outcomes);
    for member in &members {
        auditor.audit(&server, member, 0);
    }
}
