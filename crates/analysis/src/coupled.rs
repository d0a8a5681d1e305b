//! Mechanics and first-order equations linearised together, as a descriptor system in x = (y, y′, η, λ):
//! displacements, their rates, variables of networks, multipliers (lagrangian-dae-modeling §1.18, §1.28):
//!
//! ```text
//! ẏ = y′
//! M ẏ′ + Ĉ y′ + K̂ y + Ĉ_η η + Gᵀ λ = f u          the mechanics with the loads of networks
//! M_η η̇ + Ĉ_ηη η + Ĉ_ηy y′ + K̂_ηy y = f u         F(η, η̇, r, t) = 0, M_η = ∂F/∂η̇ singular where equations are algebraic
//! G y = f u,   G y′ + N̂ y − S η = f u             constraints, S the variables that rows on velocities follow
//! ```
//! with the matrices of [`Linear`]. [`Descriptor::reduce`] leaves the true states, entries of x by name.

use crate::linear::Linear;
use crate::stability::{LinearStability, judge_states};
use crate::state_space::MAX_DENSE;
use crate::tangent::units;
use poinsot_integrators::retract;
use poinsot_mechanics::{NodeId, State, System};
use poinsot_numerics::dense::{DenseError, Mat, expand};
use poinsot_numerics::descriptor::{Descriptor, DescriptorError, Reduction};
use poinsot_numerics::pencil::PencilPair;
use thiserror::Error;

/// Why the linearised system has no states.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum CoupledError {
    /// Too many unknowns for dense matrices.
    #[error("the system has {0} unknowns, more than the {MAX_DENSE} that dense matrices are made for")]
    TooLarge(usize),
    /// The equations do not determine an unknown.
    #[error("near this state the equations do not determine {0}: equations repeat each other or lose it")]
    Undetermined(String),
    /// A dense computation failed.
    #[error(transparent)]
    Dense(#[from] DenseError),
}

/// The descriptor system about a state.
pub(crate) struct Coupled<'a> {
    pub system: &'a System,
    pub linear: Linear,
    /// Equations of the displacements.
    unknowns: Vec<usize>,
    /// Equations of the variables of networks, in the order of the networks.
    variables: Vec<usize>,
    /// Equations of the rows in force.
    rows: Vec<usize>,
    /// Usual sizes of the entries of x.
    pub sizes: Vec<f64>,
}

/// The states with their matrices.
#[derive(Clone, Debug)]
pub(crate) struct CoupledSpace {
    pub reduction: Reduction,
    /// The states in words.
    pub states: Vec<String>,
    /// Whether the value of each state stands in no equation at all.
    pub cyclic: Vec<bool>,
}

impl CoupledSpace {
    /// What the eigenvalues say, and these with their vectors.
    pub fn judge(&self) -> Result<(LinearStability, Vec<PencilPair>), DenseError> {
        judge_states(&self.reduction, &self.states, &self.cyclic)
    }
}

impl<'a> Coupled<'a> {
    /// Linearises about a state with its accelerations, rates and multipliers `a`, seen by `observer`.
    pub fn new(system: &'a System, state: &State, a: &[f64], observer: NodeId) -> Result<Self, CoupledError> {
        let unknowns: Vec<usize> = system.nodes().iter().flat_map(|n| n.unknowns()).collect();
        let variables = system.variable_equations();
        let rows = system.enforced_equations();
        let count = 2 * unknowns.len() + variables.len() + rows.len();
        if count > MAX_DENSE {
            return Err(CoupledError::TooLarge(count));
        }
        let unit = units(system, system.length_scale());
        let displacements = unknowns.iter().map(|&eq| unit[eq]);
        let nominals = system.networks().iter().flat_map(|n| n.law.variables.iter().map(|v| v.nominal));
        let values = nominals.zip(&variables).map(|(nominal, &eq)| nominal.max(state.v[eq].abs()));
        let sizes = displacements.clone().chain(displacements).chain(values).chain(rows.iter().map(|_| 1.0));
        let sizes = sizes.collect();
        let linear = Linear::about(system, state, a, observer);
        Ok(Coupled { system, linear, unknowns, variables, rows, sizes })
    }

    /// E ẋ = A x + B u for forces f on all equations of the system, one vector for each input.
    fn descriptor(&self, inputs: &[Vec<f64>]) -> Descriptor {
        let (pattern, linear) = (self.system.pattern(), &self.linear);
        let full = |values: &[f64]| expand(pattern, values);
        let (mass, damping, stiffness) = (full(&linear.mass), full(&linear.damping), full(&linear.stiffness));
        let (constraints, drift) = (full(&linear.constraints), full(&linear.drift));
        let (n, m) = (self.unknowns.len(), self.variables.len());
        let size = 2 * n + m + self.rows.len();
        // Rows of the second to fourth kind, by their equations in the system.
        let equation = |i: usize| match i - n {
            k if k < n => self.unknowns[k],
            k if k < n + m => self.variables[k - n],
            k => self.rows[k - n - m],
        };
        let rates = |of: &dyn Fn(usize, usize) -> f64| {
            Mat::from_fn(size, size, |i, j| match (i, j) {
                _ if i < n => f64::from(u8::from(i == j)),
                _ if i < 2 * n && (n..2 * n).contains(&j) => of(equation(i), self.unknowns[j - n]),
                _ if (2 * n..2 * n + m).contains(&i) && (2 * n..2 * n + m).contains(&j) => {
                    of(equation(i), self.variables[j - 2 * n])
                }
                _ => 0.0,
            })
        };
        // [K̂, Ĉ, N̂] with the sign of the right hand side.
        let right = |sign: f64, [stiffness, damping, drift]: [&Mat<f64>; 3], constraints: &Mat<f64>| {
            Mat::from_fn(size, size, |i, j| {
                if i < n {
                    return f64::from(u8::from(j == i + n));
                }
                let row = equation(i);
                if i < 2 * n + m {
                    return sign
                        * match j {
                            _ if j < n => stiffness[(row, self.unknowns[j])],
                            _ if j < 2 * n => damping[(row, self.unknowns[j - n])],
                            _ if j < 2 * n + m => damping[(row, self.variables[j - 2 * n])],
                            _ => constraints[(row, self.rows[j - 2 * n - m])],
                        };
                }
                match (linear.on_velocities[row], j) {
                    (false, _) if j < n => sign * constraints[(row, self.unknowns[j])],
                    (true, _) if j < n => sign * drift[(row, self.unknowns[j])],
                    (true, _) if j < 2 * n => sign * constraints[(row, self.unknowns[j - n])],
                    // Rows that follow variables.
                    (true, _) if j < 2 * n + m => sign * constraints[(row, self.variables[j - 2 * n])],
                    _ => 0.0,
                }
            })
        };
        let size_of = |m: &Mat<f64>| Mat::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)].abs());
        let [of_stiffness, of_damping, of_drift] =
            [&linear.sizes.stiffness, &linear.sizes.damping, &linear.sizes.drift].map(|sizes| full(sizes));
        let e = rates(&|i, j| mass[(i, j)]);
        let a = right(-1.0, [&stiffness, &damping, &drift], &constraints);
        let e_size = size_of(&e);
        let a_size = right(1.0, [&of_stiffness, &of_damping, &of_drift], &size_of(&constraints));
        let b = Mat::from_fn(size, inputs.len(), |i, j| if i < n { 0.0 } else { inputs[j][equation(i)] });
        Descriptor { e, a, e_size, a_size, b, sizes: self.sizes.clone() }
    }

    /// Reduces to the states.
    pub fn reduce(&self, inputs: &[Vec<f64>]) -> Result<CoupledSpace, CoupledError> {
        let reduction = self.descriptor(inputs).reduce().map_err(|error| match error {
            DescriptorError::Singular { entry } => CoupledError::Undetermined(self.name(entry)),
            DescriptorError::Dense(error) => error.into(),
        })?;
        let states = reduction.states.iter().map(|&k| self.name(k)).collect();
        let cyclic = reduction.states.iter().map(|&k| self.is_cyclic(k)).collect();
        Ok(CoupledSpace { reduction, states, cyclic })
    }

    /// An entry of x in words.
    pub fn name(&self, k: usize) -> String {
        let (n, m) = (self.unknowns.len(), self.variables.len());
        match k {
            _ if k < n => self.system.equation_name(self.unknowns[k]),
            _ if k < 2 * n => format!("rate of {}", self.system.equation_name(self.unknowns[k - n])),
            _ if k < 2 * n + m => variable_names(self.system)[k - 2 * n].clone(),
            _ => format!("the multiplier of {}", self.system.equation_name(self.rows[k - 2 * n - m])),
        }
    }

    /// Whether an entry of x is a variable whose value stands in no equation and no load.
    fn is_cyclic(&self, k: usize) -> bool {
        let n = self.unknowns.len();
        let range = 2 * n..2 * n + self.variables.len();
        range.contains(&k) && stands_nowhere(self.system)[k - 2 * n]
    }

    /// Where the variables stand in x, and how many there are.
    pub fn variables(&self) -> (usize, usize) {
        (2 * self.unknowns.len(), self.variables.len())
    }

    /// Sizes by which deviations are measured: as the usual ones, but not far beyond what a variable is at
    /// the state.
    pub fn deviations(&self, state: &State, a: &[f64]) -> Vec<f64> {
        let (first, count) = self.variables();
        let mut sizes = self.sizes.clone();
        for (k, size) in sizes.iter_mut().enumerate().skip(first) {
            let value = match k < first + count {
                true => state.v[self.variables[k - first]],
                false => a[self.rows[k - first - count]],
            };
            *size = if value == 0.0 { *size } else { value.abs().max(1e-3 * *size) };
        }
        sizes
    }

    /// Displacements and variables of a vector x in equation order.
    pub fn shape<T: Copy + Default>(&self, x: impl Fn(usize) -> T) -> Vec<T> {
        let mut shape = vec![T::default(); self.system.size()];
        self.unknowns.iter().enumerate().for_each(|(k, &eq)| shape[eq] = x(k));
        let n = 2 * self.unknowns.len();
        self.variables.iter().enumerate().for_each(|(k, &eq)| shape[eq] = x(n + k));
        shape
    }

    /// The state that deviates by x, with accelerations, rates and multipliers that deviate by x and ẋ.
    pub fn deviate(
        &self,
        (state, a): (&State, &[f64]),
        (x, xdot): (&[f64], &[f64]),
        size: f64,
    ) -> (State, Vec<f64>) {
        let n = self.unknowns.len();
        let (mut moved, mut a) = (state.clone(), a.to_vec());
        let mut delta = vec![0.0; self.system.size()];
        let (mut first, mut second) = (delta.clone(), delta.clone());
        for (k, &eq) in self.unknowns.iter().enumerate() {
            (delta[eq], first[eq], second[eq]) = (size * x[k], size * x[n + k], size * xdot[n + k]);
        }
        retract(self.system, &state.frames, &delta, &mut moved.frames);
        let turns = self.linear.turning.iter().zip(&self.linear.spin);
        for (node, (w, e)) in self.system.nodes().iter().zip(turns) {
            let range = node.unknowns();
            let turned = turn(w, &delta[range.clone()]);
            for (i, eq) in range.clone().enumerate() {
                moved.v[eq] += first[eq] + turned[i];
                // y″ + (2W − E) y′ + (W − E) W y.
                let by_rate = (0..range.len()).map(|j| (2.0 * w[i][j] - e[i][j]) * first[range.start + j]);
                let by_place = (0..range.len()).map(|j| (w[i][j] - e[i][j]) * turned[j]);
                a[eq] += second[eq] + by_rate.chain(by_place).sum::<f64>();
            }
        }
        for (k, &eq) in self.variables.iter().enumerate() {
            moved.v[eq] += size * x[2 * n + k];
            a[eq] += size * xdot[2 * n + k];
        }
        let first_row = 2 * n + self.variables.len();
        self.rows.iter().enumerate().for_each(|(k, &eq)| a[eq] += size * x[first_row + k]);
        self.system.remember(&mut moved);
        (moved, a)
    }
}

fn turn(w: &[[f64; 6]; 6], y: &[f64]) -> [f64; 6] {
    std::array::from_fn(|i| y.iter().enumerate().map(|(j, y)| w[i][j] * y).sum())
}

/// Names of all variables of networks.
pub(crate) fn variable_names(system: &System) -> Vec<String> {
    system.networks().iter().flat_map(|n| n.law.variables.iter().map(|v| v.name.clone())).collect()
}

/// Whether the value of each variable stands in no equation, load or law of a force: only its rate does.
pub(crate) fn stands_nowhere(system: &System) -> Vec<bool> {
    let absent = |(k, n): (usize, &poinsot_mechanics::NetworkEntry), j: usize| {
        let laws = n.law.equations.iter().chain(n.law.loads.iter().map(|load| &load.law));
        laws.into_iter().all(|f| f.partial_is_zero(j)) && !system.is_read(k, j)
    };
    let networks = system.networks().iter().enumerate();
    networks.flat_map(|n| (0..n.1.law.variables.len()).map(move |j| absent(n, j))).collect()
}
