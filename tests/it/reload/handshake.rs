//! What a foreign client agrees on with the server: names, versions, suites, kinds of keys.

use std::fs;
use std::process::Command;

use super::served::{ONE_PAIR, Served, certificates};
use crate::pki::{Authority, private};

#[test]
fn each_name_is_shown_its_own_pair_and_any_other_the_first() {
    let rest = format!(
        "{ONE_PAIR}[[tls.more]]\ncertificate = \"PLACE/more/chain.pem\"\nkey = \"PLACE/more/key.pem\"\n[[tls.more]]\ncertificate = \"PLACE/wild/chain.pem\"\nkey = \"PLACE/wild/key.pem\"\n[guard]\nextra_hosts = [\"mcp.example.org\"]\n"
    );
    let place = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("reload-{}-names", std::process::id()));
    let _ = fs::remove_dir_all(&place);
    let authority = Authority::new();
    let mut chains = Vec::new();
    for (folder, name) in [("tls", "localhost"), ("more", "mcp.example.org"), ("wild", "*.wild.example.org")]
    {
        fs::create_dir_all(place.join(folder)).expect("a folder");
        let pair = authority.signs(&[name], (-1, 60));
        private(&place.join(folder).join("chain.pem"), &pair.chain);
        private(&place.join(folder).join("key.pem"), &pair.key);
        chains.push(certificates(&pair.chain));
    }
    private(&place.join("root.pem"), &authority.root);
    let served = Served::on(place, authority, &rest, &[]);
    for (name, which) in [
        ("localhost", 0),
        ("mcp.example.org", 1),
        ("MCP.Example.Org", 1),
        ("a.wild.example.org", 2),
        ("a.b.wild.example.org", 0),
        ("unknown.example.org", 0),
    ] {
        let seen = served.openssl(&["-servername", name]);
        assert!(seen.trusted, "{name}: {}", seen.said);
        assert_eq!(seen.shown, chains[which], "{name}");
    }
    let seen = served.openssl(&["-noservername"]);
    assert_eq!(seen.shown, chains[0], "without a name");
    // One of several is renewed alone.
    let renewed = served.authority.signs(&["mcp.example.org"], (-1, 90));
    private(&served.place.join("more/key.pem"), &renewed.key);
    private(&served.place.join("more/chain.pem"), &renewed.chain);
    served.signal("HUP");
    served.line("new connections are shown another certificate", "");
    assert_eq!(served.openssl(&["-servername", "mcp.example.org"]).shown, certificates(&renewed.chain));
    assert_eq!(served.openssl(&["-servername", "localhost"]).shown, chains[0]);
}

#[test]
fn of_two_pairs_for_one_name_a_client_is_shown_one_that_it_can_check() {
    let rest = format!(
        "{ONE_PAIR}[[tls.more]]\ncertificate = \"PLACE/rsa-chain.pem\"\nkey = \"PLACE/rsa-key.pem\"\n"
    );
    let place = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("reload-{}-two-kinds", std::process::id()));
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(place.join("tls")).expect("a folder");
    let authority = Authority::new();
    let ecdsa = authority.signs(&["localhost"], (-1, 60));
    let rsa = authority.signs_for(&["localhost"], (-1, 60), &made("RSA", "rsa_keygen_bits:2048"));
    for (file, content) in [
        ("tls/chain.pem", &ecdsa.chain),
        ("tls/key.pem", &ecdsa.key),
        ("rsa-chain.pem", &rsa.chain),
        ("rsa-key.pem", &rsa.key),
        ("root.pem", &authority.root),
    ] {
        private(&place.join(file), content);
    }
    let served = Served::on(place, authority, &rest, &[]);
    for (signature, pair) in [("ECDSA+SHA256", &ecdsa), ("RSA-PSS+SHA256", &rsa)] {
        for version in ["-tls1_2", "-tls1_3"] {
            let seen = served.openssl(&["-servername", "localhost", "-sigalgs", signature, version]);
            assert_eq!(seen.shown, certificates(&pair.chain), "{signature} {version}: {}", seen.said);
        }
    }
    let any = served.openssl(&["-servername", "localhost"]);
    assert!(any.trusted && any.shown == certificates(&ecdsa.chain), "{}", any.said);
}

#[test]
fn only_modern_versions_and_suites_are_agreed_on() {
    let served = Served::start("suites", |authority| authority.signs(&["localhost"], (-1, 60)), ONE_PAIR);
    let agrees = |arguments: &[&str]| {
        let seen = served.openssl(&[&["-servername", "localhost"], arguments].concat());
        (!seen.shown.is_empty(), seen.said)
    };
    for good in [
        &["-tls1_3"][..],
        &["-tls1_3", "-ciphersuites", "TLS_AES_128_GCM_SHA256"],
        &["-tls1_3", "-ciphersuites", "TLS_CHACHA20_POLY1305_SHA256"],
        &["-tls1_2"],
        &["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-GCM-SHA256"],
        &["-tls1_2", "-cipher", "ECDHE-ECDSA-AES256-GCM-SHA384"],
        &["-tls1_2", "-cipher", "ECDHE-ECDSA-CHACHA20-POLY1305"],
    ] {
        let (agreed, said) = agrees(good);
        assert!(agreed, "{good:?}: {said}");
    }
    // The client offers all that it has, at no security level of its own, and is refused.
    for bad in [
        &["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"][..],
        &["-tls1", "-cipher", "ALL:@SECLEVEL=0"],
        &["-tls1_2", "-cipher", "ECDHE-ECDSA-AES256-SHA384:ECDHE-ECDSA-AES128-SHA256:@SECLEVEL=0"],
        &["-tls1_2", "-cipher", "ECDHE-ECDSA-AES256-SHA:ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0"],
        &["-tls1_2", "-cipher", "ECDHE-ECDSA-AES256-CCM:ECDHE-ECDSA-AES128-CCM8:@SECLEVEL=0"],
        &["-tls1_2", "-cipher", "AES256-GCM-SHA384:AES128-SHA:@SECLEVEL=0"],
        &["-tls1_2", "-cipher", "DHE-RSA-AES256-GCM-SHA384:@SECLEVEL=0"],
    ] {
        let (agreed, said) = agrees(bad);
        assert!(!agreed && said.contains("alert"), "{bad:?}: {said}");
    }
}

/// Runs openssl on a file and keeps what it writes.
fn converted(from: &str, arguments: &[&str]) -> String {
    let file =
        std::env::temp_dir().join(format!("ono-sendai-key-{}-{}", std::process::id(), arguments.join("")));
    private(&file, from);
    let output =
        Command::new("openssl").args(arguments).arg("-in").arg(&file).output().expect("openssl runs");
    assert!(output.status.success(), "{output:?}");
    fs::remove_file(file).expect("it is there");
    String::from_utf8(output.stdout).expect("text")
}

fn made(algorithm: &str, option: &str) -> String {
    let output = Command::new("openssl")
        .args(["genpkey", "-algorithm", algorithm, "-pkeyopt", option])
        .output()
        .expect("openssl runs");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn keys_that_openssl_makes_serve_in_every_encoding() {
    let served = Served::start("keys", |authority| authority.signs(&["localhost"], (-1, 60)), ONE_PAIR);
    let rsa = made("RSA", "rsa_keygen_bits:2048");
    let p256 = made("EC", "ec_paramgen_curve:P-256");
    let p384 = made("EC", "ec_paramgen_curve:P-384");
    for (what, key, begins, kind) in [
        ("RSA in PKCS#8", &rsa, "-----BEGIN PRIVATE KEY", None),
        ("RSA in PKCS#1", &rsa, "-----BEGIN RSA PRIVATE KEY", Some(&["rsa", "-traditional"][..])),
        ("P-256 in PKCS#8", &p256, "-----BEGIN PRIVATE KEY", None),
        ("P-256 in SEC1", &p256, "-----BEGIN EC PRIVATE KEY", Some(&["ec"])),
        ("P-384 in SEC1", &p384, "-----BEGIN EC PRIVATE KEY", Some(&["ec"])),
    ] {
        let pair = served.authority.signs_for(&["localhost"], (-1, 60), key);
        let written = kind.map_or_else(|| key.clone(), |kind| converted(key, kind));
        assert!(written.starts_with(begins), "{what}: {begins}");
        private(&served.place.join("tls/key.pem"), written);
        private(&served.place.join("tls/chain.pem"), &pair.chain);
        served.signal("HUP");
        served.shows_soon(&pair, what);
        for version in ["-tls1_2", "-tls1_3"] {
            let seen = served.openssl(&["-servername", "localhost", version]);
            assert!(seen.trusted, "{what} {version}: {}", seen.said);
        }
    }
}

#[test]
fn a_pair_of_two_credentials_serves() {
    let place = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("reload-{}-credentials", std::process::id()));
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(place.join("given")).expect("a folder");
    let authority = Authority::new();
    let pair = authority.signs(&["localhost"], (-1, 60));
    private(&place.join("given/chain"), &pair.chain);
    private(&place.join("given/key"), &pair.key);
    private(&place.join("root.pem"), &authority.root);
    let rest =
        "[tls]\ncertificate_credential = \"chain\"\nkey_credential = \"key\"\n[log]\nformat = \"json\"\n";
    let given = place.join("given");
    let served = Served::on(place, authority, rest, &[("CREDENTIALS_DIRECTORY", &given)]);
    assert!(served.shows(&pair));
    served.signal("HUP");
    served
        .line("the certificate is the one that is shown already; credentials are read at a restart only", "");
}
