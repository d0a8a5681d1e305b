//! Beams: line, nodes, section, loads.

use super::names::Thing;
use super::{Resolver, transpose};
use crate::diagnostic::Diagnostic;
use crate::file::{BeamMass, BeamTable, FileTable, Frame, GivenSectionTable, Plane, SectionTable, Triple};
use crate::spec::{BeamNodeSpec, BeamSpec, BodyKind, BodySpec};
use crate::value::{Located, Number};
use poinsot_geometry::{Pose, Vec3};
use poinsot_mechanics::Frame as NodeFrame;
use poinsot_mechanics::beams::{
    LoadAxes, MassModel, Material, Section, SectionMass, SectionShape, frames_along, node_shares,
};

/// Arguments of loads per length.
const LOAD_ARGUMENTS: &[&str] = &["t", "s"];
/// Argument of curves.
const CURVE_ARGUMENTS: &[&str] = &["u"];
/// Most elements of a beam.
const MOST_ELEMENTS: f64 = 1e5;

/// Elements of a beam and their order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BeamSize {
    pub elements: usize,
    pub order: usize,
}

impl BeamSize {
    fn nodes(self) -> usize {
        self.elements * self.order + 1
    }
}

impl Resolver<'_> {
    /// Enters the names of beams and of their nodes, which follow the bodies of the file.
    pub fn gather_beam_names(&mut self, file: &FileTable) {
        let mut next = file.body.len();
        for (index, beam) in file.beam.iter().enumerate() {
            self.enter(&beam.name, Thing::Beam(index));
            let name = &beam.name.value;
            let elements =
                self.whole(&beam.elements, &format!("the number of elements of `{name}`"), MOST_ELEMENTS);
            let order = self.whole(&beam.order, &format!("the order of `{name}`"), 3.0);
            let size = elements.zip(order).map(|(elements, order)| BeamSize { elements, order });
            self.beam_sizes.push(size);
            for k in 0..size.map_or(0, BeamSize::nodes) {
                let node = format!("{name}.node{k}");
                self.names.things.insert(node, (Thing::Body(next + k), beam.name.span.clone()));
            }
            next += size.map_or(0, BeamSize::nodes);
            if size.is_none() {
                self.names.lost.push(name.clone());
            }
        }
    }

    /// A whole number from 1 on.
    fn whole(&mut self, number: &Number, subject: &str, most: f64) -> Option<usize> {
        let value = self.number(number)?;
        let holds = value.fract() == 0.0 && (1.0..=most).contains(&value);
        self.demand(value, holds, number.span(), subject, &format!("a whole number from 1 to {most}"))?;
        Some(value as usize)
    }

    /// A beam; its nodes are added to the bodies.
    pub fn beam(&mut self, index: usize, table: &BeamTable) -> Option<BeamSpec> {
        let size = self.beam_sizes[index]?;
        let first = self.bodies.len();
        let frames = self.beam_frames(table, size);
        let spin = self.vector(&table.angular_velocity);
        let spin = spin.and_then(|spin| self.planar_spin(spin, &table.angular_velocity.span));
        let motion = self.planar_velocity(&table.velocity).zip(spin);
        for k in 0..size.nodes() {
            let node = frames.as_ref().zip(motion).map(|(frames, (velocity, angular_velocity))| {
                let z = &frames[k];
                let carried = angular_velocity.cross(&(z.r - frames[0].r));
                BeamNodeSpec { pose: Pose::new(z.r, z.rot), velocity: velocity + carried, angular_velocity }
            });
            let name = format!("{}.node{k}", table.name.value);
            let spec =
                |node| BodySpec { name, span: table.name.span.clone(), kind: BodyKind::BeamNode(node) };
            self.bodies.push(node.map(spec));
        }
        let section = self.section(&table.section, &table.name.value);
        let viscosity = table.viscosity.as_ref().map(|six| self.six(six));
        let [proportional, mass_damping] = [&table.stiffness_damping, &table.mass_damping]
            .map(|number| self.damping(number, &format!("the damping of `{}`", table.name.value)));
        let [load, moment] = [&table.load, &table.moment].map(|laws| {
            laws.as_ref().map(|laws| {
                let [x, y, z] = laws.value.each_ref().map(|n| self.function(n, LOAD_ARGUMENTS));
                Some([x?, y?, z?])
            })
        });
        let load_axes = match table.load_frame.value {
            Frame::World => LoadAxes::World,
            Frame::Body => LoadAxes::Section,
        };
        let mut section = section?.with_stiffness_damping(proportional?);
        if let Some(viscosity) = viscosity {
            section = section.with_viscosity(viscosity?);
        }
        frames?;
        Some(BeamSpec {
            name: table.name.value.clone(),
            span: table.name.span.clone(),
            nodes: first..first + size.nodes(),
            order: size.order,
            section,
            mass: match table.mass.value {
                BeamMass::Consistent => MassModel::Consistent,
                BeamMass::Lumped => MassModel::Lumped,
            },
            mass_damping: mass_damping?,
            load: transpose(load)?,
            moment: transpose(moment)?,
            load_axes,
        })
    }

    /// Places and axes of the nodes.
    fn beam_frames(&mut self, table: &BeamTable, size: BeamSize) -> Option<Vec<NodeFrame>> {
        let axis1 = table.axis1.as_ref().map(|axis| self.direction(axis, "`axis1`"));
        let shares = node_shares(size.elements, size.order);
        let (given, frames) = match (&table.from, &table.to, &table.curve, &table.range) {
            (Some(from), Some(to), None, None) => {
                let (a, b) = (self.vector(from), self.vector(to));
                let (a, b) = (a?, b?);
                let first = match axis1 {
                    Some(axis) => axis?,
                    None => default_axis(self.plane, &(b - a)),
                };
                (to, frames_along(|u| a + (b - a) * u, |_| b - a, [0.0, 1.0], &shares, &first))
            }
            (None, None, Some(curve), Some(range)) => {
                let functions = self.smooth_components(curve, CURVE_ARGUMENTS);
                let range = self.numbers(&range.value);
                let (f, range) = (functions?, range?);
                let point = |u: f64| Vec3::from_fn(|i, _| f[i].value(&[u]));
                let slope = |u: f64| Vec3::from_fn(|i, _| f[i].partial(0, &[u]));
                let first = match axis1 {
                    Some(axis) => axis?,
                    None => default_axis(self.plane, &(slope(range[0]) * (range[1] - range[0]))),
                };
                (curve, frames_along(point, slope, range, &shares, &first))
            }
            _ => {
                self.diagnostics.push(
                    Diagnostic::error(format!("the beam `{}` has no line", table.name.value))
                        .at(table.span.clone(), "needs `from` and `to`, or `curve` and `range`")
                        .help("a straight beam has `from` and `to`, any other `curve` and `range`, none has both"),
                );
                return None;
            }
        };
        let good = frames
            .filter(|frames| frames.iter().all(|z| z.r.iter().chain(z.rot.iter()).all(|x| x.is_finite())));
        if good.is_none() {
            self.no_line(table, given);
        }
        self.in_plane(table, given, good?)
    }

    fn no_line(&mut self, table: &BeamTable, given: &Triple) {
        let message =
            format!("the beam `{}` has no length somewhere, or `axis1` is along it", table.name.value);
        self.diagnostics.push(Diagnostic::error(message).at(given.span.clone(), "the line"));
    }

    /// The frames, if they lie in the plane of a planar model.
    fn in_plane(
        &mut self,
        table: &BeamTable,
        given: &Triple,
        frames: Vec<NodeFrame>,
    ) -> Option<Vec<NodeFrame>> {
        let Some(plane) = self.plane else { return Some(frames) };
        let normal = plane.normal();
        let tilted = |z: &NodeFrame| normal.dot(&z.rot.column(2)).abs() > 1e-9;
        if frames.iter().any(tilted) {
            let message = format!(
                "the model is planar ({}), but the beam `{}` leaves the plane",
                plane.word(),
                table.name.value
            );
            self.diagnostics.push(Diagnostic::error(message).at(given.span.clone(), "out of plane"));
            return None;
        }
        Some(frames)
    }

    fn section(&mut self, table: &SectionTable, name: &str) -> Option<Section> {
        let (shape, young, poisson, density, factors, span) = match table {
            SectionTable::Given(given) => return self.given_section(given, name),
            SectionTable::Rectangle(t) => {
                let (width, height) = (self.number(&t.width)?, self.number(&t.height)?);
                (
                    SectionShape::Rectangle { width, height },
                    &t.young,
                    &t.poisson,
                    &t.density,
                    &t.shear_factors,
                    &t.span,
                )
            }
            SectionTable::Circle(t) => {
                let diameter = self.number(&t.diameter)?;
                (
                    SectionShape::Circle { diameter },
                    &t.young,
                    &t.poisson,
                    &t.density,
                    &t.shear_factors,
                    &t.span,
                )
            }
            SectionTable::Tube(t) => {
                let (diameter, thickness) = (self.number(&t.diameter)?, self.number(&t.thickness)?);
                (
                    SectionShape::Tube { diameter, thickness },
                    &t.young,
                    &t.poisson,
                    &t.density,
                    &t.shear_factors,
                    &t.span,
                )
            }
            SectionTable::I(t) => {
                let [width, height, web, flange] =
                    [&t.width, &t.height, &t.web, &t.flange].map(|number| self.number(number));
                let shape = SectionShape::I { width: width?, height: height?, web: web?, flange: flange? };
                (shape, &t.young, &t.poisson, &t.density, &t.shear_factors, &t.span)
            }
            SectionTable::ThinWalled(t) => {
                let corners: Vec<_> = t.corners.value.0.iter().map(|corner| self.numbers(corner)).collect();
                let corners: Vec<[f64; 2]> = corners.into_iter().collect::<Option<_>>()?;
                let thickness = self.number(&t.thickness)?;
                let walls = corners.len().saturating_sub(usize::from(!t.closed));
                let shape =
                    SectionShape::ThinWalled { corners, thickness: vec![thickness; walls], closed: t.closed };
                (shape, &t.young, &t.poisson, &t.density, &t.shear_factors, &t.span)
            }
        };
        let young = self.positive(young, &format!("Young's modulus of `{name}`"));
        let density = self.positive(density, &format!("the density of `{name}`"));
        let poisson_value = self.number(poisson)?;
        let in_range = (-1.0..=0.5).contains(&poisson_value) && poisson_value > -1.0;
        let subject = format!("Poisson's ratio of `{name}`");
        let poisson = self.demand(poisson_value, in_range, poisson.span(), &subject, "between -1 and 0.5");
        let factors = factors.as_ref().map(|f: &Located<[Number; 2]>| {
            let [a, b] = f.value.each_ref().map(|n| self.positive(n, &format!("a shear factor of `{name}`")));
            Some([a?, b?])
        });
        let material = Material { young: young?, poisson: poisson?, density: density? };
        match shape.properties(material.poisson) {
            Ok(mut area) => {
                if let Some(factors) = factors {
                    area = area.with_shear_factors(factors?);
                }
                Some(Section::homogeneous(&area, &material))
            }
            Err(error) => {
                let message = format!("the section of `{name}`: {error}");
                self.diagnostics.push(Diagnostic::error(message).at(span.clone(), "this section"));
                None
            }
        }
    }

    fn given_section(&mut self, table: &GivenSectionTable, name: &str) -> Option<Section> {
        let stiffness = self.six(&table.stiffness);
        let mass = self.positive(&table.mass, &format!("the mass per length of `{name}`"));
        let [m11, m22] =
            table.inertia.value.each_ref().map(|n| self.not_negative(n, &format!("the inertia of `{name}`")));
        let (m12, centre) = (self.number(&table.inertia_product), self.numbers(&table.centre.value));
        let mass = mass?;
        let first = centre?.map(|c| c * mass);
        Some(Section::given(stiffness?, SectionMass { mass, first, second: [m11?, m22?, m12?] }))
    }
}

/// A direction for axis 1 where none is given: in the plane, else nearest to z, or to x for a beam along z.
fn default_axis(plane: Option<Plane>, tangent: &Vec3) -> Vec3 {
    match plane.map(|plane| plane.normal().cross(tangent)) {
        Some(axis) if axis.norm() > 1e-6 * tangent.norm() => axis,
        _ if tangent.cross(&Vec3::z()).norm() > 1e-6 * tangent.norm() => Vec3::z(),
        _ => Vec3::x(),
    }
}
