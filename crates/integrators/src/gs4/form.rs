//! How constraints close a step: one selector for all forms (gs4-isochronous-integrators I-47 … I-60).
//!
//! ```text
//! γ₃ Φa + γ₂ Φv + γ₁ Φ = p λ̃        Φv = G v + drift,   Φa = G a + κ
//! ```
//! | form | (γ₁, γ₂, γ₃) | p | at |
//! |---|---|---|---|
//! | position (index 3) | (1, 0, 0) | 0 | q⁺ |
//! | velocity (index 2), stabilised, Hamiltonian | (0, 1, 0) | 0 | q⁺, v⁺ |
//! | acceleration (index 1) | (0, 0, 1) | 0 | q⁺, v⁺, â⁺ = (1+φ)a⁺ − φa |
//! | Baumgarte | (β², 2α, 1) | 0 | q⁺, v⁺, â⁺ |
//! | penalty | (ω², γω, 1) | p | q̃, ṽ, ã |
//!
//! The increment δ of Δa changes a row by ℓ G δ + …, with ℓ = γ₁λ₃h² + γ₂λ₅h + γ₃(1+φ), or γ₁W₃Λ₃h² + γ₂W₂Λ₅h
//! + γ₃W₁Λ₆ at the stage. Rows divided by ℓ have the lower block G + O(h) in every form (I-52).

use crate::gs4::member::Weights;
use crate::linear::saddle_point::instant;
use poinsot_geometry::Mat3;
use poinsot_mechanics::{Linearization, Scratch, State, System};

/// How the constraints enter the step. Rows on velocities are closed at velocity level in every form but the
/// penalty's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gs4Form {
    /// Position and velocity level together; the default.
    Stabilised,
    /// The same with the force (∂(Gv)/∂q)ᵀη that makes the pair of equations Hamiltonian.
    Hamiltonian,
    /// Position level only (index 3).
    Position,
    /// Velocity level only (index 2); positions drift by O(h²).
    Velocity,
    /// Acceleration level only (index 1); velocities and positions drift, O(h²t) and O(h²t²).
    Acceleration,
    /// Φa + 2αΦv + β²Φ = 0 (I-57): the drift of the acceleration level decays.
    Baumgarte {
        /// α (1/s), 1/h if none, with h that of the longest of the last steps.
        alpha: Option<f64>,
        /// β (1/s), √2/h if none.
        beta: Option<f64>,
    },
    /// Each row as a stiff damper-spring with a mass, (1/p)(Φa + γωΦv + ω²Φ) = λ (I-59): for constraints that
    /// may give.
    ///
    /// p counts in units of the row's own inverse mass GM⁻¹Gᵀ. A steady reaction λ opens the row by pλ/ω².
    Penalty {
        /// p, 10⁻⁶ if none.
        softness: Option<f64>,
        /// ω (rad/s), 0.3/h if none: well inside the range that explicit members resolve too.
        frequency: Option<f64>,
        /// γ, 2 (critical) if none.
        damping: Option<f64>,
    },
}

/// p of the penalty form where none is given.
const SOFTNESS: f64 = 1e-6;

/// ωh of the penalty form where none is given.
const PENALTY_FREQUENCY: f64 = 0.3;

/// γ of the penalty form where none is given.
const PENALTY_DAMPING: f64 = 2.0;

impl Gs4Form {
    /// Baumgarte's form with α = 1/h and β = √2/h.
    pub const BAUMGARTE: Gs4Form = Gs4Form::Baumgarte { alpha: None, beta: None };

    /// The penalty form with everything from the step.
    pub const PENALTY: Gs4Form = Gs4Form::Penalty { softness: None, frequency: None, damping: None };

    /// Name in model files and messages.
    pub fn name(&self) -> &'static str {
        match self {
            Gs4Form::Stabilised => "stabilised",
            Gs4Form::Hamiltonian => "hamiltonian",
            Gs4Form::Position => "position",
            Gs4Form::Velocity => "velocity",
            Gs4Form::Acceleration => "acceleration",
            Gs4Form::Baumgarte { .. } => "baumgarte",
            Gs4Form::Penalty { .. } => "penalty",
        }
    }

    /// Whether a step closes Φ = 0 to the tolerance.
    pub fn holds_position(&self) -> bool {
        matches!(self, Gs4Form::Stabilised | Gs4Form::Hamiltonian | Gs4Form::Position)
    }

    /// Whether a step closes Φ̇ = 0 to the tolerance.
    pub fn holds_velocity(&self) -> bool {
        matches!(self, Gs4Form::Stabilised | Gs4Form::Hamiltonian | Gs4Form::Velocity)
    }

    /// Whether a position correction p beside Δa closes the position level.
    pub(crate) fn is_corrected(&self) -> bool {
        matches!(self, Gs4Form::Stabilised | Gs4Form::Hamiltonian)
    }

    /// Whether every number of the form is finite, and positive where it must be.
    pub(crate) fn is_sound(&self) -> bool {
        let positive = |x: Option<f64>| x.is_none_or(|x| x > 0.0 && x.is_finite());
        match *self {
            Gs4Form::Baumgarte { alpha, beta } => positive(alpha) && positive(beta),
            Gs4Form::Penalty { softness, frequency, damping } => {
                positive(frequency)
                    && [softness, damping].iter().all(|x| x.is_none_or(|x| x >= 0.0 && x.is_finite()))
            }
            _ => true,
        }
    }
}

/// The selector of a form for one step length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Closure {
    /// γ₁.
    pub position: f64,
    /// γ₂.
    pub velocity: f64,
    /// γ₃.
    pub acceleration: f64,
    /// ℓ.
    pub lead: f64,
    /// Weight of ∂(Gv)/∂q beside G: that of Φv, and twice in Φa.
    pub gamma: f64,
    /// Whether the rows are taken at the stage, with a softness.
    pub at_stage: bool,
}

impl Closure {
    /// For steps of length h; Baumgarte's form pulls back within the time `pull` where it is not told
    /// otherwise.
    pub fn new(form: &Gs4Form, w: &Weights, h: f64, pull: f64) -> Self {
        let (position, velocity, acceleration) = match *form {
            Gs4Form::Position => (1.0, 0.0, 0.0),
            Gs4Form::Stabilised | Gs4Form::Hamiltonian | Gs4Form::Velocity => (0.0, 1.0, 0.0),
            Gs4Form::Acceleration => (0.0, 0.0, 1.0),
            Gs4Form::Baumgarte { alpha, beta } => {
                let (alpha, beta) =
                    (alpha.unwrap_or(1.0 / pull), beta.unwrap_or(std::f64::consts::SQRT_2 / pull));
                (beta * beta, 2.0 * alpha, 1.0)
            }
            Gs4Form::Penalty { frequency, damping, .. } => {
                let omega = frequency.unwrap_or(PENALTY_FREQUENCY / h);
                (omega * omega, damping.unwrap_or(PENALTY_DAMPING) * omega, 1.0)
            }
        };
        let at_stage = matches!(form, Gs4Form::Penalty { .. });
        let (by_q, by_v, by_a) = if at_stage {
            (w.w3l3 * h * h, w.w2l5 * h, w.w1l6)
        } else {
            (w.l3 * h * h, w.l5 * h, 1.0 + w.phi)
        };
        let lead = position * by_q + velocity * by_v + acceleration * by_a;
        let gamma = match *form {
            // For rows on velocities.
            Gs4Form::Position => by_q / by_v,
            _ => (velocity * by_q + 2.0 * acceleration * by_v) / lead,
        };
        Closure { position, velocity, acceleration, lead, gamma, at_stage }
    }

    /// What the rows are measured by, for a length and a speed.
    pub fn size(&self, length: f64, speed: f64, h: f64) -> f64 {
        self.position * length + self.velocity * speed + self.acceleration * speed / h
    }
}

/// Softness p_λ = p · GM⁻¹Gᵀ of each constraint row in force, with its diagonal slot; none unless the form is
/// the penalty's. The row's inverse mass is taken from the diagonal of M at the start: it only sets a scale.
pub(crate) fn softness(system: &System, form: &Gs4Form, state: &State) -> Vec<(usize, usize, f64)> {
    let Gs4Form::Penalty { softness, .. } = *form else { return vec![] };
    let (pattern, is_row) = (system.pattern(), system.is_constraint_row());
    let (mut values, zero) = (vec![0.0; pattern.nnz()], vec![0.0; system.size()]);
    let identity = vec![Mat3::identity(); system.nodes().len()];
    let linearization = Linearization::of_constraints(instant(state, &zero), &identity);
    system.step_matrix(&linearization, &mut values, &mut Scratch::default());
    let entry = |row: usize, column: usize| pattern.index(row, column).map_or(0.0, |slot| values[slot]);
    let inverse_mass = |row: usize| {
        let columns = pattern.rows(row).iter().filter(|&&j| !is_row[j] && entry(j, j) > 0.0);
        let sum: f64 = columns.map(|&j| entry(row, j).powi(2) / entry(j, j)).sum();
        if sum > 0.0 { sum } else { 1.0 }
    };
    let rows = system.enforced_equations().into_iter();
    rows.filter_map(|row| {
        let slot = pattern.index(row, row)?;
        Some((row, slot, softness.unwrap_or(SOFTNESS) * inverse_mass(row)))
    })
    .collect()
}
