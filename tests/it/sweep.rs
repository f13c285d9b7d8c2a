//! Looks for parts of secrets in what the program wrote, in every form that bytes are written in.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};

/// So many characters in a row of a secret are a leak.
pub const WINDOW: usize = 12;

/// Secrets, each with a name by which a leak is told.
#[derive(Default)]
pub struct Secrets(Vec<(String, String)>);

impl Secrets {
    /// Adds a secret.
    pub fn add(&mut self, name: &str, secret: &str) {
        assert!(secret.len() >= WINDOW, "{name} is too short to be looked for");
        self.0.push((name.to_owned(), secret.to_owned()));
    }

    /// Adds a token: of a JWT all but the header, which is no secret and the same in every one.
    pub fn add_token(&mut self, name: &str, token: &str) {
        let parts: Vec<&str> = token.split('.').collect();
        let secret = if parts.len() == 3 { &parts[1..] } else { &parts[..] };
        for part in secret.iter().filter(|part| part.len() >= WINDOW) {
            self.add(name, part);
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The names of the secrets of which a part stands in `text`, each with the line.
    pub fn leaks<'a>(&'a self, text: &'a str) -> Vec<(&'a str, &'a str)> {
        let mut parts: HashMap<String, &str> = HashMap::new();
        for (name, secret) in &self.0 {
            for form in forms(secret) {
                for at in 0..=form.len().saturating_sub(WINDOW) {
                    if let Some(part) = form.get(at..at + WINDOW) {
                        parts.insert(part.to_owned(), name);
                    }
                }
            }
        }
        let mut leaks = Vec::new();
        for line in text.lines() {
            let found = (0..line.len()).find_map(|at| parts.get(line.get(at..at + WINDOW)?));
            leaks.extend(found.map(|name| (*name, line)));
        }
        leaks
    }

    /// Nothing of any secret stands in `text`.
    pub fn assert_absent(&self, what: &str, text: &str) {
        let leaks = self.leaks(text);
        assert!(leaks.is_empty(), "{what} holds a part of a secret: {:?}", leaks.first());
    }
}

/// A secret as it is, in hex, and in base64 wherever in a longer text it begins.
fn forms(secret: &str) -> Vec<String> {
    let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    let mut forms = vec![secret.to_owned(), hex.to_uppercase(), hex];
    for before in 0..3 {
        let mut bytes = vec![0; before];
        bytes.extend_from_slice(secret.as_bytes());
        for engine in [&STANDARD, &URL_SAFE] {
            let packed = engine.encode(&bytes);
            let packed = packed.trim_end_matches('=');
            // The first characters hold other bytes too, the last one may.
            let from = if before == 0 { 0 } else { before + 1 };
            forms.push(packed[from..packed.len() - 1].to_owned());
        }
    }
    forms
}

/// A part of a secret that stands in a log.
#[derive(Debug)]
struct Leak {
    /// What the secret is.
    name: String,
    log: PathBuf,
    line: usize,
}

/// What was searched for what.
#[derive(Debug)]
struct Searched {
    logs: usize,
    bytes: usize,
    secrets: usize,
    leaks: Vec<Leak>,
}

/// One bit for a part that may stand in a log: it says at once that nearly none of them do.
struct Sieve {
    bits: Vec<u64>,
    mask: u64,
}

impl Sieve {
    fn new(log2: u32) -> Self {
        Self { bits: vec![0; 1 << (log2 - 6)], mask: (1 << log2) - 1 }
    }

    fn place(&self, part: &[u8; WINDOW]) -> (usize, u64) {
        let mut hash = 0_u64;
        for byte in part {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
        }
        let bit = (hash ^ (hash >> 32)) & self.mask;
        (usize::try_from(bit / 64).expect("below 2^32"), 1 << (bit % 64))
    }

    fn put(&mut self, part: &[u8; WINDOW]) {
        let (word, bit) = self.place(part);
        self.bits[word] |= bit;
    }

    fn may_hold(&self, part: &[u8; WINDOW]) -> bool {
        let (word, bit) = self.place(part);
        self.bits[word] & bit != 0
    }
}

fn parts(text: &[u8]) -> impl Iterator<Item = &[u8; WINDOW]> {
    text.windows(WINDOW).map(|part| part.try_into().expect("a window"))
}

/// More than any process of a test writes.
const LOG_MAX_BYTES: u64 = 256 * 1024 * 1024;
/// How long the last processes of a run may take to end.
const ENDED_WITHIN: Duration = Duration::from_secs(30);

/// Searches all logs that a run has left in `folder` for all its secrets; both lie there as the harness keeps them.
/// `log2` is the size of the sieve.
fn search(folder: &Path, log2: u32) -> Searched {
    let mut secrets: HashMap<String, String> = HashMap::new();
    for list in files(folder) {
        for line in std::fs::read_to_string(&list).expect("a list of secrets").lines() {
            let (name, secret) =
                line.split_once('\t').unwrap_or_else(|| panic!("{line}: a name, a tab, a secret"));
            assert!(secret.len() >= WINDOW, "{name} is too short to be looked for");
            secrets.insert(secret.to_owned(), name.to_owned());
        }
    }
    let mut sieve = Sieve::new(log2);
    for secret in secrets.keys() {
        forms(secret).iter().for_each(|form| parts(form.as_bytes()).for_each(|part| sieve.put(part)));
    }
    let begun = Instant::now();
    let open = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "open");
    while files(&folder.join("logs")).iter().any(open) {
        assert!(begun.elapsed() < ENDED_WITHIN, "a process of the run is still writing");
        std::thread::sleep(Duration::from_millis(50));
    }
    let mut suspects: HashMap<[u8; WINDOW], (PathBuf, usize)> = HashMap::new();
    let logs = files(&folder.join("logs"));
    let mut bytes = 0;
    for log in &logs {
        let size = std::fs::metadata(log).expect("a log").len();
        assert!(size <= LOG_MAX_BYTES, "{} is too long to be searched: {size} bytes", log.display());
        let text = std::fs::read(log).expect("a log");
        bytes += text.len();
        for (number, line) in text.split(|byte| *byte == b'\n').enumerate() {
            for part in parts(line).filter(|part| sieve.may_hold(part)) {
                suspects.entry(*part).or_insert_with(|| (log.clone(), number + 1));
            }
        }
    }
    let mut leaks = Vec::new();
    if !suspects.is_empty() {
        for (secret, name) in &secrets {
            let found = forms(secret)
                .iter()
                .find_map(|form| parts(form.as_bytes()).find_map(|part| suspects.get(part).cloned()));
            leaks.extend(found.map(|(log, line)| Leak { name: name.clone(), log, line }));
        }
    }
    Searched { logs: logs.len(), bytes, secrets: secrets.len(), leaks }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file()).collect()
}

/// The last stage of a run: everything that its stages wrote, and everything that was secret in them.
#[test]
fn no_part_of_any_secret_stands_in_anything_that_the_whole_run_wrote() {
    let Some(folder) = std::env::var_os("ONO_SWEEP_NOW").map(PathBuf::from) else {
        let skipped = "SKIPPED: nothing was searched for secrets (tests/run does it after its other stages)";
        return writeln!(std::io::stderr(), "{skipped}").expect("stderr takes a line");
    };
    let searched = search(&folder, 30);
    let Searched { logs, bytes, secrets, leaks } = &searched;
    let told = format!("SEARCHED {logs} logs of {bytes} bytes for {secrets} secrets");
    writeln!(std::io::stderr(), "{told}").expect("stderr takes a line");
    assert!(*logs >= 3 && *secrets >= 10, "this is no run: {told}");
    assert!(leaks.is_empty(), "{} secrets leak: {:#?}", leaks.len(), &leaks[..leaks.len().min(20)]);
}

#[test]
fn a_secret_in_any_form_in_the_log_of_any_process_of_a_run_is_found() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("sweep-{}", std::process::id()));
    let logs = folder.join("logs");
    std::fs::create_dir_all(&logs).expect("a folder");
    let secret = "ck_test_5EcReT0123456789?>~abcdefABCDEF";
    std::fs::write(folder.join("secrets-1"), format!("a key\t{secret}\n")).expect("a list");
    std::fs::write(folder.join("secrets-2"), "another\tneverSeenAnywhereAtAll\n").expect("a list");
    std::fs::write(logs.join("quiet"), "nothing of the kind\n".repeat(1_000)).expect("a log");
    let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    let mut planted = vec![secret.to_owned(), hex.to_uppercase(), hex];
    for before in ["", "x", "xy", "Bearer "] {
        planted.push(STANDARD.encode(format!("{before}{secret}")));
        planted.push(URL_SAFE.encode(format!("{before}{secret}")));
    }
    // A small sieve lets innocent parts through, which must not matter.
    for log2 in [8, 20] {
        assert!(search(&folder, log2).leaks.is_empty());
        for form in &planted {
            let part = &form[5..5 + WINDOW + 5];
            std::fs::write(logs.join("leaky"), format!("first\nsecond é {part}!\n")).expect("a log");
            let Searched { leaks, secrets, .. } = search(&folder, log2);
            let [Leak { name, log, line }] = leaks.as_slice() else { panic!("{part}: {leaks:?}") };
            assert_eq!((name.as_str(), log.ends_with("leaky"), *line, secrets), ("a key", true, 2, 2));
            let cut = format!("{} {}", &part[..WINDOW - 1], &part[..WINDOW - 1]);
            std::fs::write(logs.join("leaky"), cut).expect("a log");
            assert!(search(&folder, log2).leaks.is_empty(), "eleven characters are none: {part}");
        }
    }
    std::fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn a_planted_leak_is_found_in_every_form_and_place() {
    let mut secrets = Secrets::default();
    secrets.add("key", "ck_test_5EcReT0123456789?>~abcdefABCDEF");
    secrets.add_token("token", "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ1c2VyXzEifQ.c2lnbmF0dXJlLXNpZ25hdHVyZQ");
    let secret = "ck_test_5EcReT0123456789?>~abcdefABCDEF";
    let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    let mut planted = vec![secret.to_owned(), hex.to_uppercase(), hex];
    for before in ["", "x", "xy", "xyz", "Bearer "] {
        planted.push(STANDARD.encode(format!("{before}{secret}")));
        planted.push(URL_SAFE.encode(format!("{before}{secret}")));
    }
    for form in planted {
        for cut in 4..10 {
            let line = format!("2027-01-31 INFO é reason=\"{}\" done", &form[cut..cut + WINDOW + 6]);
            assert_eq!(secrets.leaks(&line).len(), 1, "{line}");
            assert!(secrets.leaks(&line.replace(&form[cut + 6..cut + 12], "")).is_empty(), "{line}");
        }
    }
    assert_eq!(secrets.leaks("x eyJzdWIiOiJ1c2Vy y")[0].0, "token");
    assert!(secrets.leaks("eyJhbGciOiJFUzI1NiJ9 is a header").is_empty());
    assert!(secrets.leaks("nothing of the kind\nin two lines").is_empty());
}
