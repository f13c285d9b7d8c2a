//! What a whole run leaves behind for one search at its end: everything that servers write, and every secret that was
//! seen on its way to or from one.
//!
//! Kept only when `ONO_SWEEP` names a folder, as `tests/run` does; its `logs` are what was written, and the files beside
//! it hold the secrets, a name, a tab and a secret each line.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, OnceLock, PoisonError};

use http::HeaderMap;
use serde_json::Value;
use url::form_urlencoded;

/// A shorter text is found in innocent words.
const SHORTEST: usize = 16;
/// What has fewer different characters was not made by chance.
const DIFFERENT: usize = 8;
/// Fields of forms and documents that prove something.
const FIELDS: [&str; 7] =
    ["access_token", "refresh_token", "code", "code_verifier", "client_secret", "request", "token"];
/// Header fields that carry a secret.
const HEADERS: [&str; 4] = ["authorization", "proxy-authorization", "cookie", "x-api-key"];

/// Where the evidence of this run goes.
pub fn folder() -> Option<&'static Path> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let named = || {
        let folder = std::env::var_os("ONO_SWEEP").filter(|folder| !folder.is_empty()).map(PathBuf::from)?;
        std::fs::create_dir_all(folder.join("logs")).expect("a folder for evidence");
        Some(folder)
    };
    FOLDER.get_or_init(named).as_deref()
}

/// Where the log of a process goes, while it runs under a name that says so.
pub fn log_of(name: &str) -> Option<PathBuf> {
    let log = folder()?.join("logs").join(name);
    std::fs::write(open(&log), "").expect("a mark");
    Some(log)
}

/// The mark of a log that is still being written.
fn open(log: &Path) -> PathBuf {
    log.with_extension("open")
}

/// Keeps what a process wrote.
pub fn keep(name: &str, text: &[u8]) {
    let Some(folder) = folder() else { return };
    let file = folder.join("logs").join(format!("{name}-{}", std::process::id()));
    let mut file = OpenOptions::new().append(true).create(true).open(file).expect("a log");
    file.write_all(text).expect("room for a log");
}

/// A text of which no part may stand in what is written. What cannot be one is passed over: of words, parts are
/// everywhere.
pub fn secret(name: &str, secret: &str) {
    static SEEN: OnceLock<Mutex<(HashSet<String>, File)>> = OnceLock::new();
    let Some(folder) = folder() else { return };
    let different: HashSet<char> = secret.chars().collect();
    if secret.len() < SHORTEST
        || different.len() < DIFFERENT
        || secret.chars().any(|c| c.is_control() || c.is_whitespace())
    {
        return;
    }
    let seen = SEEN.get_or_init(|| {
        let file = folder.join(format!("secrets-{}", std::process::id()));
        let file = OpenOptions::new().append(true).create(true).open(file).expect("a list of secrets");
        Mutex::new((HashSet::new(), file))
    });
    let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
    if seen.0.insert(secret.to_owned()) {
        seen.1.write_all(format!("{name}\t{secret}\n").as_bytes()).expect("room for a secret");
    }
}

/// A token or what looks like one: of three parts the first is the same for all, of two the last is the seal.
pub fn token(name: &str, token: &str) {
    let parts: Vec<&str> = token.split('.').collect();
    match parts.as_slice() {
        [_, claims, signature] => {
            secret(name, claims);
            secret(name, signature);
        }
        [_, seal] => secret(name, seal),
        parts => parts.iter().for_each(|part| secret(name, part)),
    }
}

/// The secrets of a request.
pub fn asked(path: &str, headers: &HeaderMap, body: &[u8]) {
    if folder().is_none() {
        return;
    }
    for name in HEADERS {
        for value in headers.get_all(name).iter().filter_map(|value| value.to_str().ok()) {
            // After the scheme, where there is one.
            for word in value.split([' ', ',', ';', '=']) {
                token(name, word);
            }
        }
    }
    let query = path.split_once('?').map_or("", |(_, query)| query);
    pairs(query.as_bytes());
    if path.starts_with("/issuer/") {
        pairs(body);
    }
}

/// The secrets of an answer.
pub fn answered(path: &str, headers: &HeaderMap, body: &[u8]) {
    if folder().is_none() || !path.starts_with("/issuer/") {
        return;
    }
    let location = headers.get("location").and_then(|value| value.to_str().ok());
    if let Some((_, query)) = location.and_then(|location| location.split_once('?')) {
        pairs(query.as_bytes());
    }
    if let Ok(Value::Object(document)) = serde_json::from_slice(body) {
        for (name, value) in document {
            if FIELDS.contains(&name.as_str()) {
                token(&name, value.as_str().unwrap_or_default());
            }
        }
    }
}

fn pairs(form: &[u8]) {
    for (name, value) in form_urlencoded::parse(form) {
        if FIELDS.contains(&name.as_ref()) {
            token(&name, &value);
        }
    }
}

/// The secrets of a configuration: keys that stand in it, and those in files that it names.
pub fn configured(text: &str) {
    if folder().is_some() {
        configured_keys(text).iter().for_each(|(name, key)| secret(name, key));
    }
}

fn configured_keys(text: &str) -> Vec<(&str, String)> {
    let (mut section, mut keys) = ("", Vec::new());
    for line in text.lines() {
        section = if line.starts_with('[') { line } else { section };
        let Some((name, value)) = line.split_once(" = ") else { continue };
        let value = value.trim().trim_matches('"');
        let file = || std::fs::read_to_string(value).unwrap_or_default();
        if name == "key" && section.contains("[tls") {
            // It is named there, and never stands there itself.
            keys.extend(key_lines(&file()).map(|line| (name, line.to_owned())));
        } else if name == "key" {
            keys.push((name, value.to_owned()));
        } else if name.ends_with("key_file") {
            keys.extend(base64_lines(&file()).map(|line| (name, line.to_owned())));
        }
    }
    keys
}

/// The private keys in a text of PEM blocks, among which certificates may be.
pub fn private_keys(name: &str, pem: &str) {
    key_lines(pem).for_each(|line| secret(name, line));
}

fn key_lines(pem: &str) -> impl Iterator<Item = &str> {
    pem.split("-----BEGIN ")
        .filter_map(|block| {
            let (kind, rest) = block.split_once("PRIVATE KEY-----")?;
            (!kind.contains('-')).then(|| rest.split("-----").next().unwrap_or_default())
        })
        .flat_map(base64_lines)
}

/// The keys in the data folder of a server.
pub fn held(data: &Path) {
    if folder().is_none() {
        return;
    }
    for name in ["issuer-key.pem", "demo-key.pem"] {
        if let Ok(pem) = std::fs::read_to_string(data.join(name)) {
            private_keys(name, &pem);
        }
    }
    if let Ok(key) = std::fs::read(data.join("store/key")) {
        secret("store/key", &key.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
        let packed = base64::Engine::encode(&base64::engine::general_purpose::STANDARD_NO_PAD, &key);
        secret("store/key", &packed);
    }
}

fn base64_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("-----"))
}

/// Running the program to its end.
pub trait Kept {
    /// What it printed and how it ended; both outputs are kept as evidence, but for the one thing that `token` prints.
    fn kept_output(&mut self) -> std::io::Result<Output>;
}

impl Kept for Command {
    fn kept_output(&mut self) -> std::io::Result<Output> {
        let output = self.output()?;
        if folder().is_some() {
            if self.get_args().next().is_some_and(|command| command == "token") {
                token("a token that was printed", String::from_utf8_lossy(&output.stdout).trim());
            } else {
                keep("commands-out", &output.stdout);
            }
            keep("commands", &output.stderr);
        }
        Ok(output)
    }
}

#[test]
fn the_keys_of_certificates_are_known_by_what_is_in_their_files_and_other_keys_by_themselves() {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("evidence-{}", std::process::id()));
    let (pem, words) = (place.with_extension("pem"), place.with_extension("words"));
    std::fs::write(
        &pem,
        "-----BEGIN CERTIFICATE-----\nin the open\n-----END CERTIFICATE-----\n\
         -----BEGIN EC PRIVATE KEY-----\nfirst\nsecond\n-----END EC PRIVATE KEY-----\n\
         -----BEGIN CERTIFICATE-----\nin the open too\n-----END CERTIFICATE-----\n",
    )
    .expect("a file");
    std::fs::write(&words, "third\n").expect("a file");
    let (pem_name, words_name) = (pem.display(), words.display());
    let found = configured_keys(&format!(
        "[tls]\ncertificate = \"{pem_name}\"\nkey = \"{pem_name}\"\n[crate]\nkey = \"itself\"\nkey_file = \"{words_name}\"\n\
         [[tls.more]]\nkey = \"{pem_name}\"\n"
    ))
    .into_iter()
    .map(|(_, key)| key)
    .collect::<Vec<_>>();
    assert_eq!(found, ["first", "second", "itself", "third", "first", "second"]);
    for file in [pem, words] {
        std::fs::remove_file(file).expect("it is there");
    }
}
