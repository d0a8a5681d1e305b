//! Numbers as a person reads them.

/// The minus sign, which is as wide as a plus, unlike the hyphen.
pub(crate) const MINUS: char = '\u{2212}';

/// A number to `digits` significant digits: plain where that is short,
/// `1.23e-9` otherwise; trailing zeros are dropped.
pub fn short(value: f64, digits: usize) -> String {
    let (mantissa, exponent) = scientific(value, digits);
    if value == 0.0 {
        "0".into()
    } else if (-4..6).contains(&exponent) {
        let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
        without_trailing_zeros(&format!("{value:.decimals$}")).to_owned()
    } else {
        format!("{mantissa}e{exponent}")
    }
}

/// As [`short`], typeset: `−1.23×10⁻⁹`.
pub fn typeset(value: f64, digits: usize) -> String {
    let text = short(value, digits);
    match text.split_once('e') {
        Some((mantissa, exponent)) => {
            let exponent = exponent.parse().unwrap_or(0);
            format!("{}×10{}", with_minus(mantissa), superscript(exponent))
        }
        None => with_minus(&text),
    }
}

/// Mantissa as text and exponent of ten.
fn scientific(value: f64, digits: usize) -> (String, i32) {
    let text = format!("{value:.*e}", digits.saturating_sub(1));
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (without_trailing_zeros(mantissa).to_owned(), exponent.parse().unwrap_or(0))
}

fn without_trailing_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// The text with minus signs in place of hyphens.
pub fn with_minus(text: &str) -> String {
    text.replace('-', &MINUS.to_string())
}

/// An exponent in superscript figures.
pub fn superscript(exponent: i32) -> String {
    exponent.to_string().chars().map(raised).collect()
}

/// The superscript form of a digit or sign, other characters unchanged.
fn raised(c: char) -> char {
    match c {
        '-' => '⁻',
        '0' => '⁰',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4'..='9' => char::from_u32('⁰' as u32 + c as u32 - '0' as u32).unwrap_or(c),
        other => other,
    }
}

/// A unit typeset: `kg*m^2/s^2` becomes `kg·m²/s²`.
pub fn unit(plain: &str) -> String {
    let mut out = String::with_capacity(plain.len());
    let mut raising = false;
    for c in plain.chars() {
        raising = match c {
            '^' => true,
            '-' | '0'..='9' => raising,
            _ => false,
        };
        match c {
            '^' => {}
            '*' => out.push('·'),
            _ if raising => out.push(raised(c)),
            _ => out.push(c),
        }
    }
    out
}

/// A count with a thin gap between groups of three digits.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) && digits.len() > 4 {
            out.push(' ');
        }
        out.push(c);
    }
    out
}

/// A duration in the unit that suits it.
pub fn duration(seconds: f64) -> String {
    let size = seconds.abs();
    if size >= 120.0 {
        let whole = seconds.round();
        let (minutes, rest) = ((whole / 60.0).trunc(), whole % 60.0);
        format!("{minutes:.0} min {rest:.0} s")
    } else if size >= 1.0 || size == 0.0 {
        format!("{} s", short(seconds, 3))
    } else if size >= 1e-3 {
        format!("{} ms", short(seconds * 1e3, 3))
    } else {
        format!("{} µs", short(seconds * 1e6, 3))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(short(0.0, 4), "0");
        assert_eq!(short(12.3456, 4), "12.35");
        assert_eq!(short(-0.5, 4), "-0.5");
        assert_eq!(short(99999.9, 3), "100000");
        assert_eq!(short(1234567.0, 4), "1.235e6");
        assert_eq!(short(3.2e-9, 3), "3.2e-9");
        assert_eq!(typeset(-3.2e-12, 3), "−3.2×10⁻¹²");
        assert_eq!(typeset(-1.5, 3), "−1.5");
    }

    #[test]
    fn units_counts_and_durations() {
        assert_eq!(unit("kg*m^2/s^2"), "kg·m²/s²");
        assert_eq!(unit("m*s^-1"), "m·s⁻¹");
        assert_eq!(unit("H2O"), "H2O");
        assert_eq!(superscript(-146), "⁻¹⁴⁶");
        assert_eq!(count(1234), "1234");
        assert_eq!(count(12345), "12 345");
        assert_eq!(count(1234567), "1 234 567");
        assert_eq!(duration(0.0123), "12.3 ms");
        assert_eq!(duration(119.0), "119 s");
        assert_eq!(duration(3599.9), "60 min 0 s");
        assert_eq!(duration(2e-5), "20 µs");
    }
}
