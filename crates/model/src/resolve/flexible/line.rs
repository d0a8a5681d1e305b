//! Flexible bodies of beam elements along a line.

use super::Shapes;
use crate::diagnostic::Diagnostic;
use crate::file::{FlexibleTable, LineSourceTable};
use crate::resolve::Resolver;
use poinsot_flexible::{
    BeamOrientation, BeamSection, CrossSection, ElementKind, Mesh, MeshElement, Section, SectionOf,
};
use poinsot_geometry::Vec3;
use std::sync::Arc;

impl Resolver<'_> {
    /// A body of beam elements.
    pub(super) fn body_of_line(&mut self, table: &FlexibleTable, source: &LineSourceTable) -> Option<Shapes> {
        let section = self.line_section(table, source);
        let corners = self.vectors(&source.points.value);
        let elements = self.whole(&source.elements, "the number of elements", 1e5);
        let mesh = self.line_mesh(&corners?, elements?, source)?;
        let section = section?;
        let planar = source.planar.unwrap_or(self.plane.is_some());
        let section = if planar { Section::PlanarBeam(section) } else { Section::Beam(section) };
        self.body_of_elements(
            table,
            Arc::new(mesh),
            vec![SectionOf { group: None, section }],
            None,
            &source.span,
        )
    }

    fn line_section(&mut self, table: &FlexibleTable, source: &LineSourceTable) -> Option<BeamSection> {
        let (section, name) = (&source.section, &table.name.value);
        let [y, z] = section.inertia.value.each_ref();
        let torsion = section.torsion.as_ref().map(|torsion| self.positive(torsion, "the torsion constant"));
        let [area, inertia_y, inertia_z, young, density] = [
            (&section.area, "area"),
            (y, "second moment of area"),
            (z, "second moment of area"),
            (&section.young, "Young's modulus"),
            (&section.density, "density"),
        ]
        .map(|(number, what)| self.positive(number, &format!("the {what} of `{name}`")));
        let poisson = self.number(&section.poisson)?;
        let (inertia_y, inertia_z, young) = (inertia_y?, inertia_z?, young?);
        let torsion = torsion.unwrap_or(Some(inertia_y + inertia_z))?;
        Some(BeamSection {
            cross_section: CrossSection { area: area?, inertia_y, inertia_z, torsion, shear_areas: None },
            young,
            shear: young / (2.0 * (1.0 + poisson)),
            density: density?,
            orientation: BeamOrientation::Roll(0.0),
            offset: [0.0, 0.0],
        })
    }

    /// Nodes and elements, each piece with a share of the elements by its length.
    fn line_mesh(&mut self, corners: &[Vec3], elements: usize, source: &LineSourceTable) -> Option<Mesh> {
        let lengths: Vec<f64> = corners.windows(2).map(|ends| (ends[1] - ends[0]).norm()).collect();
        let total: f64 = lengths.iter().sum();
        if lengths.is_empty() || lengths.iter().any(|length| *length <= 1e-12 * total) {
            let message = "a line needs two points or more that differ";
            self.diagnostics.push(Diagnostic::error(message).at(source.points.span.clone(), "these points"));
            return None;
        }
        let mut mesh = Mesh { nodes: vec![corners[0]], elements: vec![], groups: vec![] };
        for (ends, length) in corners.windows(2).zip(&lengths) {
            let count = (elements as f64 * length / total).round().max(1.0) as usize;
            for k in 1..=count {
                mesh.nodes.push(ends[0] + (ends[1] - ends[0]) * (k as f64 / count as f64));
                let last = mesh.nodes.len() - 1;
                mesh.elements.push(MeshElement { kind: ElementKind::Beam2, nodes: vec![last - 1, last] });
            }
        }
        Some(mesh)
    }
}
