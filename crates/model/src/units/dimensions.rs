//! Dimensions: exponents of the base units.

use std::fmt;

/// Parts of an exponent, so that roots up to the fourth and the sixth have exponents too.
const PARTS: i16 = 12;

/// Exponents of metre, kilogram, second, ampere and kelvin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Dimensions([i16; 5]);

/// Names of dimensions, those that are preferred first.
const NAMED: &[(&str, [i16; 5])] = &[
    ("1", [0, 0, 0, 0, 0]),
    ("m", [1, 0, 0, 0, 0]),
    ("kg", [0, 1, 0, 0, 0]),
    ("s", [0, 0, 1, 0, 0]),
    ("A", [0, 0, 0, 1, 0]),
    ("K", [0, 0, 0, 0, 1]),
    ("m/s", [1, 0, -1, 0, 0]),
    ("m³/s", [3, 0, -1, 0, 0]),
    ("1/s", [0, 0, -1, 0, 0]),
    ("N", [1, 1, -2, 0, 0]),
    ("J", [2, 1, -2, 0, 0]),
    ("W", [2, 1, -3, 0, 0]),
    ("C", [0, 0, 1, 1, 0]),
    ("V", [2, 1, -3, -1, 0]),
    ("1/V", [-2, -1, 3, 1, 0]),
    ("ohm", [2, 1, -3, -2, 0]),
    ("F", [-2, -1, 4, 2, 0]),
    ("H", [2, 1, -2, -2, 0]),
    ("V·s", [2, 1, -2, -1, 0]),
    ("Pa", [-1, 1, -2, 0, 0]),
    ("Pa·s/m³", [-4, 1, -1, 0, 0]),
    ("m³/Pa", [4, -1, 2, 0, 0]),
    ("J/K", [2, 1, -2, 0, -1]),
    ("W/K", [2, 1, -3, 0, -1]),
    ("K/W", [-2, -1, 3, 0, 1]),
    ("N/m", [0, 1, -2, 0, 0]),
    ("N·s/m", [0, 1, -1, 0, 0]),
    ("kg·m²", [2, 1, 0, 0, 0]),
];

impl Dimensions {
    /// Of a pure number.
    pub const NONE: Dimensions = Dimensions([0; 5]);

    /// Joules.
    pub const ENERGY: Dimensions = Dimensions([2 * PARTS, PARTS, -2 * PARTS, 0, 0]);

    /// Watts.
    pub const POWER: Dimensions = Dimensions([2 * PARTS, PARTS, -3 * PARTS, 0, 0]);

    /// Seconds.
    pub const TIME: Dimensions = Dimensions([0, 0, PARTS, 0, 0]);

    /// Whole exponents of m, kg, s, A, K.
    pub fn whole(exponents: [i16; 5]) -> Self {
        Dimensions(exponents.map(|e| e * PARTS))
    }

    /// Of a product.
    pub fn times(self, other: Self) -> Self {
        Dimensions(std::array::from_fn(|k| self.0[k].saturating_add(other.0[k])))
    }

    /// Of a quotient.
    pub fn over(self, other: Self) -> Self {
        Dimensions(std::array::from_fn(|k| self.0[k].saturating_sub(other.0[k])))
    }

    /// Of a power.
    pub fn power(self, exponent: i16) -> Self {
        Dimensions(self.0.map(|e| e.saturating_mul(exponent)))
    }

    /// Of a power with any exponent; `None` if the result has no exponents that can be written.
    pub fn real_power(self, exponent: f64) -> Option<Self> {
        let scaled = self.0.map(|e| f64::from(e) * exponent);
        let good = scaled.iter().all(|e| (e - e.round()).abs() < 1e-6 && e.abs() < 10_000.0);
        good.then(|| Dimensions(scaled.map(|e| e.round() as i16)))
    }
}

/// As a unit: a named one, or a product of base units.
impl fmt::Display for Dimensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, _)) = NAMED.iter().find(|(_, exponents)| Dimensions::whole(*exponents) == *self) {
            return f.write_str(name);
        }
        let mut first = true;
        for (name, exponent) in ["kg", "m", "s", "A", "K"].iter().zip([1, 0, 2, 3, 4].map(|k| self.0[k])) {
            if exponent == 0 {
                continue;
            }
            let dot = if first { "" } else { "·" };
            first = false;
            match (exponent % PARTS == 0, exponent / PARTS) {
                (true, 1) => write!(f, "{dot}{name}")?,
                (true, whole) => write!(f, "{dot}{name}^{whole}")?,
                (false, _) => write!(f, "{dot}{name}^({exponent}/{PARTS})")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_dimensions() {
        assert_eq!(Dimensions::ENERGY.to_string(), "J");
        assert_eq!(Dimensions::ENERGY.over(Dimensions::TIME), Dimensions::POWER);
        assert_eq!(Dimensions::whole([2, 1, -2, 0, 0]), Dimensions::ENERGY);
        assert_eq!(Dimensions::whole([2, 0, 0, 0, 0]).to_string(), "m^2");
        assert_eq!(Dimensions::whole([1, 1, 0, 0, -1]).to_string(), "kg·m·K^-1");
        let root = Dimensions::whole([1, 0, 0, 0, 0]).real_power(0.5);
        assert_eq!(root.map(|d| d.to_string()), Some("m^(6/12)".into()));
        assert_eq!(root.and_then(|d| d.real_power(2.0)), Some(Dimensions::whole([1, 0, 0, 0, 0])));
        assert_eq!(Dimensions::TIME.real_power(0.123), None);
    }
}
