//! Gauss–Legendre quadrature on [−1, 1].

/// Points x_i and weights w_i with ∫₋₁¹ f(x) dx ≈ Σ w_i f(x_i), exact for
/// polynomials of degree 2n − 1. Points ascend.
///
/// The points are the zeros of the Legendre polynomial P_n, found by Newton's
/// method from x ≈ cos π(i + 3/4)/(n + 1/2), and
///
/// ```text
/// w_i = 2 / ((1 − x_i²) P_n'(x_i)²)
/// ```
pub fn gauss_legendre(n: usize) -> (Vec<f64>, Vec<f64>) {
    let mut points = vec![0.0; n];
    let mut weights = vec![0.0; n];
    for i in 0..n.div_ceil(2) {
        let mut x = (std::f64::consts::PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos();
        if 2 * i + 1 == n {
            x = 0.0;
        }
        // Quadratic convergence: the start is good to O(n⁻⁴).
        for _ in 0..20 {
            let (p, slope) = legendre(n, x);
            let step = p / slope;
            x -= step;
            if step.abs() <= 2e-16 {
                break;
            }
        }
        let (_, slope) = legendre(n, x);
        let weight = 2.0 / ((1.0 - x * x) * slope * slope);
        (points[i], points[n - 1 - i]) = (-x, x);
        (weights[i], weights[n - 1 - i]) = (weight, weight);
    }
    (points, weights)
}

/// P_n(x) and its derivative for |x| < 1, from
/// k P_k = (2k−1) x P_{k−1} − (k−1) P_{k−2} and
/// (x² − 1) P_n' = n (x P_n − P_{n−1}).
fn legendre(n: usize, x: f64) -> (f64, f64) {
    let (mut before, mut p) = (0.0, 1.0);
    for k in 1..=n {
        let k = k as f64;
        (before, p) = (p, ((2.0 * k - 1.0) * x * p - (k - 1.0) * before) / k);
    }
    (p, n as f64 * (x * p - before) / (x * x - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integrates_monomials_exactly() {
        for n in 1..=40 {
            let (x, w) = gauss_legendre(n);
            for degree in 0..2 * n as i32 {
                let sum: f64 = x.iter().zip(&w).map(|(x, w)| w * x.powi(degree)).sum();
                let exact = if degree % 2 == 0 { 2.0 / (degree + 1) as f64 } else { 0.0 };
                assert!((sum - exact).abs() < 1e-14, "n = {n}, degree {degree}: {sum}");
            }
            assert!(x.windows(2).all(|p| p[0] < p[1]));
        }
    }

    #[test]
    fn knows_the_three_point_rule() {
        let (x, w) = gauss_legendre(3);
        assert!((x[2] - 0.6f64.sqrt()).abs() < 1e-16 && x[1] == 0.0);
        assert!((w[0] - 5.0 / 9.0).abs() < 1e-15 && (w[1] - 8.0 / 9.0).abs() < 1e-15);
        assert!(gauss_legendre(0).0.is_empty());
    }
}
