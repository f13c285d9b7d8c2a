//! What a server writes while a test reads it, line by line; all of it is kept as evidence.

use std::io::{BufRead as _, BufReader, Read};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Instant;

use serde_json::Value;

use super::{PATIENCE, evidence};

/// The lines of a pipe, which is read to its end whether or not anyone wants them. Its writer has to end first.
pub struct Log {
    lines: mpsc::Receiver<String>,
    reader: Option<JoinHandle<()>>,
}

impl Log {
    /// Reads this pipe; `name` is that of its evidence.
    pub fn of(pipe: impl Read + Send + 'static, name: &'static str) -> Self {
        let (send, lines) = mpsc::channel();
        let reader = std::thread::spawn(move || {
            for line in BufReader::new(pipe).lines().map_while(Result::ok) {
                evidence::keep(name, format!("{line}\n").as_bytes());
                let _nobody_reads = send.send(line);
            }
        });
        Self { lines, reader: Some(reader) }
    }

    /// The next line.
    pub fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("a log line")
    }

    /// Every line from here to one that is it; `what` says which.
    pub fn until(&self, what: &str, is_it: impl Fn(&str) -> bool) -> Vec<String> {
        let (begun, mut passed) = (Instant::now(), Vec::new());
        while !passed.last().is_some_and(|line: &String| is_it(line)) {
            let left = PATIENCE.saturating_sub(begun.elapsed());
            let line = self.lines.recv_timeout(left);
            passed.push(line.unwrap_or_else(|_| panic!("no line {what}, but {passed:?}")));
        }
        passed
    }

    /// Every line that is left, once the writer has ended.
    pub fn rest(&self) -> Vec<String> {
        self.lines.iter().collect()
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        // What it wrote last is evidence too.
        if let Some(reader) = self.reader.take() {
            let _ended = reader.join();
        }
    }
}

/// The fields of a line for a collector.
pub fn fields(line: &str) -> Value {
    let json: Value =
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{line} is not JSON: {error}"));
    json["fields"].clone()
}
