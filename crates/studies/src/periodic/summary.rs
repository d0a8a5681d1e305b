//! The summary of a periodic motion.

use poinsot_results::{Common, Complex, Stability};
use serde::{Deserialize, Serialize};

/// The summary of a periodic motion.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PeriodicSummary {
    /// Model, outcome, counts, expectations and files.
    #[serde(flatten)]
    pub common: Common,
    /// The period, in s.
    pub period: f64,
    /// Whether it was unknown.
    pub unknown_period: bool,
    /// Time of the start, in s.
    pub start_time: f64,
    /// By which steps the motion was found.
    pub scheme: String,
    /// Whether the motion is one of harmonics; its elements are then times of the period, its gap and mesh
    /// error the size of the highest harmonics.
    #[serde(default)]
    pub by_harmonics: bool,
    /// Elements of the period.
    pub elements: u64,
    /// Longest and shortest element, as parts of the period.
    pub element_lengths: [f64; 2],
    /// How often the elements were chosen anew.
    pub rounds: u64,
    /// Newton corrections of the whole motion.
    pub corrections: u64,
    /// Largest gap between the end of an element and the start of the next, in units of the states.
    pub gap: f64,
    /// Sum of the errors of the elements, in units of the states.
    pub mesh_error: f64,
    /// Change of the states between two meshes, in units of the states.
    pub change: f64,
    /// Elements of the mesh that this one was compared with.
    pub compared_elements: u64,
    /// Relative change of the period between them.
    pub period_change: f64,
    /// Directions that nothing in the model holds.
    pub free_directions: u64,
    /// Whether something depends on time.
    pub forced: bool,
    /// Coordinates that advance by whole turns in a period, with the turns.
    pub turns: Vec<(String, f64)>,
    /// The multipliers, largest first; that of the motion itself among them.
    pub multipliers: Vec<MultiplierEntry>,
    /// How many there are.
    pub multiplier_count: u64,
    /// |λ − 1| of the motion itself, where nothing depends on time.
    pub gauge: Option<f64>,
    /// The verdict.
    pub stability: Option<Stability>,
    /// Time the analysis took, in s.
    pub wall_time_s: f64,
    /// Time from reading the model to the analysis, in s.
    pub set_up_time_s: f64,
    /// What the user should know about the results.
    pub warnings: Vec<String>,
}

/// A multiplier.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MultiplierEntry {
    /// Number, from 1; zero for that of the motion itself.
    pub number: u64,
    /// λ.
    pub value: Complex,
    /// |λ|.
    pub magnitude: f64,
    /// What is left open of it.
    pub error: f64,
    /// Growth rate, in 1/s; none of a multiplier that is smaller than any number.
    pub growth: Option<f64>,
    /// Frequency of the strongest harmonic, in Hz.
    pub frequency_hz: f64,
    /// The share of that harmonic.
    pub share: f64,
    /// Bodies and variables that move most.
    pub moving_most: Vec<(String, f64)>,
}
