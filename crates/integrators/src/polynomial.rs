//! Roots of small characteristic polynomials.

use poinsot_numerics::dense::c64;

/// Newton's iteration from outside the extreme root is monotone and ends long before.
const MOST_ITERATIONS: usize = 200;

/// Roots of p₃x³ + p₂x² + p₁x + p₀, p₃ ≠ 0.
///
/// The extreme real root is found first, by a monotone Newton iteration from outside (W. Kahan, "To Solve a
/// Real Cubic Equation", 1986); the quadratic left over is deflated from the end that loses no digits. The
/// modulus of a complex pair is then as accurate as the coefficients, however close to each other the pair
/// is.
pub(crate) fn cubic_roots([p3, p2, p1, p0]: [f64; 4]) -> [c64; 3] {
    let (b, c, d) = (p2 / p3, p1 / p3, p0 / p3);
    // A root 0 is known exactly.
    let x = if d == 0.0 { 0.0 } else { extreme_root(b, c, d) };
    let (sum, product) = if x.abs().powi(3) > d.abs() {
        let product = -d / x;
        ((product - c) / x, product)
    } else {
        (x + b, (x + b) * x + c)
    };
    let [y, z] = quadratic_roots([1.0, sum, product]);
    [c64::new(x, 0.0), y, z]
}

/// The real root of x³ + bx² + cx + d that lies farthest on its side of the point of inflection.
fn extreme_root(b: f64, c: f64, d: f64) -> f64 {
    let evaluate = |x: f64| {
        let (b1, c1) = (x + b, (x + b) * x + c);
        (c1 * x + d, (x + b1) * x + c1)
    };
    let mut x = -b / 3.0;
    let (value, slope) = evaluate(x);
    let side = value.signum();
    let mut reach = value.abs().cbrt();
    if slope < 0.0 {
        // The real root of t³ = t + 1 bounds how far out the root can lie.
        reach = 1.324_718 * reach.max((-slope).sqrt());
    }
    let mut next = x - side * reach;
    for _ in 0..MOST_ITERATIONS {
        if next == x {
            break;
        }
        x = next;
        let (value, slope) = evaluate(x);
        next = if slope == 0.0 { x } else { x - value / slope };
        if side * next <= side * x || !next.is_finite() {
            break;
        }
    }
    x
}

/// Roots of p₂x² + p₁x + p₀, p₂ ≠ 0, with real coefficients.
pub(crate) fn quadratic_roots([p2, p1, p0]: [f64; 3]) -> [c64; 2] {
    let discriminant = p1 * p1 - 4.0 * p2 * p0;
    if discriminant < 0.0 {
        let root = c64::new(-0.5 * p1 / p2, 0.5 * (-discriminant).sqrt() / p2.abs());
        return [root, root.conj()];
    }
    let q = -0.5 * (p1 + discriminant.sqrt().copysign(p1));
    if q == 0.0 {
        return [c64::new(0.0, 0.0); 2];
    }
    [c64::new(q / p2, 0.0), c64::new(p0 / q, 0.0)]
}

/// Roots of p₂x² + p₁x + p₀, p₂ ≠ 0, with complex coefficients.
pub(crate) fn complex_quadratic_roots([p2, p1, p0]: [c64; 3]) -> [c64; 2] {
    let mut root = (p1 * p1 - p2 * p0 * 4.0).sqrt();
    if (p1.conj() * root).re < 0.0 {
        root = -root;
    }
    let q = (p1 + root) * -0.5;
    if q.norm() == 0.0 {
        return [c64::new(0.0, 0.0); 2];
    }
    [q / p2, p0 / q]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Coefficients of (x−r)(x²−2 re x + |z|²).
    fn expand(r: f64, z: c64) -> [f64; 4] {
        let (s, p) = (-2.0 * z.re, z.norm_sqr());
        [1.0, s - r, p - r * s, -r * p]
    }

    #[test]
    fn cubic_with_a_pair() {
        for (r, z) in [(0.3, c64::new(-0.2, 0.9)), (-1.0, c64::new(0.99, 1e-5)), (0.0, c64::new(0.5, 2.0))] {
            let roots = cubic_roots(expand(r, z));
            assert!((roots[0].re - r).abs() < 1e-14, "{roots:?}");
            let pair = roots.iter().find(|x| x.im > 0.0).unwrap();
            assert!((pair.norm() - z.norm()).abs() < 1e-15, "{roots:?}");
            assert!((pair - z).norm() < 1e-10, "{roots:?}");
        }
    }

    #[test]
    fn cubic_with_real_roots() {
        // (x+1)(x+0.5)(x−2) and the triple root of (x+1)³.
        let mut roots = cubic_roots([2.0, -1.0, -5.0, -2.0]).map(|x| x.re);
        roots.sort_by(f64::total_cmp);
        for (got, expected) in roots.iter().zip([-1.0, -0.5, 2.0]) {
            assert!((got - expected).abs() < 1e-14, "{roots:?}");
        }
        assert_eq!(cubic_roots([1.0, 3.0, 3.0, 1.0]), [c64::new(-1.0, 0.0); 3]);
        assert_eq!(cubic_roots([1.0, 0.0, 0.0, 0.0]), [c64::new(0.0, 0.0); 3]);
    }

    #[test]
    fn quadratics_do_not_cancel() {
        let [a, b] = quadratic_roots([1.0, 1e8, 1.0]);
        assert!((a.re + 1e8).abs() < 1e-7 && (b.re + 1e-8).abs() < 1e-23);
        let (p, q) = (c64::new(1e-9, 2e-9), c64::new(3.0, -4.0));
        let roots = complex_quadratic_roots([c64::new(1.0, 0.0), -(p + q), p * q]);
        assert!((roots[0] - q).norm() < 1e-14 && (roots[1] - p).norm() < 1e-23, "{roots:?}");
    }
}
