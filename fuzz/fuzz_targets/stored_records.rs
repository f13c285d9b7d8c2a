//! Hands `stored_records` to libFuzzer.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| ono_sendai_fuzz::stored_records::run(data));
