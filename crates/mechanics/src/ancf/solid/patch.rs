//! A plate or shell of many elements over a rectangle of parameters.

use super::area_load::AreaLoad;
use super::element::SolidElement;
use super::error::{SolidError, positive};
use super::full_beam::Constitution;
use super::plate_shapes::cubic;
use super::point::Gradient;
use super::thick_plate::{PlateSection, cubic_entries, thick_plate, thick_plate_mass};
use super::thin_plate::{thin_plate, thin_plate_mass};
use crate::mass::Inertia;
use crate::nodes::carried::Carried;
use crate::nodes::chart::{Chart, Frame, Twist};
use crate::system::SystemBuilder;
use poinsot_expr::Function;
use poinsot_flexible::Material;
use poinsot_geometry::interpolation::Quadrature;
use poinsot_geometry::{Mat3, Vec3};

/// Which elements a plate is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PlateTheory {
    /// 36 coordinates: fibres stay normal.
    Thin,
    /// 48 coordinates with this shear factor.
    Thick(f64),
}

impl PlateTheory {
    /// Nodal vectors: r, r_x, r_y and, of thick plates, r_z.
    pub fn vectors(self) -> usize {
        match self {
            PlateTheory::Thin => 3,
            PlateTheory::Thick(_) => 4,
        }
    }
}

/// A plate over u from 0 to `sides[0]` and v from 0 to `sides[1]`.
#[derive(Clone, Copy, Debug)]
pub struct PlatePatch<'a> {
    /// Its name; elements are called `name.element0_0` and so on.
    pub name: &'a str,
    /// Elements along u and v.
    pub elements: [usize; 2],
    /// Ranges of the parameters: lengths, if tangents of the surface are unit vectors (m).
    pub sides: [f64; 2],
    /// Thickness (m).
    pub thickness: f64,
    /// The material.
    pub material: &'a Material,
    /// Prestress and viscosity.
    pub constitution: Constitution,
    /// The elements.
    pub theory: PlateTheory,
}

/// A node of a plate: its vectors, and what they are in the reference.
#[derive(Clone, Debug, PartialEq)]
pub struct PlateNode {
    /// r, r_x, r_y and, of thick plates, r_z.
    pub carried: Vec<Carried>,
    /// Their values.
    pub reference: Vec<Vec3>,
}

/// Tangents that are not, or parallel ones.
const FLAT: SolidError = SolidError::NoVolume { what: "a plate" };

impl PlatePatch<'_> {
    /// The reference vectors of the nodes, u running faster; `surface` gives r, r_u and r_v.
    pub fn reference(&self, surface: impl Fn(f64, f64) -> [Vec3; 3]) -> Result<Vec<Vec<Vec3>>, SolidError> {
        let [nu, nv] = self.elements;
        self.sides.iter().try_for_each(|side| positive("the side of a plate", *side).map(drop))?;
        let node = |k: usize| {
            let (i, j) = (k % (nu + 1), k / (nu + 1));
            let (u, v) = (self.sides[0] * i as f64 / nu as f64, self.sides[1] * j as f64 / nv as f64);
            let [r, by_u, by_v] = surface(u, v);
            let normal = by_u.cross(&by_v).try_normalize(1e-300).ok_or(FLAT)?;
            Ok([r, by_u, by_v, normal][..self.theory.vectors()].to_vec())
        };
        (0..(nu + 1) * (nv + 1)).map(node).collect()
    }

    /// Adds nodes for all vectors but those that `held` gives to others: node (i, j), vector k, its value.
    /// They start with the motion of a rigid body, of which `motion` gives the velocity at the origin and the
    /// spin (world axes).
    pub fn add_nodes(
        &self,
        b: &mut SystemBuilder,
        reference: &[Vec<Vec3>],
        motion: &Twist,
        held: impl Fn([usize; 2], usize, &Vec3) -> Option<Carried>,
    ) -> Vec<PlateNode> {
        let across = self.elements[0] + 1;
        let mut nodes = vec![];
        for (n, vectors) in reference.iter().enumerate() {
            let at = [n % across, n / across];
            let mut carried = vec![];
            for (k, x) in vectors.iter().enumerate() {
                carried.push(held(at, k, x).unwrap_or_else(|| {
                    let name = format!("{}.node{}_{}{}", self.name, at[0], at[1], ["", ".x", ".y", ".z"][k]);
                    let chart = if k == 0 { Chart::Point } else { Chart::Slope };
                    let shift = if k == 0 { motion.linear } else { Vec3::zeros() };
                    let linear = shift + motion.angular.cross(x);
                    let start = Frame { r: *x, rot: Mat3::identity() };
                    let node = b.node(&name, chart, start, Twist { linear, angular: Vec3::zeros() });
                    if k == 0 { Carried::point(node, Vec3::zeros()) } else { Carried::slope(node) }
                }));
            }
            nodes.push(PlateNode { carried, reference: vectors.clone() });
        }
        nodes
    }

    /// Adds the elements and their mass; returns their force indices, u running faster.
    pub fn add_to(&self, b: &mut SystemBuilder, nodes: &[PlateNode]) -> Result<Vec<usize>, SolidError> {
        let mut indices = vec![];
        for (e, (carried, reference)) in self.corners(nodes).into_iter().enumerate() {
            let (element, inertia) = self.element(&carried, &reference)?;
            let [i, j] = [e % self.elements[0], e / self.elements[0]];
            indices.push(b.force(&format!("{}.element{i}_{j}", self.name), Box::new(element)));
            b.inertia(inertia);
        }
        Ok(indices)
    }

    /// Adds a dead load per area of the reference, functions of t in world axes (N/m²).
    pub fn add_load(&self, b: &mut SystemBuilder, nodes: &[PlateNode], law: &[Function; 3]) {
        for (carried, reference) in self.corners(nodes) {
            let shares = self.shares(&reference);
            let load = AreaLoad::new(carried, shares, law.clone());
            b.force(&format!("{} load", self.name), Box::new(load));
        }
    }

    /// Vectors and reference of the elements, u running faster.
    fn corners(&self, nodes: &[PlateNode]) -> Vec<(Vec<Carried>, Vec<Vec3>)> {
        let [nu, nv] = self.elements;
        let element = |e: usize| {
            let (i, j) = (e % nu, e / nu);
            let corners =
                [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)].map(|(i, j)| &nodes[j * (nu + 1) + i]);
            let carried = corners.iter().flat_map(|node| node.carried.iter().copied()).collect();
            (carried, corners.iter().flat_map(|node| node.reference.iter().copied()).collect())
        };
        (0..nu * nv).map(element).collect()
    }

    fn size(&self) -> [f64; 2] {
        [0, 1].map(|k| self.sides[k] / self.elements[k] as f64)
    }

    /// ∫S_a dA over the reference of an element.
    fn shares(&self, reference: &[Vec3]) -> Vec<f64> {
        let (size, vectors) = (self.size(), self.theory.vectors());
        let rule = Quadrature::gauss_legendre(5);
        let mut shares = vec![0.0; reference.len()];
        for k in 0..rule.points.len() * rule.points.len() {
            let (i, j) = (k / rule.points.len(), k % rule.points.len());
            let s = cubic(rule.points[i], rule.points[j], size);
            let [a0, b0] = [s.x, s.y].map(|t| Gradient(cubic_entries(&t, vectors)).of(reference));
            let area = 0.25 * size[0] * size[1] * rule.weights[i] * rule.weights[j] * a0.cross(&b0).norm();
            cubic_entries(&s.value, vectors).into_iter().for_each(|(a, share)| shares[a] += share * area);
        }
        shares
    }

    /// An element of the patch and its mass.
    pub fn element(
        &self,
        carried: &[Carried],
        reference: &[Vec3],
    ) -> Result<(SolidElement, Inertia), SolidError> {
        let size = self.size();
        let (h, density) = (self.thickness, self.material.density());
        match self.theory {
            PlateTheory::Thin => Ok((
                thin_plate(carried, reference, size, h, self.material, &self.constitution)?,
                thin_plate_mass(carried, reference, size, h, density)?,
            )),
            PlateTheory::Thick(shear) => {
                let section = PlateSection { thickness: h, shear };
                Ok((
                    thick_plate(carried, reference, size, &section, self.material, &self.constitution)?,
                    thick_plate_mass(carried, reference, size, h, density)?,
                ))
            }
        }
    }
}
