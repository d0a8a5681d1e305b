//! Lines by places and slopes: formulation "ancf".

use super::Resolver;
use crate::diagnostic::{Diagnostic, Span};
use crate::file::{
    BeamFrame, BeamMass, BeamQuadrature, BeamStrain, BeamTable, FileTable, Frame, SectionTable, Triple,
};
use crate::joints::LineClamp;
use crate::spec::{BeamNodeSpec, BodyKind, BodyRef, CableNodeSpec, CableSpec, JointSpec};
use crate::value::{Located, Number, Text};
use poinsot_expr::Expr;
use poinsot_geometry::{Mat3, Pose, Vec3};
use poinsot_mechanics::ancf::{CableDesign, CableFrame, CablePoints, CableSection, CableStrain};
use poinsot_mechanics::beams::{AxialMass, Course, Section};
use std::sync::Arc;

/// ∫y⁴ dA of a solid circle, in I²/A.
const FOURTH_OF_A_CIRCLE: f64 = 2.0;

impl Resolver<'_> {
    /// A node of a beam: with formulation "ancf" a place and a slope. In a plane a frame is tied to it,
    /// unless nothing turns out to need one; in space it is a point, but for corners.
    pub(super) fn node_kind(&self, table: &BeamTable, node: BeamNodeSpec, turn: Option<Mat3>) -> BodyKind {
        if table.has_section_slopes() {
            // Where axes of the section are neither in the plane nor normal to it, they keep a frame.
            let oblique = self.plane.is_some_and(|plane| {
                let seen = node.pose.rotation.tr_mul(&plane.normal());
                (0..2).any(|k| seen[k].abs() > 1e-9 && seen[k].abs() < 1.0 - 1e-9)
            });
            let cable = CableNodeSpec { node, is_framed: true, turn, sections: true };
            return if oblique { BodyKind::BeamNode(cable.node) } else { BodyKind::CableNode(cable) };
        }
        if !table.is_cable() {
            return BodyKind::BeamNode(node);
        }
        let is_framed = self.plane.is_some() || turn.is_some();
        BodyKind::CableNode(CableNodeSpec { node, is_framed, turn, sections: false })
    }

    /// Whether a body is a node of a line with slopes along it.
    pub(crate) fn is_line_node(&self, body: BodyRef) -> bool {
        self.line_node(body).is_some_and(|cable| !cable.sections)
    }

    fn line_node(&self, body: BodyRef) -> Option<&CableNodeSpec> {
        let BodyRef::Body(index) = body else { return None };
        match &self.bodies.get(index)?.as_ref()?.kind {
            BodyKind::CableNode(cable) => Some(cable),
            _ => None,
        }
    }

    /// The node of a line of that name that nothing has named so far.
    pub(crate) fn idle_line_node(&self, name: &str) -> Option<usize> {
        let node = self.names.body_called(name)?;
        let idle = self.line_node(BodyRef::Body(node)).is_some() && !self.names.held.borrow().contains(&node);
        idle.then_some(node)
    }

    /// Forgets that a node was named: what did so needs no frame.
    pub(crate) fn leave_idle(&self, node: usize) {
        self.names.held.borrow_mut().remove(&node);
    }

    /// Nodes of lines that nothing names are points: a frame costs three unknowns and three equations.
    pub(super) fn free_idle_nodes(&mut self) {
        let held = self.names.held.borrow();
        for (k, body) in self.bodies.iter_mut().enumerate() {
            if let Some(BodyKind::CableNode(cable)) = body.as_mut().map(|body| &mut body.kind) {
                cable.is_framed &= held.contains(&k) || cable.turn.is_some();
            }
        }
    }

    /// What a line with slopes is made of.
    pub(super) fn cable(
        &mut self,
        table: &BeamTable,
        course: Option<&Course>,
        section: Option<&Section>,
    ) -> Option<Box<CableSpec>> {
        let own = self.keys_belong(table);
        let (strain, points) = (self.cable_strain(table), self.cable_points(table));
        let tension = self.tension(table);
        self.warn_of_cable(table);
        let (course, section) = (course?, section?);
        own?;
        self.warn_of_free_bending(table, section);
        let normal = self.plane.map(|plane| plane.normal());
        let axes = course.frames.first()?.rot;
        let seen = normal.map(|normal| axes.tr_mul(&normal));
        if seen.is_some_and(|n| n.z.abs() > 1e-9) {
            return self.no_cable(table, "its line leaves the plane of the model", None);
        }
        let mut cable = match CableSection::of(section, seen.as_ref()) {
            Ok(cable) => cable,
            Err(error) => {
                let help = "formulation = \"director\" and \"motion\" have section axes, shear and torsion";
                return self.no_cable(table, &error.to_string(), Some(help));
            }
        };
        if matches!(table.section, SectionTable::Circle(_)) {
            cable.fourth *= FOURTH_OF_A_CIRCLE / 1.8;
        }
        let design =
            CableDesign { section: cable, strain: strain?, points: points?, normal, tension: tension? };
        Some(Box::new(CableSpec { design, reference: course.frames.clone(), bounds: course.bounds.clone() }))
    }

    /// A line with the axes of sections as slopes.
    pub(super) fn section_slopes(&mut self, table: &BeamTable, section: Option<&Section>) -> Option<f64> {
        let mut fine = self.keys_belong(table);
        let name = &table.name.value;
        let keys = [
            ("strain", table.strain.as_ref().map(|key| &key.span)),
            ("element_frame", table.element_frame.as_ref().map(|key| &key.span)),
            ("quadrature", table.quadrature.as_ref().map(|key| &key.span)),
            ("moment", table.moment.as_ref().map(|key| &key.span)),
            ("mass = \"lumped\"", (table.mass.value == BeamMass::Lumped).then_some(&table.mass.span)),
            (
                "load_frame = \"body\"",
                (table.load.is_some() && table.load_frame.value == Frame::Body)
                    .then_some(&table.load_frame.span),
            ),
        ];
        for (key, span) in keys {
            let Some(span) = span else { continue };
            let message = format!("the beam `{name}` with element = \"beam\" has no `{key}`");
            let help = format!("remove `{key}`, or take formulation = \"director\"");
            self.diagnostics
                .push(Diagnostic::error(message).at(span.clone(), "not for slopes across").help(help));
            fine = None;
        }
        if section.is_some_and(|section| section.axial_mass != AxialMass::default()) {
            let message = format!(
                "the section of `{name}` has mass along the line, which element = \"beam\" leaves out"
            );
            let diagnostic =
                Diagnostic::error(message).at(table.formulation.span.clone(), "thin sections only");
            self.diagnostics
                .push(diagnostic.help("give `mass` and `inertia`, or take formulation = \"director\""));
            fine = None;
        }
        let subject = format!("the stiffening of sections of `{name}`");
        let stiffening =
            table.section_stiffening.as_ref().map_or(Some(1.0), |number| self.positive(number, &subject));
        fine.and(stiffening)
    }

    fn no_cable<T>(&mut self, table: &BeamTable, why: &str, help: Option<&str>) -> Option<T> {
        let message = format!("the beam `{}` cannot have formulation \"ancf\": {why}", table.name.value);
        let diagnostic = Diagnostic::error(message).at(table.formulation.span.clone(), "lines with slopes");
        self.diagnostics.push(match help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        });
        None
    }

    fn cable_strain(&mut self, table: &BeamTable) -> Option<CableStrain> {
        let strain = table.strain.as_ref().map_or(BeamStrain::Curvature, |strain| strain.value);
        let frame = match table.element_frame.as_ref().map(|frame| frame.value) {
            Some(BeamFrame::Tangent) => CableFrame::Tangent,
            _ => CableFrame::Pinned,
        };
        match (strain, &table.element_frame) {
            (BeamStrain::Chord, _) => Some(CableStrain::Chord(frame)),
            (BeamStrain::Green, _) => Some(CableStrain::Green(frame)),
            (BeamStrain::Curvature, None) => Some(CableStrain::Curvature),
            (BeamStrain::Simplified, None) => Some(CableStrain::Simplified),
            (other, Some(given)) => {
                let message = format!("the strain \"{}\" has no frame of an element", other.word());
                self.diagnostics.push(
                    Diagnostic::error(message)
                        .at(given.span.clone(), "only with strain = \"chord\" or \"green\""),
                );
                None
            }
        }
    }

    fn cable_points(&mut self, table: &BeamTable) -> Option<CablePoints> {
        match table.quadrature.as_ref() {
            None => Some(CablePoints::Three),
            Some(quadrature) => match quadrature.value {
                BeamQuadrature::Three => Some(CablePoints::Three),
                BeamQuadrature::Five => Some(CablePoints::Five),
                BeamQuadrature::Gauss | BeamQuadrature::Lobatto => {
                    self.wrong_quadrature(quadrature, "\"three\" or \"five\"");
                    None
                }
            },
        }
    }

    fn warn_of_cable(&mut self, table: &BeamTable) {
        let name = &table.name.value;
        if let Some(number) = &table.section_stiffening {
            self.diagnostics.push(
                Diagnostic::warning(format!("`section_stiffening` of `{name}` is not used"))
                    .at(number.span(), "a cable has no sections")
                    .help("remove it, or write element = \"beam\""),
            );
        }
        if let Some(order) = &table.order {
            self.diagnostics.push(
                Diagnostic::warning(format!("`order` of `{name}` is not used"))
                    .at(order.span(), "lines with slopes are cubic between two nodes")
                    .help("remove `order`, or say by `elements` how fine the line is"),
            );
        }
        if table.mass.value == BeamMass::Lumped {
            self.diagnostics.push(
                Diagnostic::warning(format!("the lumped mass of `{name}` has a wrong inertia of rotation"))
                    .at(table.mass.span.clone(), "J1 + J2 + m l²/2 for each element, not m l²/3")
                    .help(
                        "no positive J1, J2 of the slopes make up for half the mass at each end; refined meshes \
                         approach the right inertia, \"consistent\" has it",
                    ),
            );
        }
    }

    /// In space a line without torsion does not know how its material turns about it: its viscosity resists
    /// changes of |κ| alone, which small vibrations of a straight line leave at zero in the first order.
    fn warn_of_free_bending(&mut self, table: &BeamTable, section: &Section) {
        if self.plane.is_some() || [3, 4].iter().all(|&i| section.viscosity[(i, i)] == 0.0) {
            return;
        }
        let place =
            table.viscosity.as_ref().map_or(table.stiffness_damping.span(), |_| table.name.span.clone());
        self.diagnostics.push(
            Diagnostic::warning(format!(
                "the damping of `{}` does not act on small vibrations of a straight line in space",
                table.name.value
            ))
            .at(place, "resists changes of how much the line is bent, not of the direction")
            .help(
                "a line without torsion does not know how its material turns: modes about a straight line are \
                 undamped in bending. Write element = \"beam\", or mass_damping beside it",
            ),
        );
    }

    /// The tension in the modelled position.
    pub(super) fn tension(&mut self, table: &BeamTable) -> Option<f64> {
        let Some(number) = &table.tension else { return Some(0.0) };
        if let Some(strain) = &table.strain
            && strain.value != BeamStrain::Curvature
        {
            let message = format!("the strain \"{}\" has no tension", strain.value.word());
            self.diagnostics.push(
                Diagnostic::error(message)
                    .at(number.span(), "only with strain = \"curvature\"")
                    .help("remove `tension` or `strain`"),
            );
            return None;
        }
        self.number(number)
    }

    /// Loads along a line with slopes: they must not ask for axes that its sections do not have.
    pub(super) fn slope_loads(&mut self, table: &BeamTable, file: &FileTable) -> Option<()> {
        let in_space = table.is_cable() && self.plane.is_none();
        let missing: &[&str] = match (in_space, table.is_cable()) {
            (true, _) => &["d1.", "d2."],
            (false, true) => &[],
            (false, false) => &["d3."],
        };
        let mut fine = Some(());
        for (key, load) in [("load", &table.load), ("moment", &table.moment)] {
            let Some(load) = load else { continue };
            if self.is_line_law(load, file) {
                fine = fine.and(self.reads_no_axis(table, key, load, missing));
            }
            if in_space && table.load_frame.value == Frame::Body {
                fine = fine.and(self.has_no_side(table, key, load));
            }
        }
        fine
    }

    /// Refuses laws that read axes of which the names start so.
    fn reads_no_axis(&mut self, table: &BeamTable, key: &str, load: &Triple, missing: &[&str]) -> Option<()> {
        let mut fine = Some(());
        for number in &load.value {
            let Number::Expression(text) = number else { continue };
            let Ok(expr) = Expr::parse_with(&text.value, &self.scope.tables) else { continue };
            let names = expr.variables();
            let axis = names.iter().find(|(name, _)| missing.iter().any(|start| name.starts_with(start)));
            let Some((name, _)) = axis else { continue };
            let message = format!(
                "`{key}` of `{}` reads `{name}`, an axis that its sections do not have",
                table.name.value
            );
            let help = match table.is_cable() {
                true => "in space a cable has `d3` alone; formulation = \"director\" has all axes",
                false => {
                    "with element = \"beam\" there are `d1` and `d2`; formulation = \"director\" has all axes"
                }
            };
            self.diagnostics
                .push(Diagnostic::error(message).at(text.span.clone(), "not with slopes").help(help));
            fine = None;
        }
        fine
    }

    /// In space a line has no axes across: refuses components along them, and moments, which would be torsion
    /// along the third.
    fn has_no_side(&mut self, table: &BeamTable, key: &str, load: &Triple) -> Option<()> {
        let zero = |number: &Number| match number {
            Number::Value(value) => value.value == 0.0,
            Number::Expression(_) => false,
        };
        let fits = load.value[..2].iter().all(zero) && (key == "load" || zero(&load.value[2]));
        if fits {
            return Some(());
        }
        let message =
            format!("in space the cable `{}` has no section axes for its `{key}`", table.name.value);
        let what = match key {
            "load" => "only along the line: [0, 0, q]",
            _ => "no axes across, and no torsion",
        };
        self.diagnostics.push(
            Diagnostic::error(message)
                .at(load.span.clone(), what)
                .help("write it in world axes, or take formulation = \"director\" or element = \"beam\""),
        );
        None
    }

    /// The clamp of a line in space: its slope follows an axis of what holds it.
    pub(super) fn line_clamp(
        &mut self,
        name: &Text,
        between: Located<[Text; 2]>,
        at: Option<&Triple>,
        node: usize,
    ) -> Option<JointSpec> {
        let at = at.map(|at| self.vector(at));
        let [first, second] = self.ends(&between)?;
        let BodyKind::CableNode(cable) = &self.bodies.get(node)?.as_ref()?.kind else { return None };
        let (place, axes): (Vec3, Mat3) = (second.pose.r, cable.node.pose.rotation);
        let point = match at {
            Some(at) => at?,
            None => first.marker.map_or(place, |(_, pose)| pose.r),
        };
        let span: Span = name.span.clone();
        Some(JointSpec {
            name: name.value.clone(),
            span,
            kind: Arc::new(LineClamp),
            first: first.at_frame(Pose::new(point, axes)),
            second: second.at_frame(Pose::translation(place)),
            limits: vec![],
            stop_laws: vec![],
            friction: None,
            start: vec![],
        })
    }
}
