//! Whether the memory of a server grows with the calls that it has answered.

use super::Length;
use super::calls::cards;
use super::load::wrk_script;
use super::programs::{Data, Running, Setting, Under};
use super::results::{Bar, Results};

const CALLS: f64 = 1_000_000.0;
/// By then it has made what it keeps: the answers of all calls that differ, and room for all connections.
const WARM: f64 = 200_000.0;

/// Memory after a million calls beside that after the first part of them, in KiB.
pub fn measure(results: &mut Results, _length: Length) {
    let server = Running::server(Setting { under: Under::AllCores, data: Data::Demo, accounts: 4 });
    let script = wrk_script(&cards(), &server.tokens);
    let (mut calls, mut warm) = (0.0, None);
    while calls < CALLS {
        calls += super::load::wrk(&server, &script, None, 5).0;
        let resident_kib = server.resident_kib();
        println!("{calls} calls: {resident_kib} KiB");
        if calls >= WARM && warm.is_none() {
            warm = Some(resident_kib);
        }
    }
    let warm = warm.expect("the first part") as f64;
    results.ratio("endurance", "memory, KiB", (server.resident_kib() as f64, warm), Bar::AtMost(1.05));
    server.stop();
}
