//! Equations made to hold with the least change of given values.
//!
//! Newton's method for fewer or more equations than unknowns. A step is shortened until the equations are
//! nearer to zero. Of all steps that make the linear equations hold it takes the one that changes given
//! values the least; all other unknowns take what follows.

use crate::networks::sparse_square::SquarePattern;
use poinsot_expr::Block;
use poinsot_numerics::PivotingLu;
use poinsot_numerics::dense::Mat;
use poinsot_numerics::fallback::FallbackError;
use poinsot_numerics::pattern::PatternBuilder;
use poinsot_numerics::subspace::{null_space, pseudo_solve};

/// Residual, relative to its terms, at which an equation holds.
pub(crate) const HOLDS: f64 = 1e-9;

/// Newton steps, and how often one is halved.
const ITERATIONS: usize = 60;
const CUTS: usize = 30;

/// Singular values below this, relative to the largest, are zero.
const RANK: f64 = 1e-12;

/// Unknowns up to which the least change is found by singular values, beyond by sparse factors.
const DENSE: usize = 120;

/// An unknown of a stage.
#[derive(Clone, Debug)]
pub(crate) struct StageUnknown {
    /// Its place among the inputs of the equations.
    pub input: usize,
    /// A usual size; changes are measured by it.
    pub size: f64,
    /// Whether its value is wanted as near as possible; all others take what follows.
    pub is_given: bool,
}

/// An equation that does not hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Open {
    /// Its number.
    pub row: usize,
    /// What is left.
    pub residual: f64,
    /// The same, relative to its terms.
    pub relative: f64,
}

/// Equations that are solved together.
#[derive(Debug)]
pub(crate) struct Stage {
    block: Block,
    unknowns: Vec<StageUnknown>,
    /// (equation, unknown, place among the derivatives) of all that count.
    entries: Vec<(usize, usize, usize)>,
    /// Where there are as many equations as unknowns and no value is given.
    square: Option<SquarePattern>,
}

impl Stage {
    /// The equations of a block, for some of its inputs.
    pub fn new(block: Block, unknowns: Vec<StageUnknown>) -> Self {
        let mut place = vec![None; block.inputs()];
        unknowns.iter().enumerate().for_each(|(j, unknown)| place[unknown.input] = Some(j));
        let entry = |(slot, &(k, input)): (usize, &(usize, usize))| Some((k, place[input]?, slot));
        let entries: Vec<(usize, usize, usize)> =
            block.entries().iter().enumerate().filter_map(entry).collect();
        let n = unknowns.len();
        let is_square = n > 0 && n == block.outputs() && unknowns.iter().all(|u| !u.is_given);
        let places = || entries.iter().map(|&(k, j, _)| (k, j)).collect();
        let square = is_square.then(|| SquarePattern::new(n, places())).flatten();
        Stage { block, unknowns, entries, square }
    }

    /// The inputs that are unknowns.
    pub fn unknowns(&self) -> impl Iterator<Item = usize> + '_ {
        self.unknowns.iter().map(|unknown| unknown.input)
    }

    /// Solves them for the unknowns among the inputs. Returns the equations that do not hold.
    pub fn solve(&self, inputs: &mut [f64]) -> Vec<Open> {
        let mut newton = Newton::new(self);
        for _ in 0..ITERATIONS {
            if !newton.step(inputs) {
                break;
            }
        }
        newton.open(inputs)
    }

    /// The equations that do not hold as they are.
    pub fn check(&self, inputs: &[f64]) -> Vec<Open> {
        Newton::new(self).open(inputs)
    }
}

struct Newton<'a> {
    stage: &'a Stage,
    values: Vec<f64>,
    partials: Vec<f64>,
}

impl<'a> Newton<'a> {
    fn new(stage: &'a Stage) -> Self {
        let block = &stage.block;
        Newton { stage, values: vec![0.0; block.outputs()], partials: vec![0.0; block.entries().len()] }
    }

    /// Σ_j |∂F_k/∂x_j| max(|x_j|, size) of each equation; the derivatives must be loaded.
    fn terms(&self, inputs: &[f64]) -> Vec<f64> {
        let mut terms = vec![0.0; self.values.len()];
        for &(k, j, slot) in &self.stage.entries {
            let unknown = &self.stage.unknowns[j];
            terms[k] += self.partials[slot].abs() * inputs[unknown.input].abs().max(unknown.size);
        }
        terms
    }

    /// One step; false where nothing is left to do.
    fn step(&mut self, inputs: &mut [f64]) -> bool {
        let (block, unknowns) = (&self.stage.block, &self.stage.unknowns);
        block.eval_derivatives(inputs, &mut self.values, &mut self.partials);
        let scale: Vec<f64> =
            self.terms(inputs).iter().map(|t| if *t > 0.0 { 1.0 / t } else { 0.0 }).collect();
        let open = |values: &[f64]| values.iter().zip(&scale).map(|(v, s)| (v * s).powi(2)).sum::<f64>();
        let before = open(&self.values);
        if before == 0.0 || !before.is_finite() {
            return false;
        }
        let Some(step) = self.direction(&scale) else { return false };
        let start: Vec<f64> = unknowns.iter().map(|u| inputs[u.input]).collect();
        let mut part = 1.0;
        for _ in 0..CUTS {
            for ((unknown, old), step) in unknowns.iter().zip(&start).zip(&step) {
                inputs[unknown.input] = old - part * step;
            }
            let mut values = vec![0.0; self.values.len()];
            block.eval(inputs, &mut values);
            if open(&values) < before {
                return unknowns.iter().zip(&start).any(|(unknown, old)| {
                    let moved = (inputs[unknown.input] - old).abs();
                    moved > 4.0 * f64::EPSILON * old.abs().max(unknown.size)
                });
            }
            part *= 0.5;
        }
        unknowns.iter().zip(start).for_each(|(unknown, old)| inputs[unknown.input] = old);
        false
    }

    /// The step that makes the linear equations hold, with the least change of given values, measured by the
    /// sizes.
    fn direction(&self, scale: &[f64]) -> Option<Vec<f64>> {
        let unknowns = &self.stage.unknowns;
        let right: Vec<f64> = self.values.iter().zip(scale).map(|(v, s)| v * s).collect();
        let size = |j: usize| unknowns[j].size;
        let entry = |&(k, j, slot): &(usize, usize, usize)| (k, j, self.partials[slot] * scale[k] * size(j));
        let entries = || self.stage.entries.iter().map(entry);
        let square = |pattern: &SquarePattern| {
            let values: Vec<f64> = entries().map(|(.., value)| value).collect();
            pattern.factor(&values)?.solve(&right)
        };
        let sparse = || least_change(unknowns, entries(), &right).ok();
        let dense = || dense_least_change(unknowns, entries(), &right);
        let step = match self.stage.square.as_ref().and_then(square) {
            Some(step) => step,
            None if unknowns.len() > DENSE => sparse().or_else(dense)?,
            None => dense()?,
        };
        Some(step.into_iter().enumerate().map(|(j, step)| step * size(j)).collect())
    }

    /// The equations that do not hold.
    fn open(&mut self, inputs: &[f64]) -> Vec<Open> {
        self.stage.block.eval_derivatives(inputs, &mut self.values, &mut self.partials);
        let open = |(row, (value, term)): (usize, (&f64, f64))| {
            let relative = match value.abs() / term {
                _ if *value == 0.0 => 0.0,
                // A constant that should be zero, or something that has no value.
                ratio if !ratio.is_finite() => f64::INFINITY,
                ratio => ratio,
            };
            Open { row, residual: value.abs(), relative }
        };
        let all = self.values.iter().zip(self.terms(inputs)).enumerate().map(open);
        all.filter(|open| open.relative > HOLDS).collect()
    }
}

/// The x with A x = b whose given part g is the least, from [I 0 A_gᵀ; 0 0 A_fᵀ; A_g A_f 0] with pivoting.
/// All else, f, is unique where the equations are regular.
fn least_change(
    unknowns: &[StageUnknown],
    entries: impl Iterator<Item = (usize, usize, f64)> + Clone,
    b: &[f64],
) -> Result<Vec<f64>, FallbackError> {
    let columns = unknowns.len();
    let n = b.len() + columns;
    let mut builder = PatternBuilder::new(n);
    (0..n).for_each(|j| {
        builder.add_block(&[j], &[j]);
    });
    for (k, j, _) in entries.clone() {
        builder.add_block(&[columns + k], &[j]).add_block(&[j], &[columns + k]);
    }
    let pattern = builder.build();
    let mut values = vec![0.0; pattern.nnz()];
    let mut put = |row: usize, column: usize, value: f64| {
        if let Some(slot) = pattern.index(row, column) {
            values[slot] += value;
        }
    };
    unknowns.iter().enumerate().filter(|(_, u)| u.is_given).for_each(|(j, _)| put(j, j, 1.0));
    for (k, j, value) in entries {
        put(columns + k, j, value);
        put(j, columns + k, value);
    }
    let mut lu = PivotingLu::new(&pattern)?;
    lu.factor(&values)?;
    let mut x = vec![0.0; n];
    x[columns..].copy_from_slice(b);
    lu.solve(&mut x);
    x.truncate(columns);
    if x.iter().all(|x| x.is_finite()) { Ok(x) } else { Err(FallbackError::Singular) }
}

/// The same by singular values, also where equations depend on each other or contradict. With Z across A_f,
/// Zᵀ A_f = 0,
///
/// ```text
/// Zᵀ A_g g = Zᵀ b     least g,          A_f f = b − A_g g     least f.
/// ```
fn dense_least_change(
    unknowns: &[StageUnknown],
    entries: impl Iterator<Item = (usize, usize, f64)>,
    b: &[f64],
) -> Option<Vec<f64>> {
    let rows = b.len();
    let places = |given: bool| -> Vec<usize> {
        (0..unknowns.len()).filter(|&j| unknowns[j].is_given == given).collect()
    };
    let (given, free) = (places(true), places(false));
    let mut place = vec![0; unknowns.len()];
    for list in [&given, &free] {
        list.iter().enumerate().for_each(|(k, &j)| place[j] = k);
    }
    let mut of_given = Mat::zeros(rows, given.len());
    let mut of_free = Mat::zeros(rows, free.len());
    for (k, j, value) in entries {
        let matrix = if unknowns[j].is_given { &mut of_given } else { &mut of_free };
        matrix[(k, place[j])] = value;
    }
    let column = |x: &[f64]| Mat::from_fn(rows, 1, |k, _| x[k]);
    let mut x = vec![0.0; unknowns.len()];
    let mut rest = b.to_vec();
    if !given.is_empty() {
        let step = if free.is_empty() {
            pseudo_solve(of_given.as_ref(), b, RANK).ok()?.0
        } else {
            let (across, _) = null_space(of_free.transpose(), RANK).ok()?;
            let projected = across.transpose() * column(b);
            let projected: Vec<f64> = (0..projected.nrows()).map(|k| projected[(k, 0)]).collect();
            let matrix: Mat<f64> = across.transpose() * &of_given;
            pseudo_solve(matrix.as_ref(), &projected, RANK).ok()?.0
        };
        for (&j, step) in given.iter().zip(&step) {
            x[j] = *step;
            (0..rows).for_each(|k| rest[k] -= of_given[(k, place[j])] * step);
        }
    }
    if !free.is_empty() {
        let (step, _) = pseudo_solve(of_free.as_ref(), &rest, RANK).ok()?;
        free.iter().zip(step).for_each(|(&j, step)| x[j] = step);
    }
    Some(x)
}
