//! Ranges and complex numbers on the command line.

use poinsot_numerics::dense::c64;
use thiserror::Error;

/// What is wrong with a word of the command line.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum WordError {
    /// No range.
    #[error("`{0}` is not of the form NAME=LOW..HIGH, e.g. theta=-pi..pi")]
    Range(String),
    /// A range without an inside.
    #[error("the range of `{name}` ends at {high}, not above its start at {low}")]
    EmptyRange {
        /// Of what.
        name: String,
        /// Its start.
        low: f64,
        /// Its end.
        high: f64,
    },
    /// No value of a name.
    #[error("`{0}` is not of the form NAME=VALUE")]
    Value(String),
    /// No complex number.
    #[error("`{0}` is not a complex number such as -10+1i")]
    Complex(String),
}

/// NAME=LOW..HIGH.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedRange {
    /// Name of a variable.
    pub name: String,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The value of a text such as `-2`, `1e-3` or `pi/2`.
pub fn number(text: &str) -> Option<f64> {
    let value = poinsot_expr::Expr::parse(text.trim()).ok()?.eval(&poinsot_expr::constant).ok()?;
    value.is_finite().then_some(value)
}

/// Reads NAME=LOW..HIGH.
pub fn parse_range(text: &str) -> Result<NamedRange, WordError> {
    let wrong = || WordError::Range(text.into());
    let (name, ends) = text.split_once('=').ok_or_else(wrong)?;
    let (low, high) = ends.split_once("..").ok_or_else(wrong)?;
    let (low, high) = (number(low).ok_or_else(wrong)?, number(high).ok_or_else(wrong)?);
    if name.trim().is_empty() {
        return Err(wrong());
    }
    if low >= high {
        return Err(WordError::EmptyRange { name: name.trim().into(), low, high });
    }
    Ok(NamedRange { name: name.trim().into(), low, high })
}

/// Reads NAME=VALUE.
pub fn parse_value(text: &str) -> Result<(String, f64), WordError> {
    let wrong = || WordError::Value(text.into());
    let (name, value) = text.split_once('=').ok_or_else(wrong)?;
    Ok((name.trim().into(), number(value).ok_or_else(wrong)?))
}

/// Reads complex numbers such as `-10+1i, -10-1i, -3`.
pub fn parse_poles(text: &str) -> Result<Vec<c64>, WordError> {
    text.split(',').map(parse_complex).collect()
}

fn parse_complex(text: &str) -> Result<c64, WordError> {
    let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let wrong = || WordError::Complex(text.trim().into());
    let Some(body) = plain.strip_suffix(['i', 'j']) else {
        return Ok(c64::new(plain.parse().ok().filter(|x: &f64| x.is_finite()).ok_or_else(wrong)?, 0.0));
    };
    // The sign of the imaginary part is the last one that does not belong to an exponent.
    let signs = body.char_indices().filter(|(k, c)| {
        matches!(c, '+' | '-') && !(*k > 0 && matches!(body.as_bytes()[k - 1], b'e' | b'E'))
    });
    let split = signs.map(|(k, _)| k).next_back().unwrap_or(0);
    let (re, im) = body.split_at(split);
    let part = |text: &str, unit: f64| match text {
        "" | "+" => Some(unit),
        "-" => Some(-unit),
        text => text.parse::<f64>().ok().filter(|x| x.is_finite()),
    };
    Ok(c64::new(part(re, 0.0).ok_or_else(wrong)?, part(im, 1.0).ok_or_else(wrong)?))
}

/// A complex number in words.
pub fn complex(value: c64, digits: usize) -> String {
    let re = significant(value.re, digits);
    match value.im {
        0.0 => re,
        im => format!("{re} {} {}i", if im < 0.0 { '-' } else { '+' }, significant(im.abs(), digits)),
    }
}

/// A number with so many significant digits, without zeros behind.
pub fn significant(x: f64, digits: usize) -> String {
    if x == 0.0 {
        return "0".into();
    }
    let power = x.abs().log10().floor() as i32;
    if !(-5..9).contains(&power) {
        return format!("{x:.*e}", digits.saturating_sub(1));
    }
    let behind = (digits as i32 - 1 - power).max(0) as usize;
    let text = format!("{x:.behind$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complex_numbers() {
        let c = |re, im| c64::new(re, im);
        assert_eq!(parse_poles("-10+1i, -10-1i,-3").unwrap(), [c(-10.0, 1.0), c(-10.0, -1.0), c(-3.0, 0.0)]);
        assert_eq!(parse_poles("i,-j,-2i").unwrap(), [c(0.0, 1.0), c(0.0, -1.0), c(0.0, -2.0)]);
        assert_eq!(parse_poles("-1e-3+2E+1i").unwrap(), [c(-1e-3, 20.0)]);
        for bad in ["", "a", "1+", "1+2", "--1", "1i2"] {
            assert!(parse_poles(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn ranges() {
        let range = parse_range("theta=-pi..2*pi").unwrap();
        assert!((range.low + std::f64::consts::PI).abs() < 1e-15 && range.high > 6.0);
        assert_eq!(parse_range("x = -2..2").unwrap(), NamedRange { name: "x".into(), low: -2.0, high: 2.0 });
        for bad in ["x", "x=1", "x=2..1", "=1..2", "x=a..2"] {
            assert!(parse_range(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn digits() {
        assert_eq!(significant(-133.9795918, 6), "-133.98");
        assert_eq!(significant(1.5e-9, 3), "1.50e-9");
        assert_eq!(complex(c64::new(-0.5, -1.25), 4), "-0.5 - 1.25i");
    }
}
