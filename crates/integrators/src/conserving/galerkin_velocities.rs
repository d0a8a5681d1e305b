//! The velocities v of the state from the natural velocities w: the part that rigidity and constraints
//! permit, orthogonal in the metric of the mass to what they forbid.
//!
//! ```text
//! M̂ x + Gᵀμ = Tᵀ M (w − T v),   G x = −(G v + drift),     v := v + x,     M̂ = Tᵀ M T
//! ```
//! for any first v. With those of single bodies, whose momenta are right, the first right-hand side is
//! that of masses that beams share between their nodes. What steps hand on with alternating sign is M⁻¹Gᵀ
//! of something, and drops out.

use super::galerkin::Galerkin;
use crate::linear::saddle_point::instant;
use crate::step_failure::StepFailure;
use poinsot_geometry::{Mat3, Vec3};
use poinsot_mechanics::{Chart, FrameRate, Twist};

/// Room for what the masses of beams miss.
#[derive(Debug)]
pub(super) struct Missing {
    rate: Vec<f64>,
    momentum: Vec<f64>,
}

impl Missing {
    pub fn new(unknowns: usize) -> Self {
        Missing { rate: vec![0.0; unknowns], momentum: vec![0.0; unknowns] }
    }
}

impl Galerkin<'_> {
    /// Takes what is forbidden out of the velocities of the end.
    pub(super) fn permit(&mut self) -> Result<(), StepFailure> {
        self.forbidden.fill(0.0);
        let (system, end, saddle) = (self.system, &self.end, &mut self.saddle);
        system.constraint_rate(&instant(end, &self.rates), &mut self.forbidden, &mut saddle.scratch);
        system.hold_variables(&mut self.forbidden);
        if self.missing.is_some() {
            self.miss();
        }
        let (end, saddle) = (&mut self.end, &mut self.saddle);
        saddle.factor(system, end).map_err(|e| StepFailure::singular(system, end.t, &e))?;
        saddle.solve(&mut self.forbidden);
        for e in system.nodes().iter().flat_map(|node| node.unknowns()) {
            end.v[e] -= self.forbidden[e];
        }
        Ok(())
    }

    /// −Tᵀ M (w − T v) into the entries of nodes.
    fn miss(&mut self) {
        let Some(missing) = &mut self.missing else { return };
        let (view, end) = (&self.view, &self.end);
        missing.rate.fill(0.0);
        missing.momentum.fill(0.0);
        for (id, node) in self.system.nodes().iter().enumerate().skip(1) {
            let w = end.rates[id] - end.frames[id].rate(&node.chart.twist(&end.v[node.unknowns()]));
            let (own, linear) = (view.unknowns(id), node.chart.vector_dofs());
            let mut components = [0.0; 6];
            let twist = Twist { linear: w.r, angular: Vec3::zeros() };
            node.chart.velocities(&twist, &mut components[..node.chart.dofs()]);
            missing.rate[own.start..own.start + linear].copy_from_slice(&components[..linear]);
            view.add_turning(id, &w.rot, |e, a| missing.rate[e] = a);
        }
        view.add_inertia_of(&missing.rate, &mut missing.momentum);
        for (id, node) in self.system.nodes().iter().enumerate().skip(1) {
            let (p, z) = (&missing.momentum[view.unknowns(id)], &end.frames[id]);
            let out = &mut self.forbidden[node.unknowns()];
            let linear = node.chart.vector_dofs();
            out.iter_mut().zip(&p[..linear]).for_each(|(out, p)| *out = -p);
            match node.chart {
                Chart::Motion => {
                    let f = FrameRate { r: Vec3::zeros(), rot: Mat3::from_column_slice(&p[3..]) };
                    out[3..].copy_from_slice((-z.rot.tr_mul(&f.moment(z))).as_slice());
                }
                Chart::Planar { .. } => {
                    // δR = R ñ δθ moves (a, b) by (−b, a) δθ.
                    let (mut turn, first) = ([0.0; 4], view.unknowns(id).start);
                    view.add_turning(id, &z.rot, |e, a| turn[e - first] = a);
                    out[2] = turn[3] * p[2] - turn[2] * p[3];
                }
                _ => {}
            }
        }
    }
}
