//! Dependent constraints: which rows are redundant, what they depend on, how near a singular position is, and
//! the least reactions among the many that redundant joints allow.
//!
//! All questions go to the matrix [D Gᵀ; G 0] in the metric of lengths (see `System::kinematic_matrix`),
//! sparse and factored in strict order: bodies first, then the rows that act on them. With the sizes n_k of
//! the rows,
//!
//! ```text
//! dependence      G_Rᵀ = G_Kᵀ Y                     row R in terms of the rows K in force
//! choice          |Y_k n_k / n_R| ≤ 2               else k is the better row to suspend (maximal volume)
//! distance        σ_min of N⁻¹ G D^{−½}             the sine of the angle between a row and the others
//! least λ         min Σ (w_k λ_k)²,  Gᵀλ = f        by [D Gᵀ; G −εW²] and λ ← λ⁺ until Gᵀλ = f
//! ```
//! A fixed choice of redundant rows may become singular during the motion (energy-momentum-null-space V-7),
//! so the choice is watched and changed.

use poinsot_integrators::{Factors, instant};
use poinsot_mechanics::{Scratch, State, System};
use poinsot_numerics::krylov::{KrylovSettings, smallest_singular_values};
use poinsot_numerics::lu::PivotError;

/// Pivot size, relative to its terms, below which a constraint row counts as dependent on others.
pub const RANK_TOLERANCE: f64 = 1e-9;
/// A suspended row is exchanged for one that the dependence weighs so much more.
const EXCHANGE: f64 = 2.0;
/// The same while moving: an exchange restarts the integrator.
const EXCHANGE_MOVING: f64 = 8.0;
/// By how much more the row of a drive counts when a row to be suspended is chosen.
const DRIVES_FIRST: f64 = 20.0;
/// Coefficients of a dependence below this share of the largest do not count.
const NEGLIGIBLE: f64 = 1e-8;
/// More suspended rows than this are taken as the elimination found them.
const MAX_EXCHANGED: usize = 200;
/// For so many redundant rows it is worked out what they depend on.
const MAX_EXPLAINED: usize = 20;
/// ε of the iteration for the least reactions.
const PROXIMAL: f64 = 1e-6;

/// A constraint row that depends on others.
#[derive(Clone, Debug, PartialEq)]
pub struct RedundantRow {
    /// The row, in words.
    pub row: String,
    /// The joints that it depends on; worked out for the first twenty rows only.
    pub depends_on: Vec<String>,
}

/// The factored constraint Jacobian of a system.
#[derive(Debug)]
pub struct Redundancy {
    lu: Factors,
    values: Vec<f64>,
    /// n_k in the constraint entries.
    sizes: Vec<f64>,
    /// Weights of reactions: 1 for rows of forces, one over the arm for rows of moments.
    weights: Vec<f64>,
    length: f64,
    scratch: Scratch,
}

impl Redundancy {
    /// For the given system as it is numbered now.
    pub fn new(system: &System) -> Self {
        Redundancy {
            lu: Factors::new(system),
            values: vec![0.0; system.pattern().nnz()],
            sizes: vec![0.0; system.size()],
            weights: vec![0.0; system.size()],
            length: system.arm(),
            scratch: Scratch::default(),
        }
    }

    fn assemble(&mut self, system: &System, state: &State) {
        let zero = vec![0.0; system.size()];
        let at = instant(state, &zero);
        system.kinematic_matrix(&at, self.length, &mut self.values, &mut self.scratch);
        system.row_sizes(&at, self.length, &mut self.sizes, &mut self.scratch);
    }

    /// The equations of rows that depend on others, and of rows that nothing can change (void).
    pub fn dependent(
        &mut self,
        system: &System,
        state: &State,
    ) -> Result<(Vec<usize>, Vec<usize>), PivotError> {
        self.assemble(system, state);
        let dropped = self.lu.factor_dropping(&self.values, &system.is_constraint_row(), RANK_TOLERANCE)?;
        Ok(dropped.into_iter().partition(|&eq| self.sizes[eq] > 0.0))
    }

    /// Factors with the rows in force only: λ = 0 in the place of the others.
    fn factor_in_force(&mut self, system: &System, state: &State) -> Result<Vec<usize>, PivotError> {
        self.assemble(system, state);
        let suspended = suspended_equations(system);
        self.take_out(system, &suspended);
        self.lu.factor(system, &self.values)?;
        Ok(suspended)
    }

    /// Puts λ = 0 in the place of rows.
    fn take_out(&mut self, system: &System, equations: &[usize]) {
        let pattern = system.pattern();
        for &eq in equations {
            for (&row, slot) in pattern.rows(eq).iter().zip(pattern.slots(eq)) {
                self.values[slot] = 0.0;
                if let Some(other) = pattern.index(eq, row) {
                    self.values[other] = 0.0;
                }
            }
            if let Some(slot) = pattern.index(eq, eq) {
                self.values[slot] = 1.0;
            }
        }
    }

    /// Y_k n_k/n_R of a suspended row, zero elsewhere. The Jacobian must be factored in force.
    fn dependence(&mut self, system: &System, state: &State, eq: usize) -> Vec<f64> {
        let n = system.size();
        let mut unit = vec![0.0; n];
        unit[eq] = 1.0;
        let mut y = vec![0.0; n];
        let zero = vec![0.0; n];
        system.add_all_pulls(&instant(state, &zero), &unit, &mut y, &mut self.scratch);
        self.lu.solve(&mut y);
        for node in system.nodes() {
            y[node.unknowns()].fill(0.0);
        }
        y.iter_mut().zip(&self.sizes).for_each(|(y, size)| *y *= size / self.sizes[eq]);
        y
    }

    /// Whether a suspended row has become so weak in its dependence that it should be exchanged.
    pub fn needs_exchange(&mut self, system: &System, state: &State) -> Result<bool, PivotError> {
        let suspended = self.factor_in_force(system, state)?;
        if suspended.is_empty() || suspended.len() > MAX_EXCHANGED {
            return Ok(false);
        }
        let weak = |y: Vec<f64>| y.iter().any(|y| y.abs() > EXCHANGE_MOVING);
        Ok(suspended.iter().any(|&eq| weak(self.dependence(system, state, eq))))
    }

    /// Exchanges suspended rows until none is much weaker in its dependence than another; returns how many
    /// changed.
    pub fn exchange(&mut self, system: &mut System, state: &State) -> Result<usize, PivotError> {
        let mut changed = 0;
        let blame = blame(system);
        for _ in 0..MAX_EXCHANGED {
            let suspended = self.factor_in_force(system, state)?;
            if suspended.len() > MAX_EXCHANGED {
                break;
            }
            let mut new = suspended.clone();
            for (place, &eq) in suspended.iter().enumerate() {
                let y = self.dependence(system, state, eq);
                // A drive too many is what the user wants to hear of, not a joint.
                let weight = |k: usize| y[k].abs() * blame[k];
                let best = (0..y.len()).max_by(|&a, &b| weight(a).total_cmp(&weight(b)));
                let limit = EXCHANGE * blame[eq];
                if let Some(k) = best.filter(|&k| weight(k) > limit && !new.contains(&k)) {
                    new[place] = k;
                    changed += 1;
                    // The other dependences change with it: look again.
                    break;
                }
            }
            if new == suspended {
                break;
            }
            system.suspend_rows(&system.rows_at(&new));
        }
        Ok(changed)
    }

    /// The suspended rows and the joints that they depend on.
    pub fn redundant(&mut self, system: &System, state: &State) -> Result<Vec<RedundantRow>, PivotError> {
        let suspended = self.factor_in_force(system, state)?;
        let mut rows = Vec::with_capacity(suspended.len());
        for (k, eq) in suspended.into_iter().enumerate() {
            if k >= MAX_EXPLAINED {
                rows.push(RedundantRow { row: system.equation_name(eq), depends_on: vec![] });
                continue;
            }
            let y = self.dependence(system, state, eq);
            let largest = y.iter().fold(0.0, |m: f64, y| m.max(y.abs()));
            let strong: Vec<usize> = (0..y.len()).filter(|&k| y[k].abs() > NEGLIGIBLE * largest).collect();
            let mut depends_on: Vec<String> = Vec::new();
            for (c, _) in system.rows_at(&strong) {
                let name = &system.constraints()[c].name;
                if !depends_on.contains(name) {
                    depends_on.push(name.clone());
                }
            }
            rows.push(RedundantRow { row: system.equation_name(eq), depends_on });
        }
        Ok(rows)
    }

    /// How near the position is to a singular one: the smallest singular value of the rows in force, each
    /// made of size one, between 0 (singular) and 1; and the row that counts least, in words. None without
    /// rows.
    pub fn distance(&mut self, system: &System, state: &State) -> Result<Option<(f64, String)>, PivotError> {
        self.factor_in_force(system, state)?;
        let rows = system.enforced_equations();
        if rows.is_empty() {
            return Ok(None);
        }
        let (lu, sizes) = (&self.lu, &self.sizes);
        let mut b = vec![0.0; system.size()];
        // D v + Gᵀμ = 0, G v = N y gives −μ = (G D⁻¹ Gᵀ)⁻¹ N y.
        let mut inverse = |y: &[f64], out: &mut [f64]| {
            b.fill(0.0);
            rows.iter().zip(y).for_each(|(&eq, y)| b[eq] = sizes[eq] * y);
            lu.solve(&mut b);
            rows.iter().zip(out).for_each(|(&eq, out)| *out = -sizes[eq] * b[eq]);
        };
        let settings =
            KrylovSettings { tolerance: 1e-6, block: 1, check: false, ..KrylovSettings::default() };
        let found = smallest_singular_values(rows.len(), &mut inverse, 1, &settings);
        let Some(weakest) = found.ok().and_then(|found| found.pairs.into_iter().next()) else {
            return Ok(None);
        };
        let largest =
            (0..rows.len()).max_by(|&a, &b| weakest.rows[a].abs().total_cmp(&weakest.rows[b].abs()));
        Ok(largest.map(|k| (weakest.value.min(1.0), system.equation_name(rows[k]))))
    }

    /// The correction δ of positions that closes all rows with the least move in the sense of the masses,
    /// damped by ε = `caution` · |Φ| in units of the rows' sizes.
    pub fn correction(
        &mut self,
        system: &System,
        state: &State,
        caution: f64,
    ) -> Result<Vec<f64>, PivotError> {
        self.assemble(system, state);
        let mut b = vec![0.0; system.size()];
        let zero = vec![0.0; system.size()];
        let at = instant(state, &zero);
        system.constraint_residual(&at, &mut b, &mut self.scratch);
        let heavy = system.mass_in_place_of_metric(&at, &mut self.values, &mut self.scratch);
        let rows = system.constraint_equations();
        let open =
            |row: &usize| if self.sizes[*row] > 0.0 { (b[*row] / self.sizes[*row]).abs() } else { 0.0 };
        let largest = rows.iter().map(open).fold(0.0, f64::max) / self.length;
        let damping = caution * largest.min(1.0);
        let on_velocities = system.velocity_equations();
        for &row in &rows {
            b[row] = -b[row];
            let size = if self.sizes[row] > 0.0 { self.sizes[row] } else { 1.0 };
            // Rows on velocities are not to be closed, only respected.
            let damping = if on_velocities.contains(&row) { 0.0 } else { damping };
            if let Some(slot) = system.pattern().index(row, row) {
                self.values[slot] = -(damping + LEAST_DAMPING) * size * size / heavy;
            }
        }
        self.lu.factor(system, &self.values)?;
        self.lu.solve(&mut b);
        Ok(b)
    }

    /// Σ (Φ_k/n_k)² of holonomic rows, with the sizes of the last correction; none before the first.
    pub fn openness(&mut self, system: &System, state: &State) -> f64 {
        let mut phi = vec![0.0; system.size()];
        let zero = vec![0.0; system.size()];
        system.constraint_residual(&instant(state, &zero), &mut phi, &mut self.scratch);
        let rows = system.constraint_equations();
        let open = |row: usize| if self.sizes[row] > 0.0 { phi[row] / self.sizes[row] } else { 0.0 };
        rows.into_iter().map(|row| open(row).powi(2)).sum()
    }

    /// How far each constraint is open, |Φ_k|/n_k at most; all rows must be in force.
    pub fn open_constraints(&mut self, system: &System, state: &State) -> Vec<f64> {
        self.assemble(system, state);
        let mut phi = vec![0.0; system.size()];
        let zero = vec![0.0; system.size()];
        system.constraint_residual(&instant(state, &zero), &mut phi, &mut self.scratch);
        let open = |eq: usize| if self.sizes[eq] > 0.0 { (phi[eq] / self.sizes[eq]).abs() } else { 0.0 };
        let of =
            |c: usize| (0..system.constraints()[c].law.rows()).filter_map(move |r| system.row_equation(c, r));
        (0..system.constraints().len()).map(|c| of(c).map(open).fold(0.0, f64::max)).collect()
    }

    /// Spreads the multipliers in `a` over all rows, suspended ones included: of all that give the same
    /// forces, those of least Σ (w_k λ_k)².
    pub fn spread_reactions(
        &mut self,
        system: &System,
        state: &State,
        a: &mut [f64],
    ) -> Result<(), PivotError> {
        let n = system.size();
        self.assemble(system, state);
        let zero = vec![0.0; n];
        system.reaction_weights(&instant(state, &zero), self.length, &mut self.weights, &mut self.scratch);
        // Friction, and what reads reactions, has been found with those of its joint: they stay.
        let mut is_fixed = vec![false; n];
        for c in system.pressing_constraints() {
            let rows = 0..system.constraints()[c].active.len();
            let equations = rows.filter_map(|row| system.row_equation(c, row));
            equations.for_each(|eq| is_fixed[eq] = true);
        }
        let (fixed, rows): (Vec<usize>, Vec<usize>) =
            system.constraint_equations().into_iter().partition(|&eq| is_fixed[eq]);
        self.take_out(system, &fixed);
        for &row in &rows {
            if let Some(slot) = system.pattern().index(row, row) {
                self.values[slot] = -PROXIMAL * self.weights[row] * self.weights[row];
            }
        }
        self.lu.factor(system, &self.values)?;
        let (mut force, mut lambda) = (vec![0.0; n], vec![0.0; n]);
        rows.iter().for_each(|&row| lambda[row] = a[row]);
        system.add_all_pulls(&instant(state, a), &lambda, &mut force, &mut self.scratch);
        lambda.fill(0.0);
        let scale = force.iter().fold(0.0, |m: f64, f| m.max(f.abs()));
        for _ in 0..MAX_SPREADING {
            // D z + Gᵀλ⁺ = f,  G z − εW²λ⁺ = −εW²λ.
            let mut b = force.clone();
            for &row in &rows {
                b[row] = -PROXIMAL * self.weights[row] * self.weights[row] * lambda[row];
            }
            self.lu.solve(&mut b);
            let open = system.nodes().iter().flat_map(|node| node.unknowns()).map(|i| b[i].abs());
            let open = open.fold(0.0, f64::max);
            rows.iter().for_each(|&row| lambda[row] = b[row]);
            if open <= 1e-14 * scale {
                break;
            }
        }
        rows.iter().for_each(|&row| a[row] = lambda[row]);
        Ok(())
    }
}

const MAX_SPREADING: usize = 12;
/// Damping that keeps the matrix regular where rows are redundant.
const LEAST_DAMPING: f64 = 1e-12;

/// Multipliers as they are reported: of redundant joints the least ones, see
/// [`Redundancy::spread_reactions`].
pub fn reported_reactions(system: &System, state: &State, a: &[f64]) -> Result<Vec<f64>, PivotError> {
    let mut a = a.to_vec();
    if !system.suspended_rows().is_empty() {
        Redundancy::new(system).spread_reactions(system, state, &mut a)?;
    }
    Ok(a)
}

/// By how much more the rows of drives, and of start values before them, count when rows to be suspended are
/// chosen.
fn blame(system: &System) -> Vec<f64> {
    let mut blame = vec![1.0; system.size()];
    for (c, entry) in system.constraints().iter().enumerate() {
        let weight = match (system.imposed().contains(&c), entry.is_driven()) {
            (true, _) => DRIVES_FIRST * DRIVES_FIRST,
            (false, true) => DRIVES_FIRST,
            (false, false) => continue,
        };
        (0..entry.law.rows()).filter_map(|row| system.row_equation(c, row)).for_each(|eq| blame[eq] = weight);
    }
    blame
}

/// Equations of the suspended rows.
fn suspended_equations(system: &System) -> Vec<usize> {
    system.suspended_rows().iter().filter_map(|&(c, row)| system.row_equation(c, row)).collect()
}
