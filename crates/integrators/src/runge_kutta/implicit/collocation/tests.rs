//! Against published coefficients, and against elimination of the whole system.

#![allow(clippy::excessive_precision)] // digits as published

use super::*;
use crate::runge_kutta::rooted_trees::measured_order;
use crate::runge_kutta::tableau::{MAX_STAGES, TABLEAUS};
use poinsot_numerics::dense::c64;

fn named(name: &str) -> Collocation {
    Collocation::new(Tableau::named(name).unwrap()).unwrap()
}

fn all() -> Vec<Collocation> {
    let radau = (1..=MAX_STAGES).map(|s| Tableau::radau_iia(s).unwrap());
    let gauss = (1..=MAX_STAGES).map(|s| Tableau::gauss(s).unwrap());
    let lobatto = (2..=MAX_STAGES).map(|s| Tableau::lobatto_iiia(s).unwrap());
    radau.chain(gauss).chain(lobatto).map(|t| Collocation::new(t).unwrap()).collect()
}

fn assert_close(found: &[f64], exact: &[f64], tolerance: f64) {
    assert_eq!(found.len(), exact.len());
    for (found, exact) in found.iter().zip(exact) {
        assert!((found - exact).abs() < tolerance, "{found} instead of {exact}");
    }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// Stages of y' = λy from y = 1 as Z and hY', by eliminating (I − zA) Y = 1.
fn linear_stages(method: &Collocation, z: f64) -> (Vec<f64>, Vec<f64>) {
    let s = method.tableau.stages();
    let unit = |k: usize| if k / s == k % s { 1.0 } else { 0.0 };
    let mut matrix: Vec<c64> = (0..s * s).map(|k| c64::new(unit(k) - z * method.tableau.a[k], 0.0)).collect();
    let mut y = vec![c64::new(1.0, 0.0); s];
    crate::linear::elimination::solve(&mut matrix, &mut y);
    let implicit = &y[s - method.implicit_stages()..];
    (implicit.iter().map(|y| y.re - 1.0).collect(), implicit.iter().map(|y| z * y.re).collect())
}

/// η of the estimator on y' = λy from y = 1.
fn linear_error(method: &Collocation, z: f64) -> f64 {
    let estimator = &method.estimator;
    let (increments, _) = linear_stages(method, z);
    let end = 1.0 + dot(&method.d, &increments) + method.d_start * z;
    let braces =
        dot(&estimator.increments, &increments) + estimator.start_increment * z + estimator.gamma * z * end;
    -braces / (1.0 - estimator.gamma * z)
}

#[test]
fn weights_beyond_the_step_are_those_of_the_polynomial() {
    for method in all() {
        let (m, s) = (method.implicit_stages(), method.tableau.stages());
        for theta in [1.01, 1.3, 2.0, 4.5] {
            let (mut exact, mut found) = (vec![0.0; m], vec![0.0; m]);
            let start = method.weights(theta, &mut exact);
            assert_eq!(method.weights_beyond(theta, &mut found), start);
            let close = |x: &f64, y: &f64| (x - y).abs() <= 1e-12 * y.abs();
            assert!(found.iter().zip(&exact).all(|(x, y)| close(x, y)), "{found:?} {exact:?}");
            let (mut exact, mut found) = (vec![0.0; s], vec![0.0; s]);
            method.stage_weights(theta, &mut exact);
            method.stage_weights_beyond(theta, &mut found);
            assert!(found.iter().zip(&exact).all(|(x, y)| close(x, y)), "{found:?} {exact:?}");
        }
    }
}

#[test]
fn radau_of_three_stages_as_published() {
    let method = named("radau-iia-3");
    #[rustfmt::skip]
    let w = [
        3.22474487139158905, 1.16784008469040549, -0.253197264742180826,
        -3.56784008469040549, 0.775255128608410951, 1.05319726474218083,
        5.53197264742180826, -7.53197264742180826, 5.0,
    ];
    assert_close(&method.w, &w, 1e-14);
    assert_eq!(method.d, [0.0, 0.0, 1.0]);
    let form = &method.similarity;
    assert_close(&form.real, &[3.637834252744495732], 1e-14);
    assert_close(&form.pairs[0], &[2.681082873627752134, 3.050430199247410569], 1e-14);
    #[rustfmt::skip]
    let t = [
        0.0944387624889752415, -0.141255295020954208, 0.0300291941051474245,
        0.250213122965333311, 0.204129352293799932, -0.382942112757261938,
        1.0, 1.0, 0.0,
    ];
    assert_close(&form.t, &t, 1e-14);
    #[rustfmt::skip]
    let t_inverse = [
        4.17871859155190473, 0.327682820761062387, 0.523376445499449548,
        -4.17871859155190473, -0.327682820761062387, 0.476623554500550452,
        0.502872634945786876, -2.57192694985560543, 0.596039204828224925,
    ];
    assert_close(&form.t_inverse, &t_inverse, 1e-14);
    // lagrangian-dae-modeling VC-5.3: the eigenvalues of A itself.
    let pair = c64::new(1.0, 0.0) / c64::new(form.pairs[0][0], -form.pairs[0][1]);
    assert!((1.0 / form.real[0] - 0.2748888295956773677).abs() < 1e-15);
    assert!((pair - c64::new(0.1625555852021613161, 0.1849493244071407843)).norm() < 1e-15);
}

#[test]
fn estimator_of_radau_of_three_stages_as_published() {
    let estimator = named("radau-iia-3").estimator;
    assert_eq!((estimator.order, estimator.start_weight, estimator.real_block), (3, 0.02, Some(0)));
    assert_eq!(estimator.start_increment, 0.02);
    assert!((estimator.gamma - 0.2748888295956773677).abs() < 1e-15);
    let weights = [0.345241498605968827, 0.530314056949586728, -0.170444385151232923];
    assert_close(&estimator.weights, &weights, 1e-15);
    let difference = [0.0311615640944984476, -0.0178282307611651143, 0.281555496262344034];
    assert_close(&estimator.difference, &difference, 1e-15);
    let e = [-1.72165367440162996, 2.09809800025965136, -1.38111081464505351];
    assert_close(&estimator.increments, &e, 5e-15);
}

#[test]
fn eigenvalues_of_many_stages() {
    // Computed with 60 digits.
    let form = named("radau-iia-5").similarity;
    assert_close(&form.real, &[6.286704751729276645], 1e-13);
    assert_close(&form.pairs[0], &[5.700953298671789419, 3.210265600308549888], 1e-13);
    assert_close(&form.pairs[1], &[3.655694325463572258, 6.543736899360077294], 1e-13);
    let form = named("radau-iia-7").similarity;
    assert_close(&form.real, &[8.936832788405216337], 1e-12);
    assert_close(&form.pairs[0], &[8.511834825102945723, 3.28101362432505883], 1e-12);
    assert_close(&form.pairs[1], &[7.141055219187640106, 6.623045922639275971], 1e-12);
    assert_close(&form.pairs[2], &[4.378693561506806003, 10.16969328379501163], 1e-12);
}

#[test]
fn every_stage_matrix_is_decoupled() {
    for method in all() {
        let (m, form) = (method.implicit_stages(), &method.similarity);
        assert_eq!((form.real.len(), form.pairs.len()), (m % 2, m / 2), "{}", method.tableau.name);
        // W T = T B, relative to the size of the terms.
        let mut blocks = vec![0.0; m * m];
        (0..form.real.len()).for_each(|k| blocks[k * m + k] = form.real[k]);
        for (k, [alpha, beta]) in form.pairs.iter().enumerate() {
            let k = form.real.len() + 2 * k;
            (blocks[k * m + k], blocks[k * m + k + 1]) = (*alpha, *beta);
            (blocks[(k + 1) * m + k], blocks[(k + 1) * m + k + 1]) = (-beta, *alpha);
        }
        let product = |x: &[f64], y: &[f64], i: usize, j: usize| -> (f64, f64) {
            let terms = (0..m).map(|k| x[i * m + k] * y[k * m + j]);
            terms.fold((0.0, 0.0), |(sum, size), term| (sum + term, size + term.abs()))
        };
        for (i, j) in (0..m * m).map(|k| (k / m, k % m)) {
            let (left, right) = (product(&method.w, &form.t, i, j), product(&form.t, &blocks, i, j));
            let error = (left.0 - right.0).abs();
            assert!(error < 1e-14 * left.1.max(right.1).max(1.0), "{}: {error:e}", method.tableau.name);
            let unit = product(&form.t, &form.t_inverse, i, j);
            let error = (unit.0 - if i == j { 1.0 } else { 0.0 }).abs();
            assert!(error < 1e-14 * unit.1.max(1.0), "{}: {error:e}", method.tableau.name);
        }
        assert_eq!(form.t[(m - 1) * m..].iter().filter(|&&x| x == 1.0).count(), m.div_ceil(2));
    }
}

/// X for (I⊗J + W⊗M) X = B by elimination of the whole system, of n unknowns in each stage.
fn coupled(method: &Collocation, j: &[f64], m: &[f64], b: &[f64]) -> Vec<f64> {
    let stages = method.implicit_stages();
    let n = b.len() / stages;
    let mut matrix = Vec::new();
    for (row, column) in (0..b.len() * b.len()).map(|k| (k / b.len(), k % b.len())) {
        let entry = row % n * n + column % n;
        let (p, q) = (row / n, column / n);
        let diagonal = if p == q { j[entry] } else { 0.0 };
        matrix.push(c64::new(diagonal + method.w[p * stages + q] * m[entry], 0.0));
    }
    let mut x: Vec<c64> = b.iter().map(|&b| c64::new(b, 0.0)).collect();
    crate::linear::elimination::solve(&mut matrix, &mut x);
    x.iter().map(|x| x.re).collect()
}

/// The same in the variables T⁻¹X: (J + μM) v = u and (J + (α − iβ)M)(v + iv') = u + iu'.
fn decoupled(method: &Collocation, j: &[f64], m: &[f64], b: &[f64]) -> Vec<f64> {
    let (stages, form) = (method.implicit_stages(), &method.similarity);
    let n = b.len() / stages;
    let transform = |t: &[f64], x: &[f64]| -> Vec<f64> {
        let entry = |k: usize| (0..stages).map(|q| t[k / n * stages + q] * x[q * n + k % n]).sum();
        (0..b.len()).map(entry).collect()
    };
    let solve = |shift: c64, x: &mut [c64]| {
        let mut matrix: Vec<c64> = j.iter().zip(m).map(|(&j, &m)| shift * m + j).collect();
        crate::linear::elimination::solve(&mut matrix, x);
    };
    let mut u = transform(&form.t_inverse, b);
    let (real, paired) = u.split_at_mut(form.real.len() * n);
    for (&mu, u) in form.real.iter().zip(real.chunks_exact_mut(n)) {
        let mut x: Vec<c64> = u.iter().map(|&u| c64::new(u, 0.0)).collect();
        solve(c64::new(mu, 0.0), &mut x);
        u.iter_mut().zip(&x).for_each(|(u, x)| *u = x.re);
    }
    for (&[alpha, beta], u) in form.pairs.iter().zip(paired.chunks_exact_mut(2 * n)) {
        let mut x: Vec<c64> = (0..n).map(|i| c64::new(u[i], u[n + i])).collect();
        solve(c64::new(alpha, -beta), &mut x);
        (0..n).for_each(|i| (u[i], u[n + i]) = (x[i].re, x[i].im));
    }
    transform(&form.t, &u)
}

#[test]
fn newton_systems_fall_apart() {
    // A differential-algebraic system: M is singular.
    let j = [3.0, -0.4, 1.0, 0.7, 2.0, -1.1, 1.0, -0.6, 0.0];
    let m = [1.0, 0.2, 0.0, 0.1, 2.0, 0.0, 0.0, 0.0, 0.0];
    for method in all() {
        let b: Vec<f64> = (0..3 * method.implicit_stages()).map(|k| (1.3 * k as f64).sin()).collect();
        let (x, y) = (coupled(&method, &j, &m, &b), decoupled(&method, &j, &m, &b));
        let size = x.iter().fold(0.0f64, |size, x| size.max(x.abs()));
        for (x, y) in x.iter().zip(&y) {
            assert!((x - y).abs() < 1e-11 * size, "{}: {x} and {y}", method.tableau.name);
        }
    }
}

#[test]
fn increments_and_rates_are_inverse() {
    for method in all() {
        let (s, m, first) =
            (method.tableau.stages(), method.implicit_stages(), usize::from(method.has_explicit_start()));
        // Ã W = I and Ã w_0 = −a; d = b̃ᵀW and d_0 = b_1 − d a.
        for i in 0..m {
            let row = &method.tableau.row(first + i)[first..];
            for j in 0..m {
                let sum: f64 = (0..m).map(|k| row[k] * method.w[k * m + j]).sum();
                assert!((sum - if i == j { 1.0 } else { 0.0 }).abs() < 2e-13, "{}", method.tableau.name);
            }
            let start = if first == 1 { method.tableau.a[(first + i) * s] } else { 0.0 };
            assert!((dot(row, &method.w_start) + start).abs() < 1e-13, "{}", method.tableau.name);
        }
        for j in 0..m {
            let sum: f64 = (0..m).map(|i| method.tableau.b[first + i] * method.w[i * m + j]).sum();
            assert!((sum - method.d[j]).abs() < 5e-13, "{}: {}", method.tableau.name, sum - method.d[j]);
        }
        assert_eq!(method.d_start, 0.0);
        if method.tableau.is_stiffly_accurate() {
            assert!(method.d[..m - 1].iter().all(|&d| d == 0.0) && method.d[m - 1] == 1.0);
        }
    }
}

#[test]
fn dense_output_reproduces_polynomials() {
    for method in all() {
        let (s, m) = (method.tableau.stages(), method.implicit_stages());
        let (mut values, mut rates, mut stages) = (vec![0.0; m], vec![0.0; m], vec![0.0; s]);
        for theta in [-0.2, 0.0, 0.13, 0.5, 1.0, 1.1, 1.5] {
            let start_value = method.weights(theta, &mut values);
            let start_rate = method.rate_weights(theta, &mut rates);
            method.stage_weights(theta, &mut stages);
            for degree in 0..=s as i32 {
                // Rounding grows with the sum of the weights.
                let size = |w: &[f64]| 4e-16 * (1.0 + w.iter().map(|w| w.abs()).sum::<f64>());
                let powers: Vec<f64> = method.tableau.c.iter().map(|c| c.powi(degree)).collect();
                let tip = if degree == 1 { 1.0 } else { 0.0 };
                if degree > 0 {
                    let found = dot(&values, &powers[s - m..]) + tip * start_value;
                    assert!((found - theta.powi(degree)).abs() < size(&values), "{}", method.tableau.name);
                    let found = dot(&rates, &powers[s - m..]) + tip * start_rate;
                    let exact = degree as f64 * theta.powi(degree - 1);
                    let error = (found - exact).abs();
                    assert!(error < 4.0 * size(&rates), "{}: {error:e}", method.tableau.name);
                }
                if degree < s as i32 {
                    let error = (dot(&stages, &powers) - theta.powi(degree)).abs();
                    assert!(error < size(&stages), "{}: {error:e}", method.tableau.name);
                }
            }
        }
    }
}

#[test]
fn weights_are_exact_at_the_stages() {
    let method = named("radau-iia-5");
    let mut out = [0.0; 5];
    for (i, &c) in method.c.iter().enumerate() {
        method.weights(c, &mut out);
        assert!(out.iter().enumerate().all(|(j, &w)| w == if i == j { 1.0 } else { 0.0 }));
        method.stage_weights(c, &mut out);
        assert!(out.iter().enumerate().all(|(j, &w)| w == if i == j { 1.0 } else { 0.0 }));
    }
    method.weights(0.0, &mut out);
    assert_eq!(out, [0.0; 5]);
}

#[test]
fn estimate_on_the_linear_equation() {
    let method = named("radau-iia-3");
    assert!((linear_error(&method, -0.1) - 3.06e-8).abs() < 5e-11);
    assert!((linear_error(&method, -1.0) - 1.48e-4).abs() < 5e-7);
    assert!((linear_error(&method, -1e9) - 0.07276).abs() < 5e-6);
    let small = linear_error(&method, -0.02) / 0.02f64.powi(4);
    assert!((small - 0.02 * 0.1 / 6.0).abs() < 1e-5, "{small:e}");
}

#[test]
fn estimates_have_their_orders_and_constants() {
    for method in all().iter().filter(|method| method.implicit_stages() <= 5) {
        let m = method.implicit_stages();
        let scale = if method.tableau.name == "radau-iia-1" { 0.5 } else { 0.02 };
        let nodes: f64 = method.c.iter().product();
        let exact = scale * nodes / (1..=m).product::<usize>() as f64;
        // |η/z^{m+1}| at z, z/2, z/4, extrapolated to z = 0; z is larger where η would drown in rounding.
        let ratio = |z: f64| (linear_error(method, z) / z.powi(m as i32 + 1)).abs();
        let z = -0.02 * 3f64.powi(m as i32 - 2).max(1.0);
        let found = (8.0 * ratio(0.25 * z) - 6.0 * ratio(0.5 * z) + ratio(z)) / 3.0;
        assert!((found / exact - 1.0).abs() < 0.01, "{}: {found:e}, not {exact:e}", method.tableau.name);
        let limit = linear_error(method, -1e10).abs();
        // Infinitely stiff stages are w_0 y_n.
        let stages: f64 = (0..m).map(|i| lagrange(&method.c, i, 0.0) * method.w_start[i]).sum();
        let exact = scale / method.estimator.gamma * (1.0 - stages).abs();
        assert!((limit - exact).abs() < 1e-6, "{}: {limit}", method.tableau.name);
    }
}

#[test]
fn estimate_of_the_implicit_form_is_the_same() {
    // Φ = ẏ − λy with h = 1: J = −z, M = 1.
    for method in all() {
        let (z, estimator) = (-0.7, &method.estimator);
        let (increments, rates) = linear_stages(&method, z);
        let end = 1.0 + dot(&method.d, &increments) + method.d_start * z;
        let rate = (dot(&estimator.difference, &rates) - estimator.start_weight * z) / estimator.gamma;
        let error = -(rate - z * end) / (1.0 / estimator.gamma - z);
        // Rounding grows with the weights of the extrapolation to the start.
        let size: f64 = estimator.increments.iter().map(|e| e.abs()).sum();
        let off = (error + linear_error(&method, z)).abs();
        assert!(off < 1e-15 * (1.0 + size), "{}: {off:e} with {size}", method.tableau.name);
    }
}

/// ŷ as a Runge–Kutta method of its own: the start, the stages, and ŷ as a last implicit stage.
fn second_solution(method: &Collocation) -> Tableau {
    let (inner, s) = (&method.tableau, method.tableau.stages());
    let estimator = &method.estimator;
    let mut last = vec![estimator.start_weight];
    last.extend(&inner.b[..s - method.implicit_stages()]);
    last.extend(&estimator.weights);
    last.push(estimator.gamma);
    let mut a = vec![0.0; s + 2];
    for i in 0..s {
        a.push(0.0);
        a.extend(inner.row(i));
        a.push(0.0);
    }
    a.extend(&last);
    let c = [&[0.0], &inner.c[..], &[1.0]].concat();
    Tableau { name: inner.name.clone(), c, a, b: last, embedded: None, order: estimator.order }
}

#[test]
fn second_solutions_have_their_orders() {
    for method in all().iter().filter(|method| method.implicit_stages() <= 7) {
        let second = second_solution(method);
        // Against the implicit Euler method stands a solution of higher order, elsewhere one of lower
        // order.
        let exact = if method.tableau.order == 1 { 2 } else { second.order };
        let measured = measured_order(&second, &second.b, exact + 1, 2e-15);
        assert_eq!(measured, exact, "{}", method.tableau.name);
    }
}

#[test]
fn estimate_is_the_defect_at_the_start() {
    for method in all().iter().filter(|method| method.tableau.is_stiffly_accurate()) {
        let (s, m, estimator) = (method.tableau.stages(), method.implicit_stages(), &method.estimator);
        // e_i + γ̂ w_mi = −b̂_0 Σ_k ℓ_k(0) w_ki.
        for i in 0..m {
            let left = estimator.increments[i] + estimator.gamma * method.w[(m - 1) * m + i];
            let sum: f64 = (0..m).map(|k| lagrange(&method.c, k, 0.0) * method.w[k * m + i]).sum();
            assert!((left + estimator.start_weight * sum).abs() < 1e-13, "{} {s}", method.tableau.name);
        }
    }
}

#[test]
fn one_and_two_stages() {
    // Implicit Euler against the trapezoidal rule: h (ẏ_{n+1} − ẏ_n)/2, filtered by 1/(1 − z).
    let euler = named("implicit-euler");
    let z = -0.3;
    let exact = 0.5 * (z / (1.0 - z) - z) / (1.0 - z);
    assert!((linear_error(&euler, z) - exact).abs() < 1e-15);
    let estimator = &euler.estimator;
    assert_eq!((estimator.gamma, estimator.start_weight, estimator.weights[0]), (1.0, 0.5, -0.5));
    // Implicit midpoint: b̂_0 = ½ − 0.02, b̂_1 = 1 − b̂_0 − γ̂. Trapezoid: 0.02 of the explicit Euler
    // method.
    let estimator = named("implicit-midpoint").estimator;
    assert_eq!((estimator.gamma, estimator.start_weight), (0.5, 0.48));
    assert_close(&estimator.weights, &[0.02], 1e-16);
    let estimator = named("trapezoid").estimator;
    assert_eq!((estimator.gamma, estimator.start_weight, estimator.order), (0.5, 0.02, 1));
    assert_close(&estimator.weights, &[-0.02], 1e-16);
    // Radau IIA of two stages: A has eigenvalues (2 ± i√2)/6 of modulus 1/√6.
    let radau = named("radau-iia-2");
    assert!((radau.similarity.pairs[0][0] - 2.0).abs() < 1e-15);
    assert!((radau.similarity.pairs[0][1] - 2f64.sqrt()).abs() < 1e-15);
    let gamma = 1.0 / 6f64.sqrt();
    assert!((radau.estimator.gamma - gamma).abs() < 1e-15);
    assert_eq!((radau.estimator.real_block, radau.estimator.order), (None, 2));
    // b̂ = b − b̂_0 (3/2, −1/2) − γ̂ (0, 1).
    assert_close(&radau.estimator.weights, &[0.75 - 0.03, 0.25 + 0.01 - gamma], 1e-15);
}

#[test]
fn refuses_what_is_not_collocation() {
    let explicit = TABLEAUS.iter().find(|t| t.name == "heun").unwrap().tableau();
    assert_eq!(Collocation::new(explicit), Err(CollocationError::Explicit("heun".into())));
    let mut off = Tableau::radau_iia(2).unwrap();
    off.a[1] += 1e-6;
    let error = Collocation::new(off).unwrap_err();
    assert!(matches!(error, CollocationError::NotCollocation { stage: 1, .. }), "{error}");
    let mut same = Tableau::gauss(2).unwrap();
    same.c[1] = same.c[0];
    assert!(matches!(Collocation::new(same), Err(CollocationError::NotCollocation { .. })));
}
