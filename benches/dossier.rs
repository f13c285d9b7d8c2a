//! How long it takes to read the largest dossier of the demo: into the typed form, and into a JSON value.
//!
//! `cargo bench` prints the medians of many rounds that take turns, so that a busy machine slows both alike.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a bench may fail, and says what it found"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use bytes::Bytes;
use ono_sendai::catalogue::{Catalogue, CatalogueRequest};
use ono_sendai::crate_client::read_dossier;

const ROUNDS: usize = 201;
const READINGS: u32 = 100;
const TODAY: time::Date = time::macros::date!(2027 - 01 - 31);

/// The index files of the demo, a record a line.
const INDEXES: [&str; 2] =
    [include_str!("../fixtures/artists/index.jsonl"), include_str!("../fixtures/invented/index.jsonl")];

fn main() {
    let (slug, dossier) = largest();
    assert!(read_dossier(&dossier, TODAY.into()).is_ok_and(|found| found.is_some()), "{slug} is no dossier");
    let mut typed = Vec::new();
    let mut value = Vec::new();
    for _ in 0..ROUNDS {
        typed.push(time(|| read_dossier(black_box(&dossier), TODAY.into()).is_ok()));
        value.push(time(|| serde_json::from_slice::<serde_json::Value>(black_box(&dossier)).is_ok()));
    }
    let (typed, value) = (median(typed), median(value));
    println!("{slug}, {} bytes", dossier.len());
    println!("typed form: {:.1} µs", micros(typed));
    println!("serde_json::Value: {:.1} µs", micros(value));
    println!("typed / value: {:.2}", micros(typed) / micros(value));
    // `cargo test --benches` runs this without optimisation, where neither figure means anything.
    if !cfg!(debug_assertions) {
        assert!(typed <= value, "the typed form takes longer than a value of anything");
    }
}

fn largest() -> (String, Bytes) {
    let catalogue = Catalogue::embedded().expect("the demo catalogue");
    INDEXES
        .iter()
        .flat_map(|index| index.lines())
        .map(|line| {
            let record: serde_json::Value = serde_json::from_str(line).expect("a record");
            let slug = record["slug"].as_str().expect("a slug").to_owned();
            let path = format!("/api/v2/artist/{slug}");
            let answer = catalogue.answer(&CatalogueRequest { path: &path, query: &[], today: TODAY });
            assert_eq!(answer.status, 200, "{slug}");
            (slug, answer.body)
        })
        .max_by_key(|(_, dossier)| dossier.len())
        .expect("artists")
}

fn time(read: impl Fn() -> bool) -> Duration {
    let begun = Instant::now();
    for _ in 0..READINGS {
        assert!(read());
    }
    begun.elapsed() / READINGS
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
