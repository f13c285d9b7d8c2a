//! Names of real artists, asked of the running server over a service that holds them: whom each leads to, and how
//! sure the answer is.
//!
//! `identity/names.tsv` says what each name must lead to; `identity/expect.py` made it from the public data by a rule
//! that is written there, and shares no code with the program. The data itself is not in the project: ONO_SHARED names
//! the folder where it lies.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use crate::harness::{Demo, Envelope, Kept as _};
use crate::simulator::{KEY, Sim};

const TABLE: &str = include_str!("identity/names.tsv");
const DISCOGS: &str = "data/discogs-xml2db-20200806";
const MUSICBRAINZ: &str = "data/musicbrainz/mb-core-facts.json";
/// Calls at once.
const AT_ONCE: usize = 4;

/// A name and what it must lead to.
struct Row {
    name: &'static str,
    kind: &'static str,
    ids: BTreeSet<String>,
}

fn rows() -> Vec<Row> {
    let row = |line: &'static str| {
        let [name, kind, ids] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        Row { name, kind, ids: ids.split(',').map(str::to_owned).collect() }
    };
    TABLE.lines().map(row).collect()
}

/// The folder of the data, or a loud line that nothing was asked.
fn shared() -> Option<PathBuf> {
    let shared = std::env::var_os("ONO_SHARED").map(PathBuf::from);
    let there = shared.filter(|folder| folder.join(DISCOGS).is_dir());
    if there.is_none() {
        let line = "SKIPPED: no real artist was asked for (ONO_SHARED names the folder with the public data)";
        writeln!(std::io::stderr(), "{line}").expect("stderr takes a line");
    }
    there
}

/// A server over the simulator over the data, and the simulator.
fn over_the_data(shared: &std::path::Path, homonyms: &str) -> (Demo, Sim) {
    let path = |name: &str| shared.join(name).to_string_lossy().into_owned();
    let sim = Sim::start(
        "",
        &[
            "--in-flight",
            "0",
            "--per-minute",
            "0",
            "--extracts",
            &path(DISCOGS),
            "--musicbrainz",
            &path(MUSICBRAINZ),
            "--homonyms",
            homonyms,
        ],
    );
    let server = Demo::serving(
        "fixture_mode = false",
        &format!(
            "[crate]\nbase_url = \"{}\"\nkey = \"{KEY}\"\nin_flight = 100\nper_minute = 100000\n[anonymous]\n\
             units_per_day = 1000000\ncalls_per_minute = 60000\nrequests_per_second = 10000\nrequests_burst = 100000",
            sim.url
        ),
    );
    (server, sim)
}

/// The server that two tests ask, over namesakes that are kept apart.
fn apart(shared: &std::path::Path) -> &'static (Demo, Sim) {
    static APART: OnceLock<(Demo, Sim)> = OnceLock::new();
    APART.get_or_init(|| over_the_data(shared, "apart"))
}

/// Asks for every name, and gives the answers in the order of the names.
fn ask(server: &Demo, names: &[&str]) -> Vec<Envelope> {
    let next = AtomicUsize::new(0);
    let mut answers: Vec<(usize, Envelope)> = std::thread::scope(|scope| {
        let worker = || {
            let mut own = Vec::new();
            while let Some((at, name)) =
                Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, names.get(at)?)))
            {
                own.push((at, server.call("resolve_artist", json!({"q": name}))));
            }
            own
        };
        let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a worker")).collect()
    });
    answers.sort_by_key(|(at, _)| *at);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

/// Whom an answer is about: a Discogs id, or else an MBID.
fn about(answer: &Envelope) -> Option<String> {
    let data = answer.data();
    let discogs = data["discogs_id"].as_u64().map(|id| id.to_string());
    discogs.or_else(|| data["mbid"].as_str().map(str::to_owned))
}

/// Everybody whom an answer names, itself included.
fn named(answer: &Envelope) -> BTreeSet<String> {
    let candidates = answer.json["ambiguity"]["candidates"].as_array().into_iter().flatten();
    let hints = candidates.filter_map(|candidate| candidate["hint"].as_str());
    let ids = hints.flat_map(|hint| hint.split(", ")).filter_map(|part| part.split_once(' '));
    ids.map(|(_, id)| id.to_owned()).chain(about(answer)).collect()
}

/// Why an answer is not what the row says; nothing if it is.
fn fault(row: &Row, answer: &Envelope) -> Option<String> {
    let (state, about) = (answer.state(), about(answer));
    let sure = state == "none";
    let is_the_one = about.as_ref().is_some_and(|id| row.ids.contains(id));
    let candidates = answer.json["ambiguity"]["candidates"].as_array().map_or(0, Vec::len);
    let holds = match row.kind {
        "one" => sure && is_the_one,
        "unsure" => state == "unknown" && is_the_one,
        "told" => is_the_one,
        "several" => !sure && candidates >= 2 && about.is_none_or(|id| row.ids.contains(&id)),
        "numbered" => !sure && answer.json["present"] == false && about.is_none(),
        other => panic!("{other} is no kind"),
    };
    (!holds).then(|| format!("{} ({} {:?}): {}", row.name, row.kind, row.ids, answer.json))
}

fn report(faults: &[String]) {
    assert!(
        faults.is_empty(),
        "{} faults, the first of them\n{}",
        faults.len(),
        faults[..faults.len().min(5)].join("\n")
    );
}

#[test]
fn every_real_artist_is_found_by_name_and_no_namesake_is_picked_in_silence() {
    let Some(shared) = shared() else { return };
    let rows = rows();
    let names: Vec<&str> = rows.iter().map(|row| row.name).collect();
    let (server, sim) = apart(&shared);
    let answers = ask(server, &names);
    let mut faults: Vec<String> =
        rows.iter().zip(&answers).filter_map(|(row, answer)| fault(row, answer)).collect();
    for (row, answer) in rows.iter().zip(&answers).filter(|(row, _)| row.kind == "several") {
        // Who has the plain name is resolved beside its namesakes; where nobody has, those that begin alike are offered.
        let all = named(answer);
        if about(answer).is_some() && !row.ids.is_subset(&all) {
            faults.push(format!("{} names only {all:?} of {:?}", row.name, row.ids));
        }
    }
    report(&faults);
    let asked = sim.report();
    assert!(asked.to_string().contains("resolve"), "{asked}");
}

#[test]
fn f03_f06_f07_another_spelling_of_a_real_name_is_the_same_artist_or_nobody() {
    let Some(shared) = shared() else { return };
    let (server, _) = apart(&shared);
    let rows = rows();
    let marked: Vec<&Row> = rows.iter().filter(|row| row.kind == "one" && !row.name.is_ascii()).collect();
    assert!(marked.len() > 50, "{} names with marks", marked.len());
    let bare = |name: &str| name.nfkd().filter(|c| !is_combining_mark(*c)).collect::<String>();
    let spellings: [fn(&str) -> String; 3] =
        [|name| name.nfd().collect(), |name| name.to_uppercase(), |name| format!("\u{200b} {name}\u{feff}")];
    for spelling in spellings {
        let asked: Vec<String> = marked.iter().map(|row| spelling(row.name)).collect();
        let answers = ask(server, &asked.iter().map(String::as_str).collect::<Vec<_>>());
        for ((row, asked), answer) in marked.iter().zip(&asked).zip(&answers) {
            let id = about(answer);
            assert!(id.is_none_or(|id| row.ids.contains(&id)), "{asked:?} for {}: {}", row.name, answer.json);
        }
        let found = answers.iter().filter(|answer| about(answer).is_some()).count();
        assert!(found * 10 > marked.len() * 9, "{found} of {} found as {:?}", marked.len(), asked[0]);
    }
    // The service matches names exactly; without marks only its rows can lead to somebody.
    let asked: Vec<String> = marked.iter().map(|row| bare(row.name)).collect();
    let answers = ask(server, &asked.iter().map(String::as_str).collect::<Vec<_>>());
    for ((row, asked), answer) in marked.iter().zip(&asked).zip(&answers) {
        let other = rows.iter().any(|other| other.name == asked && other.ids != row.ids);
        let id = about(answer);
        assert!(
            other || id.is_none_or(|id| row.ids.contains(&id)),
            "{asked} for {}: {}",
            row.name,
            answer.json
        );
    }
}

#[test]
fn on_a_cluster_that_namesakes_share_nobody_is_taken_for_another() {
    let Some(shared) = shared() else { return };
    let (server, _sim) = over_the_data(&shared, "shared");
    let rows: Vec<Row> = rows()
        .into_iter()
        .enumerate()
        .filter(|(at, row)| row.kind != "one" || at % 8 == 0)
        .map(|(_, row)| row)
        .collect();
    let names: Vec<&str> = rows.iter().map(|row| row.name).collect();
    let answers = ask(&server, &names);
    let mut faults = Vec::new();
    for (row, answer) in rows.iter().zip(&answers) {
        if row.kind != "several" {
            faults.extend(fault(row, answer));
            continue;
        }
        let is_one_of_them = about(answer).is_none_or(|id| row.ids.contains(&id));
        // Who has no Discogs id leaves no trace in any answer about a cluster that a Discogs artist is in.
        if row.ids.iter().filter(|id| id.bytes().all(|byte| byte.is_ascii_digit())).count() < 2 {
            assert_eq!((row.name, about(answer).as_deref()), ("Nirvana", Some("125246")));
            continue;
        }
        if answer.state() != "none" {
            if !is_one_of_them {
                faults.push(format!("{}: {}", row.name, answer.json));
            }
            continue;
        }
        // Nothing that a resolve reads shows the namesake: whose name it is has been found, and the card says the rest.
        let action = &answer.json["next_actions"][0];
        let card = server.call(action["tool"].as_str().expect("a follow-up"), action["args"].clone());
        if about(answer).is_none() || !is_one_of_them || card.state() != "over_merged" {
            faults.push(format!("{}: {}\n{}", row.name, answer.json, card.json));
        }
    }
    report(&faults);
}

#[test]
fn what_names_must_lead_to_is_what_the_public_data_says() {
    let rows = rows();
    let count = |kind: &str| rows.iter().filter(|row| row.kind == kind).count();
    assert!(rows.len() > 1_000 && count("one") > 800, "{} rows", rows.len());
    assert!(count("several") >= 20 && count("numbered") > 100 && count("told") > 100);
    let nirvana = rows.iter().find(|row| row.name == "Nirvana").expect("a row");
    assert_eq!((nirvana.kind, nirvana.ids.len()), ("several", 5));

    let Some(shared) = shared() else { return };
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/identity/expect.py");
    let file = |kind: &str| shared.join(DISCOGS).join(format!("discogs_20200806_{kind}.xml.gz"));
    let written = Command::new("python3")
        .arg(script)
        .args([file("artists"), file("masters"), file("releases"), shared.join(MUSICBRAINZ)])
        .output()
        .expect("python3 runs");
    assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
    assert!(written.stdout == TABLE.as_bytes(), "names.tsv is not what expect.py writes");
}

#[test]
fn a_folder_without_extracts_is_named_with_what_it_lacks() {
    let folder =
        std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("no-extracts-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let output = Command::new(env!("CARGO_BIN_EXE_ono-sendai"))
        .args(["crate-sim", "--listen", "127.0.0.1:0", "--extracts"])
        .arg(&folder)
        .kept_output()
        .expect("it runs");
    std::fs::remove_dir_all(&folder).expect("the folder");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(
        said.contains("artists.xml.gz") && said.contains("no-extracts-") && said.lines().count() == 1,
        "{said}"
    );
}
