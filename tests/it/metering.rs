//! What is granted, charged and answered again, seen by clients: races, kills, restarts, identical calls.

mod backup;
mod full;
mod killed;
mod of_root;
pub mod operator;
mod paced;
mod races;
mod replays;
pub mod stepped;

use serde_json::Value;

use crate::harness::Envelope;

/// The units that an answer says its account has used.
fn used(envelope: &Envelope) -> u64 {
    envelope.json["meta"]["quota"]["used"].as_u64().unwrap_or_else(|| panic!("no quota: {}", envelope.json))
}

/// A question that nobody asked before.
fn fresh() -> Value {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(1);
    serde_json::json!({"cluster_id": format!("{:064x}", NEXT.fetch_add(1, Ordering::Relaxed))})
}
