//! Which member fits which form of the constraints (gs4-isochronous-integrators I-53, I-54).
//!
//! In the direction normal to the constraints the physical motion is zero, and a member is left alone with
//! its roots:
//!
//! ```text
//! Φ(q⁺) = 0          index 3:  λ₃x² + (λ₅+½)x + 1 = 0 with x = ζ − 1    for (v, a)
//! G v⁺ = 0           index 2:  ζ = 1 − 1/λ₅                              for a
//! G â⁺ + κ = 0       index 1:  ζ = φ/(1+φ)                               for a, by â⁺ = (1+φ)a⁺ − φa
//! λ̃ = (1−W₁)λ + W₁λ⁺           ζ = −(1−W₁)/W₁                            for multipliers carried to the grid
//! ```

use crate::amplification::Amplification;
use crate::gs4::member::{Member, Weights};
use crate::gs4::spectrum::Spectrum;
use crate::gs4::switches::Switches;
use crate::polynomial::quadratic_roots;
use poinsot_numerics::dense::c64;
use thiserror::Error;

/// A root this close to the unit circle does not decay.
const ON_CIRCLE: f64 = 1e-9;

/// How the constraints close a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintForm {
    /// Φ(q⁺) = 0: index 3.
    Position,
    /// G(q⁺) v⁺ = 0: index 2.
    Velocity,
    /// G(q⁺) â⁺ + κ = 0: index 1.
    Acceleration,
    /// Position and velocity level together (Gear–Gupta–Leimkuhler).
    Stabilised,
}

impl ConstraintForm {
    /// All forms, from index 3 downwards.
    pub const ALL: [ConstraintForm; 4] = [
        ConstraintForm::Position,
        ConstraintForm::Velocity,
        ConstraintForm::Acceleration,
        ConstraintForm::Stabilised,
    ];
}

/// Roots in the direction normal to the constraints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormalRoots {
    /// Of velocity and acceleration at index 3; none if the new position does not depend on the constraint
    /// forces.
    pub position: Option<[c64; 2]>,
    /// Of the acceleration at index 2.
    pub velocity: f64,
    /// Of the acceleration at index 1.
    pub acceleration: f64,
    /// Of the multiplier, where it is carried from grid point to grid point.
    pub multiplier: f64,
}

impl NormalRoots {
    /// The roots that belong to a set of weights.
    pub fn new(w: &Weights) -> Self {
        // About ζ = −1, where the troublesome root lies: y = x + 2.
        let position = (w.l3 > 0.0).then(|| {
            quadratic_roots([w.l3, w.l5 + 0.5 - 4.0 * w.l3, 4.0 * w.l3 - 2.0 * w.l5]).map(|y| y - 1.0)
        });
        NormalRoots {
            position,
            velocity: 1.0 - 1.0 / w.l5,
            acceleration: w.phi / (1.0 + w.phi),
            multiplier: -(1.0 - w.w1) / w.w1,
        }
    }
}

/// Why a member is less than second order with a form of the constraints.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum Incompatibility {
    /// The explicit member grows at every step.
    #[error("unstable at every step, however small: keep λ3 (η3 = 1) or take another explicit member")]
    Unstable,
    /// With η₃ = 0 the joints cannot be closed at the end of the step.
    #[error(
        "not possible: with η3 = 0 the new positions do not depend on the constraint forces of the step; keep λ3 \
         (η3 = 1) or close the joints at velocity level"
    )]
    PositionsOutOfReach,
    /// One root −1.
    #[error(
        "accelerations and multipliers oscillate and are first order only: the root −1 in the direction of the \
         constraints never decays; choose generalized-alpha with rho < 1 or form = \"stabilised\""
    )]
    Oscillates,
    /// A double root −1.
    #[error(
        "accelerations and multipliers oscillate and do not converge: the double root −1 in the direction of the \
         constraints never decays; choose generalized-alpha with rho < 1 or form = \"stabilised\""
    )]
    DoesNotConverge,
}

/// Whether a member is second order in positions, velocities, accelerations and multipliers with a form of
/// the constraints.
pub fn compatibility(
    member: &Member,
    switches: Switches,
    form: ConstraintForm,
) -> Result<(), Incompatibility> {
    let spectrum = Spectrum::new(*member, switches);
    if spectrum.stability_limit(0.0) == 0.0 {
        return Err(Incompatibility::Unstable);
    }
    match form {
        ConstraintForm::Position => {
            let roots = NormalRoots::new(spectrum.weights()).position;
            let roots = roots.ok_or(Incompatibility::PositionsOutOfReach)?;
            match roots.iter().filter(|r| r.norm() > 1.0 - ON_CIRCLE).count() {
                0 => Ok(()),
                1 => Err(Incompatibility::Oscillates),
                _ => Err(Incompatibility::DoesNotConverge),
            }
        }
        // 1 − 1/λ₅ = −1 needs λ₅ = ½, hence φ = λ₅ − ½ = 0: the start is exact, and nothing excites the root.
        // Measured with every kind of member: second order in everything (I-54).
        ConstraintForm::Velocity | ConstraintForm::Acceleration | ConstraintForm::Stabilised => Ok(()),
    }
}

/// The finding of [`compatibility`] in words, with what else the form does.
pub fn verdict(member: &Member, switches: Switches, form: ConstraintForm) -> String {
    if let Err(reason) = compatibility(member, switches, form) {
        return reason.to_string();
    }
    let roots = NormalRoots::new(&member.weights().switched(switches));
    let rest = match form {
        ConstraintForm::Position => {
            let slowest = roots.position.iter().flatten().map(|r| r.norm()).fold(0.0, f64::max);
            format!("disturbances normal to the constraints shrink to {slowest:.3} per step")
        }
        ConstraintForm::Velocity => format!("joints open with h²{}", ringing(roots.velocity)),
        ConstraintForm::Acceleration => "joints drift open with h²t²".into(),
        ConstraintForm::Stabilised => {
            format!("joints hold at position and velocity level{}", ringing(roots.velocity))
        }
    };
    format!("second order in q, v, a, λ; {rest}")
}

/// A remark on the root of index 2.
fn ringing(root: f64) -> &'static str {
    if root.abs() > 1.0 - ON_CIRCLE { "; a jump in the load leaves a alternating" } else { "" }
}
