//! Quadrature rules and interpolation functions: motion-interpolation-galerkin §1.22, V17.

use poinsot_geometry::interpolation::legendre::{left_radau, legendre, legendre_slope, right_radau};
use poinsot_geometry::interpolation::*;
use std::f64::consts::{PI, TAU};

fn assert_close(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() <= tolerance, "{what}: {found:e} instead of {expected:e}");
}

/// Slopes against a fourth-order difference of the values.
fn check_slopes(basis: &dyn Basis, x: f64, h: f64, tolerance: f64) {
    let slopes = basis.derivatives(x);
    let value = |x: f64| basis.values(x);
    let (a, b, c, d) = (value(x + h), value(x - h), value(x + 2.0 * h), value(x - 2.0 * h));
    for k in 0..basis.len() {
        let difference = (8.0 * (a[k] - b[k]) - (c[k] - d[k])) / (12.0 * h);
        assert_close(slopes[k], difference, tolerance, &format!("slope {k} at {x}"));
    }
}

fn check_partition_of_unity(basis: &dyn Basis, tolerance: f64) {
    let (a, b) = basis.interval();
    for i in 0..=37 {
        let x = a + (b - a) * i as f64 / 37.0;
        assert_close(basis.values(x).iter().sum(), 1.0, tolerance, "sum of values");
        assert_close(
            basis.derivatives(x).iter().sum::<f64>() * (b - a),
            0.0,
            1e3 * tolerance,
            "sum of slopes",
        );
    }
}

fn check_nodal(basis: &dyn Basis, tolerance: f64) {
    assert!(basis.is_nodal());
    for (j, x) in basis.nodes().iter().enumerate() {
        for (k, value) in basis.values(*x).iter().enumerate() {
            assert_close(*value, if j == k { 1.0 } else { 0.0 }, tolerance, &format!("l_{k}(x_{j})"));
        }
    }
}

// V17: errors in per cent of ∫cos x dx = 2 sin 1, table B.1.
#[test]
fn table_b1() {
    let exact = 2.0 * 1f64.sin();
    let error = |rule: Quadrature| 100.0 * (rule.integrate(f64::cos) - exact) / exact;
    // Two printed digits each: half a unit of the second.
    let gauss = [(2, -0.42, 5e-3), (3, 3.7e-3, 5e-5), (4, -1.7e-5, 5e-7), (5, 4.7e-8, 5e-10)];
    for (n, printed, half) in gauss {
        assert_close(error(Quadrature::gauss_legendre(n)), printed, half, "Gauss–Legendre");
    }
    let lobatto = [(2, -36.0, 0.5), (3, 0.63, 5e-3), (4, -4.9e-3, 5e-5), (5, 2.1e-5, 5e-7)];
    for (n, printed, half) in lobatto {
        assert_close(error(Quadrature::gauss_lobatto(n)), printed, half, "Gauss–Lobatto");
    }
}

#[test]
fn rules_are_exact_to_their_degree_and_no_further() {
    type Rule = fn(usize) -> Quadrature;
    let rules: [(Rule, usize, usize); 4] = [
        (Quadrature::gauss_legendre, 1, 1),
        (Quadrature::gauss_radau_left, 2, 1),
        (Quadrature::gauss_radau_right, 2, 1),
        (Quadrature::gauss_lobatto, 3, 2),
    ];
    for (rule, loss, least) in rules {
        for n in least..=40 {
            let rule = rule(n);
            assert_eq!(rule.points.len(), n);
            assert!(rule.points.windows(2).all(|p| p[0] < p[1]));
            let top = 2 * n - loss;
            // Legendre polynomials do not lose digits with their degree: ∫P_m = 0 for m > 0.
            for degree in 0..=top {
                let exact = if degree == 0 { 2.0 } else { 0.0 };
                assert_close(rule.integrate(|x| legendre(degree, x)), exact, 4e-15, "∫P_m");
            }
            if n <= 20 {
                assert!(rule.integrate(|x| legendre(top + 1, x)).abs() > 1e-2 / n as f64);
            }
        }
    }
    // Radau with two points: −1/3 and 1 with 3/2 and 1/2 (X4).
    let two = Quadrature::gauss_radau_right(2);
    assert_close(two.points[0], -1.0 / 3.0, 1e-16, "Radau point");
    assert!(two.points[1] == 1.0);
    assert_close(two.weights[0], 1.5, 1e-15, "Radau weight");
    assert_close(two.weights[1], 0.5, 1e-15, "Radau weight");
}

// B.18–B.21.
#[test]
fn radau_polynomials() {
    let rule = Quadrature::gauss_legendre(12);
    for k in 1..8 {
        assert_close(left_radau(k, -1.0).0, 0.0, 0.0, "left at −1");
        assert_close(left_radau(k, 1.0).0, 1.0, 0.0, "left at 1");
        assert_close(right_radau(k, -1.0).0, 1.0, 0.0, "right at −1");
        assert_close(right_radau(k, 1.0).0, 0.0, 0.0, "right at 1");
        for degree in 0..k {
            let p = |x: f64| legendre(degree, x);
            assert_close(rule.integrate(|x| p(x) * right_radau(k, x).1), -p(-1.0), 1e-13, "∫p r'");
            assert_close(rule.integrate(|x| p(x) * left_radau(k, x).1), p(1.0), 1e-13, "∫p l'");
        }
        assert_close(legendre_slope(k, 1.0), 0.5 * (k * (k + 1)) as f64, 1e-13, "P_k'(1)");
    }
}

#[test]
fn lagrange_bases() {
    type Build = fn(usize) -> Result<Lagrange, BasisError>;
    let kinds: [(Build, usize, usize); 5] = [
        (Lagrange::gauss_legendre, 1, 40),
        (Lagrange::gauss_lobatto, 2, 40),
        (Lagrange::gauss_radau_left, 1, 40),
        (Lagrange::gauss_radau_right, 1, 40),
        (Lagrange::equidistant, 2, 12),
    ];
    for (build, least, most) in kinds {
        for n in least..=most {
            let basis = build(n).unwrap();
            check_nodal(&basis, 0.0);
            check_partition_of_unity(&basis, 1e-12);
            // Every polynomial of degree n − 1 is reproduced, with its slope, in and between the nodes.
            for x in [-1.0, -0.83, -0.2, 0.01, 0.5, 0.999, basis.nodes()[n / 2] + 1e-9] {
                let (values, slopes) = (basis.values(x), basis.derivatives(x));
                for degree in 0..n {
                    let at = |weights: &[f64]| -> f64 {
                        weights.iter().zip(basis.nodes()).map(|(w, node)| w * legendre(degree, *node)).sum()
                    };
                    assert_close(at(&values), legendre(degree, x), 1e-12, "P_m");
                    let scale = 1.0 + (degree * degree) as f64;
                    assert_close(at(&slopes) / scale, legendre_slope(degree, x) / scale, 1e-11, "P_m'");
                }
            }
        }
        assert!(matches!(build(least - 1), Err(BasisError::TooFewNodes { .. })));
    }
}

// B.16: the differentiation matrix of the Gauss–Lobatto points in closed form.
#[test]
fn lobatto_differentiation_matrix() {
    for n in 2..=17 {
        let order = (n - 1) as f64;
        let basis = Lagrange::gauss_lobatto(n).unwrap();
        let x = basis.nodes();
        let p = |j: usize| legendre(n - 1, x[j]);
        for j in 0..n {
            for k in 0..n {
                let exact = match (j, k) {
                    (0, 0) => -0.25 * order * (order + 1.0),
                    (j, k) if j == k && j == n - 1 => 0.25 * order * (order + 1.0),
                    (j, k) if j == k => 0.0,
                    _ => p(j) / ((x[j] - x[k]) * p(k)),
                };
                assert_close(basis.derivative(j, k), exact, 2e-12, &format!("n {n} d_{j}{k}"));
            }
        }
    }
}

// B.15 with the corrected sign.
#[test]
fn cubic_on_equidistant_nodes() {
    let basis = Lagrange::equidistant(4).unwrap();
    for x in [-0.7, 0.1, 0.6f64] {
        let printed = 27.0 / 16.0 * (1.0 - x * x) * (x + 1.0 / 3.0);
        // the function of the node +1/3
        assert_close(basis.values(x)[2], printed, 1e-15, "h4");
    }
}

// B.22–B.28, B.37.
#[test]
fn chebyshev_basis() {
    for n in [2, 3, 8, 33, 129] {
        let basis = chebyshev(n, -1.0, 1.0).unwrap();
        check_nodal(&basis, 0.0);
        check_partition_of_unity(&basis, 1e-13);
        let (order, x) = ((n - 1) as f64, basis.nodes());
        let c = |i: usize| if i == 0 || i == n - 1 { 2.0 } else { 1.0 };
        for j in 0..n {
            assert_close(x[j], -(PI * j as f64 / order).cos(), 1e-15, "node");
            let diagonal = match j {
                0 => -(2.0 * order * order + 1.0) / 6.0,
                j if j == n - 1 => (2.0 * order * order + 1.0) / 6.0,
                j => -x[j] / (2.0 * (1.0 - x[j] * x[j])),
            };
            assert_close(basis.derivative(j, j), diagonal, 1e-13 * order.powi(4), "d_jj");
            for k in (0..n).filter(|&k| k != j) {
                let sign = if (j + k) % 2 == 0 { 1.0 } else { -1.0 };
                let exact = c(j) * sign / (c(k) * (x[j] - x[k]));
                assert_close(basis.derivative(j, k) / exact, 1.0, 1e-12, "d_jk");
            }
        }
        // cardinal functions in terms of T_N'
        // halfway between two nodes, where the closed form does not cancel
        let at = 0.5 * (x[n / 3] + x[n / 3 + 1]);
        for (k, value) in basis.values(at).iter().enumerate() {
            let sign = if (n + k) % 2 == 0 { 1.0 } else { -1.0 };
            let slope = chebyshev_polynomial(n - 1, at).1;
            let exact = sign * (1.0 - at * at) * slope / (c(k) * order * order * (at - x[k]));
            assert_close(*value, exact, 1e-12, "l_k");
        }
    }
    assert_close(chebyshev_polynomial(5, 0.3).0, (5.0 * 0.3f64.acos()).cos(), 1e-15, "T_5");
    let stretched = chebyshev(9, 2.0, 5.0).unwrap();
    check_slopes(&stretched, 3.3, 1e-3, 1e-8);
    assert_eq!(stretched.interval(), (2.0, 5.0));
    assert!(matches!(chebyshev(9, 5.0, 2.0), Err(BasisError::NotAscending { .. })));
}

// B.29–B.38 (odd), and the even counterpart.
#[test]
fn fourier_bases() {
    for n in 1..=24 {
        let (origin, period) = (0.4, 3.0);
        let basis = Fourier::new(n, origin, period).unwrap();
        check_nodal(&basis, 3e-14);
        check_partition_of_unity(&basis, 1e-13);
        let x = 1.2345;
        let (values, slopes) = (basis.values(x), basis.derivatives(x));
        for (k, node) in basis.nodes().iter().enumerate() {
            let half = PI * (x - node) / period;
            let quotient = if n % 2 == 1 { half.sin() } else { half.tan() };
            assert_close(values[k], (n as f64 * half).sin() / (n as f64 * quotient), 1e-13, "kernel");
            let row = basis.derivatives(basis.nodes()[0]);
            assert_close(row[k], basis.derivative(0, k), 1e-11, "differentiation matrix");
        }
        // Harmonics below n/2 are reproduced with their slopes; next to a node too.
        for m in 0..n.div_ceil(2) {
            let rate = TAU * m as f64 / period;
            let f = |x: f64| (rate * x).sin() + 2.0 * (rate * x).cos();
            let sum = |w: &[f64]| -> f64 { w.iter().zip(basis.nodes()).map(|(w, x)| w * f(*x)).sum() };
            assert_close(sum(&values), f(x), 1e-12, "harmonic");
            assert_close(sum(&slopes), rate * ((rate * x).cos() - 2.0 * (rate * x).sin()), 1e-11, "slope");
            let near = origin + 1e-9;
            assert_close(sum(&basis.values(near)), f(near), 1e-12, "harmonic next to a node");
        }
        assert_close(basis.values(x + 7.0 * period)[0], values[0], 1e-12, "period");
        check_slopes(&basis, x, 1e-4, 1e-7);
    }
}

#[test]
fn b_splines() {
    // Uniform cubic: 1/6, 4/6, 1/6 at a knot with slopes ∓1/2.
    let cubic = BSpline::periodic(3, 8, 0.0, 8.0).unwrap();
    let (values, slopes) = (cubic.values(2.0), cubic.derivatives(2.0));
    for (k, (v, s)) in [(1, (1.0 / 6.0, -0.5)), (2, (4.0 / 6.0, 0.0)), (3, (1.0 / 6.0, 0.5))] {
        assert_close(values[k], v, 1e-15, "value");
        assert_close(slopes[k], s, 1e-15, "slope");
    }
    // Bernstein polynomials: a single span.
    let bernstein = BSpline::clamped(4, 5, 0.0, 1.0).unwrap();
    let x: f64 = 0.3;
    for (k, binomial) in [1.0, 4.0, 6.0, 4.0, 1.0].iter().enumerate() {
        let exact = binomial * x.powi(k as i32) * (1.0 - x).powi(4 - k as i32);
        assert_close(bernstein.values(x)[k], exact, 1e-15, "Bernstein");
    }
    for degree in 0..=9 {
        for n in [degree + 1, degree + 2, degree + 7] {
            for basis in [
                BSpline::clamped(degree, n, -1.0, 2.0).unwrap(),
                BSpline::periodic(degree, n, 0.5, 3.0).unwrap(),
            ] {
                check_partition_of_unity(&basis, 1e-12);
                if degree > 0 {
                    check_slopes(&basis, 0.7123, 1e-4, 1e-6);
                    check_slopes(&basis, 1.9, 1e-4, 1e-6);
                }
                assert!(basis.values(0.7123).iter().all(|v| *v >= 0.0));
            }
        }
    }
    // Marsden: Greville abscissae reproduce x.
    let basis = BSpline::clamped_at(5, &[0.1, 0.25, 0.9, 1.4], 0.0, 2.0).unwrap();
    for x in [0.0, 0.05, 0.3, 1.2, 2.0] {
        let sum: f64 = basis.values(x).iter().zip(basis.nodes()).map(|(b, s)| b * s).sum();
        assert_close(sum, x, 1e-14, "x");
    }
    // Periodic functions continue across the seam.
    for degree in 1..6 {
        let basis = BSpline::periodic(degree, 9, 0.5, 3.0).unwrap();
        for k in 0..9 {
            assert_close(basis.values(0.5 - 1e-12)[k], basis.values(3.5 + 1e-12)[k], 1e-10, "seam");
        }
    }
    assert!(matches!(BSpline::with_knots(3, vec![0.0, 1.0]), Err(BasisError::KnotCount { .. })));
    assert!(matches!(
        BSpline::clamped_at(2, &[0.8, 0.3], 0.0, 1.0),
        Err(BasisError::NotAscending { what: "knots", .. })
    ));
    assert!(BSpline::with_knots(1, vec![0.0, 0.0, 0.5, 0.5, 0.5, 1.0, 1.0]).is_err());
}

#[test]
fn nodal_splines() {
    let uniform: Vec<f64> = (0..11).map(|i| 0.3 * i as f64).collect();
    for degree in 1..=6 {
        let greville = NodalSpline::greville(degree, 12, -1.0, 2.0).unwrap();
        let not_a_knot = NodalSpline::not_a_knot(degree, uniform.clone()).unwrap();
        for basis in [&greville, &not_a_knot] {
            check_nodal(basis, 1e-13);
            check_partition_of_unity(basis, 1e-12);
            check_slopes(basis, 1.5171, 1e-4, 1e-6);
            // polynomials of the degree are in the space
            for x in [0.0, 0.77, 1.9f64] {
                let power = degree as i32;
                let sum: f64 =
                    basis.values(x).iter().zip(basis.nodes()).map(|(l, s)| l * s.powi(power)).sum();
                assert_close(sum, x.powi(power), 1e-10, "x^p");
            }
        }
        // Odd numbers of data: even degrees with an even number would be singular at the knots' midpoints.
        let periodic = NodalSpline::periodic(degree, 11, 0.2, 4.0).unwrap();
        check_nodal(&periodic, 1e-13);
        check_partition_of_unity(&periodic, 1e-12);
    }
    let spline = BSpline::clamped(3, 8, 0.0, 1.0).unwrap();
    assert!(matches!(NodalSpline::new(spline.clone(), vec![0.0, 1.0]), Err(BasisError::SiteCount { .. })));
    let crowded = (0..8).map(|i| 0.01 * i as f64).collect();
    assert!(matches!(NodalSpline::new(spline, crowded), Err(BasisError::SingularSites { .. })));
}
