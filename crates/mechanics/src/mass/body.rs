//! Inertia of a rigid body or point mass, with gravity.
//!
//! With reference point O, mass m, centre of mass c (body axes), inertia J about O (body axes), and the
//! acceleration relative to free fall in body axes γ = Rᵀ(r̈ − g), the inertia minus gravity forces are
//!
//! ```text
//! f = R m (γ + α×c + ω×(ω×c))              world axes, on r
//! τ = m c×γ + Jα + ω×Jω                    body axes, on the rotation
//! ```
//! This is Tᵀ M z̈ with the constant mass matrix of the natural coordinates, written out for the motion
//! chart; the planar chart takes its three components.

use crate::mass::mass_properties::MassProperties;
use crate::nodes::carried::NodeId;
use crate::nodes::chart::{Chart, Frame, Twist};
use poinsot_geometry::{Mat3, Mat6, Vec3, Vec6, so3};

/// A body: mass properties on a node.
#[derive(Clone, Debug)]
pub struct Body {
    /// The node that it moves with.
    pub node: NodeId,
    /// Mass (kg).
    pub mass: f64,
    /// Centre of mass in body axes.
    pub centre: Vec3,
    /// Inertia about the reference point, body axes.
    pub inertia: Mat3,
}

/// Derivatives of the inertia force: mass, velocity and configuration.
#[derive(Clone, Debug)]
pub struct InertiaTangent {
    /// ∂R/∂a.
    pub mass: Mat6,
    /// ∂R/∂v.
    pub damping: Mat6,
    /// ∂R/∂q.
    pub stiffness: Mat6,
}

impl Body {
    /// A body on `node`; for a point node only mass is used.
    pub fn new(node: NodeId, properties: &MassProperties) -> Self {
        Body {
            node,
            mass: properties.mass,
            centre: properties.centre,
            inertia: properties.inertia_about(Vec3::zeros()),
        }
    }

    /// Inertia minus gravity force, (f, τ) as above.
    #[inline]
    pub fn force(&self, z: &Frame, v: &Twist, a: &Twist, gravity: &Vec3) -> Vec6 {
        let (m, c, w) = (self.mass, &self.centre, &v.angular);
        let relative = a.linear - gravity;
        let mut torque = self.inertia * a.angular + w.cross(&(self.inertia * w));
        let mut force = relative * m;
        if *c != Vec3::zeros() {
            let gamma = z.rot.tr_mul(&relative);
            force += z.rot * (a.angular.cross(c) + w.cross(&w.cross(c))) * m;
            torque += c.cross(&gamma) * m;
        }
        Vec6::new(force[0], force[1], force[2], torque[0], torque[1], torque[2])
    }

    /// Exact derivatives of [`Body::force`] with respect to (r̈, α), (ṙ, ω) and (δr, δθ in body axes).
    pub fn tangent(&self, z: &Frame, v: &Twist, a: &Twist, gravity: &Vec3) -> InertiaTangent {
        let (m, c, w) = (self.mass, &self.centre, &v.angular);
        let (cs, ws) = (so3::skew(c), so3::skew(w));
        let mut mass = Mat6::zeros();
        let mut damping = Mat6::zeros();
        let mut stiffness = Mat6::zeros();
        mass.fixed_view_mut::<3, 3>(0, 0).copy_from(&(Mat3::identity() * m));
        mass.fixed_view_mut::<3, 3>(3, 3).copy_from(&self.inertia);
        damping.fixed_view_mut::<3, 3>(3, 3).copy_from(&(ws * self.inertia - so3::skew(&(self.inertia * w))));
        if *c != Vec3::zeros() {
            let coupling = z.rot * cs * m;
            mass.fixed_view_mut::<3, 3>(0, 3).copy_from(&-coupling);
            mass.fixed_view_mut::<3, 3>(3, 0).copy_from(&-coupling.transpose());
            let by_spin = -(ws * cs + so3::skew(&w.cross(c))) * m;
            damping.fixed_view_mut::<3, 3>(0, 3).copy_from(&(z.rot * by_spin));
            let offset = (a.angular.cross(c) + w.cross(&w.cross(c))) * m;
            stiffness.fixed_view_mut::<3, 3>(0, 3).copy_from(&(-z.rot * so3::skew(&offset)));
            let gamma = z.rot.tr_mul(&(a.linear - gravity));
            stiffness.fixed_view_mut::<3, 3>(3, 3).copy_from(&(cs * so3::skew(&gamma) * m));
        }
        InertiaTangent { mass, damping, stiffness }
    }

    /// World position of the centre of mass.
    pub fn centre_of_mass(&self, z: &Frame) -> Vec3 {
        z.r + z.rot * self.centre
    }

    /// Kinetic energy ½m|ṙ|² + m ṙ·R(ω×c) + ½ω·Jω.
    pub fn kinetic_energy(&self, z: &Frame, v: &Twist) -> f64 {
        let carried = z.rot * v.angular.cross(&self.centre);
        self.mass * v.linear.dot(&(v.linear * 0.5 + carried))
            + 0.5 * v.angular.dot(&(self.inertia * v.angular))
    }

    /// Linear momentum m(ṙ + R(ω×c)).
    pub fn momentum(&self, z: &Frame, v: &Twist) -> Vec3 {
        (v.linear + z.rot * v.angular.cross(&self.centre)) * self.mass
    }

    /// Angular momentum about the world origin: r×p + R(m c×Rᵀṙ + Jω).
    pub fn angular_momentum(&self, z: &Frame, v: &Twist) -> Vec3 {
        let own = self.centre.cross(&z.rot.tr_mul(&v.linear)) * self.mass + self.inertia * v.angular;
        z.r.cross(&self.momentum(z, v)) + z.rot * own
    }
}

/// Basis of the chart's unknowns in (ṙ world, ω body): columns of a 6×dofs matrix.
pub(crate) fn basis(chart: &Chart) -> ([Vec6; 6], usize) {
    let mut columns = [Vec6::zeros(); 6];
    match chart {
        Chart::PlanarPoint { e1, e2 } | Chart::PlanarSlope { e1, e2 } => {
            columns[0].fixed_rows_mut::<3>(0).copy_from(e1);
            columns[1].fixed_rows_mut::<3>(0).copy_from(e2);
        }
        Chart::Planar { e1, e2, normal } => {
            columns[0].fixed_rows_mut::<3>(0).copy_from(e1);
            columns[1].fixed_rows_mut::<3>(0).copy_from(e2);
            columns[2].fixed_rows_mut::<3>(3).copy_from(normal);
        }
        _ => {
            for (k, column) in columns.iter_mut().enumerate() {
                column[k] = 1.0;
            }
        }
    }
    (columns, chart.dofs())
}
