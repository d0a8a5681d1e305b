//! Stiffness and damping of the shapes of a flexible body.
//!
//! ```text
//! f = −K q − D q̇,      V = ½ qᵀ K q
//! ```
//! (floating-frame-and-ancf §1.10.1: elastic forces act on the elastic coordinates alone.)

use crate::element_buffers::Blocks;
use crate::force::{Force, Motion, Power};
use crate::nodes::carried::{Carried, NodeId};
use poinsot_geometry::nalgebra::DMatrix;
use poinsot_geometry::{Mat3, Vec3};

/// Linear elasticity of shapes.
#[derive(Clone, Debug)]
pub struct Elasticity {
    carried: Vec<Carried>,
    /// (k, l, K_kl) where that is not zero.
    stiffness: Vec<(usize, usize, f64)>,
    /// (k, l, D_kl) where that is not zero.
    damping: Vec<(usize, usize, f64)>,
    /// Whether its energy belongs to that of the system.
    counted: bool,
}

impl Elasticity {
    /// Between the numbers q_k, with symmetric K and D.
    pub fn new(numbers: &[NodeId], stiffness: &DMatrix<f64>, damping: &DMatrix<f64>) -> Self {
        Elasticity {
            carried: numbers.iter().map(|&node| Carried::point(node, Vec3::zeros())).collect(),
            stiffness: entries(stiffness),
            damping: entries(damping),
            counted: true,
        }
    }

    /// Of shapes that do not act back: their energy is not taken out of the motion.
    pub fn uncounted(self) -> Self {
        Elasticity { counted: false, ..self }
    }
}

fn entries(matrix: &DMatrix<f64>) -> Vec<(usize, usize, f64)> {
    let all = (0..matrix.nrows()).flat_map(|k| (0..matrix.ncols()).map(move |l| (k, l)));
    all.map(|(k, l)| (k, l, matrix[(k, l)])).filter(|(_, _, value)| *value != 0.0).collect()
}

/// Σ a_kl x_k x_l.
fn quadratic(entries: &[(usize, usize, f64)], x: &[Vec3]) -> f64 {
    entries.iter().map(|&(k, l, value)| value * x[k].x * x[l].x).sum()
}

impl Force for Elasticity {
    fn kind(&self) -> &'static str {
        "elasticity"
    }

    fn carried(&self) -> &[Carried] {
        &self.carried
    }

    fn force(&self, at: &Motion, f: &mut [Vec3]) {
        for &(k, l, value) in &self.stiffness {
            f[k].x -= value * at.x[l].x;
        }
        for &(k, l, value) in &self.damping {
            f[k].x -= value * at.xdot[l].x;
        }
    }

    fn tangent(&self, _at: &Motion, k: &mut Blocks, c: &mut Blocks) {
        let along = |value: f64| Mat3::from_diagonal(&Vec3::new(-value, 0.0, 0.0));
        self.stiffness.iter().for_each(|&(a, b, value)| k.push(a, b, along(value)));
        self.damping.iter().for_each(|&(a, b, value)| c.push(a, b, along(value)));
    }

    fn sees_velocity(&self) -> bool {
        !self.damping.is_empty()
    }

    fn potential(&self, at: &Motion) -> f64 {
        if self.counted { 0.5 * quadratic(&self.stiffness, at.x) } else { 0.0 }
    }

    fn power(&self, at: &Motion) -> Power {
        let lost =
            if self.damping.is_empty() || !self.counted { 0.0 } else { quadratic(&self.damping, at.xdot) };
        Power { supplied: 0.0, dissipated: lost }
    }
}
