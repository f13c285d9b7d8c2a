//! A program that may open no further file: what is open is served, what comes waits, and nothing is kept busy by that.

use std::io::{ErrorKind, Read as _, Write as _};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::auditor::Auditor;
use super::clients::{Ends, question};
use super::{Member, RULES, binary};
use crate::harness::Demo;
use crate::harness::PATIENCE;

/// What a server at rest may use of a processor meanwhile, at most.
const AT_REST: Duration = Duration::from_millis(300);

/// Sets how many files a process may have open; whether that can be done here.
#[expect(clippy::print_stderr, reason = "a test says what it could not do")]
fn may_open(pid: u32, most: &str) -> bool {
    let set =
        Command::new("prlimit").args(["--pid", &pid.to_string(), &format!("--nofile={most}:")]).output();
    let is_set = set.is_ok_and(|set| set.status.success());
    if !is_set {
        eprintln!("SKIPPED: no more open files: there is no prlimit, or it may not");
    }
    is_set
}

#[test]
fn without_room_for_a_file_open_connections_are_served_and_others_as_soon_as_there_is_room() {
    let server =
        Demo::serving_of(&binary(), "fixture_mode = true", &format!("{RULES}[log]\nlevel = \"info\"\n"));
    let auditor = Auditor::new(&server);
    let members: Vec<Member> =
        (600_000..600_003).map(|n| Member::of(&server, &format!("files-{n}"), n)).collect();
    members.iter().for_each(|member| auditor.open(member));
    let limit = std::fs::read_to_string(format!("/proc/{}/limits", server.pid)).expect("its limits");
    let limit = limit.lines().find_map(|line| line.strip_prefix("Max open files")).expect("a limit");
    let before = limit.split_whitespace().next().expect("a number").to_owned();
    let stop = AtomicBool::new(false);
    let served = std::thread::scope(|scope| {
        let end = Ends(&stop);
        // One connection, which is there already.
        let clients: Vec<_> = members
            .iter()
            .map(|member| {
                let (server, auditor, stop) = (&server, &auditor, &stop);
                scope.spawn(move || {
                    for turn in 0.. {
                        if stop.load(Ordering::Relaxed) {
                            return turn;
                        }
                        let (tool, arguments) = question(turn);
                        auditor.ask(server, Some(member), tool, &arguments).expect("it serves");
                    }
                    unreachable!("it ends when it is told to")
                })
            })
            .collect();
        std::thread::sleep(Duration::from_millis(300));
        if !may_open(server.pid, "8") {
            return None;
        }
        let mut waiting = server.connection();
        waiting.sock.set_read_timeout(Some(Duration::from_secs(1))).expect("a timeout");
        let nothing = waiting
            .write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            .and_then(|()| waiting.read(&mut [0; 1]))
            .expect_err("nobody takes the connection");
        assert!([ErrorKind::WouldBlock, ErrorKind::TimedOut].contains(&nothing.kind()), "{nothing}");
        std::thread::sleep(Duration::from_millis(300));
        drop(end);
        let served: u64 = clients.into_iter().map(|client| client.join().expect("a client")).sum();
        // With nobody asking, it waits for room and does not try without end.
        let (busy, began) = (server.processor_time(), Instant::now());
        std::thread::sleep(Duration::from_secs(2));
        let busy = server.processor_time() - busy;
        assert!(busy < AT_REST, "{busy:?} of {:?} to wait for room", began.elapsed());
        assert!(may_open(server.pid, &before));
        let began = Instant::now();
        waiting.sock.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let mut answer = String::new();
        let _ends_without_a_farewell = waiting
            .write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            .and_then(|()| waiting.read_to_string(&mut answer));
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer:?}");
        assert!(began.elapsed() < Duration::from_secs(5), "it took {:?} to be served", began.elapsed());
        Some(served)
    });
    let Some(served) = served else { return };
    assert!(served > 20, "{served} answers while there was no room");
    auditor.tally().only(&["ok"]);
    for member in &members {
        auditor.audit(&server, member, 0);
    }
    assert!(!server.log().contains("panicked at"), "{}", server.log());
}
