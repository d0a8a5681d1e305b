//! The conserving view: the same elements between two instants, in natural coordinates z.
//!
//! ```text
//! (2/h) M (Δz/h − w) + D V(z, z⁺) − F + Gdᵀ λ = 0,     Φ(z⁺) = 0,     w⁺ = (2/h) Δz − w,     Δz = z⁺ − z
//! ```
//! with the constant mass M of the natural coordinates, their velocities w, the discrete gradient D V and the
//! discrete constraint Jacobian Gd (energy-momentum-null-space I-20, I-21). Energy changes by the work of F
//! alone, momentum by its impulse and that of fixed points. The other rules differ in where they take the
//! forces and the directions of the constraint forces, see [`Rule`].
//!
//! Which unknowns stand for z⁺ is a matter of [`Coordinates`]: a step is the same in all of them. The balance
//! is tested with δz = B δu, the constraints of rigidity are solved for (motions, Euler parameters) or keep
//! multipliers (directors).

mod averaged;
mod directions;
mod flexible;
mod frequency;
mod inertia;
mod instant;
mod instant_elements;
mod layout;
mod matrix;
mod network;
mod plane_directors;
mod pressed_forces;
mod residual;
mod rigidity;
mod single_constraints;
mod step;
mod step_view;
mod work;

pub use instant::{Derivatives, Sampling, StepInstant};
pub use layout::{Conserving, Coordinates, Internal};
pub use network::{NetworkRow, NetworkUnknown};
pub use step::{ConservingScratch, ConservingStep};

/// Where a step takes forces and the directions of constraint forces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Discrete gradients (I-20, I-21): conserves energy and momentum.
    EnergyMomentum,
    /// Forces at the mean, constraint forces along the Jacobian at the start (I-19): symplectic, conserves
    /// momentum.
    Variational,
    /// Forces averaged along the straight path from z to z⁺ by the rule [`ConservingStep::quadrature`]
    /// (cG(1), I-17); constraints as in [`Rule::EnergyMomentum`].
    Averaged,
}
