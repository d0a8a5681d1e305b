//! Beams: line, nodes, section, loads.

use super::names::Thing;
use super::state_law::is_of_section;
use super::{Resolver, transpose};
use crate::diagnostic::Diagnostic;
use crate::file::{
    BeamFormulation, BeamMass, BeamTable, ElementsTable, FileTable, Frame, SectionTable, Triple,
};
use crate::spec::{BeamNodeSpec, BeamSpec, BeamTheory, BodySpec};
use crate::value::{Located, Number};
use poinsot_expr::Expr;
use poinsot_geometry::Pose;
use poinsot_mechanics::beams::{LoadAxes, MassModel, Material, Section, SectionShape};

/// Arguments of loads per length.
const LOAD_ARGUMENTS: &[&str] = &["t", "s"];
/// Most elements of a beam.
const MOST_ELEMENTS: f64 = 1e5;

/// Elements of a beam and their order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BeamSize {
    pub elements: usize,
    pub order: usize,
}

impl BeamSize {
    pub fn nodes(self) -> usize {
        self.elements * self.order + 1
    }
}

impl Resolver<'_> {
    /// Enters the names of beams and of their nodes, which follow the bodies of the file, and then those of
    /// flexible bodies.
    pub fn gather_beam_names(&mut self, file: &FileTable) {
        let mut next = file.body.len();
        for (index, beam) in file.beam.iter().enumerate() {
            self.enter(&beam.name, Thing::Beam(index));
            let name = &beam.name.value;
            let size = self.size_of_beam(beam);
            self.beam_sizes.push(size);
            for k in 0..size.map_or(0, BeamSize::nodes) {
                let node = format!("{name}.node{k}");
                self.names.things.insert(node, (Thing::Body(next + k), beam.name.span.clone()));
            }
            if let Some(size) = size {
                self.name_beam_ends(beam, next, next + size.nodes() - 1);
            }
            next += size.map_or(0, BeamSize::nodes);
            if size.is_none() {
                self.names.lost.push(name.clone());
            }
        }
        self.gather_flexible_names(file, next);
    }

    /// Elements and order of a beam.
    pub(super) fn size_of_beam(&mut self, beam: &BeamTable) -> Option<BeamSize> {
        let subject = format!("the number of elements of `{}`", beam.name.value);
        let elements = match &beam.elements {
            ElementsTable::Total(number) => self.whole(number, &subject, MOST_ELEMENTS),
            ElementsTable::Pieces(list) => {
                let counts = list.value.0.iter().map(|number| self.whole(number, &subject, MOST_ELEMENTS));
                counts.collect::<Vec<_>>().into_iter().sum()
            }
        };
        let order = self.beam_order(beam);
        elements.zip(order).map(|(elements, order)| BeamSize { elements, order })
    }

    /// A whole number from 1 on.
    pub(super) fn whole(&mut self, number: &Number, subject: &str, most: f64) -> Option<usize> {
        let value = self.number(number)?;
        let holds = value.fract() == 0.0 && (1.0..=most).contains(&value);
        self.demand(value, holds, number.span(), subject, &format!("a whole number from 1 to {most}"))?;
        Some(value as usize)
    }

    /// A beam; its nodes are added to the bodies.
    pub fn beam(&mut self, index: usize, table: &BeamTable, file: &FileTable) -> Option<BeamSpec> {
        let Some(size) = self.beam_sizes[index] else {
            self.courses.push(None);
            self.beam_sections.push(None);
            return None;
        };
        self.beam_of_size(size, table, file)
    }

    /// The beam, with its nodes behind the bodies, its line and its section behind those of other beams.
    pub(super) fn beam_of_size(
        &mut self,
        size: BeamSize,
        table: &BeamTable,
        file: &FileTable,
    ) -> Option<BeamSpec> {
        let first = self.bodies.len();
        let course = self.course(table, size);
        let spin = self.vector(&table.angular_velocity);
        let spin = spin.and_then(|spin| self.planar_spin(spin, &table.angular_velocity.span));
        let motion = self.planar_velocity(&table.velocity).zip(spin);
        for k in 0..size.nodes() {
            let node = course.as_ref().zip(motion).map(|(course, (velocity, angular_velocity))| {
                let z = &course.frames[k];
                let carried = angular_velocity.cross(&(z.r - course.frames[0].r));
                BeamNodeSpec { pose: Pose::new(z.r, z.rot), velocity: velocity + carried, angular_velocity }
            });
            let name = format!("{}.node{k}", table.name.value);
            let turn = course.as_ref().and_then(|course| {
                course.corners.iter().find(|corner| corner.node == k).map(|corner| corner.turn)
            });
            let kind = |node| self.node_kind(table, node, turn);
            let spec = |node| BodySpec { name, span: table.name.span.clone(), kind: kind(node) };
            let spec = node.map(spec);
            self.bodies.push(spec);
        }
        let is_ancf = table.formulation.value == BeamFormulation::Ancf;
        let formulation = if is_ancf { None } else { self.formulation(table) };
        let laws = if is_ancf { self.slope_loads(table, file) } else { Some(()) };
        let section = self.section(&table.section, &table.name.value);
        let viscosity = table.viscosity.as_ref().map(|six| self.six(six));
        let [proportional, mass_damping] = [&table.stiffness_damping, &table.mass_damping]
            .map(|number| self.damping(number, &format!("the damping of `{}`", table.name.value)));
        let [load, moment] = [&table.load, &table.moment].map(|laws| {
            let of_time = laws.as_ref().filter(|laws| !self.is_line_law(laws, file));
            of_time.map(|laws| {
                let [x, y, z] = laws.value.each_ref().map(|n| self.function(n, LOAD_ARGUMENTS));
                Some([x?, y?, z?])
            })
        });
        let load_axes = match table.load_frame.value {
            Frame::World => LoadAxes::World,
            Frame::Body => LoadAxes::Section,
        };
        let offset = self.numbers(&table.offset.value);
        let shape = self.beam_shape(table, course.as_ref());
        let corners = course.as_ref().map(|course| course.corners.clone());
        let section = section.zip(proportional).map(|(section, time)| section.with_stiffness_damping(time));
        let section = section.zip(transpose(viscosity)).map(|(section, viscosity)| match viscosity {
            Some(viscosity) => section.with_viscosity(viscosity),
            None => section,
        });
        let section = section.zip(offset).map(|(section, offset)| section.offset(offset));
        let theory = match is_ancf {
            true if table.has_section_slopes() => {
                let stiffening = self.section_slopes(table, section.as_ref());
                let tension = self.tension(table);
                stiffening
                    .zip(tension)
                    .zip(laws)
                    .map(|((stiffening, tension), ())| BeamTheory::SectionSlopes { stiffening, tension })
            }
            true => self
                .cable(table, course.as_ref(), section.as_ref())
                .zip(laws)
                .map(|(c, ())| BeamTheory::Slopes(c)),
            false => formulation.map(BeamTheory::Sections),
        };
        self.courses.push(course);
        self.beam_sections
            .push(formulation.map_or_else(|| is_ancf.then_some(None), |f| Some(Some(f))).zip(section));
        Some(BeamSpec {
            name: table.name.value.clone(),
            span: table.name.span.clone(),
            nodes: first..first + size.nodes(),
            corners: corners?,
            order: size.order,
            theory: theory?,
            section: section?,
            mass: match table.mass.value {
                BeamMass::Consistent => MassModel::Consistent,
                BeamMass::Lumped => MassModel::Lumped,
            },
            mass_damping: mass_damping?,
            load: transpose(load)?,
            load_law: None,
            moment: transpose(moment)?,
            moment_law: None,
            load_axes,
            shape: shape?,
        })
    }

    /// Whether a load or moment per length reads the state.
    pub(super) fn is_line_law(&self, load: &Triple, file: &FileTable) -> bool {
        let of_section = |number: &Number| match number {
            Number::Expression(text) => {
                let names = Expr::parse_with(&text.value, &self.scope.tables).map(|expr| expr.variables());
                names.is_ok_and(|names| names.iter().any(|(name, _)| is_of_section(name)))
            }
            Number::Value(_) => false,
        };
        load.value.iter().any(|number| of_section(number) || self.reads_state(number, LOAD_ARGUMENTS, file))
    }

    /// The laws of load and moment per length that read the state; signals must be known.
    pub(super) fn resolve_line_laws(
        &mut self,
        beam: &mut Option<BeamSpec>,
        table: &BeamTable,
        file: &FileTable,
    ) {
        let [load, moment] = [&table.load, &table.moment].map(|laws| {
            let of_state = laws.as_ref().filter(|laws| self.is_line_law(laws, file));
            transpose(of_state.map(|laws| {
                let [x, y, z] = laws.value.each_ref().map(|number| self.line_law(number, file));
                Some([x?, y?, z?])
            }))
        });
        match (beam.as_mut(), load, moment) {
            (Some(beam), Some(load), Some(moment)) => (beam.load_law, beam.moment_law) = (load, moment),
            _ => *beam = None,
        }
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
}
