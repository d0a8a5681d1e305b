//! The summary of the natural modes.

use std::f64::consts::TAU;

use poinsot_results::{Common, Complex, ModeKind, Stability};
use serde::{Deserialize, Serialize};

/// The summary of the modes of small motions about a state.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ModesSummary {
    /// Model, outcome, counts, expectations and files.
    #[serde(flatten)]
    pub common: Common,
    /// The state the motions are about: `start`, `equilibrium`, …
    pub about: String,
    /// Time of that state, in s.
    pub time: f64,
    /// Frame in which the state is at rest.
    pub observer: String,
    /// The modes, in their order.
    pub modes: Vec<Mode>,
    /// Whether small motions stay small; `None` if the modes found do not
    /// settle it.
    pub stability: Option<Stability>,
    /// How the eigenvalues were found.
    pub method: EigenMethod,
    /// Applications of the operator; 0 for the dense method.
    pub operator_applications: u64,
    /// Time the analysis took, in s.
    pub wall_time_s: f64,
    /// Time from reading the model to the analysis, in s.
    pub set_up_time_s: f64,
    /// What the user should know about the results.
    pub warnings: Vec<String>,
}

/// How eigenvalues are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EigenMethod {
    /// All of them, from the full matrix.
    #[default]
    Dense,
    /// Those next to a shift, by iteration with the shifted inverse.
    ShiftInvert,
}

impl From<poinsot_analysis::EigenMethod> for EigenMethod {
    fn from(method: poinsot_analysis::EigenMethod) -> Self {
        match method {
            poinsot_analysis::EigenMethod::Dense => EigenMethod::Dense,
            poinsot_analysis::EigenMethod::ShiftInvert => EigenMethod::ShiftInvert,
        }
    }
}

/// A mode e^(λt); of a conjugate pair only that with Im λ ≥ 0 is listed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Mode {
    /// Number of the mode, from 1.
    pub number: u64,
    /// Eigenvalue λ, in 1/s.
    pub eigenvalue: Complex,
    /// Frequency |Im λ|/2π, in Hz.
    pub frequency_hz: f64,
    /// Circular frequency |Im λ|, in rad/s.
    pub circular_frequency: f64,
    /// Damping ratio −Re λ/|λ|, 0 for λ = 0.
    pub damping_ratio: f64,
    /// Rate −Re λ at which the amplitude falls, in 1/s.
    pub decay: f64,
    /// How it evolves.
    pub kind: ModeKind,
    /// The bodies that move most, the first one most.
    pub participation: Vec<Participation>,
}

impl Mode {
    /// The mode of an eigenvalue whose parts count as zero up to `tolerance`:
    /// ω = |Im λ|, f = ω/2π, ζ = −Re λ/|λ|, δ = −Re λ.
    pub fn of(number: u64, eigenvalue: Complex, tolerance: f64, participation: Vec<Participation>) -> Mode {
        let kind = ModeKind::of(eigenvalue, tolerance);
        let circular_frequency = eigenvalue.im.abs();
        // The ratio of rounding errors says nothing about damping.
        let damping_ratio = match kind {
            ModeKind::Neutral => 0.0,
            _ => 0.0 - eigenvalue.re / eigenvalue.norm(),
        };
        Mode {
            number,
            eigenvalue,
            frequency_hz: circular_frequency / TAU,
            circular_frequency,
            damping_ratio,
            decay: 0.0 - eigenvalue.re,
            kind,
            participation,
        }
    }
}

/// The share of a body in a mode.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Participation {
    /// The body.
    pub body: String,
    /// Its share, from 0 to 1.
    pub share: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damped_oscillator_has_its_closed_form() {
        // λ = −ζω₀ ± iω₀√(1 − ζ²) with ω₀ = 5 rad/s, ζ = 0.6.
        let mode = Mode::of(1, Complex::new(-3.0, 4.0), 1e-9, vec![]);
        assert_eq!(mode.kind, ModeKind::Oscillation);
        assert_eq!(mode.circular_frequency, 4.0);
        assert!((mode.frequency_hz - 2.0 / std::f64::consts::PI).abs() < 1e-15);
        assert!((mode.damping_ratio - 0.6).abs() < 1e-15);
        assert_eq!(mode.decay, 3.0);
    }

    #[test]
    fn kinds_follow_the_place_of_the_eigenvalue() {
        let kind = |re, im| Mode::of(1, Complex::new(re, im), 1e-6, vec![]).kind;
        assert_eq!(kind(2.0, 0.0), ModeKind::Growth);
        assert_eq!(kind(-2.0, 1e-7), ModeKind::Decay);
        assert_eq!(kind(1e-7, -1e-7), ModeKind::Neutral);
        assert_eq!(kind(2.0, -3.0), ModeKind::Oscillation);
        assert_eq!(Mode::of(1, Complex::default(), 0.0, vec![]).damping_ratio, 0.0);
    }
}
