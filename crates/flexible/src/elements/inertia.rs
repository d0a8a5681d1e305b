//! Integrals of inertia of one element.

use crate::Component;
use nalgebra::{DMatrix, Matrix3xX};
use poinsot_geometry::{Mat3, Vec3};

/// ∫ρ S_a S_bᵀ of an element.
pub(crate) enum ElementProducts {
    /// m_ab of nodes: S of each component of node a is N_a along it.
    Nodal(DMatrix<f64>),
    /// Of unknowns, at a n + b.
    Pairs(Vec<Mat3>),
}

/// Integrals of inertia of an element, about the origin of the body frame.
pub(crate) struct ElementInertia {
    /// ∫ρ.
    pub mass: f64,
    /// ∫ρ X.
    pub first_moment: Vec3,
    /// ∫ρ X Xᵀ.
    pub second_moment: Mat3,
    /// ∫ρ S_a of each unknown.
    pub mean: Vec<Vec3>,
    /// ∫ρ S_a Xᵀ of each unknown.
    pub moments: Vec<Mat3>,
    /// ∫ρ S_a S_bᵀ.
    pub products: ElementProducts,
}

/// A particle of an element: the field of its unknowns where it is.
pub(crate) struct Particle {
    pub mass: f64,
    pub place: Vec3,
    /// S, a column for each unknown.
    pub field: Matrix3xX<f64>,
}

impl ElementInertia {
    /// Of an element that interpolates places as displacements, X = Σ N_a X_a. All integrals come from
    /// m_ab = ∫ρ N_a N_b, so that M gives a rigid motion exactly the inertia that stands beside it.
    pub fn nodal(m: DMatrix<f64>, places: &[Vec3], components: &[Component]) -> Self {
        let weighted: Vec<Vec3> =
            (0..places.len()).map(|a| places.iter().enumerate().map(|(b, x)| x * m[(a, b)]).sum()).collect();
        let of_node: Vec<f64> = (0..places.len()).map(|a| m.row(a).sum()).collect();
        let axes = || components.iter().map(|component| axis(*component));
        ElementInertia {
            mass: of_node.iter().sum(),
            first_moment: weighted.iter().sum(),
            second_moment: places.iter().zip(&weighted).map(|(x, w)| x * w.transpose()).sum(),
            mean: of_node.iter().flat_map(|mass| axes().map(move |e| e * *mass)).collect(),
            moments: weighted.iter().flat_map(|w| axes().map(move |e| e * w.transpose())).collect(),
            products: ElementProducts::Nodal(m),
        }
    }

    /// Of an element with fields of any kind, as particles whose sums are the integrals.
    pub fn of_particles(unknowns: usize, particles: impl Iterator<Item = Particle>) -> Self {
        let mut total = ElementInertia {
            mass: 0.0,
            first_moment: Vec3::zeros(),
            second_moment: Mat3::zeros(),
            mean: vec![Vec3::zeros(); unknowns],
            moments: vec![Mat3::zeros(); unknowns],
            products: ElementProducts::Pairs(vec![]),
        };
        let mut products = vec![Mat3::zeros(); unknowns * unknowns];
        for Particle { mass, place, field } in particles {
            total.mass += mass;
            total.first_moment += place * mass;
            total.second_moment += place * place.transpose() * mass;
            for a in 0..unknowns {
                let s = field.column(a) * mass;
                total.mean[a] += s;
                total.moments[a] += s * place.transpose();
                for b in 0..unknowns {
                    products[a * unknowns + b] += s * field.column(b).transpose();
                }
            }
        }
        total.products = ElementProducts::Pairs(products);
        total
    }
}

/// The axis along which a translation goes.
fn axis(component: Component) -> Vec3 {
    match component {
        Component::Translation(k) => Vec3::ith(k, 1.0),
        Component::Rotation(_) => Vec3::zeros(),
    }
}
