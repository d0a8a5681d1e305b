//! State feedback u = −K x that gives ẋ = A x + B u wanted poles.
//!
//! One input (Ackermann's formula in the Hessenberg form of the controllability staircase, Qᵀb = β e₁, QᵀAQ =
//! H):
//!
//! ```text
//! k = e_nᵀ p(H) Qᵀ / (β h₂₁ h₃₂ … h_n,n₋₁),       p(s) = Π (s − λ_i)
//! ```
//! Several inputs (Sylvester's equation with a free matrix G): A X − X Λ = B G, K = G X⁻¹, hence (A − B K) X
//! = X Λ. Of a number of G the one with the best conditioned X is taken. Poles that A has already, for which
//! the equation is singular, are moved away by a first feedback; poles of more copies than inputs are placed
//! through one combination of them.

use crate::dense::{DenseError, DenseLu, Mat, MatRef, c64, condition, eigenvalues, singular_values};
use crate::random::Random;
use thiserror::Error;

/// Smallest singular value of [A − λ, B], relative to the largest, of a pole that an input can move.
const CONTROLLABLE: f64 = 1e-9;
/// Two poles closer than this share of their size are copies of one.
const SAME: f64 = 1e-9;
/// Matrices G that are tried.
const TRIALS: u64 = 40;
/// Deviation of the poles that were reached, relative to the largest, above which the feedback is no good.
const REACHED: f64 = 1e-2;

/// A feedback and what it reaches.
#[derive(Clone, Debug)]
pub struct Placement {
    /// K.
    pub gain: Mat<f64>,
    /// Eigenvalues of A − B K, in the order of the wanted poles.
    pub poles: Vec<c64>,
    /// Largest distance of a pole from the wanted one.
    pub deviation: f64,
    /// Condition number of the eigenvectors of A − B K; infinite where there is no full set of them.
    pub condition: f64,
}

/// Why poles cannot be placed.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum PlacementError {
    /// Not as many poles as states.
    #[error("{given} poles for {states} states: give one for each")]
    Count {
        /// Number of poles.
        given: usize,
        /// Number of states.
        states: usize,
    },
    /// A complex pole without its conjugate.
    #[error("the pole {re}{im:+}i comes without its conjugate: a real feedback gives both or none")]
    NotConjugate {
        /// Real part.
        re: f64,
        /// Imaginary part.
        im: f64,
    },
    /// A pole is not finite.
    #[error("a pole is not a finite number")]
    NotFinite,
    /// There is no input.
    #[error("there is no input that a feedback could use")]
    NoInput,
    /// The inputs do not reach a pole.
    #[error(
        "the inputs cannot move the pole {re:.6}{im:+.6}i: the system is not controllable ({reach:.1e} of full reach)"
    )]
    Uncontrollable {
        /// Real part of the pole.
        re: f64,
        /// Imaginary part.
        im: f64,
        /// Smallest singular value of [A − λ, B] over the largest.
        reach: f64,
    },
    /// The feedback misses the poles by rounding errors.
    #[error(
        "the problem is ill-conditioned: the best feedback misses the poles by {deviation:.1e}; choose poles nearer to those of the system, or less close to each other"
    )]
    IllConditioned {
        /// Largest distance from a wanted pole.
        deviation: f64,
    },
    /// A dense computation failed.
    #[error(transparent)]
    Dense(#[from] DenseError),
}

/// K such that A − B K has the poles.
pub fn place(a: MatRef<'_, f64>, b: MatRef<'_, f64>, poles: &[c64]) -> Result<Placement, PlacementError> {
    let n = a.nrows();
    if b.nrows() != n {
        return Err(DenseError::Shape { expected: n, found: b.nrows() }.into());
    }
    let poles = check(poles, n)?;
    if b.ncols() == 0 {
        return Err(PlacementError::NoInput);
    }
    // States in units in which A is balanced: x = T x̂.
    let t = balance(a);
    let a_even = Mat::from_fn(n, n, |i, j| a[(i, j)] * t[j] / t[i]);
    let b_even = Mat::from_fn(n, b.ncols(), |i, j| b[(i, j)] / t[i]);
    let inputs: Vec<f64> = (0..b.ncols()).map(|j| column_size(&b_even, j)).collect();
    let b_even = Mat::from_fn(n, b.ncols(), |i, j| b_even[(i, j)] / inputs[j]);
    check_reach(&a_even, &b_even)?;
    let candidates = match b.ncols() {
        1 => vec![ackermann(&a_even, &b_even, &poles)],
        _ => several(&a_even, &b_even, &poles)?,
    };
    let mut best: Option<Placement> = None;
    for gain in candidates {
        if (0..gain.nrows()).any(|i| (0..n).any(|j| !gain[(i, j)].is_finite())) {
            continue;
        }
        let closed = &a_even - &b_even * &gain;
        let (reached, deviation) = matched(&poles, eigenvalues(closed.as_ref())?);
        let condition = eigenvector_condition(&closed)?;
        if best.as_ref().is_none_or(|b| deviation < b.deviation) {
            let gain = Mat::from_fn(gain.nrows(), n, |i, j| gain[(i, j)] / (inputs[i] * t[j]));
            best = Some(Placement { gain, poles: reached, deviation, condition });
        }
    }
    let best = best.ok_or(PlacementError::IllConditioned { deviation: f64::INFINITY })?;
    let size = poles.iter().map(|p| p.norm()).fold(a_even.norm_max().min(1.0), f64::max);
    match best.deviation <= REACHED * size {
        true => Ok(best),
        false => Err(PlacementError::IllConditioned { deviation: best.deviation }),
    }
}

/// The poles as a list in which conjugates follow each other, the one above the axis first.
fn check(poles: &[c64], states: usize) -> Result<Vec<c64>, PlacementError> {
    if poles.len() != states {
        return Err(PlacementError::Count { given: poles.len(), states });
    }
    if poles.iter().any(|p| !p.re.is_finite() || !p.im.is_finite()) {
        return Err(PlacementError::NotFinite);
    }
    let mut left = poles.to_vec();
    let mut ordered = Vec::with_capacity(states);
    while !left.is_empty() {
        let pole = left.remove(0);
        if pole.im == 0.0 {
            ordered.push(pole);
            continue;
        }
        let twin = left.iter().position(|other| (other.conj() - pole).norm() <= SAME * pole.norm());
        let Some(twin) = twin else {
            return Err(PlacementError::NotConjugate { re: pole.re, im: pole.im });
        };
        left.remove(twin);
        let upper = if pole.im > 0.0 { pole } else { pole.conj() };
        ordered.extend([upper, upper.conj()]);
    }
    Ok(ordered)
}

fn column_size(m: &Mat<f64>, j: usize) -> f64 {
    let size = (0..m.nrows()).map(|i| m[(i, j)].abs()).fold(0.0, f64::max);
    if size > 0.0 { size } else { 1.0 }
}

/// Powers of two t with which diag(t)⁻¹ A diag(t) has rows and columns of about one size (Parlett and
/// Reinsch).
pub fn balance(a: MatRef<'_, f64>) -> Vec<f64> {
    let n = a.nrows();
    let mut t = vec![1.0f64; n];
    for _ in 0..20 {
        let mut changed = false;
        for i in 0..n {
            let others = || (0..n).filter(|&j| j != i);
            let column: f64 = others().map(|j| (a[(j, i)] * t[i] / t[j]).abs()).sum();
            let row: f64 = others().map(|j| (a[(i, j)] * t[j] / t[i]).abs()).sum();
            if column == 0.0 || row == 0.0 {
                continue;
            }
            let factor = 2f64.powi((0.5 * (row / column).log2()).round() as i32);
            if factor != 1.0 && column * factor + row / factor < 0.95 * (column + row) {
                t[i] *= factor;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    t
}

/// Hautus: [A − λ, B] has full rank for every eigenvalue λ.
fn check_reach(a: &Mat<f64>, b: &Mat<f64>) -> Result<(), PlacementError> {
    let (n, m) = (a.nrows(), b.ncols());
    let scale = a.norm_max().max(f64::MIN_POSITIVE);
    let mut worst: Option<(f64, c64)> = None;
    for value in eigenvalues(a.as_ref())? {
        // Real form of a complex matrix: [Re −Im; Im Re].
        let entry = |i: usize, j: usize| -> (f64, f64) {
            match j < n {
                true if i == j => ((a[(i, j)] - value.re) / scale, -value.im / scale),
                true => (a[(i, j)] / scale, 0.0),
                false => (b[(i, j - n)], 0.0),
            }
        };
        let real = Mat::from_fn(2 * n, 2 * (n + m), |i, j| {
            let (re, im) = entry(i % n, j % (n + m));
            match (i < n, j < n + m) {
                (true, true) | (false, false) => re,
                (true, false) => -im,
                (false, true) => im,
            }
        });
        let values = singular_values(real.as_ref())?;
        let reach = values[2 * n - 1] / values[0];
        if worst.as_ref().is_none_or(|(least, _)| reach < *least) {
            worst = Some((reach, value));
        }
    }
    match worst {
        Some((reach, pole)) if reach < CONTROLLABLE => {
            Err(PlacementError::Uncontrollable { re: pole.re, im: pole.im, reach })
        }
        _ => Ok(()),
    }
}

/// Q with Qᵀb = β e₁ and QᵀAQ = H upper Hessenberg, by Householder reflections.
fn staircase(a: &Mat<f64>, b: &[f64]) -> (Mat<f64>, Mat<f64>, f64) {
    let n = a.nrows();
    let (mut h, mut q) = (a.clone(), Mat::<f64>::identity(n, n));
    let mut beta = 0.0;
    for step in 0..n {
        let start = step;
        let x: Vec<f64> = match step {
            0 => b.to_vec(),
            _ => (start..n).map(|i| h[(i, step - 1)]).collect(),
        };
        let norm = x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let alpha = if x[0] > 0.0 { -norm } else { norm };
        let mut v = x;
        v[0] -= alpha;
        let size = v.iter().map(|v| v * v).sum::<f64>();
        if step == 0 {
            beta = alpha;
        }
        if size == 0.0 {
            continue;
        }
        for j in 0..n {
            let along = 2.0 * v.iter().enumerate().map(|(i, v)| v * h[(start + i, j)]).sum::<f64>() / size;
            v.iter().enumerate().for_each(|(i, v)| h[(start + i, j)] -= along * v);
        }
        for m in [&mut h, &mut q] {
            for i in 0..n {
                let along =
                    2.0 * v.iter().enumerate().map(|(j, v)| v * m[(i, start + j)]).sum::<f64>() / size;
                v.iter().enumerate().for_each(|(j, v)| m[(i, start + j)] -= along * v);
            }
        }
    }
    (h, q, beta)
}

/// The feedback of one input. Each factor H − λ is divided by the subdiagonal entry that it brings in.
fn ackermann(a: &Mat<f64>, b: &Mat<f64>, poles: &[c64]) -> Mat<f64> {
    let n = a.nrows();
    let column: Vec<f64> = (0..n).map(|i| b[(i, 0)]).collect();
    let (h, q, beta) = staircase(a, &column);
    // Divisors in the order in which they are met: h_n,n₋₁, …, h₂₁, β.
    let mut divisors: Vec<f64> = (1..n).rev().map(|i| h[(i, i - 1)]).collect();
    divisors.push(beta);
    let times = |row: &[f64], re: f64, by: f64| -> Vec<f64> {
        let entry = |j: usize| (0..n).map(|i| row[i] * h[(i, j)]).sum::<f64>() - re * row[j];
        (0..n).map(|j| entry(j) / by).collect()
    };
    let mut row = vec![0.0; n];
    row[n - 1] = 1.0;
    let mut k = 0;
    while k < n {
        let pole = poles[k];
        if pole.im == 0.0 {
            row = times(&row, pole.re, divisors[k]);
            k += 1;
            continue;
        }
        // (H − λ)(H − λ̄) = (H − Re λ)² + Im²λ.
        let once = times(&row, pole.re, divisors[k]);
        let twice = times(&once, pole.re, divisors[k + 1]);
        let rest = pole.im * pole.im / (divisors[k] * divisors[k + 1]);
        row = twice.iter().zip(&row).map(|(t, r)| t + rest * r).collect();
        k += 2;
    }
    Mat::from_fn(1, n, |_, j| (0..n).map(|i| row[i] * q[(j, i)]).sum())
}

/// Candidates for several inputs.
fn several(a: &Mat<f64>, b: &Mat<f64>, poles: &[c64]) -> Result<Vec<Mat<f64>>, PlacementError> {
    let (n, m) = (a.nrows(), b.ncols());
    let copies = |p: &c64| poles.iter().filter(|o| (**o - *p).norm() <= SAME * p.norm().max(1e-300)).count();
    let own = eigenvalues(a.as_ref())?;
    let scale = a.norm_max().max(poles.iter().map(|p| p.norm()).fold(0.0, f64::max));
    let meets = own.iter().any(|v| poles.iter().any(|p| (v - p).norm() <= 1e-6 * scale));
    let mut random = Random::new(7);
    let mut candidates: Vec<(f64, Mat<f64>)> = vec![];
    for trial in 0..TRIALS {
        // A first feedback where the equation would be singular, or A may not be cyclic.
        let size = if meets || copies_exceed(poles, &copies, m) || trial % 4 == 3 { scale } else { 0.0 };
        let first = Mat::from_fn(m, n, |_, _| size * random.number());
        let moved = a - b * &first;
        let g = Mat::from_fn(m, n, |_, _| random.number());
        let (gain, quality) = if copies_exceed(poles, &copies, m) {
            let mix: Vec<f64> = (0..m).map(|_| random.number()).collect();
            let single = Mat::from_fn(n, 1, |i, _| (0..m).map(|j| b[(i, j)] * mix[j]).sum());
            let k = ackermann(&moved, &single, poles);
            (Mat::from_fn(m, n, |i, j| mix[i] * k[(0, j)]), k.norm_max())
        } else {
            let Some(x) = sylvester(&moved, poles, &(b * &g)) else { continue };
            let quality = condition(x.as_ref())?;
            let Some(gain) = right_divide(&g, &x) else { continue };
            (gain, quality)
        };
        candidates.push((quality, &gain + &first));
    }
    candidates.retain(|(quality, _)| quality.is_finite());
    candidates.sort_by(|x, y| x.0.total_cmp(&y.0));
    candidates.truncate(3);
    Ok(candidates.into_iter().map(|(_, gain)| gain).collect())
}

/// Whether a pole is wanted more often than inputs can give it with eigenvectors of its own.
fn copies_exceed(poles: &[c64], copies: &dyn Fn(&c64) -> usize, inputs: usize) -> bool {
    poles.iter().any(|p| copies(p) > inputs)
}

/// X of A X − X Λ = R with Λ real: columns by pairs for complex poles. None where a pole is one of A.
fn sylvester(a: &Mat<f64>, poles: &[c64], right: &Mat<f64>) -> Option<Mat<f64>> {
    let n = a.nrows();
    let mut x = Mat::zeros(n, n);
    let mut k = 0;
    while k < n {
        let pole = poles[k];
        let wide = if pole.im == 0.0 { 1 } else { 2 };
        // Λ = [re im; −im re]: A x₁ − re x₁ + im x₂ = r₁, A x₂ − im x₁ − re x₂ = r₂.
        let entry = |i: usize, j: usize| {
            let (p, q) = (i / n, j / n);
            let own = if p == q { a[(i % n, j % n)] } else { 0.0 };
            let unit = if i % n == j % n { 1.0 } else { 0.0 };
            let shift = match (p, q) {
                (0, 1) => pole.im,
                (1, 0) => -pole.im,
                _ => -pole.re,
            };
            own + unit * shift
        };
        let big = Mat::from_fn(wide * n, wide * n, entry);
        let mut column: Vec<f64> = (0..wide * n).map(|i| right[(i % n, k + i / n)]).collect();
        DenseLu::new(big.as_ref()).ok()?.solve(&mut column);
        if column.iter().any(|x| !x.is_finite()) {
            return None;
        }
        // Eigenvectors of length one keep X as even as they let it be; G is scaled alike by K = G X⁻¹.
        (0..wide * n).for_each(|i| x[(i % n, k + i / n)] = column[i]);
        k += wide;
    }
    Some(x)
}

/// G X⁻¹.
fn right_divide(g: &Mat<f64>, x: &Mat<f64>) -> Option<Mat<f64>> {
    let n = x.nrows();
    let lu = DenseLu::new(x.transpose()).ok()?;
    let mut k = Mat::zeros(g.nrows(), n);
    for i in 0..g.nrows() {
        let mut row: Vec<f64> = (0..n).map(|j| g[(i, j)]).collect();
        lu.solve(&mut row);
        if row.iter().any(|x| !x.is_finite()) {
            return None;
        }
        (0..n).for_each(|j| k[(i, j)] = row[j]);
    }
    Some(k)
}

/// Eigenvalues in the order of the wanted ones, each the nearest that is left, and the largest distance.
fn matched(wanted: &[c64], mut found: Vec<c64>) -> (Vec<c64>, f64) {
    let mut ordered = Vec::with_capacity(found.len());
    let mut deviation: f64 = 0.0;
    for pole in wanted {
        let distance = |value: &c64| (value - pole).norm();
        let nearest = (0..found.len()).min_by(|&i, &j| distance(&found[i]).total_cmp(&distance(&found[j])));
        let Some(nearest) = nearest else { break };
        let value = found.remove(nearest);
        deviation = deviation.max(distance(&value));
        ordered.push(value);
    }
    (ordered, deviation)
}

/// Condition number of the eigenvectors, from their real form.
fn eigenvector_condition(a: &Mat<f64>) -> Result<f64, DenseError> {
    let n = a.nrows();
    let (_, v) = crate::dense::eigenvectors(a.as_ref())?;
    let real = Mat::from_fn(2 * n, 2 * n, |i, j| {
        let value = v[(i % n, j % n)];
        match (i < n, j < n) {
            (true, true) | (false, false) => value.re,
            (true, false) => -value.im,
            (false, true) => value.im,
        }
    });
    condition(real.as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: &[&[f64]]) -> Mat<f64> {
        Mat::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
    }

    fn c(re: f64, im: f64) -> c64 {
        c64::new(re, im)
    }

    fn cart() -> (Mat<f64>, Mat<f64>) {
        let a = matrix(&[
            &[0.0, 0.0, 1.0, 0.0],
            &[0.0, 0.0, 0.0, 1.0],
            &[0.0, -1.96, 0.0, 0.0],
            &[0.0, 47.04, 0.0, 0.0],
        ]);
        (a, matrix(&[&[0.0], &[0.0], &[2.0], &[-8.0]]))
    }

    /// lagrangian-dae-modeling VC-6.19: K as printed, and from the closed forms of the coefficients ρ.
    #[test]
    fn inverted_pendulum() {
        let (a, b) = cart();
        let poles = [c(-10.0, 1.0), c(-10.0, -1.0), c(-10.0, 2.0), c(-10.0, -2.0)];
        let found = place(a.as_ref(), b.as_ref(), &poles).unwrap();
        for (j, printed) in [-133.980, -115.000, -52.296, -18.074].iter().enumerate() {
            assert!((found.gain[(0, j)] - printed).abs() < 5.1e-4, "{:?}", found.gain);
        }
        // ρ₀ = −k₁ g/(m₁ l) = 10504, ρ₁ = −g k₃/(m₁ l) = 4100, ρ₃ = k₃/m₁ − k₄/(m₁ l) = 40.
        let (m1, l, g) = (0.5, 0.25, 9.8);
        assert!((found.gain[(0, 0)] + 10504.0 * m1 * l / g).abs() < 1e-9);
        assert!((found.gain[(0, 2)] + 4100.0 * m1 * l / g).abs() < 1e-9);
        assert!((found.gain[(0, 2)] / m1 - found.gain[(0, 3)] / (m1 * l) - 40.0).abs() < 1e-9);
        assert!(found.deviation < 1e-6, "{}", found.deviation);
    }

    /// A double integrator: k = (ω², 2ζω), also for a double pole.
    #[test]
    fn double_integrator() {
        let (a, b) = (matrix(&[&[0.0, 1.0], &[0.0, 0.0]]), matrix(&[&[0.0], &[1.0]]));
        let found = place(a.as_ref(), b.as_ref(), &[c(-3.0, 4.0), c(-3.0, -4.0)]).unwrap();
        assert!((found.gain[(0, 0)] - 25.0).abs() < 1e-13 && (found.gain[(0, 1)] - 6.0).abs() < 1e-13);
        let found = place(a.as_ref(), b.as_ref(), &[c(-2.0, 0.0), c(-2.0, 0.0)]).unwrap();
        assert!((found.gain[(0, 0)] - 4.0).abs() < 1e-13 && (found.gain[(0, 1)] - 4.0).abs() < 1e-13);
    }

    /// Random systems of one to three inputs: the poles are reached.
    #[test]
    fn random_systems() {
        let mut random = Random::new(3);
        for (n, m) in [(1, 1), (3, 1), (6, 1), (4, 2), (6, 3), (8, 2), (5, 5)] {
            let a = Mat::from_fn(n, n, |_, _| 2.0 * random.number());
            let b = Mat::from_fn(n, m, |_, _| random.number());
            let mut poles: Vec<c64> = (0..n / 2)
                .flat_map(|k| [c(-1.0 - 0.5 * k as f64, 0.7), c(-1.0 - 0.5 * k as f64, -0.7)])
                .collect();
            poles.extend((n % 2 == 1).then_some(c(-2.2, 0.0)));
            let found = place(a.as_ref(), b.as_ref(), &poles).unwrap();
            assert!(found.deviation < 1e-8, "{n} {m}: {}", found.deviation);
        }
    }

    /// Poles that the system has already, and one pole more often than there are inputs.
    #[test]
    fn shared_and_repeated_poles() {
        let a = matrix(&[&[-1.0, 1.0, 0.0], &[0.0, -2.0, 1.0], &[0.0, 0.0, 3.0]]);
        let b = matrix(&[&[1.0, 0.0], &[0.0, 1.0], &[1.0, 1.0]]);
        let found = place(a.as_ref(), b.as_ref(), &[c(-1.0, 0.0), c(-2.0, 0.0), c(-3.0, 0.0)]).unwrap();
        assert!(found.deviation < 1e-8, "{}", found.deviation);
        let found = place(a.as_ref(), b.as_ref(), &[c(-4.0, 0.0); 3]).unwrap();
        assert!(found.deviation < 1e-3, "{}", found.deviation);
    }

    #[test]
    fn refusals() {
        let (a, b) = cart();
        let few = place(a.as_ref(), b.as_ref(), &[c(-1.0, 0.0)]).unwrap_err();
        assert_eq!(few, PlacementError::Count { given: 1, states: 4 });
        let odd = [c(-1.0, 1.0), c(-1.0, 1.0), c(-1.0, 0.0), c(-2.0, 0.0)];
        let odd = place(a.as_ref(), b.as_ref(), &odd).unwrap_err();
        assert_eq!(odd, PlacementError::NotConjugate { re: -1.0, im: 1.0 });
        // The second state is out of reach; its pole is 5.
        let (a, b) = (matrix(&[&[1.0, 1.0], &[0.0, 5.0]]), matrix(&[&[1.0], &[0.0]]));
        let error = place(a.as_ref(), b.as_ref(), &[c(-1.0, 0.0), c(-2.0, 0.0)]).unwrap_err();
        assert!(matches!(error, PlacementError::Uncontrollable { re, .. } if (re - 5.0).abs() < 1e-12));
    }
}
