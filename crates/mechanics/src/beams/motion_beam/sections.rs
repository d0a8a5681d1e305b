//! The sections of the element.

use super::{Six, node};
use crate::beams::beam::VECTORS;
use crate::beams::interpolation::{MAX_NODES, lagrange, shape};
use crate::beams::motion_beam::MotionBeam;
use crate::beams::relative_motion::Invariants;
use crate::beams::{BeamElement, SectionPlace, SectionState};
use crate::force::Motion;
use poinsot_geometry::interpolation::MotionInterpolation;
use poinsot_geometry::se3::{Pose, join};
use poinsot_geometry::{Mat3, Vec3, Vec6, so3};

impl BeamElement for MotionBeam {
    /// Strains and stress resultants at ξ in [−1, 1]: those of the stations, carried on as a polynomial.
    fn section_state(&self, at: &Motion, xi: f64) -> SectionState {
        let mut places = [0.0; MAX_NODES];
        places.iter_mut().zip(&self.stations).for_each(|(place, g)| *place = g.xi);
        let weights = lagrange(&places[..self.stations.len()], xi).value;
        let (strains, stresses, _) = self.stresses(at);
        let sum = |of: &Six| -> Vec6 { of.iter().zip(&weights).map(|(v, w)| v * *w).sum() };
        // The parameters are singular at half a turn between nodes; four times the half cosine leaves room to
        // 165 degrees.
        let turned =
            |(j, k, _): (usize, usize, f64)| Invariants::new(node(at.x, j), node(at.x, k)).half_cosine();
        let axes = self.pairs().map(turned).fold(0.25, f64::min) * 4.0;
        SectionState { strain: sum(&strains), resultant: sum(&stresses), axes }
    }

    /// Point of the line and section axes at ξ in [−1, 1], as the metric interpolates the motions of the
    /// nodes. None where their axes are none, or too far apart.
    fn section_place(&self, at: &Motion, xi: f64) -> Option<SectionPlace> {
        let weights = shape(self.nodes(), xi);
        let axes = |x: &[Vec3]| Mat3::from_columns(&[x[1], x[2], x[3]]);
        let pose = |x: &[Vec3]| Some(Pose::new(x[0], so3::polar(&axes(x))?));
        let poses: Vec<Pose> = at.x.chunks_exact(VECTORS).map(pose).collect::<Option<_>>()?;
        let mut motion = MotionInterpolation::new(self.scheme.metric, &poses).ok()?;
        let n = self.nodes();
        let here = motion.at(&weights.value[..n], &weights.slope[..n]).ok()?;
        // (Rᵀṙ, ω) of the nodes carried along as virtual motions are.
        let mut twist = Vec6::zeros();
        for (k, (pose, xdot)) in poses.iter().zip(at.xdot.chunks_exact(VECTORS)).enumerate() {
            let linear = pose.rotation.tr_mul(&xdot[0]);
            let angular = so3::axial(&pose.rotation.tr_mul(&axes(xdot)));
            twist += here.increment(k) * join(&linear, &angular);
        }
        let place = here.pose();
        let velocity = place.rotation * twist.fixed_rows::<3>(0);
        Some(SectionPlace { position: place.r, velocity, axes: place.rotation })
    }
}
