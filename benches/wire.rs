//! What an answer costs over TLS, beside the least that one can cost (`benches/floor`) and beside the same tool made
//! with the official SDK (`benches/rmcp-server`): in turns, one right after the other, so that a busy machine slows both
//! alike.
//!
//! `cargo bench --bench wire -- PART...` measures these, or all; docs/performance.md says what they are and what they need.
//! ONO_WIRE_ROUNDS (5) and ONO_WIRE_SECONDS (5) say how often and how long. `--keep` writes what was found to
//! `benches/results/wire.toml`. `short` is what tests/run does: what no other load on the machine changes.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a bench may fail, and says what it found"
)]

#[path = "wire/calls.rs"]
mod calls;
#[path = "wire/endurance.rs"]
mod endurance;
#[path = "wire/handshakes.rs"]
mod handshakes;
#[path = "wire/instructions.rs"]
mod instructions;
#[path = "wire/load.rs"]
mod load;
#[path = "wire/programs.rs"]
mod programs;
#[path = "wire/rate.rs"]
mod rate;
#[path = "wire/results.rs"]
mod results;
#[path = "wire/streams.rs"]
mod streams;

use results::Results;

/// Finds out the figures of one part.
type Measure = fn(&mut Results, Length);

/// What can be measured, by name.
const PARTS: [(&str, Measure); 6] = [
    ("instructions", instructions::measure),
    ("loads", load::measure),
    ("peer", load::measure_peer),
    ("rate", rate::measure),
    ("handshakes", handshakes::measure),
    ("endurance", endurance::measure),
];

/// How much of it is done.
#[derive(Clone, Copy, Debug)]
struct Length {
    rounds: u32,
    seconds: u32,
    is_short: bool,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let wanted: Vec<&str> = arguments.iter().map(String::as_str).filter(|word| *word != "--keep").collect();
    let is_short = wanted == ["short"];
    let number = |name: &str, default: u32| {
        std::env::var(name)
            .map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} is a number")))
    };
    let length = if is_short {
        Length { rounds: 3, seconds: 2, is_short }
    } else {
        Length { rounds: number("ONO_WIRE_ROUNDS", 5), seconds: number("ONO_WIRE_SECONDS", 5), is_short }
    };
    let is_wanted = |name: &str| {
        if is_short { name == "instructions" } else { wanted.is_empty() || wanted.contains(&name) }
    };
    let unknown = wanted.iter().find(|word| !is_short && !PARTS.iter().any(|(name, _)| name == *word));
    assert!(unknown.is_none(), "no part {unknown:?}; there are {:?}", PARTS.map(|(name, _)| name));
    let mut results = Results::default();
    for (_, measure) in PARTS.iter().filter(|(name, _)| is_wanted(name)) {
        measure(&mut results, length);
    }
    if arguments.iter().any(|argument| argument == "--keep") {
        results.keep();
    }
    let missed = results.missed();
    assert!(missed.is_empty(), "missed: {}", missed.join("; "));
}
