//! The keys that a running server takes anew, and those that wait.

use std::fs;

use serde_json::{Value, json};

use super::served::{ONE_PAIR, Served};

const READ_AGAIN: &str = "the configuration was read again";
const NOT_TAKEN: &str = "the configuration is not taken; the one before goes on";

fn served(name: &str) -> Served {
    Served::start(name, |authority| authority.signs(&["localhost"], (-1, 60)), ONE_PAIR)
}

#[test]
fn a_host_that_is_added_is_believed_at_once_and_on_open_connections_too() {
    let served = served("hosts");
    let mut open = served.connect();
    assert_eq!((open.asks("localhost"), open.asks("mcp.example.org")), (200, 421));
    let mut open = served.connect();
    assert_eq!(open.asks("localhost"), 200);
    served.configure(&format!("{ONE_PAIR}[guard]\nextra_hosts = [\"mcp.example.org\"]\n"));
    served.line(READ_AGAIN, "");
    assert_eq!(open.asks("mcp.example.org"), 200);
    served.configure(ONE_PAIR);
    served.line(READ_AGAIN, "");
    assert_eq!((open.asks("localhost"), open.asks("mcp.example.org")), (200, 421));
}

#[test]
fn a_file_with_mistakes_changes_nothing_and_is_told_in_one_line() {
    let served = served("mistakes");
    served.configure(&format!("{ONE_PAIR}[guard]\nextra_hosts = [\"mcp.example.org\", \"a/b\"]\n[legl]\n"));
    let line = served.line(NOT_TAKEN, "");
    assert_eq!(line["mistakes"], 2);
    let first = line["first"].as_str().expect("text");
    assert!(first.contains("server.toml:12: guard.extra_hosts: found \"a/b\" in the list"), "{first}");
    assert!(
        first.ends_with("server.toml` names all 2") && first.contains("`ono-sendai check-config /"),
        "{first}"
    );
    assert_eq!(served.status()["configuration_refused"], first);
    assert_eq!(served.connect().asks("mcp.example.org"), 421);
    // Gone altogether, and back.
    let file = served.place.join("server.toml");
    let away = served.place.join("away.toml");
    fs::rename(&file, &away).expect("a file");
    served.signal("HUP");
    served.line(NOT_TAKEN, "cannot be read");
    assert_eq!(served.connect().asks("localhost"), 200);
    served.configure(ONE_PAIR);
    served.signal("HUP");
    served.line(READ_AGAIN, "");
    let status = served.status();
    assert_eq!((&status["configuration_refused"], &status["waits_for_start"]), (&Value::Null, &json!([])));
}

#[test]
fn a_configuration_is_read_once_so_that_what_is_compared_is_what_is_taken() {
    use rustix::fs::inotify::{CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init};

    let served = served("once");
    let file = served.place.join("server.toml");
    let ear = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).expect("an ear");
    add_watch(&ear, &file, WatchFlags::OPEN | WatchFlags::CLOSE_NOWRITE).expect("a watch");
    let opened = || {
        let mut buffer = [const { std::mem::MaybeUninit::uninit() }; 4_096];
        let mut events = Reader::new(&ear, &mut buffer);
        let mut count = 0;
        while let Ok(event) = events.next() {
            count += usize::from(event.events().contains(ReadFlags::OPEN));
        }
        count
    };
    // The look that comes by itself every few seconds may fall into one of them, and not into each.
    let fewest = (0..4)
        .map(|_| {
            opened();
            served.signal("HUP");
            served.line(READ_AGAIN, "");
            opened()
        })
        .min();
    assert_eq!(fewest, Some(1));
}

#[test]
fn what_waits_for_the_next_start_is_named_by_its_section() {
    let served = served("waits");
    let rest = ONE_PAIR.replace("format = \"json\"", "format = \"text\"\nlevel = \"debug\"");
    served.configure(&format!("{rest}[anonymous]\nunits_per_day = 1\n[deadlines]\ncall_ms = 4000\n"));
    let line = served.line(READ_AGAIN, "");
    assert_eq!(line["waits_for_start"], "deadlines, anonymous, log");
    assert_eq!(served.status()["waits_for_start"], json!(["deadlines", "anonymous", "log"]));
    // Asked, it says so once more.
    served.signal("HUP");
    assert_eq!(served.line(READ_AGAIN, "")["changed"], false);
}

#[test]
fn the_level_of_the_log_can_be_changed_while_the_server_runs() {
    let served = served("level");
    let with_level = |level: &str| served.configure(&format!("{ONE_PAIR}level = \"{level}\"\n"));
    with_level("debug");
    served.line(READ_AGAIN, "");
    // A client of another time is told of on this level only.
    let _refused = served.openssl(&["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"]);
    served.line("a handshake failed", "");
    with_level("error");
    served.line(READ_AGAIN, "");
    with_level("info");
    let passed = served.lines_until(READ_AGAIN, "");
    let quiet = passed.iter().filter(|line| line["message"] != READ_AGAIN).count();
    assert_eq!(quiet, 0, "{passed:?}");
}

#[test]
fn certificates_that_a_new_configuration_names_are_shown() {
    let served = served("other-files");
    let other = served.authority.signs(&["localhost"], (-1, 60));
    crate::pki::private(&served.place.join("other.pem"), &other.chain);
    crate::pki::private(&served.place.join("other.key"), &other.key);
    served.configure(&ONE_PAIR.replace("tls/chain.pem", "other.pem").replace("tls/key.pem", "other.key"));
    served.shows_soon(&other, "other files");
}

#[test]
fn a_file_that_is_cut_short_takes_neither_the_certificate_nor_anything_else_away() {
    let served = served("cut");
    let file = served.place.join("server.toml");
    let whole = fs::read_to_string(&file).expect("a file");
    let with_host = whole.replace("[tls]", "[guard]\nextra_hosts = [\"mcp.example.org\"]\n[tls]");
    fs::write(&file, &with_host).expect("a file");
    served.line(READ_AGAIN, "");
    let before = served.openssl(&["-servername", "localhost"]).shown;
    let tls = with_host.find("[tls]").expect("a section");
    for (cut, why) in [
        (String::new(), "sets nothing; if that is meant, start the server anew"),
        ("# nothing\n\n".to_owned(), "sets nothing"),
        (with_host[..tls].to_owned(), "names no certificate any more, which the running server has"),
        (whole[..whole.find("[tls]").expect("a section")].to_owned(), "names no certificate any more"),
    ] {
        fs::write(&file, &cut).expect("a file");
        let line = served.line(NOT_TAKEN, why);
        assert!(
            line["first"].as_str().is_some_and(|first| first.starts_with(file.to_str().expect("text"))),
            "{line}"
        );
        assert_eq!(served.status()["configuration_refused"], line["first"]);
        served.signal("HUP");
        served.line(NOT_TAKEN, why);
        assert_eq!(served.openssl(&["-servername", "localhost"]).shown, before, "{why}");
        assert_eq!(served.connect().asks("mcp.example.org"), 200, "{why}");
    }
    fs::write(&file, &with_host).expect("a file");
    served.line(READ_AGAIN, "");
    assert_eq!(served.status()["configuration_refused"], Value::Null);
}

const WAITS: &str = "a file has changed that is read at a start only; start the server anew to have it taken";

#[test]
fn a_file_that_is_read_at_a_start_only_and_changes_while_the_server_starts_is_named() {
    let place = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("reload-{}-while-it-starts", std::process::id()));
    let _ = fs::remove_dir_all(&place);
    let (store, text) = (place.join("data/store"), place.join("privacy.txt"));
    fs::create_dir_all(&store).expect("a folder");
    fs::write(&text, "One.").expect("a file");
    let authority = crate::pki::Authority::new();
    crate::pki::private(&place.join("root.pem"), &authority.root);
    // A server that finds its folder locked waits for a moment.
    let lock = fs::File::create(store.join("LOCK")).expect("a file");
    lock.try_lock().expect("nobody else has it");
    let made = place.join("data/demo-cert.pem");
    let changing = std::thread::spawn(move || {
        let begun = std::time::Instant::now();
        while !made.exists() && begun.elapsed() < super::served::PATIENCE {
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        fs::write(text, "Two.").expect("a file");
        drop(lock);
    });
    let rest = "[legal]\nprivacy = \"PLACE/privacy.txt\"\n[log]\nformat = \"json\"\n";
    let served = Served::on(place, authority, rest, &[]);
    changing.join().expect("it changed the file");
    assert_eq!(served.line(WAITS, "privacy")["files"], "legal.privacy");
    assert_eq!(served.status()["files_wait_for_start"], json!(["legal.privacy"]));
}

#[test]
fn a_file_that_is_read_at_a_start_only_is_named_once_it_holds_something_else() {
    let place = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("reload-{}-start-only", std::process::id()));
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(place.join("tls")).expect("a folder");
    let authority = crate::pki::Authority::new();
    let pair = authority.signs(&["localhost"], (-1, 60));
    for (file, content) in [
        ("root.pem", authority.root.as_str()),
        ("tls/chain.pem", &pair.chain),
        ("tls/key.pem", &pair.key),
        ("crate.key", "ck_test_0123456789"),
        ("privacy.txt", "One."),
    ] {
        crate::pki::private(&place.join(file), content);
    }
    let rest = format!(
        "fixture_mode = false\n[operator]\nlisten = \"unix:PLACE/o.sock\"\n[crate]\nkey_file = \"PLACE/crate.key\"\nbase_url = \"http://localhost:1\"\n[legal]\nprivacy = \"PLACE/privacy.txt\"\n{ONE_PAIR}"
    );
    let served = Served::on(place.clone(), authority, &rest, &[]);
    served.signal("HUP");
    served.line(READ_AGAIN, "");
    assert_eq!(served.status()["files_wait_for_start"], json!([]));
    crate::pki::private(&place.join("crate.key"), "ck_test_9876543210");
    assert_eq!(served.line(WAITS, "")["files"], "crate.key_file");
    fs::write(place.join("privacy.txt"), "Two.").expect("a file");
    assert_eq!(served.line(WAITS, "privacy")["files"], "crate.key_file, legal.privacy");
    assert_eq!(served.status()["files_wait_for_start"], json!(["crate.key_file", "legal.privacy"]));
    let told = &crate::operator::series_at(&place.join("o.sock"))["gauges"]["reload"];
    assert_eq!(
        (&told["files_wait_for_start"], &told["waits_for_start"]),
        (&json!(["crate.key_file", "legal.privacy"]), &json!([]))
    );
}
