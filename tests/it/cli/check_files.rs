//! `check-config` over the files that a configuration names, and the configurations that are starts for operators.

use std::fs;
use std::path::{Path, PathBuf};

use super::{code, folder, ono_sendai, ono_sendai_with, stderr, stdout};
use crate::pki::{Authority, private, self_signed};

/// The configuration that is shipped, with this folder in the place of those of a real machine.
fn start(name: &str, place: &Path) -> (PathBuf, String) {
    let shipped = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("config").join(name));
    let text = shipped
        .expect("a configuration")
        .replace("/etc/ono-sendai", place.to_str().expect("text"))
        .replace("/var/lib/ono-sendai", &place.join("state").to_string_lossy());
    let file = place.join(name);
    fs::write(&file, &text).expect("a file");
    (file, text)
}

fn check(file: &Path) -> (i32, String, String) {
    let output = ono_sendai(&["check-config", file.to_str().expect("text")]);
    (code(&output), stdout(&output), stderr(&output))
}

/// The line of a key in a configuration.
fn line_of(text: &str, key: &str) -> usize {
    let is_it = |line: &str| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(" = "));
    1 + text.lines().position(is_it).unwrap_or_else(|| panic!("{key} is not in {text}"))
}

#[test]
fn the_starts_for_operators_are_sound_once_their_files_are_there() {
    for (name, parts, host, files) in [
        (
            "production.toml",
            "tls",
            "mcp.example.org",
            &[("certificate", "fullchain.pem"), ("key", "privkey.pem"), ("key_file", "../crate-key")][..],
        ),
        (
            "staging.toml",
            "staging",
            "staging.mcp.example.org",
            &[
                ("certificate", "fullchain.pem"),
                ("key", "privkey.pem"),
                ("key_file", "crate-key"),
                ("ca_file", "authority.pem"),
            ],
        ),
    ] {
        let place = folder(&format!("starts-{parts}"));
        let authority = Authority::new();
        let pair = authority.signs(&[host], (-1, 60));
        let (file, text) = start(name, &place);
        fs::create_dir_all(place.join(parts)).expect("a folder");
        // All that is missing is named at once.
        let (code, _, said) = check(&file);
        assert_eq!((code, said.lines().count()), (2, files.len() - 1), "{said}");
        let write = |file: &str| {
            let content = match file {
                "fullchain.pem" => &pair.chain,
                "privkey.pem" => &pair.key,
                "authority.pem" => &authority.root,
                _ => "ck_test_0123456789\n",
            };
            private(&place.join(parts).join(file), content);
        };
        files.iter().for_each(|(_, file)| write(file));
        assert_eq!(check(&file), (0, format!("{}: ok\n", file.display()), String::new()), "{name}");
        // Each is looked at, and missed at its line.
        for (key, missed) in files {
            fs::remove_file(place.join(parts).join(missed)).expect("it is there");
            let (code, out, said) = check(&file);
            assert_eq!((code, out.as_str(), said.lines().count()), (2, "", 1), "{key}: {said}");
            let line = format!("{}:{}: ", file.display(), line_of(&text, key));
            assert!(said.starts_with(&line) && said.contains(&format!(".{key}: found ")), "{said}");
            write(missed);
        }
        assert!(!place.join("state").exists(), "looking makes nothing");
    }
}

/// A public server, apart from what a test puts under `[tls]` and `[crate]`.
fn public(place: &Path, rest: &str) -> String {
    format!(
        "[server]\npublic = true\npublic_base = \"https://mcp.example.org\"\nfixture_mode = false\ndata_dir = \"{0}/state\"\n[legal]\noperator = \"A\"\ncontact = \"a@example.org\"\n{1}",
        place.display(),
        rest.replace("PLACE", place.to_str().expect("text"))
    )
}

#[test]
fn files_that_cannot_be_used_are_named_word_for_word_with_the_line_of_their_key() {
    let place = folder("check-files");
    let pair = Authority::new().signs(&["mcp.example.org"], (-1, 60));
    let own = self_signed(&["mcp.example.org"]);
    private(&place.join("chain.pem"), &pair.chain);
    private(&place.join("key.pem"), &pair.key);
    private(&place.join("self.pem"), &own.chain);
    private(&place.join("self-key.pem"), &own.key);
    private(&place.join("cut.pem"), &pair.chain[..pair.chain.len() - 100]);
    private(&place.join("crate-key"), "ck_test_0123");
    private(&place.join("two-keys"), "ck_test_0123 ck_test_4567");
    fs::write(place.join("open-key"), "ck_test_0123").expect("a file");
    fs::write(place.join("open-key.pem"), &pair.key).expect("a file");
    const PAIR: &str = "a pair that cannot be used";
    const PEM: &str = "PEM: the server's certificate with its chain, and the private key of that certificate";
    const GOOD: &str = "certificate = \"PLACE/chain.pem\"\nkey = \"PLACE/key.pem\"\n";
    const KEY: &str = "[crate]\nkey_file = \"PLACE/crate-key\"\n";
    const CLOSED: &str = "a file that only its owner and group can read (chmod 600)";
    for (rest, wanted) in [
        (
            format!("[tls]\ncertificate = \"PLACE/self.pem\"\nkey = \"PLACE/self-key.pem\"\n{KEY}"),
            vec!["10: tls.certificate: found PLACE/self.pem, which is its own issuer, together with public = true; accepted: a certificate of an issuer that clients trust".to_owned()],
        ),
        (
            format!("[tls]\ncertificate = \"PLACE/chain.pem\"\nkey = \"PLACE/self-key.pem\"\n{KEY}"),
            vec![format!("11: tls.key: found {PAIR} (the private key in PLACE/self-key.pem does not belong to the first certificate in PLACE/chain.pem); accepted: {PEM}")],
        ),
        (
            format!("[tls]\ncertificate = \"PLACE/cut.pem\"\nkey = \"PLACE/key.pem\"\n{KEY}"),
            vec![format!("10: tls.certificate: found {PAIR} (PLACE/cut.pem is not a complete PEM file: a block that begins does not end; was it cut off?); accepted: {PEM}")],
        ),
        (
            format!("[tls]\ncertificate = \"PLACE/chain.pem\"\nkey = \"PLACE/open-key.pem\"\n{KEY}"),
            vec![format!("11: tls.key: found PLACE/open-key.pem, which is open to others (mode 0644); accepted: {CLOSED}")],
        ),
        (
            format!("[tls]\n{GOOD}[[tls.more]]\n{GOOD}[[tls.more]]\ncertificate = \"PLACE/none.pem\"\nkey = \"PLACE/key.pem\"\n{KEY}"),
            vec![format!("12: tls.more[1].certificate: found {PAIR} (cannot read PLACE/none.pem: No such file or directory (os error 2)); accepted: {PEM}")],
        ),
        (
            format!("[tls]\n{GOOD}[crate]\nkey_file = \"PLACE/open-key\"\nca_file = \"PLACE/crate-key\"\n"),
            vec![
                format!("13: crate.key_file: found PLACE/open-key, which is open to others (mode 0644); accepted: {CLOSED}"),
                "14: crate.ca_file: found PLACE/crate-key, which holds something that is not a PEM certificate; accepted: a PEM file of certificates".to_owned(),
            ],
        ),
        (
            format!("[tls]\n{GOOD}[crate]\nkey_file = \"PLACE/two-keys\"\n"),
            vec!["13: crate.key_file: found PLACE/two-keys, which holds something else; accepted: a file with one key as the service issued it, and nothing else".to_owned()],
        ),
        (
            format!("[tls]\n{GOOD}[crate]\nkey_file = \"ck_live_0123456789\"\n"),
            vec!["13: crate.key_file: found the name of no file; accepted: the path of a readable file".to_owned()],
        ),
        (
            format!("[tls]\n{GOOD}{KEY}[auth]\nca_file = \"PLACE/none\"\n[accounts]\nmode = \"hooked\"\nservice_url = \"https://accounts.example.org\"\nservice_key_file = \"PLACE/crate-key\"\n"),
            vec![
                "15: auth.ca_file: found PLACE/none, which cannot be read: No such file or directory (os error 2); accepted: a readable file".to_owned(),
                "19: accounts.service_key_file: found PLACE/crate-key, which holds something else; accepted: a file with a secret of 32 to 512 characters".to_owned(),
            ],
        ),
        // Only the service itself sees its credentials.
        (
            "[tls]\ncertificate_credential = \"a\"\nkey_credential = \"b\"\n[crate]\nkey_credential = \"c\"\n".to_owned(),
            vec![],
        ),
    ] {
        let file = place.join("public.toml");
        fs::write(&file, public(&place, &rest)).expect("a file");
        let (code, _, said) = check(&file);
        let said = said.replace(&format!("{}:", file.display()), "").replace(place.to_str().expect("text"), "PLACE");
        assert_eq!(said.lines().collect::<Vec<_>>(), wanted, "{rest}");
        assert_eq!(code, if wanted.is_empty() { 0 } else { 2 }, "{rest}");
    }
}

#[test]
fn where_systemd_gives_credentials_they_are_looked_at() {
    let place = folder("credentials");
    let pair = Authority::new().signs(&["mcp.example.org"], (-1, 60));
    let own = self_signed(&["mcp.example.org"]);
    for (name, content) in [("a", &pair.chain), ("b", &pair.key), ("c", &"ck_test_0123".to_owned())] {
        private(&place.join(name), content);
    }
    let file = place.join("public.toml");
    let rest =
        "[tls]\ncertificate_credential = \"a\"\nkey_credential = \"b\"\n[crate]\nkey_credential = \"c\"\n";
    fs::write(&file, public(&place, rest)).expect("a file");
    let look = || {
        let arguments = ["check-config", file.to_str().expect("text")];
        let output = ono_sendai_with(&[("CREDENTIALS_DIRECTORY", &place)], &arguments);
        (code(&output), stderr(&output))
    };
    assert_eq!(look(), (0, String::new()));
    private(&place.join("b"), &own.key);
    private(&place.join("c"), "");
    let (code, said) = look();
    assert_eq!((code, said.lines().count()), (2, 2), "{said}");
    assert!(said.contains(":11: tls.key_credential: found a pair that cannot be used"), "{said}");
    assert!(said.contains(":13: crate.key_credential: found "), "{said}");
}

#[test]
fn a_public_server_does_not_start_with_a_certificate_that_is_its_own_issuer() {
    let place = folder("public-start");
    let own = self_signed(&["mcp.example.org"]);
    private(&place.join("chain.pem"), &own.chain);
    private(&place.join("key.pem"), &own.key);
    let file = place.join("public.toml");
    let rest = "[tls]\ncertificate = \"PLACE/chain.pem\"\nkey = \"PLACE/key.pem\"\n[crate]\nkey = \"ck\"\n";
    fs::write(&file, public(&place, rest)).expect("a file");
    let output = ono_sendai(&["serve", "--config", file.to_str().expect("text")]);
    let said = stderr(&output);
    assert_eq!((code(&output), said.lines().count()), (3, 1), "{said}");
    assert!(said.contains("which is its own issuer, together with public = true"), "{said}");
    assert!(!place.join("state").exists());
}
