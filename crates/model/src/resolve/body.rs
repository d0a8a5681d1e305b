//! Bodies and markers: mass properties, initial motion, checks.

use super::Resolver;
use super::names::Thing;
use crate::diagnostic::{Diagnostic, Span};
use crate::file::{
    BodyTable, InertiaAbout, InertiaTable, MarkerTable, Plane, PointTable, RigidTable, Triple,
};
use crate::spec::{BodyKind, BodyRef, BodySpec, MarkerSpec, MassSpec, PointSpec, RigidSpec};
use crate::value::{Number, Text};
use poinsot_geometry::{Mat3, Pose, Vec3};

impl Plane {
    /// Unit normal.
    pub fn normal(self) -> Vec3 {
        match self {
            Plane::Xy => Vec3::z(),
            Plane::Yz => Vec3::x(),
            Plane::Zx => Vec3::y(),
        }
    }
}

impl Resolver<'_> {
    pub fn body(&mut self, body: &BodyTable) -> Option<BodySpec> {
        match body {
            BodyTable::Rigid(table) => self.rigid(table),
            BodyTable::Point(table) => self.point(table),
        }
    }

    fn point(&mut self, table: &PointTable) -> Option<BodySpec> {
        let name = &table.name.value;
        let mass = self.positive(&table.mass, &format!("the mass of `{name}`"));
        let position = self.vector(&table.position);
        let velocity = self.planar_velocity(&table.velocity);
        let point = PointSpec { mass: mass?, position: position?, velocity: velocity? };
        Some(spec(&table.name, BodyKind::Point(point)))
    }

    fn rigid(&mut self, table: &RigidTable) -> Option<BodySpec> {
        let mass = self.mass_properties(table);
        let position = self.vector(&table.position);
        let rotation = self.rotation(table.orientation.as_ref());
        let velocity = self.planar_velocity(&table.velocity);
        let angular_velocity = self.angular_velocity(table, rotation);
        let rigid = RigidSpec {
            mass: mass?,
            pose: Pose::new(position?, rotation?),
            velocity: velocity?,
            angular_velocity: angular_velocity?,
        };
        Some(spec(&table.name, BodyKind::Rigid(rigid)))
    }

    /// Angular velocity in world axes, ω = A ω̄ if it was given in body axes.
    fn angular_velocity(&mut self, table: &RigidTable, rotation: Option<Mat3>) -> Option<Vec3> {
        let (value, span) = match (&table.angular_velocity, &table.angular_velocity_body) {
            (Some(world), Some(body)) => {
                self.diagnostics.push(
                    Diagnostic::error(format!("`{}` has two angular velocities", table.name.value))
                        .at(body.span.clone(), "in body axes")
                        .and(world.span.clone(), "in world axes")
                        .help("remove one of the two"),
                );
                return None;
            }
            (Some(world), None) => (self.vector(world)?, &world.span),
            (None, Some(body)) => {
                let value = self.vector(body)?;
                (rotation? * value, &body.span)
            }
            (None, None) => return Some(Vec3::zeros()),
        };
        self.planar_spin(value, span)
    }

    /// An angular velocity, if it is along the normal of a planar model.
    pub(super) fn planar_spin(&mut self, value: Vec3, span: &Span) -> Option<Vec3> {
        if let Some(plane) = self.plane {
            let normal = plane.normal();
            let tilt = (value - normal * normal.dot(&value)).norm();
            if tilt > 1e-9 * value.norm() {
                self.out_of_plane(plane, "angular velocity is not along the normal", span);
                return None;
            }
        }
        Some(value)
    }

    pub(super) fn planar_velocity(&mut self, triple: &Triple) -> Option<Vec3> {
        let value = self.vector(triple)?;
        if let Some(plane) = self.plane
            && plane.normal().dot(&value).abs() > 1e-9 * value.norm()
        {
            self.out_of_plane(plane, "velocity leaves the plane", &triple.span);
            return None;
        }
        Some(value)
    }

    fn out_of_plane(&mut self, plane: Plane, what: &str, span: &Span) {
        self.diagnostics.push(
            Diagnostic::error(format!("the model is planar ({}), but this {what}", plane.word()))
                .at(span.clone(), "out of plane"),
        );
    }

    /// Mass and inertia, or shapes: one of the two.
    fn mass_properties(&mut self, table: &RigidTable) -> Option<MassSpec> {
        let name = &table.name.value;
        if let Some(shapes) = &table.shape {
            return self.shapes(table, shapes);
        }
        let missing = match (&table.mass, &table.inertia) {
            (None, None) => "`mass` and `inertia`",
            (None, Some(_)) => "`mass`",
            (Some(_), None) => "`inertia`",
            (Some(mass), Some(inertia)) => return self.given_mass(table, mass, inertia),
        };
        if let Some(mass) = &table.mass {
            self.positive(mass, &format!("the mass of `{name}`"));
        }
        self.diagnostics.push(
            Diagnostic::error(format!("the rigid body `{name}` has no {missing}"))
                .at(table.span.clone(), format!("needs {missing}"))
                .help("give `mass` and `inertia`, or a `shape`; a body without size is `type = \"point\"`"),
        );
        None
    }

    fn given_mass(&mut self, table: &RigidTable, mass: &Number, inertia: &InertiaTable) -> Option<MassSpec> {
        let name = &table.name.value;
        let mass = self.positive(mass, &format!("the mass of `{name}`"));
        let centre_of_mass = match &table.centre_of_mass {
            Some(triple) => self.vector(triple),
            None => Some(Vec3::zeros()),
        };
        let (matrix, span) = self.inertia(inertia)?;
        let subject = format!("the inertia of `{name}`");
        let inertia = match table.inertia_about.value {
            InertiaAbout::CentreOfMass => {
                self.check_inertia(&matrix, &subject, span)?;
                matrix
            }
            // Steiner: J_c = J_o - m (c·c I - c cᵀ)
            InertiaAbout::ReferencePoint => {
                let c = centre_of_mass?;
                let steiner = (Mat3::identity() * c.dot(&c) - c * c.transpose()) * mass?;
                let subject = format!("{subject}, moved to the centre of mass,");
                self.check_inertia(&(matrix - steiner), &subject, span)?;
                matrix - steiner
            }
        };
        let (mass, centre_of_mass) = (mass?, centre_of_mass?);
        Some(MassSpec::Given { mass, centre_of_mass, inertia })
    }

    pub fn marker(&mut self, table: &MarkerTable) -> Option<MarkerSpec> {
        let body = self.body_ref(&table.body);
        let position = self.vector(&table.position);
        let rotation = self.rotation(table.orientation.as_ref());
        let (body, position, rotation) = (body?, position?, rotation?);
        if self.is_point(body) && (position != Vec3::zeros() || table.orientation.is_some()) {
            let point = &table.body.value;
            self.diagnostics.push(
                Diagnostic::error(format!(
                    "`{point}` is a point: a marker on it has no position or orientation of its own"
                ))
                .at(table.name.span.clone(), "this marker")
                .help("remove `position` and `orientation`, or make the body rigid"),
            );
            return None;
        }
        Some(MarkerSpec {
            name: table.name.value.clone(),
            span: table.name.span.clone(),
            body,
            pose: Pose::new(position, rotation),
        })
    }

    /// A body by name; "ground" is one too.
    pub fn body_ref(&mut self, name: &Text) -> Option<BodyRef> {
        if name.value == "ground" {
            return Some(BodyRef::Ground);
        }
        if let Some(Thing::Body(index)) = self.names.hold(&name.value) {
            return Some(BodyRef::Body(index));
        }
        let names = self.names.of(|thing| matches!(thing, Thing::Body(_)));
        let mut candidates: Vec<String> = names.into_iter().map(str::to_owned).collect();
        candidates.push("ground".into());
        let candidates: Vec<&str> = candidates.iter().map(String::as_str).collect();
        self.unknown(name, "body", &candidates);
        None
    }
}

fn spec(name: &Text, kind: BodyKind) -> BodySpec {
    BodySpec { name: name.value.clone(), span: name.span.clone(), kind }
}
