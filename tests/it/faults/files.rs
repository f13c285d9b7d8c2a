//! A program that may open no further file: who asks is served, who comes takes the place of one that asks nothing, and
//! nothing is kept busy by waiting for room.

use std::io::{ErrorKind, Read as _, Write as _};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::auditor::Auditor;
use super::clients::{Ends, question};
use super::{Member, RULES, binary};
use crate::harness::{Demo, PATIENCE, Tls};

/// What a server at rest may use of a processor meanwhile, at most.
const AT_REST: Duration = Duration::from_millis(300);

/// How many come while there is no room.
const NEWCOMERS: usize = 20;
/// How many stand still before: more than have to go, so that whoever asks never stands still the longest.
const IDLE: usize = 30;
/// A request after which the connection ends.
const CLOSING: &[u8] = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

/// How many files a process may have open so that it can keep those that it has, and how many more it can open then.
fn files(pid: u32) -> (usize, usize) {
    let open = std::fs::read_dir(format!("/proc/{pid}/fd")).expect("its files");
    let number = |entry: std::fs::DirEntry| entry.file_name().to_str()?.parse().ok();
    let open: Vec<usize> = open.filter_map(|entry| number(entry.ok()?)).collect();
    let most = open.iter().max().expect("at least one") + 1;
    (most, most - open.len())
}

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

/// One more client, which is served once and stays.
fn comes(server: &Demo) -> Tls {
    let began = Instant::now();
    let mut newcomer = server.connection();
    newcomer.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").expect("it is there");
    let mut answer = [0; 12];
    newcomer.read_exact(&mut answer).expect("an answer");
    assert_eq!(&answer, b"HTTP/1.1 200");
    assert!(began.elapsed() < Duration::from_secs(5), "it took {:?} to be served", began.elapsed());
    newcomer
}

#[test]
fn without_room_for_a_file_one_that_stands_still_gives_way_and_whoever_asks_is_served() {
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
        let mut came: Vec<_> = (0..IDLE).map(|_| comes(&server)).collect();
        std::thread::sleep(Duration::from_secs(1));
        // What it has open it keeps; for more than a few others there is room only where something ends.
        let (most, free) = files(server.pid);
        if !may_open(server.pid, &most.to_string()) {
            return None;
        }
        came.extend((0..free + NEWCOMERS).map(|_| comes(&server)));
        let first = came.first_mut().expect("one came");
        let gone = std::io::copy(first, &mut std::io::sink());
        assert!(
            gone.as_ref().map_or_else(|error| error.kind() != ErrorKind::WouldBlock, |_| true),
            "the one that stood still longest is there yet: {gone:?}"
        );
        std::thread::sleep(Duration::from_millis(300));
        drop(end);
        let served: u64 = clients.into_iter().map(|client| client.join().expect("a client")).sum();
        // With no room for anything, it waits and does not try without end.
        assert!(may_open(server.pid, "3"));
        let mut waiting = server.connection();
        waiting.sock.set_read_timeout(Some(Duration::from_secs(1))).expect("a timeout");
        let nothing = waiting.write_all(CLOSING).and_then(|()| waiting.read(&mut [0; 1]));
        let nothing = nothing.expect_err("nobody takes the connection");
        assert!([ErrorKind::WouldBlock, ErrorKind::TimedOut].contains(&nothing.kind()), "{nothing}");
        let (busy, began) = (server.processor_time(), Instant::now());
        std::thread::sleep(Duration::from_secs(2));
        let busy = server.processor_time() - busy;
        assert!(busy < AT_REST, "{busy:?} of {:?} to wait for room", began.elapsed());
        assert!(may_open(server.pid, &before));
        let began = Instant::now();
        waiting.sock.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let mut answer = String::new();
        let _ends_without_a_farewell =
            waiting.write_all(CLOSING).and_then(|()| waiting.read_to_string(&mut answer));
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
