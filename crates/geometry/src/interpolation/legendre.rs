//! Legendre and Radau polynomials on [−1, 1] (motion-interpolation-galerkin §1.22, B.2, B.18–B.21).

/// `(P_n, P_{n−1})` at `x`, from `(k+1) P_{k+1} = (2k+1) x P_k − k P_{k−1}`; `P_{−1}` is taken as 0.
pub fn legendre_pair(n: usize, x: f64) -> (f64, f64) {
    let (mut before, mut p) = (0.0, 1.0);
    for k in 0..n {
        let k = k as f64;
        (before, p) = (p, ((2.0 * k + 1.0) * x * p - k * before) / (k + 1.0));
    }
    (p, before)
}

/// Legendre polynomial `P_n(x)`.
pub fn legendre(n: usize, x: f64) -> f64 {
    legendre_pair(n, x).0
}

/// `P_n'(x)`, from `P_k' = P_{k−2}' + (2k − 1) P_{k−1}`, which holds at the ends of the interval too.
pub fn legendre_slope(n: usize, x: f64) -> f64 {
    let (mut before, mut p) = (0.0, 1.0);
    let (mut slope_before, mut slope) = (0.0, 0.0);
    for k in 0..n {
        let k = k as f64;
        (slope_before, slope) = (slope, slope_before + (2.0 * k + 1.0) * p);
        (before, p) = (p, ((2.0 * k + 1.0) * x * p - k * before) / (k + 1.0));
    }
    slope
}

/// Left Radau polynomial `½ (P_k + P_{k−1})` and its slope, `k ≥ 1`: 0 at −1 and 1 at +1.
pub fn left_radau(k: usize, x: f64) -> (f64, f64) {
    let (p, before) = legendre_pair(k, x);
    (0.5 * (p + before), 0.5 * (legendre_slope(k, x) + legendre_slope(k - 1, x)))
}

/// Right Radau polynomial `½ (−1)^k (P_k − P_{k−1})` and its slope, `k ≥ 1`: 1 at −1 and 0 at +1.
pub fn right_radau(k: usize, x: f64) -> (f64, f64) {
    let (value, slope) = left_radau(k, -x);
    (value, -slope)
}
