//! Hill's method on Mathieu's equation in four dimensions (motion-interpolation-galerkin V9).

use faer::Mat;
use poinsot_numerics::hill::{HillError, hill_exponents, largest_multiplier, samples};
use std::f64::consts::{PI, TAU};

const MU: f64 = 0.15;

/// ẍ + k⁴ w² (1 − (2 μ/k²) cos Wt) x = 0 for some k, w = 1, as first-order equations.
fn mathieu(orders: &[i32], ratio: f64, count: usize) -> (Vec<Mat<f64>>, f64) {
    let (period, m) = (PI / ratio, orders.len());
    let a = |t: f64| {
        let mut a = Mat::zeros(2 * m, 2 * m);
        for (i, k) in orders.iter().enumerate() {
            let k = f64::from(*k);
            a[(i, m + i)] = 1.0;
            a[(m + i, i)] = -k.powi(4) * (1.0 - 2.0 * MU / k.powi(2) * (TAU / period * t).cos());
        }
        a
    };
    (samples(count, period, a), period)
}

#[test]
fn the_lowest_harmonics_give_all_digits_of_the_table() {
    // W/2w, and max |λ| by integration with tight tolerances.
    let table = [
        (0.95, 1.206919),
        (1.0, 1.264911),
        (1.05, 1.176866),
        (0.5, 1.054044),
        (0.7, 1.0),
        (0.49, 1.0),
        (0.33115, 1.020679),
        (1.0 / 3.0, 1.0),
    ];
    for (ratio, wanted) in table {
        let (a, period) = mathieu(&[1], ratio, 13);
        let modes = hill_exponents(&a, period, None).unwrap();
        assert_eq!(modes.len(), 2);
        let found = largest_multiplier(&modes);
        assert!((found - wanted).abs() < 6e-7, "{ratio}: {found} for {wanted}");
        // Damping is none: the product of the multipliers is 1.
        let product = modes[0].multiplier * modes[1].multiplier;
        assert!((product.re - 1.0).abs() < 1e-7 && product.im.abs() < 1e-7, "{ratio}: {product}");
    }
}

#[test]
fn oscillators_side_by_side_are_told_apart() {
    for (ratio, wanted) in [(0.95, 1.206919), (1.0, 1.264911), (0.5, 1.054044), (0.7, 1.0)] {
        let (a, period) = mathieu(&[1, 2, 3, 4], ratio, 13);
        let modes = hill_exponents(&a, period, None).unwrap();
        assert_eq!(modes.len(), 8);
        let found = largest_multiplier(&modes);
        assert!((found - wanted).abs() < 6e-7, "{ratio}: {found} for {wanted}");
        // Each of the others oscillates near its own frequency.
        for k in [2.0, 3.0, 4.0] {
            let near = |w: f64| modes.iter().filter(|m| (m.exponent.im.abs() - w).abs() < 0.2 * w).count();
            assert!(near(k * k) >= 2, "{ratio}: {k}");
        }
    }
}

#[test]
fn two_equal_oscillators_have_four_solutions() {
    let (a, period) = mathieu(&[1, 1], 1.0, 13);
    let modes = hill_exponents(&a, period, None).unwrap();
    let growing = modes.iter().filter(|mode| (mode.multiplier.norm() - 1.264911).abs() < 6e-7).count();
    let decaying = modes.iter().filter(|mode| (mode.multiplier.norm() - 1.0 / 1.264911).abs() < 6e-7).count();
    assert_eq!((growing, decaying), (2, 2));
}

#[test]
fn higher_harmonics_can_be_left_out() {
    // The digest's values with harmonics above the third left out.
    for (ratio, wanted, within) in [(1.0 / 3.0, 1.0, 1e-4), (0.5, 1.0540, 1e-4)] {
        let (a, period) = mathieu(&[1], ratio, 13);
        let modes = hill_exponents(&a, period, Some(3)).unwrap();
        let found = largest_multiplier(&modes);
        assert!((found - wanted).abs() < within, "{ratio}: {found} for {wanted}");
        assert!(modes[0].edge > hill_exponents(&a, period, None).unwrap()[0].edge);
    }
}

#[test]
fn constant_coefficients_have_their_own_exponents() {
    let a = samples(5, 2.0, |_| faer::mat![[0.0, 1.0], [-9.0, -0.4]]);
    let modes = hill_exponents(&a, 2.0, None).unwrap();
    for mode in &modes {
        assert!((mode.exponent.re + 0.2).abs() < 1e-12);
        assert!((mode.exponent.im.abs() - (9.0_f64 - 0.04).sqrt()).abs() < 1e-12);
        assert!(mode.centroid < 1e-12);
    }
}

#[test]
fn an_even_number_of_samples_is_refused() {
    let a = samples(4, 1.0, |_| Mat::<f64>::identity(2, 2));
    assert_eq!(hill_exponents(&a, 1.0, None), Err(HillError::Samples(4)));
}
