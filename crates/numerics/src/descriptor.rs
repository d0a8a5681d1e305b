//! Linear differential-algebraic systems, reduced exactly to their states:
//!
//! ```text
//! E ẋ = A x + B u,   E singular      →      ż = A_z z + B_z u,     x = Z z + X₀ u (+ X₁ u̇ + …)
//! ```
//! Rows N of the left null space of E are constraints. They are kept, and differentiated once in place:
//!
//! ```text
//! 0 = N A x + N B u      →      C, D grow by N A, N B;      E: N A,   A: 0,   B₁: −N B
//! ```
//! until E is regular; index k takes k rounds. Then the infinite eigenvalues are gone: C x + Σ D_l u⁽ˡ⁾ = 0 has as many
//! independent rows as there were, the columns that C is resolved for are dependent, and the others are the states, which thus
//! are entries of x by name. Entries whose rate stands nowhere are made dependent first. If ż takes rates of u, z is
//! replaced by z − B₁ u − …, which does not jump with u.

use crate::dense::{DenseError, DenseLu, Mat};
use crate::subspace::{null_space, pivoted_columns};

/// A singular value below this share of the largest, after equilibration, counts as zero.
const RANK: f64 = 1e-10;
/// A constraint whose entries are below this share of those of A is rounding.
const NOTHING: f64 = 1e-13;
/// Rounds of differentiation at most; the index of mechanical systems with networks is small.
const MAX_ROUNDS: usize = 20;

/// E ẋ = A x + B u.
#[derive(Clone, Debug)]
pub struct Descriptor {
    /// E.
    pub e: Mat<f64>,
    /// A.
    pub a: Mat<f64>,
    /// B.
    pub b: Mat<f64>,
    /// The usual size of every entry of x: of dependent entries those are chosen that are resolved best in these units.
    pub sizes: Vec<f64>,
}

/// A descriptor system reduced to its states.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// Entries of x that are the states, ascending.
    pub states: Vec<usize>,
    /// A_z.
    pub a: Mat<f64>,
    /// B_z.
    pub b: Mat<f64>,
    /// Z.
    pub by_states: Mat<f64>,
    /// X₀.
    pub by_inputs: Mat<f64>,
    /// X₁: what the first rate of the inputs does to x; higher rates are in [`Reduction::improper`] only.
    pub by_input_rates: Mat<f64>,
    /// Rounds of differentiation: the index.
    pub index: usize,
    /// Whether states were shifted by a share of the inputs, so that they do not jump.
    pub shifted: bool,
    /// Whether x depends on second or higher rates of the inputs.
    pub improper: bool,
}

/// Why a descriptor system has no states.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DescriptorError {
    /// The equations do not determine x: a direction is free or an equation says what others say.
    #[error("the linearised equations do not determine entry {entry}")]
    Singular {
        /// The entry of x that is least determined.
        entry: usize,
    },
    /// A dense computation failed.
    #[error(transparent)]
    Dense(#[from] DenseError),
}

impl Descriptor {
    /// Reduces the system to its states.
    pub fn reduce(&self) -> Result<Reduction, DescriptorError> {
        let mut rounds = Rounds {
            e: self.e.clone(),
            a: self.a.clone(),
            b: vec![self.b.clone()],
            c: vec![],
            d: vec![],
            inputs: self.b.ncols(),
        };
        let mut index = 0;
        while rounds.differentiate()? {
            index += 1;
            if index > MAX_ROUNDS {
                return Err(DescriptorError::Singular { entry: rounds.undetermined()? });
            }
        }
        rounds.finish(self, index)
    }
}

/// The system between rounds, with inputs and their rates b[0], b[1], …
struct Rounds {
    e: Mat<f64>,
    a: Mat<f64>,
    b: Vec<Mat<f64>>,
    /// Rows of constraints C.
    c: Vec<Vec<f64>>,
    /// Their inputs D_l, by level.
    d: Vec<Vec<Vec<f64>>>,
    inputs: usize,
}

/// The inverse of the largest entry, 1 for a row of zeros.
fn inverse_size(entries: impl Iterator<Item = f64>) -> f64 {
    let largest = entries.fold(0.0, |m: f64, x| m.max(x.abs()));
    if largest > 0.0 { 1.0 / largest } else { 1.0 }
}

/// Row and column scales with which the largest entries are about one.
fn equilibrate(m: &Mat<f64>) -> (Vec<f64>, Vec<f64>) {
    let (rows, columns) = (m.nrows(), m.ncols());
    let (mut r, mut c) = (vec![1.0; rows], vec![1.0; columns]);
    for _ in 0..3 {
        for (i, r) in r.iter_mut().enumerate() {
            *r = inverse_size((0..columns).map(|j| m[(i, j)] * c[j]));
        }
        for (j, c) in c.iter_mut().enumerate() {
            *c = inverse_size((0..rows).map(|i| m[(i, j)] * r[i]));
        }
    }
    (r, c)
}

fn scaled(m: &Mat<f64>, (r, c): (&[f64], &[f64])) -> Mat<f64> {
    Mat::from_fn(m.nrows(), m.ncols(), |i, j| r[i] * m[(i, j)] * c[j])
}

impl Rounds {
    /// One round; false where E is regular.
    fn differentiate(&mut self) -> Result<bool, DescriptorError> {
        let n = self.e.nrows();
        if n == 0 {
            return Ok(false);
        }
        let (r, c) = equilibrate(&self.e);
        let even = scaled(&self.e, (&r, &c)).transpose().to_owned();
        let (null, rank) = null_space(even.as_ref(), RANK)?;
        if rank == n {
            return Ok(false);
        }
        let (rest, _) = null_space(null.transpose(), 0.5)?;
        // Rows of the new system: those of the range, then those of the null space.
        let left = |basis: &Mat<f64>, m: &Mat<f64>| {
            let weighed = Mat::from_fn(n, m.ncols(), |i, j| r[i] * m[(i, j)]);
            basis.transpose() * weighed
        };
        let kept = n - null.ncols();
        let mut constraints = left(&null, &self.a);
        let mut by_inputs: Vec<Mat<f64>> = self.b.iter().map(|b| left(&null, b)).collect();
        let size = Mat::from_fn(n, n, |i, j| r[i] * self.a[(i, j)]).norm_max();
        for k in 0..constraints.nrows() {
            let scale = inverse_size((0..n).map(|j| constraints[(k, j)]));
            // A combination of equations without rates that says nothing about x.
            if (0..n).all(|j| constraints[(k, j)].abs() <= NOTHING * size) {
                return Err(DescriptorError::Singular { entry: self.undetermined()? });
            }
            (0..n).for_each(|j| constraints[(k, j)] *= scale);
            by_inputs.iter_mut().for_each(|b| (0..self.inputs).for_each(|j| b[(k, j)] *= scale));
        }
        for k in 0..constraints.nrows() {
            self.c.push((0..n).map(|j| constraints[(k, j)]).collect());
            let level = |b: &Mat<f64>| (0..self.inputs).map(|j| b[(k, j)]).collect();
            self.d.push(by_inputs.iter().map(level).collect());
        }
        let (e, a) = (left(&rest, &self.e), left(&rest, &self.a));
        self.e = Mat::from_fn(n, n, |i, j| if i < kept { e[(i, j)] } else { constraints[(i - kept, j)] });
        self.a = Mat::from_fn(n, n, |i, j| if i < kept { a[(i, j)] } else { 0.0 });
        let old: Vec<Mat<f64>> = self.b.iter().map(|b| left(&rest, b)).collect();
        let level = |l: usize| {
            Mat::from_fn(n, self.inputs, |i, j| match i < kept {
                true => old.get(l).map_or(0.0, |b| b[(i, j)]),
                false if l > 0 => -by_inputs[l - 1][(i - kept, j)],
                false => 0.0,
            })
        };
        let mut b: Vec<Mat<f64>> = (0..=old.len()).map(level).collect();
        while b.len() > 1 && b.last().is_some_and(|b| b.norm_max() == 0.0) {
            b.pop();
        }
        self.b = b;
        Ok(true)
    }

    /// The entry that stands most in the direction that E does not determine.
    fn undetermined(&self) -> Result<usize, DescriptorError> {
        let (r, c) = equilibrate(&self.e);
        let (null, _) = null_space(scaled(&self.e, (&r, &c)).as_ref(), RANK)?;
        let size = |i: usize| (0..null.ncols()).map(|j| null[(i, j)].abs()).fold(0.0, f64::max);
        Ok((0..self.e.nrows()).max_by(|&a, &b| size(a).total_cmp(&size(b))).unwrap_or(0))
    }

    /// ẋ from the regular E, x from the constraints.
    fn finish(self, given: &Descriptor, index: usize) -> Result<Reduction, DescriptorError> {
        let (n, m) = (self.e.nrows(), self.inputs);
        let c = Mat::from_fn(self.c.len(), n, |i, j| self.c[i][j]);
        let (dependent, states) = split(&c, given)?;
        let levels = self.d.iter().map(Vec::len).max().unwrap_or(0).max(self.b.len()).max(3);
        let d =
            |l: usize| Mat::from_fn(self.c.len(), m, |i, j| self.d[i].get(l).map_or(0.0, |level| level[j]));
        let resolve = Resolved::new(&c, &dependent)?;
        let free = Mat::from_fn(c.nrows(), states.len(), |i, j| c[(i, states[j])]);
        let mut z = resolve.particular(&free, n);
        states.iter().enumerate().for_each(|(j, &k)| z[(k, j)] = 1.0);
        let y: Vec<Mat<f64>> = (0..levels).map(|l| resolve.particular(&d(l), n)).collect();
        // ż = S E⁻¹ (A x + Σ B_l u⁽ˡ⁾).
        let (r, s) = equilibrate(&self.e);
        let lu = DenseLu::new(scaled(&self.e, (&r, &s)).as_ref())?;
        let rates = |right: Mat<f64>| {
            let mut out = Mat::zeros(states.len(), right.ncols());
            for j in 0..right.ncols() {
                let mut x: Vec<f64> = (0..n).map(|i| r[i] * right[(i, j)]).collect();
                if n > 0 {
                    lu.solve(&mut x);
                }
                states.iter().enumerate().for_each(|(i, &k)| out[(i, j)] = s[k] * x[k]);
            }
            out
        };
        let a = rates(&self.a * &z);
        let none = Mat::zeros(n, m);
        let b = (0..levels).map(|l| rates(&self.a * &y[l] + self.b.get(l).unwrap_or(&none))).collect();
        Ok(shift(states, a, b, z, y, index))
    }
}

/// z := z − Σ_k w_k u⁽ᵏ⁾ with w_k = B_{k+1} + A B_{k+2} + …, so that ż takes no rates of u.
fn shift(
    states: Vec<usize>,
    a: Mat<f64>,
    b: Vec<Mat<f64>>,
    z: Mat<f64>,
    y: Vec<Mat<f64>>,
    index: usize,
) -> Reduction {
    let levels = b.len();
    let none = Mat::zeros(a.nrows(), b[0].ncols());
    let mut w = vec![none; levels + 1];
    for k in (0..levels).rev() {
        w[k] = &b[k] + &a * &w[k + 1];
    }
    // w[k] now is Σ_l A^l B_{k+l}: w[0] is the whole input, w[k+1] what z is shifted by at level k.
    let x = |l: usize| &y[l] + &z * &w[l + 1];
    let size = y.iter().chain(&b).map(|m| m.norm_max()).fold(0.0, f64::max);
    let some = |m: &Mat<f64>| m.norm_max() > 1e-12 * size;
    Reduction {
        shifted: w[1..].iter().any(some),
        improper: (2..levels).any(|l| some(&x(l))),
        by_inputs: x(0),
        by_input_rates: x(1),
        b: w[0].clone(),
        states,
        a,
        by_states: z,
        index,
    }
}

/// C_d⁻¹ of the dependent columns.
struct Resolved<'a> {
    lu: Option<DenseLu>,
    rows: Vec<f64>,
    columns: Vec<f64>,
    dependent: &'a [usize],
}

impl<'a> Resolved<'a> {
    fn new(c: &Mat<f64>, dependent: &'a [usize]) -> Result<Self, DescriptorError> {
        let square = Mat::from_fn(c.nrows(), dependent.len(), |i, j| c[(i, dependent[j])]);
        let (rows, columns) = equilibrate(&square);
        let lu = match dependent.len() {
            0 => None,
            _ => Some(DenseLu::new(scaled(&square, (&rows, &columns)).as_ref())?),
        };
        Ok(Resolved { lu, rows, columns, dependent })
    }

    /// −C_d⁻¹ R in the dependent rows of n.
    fn particular(&self, right: &Mat<f64>, n: usize) -> Mat<f64> {
        let mut out = Mat::zeros(n, right.ncols());
        let Some(lu) = &self.lu else { return out };
        for j in 0..right.ncols() {
            let mut x: Vec<f64> = (0..right.nrows()).map(|i| -self.rows[i] * right[(i, j)]).collect();
            lu.solve(&mut x);
            for (i, &k) in self.dependent.iter().enumerate() {
                out[(k, j)] = self.columns[i] * x[i];
            }
        }
        out
    }
}

/// Dependent and independent columns of C: first those without a rate in E, then the others, each set by pivoting.
fn split(c: &Mat<f64>, given: &Descriptor) -> Result<(Vec<usize>, Vec<usize>), DescriptorError> {
    let (rows, n) = (c.nrows(), c.ncols());
    if rows == 0 {
        return Ok((vec![], (0..n).collect()));
    }
    let has_rate = |j: usize| (0..n).any(|i| given.e[(i, j)] != 0.0);
    let (second, first): (Vec<usize>, Vec<usize>) = (0..n).partition(|&j| has_rate(j));
    let weighed = Mat::from_fn(rows, n, |i, j| c[(i, j)] * given.sizes[j]);
    // Rows in units of their largest entry, so that all count alike.
    let row: Vec<f64> = (0..rows).map(|i| inverse_size((0..n).map(|j| weighed[(i, j)]))).collect();
    let weighed = Mat::from_fn(rows, n, |i, j| row[i] * weighed[(i, j)]);
    let columns = |set: &[usize]| Mat::from_fn(rows, set.len(), |i, j| weighed[(i, set[j])]);
    let mut dependent = vec![];
    let mut outside = Mat::<f64>::identity(rows, rows);
    if !first.is_empty() {
        let of = columns(&first);
        let (_, scale) = equilibrate(&of);
        let unit: Vec<f64> = vec![1.0; rows];
        let even = scaled(&of, (&unit, &scale));
        let pivots = pivoted_columns(even.as_ref())?;
        let rank = pivots.rank(RANK);
        dependent.extend(pivots.order[..rank].iter().map(|&k| first[k]));
        let chosen = Mat::from_fn(rows, rank, |i, j| even[(i, pivots.order[j])]);
        // Complement of the span of the chosen columns.
        outside = null_space(chosen.transpose(), RANK)?.0;
    }
    if outside.ncols() > 0 && !second.is_empty() {
        let of = outside.transpose() * columns(&second);
        let (scale, _) = equilibrate(&of);
        let unit: Vec<f64> = vec![1.0; second.len()];
        let pivots = pivoted_columns(scaled(&of, (&scale, &unit)).as_ref())?;
        let count = pivots.rank(RANK).min(outside.ncols());
        dependent.extend(pivots.order[..count].iter().map(|&k| second[k]));
    }
    if dependent.len() != rows {
        let entry = (0..n).find(|j| !dependent.contains(j)).unwrap_or(0);
        return Err(DescriptorError::Singular { entry });
    }
    let states = (0..n).filter(|j| !dependent.contains(j)).collect();
    Ok((dependent, states))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense::eigenvalues;

    fn matrix(rows: &[&[f64]]) -> Mat<f64> {
        Mat::from_fn(rows.len(), rows.first().map_or(0, |r| r.len()), |i, j| rows[i][j])
    }

    /// Cartesian pendulum at the bottom, (x, y, u, v, λ) with x² + y² = l²: index 3, states x and u, λ = ±i √(g/l).
    #[test]
    fn pendulum_of_index_three() {
        let (g, l, m) = (9.8, 0.3, 0.25);
        // y = −l, tension: m v̇ = −m g − 2 y λ → λ = m g/2l.
        let lambda = m * g / (2.0 * l);
        let mut e = Mat::<f64>::zeros(5, 5);
        (0..2).for_each(|k| e[(k, k)] = 1.0);
        (2..4).for_each(|k| e[(k, k)] = m);
        let mut a = Mat::<f64>::zeros(5, 5);
        (a[(0, 2)], a[(1, 3)]) = (1.0, 1.0);
        (a[(2, 0)], a[(3, 1)], a[(3, 4)]) = (-2.0 * lambda, -2.0 * lambda, 2.0 * l);
        a[(4, 1)] = -2.0 * l;
        let mut b = Mat::<f64>::zeros(5, 1);
        b[(2, 0)] = 1.0;
        let found = Descriptor { e, a, b, sizes: vec![1.0; 5] }.reduce().unwrap();
        assert_eq!((found.states.as_slice(), found.index), ([0, 2].as_slice(), 3));
        assert!((found.a[(1, 0)] + g / l).abs() < 1e-12 && (found.a[(0, 1)] - 1.0).abs() < 1e-14);
        assert!((found.b[(1, 0)] - 1.0 / m).abs() < 1e-13 && found.b[(0, 0)].abs() < 1e-14);
        assert!(!found.shifted && !found.improper);
    }

    /// A circuit of index 2: a source straight on a capacitor. The current is C u̇; nothing is left to move.
    #[test]
    fn capacitor_at_a_source() {
        // (v, i): C v̇ = i, v = u.
        let e = matrix(&[&[2e-6, 0.0], &[0.0, 0.0]]);
        let a = matrix(&[&[0.0, 1.0], &[-1.0, 0.0]]);
        let b = matrix(&[&[0.0], &[1.0]]);
        let found = Descriptor { e, a, b, sizes: vec![1.0; 2] }.reduce().unwrap();
        assert!(found.states.is_empty());
        assert!((found.by_inputs[(0, 0)] - 1.0).abs() < 1e-14);
        assert!((found.by_input_rates[(1, 0)] - 2e-6).abs() < 1e-18);
    }

    /// ẋ₁ + ẋ₂ = −x₁, x₂ = u: the state x₁ would take −u̇; shifted, ż = −z + u and x₁ = z − u.
    #[test]
    fn a_state_that_jumps_is_shifted() {
        let e = matrix(&[&[1.0, 1.0], &[0.0, 0.0]]);
        let a = matrix(&[&[-1.0, 0.0], &[0.0, -1.0]]);
        let b = matrix(&[&[0.0], &[1.0]]);
        let found = Descriptor { e, a, b, sizes: vec![1.0; 2] }.reduce().unwrap();
        assert!(found.shifted && found.states.len() == 1);
        assert!((found.a[(0, 0)] + 1.0).abs() < 1e-14 && found.by_input_rates.norm_max() < 1e-14);
        // G(s) of x₁ is −s/(s + 1): at s = 0 nothing, at infinity −1.
        let k = 0;
        let at_rest = found.by_states[(k, 0)] * found.b[(0, 0)] + found.by_inputs[(k, 0)];
        assert!(at_rest.abs() < 1e-14 && (found.by_inputs[(k, 0)] + 1.0).abs() < 1e-14);
    }

    /// A regular E, badly scaled, keeps the eigenvalues of E⁻¹A.
    #[test]
    fn regular_and_badly_scaled() {
        let e = matrix(&[&[1e-3, 0.0], &[0.0, 1e6]]);
        let a = matrix(&[&[-1e2, -1.0], &[1e6, -3e7]]);
        let found = Descriptor { e, a, b: Mat::zeros(2, 0), sizes: vec![1.0; 2] }.reduce().unwrap();
        assert_eq!((found.states.as_slice(), found.index), ([0, 1].as_slice(), 0));
        let mut values: Vec<f64> = eigenvalues(found.a.as_ref()).unwrap().iter().map(|v| v.re).collect();
        values.sort_by(f64::total_cmp);
        let mean: f64 = 0.5 * (1e5 + 30.0);
        let root = (mean * mean - (1e5 * 30.0 + 1e3)).sqrt();
        assert!(
            (values[0] + mean + root).abs() < 1e-7 && (values[1] + (3e6 + 1e3) / (mean + root)).abs() < 1e-10
        );
    }

    #[test]
    fn undetermined_directions_are_named() {
        // x₂ stands nowhere; the second equation repeats the first.
        let e = matrix(&[&[1.0, 0.0], &[1.0, 0.0]]);
        let a = matrix(&[&[-1.0, 0.0], &[-1.0, 0.0]]);
        let error = Descriptor { e, a, b: Mat::zeros(2, 0), sizes: vec![1.0; 2] }.reduce().unwrap_err();
        assert_eq!(error, DescriptorError::Singular { entry: 1 });
    }
}
