//! Hands `crate_answers` to libFuzzer.
#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target};

fuzz_target!(|data: &[u8]| ono_sendai_fuzz::crate_answers::run(data));

fuzz_mutator!(|data: &mut [u8], size: usize, max: usize, seed: u32| {
    ono_sendai_fuzz::json::mutate(data, size, max, seed, 1)
});
