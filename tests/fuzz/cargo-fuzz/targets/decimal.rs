#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| cargo_fuzz_targets::run(fuzz_targets::decimal, data));
