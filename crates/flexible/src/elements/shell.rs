//! Flat shell: a face in plane stress that bends as a thin plate.
//!
//! ```text
//! u = Σ N_a (u_a + θ_a × z n)        field of inertia: translations and the turning of the thickness
//! K = K_membrane + K_bending + γ G t ∫ (θ_n − ½ (v,x − u,y))²,   γ = 10⁻³
//! ```
//! Membrane: triangle with constant strains, or quadrilateral with incompatible modes (`isoparametric`);
//! bending: `plate`. The last part holds the rotation about the normal to that of the membrane (Hughes and
//! Brezzi, 1989): without it nodes between elements of one plane could spin freely.
//! It is small so that it does not stiffen the membrane, and vanishes in rigid motion and constant strain.
//! A quadrilateral whose nodes are not in a plane is flattened, with rigid links to its nodes.

use super::inertia::Particle;
use super::isoparametric::extrapolate;
use super::plate::Plate;
use super::shapes::Shape;
use super::{ALL, Element, ElementInertia, ElementStress, GeometryFault, Isoparametric, StressState, frame};
use crate::Component;
use crate::continuum::{stress_of_voigt, voigt_of_stress};
use crate::material::{plane_stress, turned};
use crate::mesh::ElementKind;
use nalgebra::{DMatrix, DVector, Matrix3xX, RowDVector};
use poinsot_geometry::{Mat3, Mat6, Vec3, Vec6};

/// γ.
const DRILLING: f64 = 1e-3;

/// Rows of the stresses xx, yy, xy among the six.
const IN_PLANE: [usize; 3] = [0, 1, 3];

/// A shell in its place.
pub(crate) struct Shell {
    shape: &'static Shape,
    /// Origin of the element's axes.
    origin: Vec3,
    /// Columns: two in the plane, the normal.
    axes: Mat3,
    /// Corners in the element's axes and plane.
    flat: Vec<Vec3>,
    /// From the nodes to the corners, body axes.
    links: Vec<Vec3>,
    /// D of plane stress, element axes.
    elasticity: Mat6,
    density: f64,
    thickness: f64,
    membrane: Isoparametric,
    plate: Plate,
}

impl Shell {
    /// A shell with three or four nodes; elasticity in body axes.
    pub fn new(places: &[Vec3], elasticity: &Mat6, density: f64, thickness: f64) -> Self {
        let origin = places.iter().sum::<Vec3>() / places.len() as f64;
        let axes = axes(places);
        let own: Vec<Vec3> = places.iter().map(|x| axes.transpose() * (x - origin)).collect();
        let flat: Vec<Vec3> = own.iter().map(|x| Vec3::new(x.x, x.y, 0.0)).collect();
        let links = own.iter().map(|x| axes.column(2) * -x.z).collect();
        let kind = if places.len() == 3 { ElementKind::Tri3 } else { ElementKind::Quad4 };
        let shape = Shape::of(kind).expect("a face");
        let elasticity = plane_stress(&turned(elasticity, &axes.transpose()));
        let membrane = Isoparametric::plane(shape, flat.clone(), elasticity, density, thickness)
            .with_incompatible_modes(kind == ElementKind::Quad4);
        let plate = Plate::new(flat.clone());
        Shell { shape, origin, axes, flat, links, elasticity, density, thickness, membrane, plate }
    }

    fn nodes(&self) -> usize {
        self.flat.len()
    }

    fn to_local(&self) -> DMatrix<f64> {
        frame::to_local(&self.axes, &self.links)
    }

    /// D of the components xx, yy, xy.
    fn in_plane(&self) -> Mat3 {
        Mat3::from_fn(|i, j| self.elasticity[(IN_PLANE[i], IN_PLANE[j])])
    }

    /// Adds a matrix of the components `which` of each node to one of all six.
    fn add(&self, to: &mut DMatrix<f64>, part: &DMatrix<f64>, which: &[usize]) {
        let place = |k: usize| 6 * (k / which.len()) + which[k % which.len()];
        for i in 0..part.nrows() {
            for j in 0..part.ncols() {
                to[(place(i), place(j))] += part[(i, j)];
            }
        }
    }

    /// γ G t ∫ (θ_n − ½ (v,x − u,y))².
    fn drilling(&self) -> DMatrix<f64> {
        let mut k = DMatrix::zeros(6 * self.nodes(), 6 * self.nodes());
        for station in self.plate.stations() {
            let (gradients, area) = self.membrane.gradients(station);
            let mut row = RowDVector::zeros(6 * self.nodes());
            for (a, g) in gradients.iter().enumerate() {
                row[6 * a] = 0.5 * g.y;
                row[6 * a + 1] = -0.5 * g.x;
                row[6 * a + 5] = station.values[a];
            }
            k += row.tr_mul(&row) * (DRILLING * self.elasticity[(3, 3)] * area);
        }
        k
    }

    /// Components of the local unknowns, node by node.
    fn part(&self, local: &DVector<f64>, which: &[usize]) -> Vec<f64> {
        (0..self.nodes()).flat_map(|a| which.iter().map(move |k| local[6 * a + k])).collect()
    }

    fn particles(&self) -> impl Iterator<Item = Particle> + '_ {
        let to_local = self.to_local();
        // Two layers with the second moment t²/12 of the thickness.
        let height = self.thickness / 12.0f64.sqrt();
        self.shape.mass.iter().flat_map(move |station| {
            let (_, volume) = self.membrane.gradients(station);
            let to_local = to_local.clone();
            [-height, height].into_iter().map(move |z| {
                let field = self.axes * self.field(&station.values, z) * &to_local;
                let columns: Vec<Vec3> = field.column_iter().map(|c| Vec3::new(c[0], c[1], c[2])).collect();
                let flat: Vec3 = self.flat.iter().zip(&station.values).map(|(x, n)| x * *n).sum();
                Particle {
                    mass: 0.5 * self.density * volume,
                    place: self.origin + self.axes * (flat + Vec3::z() * z),
                    field: Matrix3xX::from_columns(&columns),
                }
            })
        })
    }

    /// S at the height z of the local unknowns.
    fn field(&self, values: &[f64], z: f64) -> DMatrix<f64> {
        let mut s = DMatrix::zeros(3, 6 * self.nodes());
        for (a, n) in values.iter().enumerate() {
            (0..3).for_each(|k| s[(k, 6 * a + k)] = *n);
            s[(1, 6 * a + 3)] = -n * z;
            s[(0, 6 * a + 4)] = n * z;
        }
        s
    }

    /// Stresses of bending at the nodes at half the thickness above the middle: D κ t/2.
    fn bending_stresses(&self, unknowns: &[f64]) -> Vec<Mat3> {
        let unknowns = DVector::from_column_slice(unknowns);
        let of = |kappa: Matrix3xX<f64>| {
            let stress = self.in_plane() * (kappa * &unknowns) * (0.5 * self.thickness);
            Vec6::new(stress[0], stress[1], 0.0, stress[2], 0.0, 0.0)
        };
        let points: Vec<Vec6> =
            self.plate.stations().iter().map(|station| of(self.plate.curvature(station).0)).collect();
        extrapolate(self.shape, &points).iter().map(stress_of_voigt).collect()
    }
}

impl Element for Shell {
    fn components(&self) -> &'static [Component] {
        &ALL
    }

    fn check(&self) -> Result<(), GeometryFault> {
        if !self.axes.iter().all(|x| x.is_finite()) {
            return Err(GeometryFault::NoVolume);
        }
        self.membrane.check()
    }

    fn stiffness(&self) -> DMatrix<f64> {
        let bending = self.in_plane() * (self.thickness.powi(3) / 12.0);
        let mut k = self.drilling();
        self.add(&mut k, &self.membrane.stiffness(), &[0, 1]);
        self.add(&mut k, &self.plate.stiffness(&bending), &[2, 3, 4]);
        let to_local = self.to_local();
        to_local.tr_mul(&(k * &to_local))
    }

    fn inertia(&self) -> ElementInertia {
        ElementInertia::of_particles(6 * self.nodes(), self.particles())
    }

    fn geometric(&self, state: &StressState) -> DMatrix<f64> {
        let to_local = self.to_local();
        let g = match state {
            StressState::Uniform(stress) => {
                let own = self.axes.transpose() * stress * self.axes;
                self.membrane.nodal_geometric(&StressState::Uniform(own))
            }
            StressState::Of(unknowns) => {
                let local = &to_local * DVector::from_column_slice(unknowns);
                self.membrane.nodal_geometric(&StressState::Of(&self.part(&local, &[0, 1])))
            }
        };
        let mut k = DMatrix::zeros(6 * self.nodes(), 6 * self.nodes());
        for component in 0..5 {
            let factor = if component < 3 { 1.0 } else { self.thickness.powi(2) / 12.0 };
            self.add(&mut k, &(&g * factor), &[component]);
        }
        to_local.tr_mul(&(k * &to_local))
    }

    fn stresses(&self, unknowns: &[f64]) -> ElementStress {
        let local = self.to_local() * DVector::from_column_slice(unknowns);
        let membrane = self.membrane.nodal_stresses(&self.part(&local, &[0, 1]));
        let bending = self.bending_stresses(&self.part(&local, &[2, 3, 4]));
        let at = |sign: f64| {
            let sum = |(m, b): (&Mat3, &Mat3)| {
                let own = stress_of_voigt(&voigt_of_stress(&(m + b * sign)));
                self.axes * own * self.axes.transpose()
            };
            membrane.iter().zip(&bending).map(sum).collect()
        };
        ElementStress::Faces { above: at(1.0), below: at(-1.0) }
    }
}

/// Axes of a face: the normal of its nodes, and in its plane the direction of the first side.
fn axes(places: &[Vec3]) -> Mat3 {
    let (first, second) = match places {
        [a, b, c] => (b - a, c - a),
        _ => (places[2] - places[0], places[3] - places[1]),
    };
    let normal = first.cross(&second).normalize();
    let side = match places {
        [a, b, _] => b - a,
        _ => places[1] + places[2] - places[0] - places[3],
    };
    let x = (side - normal * normal.dot(&side)).normalize();
    Mat3::from_columns(&[x, normal.cross(&x), normal])
}
