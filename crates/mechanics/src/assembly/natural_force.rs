//! Forces on natural coordinates.

use crate::nodes::chart::{Chart, Frame};
use crate::system::Places;
use poinsot_geometry::nalgebra::ArrayStorage;
use poinsot_geometry::{Mat3, Vec3};

/// No matrix.
pub(crate) const ZERO: Mat3 = Mat3::from_array_storage(ArrayStorage([[0.0; 3]; 3]));

/// f_a on carried vectors as forces on natural coordinates: with x = c₀ r + R c they are Σ c₀ f on r and Σ f
/// cᵀ on R.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NaturalForce {
    pub origin: Vec3,
    pub directors: Mat3,
}

impl NaturalForce {
    pub(super) const ZERO: Self = NaturalForce { origin: Vec3::new(0.0, 0.0, 0.0), directors: ZERO };

    /// Adds Q = Tᵀf: the torque in body axes is Σ c × Rᵀf, twice the skew part of Σ (Rᵀf) cᵀ.
    #[inline]
    pub(super) fn project(&self, chart: &Chart, z: &Frame, q: &mut [f64]) {
        let (f, m) = (&self.origin, &self.directors);
        // (RᵀF)_ij of the directors.
        let pulled = |i: usize, j: usize| z.rot.column(i).dot(&m.column(j));
        let torque = || {
            Vec3::new(pulled(2, 1) - pulled(1, 2), pulled(0, 2) - pulled(2, 0), pulled(1, 0) - pulled(0, 1))
        };
        match chart {
            Chart::Fixed => {}
            Chart::Parameter | Chart::Number => q[0] += f.x,
            Chart::Point | Chart::Slope => (0..3).for_each(|k| q[k] += f[k]),
            Chart::Motion => {
                let torque = torque();
                for k in 0..3 {
                    q[k] += f[k];
                    q[3 + k] += torque[k];
                }
            }
            Chart::PlanarPoint { e1, e2 } | Chart::PlanarSlope { e1, e2 } => {
                q[0] += e1.dot(f);
                q[1] += e2.dot(f);
            }
            Chart::Planar { e1, e2, normal } => {
                q[0] += e1.dot(f);
                q[1] += e2.dot(f);
                q[2] += normal.dot(&torque());
            }
        }
    }
}

/// Adds `sign` f_a to the loads of the nodes.
#[inline]
pub(crate) fn add_loads(places: &Places, f: &[Vec3], sign: f64, loads: &mut [NaturalForce]) {
    for (place, f) in places.carried.iter().zip(f) {
        let (c, load, f) = (&place.carried, &mut loads[place.carried.node], f * sign);
        load.origin += f * c.c0;
        for k in 0..3 {
            load.directors.column_mut(k).axpy(c.c[k], &f, 1.0);
        }
    }
}
