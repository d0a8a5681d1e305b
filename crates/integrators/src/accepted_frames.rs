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
    /// A body has turned by an angle.
    pub fn note(&mut self, body: usize, rotation: f64) {
        if rotation > self.rotation {
            *self = LargestTurn { rotation, body };
        }
    }

    /// The report of a step that took so many iterations.
    pub fn report(self, iterations: usize) -> StepReport {
        StepReport { iterations, rotation: self.rotation, body: self.body }
    }
}

/// Whether a node turns.
pub(crate) fn turns(chart: &Chart) -> bool {
    matches!(chart, Chart::Motion | Chart::Planar { .. })
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
    accept_frames_with(system, state, end, |k| {
        let node = &system.nodes()[k];
        largest.note(k, node.chart.twist(&moved[node.unknowns()]).angular.norm());
        true
    });
    largest
}

/// The same for nodes that turn; `is_rigid` says whether the rotation of one has to be orthonormal.
pub(crate) fn accept_frames_with(
    system: &System,
    state: &mut [Frame],
    end: &[Frame],
    mut is_rigid: impl FnMut(usize) -> bool,
) {
    for (k, (node, (z, new))) in system.nodes().iter().zip(state.iter_mut().zip(end)).enumerate() {
        *z = *new;
        if turns(&node.chart) && is_rigid(k) {
            z.rot = so3::orthonormalize(&z.rot);
        }
    }
}
