//! How a method treats an oscillation: growth, period, damping, largest stable step.
//!
//! Test equations are ẍ + 2ξωẋ + ω²x = 0 with Ω = ωh, and ẏ = λy with z = λh. A step multiplies its solutions
//! by the roots ζ of the method.

use poinsot_numerics::dense::c64;

/// Growth per step that counts as rounding, not as instability.
const ROUNDING: f64 = 1e-12;

/// Growth that a true loss of stability has reached a tenth beyond the limit. Less is the creeping
/// instability of a method that grows at every step, as Ω⁴, and only stands out of the rounding from there
/// on.
const DECIDED: f64 = 1e-9;

/// Smallest and largest step at which stability is looked at, and the ratio of neighbours.
const SCAN: (f64, f64, f64) = (1e-3, 1e6, 1.02);

/// A method, seen through the roots of its step.
pub trait Amplification {
    /// Roots of a step on ẍ + 2ξωẋ + ω²x = 0 with Ω = ωh.
    fn roots(&self, omega: f64, xi: f64) -> Vec<c64>;

    /// Roots of a step on ẏ = λy with z = λh.
    fn first_order_roots(&self, z: c64) -> Vec<c64>;

    /// Largest modulus of a root: the growth per step.
    fn spectral_radius(&self, omega: f64, xi: f64) -> f64 {
        largest(&self.roots(omega, xi))
    }

    /// The principal root, in the upper half plane; none where the oscillation has turned into real roots.
    fn principal_root(&self, omega: f64, xi: f64) -> Option<c64> {
        let roots = self.roots(omega, xi).into_iter().filter(|r| r.im > 0.0);
        roots.max_by(|a, b| a.norm().total_cmp(&b.norm()))
    }

    /// Relative period elongation, Ω√(1−ξ²)/arg ζ − 1.
    fn period_elongation(&self, omega: f64, xi: f64) -> Option<f64> {
        let root = self.principal_root(omega, xi).filter(|_| xi < 1.0)?;
        Some(omega * (1.0 - xi * xi).sqrt() / root.arg() - 1.0)
    }

    /// Numerical damping ratio, −ln|ζ|/arg ζ less the share ξ/√(1−ξ²) of the equation itself.
    fn numerical_damping(&self, omega: f64, xi: f64) -> Option<f64> {
        let root = self.principal_root(omega, xi).filter(|_| xi < 1.0)?;
        Some(-root.norm().ln() / root.arg() - xi / (1.0 - xi * xi).sqrt())
    }

    /// Largest Ω up to which no root leaves the unit disc: infinite if none ever does, 0 if a root is outside
    /// however small Ω is.
    fn stability_limit(&self, xi: f64) -> f64 {
        limit(|omega| self.spectral_radius(omega, xi))
    }

    /// Largest |λ|h on the negative real axis up to which ẏ = λy does not grow.
    fn real_axis_limit(&self) -> f64 {
        limit(|z| largest(&self.first_order_roots(c64::new(-z, 0.0))))
    }

    /// Largest |λ|h on the imaginary axis up to which ẏ = λy does not grow.
    fn imaginary_axis_limit(&self) -> f64 {
        limit(|z| largest(&self.first_order_roots(c64::new(0.0, z))))
    }
}

/// A one-step method with the stability function R(z): y⁺ = R(λh) y (lagrangian-dae-modeling §1.20 … §1.22).
#[derive(Clone, Copy, Debug)]
pub struct StabilityFunction<F>(pub F);

impl<F: Fn(c64) -> c64> Amplification for StabilityFunction<F> {
    /// The equation of second order has λh = Ω(−ξ ± i√(1−ξ²)).
    fn roots(&self, omega: f64, xi: f64) -> Vec<c64> {
        let turning = c64::new(1.0 - xi * xi, 0.0).sqrt() * c64::new(0.0, omega);
        let decay = c64::new(-xi * omega, 0.0);
        vec![(self.0)(decay + turning), (self.0)(decay - turning)]
    }

    fn first_order_roots(&self, z: c64) -> Vec<c64> {
        vec![(self.0)(z)]
    }
}

/// Largest modulus; infinite where a root is not a number.
fn largest(roots: &[c64]) -> f64 {
    roots.iter().map(|r| r.norm()).fold(0.0, |m, r| if r.is_nan() { f64::INFINITY } else { m.max(r) })
}

/// The step at which a spectral radius first exceeds 1, by scanning and bisection.
pub(crate) fn limit(radius: impl Fn(f64) -> f64) -> f64 {
    let stable = |x: f64| radius(x) <= 1.0 + ROUNDING;
    let (first, last, ratio) = SCAN;
    let mut low = first;
    if !stable(low) {
        return 0.0;
    }
    while stable(low * ratio) {
        low *= ratio;
        if low > last {
            return f64::INFINITY;
        }
    }
    let mut high = low * ratio;
    while high - low > 4.0 * f64::EPSILON * high {
        let middle = 0.5 * (low + high);
        if stable(middle) { low = middle } else { high = middle }
    }
    if radius(1.1 * high) < 1.0 + DECIDED { 0.0 } else { low }
}
