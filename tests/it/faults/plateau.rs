//! Memory and disk of a running server over time, and whether they stopped growing.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::harness::Demo;

/// One segment of the store's log is half a megabyte; within two of them a plateau cannot be told from growth.
pub const DISK_GRAIN: u64 = 2 * 512 * 1024;
/// A twentieth of what a server holds whose memories are full. A young one is small, and what calls held while the service
/// hung is not given back at once.
pub const MEMORY_GRAIN: u64 = 12 * 1024 * 1024;

/// What was seen at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    pub at: Duration,
    pub memory_bytes: u64,
    pub disk_bytes: u64,
}

/// What a server holds in memory.
pub fn resident(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("a running server");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB"));
    line.and_then(|kib| kib.parse::<u64>().ok()).expect("VmRSS") * 1024
}

/// What the files of a folder hold that change all the time.
pub fn size(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(kind) if kind.is_dir() => size(&entry.path()),
            Ok(kind) => kind.len(),
            // Just removed.
            Err(_) => 0,
        })
        .sum()
}

/// Looks every second until it is told to stop.
pub fn watch(server: &Demo, stop: &AtomicBool) -> Vec<Sample> {
    let store: PathBuf = server.data().join("store");
    let (began, mut samples) = (Instant::now(), Vec::new());
    while !stop.load(Ordering::Relaxed) {
        let disk_bytes = size(&store);
        samples.push(Sample { at: began.elapsed(), memory_bytes: resident(server.pid), disk_bytes });
        std::thread::sleep(Duration::from_secs(1));
    }
    samples
}

/// What stands for a span of time, of its values in their order.
pub type Stands = fn(&[u64]) -> u64;

/// One moment says nothing.
pub fn middle(values: &[u64]) -> u64 {
    values[values.len() / 2]
}

/// A log grows, and falls when it is written anew: only its peaks say whether it grows.
pub fn peak(values: &[u64]) -> u64 {
    values[values.len() - 1]
}

/// The least and the most of a value over spans of time, once `warm` is over.
pub fn span(
    samples: &[Sample],
    warm: Duration,
    spans: u32,
    stands: Stands,
    of: impl Fn(&Sample) -> u64,
) -> (u64, u64) {
    let last = samples.last().expect("a sample").at;
    let each = (last.saturating_sub(warm)) / spans;
    let values: Vec<u64> = (0..spans)
        .map(|n| {
            let (from, to) = (warm + each * n, warm + each * (n + 1));
            let mut values: Vec<u64> =
                samples.iter().filter(|sample| (from..=to).contains(&sample.at)).map(&of).collect();
            values.sort_unstable();
            stands(&values)
        })
        .collect();
    (values.iter().min().copied().unwrap_or_default(), values.iter().max().copied().unwrap_or_default())
}

/// Whether the most is within a twentieth of the least, or within what cannot be told from it.
pub fn is_flat((least, most): (u64, u64), grain: u64) -> bool {
    most - least <= (least / 20).max(grain)
}

#[test]
fn what_grows_by_more_than_a_twentieth_is_no_plateau() {
    let of = |stands: Stands, bytes: fn(u64) -> u64| {
        let samples: Vec<Sample> = (0..100)
            .map(|n| Sample { at: Duration::from_secs(n), memory_bytes: bytes(n), disk_bytes: 0 })
            .collect();
        is_flat(span(&samples, Duration::from_secs(20), 8, stands, |sample| sample.memory_bytes), DISK_GRAIN)
    };
    const MIB: u64 = 1024 * 1024;
    for stands in [middle, peak] {
        assert!(of(stands, |n| if n < 20 { n * MIB } else { 100 * MIB + n * 1_000 }));
        assert!(!of(stands, |n| (100 + n / 8) * MIB));
    }
    // One high moment is no growth, and neither is what falls as often as it grows.
    assert!(of(middle, |n| if n == 50 { 200 * MIB } else { 100 * MIB }));
    assert!(of(peak, |n| (100 + n % 10 * 3) * MIB));
    assert!(!of(peak, |n| (100 + n % 10 * 3 + n / 8) * MIB));
}
