//! Materials and sections of meshes, as the model gives them.

use crate::diagnostic::Diagnostic;
use crate::file::{BeamSectionTable, FaceSectionTable, MaterialTable, MeshSectionTable};
use crate::read::Text;
use crate::resolve::Resolver;
use crate::value::Number;
use poinsot_flexible::{
    BarSection, BeamOrientation, BeamSection, CrossSection, FlexibleError, Isotropic, Material, Orthotropic,
    PlaneSection, PlaneState, Section, SectionOf, ShellSection, SolidSection,
};
use poinsot_geometry::Mat6;

/// A material, and its constants along its first axis, which lines need.
#[derive(Clone, Debug)]
pub(super) struct LineMaterial {
    pub material: Material,
    /// E1 (Pa).
    pub young: f64,
    /// G12 (Pa).
    pub shear: f64,
}

impl LineMaterial {
    /// E1 = 1/S_11, G12 = 1/S_44 of the compliance S = D⁻¹.
    pub fn new(material: Material) -> Self {
        let compliance = material.elasticity().try_inverse().unwrap_or_else(Mat6::identity);
        LineMaterial { young: 1.0 / compliance[(0, 0)], shear: 1.0 / compliance[(3, 3)], material }
    }
}

impl Resolver<'_> {
    /// The material of a plate.
    pub(in crate::resolve) fn plate_material(&mut self, table: &MaterialTable) -> Option<Material> {
        self.material(table).map(|made| made.material)
    }

    /// A material.
    pub(super) fn material(&mut self, table: &MaterialTable) -> Option<LineMaterial> {
        let density = self.positive(&table.density, "the density");
        let axes = self.rotation(table.axes.as_ref());
        let made = self.elastic(table, density?)?;
        match made {
            Ok(material) => {
                let line = LineMaterial::new(material);
                let material = line.material.turned(&axes?);
                Some(LineMaterial { material, ..line })
            }
            Err(error) => {
                let diagnostic = Diagnostic::error(error.to_string());
                self.diagnostics.push(diagnostic.at(table.span.clone(), "this material"));
                None
            }
        }
    }

    fn elastic(&mut self, table: &MaterialTable, density: f64) -> Option<Result<Material, FlexibleError>> {
        match (&table.young, &table.orthotropic, &table.elasticity) {
            (Some(young), None, None) => {
                let young = self.positive(young, "Young's modulus")?;
                let poisson = table.poisson.as_ref().map_or(Some(0.3), |poisson| self.number(poisson))?;
                Some(Material::isotropic(Isotropic { young, poisson }, density))
            }
            (None, Some(nine), None) if table.poisson.is_none() => {
                let [young, poisson, shear] =
                    [&nine.young, &nine.poisson, &nine.shear].map(|three| self.numbers(&three.value));
                let nine = Orthotropic { young: young?, poisson: poisson?, shear: shear? };
                Some(Material::orthotropic(&nine, density))
            }
            (None, None, Some(rows)) if table.poisson.is_none() => {
                let mut matrix = Mat6::zeros();
                for (i, row) in rows.value.iter().enumerate() {
                    let row = self.numbers(row)?;
                    (0..6).for_each(|j| matrix[(i, j)] = row[j]);
                }
                Some(Material::anisotropic(matrix, density))
            }
            _ => {
                let message = "a material needs `young` with `poisson`, or `orthotropic`, or `elasticity`";
                let diagnostic = Diagnostic::error(message).at(table.span.clone(), "this material");
                self.diagnostics.push(diagnostic.help("give one of the three"));
                None
            }
        }
    }

    /// What a group of elements is.
    pub(super) fn mesh_section(
        &mut self,
        table: &MeshSectionTable,
        usual: Option<&LineMaterial>,
    ) -> Option<SectionOf> {
        let (group, section) = match table {
            MeshSectionTable::Solid(solid) => {
                let material = self.own_material(solid.material.as_ref(), usual, &solid.span)?.material;
                (&solid.group, Section::Solid(SolidSection::new(material)))
            }
            MeshSectionTable::Shell(face) => {
                let (material, thickness) = self.face(face, usual)?;
                (&face.group, Section::Shell(ShellSection { material, thickness }))
            }
            MeshSectionTable::PlaneStress(face) => {
                let (material, thickness) = self.face(face, usual)?;
                (&face.group, Section::Plane(PlaneSection::new(material, thickness, PlaneState::Stress)))
            }
            MeshSectionTable::PlaneStrain(face) => {
                let (material, thickness) = self.face(face, usual)?;
                (&face.group, Section::Plane(PlaneSection::new(material, thickness, PlaneState::Strain)))
            }
            MeshSectionTable::Bar(bar) => {
                let area = self.positive(&bar.area, "the area of a bar");
                let material = self.own_material(bar.material.as_ref(), usual, &bar.span)?;
                let density = material.material.density();
                let section = BarSection { area: area?, young: material.young, density };
                (&bar.group, Section::Bar(section))
            }
            MeshSectionTable::Beam(beam) => (&beam.group, Section::Beam(self.mesh_beam(beam, usual)?)),
            MeshSectionTable::PlanarBeam(beam) => {
                (&beam.group, Section::PlanarBeam(self.mesh_beam(beam, usual)?))
            }
        };
        Some(SectionOf { group: group.as_ref().map(|name: &Text| name.value.clone()), section })
    }

    fn face(&mut self, table: &FaceSectionTable, usual: Option<&LineMaterial>) -> Option<(Material, f64)> {
        let thickness = self.positive(&table.thickness, "the thickness of a section");
        let material = self.own_material(table.material.as_ref(), usual, &table.span)?;
        Some((material.material, thickness?))
    }

    fn mesh_beam(&mut self, table: &BeamSectionTable, usual: Option<&LineMaterial>) -> Option<BeamSection> {
        let area = self.positive(&table.area, "the area of a beam");
        let mut second = |number: &Number| self.positive(number, "the second moment of area of a beam");
        let [inertia_y, inertia_z] = table.inertia.value.each_ref().map(&mut second);
        let torsion = table.torsion.as_ref().map(|torsion| self.positive(torsion, "the torsion constant"));
        let shear_areas = table.shear_areas.as_ref().map(|areas| self.numbers(&areas.value));
        let offset = table.offset.as_ref().map(|offset| self.numbers(&offset.value));
        let y_axis = table.y_axis.as_ref().map(|axis| self.vector(axis));
        let material = self.own_material(table.material.as_ref(), usual, &table.span)?;
        let (inertia_y, inertia_z) = (inertia_y?, inertia_z?);
        Some(BeamSection {
            cross_section: CrossSection {
                area: area?,
                inertia_y,
                inertia_z,
                torsion: torsion.unwrap_or(Some(inertia_y + inertia_z))?,
                shear_areas: shear_areas.map_or(Some(None), |areas| areas.map(Some))?,
            },
            young: material.young,
            shear: material.shear,
            density: material.material.density(),
            orientation: match y_axis {
                Some(axis) => BeamOrientation::Toward(axis?),
                None => BeamOrientation::Roll(0.0),
            },
            offset: offset.unwrap_or(Some([0.0; 2]))?,
        })
    }

    fn own_material(
        &mut self,
        own: Option<&MaterialTable>,
        usual: Option<&LineMaterial>,
        span: &crate::diagnostic::Span,
    ) -> Option<LineMaterial> {
        match (own, usual) {
            (Some(table), _) => self.material(table),
            (None, Some(usual)) => Some(usual.clone()),
            (None, None) => {
                let message = "this section has no material";
                let help = "give `material` in the section, or in the source for all of them";
                self.diagnostics.push(Diagnostic::error(message).at(span.clone(), "this section").help(help));
                None
            }
        }
    }
}
