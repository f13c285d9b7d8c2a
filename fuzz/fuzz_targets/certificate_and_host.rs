//! Hands `certificate_and_host` to libFuzzer.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| ono_sendai_fuzz::certificate_and_host::run(data));
