//! The text is what others read as metrics.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::json;

use super::{ANY_PORT, get, port_of};
use crate::harness::Demo;
use crate::tables::root;

/// Reads a text on its standard input as Prometheus' own Python library does, and prints how many families it holds.
const PYTHON: &str = "import sys\nfrom prometheus_client.parser import text_string_to_metric_families as read\n\
                      print(len(list(read(sys.stdin.read()))))";

#[test]
fn the_text_is_read_by_the_tools_of_prometheus() {
    let server = Demo::serving("", ANY_PORT);
    server.call("resolve_artist", json!({"q": "Four Tet"}));
    let text = get(port_of(&server), "/metrics").body;
    // Where tests/run installs it; else whatever the system has.
    let own = root().join("tests/e2e/.venv/bin/python");
    let python = if own.exists() { own.to_string_lossy().into_owned() } else { "python3".to_owned() };
    let readers: [(&str, &[&str]); 2] = [("promtool", &["check", "metrics"]), (&python, &["-c", PYTHON])];
    let mut read = 0;
    for (program, arguments) in readers {
        let child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let Ok(mut child) = child else { continue };
        let mut input = child.stdin.take().expect("a pipe");
        // One that has no such library ends before it has read anything.
        let _gone = input.write_all(text.as_bytes());
        drop(input);
        let output = child.wait_with_output().expect("it ends");
        let (said, wrong) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        if wrong.contains("ModuleNotFoundError") {
            continue;
        }
        assert!(output.status.success() && wrong.trim().is_empty(), "{program}: {said} {wrong}");
        if program != "promtool" {
            let families: usize = said.trim().parse().expect("a number");
            assert_eq!(families, ono_sendai::telemetry::Metric::ALL.len());
        }
        read += 1;
    }
    if read == 0 {
        let skipped = "SKIPPED: neither promtool nor Python's prometheus_client is here to read the metrics";
        writeln!(std::io::stderr(), "{skipped}").expect("stderr takes a line");
    }
}
