//! The running program over a service that does what a test tells it, on real sockets.

mod again;
mod documents;
mod faults;
mod names;
mod own_ids;
mod partial;
pub mod peer;
mod places;
mod plan;
mod restart;
mod secrets;
mod service;
mod similar;
mod tls;
mod windows;

use std::net::{IpAddr, Ipv4Addr};

use crate::harness::Demo;

/// The key that the service is asked with.
const KEY: &str = "ck_test_5EcReT0123456789abcdefABCDEF7890";
/// How long one request may take here.
const CALL_MS: u64 = 400;

/// A server that asks a service at `port`; `more` are further lines of its section.
fn server_over(port: u16, more: &str) -> Demo {
    server_with(port, more, &format!("[deadlines]\ncall_ms = {CALL_MS}\ntool_ms = 5000\n"))
}

/// The same with other deadlines, and anything else.
pub fn server_with(port: u16, more: &str, rest: &str) -> Demo {
    Demo::serving(
        "fixture_mode = false",
        &format!(
            "[crate]\nbase_url = \"http://127.0.0.1:{port}\"\nkey = \"{KEY}\"\n{more}\n\
             [guard]\ntrusted_proxies = [\"127.0.0.1\"]\n\
             [transport]\nhttp2_streams = 1000\n\
             [anonymous]\ncalls_per_minute = 60000\nunits_per_day = 1000000\nrequests_per_second = 10000\nrequests_burst = 100000\n\
             [log]\nlevel = \"trace\"\n{rest}"
        ),
    )
}

/// A plan that never holds a test up.
const WIDE: &str = "in_flight = 1000\nper_minute = 1000000\nper_month = 0";

/// The address of caller number `n`.
fn caller(n: u8) -> IpAddr {
    IpAddr::from(Ipv4Addr::new(192, 0, 2, n))
}
