//! The work arrays of a GS4 step: stage and end values for the current increments.

use poinsot_geometry::Mat3;
use poinsot_mechanics::{Frame, Instant, State, System};

/// Work arrays of one step.
#[derive(Debug)]
pub(crate) struct Step {
    /// Δa, and λ̃/W₁Λ₆ in the constraint entries.
    pub delta: Vec<f64>,
    /// p, and μ in the constraint entries.
    pub correction: Vec<f64>,
    /// Increment of position to the stage.
    pub move_stage: Vec<f64>,
    /// Increment of position to the end.
    pub move_end: Vec<f64>,
    /// q̃.
    pub stage_frames: Vec<Frame>,
    /// ṽ.
    pub stage_v: Vec<f64>,
    /// ã with λ̃.
    pub stage_a: Vec<f64>,
    /// q⁺.
    pub end_frames: Vec<Frame>,
    /// v⁺.
    pub end_v: Vec<f64>,
    /// â⁺, where it is wanted.
    pub end_a: Vec<f64>,
    /// Tangents of the retraction to the stage.
    pub stage_tangent: Vec<Mat3>,
    /// Tangents of the retraction to the end.
    pub end_tangent: Vec<Mat3>,
}

impl Step {
    pub fn new(system: &System, frames: &[Frame]) -> Self {
        let n = system.size();
        let tangents = vec![Mat3::identity(); frames.len()];
        Step {
            delta: vec![0.0; n],
            correction: vec![0.0; n],
            move_stage: vec![0.0; n],
            move_end: vec![0.0; n],
            stage_frames: frames.to_vec(),
            stage_v: vec![0.0; n],
            stage_a: vec![0.0; n],
            end_frames: frames.to_vec(),
            end_v: vec![0.0; n],
            end_a: vec![0.0; n],
            stage_tangent: tangents.clone(),
            end_tangent: tangents,
        }
    }

    /// Frames of some nodes at the end, from those at the start.
    pub fn retract_end(&mut self, system: &System, start: &[Frame], nodes: &[usize]) {
        for &k in nodes {
            let node = &system.nodes()[k];
            node.chart.retract_to(&start[k], &self.move_end[node.unknowns()], &mut self.end_frames[k]);
        }
    }

    /// The instant t_n + W₁h at which the balance is collocated.
    pub fn stage<'a>(&'a self, before: &'a State, w1: f64, h: f64) -> Instant<'a> {
        Instant {
            t: before.t + w1 * h,
            frames: &self.stage_frames,
            v: &self.stage_v,
            a: &self.stage_a,
            memory: &before.memory,
            rates: &[],
        }
    }

    /// The instant t_n + h at which the constraints hold, with â⁺.
    pub fn end<'a>(&'a self, before: &'a State, h: f64) -> Instant<'a> {
        Instant {
            t: before.t + h,
            frames: &self.end_frames,
            v: &self.end_v,
            a: &self.end_a,
            memory: &before.memory,
            rates: &[],
        }
    }
}
