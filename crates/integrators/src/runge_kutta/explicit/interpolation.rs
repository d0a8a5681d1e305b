//! States inside an explicit step.

use crate::dense_output::DenseOutput;
use poinsot_mechanics::{State, System};

/// Weights d of Dormand and Prince: the interpolant of fourth order is the cubic through values and rates at
/// both ends plus x²(1 − x)² h Σ d_i k_i.
pub(super) const DORMAND_PRINCE_BUMP: [f64; 7] = [
    -12715105075.0 / 11282082432.0,
    0.0,
    87487479700.0 / 32700410799.0,
    -10690763975.0 / 1880347072.0,
    701980252875.0 / 199316789632.0,
    -1453857185.0 / 822651844.0,
    69997945.0 / 29380423.0,
];

/// The cubic through both ends of the last step, and for the variables of networks what Dormand and Prince
/// add.
#[derive(Debug)]
pub(super) struct Interpolation {
    pub output: DenseOutput,
    /// Whether it is that of the last step.
    pub is_set: bool,
    /// Equation numbers of the variables of networks, and h Σ d_i ẏ_i of the last step.
    pub variables: Vec<usize>,
    pub bump: Vec<f64>,
}

impl Interpolation {
    pub fn new(system: &System, state: &State) -> Self {
        let networks = system.networks().iter();
        let variables: Vec<usize> = networks
            .flat_map(|network| (0..network.law.variables.len()).map(|j| network.unknown(j)))
            .collect();
        let bump = vec![0.0; variables.len()];
        Interpolation { output: DenseOutput::new(system, state), is_set: false, variables, bump }
    }

    /// The state at a time, where x is its fraction of the step.
    pub fn at(&mut self, system: &System, t: f64, x: f64, out: &mut State) {
        self.output.at(system, t, out);
        for (bump, &i) in self.bump.iter().zip(&self.variables) {
            out.v[i] += x * x * (1.0 - x) * (1.0 - x) * bump;
        }
    }
}
