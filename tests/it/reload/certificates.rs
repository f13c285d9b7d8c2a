//! Renewals of every kind, careful and clumsy: the old pair serves until a matching one is there.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use time::format_description::well_known::Rfc3339;

use super::served::{ONE_PAIR, Served, certificates};
use crate::pki::{Authority, Pair, private, self_signed};

const NOT_TAKEN: &str = "the certificate is not taken; the one before goes on";
const ANOTHER: &str = "new connections are shown another certificate";

fn write(place: &Path, file: &str, content: &str) {
    private(&place.join("tls").join(file), content);
}

/// Puts a whole file in the place of another at once.
fn replace(place: &Path, file: &str, content: &str) {
    let beside = place.join("tls").join(format!("{file}.new"));
    private(&beside, content);
    fs::rename(beside, place.join("tls").join(file)).expect("it takes the place");
}

#[test]
fn a_pair_that_is_replaced_serves_within_seconds_however_it_is_replaced() {
    let mut now: Option<Pair> = None;
    let served = Served::start(
        "replaced",
        |authority| {
            let pair = authority.signs(&["localhost"], (-1, 60));
            now = Some(Pair { leaf: pair.leaf.clone(), chain: pair.chain.clone(), key: pair.key.clone() });
            pair
        },
        ONE_PAIR,
    );
    let first = now.expect("a pair");
    let mut open = served.connect();
    assert!(served.shows(&first));
    assert_eq!(open.asks("localhost"), 200);
    let next = || served.authority.signs(&["localhost"], (-1, 60));

    // Renamed into their places, one after the other.
    let second = next();
    replace(&served.place, "key.pem", &second.key);
    replace(&served.place, "chain.pem", &second.chain);
    served.shows_soon(&second, "renamed");

    // Written over in steps: half a chain, the key, the leaf alone, the whole chain. Each step is looked at.
    let third = next();
    for (file, content, why) in [
        ("chain.pem", &third.chain[..third.leaf.len() / 2], "does not end; was it cut off?"),
        ("key.pem", third.key.as_str(), "does not end; was it cut off?"),
        ("chain.pem", third.leaf.as_str(), "lacks the certificate of its issuer (A test intermediate)"),
    ] {
        write(&served.place, file, content);
        served.signal("HUP");
        served.line(NOT_TAKEN, why);
        assert!(served.shows(&second), "{why}");
        assert!(served.status()["certificate_refused"].as_str().is_some_and(|said| said.contains(why)));
    }
    write(&served.place, "chain.pem", &third.chain);
    served.shows_soon(&third, "written over");
    served.line(ANOTHER, "");
    assert_eq!(served.status()["certificate_refused"], serde_json::Value::Null);

    // A link that is set to another folder, as certbot and mounts of secrets do.
    let fourth = next();
    let (tls, other) = (served.place.join("tls"), served.place.join("other"));
    fs::rename(&tls, served.place.join("before")).expect("a folder");
    symlink("before", &tls).expect("a link");
    fs::create_dir(&other).expect("a folder");
    private(&other.join("chain.pem"), &fourth.chain);
    private(&other.join("key.pem"), &fourth.key);
    symlink("other", served.place.join("tls.new")).expect("a link");
    fs::rename(served.place.join("tls.new"), &tls).expect("it takes the place");
    served.shows_soon(&fourth, "linked");

    // Through all of that the first connection stayed.
    assert_eq!(open.asks("localhost"), 200);
}

#[test]
fn nothing_that_serves_clients_worse_takes_the_place_of_a_pair() {
    let served = Served::start("worse", |authority| authority.signs(&["localhost"], (-1, 60)), ONE_PAIR);
    let text = |file: &str| fs::read_to_string(served.place.join("tls").join(file)).expect("a file");
    let first = Pair { leaf: String::new(), chain: text("chain.pem"), key: text("key.pem") };
    let mut open = served.connect();
    let sound = served.authority.signs(&["localhost"], (-1, 60));
    let expired = served.authority.signs(&["localhost"], (-60, -1));
    let early = served.authority.signs(&["localhost"], (2, 60));
    let foreign = served.authority.signs(&["elsewhere.example"], (-1, 60));
    let cut = &sound.key[..sound.key.len() / 2];
    for (chain, key, why) in [
        (sound.chain.as_str(), first.key.as_str(), "does not belong to the first certificate"),
        (&sound.chain, cut, "tls/key.pem is not a complete PEM file"),
        (&sound.chain, "", "holds no private key"),
        ("", &sound.key, "holds no certificate"),
        (&sound.leaf, &sound.key, "lacks the certificate of its issuer (A test intermediate)"),
        (&expired.chain, &expired.key, "it expired on "),
        (&early.chain, &early.key, "it is valid from "),
        (&foreign.chain, &foreign.key, "it is not one of localhost"),
    ] {
        write(&served.place, "chain.pem", chain);
        write(&served.place, "key.pem", key);
        served.signal("HUP");
        let line = served.line(NOT_TAKEN, why);
        assert!(line["reason"].as_str().is_some_and(|reason| !reason.contains('\n')), "{line}");
        assert!(served.shows(&first), "{why}");
    }
    fs::remove_file(served.place.join("tls/key.pem")).expect("it is there");
    served.signal("HUP");
    served.line(NOT_TAKEN, "cannot be read");
    assert!(served.shows(&first));
    // Open to others, then not any more.
    fs::write(served.place.join("tls/key.pem"), &sound.key).expect("a file");
    fs::set_permissions(
        served.place.join("tls/key.pem"),
        std::os::unix::fs::PermissionsExt::from_mode(0o644),
    )
    .expect("a mode");
    write(&served.place, "chain.pem", &sound.chain);
    served.signal("HUP");
    served.line(NOT_TAKEN, "open to others (mode 0644)");
    assert!(served.shows(&first));
    write(&served.place, "key.pem", &sound.key);
    served.shows_soon(&sound, "mended");
    assert_eq!(open.asks("localhost"), 200);
}

#[test]
fn of_several_pairs_each_is_measured_by_the_one_with_its_names_and_told_by_its_place() {
    const SWAPPED: &str = "[tls]\ncertificate = \"PLACE/tls/more.pem\"\nkey = \"PLACE/tls/more-key.pem\"\n[[tls.more]]\ncertificate = \"PLACE/tls/chain.pem\"\nkey = \"PLACE/tls/key.pem\"\n[log]\nformat = \"json\"\n";
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("reload-{}-several", std::process::id()));
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(place.join("tls")).expect("a folder");
    let authority = Authority::new();
    private(&place.join("root.pem"), &authority.root);
    let first = authority.signs(&["localhost"], (-1, 60));
    write(&place, "chain.pem", &first.chain);
    write(&place, "key.pem", &first.key);
    // One that a start takes with a warning, and that the first must not become.
    let more = authority.signs(&["mcp.example.org"], (-1, 60));
    write(&place, "more.pem", &more.leaf);
    write(&place, "more-key.pem", &more.key);
    let rest = format!(
        "{ONE_PAIR}[[tls.more]]\ncertificate = \"PLACE/tls/more.pem\"\nkey = \"PLACE/tls/more-key.pem\"\n"
    );
    let served = Served::on(place, authority, &rest, &[]);

    // Nothing but the order changes: no name is served worse.
    served.configure(SWAPPED);
    served.line(ANOTHER, "");
    let lacks = "the certificate file lacks the certificate of its issuer (A test intermediate); some clients will not accept the chain; append it to the file";
    served.line(&format!("tls: {lacks}"), "");
    served.configure(&rest);
    served.line(ANOTHER, "");
    served.line(&format!("tls.more[0]: {lacks}"), "");

    // A renewal that is worse is told with its place, whichever it is.
    let refused = |file: &str, pair: &Pair, chain: &str, why: &str| {
        write(&served.place, &format!("{file}-key.pem").replace("chain-", ""), &pair.key);
        write(&served.place, &format!("{file}.pem"), chain);
        served.signal("HUP");
        let line = served.line(NOT_TAKEN, why);
        assert!(line["reason"].as_str().is_some_and(|reason| reason.starts_with(why)), "{line}");
    };
    let expired = served.authority.signs(&["MCP.example.org"], (-60, -1));
    refused("more", &expired, &expired.chain, "tls.more[0]: it expired on ");
    let renewed = served.authority.signs(&["mcp.example.org"], (-1, 90));
    write(&served.place, "more-key.pem", &renewed.key);
    write(&served.place, "more.pem", &renewed.chain);
    served.signal("HUP");
    served.line(ANOTHER, "");
    let early = served.authority.signs(&["localhost"], (2, 60));
    refused("chain", &early, &early.chain, "tls: it is valid from ");
}

#[test]
fn a_pair_that_serves_nobody_gives_way_to_any_other() {
    let served = Served::start("expired", |authority| authority.signs(&["localhost"], (-60, -1)), ONE_PAIR);
    let seen = served.openssl(&["-servername", "localhost"]);
    assert!(!seen.trusted && seen.said.contains("certificate has expired"), "{}", seen.said);
    let later = served.authority.signs(&["localhost"], (-60, -1));
    write(&served.place, "chain.pem", &later.chain);
    write(&served.place, "key.pem", &later.key);
    served.signal("HUP");
    served.line(ANOTHER, "");
    let sound = served.authority.signs(&["localhost"], (-1, 60));
    write(&served.place, "chain.pem", &sound.chain);
    write(&served.place, "key.pem", &sound.key);
    served.shows_soon(&sound, "a sound one");
    let until = served.status()["certificate_until"].as_str().expect("a time").to_owned();
    let until = time::OffsetDateTime::parse(&until, &Rfc3339).expect("a moment");
    let left = (until - time::OffsetDateTime::now_utc()).whole_seconds();
    assert!((59 * 86_400..=60 * 86_400).contains(&left), "{left}");
}

#[test]
fn each_change_that_is_not_taken_is_told_once() {
    let served = Served::start("once", |authority| authority.signs(&["localhost"], (-1, 60)), ONE_PAIR);
    write(&served.place, "chain.pem", "nothing");
    served.line(NOT_TAKEN, "holds no certificate");
    // Each of these is taken by a later look of its own at all the files.
    let read_again = "the configuration was read again";
    let mut passed = Vec::new();
    for host in ["a.example", "b.example"] {
        served.configure(&format!("{ONE_PAIR}[guard]\nextra_hosts = [\"{host}\"]\n"));
        passed.extend(served.lines_until(read_again, ""));
    }
    assert_eq!(passed.iter().filter(|line| line["message"] == NOT_TAKEN).count(), 0, "{passed:?}");
    write(&served.place, "chain.pem", "nothing else");
    served.line(NOT_TAKEN, "holds no certificate");
}

#[test]
fn a_public_server_does_not_take_a_certificate_that_is_its_own_issuer() {
    let rest = "public = true\npublic_base = \"https://mcp.example.org\"\nfixture_mode = false\n[crate]\nbase_url = \"http://127.0.0.1:9\"\nkey = \"ck_test_0123\"\n[legal]\noperator = \"A\"\ncontact = \"a@example.org\"\n";
    let rest = format!("{rest}{ONE_PAIR}");
    let served = Served::start(
        "public",
        |authority| authority.signs(&["localhost", "mcp.example.org"], (-1, 60)),
        &rest,
    );
    let before = served.openssl(&["-servername", "localhost"]).shown;
    let own = self_signed(&["localhost", "mcp.example.org"]);
    write(&served.place, "chain.pem", &own.chain);
    write(&served.place, "key.pem", &own.key);
    served.signal("HUP");
    served.line(NOT_TAKEN, "which is its own issuer, together with public = true");
    let seen = served.openssl(&["-servername", "localhost"]);
    assert!(seen.trusted && seen.shown == before && seen.shown != certificates(&own.chain));
}
