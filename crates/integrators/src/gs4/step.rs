//! The GS4 step in progress: stage and end values for the current increments.

use crate::gs4::Gs4;
use crate::gs4::form::Closure;
use crate::linear::saddle_point::retract;
use poinsot_geometry::Mat3;
use poinsot_mechanics::{Frame, Instant, State, System};

/// The step in progress.
#[derive(Debug)]
pub(crate) struct Step {
    /// Length and iterations, once it is solved and waits to be accepted.
    pub solved: Option<(f64, usize)>,
    pub closure: Closure,
    /// Stored acceleration aⁿ, shifted to the length of this step.
    pub a: Vec<f64>,
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
    pub fn new(system: &System, frames: &[Frame], closure: Closure) -> Self {
        let n = system.size();
        let tangents = vec![Mat3::identity(); frames.len()];
        Step {
            solved: None,
            closure,
            a: vec![0.0; n],
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

/// Nodes by when their frames at the end are wanted.
#[derive(Debug)]
pub(crate) struct EndNodes {
    /// In every iteration.
    pub closing: Vec<usize>,
    /// When the step is solved.
    pub others: Vec<usize>,
}

impl EndNodes {
    pub fn new(system: &System) -> Self {
        EndNodes { closing: system.closing_nodes(), others: system.other_nodes() }
    }
}

impl Gs4<'_> {
    /// Stage acceleration and multipliers extrapolated from the last stages.
    pub(super) fn predict(&mut self, h: f64) {
        self.past.predictor.aim(self.past.state.t + self.w.w1 * h);
        let s = &mut self.step;
        for ((d, stage), a) in s.delta.iter_mut().zip(self.past.predictor.stage()).zip(&s.a) {
            *d = (stage - a) / self.w.w1l6;
        }
        s.correction.fill(0.0);
        self.newton.corrected = false;
        self.matrix.fresh = false;
    }

    /// Stage and end values for the current increments; frames at the end of the closing nodes only.
    pub(super) fn evaluate_kinematics(&mut self, h: f64) {
        let (n, w, lift, s) = (self.past.state.v.len(), self.w, self.lift, &mut self.step);
        // Slices of one length, so that the loop needs no checks.
        let (v, a, delta, correction) =
            (&self.past.state.v[..n], &s.a[..n], &s.delta[..n], &s.correction[..n]);
        let (move_stage, stage_v, stage_a) =
            (&mut s.move_stage[..n], &mut s.stage_v[..n], &mut s.stage_a[..n]);
        let (move_end, end_v) = (&mut s.move_end[..n], &mut s.end_v[..n]);
        for i in 0..n {
            let d = delta[i];
            move_stage[i] = h * (w.w1 * v[i] + h * (w.w2l2 * a[i] + w.w3l3 * d));
            stage_v[i] = v[i] + h * (w.w1 * a[i] + w.w2l5 * d);
            stage_a[i] = a[i] + w.w1l6 * d;
            move_end[i] = h * (v[i] + h * (0.5 * a[i] + w.l3 * d + lift * correction[i]));
            end_v[i] = v[i] + h * (a[i] + w.l5 * d);
        }
        if s.closure.acceleration != 0.0 && !s.closure.at_stage {
            let later = 1.0 + w.phi;
            (0..v.len()).for_each(|i| s.end_a[i] = a[i] + later * s.delta[i]);
        }
        retract(self.system, &self.past.state.frames, &s.move_stage, &mut s.stage_frames);
        s.retract_end(self.system, &self.past.state.frames, &self.nodes.closing);
    }
}
