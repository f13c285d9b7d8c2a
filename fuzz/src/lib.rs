//! The fuzz targets, one module each, and what they have in common.
//!
//! A target is a function over bytes that panics when a promise is broken; `fuzz_targets` has the few lines that hand
//! each to libFuzzer. docs/reliability.md says how they are run and what each promises.

pub mod bearer_and_jwks;
pub mod certificate_and_host;
pub mod configuration;
pub mod crate_answers;
pub mod cursor;
pub mod headers_and_era;
pub mod json;
pub mod jsonrpc_body;
pub mod locator_and_name;
pub mod stored_records;
pub mod tool_arguments;

pub mod answers;
pub mod recorder;
pub mod schema;
pub mod service;
pub mod token;

/// Whether an answer holds only what the service said: the judge of the tests, with what the answers of every tool are
/// made of in its tables.
#[path = "../../tests/it/prism"]
mod prism {
    #[allow(unused_imports)]
    pub mod places;
    #[allow(unused_imports)]
    mod reading;
}

use time::OffsetDateTime;
use time::macros::datetime;

/// When it is, in every target.
pub const NOW: OffsetDateTime = datetime!(2027-01-31 12:00 UTC);

/// What stands between the parts of an input: a byte that no text has.
pub const BETWEEN: u8 = 0xff;

/// The parts of an input.
pub fn parts(data: &[u8]) -> impl Iterator<Item = &[u8]> {
    data.split(|byte| *byte == BETWEEN)
}

/// Holds a text to what every text for a person keeps to: no control character but the end of a line, and nothing that
/// cannot be seen.
pub fn assert_readable(text: &str, what: &str) {
    let hidden =
        |c: &char| *c != '\n' && (c.is_control() || ono_sendai::identity::invisible::is_invisible(*c));
    assert_eq!(text.chars().find(hidden), None, "{what}: {text:?}");
}
