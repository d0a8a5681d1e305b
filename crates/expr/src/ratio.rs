//! Numeric factors as fractions.

/// Whole numbers up to here are exact.
const WHOLE: f64 = 9_007_199_254_740_992.0;

/// Binary digits after the point that a literal may have to count as a fraction, as 0.375 = 3/8 does.
const DIGITS: f64 = 1_048_576.0;

/// Denominators of a power of two that are written as such, as x/2; others become decimals.
const SMALL: f64 = 64.0;

/// A numeric factor p/q with q > 0. Whole p and q have no common divisor, so that sums of fractions are
/// exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ratio {
    p: f64,
    q: f64,
}

impl Ratio {
    pub const ONE: Ratio = Ratio { p: 1.0, q: 1.0 };

    /// The fraction that a finite literal is.
    pub fn of(value: f64) -> Self {
        let scaled = value * DIGITS;
        if is_whole(scaled) { lowest(scaled, DIGITS) } else { Ratio { p: value, q: 1.0 } }
    }

    /// None if the value is not finite, or is 0 because it is too small.
    fn new(p: f64, q: f64) -> Option<Self> {
        let (p, q) = if q < 0.0 { (-p, -q) } else { (p, q) };
        let value = p / q;
        if !(value.is_finite() && p.is_finite() && q.is_finite()) || (value == 0.0 && p != 0.0) {
            return None;
        }
        Some(if p == 0.0 || p.abs() == q || (is_whole(p) && is_whole(q)) {
            lowest(p, q)
        } else {
            Ratio { p, q }
        })
    }

    pub fn times(self, other: Self) -> Option<Self> {
        let product = Self::new(self.p * other.p, self.q * other.q)?;
        (product.is_zero() == (self.is_zero() || other.is_zero())).then_some(product)
    }

    pub fn inverse(self) -> Option<Self> {
        if self.is_zero() { None } else { Self::new(self.q, self.p) }
    }

    pub fn plus(self, other: Self) -> Option<Self> {
        if self.q == other.q {
            return Self::new(self.p + other.p, self.q);
        }
        let (a, b, q) = (self.p * other.q, other.p * self.q, self.q * other.q);
        if [a, b, a + b, q].into_iter().all(is_whole) {
            return Self::new(a + b, q);
        }
        Self::new(self.value() + other.value(), 1.0)
    }

    pub fn negative(self) -> Self {
        Ratio { p: -self.p, q: self.q }
    }

    pub fn value(self) -> f64 {
        self.p / self.q
    }

    pub fn is_zero(self) -> bool {
        self.p == 0.0
    }

    pub fn is_negative(self) -> bool {
        self.p < 0.0
    }

    /// Whether the value is a whole number.
    pub fn is_integer(self) -> bool {
        self.q == 1.0 && is_whole(self.p)
    }

    /// |p| and q as they are written before factors: 1/2 and 2/3, but 1.5.
    pub fn parts(self) -> (f64, f64) {
        if self.p.abs() == 1.0 && self.q <= SMALL { (1.0, self.q) } else { self.number_parts() }
    }

    /// |p| and q as they are written alone: 2/3, but 0.5.
    pub fn number_parts(self) -> (f64, f64) {
        let (p, q) = (self.p.abs(), self.q);
        let is_power_of_two = is_whole(q) && (q as u64).is_power_of_two();
        if is_power_of_two { (p / q, 1.0) } else { (p, q) }
    }
}

fn is_whole(x: f64) -> bool {
    x.abs() <= WHOLE && x == x.trunc()
}

/// The fraction of p and q > 0 in lowest terms, as far as they are whole.
fn lowest(p: f64, q: f64) -> Ratio {
    if p == 0.0 {
        return Ratio { p: 0.0, q: 1.0 };
    }
    if p.abs() == q {
        return Ratio { p: p.signum(), q: 1.0 };
    }
    let (mut a, mut b) = (p.abs() as u64, q as u64);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    Ratio { p: p / a as f64, q: q / a as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_exact() {
        let third = Ratio::of(3.0).inverse().unwrap();
        let sum = third.plus(third).unwrap();
        assert_eq!(sum.parts(), (2.0, 3.0));
        assert_eq!(sum.plus(third), Some(Ratio::ONE));
        assert_eq!(sum.plus(Ratio::of(0.25)).unwrap().parts(), (11.0, 12.0));
        assert_eq!(Ratio::of(0.5).parts(), (1.0, 2.0));
        assert_eq!(Ratio::of(-1.5).parts(), (1.5, 1.0));
        assert_eq!(Ratio::of(0.1).parts(), (0.1, 1.0));
        assert_eq!(Ratio::of(9.81).inverse().unwrap().times(Ratio::of(9.81)), Some(Ratio::ONE));
        assert_eq!(Ratio::of(1e200).times(Ratio::of(1e200)), None);
        assert_eq!(Ratio::of(1e-200).times(Ratio::of(1e-200)), None);
        assert!(Ratio::of(0.0).inverse().is_none() && third.plus(third.negative()).unwrap().is_zero());
    }
}
