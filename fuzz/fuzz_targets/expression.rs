//! Arbitrary bytes as an expression.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/expr/tests/suite/fuzz/body.rs"]
mod body;

fuzz_target!(|bytes: &[u8]| body::walk(bytes));
