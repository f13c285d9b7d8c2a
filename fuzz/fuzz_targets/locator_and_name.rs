//! Hands `locator_and_name` to libFuzzer.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| ono_sendai_fuzz::locator_and_name::run(data));
