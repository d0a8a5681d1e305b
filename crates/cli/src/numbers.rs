//! Numbers of the command line: which ones a flag takes.

use clap::builder::RangedU64ValueParser;
use std::ops::RangeBounds;

/// A whole number in a range.
pub fn count(range: impl RangeBounds<u64>) -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(range)
}

/// Refuses what is not a finite number.
pub fn finite(flag: &str, value: Option<f64>) -> Result<Option<f64>, String> {
    match value {
        Some(value) if !value.is_finite() => Err(format!("{flag} {value} must be a number")),
        value => Ok(value),
    }
}

/// Refuses what is not a positive number.
pub fn positive(flag: &str, value: f64) -> Result<(), String> {
    match value.is_finite() && value > 0.0 {
        true => Ok(()),
        false => Err(format!("{flag} {value} must be a positive number")),
    }
}
