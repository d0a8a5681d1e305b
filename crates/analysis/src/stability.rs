//! Stability of an equilibrium: the tangent stiffness on the motions that the constraints allow.
//!
//! ```text
//! K z = μ M z,   G z = 0          small motions: z̈ = −μ z
//! ```
//! μ > 0 oscillates, μ < 0 diverges, μ = 0 has no stiffness; a μ that is not real (K not symmetric) flutters.
//! Damping is left out.
//!
//! With first-order equations the eigenvalues of the states decide (Lyapunov's indirect method,
//! lagrangian-dae-modeling §1.28): ẋ = A x is asymptotically stable, and the nonlinear system with it, if all
//! Re λ < 0; both are unstable if one Re λ > 0; on the imaginary axis the linear system is marginal if every
//! such λ has as many eigenvectors as copies, and nothing is said of the nonlinear one.

use crate::reduced::{Reduced, is_symmetric};
use crate::tangent::{Tangent, Weights};
use poinsot_mechanics::{State, System};
use poinsot_numerics::dense::{DenseError, Mat, c64, eigenvalues};
use poinsot_numerics::descriptor::{DOUBTFUL, Reduction};
use poinsot_numerics::irregular;
use poinsot_numerics::pencil::{Pencil, PencilPair};
use poinsot_numerics::pole_placement::balance;

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
    /// Whether all directions were looked at. In systems of more than 400 coordinates only the lowest six
    /// are, by an iteration meant for symmetric stiffness; then the counts are lower bounds.
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

/// Subspace iteration with [K + τM Gᵀ; G 0]: finds the μ nearest to −τ, which are the lowest if none is
/// below.
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

/// Relative distance of an eigenvalue and the conjugate of another that are a pair.
const CONJUGATE: f64 = 1e-9;
/// Real part, relative to the eigenvalue, below which it is on the axis: the state is not found to more
/// digits.
const ON_AXIS: f64 = 1e-11;
/// An eigenvalue on the axis of which rounding leaves more than this share open may as well lie beside it.
const OPEN: f64 = 1e-6;
/// Imaginary parts nearer than this share count as one, and vectors of unit length that are nearer than this.
const EQUAL: f64 = 1e-5;
const PARALLEL: f64 = 1e-4;
/// A zero that may be as large as this share of the slowest of the others may be none, and a rate hidden by
/// rounding that may be as slow as so many times the fastest.
const TOLD_APART: f64 = 10.0;
/// Share of a vector, in balanced units, above which a state is named for it.
const NAMED: f64 = 0.1;

/// What the eigenvalues of the states say (Lyapunov's indirect method).
#[derive(Clone, Debug, PartialEq)]
pub struct LinearStability {
    /// All eigenvalues by size, of a pair first the one above the axis; those that are rounding are zero.
    pub values: Vec<c64>,
    /// What rounding of the matrices leaves open of each (1/s).
    pub errors: Vec<f64>,
    /// Eigenvalues to the right of the imaginary axis.
    pub growing: usize,
    /// Eigenvalues on it, zero ones not counted.
    pub on_axis: usize,
    /// Zero eigenvalues, without those of cyclic variables.
    pub zeros: usize,
    /// Those of the two before that rounding beside larger numbers leaves on either side of the axis.
    pub undecided: usize,
    /// States whose value stands in no equation, only their rate: each has a zero eigenvalue that says
    /// nothing about the others.
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
    /// An eigenvalue on the axis lacks eigenvectors: the linear system grows like a power of time; the
    /// nonlinear one is not decided.
    MarginalGrowing,
    /// No eigenvalue surely lies to the right, but of some rounding leaves it open.
    Undecided,
}

impl LinearStability {
    /// The verdict.
    pub fn verdict(&self) -> LinearVerdict {
        match (self.growing, self.on_axis + self.zeros, self.semisimple) {
            (0, _, _) if self.undecided > 0 => LinearVerdict::Undecided,
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
            LinearVerdict::Undecided => {
                let shaky = self.values.iter().zip(&self.errors).filter(|(value, _)| value.re == 0.0);
                let open = shaky.map(|(_, error)| *error).fold(0.0, f64::max);
                format!(
                    "not decided: {} cannot be told from the imaginary axis, rounding beside the largest numbers \
                     leaves {open:.1e} 1/s open",
                    count(self.undecided)
                )
            }
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

/// Judges E ż = A z; `cyclic` tells states whose value stands in no equation. Also gives the eigenvalues with
/// their vectors, as they were judged.
pub(crate) fn judge_states(
    reduction: &Reduction,
    states: &[String],
    cyclic: &[bool],
) -> Result<(LinearStability, Vec<PencilPair>), DenseError> {
    let gone: Vec<usize> = (0..states.len()).filter(|&j| cyclic[j]).collect();
    // Columns of cyclic states in A are zero: their eigenvalues are, whatever the others do.
    let mut pairs = reduction.pencil.eigen_beside(&gone)?;
    let units = balance(reduction.a.as_ref());
    let mut found = LinearStability {
        values: vec![],
        errors: vec![],
        growing: 0,
        on_axis: 0,
        zeros: 0,
        undecided: 0,
        cyclic: gone.iter().map(|&k| states[k].clone()).collect(),
        along_zeros: vec![],
        semisimple: true,
    };
    // Pivots that are hardly known, or rates taken for none that may be as slow as the fastest eigenvalue.
    let fastest = pairs.iter().map(|pair| pair.value.norm()).fold(0.0, f64::max);
    let unsure = reduction.doubt > DOUBTFUL || reduction.hidden < TOLD_APART * fastest;
    found.undecided += usize::from(unsure);
    let slowest = pairs.iter().map(|pair| pair.value.norm()).filter(|size| *size > 0.0);
    let slowest = slowest.fold(f64::INFINITY, f64::min);
    let mut along = vec![false; states.len()];
    for (k, pair) in pairs.iter_mut().enumerate() {
        let size = pair.value.norm();
        if size <= pair.error || size == 0.0 {
            // Below what can be told from zero, or zero by the rank of A.
            let open = size > 0.0 || TOLD_APART * pair.error > slowest;
            found.undecided += usize::from(open && k >= gone.len());
            pair.value = c64::new(0.0, 0.0);
            if k >= gone.len() {
                found.zeros += 1;
                found.semisimple &= pair.height == 0;
                let even: Vec<f64> = pair.vector.iter().zip(&units).map(|(x, t)| x.norm() / t).collect();
                let most = even.iter().fold(0.0, |m: f64, x| m.max(*x));
                let own = even.iter().zip(&mut along).filter(|_| pair.height == 0);
                own.for_each(|(x, along)| *along |= *x > NAMED * most);
            }
        } else if pair.value.re.abs() <= pair.error.max(ON_AXIS * size) {
            pair.value.re = 0.0;
            found.on_axis += 1;
            found.undecided += usize::from(pair.error > OPEN * size);
        } else if pair.value.re > 0.0 {
            found.growing += 1;
        }
    }
    found.along_zeros =
        states.iter().zip(along).filter(|(_, is)| *is).map(|(name, _)| name.clone()).collect();
    found.semisimple &= full_sets(&pairs, &units)?;
    let mut sorted: Vec<(c64, f64)> = pairs.iter().map(|pair| (pair.value, pair.error)).collect();
    sorted.sort_by(|(x, _), (y, _)| x.norm().total_cmp(&y.norm()).then(y.im.total_cmp(&x.im)));
    // Of a conjugate pair, whose sizes may differ in the last digit, the upper one comes first.
    for k in 1..sorted.len() {
        let ((x, _), (y, _)) = (sorted[k - 1], sorted[k]);
        if x.im < 0.0 && (x - y.conj()).norm() <= CONJUGATE * x.norm() {
            sorted.swap(k - 1, k);
        }
    }
    (found.values, found.errors) = sorted.into_iter().unzip();
    Ok((found, pairs))
}

/// Whether every eigenvalue on the axis, zero apart, has as many eigenvectors as copies.
fn full_sets(pairs: &[PencilPair], units: &[f64]) -> Result<bool, DenseError> {
    let on_axis: Vec<&PencilPair> = pairs.iter().filter(|p| p.value.re == 0.0 && p.value.im > 0.0).collect();
    for pair in &on_axis {
        let near = |p: &&&PencilPair| {
            (p.value.im - pair.value.im).abs() <= (EQUAL * pair.value.im).max(p.error + pair.error)
        };
        let equal: Vec<&&PencilPair> = on_axis.iter().filter(near).collect();
        if equal.len() < 2 {
            continue;
        }
        let even = Mat::from_fn(units.len(), equal.len(), |i, k| equal[k].vector[i] / units[i]);
        let length = |k: usize| (0..units.len()).map(|i| even[(i, k)].norm_sqr()).sum::<f64>().sqrt();
        let unit = Mat::from_fn(units.len(), equal.len(), |i, k| even[(i, k)] / length(k));
        let values = unit.singular_values().map_err(|_| DenseError::NoConvergence("singular values"))?;
        if values.iter().any(|value| *value < PARALLEL) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use poinsot_numerics::descriptor::Descriptor;

    fn verdict(rows: &[&[f64]], cyclic: &[bool]) -> LinearStability {
        let a = Mat::from_fn(rows.len(), rows.len(), |i, j| rows[i][j]);
        let states: Vec<String> = (0..rows.len()).map(|k| format!("x{k}")).collect();
        let n = rows.len();
        let given = Descriptor::plain(Mat::identity(n, n), a, Mat::zeros(n, 0), vec![1.0; n]);
        judge_states(&given.reduce().unwrap(), &states, cyclic).unwrap().0
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
