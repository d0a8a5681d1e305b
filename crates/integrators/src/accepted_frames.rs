//! Frames at the end of an accepted step.

use crate::step_report::StepReport;
use poinsot_geometry::so3;
use poinsot_mechanics::{Chart, Frame, System};

/// The largest rotation of a body in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct LargestTurn {
    /// Angle (rad).
    pub rotation: f64,
    /// The node of the body.
    pub body: usize,
}

impl LargestTurn {
    /// The report of a step that took so many iterations.
    pub fn report(self, iterations: usize) -> StepReport {
        StepReport { iterations, rotation: self.rotation, body: self.body }
    }
}

/// Makes the frames at the end those of the state, with rotations freed of rounding; `moved` are the
/// increments of the step.
pub(crate) fn accept_frames(
    system: &System,
    state: &mut [Frame],
    end: &[Frame],
    moved: &[f64],
) -> LargestTurn {
    let mut largest = LargestTurn::default();
    for (k, (node, (z, new))) in system.nodes().iter().zip(state.iter_mut().zip(end)).enumerate() {
        *z = *new;
        if matches!(node.chart, Chart::Motion | Chart::Planar { .. }) {
            z.rot = so3::orthonormalize(&z.rot);
            let angle = node.chart.twist(&moved[node.unknowns()]).angular.norm();
            if angle > largest.rotation {
                largest = LargestTurn { rotation: angle, body: k };
            }
        }
    }
    largest
}
