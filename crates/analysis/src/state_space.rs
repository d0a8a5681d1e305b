//! The linearised system in independent coordinates: ẋ = A x + B u.
//!
//! The unknowns are split into independent and dependent ones by column pivoting (floating-frame-and-ancf §1.3.4),
//!
//! ```text
//! y = Z q,         Z = [I; −G_d⁻¹ G_i]          holonomic rows
//! q̇ = U w − P q,   U = [I; −B_d⁻¹ B_i],  P = [0; B_d⁻¹ N̂ Z],  B = G_v Z      rows on velocities
//! ```
//! so that the states x = (q, w) are deviations of named coordinates and velocities. Projecting the balance on the left
//! null space Q of the constraint forces gives
//!
//! ```text
//! QᵀM Z U ẇ = −Qᵀ (Ĉ Z − M Z P) U w − Qᵀ (K̂ Z − (Ĉ Z − M Z P) P) q + Qᵀ F u
//! ```

use crate::linear::Linear;
use poinsot_mechanics::{State, System};
use poinsot_numerics::dense::{DenseError, DenseLu, Mat, expand};
use poinsot_numerics::subspace::pivoted_columns;
use thiserror::Error;

/// A linear system in independent coordinates.
#[derive(Clone, Debug)]
pub struct StateSpace {
    /// A.
    pub a: Mat<f64>,
    /// (QᵀM Z U)⁻¹ Qᵀ with rows for the velocities w and columns for the unknowns: B = this × F.
    pub input: Mat<f64>,
    /// Deviations y of all unknowns from the states.
    pub positions: Mat<f64>,
    /// y′ from the states.
    pub rates: Mat<f64>,
    /// The states in words, coordinates then velocities.
    pub states: Vec<String>,
    /// Equations of the unknowns, in the order of the rows of `positions`.
    pub unknowns: Vec<usize>,
    /// How many of the states are coordinates.
    pub coordinates: usize,
}

/// Why a system cannot be reduced.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum StateSpaceError {
    /// Too many unknowns for dense matrices.
    #[error("the system has {0} unknowns, more than the {MAX_DENSE} that dense matrices are made for")]
    TooLarge(usize),
    /// The mass matrix is singular on the freedoms.
    #[error("a freedom has no inertia: {0}")]
    NoInertia(String),
    /// A dense computation failed.
    #[error(transparent)]
    Dense(#[from] DenseError),
}

/// Most unknowns of a dense reduction.
pub const MAX_DENSE: usize = 1200;

/// The basis [I; −G_d⁻¹G_i] of the null space of G, and the independent columns; `scale` weighs the columns.
struct NullBasis {
    basis: Mat<f64>,
    independent: Vec<usize>,
    /// G_d⁻¹ times any matrix of as many rows as G, put into the dependent rows.
    dependent: Vec<usize>,
    lu: Option<DenseLu>,
}

impl NullBasis {
    fn new(g: &Mat<f64>, scale: &[f64]) -> Result<Self, DenseError> {
        let (rows, columns) = (g.nrows(), g.ncols());
        let weighed = Mat::from_fn(rows, columns, |i, j| g[(i, j)] * scale[j]);
        let order = if rows == 0 { (0..columns).collect() } else { pivoted_columns(weighed.as_ref())?.order };
        let dependent: Vec<usize> = order[..rows].to_vec();
        let mut independent: Vec<usize> = order[rows..].to_vec();
        independent.sort_unstable();
        let lu = match rows {
            0 => None,
            _ => Some(DenseLu::new(Mat::from_fn(rows, rows, |i, j| g[(i, dependent[j])]).as_ref())?),
        };
        let mut this =
            NullBasis { basis: Mat::zeros(columns, independent.len()), independent, dependent, lu };
        let free = Mat::from_fn(rows, this.independent.len(), |i, j| g[(i, this.independent[j])]);
        let mut basis = this.particular(&free, columns);
        for (j, &k) in this.independent.iter().enumerate() {
            basis[(k, j)] = 1.0;
        }
        this.basis = basis;
        Ok(this)
    }

    /// −G_d⁻¹ R in the dependent rows, zero in the others.
    fn particular(&self, r: &Mat<f64>, columns: usize) -> Mat<f64> {
        let mut out = Mat::zeros(columns, r.ncols());
        let Some(lu) = &self.lu else { return out };
        for j in 0..r.ncols() {
            let mut x: Vec<f64> = (0..r.nrows()).map(|i| -r[(i, j)]).collect();
            lu.solve(&mut x);
            for (&k, x) in self.dependent.iter().zip(x) {
                out[(k, j)] = x;
            }
        }
        out
    }
}

/// Rows and columns of a full matrix.
fn part(full: &Mat<f64>, rows: &[usize], columns: &[usize]) -> Mat<f64> {
    Mat::from_fn(rows.len(), columns.len(), |i, j| full[(rows[i], columns[j])])
}

impl StateSpace {
    /// Reduces a linearised system.
    pub fn new(system: &System, linear: &Linear) -> Result<Self, StateSpaceError> {
        let unknowns: Vec<usize> = system.nodes().iter().flat_map(|n| n.unknowns()).collect();
        if unknowns.len() > MAX_DENSE {
            return Err(StateSpaceError::TooLarge(unknowns.len()));
        }
        let scale = column_scales(system);
        let pattern = system.pattern();
        let full = expand(pattern, &linear.constraints);
        let (velocity, holonomic): (Vec<usize>, Vec<usize>) =
            linear.rows.iter().partition(|&&eq| linear.on_velocities[eq]);
        let m = part(&expand(pattern, &linear.mass), &unknowns, &unknowns);
        let c = part(&expand(pattern, &linear.damping), &unknowns, &unknowns);
        let k = part(&expand(pattern, &linear.stiffness), &unknowns, &unknowns);
        let z = NullBasis::new(&part(&full, &holonomic, &unknowns), &scale)?;
        let b = part(&full, &velocity, &unknowns) * &z.basis;
        let d = part(&expand(pattern, &linear.drift), &velocity, &unknowns) * &z.basis;
        let own_scale: Vec<f64> = z.independent.iter().map(|&j| scale[j]).collect();
        let u = NullBasis::new(&b, &own_scale)?;
        let p = u.particular(&d, b.ncols()) * -1.0;
        let q = match system.frictions().is_empty() {
            true => &z.basis * &u.basis,
            // Friction presses with λ: the forces of the constraints have another null space than their rows.
            false => {
                let upper = part(&full, &unknowns, &linear.rows);
                NullBasis::new(&upper.transpose().to_owned(), &scale)?.basis
            }
        };
        let (mz, cz, kz) = (&m * &z.basis, &c * &z.basis, &k * &z.basis);
        let mass = q.transpose() * &mz * &u.basis;
        let moving = &cz - &mz * &p;
        let by_rate = q.transpose() * &moving * &u.basis;
        let by_position = q.transpose() * (&kz - &moving * &p);
        let name = |k: usize| system.equation_name(unknowns[z.independent[k]]);
        let velocities: Vec<String> = u.independent.iter().map(|&k| format!("rate of {}", name(k))).collect();
        let inverse =
            invert(&mass).ok_or_else(|| StateSpaceError::NoInertia(lightest(&velocities, &mass)))?;
        let (w_by_q, w_by_w) = (&inverse * by_position * -1.0, &inverse * by_rate * -1.0);
        let (np, nv) = (z.basis.ncols(), u.basis.ncols());
        let a = Mat::from_fn(np + nv, np + nv, |i, j| match (i < np, j < np) {
            (true, true) => -p[(i, j)],
            (true, false) => u.basis[(i, j - np)],
            (false, true) => w_by_q[(i - np, j)],
            (false, false) => w_by_w[(i - np, j - np)],
        });
        let (zu, zp) = (&z.basis * &u.basis, &z.basis * &p);
        let positions =
            Mat::from_fn(unknowns.len(), np + nv, |i, j| if j < np { z.basis[(i, j)] } else { 0.0 });
        let rates =
            Mat::from_fn(unknowns.len(), np + nv, |i, j| if j < np { -zp[(i, j)] } else { zu[(i, j - np)] });
        let mut states: Vec<String> = (0..np).map(name).collect();
        states.extend(velocities);
        let input = inverse * q.transpose();
        Ok(StateSpace { a, input, positions, rates, states, unknowns, coordinates: np })
    }

    /// A deviation of the states as a state of the system, `size` times the states `x`: q ∘ y, v + y′ + W y.
    pub fn deviate(&self, system: &System, linear: &Linear, state: &State, x: &[f64], size: f64) -> State {
        let mut moved = state.clone();
        let mut delta = vec![0.0; system.size()];
        for (i, &eq) in self.unknowns.iter().enumerate() {
            delta[eq] = size * (0..x.len()).map(|j| self.positions[(i, j)] * x[j]).sum::<f64>();
        }
        poinsot_integrators::retract(system, &state.frames, &delta, &mut moved.frames);
        for (i, &eq) in self.unknowns.iter().enumerate() {
            moved.v[eq] += size * (0..x.len()).map(|j| self.rates[(i, j)] * x[j]).sum::<f64>();
        }
        for (node, w) in system.nodes().iter().zip(&linear.turning) {
            let y = &delta[node.unknowns()];
            for (v, w) in moved.v[node.unknowns()].iter_mut().zip(w) {
                *v += w.iter().zip(y).map(|(w, y)| w * y).sum::<f64>();
            }
        }
        moved
    }
}

/// Weights that make columns of rotations comparable with those of translations.
fn column_scales(system: &System) -> Vec<f64> {
    let length = system.length_scale();
    let weights = system.nodes().iter().flat_map(|n| {
        let linear = n.chart.linear_dofs();
        (0..n.chart.dofs()).map(move |k| if k < linear { 1.0 } else { 1.0 / length })
    });
    weights.collect()
}

/// The inverse, if the matrix has one.
fn invert(m: &Mat<f64>) -> Option<Mat<f64>> {
    let n = m.nrows();
    if n == 0 {
        return Some(Mat::zeros(0, 0));
    }
    let lu = DenseLu::new(m.as_ref()).ok()?;
    let mut inverse = Mat::zeros(n, n);
    for j in 0..n {
        let mut e = vec![0.0; n];
        e[j] = 1.0;
        lu.solve(&mut e);
        if e.iter().any(|x| !x.is_finite()) {
            return None;
        }
        for (i, x) in e.into_iter().enumerate() {
            inverse[(i, j)] = x;
        }
    }
    Some(inverse)
}

/// The freedom with the smallest diagonal mass, for the message.
fn lightest(names: &[String], mass: &Mat<f64>) -> String {
    let least = (0..mass.nrows()).min_by(|&a, &b| mass[(a, a)].abs().total_cmp(&mass[(b, b)].abs()));
    least.map_or_else(String::new, |k| names[k].clone())
}
