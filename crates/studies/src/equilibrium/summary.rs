//! The summary of an equilibrium.

use poinsot_results::{Common, Complex, Residual, Stability};
use serde::{Deserialize, Serialize};

/// The summary of a search for equilibrium. All quantities are in SI units.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct EquilibriumSummary {
    /// Model, outcome, counts, expectations and files.
    #[serde(flatten)]
    pub common: Common,
    /// Time at which loads and drives were taken, in s.
    pub time: f64,
    /// The method that found the equilibrium, or was tried last.
    pub method: EquilibriumMethod,
    /// Newton iterations, or pseudo-time steps, over all load steps.
    pub iterations: u64,
    /// Steps in which the load was brought up.
    pub load_steps: u64,
    /// The largest force left out of balance; `None` if none was evaluated.
    pub out_of_balance: Option<OutOfBalance>,
    /// The largest residual of the constraints, with `time` as above.
    pub constraint_residual: Option<Residual>,
    /// Whether the equilibrium is stable, if that was examined.
    pub stability: Option<Stability>,
    /// The lowest eigenvalues the verdict rests on, in 1/s.
    pub eigenvalues: Vec<Complex>,
    /// Where the bodies stand.
    pub bodies: Vec<BodyPlacement>,
    /// Where the nodes of beams stand.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beam_nodes: Vec<BodyPlacement>,
    /// Values of the variables of first-order equations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<VariableValue>,
    /// What the equations leave free: one of a family of equilibria was taken, the nearest to the start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<String>,
    /// How near it is to the start and what that rests on; empty where nothing was looked for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub nearest: String,
    /// Time the analysis took, in s.
    pub wall_time_s: f64,
    /// Time from reading the model to the analysis, in s.
    pub set_up_time_s: f64,
    /// What the user should know about the results.
    pub warnings: Vec<String>,
}

/// How an equilibrium is sought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum EquilibriumMethod {
    /// Newton iteration under the full load.
    #[default]
    #[serde(rename = "newton")]
    Newton,
    /// Newton iteration while the load is brought up in steps.
    #[serde(rename = "load stepping")]
    LoadStepping,
    /// A damped motion in pseudo-time until it comes to rest.
    #[serde(rename = "pseudo-dynamic")]
    PseudoDynamic,
}

impl From<poinsot_analysis::EquilibriumMethod> for EquilibriumMethod {
    fn from(method: poinsot_analysis::EquilibriumMethod) -> Self {
        match method {
            poinsot_analysis::EquilibriumMethod::Newton => EquilibriumMethod::Newton,
            poinsot_analysis::EquilibriumMethod::LoadSteps => EquilibriumMethod::LoadStepping,
            poinsot_analysis::EquilibriumMethod::Relaxation => EquilibriumMethod::PseudoDynamic,
        }
    }
}

impl EquilibriumMethod {
    /// The method in words.
    pub fn words(self) -> &'static str {
        match self {
            EquilibriumMethod::Newton => "newton",
            EquilibriumMethod::LoadStepping => "load stepping",
            EquilibriumMethod::PseudoDynamic => "pseudo-dynamic",
        }
    }
}

/// The largest force, or moment, left out of balance.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct OutOfBalance {
    /// Its size.
    pub max: f64,
    /// Its unit, e.g. `N` or `N*m`.
    pub unit: String,
    /// The equation in which it occurs, e.g. `crank, force along x`.
    pub equation: String,
    /// Largest size that is accepted.
    pub limit: Option<f64>,
}

/// Where a body stands.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct BodyPlacement {
    /// The body.
    pub name: String,
    /// Position of its frame in world axes, in m.
    pub position: [f64; 3],
    /// Rotation from the world frame, axis times angle, in rad.
    pub rotation_vector: [f64; 3],
    /// Way of its frame from the start, world axes, in m.
    #[serde(default)]
    pub displacement: [f64; 3],
    /// Angle by which it turned from the start, in rad.
    #[serde(default)]
    pub turned: f64,
}

impl BodyPlacement {
    /// Length of its way from the start, in m.
    pub fn way(&self) -> f64 {
        self.displacement.iter().map(|x| x * x).sum::<f64>().sqrt()
    }
}

/// The value of a variable of first-order equations.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct VariableValue {
    /// Its full name.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// Its unit; empty for a pure number.
    pub unit: String,
}
