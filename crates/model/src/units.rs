//! Units of measurement: `4.7 [kohm]`, `12 [N·m/rad]`.
//!
//! A unit is a factor, for temperatures also an offset, and [`Dimensions`]: exponents of metre, kilogram,
//! second, ampere and kelvin. The radian is 1. Values are turned into SI units where they are read.

mod dimensions;
mod inference;

pub use dimensions::Dimensions;
pub use inference::{DimensionError, Measure, dimensions_of};

use poinsot_expr::suggest;

/// A unit of measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    /// As written.
    pub text: String,
    /// SI units in one of these.
    pub factor: f64,
    /// What is added after multiplication; not zero only for `degC` and `degF`.
    pub offset: f64,
    /// Its dimensions.
    pub dimensions: Dimensions,
}

/// Why a text is no unit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    /// A symbol that stands for no unit.
    #[error("unknown unit `{symbol}`")]
    Unknown {
        /// The symbol.
        symbol: String,
        /// A unit that may be meant.
        suggestion: Option<String>,
    },
    /// Something that is not written as units are.
    #[error("`{0}` is not a unit: write e.g. `kohm`, `N*m` or `m/s^2`")]
    Malformed(String),
    /// A temperature scale in a product.
    #[error("`{0}` has a zero of its own and cannot be part of a product: write differences in K")]
    Offset(String),
}

/// A symbol: factor, exponents of m, kg, s, A, K, and whether it takes prefixes.
type Symbol = (&'static str, f64, [i16; 5], bool);

/// The symbols of units.
const SYMBOLS: &[Symbol] = &[
    ("1", 1.0, [0, 0, 0, 0, 0], false),
    ("m", 1.0, [1, 0, 0, 0, 0], true),
    ("g", 1e-3, [0, 1, 0, 0, 0], true),
    ("s", 1.0, [0, 0, 1, 0, 0], true),
    ("A", 1.0, [0, 0, 0, 1, 0], true),
    ("K", 1.0, [0, 0, 0, 0, 1], true),
    ("rad", 1.0, [0, 0, 0, 0, 0], true),
    ("deg", std::f64::consts::PI / 180.0, [0, 0, 0, 0, 0], false),
    ("rev", std::f64::consts::TAU, [0, 0, 0, 0, 0], false),
    ("rpm", std::f64::consts::TAU / 60.0, [0, 0, -1, 0, 0], false),
    ("Hz", 1.0, [0, 0, -1, 0, 0], true),
    ("N", 1.0, [1, 1, -2, 0, 0], true),
    ("Pa", 1.0, [-1, 1, -2, 0, 0], true),
    ("bar", 1e5, [-1, 1, -2, 0, 0], true),
    ("atm", 101_325.0, [-1, 1, -2, 0, 0], false),
    ("psi", 6_894.757_293_168_361, [-1, 1, -2, 0, 0], false),
    ("J", 1.0, [2, 1, -2, 0, 0], true),
    ("W", 1.0, [2, 1, -3, 0, 0], true),
    ("Wh", 3600.0, [2, 1, -2, 0, 0], true),
    ("C", 1.0, [0, 0, 1, 1, 0], true),
    ("Ah", 3600.0, [0, 0, 1, 1, 0], true),
    ("V", 1.0, [2, 1, -3, -1, 0], true),
    ("ohm", 1.0, [2, 1, -3, -2, 0], true),
    ("Ohm", 1.0, [2, 1, -3, -2, 0], true),
    ("Ω", 1.0, [2, 1, -3, -2, 0], true),
    ("S", 1.0, [-2, -1, 3, 2, 0], true),
    ("F", 1.0, [-2, -1, 4, 2, 0], true),
    ("H", 1.0, [2, 1, -2, -2, 0], true),
    ("Wb", 1.0, [2, 1, -2, -1, 0], true),
    ("T", 1.0, [0, 1, -2, -1, 0], true),
    ("min", 60.0, [0, 0, 1, 0, 0], false),
    ("h", 3600.0, [0, 0, 1, 0, 0], false),
    ("l", 1e-3, [3, 0, 0, 0, 0], true),
    ("L", 1e-3, [3, 0, 0, 0, 0], true),
    ("t", 1e3, [0, 1, 0, 0, 0], false),
    ("in", 0.0254, [1, 0, 0, 0, 0], false),
    ("ft", 0.3048, [1, 0, 0, 0, 0], false),
    ("lb", 0.453_592_37, [0, 1, 0, 0, 0], false),
    ("lbf", 4.448_221_615_260_5, [1, 1, -2, 0, 0], false),
];

/// Temperatures with a zero of their own.
const SCALES: &[(&str, f64, f64)] =
    &[("degC", 1.0, 273.15), ("°C", 1.0, 273.15), ("degF", 5.0 / 9.0, 459.67 * 5.0 / 9.0)];

/// Prefixes of powers of ten.
const PREFIXES: &[(&str, f64)] = &[
    ("f", 1e-15),
    ("p", 1e-12),
    ("n", 1e-9),
    ("u", 1e-6),
    ("µ", 1e-6),
    ("μ", 1e-6),
    ("m", 1e-3),
    ("c", 1e-2),
    ("d", 1e-1),
    ("h", 1e2),
    ("k", 1e3),
    ("M", 1e6),
    ("G", 1e9),
    ("T", 1e12),
];

/// Greatest exponent of a symbol.
const MOST: i16 = 9;

impl Unit {
    /// Reads a unit: symbols with prefixes and powers, joined by `*` or `·`, with `/` before each that
    /// divides, and parentheses.
    ///
    /// ```
    /// use poinsot_model::units::Unit;
    /// let unit = Unit::parse("kN*m/deg").unwrap();
    /// assert!((unit.factor - 180e3/std::f64::consts::PI).abs() < 1e-8);
    /// assert_eq!(unit.dimensions, Unit::parse("J").unwrap().dimensions);
    /// ```
    pub fn parse(text: &str) -> Result<Self, UnitError> {
        let text = text.trim();
        if let Some((_, factor, offset)) = SCALES.iter().find(|(name, ..)| *name == text) {
            let dimensions = Dimensions::whole([0, 0, 0, 0, 1]);
            return Ok(Unit { text: text.to_owned(), factor: *factor, offset: *offset, dimensions });
        }
        let mut reader = Reader { text, rest: text };
        let (factor, dimensions) = reader.product(0)?;
        if !reader.rest.is_empty() {
            return Err(reader.malformed());
        }
        Ok(Unit { text: text.to_owned(), factor, offset: 0.0, dimensions })
    }

    /// The value in SI units.
    pub fn to_si(&self, value: f64) -> f64 {
        value * self.factor + self.offset
    }
}

/// The rest of a unit that is being read.
struct Reader<'a> {
    text: &'a str,
    rest: &'a str,
}

impl Reader<'_> {
    fn malformed(&self) -> UnitError {
        UnitError::Malformed(self.text.to_owned())
    }

    /// Takes one of some characters.
    fn take(&mut self, wanted: &[char]) -> Option<char> {
        let trimmed = self.rest.trim_start();
        let first = trimmed.chars().next().filter(|c| wanted.contains(c))?;
        self.rest = trimmed[first.len_utf8()..].trim_start();
        Some(first)
    }

    fn product(&mut self, depth: usize) -> Result<(f64, Dimensions), UnitError> {
        let (mut factor, mut dimensions) = self.power(depth)?;
        while let Some(operator) = self.take(&['*', '·', '⋅', '/']) {
            let (by, of) = self.power(depth)?;
            (factor, dimensions) = match operator {
                '/' => (factor / by, dimensions.over(of)),
                _ => (factor * by, dimensions.times(of)),
            };
        }
        Ok((factor, dimensions))
    }

    /// A symbol or a product in parentheses, with its exponent.
    fn power(&mut self, depth: usize) -> Result<(f64, Dimensions), UnitError> {
        let (factor, dimensions) = if self.take(&['(']).is_some() {
            let inner = if depth < 8 { self.product(depth + 1)? } else { return Err(self.malformed()) };
            self.take(&[')']).ok_or_else(|| self.malformed())?;
            inner
        } else {
            let end = self
                .rest
                .find(|c: char| !(c.is_alphabetic() || c == '°' || c == '1'))
                .unwrap_or(self.rest.len());
            let (name, rest) = self.rest.split_at(end);
            let found = symbol(name, self.text)?;
            self.rest = rest;
            found
        };
        let exponent = self.exponent()?;
        Ok((factor.powi(exponent.into()), dimensions.power(exponent)))
    }

    /// `^2`, `^-1`, `²`.
    fn exponent(&mut self) -> Result<i16, UnitError> {
        for (sign, value) in [('²', 2), ('³', 3), ('⁴', 4)] {
            if self.rest.starts_with(sign) {
                self.rest = &self.rest[sign.len_utf8()..];
                return Ok(value);
            }
        }
        if self.take(&['^']).is_none() {
            return Ok(1);
        }
        let negative = self.take(&['-']).is_some();
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let value: i16 = self.rest[..end].parse().map_err(|_| self.malformed())?;
        self.rest = &self.rest[end..];
        if value > MOST {
            return Err(self.malformed());
        }
        Ok(if negative { -value } else { value })
    }
}

/// A symbol, perhaps with a prefix.
fn symbol(name: &str, whole: &str) -> Result<(f64, Dimensions), UnitError> {
    if name.is_empty() {
        return Err(UnitError::Malformed(whole.to_owned()));
    }
    if SCALES.iter().any(|(scale, ..)| *scale == name) {
        return Err(UnitError::Offset(name.to_owned()));
    }
    let exact = |name: &str| SYMBOLS.iter().find(|(symbol, ..)| *symbol == name);
    if let Some((_, factor, exponents, _)) = exact(name) {
        return Ok((*factor, Dimensions::whole(*exponents)));
    }
    for (prefix, scale) in PREFIXES {
        let Some(rest) = name.strip_prefix(prefix) else { continue };
        if let Some((_, factor, exponents, true)) = exact(rest) {
            return Ok((scale * factor, Dimensions::whole(*exponents)));
        }
    }
    let usual = [
        "ohm", "kohm", "mm", "cm", "km", "kg", "ms", "mA", "mH", "uF", "nF", "kPa", "MPa", "kN", "kW", "mV",
        "kV",
    ];
    let known = SYMBOLS.iter().map(|(symbol, ..)| *symbol).chain(usual).chain(["degC"]);
    Err(UnitError::Unknown { symbol: name.to_owned(), suggestion: suggest(name, known) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use poinsot_mechanics::Discipline;

    fn factor(text: &str) -> f64 {
        Unit::parse(text).unwrap().factor
    }

    fn same(a: &str, b: &str) {
        assert_eq!(Unit::parse(a).unwrap().dimensions, Unit::parse(b).unwrap().dimensions, "{a} and {b}");
    }

    /// lagrangian-dae-modeling F002.
    #[test]
    fn effort_times_flow_is_watts_in_every_discipline() {
        let watt = Unit::parse("W").unwrap().dimensions;
        for discipline in Discipline::ALL {
            let unit = |text: &str| Unit::parse(text).unwrap();
            let (e, f) = (unit(discipline.effort().unit), unit(discipline.flow().unit));
            assert_eq!(e.dimensions.times(f.dimensions), watt, "{discipline:?}");
            assert_eq!((e.factor, f.factor), (1.0, 1.0));
            let q = unit(discipline.displacement().unit).dimensions;
            assert_eq!(q.over(unit("s").dimensions), f.dimensions);
            if let Some(p) = discipline.momentum() {
                assert_eq!(unit(p.unit).dimensions.over(unit("s").dimensions), e.dimensions);
            }
        }
    }

    #[test]
    fn factors() {
        for (text, want) in [
            ("kohm", 1e3),
            ("mm", 1e-3),
            ("m", 1.0),
            ("ms", 1e-3),
            ("min", 60.0),
            ("uF", 1e-6),
            ("µF", 1e-6),
            ("l/min", 1e-3 / 60.0),
            ("bar", 1e5),
            ("kg", 1.0),
            ("g", 1e-3),
            ("km/h", 1e3 / 3600.0),
            ("cm^2", 1e-4),
            ("mm²", 1e-6),
            ("rpm", std::f64::consts::TAU / 60.0),
            ("W/(m*K)", 1.0),
            ("1/ms", 1e3),
            ("s^-1", 1.0),
            ("MPa", 1e6),
            ("Nm", f64::NAN),
        ] {
            if want.is_nan() {
                assert!(Unit::parse(text).is_err());
            } else {
                assert!((factor(text) - want).abs() <= 1e-15 * want, "{text}: {}", factor(text));
            }
        }
        assert!((Unit::parse("degC").unwrap().to_si(20.0) - 293.15).abs() < 1e-12);
        assert!((Unit::parse("degF").unwrap().to_si(212.0) - 373.15).abs() < 1e-10);
    }

    #[test]
    fn dimensions_agree() {
        same("N*m", "J");
        same("V*A", "W");
        same("ohm*F", "s");
        same("H/ohm", "s");
        same("Pa*m^3/s", "W");
        same("Wb", "V·s");
        same("N*m/rad", "J");
        same("T*m^2", "Wb");
        same("S", "1/ohm");
    }

    #[test]
    fn mistakes() {
        let error = Unit::parse("khm").unwrap_err();
        assert_eq!(error, UnitError::Unknown { symbol: "khm".into(), suggestion: Some("ohm".into()) });
        assert!(matches!(Unit::parse("m/"), Err(UnitError::Malformed(_))));
        assert!(matches!(Unit::parse("m s"), Err(UnitError::Malformed(_))));
        assert!(matches!(Unit::parse("(m"), Err(UnitError::Malformed(_))));
        assert!(matches!(Unit::parse("m^99"), Err(UnitError::Malformed(_))));
        assert!(matches!(Unit::parse(""), Err(UnitError::Malformed(_))));
        assert_eq!(Unit::parse("W/degC"), Err(UnitError::Offset("degC".into())));
        assert!(Unit::parse(&"(".repeat(10_000)).is_err());
    }
}
