//! `unbreak_fuzz::archive`, as libFuzzer starts it.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| unbreak_fuzz::archive(bytes));
