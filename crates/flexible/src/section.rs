//! What the elements of a mesh are made of.

use crate::elements::{
    Bar, BarSection, Beam, BeamSection, Element, Integration, Isoparametric, Shape, Shell,
};
use crate::material::{Material, plane_strain, plane_stress};
use crate::mesh::ElementKind;
use crate::{FlexibleError, Mesh, MeshElement};
use poinsot_geometry::Vec3;

/// Section of solids.
#[derive(Clone, Debug, PartialEq)]
pub struct SolidSection {
    /// The material, in body axes.
    pub material: Material,
    /// Whether hexahedra with eight nodes have incompatible modes (C3D8I) or not (C3D8): without them they
    /// are far too stiff in bending. Other shapes have no such modes.
    pub incompatible_modes: bool,
    /// At how many points elements are integrated.
    pub integration: Integration,
}

impl SolidSection {
    /// With incompatible modes and full integration.
    pub fn new(material: Material) -> Self {
        SolidSection { material, incompatible_modes: true, integration: Integration::Full }
    }
}

/// What a face in a plane is held to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaneState {
    /// No stress across the plane: a thin sheet.
    Stress,
    /// No strain across the plane: a slice of a long body.
    Strain,
}

/// Section of faces in a plane z = constant, that move in it alone.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaneSection {
    /// The material, in body axes.
    pub material: Material,
    /// Thickness (m).
    pub thickness: f64,
    /// Plane stress or plane strain.
    pub state: PlaneState,
    /// Whether quadrilaterals with four nodes have incompatible modes; other shapes have none.
    pub incompatible_modes: bool,
    /// At how many points elements are integrated.
    pub integration: Integration,
}

impl PlaneSection {
    /// With incompatible modes and full integration.
    pub fn new(material: Material, thickness: f64, state: PlaneState) -> Self {
        let integration = Integration::Full;
        PlaneSection { material, thickness, state, incompatible_modes: true, integration }
    }
}

/// Section of thin shells: triangles with three and quadrilaterals with four nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct ShellSection {
    /// The material, in body axes.
    pub material: Material,
    /// Thickness (m).
    pub thickness: f64,
}

/// What elements are made of.
#[derive(Clone, Debug, PartialEq)]
pub enum Section {
    /// Tetrahedra, hexahedra, wedges.
    Solid(SolidSection),
    /// Faces in a plane z = constant.
    Plane(PlaneSection),
    /// Faces in space, thin.
    Shell(ShellSection),
    /// Lines that are only pulled.
    Bar(BarSection),
    /// Lines that also bend and twist.
    Beam(BeamSection),
    /// Lines in a plane z = constant that bend in it.
    PlanarBeam(BeamSection),
}

impl Section {
    /// The word for it.
    pub fn name(&self) -> &'static str {
        match self {
            Section::Solid(_) => "solid",
            Section::Plane(_) => "plane",
            Section::Shell(_) => "shell",
            Section::Bar(_) => "bar",
            Section::Beam(_) => "beam",
            Section::PlanarBeam(_) => "planar beam",
        }
    }

    /// Dimension of its elements.
    pub fn dimension(&self) -> usize {
        match self {
            Section::Solid(_) => 3,
            Section::Plane(_) | Section::Shell(_) => 2,
            Section::Bar(_) | Section::Beam(_) | Section::PlanarBeam(_) => 1,
        }
    }

    /// Area of the section of a line (m²).
    pub fn area(&self) -> Option<f64> {
        match self {
            Section::Bar(section) => Some(section.area),
            Section::Beam(section) | Section::PlanarBeam(section) => Some(section.cross_section.area),
            _ => None,
        }
    }

    /// Whether elements of a kind can have it.
    pub fn fits(&self, kind: ElementKind) -> bool {
        let thin = matches!(kind, ElementKind::Tri3 | ElementKind::Quad4);
        kind.dimension() == self.dimension() && (thin || !matches!(self, Section::Shell(_)))
    }

    pub(crate) fn check(&self) -> Result<(), FlexibleError> {
        let thickness = |value: f64| match value.is_finite() && value > 0.0 {
            true => Ok(()),
            false => Err(FlexibleError::BadSection { what: "thickness", value }),
        };
        match self {
            Section::Solid(_) => Ok(()),
            Section::Plane(section) => thickness(section.thickness),
            Section::Shell(section) => thickness(section.thickness),
            Section::Bar(section) => section.check(),
            Section::Beam(section) | Section::PlanarBeam(section) => section.check(),
        }
    }

    /// The element in its place.
    pub(crate) fn element(&self, mesh: &Mesh, element: &MeshElement) -> Box<dyn Element> {
        let places: Vec<Vec3> = element.nodes.iter().map(|&node| mesh.nodes[node]).collect();
        let shape = || Shape::of(element.kind).expect("checked: the section fits");
        match self {
            Section::Solid(section) => {
                let SolidSection { material, incompatible_modes, integration } = section;
                let solid = Isoparametric::solid(shape(), places, *material.elasticity(), material.density());
                let incompatible = *incompatible_modes && element.kind == ElementKind::Hex8;
                Box::new(solid.with_incompatible_modes(incompatible).with_integration(*integration))
            }
            Section::Plane(section) => {
                let material = &section.material;
                let elasticity = match section.state {
                    PlaneState::Stress => plane_stress(material.elasticity()),
                    PlaneState::Strain => plane_strain(material.elasticity()),
                };
                let thickness = section.thickness;
                let plane = Isoparametric::plane(shape(), places, elasticity, material.density(), thickness);
                let incompatible = section.incompatible_modes && element.kind == ElementKind::Quad4;
                Box::new(plane.with_incompatible_modes(incompatible).with_integration(section.integration))
            }
            Section::Shell(ShellSection { material, thickness }) => {
                Box::new(Shell::new(&places, material.elasticity(), material.density(), *thickness))
            }
            Section::Bar(section) => Box::new(Bar::new(*section, [places[0], places[1]])),
            Section::Beam(section) => Box::new(Beam::spatial(*section, [places[0], places[1]])),
            Section::PlanarBeam(section) => Box::new(Beam::planar(*section, [places[0], places[1]])),
        }
    }
}

/// A section for the elements of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct SectionOf {
    /// Name of the group; without it all elements of the section's dimension.
    pub group: Option<String>,
    /// What they are made of.
    pub section: Section,
}

impl SectionOf {
    /// A section for all elements of its dimension.
    pub fn all(section: Section) -> Self {
        SectionOf { group: None, section }
    }

    /// A section for the elements of a group.
    pub fn group(name: impl Into<String>, section: Section) -> Self {
        SectionOf { group: Some(name.into()), section }
    }
}
