//! A beam of absolute nodal coordinates of several elements along a chain of nodes.

use super::error::{SolidError, count, positive};
use super::full_beam::{Constitution, FibreSection, full_beam, full_beam_mass};
use super::section_beam::{section_beam, section_beam_mass};
use crate::beams::{MassDamping, Section};
use crate::joints::Attachment;
use crate::nodes::carried::Carried;
use crate::nodes::chart::{Chart, Frame, Twist};
use crate::system::SystemBuilder;
use poinsot_flexible::Material;
use poinsot_geometry::{Mat3, Vec3, Vec6};

/// What the nodes of a beam carry and its elements integrate.
#[derive(Clone, Copy, Debug)]
pub enum SolidBeam<'a> {
    /// r, d₁, d₂ and strains of sections; elements of two nodes (order 1) or three (order 2).
    Sections {
        /// Degree of the interpolation, 1 or 2.
        order: usize,
        /// The cross-section; mass along the line is left out.
        section: &'a Section,
        /// Stress resultants in the reference.
        initial: Vec6,
        /// Factor of the stiffness of sections against a change of their shape: 1 is that of the material.
        stiffening: f64,
    },
    /// r, r_x along the line, r_y, r_z and Green's strains over the section.
    Full {
        /// The cross-section.
        section: &'a FibreSection,
        /// The material.
        material: &'a Material,
        /// Prestress and viscosity.
        constitution: Constitution,
    },
}

/// Axes of a frame that are slopes of a node, in the order of the vectors: d₁, d₂ of sections, and the line
/// before them where it has a slope.
fn slopes(beam: &SolidBeam) -> &'static [usize] {
    match beam {
        SolidBeam::Sections { .. } => &[0, 1],
        SolidBeam::Full { .. } => &[2, 0, 1],
    }
}

impl SolidBeam<'_> {
    /// Pieces of the line in an element: nodes less one.
    pub fn order(&self) -> usize {
        match self {
            SolidBeam::Sections { order, .. } => *order,
            SolidBeam::Full { .. } => 1,
        }
    }

    /// Adds a node of vectors of its own at a frame, whose third axis goes along the line.
    pub fn node(&self, b: &mut SystemBuilder, name: &str, z: &Frame, velocity: &Twist) -> Vec<Carried> {
        let spin = z.rot * velocity.angular;
        let mut add = |name: String, chart, r: Vec3, linear| {
            let start = Frame { r, rot: Mat3::identity() };
            b.node(&name, chart, start, Twist { linear, angular: Vec3::zeros() })
        };
        let place = add(name.to_string(), Chart::Point, z.r, velocity.linear);
        let mut carried = vec![Carried::point(place, Vec3::zeros())];
        for &k in slopes(self) {
            let axis = z.rot.column(k).into_owned();
            let name = format!("{name}.{}", ["x", "y", "z"][k]);
            carried.push(Carried::slope(add(name, Chart::Slope, axis, spin.cross(&axis))));
        }
        carried
    }

    /// The vectors of a node that is held by a body or by ground: its slopes are axes of the attachment.
    pub fn held(&self, at: &Attachment) -> Vec<Carried> {
        std::iter::once(at.point()).chain(slopes(self).iter().map(|&k| at.axis(k))).collect()
    }

    /// Adds the elements along nodes, in the order of the line, and their mass; `reference` has the frames at
    /// the nodes where the beam is free of stress, third axis along the line; `mass_damping` is proportional
    /// to the mass (1/s). Returns the force indices.
    pub fn add_to(
        &self,
        b: &mut SystemBuilder,
        name: &str,
        nodes: &[Vec<Carried>],
        reference: &[Frame],
        mass_damping: f64,
    ) -> Result<Vec<usize>, SolidError> {
        let (what, order) = ("a chain of beam elements", self.order());
        let wanted = reference.len();
        if nodes.len() != wanted || nodes.len() < order + 1 || !(nodes.len() - 1).is_multiple_of(order) {
            let words = format!("{wanted} frames and whole elements of order {order} in");
            return Err(SolidError::Vectors { what, wanted: words, given: nodes.len() });
        }
        let mut indices = vec![];
        for (e, first) in (0..nodes.len() - 1).step_by(order).enumerate() {
            let range = first..first + order + 1;
            let carried: Vec<Carried> = nodes[range.clone()].iter().flatten().copied().collect();
            let vectors = |z: &Frame| {
                let axes: Vec<Vec3> = slopes(self).iter().map(|&k| z.rot.column(k).into_owned()).collect();
                std::iter::once(z.r).chain(axes)
            };
            let x: Vec<Vec3> = reference[range].iter().flat_map(vectors).collect();
            count(what, carried.len(), &x, &[x.len()])?;
            let (element, inertia) = match self {
                SolidBeam::Sections { section, initial, stiffening, .. } => (
                    section_beam(&carried, &x, section, initial, *stiffening)?,
                    section_beam_mass(&carried, &x, &section.mass)?,
                ),
                SolidBeam::Full { section, material, constitution } => {
                    let length = positive("the length of a beam element", arc_length(&x[0..2], &x[4..6]))?;
                    (
                        full_beam(&carried, &x, length, section, material, constitution)?,
                        full_beam_mass(&carried, &x, length, section, material.density())?,
                    )
                }
            };
            indices.push(b.force(&format!("{name}.element{e}"), Box::new(element)));
            if mass_damping != 0.0 {
                let drag = MassDamping::new(&inertia, mass_damping);
                b.force(&format!("{name}.element{e} drag"), Box::new(drag));
            }
            b.inertia(inertia);
        }
        Ok(indices)
    }
}

/// Length l of a cubic line between two ends (r, unit tangent) that makes the stretch l-independent in the
/// mean: fixed point of l = ∫|r′| with tangents l t.
fn arc_length(from: &[Vec3], to: &[Vec3]) -> f64 {
    let rule = poinsot_geometry::interpolation::Quadrature::gauss_legendre(6);
    let mut l = (to[0] - from[0]).norm();
    for _ in 0..50 {
        let speed = |place: f64| {
            let x = 0.5 * (1.0 + place);
            let bow = 6.0 * (x * x - x);
            let [a, b] = [1.0 - 4.0 * x + 3.0 * x * x, 3.0 * x * x - 2.0 * x];
            ((from[0] - to[0]) * bow + from[1] * (a * l) + to[1] * (b * l)).norm()
        };
        l = rule.points.iter().zip(&rule.weights).map(|(x, w)| 0.5 * w * speed(*x)).sum();
    }
    l
}
