//! What counting and reading cost, as docs/metrics.md tells it.

use std::hint::black_box;
use std::io::Write as _;
use std::time::{Duration, Instant};

use ono_sendai::clock::Clock;
use ono_sendai::telemetry::count::{Histogram, OpenCounters};
use serde_json::json;

use super::{ANY_PORT, get, port_of};
use crate::harness::Demo;

/// Requests that are timed; the full form is `ONO_COST=full`.
fn rounds() -> u32 {
    if std::env::var("ONO_COST").is_ok_and(|form| form == "full") { 1_000 } else { 50 }
}

/// The middle one of many times.
fn middle(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

#[test]
fn reading_the_metrics_takes_a_moment_and_counting_next_to_nothing() {
    let server = Demo::serving("", ANY_PORT);
    let port = port_of(&server);
    server.call("resolve_artist", json!({"q": "Four Tet"}));
    let clock = Clock::system();
    let timed = |path: &str| {
        let once = |_| {
            let begun = Instant::now();
            let told = get(port, path);
            assert_eq!(told.status, 200);
            (begun.elapsed(), told.body.len())
        };
        let all: Vec<(Duration, usize)> = (0..rounds()).map(once).collect();
        (middle(all.iter().map(|(took, _)| *took).collect()), all[0].1)
    };
    let ((metrics, bytes), (series, _)) = (timed("/metrics"), timed("/series"));
    let words: Vec<&'static str> =
        ono_sendai::tools::registry::ToolName::ALL.iter().map(|tool| tool.as_str()).collect();
    let (last, counters, times) = (words[words.len() - 1], OpenCounters::new(words), Histogram::default());
    let counts = rounds() * 1_000;
    let begun = clock.monotonic();
    for us in 0..counts {
        black_box(&counters).one(black_box(last));
        black_box(&times).note(Duration::from_micros(us.into()));
    }
    let each = clock.monotonic().saturating_duration_since(begun) / counts;
    let told = format!(
        "COST /metrics {metrics:?} for {bytes} bytes, /series {series:?}, a count and a time {each:?}"
    );
    writeln!(std::io::stderr(), "{told}").expect("stderr takes a line");
    // A build without optimisation on a loaded machine; docs/metrics.md has the figures of a release build.
    assert!(metrics < Duration::from_millis(250) && series < Duration::from_millis(250), "{told}");
    assert!(each < Duration::from_micros(20) && bytes < 256 * 1024, "{told}");
}
