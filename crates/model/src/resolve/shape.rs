//! Solids that give a body its mass.

use super::Resolver;
use crate::diagnostic::{Diagnostic, Span};
use crate::file::{InertiaTable, OrientationTable, RigidTable, ShapeTable, ShapesTable, Triple};
use crate::spec::{Amount, MassSpec, ShapeSpec, Solid};
use crate::value::Number;
use poinsot_geometry::{Pose, Vec3};
use poinsot_mechanics::mass_properties::Shape;
use std::io::ErrorKind;
use std::sync::Arc;

impl Resolver<'_> {
    /// A sum of solids.
    pub(super) fn shapes(&mut self, table: &RigidTable, shapes: &ShapesTable) -> Option<MassSpec> {
        let name = &table.name.value;
        let inertia = table.inertia.as_ref().map(|inertia| match inertia {
            InertiaTable::Diagonal(v) => v.span.clone(),
            InertiaTable::Matrix(v) => v.span.clone(),
            InertiaTable::Components(v) => v.span.clone(),
        });
        let centre = table.centre_of_mass.as_ref().map(|c| c.span.clone());
        let several = shapes.list.len() > 1;
        let mass = table.mass.as_ref().filter(|_| several).map(Number::span);
        let extra = [("inertia", inertia), ("centre_of_mass", centre), ("mass", mass)];
        let mut valid = true;
        for (key, span) in extra {
            if let Some(span) = span {
                self.diagnostics.push(
                    Diagnostic::error(format!("`{name}` has both `shape` and `{key}`"))
                        .at(span, format!("the shape gives the {}", key.replace('_', " ")))
                        .and(shapes.span.clone(), "the shape")
                        .help(format!("remove `{key}` or `shape`")),
                );
                valid = false;
            }
        }
        let body_mass = table.mass.as_ref().filter(|_| !several);
        let list: Vec<_> = shapes.list.iter().map(|s| self.shape(s, body_mass, name)).collect();
        let list = list.into_iter().collect::<Option<Vec<_>>>()?;
        valid.then_some(MassSpec::Shapes(list))
    }

    fn shape(&mut self, shape: &ShapeTable, body_mass: Option<&Number>, name: &str) -> Option<ShapeSpec> {
        let solid = self.solid(shape, name);
        let common = Common::of(shape);
        let amount = self.amount(&common, body_mass, name);
        let position = self.vector(common.position);
        let rotation = self.rotation(common.orientation);
        Some(ShapeSpec {
            solid: solid?,
            amount: amount?,
            pose: Pose::new(position?, rotation?),
            span: common.span.clone(),
        })
    }

    /// Density or mass, exactly one.
    fn amount(&mut self, common: &Common, body_mass: Option<&Number>, name: &str) -> Option<Amount> {
        match (common.density, common.mass.or(body_mass)) {
            (Some(density), None) => {
                self.positive(density, &format!("the density of a shape of `{name}`")).map(Amount::Density)
            }
            (None, Some(mass)) => self.positive(mass, &format!("the mass of `{name}`")).map(Amount::Mass),
            (Some(density), Some(mass)) => {
                self.diagnostics.push(
                    Diagnostic::error(format!("the shape of `{name}` has both a density and a mass"))
                        .at(mass.span(), "the mass")
                        .and(density.span(), "the density")
                        .help("remove one of the two"),
                );
                None
            }
            (None, None) => {
                self.diagnostics.push(
                    Diagnostic::error(format!("the shape of `{name}` has no mass"))
                        .at(common.span.clone(), "needs `density` or `mass`"),
                );
                None
            }
        }
    }

    fn solid(&mut self, shape: &ShapeTable, name: &str) -> Option<Solid> {
        let of = |what: &str| format!("the {what} of the shape of `{name}`");
        match shape {
            ShapeTable::Box(table) => {
                let edges = table.size.value.each_ref().map(|n| self.positive(n, &of("size")));
                let [x, y, z] = edges;
                Some(Solid::Shape(Shape::Box { size: [x?, y?, z?] }))
            }
            ShapeTable::Sphere(table) => {
                let radius = self.positive(&table.radius, &of("radius"))?;
                Some(Solid::Shape(Shape::Sphere { radius }))
            }
            ShapeTable::Cylinder(table) => {
                let radius = self.positive(&table.radius, &of("radius"));
                let length = self.positive(&table.length, &of("length"));
                let axis = table.axis.into();
                Some(Solid::Shape(Shape::Cylinder { radius: radius?, length: length?, axis }))
            }
            ShapeTable::HollowCylinder(table) => {
                let outer = self.positive(&table.outer_radius, &of("outer radius"));
                let inner = self.not_negative(&table.inner_radius, &of("inner radius"));
                let length = self.positive(&table.length, &of("length"));
                let (outer_radius, inner_radius, length) = (outer?, inner?, length?);
                if inner_radius >= outer_radius {
                    self.diagnostics.push(
                        Diagnostic::error(format!(
                            "the inner radius {inner_radius} is not smaller than the outer radius {outer_radius}"
                        ))
                        .at(table.inner_radius.span(), "too large")
                        .and(table.outer_radius.span(), "the outer radius"),
                    );
                    return None;
                }
                let axis = table.axis.into();
                Some(Solid::Shape(Shape::HollowCylinder { outer_radius, inner_radius, length, axis }))
            }
            ShapeTable::Cone(table) => {
                let radius = self.positive(&table.radius, &of("radius"));
                let height = self.positive(&table.height, &of("height"));
                let axis = table.axis.into();
                Some(Solid::Shape(Shape::Cone { radius: radius?, height: height?, axis }))
            }
            ShapeTable::Tetrahedron(table) => {
                let corners = self.rows(&table.corners)?.map(Vec3::from);
                self.check_tetrahedron(&corners, table.corners.span.clone())?;
                Some(Solid::Shape(Shape::Tetrahedron { corners }))
            }
            ShapeTable::Mesh(table) => {
                let scale = self.positive(&table.scale, &of("scale"));
                let file = self.directory.join(&table.file.value);
                if let Err(error) = self.files.data(&file) {
                    let name = &table.file.value;
                    let (message, label) = match error.kind() {
                        ErrorKind::NotFound => (format!("there is no mesh file {name:?}"), "not found"),
                        _ => (format!("cannot read the mesh file {name:?}: {error}"), "not readable"),
                    };
                    self.diagnostics.push(
                        Diagnostic::error(message)
                            .at(table.file.span.clone(), label)
                            .help(format!("looked for {}", file.display())),
                    );
                    return None;
                }
                let mesh = self.files.stl(&file).map_err(|error| {
                    let message = format!("cannot read the STL file {}: {error}", file.display());
                    self.diagnostics.push(Diagnostic::error(message).at(table.span.clone(), "this shape"));
                });
                Some(Solid::Mesh(Arc::new(mesh.ok()?.scaled(scale?))))
            }
        }
    }

    fn check_tetrahedron(&mut self, corners: &[Vec3; 4], span: Span) -> Option<()> {
        let [a, b, c] = [1, 2, 3].map(|i| corners[i] - corners[0]);
        let size = a.norm().max(b.norm()).max(c.norm());
        if a.dot(&b.cross(&c)).abs() > 1e-12 * size.powi(3) {
            return Some(());
        }
        self.diagnostics.push(
            Diagnostic::error("the corners of the tetrahedron lie in a plane: it has no volume")
                .at(span, "no volume"),
        );
        None
    }
}

/// What all solids have.
struct Common<'a> {
    density: Option<&'a Number>,
    mass: Option<&'a Number>,
    position: &'a Triple,
    orientation: Option<&'a OrientationTable>,
    span: &'a Span,
}

impl<'a> Common<'a> {
    fn of(shape: &'a ShapeTable) -> Self {
        macro_rules! common {
            ($($variant:ident),*) => {
                match shape {
                    $(ShapeTable::$variant(table) => Common {
                        density: table.density.as_ref(),
                        mass: table.mass.as_ref(),
                        position: &table.position,
                        orientation: table.orientation.as_ref(),
                        span: &table.span,
                    },)*
                }
            };
        }
        common!(Box, Sphere, Cylinder, HollowCylinder, Cone, Tetrahedron, Mesh)
    }
}
