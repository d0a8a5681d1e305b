//! Partial spectra with known closed forms.

use crate::common;

use common::Random;
use poinsot_numerics::dense::{Mat, c64, eigenvalues};
use poinsot_numerics::krylov::{
    KrylovError, KrylovSettings, SymmetricEigenpair, largest_general, largest_symmetric,
    smallest_singular_values,
};
use poinsot_numerics::{Pattern, PatternBuilder, SparseLu};
use std::f64::consts::PI;

fn identity(x: &[f64], y: &mut [f64]) {
    y.copy_from_slice(x);
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// Stiffness of a chain of unit springs between two walls, and its factors.
fn chain(n: usize, shift: f64) -> (Pattern, Vec<f64>, SparseLu) {
    let mut builder = PatternBuilder::new(n);
    for i in 1..n {
        builder.add_clique(&[i - 1, i]);
    }
    let pattern = builder.build();
    let mut values = vec![0.0; pattern.nnz()];
    for j in 0..n {
        for (&i, slot) in pattern.rows(j).iter().zip(pattern.slots(j)) {
            values[slot] = if i == j { 2.0 - shift } else { -1.0 };
        }
    }
    let mut lu = SparseLu::new(&pattern);
    lu.factor(&values).unwrap();
    (pattern, values, lu)
}

/// ω_j = 2 sin(jπ/2(n+1)).
fn chain_frequency(j: usize, n: usize) -> f64 {
    2.0 * (j as f64 * PI / (2 * (n + 1)) as f64).sin()
}

#[test]
fn lowest_frequencies_of_a_chain() {
    let n = 2000;
    let (pattern, values, lu) = chain(n, 0.0);
    let mut op = |x: &[f64], y: &mut [f64]| {
        y.copy_from_slice(x);
        lu.solve(y);
    };
    let settings = KrylovSettings::default();
    let found = largest_symmetric(n, &mut op, &mut identity, 10, &settings).unwrap();
    println!("chain: {} applications", found.applications);
    assert_eq!(found.pairs.len(), 10);
    assert!(found.applications <= 60, "{}", found.applications);
    for (j, pair) in (1..).zip(&found.pairs) {
        let omega = chain_frequency(j, n);
        assert!((1.0 / pair.value.sqrt() / omega - 1.0).abs() < 1e-10, "mode {j}");
        // Mode shape √(2/(n+1)) sin(jπi/(n+1)).
        let shape =
            |i: usize| (2.0 / (n + 1) as f64).sqrt() * ((j * (i + 1)) as f64 * PI / (n + 1) as f64).sin();
        let product: f64 = pair.vector.iter().enumerate().map(|(i, x)| x * shape(i)).sum();
        assert!((product.abs() - 1.0).abs() < 1e-12, "mode {j}: {product}");
        let mut force = vec![0.0; n];
        pattern.multiply(&values, &pair.vector, &mut force);
        let error = force.iter().zip(&pair.vector).map(|(f, x)| (f - omega * omega * x).abs());
        assert!(error.fold(0.0, f64::max) < 1e-10);
    }
}

#[test]
fn frequencies_around_a_shift_have_both_signs() {
    // Between the modes 100 and 101 of 400; OP has eigenvalues 1/(ω² − σ).
    let n = 400;
    let sigma = 0.5 * (chain_frequency(100, n).powi(2) + chain_frequency(101, n).powi(2));
    let (_, _, lu) = chain(n, sigma);
    let mut op = |x: &[f64], y: &mut [f64]| {
        y.copy_from_slice(x);
        lu.solve(y);
    };
    let found = largest_symmetric(n, &mut op, &mut identity, 8, &KrylovSettings::default()).unwrap();
    println!("shift: {} applications", found.applications);
    let mut squares: Vec<f64> = found.pairs.iter().map(|p| sigma + 1.0 / p.value).collect();
    squares.sort_by(f64::total_cmp);
    for (j, square) in (97..).zip(&squares) {
        assert!((square.sqrt() / chain_frequency(j, n) - 1.0).abs() < 1e-10);
    }
}

/// A diagonal operator hidden by a random orthogonal matrix.
fn hidden(values: &[f64], seed: u64) -> Mat<f64> {
    let n = values.len();
    let mut random = Random::new(seed);
    let q = Mat::from_fn(n, n, |_, _| random.number()).qr().compute_Q();
    let scaled = Mat::from_fn(n, n, |i, j| q[(i, j)] * values[j]);
    scaled * q.transpose()
}

fn multiply(a: &Mat<f64>, x: &[f64], y: &mut [f64]) {
    y.fill(0.0);
    for (j, x) in x.iter().enumerate() {
        for (y, a) in y.iter_mut().zip(a.col(j).iter()) {
            *y += a * x;
        }
    }
}

#[test]
fn all_copies_of_multiple_eigenvalues_are_found() {
    let mut values = vec![9.0, 7.0, 7.0, 7.0, -6.5, 5.0, 5.0, 5.0, 4.0, 3.9];
    values.extend((0..190).map(|i| 3.0 * (-0.05 * i as f64).exp()));
    for block in 1..=4 {
        for seed in 0..4 {
            let a = hidden(&values, seed);
            let mut op = |x: &[f64], y: &mut [f64]| multiply(&a, x, y);
            let settings = KrylovSettings { block, ..KrylovSettings::default() };
            let found = largest_symmetric(200, &mut op, &mut identity, 9, &settings).unwrap();
            println!("multiple, block {block}: {} applications", found.applications);
            for (pair, exact) in found.pairs.iter().zip(&values) {
                assert!((pair.value - exact).abs() < 1e-11, "block {block}: {} {exact}", pair.value);
            }
            for (i, x) in found.pairs.iter().enumerate() {
                for (j, y) in found.pairs.iter().enumerate() {
                    let product = dot(&x.vector, &y.vector);
                    assert!((product - f64::from(i == j)).abs() < 1e-10);
                }
            }
        }
    }
}

#[test]
fn six_rigid_modes_and_a_bounded_dimension() {
    // Sixfold eigenvalue ahead of a smooth spectrum, with a space too small to hold it all.
    let mut values = vec![100.0; 6];
    values.extend((1..300).map(|i| 10.0 / (i as f64).sqrt()));
    let a = hidden(&values, 7);
    let mut op = |x: &[f64], y: &mut [f64]| multiply(&a, x, y);
    let settings = KrylovSettings { dimension: 22, ..KrylovSettings::default() };
    let found = largest_symmetric(values.len(), &mut op, &mut identity, 12, &settings).unwrap();
    println!("rigid: {} applications", found.applications);
    for (pair, exact) in found.pairs.iter().zip(&values) {
        assert!((pair.value / exact - 1.0).abs() < 1e-11, "{} {exact}", pair.value);
    }
    // The same through the non-symmetric solver.
    let found = largest_general(values.len(), &mut op, 12, &settings).unwrap();
    println!("rigid, general: {} applications", found.applications);
    for (pair, exact) in found.pairs.iter().zip(&values) {
        assert!((pair.value - c64::new(*exact, 0.0)).norm() < 1e-10 * exact, "{}", pair.value);
    }
}

/// Largest residual of K x = ω² M x and of M-orthonormality.
fn mode_errors(pairs: &[SymmetricEigenpair], k: &Mat<f64>, m: &Mat<f64>) -> (f64, f64) {
    let n = k.nrows();
    let (mut force, mut momentum) = (vec![0.0; n], vec![0.0; n]);
    let (mut residual, mut product): (f64, f64) = (0.0, 0.0);
    for (i, x) in pairs.iter().enumerate() {
        multiply(k, &x.vector, &mut force);
        multiply(m, &x.vector, &mut momentum);
        let size = force.iter().fold(0.0, |s: f64, f| s.max(f.abs()));
        for (f, p) in force.iter().zip(&momentum) {
            residual = residual.max((f - p / x.value).abs() / size);
        }
        for (j, y) in pairs.iter().enumerate() {
            product = product.max((dot(&y.vector, &momentum) - f64::from(i == j)).abs());
        }
    }
    (residual, product)
}

/// Chain of `n` unknowns where only every `stride`-th carries a mass.
fn massless(n: usize, stride: usize) -> (Mat<f64>, Mat<f64>, SparseLu) {
    let k = Mat::from_fn(n, n, |i, j| match i.abs_diff(j) {
        0 => 2.0,
        1 => -1.0,
        _ => 0.0,
    });
    let m = Mat::from_fn(n, n, |i, j| f64::from(i == j && i % stride == stride - 1));
    (k, m, chain(n, 0.0).2)
}

#[test]
fn singular_mass_matrix_gives_pure_modes() {
    // Springs without masses between them act as one of stiffness 1/stride.
    let (stride, masses) = (4, 60);
    let n = stride * (masses + 1) - 1;
    let (k, m, lu) = massless(n, stride);
    let mut inner = |x: &[f64], y: &mut [f64]| multiply(&m, x, y);
    let mut op = |x: &[f64], y: &mut [f64]| {
        multiply(&m, x, y);
        lu.solve(y);
    };
    let found = largest_symmetric(n, &mut op, &mut inner, 12, &KrylovSettings::default()).unwrap();
    println!("massless: {} applications", found.applications);
    for (j, pair) in (1..).zip(&found.pairs) {
        let omega = chain_frequency(j, masses) / (stride as f64).sqrt();
        assert!((1.0 / pair.value.sqrt() / omega - 1.0).abs() < 1e-11);
    }
    let (residual, product) = mode_errors(&found.pairs, &k, &m);
    assert!(residual < 1e-8 && product < 1e-10, "{residual:e} {product:e}");
}

#[test]
fn fewer_masses_than_modes_asked_for() {
    let (stride, masses) = (10, 5);
    let n = stride * (masses + 1) - 1;
    let (k, m, lu) = massless(n, stride);
    let mut inner = |x: &[f64], y: &mut [f64]| multiply(&m, x, y);
    let mut op = |x: &[f64], y: &mut [f64]| {
        multiply(&m, x, y);
        lu.solve(y);
    };
    let found = largest_symmetric(n, &mut op, &mut inner, 12, &KrylovSettings::default()).unwrap();
    assert_eq!(found.pairs.len(), masses);
    for (j, pair) in (1..).zip(&found.pairs) {
        let omega = chain_frequency(j, masses) / (stride as f64).sqrt();
        assert!((1.0 / pair.value.sqrt() / omega - 1.0).abs() < 1e-12);
    }
    let (residual, product) = mode_errors(&found.pairs, &k, &m);
    assert!(residual < 1e-12 && product < 1e-12, "{residual:e} {product:e}");
}

/// (A − σ)⁻¹ of ẍ + d ẋ + (damping c K) ẋ + K x = 0 in the states (x, v), A = [0 1; −K −D].
fn damped_chain(n: usize, d: f64, c: f64, sigma: f64) -> impl FnMut(&[f64], &mut [f64]) {
    // v − σx = a, −Kx − Dv − σv = b  ⇒  (K + σD + σ²) x = −b − (D + σ) a, D = d + cK.
    let (pattern, mut values, mut lu) = chain(n, 0.0);
    let stiffness = values.clone();
    for column in 0..n {
        for (slot, &row) in pattern.slots(column).zip(pattern.rows(column)) {
            values[slot] *= 1.0 + sigma * c;
            if row == column {
                values[slot] += sigma * d + sigma * sigma;
            }
        }
    }
    lu.factor(&values).unwrap();
    move |x: &[f64], y: &mut [f64]| {
        let (a, b) = x.split_at(n);
        let (position, velocity) = y.split_at_mut(n);
        position.fill(0.0);
        pattern.accumulate(&stiffness, a, -c, position);
        for i in 0..n {
            position[i] -= b[i] + (d + sigma) * a[i];
        }
        lu.solve(position);
        for i in 0..n {
            velocity[i] = a[i] + sigma * position[i];
        }
    }
}

/// Roots of λ² + (d + cω²) λ + ω².
fn damped_roots(n: usize, d: f64, c: f64) -> Vec<c64> {
    let mut roots = Vec::new();
    for j in 1..=n {
        let square = chain_frequency(j, n).powi(2);
        let half = 0.5 * (d + c * square);
        let inside = half * half - square;
        if inside < 0.0 {
            let im = (-inside).sqrt();
            roots.extend([c64::new(-half, im), c64::new(-half, -im)]);
        } else {
            let root = -half - inside.sqrt();
            roots.extend([c64::new(root, 0.0), c64::new(square / root, 0.0)]);
        }
    }
    roots
}

#[test]
fn damped_chain_has_the_complex_pairs_of_its_modes() {
    let (n, d, c, sigma) = (500, 0.02, 0.3, 0.05);
    let mut op = damped_chain(n, d, c, sigma);
    let mut exact = damped_roots(n, d, c);
    exact.sort_by(|x, y| (x - sigma).norm().total_cmp(&(y - sigma).norm()));
    for count in [5, 10, 21] {
        let found = largest_general(2 * n, &mut op, count, &KrylovSettings::default()).unwrap();
        println!("damped, {count}: {} applications", found.applications);
        assert!(found.pairs.len() == count || found.pairs.len() == count + 1);
        for (pair, exact) in found.pairs.iter().zip(&exact) {
            let value = pair.value.inv() + sigma;
            assert!(
                (value.re - exact.re).abs() + (value.im.abs() - exact.im.abs()).abs() < 1e-10,
                "{value} {exact}"
            );
            assert!(pair.residual <= 1e-10 * pair.value.norm());
        }
        // Every complex value comes with its conjugate, and the residuals are true.
        let sum: f64 = found.pairs.iter().map(|p| p.value.im).sum();
        assert!(sum.abs() < 1e-10);
        for pair in &found.pairs {
            let (re, im): (Vec<f64>, Vec<f64>) = pair.vector.iter().map(|x| (x.re, x.im)).unzip();
            let (mut a, mut b) = (vec![0.0; 2 * n], vec![0.0; 2 * n]);
            op(&re, &mut a);
            op(&im, &mut b);
            let error: f64 = (0..2 * n)
                .map(|i| (c64::new(a[i], b[i]) - pair.value * pair.vector[i]).norm_sqr())
                .sum::<f64>()
                .sqrt();
            assert!(error < 1e-9 * pair.value.norm(), "{error:e}");
        }
    }
}

#[test]
fn free_bodies_have_defective_zero_eigenvalues() {
    // Three masses on springs and two free bodies: λ = 0 four times in two Jordan blocks.
    let squares = [0.0, 0.0, 1.0, 4.0, 9.0];
    let sigma = 0.5;
    let mut random = Random::new(5);
    let q = Mat::from_fn(5, 5, |_, _| random.number()).qr().compute_Q();
    // (A − σ)⁻¹(a, b): (ω² + σ²) x = −b − σ a in modes.
    let mut op = |x: &[f64], y: &mut [f64]| {
        let (mut a, mut b) = (vec![0.0; 5], vec![0.0; 5]);
        multiply(&q.transpose().to_owned(), &x[..5], &mut a);
        multiply(&q.transpose().to_owned(), &x[5..], &mut b);
        for i in 0..5 {
            let position = -(b[i] + sigma * a[i]) / (squares[i] + sigma * sigma);
            b[i] = a[i] + sigma * position;
            a[i] = position;
        }
        multiply(&q, &a, &mut y[..5]);
        multiply(&q, &b, &mut y[5..]);
    };
    let found = largest_general(10, &mut op, 6, &KrylovSettings::default()).unwrap();
    let values: Vec<c64> = found.pairs.iter().map(|p| p.value.inv() + sigma).collect();
    for value in &values[..4] {
        assert!(value.norm() < 1e-6, "{value}");
    }
    assert!(
        (values[4] - c64::new(0.0, -1.0)).norm() < 1e-12 || (values[4] - c64::new(0.0, 1.0)).norm() < 1e-12
    );
    assert_eq!(values.len(), 6);
}

#[test]
fn double_complex_pairs_and_small_dimensions_agree_with_dense() {
    let mut random = Random::new(11);
    // Blocks of (re, im), every one twice.
    let n = 80;
    let mut t = Mat::<f64>::zeros(n, n);
    for block in 0..n / 4 {
        let (re, im) = (-5.0 + 0.2 * block as f64, 3.0 / (1.0 + block as f64));
        for i in [4 * block, 4 * block + 2] {
            (t[(i, i)], t[(i + 1, i + 1)]) = (re, re);
            (t[(i, i + 1)], t[(i + 1, i)]) = (im, -im);
        }
    }
    let x = Mat::from_fn(n, n, |i, j| f64::from(i == j) + 0.05 * random.number());
    let inverse = {
        use faer::linalg::solvers::DenseSolveCore;
        x.partial_piv_lu().inverse()
    };
    let a = &x * &t * &inverse;
    let mut exact = eigenvalues(a.as_ref()).unwrap();
    exact.sort_by(|x, y| y.norm().total_cmp(&x.norm()));
    for (block, count, dimension) in [(1, 8, 0), (2, 12, 0), (3, 7, 14), (2, 80, 0), (2, 79, 0)] {
        let mut op = |x: &[f64], y: &mut [f64]| multiply(&a, x, y);
        let settings = KrylovSettings { block, dimension, ..KrylovSettings::default() };
        let found = largest_general(n, &mut op, count, &settings).unwrap();
        println!("double pairs {block} {count} {dimension}: {} applications", found.applications);
        assert!(found.pairs.len() == count + count % 2);
        for (pair, exact) in found.pairs.iter().zip(&exact) {
            assert!((pair.value.norm() - exact.norm()).abs() < 1e-9, "{} {exact}", pair.value);
        }
        for two in found.pairs.as_chunks::<2>().0 {
            assert!((two[0].value - two[1].value.conj()).norm() < 1e-9);
        }
    }
}

#[test]
fn smallest_singular_values_of_constraints() {
    // G with singular values 10, 5, …, 1e-5 and M = 1.
    let n = 30;
    let mut random = Random::new(2);
    let u = Mat::from_fn(n, n, |_, _| random.number()).qr().compute_Q();
    let sigma = |i: usize| 10.0 * 0.6f64.powi(i as i32);
    let inverse_squares = Mat::from_fn(n, n, |i, j| if i == j { sigma(i).powi(-2) } else { 0.0 });
    let s = &u * inverse_squares * u.transpose();
    let mut inverse = |x: &[f64], y: &mut [f64]| multiply(&s, x, y);
    let found = smallest_singular_values(n, &mut inverse, 4, &KrylovSettings::default()).unwrap();
    println!("singular: {} applications", found.applications);
    for (j, pair) in found.pairs.iter().enumerate() {
        let i = n - 1 - j;
        assert!((pair.value / sigma(i) - 1.0).abs() < 1e-9);
        let column: Vec<f64> = u.col(i).iter().copied().collect();
        assert!((dot(&pair.rows, &column).abs() - 1.0).abs() < 1e-9);
    }
}

#[test]
fn bad_operators_are_reported() {
    let settings = KrylovSettings::default();
    let mut nan = |_: &[f64], y: &mut [f64]| y.fill(f64::NAN);
    let error = largest_general(50, &mut nan, 3, &settings).unwrap_err();
    assert!(matches!(error, KrylovError::NotFinite { .. }));
    let mut op = |x: &[f64], y: &mut [f64]| y.copy_from_slice(x);
    let mut negative = |x: &[f64], y: &mut [f64]| y.iter_mut().zip(x).for_each(|(y, x)| *y = -x);
    let error = largest_symmetric(50, &mut op, &mut negative, 3, &settings).unwrap_err();
    assert!(matches!(error, KrylovError::Indefinite { .. }));
    // A rotation by an angle per plane: all eigenvalues have magnitude one, nothing dominates.
    let mut rotation = |x: &[f64], y: &mut [f64]| {
        for i in 0..200 {
            let (s, c) = (0.01 * i as f64).sin_cos();
            y[2 * i] = c * x[2 * i] - s * x[2 * i + 1];
            y[2 * i + 1] = s * x[2 * i] + c * x[2 * i + 1];
        }
    };
    let limited = KrylovSettings { applications: 100, ..settings };
    let error = largest_general(400, &mut rotation, 4, &limited).unwrap_err();
    assert!(matches!(error, KrylovError::NoConvergence { wanted: 4, .. }), "{error}");
    assert!(largest_general(5, &mut op, 0, &settings).unwrap().pairs.is_empty());
    let all = largest_general(5, &mut op, 9, &settings).unwrap();
    assert!(all.pairs.len() == 5 && all.pairs.iter().all(|p| (p.value - c64::new(1.0, 0.0)).norm() < 1e-14));
}
