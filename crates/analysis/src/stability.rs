//! Stability of an equilibrium: the tangent stiffness on the motions that the constraints allow.
//!
//! ```text
//! K z = μ M z,   G z = 0          small motions: z̈ = −μ z
//! ```
//! μ > 0 oscillates, μ < 0 diverges, μ = 0 has no stiffness; a μ that is not real (K not symmetric) flutters. Damping is
//! left out.
//!
//! With first-order equations the eigenvalues of the states decide (Lyapunov's indirect method, lagrangian-dae-modeling
//! §1.28): ẋ = A x is asymptotically stable, and the nonlinear system with it, if all Re λ < 0; both are unstable if one
//! Re λ > 0; on the imaginary axis the linear system is marginal if every such λ has as many eigenvectors as copies, and
//! nothing is said of the nonlinear one.

use crate::reduced::{Reduced, is_symmetric};
use crate::tangent::{Tangent, Weights};
use poinsot_mechanics::{State, System};
use poinsot_numerics::dense::{DenseError, Mat, c64, eigenvalues};
use poinsot_numerics::pencil::Pencil;
use poinsot_numerics::{irregular, subspace};

/// Most coordinates for which all directions are looked at.
const DENSE_LIMIT: usize = 400;
/// How many of the lowest eigenvalues are reported, and looked for in larger systems.
const LOWEST: usize = 6;
/// μ below this share of a typical one counts as zero: an equilibrium is not found to more digits.
const NEUTRAL: f64 = 1e-10;
/// An imaginary part below this share of μ counts as rounding.
const REAL: f64 = 1e-6;
/// Iterations with a shift that is only passed, and with the last one.
const COARSE: usize = 12;
const FINE: usize = 60;

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
    /// Whether all directions were looked at. In systems of more than 400 coordinates only the lowest six are, by an
    /// iteration meant for symmetric stiffness; then the counts are lower bounds.
    pub complete: bool,
}

impl StaticStability {
    /// Of a position that nobody has judged.
    pub(crate) fn unjudged() -> Self {
        StaticStability { stability: Stability::Neutral, negative: 0, zero: 0, flutter: 0, complete: false }
    }
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
        return judge_all(&Reduced::statics(system, &stiffness, &mass)?, scale);
    }
    if system.coordinates() == system.active_rows() {
        return Ok(count(&[], &[], true));
    }
    let mut lowest = Lowest::new(system, mass, stiffness);
    let values = lowest.find(tangent, state, a, scale)?;
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

/// All eigenvalues of ZᵀKZ y = μ ZᵀMZ y, each judged by what rounding leaves of it.
fn judge_all(pencil: &Pencil, scale: f64) -> Result<(StaticStability, Vec<f64>), DenseError> {
    let symmetric = is_symmetric(pencil);
    let pairs = pencil.eigen(symmetric)?;
    let values: Vec<c64> = pairs.iter().map(|pair| pair.value).collect();
    let noise: Vec<f64> = pairs.iter().map(|pair| pair.error.max(NEUTRAL * scale)).collect();
    Ok(count(&values, &noise, true))
}

/// Subspace iteration with [K + τM Gᵀ; G 0]: finds the μ nearest to −τ, which are the lowest if none is below.
struct Lowest<'a> {
    system: &'a System,
    is_row: Vec<bool>,
    mass: Vec<f64>,
    stiffness: Vec<f64>,
    /// M-orthonormal directions.
    block: Vec<Vec<f64>>,
}

impl<'a> Lowest<'a> {
    fn new(system: &'a System, mass: Vec<f64>, stiffness: Vec<f64>) -> Self {
        let is_row = system.is_constraint_row();
        let entry = |k: usize, j: usize| irregular(k + 104_729 * j);
        let start = |j: usize| (0..is_row.len()).map(|k| if is_row[k] { 0.0 } else { entry(k, j) }).collect();
        let freedom = system.coordinates().saturating_sub(system.active_rows());
        let block = (0..(LOWEST + 2).min(freedom)).map(start).collect();
        Lowest { system, is_row, mass, stiffness, block }
    }

    /// Comes down with the shift from one below every μ, so that a low one is not passed over.
    fn find(
        &mut self,
        tangent: &mut Tangent,
        state: &State,
        a: &[f64],
        scale: f64,
    ) -> Result<Vec<c64>, DenseError> {
        let scale = scale.max(f64::MIN_POSITIVE);
        let mut shift = self.bound().max(scale);
        loop {
            let low = self.iterate(tangent, state, a, shift, COARSE)?.first().map_or(0.0, |v| v.re);
            if low < -0.25 * shift || shift <= scale {
                let near = scale.max(-2.0 * low);
                let mut values = self.iterate(tangent, state, a, near, FINE)?;
                values.truncate(LOWEST);
                return Ok(values);
            }
            shift = (0.25 * shift).max(scale);
        }
    }

    /// About the largest |μ|: row sums of K by the diagonal of M.
    fn bound(&self) -> f64 {
        let pattern = self.system.pattern();
        let unknown = |k: &usize| !self.is_row[*k];
        let quotient = |k: usize| {
            let entries = pattern.rows(k).iter().zip(pattern.slots(k)).filter(|(i, _)| unknown(i));
            let sum: f64 = entries.map(|(_, slot)| self.stiffness[slot].abs()).sum();
            let own = pattern.index(k, k).map_or(0.0, |slot| self.mass[slot]);
            if own > 0.0 { sum / own } else { 0.0 }
        };
        (0..self.is_row.len()).filter(unknown).map(quotient).fold(0.0, f64::max)
    }

    /// A number of iterations; returns the Ritz values, lowest first.
    fn iterate(
        &mut self,
        tangent: &mut Tangent,
        state: &State,
        a: &[f64],
        shift: f64,
        rounds: usize,
    ) -> Result<Vec<c64>, DenseError> {
        let weights = Weights { mass: shift, stiffness: 1.0 };
        tangent
            .factor(self.system, state, a, weights)
            .map_err(|_| DenseError::NoConvergence("the lowest eigenvalues"))?;
        for _ in 0..rounds {
            for j in 0..self.block.len() {
                let mut x = self.times(&self.mass, &self.block[j]);
                tangent.solve(&mut x);
                x.iter_mut().zip(&self.is_row).filter(|(_, row)| **row).for_each(|(x, _)| *x = 0.0);
                self.block[j] = x;
            }
            self.orthonormalize();
        }
        let images: Vec<Vec<f64>> = self.block.iter().map(|x| self.times(&self.stiffness, x)).collect();
        let count = self.block.len();
        let ritz = Mat::from_fn(count, count, |i, j| dot(&self.block[i], &images[j]));
        let mut values = eigenvalues(ritz.as_ref())?;
        values.sort_by(|x, y| x.re.total_cmp(&y.re));
        Ok(values)
    }

    /// The unknowns' part of a matrix times a vector of unknowns.
    fn times(&self, values: &[f64], x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; x.len()];
        self.system.pattern().multiply(values, x, &mut y);
        y.iter_mut().zip(&self.is_row).filter(|(_, row)| **row).for_each(|(y, _)| *y = 0.0);
        y
    }

    /// Gram–Schmidt in the sense of the masses, twice for accuracy.
    fn orthonormalize(&mut self) {
        for j in 0..self.block.len() {
            let mut x = std::mem::take(&mut self.block[j]);
            for _ in 0..2 {
                let image = self.times(&self.mass, &x);
                for known in &self.block[..j] {
                    let share = dot(known, &image);
                    x.iter_mut().zip(known).for_each(|(x, k)| *x -= share * k);
                }
                let size = dot(&x, &self.times(&self.mass, &x)).max(f64::MIN_POSITIVE).sqrt();
                x.iter_mut().for_each(|x| *x /= size);
            }
            self.block[j] = x;
        }
    }
}

/// Real part, relative to the eigenvalue, below which it is on the axis: that is how well a double one can be found.
const ON_AXIS: f64 = 1e-7;
/// The same relative to the largest entry of the balanced matrix.
const ROUNDED: f64 = 1e-13;
/// A singular value of A below this share of the largest is zero.
const ZERO: f64 = 1e-12;
/// The same of A − iω, whose ω is an eigenvalue up to rounding.
const DEFECT: f64 = 1e-9;

/// What the eigenvalues of the states say (Lyapunov's indirect method).
#[derive(Clone, Debug, PartialEq)]
pub struct LinearStability {
    /// All eigenvalues by size, of a pair first the one above the axis; those that are rounding are zero.
    pub values: Vec<c64>,
    /// Eigenvalues to the right of the imaginary axis.
    pub growing: usize,
    /// Eigenvalues on it, zero ones not counted.
    pub on_axis: usize,
    /// Zero eigenvalues, without those of cyclic variables.
    pub zeros: usize,
    /// States whose value stands in no equation, only their rate: each has a zero eigenvalue that says nothing about
    /// the others.
    pub cyclic: Vec<String>,
    /// States that take part in the other zero eigenvalues.
    pub along_zeros: Vec<String>,
    /// Whether every eigenvalue on the axis, of cyclic states apart, has as many eigenvectors as copies.
    pub semisimple: bool,
}

/// The verdict of the indirect method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinearVerdict {
    /// Every deviation decays, up to a shift of cyclic states; so it does in the nonlinear system.
    AsymptoticallyStable,
    /// A deviation grows exponentially; so it does in the nonlinear system.
    Unstable,
    /// The linear system neither grows nor decays in some direction; the nonlinear one is not decided.
    Marginal,
    /// An eigenvalue on the axis lacks eigenvectors: the linear system grows like a power of time; the nonlinear one is
    /// not decided.
    MarginalGrowing,
}

impl LinearStability {
    /// The verdict.
    pub fn verdict(&self) -> LinearVerdict {
        match (self.growing, self.on_axis + self.zeros, self.semisimple) {
            (0, 0, _) => LinearVerdict::AsymptoticallyStable,
            (0, _, true) => LinearVerdict::Marginal,
            (0, _, false) => LinearVerdict::MarginalGrowing,
            _ => LinearVerdict::Unstable,
        }
    }

    /// The verdict and why, in words.
    pub fn words(&self) -> String {
        let count = |n: usize| if n == 1 { "1 eigenvalue".to_owned() } else { format!("{n} eigenvalues") };
        let mut text = match self.verdict() {
            LinearVerdict::AsymptoticallyStable if self.values.is_empty() => {
                "there is no state that could move".into()
            }
            LinearVerdict::AsymptoticallyStable if self.values.len() == self.cyclic.len() => {
                "nothing but cyclic states is left".into()
            }
            LinearVerdict::AsymptoticallyStable => {
                "every eigenvalue lies to the left of the imaginary axis".to_owned()
            }
            LinearVerdict::Unstable => {
                format!("{} to the right of the imaginary axis", count(self.growing))
            }
            LinearVerdict::Marginal => format!(
                "{} on the imaginary axis, with a full set of eigenvectors: the linear system is marginal, the \
                 nonlinear one is not decided",
                count(self.on_axis + self.zeros)
            ),
            LinearVerdict::MarginalGrowing => format!(
                "{} on the imaginary axis, with fewer eigenvectors: the linear system grows like a power of time, the \
                 nonlinear one is not decided",
                count(self.on_axis + self.zeros)
            ),
        };
        if !self.along_zeros.is_empty() {
            text += &format!("; zero along {}", self.along_zeros.join(", "));
        }
        if !self.cyclic.is_empty() {
            text += &format!("; cyclic: {} (a zero eigenvalue each, left out)", self.cyclic.join(", "));
        }
        text
    }
}

/// Judges ẋ = A x; `cyclic` tells states whose value stands in no equation.
pub(crate) fn judge_states(
    a: &Mat<f64>,
    states: &[String],
    cyclic: &[bool],
) -> Result<LinearStability, DenseError> {
    // Columns of cyclic states are zero: without their rows and columns the other eigenvalues stay the same.
    let n = a.nrows();
    let kept: Vec<usize> = (0..n).filter(|&j| !cyclic[j]).collect();
    let names = |list: &[usize]| list.iter().map(|&k| states[k].clone()).collect::<Vec<_>>();
    let gone: Vec<usize> = (0..n).filter(|&j| cyclic[j]).collect();
    let k = kept.len();
    let rest = Mat::from_fn(k, k, |i, j| a[(kept[i], kept[j])]);
    let t = poinsot_numerics::pole_placement::balance(rest.as_ref());
    let even = Mat::from_fn(k, k, |i, j| rest[(i, j)] * t[j] / t[i]);
    let zeros = Zeros::find(even.clone())?;
    let mut values = if zeros.rest.nrows() == 0 { vec![] } else { eigenvalues(zeros.rest.as_ref())? };
    let mut found = LinearStability {
        values: vec![],
        growing: 0,
        on_axis: 0,
        zeros: zeros.count,
        cyclic: names(&gone),
        along_zeros: names(&zeros.states.iter().map(|&i| kept[i]).collect::<Vec<_>>()),
        semisimple: zeros.semisimple,
    };
    let rounding = ROUNDED * even.norm_max();
    for value in &mut values {
        if value.re.abs() <= rounding.max(ON_AXIS * value.norm()) {
            value.re = 0.0;
            found.on_axis += 1;
        } else if value.re > 0.0 {
            found.growing += 1;
        }
    }
    for value in values.iter().filter(|v| v.re == 0.0 && v.im > 0.0) {
        let same = |v: &&c64| v.re == 0.0 && (v.im - value.im).abs() <= 1e-5 * value.im;
        found.semisimple &= directions(&even, value.im)? >= values.iter().filter(same).count();
    }
    values.extend((0..zeros.count + gone.len()).map(|_| c64::new(0.0, 0.0)));
    values.sort_by(|x, y| x.norm().total_cmp(&y.norm()).then(y.im.total_cmp(&x.im)));
    found.values = values;
    Ok(found)
}

/// The zero eigenvalues of a matrix: A restricted to the complement of its null space, until that is regular.
struct Zeros {
    count: usize,
    /// Whether one round was enough: as many eigenvectors as copies.
    semisimple: bool,
    /// States that stand in the eigenvectors.
    states: Vec<usize>,
    /// A without its zero eigenvalues.
    rest: Mat<f64>,
}

impl Zeros {
    fn find(a: Mat<f64>) -> Result<Self, DenseError> {
        let mut zeros = Zeros { count: 0, semisimple: true, states: vec![], rest: a };
        loop {
            let n = zeros.rest.nrows();
            let (null, rank) = match n {
                0 => return Ok(zeros),
                _ => subspace::null_space(zeros.rest.as_ref(), ZERO)?,
            };
            if rank == n {
                return Ok(zeros);
            }
            if zeros.count == 0 {
                let size = |i: usize| (0..null.ncols()).map(|j| null[(i, j)].abs()).fold(0.0, f64::max);
                zeros.states = (0..n).filter(|&i| size(i) > 0.1).collect();
            } else {
                zeros.semisimple = false;
            }
            zeros.count += n - rank;
            let (other, _) = subspace::null_space(null.transpose(), 0.5)?;
            zeros.rest = other.transpose() * &zeros.rest * &other;
        }
    }
}

/// How many eigenvectors belong to iω, from the real form of A − iω.
fn directions(a: &Mat<f64>, omega: f64) -> Result<usize, DenseError> {
    let n = a.nrows();
    let real = Mat::from_fn(2 * n, 2 * n, |i, j| match (i < n, j < n) {
        (true, true) | (false, false) => a[(i % n, j % n)],
        (true, false) if i == j - n => omega,
        (false, true) if i - n == j => -omega,
        _ => 0.0,
    });
    let (_, rank) = subspace::null_space(real.as_ref(), DEFECT)?;
    Ok((2 * n - rank) / 2)
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(rows: &[&[f64]], cyclic: &[bool]) -> LinearStability {
        let a = Mat::from_fn(rows.len(), rows.len(), |i, j| rows[i][j]);
        let states: Vec<String> = (0..rows.len()).map(|k| format!("x{k}")).collect();
        judge_states(&a, &states, cyclic).unwrap()
    }

    /// VC-6.2: eigenvalues 0 and −1, not decided; if the first state is cyclic the other decides.
    #[test]
    fn critical_case() {
        let rows: [&[f64]; 2] = [&[0.0, 1.0], &[0.0, -1.0]];
        let found = verdict(&rows, &[false, false]);
        assert_eq!((found.verdict(), found.zeros, found.growing), (LinearVerdict::Marginal, 1, 0));
        assert_eq!(found.along_zeros, ["x0"]);
        assert_eq!((found.values[0].re, found.values[1].re), (0.0, -1.0));
        let found = verdict(&rows, &[true, false]);
        assert_eq!(found.verdict(), LinearVerdict::AsymptoticallyStable);
        assert_eq!((found.cyclic.len(), found.values.len()), (1, 2));
    }

    /// VC-6.19: 0, 0, ±6.858571: the double zero lacks an eigenvector, but the growing one decides.
    #[test]
    fn double_zero() {
        let a: [&[f64]; 4] =
            [&[0.0, 0.0, 1.0, 0.0], &[0.0, 0.0, 0.0, 1.0], &[0.0, -1.96, 0.0, 0.0], &[0.0, 47.04, 0.0, 0.0]];
        let found = verdict(&a, &[false; 4]);
        assert_eq!((found.zeros, found.growing, found.semisimple), (2, 1, false));
        assert_eq!((found.values[0].norm(), found.values[1].norm()), (0.0, 0.0));
        assert!((found.values[3].norm() - 47.04f64.sqrt()).abs() < 1e-12);
        let free = verdict(&[&[0.0, 1.0], &[0.0, 0.0]], &[false; 2]);
        assert_eq!(free.verdict(), LinearVerdict::MarginalGrowing);
    }

    /// Two equal oscillators: marginal side by side, growing where one drives the other (a defective pair).
    #[test]
    fn equal_oscillators() {
        let apart: [&[f64]; 4] =
            [&[0.0, 3.0, 0.0, 0.0], &[-3.0, 0.0, 0.0, 0.0], &[0.0, 0.0, 0.0, 3.0], &[0.0, 0.0, -3.0, 0.0]];
        assert_eq!(verdict(&apart, &[false; 4]).verdict(), LinearVerdict::Marginal);
        let driven: [&[f64]; 4] =
            [&[0.0, 3.0, 1.0, 0.0], &[-3.0, 0.0, 0.0, 1.0], &[0.0, 0.0, 0.0, 3.0], &[0.0, 0.0, -3.0, 0.0]];
        let found = verdict(&driven, &[false; 4]);
        assert_eq!((found.verdict(), found.on_axis), (LinearVerdict::MarginalGrowing, 4));
    }

    /// A stiff decay does not hide a slow one.
    #[test]
    fn stiff_and_slow() {
        let found = verdict(&[&[-1e5, 3.0], &[1e-3, -1e-4]], &[false; 2]);
        assert_eq!(found.verdict(), LinearVerdict::AsymptoticallyStable);
    }
}
