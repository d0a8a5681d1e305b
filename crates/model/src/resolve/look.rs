//! Looks: solids without mass, colours, outlines of beam sections.

use super::Resolver;
use crate::color::color;
use crate::diagnostic::Diagnostic;
use crate::file::{
    BeamTable, BodyTable, FileTable, LookTable, LooksTable, MeshLook, OrientationTable, Triple,
};
use crate::mesh_file;
use crate::section_outline::outline;
use crate::spec::{BeamLook, BeamSpec, BodyLook, Color, LookSolid, LookSpec, Looks};
use crate::suggest::did_you_mean;
use crate::value::{Number, Text};
use poinsot_geometry::{Pose, Vec3};
use poinsot_mechanics::mass_properties::Shape;

impl Resolver<'_> {
    /// What everything looks like. Sections are those of beams that are right: what is wrong with others was
    /// said.
    pub fn looks(&mut self, file: &FileTable, beams: &[Option<BeamSpec>]) -> Option<Looks> {
        let bodies: Vec<_> = file.body.iter().map(|body| self.body_look(body)).collect();
        let beams = file.beam.iter().zip(beams);
        let beams: Vec<_> = beams.map(|(table, spec)| self.beam_look(table, spec.is_some())).collect();
        let ground = match &file.ground.table {
            Some(ground) => self.look(ground.look.as_ref(), ground.color.as_ref(), "ground"),
            None => Some(BodyLook::default()),
        };
        Some(Looks {
            bodies: bodies.into_iter().collect::<Option<_>>()?,
            beams: beams.into_iter().collect::<Option<_>>()?,
            ground: ground?,
        })
    }

    fn body_look(&mut self, body: &BodyTable) -> Option<BodyLook> {
        let (look, color, name) = match body {
            BodyTable::Rigid(table) => (&table.look, &table.color, &table.name),
            BodyTable::Point(table) => (&table.look, &table.color, &table.name),
        };
        self.look(look.as_ref(), color.as_ref(), &name.value)
    }

    fn beam_look(&mut self, beam: &BeamTable, right: bool) -> Option<BeamLook> {
        let color = self.color(beam.color.as_ref());
        let outline = if right { outline(&beam.section, |number| self.number(number)) } else { None };
        Some(BeamLook { color: color?, outline: outline.unwrap_or_default() })
    }

    fn look(&mut self, looks: Option<&LooksTable>, color: Option<&Text>, name: &str) -> Option<BodyLook> {
        let color = self.color(color);
        let solids = looks.map(|looks| {
            let lists: Vec<_> = looks.list.iter().map(|look| self.solids_of(look, name)).collect();
            Some(lists.into_iter().collect::<Option<Vec<_>>>()?.concat())
        });
        Some(BodyLook { solids: super::transpose(solids)?, color: color? })
    }

    /// The colour of a text, if there is one; complains if it is none.
    pub(super) fn color(&mut self, text: Option<&Text>) -> Option<Option<Color>> {
        let Some(text) = text else { return Some(None) };
        let found = color(&text.value);
        if found.is_none() {
            let hint = did_you_mean(&text.value, crate::color::names());
            let help = hint.unwrap_or_else(|| "write \"#rrggbb\" or a CSS name such as \"steelblue\"".into());
            self.diagnostics.push(
                Diagnostic::error(format!("{:?} is not a colour", text.value))
                    .at(text.span.clone(), "unknown colour")
                    .help(help),
            );
        }
        found.map(Some)
    }

    /// The solids of a look: one, or those that a mesh file has in different colours.
    fn solids_of(&mut self, look: &LookTable, name: &str) -> Option<Vec<LookSpec>> {
        let common = Common::of(look);
        let color = self.color(common.color);
        let (position, rotation) = (self.vector(common.position), self.rotation(common.orientation));
        let solids = match look {
            LookTable::Mesh(table) => self.surfaces(table, name),
            look => self.look_solid(look, name).map(|solid| vec![(solid, None)]),
        };
        let (color, pose) = (color?, Pose::new(position?, rotation?));
        let spec = |(solid, own): (LookSolid, Option<Color>)| LookSpec { solid, pose, color: color.or(own) };
        Some(solids?.into_iter().map(spec).collect())
    }

    fn look_solid(&mut self, look: &LookTable, name: &str) -> Option<LookSolid> {
        let of = |what: &str| format!("the {what} of the look of `{name}`");
        let mut length = |number: &Number, what: &str| self.positive(number, &of(what));
        let shape = match look {
            LookTable::Box(table) => {
                let [x, y, z] = table.size.value.each_ref().map(|n| length(n, "size"));
                Shape::Box { size: [x?, y?, z?] }
            }
            LookTable::Sphere(table) => Shape::Sphere { radius: length(&table.radius, "radius")? },
            LookTable::Cylinder(table) => {
                let (r, l) = (length(&table.radius, "radius"), length(&table.length, "length"));
                Shape::Cylinder { radius: r?, length: l?, axis: table.axis.into() }
            }
            LookTable::HollowCylinder(table) => {
                let outer = length(&table.outer_radius, "outer radius");
                let inner = length(&table.inner_radius, "inner radius");
                let length = length(&table.length, "length");
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
                Shape::HollowCylinder { outer_radius, inner_radius, length, axis: table.axis.into() }
            }
            LookTable::Cone(table) => {
                let (r, h) = (length(&table.radius, "radius"), length(&table.height, "height"));
                Shape::Cone { radius: r?, height: h?, axis: table.axis.into() }
            }
            LookTable::Capsule(table) => {
                let (r, l) = (length(&table.radius, "radius"), length(&table.length, "length"));
                return Some(LookSolid::Capsule { radius: r?, length: l?, axis: table.axis.into() });
            }
            LookTable::Tetrahedron(table) => {
                Shape::Tetrahedron { corners: self.rows(&table.corners)?.map(Vec3::from) }
            }
            LookTable::Mesh(_) => return None,
        };
        Some(LookSolid::Shape(shape))
    }

    fn surfaces(&mut self, table: &MeshLook, name: &str) -> Option<Vec<(LookSolid, Option<Color>)>> {
        let scale = self.positive(&table.scale, &format!("the scale of the look of `{name}`"));
        let path = self.directory.join(&table.file.value);
        match self.files.surfaces(&path) {
            Ok(parts) => {
                let scale = scale?;
                let solid = |mesh: &mesh_file::Part| LookSolid::Shape(Shape::Mesh(mesh.mesh.scaled(scale)));
                Some(parts.iter().map(|part| (solid(part), part.color)).collect())
            }
            Err(error) => {
                self.diagnostics.push(
                    Diagnostic::error(format!("the mesh file {:?}: {error}", table.file.value))
                        .at(table.file.span.clone(), error.label())
                        .help(error.help(&path)),
                );
                None
            }
        }
    }
}

/// What all looks have.
struct Common<'a> {
    position: &'a Triple,
    orientation: Option<&'a OrientationTable>,
    color: Option<&'a Text>,
}

impl<'a> Common<'a> {
    fn of(look: &'a LookTable) -> Self {
        macro_rules! common {
            ($($variant:ident),*) => {
                match look {
                    $(LookTable::$variant(table) => Common {
                        position: &table.position,
                        orientation: table.orientation.as_ref(),
                        color: table.color.as_ref(),
                    },)*
                }
            };
        }
        common!(Box, Sphere, Cylinder, HollowCylinder, Cone, Capsule, Tetrahedron, Mesh)
    }
}
