//! Damping proportional to a mass matrix: f_a = −α Σ_b M_ab ẋ_b. Unlike viscosity of strains it resists rigid
//! motions too.

use crate::element_buffers::{Blocks, MAX_CARRIED};
use crate::force::{Force, Motion, Power};
use crate::mass::inertia::Inertia;
use crate::nodes::carried::Carried;
use poinsot_geometry::{Mat3, Vec3};

/// Drag on what has mass.
#[derive(Clone, Debug)]
pub struct MassDamping {
    inertia: Inertia,
    rate: f64,
}

impl MassDamping {
    /// A drag of α (1/s) times the momentum.
    pub fn new(inertia: &Inertia, alpha: f64) -> Self {
        MassDamping { inertia: inertia.clone(), rate: alpha }
    }
}

impl Force for MassDamping {
    fn kind(&self) -> &'static str {
        "mass damping"
    }

    fn carried(&self) -> &[Carried] {
        self.inertia.carried()
    }

    fn force(&self, at: &Motion, f: &mut [Vec3]) {
        let mut p = [Vec3::zeros(); MAX_CARRIED];
        self.inertia.apply(at.xdot, &mut p[..f.len()]);
        f.iter_mut().zip(&p).for_each(|(f, p)| *f -= p * self.rate);
    }

    fn tangent(&self, at: &Motion, _k: &mut Blocks, c: &mut Blocks) {
        let n = at.x.len();
        for a in 0..n {
            for b in 0..n {
                c.push(a, b, Mat3::identity() * (-self.rate * self.inertia.coefficient(a, b)));
            }
        }
    }

    fn power(&self, at: &Motion) -> Power {
        let mut p = [Vec3::zeros(); MAX_CARRIED];
        self.inertia.apply(at.xdot, &mut p[..at.x.len()]);
        let lost: f64 = p.iter().zip(at.xdot).map(|(p, v)| p.dot(v)).sum();
        Power { supplied: 0.0, dissipated: self.rate * lost }
    }
}
