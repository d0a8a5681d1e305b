//! Stability of an equilibrium: the tangent stiffness on the motions that the constraints allow.
//!
//! ```text
//! K z = μ M z,   G z = 0          small motions: z̈ = −μ z
//! ```
//! μ > 0 oscillates, μ < 0 diverges, μ = 0 has no stiffness; a μ that is not real (K not symmetric) flutters. Damping is
//! left out.

use crate::modes::lowest_stiffness;
use crate::tangent::{Tangent, Weights};
use poinsot_mechanics::{State, System};
use poinsot_numerics::dense::{DenseError, DenseLu, Mat, c64, eigenvectors, expand};

/// Most coordinates for which all directions are looked at.
const DENSE_LIMIT: usize = 400;
/// How many of the lowest eigenvalues are reported, and looked for in larger systems.
const LOWEST: usize = 6;
/// A singular value of the scaled Jacobian below this share of the largest counts as zero.
const RANK: f64 = 1e-9;
/// μ below this share of the stiffness terms that it is made of counts as zero.
const NEUTRAL: f64 = 1e-10;
/// μ below this share of the largest is rounding of the eigenvalue solver.
const ROUNDING: f64 = 1e-12;
/// An imaginary part below this share of μ counts as rounding.
const REAL: f64 = 1e-6;

/// Whether a small disturbance stays small, to first order and without damping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stability {
    /// Every direction has a positive stiffness, or there is no freedom at all.
    Stable,
    /// No direction is unstable, but some have no stiffness.
    Neutral,
    /// Some directions move away.
    Unstable,
}

/// Stability with the number of directions behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StaticStability {
    /// The verdict.
    pub stability: Stability,
    /// Directions that diverge, μ < 0.
    pub negative: usize,
    /// Directions without stiffness, μ = 0.
    pub zero: usize,
    /// Directions that flutter, μ not real.
    pub flutter: usize,
    /// Whether all directions were looked at. In systems of more than 400 coordinates only the lowest six are; then the
    /// counts are lower bounds.
    pub complete: bool,
}

const MASS: Weights = Weights { mass: 1.0, stiffness: 0.0 };
const STIFFNESS: Weights = Weights { mass: 0.0, stiffness: 1.0 };

/// The verdict and the lowest μ by their real parts; `scale` is a typical μ of the system.
pub(crate) fn judge(
    system: &System,
    tangent: &mut Tangent,
    state: &State,
    a: &[f64],
    scale: f64,
) -> Result<(StaticStability, Vec<f64>), DenseError> {
    let zero = vec![0.0; system.size()];
    let mass = tangent.assemble(system, state, &zero, MASS).to_vec();
    let stiffness = tangent.assemble(system, state, a, STIFFNESS).to_vec();
    if system.coordinates() <= DENSE_LIMIT {
        return Reduced::new(system, &mass, &stiffness)?.judge(scale);
    }
    let values = lowest_stiffness(system, state, a, LOWEST)
        .map_err(|_| DenseError::NoConvergence("lowest eigenvalues of the stiffness"))?;
    let noise = vec![1e2 * NEUTRAL * scale; values.len()];
    Ok(count(&values, &noise, false))
}

/// Sorts eigenvalues into kinds; `noise` is what rounding leaves of each.
fn count(values: &[c64], noise: &[f64], complete: bool) -> (StaticStability, Vec<f64>) {
    let (mut negative, mut zero, mut flutter) = (0, 0, 0);
    for (value, &noise) in values.iter().zip(noise) {
        let size = value.re.hypot(value.im);
        if size <= noise {
            zero += 1;
        } else if value.im.abs() > noise.max(REAL * size) {
            flutter += 1;
        } else if value.re < 0.0 {
            negative += 1;
        }
    }
    let stability = match (negative + flutter, zero) {
        (0, 0) => Stability::Stable,
        (0, _) => Stability::Neutral,
        _ => Stability::Unstable,
    };
    let mut lowest: Vec<f64> = values.iter().map(|v| v.re).collect();
    lowest.sort_by(f64::total_cmp);
    lowest.truncate(LOWEST);
    (StaticStability { stability, negative, zero, flutter, complete }, lowest)
}

/// M and K as full matrices, with an orthonormal basis Z of the directions G z = 0.
struct Reduced {
    mass: Mat<f64>,
    stiffness: Mat<f64>,
    basis: Mat<f64>,
}

impl Reduced {
    fn new(system: &System, mass: &[f64], stiffness: &[f64]) -> Result<Self, DenseError> {
        let is_row = system.is_constraint_row();
        let (rows, unknowns): (Vec<usize>, Vec<usize>) = (0..system.size()).partition(|&k| is_row[k]);
        let units = crate::tangent::units(system, system.length_scale());
        let n = unknowns.len();
        let full = expand(system.pattern(), stiffness);
        // Unknowns in their own units, so that lengths and angles weigh alike.
        let part = |from: &Mat<f64>| {
            let entry = |i: usize, j: usize| from[(i, j)] * units[i] * units[j];
            Mat::from_fn(n, n, |i, j| entry(unknowns[i], unknowns[j]))
        };
        let jacobian = Mat::from_fn(rows.len(), n, |k, j| full[(rows[k], unknowns[j])] * units[unknowns[j]]);
        Ok(Reduced {
            mass: part(&expand(system.pattern(), mass)),
            stiffness: part(&full),
            basis: null_space(jacobian)?,
        })
    }

    /// The eigenvalues of (ZᵀMZ)⁻¹ (ZᵀKZ).
    fn judge(&self, scale: f64) -> Result<(StaticStability, Vec<f64>), DenseError> {
        let free = self.basis.ncols();
        if free == 0 {
            return Ok(count(&[], &[], true));
        }
        let reduce = |a: &Mat<f64>| self.basis.transpose() * a * &self.basis;
        let pencil = quotient(&reduce(&self.mass), &reduce(&self.stiffness))?;
        let (values, vectors) = eigenvectors(pencil.as_ref())?;
        let largest = values.iter().map(|v| v.norm()).fold(0.0, f64::max);
        let noise: Vec<f64> =
            (0..free).map(|j| self.noise(&vectors, j).max(ROUNDING * largest).max(NEUTRAL * scale)).collect();
        Ok(count(&values, &noise, true))
    }

    /// What rounding leaves of μ in direction z = Z y: NEUTRAL |z|ᵀ|K||z| / |z|ᵀ|M||z|.
    fn noise(&self, vectors: &Mat<c64>, column: usize) -> f64 {
        let n = self.basis.nrows();
        let size = |i: usize| {
            let terms = (0..self.basis.ncols()).map(|l| vectors[(l, column)] * self.basis[(i, l)]);
            terms.fold(c64::new(0.0, 0.0), |sum, term| sum + term).norm()
        };
        let z: Vec<f64> = (0..n).map(size).collect();
        let form = |a: &Mat<f64>| -> f64 {
            (0..n).flat_map(|j| (0..n).map(move |i| (i, j))).map(|(i, j)| a[(i, j)].abs() * z[i] * z[j]).sum()
        };
        NEUTRAL * form(&self.stiffness) / form(&self.mass).max(f64::MIN_POSITIVE)
    }
}

/// A⁻¹ B.
fn quotient(a: &Mat<f64>, b: &Mat<f64>) -> Result<Mat<f64>, DenseError> {
    let n = a.nrows();
    let lu = DenseLu::new(a.as_ref())?;
    let mut result = Mat::zeros(n, n);
    for j in 0..n {
        let mut column: Vec<f64> = (0..n).map(|i| b[(i, j)]).collect();
        lu.solve(&mut column);
        (0..n).for_each(|i| result[(i, j)] = column[i]);
    }
    Ok(result)
}

/// Orthonormal basis of G z = 0, from the right singular vectors of G with rows of length one.
fn null_space(mut g: Mat<f64>) -> Result<Mat<f64>, DenseError> {
    let (rows, n) = (g.nrows(), g.ncols());
    for k in 0..rows {
        let norm = (0..n).map(|j| g[(k, j)].powi(2)).sum::<f64>().sqrt();
        (0..n).for_each(|j| g[(k, j)] /= norm.max(f64::MIN_POSITIVE));
    }
    if rows == 0 {
        return Ok(Mat::from_fn(n, n, |i, j| f64::from(u8::from(i == j))));
    }
    let singular = poinsot_numerics::dense::singular_values(g.as_ref())?;
    let largest = singular.first().copied().unwrap_or(0.0);
    let rank = singular.iter().filter(|s| **s > RANK * largest).count();
    let svd = g.svd().map_err(|_| DenseError::NoConvergence("singular values"))?;
    let v = svd.V();
    Ok(Mat::from_fn(n, n - rank, |i, j| v[(i, rank + j)]))
}
