//! The summary of modes as functions of a parameter.

use crate::modes::EigenMethod;
use poinsot_results::Common;
use serde::{Deserialize, Serialize};

/// The summary of a Campbell diagram.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CampbellSummary {
    /// Model, outcome, counts, expectations and files.
    #[serde(flatten)]
    pub common: Common,
    /// The state the motions are about: `start` or `equilibrium`.
    pub about: String,
    /// Time of that state, in s.
    pub time: f64,
    /// Frame in which the state is at rest.
    pub observer: String,
    /// The parameter that is changed.
    pub parameter: String,
    /// The parameter that is the speed of rotation, in rad/s.
    pub speed: String,
    /// First and last value of the parameter.
    pub range: [f64; 2],
    /// Number of values, those put in included.
    pub values: u64,
    /// How many were put in where modes change quickly.
    pub inserted: u64,
    /// The modes, by their frequency at the first value.
    pub branches: Vec<CampbellBranch>,
    /// Crossings of frequencies with engine orders, by value.
    pub crossings: Vec<CampbellCrossing>,
    /// Ranges in which small motions grow, by value.
    pub instabilities: Vec<CampbellInstability>,
    /// Whether only the lowest modes were computed.
    #[serde(default)]
    pub lowest_only: bool,
    /// Why nothing is said about growth; empty where it is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub no_verdict: String,
    /// Why nothing is said where no motion grows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undecided: Option<String>,
    /// Modes that come near each other and exchange their shapes, by value.
    pub veerings: Vec<CampbellVeering>,
    /// How the eigenvalues were found.
    pub method: EigenMethod,
    /// How many spectra were computed.
    pub evaluations: u64,
    /// Time the analysis took, in s.
    pub wall_time_s: f64,
    /// Time from reading the model to the analysis, in s.
    pub set_up_time_s: f64,
    /// What the user should know about the results.
    pub warnings: Vec<String>,
}

/// A mode at the ends of the range.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CampbellBranch {
    /// Number of the mode, from 1.
    pub number: u64,
    /// Frequency at the first and last value, in Hz.
    pub frequency_hz: [f64; 2],
    /// Damping ratio there.
    pub damping_ratio: [f64; 2],
    /// Whirl there.
    pub whirl: [Whirl; 2],
}

/// The sense in which a mode goes about the axis of rotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Whirl {
    /// With the rotation.
    Forward,
    /// Against it.
    Backward,
    /// To and fro.
    Planar,
    /// It does not move across the axis, or there is none.
    #[default]
    None,
}

impl Whirl {
    /// A measure from −1, a circle backwards, to 1, a circle forwards.
    pub fn of(measure: Option<f64>) -> Whirl {
        match measure {
            None => Whirl::None,
            Some(w) if w > 0.05 => Whirl::Forward,
            Some(w) if w < -0.05 => Whirl::Backward,
            Some(_) => Whirl::Planar,
        }
    }

    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Whirl::Forward => "forward",
            Whirl::Backward => "backward",
            Whirl::Planar => "planar",
            Whirl::None => "–",
        }
    }
}

/// A frequency that is an engine order.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CampbellCrossing {
    /// Value of the parameter.
    pub value: f64,
    /// Number of the mode, from 1.
    pub mode: u64,
    /// Engine order.
    pub order: f64,
    /// Frequency, in Hz.
    pub frequency_hz: f64,
}

/// A range in which small motions grow.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CampbellInstability {
    /// Where it sets in; `None` if before the range.
    pub from: Option<f64>,
    /// Where it ends; `None` if behind the range.
    pub to: Option<f64>,
    /// `divergence` or `flutter`.
    pub kind: String,
    /// Frequency where it sets in, in Hz.
    pub frequency_hz: f64,
    /// Largest growth rate, in 1/s.
    pub growth: f64,
}

/// Two modes that come near each other and exchange their shapes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CampbellVeering {
    /// Value of the parameter.
    pub value: f64,
    /// Numbers of the modes, from 1.
    pub modes: [u64; 2],
    /// Distance of their frequencies there, in Hz.
    pub gap_hz: f64,
}
