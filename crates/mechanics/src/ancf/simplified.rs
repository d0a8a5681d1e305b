//! Mean stretch of the chord and bending by |r″| (gs4-isochronous-integrators I-92).
//!
//! ```text
//! V = EA/2l (L − l)² + ½ EI ∫|r″|² dx,   L = |δ|
//! ```
//! The bending stiffness is constant. It takes small stretch for granted and bends no slope that shrinks.
//! Numerical dissipation acts on the stretch alone, as changes of r″ are no strains: a rigid turn has them.
//! Erratum: the axial force is (EA/l)(L − l), not (EA/L)(L − l).

use super::law::CableSection;
use super::triple::*;
use poinsot_geometry::{Mat3, Vec3};

/// The simplified strain energy.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Simplified {
    /// EA/l and l.
    axial: [f64; 2],
    /// EI ∫ s_i″ s_j″ dx.
    bending: [[f64; 3]; 3],
}

impl Simplified {
    pub fn new(l: f64, c: &CableSection) -> Self {
        let b = c.bending / (l * l * l);
        // k_b of (r_O, r_O′, r_A, r_A′) without its first row.
        let (one, two) = (6.0 * l * b, l * l * b);
        let bending = [[4.0 * two, -one, 2.0 * two], [-one, 12.0 * b, -one], [2.0 * two, -one, 4.0 * two]];
        Simplified { axial: [c.axial / l, l], bending }
    }

    pub fn energy(&self, w: &Triple) -> f64 {
        let apart = w[1].norm() - self.axial[1];
        let bent: f64 = (0..3).map(|i| w[i].dot(&combined(&self.bending[i], w))).sum();
        0.5 * self.axial[0] * apart * apart + 0.5 * bent
    }

    pub fn gradient(&self, w: &Triple, out: &mut Triple) {
        (0..3).for_each(|i| out[i] += combined(&self.bending[i], w));
        let length = w[1].norm();
        out[1] += w[1] * (self.axial[0] * (length - self.axial[1]) / length);
    }

    fn add_bending(&self, factor: f64, out: &mut TripleMatrix) {
        for (out, row) in out.iter_mut().zip(&self.bending) {
            out.iter_mut().zip(row).for_each(|(out, k)| *out += Mat3::identity() * (k * factor));
        }
    }

    pub fn tangent(&self, w: &Triple, out: &mut TripleMatrix) {
        self.add_bending(1.0, out);
        let length = w[1].norm();
        let t = w[1] / length;
        let across = (length - self.axial[1]) / length;
        out[1][1] += (t * t.transpose() * (1.0 - across) + Mat3::identity() * across) * self.axial[0];
    }

    /// N over a step with dissipation, its derivative by L⁺, and D of L.
    fn step(&self, [from, to]: [&Triple; 2], chi: f64) -> (f64, f64, Vec3, f64) {
        let ([k, l], [start, end]) = (self.axial, [from[1].norm(), to[1].norm()]);
        let force = k * (0.5 * (start + end) - l) + chi * k * (end - start);
        (force, k * (0.5 + chi), (from[1] + to[1]) / (start + end), start + end)
    }

    pub fn step_gradient(&self, step: [&Triple; 2], chi: f64, out: &mut Triple) {
        let [from, to] = step;
        let mean = [0, 1, 2].map(|k| (from[k] + to[k]) * 0.5);
        (0..3).for_each(|i| out[i] += combined(&self.bending[i], &mean));
        let (force, _, d, _) = self.step(step, chi);
        out[1] += d * force;
    }

    pub fn step_tangent(&self, step: [&Triple; 2], chi: f64, out: &mut TripleMatrix) {
        self.add_bending(0.5, out);
        let (force, by_end, d, sum) = self.step(step, chi);
        let t = step[1][1].normalize();
        out[1][1] += d * t.transpose() * by_end + (Mat3::identity() - d * t.transpose()) * (force / sum);
    }

    pub fn step_lost(&self, [from, to]: [&Triple; 2], chi: f64) -> f64 {
        let longer = to[1].norm() - from[1].norm();
        chi * self.axial[0] * longer * longer
    }
}
