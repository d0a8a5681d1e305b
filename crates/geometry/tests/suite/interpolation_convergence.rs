//! Convergence of interpolated rotations and motions: motion-interpolation-galerkin V1 … V4.

use crate::common;
use common::time_derivative;
use poinsot_geometry::interpolation::*;
use poinsot_geometry::se3::{Pose, join, split};
use poinsot_geometry::{Mat3, Vec3, Vec6, so3};
use std::f64::consts::{PI, TAU};

/// Mean errors of rotation, curvature, place and tangent.
type Errors = [f64; 4];

/// A motion with its exact curvature `{Rᵀu' ; κ}`.
type Motion = fn(f64) -> (Pose, Vec6);

/// V1: errors averaged over each grid interval split into 50.
fn errors(metric: Metric, basis: &dyn Basis, grid: &[f64], motion: Motion) -> Errors {
    let nodes: Vec<Pose> = basis.nodes().iter().map(|x| motion(*x).0).collect();
    let mut interpolation = MotionInterpolation::new(metric, &nodes).unwrap();
    let (mut values, mut slopes) = (vec![0.0; nodes.len()], vec![0.0; nodes.len()]);
    let mut sum = [0.0; 4];
    let mut add = |x: f64| {
        basis.evaluate(x, &mut values, &mut slopes);
        let (pose, k) = interpolation.sample(&values, &slopes).unwrap();
        let (tangent, curvature) = split(&k);
        let (exact, exact_curvature) = motion(x);
        let (exact_tangent, exact_curvature) = split(&exact_curvature);
        sum[0] += (pose.rotation - exact.rotation).norm();
        sum[1] += (curvature - exact_curvature).norm();
        sum[2] += (pose.r - exact.r).norm();
        sum[3] += (pose.rotation * tangent - exact.rotation * exact_tangent).norm();
    };
    for pair in grid.windows(2) {
        for i in 0..50 {
            add(pair[0] + (pair[1] - pair[0]) * f64::from(i) / 50.0);
        }
    }
    add(grid[grid.len() - 1]);
    sum.map(|e| e / (50 * (grid.len() - 1)) as f64)
}

/// Asserts numbers printed with four digits (or fewer): half a unit of the last one.
fn assert_printed(what: &str, found: Errors, printed: Errors, digits: i32) {
    for (found, printed) in found.iter().zip(printed) {
        let unit = 10f64.powi(printed.log10().floor() as i32 + 1 - digits);
        assert!((found - printed).abs() <= 0.501 * unit, "{what}: {found:e} instead of {printed:e}");
    }
}

/// Asserts a table that has reached the rounding level.
fn assert_below(what: &str, found: Errors, limit: Errors) {
    for (found, limit) in found.iter().zip(limit) {
        assert!(*found <= limit, "{what}: {found:e} above {limit:e}");
    }
}

fn rates(coarse: Errors, fine: Errors) -> Errors {
    std::array::from_fn(|i| (coarse[i] / fine[i]).log2())
}

const LENGTH: f64 = 3.0 * PI;

/// V1: the curve and its first three derivatives.
fn curve(theta: f64) -> [Vec3; 4] {
    let t = LENGTH;
    let z = 2.0 * theta / t - 1.0;
    let (s11, c11) = (11.0 * theta / t).sin_cos();
    let (s7, c7) = (7.0 * theta / t).sin_cos();
    let (a, b) = (11.0 / t, 7.0 / t);
    let rho = [
        1.0 + z * z / 3.0 + (1.0 - c11) / 5.0,
        4.0 * z / (3.0 * t) + a * s11 / 5.0,
        8.0 / (3.0 * t * t) + a * a * c11 / 5.0,
        -a * a * a * s11 / 5.0,
    ];
    let p = [
        2.0 + 2.0 / 11.0 * theta / t + s7 / 7.0,
        2.0 / (11.0 * t) + b * c7 / 7.0,
        -b * b * s7 / 7.0,
        -b * b * b * c7 / 7.0,
    ];
    let (s, c) = theta.sin_cos();
    // Leibniz with the derivatives of cos, sin and θ
    let cosine = [c, -s, -c, s];
    let sine = [s, c, -s, -c];
    let line = [theta, 1.0, 0.0, 0.0];
    let product = |f: &[f64; 4], g: &[f64; 4], n: usize| -> f64 {
        let binomial =
            [[1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0], [1.0, 2.0, 1.0, 0.0], [1.0, 3.0, 3.0, 1.0]];
        (0..=n).map(|i| binomial[n][i] * f[i] * g[n - i]).sum()
    };
    std::array::from_fn(|n| {
        Vec3::new(product(&rho, &cosine, n), product(&rho, &sine, n), product(&p, &line, n))
    })
}

/// V1: Frenet frame with the curvature vector `{τ, 0, κ}` per unit of θ.
fn frenet(theta: f64) -> (Pose, Vec6) {
    let [r, d1, d2, d3] = curve(theta);
    let cross = d1.cross(&d2);
    let tangent = d1.normalize();
    let binormal = cross.normalize();
    let rotation = Mat3::from_columns(&[tangent, binormal.cross(&tangent), binormal]);
    let torsion = d1.norm() * d1.dot(&d2.cross(&d3)) / cross.norm_squared();
    let bending = cross.norm() / d1.norm_squared();
    let k = join(&Vec3::new(d1.norm(), 0.0, 0.0), &Vec3::new(torsion, 0.0, bending));
    (Pose::new(r, rotation), k)
}

#[test]
fn v1_exact_curve() {
    let spots = [
        (0.25, [-1.0381698, 1.0381698, 5.15069763], [0.98184052, 0.64317046]),
        (0.5, [0.0, -1.05826605, 9.61703024], [0.78957988, 0.44912154]),
        (1.0, [-1.53244819, 0.0, 21.4477166], [0.70695491, 0.42424159]),
    ];
    for (fraction, r, [torsion, bending]) in spots {
        let (pose, k) = frenet(fraction * LENGTH);
        assert!((pose.r - Vec3::from(r)).norm() < 2e-7, "{}", pose.r);
        assert!((k - Vec6::new(k[0], 0.0, 0.0, torsion, 0.0, bending)).norm() < 1e-8, "{k}");
        let x = fraction * LENGTH;
        let difference = time_derivative(|t| {
            let there = frenet(x + t).0;
            let here = pose.relative(&there);
            join(&here.r, &so3::log(&here.rotation))
        });
        assert!((difference - k).norm() < 1e-9);
    }
}

#[test]
fn v1_chebyshev() {
    let matrix = [
        (8, [5.755e-2, 1.127e-1, 2.129e-1, 7.082e-1]),
        (16, [5.472e-3, 1.636e-2, 1.605e-2, 1.055e-1]),
        (32, [1.132e-4, 7.969e-4, 4.410e-4, 5.048e-3]),
        (64, [1.810e-7, 2.114e-6, 2.766e-7, 5.546e-6]),
    ];
    let quaternion = [
        (8, [2.612e-2, 5.265e-2, 1.052e-1, 3.288e-1]),
        (16, [4.428e-3, 1.403e-2, 6.453e-3, 3.985e-2]),
        (32, [1.307e-4, 8.803e-4, 2.540e-4, 3.177e-3]),
        (64, [2.021e-7, 2.279e-6, 1.195e-7, 2.670e-6]),
    ];
    let run = |metric: Metric, n: usize| {
        let basis = chebyshev(n + 1, 0.0, LENGTH).unwrap();
        errors(metric, &basis, basis.nodes(), frenet)
    };
    for (metric, table) in [(Metric::Matrix, matrix), (Metric::Quaternion, quaternion)] {
        for (n, printed) in table {
            assert_printed(&format!("{metric:?} N = {n}"), run(metric, n), printed, 4);
        }
    }
    // At N = 128 truncation (1.0e-12 of the rotation) is still above rounding.
    assert_printed("Matrix N = 128", run(Metric::Matrix, 128), [1.1e-12, 2.8e-11, 2.5e-12, 1.0e-10], 1);
    assert_printed(
        "Quaternion N = 128",
        run(Metric::Quaternion, 128),
        [1.0e-12, 2.4e-11, 9.2e-13, 4.0e-11],
        1,
    );
}

fn assert_spline_rates(what: &str, coarse: Errors, fine: Errors) {
    let rate = rates(coarse, fine);
    for i in [0, 2] {
        assert!((3.9..=4.5).contains(&rate[i]), "{what}: {rate:?}");
    }
    for i in [1, 3] {
        assert!((2.9..=3.5).contains(&rate[i]), "{what}: {rate:?}");
    }
}

#[test]
fn v2_cubic_splines() {
    let not_a_knot = [
        (Metric::Matrix, [1.882e-7, 6.591e-6, 4.186e-7, 2.097e-5]),
        (Metric::Quaternion, [1.301e-7, 4.526e-6, 1.131e-7, 5.624e-6]),
    ];
    for (metric, printed) in not_a_knot {
        let run = |n: usize| {
            let sites: Vec<f64> = (0..=n).map(|i| LENGTH * i as f64 / n as f64).collect();
            let basis = NodalSpline::not_a_knot(3, sites).unwrap();
            errors(metric, &basis, basis.nodes(), frenet)
        };
        let fine = run(128);
        assert_printed(&format!("{metric:?}, not-a-knot"), fine, printed, 4);
        assert_spline_rates(&format!("{metric:?}, not-a-knot"), run(64), fine);
    }
    let greville = [
        (Metric::Matrix, [1.412e-7, 5.164e-6, 3.286e-7, 1.712e-5]),
        (Metric::Quaternion, [9.40e-8, 3.434e-6, 9.00e-8, 4.625e-6]),
    ];
    for (metric, printed) in greville {
        let run = |n: usize| {
            let basis = NodalSpline::greville(3, n + 1, 0.0, LENGTH).unwrap();
            errors(metric, &basis, basis.nodes(), frenet)
        };
        let fine = run(128);
        assert_printed(&format!("{metric:?}, Greville"), fine, printed, 3);
        assert_spline_rates(&format!("{metric:?}, Greville"), run(64), fine);
    }
}

/// Rotation `R3(a) R1(b) R3(c)` and its body angular velocity for given rates.
fn euler_313(angles: [f64; 3], rate: [f64; 3]) -> (Mat3, Vec3) {
    let about = |axis: usize, angle: f64| so3::exp(&(angle * Vec3::ith(axis, 1.0)));
    let [a, b, c] = angles;
    let (first, second, third) = (about(2, a), about(0, b), about(2, c));
    let omega = third.transpose() * (second.transpose() * Vec3::z() * rate[0] + Vec3::x() * rate[1])
        + Vec3::z() * rate[2];
    (first * second * third, omega)
}

/// V3: periodic rotation.
fn precession(t: f64) -> (Pose, Vec6) {
    let w = 9.0;
    let angles = [w * t, PI / 13.0 * (2.0 * w * t).sin(), PI / 17.0 * (1.0 - (3.0 * w * t).cos())];
    let rate = [w, PI / 13.0 * 2.0 * w * (2.0 * w * t).cos(), PI / 17.0 * 3.0 * w * (3.0 * w * t).sin()];
    let (rotation, omega) = euler_313(angles, rate);
    (Pose::new(Vec3::zeros(), rotation), join(&Vec3::zeros(), &omega))
}

/// The grid of a periodic basis, closed.
fn closed_grid(basis: &dyn Basis) -> Vec<f64> {
    let mut grid = basis.nodes().to_vec();
    grid.push(basis.interval().1);
    grid
}

#[test]
fn v3_quaternions_of_a_periodic_rotation() {
    let period = TAU / 9.0;
    let run = |metric: Metric, n: usize, period: f64| {
        let basis = Fourier::new(n + 1, 0.0, period).unwrap();
        let e = errors(metric, &basis, &closed_grid(&basis), precession);
        (e[0], e[1])
    };
    let check = |what: &str, (r, w): (f64, f64), printed: (f64, f64)| {
        assert_printed(what, [r, w, r, w], [printed.0, printed.1, printed.0, printed.1], 4);
    };
    let matrix = [(8, (1.360e-2, 4.224e-1)), (16, (1.602e-4, 8.830e-3)), (32, (1.507e-8, 1.594e-6))];
    for (n, printed) in matrix {
        check(&format!("matrix metric on T, N = {n}"), run(Metric::Matrix, n, period), printed);
    }
    let (r, w) = run(Metric::Matrix, 62, period);
    assert!(r < 3e-15 && w < 3e-13, "{r:e} {w:e}");
    let quaternion = [
        (8, (3.125e-1, 5.039)),
        (16, (1.384e-2, 4.115e-1)),
        (32, (2.458e-4, 1.310e-2)),
        (62, (9.838e-10, 9.936e-8)),
    ];
    for (n, printed) in quaternion {
        check(
            &format!("quaternion metric on 2T, N = {n}"),
            run(Metric::Quaternion, n, 2.0 * period),
            printed,
        );
    }
    assert!(run(Metric::Quaternion, 128, 2.0 * period).0 < 5e-15);
    // four decades at N = 32
    assert!(run(Metric::Quaternion, 32, 2.0 * period).0 > 1e4 * run(Metric::Matrix, 32, period).0);
    // On T the quaternions with continued sign are not periodic: they end with the opposite sign, and the
    // interpolation of 63 points turns over there.
    let basis = Fourier::new(63, 0.0, period).unwrap();
    let nodes: Vec<Mat3> = basis.nodes().iter().map(|t| precession(*t).0.rotation).collect();
    let mut interpolation = RotationInterpolation::new(Metric::Quaternion, &nodes).unwrap();
    let mut angle = |t: f64| {
        so3::angle_between(&interpolation.rotation(&basis.values(t)).unwrap(), &precession(t).0.rotation)
    };
    let step = period / 63.0;
    let last = angle(period - 0.5 * step);
    assert!(last > 1.0, "the peak in the last interval: {last}");
    assert!(angle(0.5 * period + 0.5 * step) < 0.1 * last);
}

/// V4: periodic motion.
fn periodic_motion(t: f64) -> (Pose, Vec6) {
    let angles = [t, PI / 11.0 * (5.0 * t).sin(), PI / 7.0 * (1.0 - (3.0 * t).cos())];
    let rate = [1.0, PI / 11.0 * 5.0 * (5.0 * t).cos(), PI / 7.0 * 3.0 * (3.0 * t).sin()];
    let (rotation, omega) = euler_313(angles, rate);
    let r = Vec3::new(
        t.cos() + (3.0 * t).sin() / 7.0,
        t.sin() + (1.0 - (5.0 * t).cos()) / 9.0,
        (7.0 * t).sin() / 7.0 + (1.0 - (9.0 * t).cos()) / 9.0,
    );
    let v = Vec3::new(
        -t.sin() + 3.0 * (3.0 * t).cos() / 7.0,
        t.cos() + 5.0 * (5.0 * t).sin() / 9.0,
        (7.0 * t).cos() + (9.0 * t).sin(),
    );
    (Pose::new(r, rotation), join(&(rotation.transpose() * v), &omega))
}

#[test]
fn v4_fourier() {
    let table = [
        (16, [6.185e-3, 4.256e-2, 5.436e-2, 4.797e-1]),
        (32, [2.022e-4, 2.408e-3, 6.013e-4, 1.023e-2]),
        (64, [2.266e-9, 5.237e-8, 1.018e-7, 3.320e-6]),
    ];
    let run = |n: usize| {
        let basis = Fourier::new(n + 1, 0.0, TAU).unwrap();
        errors(Metric::Matrix, &basis, &closed_grid(&basis), periodic_motion)
    };
    for (n, printed) in table {
        assert_printed(&format!("Fourier, N = {n}"), run(n), printed, 4);
    }
    assert_below("Fourier, N = 128", run(128), [4e-15, 2e-13, 4e-15, 2e-13]);
}

#[test]
fn v4_periodic_cubic_spline() {
    let table = [
        (32, [1.029e-3, 1.391e-2, 3.488e-3, 6.358e-2]),
        (64, [4.283e-5, 1.193e-3, 1.149e-4, 4.486e-3]),
        (128, [2.392e-6, 1.318e-4, 5.709e-6, 4.466e-4]),
    ];
    let found = table.map(|(n, printed)| {
        let basis = NodalSpline::periodic(3, n + 1, 0.0, TAU).unwrap();
        let found = errors(Metric::Matrix, &basis, &closed_grid(&basis), periodic_motion);
        assert_printed(&format!("periodic spline, N = {n}"), found, printed, 4);
        found
    });
    let rate = rates(found[1], found[2]);
    for (rate, printed) in rate.iter().zip([4.16, 3.18, 4.33, 3.33]) {
        assert!((rate - printed).abs() < 0.006, "{rate} instead of {printed}");
    }
}

// Order of a spectral element on a smooth curve: n nodes give order n (rotation, place) and n − 1 (curvature,
// tangent), for all four metrics.
#[test]
fn orders_of_spectral_elements() {
    use poinsot_geometry::motion_parameters::Generator;
    let metrics =
        [Metric::Matrix, Metric::Quaternion, Metric::Geodesic, Metric::Vector(Generator::WienerMilenkovic)];
    for metric in metrics {
        for n in 2..=5 {
            let run = |elements: usize| -> Errors {
                let mut sum = [0.0; 4];
                for e in 0..elements {
                    let (a, b) = (e as f64 / elements as f64, (e + 1) as f64 / elements as f64);
                    let basis = Lagrange::gauss_lobatto(n).unwrap().on(LENGTH * a, LENGTH * b).unwrap();
                    let found = errors(metric, &basis, &[LENGTH * a, LENGTH * b], frenet);
                    (0..4).for_each(|i| sum[i] += found[i] / elements as f64);
                }
                sum
            };
            // With two nodes the curve is resolved late: |r'| changes little along it.
            let (elements, margin) = if n == 2 { (1024, 0.06) } else { (64, 0.01) };
            let rate = rates(run(elements), run(2 * elements));
            for i in 0..4 {
                let order = if i % 2 == 0 { n as f64 } else { n as f64 - 1.0 };
                assert!((rate[i] - order).abs() < margin, "{metric:?}, n = {n}: {rate:?}");
            }
        }
    }
}
