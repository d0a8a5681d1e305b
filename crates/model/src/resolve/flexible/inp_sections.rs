//! Sections and materials that an input file of Abaqus or CalculiX gives itself.

use super::material::LineMaterial;
use poinsot_flexible::{
    BarSection, BeamData, BeamOrientation, BeamSection, CrossSection, ElasticData, FlexibleError, Isotropic,
    Material, MaterialData, MeshInput, Orthotropic, PlaneSection, PlaneState, Section, SectionData,
    SectionKind, SectionOf, ShellSection, SolidSection,
};
use poinsot_geometry::{Mat6, Vec3};
use thiserror::Error;

/// Why the sections of a file cannot be used.
#[derive(Debug, Error)]
pub(super) enum FileSectionError {
    #[error("there is no material `{0}`")]
    NoMaterial(String),
    #[error("the material `{0}` needs *ELASTIC and *DENSITY")]
    Incomplete(String),
    #[error("the material `{name}`: {error}")]
    Material { name: String, error: FlexibleError },
    #[error("the set `{0}` has no elements")]
    NoElements(String),
    #[error("the bars of `{0}` have no area")]
    NoArea(String),
    #[error("`{group}` is a membrane ({kind}), which is not among the elements")]
    Membrane { group: String, kind: String },
    #[error("the beam section of `{group}`, {shape}, is not read")]
    Shape { group: String, shape: String },
}

/// Units of a file.
pub(super) struct FileUnits {
    /// Of length (m).
    pub length: f64,
    /// Of mass (kg).
    pub mass: f64,
}

/// The sections of a file, in our units.
pub(super) fn sections_of_file(
    input: &MeshInput,
    units: &FileUnits,
) -> Result<Vec<SectionOf>, FileSectionError> {
    let filled = input.sections.iter().filter(|section| !section.elements.is_empty());
    filled
        .map(|data| {
            let material = material(input, data, units)?;
            let section = section(data, element_type(input, data)?, material, units)?;
            Ok(SectionOf::group(&data.group, section))
        })
        .collect()
}

fn material(
    input: &MeshInput,
    section: &SectionData,
    units: &FileUnits,
) -> Result<LineMaterial, FileSectionError> {
    let name = &section.material;
    let data = input.materials.iter().find(|material| material.name == *name);
    let data = data.ok_or_else(|| FileSectionError::NoMaterial(name.clone()))?;
    let MaterialData { density: Some(density), elastic: Some(elastic), .. } = data else {
        return Err(FileSectionError::Incomplete(name.clone()));
    };
    // A pressure is a mass for each length and s².
    let pressure = units.mass / units.length;
    let density = density * units.mass / units.length.powi(3);
    let made = match elastic {
        ElasticData::Isotropic { young, poisson } => {
            Material::isotropic(Isotropic { young: young * pressure, poisson: *poisson }, density)
        }
        ElasticData::EngineeringConstants { young, poisson, shear } => {
            let [young, shear] = [young, shear].map(|three| three.map(|value| value * pressure));
            Material::orthotropic(&Orthotropic { young, poisson: *poisson, shear }, density)
        }
        ElasticData::Stiffness(rows) => {
            Material::anisotropic(Mat6::from_fn(|i, j| rows[i][j] * pressure), density)
        }
    };
    let line =
        LineMaterial::new(made.map_err(|error| FileSectionError::Material { name: name.clone(), error })?);
    let material = section.axes.as_ref().map_or(line.material.clone(), |axes| line.material.turned(axes));
    Ok(LineMaterial { material, ..line })
}

/// The one type that the elements of a section have, as far as it matters: `C3D8`, `CPS`, `CPE`, …
fn element_type<'a>(input: &'a MeshInput, section: &SectionData) -> Result<&'a str, FileSectionError> {
    let of = |element: &usize| input.types.iter().find(|kind| kind.elements.contains(element));
    let first = section.elements.first().and_then(of);
    let none = || FileSectionError::NoElements(section.group.clone());
    first.map(|kind| kind.name.as_str()).ok_or_else(none)
}

fn section(
    data: &SectionData,
    kind: &str,
    line: LineMaterial,
    units: &FileUnits,
) -> Result<Section, FileSectionError> {
    let LineMaterial { material, young, shear } = line;
    let group = &data.group;
    match &data.kind {
        SectionKind::Solid { size } if kind.starts_with("CPS") || kind.starts_with("CPE") => {
            let state = if kind.starts_with("CPS") { PlaneState::Stress } else { PlaneState::Strain };
            let thickness = size.unwrap_or(1.0) * units.length;
            Ok(Section::Plane(PlaneSection::new(material, thickness, state)))
        }
        SectionKind::Solid { size } if kind.starts_with('T') => {
            let area = size.ok_or_else(|| FileSectionError::NoArea(group.clone()))?;
            let (area, density) = (area * units.length.powi(2), material.density());
            Ok(Section::Bar(BarSection { area, young, density }))
        }
        SectionKind::Solid { .. } => {
            // Plain hexahedra as the file asks for them; others with incompatible modes.
            let incompatible_modes = !matches!(kind, "C3D8" | "C3D8H");
            Ok(Section::Solid(SolidSection { incompatible_modes, ..SolidSection::new(material) }))
        }
        SectionKind::Shell { .. } if kind.starts_with("M3D") => {
            Err(FileSectionError::Membrane { group: group.clone(), kind: kind.to_owned() })
        }
        SectionKind::Shell { thickness } => {
            Ok(Section::Shell(ShellSection { material, thickness: thickness * units.length }))
        }
        SectionKind::Beam(beam) => {
            let unread = || FileSectionError::Shape { group: group.clone(), shape: beam.shape.to_string() };
            let cross_section = cross_section(beam, kind, units.length).ok_or_else(unread)?;
            let section = BeamSection {
                cross_section,
                young,
                shear,
                density: material.density(),
                // The first axis of the section is −z where the file does not say it.
                orientation: BeamOrientation::Toward(beam.axis.unwrap_or(Vec3::new(0.0, 0.0, -1.0))),
                offset: [0.0; 2],
            };
            Ok(if kind.starts_with("B2") { Section::PlanarBeam(section) } else { Section::Beam(section) })
        }
    }
}

/// A cross-section by its dimensions. Beams that end with 3 know no shear deformation.
fn cross_section(beam: &BeamData, kind: &str, length: f64) -> Option<CrossSection> {
    let sizes: Vec<f64> = beam.dimensions.iter().map(|size| size * length).collect();
    // Shear factors of Abaqus.
    let (section, factor) = match (beam.shape.as_str(), &sizes[..]) {
        ("RECT", [along_first, along_second, ..]) => {
            (CrossSection::rectangle(*along_first, *along_second), 0.85)
        }
        ("CIRC", [radius, ..]) => (CrossSection::circle(*radius), 0.89),
        ("PIPE", [radius, wall, ..]) => (CrossSection::tube(*radius, radius - wall), 0.53),
        _ => return None,
    };
    Some(if kind.starts_with("B23") || kind.starts_with("B33") {
        section
    } else {
        section.with_shear(factor)
    })
}
