//! Dependent positions and velocities that belong to given independent ones.
//!
//! With a [`Partition`] and the scaled Jacobian Ĝ, both follow from one sparse matrix with the pattern of the
//! system,
//!
//! ```text
//! [ I              ] [ x_i ]   [ given ]
//! [      I   Ĝ_dᵀ  ] [ x_d ] = [   0   ]         ⟹   Ĝ_d x_d = r − Ĝ_i x_i
//! [ Ĝ_i  Ĝ_d   0   ] [  y  ]   [   r   ]              y = −(Ĝ_d Ĝ_dᵀ)⁻¹ (r − Ĝ_i x_i)
//! ```
//! because Ĝ_d is square. The multipliers y cost nothing and tell the conditioning: r ↦ y is a step of
//! inverse iteration for the smallest singular value of Ĝ_d. Residuals are evaluated anew after every solve,
//! so that the accuracy is that of Φ and Φ̇ and not that of the factors.

use crate::linear::factors::Factors;
use crate::linear::jacobian::Jacobian;
use crate::linear::row_distances::RowDistances;
use crate::linear::saddle_point::{instant, retract};
use crate::runge_kutta::explicit::partition::{Partition, PartitionError};
use poinsot_geometry::Mat3;
use poinsot_mechanics::{Chart, Frame, Instant, Scratch, State, System};
use poinsot_numerics::irregular;

/// Most corrections of dependent positions.
const MAX_ITERATIONS: usize = 20;

/// Most corrections of dependent velocities, the first of which is already exact but for rounding.
const MAX_REFINEMENTS: usize = 4;

/// Relative correction that cannot be improved.
const ROUND_OFF: f64 = 1e-15;

/// Relative correction below which a stalled iteration has reached round-off.
const STALLED: f64 = 1e-10;

/// Contraction that asks for a new matrix.
const SLOW: f64 = 0.1;

/// Relative correction (lengths of the model, radians) that no longer counts as a correction.
const FAR: f64 = 3.0;

/// Steps of inverse iteration for a new partition, and for one whose vector is known.
const FIRST_LOOK: usize = 8;
const NEXT_LOOK: usize = 2;

/// Solver for dependent coordinates; make one and reuse it.
#[derive(Debug)]
pub struct Dependents {
    jacobian: Jacobian,
    factors: Factors,
    values: Vec<f64>,
    /// Slots of the diagonal, equation order.
    diagonal: Vec<usize>,
    /// Equations of suspended rows.
    suspended: Vec<usize>,
    /// Which equations are rows on velocities, and whether there are any.
    on_velocity: Vec<bool>,
    has_velocity_rows: bool,
    /// Which unknowns are dependent at the level being solved.
    dependent: Vec<bool>,
    b: Vec<f64>,
    zero: Vec<f64>,
    /// Approximate left singular vector of σ_min.
    probe: Vec<f64>,
    distances: RowDistances,
    tangents: Vec<Mat3>,
    factorisations: usize,
    corrections: usize,
    scratch: Scratch,
}

impl Dependents {
    /// For the given system as it is numbered now.
    pub fn new(system: &System) -> Self {
        let n = system.size();
        let mut on_velocity = vec![false; n];
        system.velocity_equations().into_iter().for_each(|row| on_velocity[row] = true);
        let enforced = system.enforced_equations();
        let mut suspended = system.constraint_equations();
        suspended.retain(|row| !enforced.contains(row));
        let jacobian = Jacobian::new(system);
        let distances = RowDistances::new(&jacobian, n);
        Dependents {
            jacobian,
            suspended,
            factors: Factors::new(system),
            values: vec![0.0; system.pattern().nnz()],
            diagonal: (0..n).filter_map(|i| system.pattern().index(i, i)).collect(),
            has_velocity_rows: on_velocity.contains(&true),
            on_velocity,
            dependent: vec![false; n],
            b: vec![0.0; n],
            zero: vec![0.0; n],
            probe: vec![0.0; n],
            distances,
            tangents: vec![Mat3::identity(); system.nodes().len()],
            factorisations: 0,
            corrections: 0,
            scratch: Scratch::default(),
        }
    }

    /// The Jacobian as evaluated last.
    pub fn jacobian(&self) -> &Jacobian {
        &self.jacobian
    }

    /// Factorisations and corrections so far.
    pub fn cost(&self) -> (usize, usize) {
        (self.factorisations, self.corrections)
    }

    /// Evaluates G at a state.
    pub fn evaluate(&mut self, system: &System, state: &State) -> &Jacobian {
        self.jacobian.evaluate(system, &instant(state, &self.zero), &mut self.scratch);
        &self.jacobian
    }

    /// Finds the dependent components of `delta` for which q = `from` ∘ delta fulfils Φ(q, t) = 0; t is that
    /// of `state`, whose frames are set to q. `delta` is the first guess too. Returns the number of
    /// corrections.
    pub fn positions(
        &mut self,
        system: &System,
        partition: &Partition,
        from: &[Frame],
        delta: &mut [f64],
        state: &mut State,
    ) -> Result<usize, PartitionError> {
        retract(system, from, delta, &mut state.frames);
        if partition.dependent_positions.is_empty() {
            return Ok(0);
        }
        let (mut last, mut stale) = (None, true);
        for iteration in 1..=MAX_ITERATIONS {
            if stale {
                self.factor_positions(system, partition, delta, state)?;
            }
            self.b.fill(0.0);
            system.constraint_residual(&instant(state, &self.zero), &mut self.b, &mut self.scratch);
            let size = self.correct(&partition.dependent_positions, delta);
            if size.is_nan() || size > FAR {
                break;
            }
            retract(system, from, delta, &mut state.frames);
            // The first correction is Newton's: what it leaves is of second order.
            let contraction = last.map_or(10.0 * size, |last| size / last);
            let stalled = last.is_some() && size < STALLED && contraction > SLOW;
            // What is left is the contraction times the last correction.
            if size < ROUND_OFF || size * contraction < ROUND_OFF || stalled {
                return Ok(iteration);
            }
            stale = last.is_some() && contraction > SLOW;
            last = Some(size);
        }
        Err(self.open(system, state))
    }

    /// Sets the dependent velocities of `state`: G_d v_d = −G_i v_i − drift.
    pub fn velocities(
        &mut self,
        system: &System,
        partition: &Partition,
        state: &mut State,
    ) -> Result<(), PartitionError> {
        if partition.dependent.is_empty() {
            return Ok(());
        }
        self.factor_velocities(system, partition, state)?;
        let mut last = f64::INFINITY;
        for _ in 0..MAX_REFINEMENTS {
            self.b.fill(0.0);
            system.constraint_rate(&instant(state, &self.zero), &mut self.b, &mut self.scratch);
            let size = self.correct(&partition.dependent, &mut state.v);
            if size <= ROUND_OFF * self.largest(&state.v) || size > 0.5 * last {
                break;
            }
            last = size;
        }
        Ok(())
    }

    /// The errors of dependent positions and velocities that follow from those of the independent ones at the
    /// state where the last velocities were found: G e_q = 0 and G e_v + ∂(Gv)/∂q e_q = 0. `frames` is for
    /// work.
    pub(crate) fn complete_errors(
        &mut self,
        system: &System,
        partition: &Partition,
        state: &State,
        [position, velocity]: [&mut [f64]; 2],
        frames: &mut [Frame],
    ) -> Result<(), PartitionError> {
        if self.has_velocity_rows {
            self.factor(system, &partition.dependent_positions, true)?;
        }
        self.b.fill(0.0);
        self.complete_error(&partition.dependent_positions, position);
        if self.has_velocity_rows {
            self.factor(system, &partition.dependent, false)?;
        }
        retract(system, &state.frames, position, frames);
        self.b.fill(0.0);
        let exact = Instant { frames, ..instant(state, &self.zero) };
        system.constraint_rate(&exact, &mut self.b, &mut self.scratch);
        self.complete_error(&partition.dependent, velocity);
        Ok(())
    }

    /// Sets the dependent components of e: Ĝ_d e_d = −b − Ĝ_i e_i with the rows b.
    fn complete_error(&mut self, dependent: &[usize], e: &mut [f64]) {
        let scale = self.jacobian.scale();
        self.jacobian.rows().iter().for_each(|&row| self.b[row] *= -scale[row]);
        for &i in self.jacobian.unknowns() {
            self.b[i] = if self.dependent[i] { 0.0 } else { e[i] / scale[i] };
        }
        self.factors.solve(&mut self.b);
        dependent.iter().for_each(|&i| e[i] = self.b[i] * scale[i]);
    }

    /// The columns of B: velocities with one independent velocity 1 and the others 0, such that G B = 0
    /// (floating-frame-and-ancf §1.3.4).
    pub fn directions(
        &mut self,
        system: &System,
        partition: &Partition,
        state: &State,
    ) -> Result<Vec<Vec<f64>>, PartitionError> {
        self.factor_velocities(system, partition, state)?;
        let column = |&i: &usize| {
            let scale = self.jacobian.scale();
            let mut b = vec![0.0; self.zero.len()];
            b[i] = scale[i].recip();
            self.factors.solve(&mut b);
            b.iter_mut().zip(scale).for_each(|(b, scale)| *b *= scale);
            self.jacobian.rows().iter().for_each(|&row| b[row] = 0.0);
            b
        };
        Ok(partition.independent.iter().map(column).collect())
    }

    /// 1/σ_min(Ĝ_d) at a state.
    pub fn condition_at(
        &mut self,
        system: &System,
        partition: &Partition,
        state: &State,
    ) -> Result<f64, PartitionError> {
        self.factor_velocities(system, partition, state)?;
        for (k, &row) in self.jacobian.rows().iter().enumerate() {
            self.probe[row] = irregular(k);
        }
        Ok(self.inverse_iteration(FIRST_LOOK))
    }

    /// 1/d_k of all rows (see [`RowDistances`]) where the last velocities were found: of the holonomic rows
    /// with the dependent positions, where rows on velocities make them a matter of their own, and of all
    /// rows with the dependent velocities.
    pub(crate) fn each_row(&mut self, partition: &Partition, mut visit: impl FnMut(usize, f64)) {
        let mut seen = 0;
        if self.has_velocity_rows {
            mark(&mut self.dependent, &partition.dependent_positions);
            let left_out = |row: usize| self.on_velocity[row];
            let found = self.distances.reciprocal(&self.jacobian, &self.dependent, left_out);
            found.iter().enumerate().for_each(|(k, value)| visit(k, *value));
            seen = found.len();
        }
        mark(&mut self.dependent, &partition.dependent);
        let found = self.distances.reciprocal(&self.jacobian, &self.dependent, |_| false);
        found.iter().enumerate().for_each(|(k, value)| visit(seen + k, *value));
    }

    /// 1/σ_min(Ĝ_d) where the last velocities were found, followed from one look to the next.
    pub fn condition(&mut self) -> f64 {
        self.inverse_iteration(NEXT_LOOK)
    }

    fn inverse_iteration(&mut self, steps: usize) -> f64 {
        let rows = self.jacobian.rows();
        let norm = |x: &[f64]| rows.iter().map(|&row| x[row] * x[row]).sum::<f64>().sqrt();
        let mut growth = 1.0;
        for _ in 0..steps {
            let size = norm(&self.probe);
            if size == 0.0 || !size.is_finite() {
                return 1.0;
            }
            self.b.fill(0.0);
            rows.iter().for_each(|&row| self.b[row] = self.probe[row] / size);
            self.factors.solve(&mut self.b);
            growth = norm(&self.b);
            rows.iter().for_each(|&row| self.probe[row] = self.b[row]);
        }
        growth.sqrt()
    }

    fn factor_positions(
        &mut self,
        system: &System,
        partition: &Partition,
        delta: &[f64],
        state: &State,
    ) -> Result<(), PartitionError> {
        for (node, tangent) in system.nodes().iter().zip(&mut self.tangents) {
            if node.chart == Chart::Motion {
                *tangent = node.chart.tangent(&delta[node.unknowns()]);
            }
        }
        let at = instant(state, &self.zero);
        self.jacobian.evaluate_by_increment(system, &at, &self.tangents, &mut self.scratch);
        self.factor(system, &partition.dependent_positions, true)
    }

    fn factor_velocities(
        &mut self,
        system: &System,
        partition: &Partition,
        state: &State,
    ) -> Result<(), PartitionError> {
        let at = instant(state, &self.zero);
        self.jacobian.evaluate(system, &at, &mut self.scratch);
        self.factor(system, &partition.dependent, false)
    }

    /// Fills and factors the matrix of the Jacobian evaluated last.
    fn factor(
        &mut self,
        system: &System,
        dependent: &[usize],
        holonomic: bool,
    ) -> Result<(), PartitionError> {
        mark(&mut self.dependent, dependent);
        self.values.fill(0.0);
        let idle = self.jacobian.unknowns().iter().chain(&self.suspended);
        idle.for_each(|&i| self.values[self.diagonal[i]] = 1.0);
        for (e, value) in self.jacobian.scaled() {
            if holonomic && self.on_velocity[e.row] {
                // No equation of positions: its multiplier is zero.
                self.values[self.diagonal[e.row]] = 1.0;
                continue;
            }
            self.values[e.lower] = value;
            if self.dependent[e.column] {
                self.values[e.upper] = value;
            }
        }
        self.factorisations += 1;
        let singular = |row| PartitionError::Singular { equation: system.equation_name(row) };
        self.factors.factor(system, &self.values).map_err(|e| singular(e.row))
    }

    /// Adds the correction for the residuals in `b` to the dependent components of `x`; returns its relative
    /// size.
    fn correct(&mut self, dependent: &[usize], x: &mut [f64]) -> f64 {
        let scale = self.jacobian.scale();
        for (b, scale) in self.b.iter_mut().zip(scale) {
            *b *= -scale;
        }
        self.factors.solve(&mut self.b);
        self.corrections += 1;
        let mut size = 0.0;
        for &i in dependent {
            x[i] += self.b[i] * scale[i];
            let by = self.b[i].abs();
            // What is not a number must not be lost.
            if by > size || by.is_nan() {
                size = by;
            }
        }
        size
    }

    /// Largest velocity or increment in units of the columns.
    pub(crate) fn largest(&self, v: &[f64]) -> f64 {
        let scale = self.jacobian.scale();
        self.jacobian.unknowns().iter().fold(0.0, |m, &i| f64::max(m, (v[i] / scale[i]).abs()))
    }

    /// The unknown with the largest velocity or increment.
    pub(crate) fn farthest(&self, v: &[f64]) -> usize {
        let scale = self.jacobian.scale();
        let by_size = |a: &usize, b: &usize| (v[*a] / scale[*a]).abs().total_cmp(&(v[*b] / scale[*b]).abs());
        self.jacobian.unknowns().iter().copied().max_by(by_size).unwrap_or(0)
    }

    fn open(&mut self, system: &System, state: &State) -> PartitionError {
        let at: Instant = instant(state, &self.zero);
        self.b.fill(0.0);
        system.constraint_residual(&at, &mut self.b, &mut self.scratch);
        let (row, residual) = worst(&self.b);
        PartitionError::Open { equation: system.equation_name(row), residual }
    }
}

/// Sets which unknowns are chosen.
fn mark(is_chosen: &mut [bool], chosen: &[usize]) {
    is_chosen.fill(false);
    chosen.iter().for_each(|&i| is_chosen[i] = true);
}

/// The largest entry, not a number first, and where it stands.
fn worst(x: &[f64]) -> (usize, f64) {
    let size = |x: &f64| if x.is_nan() { f64::INFINITY } else { x.abs() };
    let entries = x.iter().enumerate();
    entries.max_by(|a, b| size(a.1).total_cmp(&size(b.1))).map_or((0, 0.0), |(k, x)| (k, x.abs()))
}
