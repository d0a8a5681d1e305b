//! Flexible bodies: names of their interfaces, frames, shapes.

mod beams;
mod functions;
mod gauge;
mod inp_sections;
mod line;
mod material;
mod matrices;
mod mesh;
mod points;
mod reduced;
mod stored;

pub(super) use self::beams::{owners_of_beams, without_beams_of_flexible};
use self::gauge::offered_stresses;
use super::Resolver;
use super::names::{Thing, is_identifier, not_a_name};
use crate::FlexibleRecipe;
use crate::diagnostic::Diagnostic;
use crate::file::{FileTable, FlexibleCoupling, FlexibleSourceTable, FlexibleTable, InterfaceTable};
use crate::quantity::{FlexibleQuantity, Motion, Quantity};
use crate::spec::{BeamNodeSpec, BodyKind, BodySpec, FlexibleSpec};
use poinsot_flexible::ReducedBody;
use poinsot_flexible::reduction::ReductionReport;
use poinsot_geometry::Pose;
use poinsot_mechanics::MAX_SHAPES;
use std::sync::Arc;

/// Shapes of a body, and where they come from.
struct Shapes {
    body: ReducedBody,
    recipe: Option<Arc<FlexibleRecipe>>,
    report: Option<Arc<ReductionReport>>,
    /// Labels of the nodes in their file, where they have any.
    labels: Option<Vec<u64>>,
}

impl Shapes {
    /// Shapes that are given.
    fn given(body: ReducedBody) -> Self {
        Shapes { body, recipe: None, report: None, labels: None }
    }
}

impl Resolver<'_> {
    /// Enters the names of flexible bodies and of their interfaces. Their frames follow all other bodies.
    pub fn gather_flexible_names(&mut self, file: &FileTable, mut next: usize) {
        for (index, table) in file.flexible.iter().enumerate() {
            self.enter(&table.name, Thing::Flexible(index));
            next += 1;
            for interface in &table.interface.0 {
                self.name_interface(table, interface, next);
                next += 1;
            }
        }
        self.gather_plate_names(file, next);
    }

    fn name_interface(&mut self, table: &FlexibleTable, interface: &InterfaceTable, index: usize) {
        if !is_identifier(&interface.name.value) {
            self.diagnostics.push(not_a_name(&interface.name, "interface"));
            return;
        }
        let name = format!("{}.{}", table.name.value, interface.name.value);
        if let Some((_, span)) = self.names.things.get(&name) {
            let before = ("interface", span.clone());
            return self.duplicate(&interface.name, "interface", before);
        }
        self.names.things.insert(name, (Thing::Body(index), interface.name.span.clone()));
    }

    /// A flexible body; its floating frame and its interfaces are added to the bodies.
    pub fn flexible(&mut self, table: &FlexibleTable, file: &FileTable) -> Option<FlexibleSpec> {
        let (position, rotation) = (self.vector(&table.position), self.rotation(table.orientation.as_ref()));
        let velocity = self.planar_velocity(&table.velocity);
        let spin = self.vector(&table.angular_velocity);
        let spin = spin.and_then(|spin| self.planar_spin(spin, &table.angular_velocity.span));
        let shapes = self.reduced_body(table, file);
        let body = shapes.as_ref().map(|shapes| &shapes.body);
        let pose = position.zip(rotation).map(|(r, rotation)| Pose::new(r, rotation));
        let motion = pose.zip(velocity).zip(spin);
        let frame = self.bodies.len();
        let node = |at: Pose| {
            let ((pose, velocity), angular_velocity) = motion?;
            let pose = pose * at;
            let carried = angular_velocity.cross(&(pose.r - position?));
            Some(BeamNodeSpec { pose, velocity: velocity + carried, angular_velocity })
        };
        let spec = |name: String, kind| BodySpec { name, span: table.name.span.clone(), kind };
        let floating = node(Pose::identity()).map(BodyKind::FloatingFrame);
        let mut bodies = vec![floating.map(|kind| spec(table.name.value.clone(), kind))];
        for (k, interface) in table.interface.0.iter().enumerate() {
            let place = body.map(|body| Pose::translation(body.interfaces[k].place));
            let kind = place.and_then(node).map(BodyKind::Interface);
            let name = format!("{}.{}", table.name.value, interface.name.value);
            bodies.push(kind.map(|kind| spec(name, kind)));
        }
        self.bodies.extend(bodies);
        let interfaces = frame + 1..self.bodies.len();
        let (name, span) = (table.name.value.clone(), table.name.span.clone());
        let Shapes { body, recipe, report, labels } = shapes?;
        let gauges = self.gauges(table, &body, labels.as_deref())?;
        let one_way = self.is_one_way(table)?;
        let body = Arc::new(body);
        Some(FlexibleSpec { name, span, frame, interfaces, body, one_way, gauges, recipe, report })
    }

    /// Whether the deformation acts back on nothing.
    fn is_one_way(&mut self, table: &FlexibleTable) -> Option<bool> {
        let coupling = table.coupling.as_ref();
        let Some(one_way) = coupling.filter(|coupling| coupling.value == FlexibleCoupling::OneWay) else {
            return Some(false);
        };
        if let Some(geometric) = table.geometric_stiffness.as_ref().filter(|wanted| wanted.value) {
            let message =
                "stiffness of stress changes the deformation by the motion: not with one-way coupling";
            let diagnostic = Diagnostic::error(message).at(one_way.span.clone(), "acts back on nothing");
            self.diagnostics.push(diagnostic.and(geometric.span.clone(), "remove one of the two"));
            return None;
        }
        Some(true)
    }

    /// Shapes, integrals and stiffness from wherever they come.
    fn reduced_body(&mut self, table: &FlexibleTable, file: &FileTable) -> Option<Shapes> {
        let mut shapes = match &table.source {
            FlexibleSourceTable::Line(line) => self.body_of_line(table, line)?,
            FlexibleSourceTable::Beams(beams) => self.body_of_beams(table, beams, file)?,
            FlexibleSourceTable::Functions(functions) => {
                Shapes::given(self.body_of_functions(table, functions)?)
            }
            FlexibleSourceTable::Points(points) => Shapes::given(self.body_of_points(table, points)?),
            FlexibleSourceTable::Mesh(mesh) => self.body_of_mesh(table, mesh)?,
            FlexibleSourceTable::Matrices(matrices) => self.body_of_matrices(table, matrices)?,
            FlexibleSourceTable::Reduced(stored) => Shapes::given(self.stored_body(table, stored)?),
        };
        let body = &mut shapes.body;
        if body.size() > MAX_SHAPES {
            let message = format!(
                "`{}` has {} shapes, at most {MAX_SHAPES} are possible",
                table.name.value,
                body.size()
            );
            self.diagnostics.push(Diagnostic::error(message).at(table.name.span.clone(), "this body"));
            return None;
        }
        self.damp_shapes(table, body)?;
        Some(shapes)
    }

    /// D = 2 ζ √(K M) of each shape, off the diagonal nothing.
    fn damp_shapes(&mut self, table: &FlexibleTable, body: &mut ReducedBody) -> Option<()> {
        let Some(list) = &table.damping else { return Some(()) };
        let subject = format!("the damping ratio of `{}`", table.name.value);
        let ratios: Vec<_> = list.value.0.iter().map(|number| self.damping(number, &subject)).collect();
        let ratios: Vec<f64> = ratios.into_iter().collect::<Option<_>>()?;
        let n = body.size();
        if ratios.len() != 1 && ratios.len() != n {
            let message =
                format!("`{}` has {n} shapes and {} damping ratios", table.name.value, ratios.len());
            let help = "give one number for all shapes, or one for each";
            self.diagnostics.push(Diagnostic::error(message).at(list.span.clone(), "these").help(help));
            return None;
        }
        for k in 0..n {
            let ratio = ratios[k.min(ratios.len() - 1)];
            let mass = body.inertia.products[k * n + k].trace();
            body.damping[(k, k)] += 2.0 * ratio * (body.stiffness[(k, k)] * mass).sqrt();
        }
        Some(())
    }

    /// What a flexible body offers: its shapes, the motion of its floating frame and of its interfaces.
    pub(super) fn offered_by_flexible(
        &self,
        index: usize,
        file: &FileTable,
    ) -> Option<Vec<(String, Quantity)>> {
        let spec = self.flexible.get(index)?.as_ref()?;
        let quantity = |shape, what| Quantity::Flexible { flexible: index, shape, what };
        let shapes = (0..spec.body.size()).flat_map(|k| {
            let name = format!("mode{}", k + 1);
            let rate = format!("{name}_rate");
            [(name, quantity(k, FlexibleQuantity::Value)), (rate, quantity(k, FlexibleQuantity::Rate))]
        });
        let moves = |body| {
            Motion::offered(true).into_iter().map(move |(name, what)| (name, Quantity::Body { body, what }))
        };
        let named = file.flexible.get(index)?.interface.0.iter().zip(spec.interfaces.clone());
        let interfaces = named.flat_map(|(interface, body)| {
            let stem = interface.name.value.clone();
            moves(body).map(move |(name, quantity)| (format!("{stem}.{name}"), quantity))
        });
        let stresses = offered_stresses(index, spec);
        Some(shapes.chain(moves(spec.frame)).chain(interfaces).chain(stresses).collect())
    }
}
