//! Eigenvalues of long products over the whole range of numbers.

use poinsot_numerics::dense::{DenseLu, Mat};
use poinsot_numerics::product::product_eigenvalues;

/// A sequence of numbers in (−1, 1).
fn numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

fn inverse(a: &Mat<f64>) -> Mat<f64> {
    let lu = DenseLu::new(a.as_ref()).unwrap();
    let mut out = Mat::identity(a.nrows(), a.nrows());
    for j in 0..a.nrows() {
        let mut b: Vec<f64> = (0..a.nrows()).map(|i| f64::from(i == j)).collect();
        lu.solve(&mut b);
        b.iter().enumerate().for_each(|(i, b)| out[(i, j)] = *b);
    }
    out
}

/// 300 factors whose product has the eigenvalues 1e300, a pair on the unit circle, and 1e-300: a factor knows
/// its smallest direction to 1e-16 of the largest, 1e-14 of itself, so that 300 leave 1e-11.
#[test]
fn eigenvalues_from_1e300_to_1e_minus_300_stand_side_by_side() {
    let (n, count, turn) = (4, 300, 0.07_f64);
    let mut next = numbers(11);
    let axes: Vec<Mat<f64>> =
        (0..count).map(|_| Mat::from_fn(n, n, |i, j| next() + if i == j { 3.0 } else { 0.0 })).collect();
    let (c, s) = (turn.cos(), turn.sin());
    let core = Mat::from_fn(n, n, |i, j| match (i, j) {
        (0, 0) => 10.0,
        (1, 1) | (2, 2) => c,
        (1, 2) => -s,
        (2, 1) => s,
        (3, 3) => 0.1,
        _ => 0.0,
    });
    let factors: Vec<Mat<f64>> =
        (0..count).map(|i| &axes[(i + 1) % count] * &core * inverse(&axes[i])).collect();
    let found = product_eigenvalues(&factors).unwrap();
    let large = 300.0 * 10.0_f64.ln();
    for (found, wanted) in found.iter().zip([large, 0.0, 0.0, -large]) {
        assert!((found.log_size - wanted).abs() < 1e-10, "{found:?}, {wanted}");
    }
    let angle = 300.0 * turn - 3.0 * std::f64::consts::TAU;
    assert!((found[1].angle - angle).abs() < 1e-10, "{:?}", found[1]);
    assert!((found[2].angle + angle).abs() < 1e-10, "{:?}", found[2]);
    assert!((found[0].value.re / 1e300 - 1.0).abs() < 1e-9, "{:?}", found[0]);
    assert!((found[3].value.re / 1e-300 - 1.0).abs() < 1e-9, "{:?}", found[3]);
}
