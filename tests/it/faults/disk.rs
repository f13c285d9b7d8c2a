//! A disk of 64 MB that is filled to the brim, one that turns read-only, and one whose barrier fails, all under load: what
//! is metered is refused soon, the rest is served, nobody has to start the server again, and nothing is lost.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use http::Method;
use serde_json::json;

use super::auditor::Auditor;
use super::clients::{Answered, Ends, nobody, question};
use super::foreign::{Plan, Wrk};
use super::{Member, RULES, binary};
use crate::harness::Demo;
use crate::store::power_cut::{Mounted, made_of};
use crate::store::support::{Scratch, eventually};

/// A refusal takes no longer.
const WITHIN: Duration = Duration::from_secs(2);
const DISK_MIB: u64 = 64;
/// So long what is broken stays so, at least.
const BROKEN_FOR: Duration = Duration::from_secs(3);
const OUTCOMES: [&str; 2] = ["ok", "metering_unavailable"];
const ELSEWHERE: [&str; 6] = [
    "known 200 ok",
    "known 200 metering_unavailable",
    "nobody 200 ok",
    "nobody 200 metering_unavailable",
    "list 200 ok",
    "argument 200 invalid_argument",
];

/// A server with its clients, and what it keeps in a folder.
struct World {
    server: Demo,
    auditor: Auditor,
    members: Vec<Member>,
    elsewhere: Vec<Member>,
}

impl World {
    fn on(data: &Path) -> Self {
        let server = Demo::serving_on(
            &binary(),
            data.to_owned(),
            "fixture_mode = true",
            &format!("{RULES}[backup]\nevery_minutes = 0\n[log]\nlevel = \"info\"\n"),
        );
        let auditor = Auditor::new(&server);
        let of = |name: &str, first: u64| -> Vec<Member> {
            (first..first + 2).map(|n| Member::of(&server, &format!("{name}-{n}"), n)).collect()
        };
        let (members, elsewhere) = (of("own", 3_000_000), of("elsewhere", 4_000_000));
        members.iter().chain(&elsewhere).for_each(|member| auditor.open(member));
        Self { server, auditor, members, elsewhere }
    }

    /// Asks for an account; what came is audited.
    fn ask(&self, member: &Member, tool: &str, arguments: serde_json::Value) -> Answered {
        self.auditor.ask(&self.server, Some(member), tool, &arguments).expect("it serves")
    }

    /// While clients and wrk ask, it breaks and is mended.
    #[expect(clippy::print_stdout, reason = "a test says what it measured")]
    fn breaks(&self, break_it: impl FnOnce(), mend: impl FnOnce()) {
        let plan = Plan {
            kinds: "known,nobody,nobody,list,argument",
            connections: 4,
            wait_ms: 10,
            questions: 1_000_000,
            members: &self.elsewhere,
            most: Duration::from_secs(120),
        };
        let wrk = Wrk::start(&self.server, &plan);
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let end = Ends(&stop);
            for (number, member) in (0..).zip(&self.members) {
                let stop = &stop;
                scope.spawn(move || {
                    for turn in number.. {
                        if stop.load(Ordering::Relaxed) {
                            break;
                        }
                        let (tool, arguments) = question(turn);
                        let answered = self.ask(member, tool, arguments);
                        assert!(answered.took < WITHIN, "an answer took {:?}", answered.took);
                    }
                });
            }
            let member = &self.members[0];
            let kept = nobody();
            assert!(self.ask(member, "resolve_artist", kept.clone()).is("ok"), "it is whole");
            for _ in 0..20 {
                assert!(self.ask(member, "resolve_artist", nobody()).is("ok"), "it is whole");
            }
            let before = self.auditor.tally();
            before.only(&["ok"]);
            break_it();
            let broke = Instant::now();
            eventually("what is metered is refused", || {
                self.ask(member, "resolve_artist", nobody()).is("metering_unavailable")
            });
            let refused_after = broke.elapsed();
            while broke.elapsed() < BROKEN_FOR {
                let refused = self.ask(member, "resolve_artist", nobody());
                if !refused.is("metering_unavailable") {
                    // It tries again and again whether it works again.
                    continue;
                }
                let error = &refused.envelope.as_ref().expect("an answer").json["error"];
                assert!(error["data"]["retry_after_ms"].is_u64(), "{error}");
                self.the_rest_serves(member, &kept);
            }
            mend();
            let mended = Instant::now();
            eventually("what is metered is served again", || {
                self.ask(member, "resolve_artist", nobody()).is("ok")
            });
            let served_after = mended.elapsed();
            for _ in 0..20 {
                assert!(self.ask(member, "resolve_artist", nobody()).is("ok"), "it is mended");
            }
            drop(end);
            println!(
                "MEASURED refused {refused_after:.2?} after it broke, served {served_after:.2?} after it was mended"
            );
        });
        let mut tally = self.auditor.tally();
        tally.only(&OUTCOMES);
        let slowest = tally.within(100);
        println!("MEASURED {:?}, slowest {slowest:.2?}", tally.outcomes);
        if let Some(said) = wrk.map(Wrk::end) {
            said.only(&ELSEWHERE);
            assert!(said.most < WITHIN, "an answer to wrk took {:?}", said.most);
            for (member, units) in self.elsewhere.iter().zip(&said.units[1..]) {
                self.auditor.told_elsewhere(member, *units);
            }
            println!(
                "MEASURED wrk: {} requests, {:?}, slowest {:.2?}",
                said.requests, said.outcomes, said.most
            );
        }
        assert!(!self.server.log().contains("panicked at"), "{}", self.server.log());
    }

    /// What needs no units is served as ever.
    fn the_rest_serves(&self, member: &Member, kept: &serde_json::Value) {
        let server = &self.server;
        assert!(self.ask(member, "get_usage", json!({})).is("ok"));
        let again = self.ask(member, "resolve_artist", kept.clone());
        assert!(again.is("ok") && again.envelope.unwrap().json["meta"]["replay"] == true);
        assert!(server.modern("tools/list", json!({})).result()["tools"].is_array());
        assert_eq!(server.send(Method::GET, "/healthz", &[], "").status, 200);
        assert_eq!(server.send(Method::GET, "/docs/agents/connect", &[], "").status, 200);
    }

    /// It is killed, started again, and knows of everything that anybody was told.
    fn nothing_is_lost(mut self) {
        const CUT_OFF_AND_LEASE: u64 = 8 * 2 + 100;
        self.server.kill();
        self.server = self.server.serving_again();
        for member in self.members.iter().chain(&self.elsewhere) {
            self.auditor.audit(&self.server, member, CUT_OFF_AND_LEASE);
        }
        assert!(self.ask(&self.members[0], "resolve_artist", nobody()).is("ok"));
    }
}

#[test]
fn a_disk_of_64_mb_that_is_filled_to_the_brim_under_load_stops_what_is_metered_until_there_is_room() {
    let scratch = Scratch::new("brim");
    let (image, folder) = (scratch.0.join("disk"), scratch.0.join("mounted"));
    let Some(mounted) =
        Some(()).filter(|()| made_of(&image, DISK_MIB)).and_then(|()| Mounted::new(&image, &folder))
    else {
        eprintln!("SKIPPED: a disk of 64 MB: nothing may be mounted here");
        return;
    };
    let world = World::on(&mounted.0.join("data"));
    let filler = mounted.0.join("filler");
    let fill = || {
        let mut file = std::fs::File::create(&filler).unwrap();
        for size in [1 << 20, 1 << 12, 1] {
            while file.write_all(&vec![1; size]).is_ok() {}
        }
    };
    world.breaks(fill, || std::fs::remove_file(&filler).unwrap());
    world.nothing_is_lost();
}

/// strace, which answers some calls of a running program in the place of the system.
struct Injected(Child);

impl Injected {
    /// `calls` fail so on the database of a server; `None`, and a loud line, where that cannot be done.
    #[expect(clippy::print_stderr, reason = "a test says what it could not do")]
    fn into(server: &Demo, fault: &str) -> Option<Self> {
        let file = server.data().join("store/db/db");
        let strace = Command::new("strace")
            .args(["-f", "-o", "/dev/null", "-e", fault, "-P"])
            .arg(&file)
            .args(["-p", &server.pid.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn();
        let Ok(mut strace) = strace else {
            eprintln!("SKIPPED: {fault}: there is no strace (apt-get install strace)");
            return None;
        };
        let mut lines = BufReader::new(strace.stderr.take().expect("a pipe")).lines().map_while(Result::ok);
        let attached = lines.by_ref().any(|line| line.contains("attached"));
        std::thread::spawn(move || lines.for_each(drop));
        if attached {
            return Some(Self(strace));
        }
        let _ = strace.wait();
        eprintln!("SKIPPED: {fault}: no program may be traced here");
        None
    }

    /// From here on the system answers again.
    fn end(mut self) {
        let told = Command::new("kill").args(["-TERM", &self.0.id().to_string()]).status();
        assert!(told.expect("kill runs").success());
        self.0.wait().expect("it ends");
    }
}

/// While a server is under load its database fails so; `None` where that cannot be done.
fn fails(name: &str, fault: &str) -> Option<()> {
    let scratch = Scratch::new(name);
    let world = World::on(&scratch.0.join("data"));
    // Whether it can be done at all is seen before anything is asked.
    Injected::into(&world.server, "inject=fdatasync:error=EIO:when=65535")?.end();
    let injected = std::cell::Cell::new(None);
    world.breaks(
        || injected.set(Injected::into(&world.server, fault)),
        || injected.take().expect("it was injected").end(),
    );
    world.nothing_is_lost();
    Some(())
}

#[test]
fn a_barrier_that_fails_under_load_stops_what_is_metered_until_it_works() {
    fails("barrier", "inject=fdatasync,fsync:error=EIO");
}

#[test]
fn a_database_that_turns_read_only_under_load_stops_what_is_metered_until_it_can_be_written() {
    fails("turned", "inject=pwrite64,ftruncate,fallocate,fdatasync,fsync:error=EROFS");
}
