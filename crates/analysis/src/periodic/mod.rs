//! Periodic motions, their stability, and how they change with a parameter (motion-interpolation-galerkin
//! §1.17 … §1.19, G12 … G16).
//!
//! The states x_0 … x_{K−1} at the bounds of K elements of the period T are unknown at once,
//!
//! ```text
//! φ(x_i, σ_i T) ⊖ x_{i+1} = 0,    i = 0 … K−1,      x_K ≅ x_0,      Σ σ_i = 1
//! ```
//! with a step φ that can be differentiated ([`StepMap`](poinsot_integrators::StepMap)): a time element, or
//! the steps of an integrator. x_K ≅ x_0 compares orientations, not angles: joints may advance by whole turns,
//! and variables by what is stated. Where nothing depends on time T may be unknown too; then the phase is free,
//! and the motion is held where it is,
//!
//! ```text
//! Σ_i w_i ẋ_i · δx_i = 0
//! ```
//! Newton's method corrects all states together ([`correction`]), in the changes that the constraints allow
//! ([`changes`]). The same linearised steps give the multipliers λ of the motion ([`floquet`]): a small change
//! is multiplied by λ over a period.

mod autonomy;
pub(crate) mod changes;
mod correction;
mod error;
mod floquet;
mod leading;
pub(crate) mod mesh;
mod orbit;
mod scheme;
mod shooting;
mod spectral;
mod study;
mod swing;

pub use autonomy::Dependence;
pub use changes::Changes;
pub use correction::{Correction, CorrectionReport};
pub use error::PeriodicError;
pub use floquet::{Floquet, FloquetVerdict, Multiplier};
pub use leading::{LeadingReport, find_leading};
pub use mesh::MeshReport;
pub use orbit::{Orbit, Winding};
pub use scheme::{PeriodicScheme, Spectral};
pub use shooting::Shooting;
pub use study::{Closure, PeriodGiven, PeriodicReport, PeriodicSettings, find_periodic, find_periodic_near};
pub use swing::swing;
