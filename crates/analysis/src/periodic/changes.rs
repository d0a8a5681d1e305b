//! Changes of a state that the constraints allow, in an orthonormal basis.
//!
//! ```text
//! G δq = 0              holonomic rows
//! D δq + G δv = 0       their rates, and rows on velocities;   D = ∂(rate)/∂q
//! K_a δq + C_a δw = 0   equations without rates
//!
//! δx = S N p,   NᵀN = I
//! ```
//! S holds the units: the length of the model, a radian, both times a rate for velocities, the nominal size
//! of a variable. The number of p is that of the states: nothing that a constraint holds comes back as a
//! multiplier.

use crate::periodic::PeriodicError;
use poinsot_geometry::{Mat3, Vec3, so3};
use poinsot_integrators::{SaddlePoint, instant, retract};
use poinsot_mechanics::{Chart, Level, Linearization, Scratch, State, System};
use poinsot_numerics::dense::Mat;

/// |R_kk| of a row, relative to the row, below which it depends on others.
const DEPENDENT: f64 = 1e-10;

/// Differences and independent changes of the states of a system.
#[derive(Debug)]
pub struct Changes<'s> {
    system: &'s System,
    /// S; zero where there is nothing to change.
    scale: Vec<f64>,
    /// Entries of δx that can change.
    entries: Vec<usize>,
    /// Whether nothing is held and no frame turns: every basis is the identity.
    is_plain: bool,
    positions: Vec<usize>,
    velocities: Vec<usize>,
    algebraic: Vec<usize>,
    identity: Vec<Mat3>,
    zero: Vec<f64>,
    saddle: SaddlePoint,
    scratch: Scratch,
}

impl<'s> Changes<'s> {
    /// Of a system whose motions have a typical rate (rad/s).
    pub fn new(system: &'s System, rate: f64) -> Self {
        let (n, length) = (system.size(), system.length_scale());
        let mut scale = vec![0.0; 2 * n];
        for node in system.nodes() {
            for (k, e) in node.unknowns().enumerate() {
                scale[e] = if k < node.chart.linear_dofs() { length } else { 1.0 };
                scale[n + e] = rate * scale[e];
            }
        }
        let nominal = system.networks().iter().flat_map(|n| n.law.variables.iter().map(|v| v.nominal));
        for (e, nominal) in system.variable_equations().into_iter().zip(nominal) {
            scale[n + e] = if nominal > 0.0 { nominal } else { 1.0 };
        }
        let enforced = system.enforced_equations();
        let on_velocities = system.velocity_equations();
        let algebraic = system.algebraic_equations();
        let turns = system.nodes().iter().any(|node| node.chart == Chart::Motion);
        Changes {
            is_plain: enforced.is_empty() && algebraic.is_empty() && !turns,
            entries: (0..2 * n).filter(|&e| scale[e] > 0.0).collect(),
            positions: enforced.iter().copied().filter(|eq| !on_velocities.contains(eq)).collect(),
            velocities: enforced,
            algebraic,
            identity: vec![Mat3::identity(); system.nodes().len()],
            zero: vec![0.0; n],
            saddle: SaddlePoint::new(system),
            scratch: Scratch::default(),
            scale,
            system,
        }
    }

    /// Takes a variable out of the changes. The equation that follows it, and so cannot have it jump: a
    /// constraint on velocities or positions.
    pub fn hold(&mut self, state: &State, variable: usize) -> Option<String> {
        let entry = self.system.size() + variable;
        let place = self.entries.iter().position(|&e| e == entry)?;
        let rows = self.rows(state);
        let first = self.positions.len() + self.velocities.len();
        if let Some(row) = (0..first).find(|&row| rows[(row, place)] != 0.0) {
            return Some(self.system.equation_name(self.row_equation(row)));
        }
        self.entries.remove(place);
        self.scale[entry] = 0.0;
        None
    }

    /// Which of the entries that can change are variables that equations without rates give.
    pub fn are_algebraic(&self) -> Vec<bool> {
        let n = self.system.size();
        self.entries.iter().map(|&e| e >= n && self.algebraic.contains(&(e - n))).collect()
    }

    /// What an entry that can change belongs to.
    pub fn entry_name(&self, place: usize) -> String {
        self.system.equation_name(self.entries[place] % self.system.size())
    }

    /// Length 2n of a change.
    pub fn size(&self) -> usize {
        self.scale.len()
    }

    /// S.
    pub fn scale(&self) -> &[f64] {
        &self.scale
    }

    /// How many states there are.
    pub fn independent(&self) -> usize {
        self.entries.len() - self.positions.len() - self.velocities.len() - self.algebraic.len()
    }

    /// The way from one state to another: what [`Self::moved`] adds, but for the constraints.
    pub fn difference(&self, from: &State, to: &State, out: &mut [f64]) {
        let n = self.system.size();
        out.fill(0.0);
        for (k, node) in self.system.nodes().iter().enumerate() {
            let own = node.unknowns();
            if own.is_empty() {
                continue;
            }
            let (a, b) = (&from.frames[k], &to.frames[k]);
            let twist = poinsot_mechanics::Twist {
                linear: b.r - a.r,
                angular: match node.chart {
                    Chart::Motion | Chart::Planar { .. } => so3::log(&(a.rot.transpose() * b.rot)),
                    _ => Vec3::zeros(),
                },
            };
            node.chart.velocities(&twist, &mut out[own]);
        }
        for e in 0..n {
            if self.scale[n + e] > 0.0 {
                out[n + e] = to.v[e] - from.v[e];
            }
        }
    }

    /// |S⁻¹ δx|, the largest entry.
    pub fn measure(&self, change: &[f64]) -> f64 {
        self.entries.iter().map(|&e| (change[e] / self.scale[e]).abs()).fold(0.0, f64::max)
    }

    /// The state moved by a change, back on the constraints.
    pub fn moved(&mut self, state: &State, change: &[f64]) -> Result<State, PeriodicError> {
        let n = self.system.size();
        let mut moved = state.clone();
        retract(self.system, &state.frames, &change[..n], &mut moved.frames);
        moved.v.iter_mut().zip(&change[n..]).for_each(|(v, d)| *v += d);
        self.settle(&mut moved)?;
        Ok(moved)
    }

    /// Moves a state onto the constraints.
    pub fn settle(&mut self, state: &mut State) -> Result<(), PeriodicError> {
        let system = self.system;
        if !self.velocities.is_empty() {
            self.saddle
                .project(system, state, system.length_scale())
                .map_err(|e| PeriodicError::Singular { t: state.t, equation: system.equation_name(e.row) })?;
        }
        system.remember_with(state, &mut self.scratch);
        if !self.algebraic.is_empty() {
            system.close_networks(state, &mut self.scratch);
        }
        Ok(())
    }

    /// ẋ as a change: velocities, accelerations and rates of variables.
    pub fn flow(&mut self, state: &State) -> Result<Vec<f64>, PeriodicError> {
        let (system, n) = (self.system, self.system.size());
        let mut a = self.accelerations(state)?;
        let mut flow = vec![0.0; 2 * n];
        let is_row = system.is_constraint_row();
        for e in (0..n).filter(|&e| !is_row[e]) {
            flow[e] = if self.scale[e] > 0.0 { state.v[e] } else { 0.0 };
            flow[n + e] = std::mem::take(&mut a[e]);
        }
        Ok(flow)
    }

    /// Accelerations, rates of variables and multipliers at a state.
    pub fn accelerations(&mut self, state: &State) -> Result<Vec<f64>, PeriodicError> {
        let system = self.system;
        let mut a = vec![0.0; system.size()];
        self.saddle
            .accelerations(system, state, &mut a)
            .map_err(|e| PeriodicError::Singular { t: state.t, equation: system.equation_name(e.row) })?;
        system.network_rates(state, &mut a, &mut self.scratch);
        match a.iter().position(|x| !x.is_finite()) {
            Some(bad) => Err(PeriodicError::NotFinite { t: state.t, equation: system.equation_name(bad) }),
            None => Ok(a),
        }
    }

    /// N at a state: its rows are the entries that can change.
    pub fn basis(&mut self, state: &State) -> Result<Mat<f64>, PeriodicError> {
        let (free, held) = (self.entries.len(), self.entries.len() - self.independent());
        if held == 0 {
            let mut basis = Mat::identity(free, free);
            self.turned(state, &mut basis, false);
            return Ok(basis);
        }
        let rows = self.rows(state);
        let mut scaled = Mat::from_fn(free, held, |i, j| rows[(j, i)] * self.scale[self.entries[i]]);
        self.turned(state, &mut scaled, true);
        let sizes: Vec<f64> = (0..held).map(|j| scaled.col(j).norm_l2().max(f64::MIN_POSITIVE)).collect();
        let unit = Mat::from_fn(free, held, |i, j| scaled[(i, j)] / sizes[j]);
        let qr = unit.qr();
        let depends = |k: usize| {
            let own = qr.R()[(k, k)].abs();
            own.is_nan() || own <= DEPENDENT
        };
        if let Some(row) = (0..held).find(|&k| depends(k)) {
            let equation = self.system.equation_name(self.row_equation(row));
            return Err(PeriodicError::Dependent { t: state.t, equation });
        }
        let mut basis = qr.compute_Q().subcols(held, free - held).to_owned();
        self.turned(state, &mut basis, false);
        Ok(basis)
    }

    /// Turns the rows of places and velocities of frames into their axes, or back: what a body in space
    /// leaves open then does not change when the whole motion is turned, and free rotations are exactly free.
    fn turned(&self, state: &State, matrix: &mut Mat<f64>, into: bool) {
        let n = self.system.size();
        let mut place_of = vec![usize::MAX; 2 * n];
        self.entries.iter().enumerate().for_each(|(i, &e)| place_of[e] = i);
        for (node, frame) in self.system.nodes().iter().zip(&state.frames) {
            if node.chart != Chart::Motion {
                continue;
            }
            let first = node.unknowns().start;
            for from in [place_of[first], place_of[n + first]] {
                for c in 0..matrix.ncols() {
                    let x = Vec3::from_fn(|k, _| matrix[(from + k, c)]);
                    let x = if into { frame.rot.tr_mul(&x) } else { frame.rot * x };
                    (0..3).for_each(|k| matrix[(from + k, c)] = x[k]);
                }
            }
        }
    }

    fn row_equation(&self, row: usize) -> usize {
        let all = self.positions.iter().chain(&self.velocities).chain(&self.algebraic);
        all.copied().nth(row).unwrap_or(0)
    }

    /// The conditions on changes, of the entries that can change.
    fn rows(&mut self, state: &State) -> Mat<f64> {
        let (system, n) = (self.system, self.system.size());
        let plain = self.matrix(state, [1.0, 0.0, 0.0], 0.0);
        let with_rates = self.matrix(state, [1.0, 0.0, 0.0], 1.0);
        let mut column_of = vec![usize::MAX; 2 * n];
        self.entries.iter().enumerate().for_each(|(i, &e)| column_of[e] = i);
        let mut row_of = vec![[usize::MAX; 2]; n];
        self.positions.iter().enumerate().for_each(|(r, &eq)| row_of[eq][0] = r);
        let first = self.positions.len();
        self.velocities.iter().enumerate().for_each(|(r, &eq)| row_of[eq][1] = first + r);
        let first = first + self.velocities.len();
        self.algebraic.iter().enumerate().for_each(|(r, &eq)| row_of[eq] = [usize::MAX, first + r]);
        let mut rows = Mat::zeros(first + self.algebraic.len(), self.entries.len());
        let mut add = |row: usize, entry: usize, value: f64| {
            if row != usize::MAX && column_of[entry] != usize::MAX {
                rows[(row, column_of[entry])] += value;
            }
        };
        let mut is_algebraic = vec![false; n];
        self.algebraic.iter().for_each(|&eq| is_algebraic[eq] = true);
        let pattern = system.pattern();
        for column in 0..n {
            for (&row, slot) in pattern.rows(column).iter().zip(pattern.slots(column)) {
                if row_of[row] == [usize::MAX; 2] || is_algebraic[row] {
                    continue;
                }
                add(row_of[row][0], column, plain[slot]);
                add(row_of[row][1], column, with_rates[slot] - plain[slot]);
                add(row_of[row][1], n + column, plain[slot]);
            }
        }
        if !self.algebraic.is_empty() {
            let by_rate = self.matrix(state, [0.0, 1.0, 0.0], 0.0);
            let by_place = self.matrix(state, [0.0, 0.0, 1.0], 1.0);
            for column in 0..n {
                for (&row, slot) in pattern.rows(column).iter().zip(pattern.slots(column)) {
                    if is_algebraic[row] {
                        add(row_of[row][1], column, by_place[slot] - by_rate[slot]);
                        add(row_of[row][1], n + column, by_rate[slot]);
                    }
                }
            }
        }
        rows
    }

    fn matrix(&mut self, state: &State, [mass, damping, stiffness]: [f64; 3], gamma: f64) -> Vec<f64> {
        let system = self.system;
        let at = instant(state, &self.zero);
        let linearization = Linearization {
            mass,
            damping,
            stiffness,
            gamma,
            level: Level::Velocity,
            networks: !system.networks().is_empty(),
            pressed: false,
            ..Linearization::at(at, &self.identity)
        };
        let mut values = vec![0.0; system.pattern().nnz()];
        system.step_matrix(&linearization, &mut values, &mut self.scratch);
        values
    }

    /// S N p for the columns p of a matrix, one change after the other.
    pub fn spread(&self, basis: &Mat<f64>, p: &Mat<f64>) -> Vec<f64> {
        match self.is_plain {
            true => self.in_units(p),
            false => self.in_units(&(basis * p)),
        }
    }

    /// S N, one change after the other.
    pub fn directions(&self, basis: &Mat<f64>) -> Vec<f64> {
        self.in_units(basis)
    }

    fn in_units(&self, full: &Mat<f64>) -> Vec<f64> {
        let mut out = vec![0.0; self.size() * full.ncols()];
        for k in 0..full.ncols() {
            for (i, &e) in self.entries.iter().enumerate() {
                out[k * self.size() + e] = full[(i, k)] * self.scale[e];
            }
        }
        out
    }

    /// Nᵀ S⁻¹ δx of changes that stand one after the other.
    pub fn gather(&self, basis: &Mat<f64>, changes: &[f64]) -> Mat<f64> {
        let full = Mat::from_fn(self.entries.len(), changes.len() / self.size(), |i, k| {
            let e = self.entries[i];
            changes[k * self.size() + e] / self.scale[e]
        });
        if self.is_plain { full } else { basis.transpose() * full }
    }

    /// S⁻¹ R λ, the adjoint of [`Self::gather`].
    pub fn spread_inverse(&self, basis: &Mat<f64>, lambda: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.size()];
        for (i, &e) in self.entries.iter().enumerate() {
            let sum: f64 = lambda.iter().enumerate().map(|(k, l)| basis[(i, k)] * l).sum();
            out[e] = sum / self.scale[e];
        }
        out
    }

    /// Nᵀ S y of an adjoint y, the adjoint of [`Self::spread`].
    pub fn gather_slopes(&self, basis: &Mat<f64>, slope: &[f64]) -> Vec<f64> {
        let of = |k: usize| {
            self.entries.iter().enumerate().map(|(i, &e)| basis[(i, k)] * self.scale[e] * slope[e]).sum()
        };
        (0..basis.ncols()).map(of).collect()
    }
}
