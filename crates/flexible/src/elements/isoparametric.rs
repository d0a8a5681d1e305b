//! Elements that interpolate places and displacements alike: solids, and faces in a plane.
//!
//! ```text
//! X = Σ N_a X_a,   u = Σ N_a u_a,   J = ∂X/∂ξ,   ∇N_a = J⁻ᵀ ∂N_a/∂ξ,   ε = Σ B_a u_a
//! K_ab = ∫ B_aᵀ D B_b,   m_ab = ∫ρ N_a N_b,   K_σ,ab = (∫ ∇N_aᵀ σ ∇N_b) 1
//! ```
//! A face in a plane z = constant is the same with ∂/∂z = 0 and the elasticity of plane stress or strain.
//!
//! With *incompatible modes* u has the bubbles 1 − ξ_k² besides, α_k each, which are solved for within the
//! element. A hexahedron or quadrilateral without them answers bending with shear that is not there: it
//! locks. Their gradients are (|J₀|/|J|) J₀⁻ᵀ ∂/∂ξ with J₀ at the centre, so that they do not work on
//! constant stresses and the patch test is passed (Taylor, Beresford and Wilson, 1976).

use super::shapes::{Shape, Station};
use super::{Element, ElementInertia, ElementStress, GeometryFault, StressState, TRANSLATIONS};
use crate::Component;
use crate::continuum::{stress_of_voigt, voigt_of_stress};
use nalgebra::{DMatrix, DVector, Matrix6x3};
use poinsot_geometry::{Mat3, Mat6, Vec3, Vec6};

/// At how many points elements are integrated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integration {
    /// Enough that every deformation of an element is held, and that ∫ρ N_a N_b is exact where it is not
    /// distorted: rigid motions have their inertia.
    #[default]
    Full,
    /// As CalculiX does, for comparison with it: masses at the few points of the stiffness, so that single
    /// elements lose inertia of rotation and M is singular, and two points in a wedge of six nodes.
    AsCalculix,
}

/// An element in its place.
pub(crate) struct Isoparametric {
    shape: &'static Shape,
    places: Vec<Vec3>,
    elasticity: Mat6,
    density: f64,
    /// 1 of solids.
    thickness: f64,
    incompatible: bool,
    integration: Integration,
}

/// Gradients of all functions at a point, and dV there.
struct Point {
    gradients: Vec<Vec3>,
    volume: f64,
}

impl Isoparametric {
    /// A solid.
    pub fn solid(shape: &'static Shape, places: Vec<Vec3>, elasticity: Mat6, density: f64) -> Self {
        let (incompatible, integration) = (false, Integration::Full);
        Isoparametric { shape, places, elasticity, density, thickness: 1.0, incompatible, integration }
    }

    /// A face in a plane z = constant with the elasticity of plane stress or strain.
    pub fn plane(
        shape: &'static Shape,
        places: Vec<Vec3>,
        elasticity: Mat6,
        density: f64,
        thickness: f64,
    ) -> Self {
        Isoparametric { thickness, ..Isoparametric::solid(shape, places, elasticity, density) }
    }

    /// The same with or without incompatible modes.
    pub fn with_incompatible_modes(self, incompatible: bool) -> Self {
        Isoparametric { incompatible, ..self }
    }

    /// The same with other points of integration.
    pub fn with_integration(self, integration: Integration) -> Self {
        Isoparametric { integration, ..self }
    }

    /// Points of the stiffness.
    fn stiffness_points(&self) -> &'static [Station] {
        match self.integration {
            Integration::Full => &self.shape.stiffness,
            Integration::AsCalculix => &self.shape.calculix,
        }
    }

    /// Points of the mass.
    fn mass_points(&self) -> &'static [Station] {
        match self.integration {
            Integration::Full => &self.shape.mass,
            Integration::AsCalculix => &self.shape.calculix,
        }
    }

    fn is_plane(&self) -> bool {
        self.shape.kind.dimension() == 2
    }

    /// Components of a node: 3, or 2 in a plane.
    fn size(&self) -> usize {
        self.shape.kind.dimension()
    }

    /// ∂X/∂ξ.
    fn jacobian(&self, station: &Station) -> Mat3 {
        let mut j: Mat3 = self.places.iter().zip(&station.slopes).map(|(x, s)| x * s.transpose()).sum();
        if self.is_plane() {
            j.set_row(2, &Vec3::z().transpose());
        }
        j
    }

    fn point(&self, station: &Station) -> Point {
        let j = self.jacobian(station);
        let (inverse, determinant) = (j.try_inverse().unwrap_or_else(Mat3::zeros), j.determinant());
        let mut gradients: Vec<Vec3> = station.slopes.iter().map(|s| inverse.transpose() * s).collect();
        if self.incompatible {
            let centre = self.jacobian(&self.shape.centre);
            let factor = centre.determinant() / determinant;
            let inverse = centre.try_inverse().unwrap_or_else(Mat3::zeros);
            let bubble = |k: usize| inverse.transpose() * Vec3::ith(k, -2.0 * station.at[k]) * factor;
            gradients.extend((0..self.size()).map(bubble));
        }
        Point { gradients, volume: determinant * station.weight * self.thickness }
    }

    /// K of nodes and, behind them, of incompatible modes.
    fn full_stiffness(&self) -> DMatrix<f64> {
        let (c, total) = (self.size(), self.functions() * self.size());
        let mut k = DMatrix::zeros(total, total);
        for station in self.stiffness_points() {
            let point = self.point(station);
            let b: Vec<_> = point.gradients.iter().map(strain_matrix).collect();
            for (j, right) in b.iter().enumerate() {
                let stress = self.elasticity * right * point.volume;
                for (i, left) in b.iter().enumerate().take(j + 1) {
                    let block = left.tr_mul(&stress);
                    let mut place = k.view_mut((i * c, j * c), (c, c));
                    place += block.view((0, 0), (c, c));
                }
            }
        }
        k.fill_lower_triangle_with_upper_triangle();
        k
    }

    /// Number of nodes and incompatible modes.
    fn functions(&self) -> usize {
        self.shape.nodes() + if self.incompatible { self.size() } else { 0 }
    }

    /// α = −K_αα⁻¹ K_αu, and the rest of K.
    fn condensation(&self, k: &DMatrix<f64>) -> DMatrix<f64> {
        let n = self.shape.nodes() * self.size();
        let m = k.nrows() - n;
        let modes = k.view((n, n), (m, m)).into_owned().cholesky().expect("the modes are strained");
        -modes.solve(&k.view((n, 0), (m, n)).into_owned())
    }

    /// Displacements of nodes and incompatible modes.
    fn all_displacements(&self, unknowns: &[f64]) -> Vec<f64> {
        let mut all = unknowns.to_vec();
        if self.incompatible {
            let alpha = self.condensation(&self.full_stiffness()) * DVector::from_column_slice(unknowns);
            all.extend(alpha.iter());
        }
        all
    }

    /// σ = D Σ B_a u_a.
    fn stress(&self, station: &Station, displacements: &[f64]) -> Mat3 {
        let c = self.size();
        let strain: Vec6 = (self.point(station).gradients.iter().zip(displacements.chunks(c)))
            .map(|(gradient, u)| {
                let u = Vec3::new(u[0], u[1], u.get(2).copied().unwrap_or(0.0));
                strain_matrix(gradient) * u
            })
            .sum();
        stress_of_voigt(&(self.elasticity * strain))
    }

    /// Stresses at the nodes.
    pub fn nodal_stresses(&self, unknowns: &[f64]) -> Vec<Mat3> {
        let all = self.all_displacements(unknowns);
        let points: Vec<Vec6> =
            self.shape.stress.iter().map(|station| voigt_of_stress(&self.stress(station, &all))).collect();
        extrapolate(self.shape, &points).iter().map(stress_of_voigt).collect()
    }

    /// m_ab = ∫ρ N_a N_b.
    pub fn nodal_mass(&self) -> DMatrix<f64> {
        let mut m = DMatrix::zeros(self.shape.nodes(), self.shape.nodes());
        for station in self.mass_points() {
            let volume = self.jacobian(station).determinant() * station.weight * self.thickness;
            let n = DVector::from_column_slice(&station.values);
            m.ger(self.density * volume, &n, &n, 1.0);
        }
        m
    }
    /// ∫ ∇N_aᵀ σ ∇N_b.
    pub fn nodal_geometric(&self, state: &StressState) -> DMatrix<f64> {
        let all = match state {
            StressState::Uniform(_) => vec![],
            StressState::Of(unknowns) => self.all_displacements(unknowns),
        };
        let n = self.shape.nodes();
        let mut g = DMatrix::zeros(n, n);
        for station in self.stiffness_points() {
            let stress = match state {
                StressState::Uniform(stress) => *stress,
                StressState::Of(_) => self.stress(station, &all),
            };
            let (gradients, volume) = self.gradients(station);
            for (b, right) in gradients.iter().enumerate() {
                let pull = stress * right * volume;
                for (a, left) in gradients.iter().enumerate() {
                    g[(a, b)] += left.dot(&pull);
                }
            }
        }
        g
    }

    /// ∇N_a of the nodes, and dV.
    pub fn gradients(&self, station: &Station) -> (Vec<Vec3>, f64) {
        let Point { mut gradients, volume } = self.point(station);
        gradients.truncate(self.shape.nodes());
        (gradients, volume)
    }
}

impl Element for Isoparametric {
    fn components(&self) -> &'static [Component] {
        &TRANSLATIONS[..self.shape.kind.dimension()]
    }

    fn check(&self) -> Result<(), GeometryFault> {
        let height = |x: &Vec3| x.z - self.places[0].z;
        let size = self.places.iter().map(|x| (x - self.places[0]).norm()).fold(0.0, f64::max);
        if self.is_plane() && self.places.iter().any(|x| height(x).abs() > 1e-9 * size) {
            return Err(GeometryFault::OutOfPlane);
        }
        let stations = self.shape.stiffness.iter().chain(&self.shape.mass);
        let least =
            stations.map(|station| self.jacobian(station).determinant()).fold(f64::INFINITY, f64::min);
        let nothing = 1e-12 * size.powi(self.size() as i32);
        match least {
            _ if least > nothing => Ok(()),
            _ if least < -nothing => Err(GeometryFault::Inverted(least)),
            _ => Err(GeometryFault::NoVolume),
        }
    }

    fn stiffness(&self) -> DMatrix<f64> {
        let k = self.full_stiffness();
        if !self.incompatible {
            return k;
        }
        let n = self.shape.nodes() * self.size();
        let m = k.nrows() - n;
        let condensed = k.view((0, 0), (n, n)) + k.view((0, n), (n, m)) * self.condensation(&k);
        (&condensed + condensed.transpose()) * 0.5
    }

    fn inertia(&self) -> ElementInertia {
        let mut inertia = ElementInertia::nodal(self.nodal_mass(), &self.places, self.components());
        if self.is_plane() {
            inertia.second_moment[(2, 2)] += inertia.mass * self.thickness.powi(2) / 12.0;
        }
        inertia
    }

    fn geometric(&self, state: &StressState) -> DMatrix<f64> {
        self.nodal_geometric(state).kronecker(&DMatrix::identity(self.size(), self.size()))
    }

    fn stresses(&self, unknowns: &[f64]) -> ElementStress {
        ElementStress::Nodes(self.nodal_stresses(unknowns))
    }
}

/// B of a function with a gradient: ε with engineering shear of a displacement.
pub(super) fn strain_matrix(g: &Vec3) -> Matrix6x3<f64> {
    #[rustfmt::skip]
    let b = Matrix6x3::new(
        g.x, 0.0, 0.0,
        0.0, g.y, 0.0,
        0.0, 0.0, g.z,
        g.y, g.x, 0.0,
        g.z, 0.0, g.x,
        0.0, g.z, g.y,
    );
    b
}

/// From the stress points of a shape to its nodes.
pub(super) fn extrapolate(shape: &Shape, points: &[Vec6]) -> Vec<Vec6> {
    (0..shape.nodes())
        .map(|node| points.iter().enumerate().map(|(k, value)| value * shape.extrapolation[(node, k)]).sum())
        .collect()
}
