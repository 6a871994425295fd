//! `unbreak_fuzz::xml`, as libFuzzer starts it.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| unbreak_fuzz::xml(bytes));
