//! A process that spends units until it is killed. It is this test binary, told by a variable what to do.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use super::support::{Scratch, account, open, spend};

const FOLDER: &str = "ONO_STORE_CHILD";
const ACCOUNTS: u8 = 8;

/// Spends for every account, each in a thread of its own, and says so only after it is durable.
fn spend_for_ever(folder: &Path, most: u64) {
    let state = Arc::new(open(folder));
    say("open");
    std::thread::scope(|scope| {
        for n in 0..ACCOUNTS {
            let state = Arc::clone(&state);
            scope.spawn(move || {
                let begin = state.quotas.get(&account(n)).map_or(0, |quota| quota.used);
                for used in begin + 1..=begin + most {
                    state.submit(spend(&state, n, used)).wait().unwrap();
                    say(&format!("{n} {used}"));
                }
            });
        }
    });
    state.close();
}

fn say(line: &str) {
    // One write, so that a kill cannot cut a line that was said.
    std::io::stdout().write_all(format!("said {line}\n").as_bytes()).unwrap();
}

/// Without the variable it is a test of its own: what is spent is there after closing and opening.
#[test]
fn what_is_spent_is_there_after_closing() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        return spend_for_ever(&PathBuf::from(folder), u64::MAX / 2);
    }
    let scratch = Scratch::new("close");
    spend_for_ever(&scratch.0, 5);
    spend_for_ever(&scratch.0, 5);
    let state = open(&scratch.0);
    for n in 0..ACCOUNTS {
        assert_eq!(state.quotas.get(&account(n)).map(|quota| quota.used), Some(10));
    }
    assert_eq!(state.replays.len(), usize::from(ACCOUNTS) * 10);
    state.close();
}

/// The process, and the lines that it says.
pub struct Spender {
    child: Child,
    lines: std::sync::mpsc::Receiver<String>,
}

impl Spender {
    pub fn start(folder: &Path) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "store::child::what_is_spent_is_there_after_closing", "--nocapture"])
            .env(FOLDER, folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (send, lines) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                if let Some(said) = line.strip_prefix("said ") {
                    let _ = send.send(said.to_owned());
                }
            }
        });
        Self { child, lines }
    }

    /// Waits until it has the store open.
    pub fn wait_until_open(&self) {
        let first = self.lines.recv_timeout(std::time::Duration::from_secs(60)).unwrap();
        assert_eq!(first, "open");
    }

    /// Holds it in the middle of whatever it does.
    pub fn stop(&self) {
        let stopped = Command::new("kill").args(["-STOP", &self.child.id().to_string()]).status();
        assert!(stopped.expect("kill runs").success());
    }

    /// Kills it as a power cut of the process would; every account and unit that it said.
    pub fn kill(mut self) -> Vec<(u8, u64)> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let said: Vec<String> = self.lines.iter().collect();
        said.iter()
            .filter_map(|line| line.split_once(' '))
            .map(|(n, used)| (n.parse().unwrap(), used.parse().unwrap()))
            .collect()
    }
}
