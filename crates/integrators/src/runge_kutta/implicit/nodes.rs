//! Nodes of collocation on (0, 1): zeros of combinations of Legendre polynomials.
//!
//! `Quadrature` of the geometry has the same points on [−1, 1], with the error of x. These are found with the
//! error of c, which (1 + x)/2 near the start of a step would lose: the first of seven Radau nodes is 0.03.

/// Zeros of P_s(1 − 2c), ascending: the nodes of Gauss, exact to degree 2s − 1.
pub(crate) fn gauss(s: usize) -> Vec<f64> {
    zeros(s, |p| p[s])
}

/// Zeros of P_s(1 − 2c) + P_{s−1}(1 − 2c) and thus of P_s(x) − P_{s−1}(x) at x = 2c − 1, ascending and ending
/// with 1: the right nodes of Radau, exact to degree 2s − 2.
pub(crate) fn radau_right(s: usize) -> Vec<f64> {
    let mut nodes = zeros(s - 1, |p| [p[s][0] + p[s - 1][0], p[s][1] + p[s - 1][1]]);
    nodes.push(1.0);
    nodes
}

/// Zeros of P_s(1 − 2c) − P_{s−2}(1 − 2c), ascending from 0 to 1: the nodes of Lobatto, exact to degree 2s −
/// 3.
pub(crate) fn lobatto(s: usize) -> Vec<f64> {
    let mut nodes = vec![0.0];
    nodes.extend(zeros(s - 2, |p| [p[s][0] - p[s - 2][0], p[s][1] - p[s - 2][1]]));
    nodes.push(1.0);
    nodes
}

/// The `count` zeros inside (0, 1) of a combination, given with its derivative, of [P_k, dP_k/dc].
fn zeros(count: usize, combination: impl Fn(&[[f64; 2]]) -> [f64; 2]) -> Vec<f64> {
    let value = |c: f64| combination(&legendre(count + 2, c));
    // In φ, c = sin²(φ/2), the zeros are nearly equidistant: no two fall between neighbours of this grid.
    // Both ends are left out, they may be zeros themselves.
    let cells = 8 * (count + 1);
    let grid = |i: usize| (std::f64::consts::FRAC_PI_2 * (i as f64 + 0.3) / cells as f64).sin().powi(2);
    let mut found = Vec::with_capacity(count);
    for i in 0..cells - 1 {
        let (left, right) = (grid(i), grid(i + 1));
        if value(left)[0].signum() != value(right)[0].signum() {
            found.push(newton(&value, left, right));
        }
    }
    debug_assert_eq!(found.len(), count);
    found
}

/// The zero between two points of different sign: Newton from the middle, until rounding.
fn newton(value: &impl Fn(f64) -> [f64; 2], left: f64, right: f64) -> f64 {
    let mut c = 0.5 * (left + right);
    for _ in 0..50 {
        let [p, slope] = value(c);
        let step = p / slope;
        c = (c - step).clamp(left, right);
        if step.abs() <= f64::EPSILON * c {
            break;
        }
    }
    c
}

/// P_k(1 − 2c) and its derivative by c for k = 0 … n, with the error relative to c also where c is small:
///
/// ```text
/// (k+1) (P_{k+1} − P_k) = k (P_k − P_{k−1}) − 2 (2k+1) c P_k
/// ```
fn legendre(n: usize, c: f64) -> Vec<[f64; 2]> {
    let mut p = vec![[1.0, 0.0]];
    let mut difference = [0.0, 0.0];
    for k in 0..n {
        let [value, slope] = p[k];
        let (index, factor) = (k as f64, 2.0 * (2 * k + 1) as f64);
        difference = [
            (index * difference[0] - factor * c * value) / (index + 1.0),
            (index * difference[1] - factor * (value + c * slope)) / (index + 1.0),
        ];
        p.push([value + difference[0], slope + difference[1]]);
    }
    p
}

#[cfg(test)]
mod tests {
    #![allow(clippy::excessive_precision)] // digits as computed

    use super::*;

    fn assert_close(found: &[f64], exact: &[f64]) {
        assert_eq!(found.len(), exact.len());
        for (found, exact) in found.iter().zip(exact) {
            assert!((found - exact).abs() <= 3e-16 * exact.abs(), "{found} instead of {exact}");
        }
    }

    #[test]
    fn closed_forms() {
        assert_close(&gauss(1), &[0.5]);
        let r = 3f64.sqrt() / 6.0;
        assert_close(&gauss(2), &[0.5 - r, 0.5 + r]);
        assert_close(&radau_right(1), &[1.0]);
        assert_close(&radau_right(2), &[1.0 / 3.0, 1.0]);
        let r = 6f64.sqrt();
        assert_close(&radau_right(3), &[(4.0 - r) / 10.0, (4.0 + r) / 10.0, 1.0]);
        assert_close(&lobatto(2), &[0.0, 1.0]);
        assert_close(&lobatto(3), &[0.0, 0.5, 1.0]);
        let r = 5f64.sqrt();
        assert_close(&lobatto(4), &[0.0, (5.0 - r) / 10.0, (5.0 + r) / 10.0, 1.0]);
    }

    #[test]
    fn full_precision_with_many_stages() {
        // Zeros computed with 40 digits.
        assert_close(&radau_right(5), &RADAU_5);
        assert_close(&radau_right(7), &RADAU_7);
    }

    #[test]
    fn as_many_nodes_as_stages() {
        for s in 1..=20 {
            assert_eq!(gauss(s).len(), s);
            assert_eq!(radau_right(s).len(), s);
            assert!(gauss(s).windows(2).all(|pair| pair[0] < pair[1]));
            assert!(radau_right(s).windows(2).all(|pair| pair[0] < pair[1]));
        }
        for s in 2..=20 {
            assert_eq!(lobatto(s).len(), s);
            assert!(lobatto(s).windows(2).all(|pair| pair[0] < pair[1]));
        }
    }

    const RADAU_5: [f64; 5] =
        [0.057104196114517682, 0.27684301363812383, 0.58359043236891682, 0.86024013565621945, 1.0];
    const RADAU_7: [f64; 7] = [
        0.029316427159784892,
        0.14807859966848429,
        0.3369846902811543,
        0.55867151877155013,
        0.7692338620300545,
        0.92694567131974111,
        1.0,
    ];
}
