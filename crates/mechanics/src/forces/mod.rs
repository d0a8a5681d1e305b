//! The force library, one file each. Gravity is a field of the whole system (see [`crate::System`]).

mod between_nodes;
mod bushing;
mod bushing_step;
mod coordinate_element;
mod coordinate_force;
mod frame_inertia;
mod governed;
mod gyrostat;
mod input_element;
mod piecewise_element;
mod point_force;
mod pressed_element;
mod readings;
mod state_law;
mod stop;
mod torque;

pub use between_nodes::BetweenNodes;
pub use bushing::Bushing;
pub use coordinate_element::{Along, CoordinateElement};
pub use coordinate_force::CoordinateForce;
pub use frame_inertia::{FrameInertia, Turning};
pub use governed::Governed;
pub use gyrostat::Gyrostat;
pub use input_element::{InputElement, MAX_INPUTS};
pub use piecewise_element::PiecewiseElement;
pub use point_force::PointForce;
pub use pressed_element::PressedElement;
pub(crate) use pressed_element::reactions_of;
pub(crate) use readings::{By, place_of};
pub use readings::{Readings, StateLawError};
pub use state_law::StateLaw;
pub(crate) use state_law::{booked, merged_switches};
pub use stop::Stop;
pub use torque::Torque;

use crate::coordinate::Coordinate;
use crate::discrete_gradients::StepEnds;
use crate::element_buffers::Blocks;
use poinsot_expr::Function;
use poinsot_geometry::Vec3;

/// The three components of a load at time t.
fn components(load: &[Function; 3], t: f64) -> Vec3 {
    Vec3::new(load[0].value(&[t]), load[1].value(&[t]), load[2].value(&[t]))
}

/// Adds −F S_a over a step along the discrete slope S of a coordinate.
pub(crate) fn push_along(s: &Coordinate, step: &StepEnds, force: f64, f: &mut [Vec3]) {
    for (f, slope) in f.iter_mut().zip(&s.discrete_slope(step.from, step.to)) {
        *f -= slope * force;
    }
}

/// −∂(F S_a)/∂x⁺_b = −F ∂S_a/∂x⁺_b − (∂F/∂s⁺) S_a ⊗ (∂s/∂x_b)⁺.
pub(crate) fn push_tangent_along(s: &Coordinate, step: &StepEnds, force: f64, by_end: f64, k: &mut Blocks) {
    let (left, right) = (s.discrete_slope(step.from, step.to), s.slope(step.to));
    let n = s.carried().len();
    for (a, left) in left[..n].iter().enumerate() {
        for (b, right) in right[..n].iter().enumerate() {
            k.push_outer(a, b, &(left * -by_end), right);
        }
    }
    s.discrete_curvature(step.from, step.to, -force, k);
}
