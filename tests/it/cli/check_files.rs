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

/// What is said of a file where these credentials are, or none.
fn check(file: &Path, credentials: Option<&Path>) -> (i32, String, String) {
    let variables: Vec<_> = credentials.into_iter().map(|folder| ("CREDENTIALS_DIRECTORY", folder)).collect();
    let output = ono_sendai_with(&variables, &["check-config", file.to_str().expect("text")]);
    (code(&output), stdout(&output), stderr(&output))
}

/// The line of `section.key` in a configuration, and what it says.
fn line_of<'a>(text: &'a str, key: &str) -> (usize, &'a str) {
    let (section, key) = key.split_once('.').expect("a section");
    let begun = |(_, line): &(usize, &str)| *line != format!("[{section}]");
    let is_it = |line: &str| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(" = "));
    let mut lines = (1..).zip(text.lines()).skip_while(begun);
    lines.find(|(_, line)| is_it(line)).unwrap_or_else(|| panic!("{key} is not in {text}"))
}

#[test]
fn the_starts_for_operators_are_sound_under_the_unit_once_their_files_are_there() {
    let unit = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("systemd/ono-sendai.service"));
    let unit = unit.expect("a unit");
    const CREDENTIALS: [(&str, &str); 3] = [
        ("tls.certificate_credential", "tls.crt"),
        ("tls.key_credential", "tls.key"),
        ("crate.key_credential", "crate.key"),
    ];
    for (name, host, files) in [
        ("production.toml", "mcp.example.org", &[][..]),
        ("staging.toml", "staging.mcp.example.org", &[("auth.ca_file", "authority.pem")]),
    ] {
        let place = folder(&format!("starts-{name}"));
        let authority = Authority::new();
        let pair = authority.signs(&[host], (-1, 60));
        let (file, text) = start(name, &place);
        // The unit gives exactly these, and no other folder that can be written.
        for (key, credential) in CREDENTIALS {
            assert_eq!(line_of(&text, key).1.split(" = ").nth(1), Some(format!("\"{credential}\"").as_str()));
            let line = format!("#LoadCredential={credential}:/etc/ono-sendai/{credential}");
            assert!(unit.lines().any(|given| given == line), "{line}");
        }
        let state = place.join("state").to_string_lossy().into_owned();
        assert_eq!(line_of(&text, "server.data_dir").1, format!("data_dir = \"{state}\""));
        assert!(unit.lines().any(|line| line == "StateDirectory=ono-sendai"));
        // Where there are no credentials, only what is a file is looked at; where there are, all that is missing is
        // named at once, each in a line.
        assert_eq!(mistakes(&check(&file, None).2).len(), files.len(), "{name}");
        let (code, _, said) = check(&file, Some(&place));
        assert_eq!((code, said.lines().count()), (2, 3 + files.len()), "{said}");
        let write = |file: &str| {
            let content = match file {
                "tls.crt" => &pair.chain,
                "tls.key" => &pair.key,
                "authority.pem" => &authority.root,
                _ => "ck_test_0123456789\n",
            };
            private(&place.join(file), content);
        };
        let all = || CREDENTIALS.iter().chain(files);
        all().for_each(|(_, file)| write(file));
        // What a public server still has to name for itself is told, each at its line, and is no mistake.
        let examples: &[(&str, &str)] = match name {
            "production.toml" => &[
                ("server.public_base", "mcp.example.org, an example that is nobody's; accepted: your own"),
                ("auth.issuer", "issuer.example.org, an example that is nobody's; accepted: your own"),
                (
                    "legal.operator",
                    "\"Example Ltd\", the example; accepted: the name of whoever runs this server",
                ),
                ("legal.contact", "example.org, an example that is nobody's; accepted: your own"),
            ],
            _ => &[],
        };
        let warnings: String = examples
            .iter()
            .map(|(key, said)| {
                format!("warning: {}:{}: {key}: found {said}\n", file.display(), line_of(&text, key).0)
            })
            .collect();
        let sound = (0, format!("{}: ok\n", file.display()), warnings);
        assert_eq!(check(&file, Some(&place)), sound, "{name}");
        // Each is looked at, and missed at its line.
        for (key, missed) in all() {
            fs::remove_file(place.join(missed)).expect("it is there");
            let (code, out, said) = check(&file, Some(&place));
            assert_eq!((code, out.as_str(), said.lines().count()), (2, "", 1), "{key}: {said}");
            let line = format!("{}:{}: {key}: found ", file.display(), line_of(&text, key).0);
            assert!(said.starts_with(&line), "{said}");
            write(missed);
        }
        assert!(!place.join("state").exists(), "looking makes nothing");
    }
}

#[test]
fn what_a_start_does_not_read_is_not_looked_at() {
    let place = folder("not-read");
    let file = place.join("server.toml");
    for (demo, issuer, wanted) in [
        (true, "", &[][..]),
        (true, "issuer = \"https://issuer.example.org\"\n", &["accounts.service_key_file"]),
        (false, "", &["crate.key_file", "crate.ca_file"]),
        (
            false,
            "issuer = \"https://issuer.example.org\"\n",
            &["crate.key_file", "crate.ca_file", "accounts.service_key_file"],
        ),
    ] {
        let text = format!(
            "[server]\nfixture_mode = {demo}\n[crate]\nkey_file = \"{0}/none\"\nca_file = \"{0}/none\"\n[auth]\n{issuer}[accounts]\nmode = \"hooked\"\nservice_url = \"https://accounts.example.org\"\nservice_key_file = \"{0}/none\"\n",
            place.display()
        );
        fs::write(&file, text).expect("a file");
        let (code, _, said) = check(&file, None);
        assert_eq!(
            (code, said.lines().count()),
            (if wanted.is_empty() { 0 } else { 2 }, wanted.len()),
            "{said}"
        );
        for (line, key) in said.lines().zip(wanted) {
            assert!(line.contains(&format!(": {key}: found ")), "{line}");
        }
    }
}

/// The lines that are no warnings.
fn mistakes(said: &str) -> Vec<&str> {
    said.lines().filter(|line| !line.starts_with("warning: ")).collect()
}

#[test]
fn what_is_hardly_meant_is_a_warning_of_check_config_and_of_doctor_and_no_mistake() {
    let place = folder("careless");
    let pair = Authority::new().signs(&["elsewhere.test"], (-1, 60));
    private(&place.join("chain.pem"), &pair.chain);
    private(&place.join("key.pem"), &pair.key);
    let file = place.join("server.toml");
    let text = |base: &str, operator: &str| {
        format!(
            "[server]\npublic = true\npublic_base = \"https://{base}\"\nfixture_mode = false\ndata_dir = \"{0}/state\"\n[tls]\ncertificate = \"{0}/chain.pem\"\nkey = \"{0}/key.pem\"\n[crate]\nkey = \"ck\"\nbase_url = \"http://localhost:1\"\n[legal]\noperator = \"{operator}\"\ncontact = \"ops@elsewhere.test\"\n",
            place.display()
        )
    };
    fs::write(&file, text("elsewhere.test", "Elsewhere")).expect("a file");
    assert_eq!(check(&file, None), (0, format!("{}: ok\n", file.display()), String::new()));
    fs::write(&file, text("mcp.elsewhere.test", "Example Ltd")).expect("a file");
    let (code, out, said) = check(&file, None);
    assert_eq!((code, out), (0, format!("{}: ok\n", file.display())));
    let wanted = [
        "7: tls.certificate: found a certificate that is not one of mcp.elsewhere.test, which clients ask for; accepted: one with that name, or another public_base under [server]",
        "13: legal.operator: found \"Example Ltd\", the example; accepted: the name of whoever runs this server",
    ];
    let lines: Vec<String> = wanted.map(|line| format!("warning: {}:{line}", file.display())).to_vec();
    assert_eq!(said.lines().collect::<Vec<_>>(), lines);
    let output = ono_sendai(&["doctor", "--config", file.to_str().expect("text")]);
    let said = stdout(&output);
    assert!(
        said.contains("it is not one of mcp.elsewhere.test")
            && said.contains("legal.operator: found \"Example Ltd\""),
        "{said}"
    );
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
    const MORE: usize = 200;
    let others: String = (0..MORE).map(|_| Authority::new().root).collect();
    private(&place.join("long.pem"), pair.chain.clone() + &others);
    let long: usize = {
        use rustls::pki_types::pem::PemObject as _;
        let pem = fs::read(place.join("long.pem")).expect("a file");
        let all = rustls::pki_types::CertificateDer::pem_slice_iter(&pem);
        all.map(|certificate| certificate.expect("a certificate").len() + 5).sum()
    };
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
            vec![format!("12: tls.more[1].certificate: found PLACE/none.pem, which cannot be read: No such file or directory (os error 2); accepted: a readable file")],
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
            format!("[tls]\n{GOOD}{KEY}[auth]\nca_file = \"PLACE/none\"\nissuer = \"https://issuer.example.org\"\n[accounts]\nmode = \"hooked\"\nservice_url = \"https://accounts.example.org\"\nservice_key_file = \"PLACE/crate-key\"\n"),
            vec![
                "15: auth.ca_file: found PLACE/none, which cannot be read: No such file or directory (os error 2); accepted: a readable file".to_owned(),
                "20: accounts.service_key_file: found PLACE/crate-key, which holds something else; accepted: a file with a secret of 32 to 512 characters".to_owned(),
            ],
        ),
        // Only the service itself sees its credentials.
        (
            "[tls]\ncertificate_credential = \"a\"\nkey_credential = \"b\"\n[crate]\nkey_credential = \"c\"\n".to_owned(),
            vec![],
        ),
        // No client reads a chain with a list of roots in it.
        (
            format!("[tls]\ncertificate = \"PLACE/long.pem\"\nkey = \"PLACE/key.pem\"\n{KEY}"),
            vec![format!("10: tls.certificate: found {PAIR} (PLACE/long.pem holds {} certificates of {long} bytes, and no client reads a chain of more than 65519; keep the server's own and those of its issuers); accepted: {PEM}", 2 + MORE)],
        ),
    ] {
        let file = place.join("public.toml");
        fs::write(&file, public(&place, &rest)).expect("a file");
        let (code, _, said) = check(&file, None);
        let said = said.replace(&format!("{}:", file.display()), "").replace(place.to_str().expect("text"), "PLACE");
        assert_eq!(mistakes(&said), wanted, "{rest}");
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
        (code(&output), mistakes(&stderr(&output)).join("\n"))
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
