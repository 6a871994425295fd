//! `unbreak_fuzz::json`, as libFuzzer starts it.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| unbreak_fuzz::json(bytes));
