//! Complex LU on KKT matrices of random mechanisms.

use crate::common;

use common::{Kkt, Mechanism, Random, carrier, chain, ring, tree_with_loops};
use faer::linalg::solvers::Solve;
use faer::{Mat, c64};
use poinsot_numerics::dense::singular_values;
use poinsot_numerics::{ComplexLu, ComplexPivotingLu, Pattern, PatternBuilder, SparseLu};
use proptest::prelude::*;

type Parts = (Vec<f64>, Vec<f64>);

/// Imaginary parts as of the stage equations of an implicit Runge–Kutta method, S + i σ S' with S' of the
/// size of S; the constraints are multiplied by complex numbers, too.
fn imaginary(kkt: &Kkt, seed: u64) -> Vec<f64> {
    let mut random = Random::new(seed);
    kkt.values.iter().map(|v| v * (0.8 + 0.1 * random.number())).collect()
}

fn expand(pattern: &Pattern, re: &[f64], im: &[f64]) -> Mat<c64> {
    let mut full = Mat::zeros(pattern.n(), pattern.n());
    for column in 0..pattern.n() {
        for (&row, slot) in pattern.rows(column).iter().zip(pattern.slots(column)) {
            full[(row, column)] = c64::new(re[slot], im[slot]);
        }
    }
    full
}

fn dense_solution(full: &Mat<c64>, b: &Parts) -> Parts {
    let mut x = Mat::from_fn(full.nrows(), 1, |i, _| c64::new(b.0[i], b.1[i]));
    full.partial_piv_lu().solve_in_place(x.as_mut());
    (0..full.nrows()).map(|i| (x[(i, 0)].re, x[(i, 0)].im)).unzip()
}

/// Condition number of [re −im; im re], which has every singular value of re + i im twice.
fn condition(full: &Mat<c64>) -> f64 {
    let n = full.nrows();
    let real = Mat::from_fn(2 * n, 2 * n, |i, j| {
        let entry = full[(i % n, j % n)];
        match (i < n, j < n) {
            (true, false) => -entry.im,
            (false, true) => entry.im,
            _ => entry.re,
        }
    });
    let values = singular_values(real.as_ref()).unwrap();
    values[0] / values[2 * n - 1]
}

/// Largest magnitude of a part of x − y, and of y.
fn distance(x: &Parts, y: &Parts) -> (f64, f64) {
    let largest = |x: &mut dyn Iterator<Item = f64>| x.fold(0.0, |s: f64, x| s.max(x.abs()));
    let pairs = || x.0.iter().chain(&x.1).zip(y.0.iter().chain(&y.1));
    (largest(&mut pairs().map(|(x, y)| x - y)), largest(&mut pairs().map(|(_, y)| *y)))
}

fn agrees_with_dense(pattern: &Pattern, re: &[f64], im: &[f64], seed: u64) {
    let mut lu = ComplexLu::new(pattern);
    lu.factor(re, im).unwrap();
    let mut random = Random::new(seed);
    let b = (random.vector(lu.n()), random.vector(lu.n()));
    let mut x = b.clone();
    lu.solve(&mut x.0, &mut x.1);
    let full = expand(pattern, re, im);
    let (error, size) = distance(&x, &dense_solution(&full, &b));
    // Either side is right to its rounding errors times the condition only.
    let limit = 1e-12_f64.max(1e-14 * condition(&full));
    assert!(error <= limit * size, "seed {seed}: {error:e} of {size:e}, limit {limit:e}");
}

fn mechanism_agrees(mechanism: &Mechanism, seed: u64) {
    let kkt = mechanism.kkt(seed);
    agrees_with_dense(&kkt.pattern, &kkt.values, &imaginary(&kkt, seed + 7), seed + 1);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) })]
    #[test]
    fn random_mechanisms_agree_with_dense_lu(
        bodies in 1usize..16,
        planar in any::<bool>(),
        rows in 1usize..4,
        loops in 0usize..6,
        seed in 0u64..1000,
    ) {
        let (body, rows) = if planar { (3, rows.min(2)) } else { (6, rows) };
        // No more loops than degrees of freedom, or the rows are dependent.
        let loops = loops.min(bodies * (body - rows) / 2);
        mechanism_agrees(&tree_with_loops(bodies, body, rows, loops, seed), seed);
    }
}

#[test]
fn chains_rings_and_carriers_agree_with_dense_lu() {
    for (seed, mechanism) in [
        chain(4, 3, 2),
        chain(9, 6, 5),
        ring(8, 3, 2),
        ring(6, 6, 4),
        carrier(5, 3, 6, 5),
        carrier(8, 1, 6, 3),
    ]
    .iter()
    .enumerate()
    {
        mechanism_agrees(mechanism, seed as u64);
    }
}

/// Full matrix of n unknowns with a dominant diagonal.
fn full_matrix(n: usize) -> (Pattern, Vec<f64>, Vec<f64>) {
    let mut builder = PatternBuilder::new(n);
    builder.add_clique(&(0..n).collect::<Vec<_>>());
    let mut random = Random::new(n as u64);
    let (mut re, mut im) = (random.vector(n * n), random.vector(n * n));
    for i in 0..n {
        re[i * n + i] += n as f64;
        im[i * n + i] -= n as f64;
    }
    (builder.build(), re, im)
}

#[test]
fn full_matrices_of_all_sizes_agree_with_dense_lu() {
    for n in (1..40).chain([63, 64, 65]) {
        let (pattern, re, im) = full_matrix(n);
        agrees_with_dense(&pattern, &re, &im, n as u64);
    }
}

#[test]
fn real_matrices_are_solved_as_by_the_real_lu() {
    for seed in 0..10 {
        let kkt = tree_with_loops(25, 6, 3, 6, seed).kkt(seed);
        let (mut real, mut complex) = (SparseLu::new(&kkt.pattern), ComplexLu::new(&kkt.pattern));
        real.factor(&kkt.values).unwrap();
        complex.factor(&kkt.values, &vec![0.0; kkt.values.len()]).unwrap();
        let mut random = Random::new(seed);
        let mut x = (random.vector(real.n()), random.vector(real.n()));
        let mut y = x.clone();
        real.solve(&mut x.0);
        real.solve(&mut x.1);
        complex.solve(&mut y.0, &mut y.1);
        let (error, size) = distance(&y, &x);
        assert!(error <= 1e-12 * size, "seed {seed}: {error:e} of {size:e}");
        // Without imaginary right-hand side nothing imaginary appears, not even rounding errors.
        y.1.fill(0.0);
        complex.solve(&mut y.0, &mut y.1);
        assert!(y.1.iter().all(|&im| im == 0.0));
    }
}

#[test]
fn a_complex_factor_of_the_matrix_divides_the_solution() {
    // ((3 + 4i) A)⁻¹ b = (3 − 4i)/25 A⁻¹ b.
    let kkt = chain(6, 6, 5).kkt(3);
    let scaled = |factor: f64| kkt.values.iter().map(|v| factor * v).collect::<Vec<_>>();
    let (mut real, mut complex) = (SparseLu::new(&kkt.pattern), ComplexLu::new(&kkt.pattern));
    real.factor(&kkt.values).unwrap();
    complex.factor(&scaled(3.0), &scaled(4.0)).unwrap();
    let mut x = Random::new(4).vector(real.n());
    let mut y = (x.clone(), vec![0.0; real.n()]);
    real.solve(&mut x);
    complex.solve(&mut y.0, &mut y.1);
    let expected = (x.iter().map(|x| 0.12 * x).collect(), x.iter().map(|x| -0.16 * x).collect());
    let (error, size) = distance(&y, &expected);
    assert!(error <= 1e-12 * size);
}

#[test]
fn singular_matrices_fail_in_the_row_of_the_real_lu() {
    for seed in 0..10 {
        // A joint between two bodies twice: its second rows depend on the first.
        let mut mechanism = chain(6, 6, 3);
        mechanism.couplers.push(mechanism.couplers[3].clone());
        let mut kkt = mechanism.kkt(seed);
        let (from, to) = (kkt.order.coupler_offset[3], kkt.order.coupler_offset[6]);
        for r in 0..3 {
            for offset in [2, 3].map(|body| kkt.order.node_offset[body]) {
                for column in offset..offset + 6 {
                    let slot = |i, j| kkt.pattern.index(i, j).unwrap();
                    kkt.values[slot(to + r, column)] = kkt.values[slot(from + r, column)];
                    kkt.values[slot(column, to + r)] = kkt.values[slot(column, from + r)];
                }
            }
        }
        let expected = SparseLu::new(&kkt.pattern).factor(&kkt.values).unwrap_err();
        let im: Vec<_> = kkt.values.iter().map(|v| 0.7 * v).collect();
        let mut lu = ComplexLu::new(&kkt.pattern);
        let error = lu.factor(&kkt.values, &im).unwrap_err();
        assert_eq!(error.row, expected.row, "seed {seed}");
        assert!(error.pivot <= 1e-13 * error.scale);
        assert!(kkt.multiplier[error.row]);
        // Multiplication by 1 + 0.7i: the sizes are sums of parts, between 1 and √2 times the modulus.
        let ratio = error.scale / (expected.scale * 1.49_f64.sqrt());
        assert!((0.99..1.42).contains(&ratio), "{ratio}");
    }
}

#[test]
fn a_failed_factorisation_leaves_no_trace() {
    let kkt = chain(5, 6, 3).kkt(1);
    let im = imaginary(&kkt, 2);
    let mut lu = ComplexLu::new(&kkt.pattern);
    let mut broken = kkt.values.clone();
    broken[kkt.pattern.index(9, 9).unwrap()] = f64::NAN;
    let error = lu.factor(&broken, &im).unwrap_err();
    assert!(error.row == 9 && error.pivot.is_nan());
    broken.fill(0.0);
    let error = lu.factor(&broken, &broken).unwrap_err();
    assert!(error.row == 0 && error.pivot == 0.0 && error.scale == 0.0);
    lu.factor(&kkt.values, &im).unwrap();
    let mut fresh = ComplexLu::new(&kkt.pattern);
    fresh.factor(&kkt.values, &im).unwrap();
    let mut random = Random::new(3);
    let mut x = (random.vector(lu.n()), random.vector(lu.n()));
    let mut y = x.clone();
    lu.solve(&mut x.0, &mut x.1);
    fresh.solve(&mut y.0, &mut y.1);
    assert_eq!(x, y);
}

#[test]
fn imaginary_pivots_are_pivots() {
    // i A is as regular as A although its real part vanishes.
    let kkt = chain(5, 3, 2).kkt(1);
    let zero = vec![0.0; kkt.values.len()];
    agrees_with_dense(&kkt.pattern, &zero, &kkt.values, 5);
}

#[test]
fn pivoting_fallback_solves_what_the_static_order_cannot() {
    let mut builder = PatternBuilder::new(2);
    builder.add_clique(&[0, 1]);
    let pattern = builder.build();
    // [0 2i; 3 1] [1; i] = [−2; 3 + i]
    let (re, im) = ([0.0, 3.0, 0.0, 1.0], [0.0, 0.0, 2.0, 0.0]);
    assert_eq!(ComplexLu::new(&pattern).factor(&re, &im).unwrap_err().row, 0);
    let mut lu = ComplexPivotingLu::new(&pattern).unwrap();
    lu.factor(&re, &im).unwrap();
    let mut x = (vec![-2.0, 3.0], vec![0.0, 1.0]);
    lu.solve(&mut x.0, &mut x.1);
    assert!(distance(&x, &(vec![1.0, 0.0], vec![0.0, 1.0])).0 <= 1e-15);
}

#[test]
fn pivoting_fallback_gives_the_same_solution() {
    let kkt = tree_with_loops(30, 6, 3, 5, 11).kkt(11);
    let im = imaginary(&kkt, 12);
    let mut lu = ComplexLu::new(&kkt.pattern);
    let mut pivoting = ComplexPivotingLu::new(&kkt.pattern).unwrap();
    lu.factor(&kkt.values, &im).unwrap();
    pivoting.factor(&kkt.values, &im).unwrap();
    let mut random = Random::new(1);
    let mut x = (random.vector(lu.n()), random.vector(lu.n()));
    let mut y = x.clone();
    lu.solve(&mut x.0, &mut x.1);
    pivoting.solve(&mut y.0, &mut y.1);
    let (error, size) = distance(&x, &y);
    assert!(error <= 1e-10 * size);
}
